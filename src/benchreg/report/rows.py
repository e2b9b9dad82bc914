"""Rows as a table for people, and as csv, json and markdown for programs and pages."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, fields
from decimal import Decimal
from itertools import groupby

from benchreg.analysis.table import Row
from benchreg.report.inert import inert_json
from benchreg.report.paint import Paint, plain
from benchreg.values.text import in_csv, in_markdown, percent, shown

COLUMNS = tuple(field.name for field in fields(Row))
HEAD = ("model", "hardware", "engine", "engine_version", "scenario", "precision")
BODY = (
    *("value", "unit", "metric", "scope", "statistic", "seen_by_request"),
    *("of_bound", "mbu", "mfu", "window", "load"),
)
HEADINGS = (
    *("value", "", "metric", "scope", "statistic", "one request sees"),
    *("of bound", "MBU", "MFU", "window", "load", "record#figure"),
)
SHARES = ("of_bound", "mbu", "mfu")


def table(rows: Iterable[Row], width: int = 120, paint: Paint = plain) -> str:
    """Return rows in groups of equal model, hardware, engine, scenario and precision."""
    blocks = []
    for _, group in groupby(rows, key=lambda row: tuple(getattr(row, name) for name in HEAD)):
        found = list(group)
        lines = [paint(shown(text), "title") for text in _title(found[0])]
        blocks.append("\n".join([*lines, *_aligned(found, width)]))
    return "\n\n".join(blocks)


def _title(row: Row) -> tuple[str, str]:
    engine = f"engine {row.engine}, version {row.engine_version}"
    return (
        f"{row.model} on {row.hardware}",
        f"  {engine}; scenario {row.scenario}; weights {row.precision}",
    )


def _aligned(rows: list[Row], width: int) -> list[str]:
    """Return the rows of a group under their headings, with the record's key last."""
    lengths = {f"{row.input_tokens} in, {row.output_tokens} out" for row in rows}
    body = [[_cell(row, name) for name in BODY] for row in rows]
    body = [[*cells, row.key] for cells, row in zip(body, rows, strict=True)]
    columns = list(zip(HEADINGS, *body, strict=True))
    widths = [max(len(cell) for cell in column) for column in columns]
    lines = [f"  tokens: {'; '.join(sorted(lengths))}"]
    for cells in zip(*columns, strict=True):
        padded = [cells[0].rjust(widths[0])]
        padded += [cell.ljust(size) for cell, size in zip(cells[1:], widths[1:], strict=True)]
        lines.append(f"  {'  '.join(padded).rstrip()}")
    return lines if max(map(len, lines)) <= width else _narrow(rows, lines[0])


def _narrow(rows: list[Row], lengths: str) -> list[str]:
    """Return each row on lines of its own, for a terminal that is too narrow for columns."""
    lines = [lengths]
    for row in rows:
        seen = f"; one request sees {row.seen_by_request}" if row.seen_by_request else ""
        lines.append(f"  {_cell(row, 'value')} {row.unit} {row.metric}{shown(seen)}")
        about = (row.scope, row.statistic, *_used(row), f"window {row.window}", f"load {row.load}")
        lines.append(f"    {shown('; '.join(part for part in about if part))}")
        lines.append(f"    {shown(row.key)}")
    return lines


def _used(row: Row) -> Iterator[str]:
    """Yield how far a figure goes to its bound, and what it uses, in words."""
    words = {"of_bound": "of its bound", "mbu": "MBU", "mfu": "MFU"}
    yield from (f"{_cell(row, name)} {words[name]}" for name in SHARES if getattr(row, name))


def _cell(row: Row, name: str) -> str:
    value = getattr(row, name)
    if name == "value":
        return row.status if value is None else number(value)
    if name == "of_bound":
        return _of_bound(row)
    if name in SHARES:
        return percent(float(value)) if value else ""
    return shown(str(value))


def _of_bound(row: Row) -> str:
    """Write a share of the bound, or two where what is absent leaves a span; else the verdict."""
    if not row.of_bound:
        return row.verdict
    nominal, widest = percent(float(row.of_bound)), percent(float(row.of_widest))
    span = nominal if nominal == widest else f"{widest.removesuffix(' %')} to {nominal}"
    return span if row.verdict == "plausible" else f"{span}, {row.verdict}"


def number(value: Decimal) -> str:
    """Return a number with the digits it is written in, without an exponent."""
    return f"{value:f}"


def as_csv(rows: Iterable[Row]) -> str:
    """Return rows as csv (RFC 4180) in which no cell can be taken for a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([in_csv(_plain(getattr(row, name))) for name in COLUMNS])
    return out.getvalue().rstrip("\r\n")


def _plain(value: Decimal | str | None) -> str:
    if isinstance(value, Decimal):
        return number(value)
    return shown(value or "")


def as_json(rows: Iterable[Row]) -> str:
    """Return rows as a list of objects; a number keeps its digits."""
    listed = [{**asdict(row), "value": _number(row.value)} for row in rows]
    return inert_json(listed)


def _number(value: Decimal | None) -> int | float | None:
    if value is None:
        return None
    return int(value) if value == value.to_integral_value() else float(value)


def as_markdown(rows: Iterable[Row]) -> str:
    """Return rows as a table of GitHub's markdown."""
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}"]
    for row in rows:
        cells = [in_markdown(_plain(getattr(row, name))) for name in COLUMNS]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


FORMATS: dict[str, Callable[[Iterable[Row]], str]] = {
    "csv": as_csv,
    "json": as_json,
    "markdown": as_markdown,
}
