"""Figures with chosen columns; an aggregate never stands without what one request sees of it.

A column of values brings its unit and its counterpart with it, in every format.
"""

from collections.abc import Iterable, Sequence

from benchreg.analysis.row import Row
from benchreg.report.rows import COLUMNS
from benchreg.report.sheet import Cell, Sheet, as_text, said
from benchreg.snapshot.ask import Answer
from benchreg.values.text import brief, spoken

VALUES = ("value", "low", "high", "seen_value")
BESIDE = ("unit", "seen_by_request")
FALLEN = ("disputed", "superseded", "withdrawn")


def with_counterpart(columns: Iterable[str]) -> tuple[str, ...]:
    """Return columns in which a value is followed by its unit and what one request sees of it."""
    found: dict[str, None] = {}
    for name in columns:
        found |= dict.fromkeys((name, *BESIDE) if name in VALUES else (name,))
    return tuple(found)


def sheet(answers: Iterable[Answer], columns: Sequence[str] = COLUMNS) -> Sheet:
    """Return figures with some columns, and what must stand beside them."""
    names = with_counterpart(columns)
    return Sheet(names, [tuple(cell_of(one, name) for name in names) for one in answers])


def cell_of(answer: Answer, name: str) -> Cell:
    """Return a cell: what a row shows, else the value of a column."""
    if name in COLUMNS:
        return getattr(answer.row, name)  # type: ignore[no-any-return]
    value = answer.values[name]
    return "absent" if value is None else value


def beside(seen: str) -> str:
    """Return what stands in brackets behind an aggregate: what one request sees, or why not."""
    if not seen:
        return ""
    return f" (one request sees {seen})" if seen[0].isdigit() else f" (per request: {seen})"


def standing(row: Row) -> str:
    """Return what a reader must know of a figure that does not stand, or that nothing can do."""
    words = [row.status] if row.status in FALLEN else []
    words += [row.verdict] if row.verdict in ("impossible", "does not fit") else []
    return f", {' and '.join(words)}" if words else ""


def plain_table(answers: Iterable[Answer], columns: Sequence[str], width: int) -> str:
    """Return figures with some columns for people: a value is one cell with what belongs to it."""
    return as_text(for_people(answers, columns), width)


def for_people(answers: Iterable[Answer], columns: Sequence[str]) -> Sheet:
    """Return figures in which a value is one cell, with its unit and what one request sees."""
    whole = any(name in VALUES for name in columns)
    names = [name for name in dict.fromkeys(columns) if not (whole and name in BESIDE)]
    rows = [tuple(_told(one, name) for name in names) for one in answers]
    return Sheet(tuple(map(spoken, names)), rows)


def _told(answer: Answer, name: str) -> Cell:
    cell = cell_of(answer, name)
    if name not in VALUES:
        return cell
    row = answer.row
    if row.value is None:
        return row.status
    seen = beside(row.seen_by_request)
    if name == "value":
        return f"{brief(row.value)} {row.unit}{seen}{standing(row)}"
    unit = answer.values["seen_unit" if name == "seen_value" else "unit"]
    return f"{said(cell)} {unit or ''}{seen}"
