"""Rows as table, csv, json and markdown."""

import csv
import io
import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from benchreg.analysis.crosscheck import verdicts
from benchreg.analysis.table import Row, rows
from benchreg.registry.registry import Registry
from benchreg.report.rows import COLUMNS, FORMATS, as_csv, as_json, as_markdown, table

ROW = Row(
    key="a-record#rate",
    metric="output_throughput",
    scope="system",
    statistic="peak",
    value=Decimal("800.0"),
    unit="tok/s",
    seen_by_request="12.5 tok/s",
    verdict="plausible",
    of_bound="0.517",
    of_widest="0.0628",
    mbu="0.25",
    mfu="",
    window="not stated",
    model="a-model",
    hardware="1 x a-part",
    engine="an-engine",
    engine_version="unrecoverable",
    precision="not stated",
    scenario="not stated",
    pattern="static batch",
    load="batch 64",
    input_tokens="512",
    output_tokens="64",
    status="active",
    source="a-source",
    locator="Table 2",
)


def test_a_group_is_titled_by_what_its_rows_share() -> None:
    other = replace(ROW, scenario="offline", key="b#rate")
    first, second = table([ROW, other], width=200).split("\n\n")
    assert first.splitlines()[:3] == [
        "a-model on 1 x a-part",
        "  engine an-engine, version unrecoverable; scenario not stated; weights not stated",
        "  tokens: 512 in, 64 out",
    ]
    assert "scenario offline" in second


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_total_and_what_one_request_sees_share_a_line_at_any_width(width: int) -> None:
    [line] = [line for line in table([ROW], width).splitlines() if "800.0" in line]
    assert "12.5 tok/s" in line


@pytest.mark.parametrize(
    ("name", "judged", "cell"),
    [
        ("all is known", {"of_bound": "0.517", "of_widest": "0.517"}, "52 %"),
        ("conditions are absent", {}, "6.3 to 52 %"),
        ("beyond it", {"verdict": "impossible", "of_widest": "0.517"}, "52 %, impossible"),
        ("no bound", {"verdict": "unchecked", "of_bound": ""}, "unchecked"),
        ("nearly all", {"of_bound": "0.998", "of_widest": "0.998"}, "100 %"),
        ("far beyond", {"of_bound": "12.5", "of_widest": "12.5"}, "1,250 %"),
    ],
)
def test_a_row_says_how_far_it_goes_to_its_bound(
    name: str, judged: dict[str, Any], cell: str
) -> None:
    _, _, _, heading, line = table([replace(ROW, **judged)], 200).splitlines()
    assert line[heading.index("of bound") : heading.index("MBU")].rstrip() == cell, name
    assert line[heading.index("MBU") :].startswith("25 %")


def test_a_narrow_row_says_what_its_shares_are_of() -> None:
    text = table([replace(ROW, mfu="0.0042")], width=60)
    assert "6.3 to 52 % of its bound; 25 % MBU; 0.42 % MFU; window not stated" in text


def test_a_share_has_its_digits_in_every_format_for_programs() -> None:
    [row] = json.loads(as_json([ROW]))
    assert (row["verdict"], row["of_bound"], row["of_widest"]) == ("plausible", "0.517", "0.0628")
    assert (row["mbu"], row["mfu"]) == ("0.25", "")
    assert ",plausible,0.517,0.0628,0.25,," in as_csv([ROW])
    assert "| plausible | 0.517 | 0.0628 | 0.25 |  |" in as_markdown([ROW])


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_has_the_counterpart_beside_the_total(form: str, shipped: Registry) -> None:
    record = shipped.records["mpt-7b-a100-static-b64"]
    text = FORMATS[form](list(rows(shipped, [record], verdicts(shipped))))
    total = text.index("800")
    assert "12.5 tok/s" in text[total : total + 60]


def test_csv_reads_back_with_its_digits() -> None:
    [row] = list(csv.DictReader(io.StringIO(as_csv([ROW]))))
    assert (row["value"], row["scenario"]) == ("800.0", "not stated")
    assert tuple(row) == COLUMNS


@pytest.mark.parametrize("hostile", ["=cmd()", "+1", "-1", "@x"])
def test_no_cell_of_csv_can_be_taken_for_a_formula(hostile: str) -> None:
    [row] = list(csv.DictReader(io.StringIO(as_csv([replace(ROW, locator=hostile)]))))
    assert row["locator"] == f"'{hostile}"


def test_json_has_numbers_for_values() -> None:
    [row] = json.loads(as_json([ROW]))
    assert (row["value"], row["seen_by_request"]) == (800, "12.5 tok/s")


def test_markdown_cannot_be_broken_out_of() -> None:
    [_, _, line] = as_markdown([replace(ROW, locator="a | b <i>`x`")]).splitlines()
    assert "a \\| b \\<i\\>\\`x\\`" in line


@pytest.mark.parametrize("form", ["table", *FORMATS])
def test_hostile_text_reaches_no_terminal(form: str) -> None:
    hostile = replace(ROW, model="\x1b[31mred", locator="a\u202eb\nc")
    text = table([hostile], 200) if form == "table" else FORMATS[form]([hostile])
    assert "\x1b" not in text
    assert "\u202e" not in text
