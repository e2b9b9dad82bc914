"""Findings with the line that they are about, but for a line that must not be shown."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report
from benchreg.audit.finding import Severity
from benchreg.cli.formats import NAMES
from benchreg.cli.main import run
from benchreg.registry.load import load
from benchreg.registry.texts import texts
from benchreg.report.full import full

Capture = pytest.CaptureFixture[str]
Change = Callable[..., Path]
Judge = Callable[..., Report]

KEY = "Vw81nTqe5Hd"
NOTES = f"notes: It was 99 tok/s with --api-key {KEY}.\n"
ADDRESS = 'source: {{id: example-source, locator: a, retrieved: "2026-11-01", archive_url: {}}}\n'


def told(root: Path, report: Report) -> str:
    shown = texts(load(root), lambda path: (root / path).read_bytes())
    return full(report, frozenset(Severity), shown)


def test_a_line_with_a_secret_is_not_shown_for_any_finding(changed: Change, judged: Judge) -> None:
    root = changed(NOTES)
    report = judged(root)
    assert {one.code for one in report.findings} == {"SCH007", "PRO003"}
    assert len({one.line for one in report.findings}) == 1
    text = told(root, report)
    assert "error SCH007 holds what looks like a secret (Vw81...)" in text
    assert "warning PRO003" in text
    assert "It was 99" not in text
    assert KEY not in text


def test_other_lines_of_the_file_are_shown(changed: Change, judged: Judge) -> None:
    root = changed(f"{NOTES}status: disputed\nkind: estimate\n")
    text = told(root, judged(root))
    assert "kind: estimate" in text
    assert KEY not in text


@pytest.mark.parametrize(("url", "shown"), [("http://a:b@example.org/", 0), ("http://a.org/", 1)])
def test_the_line_of_an_address_is_shown_unless_a_password_may_be_in_it(
    url: str, shown: int, changed: Change, judged: Judge
) -> None:
    root = changed(ADDRESS.format(url))
    assert told(root, judged(root)).count(url) == shown


@pytest.mark.parametrize("name", NAMES)
def test_no_format_repeats_a_secret(name: str, changed: Change, capsys: Capture) -> None:
    root = changed(NOTES)
    assert run(["audit", "--registry", str(root), "--format", name, "--show", "note"]) == 1
    out = capsys.readouterr().out
    assert "SCH007" in out
    assert KEY not in out
