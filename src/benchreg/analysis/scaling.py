"""What a figure does from one point of a sweep to the next: more load, or more accelerators."""

from collections.abc import Hashable, Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from itertools import groupby, pairwise
from typing import Literal, NamedTuple

from pydantic import MISSING

from benchreg.analysis.derivation import Settling, UnsettledError, settled
from benchreg.analysis.rates import Rated, in_unit, of_system, rated
from benchreg.analysis.sweep import level
from benchreg.entities.base import Entity
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.values.interval import Interval

Axis = Literal["load", "accelerators"]

# Rates that are no measure of how much is served: what is asked for, and what is fast enough.
OF_NO_SERVICE = ("offered_rate", "goodput")
# What follows from the load, and may differ with it.
OF_THE_LEVEL = frozenset((
    "batch_size", "concurrency", "request_rate", "requests", "completed", "failed", "duration_s",
    "warmup", "total_input_tokens", "total_output_tokens",
))  # fmt: skip
# What follows from the number of accelerators; the source's words for them often hold it.
OF_THE_COUNT = frozenset(("count", "nodes", "parallelism", "interconnect", "host", "described_as"))
OF_NO_LEVEL = ("single_stream", "all_at_once")
LENGTHS = frozenset(("input_tokens", "output_tokens"))


class Rise(NamedTuple):
    """A figure beside the same one at the point below: a rate of the system, or a decode latency.

    `ratio` is the figure over the other; of several records at the point below, the other is that
    of the lowest figure.
    """

    axis: Axis
    here: str
    below: Record
    there: str
    ratio: Interval


class _Line(NamedTuple):
    axis: Axis
    sweep: str
    alike: Hashable
    what: Hashable


class _Point(NamedTuple):
    amount: Decimal
    record: Record
    name: str
    value: Interval


@lru_cache(maxsize=2)
def rises(registry: Registry) -> Mapping[str, tuple[Rise, ...]]:
    """Return, by record, the steps up to it within its sweep.

    Points are compared where they differ in nothing but the load, or but the accelerators and how
    the model is spread over them. Records that do not stand are left out.
    """
    lines: dict[_Line, list[_Point]] = {}
    settling = settled(registry)
    for record in registry.records.values():
        if record.sweep is MISSING or record.status != "active":
            continue
        figures = list(_figures(settling, record))
        for axis, amount, alike in _axes(record) if figures else ():
            for one, value in figures:
                what = (one.metric.id, one.figure.scope, one.figure.over, one.footing)
                line = _Line(axis, record.sweep, alike, what)
                lines.setdefault(line, []).append(_Point(amount, record, one.name, value))
    found: dict[str, list[Rise]] = {}
    for line, points in lines.items():
        for record, rise in _steps(line.axis, points):
            found.setdefault(record.id, []).append(rise)
    return {key: tuple(steps) for key, steps in found.items()}


def _steps(axis: Axis, points: list[_Point]) -> Iterator[tuple[Record, Rise]]:
    """Yield each point of a line beside the lowest figure of the level below."""
    ordered = sorted(points, key=lambda point: (point.amount, point.record.id))
    levels = [list(equal) for _, equal in groupby(ordered, key=lambda point: point.amount)]
    for below, here in pairwise(levels):
        low = min(below, key=lambda point: point.value.high)
        if low.value.low <= 0:
            continue
        for point in here:
            ratio = point.value / low.value
            yield point.record, Rise(axis, point.name, low.record, low.name, ratio)


def _figures(settling: Settling, record: Record) -> Iterator[tuple[Rated, Interval]]:
    """Yield the rates of the system and the decode latencies, with what each stands for."""
    for one in rated(record, settling.registry, *settling.registry.metrics):
        metric = one.metric
        try:
            if metric.quantity == "rate" and metric.id not in OF_NO_SERVICE:
                yield one, of_system(settling, record, one)
            elif metric.quantity == "latency" and metric.phase == "decode":
                yield one, in_unit(settling, record, one)
        except UnsettledError:
            continue


def _axes(record: Record) -> Iterator[tuple[Axis, Decimal, Hashable]]:
    """Yield where a record stands on either axis, and what else must be the same there."""
    at, pools = level(record), record.hardware.pools
    alike = _alike(record)
    if at is not None:
        yield "load", at.amount, (alike, at.kind, _frozen(record.hardware))
    if pools and (at is not None or record.load.pattern in OF_NO_LEVEL):
        named = [one.accelerator is not MISSING or bool(one.could_be) for one in pools]
        words = [one.described_as for one, known in zip(pools, named, strict=True) if not known]
        count = Decimal(sum(pool.count for pool in pools))
        yield "accelerators", count, (alike, at, _frozen(record.hardware, OF_THE_COUNT), *words)


def _alike(record: Record) -> Hashable:
    """Return what is the same at every point of either axis."""
    blocks = (record.model, record.service, record.engine, record.precision)
    workload = record.workload
    measured = workload.length_basis == "measured"
    lengths = [
        f"{one:.2g}" if measured and one is not MISSING else one
        for one in (workload.input_tokens, workload.output_tokens)
    ]
    return (
        record.kind,
        *map(_frozen, blocks),
        *lengths,
        _frozen(workload, OF_THE_LEVEL | LENGTHS),
        _frozen(record.load, OF_THE_LEVEL),
    )


def _frozen(value: object, left_out: frozenset[str] = frozenset()) -> Hashable:
    """Return what an entity says, as something that can be looked up."""
    if isinstance(value, Entity):
        names = sorted(value.model_fields_set - left_out)
        return tuple((name, _frozen(getattr(value, name), left_out)) for name in names)
    if isinstance(value, Mapping):
        return tuple(sorted(value.items()))
    if isinstance(value, tuple):
        return tuple(_frozen(one, left_out) for one in value)
    return value
