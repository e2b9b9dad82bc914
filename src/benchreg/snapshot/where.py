"""A condition in SQL that an analyst writes: read, and nothing else done.

Three fences stand around it. Its marks are looked over first, so that it is one expression and
cannot end the parenthesis that it stands in. The database may only read, and asks for leave for
each table, column and function: no function takes longer than its texts are long. And there is a
limit to the time, and to the length of every text. It is asked once, and alone: no other filter is
in its reach.
"""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from benchreg.snapshot.columns import NAMES
from benchreg.values.errors import BenchregError
from benchreg.values.text import shown, suggestion

FUNCTIONS = frozenset((
    *("abs", "coalesce", "ifnull", "iif", "length", "like", "lower", "max", "min", "nullif"),
    *("round", "sign", "substr", "substring", "typeof", "upper"),
))  # fmt: skip
LONGEST = 2000
STEPS, MOST_S = 1000, 5.0
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 20_000,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 50,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 1,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
}
_TOKEN = re.compile(
    r"""(?P<text>'(?:[^']|'')*')|(?P<name>"(?:[^"]|"")*")|(?P<mark>--|/\*|[;?@:$#\[\]`'"{}\\])"""
    r"""|(?P<open>\()|(?P<close>\))|(?P<word>[A-Za-z_]\w*)|(?P<other>.)""",
    re.DOTALL,
)
_REFUSED = frozenset(
    ("select", "with", "values", "table", "union", "from", "raise", "over", "exists", "collate")
)
COLUMNS = ", ".join(NAMES)


def checked(text: str) -> str:
    """Return a condition that is one expression over the columns; raises BenchregError."""
    if not text.strip() or len(text) > LONGEST:
        raise _wrong(f"is empty, or longer than {LONGEST} characters")
    depth = 0
    for found in _TOKEN.finditer(text):
        kind, word = found.lastgroup, found[0]
        depth += (kind == "open") - (kind == "close")
        if depth < 0:
            raise _wrong("closes a parenthesis that it did not open")
        if kind == "name" and word[1:-1] not in NAMES:
            near = suggestion(word[1:-1], NAMES) or "a text stands in single quotes"
            raise _wrong(f"names no column {shown(word)}; {near}")
        if kind == "mark":
            raise _wrong(f"has {shown(word)!r}, which no condition needs")
        if kind == "word" and word.casefold() in _REFUSED:
            raise _wrong(f"has {word!r}: one expression over the columns is meant")
        if kind == "word" and word.casefold() in ("id", "rowid", "_rowid_", "oid"):
            raise _wrong(f"names no column {word!r}; there are {COLUMNS}")
        if kind == "other" and not word.isprintable() and word not in " \t\n":
            raise _wrong(f"has {shown(word)!r}, which no condition needs")
    if depth:
        raise _wrong("leaves a parenthesis open")
    return text


def holding(database: sqlite3.Connection, text: str) -> list[int]:
    """Return the figures, by number, for which a condition holds.

    Raises BenchregError for a condition that is wrong, asks for what it may not have, or takes too
    long.
    """
    query = f"SELECT id FROM figures WHERE ({checked(text)}\n)"  # noqa: S608  (looked over, and fenced)
    with fenced(database):
        return [row[0] for row in database.execute(query)]


@contextmanager
def fenced(database: sqlite3.Connection) -> Iterator[None]:
    """Let a database answer what a stranger's condition asks, and do nothing more.

    Raises BenchregError for a condition that is wrong, asks for what it may not have, or asks for
    too much work.
    """
    before = {limit: database.setlimit(limit, most) for limit, most in _LIMITS.items()}
    denied: list[str] = []
    end = monotonic() + MOST_S
    database.set_authorizer(lambda *asked: _leave(denied, *asked))
    database.set_progress_handler(lambda: monotonic() > end, STEPS)
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise _told(error, denied) from None
    finally:
        database.set_authorizer(None)
        database.set_progress_handler(None, STEPS)
        for limit, most in before.items():
            database.setlimit(limit, most)


def _leave(denied: list[str], action: int, one: str | None, other: str | None, *_: object) -> int:
    """Tell whether an action is one of reading the columns of a figure."""
    reads = action == sqlite3.SQLITE_SELECT or (action == sqlite3.SQLITE_READ and one == "figures")
    calls = action == sqlite3.SQLITE_FUNCTION and (other or "").casefold() in FUNCTIONS
    if reads or calls:
        return sqlite3.SQLITE_OK
    denied.append(str(other or one or "that"))
    return sqlite3.SQLITE_DENY


def _told(error: Exception, denied: list[str]) -> BenchregError:
    text = str(error)
    if denied:
        may = f"it may call {', '.join(sorted(FUNCTIONS))}"
        return _wrong(f"asks for {shown(denied[0])!r}, which it may not; {may}")
    if "interrupted" in text:
        return _wrong("takes too long")
    if found := re.match(r"no such column: (.*)", text):
        near = suggestion(found[1], NAMES) or f"there are {COLUMNS}"
        return _wrong(f"names no column {shown(found[1])!r}; {near}")
    return _wrong(f"is not understood: {shown(text)}")


def _wrong(what: str) -> BenchregError:
    return BenchregError(f"--where {what}")
