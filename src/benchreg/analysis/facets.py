"""The conditions of a figure that decide what it can be compared with, as facets."""

import re
from collections.abc import Callable, Iterator

from pydantic import MISSING

from benchreg.analysis.comparison import NOT_APPLICABLE, ROUND, TOKENIZER, Facet, Side, State
from benchreg.entities.catalogue import Metric
from benchreg.entities.completeness import BY_KEY, absence
from benchreg.entities.conditions import Parallelism, Pool
from benchreg.entities.figure import Figure
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry

UNDECLARED = "not declared"
WINDOW = "load.window"
_TARGET = re.compile(r"-99(?:\.9)?$")
_CORE_BLOCKS = ("load", "model", "hardware")  # whose key means one condition of theirs alone
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
            f"{ROUND}{entry.round} closed {', '.join(sorted(benchmark))} {record.load.scenario}"
        )
    return tuple(found)


def _of_figure(record: Record, figure: Figure, metric: Metric | None) -> Iterator[Facet]:
    latency = metric is not None and metric.quantity == "latency"
    yield Facet("kind", "stated", record.kind)
    yield _status(record)
    yield _of_its_own(figure, "metric", figure.metric)
    yield _of_its_own(figure, "unit", metric.unit if metric else figure.unit)
    yield _of_its_own(figure, "scope", figure.scope)
    yield _of_its_own(figure, "statistic", figure.statistic, missing="none")
    if metric is not None:
        yield Facet("phase", "stated", metric.phase)
    yield _optional("over", figure.over)
    yield _optional("metered", figure.metered)
    yield Facet(WINDOW, "absent", NOT_APPLICABLE) if latency else _window(record, figure)
    if latency:
        yield _of(record, "measurement.latency_origin", record.measurement.latency_origin)
        yield _optional("measurement.first_token", record.measurement.first_token)
    if _level_matters(record, figure):
        yield _level(record)


def _status(record: Record) -> Facet:
    """Return whether a record stands; one that does not is like no other one."""
    stands = record.status == "active"
    return Facet("status", "stated", record.status if stands else f"{record.status}: {record.id}")


def _of_its_own(figure: Figure, name: str, value: object, missing: str = "") -> Facet:
    if value is not MISSING:
        return Facet(name, "inferred" if name in figure.inferred else "stated", str(value),
                     str(figure.inferred.get(name, "")))  # fmt: skip
    declared = figure.absent.get(name)
    if declared is None and missing:
        return Facet(name, "stated", missing)
    return Facet(name, "absent", declared.because if declared else UNDECLARED)


def _window(record: Record, figure: Figure) -> Facet:
    """Return over what a rate is counted."""
    if figure.window is not MISSING:
        return Facet(WINDOW, "stated", figure.window)
    if declared := figure.absent.get("window"):
        return Facet(WINDOW, "absent", declared.because)
    return _of(record, WINDOW, record.load.window)


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
    name = "load.requests" if load.pattern == "all_at_once" else "load"
    return _of(record, "load.level", by_pattern.get(load.pattern, MISSING), name)


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
    """Yield what was run on what: model, parts and engine; pools stand in one order in all."""
    pools, engine, model = sorted(record.hardware.pools, key=_place), record.engine, record.model
    yield _named(record, "model", model.id, model.described_as, inference="model.id")
    yield _optional("model.revision", model.revision)
    yield _accelerator(record, pools)
    yield _concluded(record, "hardware.count", _each(pools, lambda pool: pool.count), "hardware")
    yield _optional("hardware.nodes", record.hardware.nodes)
    yield _power(record, pools)
    unsaid = any(_fields(pool.parallelism) is MISSING for pool in pools)
    split = MISSING if unsaid else _each(pools, lambda pool: _fields(pool.parallelism))
    yield _of(record, "parallelism", split)
    yield _named(record, "engine", engine.id, engine.described_as, inference="engine.id")
    builds = (engine.version, engine.commit, engine.image)
    build = next((one for one in builds if one is not MISSING), MISSING)
    yield _of(record, "engine.version", build)
    yield _optional("engine.stack", engine.stack)
    yield _optional("engine.flags", engine.flags)
    yield _optional("engine.host_offload", engine.host_offload)


def _place(pool: Pool) -> tuple[str, ...]:
    """Return what pools are ordered by, so that equal ones stand at equal places."""
    said = (pool.role, pool.accelerator, pool.described_as, pool.count, _fields(pool.parallelism))
    return tuple("" if one is MISSING else f"{one!s:>9}" for one in said)


