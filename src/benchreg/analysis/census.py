"""How many records there are of what, and how much of their conditions nobody knows."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from pydantic import MISSING

from benchreg.entities.completeness import CORE, EXTENDED, Condition, applies
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry

NOT_STATED = "not stated"
Names = Callable[[Registry, Record], Iterable[str]]


class Count(NamedTuple):
    """Records of one kind, their figures, and how many of the records do not stand."""

    name: str
    records: int
    figures: int
    fallen: int


class Unknown(NamedTuple):
    """A condition, and for each group of records how many of those that it concerns lack it.

    `lacking` and `concerned` are numbers of records, by group.
    """

    condition: Condition
    lacking: Mapping[str, int]
    concerned: Mapping[str, int]


def counts(registry: Registry, names: Names) -> list[Count]:
    """Return how many records have each name, the most first; one record may have several."""
    records: Counter[str] = Counter()
    figures: Counter[str] = Counter()
    fallen: Counter[str] = Counter()
    for record in registry.records.values():
        for name in dict.fromkeys(names(registry, record)):
            records[name] += 1
            figures[name] += len(record.results)
            fallen[name] += record.status != "active"
    found = [Count(name, number, figures[name], fallen[name]) for name, number in records.items()]
    return sorted(found, key=lambda one: (-one.records, one.name))


def unknowns(registry: Registry, names: Names) -> list[Unknown]:
    """Return for each core and extended condition how many records of each group lack it.

    A condition that does not apply to a record does not concern it.
    """
    found = []
    for condition in (*CORE, *EXTENDED):
        lacking: Counter[str] = Counter()
        concerned: Counter[str] = Counter()
        for record in registry.records.values():
            if not applies(record, condition):
                continue
            for name in names(registry, record):
                concerned[name] += 1
                lacking[name] += not condition.stated(record)
        found.append(Unknown(condition, lacking, concerned))
    return found


def by_source(registry: Registry, record: Record) -> Iterable[str]:
    """Return the source of a record."""
    del registry
    return (record.source.id,)


def by_part(registry: Registry, record: Record) -> Iterable[str]:
    """Return the parts of a record's pools: ids, or the source's words."""
    del registry
    pools = record.hardware.pools
    named = [_first(pool.accelerator, pool.described_as) for pool in pools]
    return named or (NOT_STATED,)


def by_model(registry: Registry, record: Record) -> Iterable[str]:
    """Return the model of a record: its id, or the source's words."""
    del registry
    return (_first(record.model.id, record.model.described_as),)


def by_engine(registry: Registry, record: Record) -> Iterable[str]:
    """Return the engine of a record: its id, or the source's words."""
    del registry
    return (_first(record.engine.id, record.engine.described_as),)


def by_pattern(registry: Registry, record: Record) -> Iterable[str]:
    """Return the load pattern of a record, with the scenario where one is named."""
    del registry
    pattern, scenario = record.load.pattern, record.load.scenario
    words = [str(one).replace("_", " ") for one in (pattern, scenario) if one is not MISSING]
    return (", ".join(words) or NOT_STATED,)


def by_year(registry: Registry, record: Record) -> Iterable[str]:
    """Return the year in which a record was measured, or else its source published."""
    source = registry.sources.get(record.source.id)
    published = MISSING if source is None else source.published
    return (_first(record.measurement.measured, published)[:4],)


def with_version(registry: Registry) -> Mapping[str, tuple[int, int]]:
    """Return by source how many records name a build of the engine, and how many there are."""
    [version] = [one for one in CORE if one.key == "engine.version"]
    found: dict[str, tuple[int, int]] = {}
    for record in registry.records.values():
        known, every = found.get(record.source.id, (0, 0))
        found[record.source.id] = (known + version.stated(record), every + 1)
    return found


def _first(*values: object) -> str:
    return next((str(one) for one in values if one is not MISSING), NOT_STATED)
