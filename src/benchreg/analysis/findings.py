"""What the records of a registry show together: questions that no single record answers.

Only records that stand are asked. Each answer is a table of texts, with what was counted in words,
so that a page and a command can show the same.
"""

from collections import defaultdict
from collections.abc import Callable
from math import isfinite
from statistics import median
from typing import TYPE_CHECKING

from pydantic import MISSING

from benchreg.analysis.finding import Finding
from benchreg.analysis.rounds import server_above_offline, server_window, spread_of_alike
from benchreg.registry.registry import Registry
from benchreg.values.text import percent

if TYPE_CHECKING:  # numpy is slow to import, and a type needs none
    from benchreg.analysis.crosscheck import Verdicts

FEWEST_FIGURES = 10


def share_of_bound(registry: Registry, verdicts: "Verdicts") -> Finding:
    """Return how much of the nominal bound the rates of a part and an engine reach.

    The nominal bound takes 16 bits and no prefix cache where a record does not say, so that a share
    of an undisclosed format can be off by its factor; figures beyond that bound are left out. Rates
    of output and of all tokens are taken that are plausible, of one part and one engine, from ten
    figures on.
    """
    shares: dict[tuple[str, str], list[float]] = defaultdict(list)
    for (name, result), verdict in verdicts.items():
        record = registry.records[name]
        figure = record.results.get(result)
        if figure is None or figure.metric not in ("output_throughput", "total_throughput"):
            continue
        parts = {pool.accelerator for pool in record.hardware.pools}
        engine, stands = record.engine.id, record.status == "active"
        if verdict.kind != "plausible" or len(parts) != 1 or not stands:
            continue
        [part] = parts
        if MISSING not in (part, engine) and isfinite(verdict.of_nominal):
            shares[(str(part), str(engine))].append(verdict.of_nominal)
    rows = [
        (part, engine, f"{len(some):,}", *(percent(one) for one in _quartiles(some)))
        for (part, engine), some in sorted(shares.items())
        if len(some) >= FEWEST_FIGURES
    ]
    return Finding(
        "share-of-bound",
        "How much of its bound does an engine reach on a part?",
        f"{sum(map(len, shares.values())):,} rates of tokens of {len(shares)} pairs of part and "
        f"engine; shown are the {len(rows)} with at least {FEWEST_FIGURES} figures.",
        ("part", "engine", "figures", "lower quartile", "median", "upper quartile"),
        tuple(rows),
    )


def findings(registry: Registry, verdicts: "Verdicts") -> tuple[Finding, ...]:
    """Return every finding, in the order in which a page shows them."""
    plain: tuple[Callable[[Registry], Finding], ...] = (
        server_above_offline, server_window, spread_of_alike,
    )  # fmt: skip
    return (*(one(registry) for one in plain), share_of_bound(registry, verdicts))


def _quartiles(values: list[float]) -> tuple[float, float, float]:
    ordered = sorted(values)
    last = len(ordered) - 1
    return (ordered[round(last / 4)], median(ordered), ordered[round(3 * last / 4)])
