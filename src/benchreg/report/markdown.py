"""The audit as a page of Markdown: a comment on a pull request, or the summary of a workflow."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from benchreg.audit.engine import Report
from benchreg.audit.finding import Finding, Severity
from benchreg.report.summary import address, safe_path, sentence, unjudged, verdict, went_over
from benchreg.values.text import counted, shown

MOST_CHARACTERS = 65_536  # of a comment on GitHub
LONGEST = 4096
RESERVED = 500  # for the lines that say what was left out
MARK = "<!-- benchreg audit -->"
# `www.` and what has a colon would become links; the other marks left out here begin nothing.
_MARKS = re.compile(r"""[!"#$&*:<>@\[\\\]^_`{|}~]|(?<=[wW])\.""")


@dataclass(frozen=True, slots=True)
class Table:
    """A table under its title; `noun` is what one of its rows is."""

    title: str
    columns: tuple[str, ...]
    rows: list[str]
    noun: str

    @property
    def head(self) -> str:
        """The lines before the rows."""
        columns = " | ".join(self.columns)
        return f"\n### {self.title}\n\n| {columns} |\n|{'---|' * len(self.columns)}\n"


def markdown(report: Report, listed: frozenset[Severity], source: str = "") -> str:
    """Return tables by severity, the worst first, cut at what a comment on GitHub may have.

    Findings of a `listed` severity are told one by one, others by rule. `source` is where the
    files can be seen: an address that a path may follow. What the findings quote is written as
    code in which no character means anything to Markdown, HTML or GitHub.
    """
    head = f"{MARK}\n## benchreg audit: {verdict(report)}\n\n{went_over(report)}.\n"
    head += "".join(f"\n{code(remark)}\n" for remark in report.remarks)
    tables = [*_crashes(report), *_findings(report, listed, source), *_not_evaluated(report)]
    return _cut(head, [table for table in tables if table.rows]).rstrip("\n")


def _crashes(report: Report) -> Iterator[Table]:
    rows = [
        _row(crash.code, code(crash.path), code(shown(crash.error))) for crash in report.crashes
    ]
    title = f"{counted(len(rows), 'crash', 'crashes')}: the run is incomplete"
    yield Table(title, ("rule", "file", "error"), rows, "crash")


def _findings(report: Report, listed: frozenset[Severity], source: str) -> Iterator[Table]:
    for severity in reversed(Severity):
        found = [one for one in report.findings if one.severity is severity]
        title = counted(len(found), severity.word)
        if severity in listed:
            rows = [
                _row(_link(one, source), f"{one.code} {one.name}", code(sentence(one)))
                for one in found
            ]
            yield Table(title, ("where", "rule", "what is wrong"), rows, severity.word)
        else:
            columns = ("rule", "number", "the first")
            rows = list(_by_rule(found, source))
            yield Table(f"{title} by rule", columns, rows, f"rule with {severity.word}s")


def _by_rule(findings: list[Finding], source: str) -> Iterator[str]:
    ordered = sorted(findings, key=lambda finding: finding.code)
    for _, group in groupby(ordered, key=lambda finding: finding.code):
        first, *more = group
        rule = f"{first.code} {first.name}"
        yield _row(rule, f"{1 + len(more):,}", f"{_link(first, source)} {code(sentence(first))}")


def _not_evaluated(report: Report) -> Iterator[Table]:
    rows = [_row(rule, f"{number:,}", code(why)) for rule, number, why in unjudged(report)]
    yield Table("Not evaluated", ("rule", "times", "why"), rows, "rule that was not evaluated")


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"


def _link(finding: Finding, source: str) -> str:
    shown_as = code(f"{safe_path(finding.path)}:{finding.line}")
    return f"[{shown_as}]({source}{address(finding.path)}#L{finding.line})"


def code(text: str) -> str:
    """Write any text as code, and each mark that could mean something in it as its number.

    A character that is written by its number opens no code, table cell, link or tag, and GitHub
    looks within `<code>` for neither names to call nor numbers of issues to link.
    """
    safe = shown(text, LONGEST)
    return f"<code>{_MARKS.sub(lambda found: f'&#{ord(found[0])};', safe)}</code>"


def _cut(head: str, tables: list[Table]) -> str:
    """Return as much as there is room for, and say how much was left out of which table."""
    parts, room, left_out = [head], MOST_CHARACTERS - RESERVED - _length(head), []
    for table in tables:
        kept = _fitting(table, room)
        if kept:
            part = table.head + "".join(table.rows[:kept])
            parts.append(part)
            room -= _length(part)
        if rest := len(table.rows) - kept:
            left_out.append(_told(rest, table.noun))
            room = 0
    if left_out:
        told = ", ".join(left_out)
        parts.append(f"\nLeft out, since a comment holds no more: {told}.\n")
    return "".join(parts)


def _told(number: int, noun: str) -> str:
    first, *rest = noun.split(" ", 1)
    plural = "crashes" if first == "crash" else f"{first}s"
    return " ".join([counted(number, first, plural), *rest])


def _fitting(table: Table, room: int) -> int:
    """Return how many of the first rows of a table there is room for."""
    room -= _length(table.head)
    for number, row in enumerate(table.rows):
        room -= _length(row)
        if room < 0:
            return number
    return len(table.rows)


def _length(text: str) -> int:
    """Return the length of a text as the strictest count has it: in units of UTF-16."""
    return len(text.encode("utf-16-le")) // 2
