"""Statistics of figures that can be compared, by columns."""

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchreg.analysis.comparison import Side
from benchreg.snapshot.ask import Answer
from benchreg.snapshot.columns import NAMES, NUMBERS, VALUES
from benchreg.snapshot.ranked import Group
from benchreg.values.errors import BenchregError
from benchreg.values.text import shown, suggestion

MOST_WORDS = 3
SHARES = ("of_bound", "of_widest", "mbu", "mfu")
_OF_COLUMN = {
    "model": ("model",),
    "family": ("model",),
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


@dataclass(frozen=True, slots=True)
class Stat:
    """One statistic of the figures that agree in some columns.

    `seen` says what one request sees of them: of the one figure that a least or a most is, or from
    the least to the most of all where it is a mean or a median. A value that is a `share` is of a
    bound. `also` says what else tells the figures from others that agree in the columns. `count`
    are the figures that the statistic is of, `every` all that there are.
    """

    by: tuple[str, ...]
    count: int
    value: float | None
    unit: str
    seen: str
    share: bool
    figure: tuple[str, str]
    also: str = ""
    every: int = 0


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
            raise BenchregError(
                f"{name} makes no groups: name what tells figures apart, as model or accelerator"
            )
        if name not in NAMES:
            near = suggestion(name, NAMES) or f"there are {', '.join(NAMES)}"
            raise BenchregError(f"no column is called {shown(name)!r}; {near}")
    return names


def across_of(by: Iterable[str]) -> Iterator[str]:
    """Yield the conditions that a question varies when it groups by some columns."""
    for name in by:
        yield from _OF_COLUMN.get(name, ())


def counts(
    database: sqlite3.Connection, ids: Iterable[int], by: tuple[str, ...]
) -> list[tuple[tuple[str, ...], int]]:
    """Return how many figures there are by columns, records without any among them."""
    names = ", ".join(f'"{name}"' for name in by)
    some = json.dumps(list(ids))
    query = (
        f"SELECT count(*), {names} FROM figures"  # noqa: S608  (columns of ours)
        f" WHERE id IN (SELECT value FROM json_each(?)) GROUP BY {names}"
    )
    found = [(tuple(map(_said, row[1:])), row[0]) for row in database.execute(query, (some,))]
    return sorted(found, key=lambda one: [_place(said) for said in one[0]])


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


def _place(said: str) -> list[tuple[bool, int, str]]:
    """Return what words are ordered by: the numbers in them by what they are, 0.9 before 0.10."""
    parts = re.findall(r"[0-9]{1,18}|[^0-9]+|[0-9]+", said)
    return [(not one.isdecimal(), int(one) if one.isdecimal() else 0, one) for one in parts]


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
        len(answers) if stat == "count" else len(values),
        _of(stat, values),
        str(unit or ""),
        _seen(answers, stat, of) if of in VALUES else "",
        of in SHARES,
        (str(first["metric"] or ""), str(first["scope"] or "")),
        also,
        len(answers),
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
