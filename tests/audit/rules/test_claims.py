"""DER010 at its edges: what a source says of its figures, recomputed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report
from benchreg.audit.finding import Severity

Change = Callable[..., Path]
Judge = Callable[..., Report]

RATE = '  {}: {{metric: offered_rate, scope: system, value: {}, printed: "{}", unit: req/s}}\n'
CLAIM = """claims:
  - says: it is so many times as fast
    locator: text
    stated: "{}"
    formula: {}
    inputs: {{}}
"""


def claiming(stated: str, formula: str) -> str:
    rates = RATE.format("fast", "12.5", "12.5") + RATE.format("slow", "0.9", "0.9")
    return f"results:\n{rates}{CLAIM.format(stated, formula)}".replace("    inputs: {}\n", "")


def found(report: Report) -> list[Severity]:
    return [finding.severity for finding in report.findings if finding.code == "DER010"]


def reasons(report: Report) -> list[str]:
    return [note.reason for note in report.unevaluated if note.code == "DER010"]


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        pytest.param("14", [], id="what the figures give, rounded"),
        pytest.param("13.9", [], id="a digit more"),
        pytest.param("13.1", [Severity.NOTE], id="the least that the digits stand for"),
        pytest.param("14.8", [Severity.NOTE], id="the most"),
        pytest.param("13.0", [Severity.WARNING], id="less than the least"),
        pytest.param("15", [Severity.NOTE], id="a rounding of the most"),
        pytest.param("15.0", [Severity.WARNING], id="more than the most"),
        pytest.param("-14", [Severity.WARNING], id="the other way"),
    ],
)
def test_a_claim_holds_holds_by_rounding_or_does_not(
    stated: str, expected: list[Severity], changed: Change, judged: Judge
) -> None:
    assert found(judged(changed(claiming(stated, "fast / slow")))) == expected


@pytest.mark.parametrize(
    ("formula", "reason"),
    [
        pytest.param("fast / (slow - slow)", "divides by what may be 0", id="a division by 0"),
        pytest.param("fast ** slow", "is not arithmetic", id="a formula that is refused"),
        pytest.param("fast / slower", "slower", id="a name that is nothing"),
    ],
)
def test_a_claim_that_cannot_be_recomputed_is_not_judged(
    formula: str, reason: str, changed: Change, judged: Judge
) -> None:
    report = judged(changed(claiming("14", formula)))
    assert found(report) == []
    [told] = reasons(report)
    assert reason in told


def test_a_claim_that_names_a_record_which_is_not_there_is_not_judged(
    changed: Change, judged: Judge
) -> None:
    text = claiming("14", "fast / there") + "    inputs: {there: nobody#rate}\n"
    report = judged(changed(text))
    assert found(report) == []
    assert reasons(report) == ["nobody#rate is not there"]
