"""An operating point as the roofline sees it, with every unknown condition at either end.

`widest` is the most generous completion: the fastest part that the words could mean, the smallest
numbers that could be in use and the arithmetic that goes with them, every prompt found in the
prefix cache. `nominal` is a completion that a reader has in mind: 16-bit numbers, each prompt
computed, the slowest part. Where nothing is unknown the two are one.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, NamedTuple

from pydantic import MISSING

from benchreg.analysis.precision import Numbers
from benchreg.entities.catalogue import Accelerator, Engine, Model
from benchreg.entities.conditions import Pool
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.roofline.bound import Point
from benchreg.roofline.formats import least_bits
from benchreg.roofline.hardware import GIB, GIGA, TERA, Most, most
from benchreg.roofline.model import Terms, terms
from benchreg.roofline.parameters import UncountedError

SLOWEST = "the slowest part that is meant, by the catalogue's own figures"
NO_HIT = "no prompt found in a prefix cache"
NOT_SHARED = "each sequence reading its own prefix"


class OutOfReachError(Exception):
    """The roofline cannot judge the record; the message says why."""


class Completed(NamedTuple):
    """A record's model and its two ends; `unknown` says in words what tells them apart.

    `cached` is true where prompts may be found in a prefix cache, to a degree that is not known.
    """

    model: str
    widest: Point
    nominal: Point
    unknown: tuple[str, ...]
    cached: bool
    accelerators: int
    prefilling: int
    decoding: int


@dataclass(frozen=True, slots=True)
class _Machine:
    """What runs a model: parts and number formats at either end, as fields of a Point."""

    widest: dict[str, float]
    nominal: dict[str, float]
    unknown: tuple[str, ...]
    accelerators: int
    prefilling: int
    decoding: int


class Completions:
    """The completions of records of one registry; what they share is worked out once."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._terms: dict[str, Terms | str] = {}
        self._machines: dict[Hashable, _Machine] = {}

    def terms(self, model: str) -> Terms:
        """Return the terms of a model; raises OutOfReachError that names what is not known."""
        if model not in self._terms:
            self._terms[model] = _terms(self._registry.models.get(model), model)
        found = self._terms[model]
        if isinstance(found, str):
            raise OutOfReachError(found)
        return found

    def of(self, record: Record) -> Completed:
        """Return the two ends of a record; raises OutOfReachError."""
        if record.model.id is MISSING:
            raise OutOfReachError("no linked model")
        offload = record.engine.host_offload
        if offload is not MISSING and offload != "none":
            raise OutOfReachError(f"{offload.replace('_', ' ')} on the host")
        machine = self._machine(record, record.model.id)
        shared = _load(record, counts_tokens=self._counts_tokens(record))
        found, computed = _prompt(record), _prompt(record, computed=True)
        return Completed(
            record.model.id,
            Point(**machine.widest, **shared, **found),
            Point(**machine.nominal, **shared, **computed),
            (*machine.unknown, *_prompt_unknown(record, found, computed)),
            _hits_unknown(record),
            machine.accelerators,
            machine.prefilling,
            machine.decoding,
        )

    def _engine(self, record: Record) -> Engine | None:
        return None if record.engine.id is MISSING else self._registry.engines.get(record.engine.id)

    def _counts_tokens(self, record: Record) -> bool:
        """Tell whether the engine's own batch size is of prompt tokens (n_batch of llama.cpp)."""
        engine = self._engine(record)
        return engine is not None and engine.batch_size_is == "prompt_tokens"

    def _least_bits(self, record: Record) -> float:
        engine, least = self._engine(record), least_bits(None)
        if engine is None or engine.least_weight_bits is MISSING:
            return least
        return min(least, float(engine.least_weight_bits))

    def _machine(self, record: Record, model: str) -> _Machine:
        """Return what a record ran on; records with equal pools and formats share it."""
        pools, used, least = record.hardware.pools, record.precision, self._least_bits(record)
        key = (
            tuple((pool.accelerator, pool.could_be, pool.count, pool.role) for pool in pools),
            (used.weights, used.activations, used.kv_cache, used.weights_bytes),
            tuple(used.parts.items()),
            model,
            least,
        )
        if key not in self._machines:
            numbers = Numbers(record.precision, self.terms(model), least)
            self._machines[key] = self._assembled(_sides(pools), numbers)
        return self._machines[key]

    def _assembled(self, sides: "Sides", numbers: Numbers) -> _Machine:
        widest, nominal = (
            self._pools(sides, numbers.computes(nominal=end), nominal=end)
            | numbers.storage(nominal=end)
            for end in (False, True)
        )
        slower = any(widest[name] != nominal[name] for name in ("bandwidth", "memory"))
        return _Machine(
            widest,
            nominal,
            (*numbers.unknown(), *((SLOWEST,) if slower else ())),
            sum(pool.count for pool in sides.every),
            sum(pool.count for pool in sides.reading),
            sum(pool.count for pool in sides.decoding),
        )

    def _pools(self, sides: "Sides", computes: tuple[str, ...], *, nominal: bool) -> dict[str, Any]:
        """Return memory, bandwidth and peak of all accelerators, by what they do."""
        decoding = [
            (pool.count, self._part(pool, computes, nominal=nominal)) for pool in sides.decoding
        ]
        reading = [
            (pool.count, self._part(pool, computes, nominal=nominal)) for pool in sides.reading
        ]
        return {
            "memory": sum(count * one.memory_bytes for count, one in decoding),
            "bandwidth": sum(count * one.bandwidth for count, one in decoding),
            "peak": sum(count * one.peak for count, one in decoding),
            "prefill_bandwidth": sum(count * one.bandwidth for count, one in reading),
            "prefill_peak": sum(count * one.peak for count, one in reading),
        }

    def _part(self, pool: Pool, computes: tuple[str, ...], *, nominal: bool) -> Most:
        """Return the fastest part that a pool could be of, or the slowest."""
        ids = pool.could_be if pool.accelerator is MISSING else (pool.accelerator,)
        known = [self._registry.accelerators.get(one) for one in ids]
        parts = [_own(one, computes) if nominal else most(one, computes) for one in known if one]
        if not parts or len(parts) < len(ids):
            raise OutOfReachError("no linked or possible part")
        choose = min if nominal else max
        found = Most(
            choose(part.memory_bytes for part in parts),
            choose(part.bandwidth for part in parts),
            choose(part.peak for part in parts),
        )
        if not isfinite(found.bandwidth):
            raise OutOfReachError(f"the bandwidth of {' or '.join(ids)} is not known")
        return found


