"""What the records show together, as a table of markdown, csv or json."""

from collections.abc import Sequence
from dataclasses import asdict

from benchreg.analysis.finding import Finding
from benchreg.report.inert import inert_json
from benchreg.report.sheet import csv_line
from benchreg.values.text import in_csv, in_markdown

FORMS = ("markdown", "csv", "json")


def all_told(found: Sequence[Finding], form: str) -> str:
    """Return findings one below another; of several, json has a list."""
    if form == "json" and len(found) != 1:
        return inert_json([asdict(one) for one in found])
    return "\n\n".join(told(one, form) for one in found)


def told(finding: Finding, form: str) -> str:
    """Return a finding in one of FORMS."""
    if form == "json":
        return inert_json(asdict(finding))
    return _csv(finding) if form == "csv" else _markdown(finding)


def _markdown(finding: Finding) -> str:
    rows = [[in_markdown(cell) for cell in row] for row in (finding.header, *finding.rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    head, *lines = [_row(row, widths) for row in rows]
    rule = "|".join("-" * (width + 2) for width in widths)
    return "\n".join([finding.question, "", finding.counted, "", head, f"|{rule}|", *lines])


def _row(cells: list[str], widths: list[int]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return f"| {' | '.join(padded)} |"


def _csv(finding: Finding) -> str:
    rows = ([in_csv(one) for one in row] for row in finding.rows)
    return "\n".join(csv_line(cells) for cells in (finding.header, *rows))
