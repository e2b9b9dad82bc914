"""IDN004 to IDN006 and IDN008: no way around the figure that one request sees."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report

Change = Callable[..., Path]
Judge = Callable[..., Report]
LOAD = """load:
  {load}
  requests: 6400
  failed: 0
  duration_s: 512
  window: full_drain
  warmup: {{requests: 0}}
"""
TOTAL = "  total: {{metric: output_throughput, scope: system, value: 800, unit: tok/s{more}}}\n"
USER = "  user: {metric: output_rate_per_request, scope: per_request, value: 12.5, unit: tok/s}\n"


def idn(report: Report) -> list[str]:
    return [one.code for one in report.findings if one.code.startswith("IDN")]


@pytest.mark.parametrize(
    ("load", "expected"),
    [
        ("pattern: closed_loop\n  concurrency: 64", ["IDN004"]),
        ("pattern: closed_loop\n  concurrency: 1", []),
        ("pattern: closed_loop\n  concurrency: 64\n  batch_size: 1", ["IDN004"]),
        ("pattern: static_batch\n  batch_size: 1", []),
        ("pattern: single_stream", []),
        ("pattern: open_loop\n  request_rate: 1\n  arrival: {process: poisson}\n  concurrency: 1",
         ["IDN004"]),
    ],
)  # fmt: skip
def test_only_one_request_in_flight_is_its_own_total(
    load: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    text = LOAD.format(load=load) + "results:\n" + TOTAL.format(more="")
    assert idn(judged(changed(text))) == expected


@pytest.mark.parametrize(
    ("more", "user", "expected"),
    [
        (", absent: {seen_by_request: not_stated}", "", ["IDN008"]),
        (", absent: {seen_by_request: not_applicable}", "", ["IDN008"]),
        (", absent: {seen_by_request: not_stated}", USER, ["IDN004", "IDN008"]),
        (", seen_by_request: user", USER, []),
        (", seen_by_request: total", USER, ["IDN004"]),
    ],
)
def test_what_one_request_sees_is_named_or_honestly_absent(
    more: str, user: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    text = "results:\n" + TOTAL.format(more=more) + user
    assert idn(judged(changed(text))) == expected


@pytest.mark.parametrize(
    ("user", "hint"),
    [
        (USER, "write `seen_by_request: user`"),
        ("", "name it under `seen_by_request` (a rate, TPOT or latency of scope per_request)"),
    ],
)
def test_the_figure_that_one_request_sees_is_offered(
    user: str, hint: str, changed: Change, judged: Judge
) -> None:
    report = judged(changed(f"results:\n{TOTAL.format(more='')}{user}"))
    [finding] = [one for one in report.findings if one.code == "IDN004"]
    assert finding.hint.partition(", or ")[0] == hint.partition(", or ")[0]


def test_a_total_without_a_scope_is_still_a_total(changed: Change, judged: Judge) -> None:
    total = TOTAL.format(more=", absent: {scope: not_stated}").replace("scope: system, ", "")
    assert idn(judged(changed(f"results:\n{total}"))) == ["IDN004"]


def test_a_latency_of_chunks_is_not_what_a_request_sees(changed: Change, judged: Judge) -> None:
    chunk = "{metric: chunk_latency, scope: per_request, statistic: mean, value: 9, unit: ms}"
    text = f"results:\n{TOTAL.format(more=', seen_by_request: chunk')}  chunk: {chunk}\n"
    assert idn(judged(changed(text))) == ["IDN004"]


def test_two_totals_may_name_one_counterpart_elsewhere(changed: Change, judged: Judge) -> None:
    seen = ", seen_by_request: example-partner#user"
    both = TOTAL.format(more=seen) + TOTAL.format(more=seen).replace("  total", "  other")
    there = USER.replace("}", ", aggregate: base-record#total}")
    partner = f"id: example-partner\nresults:\n{there}"
    assert idn(judged(changed(f"results:\n{both}", example_partner=partner))) == []


SEEN = ", seen_by_request: example-partner#user"
THERE = "id: example-partner\nresults:\n{}"
BACK = USER.replace("}", ", aggregate: base-record#total}")


def test_a_counterpart_that_does_not_name_it_back_is_told(changed: Change, judged: Judge) -> None:
    text = f"results:\n{TOTAL.format(more=SEEN)}"
    report = judged(changed(text, example_partner=THERE.format(USER)))
    [finding] = [one for one in report.findings if one.code == "IDN005"]
    assert finding.pointer == "/results/total/seen_by_request"
    assert finding.hint == "write `aggregate: base-record#total` in example-partner"


def test_a_counterpart_of_an_unknown_metric_is_not_judged(changed: Change, judged: Judge) -> None:
    text = f"results:\n{TOTAL.format(more=SEEN)}"
    there = THERE.format(BACK.replace("output_rate_per_request", "speed"))
    report = judged(changed(text, example_partner=there))
    assert "IDN004" not in idn(report)
    reasons = {note.reason for note in report.unevaluated if note.code == "IDN004"}
    assert reasons == {"the metric speed is not there", "speed is not there"}


@pytest.mark.parametrize(
    ("other", "differs"),
    [
        pytest.param("", "", id="the same"),
        pytest.param('engine: {id: example-engine, version: "1.2.1"}\n', "engine.version",
                     id="version"),
        pytest.param('engine: {described_as: in-house, version: "1.2.0"}\n', "", id="only words"),
        pytest.param("precision: {weights: fp8}\n", "precision.weights", id="format"),
        pytest.param("precision: {weights: bf16}\n", "", id="less is said"),
        pytest.param("kind: measurement\n", "kind", id="kind"),
        pytest.param("hardware:\n  pools: [{accelerator: example-gpu-40gb, count: 1}]\n",
                     "hardware.pools.0.accelerator", id="part"),
    ],
)  # fmt: skip
def test_a_counterpart_is_of_the_same_operating_point(
    other: str, differs: str, changed: Change, judged: Judge
) -> None:
    text = f"results:\n{TOTAL.format(more=SEEN)}"
    report = judged(changed(text, example_partner=THERE.format(BACK) + other))
    told = [one.message for one in report.findings if one.code == "IDN006"]
    expected = f"example-partner was measured under another {differs}"
    assert told == ([expected] if differs else [])


def test_a_reference_to_the_record_itself_is_told(changed: Change, judged: Judge) -> None:
    text = f"results:\n{TOTAL.format(more=', seen_by_request: base-record#user')}{USER}"
    [finding] = [one for one in judged(changed(text)).findings if one.code == "IDN005"]
    assert finding.hint == "write `seen_by_request: user`"


def test_a_record_cannot_contradict_itself(changed: Change, judged: Judge) -> None:
    assert idn(judged(changed("links: {contradicts: [base-record]}\n"))) == ["IDN005"]
