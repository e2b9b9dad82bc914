"""The limit of each metric, from the bounds of an operating point."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from pydantic import MISSING

from benchreg.analysis.completions import Completed, Completions, OutOfReachError
from benchreg.entities.record import Record
from benchreg.roofline.arrays import Numbers
from benchreg.roofline.bound import Bound, Point, bound
from benchreg.roofline.model import Terms

MILLI_PER_S = 1000.0


class Ends(NamedTuple):
    """A record, its completions, and the bounds of both as plain numbers."""

    record: Record
    completed: Completed
    widest: Bound
    nominal: Bound

    @property
    def prompt(self) -> float | None:
        """The input length; None where it is not known."""
        stated = self.record.workload.input_tokens
        return None if stated is MISSING else float(stated)

    @property
    def output(self) -> float | None:
        """The output length; None where it is not known."""
        stated = self.record.workload.output_tokens
        return None if stated is MISSING else max(float(stated), 1.0)

    @property
    def starts_together(self) -> bool:
        """Whether the nominal end is a static batch that memory holds to its end."""
        return bool(self.completed.nominal.static and _holds(self.completed.nominal, self.nominal))


Limit = Callable[[Ends, Bound], Numbers]


def bounded(completions: Completions, many: Sequence[tuple[Record, Completed]]) -> list[Ends]:
    """Return the bounds of records, worked out for all at once.

    A static batch that does not fit at the nominal end may have run in turns, and so may one of
    sequences of no known length.
    """
    if not many:
        return []
    names = sorted({completed.model for _, completed in many})
    place = {name: number for number, name in enumerate(names)}
    models = Terms.stack([completions.terms(name) for name in names])
    models = models.take(np.array([place[completed.model] for _, completed in many]))
    least = Point.stack([completed.nominal for _, completed in many])
    most = Point.stack([completed.widest for _, completed in many])
    nominal = bound(models, least)
    known = np.array([_lengths_known(record) for record, _ in many])
    fits = (known & _holds(least, nominal)) | (least.batch <= least.replicas)
    widest = bound(models, replace(most, static=most.static & fits))
    found = [_rows(side, len(many)) for side in (widest, nominal)]
    return [
        Ends(record, completed, *sides)
        for (record, completed), *sides in zip(many, *found, strict=True)
    ]


def _holds(point: Point, found: Bound) -> Numbers:
    """Tell whether memory holds the whole load, or one sequence of each copy is all of it."""
    return (found.resident_bytes <= point.memory) | (point.batch <= point.replicas)


def _lengths_known(record: Record) -> bool:
    workload = record.workload
    return workload.input_tokens is not MISSING and workload.output_tokens is not MISSING


def _rows(found: Bound, size: int) -> list[Bound]:
    """Return each row of a bound of arrays as one of numbers."""
    columns = [
        np.broadcast_to(getattr(found, name), size).tolist() for name in Bound.__dataclass_fields__
    ]
    return [Bound(*row) for row in zip(*columns, strict=True)]


def limit(metric: str, ends: Ends, side: Bound) -> float:
    """Return the limit of a figure of the whole system, or of one request, in the metric's unit.

    Rates per second, latencies in milliseconds. Raises OutOfReachError where there is none.
    """
    if metric not in LIMITS:
        raise OutOfReachError(f"{metric} is not modelled")
    return float(LIMITS[metric](ends, side))


def _output(ends: Ends, side: Bound) -> Numbers:
    return side.decoded if ends.output is None else side.requests * ends.output


def _input(ends: Ends, side: Bound) -> Numbers:
    if ends.prompt is None:
        return _all_prompts(ends, side)
    return side.requests * ends.prompt


def _total(ends: Ends, side: Bound) -> Numbers:
    if ends.prompt is None or ends.output is None:
        return _all_prompts(ends, side) + (side.decoded if ends.completed.widest.apart else 0.0)
    return side.requests * (ends.prompt + ends.output)


def _all_prompts(ends: Ends, side: Bound) -> Numbers:
    """Return the limit where every token could be one of a prompt."""
    if ends.record.workload.prefix_cache.enabled is not False:
        raise OutOfReachError("prompts may be found in a prefix cache, and lengths are not known")
    return side.prompted


def _prefill(ends: Ends, side: Bound) -> Numbers:
    if ends.completed.cached:
        raise OutOfReachError("how much of a prompt is found in a prefix cache is not known")
    hits = ends.record.workload.prefix_cache.hit_ratio
    computed = 1.0 if hits is MISSING else 1 - float(hits)
    if not computed:
        raise OutOfReachError("all of a prompt is found in a prefix cache")
    return side.prompted / computed


def _prefill_of_one(ends: Ends, side: Bound) -> Numbers:
    return _all_prompts(ends, side) if ends.prompt is None else ends.prompt / side.ttft_s


def _of_one(ends: Ends, side: Bound) -> Numbers:
    """Return the limit of one request; of no known length, it lies between first and next token."""
    if ends.output is None:
        return 1 / min(side.ttft_s, side.tpot_s)
    return ends.output / side.e2e_s


def _per_token(ends: Ends, side: Bound) -> Numbers:
    return MILLI_PER_S / _of_one(ends, side)


def _tpot(ends: Ends, side: Bound) -> Numbers:
    del ends
    return MILLI_PER_S * side.tpot_s


def _requests(ends: Ends, side: Bound) -> Numbers:
    del ends
    return side.requests


LIMITS: dict[str, Limit] = {
    "request_throughput": _requests,
    "goodput": _requests,
    "output_throughput": _output,
    "input_throughput": _input,
    "total_throughput": _total,
    "decode_throughput": lambda _, side: side.decoded,
    "prefill_throughput": _prefill,
    "output_rate_per_request": _of_one,
    "decode_rate_per_request": lambda _, side: 1 / side.tpot_s,
    "prefill_rate_per_request": _prefill_of_one,
    "ttft": lambda _, side: MILLI_PER_S * side.ttft_s,
    "tpot": _tpot,
    "itl": _tpot,
    "chunk_latency": _tpot,
    "e2e_latency": lambda _, side: MILLI_PER_S * side.e2e_s,
    "latency_per_output_token": _per_token,
}
