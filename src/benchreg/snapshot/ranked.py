"""Figures in groups within which they can be compared, each in the order of what is better."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from benchreg.analysis.comparison import (
    LENGTHS,
    Comparison,
    Facet,
    Side,
    compared,
    group_key,
)
from benchreg.snapshot.ask import Answer, batches

NEAR = 1.05
UNITS = {"seen_value": "seen_unit"}
Span = tuple[float, float]


@dataclass(slots=True)
class Group:
    """Figures that can be compared, the best first.

    `first` is a figure of the group that it stands apart from, and `across` what both may differ
    in. Where figures are put together without being comparable, `mixed` says what keeps them apart.
    """

    answers: list[Answer]
    sides: list[Side]
    first: Side | None = None
    across: frozenset[str] = frozenset()
    mixed: Comparison | None = None
    spans: dict[str, Span] = field(default_factory=dict)

    @property
    def apart(self) -> Comparison | None:
        """What keeps the group apart from the first one; None of the first itself."""
        return self.first and compared([self.first, self.sides[0]], self.across)

    def fits(self, answer: Answer) -> bool:
        """Tell whether a figure's lengths are near those of all others, but for those that vary."""
        return all(
            key in self.across or _near(self.spans.get(key), _length(answer, key))
            for key in LENGTHS
        )

    def add(self, answer: Answer, side: Side) -> None:
        """Take a figure in."""
        self.answers.append(answer)
        self.sides.append(side)
        for key in LENGTHS:
            length = _length(answer, key)
            if length is not None:
                low, high = self.spans.get(key, (length, length))
                self.spans[key] = min(low, length), max(high, length)


def _length(answer: Answer, key: str) -> float | None:
    found: float | None = answer.values[key.rpartition(".")[2]]
    return found


def _near(span: Span | None, length: float | None) -> bool:
    """Tell whether a length is within 5 % of others; one that is not known is like no known one."""
    if span is None or length is None:
        return span is None and length is None
    return max(span[1], length) <= NEAR * min(span[0], length)


def sides(database: sqlite3.Connection, ids: Iterable[int]) -> list[Side]:
    """Return the conditions of figures, in the order of their numbers that is given."""
    facets = {row[0]: Facet(*row[1:]) for row in
              database.execute("SELECT id, key, state, value, why FROM facets")}  # fmt: skip
    found = []
    for some in batches(list(ids)):
        query = f"SELECT id, facets, scopes FROM details WHERE id IN ({','.join(map(str, some))})"  # noqa: S608
        by_id = {number: rest for number, *rest in database.execute(query)}
        for one in some:
            listed = [facets[number] for number in json.loads(by_id[one][0])]
            scopes = tuple(json.loads(by_id[one][1]))
            found.append(Side({facet.key: facet for facet in listed}, scopes))
    return found


def groups(
    database: sqlite3.Connection,
    answers: Sequence[Answer],
    sides: Sequence[Side],
    across: frozenset[str],
    column: str = "value",
) -> list[Group]:
    """Return figures in groups that `compare` would let stand side by side, the largest first.

    Figures of different metrics, scopes or units are always apart. Within a group lengths are
    within 5 % of each other. The best by the column stand first. What has no figure is left out.
    """
    found: dict[object, list[Group]] = defaultdict(list)
    for answer, side in sorted(zip(answers, sides, strict=True), key=_lengths):
        if answer.values[column] is None:
            continue
        key = (answer.values[UNITS.get(column, "unit")], group_key(side, across))
        _fitting(found[key], answer, across).add(answer, side)
    made = [group for some in found.values() for group in some]
    for group in made:
        order(database, group, column)
    made.sort(key=lambda group: (-len(group.answers), group.answers[0].id))
    for group in made[1:]:
        group.first = made[0].sides[0]
    return made


def _lengths(pair: tuple[Answer, Side]) -> tuple[float, float, int]:
    """Return what figures are gone over by: groups of near lengths begin with the shortest."""
    answer, _ = pair
    known = (answer.values[name] or 0.0 for name in ("input_tokens", "output_tokens"))
    return (*known, answer.id)  # type: ignore[return-value]


def _fitting(known: list[Group], answer: Answer, across: frozenset[str]) -> Group:
    """Return the group whose lengths are near those of a figure; a new one where none is."""
    found = next((group for group in known if not group.answers or group.fits(answer)), None)
    if found is None:
        found = Group([], [], across=across)
        known.append(found)
    return found


def order(database: sqlite3.Connection, group: Group, column: str) -> None:
    """Put the best figures of a group first, by a column of their values."""
    first = group.answers[0].values
    if column == "seen_value":
        higher = str(first["seen_unit"]).endswith("/s")
    else:
        query = "SELECT better FROM metrics WHERE id = ?"
        row = database.execute(query, (first["metric"],)).fetchone()
        higher = row is None or row[0] != "lower"
    pairs = sorted(
        zip(group.answers, group.sides, strict=True),
        key=lambda pair: ((-1 if higher else 1) * pair[0].values[column], pair[0].id),
    )
    group.answers, group.sides = [one for one, _ in pairs], [side for _, side in pairs]


def together(
    database: sqlite3.Connection, found: list[Group], across: frozenset[str], column: str = "value"
) -> list[Group]:
    """Return groups as one for each metric, scope and unit, marked by what keeps them apart.

    That is told of one figure of each group: all figures of a group are alike in it.
    """
    mixed: dict[tuple[str, ...], list[Group]] = defaultdict(list)
    for group in found:
        values = group.answers[0].values
        own = ("metric", "scope", UNITS.get(column, "unit"))
        mixed[tuple(str(values[name]) for name in own)].append(group)
    made = []
    for some in mixed.values():
        pairs = [pair for one in some for pair in zip(one.answers, one.sides, strict=True)]
        mark = compared([one.sides[0] for one in some], across) if len(some) > 1 else None
        whole = Group([one for one, _ in pairs], [side for _, side in pairs], mixed=mark)
        order(database, whole, column)
        made.append(whole)
    return made


def by_metric(answers: Sequence[Answer]) -> list[Group]:
    """Return figures by metric and scope, whatever else tells them apart."""
    found: dict[tuple[str, ...], list[Answer]] = defaultdict(list)
    for answer in answers:
        if answer.row.value is not None:
            found[tuple(str(answer.values[name]) for name in ("metric", "scope"))].append(answer)
    return [Group(some, []) for _, some in sorted(found.items())]