def _terms(model: Model | None, name: str) -> Terms | str:
    if model is None:
        return "no linked model"
    try:
        return terms(model)
    except UncountedError as missing:
        return f"model sizes unknown: {name} has no {missing}"


def _own(accelerator: Accelerator, computes: tuple[str, ...]) -> Most:
    """Return what the catalogue itself says of a part, conflicts left out."""
    peaks = [getattr(accelerator.peak_tflop_s, name) for name in computes]
    known = [float(peak) for peak in peaks if peak is not MISSING]
    memory, bandwidth = accelerator.memory_gib, accelerator.memory_bandwidth_gb_s
    return Most(
        inf if memory is MISSING else float(memory) * GIB,
        inf if bandwidth is MISSING else float(bandwidth) * GIGA,
        max(known, default=inf) * TERA,
    )


@dataclass(frozen=True, slots=True)
class Sides:
    """The pools that read prompts, and those that decode; a pool without a role does both."""

    every: tuple[Pool, ...]
    reading: tuple[Pool, ...]
    decoding: tuple[Pool, ...]


def _sides(pools: tuple[Pool, ...]) -> Sides:
    if not pools:
        raise OutOfReachError("no linked or possible part")
    reading = tuple(pool for pool in pools if pool.role is MISSING or pool.role == "prefill")
    decoding = tuple(pool for pool in pools if pool.role is MISSING or pool.role == "decode")
    return Sides(pools, reading or decoding, decoding or reading)


