"""PLA001, PLA002 and PLA006 at their edges: what the roofline says, as findings."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report
from benchreg.audit.finding import Finding, Severity

Change = Callable[..., Path]
Judge = Callable[..., Report]

ERROR, NOTE = [Severity.ERROR], [Severity.NOTE]
TPOT = "results:\n  tpot: {{metric: tpot, scope: per_request, statistic: mean, {}, unit: ms}}\n"
HEAVY = "precision: {weights: bf16, weights_bytes: 133000000000}\n"
UNKNOWN = "precision: {activations: bf16}\n"
FALLEN = "status: {}\nstatus_reason: the client could not keep up\n"


def found(report: Report, code: str) -> list[Finding]:
    return [finding for finding in report.findings if finding.code == code]


def severities(report: Report, code: str) -> list[Severity]:
    return [finding.severity for finding in found(report, code)]


def reasons(report: Report, code: str) -> list[str]:
    return [note.reason for note in report.unevaluated if note.code == code]


def tpot(milliseconds: object) -> str:
    return TPOT.format(f"value: {milliseconds}")


def results(*figures: str) -> str:
    return "results:\n" + "".join(f"  {figure}\n" for figure in figures)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("value: 25", [], id="possible"),
        pytest.param("value: 6.5", ERROR, id="faster than the weights are read"),
        pytest.param('value: 6.5, printed: "7"', [], id="possible by its digits"),
        pytest.param('value: 6, printed: "6"', ERROR, id="impossible by its digits"),
    ],
)
def test_no_token_is_faster_than_the_weights(
    value: str, expected: list[Severity], changed: Change, judged: Judge
) -> None:
    assert severities(judged(changed(TPOT.format(value))), "PLA001") == expected


@pytest.mark.parametrize(
    ("status", "expected"),
    [("active", ERROR), ("disputed", NOTE), ("withdrawn", NOTE), ("superseded", NOTE)],
)
def test_a_record_that_does_not_stand_is_marked_already(
    status: str, expected: list[Severity], changed: Change, judged: Judge
) -> None:
    fragment = FALLEN.format(status)
    assert severities(judged(changed(fragment + tpot(1))), "PLA001") == expected
    assert severities(judged(changed(fragment + HEAVY)), "PLA002") == expected


def test_the_message_has_the_bound_and_what_was_taken(changed: Change, judged: Judge) -> None:
    [finding] = found(judged(changed(UNKNOWN + tpot(0.5))), "PLA001")
    assert finding.pointer == "/results/tpot/value"
    assert finding.message.startswith("0.5 ms, and the least")
    assert "taken with 16-bit weights and KV cache: " in finding.message
    assert "its unit, where its clock starts" in finding.hint


USER = """user:
    metric: output_rate_per_request
    scope: per_request
    value: {}
    unit: tok/s
    derivation: {{formula: {}}}"""
RATES = (
    "total: {metric: output_throughput, scope: system, value: 800000, unit: tok/s}",
    USER.format(12500, "total / n, inputs: {n: load.concurrency}"),
    USER.replace("user", "again").format(25000, "user * 2"),
)


def test_what_is_derived_from_a_fault_is_named_with_it(changed: Change, judged: Judge) -> None:
    [finding] = found(judged(changed(results(*RATES))), "PLA001")
    assert finding.pointer == "/results/total/value"
    assert finding.message.endswith("; derived from it: user, again")
    assert "whose rate it is" in finding.hint


def test_a_fault_that_begins_at_a_derivation_is_told_there(changed: Change, judged: Judge) -> None:
    wrong = (
        RATES[0].replace("800000", "800"),
        USER.format(51200, "total * n, inputs: {n: load.concurrency}"),
    )
    assert [one.pointer for one in found(judged(changed(results(*wrong))), "PLA001")] == [
        "/results/user/value"
    ]


def test_two_faults_are_two_findings(changed: Change, judged: Judge) -> None:
    both = results(RATES[0], "first: {metric: ttft, statistic: mean, value: 0.1, unit: ms}")
    assert len(found(judged(changed(both)), "PLA001")) == 2


def test_figures_that_rest_on_each_other_are_still_told(changed: Change, judged: Judge) -> None:
    circle = results(
        RATES[0].replace("}", ", derivation: {formula: other}}"),
        "other: {metric: total_throughput, scope: system, value: 800000, unit: tok/s, "
        "derivation: {formula: total}}",
    )
    assert len(found(judged(changed(circle)), "PLA001")) == 2


def test_a_rate_of_prompts_that_have_no_token_is_impossible(changed: Change, judged: Judge) -> None:
    rate = results("fed: {metric: input_throughput, scope: system, value: 800, unit: tok/s}")
    report = judged(changed(rate + "workload: {input_tokens: 0, output_tokens: 64}\n"))
    assert report.crashes == ()
    assert severities(report, "PLA001") == ERROR


@pytest.mark.parametrize(
    ("fragment", "expected"),
    [
        pytest.param(HEAVY, ERROR, id="the weights"),
        pytest.param(HEAVY + "outcome: limit_not_met\n", ERROR, id="a limit was not met"),
        pytest.param(HEAVY + "outcome: out_of_memory\n", [], id="out of memory"),
        pytest.param(HEAVY + "outcome: failed\n", [], id="it failed"),
        pytest.param("load: {pattern: closed_loop, concurrency: 640}\n", [], id="in turns"),
        pytest.param(
            "load: {pattern: closed_loop, concurrency: 640, resident: true}\n",
            ERROR,
            id="all at once",
        ),
        pytest.param(
            "engine: {id: example-engine, host_offload: weights}\n" + HEAVY, [], id="host"
        ),
    ],
)
def test_what_ran_had_its_place_in_memory(
    fragment: str, expected: list[Severity], changed: Change, judged: Judge
) -> None:
    assert severities(judged(changed(fragment)), "PLA002") == expected


def test_what_does_not_fit_is_one_finding_and_no_other(changed: Change, judged: Judge) -> None:
    report = judged(changed(HEAVY + results(*RATES)))
    [finding] = found(report, "PLA002")
    assert finding.pointer == "/hardware/pools"
    assert "take at least 133.1 GB, and the memory is 85.9 GB" in finding.message
    assert found(report, "PLA001") == []


@pytest.mark.parametrize(
    ("fragment", "reason"),
    [
        pytest.param("model: {described_as: Example 7B}\n", "no linked model", id="a model"),
        pytest.param(
            "hardware: {pools: [{described_as: a card, count: 1}]}\n",
            "no linked or possible part",
            id="a part",
        ),
        pytest.param(
            "engine: {id: example-engine, host_offload: weights}\n",
            "weights on the host",
            id="the host",
        ),
    ],
)
def test_what_was_not_judged_is_told_once_with_the_reason(
    fragment: str, reason: str, changed: Change, judged: Judge
) -> None:
    report = judged(changed(fragment + results(*RATES)))
    [finding] = found(report, "PLA006")
    assert finding.message == f"not held against its hardware: total, user, again; {reason}"
    assert reasons(report, "PLA001") == reasons(report, "PLA002") == [reason]


def test_a_model_without_a_size_is_told_by_the_size(changed: Change, judged: Judge) -> None:
    sizes = {"models/example-model": "attention: {kind: gqa, heads: 32, head_dim: 128}\n"}
    report = judged(changed(**sizes))
    assert {finding.message.partition("; ")[2] for finding in found(report, "PLA006")} == {
        "model sizes unknown: example-model has no attention.kv_heads"
    }


@pytest.mark.parametrize(
    ("name", "figure"),
    [
        ("power", "metric: mean_power, scope: system, metered: wall, value: 700, unit: W"),
        ("what is asked for", "metric: offered_rate, scope: system, value: 12, unit: req/s"),
        ("a percentile of gaps", "metric: itl, statistic: p99, value: 30, unit: ms"),
        ("a unit of another kind", "metric: ttft, statistic: mean, value: 30, unit: req/s"),
    ],
)
def test_what_has_no_bound_is_left_out(
    name: str, figure: str, changed: Change, judged: Judge
) -> None:
    report = judged(changed(results(f"one: {{{figure}}}")))
    assert found(report, "PLA006") == [], name
    assert reasons(report, "PLA001") == [], name


def test_a_record_without_figures_has_nothing_to_judge(changed: Change, judged: Judge) -> None:
    report = judged(changed("results: {}\noutcome: out_of_memory\n"))
    assert [one for one in report.findings if one.code.startswith("PLA")] == []
    assert [one for one in report.unevaluated if one.code.startswith("PLA")] == []


@pytest.mark.parametrize(
    "fragment",
    ["model: {id: nobodys}\n", "engine: {id: nobodys}\n",
     "hardware: {pools: [{accelerator: nobodys, count: 1}]}\n",
     "results:\n  one: {metric: nobodys, value: 1, unit: ms}\n"],
)  # fmt: skip
@pytest.mark.parametrize("code", ["PLA001", "PLA002", "PLA005", "PLA006"])
def test_a_link_that_leads_nowhere_is_not_judged(
    fragment: str, code: str, changed: Change, judged: Judge
) -> None:
    report = judged(changed(fragment))
    assert found(report, code) == []
    assert reasons(report, code) == ["nobodys is not there"]


def test_an_id_that_is_taken_is_not_judged_by_the_other(changed: Change, judged: Judge) -> None:
    report = judged(changed("", example_partner=tpot(1)))
    assert report.crashes == ()
    assert found(report, "PLA001") == []
    assert reasons(report, "PLA001") == ["another record has its id"]
