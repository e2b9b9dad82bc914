"""A sweep as a document for programs, and as a table for people."""

import json
from collections.abc import Iterable
from dataclasses import asdict

from benchreg.report.estimate import coefficient_words
from benchreg.report.summary import Paint, plain
from benchreg.roofline.sweep import Comparisons, Configuration, Swept, comparisons

EXECUTION = (
    "CPU algorithm with controlled inputs; any latency/capacity coefficients are assumptions"
)


def document(swept: Swept, model: str, limit_s: float) -> dict[str, object]:
    """Return a sweep as an object: what is selected, what it is compared with, the frontier."""
    place = swept.selected(limit_s)
    head: dict[str, object] = {
        "execution_mode": EXECUTION,
        "model": model,
        "context_len": _whole(swept.grid.context),
        "sla_tpot_ms": limit_s * 1e3,
        "selected": None,
    }
    if place is not None:
        chosen = swept.configurations(place)
        head["selected"] = asdict(chosen)
        head |= _compared(swept, comparisons(swept, chosen), chosen)
    return head | {"pareto_frontier": _all(swept, swept.frontier(limit_s))}


def _whole(number: float) -> int | float:
    return int(number) if number == int(number) else number


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


def as_json(swept: Swept, model: str, limit_s: float) -> str:
    """Return a sweep as a JSON document."""
    return json.dumps(document(swept, model, limit_s), indent=2)


HEADINGS = (
    ("", "name"),
    ("tpot ms", "tpot_ms"),
    ("tok/s", "total_tokens_per_s"),
    ("tok/s one", "tokens_per_s_per_gpu"),
    ("GB one", "memory_per_gpu_gb"),
    ("weights ms", "weight_read_ms"),
    ("cache ms", "kv_read_ms"),
    ("compute ms", "compute_ms"),
    ("links ms", "allreduce_ms"),
    ("longest", "bottleneck"),
)


def as_text(swept: Swept, model: str, limit_s: float, paint: Paint = plain) -> str:
    """Return a sweep as a table: what is selected, what it is compared with, the frontier."""
    size, fitting = swept.grid.size, int(swept.fits.sum())
    allowed, limit = int(swept.allowed(limit_s).sum()), f"{limit_s * 1e3:g} ms"
    head = (
        f"Estimates, not measurements: {model}, {size} configurations at {swept.grid.context:g} "
        f"tokens of context"
    )
    lines = [
        paint(head, "title"),
        f"  {fitting} fit in memory, {allowed} of them keep {limit} a token",
    ]
    groups = list(_groups(swept, limit_s))
    if not groups:
        return "\n".join([*lines, "  nothing is selected"])
    cells = [[_cell(one, key) for _, key in HEADINGS] for _, many in groups for one in many]
    titles = [title for title, _ in HEADINGS]
    columns = zip(titles, *cells, strict=True)
    widths = [max(len(cell) for cell in column) for column in columns]
    lines += ["", _row(titles, widths)]
    rows = iter(cells)
    for title, many in groups:
        lines.append(paint(title, "title"))
        lines += [_row(next(rows), widths) for _ in many]
    return "\n".join(
        [*lines, "", paint("Assumed", "title"), *coefficient_words(swept.grid.coefficients)]
    )


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


def _row(cells: list[str], widths: list[int]) -> str:
    first, *rest = cells
    padded = [cell.rjust(width) for cell, width in zip(rest[:-1], widths[1:-1], strict=True)]
    return f"  {'  '.join([first.ljust(widths[0]), *padded, rest[-1]])}".rstrip()
