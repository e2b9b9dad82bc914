"""What the results of MLPerf's rounds show together: scenarios, windows, and systems alike.

Only records that stand are asked.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from statistics import median

from pydantic import MISSING

from benchreg.analysis.finding import Finding, digits
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry

RATES = ("output_throughput", "request_throughput")
FEWEST_SYSTEMS = 3
MOST_ROWS = 25
LAST_ISSUED = "last_issued"


def server_above_offline(registry: Registry) -> Finding:
    """Return how often the Server rate of a system is above its own Offline rate.

    Offline has all queries at once, and no limit on latency: it should be the faster. The reported
    rate of Server is over another window (see `server_window`); beside it stands how many are
    above over the whole run, as Offline is counted, of the runs whose duration is stated.
    """
    pairs: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    for round_, offline, server in _pairs(registry):
        if pair := _compared(offline, server):
            pairs[(round_, _model(offline))].append(pair)
    every = [pair for some in pairs.values() for pair in some]
    timed = [pair for pair in every if pair.whole]
    rows = [
        (round_, model, f"{len(some)}", f"{sum(one.reported > 1 for one in some)}",
         _whole_above(some), digits(median(one.reported for one in some)))
        for (round_, model), some in sorted(pairs.items())
    ]  # fmt: skip
    return Finding(
        "server-above-offline",
        "How often is MLPerf Server above Offline on the same system?",
        f"In {sum(one.reported > 1 for one in every)} of {len(every)} pairs of runs of one system "
        f"and benchmark of a round as reported; of the {len(timed)} whose duration is stated, in "
        f"{sum(one.reported > 1 for one in timed)} as reported and in "
        f"{sum(one.whole > 1 for one in timed)} over the whole run.",
        ("round", "model", "pairs", "Server above", "above over the whole run",
         "median Server / Offline"),
        tuple(rows),
    )  # fmt: skip


def server_window(registry: Registry) -> Finding:
    """Return how much the window of MLPerf Server moves its rate.

    LoadGen counts the tokens of all queries and stops the clock when the query that was issued
    last ends, while others still run. Over the whole run the rate is the reported one times that
    window (requests over completed requests a second) over the duration.
    """
    above: dict[tuple[str, str], list[float]] = defaultdict(list)
    for record in _standing(registry):
        share = _window_share(record)
        if share and record.mlperf is not MISSING:
            scenario = str(record.load.scenario)
            above[(_model(record), scenario)].append(100 * (1 / share - 1))
    every = sorted(one for some in above.values() for one in some)
    rows = [
        (*key, f"{len(some)}", *(f"{one:.1f} %" for one in (median(some), max(some))))
        for key, some in sorted(above.items())
    ]
    told = f"{median(every):.1f} % at the median and {every[-1]:.1f} %" if every else "0 %"
    return Finding(
        "server-window",
        "How much does the window of MLPerf Server raise its rate?",
        f"By {told} at the most, over {len(every)} runs that state how long they took.",
        ("model", "scenario", "runs", "median", "most"),
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
        (*key, f"{len(rates)}", digits(ratio), digits(max(rates) / median(rates)))
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


@dataclass(frozen=True, slots=True)
class Pair:
    """Server over Offline: as reported, and over the whole run (0 where its length is unknown)."""

    reported: float
    whole: float


def _compared(offline: Record, server: Record) -> Pair | None:
    """Return how the rates of two runs compare; None where they have none in common."""
    rates = ((_rate(offline, metric), _rate(server, metric)) for metric in RATES)
    both = next(((one, other) for one, other in rates if one and other), None)
    if both is None:
        return None
    reported = float(both[1] / both[0])
    return Pair(reported, reported * _window_share(server))


def _whole_above(pairs: Iterable[Pair]) -> str:
    """Write how many are above over the whole run, of how many where that is not of all."""
    every = list(pairs)
    timed = [pair for pair in every if pair.whole]
    above = f"{sum(pair.whole > 1 for pair in timed)}"
    return (
        above if len(timed) == len(every) else f"{above} of {len(timed)}" if timed else "not stated"
    )


def _window_share(record: Record) -> float:
    """Return the window of a Server run over its duration; 0 where either is not known."""
    load, rate = record.load, _rate(record, "request_throughput")
    if load.duration_s is MISSING or load.requests is MISSING or not rate:
        return 0.0
    return float(load.requests / rate / load.duration_s) if load.window == LAST_ISSUED else 0.0


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
