"""A question of a snapshot: filters, which are taken together, and what they leave."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import NamedTuple, get_args

from benchreg.analysis.row import Row
from benchreg.snapshot.columns import NAMES
from benchreg.snapshot.words import KINDS, Meaning, meaning
from benchreg.values.errors import BenchregError, NotFoundError
from benchreg.values.text import shown, suggestion

STANDS = "active"
VERDICTS = ("plausible", "impossible", "does_not_fit", "unchecked")
ANY = "any"
MOST_NEAR, MOST_WORDS = 5, 50
BETWEEN = "\x1f"  # between the fields of a row, in none of which it stands
NOTHING: Mapping[str, str] = MappingProxyType({})


class Filter(NamedTuple):
    """One filter: how it was asked, its condition with its values, and the column that it is of."""

    option: str
    said: str
    sql: str
    values: tuple[object, ...] = ()
    column: str = ""
    bounds: bool = False


class Asked(NamedTuple):
    """What is asked for; what is empty asks for nothing.

    `equal` are columns and the value that each must have, `ranges` columns and a range of numbers.
    """

    named: Mapping[str, str] = NOTHING
    equal: Mapping[str, str] = NOTHING
    ranges: Mapping[str, str] = NOTHING
    engine_version: str = ""
    date: str = ""
    status: str = STANDS
    words: tuple[str, ...] = ()
    where: str = ""


class Left:
    """The figures that a question leaves, by number; and what a reader must know of how.

    `unstated` says of each range how many figures it leaves out because they do not state it,
    `without_figure` how many records have none that could be ranked: most ran out of memory.
    """

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.meanings: list[Meaning] = []
        self.emptied_by = ""
        self.near: list[tuple[str, int]] = []
        self.unstated: dict[str, int] = {}
        self.not_standing = 0
        self.without_figure = 0


def ask(database: sqlite3.Connection, asked: Asked) -> Left:
    """Return the figures that match everything that is asked, in the order of the snapshot.

    Raises NotFoundError for a word that names nothing, BenchregError for a range or a condition
    that is none.
    """
    _check(asked)
    left = Left()
    filters = list(_filters(database, asked, left.meanings))
    others = [one for one in filters if one.option != "status"]
    query, values = _selected("id, status", others)
    found = database.execute(f"{query} ORDER BY id", values).fetchall()
    left.ids = [one for one, status in found if asked.status in (ANY, status)]
    if asked.status == STANDS:
        left.not_standing = len(found) - len(left.ids)
    if not left.ids:
        _explain(database, filters, left)
    for one in (one for one in filters if one.bounds):
        rest = [other for other in filters if other is not one]
        blank = Filter("", "", f'"{one.column}" IS NULL')
        left.unstated[f"{one.option} {one.said}"] = _count(database, [*rest, blank])
    return left


def _check(asked: Asked) -> None:
    """Raise BenchregError for words that are no text, or too many."""
    if len(asked.words) > MOST_WORDS:
        raise BenchregError(f"{len(asked.words):,} words are too many to look for; {MOST_WORDS} do")
    named = (*asked.named.values(), *asked.equal.values(), *asked.ranges.values(), *asked.words)
    for text in (*named, asked.engine_version, asked.date, asked.where):
        check_text(text)


def check_text(text: str) -> None:
    """Raise BenchregError for bytes of the command line that are no text."""
    if not text.isascii() and any("\ud800" <= one <= "\udfff" for one in text):
        raise BenchregError(f"{shown(text)!r} is no text in UTF-8")


def _filters(
    database: sqlite3.Connection, asked: Asked, meanings: list[Meaning]
) -> Iterator[Filter]:
    named = {option: meaning(database, option, word) for option, word in asked.named.items()}
    meanings += named.values()
    models = named["model"].ids if "model" in named else ()
    for found in named.values():
        yield _named(found, models)
    for column, value in asked.equal.items():
        yield _equal(database, column, value)
    for column, text in asked.ranges.items():
        yield _between(column, text)
    if asked.engine_version:
        from benchreg.snapshot.ranges import versions  # noqa: PLC0415  (few questions have one)

        low, high = versions("--engine-version", asked.engine_version)
        sql = "id IN (SELECT id FROM details WHERE version >= ? AND version <= ? AND version != '')"
        yield Filter("engine version", asked.engine_version, sql, (low, high),
                     "engine_version", bounds=True)  # fmt: skip
    if asked.date:
        from benchreg.snapshot.ranges import dates  # noqa: PLC0415  (as above)

        low, high = dates("--date", asked.date)
        sql = "date >= ? AND date <= ?"
        yield Filter("date", asked.date, sql, (low, high), "date", bounds=True)
    for word in asked.words:
        sql = "id IN (SELECT id FROM details WHERE instr(words, ?) > 0)"
        yield Filter("text", shown(word), sql, (word.casefold(),))
    if asked.where:
        from benchreg.snapshot.where import holding  # noqa: PLC0415  (few questions have it)

        ids = ",".join(map(str, holding(database, asked.where)))
        yield Filter("where", asked.where, f"id IN ({ids})")
    if asked.status != ANY:
        yield Filter("status", asked.status, "status = ?", (asked.status,), "status")


def _named(found: Meaning, models: tuple[str, ...]) -> Filter:
    """Return the filter of a word; that of a part asks for the models too, to find both at once."""
    option, word, ids = found
    if option != "hardware":
        return Filter(option, word, f'"{KINDS[option]}" IN ({_marks(ids)})', ids, KINDS[option])
    parts = (*ids, f"said {word.casefold()}")
    also = f" AND model IN ({_marks(models)})" if models else ""
    sql = f"id IN (SELECT figure FROM parts WHERE part IN ({_marks(parts)}){also})"  # noqa: S608  (marks)
    return Filter(option, word, sql, (*parts, *models), "accelerator")


def _marks(values: tuple[str, ...]) -> str:
    return ", ".join("?" * len(values))


def _equal(database: sqlite3.Connection, column: str, value: str) -> Filter:
    """Return a filter by the word of a column.

    Raises NotFoundError for a word that no figure has and no record could, BenchregError for a
    column that is none.
    """
    if column not in NAMES:
        near = suggestion(column, NAMES) or f"there are {', '.join(NAMES)}"
        raise BenchregError(f"no column is called {shown(column)!r}; {near}")
    query = f'SELECT DISTINCT "{column}" FROM figures WHERE "{column}" IS NOT NULL'  # noqa: S608
    known = {str(row[0]): row[0] for row in database.execute(query)}
    if value not in known and value not in _words_of(column):
        near = suggestion(value, known) or f"there are {', '.join(sorted(known)) or 'none'}"
        raise NotFoundError(f"no figure has the {column} {shown(value)!r}; {near}")
    return Filter(column, value, f'"{column}" = ?', (value,), column)


def _words_of(column: str) -> frozenset[str]:
    """Return what a record may say in a column, whether or not one does."""
    from benchreg.analysis.tier import TIERS  # noqa: PLC0415  (only of a word that no figure has)
    from benchreg.entities import vocabulary  # noqa: PLC0415  (as above)

    words = {
        "pattern": vocabulary.LoadPattern, "scenario": vocabulary.Scenario,
        "scope": vocabulary.Scope, "statistic": vocabulary.Statistic,
        "precision": vocabulary.NumberFormat, "division": vocabulary.Division,
        "window": vocabulary.Window,
    }  # fmt: skip
    own = {"tier": tuple(TIERS), "verdict": VERDICTS}
    return frozenset(get_args(words[column]) if column in words else own.get(column, ()))


def _between(column: str, text: str) -> Filter:
    from benchreg.snapshot.ranges import numbers  # noqa: PLC0415  (few questions have one)

    low, high = numbers(f"--{column.replace('_', '-')}", text)
    parts = [(f'"{column}" {mark} ?', end) for mark, end in ((">=", low), ("<=", high))]
    given = [(sql, end) for sql, end in parts if end is not None]
    sql = " AND ".join(part for part, _ in given)
    return Filter(column.replace("_", " "), text, sql, tuple(end for _, end in given), column,
                  bounds=True)  # fmt: skip


def _selected(what: str, filters: Iterable[Filter]) -> tuple[str, tuple[object, ...]]:
    """Return a query over the figures that all filters leave."""
    every = list(filters)
    sql = " AND ".join(f"({one.sql})" for one in every) or "1"
    return f"SELECT {what} FROM figures WHERE {sql}", tuple(v for one in every for v in one.values)  # noqa: S608


def _count(database: sqlite3.Connection, filters: list[Filter]) -> int:
    query, values = _selected("count(*)", filters)
    return int(database.execute(query, values).fetchone()[0])


def _explain(database: sqlite3.Connection, filters: list[Filter], left: Left) -> None:
    """Say which filter left nothing, and what else those before it leave for it to be."""
    for number, one in enumerate(filters):
        if not _count(database, filters[: number + 1]):
            left.emptied_by = f"{one.option} {one.said}"
            if one.column:
                query, values = _selected(f'"{one.column}" AS what, count(*)', filters[:number])
                grouped = f"{query} GROUP BY what ORDER BY count(*) DESC, what LIMIT {MOST_NEAR}"
                left.near = [(str(what if what is not None else "not stated"), count)
                             for what, count in database.execute(grouped, values)]  # fmt: skip
            return


class Answer(NamedTuple):
    """A figure of an answer: its row, its values by column, the file it was read from."""

    id: int
    row: Row
    values: sqlite3.Row
    file: int


def answers(database: sqlite3.Connection, ids: Iterable[int]) -> list[Answer]:
    """Return what is shown of figures, in the order of their numbers that is given."""
    query = (
        "SELECT f.*, d.shown AS _shown, d.file AS _file FROM figures f JOIN details d USING (id) "
    )
    cursor = database.cursor()
    cursor.row_factory = sqlite3.Row
    found = []
    for some in batches(list(ids)):
        rows = cursor.execute(f"{query} WHERE f.id IN ({','.join(map(str, some))})")
        by_id = {row["id"]: row for row in rows}
        found += [_answer(by_id[one]) for one in some]
    return found


def _answer(values: sqlite3.Row) -> Answer:
    fields = values["_shown"].split(BETWEEN)
    row = Row._make(fields)
    row = row._replace(value=Decimal(row.value) if row.value else None)
    return Answer(values["id"], row, values, values["_file"])


def batches(ids: list[int], size: int = 5000) -> Iterator[list[int]]:
    """Yield ids in parts that a query can name."""
    return (ids[start : start + size] for start in range(0, len(ids), size))
