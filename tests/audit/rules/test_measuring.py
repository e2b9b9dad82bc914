"""MET018 and MET019 at their edges: whose window it is, and what a client can see."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report

Change = Callable[..., Path]
Judge = Callable[..., Report]

LOAD = """load:
  pattern: closed_loop
  concurrency: 64
  requests: 6400
  failed: 0
  duration_s: 512
  window: phase_only
  warmup: {requests: 0}
"""


def found(report: Report, code: str) -> list[str]:
    return [finding.pointer for finding in report.findings if finding.code == code]


@pytest.mark.parametrize(
    ("figure", "expected"),
    [
        pytest.param(
            "metric: prefill_throughput, scope: system, value: 6400, unit: tok/s",
            [],
            id="a rate of the phase",
        ),
        pytest.param(
            "metric: request_throughput, scope: system, value: 12.5, unit: req/s, "
            "window: full_drain",
            [],
            id="a window of its own",
        ),
        pytest.param(
            "metric: mean_concurrency, scope: system, value: 60, unit: req", [], id="no rate"
        ),
        pytest.param(
            "metric: request_throughput, scope: system, value: 12.5, unit: req/s",
            ["/results/one"],
            id="whole requests",
        ),
    ],
)
def test_a_window_of_one_phase_holds_figures_of_it(
    figure: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    report = judged(changed(f"{LOAD}results:\n  one: {{{figure}}}\n"))
    assert found(report, "MET018") == expected


MEASURED = "measurement: {{harness: example bench, runs: 3{}}}\n"
FIGURES = """results:
  first: {metric: ttft, scope: per_request, statistic: mean, value: 95, unit: ms}
  each: {metric: tpot, scope: per_request, statistic: mean, value: 40, unit: ms}
  whole: {metric: e2e_latency, scope: per_request, statistic: mean, value: 2615, unit: ms}
  all: {metric: prefill_throughput, scope: system, value: 6400, unit: tok/s}
"""


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param(", streaming: true, point: client_remote", [], id="a client that streams"),
        pytest.param(", streaming: false, point: server", [], id="the server"),
        pytest.param(", streaming: false, point: in_process", [], id="the engine itself"),
        pytest.param(", point: client_remote", [], id="nobody says whether it streams"),
        pytest.param(
            ", streaming: false, point: client_remote",
            ["/results/each", "/results/first"],
            id="a client that does not",
        ),
        pytest.param(
            ", streaming: false, point: client_same_host",
            ["/results/each", "/results/first"],
            id="a near client that does not",
        ),
    ],
)
def test_a_client_sees_tokens_where_it_streams(
    said: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    report = judged(changed(MEASURED.format(said) + FIGURES))
    assert sorted(found(report, "MET019")) == expected


def test_who_measured_without_streaming_must_be_known(changed: Change, judged: Judge) -> None:
    report = judged(changed(MEASURED.format(", streaming: false") + FIGURES))
    assert found(report, "MET019") == []
    notes = [(note.pointer, note.reason) for note in report.unevaluated if note.code == "MET019"]
    reason = "whether a client or the server measured is not known"
    assert notes == [("/results/each", reason), ("/results/first", reason)]
