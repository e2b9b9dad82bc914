"""A sweep as a document for programs, and as a table for people."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict

from benchreg.report.estimate import coefficient_words, folded
from benchreg.report.inert import inert_json
from benchreg.report.paint import Paint, plain
from benchreg.roofline import reference
from benchreg.roofline.sweep import (
    Comparisons,
    Configuration,
    Grid,
    Link,
    Swept,
    comparisons,
    speeds,
)
from benchreg.values.text import amount, shown

MILLI, MICRO, GIGA, TERA = 1e3, 1e6, 1e9, 1e12
EXECUTION = (
    "CPU algorithm with controlled inputs; any latency/capacity coefficients are assumptions"
)


def document(swept: Swept, model: str, limit_s: float, accelerator: str = "") -> dict[str, object]:
    """Return a sweep as an object: what is selected, what it is compared with, the frontier.

    The reference case has the keys of its published form and no others; every other sweep says as
    well that it is an estimate, of which part, and what it assumes.
    """
    place = swept.selected(limit_s)
    head: dict[str, object] = {
        "execution_mode": EXECUTION,
        "model": model,
        "context_len": _whole(swept.grid.context),
        "sla_tpot_ms": _round(limit_s * MILLI),
    }
    if swept.grid != reference.GRID:
        head = {"kind": "estimate", **head, "accelerator": accelerator or None}
        head["assumed"] = _assumed(swept)
    head["selected"] = None
    if place is not None:
        chosen = swept.configurations(place)
        head["selected"] = asdict(chosen)
        head |= _compared(swept, comparisons(swept, chosen), chosen)
    return head | {"pareto_frontier": _all(swept, swept.frontier(limit_s))}


def _whole(number: float) -> int | float:
    return int(number) if number == int(number) else number


def _round(number: float) -> float:
    return float(f"{number:.9g}")


def _assumed(swept: Swept) -> dict[str, object]:
    grid = swept.grid
    return {
        "coefficients": asdict(grid.coefficients),
        "memory_gb": _round(grid.memory_bytes / GIGA),
        "bandwidth_gb_s": _round(grid.bandwidth / GIGA),
        "peak_tflop_s": {one.name: _round(one.peak / TERA) for one in grid.precisions},
        "links": {one.name: _link(grid, one) for one in grid.links},
    }


def _link(grid: Grid, link: Link) -> list[dict[str, float]]:
    """Return the speed of a link for each number of ways that has one."""
    return [
        {"tensor": ways, "gb_s": _round(rate / GIGA), "latency_us": _round(latency * MICRO)}
        for ways, rate, latency in speeds(grid, link)
    ]


def _all(swept: Swept, places: Iterable[int]) -> list[dict[str, object]]:
    return [asdict(swept.configurations(place)) for place in places]


def _compared(swept: Swept, beside: Comparisons, chosen: Configuration) -> dict[str, object]:
    found: dict[str, object] = {}
    if beside.baseline is not None:
        found["naive_low_latency_baseline"] = asdict(swept.configurations(beside.baseline))
    if beside.slow_link is not None:
        slow = swept.configurations(beside.slow_link)
        key = f"{slow.interconnect}_tp{slow.tp_degree}_b{slow.batch_size}_comparison"
        found[key] = asdict(slow)
    if beside.half_split:
        key = f"tp{chosen.tp_degree // 2}_batch_scaling"
        found[key] = _all(swept, beside.half_split)
    return found


def as_json(swept: Swept, model: str, limit_s: float, accelerator: str = "") -> str:
    """Return a sweep as a JSON document."""
    return inert_json(document(swept, model, limit_s, accelerator))


PARTS = ("weight_read_ms", "kv_read_ms", "compute_ms", "allreduce_ms")
HEADINGS = (
    ("", "name"),
    ("tpot ms", "tpot_ms"),
    ("tok/s", "total_tokens_per_s"),
    ("tok/s one", "tokens_per_s_per_gpu"),
    ("GB one", "memory_per_gpu_gb"),
    *zip(("weights ms", "cache ms", "compute ms", "links ms"), PARTS, strict=True),
    ("longest", "bottleneck"),
)
NARROW = tuple(one for one in HEADINGS if one[1] not in PARTS)
SHORT = {
    "weight_bandwidth": "weights",
    "kv_bandwidth": "cache",
    "compute": "compute",
    "allreduce_comm": "links",
}


def as_text(
    swept: Swept, title: str, limit_s: float, paint: Paint = plain, width: int = 120
) -> str:
    """Return a sweep as a table: what is selected, what it is compared with, the frontier.

    Where a terminal is too narrow for it, the four parts of a step are left out.
    """
    size, fitting = swept.grid.size, int(swept.fits.sum())
    allowed, limit = int(swept.allowed(limit_s).sum()), f"{_round(limit_s * MILLI):g} ms"
    head = (
        f"Estimates, not measurements: {shown(title)}, {size:,} configurations at "
        f"{swept.grid.context:.10g} tokens of context"
    )
    lines = [
        paint(head, "title"),
        f"  {fitting:,} fit in memory, {allowed:,} of them keep {limit} a token",
    ]
    groups = list(_groups(swept, limit_s))
    lines += _table(groups, paint, width) if groups else [f"  nothing is selected{_least(swept)}"]
    assumed = folded([*_assumed_words(swept), *coefficient_words(swept.grid.coefficients)])
    return "\n".join([*lines, "", paint("Assumed", "title"), *assumed])


def _least(swept: Swept) -> str:
    """Say what the fastest configuration takes that fits."""
    places = swept.fits.nonzero()[0]
    if not len(places):
        return ""
    one = swept.configurations(int(places[swept.tpot_s[places].argmin()]))
    return f"; the fastest that fits is {one.name}, {one.tpot_ms:,} ms a token"


def _table(
    groups: list[tuple[str, list[Configuration]]], paint: Paint, width: int
) -> Iterator[str]:
    """Yield the rows of each group under its title, without parts where they are too wide."""
    every = [one for _, many in groups for one in many]
    cells = [[_cell(one, key) for _, key in HEADINGS] for one in every]
    titles = [title for title, _ in HEADINGS]
    if max(map(len, _rows([titles, *cells]))) > width:
        cells = [
            [SHORT.get(_cell(one, key), _cell(one, key)) for _, key in NARROW] for one in every
        ]
        titles = [title for title, _ in NARROW]
    yield ""
    heading, *rows = _rows([titles, *cells])
    yield heading
    for title, many in groups:
        yield from (paint(line, "title") for line in folded([title], ""))
        yield from rows[: len(many)]
        rows = rows[len(many) :]


def _assumed_words(swept: Swept) -> Iterator[str]:
    grid = swept.grid
    yield "weights, head and KV cache in the same format"
    yield f"{amount(grid.memory_bytes / GIGA)} GB of memory at {amount(grid.bandwidth / GIGA)} GB/s"
    peaks = [f"{one.name} {amount(one.peak / TERA)} TFLOP/s" for one in grid.precisions]
    yield f"peaks: {', '.join(peaks)}"
    for one in grid.links:
        told: dict[str, list[str]] = {}
        for ways, rate, latency in speeds(grid, one):
            speed = f"{amount(rate / GIGA)} GB/s one way and {latency * MICRO:g} us an all-reduce"
            told.setdefault(speed, []).append(str(ways))
        for speed, ways_of in told.items():
            which = f" at {', '.join(ways_of)} ways" if len(told) > 1 else ""
            yield f"{one.name}{which}: {speed}"


def _groups(swept: Swept, limit_s: float) -> Iterable[tuple[str, list[Configuration]]]:
    place = swept.selected(limit_s)
    if place is None:
        return
    chosen = swept.configurations(place)
    beside = comparisons(swept, chosen)
    yield "selected: the most tokens per accelerator within the limit", [chosen]
    others = [beside.baseline, beside.slow_link, *beside.half_split]
    yield (
        "beside it: one sequence on all ways; half its batch over the slower link; half its ways",
        [swept.configurations(one) for one in others if one is not None],
    )
    yield (
        "frontier: beaten by none in both time per token and tokens per accelerator",
        [swept.configurations(one) for one in swept.frontier(limit_s)],
    )


def _cell(one: Configuration, key: str) -> str:
    value = getattr(one, key)
    mark = "" if key != "memory_per_gpu_gb" or one.fits_hbm else " (too much)"
    return value if isinstance(value, str) else f"{value:,}{mark}"


def _rows(lines: list[list[str]]) -> list[str]:
    """Return lines of cells as text, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rows = []
    for first, *rest, last in lines:
        padded = [cell.rjust(width) for cell, width in zip(rest, widths[1:-1], strict=True)]
        rows.append(f"  {'  '.join([first.ljust(widths[0]), *padded, last])}".rstrip())
    return rows
