"""DER005 and DER009 at their edges: digits, units, and what they cannot judge."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report

Change = Callable[..., Path]
Judge = Callable[..., Report]
BATCH = """load:
  pattern: static_batch
  batch_size: 64
  warmup: {{requests: 0}}
  requests: 640
  window: full_drain
results:
  output_rate:
    metric: output_throughput
    scope: system
    {total}
    seen_by_request: user_rate
  user_rate: {{metric: {metric}, scope: per_request, {one}}}
"""
RATE = "output_rate_per_request"


@pytest.mark.parametrize(
    ("total", "metric", "one", "expected"),
    [
        pytest.param("{value: 800, unit: tok/s}", RATE, "value: 12.5, unit: tok/s", [], id="equal"),
        pytest.param("{value: 803, unit: tok/s}", RATE, "value: 12.5, unit: tok/s", [], id="0.4 %"),
        pytest.param(
            "{value: 805, unit: tok/s}", RATE, "value: 12.5, unit: tok/s", ["DER005"], id="0.6 %"
        ),
        pytest.param(
            '{value: 805, printed: "805", unit: tok/s}',
            RATE,
            'value: 12.6, printed: "12.6", unit: tok/s',
            [],
            id="within the printed digits",
        ),
        pytest.param(
            '{value: 811, printed: "811", unit: tok/s}',
            RATE,
            'value: 12.6, printed: "12.6", unit: tok/s',
            ["DER005"],
            id="outside the printed digits",
        ),
        pytest.param(
            "{value: 0.8, unit: ktok/s}", RATE, "value: 12.5, unit: tok/s", [], id="units"
        ),
        pytest.param(
            "{value: 800, unit: ktok/s}",
            RATE,
            "value: 12.5, unit: tok/s",
            ["DER005"],
            id="wrong unit",
        ),
    ],
)
def test_a_batch_total_is_the_batch_times_the_rate_of_one(
    total: str, metric: str, one: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    lines = total.strip("{}").replace(", ", "\n    ")
    report = judged(changed(BATCH.format(total=lines, metric=metric, one=one)))
    found = [one.code for one in report.findings if one.code.startswith("DER")]
    assert found == expected


def test_a_counterpart_that_is_no_end_to_end_rate_is_not_judged(
    changed: Change, judged: Judge
) -> None:
    total, one = "value: 800\n    unit: tok/s", "statistic: mean, value: 80, unit: ms"
    report = judged(changed(BATCH.format(total=total, metric="tpot", one=one)))
    reasons = [note.reason for note in report.unevaluated if note.code == "DER005"]
    assert reasons == ["tpot is not an end-to-end rate of output tokens"]


@pytest.mark.parametrize(
    ("total", "reason"),
    [
        pytest.param(
            "value: 800\n    unit: req/s", "req/s cannot be turned into tok/s", id="a unit"
        ),
        pytest.param(
            "value: 800\n    unit: tok/s\n    derivation: {formula: user_rate ** 2}",
            "the formula of base-record#output_rate is refused",
            id="a formula that is refused",
        ),
    ],
)
def test_a_total_that_cannot_be_worked_out_is_not_judged(
    total: str, reason: str, changed: Change, judged: Judge
) -> None:
    text = BATCH.format(total=total, metric=RATE, one="value: 9, unit: tok/s")
    report = judged(changed(text))
    assert [note.reason for note in report.unevaluated if note.code == "DER005"] == [reason]
    assert "DER005" not in {finding.code for finding in report.findings}


def test_a_batch_of_one_replica_of_several_is_not_judged(changed: Change, judged: Judge) -> None:
    hardware = """hardware:
  pools:
    - {accelerator: example-gpu-80gb, count: 2, parallelism: {tensor: 1, replicas: 2}}
"""
    text = BATCH.format(
        total="value: 999\n    unit: tok/s", metric=RATE, one="value: 9, unit: tok/s"
    )
    report = judged(changed(hardware + text))
    assert [note.reason for note in report.unevaluated if note.code == "DER005"] == [
        "the batch may be that of one replica of several"
    ]


EACH = """hardware:
  pools:
    - {{accelerator: example-gpu-80gb, count: 4, parallelism: {{tensor: 4}}}}
results:
  all: {{metric: input_throughput, scope: system, value: 6400, unit: tok/s}}
  each: {{metric: input_throughput, scope: per_accelerator, {}}}
"""


@pytest.mark.parametrize(
    ("each", "expected"),
    [
        pytest.param("value: 1608, unit: tok/s", [], id="0.5 %"),
        pytest.param("value: 1609, unit: tok/s", ["DER009"], id="over it"),
        pytest.param("value: 1609, unit: tok/s, window: steady_state", [], id="another window"),
        pytest.param("value: 1609, unit: tok/s, statistic: peak", [], id="another statistic"),
    ],
)
def test_shares_make_the_whole(
    each: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    report = judged(changed(EACH.format(each)))
    assert [one.code for one in report.findings if one.code == "DER009"] == expected


def test_a_share_in_another_dimension_is_not_judged(changed: Change, judged: Judge) -> None:
    report = judged(changed(EACH.format("value: 1600, unit: req/s")))
    assert [note.reason for note in report.unevaluated if note.code == "DER009"] == [
        "req/s cannot be turned into tok/s"
    ]
