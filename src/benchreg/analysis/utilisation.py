"""MBU and MFU: what a figure says of the bandwidth and the arithmetic that were used.

Model bandwidth utilisation: the bytes of weights and cache that the work must move, over what all
bandwidth could have moved in that time. Model FLOPs utilisation: the operations that the work must
do, over what all arithmetic could have done. Both need the number of requests that run at once and
their lengths, and are taken at the nominal completion.
"""

from math import nan
from typing import NamedTuple

from pydantic import MISSING

from benchreg.analysis.limits import MILLI_PER_S, Ends
from benchreg.entities.figure import Figure
from benchreg.entities.record import Record
from benchreg.roofline.figures import decode_batch

UNKNOWN = (nan, nan)


class AtOnce(NamedTuple):
    """How many requests are in flight, and how many of them decode."""

    flight: float
    decoding: float


def at_once(ends: Ends) -> AtOnce | None:
    """Return how many requests run at once; None where the record does not say.

    A stated concurrency is not the decode batch: a request spends part of its life in prefill. By
    Little's law the mean TTFT and TPOT of the record tell the rest, and no more decode than fit.
    """
    load, most = ends.record.load, ends.nominal.batch
    if load.pattern in ("static_batch", "single_stream"):
        exact = ends.completed.nominal.batch
        return AtOnce(exact, exact) if ends.starts_together else None
    ttft, tpot = _mean(ends.record, "ttft"), _mean(ends.record, "tpot")
    if load.pattern != "closed_loop" or load.concurrency is MISSING:
        return None
    if ttft is None or tpot is None or ends.output is None:
        return None
    flight = float(load.concurrency)
    return AtOnce(flight, min(most, float(decode_batch(flight, ends.output, ttft, tpot))))


def _mean(record: Record, metric: str) -> float | None:
    """Return the one mean of a latency in the unit that it is written in; None where there is none.

    Only the ratio of two latencies is used, and both must be in the same unit.
    """
    found = [
        float(figure.value)
        for figure in record.results.values()
        if figure.metric == metric and figure.statistic == "mean" and figure.unit == "ms"
    ]
    return found[0] if len(found) == 1 else None


def used(ends: Ends, running: AtOnce | None, figure: Figure, value: float) -> tuple[float, float]:
    """Return MBU and MFU of a figure of the whole system or of one request; nan where unknown.

    `running` is what `at_once` returns, and `value` is in the metric's unit. A rate of the system
    tells its MFU however many run at once.
    """
    side, output, prompt = ends.nominal, ends.output, ends.prompt
    if output is None or prompt is None or not value:
        return UNKNOWN
    if running is None:
        rate = _of_system(figure.metric, value, prompt, output)
        return nan, rate * _arithmetic_s(ends) if rate else nan
    copies = ends.completed.nominal.replicas
    memory_s = side.weights_s * side.passes * _reads(ends, running.decoding) + side.cache_s
    rate = _of_system(figure.metric, value, prompt, output)
    if rate := rate or _of_request(figure.metric, value, output, running.flight):
        return rate * memory_s, rate * _arithmetic_s(ends)
    step_s = _step_s(figure.metric, value, running.decoding)
    if step_s and output > 1:
        share = running.decoding / (step_s * (output - 1))
        return share * memory_s, share * side.compute_s
    if figure.metric == "ttft" and running.flight <= copies:
        return nan, side.prompt_s * copies * MILLI_PER_S / value
    return UNKNOWN


def _reads(ends: Ends, decoding: float) -> float:
    """Return how often the weights are read for one token of one sequence.

    As often as there are groups of sequences in the pipeline of a copy, over its sequences; stages
    without a group read nothing, and `weights_s` counts all of them.
    """
    point = ends.completed.nominal
    own = max(decoding / point.replicas, 1.0)
    return float(min(own, point.pipeline) / point.pipeline / own)


def _arithmetic_s(ends: Ends) -> float:
    """Return the seconds of all arithmetic that a request takes, of pools apart together."""
    side, point = ends.nominal, ends.completed.nominal
    if not point.apart:
        return float(side.compute_s + side.prompt_s)
    flop = side.compute_s * point.peak + side.prompt_s * point.prefill_peak
    return float(flop / (point.peak + point.prefill_peak))


def _of_system(metric: str, value: float, prompt: float, output: float) -> float:
    """Return the requests per second that a rate of the system comes to; 0 where it is none."""
    rates = {
        "request_throughput": value,
        "output_throughput": value / output,
        "input_throughput": value / prompt if prompt else 0.0,
        "total_throughput": value / (prompt + output),
    }
    return rates.get(metric, 0.0)


def _of_request(metric: str, value: float, output: float, flight: float) -> float:
    """Return the requests per second that a figure of one of those in flight comes to, or 0."""
    rates = {
        "output_rate_per_request": flight * value / output,
        "e2e_latency": flight * MILLI_PER_S / value,
        "latency_per_output_token": flight * MILLI_PER_S / (value * output),
    }
    return rates.get(metric, 0.0)


def _step_s(metric: str, value: float, decoding: float) -> float:
    """Return the seconds of a token that a decode figure comes to; 0 where it does not say."""
    seconds = {
        "tpot": value / MILLI_PER_S,
        "itl": value / MILLI_PER_S,
        "chunk_latency": value / MILLI_PER_S,
        "decode_rate_per_request": 1 / value,
        "decode_throughput": decoding / value,
    }
    return seconds.get(metric, 0.0)
