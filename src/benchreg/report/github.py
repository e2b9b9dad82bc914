"""Findings as GitHub annotates them: workflow commands in the log of a step, and the summary."""

from collections.abc import Iterator

from benchreg.audit.engine import Report
from benchreg.audit.finding import Crash, Finding, Severity
from benchreg.report.inert import inert
from benchreg.report.summary import sentence, summary
from benchreg.values.text import counted, shown

MOST_ANNOTATIONS = 10
LONGEST = 4096
COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def github(report: Report) -> str:
    """Return the first ten of each severity as annotations, how many there are more, the summary.

    GitHub shows ten of a kind for each step; a crash is the first of the errors.
    """
    lines, whole = [], []
    for severity in sorted(COMMANDS, reverse=True):
        commands = list(_commands(report, severity))
        lines += commands[:MOST_ANNOTATIONS]
        if more := len(commands) - MOST_ANNOTATIONS if len(commands) > MOST_ANNOTATIONS else 0:
            lines.append(f"and {counted(more, f'more {severity.word}')}, by rule below")
        else:
            whole.append(severity)
    return "\n".join([*lines, summary(report, whole)])


def _commands(report: Report, severity: Severity) -> Iterator[str]:
    if severity is Severity.ERROR:
        yield from map(_of_crash, report.crashes)
    yield from (_of_finding(one) for one in report.findings if one.severity is severity)


def _of_finding(finding: Finding) -> str:
    place = {"file": finding.path, "line": str(finding.line), "col": str(finding.column)}
    title = f"{finding.code} {finding.name}"
    return command(COMMANDS[finding.severity], {**place, "title": title}, sentence(finding))


def _of_crash(crash: Crash) -> str:
    properties = {"file": crash.path, "title": f"{crash.code} crashed"}
    return command("error", properties, f"the run is incomplete: {crash.error}")


def command(name: str, properties: dict[str, str], message: str) -> str:
    """Return one workflow command; nothing that it holds can end it or begin another."""
    told = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {told}::{_data(message)}"


def _data(text: str) -> str:
    """Escape a message as GitHub's toolkit does; `%` is the first, since it is the last undone."""
    safe = inert(shown(text, LONGEST))
    return safe.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
