"""Figures in groups within which they can be compared, each in the order of what is better."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

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
VALUES = ("value", "low", "high")
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
    "pattern": ("scenario", "batch"),
    "level": ("batch",),
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
) -> list[Group]:
    """Return figures in groups that `compare` would let stand side by side, the largest first.

    Figures of different metrics, scopes or units are always apart. Within a group lengths are
    within 5 % of each other. What is no figure is left out.
    """
    found: dict[object, list[Group]] = defaultdict(list)
    for answer, side in zip(answers, sides, strict=True):
        if answer.row.value is None:
            continue
        key = (answer.values["unit"], group_key(side, across))
        place = _fitting(found[key], answer, across)
        place.answers.append(answer)
        place.sides.append(side)
    made = [group for some in found.values() for group in some]
    better = dict(database.execute("SELECT id, better FROM metrics"))
    for group in made:
        _order(group, better)
    made.sort(key=lambda group: (-len(group.answers), group.answers[0].id))
    for group in made[1:]:
        group.apart = compared([made[0].sides[0], group.sides[0]], across)
    return made


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


def _order(group: Group, better: dict[str, str]) -> None:
    best = -1 if better.get(group.answers[0].values["metric"]) != "lower" else 1
    pairs = sorted(
        zip(group.answers, group.sides, strict=True),
        key=lambda pair: (best * pair[0].values["value"], pair[0].id),
    )
    group.answers, group.sides = [one for one, _ in pairs], [side for _, side in pairs]


def together(found: list[Group], across: frozenset[str]) -> list[Group]:
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
        sides = [side for _, side in pairs]
        mark = compared([one.sides[0] for one in some], across) if len(some) > 1 else None
        made.append(Group([answer for answer, _ in pairs], sides, mixed=mark))
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

    `seen` is the same statistic of what one request sees of them, where all of them say it in one
    unit; else `unseen` says in words what they do say. A value that is a `share` is of a bound.
    """

    by: tuple[str, ...]
    count: int
    value: float | None
    unit: str
    seen: float | None
    seen_unit: str
    unseen: str
    share: bool
    figure: tuple[str, str]


@dataclass(slots=True)
class Table:
    """The statistics of figures that can be compared, by the columns that were asked."""

    stats: list[Stat]
    apart: Comparison | None = None
    mixed: Comparison | None = None
    sides: list[Side] = field(default_factory=list)


def columns(text: str) -> tuple[str, ...]:
    """Return the columns that a text names, with commas; raises BenchregError for another word."""
    names = tuple(name.strip().replace("-", "_") for name in text.split(",") if name.strip())
    for name in names:
        if name not in NAMES:
            near = suggestion(name, NAMES) or f"there are {', '.join(NAMES)}"
            raise BenchregError(f"no column is called {shown(name)!r}; {near}")
    return names


def across_of(by: Iterable[str]) -> Iterator[str]:
    """Yield the conditions that a question varies when it groups by some columns."""
    for name in by:
        yield from (one for one in _OF_COLUMN.get(name, ()) if one in ACROSS)


def stats(group: Group, by: tuple[str, ...], stat: str, of: str) -> Table:
    """Return a statistic of the figures of a group, by columns."""
    found: dict[tuple[str, ...], list[Answer]] = defaultdict(list)
    for answer in group.answers:
        said = (answer.values[name] for name in by)
        found[tuple(_said(one) for one in said)].append(answer)
    made = [_stat(key, some, stat, of) for key, some in sorted(found.items())]
    return Table(made, group.apart, group.mixed, group.sides)


def _said(value: object) -> str:
    if value is None:
        return "not stated"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _stat(by: tuple[str, ...], answers: list[Answer], stat: str, of: str) -> Stat:
    values = [one.values[of] for one in answers if one.values[of] is not None]
    first = answers[0].values
    seen = [one.values["seen_value"] for one in answers]
    units = {one.values["seen_unit"] for one in answers}
    valued = of in VALUES
    whole = valued and None not in seen and len(units) == 1
    return Stat(
        by,
        len(answers),
        _of(stat, values),
        str(first["unit"] or "") if valued else "",
        _of(stat, seen) if whole else None,
        str(*units) if whole else "",
        _unseen(answers) if valued and not whole else "",
        of in SHARES,
        (str(first["metric"] or ""), str(first["scope"] or "")),
    )


def _unseen(answers: list[Answer]) -> str:
    """Say what is known of what one request sees of figures that do not all say a number of it."""
    words = dict.fromkeys(one.row.seen_by_request for one in answers if one.row.seen_by_request)
    said = list(words)
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
    [found] = columns(name) or ("",)
    if found not in NUMBERS:
        raise BenchregError(
            f"{shown(name)!r} holds no numbers; there are {', '.join(sorted(NUMBERS))}"
        )
    return found
