"""Which records an analyst means by a part, a model, an engine or a word."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from pydantic import MISSING

from benchreg.entities.catalogue import Accelerator, Engine, Model
from benchreg.entities.conditions import Pool
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.values.errors import NotFoundError
from benchreg.values.text import shown, suggestion

Part = Accelerator | Model | Engine


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a word was taken for: the entries that it names, by id."""

    kind: str
    word: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for; an empty field asks for nothing."""

    hardware: str = ""
    model: str = ""
    engine: str = ""
    metric: str = ""
    scope: str = ""
    scenario: str = ""
    pattern: str = ""


@dataclass(slots=True)
class Found:
    """The records that were found, how each word was taken, and where nothing was left."""

    records: list[Record]
    meanings: list[Meaning] = field(default_factory=list)
    emptied_by: str = ""


def search(registry: Registry, asked: Asked) -> Found:
    """Return the records that match everything that is asked; examples are none of them.

    Raises NotFoundError for a word that names nothing, and offers the nearest.
    """
    found = Found([one for one in registry.records.values() if one.kind != "example"])
    for name, keep in _filters(registry, asked, found.meanings):
        had = bool(found.records)
        found.records = [record for record in found.records if keep(record)]
        if had and not found.records:
            found.emptied_by = name
    return found


def _filters(
    registry: Registry, asked: Asked, meanings: list[Meaning]
) -> Iterable[tuple[str, Callable[[Record], bool]]]:
    if asked.hardware:
        parts = _named("hardware", asked.hardware, registry.accelerators, meanings)
        yield f"hardware {asked.hardware}", lambda record: _runs_on(record, parts, asked.hardware)
    if asked.model:
        models = _named("model", asked.model, registry.models, meanings)
        yield f"model {asked.model}", lambda record: record.model.id in models
    if asked.engine:
        engines = _named("engine", asked.engine, registry.engines, meanings)
        yield f"engine {asked.engine}", lambda record: record.engine.id in engines
    if asked.scenario:
        yield f"scenario {asked.scenario}", lambda record: record.load.scenario == asked.scenario
    if asked.pattern:
        yield f"pattern {asked.pattern}", lambda record: record.load.pattern == asked.pattern
    if asked.metric:
        metric = _metric(registry, asked.metric)
        yield f"metric {metric}", lambda record: _measures(record, metric)
    if asked.scope:
        yield f"scope {asked.scope}", lambda record: _has_scope(record, asked.scope)


def _named(
    kind: str, word: str, catalogue: Mapping[str, Part], meanings: list[Meaning]
) -> frozenset[str]:
    """Return the entries that a word names: by id or alias, family, vendor, or beginning."""
    ids = sorted(part.id for part in catalogue.values() if _answers(part, word.casefold()))
    if not ids:
        ids = sorted(part.id for part in catalogue.values() if _holds_all(part, word.casefold()))
    if not ids:
        families = {getattr(part, "family", part.id) for part in catalogue.values()}
        near = suggestion(word, sorted({*catalogue, *families})) or f"see records/ for what {kind}"
        raise NotFoundError(f"no {kind} is called {shown(word)!r}; {near}")
    meanings.append(Meaning(kind, word, tuple(ids)))
    return frozenset(ids)


def _answers(part: Part, word: str) -> bool:
    vendor = part.vendor.casefold() if part.vendor is not MISSING else ""
    names = {part.id, *part.aliases, vendor, getattr(part, "family", "")}
    return word in names or part.id.startswith(f"{word}-")


def _holds_all(part: Part, word: str) -> bool:
    have = _tokens(f"{part.id} {part.name}")
    return bool(_tokens(word)) and _tokens(word) <= have


def _tokens(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+|[0-9.]+", text.casefold()))


def _runs_on(record: Record, parts: frozenset[str], word: str) -> bool:
    return any(
        pool.accelerator in parts or not parts.isdisjoint(pool.could_be) or _said(pool, word)
        for pool in record.hardware.pools
    )


def _said(pool: Pool, word: str) -> bool:
    """Tell whether a part that is only described is described by this word."""
    if pool.accelerator is not MISSING or pool.described_as is MISSING:
        return False
    said = re.split(r"[^a-z0-9]+", pool.described_as.casefold())
    return word.casefold() in said


def _metric(registry: Registry, name: str) -> str:
    if name in registry.metrics:
        return name
    near = suggestion(name, registry.metrics) or "see records/metrics"
    raise NotFoundError(f"no metric is called {shown(name)!r}; {near}")


def _measures(record: Record, metric: str) -> bool:
    return any(figure.metric == metric for figure in record.results.values())


def _has_scope(record: Record, scope: str) -> bool:
    return any(figure.scope == scope for figure in record.results.values())
