"""MET009 at its edges: which side of a distribution one over a statistic is."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report
from benchreg.audit.finding import Severity

Change = Callable[..., Path]
Judge = Callable[..., Report]

LATENCY = "  tpot: {{metric: tpot, scope: per_request, {}value: 12.5, unit: ms}}\n"
RATE = """  rate:
    metric: decode_rate_per_request
    scope: per_request
    {}
    value: 80
    unit: tok/s
    derivation: {{formula: {}}}
"""
READ = "  rate: {{metric: decode_rate_per_request, scope: per_request, {}, unit: tok/s}}\n"


def found(report: Report) -> list[Severity]:
    return [finding.severity for finding in report.findings if finding.code == "MET009"]


def hints(report: Report) -> list[str]:
    return [finding.hint for finding in report.findings if finding.code == "MET009"]


def reasons(report: Report) -> list[str]:
    return [note.reason for note in report.unevaluated if note.code == "MET009"]


def derived(of: str, kept: str, formula: str = "1000 / tpot") -> str:
    latency = LATENCY.format(f"statistic: {of}, " if of else "")
    return "results:\n" + latency + RATE.format(f"statistic: {kept}" if kept else "n: 9", formula)


@pytest.mark.parametrize(
    ("of", "becomes"),
    [("p99", "p1"), ("p95", "p5"), ("p90", "p10"), ("p75", "p25"), ("p50", "p50"), ("p25", "p75"),
     ("p10", "p90"), ("p5", "p95"), ("p1", "p99"), ("min", "max"), ("max", "min"),
     ("peak", "peak")],
)  # fmt: skip
def test_one_over_a_percentile_is_that_of_the_other_side(
    of: str, becomes: str, changed: Change, judged: Judge
) -> None:
    assert found(judged(changed(derived(of, becomes)))) == []
    wrong = "p50" if becomes != "p50" else "p75"
    report = judged(changed(derived(of, wrong)))
    assert found(report) == [Severity.ERROR]
    assert hints(report) == [f"write `statistic: {becomes}`"]


@pytest.mark.parametrize(
    ("of", "kept", "expected"),
    [
        pytest.param("p50", "", [Severity.ERROR], id="a median without a name"),
        pytest.param("p99.9", "p99", [Severity.ERROR], id="what has no name"),
        pytest.param("p99.9", "", [Severity.ERROR], id="what has no name, without one"),
        pytest.param("mean", "", [], id="a mean without a name"),
        pytest.param("mean", "mean", [Severity.WARNING], id="a mean kept as one"),
        pytest.param("mean", "p50", [Severity.ERROR], id="a mean kept as a median"),
    ],
)
def test_what_is_kept_says_what_it_is(
    of: str, kept: str, expected: list[Severity], changed: Change, judged: Judge
) -> None:
    assert found(judged(changed(derived(of, kept)))) == expected


def test_a_mean_of_requests_that_are_alike_may_stay_one(changed: Change, judged: Judge) -> None:
    alike = "1000 / tpot, assumes: [the requests of a batch take their steps together]"
    assert found(judged(changed(derived("mean", "mean", alike)))) == []


@pytest.mark.parametrize(
    "formula",
    ["1000 / tpot", "1 / (tpot / 1000)", "1 / tpot * 1000", "100 - 1.6 * tpot", "2000/(tpot+tpot)"],
)
def test_the_form_of_the_formula_does_not_matter(
    formula: str, changed: Change, judged: Judge
) -> None:
    assert found(judged(changed(derived("p99", "p99", formula)))) == [Severity.ERROR]


@pytest.mark.parametrize(("kept", "expected"), [("p99", 0), ("", 0), ("p1", 1), ("mean", 1)])
def test_what_rises_with_a_percentile_is_the_same_one(
    kept: str, expected: int, changed: Change, judged: Judge
) -> None:
    assert len(found(judged(changed(derived("p99", kept, "tpot * 6.4"))))) == expected


def test_a_side_is_not_turned_back_by_a_second_step(changed: Change, judged: Judge) -> None:
    slow = RATE.format("statistic: p1", "1000 / tpot").replace("  rate:", "  slow:")
    fast = RATE.format("statistic: p99", "slow * 1")
    report = judged(changed("results:\n" + LATENCY.format("statistic: p99, ") + slow + fast))
    assert found(report) == [Severity.ERROR]


def test_a_latency_of_a_rate_turns_as_well(changed: Change, judged: Judge) -> None:
    fragment = "results:\n" + READ.format("statistic: p1, value: 80")
    latency = "statistic: {}, derivation: {{formula: 1000 / rate}}, "
    for kept, expected in (("p99", []), ("p1", [Severity.ERROR])):
        root = changed(fragment + LATENCY.format(latency.format(kept)))
        assert found(judged(root)) == expected


def test_a_rate_from_another_record_turns_as_well(changed: Change, judged: Judge) -> None:
    rate = RATE.format("statistic: p99", "1000 / tpot, inputs: {tpot: example-partner#tpot}")
    partner = "id: example-partner\nresults:\n" + LATENCY.format("statistic: p99, ")
    report = judged(changed("results:\n" + rate, example_partner=partner))
    assert found(report) == [Severity.ERROR]


def test_a_metric_of_another_record_that_is_not_there_is_not_judged(
    changed: Change, judged: Judge
) -> None:
    rate = RATE.format("statistic: p99", "1000 / tpot, inputs: {tpot: example-partner#tpot}")
    partner = "id: example-partner\nresults:\n" + LATENCY.format("").replace("tpot,", "tpott,")
    report = judged(changed("results:\n" + rate, example_partner=partner))
    assert found(report) == []
    reason = "the derivation cannot be read: the metric of example-partner#tpot is not there"
    assert reason in reasons(report)


def test_a_percentile_of_two_latencies_is_not_known(changed: Change, judged: Judge) -> None:
    first = "  ttft: {metric: ttft, scope: per_request, statistic: p99, value: 2.5, unit: ms}\n"
    report = judged(changed(derived("p99", "p1", "800 / (tpot - ttft)") + first))
    assert found(report) == []
    assert reasons(report) == ["the p1 of what tpot, ttft give together is not known"]


def test_a_statistic_over_one_that_names_none_is_not_judged(changed: Change, judged: Judge) -> None:
    report = judged(changed(derived("", "p99")))
    assert found(report) == []
    assert reasons(report) == ["tpot names no statistic"]


def test_the_rate_of_a_system_has_no_tail_of_requests(changed: Change, judged: Judge) -> None:
    report = judged(
        changed(
            "results:\n"
            + LATENCY.format("statistic: p99, ")
            + """  rate:
    metric: output_throughput
    scope: system
    value: 5120
    unit: tok/s
    derivation: {formula: 64 * 1000 / tpot}
    seen_by_request: tpot
