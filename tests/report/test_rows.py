"""Rows in groups: what they share, and each figure with its counterpart."""

from decimal import Decimal
from typing import Any

import pytest

from benchreg.analysis.row import Row
from benchreg.report.rows import table

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
    tier="D",
    measured="not stated",
    source="a-source",
    locator="Table 2",
)


def test_a_group_is_titled_by_what_its_rows_share() -> None:
    other = ROW._replace(scenario="offline", key="b#rate")
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
    _, _, _, heading, line = table([ROW._replace(**judged)], 200).splitlines()
    assert line[heading.index("of bound") : heading.index("MBU")].rstrip() == cell, name
    assert line[heading.index("MBU") :].startswith("25 %")


def test_a_narrow_row_says_what_its_shares_are_of() -> None:
    text = " ".join(table([ROW._replace(mfu="0.0042")], width=60).split())
    assert "6.3 to 52 % of its bound; 25 % MBU; 0.42 % MFU; window not stated" in text


def test_hostile_text_reaches_no_terminal() -> None:
    words = "a\u202eb\nc"
    hostile = ROW._replace(key=words, input_tokens=words, verdict=words, seen_by_request=words)
    text = table([hostile._replace(model="\x1b[31mred", of_bound="")], 200)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert len(text.splitlines()) == 5
