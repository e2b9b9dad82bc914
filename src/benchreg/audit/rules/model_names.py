"""IDN, fourth part: the model that is linked is the one that the words name."""

from collections.abc import Iterator
from functools import lru_cache

from pydantic import MISSING

from benchreg.analysis import naming
from benchreg.analysis.naming import Size
from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.catalogue import Model
from benchreg.entities.record import Record
from benchreg.registry.document import Pointer
from benchreg.registry.registry import Registry


@rule("IDN013", Severity.ERROR, over=Record, needs=("models",))
def model_mismatch(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """A model is named as one thing and linked to another.

    Llama 2 70B and Llama 2 13B are five times apart in speed, and Llama 2 and Llama 3 in what a
    token is. The source's words, and the benchmark of a closed-division result, are held against
    the linked entry: the number of parameters (20 % are left, and what the model's own name says
    is taken as well), the family, and its version. A title without the right number is a warning.
    Words that name several sizes hold if one of them does.

    Bad:

    ```yaml
    model:
      id: example-model
      described_as: Example 70B
    ```

    Good:

    ```yaml
    model:
      id: example-model
      described_as: Example 7B
    ```
    """
    if record.model.id is MISSING:
        return
    model = registry.models[record.model.id]
    for at, words in _names(record):
        said = _judged(registry, words, model)
        for what in said or ():
            yield _problem(at, what, words, model)
        if said is None:
            yield NotEvaluated(at, f"how many parameters {model.id} has is not stated")
    for what in _contradicted(registry, naming.sizes(record.title), model):
        yield _problem(("title",), what, record.title, model, Severity.WARNING)


def _names(record: Record) -> Iterator[tuple[Pointer, str]]:
    """Yield the words that a source has for the model; in an open division, any may be run."""
    if record.model.described_as is not MISSING:
        yield ("model", "described_as"), record.model.described_as
    if record.mlperf is not MISSING and record.mlperf.division == "closed":
        for index, benchmark in enumerate(record.mlperf.benchmark):
            yield ("mlperf", "benchmark", index), benchmark


@lru_cache(maxsize=2)
def _worked_out(registry: Registry) -> dict[tuple[object, str], tuple[str, ...] | None]:
    """Return what is known of words, sizes and models of a registry; records repeat them."""
    del registry
    return {}


def _judged(registry: Registry, words: str, model: Model) -> tuple[str, ...] | None:
    """Return what the catalogue says of the linked model that words contradict.

    None where they give a size, and nothing says how large the model is.
    """
    known, key = _worked_out(registry), (words, model.id)
    if key not in known:
        given, another = naming.sizes(words), naming.another_family(words, model, registry)
        family = (f"is of the family {model.family}",) if another else ()
        unsized = given and not family and not naming.sizes_of(model)
        known[key] = None if unsized else (*_contradicted(registry, given, model), *family)
    return known[key]


def _contradicted(registry: Registry, given: tuple[Size, ...], model: Model) -> tuple[str, ...]:
    """Say how large a model is, where sizes are given and none of them is near."""
    known, key = _worked_out(registry), (given, model.id)
    if key not in known:
        sizes = naming.sizes_of(model)
        fits = not given or any(naming.fits(size, model) for size in given)
        known[key] = () if fits or not sizes else (f"has {sizes[0]} billion parameters",)
    return known[key] or ()


def _problem(
    at: Pointer, what: str, words: str, model: Model, severity: Severity | None = None
) -> Problem:
    return Problem(
        at,
        f"{model.id} {what}, and {'.'.join(map(str, at))} is {words!r}",
        "link the model that the words name, or only describe it",
        severity,
        also=(model.id,),
        on_value=True,
    )
