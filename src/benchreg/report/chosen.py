"""Figures with chosen columns; an aggregate never stands without what one request sees of it.

A column of values brings its unit and its counterpart with it, in every format.
"""

from collections.abc import Iterable, Sequence

from benchreg.analysis.row import Row
from benchreg.report.rows import COLUMNS, beside
from benchreg.report.sheet import Cell, Sheet, as_text, said
from benchreg.snapshot.ask import Answer
from benchreg.snapshot.columns import VALUES
from benchreg.values.text import brief, shown, spoken

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


def standing(row: Row) -> str:
    """Return what a reader must know of a figure that does not stand, or that nothing can do."""
    words = [row.status] if row.status in FALLEN else []
    words += [row.verdict] if row.verdict in ("impossible", "does not fit") else []
    return f", {' and '.join(words)}" if words else ""


def plain_table(answers: Iterable[Answer], columns: Sequence[str], width: int) -> str:
    """Return figures with some columns for people: a value is one cell with what belongs to it."""
    return as_text(for_people(answers, columns), width)


def for_people(answers: Iterable[Answer], columns: Sequence[str]) -> Sheet:
    """Return figures in which a value is one cell, with its unit and what one request sees.

    A unit that all of them have is told once, over the column.
    """
    listed = list(answers)
    whole = any(name in VALUES for name in columns)
    names = [name for name in dict.fromkeys(columns) if not (whole and name in BESIDE)]
    once = {name: _unit(listed, name) if name in VALUES else "" for name in names}
    header = tuple(
        f"{spoken(name)}, {once[name]}" if once[name] else spoken(name) for name in names
    )
    rows = [tuple(_told(one, name, once=bool(once[name])) for name in names) for one in listed]
    return Sheet(header, rows)


def _unit(answers: Sequence[Answer], name: str) -> str:
    """Return the unit that all values of a column have; nothing where they have several."""
    found = {_unit_of(one, name) for one in answers if one.row.value is not None}
    return shown(found.pop()) if len(found) == 1 else ""


def _unit_of(answer: Answer, name: str) -> str:
    if name == "value":
        return answer.row.unit
    return str(answer.values["seen_unit" if name == "seen_value" else "unit"] or "")


def _told(answer: Answer, name: str, *, once: bool) -> Cell:
    cell = cell_of(answer, name)
    if name not in VALUES:
        return cell
    row = answer.row
    if row.value is None:
        return row.status
    digits = brief(row.value) if name == "value" else said(cell)
    unit = "" if once else f" {_unit_of(answer, name)}"
    return f"{digits}{unit}{beside(row.seen_by_request)}{standing(row)}"
