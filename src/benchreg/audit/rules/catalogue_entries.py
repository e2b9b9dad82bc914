"""CAT: what the catalogue says of a model or a part is possible, agrees, and was read."""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import get_args, get_origin

from pydantic import MISSING

from benchreg.analysis import parts
from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.base import Entity
from benchreg.entities.catalogue import Accelerator, Model
from benchreg.registry.document import Pointer
from benchreg.registry.registry import Registry
from benchreg.roofline.parameters import UncountedError, parameters
from benchreg.values.interval import short
from benchreg.values.text import suggestion

TOLERANCE = Fraction(3, 100)


@rule("CAT001", Severity.ERROR, over=Accelerator)
def sparse_peak(part: Accelerator, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """A peak can only be the sparse one.

    Vendors print the rate with structured sparsity, which is twice the dense one and which no
    model here reaches; a bound from it is twice too high, and finds nothing. A format is at most
    twice as fast as the next wider one: fp16 and tf32, fp8 or int8 and fp16, fp4 or fp6 and fp8,
    int4 and int8. The few parts that have faster units for one format are known by their family,
    and 1.5 % are left for printed pairs that are no exact doubles. What is compared is dense only
    if the wider one is: a part whose peaks are all sparse agrees with itself.

    Bad:

    ```yaml accelerators/example-gpu-80gb
    peak_tflop_s: {tf32: 150, bf16: 600}
    ```

    Good:

    ```yaml accelerators/example-gpu-80gb
    peak_tflop_s: {tf32: 150, bf16: 300, fp8: 600, int8: 603}
    ```
    """
    del registry
    peaks = parts.stated(part.peak_tflop_s)
    judged = [name for name in peaks if name in parts.WIDER]
    if not judged:
        yield NotEvaluated(("peak_tflop_s",), "no peak of a narrow format is stated")
    for name in judged:
        at, beside = ("peak_tflop_s", name), parts.beside(part, name)
        if beside is None:
            wider = " or ".join(one for names, _ in parts.WIDER[name] for one in names)
            yield NotEvaluated(at, f"the peak of {wider} is not stated")
        elif peaks[name] > beside.most:
            yield Problem(
                at,
                f"{name} is {short(peaks[name] / beside.rate, 3)} times {beside.names} "
                f"({short(beside.rate)}); {short(beside.times, 3)} times is the most without "
                "sparsity",
                "write the dense peak: what vendors print with sparsity is twice that",
                on_value=True,
                also=(short(beside.rate),),
            )


@rule("CAT002", Severity.ERROR, over=Model)
def parameters_disagree(model: Model, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """The parameters of a model are not what its sizes come to.

    The sizes of a model decide what its weights weigh and how long a step takes at least. They
    are held against the stated number: embedding, attention of its kind, MLP or experts, router
    and norms. Biases and learned positions have no field and are left out; they are less than
    1 %. More than 3 % apart, a size or the number was misread.

    Bad:

    ```yaml models/example-model
    layers: 64
    ```

    Good:

    ```yaml models/example-model
    layers: 32
    ```
    """
    del registry
    at = ("parameters_billion",)
    if model.parameters_billion is MISSING:
        yield NotEvaluated(at, "the number of parameters is not stated")
        return
    try:
        counted = Fraction(parameters(model).total, 10**9)
    except UncountedError as error:
        yield NotEvaluated(at, f"{error} is not stated")
        return
    stated = Fraction(model.parameters_billion)
    if abs(counted - stated) > TOLERANCE * stated:
        apart = short(100 * (counted - stated) / stated, 3)
        yield Problem(
            at,
            f"{model.parameters_billion} billion parameters are stated, and the sizes come to "
            f"{short(counted)} ({apart} %)",
            "correct the size or the number that was misread",
            on_value=True,
            also=(short(counted),),
        )


@rule("CAT003", Severity.NOTE, over=(Accelerator, Model))
def number_unsourced(entity: Accelerator | Model, registry: Registry) -> Iterator[Problem]:
    """A number of the catalogue was not read at a source.

    Bounds rest on these numbers. One that nobody read where it is said to stand may be of
    another part, sparse, or a guess that was copied; it is kept, and it is said. A list of
    `fields` vouches for a block as well as for each number in it.

    Bad:

    ```yaml accelerators/example-gpu-80gb
    provenance:
      - fields: [memory_gib, memory_bandwidth_gb_s, peak_tflop_s.bf16]
        source: example-source
        checked: true
      - fields: [tdp_w]
        source: example-source
        checked: false
    ```

    Good:

    ```yaml accelerators/example-gpu-80gb
    provenance:
      - fields: [memory_gib, memory_bandwidth_gb_s, peak_tflop_s, tdp_w]
        source: example-source
        checked: true
    ```
    """
    del registry
    named = {field: False for one in entity.provenance for field in one.fields}
    named |= {field: True for one in entity.provenance if one.checked for field in one.fields}
    kept: dict[bool | None, list[str]] = {False: [], None: []}
    for path in _numbers(entity):
        known = [named[one] for one in _blocks(path) if one in named]
        if not any(known):
            kept[False if known else None].append(path)
    said = {False: "named by a source, and not read there: {}", None: "without a source: {}"}
    told = [said[why].format(", ".join(paths)) for why, paths in kept.items() if paths]
    if told:
        yield Problem(
            ("provenance",) if entity.provenance else (),
            "; ".join(told),
            "read it at its source and write `checked: true`, or name the source",
            also=tuple(sorted([*kept[False], *kept[None]])),
        )


def _numbers(entity: Entity, under: str = "") -> Iterator[str]:
    """Yield the path of every number of an entry; the list of measured all-reduces is one."""
    for name in type(entity).model_fields:
        value = getattr(entity, name)
        if isinstance(value, Entity):
            yield from _numbers(value, f"{under}{name}.")
        elif _is_number(value) or (name == "allreduce" and value):
            yield f"{under}{name}"


def _is_number(value: object) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def _blocks(path: str) -> Iterator[str]:
    """Yield a path and the blocks that it stands in."""
    while path:
        yield path
        path = path.rpartition(".")[0]


@rule("CAT004", Severity.ERROR, over=Accelerator)
def impossible_part(part: Accelerator, registry: Registry) -> Iterator[Problem]:
    """A number is outside of what any part has.

    A unit that was mistaken (TB/s for GB/s, bytes for GiB, PFLOP/s for TFLOP/s) moves every bound
    by a thousand and finds no figure, or all of them. Memory, bandwidth, power, link and peaks are
    held against wide limits and against each other: DRAM is read 1 to 160 times a second, SRAM on
    a die or a wafer 10,000 times at least; a link is slower than the memory; each format has its
    range of operations for a byte of memory.

    Bad:

    ```yaml accelerators/example-gpu-40gb
    memory_bandwidth_gb_s: 2
    peak_tflop_s: {tf32: 0.15, bf16: 0.3}
    ```

    Good:

    ```yaml accelerators/example-gpu-40gb
    memory_bandwidth_gb_s: 2000
    ```
    """
    del registry
    for found in parts.ranges(part):
        if not found.holds:
            yield Problem(
                found.at,
                f"{short(found.value)} is outside of {short(found.low)} to {short(found.high)}: "
                f"{found.why}",
                "correct the number or its unit: GiB, GB/s, W, TFLOP/s",
                on_value=True,
                also=(short(found.low), short(found.high)),
            )


@rule("CAT007", Severity.ERROR, over=(Accelerator, Model))
def source_of_nothing(entity: Accelerator | Model, registry: Registry) -> Iterator[Problem]:
    """A source vouches for a field that is not there, or disputes a number with itself.

    A misspelt path vouches for nothing, and the number that was meant has no source. A conflict
    of a number that is not stated, or that says the same as the one in use, is no conflict: it is
    what was left when the number in use was changed.

    Bad (also CAT003):

    ```yaml accelerators/example-gpu-80gb
    provenance:
      - fields: [memory_gb, memory_bandwidth_gb_s, peak_tflop_s, tdp_w]
        source: example-source
        checked: true
    ```

    Bad:

    ```yaml accelerators/example-gpu-80gb
    conflicts:
      - {field: memory_bandwidth_gb_s, value: 2000, source: example-source}
    ```

    Good:

    ```yaml accelerators/example-gpu-80gb
    conflicts:
      - {field: memory_bandwidth_gb_s, value: 2039, source: example-source}
    ```
    """
    del registry
    said: dict[Pointer, str] = {
        ("provenance", index, "fields", item): path
        for index, one in enumerate(entity.provenance)
        for item, path in enumerate(one.fields)
    }
    conflicts = entity.conflicts if isinstance(entity, Accelerator) else ()
    said |= {("conflicts", index, "field"): one.field for index, one in enumerate(conflicts)}
    for at, path in said.items():
        if _found(entity, path) is None:
            yield _nowhere(entity, at, path)
    for index, one in enumerate(conflicts):
        found = _found(entity, one.field)
        if _is_number(found) and one.value == found:
            yield Problem(
                ("conflicts", index, "value"),
                f"{one.value} is the {one.field} in use",
                "write the number that the source has, or take the conflict out",
                on_value=True,
            )
        elif found is not None and not _is_number(found):
            hint = "name one number, such as `peak_tflop_s.bf16`"
            what = f"{one.field} is no number"
            yield Problem(("conflicts", index, "field"), what, hint, on_value=True)


def _found(entity: Entity, path: str) -> object | None:
    """Return what an entry states at a path; None where it states nothing, or has no such field."""
    found: object = entity
    for name in path.split("."):
        if not isinstance(found, Entity) or name not in found.model_fields_set:
            return None
        found = getattr(found, name)
    return found


def _nowhere(entity: Entity, at: Pointer, path: str) -> Problem:
    """Say whether a field is only not stated, or is none at all."""
    known = _paths(type(entity))
    if path in known:
        hint = "state the number, or take its path out"
        return Problem(at, f"the entry has no {path}", hint, severity=Severity.WARNING)
    kind = type(entity).__name__.lower()
    hint = suggestion(path, known) or "write the path of a field, such as `memory_gib`"
    return Problem(at, f"no {kind} has a {path!r}", hint, on_value=True)


@cache
def _paths(kind: type[Entity], under: str = "") -> tuple[str, ...]:
    """Return the paths of all fields of an entry, those in its blocks included; a list is one."""
    found: list[str] = []
    for name, field in kind.model_fields.items():
        found.append(f"{under}{name}")
        one = field.annotation
        for part in () if get_origin(one) is tuple else (one, *get_args(one)):
            if isinstance(part, type) and issubclass(part, Entity):
                found += _paths(part, f"{under}{name}.")
    return tuple(found)