"""
        )
    )
    assert found(report) == []


MEDIAN = "  median: {metric: tpot, scope: per_request, statistic: p50, value: 9, unit: ms}\n"


@pytest.mark.parametrize(
    ("rate", "expected"),
    [
        pytest.param("statistic: p99, value: 80", [Severity.ERROR], id="one over it"),
        pytest.param("statistic: p99, value: 80.05", [Severity.ERROR], id="rounded"),
        pytest.param("statistic: p99, value: 0.08", [], id="another number"),
        pytest.param("statistic: p99, value: 120", [], id="its own p99"),
        pytest.param("statistic: p1, value: 80", [], id="the other side"),
    ],
)
def test_a_rate_that_was_read_is_held_against_the_latency_beside_it(
    rate: str, expected: list[Severity], changed: Change, judged: Judge
) -> None:
    latencies = LATENCY.format("statistic: p99, ") + MEDIAN
    assert found(judged(changed("results:\n" + latencies + READ.format(rate)))) == expected


def test_requests_that_may_be_all_alike_are_not_judged(changed: Change, judged: Judge) -> None:
    rate = READ.format("statistic: p99, value: 80")
    report = judged(changed("results:\n" + LATENCY.format("statistic: p99, ") + rate))
    assert found(report) == []
    assert reasons(report) == ["one over tpot; whether requests differ is not known"]


@pytest.mark.parametrize(
    ("latency", "rate", "expected"),
    [
        pytest.param("statistic: mean, spread: {stdev: 4}, ", "value: 250", 1, id="one over it"),
        pytest.param("statistic: mean, spread: {stdev: 4}, ", "value: 80", 0, id="over the mean"),
        pytest.param(
            "statistic: mean, ", "value: 33, source_name: std_intvty", 1, id="a name of its own"
        ),
        pytest.param(
            "statistic: mean, ", "value: 33, source_name: standard_intvty", 0, id="another name"
        ),
    ],
)
def test_one_over_a_deviation_is_the_rate_of_no_request(
    latency: str, rate: str, expected: int, changed: Change, judged: Judge
) -> None:
    fragment = "results:\n" + LATENCY.format(latency) + READ.format(rate)
    assert len(found(judged(changed(fragment)))) == expected


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        pytest.param("1000 / deviation", 1, id="below the line"),
        pytest.param("deviation / 1000", 0, id="above it"),
        pytest.param("1000 - deviation", 0, id="taken off"),
        pytest.param("1000 // deviation", 0, id="a formula that is refused"),
    ],
)
@pytest.mark.parametrize("reference", ["tpot_stdev", "other", "results.tpot.spread.stdev"])
def test_a_claim_or_a_derivation_does_not_divide_by_a_deviation(
    formula: str, reference: str, expected: int, changed: Change, judged: Judge
) -> None:
    inputs = f"{{deviation: {reference}}}"
    both = f"formula: {formula}, inputs: {inputs}"
    claim = f"claims:\n  - {{says: s, locator: l, stated: '80', {both}}}\n"
    rate = RATE.format("n: 9", f"{formula}, inputs: {inputs}")
    figures = "results:\n" + LATENCY.format("statistic: mean, ")
    figures += LATENCY.format("").replace("tpot:", "tpot_stdev:")
    figures += LATENCY.format("source_name: std_tpot_ms, ").replace("tpot:", "other:")
    assert len(found(judged(changed(claim + figures + rate)))) == 2 * expected


def test_a_sibling_that_is_a_deviation_needs_no_input(changed: Change, judged: Judge) -> None:
    figures = LATENCY.format("statistic: mean, ").replace("tpot:", "tpot_std:")
    report = judged(changed("results:\n" + figures + RATE.format("n: 9", "1000 / tpot_std")))
    assert found(report) == [Severity.ERROR]


def test_more_pairs_than_can_be_compared_are_not_judged(changed: Change, judged: Judge) -> None:
    rates = [READ.replace("rate:", f"rate{n}:").format("value: 80") for n in range(101)]
    latencies = [LATENCY.replace("tpot:", f"tpot{n}:").format("n: 9, ") for n in range(101)]
    lines = rates + latencies
    report = judged(changed(f"results:\n{''.join(lines)}"))
    assert reasons(report) == ["more than 10,000 pairs of rate and latency"]
