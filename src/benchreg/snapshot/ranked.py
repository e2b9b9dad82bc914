"""Figures in groups within which they can be compared, each in the order of what is better."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from benchreg.analysis.comparison import (
    ACROSS,
    LENGTHS,
    Comparison,
    Facet,
    Side,
    compared,
    group_key,
)
from benchreg.snapshot.ask import Answer, batches
from benchreg.snapshot.columns import NAMES, NUMBERS
from benchreg.values.errors import BenchregError
from benchreg.values.text import shown, suggestion

NEAR = 1.05
MOST_WORDS = 3
VALUES = ("value", "low", "high", "seen_value")
SHARES = ("of_bound", "of_widest", "mbu", "mfu")
_OF_COLUMN = {
    "model": ("model",),
    "family": ("model", "size"),
    "size": ("model",),
    "accelerator": ("accelerator",),
    "hardware": ("accelerator", "count"),
    "vendor": ("accelerator",),
    "count": ("count",),
    "engine": ("engine",),
    "engine_version": ("version",),
    "precision": ("precision",),
    "activations": ("precision",),
    "kv_cache": ("precision",),
    "metric": ("metric",),
    "scope": ("scope",),
    "statistic": ("statistic",),
    "window": ("window",),
    "scenario": ("scenario",),
    "pattern": ("scenario",),
    "level": ("batch",),
    "batch": ("batch",),
    "concurrency": ("batch",),
    "request_rate": ("batch",),
    "input_tokens": ("lengths",),
    "output_tokens": ("lengths",),
}


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


@dataclass(frozen=True, slots=True)
class Stat:
    """One statistic of the figures that agree in some columns.

    `seen` says what one request sees of them: of the one figure that a least or a most is, or from
    the least to the most of all where it is a mean or a median. A value that is a `share` is of a
    bound. `also` says what else tells the figures from others that agree in the columns.
    """

    by: tuple[str, ...]
    count: int
    value: float | None
    unit: str
    seen: str
    share: bool
    figure: tuple[str, str]
    also: str = ""


@dataclass(slots=True)
class Table:
    """The statistics of figures that can be compared, by the columns that were asked."""

    stats: list[Stat]
    group: Group


def columns(text: str) -> tuple[str, ...]:
    """Return the columns that a text names, with commas; raises BenchregError for another word."""
    split = (name.strip().replace("-", "_") for name in text.split(","))
    names = tuple(dict.fromkeys(filter(None, split)))
    for name in names:
        if name in VALUES:
            raise BenchregError(f"{name} is a figure, and figures are grouped by what they are of")
        if name not in NAMES:
            near = suggestion(name, NAMES) or f"there are {', '.join(NAMES)}"
            raise BenchregError(f"no column is called {shown(name)!r}; {near}")
    return names


def across_of(by: Iterable[str]) -> Iterator[str]:
    """Yield the conditions that a question varies when it groups by some columns."""
    for name in by:
        yield from (one for one in _OF_COLUMN.get(name, ()) if one in ACROSS)


def stats(
    group: Group, by: tuple[str, ...], stat: str, of: str, freed: frozenset[str] = frozenset()
) -> Table:
    """Return a statistic of the figures of a group, by columns.

    Conditions that are `freed` by the columns alone may differ between two statistics, and not
    within one: figures that agree in the columns and differ in such a condition are told apart.
    """
    cells: dict[tuple[str, ...], dict[tuple[str, ...], list[Answer]]] = {}
    for place, answer in enumerate(group.answers):
        said = tuple(_said(answer.values[name]) for name in by)
        marks = _marks(group.sides[place], freed) if group.sides else ()
        cells.setdefault(said, {}).setdefault(marks, []).append(answer)
    made = []
    for said, by_marks in sorted(cells.items(), key=lambda cell: [_place(one) for one in cell[0]]):
        several = len(by_marks) > 1
        for marks, some in sorted(by_marks.items()):
            also = "; ".join(_differing(marks, by_marks)) if several else ""
            made.append(_stat(said, some, stat, of, also))
    return Table(made, group)


def _place(said: str) -> tuple[bool, float, str]:
    """Return what words are ordered by: numbers first, by what they are."""
    number = said.replace(".", "", 1).isdecimal()
    return (not number, float(said) if number else 0.0, said)


def _marks(side: Side, freed: frozenset[str]) -> tuple[str, ...]:
    """Return what a figure says of some conditions."""
    found = (side.facets.get(key) for key in sorted(freed))
    return tuple("" if one is None else f"{one.value or one.state}" for one in found)


def _differing(marks: tuple[str, ...], others: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Yield of some marks those in which others differ from them."""
    for place, column in enumerate(zip(*others, strict=True)):
        if len(set(column)) > 1:
            yield marks[place] or "not said"


def _said(value: object) -> str:
    if value is None:
        return "not stated"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _stat(by: tuple[str, ...], answers: list[Answer], stat: str, of: str, also: str) -> Stat:
    values = [one.values[of] for one in answers if one.values[of] is not None]
    first = answers[0].values
    unit = first["seen_unit" if of == "seen_value" else "unit"] if of in VALUES else ""
    return Stat(
        by,
        len(answers),
        _of(stat, values),
        str(unit or ""),
        _seen(answers, stat, of) if of in VALUES else "",
        of in SHARES,
        (str(first["metric"] or ""), str(first["scope"] or "")),
        also,
    )


def _seen(answers: list[Answer], stat: str, of: str) -> str:
    """Say what one request sees of the figures that a statistic is of."""
    if stat in ("min", "max"):
        stated = [one for one in answers if one.values[of] is not None]
        pick = min if stat == "min" else max
        return pick(stated, key=lambda one: one.values[of]).row.seen_by_request if stated else ""
    seen = [one.values["seen_value"] for one in answers]
    units = {str(one.values["seen_unit"]) for one in answers}
    if len(answers) > 1 and None not in seen and len(units) == 1:
        return f"{min(seen):.6g} to {max(seen):.6g} {units.pop()}"
    words = (one.row.seen_by_request for one in answers)
    said = list(dict.fromkeys(filter(None, words)))
    return "; ".join(said) if len(said) <= MOST_WORDS else f"{len(said)} different answers"


def _of(stat: str, values: list[float]) -> float | None:
    if stat == "count" or not values:
        return None
    from statistics import fmean, median  # noqa: PLC0415  (slow to import, and few questions ask)

    match stat:
        case "min":
            return min(values)
        case "max":
            return max(values)
        case "mean":
            return fmean(values)
    return median(values)


def number_column(name: str) -> str:
    """Return a column that holds numbers; raises BenchregError for another."""
    if name not in NUMBERS:
        near = suggestion(name, NUMBERS) or f"there are {', '.join(sorted(NUMBERS))}"
        raise BenchregError(f"no column of numbers is called {shown(name)!r}; {near}")
    return name
