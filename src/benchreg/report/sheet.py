"""A header and rows of cells, as csv, json and markdown for programs, and as text for people."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple, TypeVar

from benchreg.report.inert import inert_json
from benchreg.values.text import amount, in_csv, in_markdown, shown

T = TypeVar("T")
Cell = str | Decimal | float | int | None
GAP, NARROWEST = 2, 20
MOST = 4000
QUOTE, SEPARATES = '"', frozenset(',;"\t\r\n|')
FEWEST = 2  # columns, of which one can stand below


class Sheet(NamedTuple):
    """Rows of as many cells as the header has names."""

    header: tuple[str, ...]
    rows: list[tuple[Cell, ...]]


def number(value: Decimal) -> str:
    """Return a number with the digits it is written in, without an exponent."""
    return f"{value:f}"


def said(cell: Cell, most: int = 200) -> str:
    """Return a cell as text on one line, safe to print; nothing for nothing."""
    if cell is None:
        return ""
    if isinstance(cell, Decimal):
        return number(cell)
    if isinstance(cell, float):
        return amount(cell, 6).replace(",", "")
    return shown(str(cell), most)


def as_csv(sheet: Sheet) -> str:
    """Return a sheet as csv in which no cell can be taken for a formula.

    As RFC 4180 has it, but for the ends of lines, which are those of all else that is printed.
    """
    rows = ([_in_csv(cell) for cell in row] for row in sheet.rows)
    return "\n".join(csv_line(cells) for cells in (sheet.header, *rows))


def _in_csv(cell: Cell) -> str:
    if isinstance(cell, float):
        return number(Decimal(repr(cell)))
    text = said(cell, MOST)
    return in_csv(text) if isinstance(cell, str) else text


def csv_line(cells: Iterable[str]) -> str:
    """Return cells as a line of csv; what a program elsewhere separates cells by is quoted too."""
    return ",".join(map(_quoted, cells))


def _quoted(text: str) -> str:
    return f'"{text.replace(QUOTE, QUOTE * 2)}"' if SEPARATES & set(text) else text


def as_json(sheet: Sheet) -> str:
    """Return a sheet as a list of objects; a number is one, and what is nothing is null."""
    return inert_json(
        [dict(zip(sheet.header, map(_in_json, row), strict=True)) for row in sheet.rows]
    )


def _in_json(cell: Cell) -> str | int | float | None:
    if not isinstance(cell, Decimal):
        return cell
    return int(cell) if cell == cell.to_integral_value() else float(cell)


def as_markdown(sheet: Sheet) -> str:
    """Return a sheet as a table of GitHub's markdown."""
    lines = [f"| {' | '.join(sheet.header)} |", f"|{'---|' * len(sheet.header)}"]
    lines += [
        f"| {' | '.join(in_markdown(said(cell, MOST)) for cell in row)} |" for row in sheet.rows
    ]
    return "\n".join(lines)


def as_text(sheet: Sheet, width: int = 120, indent: str = "") -> str:
    """Return a sheet in columns; where these are too wide, the widest one stands below each row.

    Where that is too wide still, every cell has a line of its own.
    """
    body = [tuple(said(cell) for cell in row) for row in sheet.rows]
    room = width - len(indent)
    lines = _columns(sheet, (sheet.header, *body), room) or _below(sheet, body, room)
    return "\n".join(f"{indent}{line}" for line in lines or _tall(sheet.header, body))


def _below(sheet: Sheet, body: Sequence[tuple[str, ...]], width: int) -> list[str] | None:
    """Return rows in columns but for the widest, which stands below each; None where too wide."""
    if len(sheet.header) < FEWEST:
        return None
    columns = list(zip(sheet.header, *body, strict=True))
    at = max(range(len(columns)), key=lambda place: max(map(len, columns[place])))
    rest = Sheet(_without(sheet.header, at), [_without(row, at) for row in sheet.rows])
    head = _columns(rest, [_without(row, at) for row in (sheet.header, *body)], width)
    if head is None:
        return None
    pairs = zip(head[1:], (f"  {row[at]}" for row in body), strict=True)
    return [head[0], *(line for pair in pairs for line in pair)]


def _without(row: tuple[T, ...], at: int) -> tuple[T, ...]:
    return (*row[:at], *row[at + 1 :])


def _columns(sheet: Sheet, rows: Sequence[tuple[str, ...]], width: int) -> list[str] | None:
    """Return rows in columns, numbers to the right; None where they are too wide."""
    places = range(len(rows[0]))
    right = [all(not isinstance(row[at], str) for row in sheet.rows) for at in places]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if sum(widths) + GAP * (len(widths) - 1) > width:
        return None
    lines = []
    for cells in rows:
        padded = [
            cell.rjust(size) if to_right else cell.ljust(size)
            for cell, size, to_right in zip(cells, widths, right, strict=True)
        ]
        lines.append((" " * GAP).join(padded).rstrip())
    return lines


def _tall(header: tuple[str, ...], body: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Yield the cells of each row on lines of their own, the first one in front of the others."""
    for row in body:
        for at, (name, cell) in enumerate(zip(header, row, strict=True)):
            if cell:
                yield f"{'' if at == 0 else '  '}{name}: {cell}"


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Return a text on lines that the terminal has room for, further ones a little further in."""
    from textwrap import wrap  # noqa: PLC0415  (a table that has room needs none)

    return wrap(text, max(width, NARROWEST), initial_indent=indent, subsequent_indent=f"{indent}  ",
                break_long_words=False, break_on_hyphens=False)  # fmt: skip


FORMATS: dict[str, Callable[[Sheet], str]] = {
    "csv": as_csv,
    "json": as_json,
    "markdown": as_markdown,
}
