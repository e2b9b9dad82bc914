"""What differs between two states of a registry, record by record."""

from typing import Literal, NamedTuple

from benchreg.entities.record import Record
from benchreg.registry.registry import Registry

Kind = Literal["added", "removed", "changed", "disputed", "superseded", "withdrawn", "restored"]
KINDS: tuple[Kind, ...] = (
    "added", "removed", "changed", "disputed", "superseded", "withdrawn", "restored",
)  # fmt: skip


class Changed(NamedTuple):
    """A record that is not what it was: how, and which of its blocks differ (results by name)."""

    id: str
    source: str
    kind: Kind
    blocks: tuple[str, ...] = ()


def changes(before: Registry, now: Registry) -> list[Changed]:
    """Return every record that differs, by id; one whose standing changed is told by that."""
    found = []
    for name in sorted(before.records.keys() | now.records.keys()):
        old, new = before.records.get(name), now.records.get(name)
        if new is None and old is not None:
            found.append(Changed(name, old.source.id, "removed"))
        elif old is None and new is not None:
            found.append(Changed(name, new.source.id, "added"))
        elif old is not None and new is not None and (blocks := _blocks(old, new)):
            found.append(Changed(name, new.source.id, _kind(old, new), blocks))
    return found


def _kind(old: Record, new: Record) -> Kind:
    if old.status == new.status:
        return "changed"
    return "restored" if new.status == "active" else new.status


def _blocks(old: Record, new: Record) -> tuple[str, ...]:
    """Return the names of what two records of one id differ in."""
    keys = sorted(old.model_fields_set | new.model_fields_set)
    differing = [key for key in keys if key != "results" and getattr(old, key) != getattr(new, key)]
    results = sorted(old.results.keys() | new.results.keys())
    differing += [
        f"results.{name}" for name in results if old.results.get(name) != new.results.get(name)
    ]
    return tuple(differing)


def version(registry: Registry) -> str:
    """Return the version of the data: the last day on which a source of a record was read."""
    return max((record.source.retrieved for record in registry.records.values()), default="")
