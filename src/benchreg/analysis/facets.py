"""The conditions of a figure that decide what it can be compared with, as facets."""

import re
from collections.abc import Callable, Iterator

from pydantic import MISSING

from benchreg.analysis.comparison import NOT_APPLICABLE, Facet, Side, State
from benchreg.analysis.unlike import LATENCIES
from benchreg.entities.catalogue import Metric
from benchreg.entities.completeness import BY_KEY, absence
from benchreg.entities.conditions import Parallelism, Pool
from benchreg.entities.figure import Figure
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry

UNDECLARED = "not declared"
_TARGET = re.compile(r"-99(?:\.9)?$")
_CHOSEN = ("static_batch", "closed_loop", "single_stream", "trace_replay")


def side(registry: Registry, record: Record, figure: Figure) -> Side:
    """Return the facets of one figure, and within what its unknowns are shared."""
    metric = registry.metrics.get(figure.metric)
    facets = (*_of_figure(record, figure, metric), *_of_record(record), *_limits(record))
    if metric is not None and metric.counts_tokens:
        facets = (*facets, _tokenizer(registry, record))
    return Side({facet.key: facet for facet in facets}, scopes(record))


def scopes(record: Record) -> tuple[str, ...]:
    """Return within what an unknown of a record is the same as that of another record.

    The record itself, its run, its sweep, and the closed division, benchmark and scenario of an
    MLPerf round, whose rules fix what its logs do not say; the widest stands last.
    """
    found = [f"record {record.id}"]
    found += [f"run {record.run}"] if record.run is not MISSING else []
    found += [f"sweep {record.sweep}"] if record.sweep is not MISSING else []
    entry = record.mlperf
    if entry is not MISSING and entry.division == "closed" and record.load.scenario is not MISSING:
        benchmark = {_TARGET.sub("", name) for name in entry.benchmark}
        found.append(
            f"MLPerf {entry.round} closed {', '.join(sorted(benchmark))} {record.load.scenario}"
        )
    return tuple(found)


def _of_figure(record: Record, figure: Figure, metric: Metric | None) -> Iterator[Facet]:
    yield Facet("kind", "stated", record.kind)
    yield Facet("metric", "stated", figure.metric)
    yield _of_its_own(figure, "scope", figure.scope)
    yield _of_its_own(figure, "statistic", figure.statistic, missing="none")
    if metric is not None:
        yield Facet("phase", "stated", metric.phase)
    yield _optional("over", figure.over)
    yield _optional("metered", figure.metered)
    yield _window(record, figure)
    if figure.metric in LATENCIES:
        yield _of(record, "measurement.latency_origin", record.measurement.latency_origin)
        yield _optional("measurement.first_token", record.measurement.first_token)
    if _level_matters(record, figure):
        yield _level(record)


def _of_its_own(figure: Figure, name: str, value: object, missing: str = "") -> Facet:
    if value is not MISSING:
        return Facet(name, "inferred" if name in figure.inferred else "stated", str(value),
                     str(figure.inferred.get(name, "")))  # fmt: skip
    declared = figure.absent.get(name)
    if declared is None and missing:
        return Facet(name, "stated", missing)
    return Facet(name, "absent", declared.because if declared else UNDECLARED)


def _window(record: Record, figure: Figure) -> Facet:
    """Return over what a rate is counted; for a latency it is no condition."""
    key = "load.window"
    if figure.metric in LATENCIES:
        return Facet(key, "absent", NOT_APPLICABLE)
    if figure.window is not MISSING:
        return Facet(key, "stated", figure.window)
    declared = figure.absent.get("window")
    return Facet(key, "absent", declared.because) if declared else _of(
        record, key, record.load.window
    )  # fmt: skip


def _level_matters(record: Record, figure: Figure) -> bool:
    """Tell whether the level of load is a condition of a figure: not where it is what was sought.

    Of an open loop with limits the rate that it bears is the result, and Offline has no level.
    """
    return figure.scope == "per_request" or record.load.pattern in _CHOSEN


def _level(record: Record) -> Facet:
    load = record.load
    by_pattern: dict[object, object] = {
        "static_batch": load.batch_size,
        "closed_loop": load.concurrency,
        "open_loop": load.request_rate,
        "single_stream": 1,
        "all_at_once": load.requests,
    }
    return _of(record, "load.level", by_pattern.get(load.pattern, MISSING), "load")


def _of_record(record: Record) -> Iterator[Facet]:
    yield from _of_parts(record)
    load, workload, used, run = record.load, record.workload, record.precision, record.measurement
    yield _of(record, "load.pattern", load.pattern, "load")
    yield _of(record, "load.scenario", load.scenario)
    yield _of(record, "workload.input_tokens", workload.input_tokens)
    yield _of(record, "workload.output_tokens", workload.output_tokens)
    yield _of(record, "workload.output_policy", workload.output_policy)
    yield _of(record, "workload.dataset", workload.dataset)
    yield _of(record, "workload.prefix_cache", _fields(workload.prefix_cache))
    yield _of(record, "workload.speculative", _fields(workload.speculative))
    yield _of(record, "precision.weights", used.weights)
    yield _of(record, "precision.activations", used.activations)
    yield _of(record, "precision.kv_cache", used.kv_cache)
    yield _of(record, "load.warmup", _fields(load.warmup))
    yield _of(record, "measurement.point", run.point)
    yield _of(record, "measurement.runs", run.runs)
    if load.pattern == "open_loop":
        yield _of(record, "load.arrival", _fields(load.arrival))
    silent: dict[str, object] = {
        "precision.parts": dict(used.parts) or MISSING,
        "workload.context_tokens": workload.context_tokens,
        "workload.distribution": workload.distribution,
        "load.max_in_flight": load.max_in_flight,
        "service": MISSING if record.service is MISSING else _fields(record.service),
        "measurement.harness": run.harness,
    }
    yield from (_optional(key, value) for key, value in silent.items())


