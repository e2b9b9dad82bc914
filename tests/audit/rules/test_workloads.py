"""CON011 at its edges: an output length was reached, or nobody knows."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report

Change = Callable[..., Path]
Judge = Callable[..., Report]

WORKLOAD = """workload:
  input_tokens: 512
  {}
  prefix_cache: {{enabled: false}}
  speculative: {{method: none}}
"""


def found(report: Report) -> list[str]:
    return [finding.code for finding in report.findings if finding.code == "CON011"]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param("length_basis: requested, output_policy: forced", [], id="forced"),
        pytest.param("length_basis: measured, output_policy: natural", [], id="counted"),
        pytest.param("length_basis: measured, output_policy: capped", [], id="counted, capped"),
        pytest.param("length_basis: requested, output_policy: capped", ["CON011"], id="capped"),
        pytest.param("length_basis: requested", ["CON011"], id="asked for, and nothing more"),
        pytest.param("output_policy: natural", ["CON011"], id="nobody says which length it is"),
        pytest.param("output_policy: forced", [], id="forced to whatever it is"),
    ],
)
def test_a_length_is_forced_or_counted(
    said: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    lines = "\n  ".join(["output_tokens: 64", *said.split(", ")])
    assert found(judged(changed(WORKLOAD.format(lines)))) == expected


@pytest.mark.parametrize("outcome", ["out_of_memory", "failed", "limit_not_met"])
def test_a_run_that_did_not_complete_reached_no_length(
    outcome: str, changed: Change, judged: Judge
) -> None:
    workload = WORKLOAD.format("output_tokens: 64\n  length_basis: requested")
    assert found(judged(changed(f"outcome: {outcome}\n{workload}"))) == []


def test_a_length_that_is_not_there_is_no_matter_of_this(changed: Change, judged: Judge) -> None:
    declared = "absent: {load.scenario: not_applicable, workload.output_tokens: not_stated}\n"
    assert found(judged(changed(WORKLOAD.format("output_policy: natural") + declared))) == []
