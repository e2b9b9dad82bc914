"""MET001 to MET005 at their edges."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report

Change = Callable[..., Path]
Judge = Callable[..., Report]
E2E = "  whole: {metric: e2e_latency, scope: per_request, statistic: mean, value: 725, unit: ms}\n"
TTFT = "  first: {metric: ttft, scope: per_request, statistic: mean, value: 95, unit: ms}\n"
DECODE = (
    "  decode: {{metric: decode_rate_per_request, scope: per_request, value: {}, unit: tok/s, "
    "derivation: {{formula: {}}}}}\n"
)


def met(report: Report) -> list[str]:
    return [one.code for one in report.findings if one.code.startswith("MET00")]


@pytest.mark.parametrize(
    ("value", "formula", "expected"),
    [
        pytest.param("100", "63000 / (whole - first)", [], id="without the first token's time"),
        pytest.param("88.3", "64000 / whole", ["MET005"], id="with it"),
        pytest.param("88.3", "64000 / whole + 0 * first", ["MET005"], id="with it, as if without"),
        pytest.param("663.2", "63000 / first", [], id="not of the whole at all"),
    ],
)
def test_a_decode_rate_leaves_the_prefill_out(
    value: str, formula: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    text = f"results:\n{E2E}{TTFT}{DECODE.format(value, formula)}"
    assert met(judged(changed(text))) == expected


def test_a_detour_over_another_figure_is_followed(changed: Change, judged: Judge) -> None:
    detour = (
        "  mid: {metric: mean_concurrency, scope: system, value: 725, unit: req, "
        "derivation: {formula: whole}}\n"
    )
    text = f"results:\n{E2E}{detour}{DECODE.format('88.3', '64000 / mid')}"
    assert met(judged(changed(text))) == ["MET005"]


def test_a_decode_rate_whose_formula_is_refused_is_not_judged(
    changed: Change, judged: Judge
) -> None:
    report = judged(changed(f"results:\n{E2E}{DECODE.format('88.3', '64000 ** whole')}"))
    assert met(report) == []
    [reason] = [note.reason for note in report.unevaluated if note.code == "MET005"]
    assert reason.startswith("the derivation cannot be read: ")


OF_ONE = "decode_rate_per_request, output_rate_per_request, prefill_rate_per_request"
OF_ALL = "goodput, offered_rate, request_throughput"
APART = "docs/metrics.md tells the metrics apart"


@pytest.mark.parametrize(
    ("figure", "hint"),
    [
        (
            "metric: tps, scope: per_request, value: 9, unit: tok/s",
            f"in tok/s there are {OF_ONE}; {APART}",
        ),
        (
            "metric: qps, scope: system, value: 9, unit: req/min",
            f"in req/min there are {OF_ALL}; {APART}",
        ),
        ("metric: zzz, value: 9, unit: parsec", APART),
        ("metric: ttfts, value: 9, unit: ms", "did you mean 'ttft'?"),
    ],
)
def test_a_metric_that_is_near_to_none_is_answered_with_those_of_its_unit(
    figure: str, hint: str, changed: Change, judged: Judge
) -> None:
    report = judged(changed(f"results:\n  one: {{{figure}}}\n"))
    assert [one.hint for one in report.findings if one.code == "MET001"] == [hint]


def test_an_alias_is_answered_with_the_metric(changed: Change, judged: Judge) -> None:
    text = (
        "results:\n  r: {metric: e2el, scope: per_request, statistic: mean, value: 1, unit: ms}\n"
    )
    [finding] = [one for one in judged(changed(text)).findings if one.code == "MET001"]
    assert "it is the alias of e2e_latency (of vllm" in finding.hint


@pytest.mark.parametrize(
    ("before", "after", "place"),
    [
        ("unit: tok/s", "unit: tok", "/unit"),
        ("unit: tok/s", "unit: req/s", "/unit"),
        ("other_units: [ktok/s]", "other_units: [ms]", "/other_units/0"),
        ("counts: output_token", "counts: none", "/counts"),
    ],
)
def test_a_metric_has_units_of_its_own_kind(
    before: str, after: str, place: str, base: Path, judged: Judge
) -> None:
    path = base / "records/metrics/output_throughput.yaml"
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")
    assert (("MET002", place)) in {(one.code, one.pointer) for one in judged(base).findings}


@pytest.mark.parametrize(
    ("figure", "expected"),
    [
        ("metric: request_throughput, value: 12.5, unit: req/s", ["MET004"]),
        ("metric: input_throughput, value: 800, unit: tok/s", ["MET004"]),
        ("metric: acceptance_length, value: 2.4, unit: tok/step", []),
    ],
)
def test_a_rate_says_whose_it_is(
    figure: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    assert met(judged(changed(f"results:\n  one: {{{figure}}}\n"))) == expected


@pytest.mark.parametrize(
    ("metric", "scope", "expected"),
    [
        ("ttft", "per_request", []),
        ("ttft", "system", ["MET003"]),
        ("ttft", "per_replica", ["MET003"]),
        ("input_throughput", "per_accelerator", []),
        ("input_throughput", "per_request", ["MET003"]),
    ],
)
def test_a_metric_has_the_scopes_of_its_kind(
    metric: str, scope: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    unit = {"ttft": "ms, statistic: mean", "input_throughput": "tok/s"}[metric]
    figure = f"{{metric: {metric}, scope: {scope}, value: 95, unit: {unit}}}"
    assert met(judged(changed(f"results:\n  one: {figure}\n"))) == expected


def test_a_metric_that_was_refused_is_not_called_unknown(base: Path, judged: Judge) -> None:
    path = base / "records/metrics/request_throughput.yaml"
    path.write_text(path.read_text(encoding="utf-8") + "colour: red\n", encoding="utf-8")
    report = judged(base)
    assert met(report) == []
    reasons = {note.reason for note in report.unevaluated if note.code == "MET001"}
    assert reasons == {"request_throughput is there, and was refused"}


@pytest.mark.parametrize(
    ("metric", "better", "expected"),
    [
        ("ttft", "lower", 0),
        ("request_throughput", "higher", 0),
        ("mean_concurrency", "lower", 0),
        ("mean_power", "lower", 0),
        ("ttft", "higher", 1),
        ("request_throughput", "lower", 1),
        ("cost_per_million_output_tokens", "higher", 1),
    ],
)
def test_more_is_better_of_a_rate_alone(
    metric: str, better: str, expected: int, changed: Change, judged: Judge
) -> None:
    report = judged(changed(**{f"metrics/{metric}": f"better: {better}\n"}))
    assert [one.code for one in report.findings] == ["MET013"] * expected
