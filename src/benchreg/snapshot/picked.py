"""The figures that names mean, side by side: by record, by `record#figure`, by alias."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from benchreg.analysis.comparison import Comparison, Side, compared
from benchreg.snapshot.ask import Answer, answers, check_text
from benchreg.snapshot.ranked import sides
from benchreg.values.errors import BenchregError, NotFoundError
from benchreg.values.text import nearest, shown, spoken

Finer = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure, its conditions, and what its source calls it."""

    answer: Answer
    side: Side
    source_name: str


@dataclass(frozen=True, slots=True)
class Ratio:
    """A figure over the first one, and the ends that the printed digits of both leave it.

    The ends are None where the first one may be 0.
    """

    key: str
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Beside:
    """Two figures or more of one metric and scope, with what keeps them apart."""

    figures: tuple[Figure, ...]
    definition: str
    comparison: Comparison

    @property
    def ratios(self) -> tuple[Ratio, ...]:
        """Each figure over the first."""
        first, *others = (one.answer for one in self.figures)
        return tuple(_ratio(one, first) for one in others)


def _ratio(one: Answer, other: Answer) -> Ratio:
    value, low, high = (one.values[name] for name in ("value", "low", "high"))
    first, least, most = (other.values[name] for name in ("value", "low", "high"))
    sure = least is not None and least > 0
    return Ratio(
        one.row.key,
        value / first if first else None,
        low / most if sure else None,
        high / least if sure else None,
    )


def beside(
    database: sqlite3.Connection, names: Sequence[str], across: frozenset[str]
) -> tuple[Beside, ...]:
    """Return the figures that names mean, side by side.

    Where a name is that of a record, all of its figures are meant that the others have as well, of
    the same metric and scope. Raises NotFoundError for a name that nothing has, and BenchregError
    where the names have no metric and scope in common.
    """
    meant = [_meant(database, name) for name in names]
    common = _common(database, names, meant)
    found = []
    for ids in common:
        pairs = zip(answers(database, ids), sides(database, ids), strict=True)
        figures = tuple(Figure(one, side, _called(database, one.id)) for one, side in pairs)
        metric = (figures[0].answer.row.metric,)
        row = database.execute("SELECT definition FROM metrics WHERE id = ?", metric).fetchone()
        comparison = compared([one.side for one in figures], across)
        found.append(Beside(figures, row[0] if row else "", comparison))
    return tuple(found)


def _meant(database: sqlite3.Connection, name: str) -> list[int]:
    """Return the figures that a name means, by number."""
    check_text(name)
    record, _, figure = name.partition("#")
    alias = database.execute(
        "SELECT record, figure FROM names WHERE name = ?", (record,)
    ).fetchone()
    if alias is not None:
        record, figure = alias[0], figure or alias[1]
    query = "SELECT id, figure, outcome FROM figures WHERE record = ? ORDER BY id"
    every = database.execute(query, (record,)).fetchall()
    if every and not figure and every[0][1] is None:
        raise NotFoundError(f"{record} has no figures: {spoken(every[0][2] or 'none is stated')}")
    found = [(one, called) for one, called, _ in every if called is not None]
    ids = [one for one, called in found if figure in ("", called)]
    if ids:
        return ids
    known = [f"{record}#{called}" for _, called in found]
    if not known:
        known = [row[0] for row in database.execute("SELECT DISTINCT record FROM figures")]
    near = nearest(name, known)
    told = f"the nearest are {', '.join(near)}" if near else "nothing is near"
    raise NotFoundError(f"no figure is called {shown(name)!r}; {told}")


def _common(
    database: sqlite3.Connection, names: Sequence[str], meant: Sequence[list[int]]
) -> list[list[int]]:
    """Return the figures of each metric and scope that every name has, one of each name.

    Where a name has several of them, those are taken that have statistic and window in common.
    """
    if all(len(ids) == 1 for ids in meant):
        return [[ids[0] for ids in meant]]
    kinds = [_kinds(database, ids) for ids in meant]
    found = []
    for kind in kinds[0]:
        if all(kind in others for others in kinds):
            found += list(_matching([own[kind] for own in kinds]))
    if not found:
        told = "; ".join(
            f"{shown(name)} has {', '.join(sorted({' '.join(kind) for kind in own}))}"
            for name, own in zip(names, kinds, strict=True)
        )
        raise BenchregError(f"they have no metric and scope in common: {told}")
    return found


def _matching(every: list[dict[Finer, int]]) -> Iterator[list[int]]:
    """Yield figures of one metric and scope that belong together, one of each name."""
    if all(len(own) == 1 for own in every):
        yield [next(iter(own.values())) for own in every]
        return
    first, *others = every
    for finer, one in first.items():
        if all(finer in own for own in others):
            yield [one, *(own[finer] for own in others)]


def _kinds(
    database: sqlite3.Connection, ids: Iterable[int]
) -> dict[tuple[str, str], dict[Finer, int]]:
    """Return figures by metric and scope, and then by statistic and window."""
    some = ",".join(map(str, ids))
    query = f'SELECT metric, scope, statistic, "window", id FROM figures WHERE id IN ({some})'  # noqa: S608
    found: dict[tuple[str, str], dict[Finer, int]] = {}
    for metric, scope, statistic, window, one in database.execute(f"{query} ORDER BY id"):
        finer = (str(statistic), str(window))
        found.setdefault((metric, scope or "not stated"), {}).setdefault(finer, one)
    return found


def _called(database: sqlite3.Connection, one: int) -> str:
    row = database.execute("SELECT source_name FROM details WHERE id = ?", (one,)).fetchone()
    return str(row[0] or "")
