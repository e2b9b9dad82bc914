"""Figures in groups within which they can be compared, each in the order of what is better."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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


@dataclass(slots=True)
class Group:
    """Figures that can be compared, the best first; and why they stand apart from another group.

    Where they are put together without being comparable, `mixed` says what keeps them apart.
    """

    answers: list[Answer]
    sides: list[Side]
    apart: Comparison | None = None
    mixed: Comparison | None = None


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
        key = (answer.values["unit"], group_key(side, across))
        place = _fitting(found[key], answer, across)
        place.answers.append(answer)
        place.sides.append(side)
    made = [group for some in found.values() for group in some]
    for group in made:
        order(database, group, column)
    made.sort(key=lambda group: (-len(group.answers), group.answers[0].id))
    for group in made[1:]:
        group.apart = compared([made[0].sides[0], group.sides[0]], across)
    return made


def _lengths(pair: tuple[Answer, Side]) -> tuple[float, float, int]:
    """Return what figures are gone over by: groups of near lengths begin with the shortest."""
    answer, _ = pair
    known = (answer.values[name] or 0.0 for name in ("input_tokens", "output_tokens"))
    return (*known, answer.id)  # type: ignore[return-value]


def _fitting(known: list[Group], answer: Answer, across: frozenset[str]) -> Group:
    """Return the group whose lengths are near those of a figure; a new one where none is."""
    for group in known:
        if all(key in across or _near(group.answers, answer, key) for key in LENGTHS):
            return group
    known.append(Group([], []))
    return known[-1]


def _near(answers: Iterable[Answer], answer: Answer, key: str) -> bool:
    column = key.rpartition(".")[2]
    lengths = [one.values[column] for one in (*answers, answer)]
    stated = [length for length in lengths if length is not None]
    return not stated or (len(stated) == len(lengths) and max(stated) <= NEAR * min(stated))


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
        mixed[tuple(str(values[name]) for name in ("metric", "scope", "unit"))].append(group)
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
