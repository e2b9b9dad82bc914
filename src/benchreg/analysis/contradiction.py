"""Two operating points, condition by condition."""

from collections.abc import Iterator, Mapping

from pydantic import MISSING

from benchreg.entities.base import Entity
from benchreg.entities.record import Record

_BLOCKS = ("model", "hardware", "service", "engine", "precision", "workload", "load")


def contradicting(one: Record, other: Record) -> list[str]:
    """Return the paths of the conditions that both records state, and state differently.

    The words that a source uses for a thing are none of them.
    """
    kind = ["kind"] if one.kind != other.kind else []
    return kind + [
        path
        for block in _BLOCKS
        for path in _contradicting(block, getattr(one, block), getattr(other, block))
    ]


def _contradicting(path: str, one: object, other: object) -> Iterator[str]:
    if _unsaid(one) or _unsaid(other) or path.endswith(".described_as"):
        return
    if isinstance(one, Entity) and type(one) is type(other):
        for name in type(one).model_fields:
            yield from _contradicting(f"{path}.{name}", getattr(one, name), getattr(other, name))
    elif isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        for number, pair in enumerate(zip(one, other, strict=True)):
            yield from _contradicting(f"{path}.{number}", *pair)
    elif one != other:
        yield path


def _unsaid(value: object) -> bool:
    return value is MISSING or value == () or (isinstance(value, Mapping) and not value)
