"""One line a finding."""

from collections.abc import Iterator

from benchreg.audit.engine import Report
from benchreg.audit.finding import Finding, Severity
from benchreg.report.summary import Paint, place, plain, summary
from benchreg.values.text import shown


def concise(
    report: Report,
    listed: frozenset[Severity],
    sources: object = None,
    paint: Paint = plain,
) -> str:
    """Return every listed finding as `path:line:column: CODE message; hint`, and the summary."""
    del sources
    return "\n".join([*_lines(report, listed, paint), summary(report, listed, paint)])


def _lines(report: Report, listed: frozenset[Severity], paint: Paint) -> Iterator[str]:
    yield from (line(finding, paint) for finding in report.findings if finding.severity in listed)
    yield from (
        f"{crash.path}:1:1: {paint(f'{crash.code} crashed', 'error')}: {shown(crash.error)}"
        for crash in report.crashes
    )


def line(finding: Finding, paint: Paint = plain) -> str:
    """Return a finding as one line."""
    hint = f"; {finding.hint}" if finding.hint else ""
    code = paint(finding.code, finding.severity.word)
    return f"{place(finding)}: {code} {finding.message}{hint}"
