"""A condition that a stranger writes is read, and nothing else is done."""

import re
import sqlite3
import time
from pathlib import Path

import pytest

from benchreg.snapshot.ask import Asked, ask
from benchreg.snapshot.where import checked, fenced
from benchreg.values.errors import BenchregError

REFUSED = [
    ("a second statement", "1; DROP TABLE figures"),
    ("a comment that hides the rest", "1 --"),
    ("another comment", "1 /* */"),
    ("an end of the parenthesis", "1) OR (1"),
    ("an open parenthesis", "(1"),
    ("a subquery", "id IN (SELECT id FROM details)"),
    ("a hidden subquery", "(VALUES (1))"),
    ("a with", "(WITH x AS (SELECT 1) SELECT 1)"),
    ("a table", "EXISTS (TABLE figures)"),
    ("a file that is read", "readfile('/etc/passwd') != ''"),
    ("an extension", "load_extension('x')"),
    ("a file that is written", "writefile('/tmp/x', 'y')"),
    ("a large text", "length(zeroblob(1000000000)) > 1"),
    ("a text of many", "printf('%.*c', 1000000000, 'x') != ''"),
    ("random", "random() > 0"),
    ("a parameter", "value > ?"),
    ("a named parameter", "value > :x"),
    ("a column that is none", "modle = 'x'"),
    ("a quoted column that is none", '"modle" = 1'),
    ("a bracketed name", "[value] > 1"),
    ("a control character", "value > 1\x00"),
    ("nothing", "  "),
    ("very much", "1 " * 2000),
    ("nonsense", "value >"),
    ("an aggregate", "count(*) > 1"),
    ("a window", "sum(value) OVER () > 1"),
    ("a pragma", "pragma_table_info('figures')"),
]


@pytest.mark.parametrize(("name", "text"), REFUSED, ids=[name for name, _ in REFUSED])
def test_what_no_condition_needs_is_one_clear_line(
    name: str, text: str, asked: sqlite3.Connection
) -> None:
    with pytest.raises(BenchregError) as raised:
        ask(asked, Asked(where=text))
    told = str(raised.value)
    assert told.startswith("--where "), name
    assert "\n" not in told


@pytest.mark.parametrize(
    "text",
    [
        "mbu > 0.5",
        "model LIKE 'llama%' AND NOT (value < 5 OR unit != 'tok/s')",
        "round(of_bound, 2) BETWEEN 0.1 AND 0.2",
        "submitter IN ('Dell', 'HPE')",
        "engine_version IS NULL",
        "absent LIKE '% engine.version %'",
        "lower(submitter) = 'amd'",
        "title = 'it''s ) quoted ; --'",
        '"value" > 100',
        "model",
    ],
)
def test_a_plain_condition_is_answered(text: str, asked: sqlite3.Connection) -> None:
    query = f"SELECT id FROM figures WHERE status = 'active' AND ({text}) ORDER BY id"  # noqa: S608
    assert ask(asked, Asked(where=text)).ids == [row[0] for row in asked.execute(query)]


def test_a_condition_cannot_loosen_another_filter(asked: sqlite3.Connection) -> None:
    strict = Asked(named={"model": "mpt-7b"})
    loose = strict._replace(where="1 OR 1")
    assert ask(asked, loose).ids == ask(asked, strict).ids


def test_a_condition_has_no_more_time_than_its_limit(
    asked: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchreg.snapshot.where.MOST_S", -1.0)
    with pytest.raises(BenchregError, match="--where takes too long"):
        ask(asked, Asked(where="mbu > 0.5"))


LONG = "||".join(["absent"] * 15)
SLOW = [
    ("long texts", " + ".join(["length(upper(title) || lower(title))"] * 40) + " > 0"),
    ("trimmed", f"ltrim('{'~' * 900}', {LONG}) = 'x'"),
    ("patterns", f"({LONG}) LIKE '%e{'_' * 45}~'"),
    ("patterns of many marks", f"({LONG}) LIKE '{'%a' * 24}~'"),
    ("patterns of columns", f"({LONG}) LIKE '%' || title || '%'"),
]


@pytest.mark.parametrize(("name", "text"), SLOW, ids=[name for name, _ in SLOW])
def test_too_much_work_is_stopped(
    name: str, text: str, asked: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchreg.snapshot.where.MOST_S", 0.2)
    start = time.monotonic()
    try:
        ask(asked, Asked(where=text))
    except BenchregError as error:
        assert re.search("takes too long|may not|too big|too complex", str(error)), name  # noqa: PT017
    assert time.monotonic() - start < 10


def test_the_fence_lets_nothing_be_written(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "own.sqlite", isolation_level=None)
    database.execute("CREATE TABLE figures (id INTEGER)")
    for statement in (
        "INSERT INTO figures VALUES (1)",
        "DROP TABLE figures",
        f"ATTACH '{tmp_path}/other.sqlite' AS other",
        "PRAGMA writable_schema = 1",
        "SELECT * FROM sqlite_master",
    ):
        with pytest.raises(BenchregError), fenced(database):
            database.execute(statement)
    assert database.execute("SELECT count(*) FROM figures").fetchone() == (0,)
    assert [path.name for path in tmp_path.iterdir()] == ["own.sqlite"]


def test_a_fence_is_taken_down_again(asked: sqlite3.Connection) -> None:
    with fenced(asked):
        pass
    assert asked.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] > 1


def test_a_text_in_quotes_may_hold_anything() -> None:
    text = "title = 'a -- b; (c'"
    assert checked(text) == text
