"""Names mean figures, and these stand side by side with the ratio that their digits leave."""

import sqlite3
from collections.abc import Callable

import pytest

from benchreg.analysis.comparison import varied
from benchreg.snapshot.picked import beside
from benchreg.values.errors import BenchregError, NotFoundError

Small = Callable[..., sqlite3.Connection]
ONE, OTHER = "mpt-7b-a100-static-b64", "mpt-7b-a100-static-b1"


def test_of_two_records_every_figure_is_compared_that_both_have(asked: sqlite3.Connection) -> None:
    found = beside(asked, [ONE, OTHER], varied(["batch"]))
    metrics = [two.figures[0].answer.row.metric for two in found]
    assert {"request_throughput", "output_throughput", "output_rate_per_request"} <= set(metrics)
    assert all(two.comparison.comparable for two in found)


def test_a_ratio_has_the_ends_that_the_printed_digits_leave(asked: sqlite3.Connection) -> None:
    [two] = beside(asked, [f"{ONE}#completed_rate", f"{OTHER}#completed_rate"], varied(["batch"]))
    [ratio] = two.ratios
    assert ratio.value == pytest.approx(0.9 / 12.5)
    assert (ratio.low, ratio.high) == pytest.approx((0.85 / 12.55, 0.95 / 12.45))


def test_an_alias_is_the_figure_that_it_names(asked: sqlite3.Connection) -> None:
    row = asked.execute("SELECT name, record, figure FROM names WHERE figure != ''").fetchone()
    [two] = beside(asked, [row[0], f"{row[1]}#{row[2]}"], frozenset())
    one, other = two.figures
    assert one.answer.row.key == other.answer.row.key == f"{row[1]}#{row[2]}"


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["mpt-7b-a100-static-b65", OTHER], "the nearest are .*mpt-7b-a100-static-b64"),
        ([f"{ONE}#output_rat", OTHER], f"the nearest are {ONE}#output_rate"),
        (["", OTHER], "nothing is near"),
        (["x\x1b[31m", OTHER], "no figure is called .*nothing is near"),
    ],
)
def test_a_name_that_nothing_has_is_answered_with_the_nearest(
    names: list[str], told: str, asked: sqlite3.Connection
) -> None:
    with pytest.raises(NotFoundError, match=told):
        beside(asked, names, frozenset())


def test_records_without_a_metric_in_common_are_told_what_they_have(small: Small) -> None:
    result = (
        "results:\n  a: {metric: ttft, scope: per_request, statistic: mean, value: 5, unit: ms}\n"
        "  b: {metric: ttft, scope: per_request, statistic: p99, value: 9, unit: ms}\n"
    )
    with pytest.raises(
        BenchregError, match=r"in common: base-record has request_throughput system; other has ttft"
    ):
        beside(small(other=result), ["base-record", "other"], frozenset())


def test_a_first_figure_of_nothing_has_no_ratio(small: Small) -> None:
    result = (
        "results:\n  a: {{metric: request_throughput, scope: system, value: {}, unit: req/s}}\n"
    )
    [two] = beside(small(result.format(0), other=result.format(5)), ["base-record", "other"],
                   frozenset())  # fmt: skip
    assert (two.ratios[0].value, two.ratios[0].low) == (None, None)
