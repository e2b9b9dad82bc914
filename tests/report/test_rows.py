"""Rows as table, csv, json and markdown."""

import csv
import io
import json
from dataclasses import replace
from decimal import Decimal

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
