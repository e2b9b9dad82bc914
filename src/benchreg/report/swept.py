"""A sweep as a document for programs, and as a table for people."""

import json
from collections.abc import Iterable
from dataclasses import asdict

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
