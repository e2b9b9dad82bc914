"""IDN, first part: what things are called, and whether what they name is there."""

import re
from collections.abc import Iterator
from functools import lru_cache

from pydantic import MISSING

from benchreg.analysis.aliases import id_meant
from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.catalogue import Accelerator
from benchreg.entities.conditions import Pool
from benchreg.entities.record import Record
from benchreg.registry.document import Edit, Pointer
from benchreg.registry.registry import Entry, Registry, names_of
from benchreg.values.text import suggestion


@rule("IDN001", Severity.ERROR, over=Entry, waivable=False)
def id_not_file_name(entry: Entry, registry: Registry) -> Iterator[Problem]:
    """The id, the file's name and the folder disagree.

    A record is found by its file: `records/benchmarks/<source>/.../<id>.yaml`. Where the three
    disagree, a link, a search and a review each look at another thing.

    Bad:

    ```yaml
    id: another-record
    ```

    Good:

    ```yaml
    id: base-record
    ```
    """
    del registry
    _, folder, *rest = entry.document.path.split("/")
    stem = rest[-1].removesuffix(".yaml")
    entity = entry.entity
    if entity.id != stem:  # type: ignore[attr-defined]  # every catalogued entity has an id
        yield Problem(
            ("id",),
            f"the id is {entity.id!r} and the file is {stem!r}",  # type: ignore[attr-defined]
            f"call the file {entity.id}.yaml, or write `id: {stem}`",  # type: ignore[attr-defined]
            on_value=True,
        )
    if isinstance(entity, Record) and rest[0] != entity.source.id:
        yield Problem(
            ("source", "id"),
            f"the source is {entity.source.id!r} and the file is in the folder {rest[0]!r}",
            f"move the file to records/{folder}/{entity.source.id}/, or correct the source",
            on_value=True,
        )


@rule("IDN002", Severity.ERROR, over=Entry, waivable=False)
def id_taken(entry: Entry, registry: Registry) -> Iterator[Problem]:
    """An id or an alias is used twice.

    A name must lead to one thing. Ids and aliases of records and of their results share one
    space, and so do those of each catalogue.

    Bad:

    ```yaml
    aliases: [base-record]
    ```

    Good:

    ```yaml
    aliases: [base-record-of-old]
    ```
    """
    for name in names_of(entry):
        holders = registry.holders[(entry.kind, name.name)]
        if len(holders) == 1:
            continue
        first, second = holders
        mine = first.at == name.at and first.entry.document is entry.document
        other = second if mine else first
        place = other.entry.document.value_place(other.at)
        yield Problem(
            name.at,
            f"{name.name!r} is taken by {other.entry.document.path}:{place.line} too",
            "give each its own name; an alias that means the same may be left out",
            on_value=True,
        )


