"""One line a finding."""

from collections.abc import Iterator

from benchreg.audit.engine import Report
from benchreg.audit.finding import Finding, Severity
from benchreg.audit.waivers import Waived
from benchreg.report.inert import inert
from benchreg.report.paint import Paint, plain
from benchreg.report.summary import accepted, place, safe_path, sentence, summary
from benchreg.values.text import shown


def concise(
    report: Report,
    listed: frozenset[Severity],
    paint: Paint = plain,
    *,
    waived: bool = False,
) -> str:
    """Return every listed finding as `path:line:column: CODE message; hint`, and the summary.

    With `waived`, those that records accept follow, each with the reason.
    """
    lines = [*_lines(report, listed, paint)]
    if waived:
        lines += [_waived(one, paint) for one in report.waived]
    return inert("\n".join([*lines, summary(report, listed, paint)]))


def _waived(one: Waived, paint: Paint) -> str:
    code = paint(f"{one.finding.code} waived", "note")
    return f"{place(one.finding)}: {code}: {sentence(one.finding)}; reason: {accepted(one)}"


def _lines(report: Report, listed: frozenset[Severity], paint: Paint) -> Iterator[str]:
    yield from (line(finding, paint) for finding in report.findings if finding.severity in listed)
    for crash in report.crashes:
        label = paint(f"{crash.code} crashed", "error")
        yield f"{safe_path(crash.path)}:1:1: {label}: {shown(crash.error)}"


def line(finding: Finding, paint: Paint = plain) -> str:
    """Return a finding as one line."""
    code = paint(finding.code, finding.severity.word)
    return f"{place(finding)}: {code} {sentence(finding)}"
