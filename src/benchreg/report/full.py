"""Findings with the line of the file that they are about."""

from collections.abc import Iterator

from benchreg.audit.engine import Report
from benchreg.audit.finding import Crash, Finding, Severity
from benchreg.audit.waivers import Waived
from benchreg.registry.dialect import lines_of
from benchreg.registry.texts import Texts
from benchreg.report.inert import inert
from benchreg.report.paint import Paint, plain
from benchreg.report.summary import MOST, accepted, place, safe_path, summary
from benchreg.values.text import shown

MOST_SHOWN = 100


def full(
    report: Report,
    listed: frozenset[Severity],
    texts: Texts,
    paint: Paint = plain,
    *,
    waived: bool = False,
) -> str:
    """Return every listed finding with its source line and a caret, the crashes, the summary.

    With `waived`, those that records accept follow the others, each with the reason.
    """
    hidden = frozenset((one.path, one.line) for one in report.findings if one.about[1].hidden)
    lines = Lines(texts, hidden)
    blocks = [_block(one, lines, paint) for one in report.findings if one.severity in listed]
    if waived:
        blocks += [_waived(one, paint) for one in report.waived]
    blocks += [_crash(one, paint) for one in report.crashes]
    return inert("\n\n".join([*blocks, summary(report, listed, paint)]))


def _crash(crash: Crash, paint: Paint) -> str:
    head = paint(f"crash {crash.code}", "error")
    trace = "\n".join(shown(line) for line in crash.trace.split("\n"))
    return f"{head} in {safe_path(crash.path)}: {shown(crash.error)}\n{trace}"


class Lines:
    """The lines of files; findings come by path, so only the last one's are kept.

    Those that are `hidden`, by path and number, are not to be shown.
    """

    def __init__(self, texts: Texts, hidden: frozenset[tuple[str, int]]) -> None:
        self._texts, self.hidden = texts, hidden
        self._path: str | None = None
        self._lines: list[str] = []

    def of(self, path: str) -> list[str]:
        """Return the lines of a file; none where there is no text to show."""
        if path != self._path:
            text = self._texts(path)
            self._path, self._lines = path, lines_of(text) if text else []
        return self._lines


def _block(finding: Finding, sources: Lines, paint: Paint) -> str:
    head = f"{finding.severity.word} {finding.code}"
    lines = [f"{paint(head, finding.severity.word)} {shown(finding.message, MOST)}"]
    lines.append(f"  {paint('-->', 'frame')} {place(finding)} ({finding.name})")
    if (finding.path, finding.line) not in sources.hidden:
        lines += _excerpt(finding, sources.of(finding.path), paint)
    if finding.hint:
        help_ = shown(finding.hint, MOST)
        lines.append(f"  {paint('=', 'frame')} {paint('help:', 'help')} {help_}")
    return "\n".join(lines)


def _waived(one: Waived, paint: Paint) -> str:
    finding = one.finding
    return "\n".join(
        [
            f"{paint(f'waived {finding.code}', 'note')} {shown(finding.message, MOST)}",
            f"  {paint('-->', 'frame')} {place(finding)} ({finding.name})",
            f"  {paint('=', 'frame')} {paint('reason:', 'help')} {accepted(one)}",
        ]
    )


def _excerpt(finding: Finding, lines: list[str], paint: Paint) -> Iterator[str]:
    """Yield the line that a finding is about, and a caret under its column."""
    if not 0 < finding.line <= len(lines):
        return
    number, bar = str(finding.line), paint("|", "frame")
    source = lines[finding.line - 1].rstrip("\r")
    start = max(0, finding.column - MOST_SHOWN // 2) if len(source) > MOST_SHOWN else 0
    part = shown(source[start : start + MOST_SHOWN], MOST_SHOWN)
    before = len(shown(source[start : finding.column - 1], MOST_SHOWN))
    margin = " " * len(number)
    yield f"{margin} {bar}"
    yield f"{paint(number, 'frame')} {bar} {part}"
    caret = "^" * _width(source, finding.column)
    yield f"{margin} {bar} {' ' * before}{paint(caret, finding.severity.word)}"


def _width(source: str, column: int) -> int:
    """Return how many characters the key or value at a column takes, as it is shown."""
    rest = source[column - 1 :]
    word = rest.split(": ")[0].split(", ")[0].rstrip(" :}]")
    return max(1, min(len(shown(word, MOST_SHOWN)), MOST_SHOWN // 2))
