"""The registry: every entity by its id, links both ways, and what was refused."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from benchreg.entities.base import Entity
from benchreg.entities.catalogue import Accelerator, Engine, Metric, Model, Source
from benchreg.entities.figure import Figure
from benchreg.entities.record import Record
from benchreg.registry.document import Document, Pointer
from benchreg.registry.links import Link, links
from benchreg.registry.refusal import Refusal
from benchreg.values.errors import NotFoundError
from benchreg.values.text import nearest, shown

PLURALS = {
    "record": "records",
    "accelerator": "accelerators",
    "model": "models",
    "engine": "engines",
    "source": "sources",
    "metric": "metrics",
}


class Entry(NamedTuple):
    """An entity and the document that it was read from."""

    kind: str
    entity: Entity
    document: Document


class Name(NamedTuple):
    """A name that something answers to, and where it is written."""

    name: str
    entry: Entry
    at: Pointer
    result: str | None = None


class Address(NamedTuple):
    """A record, or one of its results."""

    record: Record
    result: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Registry:
    """Everything that was said, and by which file; an id taken twice belongs to the first path.

    `broken` tells for the path of an entry which of its links lead nowhere: the link, and
    whether its target was refused (then it is there, and cannot be read). `today` is the day on
    which it is judged (2026-11-30), empty where nobody said.
    """

    entries: tuple[Entry, ...]
    refusals: tuple[Refusal, ...]
    documents: Mapping[str, Document]
    records: Mapping[str, Record]
    accelerators: Mapping[str, Accelerator]
    models: Mapping[str, Model]
    engines: Mapping[str, Engine]
    sources: Mapping[str, Source]
    metrics: Mapping[str, Metric]
    names: Mapping[str, tuple[Name, ...]]
    holders: Mapping[tuple[str, str], tuple[Name, ...]]
    broken: Mapping[str, tuple[tuple[Link, bool], ...]]
    refused_ids: frozenset[tuple[str, str]]
    families: frozenset[str]
    cross_validated: bool = False
    today: str = ""

    def users(self, kind: str, target: str) -> tuple[str, ...]:
        """Return the ids of what links to an id of the map `kind`, in the order of their files."""
        return tuple(
            _id(entry.entity)
            for entry in self.entries
            if any(
                link.kind == kind and link.target.partition("#")[0] == target
                for link in links(entry.entity)
            )
        )

    def known(self, entity: Entity, link: Link) -> Collection[str]:
        """Return what a link could have meant: ids, or results of the record that it names."""
        base, _, result = link.target.partition("#")
        home = entity if link.kind == "results" else self.records.get(base) if result else None
        if not isinstance(home, Record):
            known: Mapping[str, object] = getattr(self, link.kind)
            return known
        prefix = "" if link.kind == "results" else f"{base}#"
        return [f"{prefix}{name}" for name in home.results]

    def figure(self, record: Record, reference: str) -> tuple[Record, Figure]:
        """Return the record and the figure of a reference that is known to lead somewhere."""
        other, found, name = reference.partition("#")
        if not found:
            return record, record.results[reference]
        return self.records[other], self.records[other].results[name]

    def resolve(self, name: str) -> Address:
        """Return what a name means: a record's id or alias, `record#result`, a result's alias.

        Raises NotFoundError that offers the nearest names.
        """
        base, found, result = name.partition("#")
        for known in self.names.get(base, ()):
            if isinstance(known.entry.entity, Record):
                record, wanted = known.entry.entity, result if found else known.result
                if wanted is None or wanted in record.results:
                    return Address(record, wanted)
                raise NotFoundError(_not_there(name, [f"{base}#{one}" for one in record.results]))
        if ("records", base) in self.refused_ids:
            raise NotFoundError(f"{shown(base)} was refused; `benchreg audit` says why")
        records = [key for key, names in self.names.items() if names[0].entry.kind == "record"]
        raise NotFoundError(_not_there(name, records))


def _not_there(name: str, known: Collection[str]) -> str:
    near = nearest(name, known)
    hint = f"the nearest are {', '.join(near)}" if near else "nothing is near"
    return f"nothing is called {shown(name)!r} here; {hint}"


def build(
    entries: Iterable[Entry],
    refusals: Iterable[Refusal],
    documents: Mapping[str, Document],
    *,
    cross_validated: bool = False,
    today: str = "",
) -> Registry:
    """Return the registry of these entries and refusals, in the order of their paths."""
    ordered = tuple(sorted(entries, key=lambda entry: entry.document.path))
    refused = tuple(sorted(refusals, key=lambda refusal: refusal.path))
    maps = _by_id(ordered)
    known = _Known({PLURALS[kind]: held for kind, held in maps.items()}, _refused_ids(refused))
    return Registry(
        ordered,
        refused,
        MappingProxyType(dict(documents)),
        **{plural: MappingProxyType(maps[kind]) for kind, plural in PLURALS.items()},  # type: ignore[arg-type]
        names=MappingProxyType(_names(ordered)),
        holders=MappingProxyType(_holders(ordered)),
        broken=MappingProxyType(_broken(ordered, known)),
        refused_ids=known.refused,
        families=frozenset(part.family for part in maps["accelerator"].values()),  # type: ignore[attr-defined]
        cross_validated=cross_validated,
        today=today,
    )


def _by_id(entries: tuple[Entry, ...]) -> dict[str, dict[str, Entity]]:
    maps: dict[str, dict[str, Entity]] = {kind: {} for kind in PLURALS}
    for kind, entity, _ in entries:
        maps[kind].setdefault(_id(entity), entity)
    return maps


def _id(entity: Entity) -> str:
    return entity.id  # type: ignore[attr-defined,no-any-return]  # every catalogued entity has one


def _refused_ids(refusals: tuple[Refusal, ...]) -> frozenset[tuple[str, str]]:
    """Return the map and the id of every refused document, as its path has them."""
    found = set()
    for refusal in refusals:
        folder, _, name = refusal.path.removeprefix("records/").partition("/")
        plural = "records" if folder == "benchmarks" else folder
        stem = name.rpartition("/")[2]
        for ending in (".yaml", ".yml", ".json"):
            stem = stem.removesuffix(ending)
        if stem:
            found.add((plural, stem))
    return frozenset(found)


def _holders(entries: tuple[Entry, ...]) -> dict[tuple[str, str], tuple[Name, ...]]:
    """Return, for each kind and name, the first two places that have it."""
    holders: dict[tuple[str, str], tuple[Name, ...]] = {}
    for entry in entries:
        for name in names_of(entry):
            first = holders.get((entry.kind, name.name), ())
            if len(first) < 2:
                holders[(entry.kind, name.name)] = (*first, name)
    return holders


def _names(entries: tuple[Entry, ...]) -> dict[str, tuple[Name, ...]]:
    names: dict[str, list[Name]] = {}
    for entry in entries:
        for name in names_of(entry):
            names.setdefault(name.name, []).append(name)
    return {key: tuple(found) for key, found in names.items()}


def names_of(entry: Entry) -> Iterable[Name]:
    """Yield every id and alias that an entry answers to, with its place."""
    entity = entry.entity
    yield Name(_id(entity), entry, ("id",))
    if not isinstance(entity, Metric):
        for index, alias in enumerate(getattr(entity, "aliases", ())):
            yield Name(alias, entry, ("aliases", index))
    if isinstance(entity, Record):
        for result, figure in entity.results.items():
            for index, alias in enumerate(figure.aliases):
                yield Name(alias, entry, ("results", result, "aliases", index), result)


class _Known(NamedTuple):
    maps: dict[str, dict[str, Entity]]
    refused: frozenset[tuple[str, str]]

    def leads(self, entity: Entity, link: Link) -> bool:
        """Tell whether there is what a link names."""
        if link.kind == "results":
            return isinstance(entity, Record) and link.target in entity.results
        base, _, result = link.target.partition("#")
        target = self.maps[link.kind].get(base)
        if result and isinstance(target, Record):
            return result in target.results
        return target is not None


def _broken(entries: tuple[Entry, ...], known: _Known) -> dict[str, tuple[tuple[Link, bool], ...]]:
    broken = {}
    for _, entity, document in entries:
        lost = [link for link in links(entity) if not known.leads(entity, link)]
        if lost:
            broken[document.path] = tuple((link, _was_refused(link, known)) for link in lost)
    return broken


def _was_refused(link: Link, known: _Known) -> bool:
    base = link.target.partition("#")[0]
    there = link.kind != "results" and base in known.maps[link.kind]
    return (link.kind, base) in known.refused and not there
