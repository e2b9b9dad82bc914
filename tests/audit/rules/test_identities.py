"""DER005 at its edges: digits, units, and what it cannot judge."""

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
