"""GitLab's Code Quality report: fingerprints that no two share, severities of its own."""

import json
from collections.abc import Callable

import pytest

from benchreg.audit.engine import Report
from benchreg.audit.finding import Crash, Finding, Severity
from benchreg.report.gitlab import gitlab

Make = Callable[..., Finding]
MakeReport = Callable[..., Report]


def test_a_finding_has_what_gitlab_asks_for(finding: Make, report: MakeReport) -> None:
    one = finding()
    assert json.loads(gitlab(report(one))) == [
        {
            "description": "MET004 no scope; say whose",
            "check_name": "MET004",
            "fingerprint": one.fingerprint,
            "severity": "major",
            "location": {"path": "records/a.yaml", "lines": {"begin": 3}},
        }
    ]


@pytest.mark.parametrize(
    ("severity", "word"),
    [(Severity.ERROR, "major"), (Severity.WARNING, "minor"), (Severity.NOTE, "info")],
)
def test_each_severity_has_its_word(
    severity: Severity, word: str, finding: Make, report: MakeReport
) -> None:
    [found] = json.loads(gitlab(report(finding(severity))))
    assert found["severity"] == word


def test_findings_that_share_a_fingerprint_are_told_apart(
    finding: Make, report: MakeReport
) -> None:
    found = json.loads(gitlab(report(finding(), finding(line=4), finding(line=5))))
    first = finding().fingerprint
    assert [one["fingerprint"] for one in found] == [first, f"{first}-2", f"{first}-3"]


def test_a_crash_is_a_blocker(report: MakeReport) -> None:
    crash = Crash("MET005", "records/b.yaml", "KeyError: 'a'", "")
    found = json.loads(gitlab(report(crashes=(crash, crash))))
    assert [one["severity"] for one in found] == ["blocker", "blocker"]
    assert found[0]["description"] == "MET005 crashed, the run is incomplete: KeyError: 'a'"
    assert found[0]["fingerprint"] != found[1]["fingerprint"]


def test_where_nothing_is_found_the_list_is_empty(report: MakeReport) -> None:
    assert json.loads(gitlab(report())) == []