@rule("IDN003", Severity.ERROR, over=Entry, waivable=False)
def dangling_reference(entry: Entry, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """Something is named that is not there.

    A model, accelerator, engine, source, record or result that the registry does not hold cannot
    be checked, and a figure that rests on it cannot be trusted. A metric is judged by MET001.

    Bad:

    ```yaml
    model:
      id: example-modell
    ```

    Good:

    ```yaml
    model:
      id: example-model
    ```
    """
    for link, refused in registry.broken.get(entry.document.path, ()):
        if refused:
            yield NotEvaluated(link.at, f"{link.target} is there, and was refused")
        elif link.kind != "metrics" or entry.kind == "metric":
            meant = id_meant(link, registry)
            hint = f"it is an alias; write {meant!r}" if meant else ""
            hint = hint or suggestion(link.target, registry.known(entry.entity, link))
            yield Problem(
                link.at,
                f"{link.target!r} is not among the {link.kind}",
                hint or "add what it names, or take the reference out",
                on_value=True,
                edit=Edit(link.at, "replace", meant) if meant else None,
            )


@rule("IDN007", Severity.ERROR, over=Record, needs=("accelerators",))
def part_mismatch(record: Record, registry: Registry) -> Iterator[Problem]:
    """A part is described as one thing and linked to another.

    An A100 with 40 GB is not an A100 with 80 GB: it has less memory and less bandwidth, and a
    bound computed from the wrong entry is wrong. A part is linked where the source names it; else
    it is described in the source's words, with the parts that these could mean. A name that the
    catalogue has among the aliases of a part means that part, whatever sizes are in it: the driver
    calls a superchip by the memory of its CPU. A number of parts in the words divides the count,
    and a pool stands once: equal parts are one pool.

    Bad:

    ```yaml
    hardware:
      pools:
        - accelerator: example-gpu-80gb
          described_as: Example GPU 40GB
          count: 1
          parallelism: {tensor: 1}
    ```

    Good:

    ```yaml
    hardware:
      pools:
        - accelerator: example-gpu-80gb
          described_as: Example GPU 80GB
          count: 1
          parallelism: {tensor: 1}
    ```
    """
    for index, pool in enumerate(record.hardware.pools):
        at = ("hardware", "pools", index)
        yield from _miscounted(record, index)
        yield from _could_not_be(pool, at, registry)
        if pool.accelerator is MISSING:
            if pool.described_as is MISSING:
                yield Problem(
                    at,
                    "the pool names no part",
                    "write `accelerator` (a catalogue id) or `described_as` (the source's words)",
                )
            continue
        if pool.could_be:
            yield Problem(
                (*at, "could_be"),
                f"the pool is linked to {pool.accelerator} and says what else it could be",
                "keep `accelerator` where the source names the part, else `could_be`",
            )
        if pool.described_as is MISSING:
            continue
        for what in _mismatches(pool.described_as, pool.accelerator, pool.count, registry):
            meant = _fitting(pool.described_as, pool.accelerator, pool.count, registry)
            yield Problem(
                (*at, "accelerator"),
                f"{pool.accelerator} {what}, and the source says {pool.described_as!r}",
                f"link the part that the words mean{meant}, or only say what they `could_be`",
                on_value=True,
            )


def _could_not_be(pool: Pool, at: Pointer, registry: Registry) -> Iterator[Problem]:
    """Yield the parts that a pool could be, and that its words rule out."""
    for item, part in enumerate(pool.could_be if pool.described_as is not MISSING else ()):
        for what in _mismatches(str(pool.described_as), part, pool.count, registry):
            yield Problem(
                (*at, "could_be", item),
                f"{part} {what}, and the source says {pool.described_as!r}",
                "take it out: the words cannot mean it",
                on_value=True,
            )


def _fitting(said: str, accelerator: str, count: int, registry: Registry) -> str:
    """Return the siblings of a part that some words do not contradict, in brackets."""
    family = registry.accelerators[accelerator].family
    known = [name for name, part in registry.accelerators.items() if part.family == family]
    fit = [name for name in known if not _mismatches(said, name, count, registry)]
    return f" ({' or '.join(fit)})" if 0 < len(fit) <= MOST_MEANT else ""


MOST_MEANT = 4
_NUMBER_OF = re.compile(r"([1-9][0-9]{0,3}) ?[xX*\u00d7]")


def _miscounted(record: Record, index: int) -> Iterator[Problem]:
    """Yield where a pool is another one over again, or is not as many parts as its words say."""
    pool, at = record.hardware.pools[index], ("hardware", "pools", index)
    if pool in record.hardware.pools[:index]:
        hint = "write one pool with all of them, or what tells the two apart"
        yield Problem(at, "the pool is the same as one above it", hint)
    said = _NUMBER_OF.match(pool.described_as) if pool.described_as is not MISSING else None
    if said and pool.count % int(said[1]):
        yield Problem(
            (*at, "count"),
            f"the count is {pool.count}, and the source says {pool.described_as!r}",
            "count the accelerators of all nodes together",
            on_value=True,
        )


_MEMORY = re.compile(
    r"(?<![0-9.])([0-9]{1,4})[ -]?gi?b?\b(?!\s*/|\s*(?:of )?(?:host|system|ram|ddr|memory))"
)
_FORMS = frozenset(("pcie", "sxm", "nvl", "oam"))


@lru_cache(maxsize=2)
def _worked_out(registry: Registry) -> dict[tuple[str, str, int], tuple[str, ...]]:
    """Return what is known of words and parts of a registry so far; records repeat both."""
    del registry
    return {}


def _mismatches(said: str, accelerator: str, count: int, registry: Registry) -> tuple[str, ...]:
    """Return what the catalogue says of the linked part that the source's words contradict."""
    known, key = _worked_out(registry), (said, accelerator, count)
    if key not in known:
        known[key] = _contradictions(said, accelerator, count, registry)
    return known[key]


def _contradictions(said: str, accelerator: str, count: int, registry: Registry) -> tuple[str, ...]:
    part, words = registry.accelerators[accelerator], said.casefold()
    if re.sub(r"[^a-z0-9.]+", "-", words).removeprefix("nvidia-") in part.aliases:
        return ()
    tokens = {word for token in re.split(r"[^a-z0-9]+", words) for word in _words(token)}
    found = (
        _size_of_another(words, part, count, registry),
        _form_of_another(tokens, part),
        _family_of_another(tokens, part, registry),
    )
    return tuple(what for what in found if what)


def _size_of_another(words: str, part: Accelerator, count: int, registry: Registry) -> str:
    """Say which size the part has, where the words give another.

    A source may print the size of one part, or of the pool; a multiple that is the size of a
    sibling means the sibling.
    """
    sizes = {int(size) for size in _MEMORY.findall(words)}
    if not sizes or part.memory_gib is MISSING:
        return ""
    own = float(part.memory_gib)
    siblings = {
        float(other.memory_gib)
        for other in registry.accelerators.values()
        if other.family == part.family and other.memory_gib is not MISSING
    }
    allowed = {own} | ({own * count} - siblings)
    near = {size for one in allowed for size in range(int(one * 0.93), int(one * 1.07) + 2)}
    return "" if sizes & near else f"has {part.memory_gib} GiB"


def _form_of_another(tokens: set[str], part: Accelerator) -> str:
    form = part.form_factor.casefold() if part.form_factor is not MISSING else ""
    said = {token.rstrip("0123456789") for token in tokens} & _FORMS
    known = any(name in form for name in _FORMS)
    if said and known and not any(name in form for name in said):
        return f"is a {part.form_factor} part"
    return ""


def _family_of_another(tokens: set[str], part: Accelerator, registry: Registry) -> str:
    families = tokens & registry.families
    return f"is of the family {part.family}" if families and part.family not in families else ""


def _words(token: str) -> Iterator[str]:
    """Yield a word of a description without a number of parts: `8xh100`, `h100x8`, `a100s`.

    An s at the end may be of a plural or of a name, as in `l40s`; both are yielded.
    """
    bare = re.sub(r"^[0-9]+x(?=.)", "", token)
    yield bare
    yield re.sub(r"(?<=[0-9])(?:x[0-9]+|s)$", "", bare)
