"""The tables of a snapshot say what the records say."""

import sqlite3
from collections.abc import Callable

from benchreg.analysis.crosscheck import verdicts
from benchreg.analysis.facets import side
from benchreg.analysis.table import rows
from benchreg.registry.registry import Registry
from benchreg.snapshot.ask import ANY, Asked, answers, ask
from benchreg.snapshot.columns import NAMES
from benchreg.snapshot.ranked import sides

Small = Callable[..., sqlite3.Connection]


def test_every_row_comes_back_as_it_was_made(asked: sqlite3.Connection, shipped: Registry) -> None:
    some = [one for place, one in enumerate(shipped.records.values()) if place % 40 == 0]
    made = {row.key: row for row in rows(shipped, some, verdicts(shipped))}
    found = {one.row.key: one.row for one in answers(asked, ask(asked, Asked(status=ANY)).ids)}
    assert len(made) > 300
    assert {key: found[key] for key in made} == made


def test_the_conditions_of_a_figure_come_back_as_they_are(
    asked: sqlite3.Connection, shipped: Registry
) -> None:
    ids = ask(asked, Asked(status=ANY)).ids[::97]
    for answer, found in zip(answers(asked, ids), sides(asked, ids), strict=True):
        name, _, figure = answer.row.key.partition("#")
        record = shipped.records[name]
        if figure:
            assert found == side(shipped, record, record.results[figure])


def test_a_value_is_shown_and_asked_for_in_the_unit_of_its_metric(small: Small) -> None:
    database = small(
        "results:\n  rate: {metric: output_throughput, scope: system, value: 1.25, unit: ktok/s,"
        " printed: '1.25', absent: {seen_by_request: not_stated}}\n"
    )
    [one] = answers(database, ask(database, Asked()).ids)
    assert (f"{one.row.value:f}", one.row.unit) == ("1250", "tok/s")
    assert [one.values[name] for name in ("value", "unit", "low", "high")] == [
        1250, "tok/s", 1245, 1255,
    ]  # fmt: skip


def test_what_is_absent_is_null(small: Small) -> None:
    database = small(
        "engine: {stack: CUDA}\nabsent: {engine: not_stated, load.scenario: not_stated}\n"
    )
    [one] = answers(database, ask(database, Asked()).ids)
    assert (one.values["engine"], one.values["scenario"]) == (None, None)
    assert one.values["absent"] == " load.scenario engine "
    assert one.row.engine == "not stated"


def test_every_column_is_there(asked: sqlite3.Connection) -> None:
    there = {row[1] for row in asked.execute("PRAGMA table_info(figures)")}
    assert there == {"id", *NAMES}
    for name in (one for one in NAMES if one != "concurrency"):  # of which no record has any yet
        [count] = asked.execute(f'SELECT count("{name}") FROM figures').fetchone()  # noqa: S608
        assert count, name


def test_every_figure_is_what_its_row_shows_and_within_its_own_ends(
    asked: sqlite3.Connection,
) -> None:
    ids = ask(asked, Asked(where="value IS NOT NULL", status=ANY)).ids[::7]
    for one in answers(asked, ids):
        assert one.row.value is not None
        assert float(one.row.value) == one.values["value"], one.row.key
        assert one.row.unit == one.values["unit"], one.row.key
        assert one.values["low"] <= one.values["value"] <= one.values["high"], one.row.key


def test_no_share_of_a_nominal_bound_is_of_one_that_could_not_have_been(
    asked: sqlite3.Connection,
) -> None:
    query = "SELECT count(*) FROM figures WHERE of_bound > 1.0000001 AND verdict = 'plausible'"
    assert asked.execute(query).fetchone() == (0,)
