"""Figures of one record brought to a common footing: the whole system, and the metric's unit."""

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from pydantic import MISSING

from benchreg.analysis.derivation import Settling, UnsettledError
from benchreg.entities.catalogue import Metric
from benchreg.entities.figure import Figure
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.values.expression import FormulaError
from benchreg.values.interval import Interval, exact
from benchreg.values.units import factor

HALF_PERCENT, ONE_PERCENT, FIVE_PERCENT = Fraction(1, 200), Fraction(1, 100), Fraction(1, 20)


def near(one: Interval, other: Interval, tolerance: Fraction) -> bool:
    """Tell whether two intervals meet, or nearly: the tolerance is relative to the larger."""
    if one.low <= other.high and other.low <= one.high:
        return True
    gap = max(one.low - other.high, other.low - one.high)
    return gap <= tolerance * max(abs(one.high), abs(other.high))


def agree(one: Interval, other: Interval) -> bool:
    """Tell whether two intervals meet; two exact numbers agree to 0.5 %."""
    return near(one, other, Fraction(0) if one.width or other.width else HALF_PERCENT)


def mean_length(record: Record, name: str) -> Interval | None:
    """Return the mean `input_tokens` or `output_tokens` of a request, unless it was only asked for.

    It was counted (totals over completed requests, or `length_basis: measured`), or the output
    was forced to it.
    """
    workload, completed = record.workload, record.load.completed
    total, mean = getattr(workload, f"total_{name}"), getattr(workload, name)
    if total is not MISSING and completed is not MISSING and completed > 0:
        return exact(Fraction(total, completed))
    forced = name == "output_tokens" and workload.output_policy == "forced"
    if mean is not MISSING and (forced or workload.length_basis == "measured"):
        return exact(mean)
    return None


class Footing(NamedTuple):
    """What figures must share before they can be put into one equation."""

    statistic: str
    window: str


class Rated(NamedTuple):
    """A figure with its metric, and the footing it stands on."""

    name: str
    figure: Figure
    metric: Metric
    footing: Footing


def rated(record: Record, registry: Registry, *metrics: str) -> Iterator[Rated]:
    """Yield the figures of some metrics; one that names no statistic stands with the means."""
    for name, figure in record.results.items():
        metric = registry.metrics.get(figure.metric)
        if metric is None or metric.id not in metrics:
            continue
        statistic = figure.statistic if figure.statistic is not MISSING else "mean"
        window = figure.window if figure.window is not MISSING else record.load.window
        yield Rated(name, figure, metric, Footing(statistic, str(window)))


def in_unit(settling: Settling, record: Record, one: Rated) -> Interval:
    """Return what a figure stands for, in its metric's unit.

    Raises UnsettledError where its unit or its derivation does not allow it.
    """
    scale = factor(one.figure.unit, one.metric.unit)
    if scale is None:
        raise UnsettledError(f"{one.figure.unit} cannot be turned into {one.metric.unit}")
    try:
        interval = settling.interval(record, one.name)
        return interval if scale == 1 else interval * exact(scale)
    except FormulaError as error:
        raise UnsettledError(str(error)) from None


def of_system(settling: Settling, record: Record, one: Rated) -> Interval:
    """Return what the whole system does, where a figure is one accelerator's or replica's share.

    Raises UnsettledError where the record does not say how many shares there are.
    """
    parts, interval = shares(record, one.figure), in_unit(settling, record, one)
    return interval if parts == 1 else interval * exact(parts)


def shares(record: Record, figure: Figure) -> Fraction:
    """Return how many times a figure's scope is in the system; raises UnsettledError."""
    match figure.scope:
        case "system":
            return Fraction(1)
        case "per_accelerator":
            return Fraction(_accelerators(record, figure))
        case "per_replica":
            return Fraction(_replicas(record))
    raise UnsettledError("the figure is not a share of the system")


def _accelerators(record: Record, figure: Figure) -> int:
    pools = record.hardware.pools
    if figure.over in ("prefill", "decode"):
        pools = tuple(pool for pool in pools if pool.role == figure.over)
    elif figure.over is MISSING and len(pools) > 1:
        raise UnsettledError("the figure does not say over which pool it divides")
    if not pools:
        raise UnsettledError("the pool that the figure divides by is not in the record")
    return sum(pool.count for pool in pools)


def _replicas(record: Record) -> int:
    replicas = [pool.parallelism.replicas for pool in record.hardware.pools]
    known = [count for count in replicas if count is not MISSING]
    if not known or len(known) < len(replicas):
        raise UnsettledError("the number of replicas is not known")
    return sum(known)
