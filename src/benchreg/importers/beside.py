"""A second table beside the one that is mapped: its row of the same key adds columns."""

import csv
from collections.abc import Callable, Iterable, Mapping

from benchreg.entities.mapping import Beside
from benchreg.values.errors import BenchregError
from benchreg.values.text import shown, suggestion

Lines = Callable[[], Iterable[str]]
Key = tuple[str, ...]
Added = dict[Key, dict[str, str]]


def added(beside: Beside, lines: Lines, delimiter: str) -> Added:
    """Return the cells that the second table adds, by the key that its rows share with the first.

    Only the columns that are named are held. Raises BenchregError for what is no such table, and
    for a key of which two rows say different things.
    """
    reader = csv.DictReader(lines(), delimiter=delimiter, strict=True)
    found: Added = {}
    try:
        _check(beside, list(reader.fieldnames or ()))
        for row in reader:
            if None in row or None in row.values():
                _fault(f"line {reader.line_num} does not have as many cells as there are columns")
            key = tuple(row[same.beside].strip() for same in beside.by)
            cells = {name: row[name] for name in beside.columns}
            if found.setdefault(key, cells) != cells:
                _fault(f"line {reader.line_num} says otherwise of {shown(', '.join(key))!r}")
    except csv.Error as error:
        _fault(f"after line {reader.line_num}: not a csv table: {error}")
    except UnicodeDecodeError:
        _fault("it is not UTF-8 text; save it as UTF-8")
    return found


def joined(beside: Beside, found: Added, row: Mapping[str, str]) -> dict[str, str]:
    """Return what the second table adds to a row: blank cells where it has no row of its key."""
    key = tuple((row[same.column] or "").strip() for same in beside.by)
    return found.get(key) or dict.fromkeys(beside.columns, "")


def _check(beside: Beside, have: list[str]) -> None:
    for name in (*(same.beside for same in beside.by), *beside.columns):
        if name not in have:
            near = suggestion(name, have) or f"it has {shown(', '.join(have)) or 'none'}"
            _fault(f"it has no column {name!r}, which the mapping names; {near}")


def _fault(told: str) -> None:
    raise BenchregError(f"the table beside: {told}")
