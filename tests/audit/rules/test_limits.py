"""MET014, MET015 and MET020 at their edges: limits that are kept and told, targets reached."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report
from benchreg.audit.finding import Severity

Change = Callable[..., Path]
Judge = Callable[..., Report]

ERROR, WARNING = [Severity.ERROR], [Severity.WARNING]
SLO = "slo: {{ttft_ms: 450, tpot_ms: 40, percentile: {}}}\n"
ONE = "results:\n  one: {{metric: {}, scope: per_request, statistic: {}, value: {}, unit: {}{}}}\n"


def found(report: Report, code: str) -> list[Severity]:
    return [finding.severity for finding in report.findings if finding.code == code]


def reasons(report: Report, code: str) -> list[str]:
    return [note.reason for note in report.unevaluated if note.code == code]


@pytest.mark.parametrize(
    ("figure", "expected"),
    [
        pytest.param(("ttft", "p99", "450", "ms", ""), [], id="at the limit"),
        pytest.param(("ttft", "p99", "0.45", "s", ""), [], id="in seconds"),
        pytest.param(("ttft", "p99.9", "951", "ms", ""), [], id="a higher percentile"),
        pytest.param(("ttft", "max", "951", "ms", ""), [], id="the slowest"),
        pytest.param(("ttft", "mean", "951", "ms", ""), [], id="a mean"),
        pytest.param(("ttft", "p99", "450.1", "ms", ", printed: '450'"), [], id="rounded"),
        pytest.param(("itl", "p99", "951", "ms", ""), [], id="what no limit is on"),
        pytest.param(("ttft", "p99", "451", "ms", ""), ERROR, id="over it"),
        pytest.param(("ttft", "p99", "0.451", "s", ""), ERROR, id="over it in seconds"),
        pytest.param(("ttft", "p50", "451", "ms", ""), ERROR, id="half of them over it"),
        pytest.param(("tpot", "p90", "41", "ms", ""), ERROR, id="over the other one"),
        pytest.param(
            ("ttft", "p99", "452", "ms", ", printed: '452'"), ERROR, id="over it, rounded"
        ),
    ],
)
def test_a_percentile_is_within_the_limit_on_a_higher_one(
    figure: tuple[str, ...], expected: list[Severity], changed: Change, judged: Judge
) -> None:
    report = judged(changed(SLO.format("p99") + ONE.format(*figure)))
    assert found(report, "MET014") == expected


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        pytest.param("slo: {ttft_ms: 450}\n", [], id="each request is judged by itself"),
        pytest.param(SLO.format("p99") + "outcome: limit_not_met\n", [], id="it was not kept"),
        pytest.param("", [], id="no limit"),
        pytest.param(SLO.format("p90"), [], id="a lower percentile"),
        pytest.param(SLO.format("p99"), ERROR, id="not kept, and not said"),
    ],
)
def test_only_a_limit_that_was_to_be_kept_counts(
    more: str, expected: list[Severity], changed: Change, judged: Judge
) -> None:
    report = judged(changed(more + ONE.format("ttft", "p99", "951", "ms", "")))
    assert found(report, "MET014") == expected


def test_a_limit_without_its_figure_is_not_judged(changed: Change, judged: Judge) -> None:
    report = judged(changed(SLO.format("p99") + ONE.format("ttft", "p99", "395", "ms", "")))
    assert found(report, "MET014") == []
    assert reasons(report, "MET014") == ["no figure says what the p99 of tpot was"]


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ("ttft_ms: 450, tpot_ms: 40, e2e_ms: 10000", []),
        ("ttft_ms: 450, e2e_ms: 450", []),
        ("ttft_ms: 40, tpot_ms: 450", ["/slo/ttft_ms"]),
        ("ttft_ms: 10000, e2e_ms: 450", ["/slo/e2e_ms"]),
        ("tpot_ms: 450, e2e_ms: 40", ["/slo/e2e_ms"]),
    ],
)
def test_a_part_is_held_to_no_more_than_the_whole(
    limits: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    report = judged(changed(f"slo: {{{limits}}}\n"))
    findings = [one for one in report.findings if one.code == "MET014"]
    assert [one.pointer for one in findings] == expected
    assert {one.severity for one in findings} <= {Severity.WARNING}


ACCURACY = "accuracy: [{{eval: {}, {}}}]\n"
MLPERF = """mlperf:
  round: v5.1
  division: {}
  result_path: {}/Example/results/1xExample/llama2-70b-99/Server
