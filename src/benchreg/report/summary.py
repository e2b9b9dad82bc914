"""The summary of an audit: what was gone over, what was found, what could not be judged."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

from benchreg.audit.engine import Report
from benchreg.audit.finding import Finding, Severity, Unevaluated
from benchreg.values.text import shown, spoken

Paint = Callable[[str, str], str]
EXAMPLES = 3
_ROLES = {"impossible": "error", "does_not_fit": "error"}


def plain(text: str, role: str) -> str:
    """Paint nothing."""
    del role
    return text


def counted(number: int, noun: str, plural: str = "") -> str:
    """Write `1 record`, `2 records`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def summary(report: Report, listed: Iterable[Severity], paint: Paint = plain) -> str:
    """Return the closing lines; findings of a severity that is not `listed` come by their code."""
    lines = [*_by_code(report, frozenset(listed), paint), *_not_judged(report, paint)]
    went_over = (
        f"{counted(report.records, 'record')} with {counted(report.figures, 'figure')}, "
        f"{counted(report.entities, 'catalogue entry', 'catalogue entries')}, "
        f"{counted(report.refused, 'file')} refused"
    )
    return "\n".join([*lines, went_over, *_roofline(report, paint), verdict(report, paint)])


def _roofline(report: Report, paint: Paint) -> Iterator[str]:
    """Yield the shares of the roofline's verdicts, and why figures have none."""
    every = sum(report.verdicts.values())
    if not every:
        return
    parts = [
        paint(
            f"{number:,} {spoken(kind)} ({100 * number / every:.1f} %)",
            _ROLES.get(kind, "") if number else "",
        )
        for kind, number in report.verdicts.items()
        if number or kind in _ROLES
    ]
    yield f"roofline: {', '.join(parts)}"
    yield from (f"    unchecked, {shown(reason)}: {n:,}" for reason, n in report.unchecked.items())


def verdict(report: Report, paint: Paint = plain) -> str:
    """Return how many findings there are of each severity."""
    found = Counter(finding.severity for finding in report.findings)
    parts = [
        paint(counted(found[severity], severity.word), severity.word if found[severity] else "")
        for severity in reversed(Severity)
    ]
    waived = f"; {len(report.waived):,} waived" if report.waived else ""
    crashed = f"; {counted(len(report.crashes), 'crash', 'crashes')}: the run is incomplete"
    return f"{', '.join(parts)}{waived}{paint(crashed, 'error') if report.crashes else ''}"


def _by_code(report: Report, listed: frozenset[Severity], paint: Paint) -> Iterator[str]:
    """Yield a line for each rule whose findings are not listed one by one, with examples."""
    rest = sorted(
        (finding for finding in report.findings if finding.severity not in listed),
        key=lambda finding: (-finding.severity, finding.code),
    )
    for (severity, code), group in groupby(rest, key=lambda one: (one.severity, one.code)):
        findings = list(group)
        label = paint(f"{severity.word:<7} {code}", severity.word)
        yield f"{label} {findings[0].name}: {len(findings):,}"
        yield from (f"    {one.path}:{one.line}  {one.message}" for one in findings[:EXAMPLES])
        if len(findings) > EXAMPLES:
            yield f"    and {len(findings) - EXAMPLES:,} more; --show {severity.word} prints all"


def _not_judged(report: Report, paint: Paint) -> Iterator[str]:
    """Yield a line for each rule and reason that something was not evaluated."""

    def key(note: Unevaluated) -> tuple[str, str]:
        return (note.code, note.reason)

    for (code, reason), group in groupby(sorted(report.unevaluated, key=key), key=key):
        notes = list(group)
        where = f"{notes[0].path}" if len(notes) == 1 else f"{len(notes):,} times"
        yield f"{paint('not evaluated', 'note')} {code}: {reason} ({where})"


def place(finding: Finding) -> str:
    """Write where a finding is, as editors and terminals link it."""
    return f"{finding.path}:{finding.line}:{finding.column}"
