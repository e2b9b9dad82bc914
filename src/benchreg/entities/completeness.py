"""Which conditions a record states, and which it declares absent."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from pydantic import MISSING

from benchreg.entities.absence import Absence
from benchreg.entities.record import Record


class Condition(NamedTuple):
    """A condition that a reader needs: its key, its words, and how a record states it.

    `fields` are what to write to state it, where that is not the key itself.
    """

    key: str
    title: str
    stated: Callable[[Record], bool]
    fields: str = ""

    @property
    def stated_by(self) -> str:
        """The fields that state it."""
        return self.fields or f"`{self.key}`"


def _any(*values: object) -> bool:
    return any(value is not MISSING for value in values)


def _all(*values: object) -> bool:
    return all(value is not MISSING for value in values)


def _load_level(record: Record) -> bool:
    load = record.load
    match load.pattern:
        case "all_at_once" | "single_stream":
            return True
        case "trace_replay":
            return _any(load.request_rate, record.workload.dataset)
        case "static_batch":
            return load.batch_size is not MISSING
        case "closed_loop":
            return load.concurrency is not MISSING
        case "open_loop":
            return load.request_rate is not MISSING
    return _any(load.batch_size, load.concurrency, load.request_rate)


def _hardware(record: Record) -> bool:
    pools = record.hardware.pools
    return bool(pools) and all(
        _any(pool.accelerator, pool.described_as) or pool.could_be for pool in pools
    )


def _parallelism(record: Record) -> bool:
    return any(pool.parallelism.model_fields_set for pool in record.hardware.pools)


def _window(record: Record) -> bool:
    own = [figure.window is not MISSING for figure in record.results.values()]
    return record.load.window is not MISSING or (bool(own) and all(own))


CORE: tuple[Condition, ...] = (
    Condition("model", "model", lambda r: _any(r.model.id, r.model.described_as), "`model.id`"),
    Condition("hardware", "hardware", _hardware, "`hardware.pools`"),
    Condition("load", "batch or concurrency", _load_level, "`load.pattern` and its own parameter"),
    Condition(
        "workload.input_tokens", "input length", lambda r: r.workload.input_tokens is not MISSING
    ),
    Condition(
        "workload.output_tokens", "output length", lambda r: r.workload.output_tokens is not MISSING
    ),
    Condition(
        "engine.version",
        "engine version",
        lambda r: _any(r.engine.version, r.engine.commit, r.engine.image),
        "`engine.version`, `commit` or `image`",
    ),
    Condition(
        "load.warmup",
        "warm-up",
        lambda r: _any(r.load.warmup.requests, r.load.warmup.seconds),
        "`load.warmup.requests` (0 for none) or `load.warmup.seconds`",
    ),
    Condition("load.scenario", "scenario", lambda r: r.load.scenario is not MISSING),
)
TALLIED = CORE[:-1]

EXTENDED: tuple[Condition, ...] = (
    Condition(
        "precision.weights",
        "precision",
        lambda r: r.precision.weights is not MISSING or bool(r.precision.parts),
    ),
    Condition("parallelism", "parallelism", _parallelism, "the pool's `parallelism`"),
    Condition(
        "load.requests",
        "requests or duration",
        lambda r: _any(r.load.requests, r.load.completed, r.load.duration_s),
        "`load.requests` or `load.duration_s`",
    ),
    Condition("measurement.runs", "runs", lambda r: r.measurement.runs is not MISSING),
    Condition(
        "workload.prefix_cache",
        "prefix cache",
        lambda r: _any(r.workload.prefix_cache.enabled, r.workload.prefix_cache.hit_ratio),
        "`workload.prefix_cache.enabled`",
    ),
    Condition(
        "workload.speculative",
        "speculation",
        lambda r: r.workload.speculative.method is not MISSING,
    ),
    Condition(
        "workload.output_policy", "output policy", lambda r: r.workload.output_policy is not MISSING
    ),
    Condition(
        "measurement.point", "measurement point", lambda r: r.measurement.point is not MISSING
    ),
    Condition("load.window", "window", _window),
)

_OTHERS: tuple[Condition, ...] = (
    Condition("engine", "engine", lambda r: _any(r.engine.id, r.engine.described_as)),
    Condition(
        "precision",
        "precision",
        lambda r: _all(r.precision.weights, r.precision.activations, r.precision.kv_cache),
    ),
    Condition(
        "precision.activations",
        "precision of the activations",
        lambda r: r.precision.activations is not MISSING,
    ),
    Condition(
        "precision.kv_cache",
        "precision of the KV cache",
        lambda r: r.precision.kv_cache is not MISSING,
    ),
    Condition("load.failed", "failed requests", lambda r: r.load.failed is not MISSING),
    Condition("load.arrival", "arrivals", lambda r: r.load.arrival.process is not MISSING),
    Condition("workload.dataset", "dataset", lambda r: r.workload.dataset is not MISSING),
    Condition(
        "measurement",
        "measurement",
        lambda r: _all(r.measurement.runs, r.measurement.point, r.measurement.latency_origin),
    ),
    Condition(
        "measurement.latency_origin",
        "latency origin",
        lambda r: r.measurement.latency_origin is not MISSING,
    ),
    Condition("slo", "service level objective", lambda r: r.slo is not MISSING),
    Condition("accuracy", "accuracy", lambda r: bool(r.accuracy)),
)

BY_KEY: dict[str, Condition] = {
    condition.key: condition for condition in (*CORE, *EXTENDED, *_OTHERS)
}
_WHOLE: dict[str, Callable[[Record], bool]] = {
    "parallelism": lambda r: (
        _parallelism(r)
        and all(pool.parallelism.accelerators == pool.count for pool in r.hardware.pools)
    ),
    "workload.prefix_cache": lambda r: (
        r.workload.prefix_cache.enabled is False or r.workload.prefix_cache.hit_ratio is not MISSING
    ),
    "workload.speculative": lambda r: (
        r.workload.speculative.method == "none"
        or _all(r.workload.speculative.method, r.workload.speculative.acceptance_length)
    ),
}
_SOME: dict[str, Callable[[Record], bool]] = {
    "hardware.could_be": lambda r: any(pool.could_be for pool in r.hardware.pools),
    "load.pattern": lambda r: r.load.pattern is not MISSING,
    "model.id": lambda r: r.model.id is not MISSING,
    "engine.id": lambda r: r.engine.id is not MISSING,
    "engine": lambda r: bool(r.engine.model_fields_set),
    "precision": lambda r: bool(r.precision.model_fields_set),
    "measurement": lambda r: bool(r.measurement.model_fields_set),
    "load.warmup": lambda r: bool(r.load.warmup.model_fields_set),
}
_CORE_KEYS = frozenset(condition.key for condition in CORE)


def absence(record: Record, key: str) -> Absence | None:
    """Return the declaration that covers a condition: its own, or its block's; None without one.

    A core condition is covered by its own key only, and its key covers nothing else: `load` is
    the batch or concurrency alone.
    """
    declared = record.absent
    own = declared.get(key)
    if own is not None or not declared:
        return own
    block = _block(key)
    return declared.get(block) if block else None


@cache
def _block(key: str) -> str:
    """Return the block whose declaration covers a condition; nothing where only its own does."""
    block = key.partition(".")[0]
    return block if _CORE_KEYS.isdisjoint((key, block)) else ""


def nothing_unset(record: Record, key: str) -> bool:
    """Tell whether a condition is stated in full, so that nothing of it can be absent."""
    return _WHOLE.get(key, BY_KEY[key].stated)(record)


def something_set(record: Record, key: str) -> bool:
    """Tell whether any part of a condition, or of what may be inferred beside it, is stated."""
    found = _SOME.get(key) or BY_KEY[key].stated
    return found(record)


def applies(record: Record, condition: Condition) -> bool:
    """Tell whether a condition counts: it is stated, or its absence is not `not_applicable`."""
    declared = absence(record, condition.key)
    return condition.stated(record) or declared is None or declared.because != "not_applicable"


def absent_of(record: Record, conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """Return those of the conditions that apply and are not stated, declared or not."""
    return tuple(
        condition
        for condition in conditions
        if not condition.stated(record) and applies(record, condition)
    )


def nothing_completed(record: Record) -> bool:
    """Tell whether the outcome explains that there was nothing to measure."""
    return record.outcome in ("out_of_memory", "failed")
