"""The summary of an audit: what was gone over, what was found, what could not be judged."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby
from urllib.parse import quote

from pydantic import MISSING

from benchreg.audit.engine import Report, source_of
from benchreg.audit.finding import Finding, Severity, Unevaluated
from benchreg.audit.waivers import Waived
from benchreg.report.inert import inert
from benchreg.report.paint import Paint, plain
from benchreg.values.text import counted, shown, spoken

EXAMPLES = 3
FEWEST_SOURCES = 2
MOST = 2000
LONGEST_PATH = 4096
_ROLES = {"impossible": "error", "does_not_fit": "error"}


def summary(report: Report, listed: Iterable[Severity], paint: Paint = plain) -> str:
    """Return the closing lines; findings of a severity that is not `listed` come by their code."""
    lines = [*_by_code(report, frozenset(listed), paint), *_not_judged(report, paint)]
    lines += [shown(remark, MOST) for remark in report.remarks]
    lines += [*_by_source(report), went_over(report), *_roofline(report, paint)]
    lines.append(verdict(report, paint))
    return inert("\n".join(lines))


def went_over(report: Report) -> str:
    """Return how much the audit went over."""
    return (
        f"{counted(report.records, 'record')} with {counted(report.figures, 'figure')}, "
        f"{counted(report.entities, 'catalogue entry', 'catalogue entries')}, "
        f"{counted(report.refused, 'file')} refused"
    )


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


def _by_source(report: Report) -> Iterator[str]:
    """Yield a line for each source, where there are several: what there is, and what was found."""
    if len(report.sources) < FEWEST_SOURCES:
        return
    found: dict[str, Counter[Severity]] = defaultdict(Counter)
    for finding in report.findings:
        found[source_of(finding.path)][finding.severity] += 1
    worst = tuple(reversed(Severity))
    head = ("by source", "records", "figures", *(f"{severity.word}s" for severity in worst))
    rows = [
        (shown(source), *(f"{number:,}" for number in (*share, *(found[source][s] for s in worst))))
        for source, share in report.sources.items()
    ]
    first, *widths = (max(map(len, column)) for column in zip(head, *rows, strict=True))
    for name, *numbers in (head, *rows):
        told = (number.rjust(width) for number, width in zip(numbers, widths, strict=True))
        yield f"{name:<{first}}  {'  '.join(told)}"


def verdict(report: Report, paint: Paint = plain) -> str:
    """Return how many findings there are of each severity."""
    found = Counter(finding.severity for finding in report.findings)
    parts = [
        paint(counted(found[severity], severity.word), severity.word if found[severity] else "")
        for severity in reversed(Severity)
    ]
    others = f"; {len(report.waived):,} waived" if report.waived else ""
    others += f"; {report.known:,} known" if report.known else ""
    others += f"; {report.stale:,} of the baseline found no more" if report.stale else ""
    crashed = f"; {counted(len(report.crashes), 'crash', 'crashes')}: the run is incomplete"
    return f"{', '.join(parts)}{others}{paint(crashed, 'error') if report.crashes else ''}"


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
        yield from (
            f"    {_line_of(one)}  {shown(one.message, MOST)}" for one in findings[:EXAMPLES]
        )
        if len(findings) > EXAMPLES:
            yield f"    and {len(findings) - EXAMPLES:,} more; --show {severity.word} prints all"


def _not_judged(report: Report, paint: Paint) -> Iterator[str]:
    """Yield a line for each rule and reason that something was not evaluated."""

    def key(note: Unevaluated) -> tuple[str, str]:
        return (note.code, note.reason)

    for (code, reason), group in groupby(sorted(report.unevaluated, key=key), key=key):
        notes = list(group)
        where = safe_path(notes[0].path) if len(notes) == 1 else f"{len(notes):,} times"
        yield f"{paint('not evaluated', 'note')} {code}: {shown(reason, MOST)} ({where})"


def unjudged(report: Report) -> Iterator[tuple[str, int, str]]:
    """Yield each rule that could not judge, how often, and why: the most frequent reasons."""
    notes = sorted(report.unevaluated, key=lambda note: note.code)
    for code, group in groupby(notes, key=lambda note: note.code):
        reasons = Counter(note.reason for note in group)
        first = sorted(reasons, key=lambda reason: (-reasons[reason], reason))[:EXAMPLES]
        told = [f"{shown(reason)} ({reasons[reason]:,})" for reason in first]
        if len(reasons) > EXAMPLES:
            told.append(counted(len(reasons) - EXAMPLES, "other reason"))
        yield code, reasons.total(), "; ".join(told)


def place(finding: Finding) -> str:
    """Write where a finding is, as editors and terminals link it."""
    return f"{_line_of(finding)}:{finding.column}"


def _line_of(finding: Finding) -> str:
    return f"{safe_path(finding.path)}:{finding.line}"


def safe_path(path: str) -> str:
    """Make any path safe to print, at its whole length."""
    return shown(path, LONGEST_PATH)


def address(path: str) -> str:
    """Write a path as the end of an address; it can lead nowhere but below where that begins."""
    return quote(safe_path(path).lstrip("/"), safe="/")


def sentence(finding: Finding) -> str:
    """Write what is wrong, and what to write instead, on one line."""
    hint = f"; {finding.hint}" if finding.hint else ""
    return shown(f"{finding.message}{hint}", MOST)


def accepted(waived: Waived) -> str:
    """Write why a finding is accepted, by whom, since when and until when."""
    waiver = waived.waiver
    until = "" if waiver.expires is MISSING else f", until {waiver.expires}"
    return shown(f"{waiver.reason} (by {waiver.by}, since {waiver.since}{until})", MOST)