def _power(record: Record, pools: list[Pool]) -> Facet:
    """Return the power limit; a Max-Q system of MLPerf has one, and none of them says which."""
    key, system = "hardware.power_limit", getattr(record.mlperf, "system", "")
    stated = [pool for pool in pools if pool.power_limit_w is not MISSING]
    if stated:
        return Facet(key, "stated", _each(stated, lambda pool: f"{pool.power_limit_w} W"))
    capped = "maxq" in str(system).casefold()
    return Facet(key, "absent", "Max-Q, of no stated limit") if capped else _optional(key, MISSING)


def _accelerator(record: Record, pools: list[Pool]) -> Facet:
    """Return the parts: stated only where each of them is one of the catalogue."""
    key = "hardware.accelerator"
    if pools and all(pool.accelerator is not MISSING for pool in pools):
        return _concluded(record, key, _each(pools, lambda pool: pool.accelerator), "hardware")
    if not pools:
        return _of(record, key, MISSING, "hardware")
    return Facet(key, "absent", _each(pools, _could_be))


def _concluded(record: Record, key: str, value: str, name: str) -> Facet:
    """Return what is stated, or was inferred under another name."""
    why = record.inferred.get(name, "")
    return Facet(key, "inferred" if why else "stated", value, str(why))


def _could_be(pool: Pool) -> object:
    if pool.accelerator is not MISSING:
        return pool.accelerator
    if pool.could_be:
        return f"could be {' or '.join(pool.could_be)}"
    if pool.described_as is MISSING:
        return "only described"
    return f"{pool.described_as.casefold()!r}"


def _each(pools: list[Pool], said: Callable[[Pool], object]) -> str:
    """Write what is said of each pool, with what a pool is for."""
    roles = ("" if pool.role is MISSING else f" for {pool.role}" for pool in pools)
    return " + ".join(f"{said(pool)}{role}" for pool, role in zip(pools, roles, strict=True))


def _named(record: Record, key: str, id_: object, words: object, inference: str) -> Facet:
    """Return what is linked; what is only described, in a source's own words, is not known."""
    if id_ is not MISSING:
        inferred = record.inferred.get(inference) or record.inferred.get(key)
        return Facet(key, "inferred" if inferred else "stated", str(id_), str(inferred or ""))
    return Facet(key, "absent", f"{words!r}") if words is not MISSING else _of(record, key, MISSING)


def _tokenizer(registry: Registry, record: Record) -> Facet:
    """Return the tokenizer that rates of tokens count in: the model family's, if none is named."""
    key, name = TOKENIZER, record.model.id
    if record.model.tokenizer is not MISSING:
        return Facet(key, "stated", record.model.tokenizer)
    model = registry.models.get(str(name)) if name is not MISSING else None
    if model is None or model.vocabulary_size is MISSING:
        return Facet(key, "absent", UNDECLARED)
    return Facet(key, "stated", f"that of {model.family}, {model.vocabulary_size:,} tokens")


def _limits(record: Record) -> Iterator[Facet]:
    """Yield the limits that a run kept; where none is declared or absent, there were none."""
    slo = MISSING if record.slo is MISSING else _fields(record.slo)
    yield _limit(record, "slo", slo)
    targets = [f"{one.eval} {one.target}" for one in record.accuracy if one.target is not MISSING]
    yield _limit(record, "accuracy", ", ".join(targets) or MISSING)


def _limit(record: Record, key: str, value: object) -> Facet:
    found = _of(record, key, value)
    return Facet(key, "stated", "none") if found.value == UNDECLARED else found


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
    """Return a condition that is stated, inferred with its reason, or absent with its reason.

    A reason may stand under the name of the whole block.
    """
    name = declared_as or key
    block = key.partition(".")[0]
    names = (key, name) if block in _CORE_BLOCKS else (key, name, block)
    why = next((record.inferred[one] for one in names if one in record.inferred), "")
    if value is not MISSING:
        measured = key.endswith("_tokens") and record.workload.length_basis == "measured"
        state: State = "inferred" if why and not measured else "stated"
        return Facet(key, state, str(value), "" if measured else str(why))
    found = absence(record, name) if name in BY_KEY else None
    return Facet(key, "absent", found.because if found else UNDECLARED)
