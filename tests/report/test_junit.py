"""The audit as a test report: red where the audit fails, and green only where something ran."""

from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree as ET

from benchreg.audit.catalogue import all_rules
from benchreg.audit.engine import Report
from benchreg.audit.finding import Crash, Finding, Severity, Unevaluated
from benchreg.report.junit import junit

Make = Callable[..., Finding]
MakeReport = Callable[..., Report]
RULES = [rule for rule in all_rules() if rule.code == "MET004"]
ERRORS = frozenset({Severity.ERROR})
CRASH = Crash("MET004", "records/b.yaml", "KeyError: 'a'", "Traceback\n::a\n")


def suite(report: Report, failing: frozenset[Severity] = ERRORS) -> ET.Element:
    """Return the suite of the one rule."""
    [one] = ET.fromstring(junit(report, RULES, failing))  # noqa: S314  (it is our own)
    return one


def ended(case: ET.Element) -> list[str]:
    return [part.tag for part in case]


def test_the_findings_of_a_file_are_one_failed_case(finding: Make, report: MakeReport) -> None:
    found = suite(
        report(finding(Severity.WARNING), finding(line=9), finding(path="records/b.yaml"))
    )
    first, second = found
    assert found.attrib == {
        "name": "MET004 rate-without-scope",
        "tests": "2",
        "failures": "2",
        "errors": "0",
        "skipped": "0",
    }
    assert first.attrib == {
        "classname": "MET004 rate-without-scope",
        "name": "records/a.yaml",
        "time": "0",
        "file": "records/a.yaml",
        "line": "9",
    }
    assert first[0].attrib == {"message": "no scope; say whose (and 1 more)"}
    assert first[0].text == (
        "records/a.yaml:9:5: error MET004 no scope; say whose\n"
        "records/a.yaml:3:5: warning MET004 no scope; say whose"
    )
    assert second.get("name") == "records/b.yaml"


def test_what_does_not_fail_the_audit_is_a_passed_case_that_tells(
    finding: Make, report: MakeReport
) -> None:
    given = report(finding(Severity.WARNING))
    [passed] = suite(given)
    assert ended(passed) == ["system-out"]
    [failed] = suite(given, failing=frozenset({Severity.ERROR, Severity.WARNING}))
    assert ended(failed) == ["failure"]


def test_a_rule_that_found_nothing_passes(report: MakeReport) -> None:
    [case] = suite(report())
    assert case.get("name") == "nothing found"
    assert ended(case) == ["system-out"]
    assert case[0].text == "9 judged"


def test_what_was_not_evaluated_is_skipped_with_the_reason(report: MakeReport) -> None:
    note = Unevaluated("MET004", "records/a.yaml", "/", "no metric")
    passed, skipped = suite(report(unevaluated=(note,)))
    assert passed.get("name") == "nothing found"
    assert skipped[0].attrib == {"message": "not evaluated 1 time: no metric (1)"}


def test_a_rule_without_anything_to_judge_does_not_pass(report: MakeReport) -> None:
    [case] = suite(report(evaluated={}))
    assert ended(case) == ["skipped"]


def test_a_crash_is_an_error_with_its_trace(report: MakeReport) -> None:
    found = suite(report(crashes=(CRASH, replace(CRASH))))
    assert [case.get("name") for case in found] == [
        "crash in records/b.yaml",
        "crash in records/b.yaml-2",
    ]
    assert found.get("errors") == "2"
    assert found[0][0].attrib == {"message": "crashed: KeyError: 'a'"}
    assert found[0][0].text == "Traceback\n\\x3a:a\n"


def test_what_a_configuration_changes_is_a_passed_case_before_all_rules(
    finding: Make, report: MakeReport
) -> None:
    given = report(finding(), remarks=("ignores A", "takes B for\na note"))
    top = ET.fromstring(junit(given, RULES, ERRORS))  # noqa: S314  (as above)
    configuration, rule = top
    assert (top.get("tests"), top.get("failures")) == ("2", "1")
    assert (configuration.get("name"), configuration.get("failures")) == ("configuration", "0")
    [case] = configuration
    assert ended(case) == ["system-out"]
    assert case[0].text == "ignores A\ntakes B for\\na note"
    assert rule.get("name") == "MET004 rate-without-scope"


def test_the_whole_report_counts_its_suites(finding: Make, report: MakeReport) -> None:
    top = ET.fromstring(junit(report(finding()), all_rules(), ERRORS))  # noqa: S314  (as above)
    assert top.get("failures") == "1"
    assert top.get("tests") == str(len(list(top.iter("testcase"))))
    assert len(top) == len(all_rules())
