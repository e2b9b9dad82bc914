"""What an import makes of a foreign row or run: a draft, or the reason why there is none."""

from dataclasses import dataclass, field

from benchreg.entities.mapping import Tree


@dataclass(frozen=True, slots=True)
class Draft:
    """What one row or run states: the record's id, its folder below the source's, and its tree.

    `where` is its place in what was read (`row 3`; `run.json, line 2`).
    """

    where: str
    id: str
    folder: str
    tree: Tree


@dataclass(frozen=True, slots=True)
class Dropped:
    """What is no record: left out for a stated reason, or refused."""

    where: str
    reason: str
    refused: bool


@dataclass(slots=True)
class Account:
    """How many rows or runs came in, and what became of those that are no record of their own."""

    rows: int = 0
    merged: int = 0
    dropped: list[Dropped] = field(default_factory=list)

    def drop(self, where: str, reason: str, *, refused: bool) -> None:
        """Note what is no record, and why."""
        self.dropped.append(Dropped(where, reason, refused))

    @property
    def refused(self) -> list[Dropped]:
        """What should have been a record and could not be."""
        return [one for one in self.dropped if one.refused]
