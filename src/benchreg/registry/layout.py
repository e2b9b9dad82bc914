"""How each kind of entity is laid out: the order of its keys, and what stands in one line."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache
from types import UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

from pydantic import MISSING
from typing_extensions import is_typeddict

from benchreg.entities.absence import Absence
from benchreg.entities.base import Entity, Prose
from benchreg.entities.conditions import Accuracy, Pool, Warmup
from benchreg.entities.figure import Claim, Derivation, Figure
from benchreg.entities.record import Record, Waiver
from benchreg.registry.judge import ENTITIES
from benchreg.registry.spelling import LINE

NEVER: Final = 0
ROW: Final = 116


class Fold(Enum):
    """When a text is folded."""

    NEVER = "never"
    LONG = "where it is longer than the line"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Layout:
    """How the value at one place is written.

    `ranks` orders the keys (none: as written); `parts` are the places below, `each` stands for
    those that are not named; a collection of scalars that fits into `width` stands in one line.
    """

    ranks: Mapping[str, int] = field(default_factory=dict)
    parts: "Mapping[str, Layout]" = field(default_factory=dict)
    each: "Layout | None" = None
    width: int = LINE
    fold: Fold = Fold.LONG
    apart: bool = field(default=False, kw_only=True)

    def item(self) -> "Layout":
        """Return the layout of an item of a list, or of what is not named."""
        return self.each or FREE

    def ordered(self, keys: Iterable[str]) -> Iterable[str]:
        """Return keys in their order; one that is not known stays behind its neighbour."""
        if not self.ranks:
            return keys
        try:
            return sorted(keys, key=self.ranks.__getitem__)
        except KeyError:
            return sorted(keys, key=self._beside_neighbours(keys).__getitem__)

    def _beside_neighbours(self, keys: Iterable[str]) -> dict[str, int]:
        rank, ranks = -1, {}
        for key in keys:
            rank = ranks[key] = self.ranks.get(key, rank)
        return ranks


FREE: Final = Layout()
BLOCK: Final = Layout(width=NEVER)
_WIDTHS: Final[Mapping[type, int]] = {
    Figure: ROW,
    Accuracy: ROW,
    **dict.fromkeys((Absence, Claim, Derivation, Pool, Waiver, Warmup), NEVER),
}
_FOLDS: Final[Mapping[tuple[type, str], Fold]] = {
    (Record, "title"): Fold.NEVER,
    (Record, "attribution"): Fold.ALWAYS,
    (Record, "notes"): Fold.ALWAYS,
}


@cache
def layout_of(kind: str) -> Layout:
    """Return the layout of a kind of entity; a record's blocks stand apart from each other."""
    entity = ENTITIES[kind]
    return _of_entity(entity, apart=entity is Record)


def _of_entity(entity: type[Entity], *, apart: bool = False) -> Layout:
    names = list(entity.model_fields)
    parts = {name: _of_field(entity, name, apart=apart) for name in names}
    return Layout(
        {name: rank for rank, name in enumerate(names)},
        parts,
        BLOCK if apart else None,
        _WIDTHS.get(entity, LINE),
        apart=apart,
    )


def _of_field(entity: type[Entity], name: str, *, apart: bool) -> Layout:
    kind = _bare(entity.model_fields[name].annotation)
    layout = replace(_of_type(kind), fold=_FOLDS.get((entity, name), Fold.LONG))
    return replace(layout, width=NEVER) if apart and get_origin(kind) is not tuple else layout


def _of_type(kind: Any) -> Layout:
    kind = _bare(kind)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is tuple:
        return Layout(each=_of_type(inner[0]), width=NEVER if inner[0] == Prose else LINE)
    if origin is dict:
        return Layout(each=_of_type(inner[1]))
    if is_typeddict(kind):
        return Layout(each=_of_type(next(iter(kind.__annotations__.values()))))
    if isinstance(kind, type) and issubclass(kind, Entity):
        return _of_entity(kind)
    return FREE


def _bare(kind: Any) -> Any:
    """Return a type without what is said about it, and without that it may be missing."""
    while get_origin(kind) in (Annotated, Union, UnionType):
        kind = next(one for one in get_args(kind) if one is not MISSING)
    return kind
