"""A cell of a table -> the value of a field of a record."""

import re
from collections.abc import Iterator, Mapping
from decimal import Context, Decimal, DivisionByZero, InvalidOperation
from typing import Any

from pydantic import MISSING

from benchreg.entities.mapping import Cell, Tree
from benchreg.registry.document import Pointer
from benchreg.registry.schema import allowed_at
from benchreg.values.errors import BenchregError
from benchreg.values.text import shown

Row = Mapping[str, str]
_EXACT = Context(prec=60)
_COLUMN = re.compile(r"\{([^{}]+)\}")
_NUMBER = re.compile(
    r"[-+]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][-+]?[0-9]{1,3})?"
)
_DOTTED = ("absent", "inferred")


class RowError(ValueError):
    """A row that cannot be placed; the message says which cell, why, and what the mapping needs."""


def columns_of(cell: Cell) -> Iterator[str]:
    """Yield the columns that a cell reads."""
    if cell.column is not MISSING:
        yield cell.column
    if cell.text is not MISSING:
        yield from _COLUMN.findall(cell.text)
    yield from cell.by
    if cell.over is not MISSING:
        yield cell.over


def filled(text: str, row: Row) -> str:
    """Return a text with the cells that its braces name."""
    return _COLUMN.sub(lambda found: row[found[1]].strip(), text)


def slug(text: str) -> str:
    """Return a text as an id: lower case, with a hyphen for what an id may not hold."""
    parts = re.sub(r"[^a-z0-9.]+", "-", text.casefold())
    return re.sub(r"[-.]{2,}", lambda found: found[0][0], parts)[:120].strip("-.")


def pointer(path: str) -> Pointer:
    """Return the pointer of a dotted path; `absent` and `inferred` have dots in their keys."""
    head, _, rest = path.partition(".")
    if head in _DOTTED and rest:
        return (head, rest)
    return tuple(int(key) if key.isdecimal() else key for key in path.split("."))


def put(tree: Tree, path: str, value: Any) -> None:
    """Set a value in a tree; mappings on the way are made, list items must be there."""
    *way, last = pointer(path)
    node: Any = tree
    try:
        for key in way:
            node = node[key] if isinstance(key, int) else node.setdefault(key, {})
        node[last] = value
    except (AttributeError, IndexError, KeyError, TypeError):
        raise BenchregError(
            f"the mapping sets {path!r}, and its `record` has no such list item or mapping"
        ) from None


def value_of(path: str, cell: Cell, row: Row) -> Any:
    """Return what a cell says for a field, in the type that the record's schema asks for.

    None for a blank cell whose meaning the mapping gives. Raises RowError for a cell that cannot
    be read.
    """
    text = text_of(cell, row)
    if not text:
        return None
    kind = allowed_at("record", pointer(path)).get("type")
    if kind in ("integer", "number"):
        return _number(cell, text, row, whole=kind == "integer")
    if kind == "boolean":
        return _boolean(cell, text)
    if kind == "array":
        parts = [text] if cell.split is MISSING else text.split(cell.split)
        return [part.strip() for part in parts]
    return text if cell.places is MISSING else _digits(cell, text, row)


def made_of(cell: Cell, row: Row) -> str:
    """Return what a made column holds: a text, or the digits of a number that is worked out."""
    text = text_of(cell, row)
    worked = (cell.times, cell.over, cell.digits, cell.places)
    if text and (cell.by or any(key is not MISSING for key in worked)):
        return _digits(cell, text, row)
    return text


def text_of(cell: Cell, row: Row) -> str:
    """Return the text that a cell means, empty where it is blank and the mapping says so."""
    whole = row[cell.column] if cell.column is not MISSING else filled(cell.text, row)  # type: ignore[arg-type]
    blank = [name for name in columns_of(cell) if not row[name].strip()]
    text = "" if blank else _cut(cell, whole)
    if text:
        return _worded(cell, text)
    if cell.blank is MISSING:
        what = f"column {blank[0]!r}" if blank else _what(cell)
        raise RowError(f"{what} is blank, and the mapping does not say what that means")
    return ""


def _what(cell: Cell) -> str:
    return f"column {cell.column!r}" if cell.column is not MISSING else f"the text {cell.text!r}"


def _cut(cell: Cell, text: str) -> str:
    if cell.after is not MISSING:
        _, found, text_after = text.partition(cell.after)
        if not found:
            raise RowError(f"{_what(cell)} is {shown(text)!r}, which does not hold {cell.after!r}")
        text = text_after
    return text.partition(cell.before)[0].strip() if cell.before is not MISSING else text.strip()


def _worded(cell: Cell, text: str) -> str:
    if not cell.words:
        return text
    found = next((word.becomes for word in cell.words if word.text == text), None)
    if found is None:
        raise RowError(f"{_what(cell)} is {shown(text)!r}, which is none of its `words`")
    return found


def _boolean(cell: Cell, text: str) -> bool:
    if text.casefold() not in ("true", "false"):
        raise RowError(f"{_what(cell)} is {shown(text)!r}, and true or false is meant")
    return text.casefold() == "true"


def _decimal(what: str, text: str, thousands: object = MISSING) -> Decimal:
    """Return a number; raises RowError, which says what to do where its digits are grouped."""
    plain = text.replace(thousands, "") if isinstance(thousands, str) else text
    if not _NUMBER.fullmatch(plain):
        grouped = re.fullmatch(r"[0-9]{1,3}([, '])[0-9]{3}(?:\1[0-9]{3})*(?:\.[0-9]+)?", text)
        hint = f"; if digits are grouped, write `thousands: {grouped[1]!r}`" if grouped else ""
        raise RowError(f"{what} is {shown(text)!r}, which is no number{hint}")
    return Decimal(plain)


def _digits(cell: Cell, text: str, row: Row) -> str:
    return format(_number(cell, text, row, whole=False), "f")


def _placed(cell: Cell, value: Decimal) -> Decimal:
    """Return a number with as many digits behind its point as the cell says."""
    places = Decimal(1).scaleb(-int(cell.places))  # type: ignore[arg-type]
    try:
        placed = value.quantize(places, context=_EXACT)
    except InvalidOperation:
        placed = Decimal("NaN")
    if placed != value:
        raise RowError(f"{_what(cell)} is {value}, which does not fit its `places`")
    return placed


def _spelt(value: Decimal) -> Decimal:
    """Return a number that is written without an exponent: 3680, not 3.68e3."""
    return Decimal(int(value)) if value.as_tuple().exponent > 0 else value  # type: ignore[operator]


def _number(cell: Cell, text: str, row: Row, *, whole: bool) -> int | Decimal:
    value = _decimal(_what(cell), text, cell.thousands)
    try:
        if cell.times is not MISSING:
            value = _EXACT.multiply(value, cell.times).normalize(_EXACT)
        for column in cell.by:
            value = _EXACT.multiply(value, _decimal(f"column {column!r}", row[column].strip()))
        if cell.over is not MISSING:
            divisor = _decimal(f"column {cell.over!r}", row[cell.over].strip())
            value = _EXACT.divide(value, divisor)
    except (DivisionByZero, InvalidOperation):
        raise RowError(f"{_what(cell)}: the division by {cell.over!r} is not possible") from None
    if cell.digits is not MISSING:
        value = Context(prec=cell.digits).plus(value)
    if not whole:
        return _spelt(value) if cell.places is MISSING else _placed(cell, value)
    if value != value.to_integral_value():
        raise RowError(f"{_what(cell)} is {value}, and a whole number is meant")
    return int(value)