def _prompt(record: Record, *, computed: bool = False) -> dict[str, float]:
    """Return the prompt tokens that are computed, and those that stand in the cache before.

    How much of a prompt a prefix cache holds is not known where nobody says whether there is one,
    or how often it hits: all of it, shared by all sequences and read once for them, or nothing.
    What is known to be found there may be shared as well, and is read by each at the nominal end.
    """
    workload, cache = record.workload, record.workload.prefix_cache
    tokens = 0.0 if workload.input_tokens is MISSING else float(workload.input_tokens)
    before = 0.0 if workload.context_tokens is MISSING else float(workload.context_tokens)
    if cache.enabled is False:
        return {"prompt": tokens, "before": before}
    if cache.hit_ratio is not MISSING:
        hits = tokens * float(cache.hit_ratio)
        return {"prompt": tokens - hits, "before": before + (hits if computed else 0.0)}
    return {"prompt": tokens if computed else 0.0, "before": before}


def _prompt_unknown(
    record: Record, found: dict[str, float], computed: dict[str, float]
) -> tuple[str, ...]:
    """Say what tells the two ends of a prompt apart."""
    if found == computed:
        return ()
    return (NO_HIT,) if _hits_unknown(record) else (NOT_SHARED,)


def _hits_unknown(record: Record) -> bool:
    """Tell whether prompts may be found in a prefix cache, and nobody says how much of them."""
    cache = record.workload.prefix_cache
    return cache.enabled is not False and cache.hit_ratio is MISSING


def _load(record: Record, *, counts_tokens: bool) -> dict[str, Any]:
    """Return what both ends share: batch, copies, output and speculation."""
    batch, static = _batch(record, counts_tokens=counts_tokens)
    sides = _sides(record.hardware.pools)
    copies, stages = _split(sides.decoding)
    output = record.workload.output_tokens
    return {
        "apart": sides.reading != sides.decoding,
        "replicas": copies,
        "pipeline": stages,
        "batch": batch,
        "static": static,
        "output": 1.0 if output is MISSING else max(float(output), 1.0),
        "tokens_per_step": _accepted(record),
    }


def _batch(record: Record, *, counts_tokens: bool) -> tuple[float, bool]:
    """Return how many sequences run at most, and whether exactly so many from the prompt on."""
    load = record.load
    if load.pattern == "single_stream":
        return 1.0, True
    if load.pattern == "static_batch" and load.batch_size is not MISSING and not counts_tokens:
        return float(load.batch_size), True
    limits = [
        float(limit) for limit in (load.concurrency, load.max_in_flight) if limit is not MISSING
    ]
    if load.pattern == "all_at_once" and load.requests is not MISSING and load.requests > 0:
        limits.append(float(load.requests))
    return min(limits, default=inf), False


def _split(pools: tuple[Pool, ...]) -> tuple[float, float]:
    """Return copies and pipeline stages of the one pool that says them."""
    if len(pools) != 1:
        return 1.0, 1.0
    pool = pools[0]
    copies = (
        1 if pool.parallelism.replicas is MISSING else min(pool.parallelism.replicas, pool.count)
    )
    stages = 1 if pool.parallelism.pipeline is MISSING else pool.parallelism.pipeline
    return float(copies), float(min(stages, max(1, pool.count // copies)))


def _accepted(record: Record) -> float:
    """Return the most tokens that a step yields; raises OutOfReachError where nothing says it."""
    speculative = record.workload.speculative
    if speculative.method is MISSING or speculative.method == "none":
        return 1.0
    if speculative.acceptance_length is not MISSING:
        return max(float(speculative.acceptance_length), 1.0)
    if speculative.draft_tokens is not MISSING:
        return float(speculative.draft_tokens) + 1
    raise OutOfReachError("speculative decoding of unknown acceptance")
