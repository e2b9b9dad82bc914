"""A sheet in each format: digits kept, and no cell that a program could take for a command."""

import csv
import io
import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchreg.report.sheet import FORMATS, Sheet, as_csv, as_json, as_markdown, as_text
from benchreg.values.unseen import UNSEEN

SHEET = Sheet(
    ("value", "share", "count", "model", "nothing"),
    [(Decimal("800.0"), 0.517, 64, "a-model", None), (None, None, None, "b", "")],
)


def test_csv_reads_back_with_its_digits() -> None:
    first, second = list(csv.DictReader(io.StringIO(as_csv(SHEET))))
    assert (first["value"], first["share"], first["count"]) == ("800.0", "0.517", "64")
    assert second["value"] == ""


def test_csv_has_one_end_of_line() -> None:
    assert "\r" not in as_csv(Sheet(("a", "b"), [("x\ry", "\r\n")]))


def test_json_has_numbers_for_numbers_and_null_for_nothing() -> None:
    first, second = json.loads(as_json(SHEET))
    assert (first["value"], first["share"], first["nothing"]) == (800, 0.517, None)
    assert second == {"value": None, "share": None, "count": None, "model": "b", "nothing": ""}


@pytest.mark.parametrize("hostile", ["=cmd()", "+1", "-1", "@x", "\t=1", "\r=1"])
def test_no_text_of_csv_can_be_taken_for_a_formula(hostile: str) -> None:
    [row] = list(csv.reader(io.StringIO(as_csv(Sheet(("a",), [(hostile,)])))))[1:]
    assert not row[0].startswith(("=", "+", "-", "@", "\t", "\r"))


def test_a_cell_that_another_program_would_split_is_quoted() -> None:
    text = as_csv(Sheet(("a", "b"), [("x;=cmd()", 'say "y"\tz')]))
    assert text.splitlines()[1] == '"x;=cmd()","say ""y""\\tz"'


def test_a_number_below_nothing_is_no_formula() -> None:
    assert as_csv(Sheet(("a",), [(-1.5,), (Decimal(-2),)])).splitlines()[1:] == ["-1.5", "-2"]


def test_markdown_cannot_be_broken_out_of() -> None:
    [_, _, line] = as_markdown(Sheet(("a",), [("x | y <i>`z`",)])).splitlines()
    assert line == "| x \\| y \\<i\\>\\`z\\` |"


@pytest.mark.parametrize("form", FORMATS)
def test_hostile_text_is_escaped_in_every_format(form: str) -> None:
    text = FORMATS[form](Sheet(("a",), [("\x1b[31mred\u202eb\nc##vso[x]",)]))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\n" not in text.splitlines()[-1]


def test_text_has_numbers_to_the_right_and_words_to_the_left() -> None:
    sheet = Sheet(("n", "word"), [(5, "a"), (12, "bcd")])
    assert as_text(sheet).splitlines() == [" n  word", " 5  a", "12  bcd"]


def test_where_columns_are_too_wide_the_widest_one_stands_below() -> None:
    sheet = Sheet(("n", "word", "key"), [(5, "a", "x" * 30)])
    assert as_text(sheet, 20).splitlines() == ["n  word", "5  a", f"  {'x' * 30}"]


def test_where_that_is_too_wide_every_cell_has_a_line() -> None:
    sheet = Sheet(("first", "second", "third"), [("a" * 30, "b" * 30, "c")])
    assert as_text(sheet, 30).splitlines() == [
        f"first: {'a' * 30}",
        f"  second: {'b' * 30}",
        "  third: c",
    ]


@given(
    st.lists(
        st.tuples(
            st.text(), st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
        )
    ),
    st.integers(1, 200),
)
def test_every_row_is_written_in_every_format(
    rows: list[tuple[str, float | None]], width: int
) -> None:
    sheet = Sheet(("text", "number"), list(rows))
    assert len(list(csv.reader(io.StringIO(as_csv(sheet))))) == len(rows) + 1
    assert len(json.loads(as_json(sheet))) == len(rows)
    assert len(as_markdown(sheet).split("\n")) == len(rows) + 2
    assert not any(UNSEEN.search(line) for line in as_text(sheet, width).split("\n"))
