"""What is odd about the use that a figure makes of its hardware, though it is possible."""

from collections.abc import Iterator
from math import isnan
from typing import Literal

from pydantic import MISSING

from benchreg.analysis.completions import SLOWEST
from benchreg.analysis.crosscheck import Verdict
from benchreg.entities.record import Record

Oddity = Literal["idle", "full", "beyond"]

LEAST_MBU, MOST_MBU = 0.05, 0.95
FEWEST_TOKENS = 16  # of an output: of a shorter one, reading the prompt is much of its time


def oddities(record: Record, verdict: Verdict) -> Iterator[tuple[Oddity, float]]:
    """Yield what is odd, with the share of the hardware that was used.

    Of one request at a time: `idle` is hardly any bandwidth or arithmetic of even one accelerator,
    `full` nearly all bandwidth, whatever the unknown conditions were. `beyond` is more than all
    arithmetic, which nothing but prompts in a cache could explain.
    """
    if alone(record) and not isnan(verdict.mbu):
        most = _accelerators(record) * max(verdict.mbu, verdict.mfu)
        if most < LEAST_MBU and _steps_known(record):
            yield "idle", most
        if min(verdict.mbu, verdict.share) > MOST_MBU:
            yield "full", verdict.mbu
    if verdict.mfu > 1 and _arithmetic_known(record, verdict):
        yield "beyond", verdict.mfu


def alone(record: Record) -> bool:
    """Tell whether one request runs at a time."""
    load = record.load
    match load.pattern:
        case "single_stream":
            return True
        case "static_batch":
            return load.batch_size == 1
    return load.pattern == "closed_loop" and load.concurrency == 1


def _accelerators(record: Record) -> int:
    """Return how many accelerators decode."""
    pools = record.hardware.pools
    return sum(pool.count for pool in pools if pool.role != "prefill") or pools[0].count


def _steps_known(record: Record) -> bool:
    """Tell whether an output takes many steps, and it is known how many."""
    output, speculative = record.workload.output_tokens, record.workload.speculative
    plain = speculative.method in (MISSING, "none")
    counted = plain or speculative.acceptance_length is not MISSING
    return output is not MISSING and output >= FEWEST_TOKENS and counted


def _arithmetic_known(record: Record, verdict: Verdict) -> bool:
    """Tell whether nothing but prompts in a cache that nobody names could explain more than all."""
    precision, cache = record.precision, record.workload.prefix_cache
    stated = (precision.activations, precision.weights) != (MISSING, MISSING)
    explained = cache.enabled is True and cache.hit_ratio is MISSING
    return stated and not explained and SLOWEST not in verdict.taken
