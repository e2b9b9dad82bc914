"""Rows in groups for people: what they share, and under it each figure with its counterpart."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from benchreg.analysis.row import Row
from benchreg.report.paint import Paint, plain
from benchreg.report.sheet import wrapped
from benchreg.values.text import brief, percent, shown

COLUMNS = Row._fields
HEAD = ("model", "hardware", "engine", "engine_version", "scenario", "precision")
BODY = (
    *("value", "unit", "seen_by_request", "metric", "scope", "statistic"),
    *("of_bound", "mbu", "mfu", "window", "load"),
)
HEADINGS = (
    *("value", "", "one request sees", "metric", "scope", "statistic"),
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
    lengths = {shown(f"{row.input_tokens} in, {row.output_tokens} out") for row in rows}
    body = [[_cell(row, name) for name in (*BODY, "key")] for row in rows]
    columns = list(zip(HEADINGS, *body, strict=True))
    widths = [max(map(len, column)) for column in columns]
    lines = [f"  tokens: {'; '.join(sorted(lengths))}"]
    if sum(widths) + 2 * len(widths) > width:
        return [*lines, *_narrow(body, width)]
    for cells in (HEADINGS, *body):
        padded = [cells[0].rjust(widths[0])]
        padded += [cell.ljust(size) for cell, size in zip(cells[1:], widths[1:], strict=True)]
        lines.append(f"  {'  '.join(padded).rstrip()}")
    return lines


def _narrow(body: list[list[str]], width: int) -> Iterator[str]:
    """Yield each row on lines of its own, for a terminal that is too narrow for columns."""
    for cells in body:
        value, unit, seen, metric, scope, statistic = cells[:6]
        yield f"  {value} {unit} {metric}{beside(seen)}"
        about = (scope, statistic, *_used(cells), f"window {cells[9]}", f"load {cells[10]}")
        yield from wrapped("; ".join(part for part in about if part), width, "    ")
        yield f"    {cells[-1]}"


def _used(cells: list[str]) -> Iterator[str]:
    """Yield how far a figure goes to its bound, and what it uses, in words."""
    words = zip(cells[6:9], ("of its bound", "MBU", "MFU"), strict=True)
    yield from (f"{cell} {word}" for cell, word in words if cell.endswith("%"))


def _cell(row: Row, name: str) -> str:
    value = getattr(row, name)
    if name == "value":
        return shown(row.status) if value is None else brief(value)
    if name == "of_bound":
        return _of_bound(row)
    if name in SHARES:
        return percent(float(value)) if value else ""
    return shown(str(value))


def _of_bound(row: Row) -> str:
    """Write a share of the bound, or two where what is absent leaves a span; else the verdict."""
    if not row.of_bound:
        least = f"at least {percent(float(row.of_widest))}" if row.of_widest else ""
        return least if row.verdict == "plausible" and least else shown(row.verdict)
    nominal, widest = percent(float(row.of_bound)), percent(float(row.of_widest))
    span = nominal if nominal == widest else f"{widest.removesuffix(' %')} to {nominal}"
    return span if row.verdict == "plausible" else f"{span}, {row.verdict}"


def beside(seen: str) -> str:
    """Return what stands in brackets behind an aggregate: what one request sees, or why not."""
    if not seen:
        return ""
    return f" (one request sees {seen})" if seen[0].isdigit() else f" (per request: {seen})"
