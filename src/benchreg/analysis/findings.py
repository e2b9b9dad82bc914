"""What the records of a registry show together: questions that no single record answers.

Only records that stand are asked. Each answer is a table of texts, with what was counted in words,
so that a page and a command can show the same.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from statistics import median
from typing import TYPE_CHECKING

from pydantic import MISSING

from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.values.text import amount, percent

if TYPE_CHECKING:  # numpy is slow to import, and a type needs none
    from benchreg.analysis.crosscheck import Verdicts

RATES = ("output_throughput", "request_throughput")
FEWEST_SYSTEMS, FEWEST_FIGURES = 3, 10
MOST_ROWS = 25


@dataclass(frozen=True, slots=True)
class Finding:
    """An answer: its question, what was counted, and the table (a header and rows of texts)."""

    name: str
    question: str
    counted: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def server_above_offline(registry: Registry) -> Finding:
    """Return how often the reported Server rate of a system is above its own Offline rate.

    Offline has all queries at once, and no limit on latency: it should be the faster. Both rates
    are the reported ones; that of Server is over another window, which ends when the last-issued
    query does.
    """
    pairs: dict[tuple[str, str], list[float]] = defaultdict(list)
    for round_, offline, server in _pairs(registry):
        rates = ((_rate(offline, metric), _rate(server, metric)) for metric in RATES)
        both = next(((one, other) for one, other in rates if one and other), None)
        if both:
            pairs[(round_, _model(offline))].append(float(both[1] / both[0]))
    every = [ratio for ratios in pairs.values() for ratio in ratios]
    above = sum(ratio > 1 for ratio in every)
    rows = [
        (round_, model, f"{len(ratios)}", f"{sum(one > 1 for one in ratios)}", _two(median(ratios)))
        for (round_, model), ratios in sorted(pairs.items())
    ]
    return Finding(
        "server-above-offline",
        "How often is MLPerf Server above Offline on the same system?",
        f"In {above} of {len(every)} pairs of runs of one system and benchmark of a round.",
        ("round", "model", "pairs", "Server above", "median Server / Offline"),
        tuple(rows),
    )


def spread_of_alike(registry: Registry) -> Finding:
    """Return how far results on equal hardware lie apart.

    Equal are round, division, benchmark's model, scenario, part, count and format of the weights:
    what a reader takes for the same system. At least three systems.
    """
    groups: dict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
    for record in _standing(registry):
        key = _alike(record)
        rate = _rate(record, RATES[0]) or _rate(record, RATES[1])
        if key and rate and record.mlperf is not MISSING:
            system = f"{record.mlperf.submitter} {record.mlperf.system}"
            groups[key][system] = max(groups[key].get(system, 0.0), float(rate))
    found = [
        (max(rates.values()) / min(rates.values()), key, list(rates.values()))
        for key, rates in groups.items()
        if len(rates) >= FEWEST_SYSTEMS
    ]
    rows = [
        (*key, f"{len(rates)}", _two(ratio), _two(max(rates) / median(rates)))
        for ratio, key, rates in sorted(found, reverse=True)
    ]
    over = sum(ratio > 1.1 for ratio, *_ in found)
    return Finding(
        "spread-of-alike",
        "How far do results on the same hardware lie apart?",
        f"In {over} of {len(found)} groups the fastest is over 10 % above the slowest.",
        ("round", "division", "model", "scenario", "part", "weights", "systems", "max / min",
         "max / median"),
        tuple(rows[:MOST_ROWS]),
    )  # fmt: skip


def share_of_bound(registry: Registry, verdicts: "Verdicts") -> Finding:
    """Return how much of the nominal bound the rates of a part and an engine reach.

    The nominal bound takes 16 bits and no prefix cache where a record does not say, so that a share
    of an undisclosed format can be off by its factor. Rates of output and of all tokens are taken
    that are plausible, of one part and one engine, from ten figures on.
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
        if part is not MISSING and engine is not MISSING:
            shares[(str(part), str(engine))].append(verdict.nominal_share)
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
    plain: tuple[Callable[[Registry], Finding], ...] = (server_above_offline, spread_of_alike)
    return (*(one(registry) for one in plain), share_of_bound(registry, verdicts))


def _standing(registry: Registry) -> Iterable[Record]:
    return (one for one in registry.records.values() if one.status == "active")


def _entries(registry: Registry) -> dict[tuple[str, ...], dict[str, Record]]:
    """Return the records of each system and benchmark of a round, by scenario."""
    found: dict[tuple[str, ...], dict[str, Record]] = defaultdict(dict)
    for record in _standing(registry):
        entry, scenario = record.mlperf, record.load.scenario
        if entry is MISSING or scenario is MISSING:
            continue
        way = (entry.round, entry.division, entry.submitter, entry.system)
        for benchmark in entry.benchmark:
            found[(*map(str, way), benchmark)][scenario] = record
    return found


def _pairs(registry: Registry) -> Iterator[tuple[str, Record, Record]]:
    """Yield the round, the Offline and the Server run of each system and benchmark, once each."""
    seen = set()
    for (round_, *_), runs in _entries(registry).items():
        offline, server = runs.get("offline"), runs.get("server")
        if offline and server and (offline.id, server.id) not in seen:
            seen.add((offline.id, server.id))
            yield round_, offline, server


def _alike(record: Record) -> tuple[str, ...]:
    """Return what a reader takes for the same system; empty where a part of it is not stated."""
    entry, pools = record.mlperf, record.hardware.pools
    if entry is MISSING or len(pools) != 1 or record.load.scenario is MISSING:
        return ()
    [pool] = pools
    stated = (
        entry.round, entry.division, _model(record), record.load.scenario, pool.accelerator,
        record.precision.weights,
    )  # fmt: skip
    if MISSING in stated:
        return ()
    *first, part, weights = map(str, stated)
    return (*first, f"{pool.count} x {part}", weights)


def _rate(record: Record, metric: str) -> Decimal | None:
    """Return the rate of the whole system that a record reports; None without one."""
    figures = record.results.values()
    found = (one.value for one in figures if (one.metric, one.scope) == (metric, "system"))
    return next(found, None)


def _model(record: Record) -> str:
    stated = (record.model.id, record.model.described_as)
    return next((str(one) for one in stated if one is not MISSING), "not stated")


def _quartiles(values: list[float]) -> tuple[float, float, float]:
    ordered = sorted(values)
    last = len(ordered) - 1
    return (ordered[round(last / 4)], median(ordered), ordered[round(3 * last / 4)])


def _two(number: float) -> str:
    return amount(float(f"{number:.3g}"))
