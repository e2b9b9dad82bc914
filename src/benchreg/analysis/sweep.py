"""The points of a sweep, and how the figures of one point relate to those of another."""

from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from pydantic import MISSING

from benchreg.analysis.contradiction import contradicting
from benchreg.analysis.derivation import Settling, UnsettledError, settled
from benchreg.entities.figure import Figure
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.values.expression import FormulaError
from benchreg.values.interval import Interval, exact


class Level(NamedTuple):
    """How much load a point carries: `batch 64`."""

    kind: str
    amount: Decimal


class Ratio(NamedTuple):
    """A figure here over the same one at another point, as written and with its rounding."""

    other: Record
    here: str
    there: str
    nominal: Interval
    interval: Interval | None


def level(record: Record) -> Level | None:
    """Return the load of a record: its batch size, concurrency or request rate."""
    load = record.load
    if load.batch_size is not MISSING:
        return Level("batch", Decimal(load.batch_size))
    if load.concurrency is not MISSING:
        return Level("concurrency", Decimal(load.concurrency))
    if load.request_rate is not MISSING:
        return Level("rate", load.request_rate)
    return None


def points(registry: Registry, record: Record) -> list[Record]:
    """Return the other records of the sweep, by rising load."""
    if record.sweep is MISSING:
        return []
    others = [
        other
        for other in registry.records.values()
        if other.sweep == record.sweep and other.id != record.id
    ]
    return sorted(others, key=lambda one: (level(one) or Level("", Decimal(0)), one.id))


def ratios(registry: Registry, record: Record) -> Iterator[Ratio]:
    """Yield the ratio of every figure to the same one at each point that differs in load alone."""
    settling = settled(registry)
    for other in points(registry, record):
        if _differ_beyond_load(record, other):
            continue
        there = {_kind(figure): name for name, figure in other.results.items()}
        for name, figure in record.results.items():
            if (twin := there.get(_kind(figure))) is None or not other.results[twin].value:
                continue
            nominal = exact(figure.value) / exact(other.results[twin].value)
            yield Ratio(other, name, twin, nominal, _span(settling, record, name, other, twin))


def _differ_beyond_load(record: Record, other: Record) -> bool:
    """Tell whether more than the load differs, so that a ratio would not be the load's."""
    return any(not path.startswith("load.") for path in contradicting(record, other))


def _kind(figure: Figure) -> tuple[object, ...]:
    what = (figure.metric, figure.scope, figure.statistic, figure.unit)
    return (*what, figure.over, figure.metered, figure.window)


def _span(
    settling: Settling, record: Record, name: str, other: Record, twin: str
) -> Interval | None:
    try:
        return settling.interval(record, name) / settling.interval(other, twin)
    except (FormulaError, UnsettledError, ZeroDivisionError):
        return None
