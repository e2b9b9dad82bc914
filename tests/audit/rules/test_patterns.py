"""CON021 and CON022 at their edges: whose parameter it is, and what a scenario's load can be."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report
from benchreg.audit.finding import Severity

Change = Callable[..., Path]
Judge = Callable[..., Report]

LOAD = """load:
  {}
  requests: 6400
  failed: 0
  duration_s: 512
  window: full_drain
  warmup: {{requests: 0}}
absent: {{slo: not_stated, load.scenario: not_applicable}}
"""
SCENARIO = LOAD.replace(", load.scenario: not_applicable", "")


def load(said: str, form: str = LOAD) -> str:
    return form.format("\n  ".join(said.split("; ")))


def found(report: Report, code: str) -> list[str]:
    return [finding.message for finding in report.findings if finding.code == code]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param("pattern: closed_loop; concurrency: 64", [], id="a closed loop"),
        pytest.param("pattern: static_batch; batch_size: 64", [], id="a static batch"),
        pytest.param("pattern: all_at_once", [], id="all at once"),
        pytest.param("pattern: single_stream", [], id="one after another"),
        pytest.param("pattern: single_stream; concurrency: 1", [], id="one at a time, said twice"),
        pytest.param("pattern: all_at_once; arrival: {process: burst}", [], id="one burst"),
        pytest.param(
            "pattern: open_loop; request_rate: 12.5; arrival: {process: poisson}; "
            "max_in_flight: 64",
            [],
            id="an open loop with a cap",
        ),
        pytest.param(
            "pattern: trace_replay; request_rate: 12.5; arrival: {process: trace}",
            [],
            id="a trace at a rate",
        ),
        pytest.param(
            "pattern: closed_loop; concurrency: 64; request_rate: 12.5",
            ["the pattern closed_loop has no request rate"],
            id="a closed loop with a rate",
        ),
        pytest.param(
            "pattern: closed_loop; concurrency: 64; max_in_flight: 64",
            ["the pattern closed_loop has no max in flight"],
            id="a closed loop with a cap",
        ),
        pytest.param(
            "pattern: closed_loop; concurrency: 64; arrival: {process: poisson}",
            ["the pattern closed_loop has no arrival"],
            id="a closed loop with arrivals",
        ),
        pytest.param(
            "pattern: open_loop; request_rate: 12.5; arrival: {process: poisson}; concurrency: 64",
            ["the pattern open_loop has no concurrency"],
            id="an open loop with a concurrency",
        ),
        pytest.param(
            "pattern: static_batch; batch_size: 64; concurrency: 64; request_rate: 2",
            [
                "the pattern static_batch has no concurrency",
                "the pattern static_batch has no request rate",
            ],
            id="a static batch with all of them",
        ),
        pytest.param(
            "pattern: all_at_once; arrival: {process: poisson}",
            ["the pattern all_at_once has no arrival"],
            id="all at once, one by one",
        ),
        pytest.param(
            "pattern: single_stream; concurrency: 2",
            ["the pattern single_stream has no concurrency"],
            id="one of two at a time",
        ),
    ],
)
def test_a_load_has_the_parameters_of_its_pattern(
    said: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    assert found(judged(changed(load(said))), "CON021") == expected


@pytest.mark.parametrize(
    ("arrival", "expected"),
    [
        ("{process: gamma, burstiness: 0.5}", 0),
        ("{burstiness: 0.5}", 0),
        ("{process: poisson, burstiness: 1}", 0),
        ("{process: poisson, burstiness: 0.5}", 1),
        ("{process: constant, burstiness: 1}", 1),
    ],
)
def test_only_a_gamma_process_has_a_shape(
    arrival: str, expected: int, changed: Change, judged: Judge
) -> None:
    said = f"pattern: open_loop; request_rate: 12.5; arrival: {arrival}"
    assert len(found(judged(changed(load(said))), "CON021")) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("concurrency: 64", ["a concurrency without the pattern of the load"]),
        ("batch_size: 64", ["a batch size without the pattern of the load"]),
        ("request_rate: 2", ["a request rate without the pattern of the load"]),
        ("max_in_flight: 64", []),
    ],
)
def test_a_number_without_a_pattern_is_a_warning(
    said: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    report = judged(changed(load(said)))
    assert found(report, "CON021") == expected
    severities = {one.severity for one in report.findings if one.code == "CON021"}
    assert severities <= {Severity.WARNING}


RATE = "request_rate: 12.5; arrival: {process: poisson}"


@pytest.mark.parametrize(
    ("said", "fits"),
    [
        pytest.param("pattern: all_at_once; scenario: offline", True, id="offline"),
        pytest.param(
            "pattern: static_batch; batch_size: 8; scenario: offline", True, id="offline, batches"
        ),
        pytest.param(f"pattern: open_loop; {RATE}; scenario: server", True, id="server"),
        pytest.param(f"pattern: open_loop; {RATE}; scenario: interactive", True, id="interactive"),
        pytest.param("pattern: single_stream; scenario: single_stream", True, id="single stream"),
        pytest.param(
            "pattern: closed_loop; concurrency: 1; scenario: single_stream", True, id="one in it"
        ),
        pytest.param(
            "pattern: closed_loop; concurrency: 8; scenario: multi_stream", True, id="multi stream"
        ),
        pytest.param("concurrency: 8; scenario: server", True, id="no pattern, nothing to differ"),
        pytest.param(
            f"pattern: open_loop; {RATE}; scenario: offline", False, id="offline at a rate"
        ),
        pytest.param("pattern: all_at_once; scenario: server", False, id="server, all at once"),
        pytest.param(
            "pattern: closed_loop; concurrency: 8; scenario: interactive",
            False,
            id="interactive, held in flight",
        ),
        pytest.param(
            "pattern: closed_loop; concurrency: 8; scenario: single_stream",
            False,
            id="eight single streams",
        ),
        pytest.param(
            "pattern: single_stream; scenario: multi_stream", False, id="one of several streams"
        ),
    ],
)
def test_a_scenario_says_how_requests_come(
    said: str, fits: bool, changed: Change, judged: Judge
) -> None:
    report = judged(changed(load(said, SCENARIO)))
    assert (found(report, "CON022") == []) is fits
