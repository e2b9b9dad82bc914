"""Chosen columns: a value brings its unit and its counterpart, in every format and order."""

import csv
import io
import json
import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchreg.report.chosen import plain_table, sheet, with_counterpart
from benchreg.report.rows import COLUMNS, beside
from benchreg.report.sheet import as_csv, as_json, as_markdown
from benchreg.snapshot.ask import Answer, Asked, answers, ask
from benchreg.snapshot.columns import NAMES, VALUES

TOTAL = "mpt-7b-a100-static-b64"


@pytest.fixture(scope="session")
def total(asked: sqlite3.Connection) -> list[Answer]:
    """The batch total of 800 tok/s, of which each request sees 12.5."""
    found = ask(asked, Asked(words=(TOTAL,), where="figure = 'output_rate'"))
    return answers(asked, found.ids)


@given(st.lists(st.sampled_from([*COLUMNS, *NAMES]), max_size=8))
def test_a_value_never_stands_without_its_counterpart(names: list[str]) -> None:
    found = with_counterpart(names)
    assert len(set(found)) == len(found)
    assert set(names) <= set(found)
    if any(name in VALUES for name in names):
        assert {"unit", "seen_by_request"} <= set(found)


@pytest.mark.parametrize("name", VALUES)
def test_each_column_of_values_has_the_counterpart_in_each_format(
    name: str, total: list[Answer]
) -> None:
    made = sheet(total, [name])
    [in_csv] = list(csv.DictReader(io.StringIO(as_csv(made))))
    [in_json] = json.loads(as_json(made))
    assert in_csv["seen_by_request"] == in_json["seen_by_request"] == "12.5 tok/s peak"
    assert "12.5 tok/s peak" in as_markdown(made).splitlines()[-1]
    for width in (20, 40, 100):
        assert (
            "one request sees 12.5 tok/s peak" in plain_table(total, [name], width).splitlines()[-1]
        )


def test_for_people_a_value_is_one_cell(total: list[Answer]) -> None:
    assert plain_table(total, ["unit", "value", "model"], 100).splitlines() == [
        "value, tok/s                            model",
        "800 (one request sees 12.5 tok/s peak)  mpt-7b",
    ]


def test_a_column_that_is_absent_says_so(total: list[Answer]) -> None:
    assert sheet(total, ["precision", "runs", "harness"]).rows == [
        ("not stated", "absent", "absent")
    ]


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        ("12.5 tok/s", " (one request sees 12.5 tok/s)"),
        ("not applicable", " (per request: not applicable)"),
        ("", ""),
    ],
)
def test_what_one_request_sees_stands_in_brackets(seen: str, told: str) -> None:
    assert beside(seen) == told
