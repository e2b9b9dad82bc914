"""Two operating points, condition by condition."""

from collections.abc import Iterator

from benchreg.entities.base import Entity
from benchreg.entities.record import Record

_BLOCKS = ("model", "hardware", "service", "engine", "precision", "workload", "load")


def differing(one: Record, other: Record) -> list[str]:
    """Return the paths of the conditions in which two records are not the same."""
    return [
        path
        for block in _BLOCKS
        for path in _differing(block, getattr(one, block), getattr(other, block))
    ]


def _differing(path: str, one: object, other: object) -> Iterator[str]:
    if isinstance(one, Entity) and type(one) is type(other):
        for name in type(one).model_fields:
            yield from _differing(f"{path}.{name}", getattr(one, name), getattr(other, name))
    elif one != other:
        yield path
