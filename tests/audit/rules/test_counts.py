"""MET010 to MET012 and MET017 at their edges: pools, failures, limits, and nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report
from benchreg.audit.finding import Severity

Change = Callable[..., Path]
Judge = Callable[..., Report]

ERROR, WARNING = [Severity.ERROR], [Severity.WARNING]
POOL = "    - {{accelerator: example-gpu-80gb, count: 8, parallelism: {{tensor: 8}}{}}}\n"
EACH = """results:
  each: {{metric: input_throughput, scope: {}, value: 800, unit: tok/s{}}}
"""
LOAD = """load:
  {}
  duration_s: 512
  window: full_drain
  warmup: {{requests: 0}}
"""
KEPT = "results:\n  kept: {metric: goodput, scope: system, value: 11.2, unit: req/s}\n"


def found(report: Report, code: str) -> list[Severity]:
    return [finding.severity for finding in report.findings if finding.code == code]


def reasons(report: Report, code: str) -> list[str]:
    return [note.reason for note in report.unevaluated if note.code == code]


@pytest.mark.parametrize(
    ("pools", "scope", "over", "expected"),
    [
        pytest.param(["", ""], "per_accelerator", "", 1, id="two pools, unnamed"),
        pytest.param(["", ""], "per_accelerator", "all", 0, id="two pools, all"),
        pytest.param(["", ""], "system", "", 0, id="the system"),
        pytest.param([""], "per_accelerator", "", 0, id="one pool"),
        pytest.param(["prefill", "decode"], "per_accelerator", "decode", 0, id="one of two roles"),
        pytest.param(["decode", "decode"], "per_accelerator", "prefill", 1, id="a role of none"),
        pytest.param([""], "per_accelerator", "decode", 0, id="one pool that does everything"),
        pytest.param(["prefill"], "per_accelerator", "decode", 1, id="one pool of another role"),
    ],
)
def test_a_share_says_of_which_pool(
    pools: list[str], scope: str, over: str, expected: int, changed: Change, judged: Judge
) -> None:
    lines = [POOL.format(f", role: {role}" if role else "") for role in pools]
    each = EACH.format(scope, f", over: {over}" if over else "")
    report = judged(changed("hardware:\n  pools:\n" + "".join(lines) + each))
    assert len(found(report, "MET010")) == expected


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        pytest.param("requests: 1000, failed: 0", [], id="none failed"),
        pytest.param("requests: 1000, failed: 10", [], id="1 %"),
        pytest.param("requests: 1000, failed: 11", WARNING, id="1.1 %"),
        pytest.param("requests: 1000, failed: 50", WARNING, id="5 %"),
        pytest.param("requests: 1000, failed: 51", ERROR, id="5.1 %"),
        pytest.param("requests: 1000, completed: 900", ERROR, id="what did not complete"),
        pytest.param("completed: 900, failed: 100", ERROR, id="of those that ended"),
        pytest.param("requests: 1000, completed: 1000", [], id="all completed"),
        pytest.param("requests: 1000, completed: 0", ERROR, id="nothing completed"),
        pytest.param("requests: 0", ERROR, id="nothing was issued"),
        pytest.param("requests: 1000, completed: 0, failed: 1000", ERROR, id="one finding"),
    ],
)
@pytest.mark.parametrize("pattern", ["closed_loop", "static_batch"])
def test_failures_are_few(
    counts: str, expected: list[Severity], pattern: str, changed: Change, judged: Judge
) -> None:
    load = LOAD.format("\n  ".join([f"pattern: {pattern}", *counts.split(", ")]))
    assert found(judged(changed(load)), "MET011") == expected


def test_failures_of_an_unknown_number_are_not_judged(changed: Change, judged: Judge) -> None:
    report = judged(changed(LOAD.format("pattern: closed_loop\n  failed: 3")))
    assert found(report, "MET011") == []
    assert reasons(report, "MET011") == ["of how many requests 3 failed is not known"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("closed_loop", 1), ("open_loop", 1), ("all_at_once", 1), ("trace_replay", 1),
     ("static_batch", 0), ("single_stream", 0)],
)  # fmt: skip
def test_a_served_load_counts_its_failures(
    pattern: str, expected: int, changed: Change, judged: Judge
) -> None:
    report = judged(changed(LOAD.format(f"pattern: {pattern}\n  requests: 1000")))
    assert found(report, "MET011") == WARNING * expected


@pytest.mark.parametrize(
    ("what", "fragment"),
    [
        ("declared", "absent: {load.scenario: not_applicable, load.failed: not_stated}\n"),
        ("LoadGen", "measurement: {harness: MLPerf LoadGen, runs: 3, point: server}\n"),
        ("a result of MLPerf", "mlperf: {round: v5.1}\n"),
        ("another outcome", "outcome: limit_not_met\n"),
        ("an estimate", "kind: estimate\n"),
    ],
)
def test_a_run_that_cannot_count_them_need_not(
    what: str, fragment: str, changed: Change, judged: Judge
) -> None:
    load = LOAD.format("pattern: closed_loop\n  requests: 1000")
    assert found(judged(changed(fragment + load)), "MET011") == [], what


def test_a_run_without_a_pattern_is_not_judged(changed: Change, judged: Judge) -> None:
    report = judged(changed(LOAD.format("requests: 1000")))
    assert found(report, "MET011") == []
    assert reasons(report, "MET011") == [
        "whether requests were served, and could fail, is not known"
    ]


@pytest.mark.parametrize("outcome", ["out_of_memory", "failed"])
def test_a_run_that_says_that_nothing_completed_is_evidence(
    outcome: str, changed: Change, judged: Judge
) -> None:
    load = LOAD.format("pattern: closed_loop\n  requests: 1000\n  completed: 0")
    assert found(judged(changed(f"outcome: {outcome}\n{load}")), "MET011") == []


@pytest.mark.parametrize(
    ("fragment", "expected"),
    [
        pytest.param("", ERROR, id="nothing"),
        pytest.param("slo: {e2e_ms: 9000}\n", [], id="a limit"),
        pytest.param("slo: {percentile: p99}\n", ERROR, id="a block without a limit"),
        pytest.param("absent: {slo: not_stated}\n", [], id="declared"),
        pytest.param("absent: {slo: not_applicable}\n", ERROR, id="declared to be none"),
    ],
)
def test_a_goodput_has_limits(
    fragment: str, expected: list[Severity], changed: Change, judged: Judge
) -> None:
    assert found(judged(changed(fragment + KEPT)), "MET012") == expected


def test_a_throughput_needs_no_limits(changed: Change, judged: Judge) -> None:
    assert found(judged(changed(KEPT.replace("goodput", "request_throughput"))), "MET012") == []


ZERO = "results:\n  one: {{metric: {}, scope: {}, value: {}, unit: {}{}}}\n"


@pytest.mark.parametrize(
    ("figure", "expected"),
    [
        pytest.param(("request_throughput", "system", "12.5", "req/s", ""), [], id="a rate"),
        pytest.param(("request_throughput", "system", "0", "req/s", ""), ERROR, id="no rate"),
        pytest.param(("request_throughput", "system", "0.0", "req/s", ""), ERROR, id="none at all"),
        pytest.param(
            ("ttft", "per_request", "0", "ms", ", statistic: p50"), ERROR, id="in no time"
        ),
        pytest.param(
            ("ttft", "per_request", "0", "s", ", statistic: p50, printed: '0'"), [], id="rounded"
        ),
        pytest.param(("goodput", "system", "0", "req/s", ""), [], id="none was good"),
        pytest.param(
            ("itl", "per_request", "0", "ms", ", statistic: p50"),
            [],
            id="tokens that came together",
        ),
        pytest.param(
            ("output_rate_per_request", "per_request", "0", "tok/s", ", statistic: min"),
            [],
            id="the worst request",
        ),
        pytest.param(("mean_power", "system", "0", "W", ""), [], id="what is no rate"),
    ],
)
def test_what_completed_has_a_rate_and_took_a_while(
    figure: tuple[str, ...], expected: list[Severity], changed: Change, judged: Judge
) -> None:
    assert found(judged(changed(ZERO.format(*figure))), "MET017") == expected
