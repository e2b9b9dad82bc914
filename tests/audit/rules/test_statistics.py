"""MET006 to MET008 and MET016 at their edges: what is a statistic, of how many, in which order."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report
from benchreg.audit.finding import Severity

Change = Callable[..., Path]
Judge = Callable[..., Report]

FIRST = "  first: {{metric: ttft, scope: per_request, value: 95, unit: ms{}}}\n"
SERVED = """load:
  pattern: closed_loop
  concurrency: 64
  {}
  failed: 0
  duration_s: 512
  window: full_drain
  warmup: {{requests: 0}}
"""


def results(*lines: str) -> str:
    return "results:\n" + "".join(lines)


def found(report: Report, code: str) -> list[Severity]:
    return [finding.severity for finding in report.findings if finding.code == code]


def reasons(report: Report, code: str) -> list[str]:
    return [note.reason for note in report.unevaluated if note.code == code]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        pytest.param(", statistic: mean", [], id="a mean"),
        pytest.param(", statistic: p50", [], id="a percentile"),
        pytest.param(", statistic: max", [], id="the slowest request"),
        pytest.param("", [Severity.ERROR], id="nothing"),
        pytest.param(", statistic: peak", [Severity.ERROR], id="the best of several runs"),
        pytest.param(", absent: {statistic: not_stated}", [Severity.WARNING], id="declared"),
        pytest.param(", absent: {statistic: not_applicable}, n: 1", [], id="one request alone"),
        pytest.param(", absent: {statistic: not_applicable}", [Severity.ERROR], id="many requests"),
    ],
)
def test_a_latency_is_a_mean_or_a_percentile(
    more: str, expected: list[Severity], changed: Change, judged: Judge
) -> None:
    assert found(judged(changed(results(FIRST.format(more)))), "MET006") == expected


def test_a_rate_needs_no_statistic(changed: Change, judged: Judge) -> None:
    rate = "  rate: {metric: output_rate_per_request, scope: per_request, value: 5, unit: tok/s}\n"
    assert found(judged(changed(results(rate))), "MET006") == []


@pytest.mark.parametrize(
    ("statistic", "n", "expected"),
    [
        pytest.param("p99", 999, 1, id="p99 of 999"),
        pytest.param("p99", 1000, 0, id="p99 of 1,000"),
        pytest.param("p1", 999, 1, id="the same tail from its other side"),
        pytest.param("p95", 99, 1, id="p95 of 99"),
        pytest.param("p95", 100, 0, id="p95 of 100"),
        pytest.param("p99.9", 9_999, 1, id="p99.9 of 9,999"),
        pytest.param("p99.9", 10_000, 0, id="p99.9 of 10,000"),
        pytest.param("p90", 10, 0, id="p90 of 10"),
    ],
)
def test_a_tail_wants_requests(
    statistic: str, n: int, expected: int, changed: Change, judged: Judge
) -> None:
    first = results(FIRST.format(f", statistic: {statistic}, n: {n}"))
    report = judged(changed(SERVED.format("max_in_flight: 64") + first))
    assert len(found(report, "MET007")) == expected


@pytest.mark.parametrize(
    ("counted", "expected"),
    [
        pytest.param("requests: 700", 1, id="issued"),
        pytest.param("completed: 700", 1, id="completed"),
        pytest.param("requests: 1200\n  completed: 700", 1, id="the fewer of both"),
    ],
)
def test_the_requests_of_the_run_are_those_of_a_figure_at_most(
    counted: str, expected: int, changed: Change, judged: Judge
) -> None:
    load = SERVED.format(counted)
    for own in ("", ", n: 2000"):
        report = judged(changed(load + results(FIRST.format(f", statistic: p99{own}"))))
        assert len(found(report, "MET007")) == expected


def test_a_tail_of_an_unknown_number_is_not_judged(changed: Change, judged: Judge) -> None:
    load = SERVED.format("max_in_flight: 64")
    report = judged(changed(load + results(FIRST.format(", statistic: p99"))))
    assert found(report, "MET007") == []
    assert reasons(report, "MET007") == ["the number of requests behind the p99 is not known"]


def test_a_percentile_of_the_systems_power_is_of_no_requests(
    changed: Change, judged: Judge
) -> None:
    power = (
        "  power: {metric: mean_power, scope: system, statistic: p99, value: 700, unit: W, n: 9}\n"
    )
    assert found(judged(changed(results(power))), "MET007") == []


def percentile(name: str, value: str, more: str = "metric: ttft, scope: per_request") -> str:
    return f"  {name}: {{{more}, statistic: {name.rpartition('_')[2]}, {value}}}\n"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(
            [
                percentile("a_p50", "value: 95, unit: ms"),
                percentile("a_p99", "value: 95, unit: ms"),
            ],
            0,
            id="equal",
        ),
        pytest.param(
            [
                percentile("a_p99", "value: 0.1, unit: s"),
                percentile("a_p50", "value: 95, unit: ms"),
            ],
            0,
            id="another unit and order",
        ),
        pytest.param(
            [
                percentile("a_p99", "value: 0.1, unit: s"),
                percentile("a_p50", "value: 101, unit: ms"),
            ],
            1,
            id="above it in another unit",
        ),
        pytest.param(
            [
                percentile("a_min", "value: 9, unit: ms"),
                percentile("a_p25", "value: 8, unit: ms"),
                percentile("a_max", "value: 7, unit: ms"),
            ],
            2,
            id="each that is too low",
        ),
        pytest.param(
            [
                percentile("a_p50", 'value: 9.44, printed: "9.44", unit: ms'),
                percentile("a_p90", 'value: 9.4, printed: "9.4", unit: ms'),
            ],
            0,
            id="within the printed digits",
        ),
        pytest.param(
            [
                percentile("a_p50", 'value: 9.46, printed: "9.46", unit: ms'),
                percentile("a_p90", 'value: 9.4, printed: "9.4", unit: ms'),
            ],
            1,
            id="outside the printed digits",
        ),
        pytest.param(
            [
                percentile("a_p50", "value: 9, unit: ms"),
                percentile("a_p90", "value: 8, unit: ms", "metric: tpot, scope: per_request"),
            ],
            0,
            id="two metrics",
        ),
        pytest.param(
            [
                percentile("a_p50", "value: 9, unit: ms"),
                percentile("a_p90", "value: 8, unit: ms, window: steady_state"),
            ],
            0,
            id="two windows",
        ),
        pytest.param(
            [
                percentile("a_p50", "value: 9, unit: ms"),
                percentile("b_p50", "value: 8, unit: ms"),
                percentile("a_p90", "value: 9, unit: ms"),
            ],
            0,
            id="two medians",
        ),
        pytest.param(
            [
                percentile("a_p50", "value: 60, unit: tok/s", "metric: decode_rate_per_request"),
                percentile("a_p99", "value: 50, unit: tok/s", "metric: decode_rate_per_request"),
            ],
            1,
            id="rates ascend too",
        ),
    ],
)
def test_percentiles_ascend(
    lines: list[str], expected: int, changed: Change, judged: Judge
) -> None:
    assert len(found(judged(changed(results(*lines))), "MET008")) == expected


def test_percentiles_without_a_common_unit_are_not_judged(changed: Change, judged: Judge) -> None:
    lines = [percentile("a_p50", "value: 9, unit: ms"), percentile("a_p90", "value: 8, unit: W")]
    report = judged(changed(results(*lines)))
    assert found(report, "MET008") == []
    assert reasons(report, "MET008") == ["W cannot be turned into ms"]


ONCE = "measurement: {harness: example bench, point: server, runs: 1}\n"
RATE = "  rate: {{metric: input_throughput, scope: {}, value: 800, unit: tok/s{}}}\n"


@pytest.mark.parametrize(
    ("scope", "more", "expected"),
    [
        pytest.param("system", "", [], id="no statistic"),
        pytest.param("system", ", statistic: peak", [], id="the best of several"),
        pytest.param("system", ", statistic: mean", [], id="a mean of runs"),
        pytest.param("system", ", statistic: p99, note: of seconds", [], id="of intervals"),
        pytest.param("system", ", statistic: p99", [Severity.WARNING], id="a percentile"),
        pytest.param("per_accelerator", ", statistic: p1", [Severity.WARNING], id="of each part"),
        pytest.param("system", ", statistic: max", [], id="the most of its intervals"),
    ],
)
def test_a_total_is_one_number(
    scope: str, more: str, expected: list[Severity], changed: Change, judged: Judge
) -> None:
    report = judged(changed(ONCE + results(RATE.format(scope, more))))
    assert found(report, "MET016") == expected


@pytest.mark.parametrize(
    "repeated",
    [
        pytest.param("", id="three runs"),
        pytest.param(
            ONCE + "load:\n  pattern: static_batch\n  batch_size: 8\n  warmup: {requests: 0}\n",
            id="batches",
        ),
    ],
)
def test_what_is_repeated_has_a_median(repeated: str, changed: Change, judged: Judge) -> None:
    report = judged(changed(repeated + results(RATE.format("system", ", statistic: p50"))))
    assert found(report, "MET016") == []


@pytest.mark.parametrize(
    "figure",
    [
        "metric: output_rate_per_request, scope: per_request, value: 9, unit: tok/s",
        "metric: ttft, scope: per_request, value: 95, unit: ms",
        "metric: mean_power, scope: system, value: 700, unit: W, metered: node",
    ],
)
def test_what_is_no_total_may_have_a_percentile(
    figure: str, changed: Change, judged: Judge
) -> None:
    report = judged(changed(ONCE + results(f"  one: {{{figure}, statistic: p90}}\n")))
    assert found(report, "MET016") == []
