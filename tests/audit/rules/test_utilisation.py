"""PLA005 at its edges: how much of the hardware is used, and what explains it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report
from benchreg.audit.finding import Finding, Severity

Change = Callable[..., Path]
Judge = Callable[..., Report]

ALONE = "load: {pattern: single_stream, requests: 100, window: full_drain}\n"
UNKNOWN = "precision: {activations: bf16}\n"


def found(report: Report, code: str) -> list[Finding]:
    return [finding for finding in report.findings if finding.code == code]


def reasons(report: Report, code: str) -> list[str]:
    return [note.reason for note in report.unevaluated if note.code == code]


def results(*figures: str) -> str:
    return "results:\n" + "".join(f"  {figure}\n" for figure in figures)


def tpot(milliseconds: object) -> str:
    one = "tpot: {{metric: tpot, scope: per_request, statistic: mean, value: {}, unit: ms}}"
    return results(one.format(milliseconds))


@pytest.mark.parametrize(
    ("fragment", "expected"),
    [
        pytest.param(tpot(25), 0, id="a quarter"),
        pytest.param(tpot(140), 1, id="idle"),
        pytest.param(tpot(130), 0, id="nearly idle"),
        pytest.param(tpot(6.9), 1, id="full"),
        pytest.param(tpot(7.4), 0, id="nearly full"),
        pytest.param(tpot(6.9) + UNKNOWN, 0, id="smaller weights explain it"),
        pytest.param(tpot(140) + UNKNOWN, 1, id="smaller weights make it worse"),
        pytest.param(tpot(140).replace("mean", "p99"), 0, id="a slow request"),
        pytest.param(
            tpot(140) + "workload: {input_tokens: 512, output_tokens: 8}\n", 0, id="a few tokens"
        ),
        pytest.param(
            tpot(140) + "load: {pattern: static_batch, batch_size: 2}\n", 0, id="two requests"
        ),
        pytest.param(tpot(200) + "load: {pattern: static_batch, batch_size: 1}\n", 1, id="a batch"),
    ],
)
def test_one_request_uses_some_of_the_bandwidth(
    fragment: str, expected: int, changed: Change, judged: Judge
) -> None:
    assert len(found(judged(changed(ALONE + fragment)), "PLA005")) == expected


POOL = """hardware:
  pools: [{{accelerator: example-gpu-80gb, count: 8, parallelism: {{{}}}}}]
"""


@pytest.mark.parametrize("ways", ["expert: 8", "tensor: 8", "replicas: 8"])
@pytest.mark.parametrize(("value", "expected"), [(100, 0), (200, 1)])
def test_accelerators_may_take_turns(
    ways: str, value: int, expected: int, changed: Change, judged: Judge
) -> None:
    fragment = ALONE + POOL.format(ways) + tpot(value)
    assert len(found(judged(changed(fragment)), "PLA005")) == expected


def test_a_prompt_that_is_long_to_read_explains_a_low_bandwidth(
    changed: Change, judged: Judge
) -> None:
    rate = results("rate: {metric: output_throughput, scope: system, value: 1.6, unit: tok/s}")
    lengths = (
        "workload: {{input_tokens: {}, output_tokens: 16, prefix_cache: {{enabled: false}}}}\n"
    )
    short = judged(changed(ALONE + rate + lengths.format(512)))
    long = judged(changed(ALONE + rate + lengths.format(65536)))
    assert (len(found(short, "PLA005")), len(found(long, "PLA005"))) == (1, 0)


def test_an_acceptance_that_nobody_knows_may_explain_a_low_bandwidth(
    changed: Change, judged: Judge
) -> None:
    guessed = "workload: {{input_tokens: 512, output_tokens: 64, speculative: {{{}}}}}\n"
    unknown = "method: eagle3, draft_tokens: 3"
    known = f"{unknown}, acceptance_length: 2"
    counts = [
        len(found(judged(changed(ALONE + tpot(100) + guessed.format(one))), "PLA005"))
        for one in (unknown, known)
    ]
    assert counts == [0, 1]


LATENCIES = results(
    "first: {metric: ttft, scope: per_request, statistic: mean, value: 100, unit: ms}",
    "each: {metric: tpot, scope: per_request, statistic: mean, value: 10, unit: ms}",
    "all: {metric: e2e_latency, scope: per_request, statistic: mean, value: 730, unit: ms}",
)


@pytest.mark.parametrize(
    ("fragment", "expected"),
    [
        pytest.param("", 1, id="more than all arithmetic"),
        pytest.param("precision: {kv_cache: bf16}\n", 0, id="a faster format explains it"),
        pytest.param(
            "workload: {input_tokens: 512, output_tokens: 64, prefix_cache: {enabled: true}}\n",
            0,
            id="a cache explains it",
        ),
        pytest.param(
            "workload: {input_tokens: 512, output_tokens: 64}\n", 1, id="a cache that nobody names"
        ),
    ],
)
def test_requests_in_flight_need_no_more_than_all_arithmetic(
    fragment: str, expected: int, changed: Change, judged: Judge
) -> None:
    report = judged(changed(LATENCIES + fragment))
    assert len(found(report, "PLA005")) == expected
    assert found(report, "PLA001") == []


def test_figures_of_one_oddity_are_one_finding(changed: Change, judged: Judge) -> None:
    both = results(
        "each: {metric: tpot, scope: per_request, statistic: mean, value: 200, unit: ms}",
        "rate: {metric: decode_rate_per_request, scope: per_request, value: 5, unit: tok/s}",
    )
    [finding] = found(judged(changed(ALONE + both)), "PLA005")
    assert finding.severity is Severity.WARNING
    assert finding.message.startswith("each, rate: one request used 3.4")


def test_a_single_stream_that_tells_no_bandwidth_is_not_judged(
    changed: Change, judged: Judge
) -> None:
    first = results("first: {metric: ttft, statistic: mean, value: 100, unit: ms}")
    assert reasons(judged(changed(ALONE + first)), "PLA005") == [
        "no figure tells how much of the bandwidth was used, or a length is not known"
    ]
