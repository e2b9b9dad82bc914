"""PLA004 and PLA007 at their edges: which points are compared, and what is a fall."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report
from benchreg.audit.finding import Severity

Change = Callable[..., Path]
Judge = Callable[..., Report]

SWEEP = "sweep: example-sweep\n"
LOAD = "load: {{pattern: closed_loop, concurrency: {}}}\n"
HERE = SWEEP + LOAD.format(64)
OTHER = f"id: example-partner\n{SWEEP}{LOAD.format(128)}"
POOL = """hardware:
  pools: [{{accelerator: example-gpu-80gb, count: {0}, parallelism: {{tensor: {0}}}}}]
"""
RATE = "results:\n  rate: {{metric: output_throughput, scope: system, value: {}, unit: tok/s}}\n"
TPOT = """results:
  tpot: {{metric: tpot, scope: per_request, statistic: {}, value: {}, unit: ms}}
"""


def found(report: Report, code: str) -> list[str]:
    return [finding.message for finding in report.findings if finding.code == code]


def reasons(report: Report, code: str) -> list[str]:
    return [note.reason for note in report.unevaluated if note.code == code]


@pytest.mark.parametrize(
    ("here", "there", "expected"),
    [
        pytest.param("800", "900", 0, id="more"),
        pytest.param("800", "800", 0, id="as much"),
        pytest.param("800", "785", 0, id="less by 1.9 %"),
        pytest.param("800", "783", 1, id="less by 2.1 %"),
        pytest.param("800", "400", 1, id="half"),
        pytest.param('0.9, printed: "0.9"', '0.8, printed: "0.8"', 0, id="within the digits"),
        pytest.param('0.9, printed: "0.9"', '0.7, printed: "0.7"', 1, id="beyond the digits"),
        pytest.param("0", "0", 0, id="nothing"),
    ],
)
def test_a_larger_load_does_not_lower_the_rate_of_the_system(
    here: str, there: str, expected: int, changed: Change, judged: Judge
) -> None:
    partner = OTHER + RATE.format(there)
    report = judged(changed(HERE + RATE.format(here), example_partner=partner))
    assert len(found(report, "PLA004")) == expected


def test_the_finding_names_both_points(changed: Change, judged: Judge) -> None:
    partner = OTHER + RATE.format(700)
    report = judged(changed(HERE + RATE.format(800), example_partner=partner))
    [finding] = [one for one in report.findings if one.code == "PLA004"]
    assert finding.path.endswith("example-partner.yaml")
    assert finding.severity is Severity.NOTE
    assert finding.message == (
        "the system's rate is 12 % lower with 128 in flight than with 64 in flight (base-record)"
    )


@pytest.mark.parametrize(
    ("what", "fragment"),
    [
        ("another sweep", "sweep: another-sweep\n"),
        ("another model", "model: {described_as: Example 8B}\n"),
        ("another version", 'engine: {id: example-engine, version: "1.3.0"}\n'),
        ("another format", "precision: {weights: fp8}\n"),
        ("another length", "workload: {input_tokens: 1024, output_tokens: 64}\n"),
        ("another pattern", "load: {pattern: all_at_once, concurrency: 128}\n"),
        ("another window",
         "load: {pattern: closed_loop, concurrency: 128, window: steady_state}\n"),
        ("more accelerators", POOL.format(2)),
        ("a record that does not stand", "status: disputed\nstatus_reason: read again\n"),
        ("another statistic", RATE.format("700, statistic: peak")),
        ("what is asked for",
         "results:\n  rate: {metric: offered_rate, scope: system, value: 7, unit: req/s}\n"),
        ("what is fast enough",
         "results:\n  rate: {metric: goodput, scope: system, value: 7, unit: req/s}\n"),
    ],
)  # fmt: skip
def test_points_that_differ_in_more_than_the_load_are_not_compared(
    what: str, fragment: str, changed: Change, judged: Judge
) -> None:
    partner = OTHER + RATE.format(700) + fragment  # of a block that stands twice, the last counts
    report = judged(changed(HERE + RATE.format(800), example_partner=partner))
    assert found(report, "PLA004") == [], what


@pytest.mark.parametrize(
    ("what", "fragment"),
    [
        ("how many requests", "load: {pattern: closed_loop, concurrency: 128, requests: 9}\n"),
        ("warm-up", "load: {pattern: closed_loop, concurrency: 128, warmup: {requests: 9}}\n"),
        ("who measured", "measurement: {harness: other bench}\n"),
        ("a measured mean",
         "workload: {input_tokens: 511.7, output_tokens: 64, length_basis: measured}\n"),
    ],
)  # fmt: skip
def test_what_follows_from_the_load_may_differ(
    what: str, fragment: str, changed: Change, judged: Judge
) -> None:
    lengths = "workload: {input_tokens: 512, output_tokens: 64, length_basis: measured}\n"
    partner = OTHER + lengths + RATE.format(700) + fragment
    here = HERE + lengths + RATE.format(800)
    assert len(found(judged(changed(here, example_partner=partner)), "PLA004")) == 1, what


def test_a_point_is_held_against_the_next_one_below(changed: Change, judged: Judge) -> None:
    third = f"id: third\n{SWEEP}{LOAD.format(256)}{RATE.format(750)}"
    report = judged(
        changed(HERE + RATE.format(800), example_partner=OTHER + RATE.format(700), third=third)
    )
    assert [message.partition(" with ")[2] for message in found(report, "PLA004")] == [
        "128 in flight than with 64 in flight (base-record)"
    ]


def test_of_points_of_one_load_the_lowest_counts(changed: Change, judged: Judge) -> None:
    twin = f"id: twin\n{HERE}{RATE.format(650)}"
    report = judged(
        changed(HERE + RATE.format(800), example_partner=OTHER + RATE.format(700), twin=twin)
    )
    assert found(report, "PLA004") == []


def test_more_accelerators_do_not_lower_the_rate(changed: Change, judged: Judge) -> None:
    partner = OTHER + LOAD.format(64) + POOL.format(2) + RATE.format(700)
    report = judged(changed(HERE + POOL.format(1) + RATE.format(800), example_partner=partner))
    assert found(report, "PLA004") == [
        "the system's rate is 12 % lower with 2 accelerators than with 1 accelerator (base-record)"
    ]


@pytest.mark.parametrize(("each", "expected"), [(450, 0), (350, 1)])
def test_a_share_is_brought_to_the_whole_system(
    each: int, expected: int, changed: Change, judged: Judge
) -> None:
    share = RATE.replace("scope: system", "scope: per_accelerator")
    partner = OTHER + LOAD.format(64) + POOL.format(2) + share.format(each)
    report = judged(changed(HERE + POOL.format(1) + share.format(800), example_partner=partner))
    assert len(found(report, "PLA004")) == expected


@pytest.mark.parametrize(
    ("statistic", "here", "there", "expected"),
    [
        pytest.param("mean", 25, 30, 0, id="longer"),
        pytest.param("mean", 25, 24.6, 0, id="nearly as long"),
        pytest.param("mean", 25, 24, 1, id="shorter"),
        pytest.param("p99", 25, 24, 0, id="another statistic"),
    ],
)
def test_a_token_takes_no_less_time_under_more_load(
    statistic: str, here: float, there: float, expected: int, changed: Change, judged: Judge
) -> None:
    partner = OTHER + TPOT.format(statistic, there)
    report = judged(changed(HERE + TPOT.format("mean", here), example_partner=partner))
    assert len(found(report, "PLA007")) == expected


def test_more_accelerators_may_shorten_a_token(changed: Change, judged: Judge) -> None:
    partner = OTHER + LOAD.format(64) + POOL.format(2) + TPOT.format("mean", 15)
    report = judged(changed(HERE + TPOT.format("mean", 25), example_partner=partner))
    assert found(report, "PLA007") == []


def test_a_rate_of_one_request_falls_with_the_load(changed: Change, judged: Judge) -> None:
    rate = "results:\n  one: {{metric: output_rate_per_request, value: {}, unit: tok/s{}}}\n"
    partner = OTHER + rate.format(7, ", scope: per_request")
    report = judged(
        changed(HERE + rate.format(12, ", scope: per_request"), example_partner=partner)
    )
    assert found(report, "PLA004") == []


def test_figures_that_fall_together_are_one_finding(changed: Change, judged: Judge) -> None:
    both = RATE + "  all: {{metric: total_throughput, scope: system, value: {}, unit: tok/s}}\n"
    partner = OTHER + both.format(700, 6300)
    report = judged(changed(HERE + both.format(800, 7200), example_partner=partner))
    [message] = found(report, "PLA004")
    assert message.endswith("(base-record), and so is all")


def test_a_point_of_no_known_load_is_not_judged(changed: Change, judged: Judge) -> None:
    report = judged(changed(SWEEP + "load: {pattern: all_at_once}\n"))
    reason = "how much load this point of its sweep carries is not known"
    assert reasons(report, "PLA004") == reasons(report, "PLA007") == [reason]


@pytest.mark.parametrize("fragment", ["", SWEEP + "load: {pattern: single_stream}\n"])
def test_a_record_alone_is_no_point_to_judge(fragment: str, changed: Change, judged: Judge) -> None:
    report = judged(changed(fragment))
    assert reasons(report, "PLA004") == []
