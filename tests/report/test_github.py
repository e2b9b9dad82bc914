"""Annotations of GitHub: the first ten of a kind, and nothing that could be another command."""

from collections.abc import Callable

import pytest

from benchreg.audit.engine import Report
from benchreg.audit.finding import Crash, Finding, Severity
from benchreg.report.github import command, github

Make = Callable[..., Finding]
MakeReport = Callable[..., Report]


def test_a_finding_is_an_annotation_at_its_place(finding: Make, report: MakeReport) -> None:
    assert github(report(finding())).splitlines()[0] == (
        "::error file=records/a.yaml,line=3,col=5,title=MET004 rate-without-scope"
        "::no scope; say whose"
    )


@pytest.mark.parametrize(
    ("severity", "word"),
    [(Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.NOTE, "notice")],
)
def test_each_severity_has_its_command(
    severity: Severity, word: str, finding: Make, report: MakeReport
) -> None:
    assert github(report(finding(severity))).startswith(f"::{word} ")


@pytest.mark.parametrize(
    ("name", "text", "in_property", "in_message"),
    [
        ("percent", "100%", "100%25", "100%25"),
        ("an escape of theirs", "a%0Ab", "a%250Ab", "a%250Ab"),
        ("a colon and a comma", "a:b,c", "a%3Ab%2Cc", "a:b,c"),
        ("a line break", "a\nb\rc", "a\\nb\\x0dc", "a\\nb\\x0dc"),
        ("the older form of a command", "##[add-mask]a", "\\x23#[add-mask]a", "\\x23#[add-mask]a"),
    ],
)
def test_what_could_end_a_command_is_escaped(
    name: str, text: str, in_property: str, in_message: str
) -> None:
    assert command("error", {"file": text}, text) == f"::error file={in_property}::{in_message}", (
        name
    )


def test_errors_come_first_and_ten_of_each_are_shown(finding: Make, report: MakeReport) -> None:
    notes = [finding(Severity.NOTE, line=line) for line in range(12)]
    errors = [finding(line=line) for line in range(11)]
    lines = github(report(*notes, *errors)).splitlines()
    assert [line.split()[0] for line in lines[:10]] == ["::error"] * 10
    assert lines[10] == "and 1 more error, by rule below"
    assert [line.split()[0] for line in lines[11:21]] == ["::notice"] * 10
    assert lines[21] == "and 2 more notes, by rule below"
    assert "error   MET004 rate-without-scope: 11" in lines
    assert lines[-1] == "11 errors, 0 warnings, 12 notes"


def test_a_crash_is_the_first_of_the_errors(finding: Make, report: MakeReport) -> None:
    crash = Crash("MET005", "records/b.yaml", "KeyError: 'a'", "")
    first = github(report(finding(), crashes=(crash,))).splitlines()[0]
    assert first == (
        "::error file=records/b.yaml,title=MET005 crashed::the run is incomplete: KeyError: 'a'"
    )