def _of_parts(record: Record) -> Iterator[Facet]:
    """Yield what was run on what: model, parts and engine."""
    pools, engine, model = record.hardware.pools, record.engine, record.model
    yield _named(record, "model", model.id, model.described_as, inference="model.id")
    yield _optional("model.revision", model.revision)
    yield _accelerator(record)
    yield Facet("hardware.count", "stated", _each(pools, lambda pool: pool.count))
    yield _optional("hardware.nodes", record.hardware.nodes)
    yield _optional("hardware.power_limit", _each(pools, _limit) or MISSING)
    split = [_fields(pool.parallelism) for pool in pools]
    yield _of(record, "parallelism", MISSING if MISSING in split else " + ".join(map(str, split)))
    yield _named(record, "engine", engine.id, engine.described_as, inference="engine.id")
    builds = (engine.version, engine.commit, engine.image)
    yield _of(
        record, "engine.version", next((one for one in builds if one is not MISSING), MISSING)
    )
    yield _optional("engine.stack", engine.stack)
    yield _optional("engine.flags", engine.flags)
    yield _optional("engine.host_offload", engine.host_offload)


def _limit(pool: Pool) -> object:
    return "" if pool.power_limit_w is MISSING else f"{pool.power_limit_w} W"


def _accelerator(record: Record) -> Facet:
    """Return the parts: stated only where each of them is one of the catalogue."""
    key, pools = "hardware.accelerator", record.hardware.pools
    if pools and all(pool.accelerator is not MISSING for pool in pools):
        return Facet(key, "stated", _each(pools, lambda pool: pool.accelerator))
    if not pools:
        return _of(record, key, MISSING, "hardware")
    return Facet(key, "absent", _each(pools, _could_be))


def _could_be(pool: Pool) -> object:
    if pool.accelerator is not MISSING:
        return pool.accelerator
    if pool.could_be:
        return f"could be {' or '.join(pool.could_be)}"
    return "only described" if pool.described_as is MISSING else f"{pool.described_as!r}"


def _each(pools: tuple[Pool, ...], said: Callable[[Pool], object]) -> str:
    """Write what is said of each pool, with what a pool is for."""
    words = [
        (f"{said(pool)}", "" if pool.role is MISSING else f" for {pool.role}") for pool in pools
    ]
    return " + ".join(sorted(f"{word}{role}" for word, role in words if word))


def _named(record: Record, key: str, id_: object, words: object, inference: str) -> Facet:
    """Return what is linked; what is only described, in a source's own words, is not known."""
    if id_ is not MISSING:
        inferred = record.inferred.get(inference) or record.inferred.get(key)
        return Facet(key, "inferred" if inferred else "stated", str(id_), str(inferred or ""))
    return Facet(key, "absent", f"{words!r}") if words is not MISSING else _of(record, key, MISSING)


def _tokenizer(registry: Registry, record: Record) -> Facet:
    """Return the tokenizer that rates of tokens count in: the model family's, if none is named."""
    key, name = "model.tokenizer", record.model.id
    if record.model.tokenizer is not MISSING:
        return Facet(key, "stated", record.model.tokenizer)
    model = registry.models.get(str(name)) if name is not MISSING else None
    if model is None or model.vocabulary_size is MISSING:
        return Facet(key, "absent", UNDECLARED)
    return Facet(key, "stated", f"that of {model.family}, {model.vocabulary_size:,} tokens")


def _limits(record: Record) -> Iterator[Facet]:
    """Yield the limits that a run kept; where there are none, that is what is stated."""
    slo = "none" if record.slo is MISSING else _fields(record.slo)
    yield Facet("slo", "stated", str(slo))
    targets = [f"{one.eval} {one.target}" for one in record.accuracy if one.target is not MISSING]
    yield Facet("accuracy", "stated", ", ".join(targets) or "none")


def _fields(block: object) -> object:
    """Write the fields of a block that are set; MISSING where none is."""
    fields = type(block).model_fields  # type: ignore[attr-defined]
    found = [(name, getattr(block, name)) for name in fields]
    told = [f"{name} {value}" for name, value in found if value is not MISSING]
    if isinstance(block, Parallelism):
        told = [one for one in told if not one.endswith(" 1")] or told[:1]
    return ", ".join(told) or MISSING


def _optional(key: str, value: object) -> Facet:
    return Facet(key, "silent", "") if value is MISSING else Facet(key, "stated", str(value))


def _of(record: Record, key: str, value: object, declared_as: str = "") -> Facet:
    """Return a condition that is stated, inferred with its reason, or absent with its reason."""
    name = declared_as or key
    why = record.inferred.get(key) or record.inferred.get(name)
    if value is not MISSING:
        measured = key.endswith("_tokens") and record.workload.length_basis == "measured"
        state: State = "inferred" if why and not measured else "stated"
        return Facet(key, state, str(value), str(why) if why and not measured else "")
    found = absence(record, name) if name in BY_KEY else None
    return Facet(key, "absent", found.because if found else UNDECLARED)
