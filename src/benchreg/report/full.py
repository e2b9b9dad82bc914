"""Findings with the line of the file that they are about."""

from collections.abc import Iterator, Mapping

from benchreg.audit.engine import Report
from benchreg.audit.finding import Finding, Severity
from benchreg.registry.document import Document
from benchreg.report.summary import Paint, place, plain, summary
from benchreg.values.text import shown

MOST_SHOWN = 100


def full(
    report: Report,
    listed: frozenset[Severity],
    documents: Mapping[str, Document],
    paint: Paint = plain,
) -> str:
    """Return every listed finding with its source line and a caret, the crashes, the summary."""
    lines = Lines(documents)
    blocks = [
        *(_block(one, lines, paint) for one in report.findings if one.severity in listed),
        *(
            f"{paint(f'crash {crash.code}', 'error')} in {crash.path}: {shown(crash.error)}\n"
            f"{_safe(crash.trace)}"
            for crash in report.crashes
        ),
        summary(report, listed, paint),
    ]
    return "\n\n".join(blocks)


def _safe(trace: str) -> str:
    return "\n".join(shown(line) for line in trace.split("\n"))


class Lines:
    """The lines of documents; findings come by path, so only the last one's are kept."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents, self._path, self._lines = documents, "", [""]

    def of(self, path: str) -> list[str]:
        """Return the lines of a document; none where nothing could be read."""
        if path != self._path:
            document = self._documents.get(path)
            self._path, self._lines = path, document.text.split("\n") if document else []
        return self._lines


def _block(finding: Finding, sources: Lines, paint: Paint) -> str:
    head = f"{finding.severity.word} {finding.code}"
    lines = [f"{paint(head, finding.severity.word)} {finding.message}"]
    lines.append(f"  {paint('-->', 'frame')} {place(finding)} ({finding.name})")
    lines += _excerpt(finding, sources.of(finding.path), paint)
    if finding.hint:
        lines.append(f"  {paint('=', 'frame')} {paint('help:', 'help')} {finding.hint}")
    return "\n".join(lines)


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
    """Return how many characters of a line the key or value at a column takes."""
    rest = source[column - 1 :]
    word = rest.split(": ")[0].split(", ")[0].rstrip(" :}]")
    return max(1, min(len(word), MOST_SHOWN // 2))
