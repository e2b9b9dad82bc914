"""DER011 to DER013 at their edges: what was offered, what is part of what, and how long it ran."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report

Change = Callable[..., Path]
Judge = Callable[..., Report]

LOAD = """load:
  pattern: open_loop
  request_rate: 12.5
  arrival: {{process: poisson}}
  requests: {}
  failed: 0
  duration_s: 512
  window: full_drain
  warmup: {{requests: 0}}{}
"""
RATE = "  {}: {{metric: {}, scope: {}, value: {}, unit: {}}}\n"


def found(report: Report, code: str) -> list[str]:
    return [finding.pointer for finding in report.findings if finding.code == code]


def reasons(report: Report, code: str) -> list[str]:
    return [note.reason for note in report.unevaluated if note.code == code]


def rates(offered: str, completed: str = "", unit: str = "req/s", scope: str = "system") -> str:
    lines = RATE.format("offered", "offered_rate", scope, offered, unit)
    done = RATE.format("done", "request_throughput", "system", completed, "req/s")
    return "results:\n" + lines + (done if completed else "")


@pytest.mark.parametrize(
    ("requests", "figures", "expected"),
    [
        pytest.param(6400, rates("12.5"), [], id="as told"),
        pytest.param(6400, rates("13.5"), [], id="as told, by chance"),
        pytest.param(6400, rates("750", unit="req/min"), [], id="in minutes"),
        pytest.param(100, rates("15"), [], id="few requests"),
        pytest.param(6400, rates("12.5", "12.6"), [], id="as many as were sent"),
        pytest.param(6400, rates("12.5", "9"), [], id="a system that falls behind"),
        pytest.param(6400, rates("40", scope="per_replica"), [], id="of a replica"),
        pytest.param(6400, rates("15"), ["/results/offered/value"], id="more than told"),
        pytest.param(6400, rates("10"), ["/results/offered/value"], id="a client that is too slow"),
        pytest.param(
            6400, rates("12.5", unit="req/min"), ["/results/offered/value"], id="another unit"
        ),
        pytest.param(
            6400, rates("12.5", "15"), ["/results/offered/value"], id="more than were sent"
        ),
    ],
)
def test_a_loop_offers_what_it_was_told(
    requests: int, figures: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    report = judged(changed(LOAD.format(requests, "") + figures))
    assert found(report, "DER011") == expected


@pytest.mark.parametrize(("offered", "expected"), [("10", 0), ("15", 1)])
def test_a_loop_with_a_cap_may_offer_less(
    offered: str, expected: int, changed: Change, judged: Judge
) -> None:
    capped = LOAD.format(6400, "\n  max_in_flight: 64")
    assert len(found(judged(changed(capped + rates(offered))), "DER011")) == expected


def test_an_offered_rate_that_cannot_be_read_is_not_judged(changed: Change, judged: Judge) -> None:
    report = judged(changed(LOAD.format(6400, "") + rates("12.5", unit="tok/s")))
    assert found(report, "DER011") == []
    assert reasons(report, "DER011") == ["tok/s cannot be turned into req/s"]


LATENCY = "  {}: {{metric: {}, scope: per_request, {}value: {}, unit: {}{}}}\n"


def latencies(first: str, whole: str, unit: str = "ms", statistic: str = "p50") -> str:
    said = f"statistic: {statistic}, " if statistic else ""
    one = LATENCY.format("first", "ttft", "statistic: p50, ", first, "ms", "")
    return "results:\n" + one + LATENCY.format("whole", "e2e_latency", said, whole, unit, "")


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        pytest.param(latencies("951", "2000"), [], id="longer"),
        pytest.param(latencies("951", "951"), [], id="one token"),
        pytest.param(latencies("951", "2", "s"), [], id="in seconds"),
        pytest.param(latencies("951", "895", statistic="min"), [], id="of another request"),
        pytest.param(latencies("951", "895", statistic=""), [], id="of nobody knows which"),
        pytest.param(latencies("951", "895"), ["/results/whole/value"], id="shorter"),
        pytest.param(latencies("951", "0.9", "s"), ["/results/whole/value"], id="in seconds too"),
    ],
)
def test_a_request_takes_as_long_as_its_first_token(
    figures: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    assert found(judged(changed(figures)), "DER012") == expected


def test_what_was_rounded_may_be_as_long(changed: Change, judged: Judge) -> None:
    first = LATENCY.format("first", "ttft", "statistic: p50, ", "951", "ms", "")
    whole = LATENCY.format("whole", "e2e_latency", "statistic: p50, ", "0.9", "s", "{}")
    rounded = whole.replace("{}", ", printed: '0.9'").replace("0.9,", "0.9,", 1)
    assert len(found(judged(changed(f"results:\n{first}{rounded}")), "DER012")) == 1
    near = first.replace("951", "940")
    assert found(judged(changed(f"results:\n{near}{rounded}")), "DER012") == []


def test_a_whole_in_no_unit_of_time_is_not_judged(changed: Change, judged: Judge) -> None:
    report = judged(changed(latencies("951", "2", "req/s")))
    assert found(report, "DER012") == []
    assert reasons(report, "DER012") == ["req/s cannot be turned into ms"]


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        ("512", "s", 0),
        ("1024", "s", 0),
        ("1025", "s", 1),
        ("512000", "ms", 0),
        ("1100000", "ms", 1),
    ],
)
def test_no_request_is_longer_than_the_run(
    value: str, unit: str, expected: int, changed: Change, judged: Judge
) -> None:
    whole = LATENCY.format("whole", "e2e_latency", "statistic: max, ", value, unit, "")
    report = judged(changed(f"results:\n{whole}"))
    assert found(report, "DER013") == ["/results/whole/value"] * expected


def test_without_a_duration_no_request_is_too_long(changed: Change, judged: Judge) -> None:
    load = LOAD.format(6400, "").replace("  duration_s: 512\n", "")
    whole = LATENCY.format("whole", "e2e_latency", "statistic: max, ", "7200", "s", "")
    assert found(judged(changed(f"{load}results:\n{whole}")), "DER013") == []