"""


@pytest.mark.parametrize(
    ("name", "said", "expected"),
    [
        pytest.param("ROUGE1", "value: 44.5, target: 44.3868", [], id="over it"),
        pytest.param("ROUGE1", "value: 44.3868, target: 44.3868", [], id="at it"),
        pytest.param("ROUGE1", "value: 44.38, target: 44.3849", [], id="as it is rounded"),
        pytest.param("ROUGE1", "value: 44.5", [], id="no target"),
        pytest.param("ROUGE1", "target: 44.5", [], id="no value"),
        pytest.param("perplexity", "value: 5.1, target: 5.3", [], id="less is better"),
        pytest.param("word_error_rate", "value: 0, target: 0", [], id="no error"),
        pytest.param("ROUGE1", "value: 44.38, target: 44.3868", WARNING, id="under it"),
        pytest.param("ROUGE1", "value: 0, target: 44.3868", WARNING, id="nothing"),
        pytest.param("perplexity", "value: 5.5, target: 5.3", WARNING, id="more is worse"),
        pytest.param("ROUGE1", "value: 44.5, target: 0", WARNING, id="a target of nothing"),
        pytest.param("ROUGE1", "value: 44.5, n: 0", ERROR, id="of no samples"),
    ],
)
def test_an_accuracy_reaches_its_target(
    name: str, said: str, expected: list[Severity], changed: Change, judged: Judge
) -> None:
    assert found(judged(changed(ACCURACY.format(name, said))), "MET015") == expected


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        pytest.param(MLPERF.format("closed", "closed"), ERROR, id="closed"),
        pytest.param(MLPERF.format("open", "open"), [], id="open"),
        pytest.param("", WARNING, id="no MLPerf"),
        pytest.param("outcome: limit_not_met\n", [], id="it was not kept"),
    ],
)
def test_what_a_missed_target_weighs(
    more: str, expected: list[Severity], changed: Change, judged: Judge
) -> None:
    missed = ACCURACY.format("ROUGE1", "value: 43.9, target: 44.3868")
    assert found(judged(changed(missed + more)), "MET015") == expected


SERVER = """load:
  pattern: open_loop
  request_rate: 12.5
  arrival: {{process: poisson}}
  scenario: {}
  requests: 6400
  failed: 0
  duration_s: 512
  window: full_drain
  warmup: {{requests: 0}}
absent: {{accuracy: not_stated}}
"""


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param("outcome: limit_not_met\nslo: {ttft_ms: 450}\n", [], id="a limit not kept"),
        pytest.param(SERVER.format("server") + SLO.format("p99"), [], id="a server's limits"),
        pytest.param(
            SERVER.format("server").replace("accuracy", "slo"), [], id="limits that nobody told"
        ),
        pytest.param("outcome: out_of_memory\n", [], id="another outcome"),
        pytest.param("outcome: limit_not_met\n", WARNING, id="which limit"),
        pytest.param("outcome: limit_not_met\nslo: {percentile: p99}\n", WARNING, id="of what"),
        pytest.param(SERVER.format("interactive"), WARNING, id="which limits"),
        pytest.param(
            SERVER.format("server") + "slo: {ttft_ms: 450}\n", WARNING, id="of how many requests"
        ),
    ],
)
def test_who_is_held_to_limits_tells_them(
    said: str, expected: list[Severity], changed: Change, judged: Judge
) -> None:
    assert found(judged(changed(said)), "MET020") == expected
