"""The conditions of a record in words."""

from collections.abc import Callable

from pydantic import MISSING

from benchreg.analysis.table import hardware_words
from benchreg.entities.completeness import Condition, absence
from benchreg.entities.record import Record
from benchreg.values.text import spoken

_PATTERNS = {
    "static_batch": "static batch of {load.batch_size}",
    "closed_loop": "closed loop of {load.concurrency} in flight",
    "open_loop": "open loop at {load.request_rate} req/s",
    "all_at_once": "all requests at once",
    "single_stream": "one request at a time",
    "trace_replay": "replay of a trace",
}


def described(record: Record, condition: Condition) -> str:
    """Return what the record says of a condition, or why it says nothing."""
    if condition.stated(record):
        words = _WORDS.get(condition.key)
        text = words(record) if words else "stated"
        return f"{text}{_marks(record, condition.key)}"
    declared = absence(record, condition.key)
    if declared is None:
        return "neither stated nor declared absent"
    reason = spoken(declared.because)
    return reason if declared.because == "not_applicable" else f"{reason}; absent, not inferred"


def _marks(record: Record, key: str) -> str:
    inferred = _inferred(record, key, *_CARRIED_BY.get(key, ()))
    contributed = key in record.contributed
    return f"{inferred}{' (contributed)' if contributed else ''}"


_CARRIED_BY = {
    "model": ("model.id",),
    "load": ("load.pattern",),
    "hardware": ("hardware.could_be",),
    "precision.weights": ("precision",),
    "measurement.runs": ("measurement",),
    "measurement.point": ("measurement",),
}


def _inferred(record: Record, *keys: str) -> str:
    return " (inferred)" if any(key in record.inferred for key in keys) else ""


def _model(record: Record) -> str:
    model = record.model
    parts = [part for part in (model.id, model.described_as) if part is not MISSING]
    return ", ".join(f"{part!r}" if part is model.described_as else str(part) for part in parts)


def _load(record: Record) -> str:
    if record.load.pattern is MISSING:
        load = record.load
        parts = {
            "batch {}": load.batch_size,
            "concurrency {}": load.concurrency,
            "{} req/s": load.request_rate,
        }
        return ", ".join(form.format(said) for form, said in parts.items() if said is not MISSING)
    return _PATTERNS[record.load.pattern].format(load=record.load)


def _tokens(name: str) -> Callable[[Record], str]:
    def words(record: Record) -> str:
        basis = record.workload.length_basis
        note = f", {basis}" if basis is not MISSING else ""
        return f"{getattr(record.workload, name)} tokens{note}"

    return words


def engine_words(record: Record) -> str:
    """Return which engine it was, by its id or in the source's words; nothing where unknown."""
    engine, mark = record.engine, _inferred(record, "engine", "engine.id")
    if engine.id is not MISSING:
        return f"{engine.id}{mark}"
    return f"{engine.described_as!r}{mark}" if engine.described_as is not MISSING else ""


def _build(record: Record) -> str:
    engine = record.engine
    build = [part for part in (engine.version, engine.commit, engine.image) if part is not MISSING]
    return ", ".join(str(part) for part in build)


def _warmup(record: Record) -> str:
    warmup = record.load.warmup
    parts = []
    if warmup.requests is not MISSING:
        parts.append(f"{warmup.requests} requests")
    if warmup.seconds is not MISSING:
        parts.append(f"{warmup.seconds} s")
    if warmup.excluded is not MISSING:
        parts.append("excluded" if warmup.excluded else "not excluded")
    return ", ".join(parts)


def _requests(record: Record) -> str:
    load = record.load
    issued = load.requests if load.requests is not MISSING else load.completed
    parts = [f"{issued} requests"] if issued is not MISSING else []
    parts += [f"{load.duration_s} s"] if load.duration_s is not MISSING else []
    return ", ".join(parts)


def _parallelism(record: Record) -> str:
    pools = [
        ", ".join(f"{spoken(name)} {getattr(pool.parallelism, name)}" for name in named)
        for pool in record.hardware.pools
        if (named := sorted(pool.parallelism.model_fields_set))
    ]
    return "; ".join(pools)


def _precision(record: Record) -> str:
    precision = record.precision
    parts = [f"weights {precision.weights}"] if precision.weights is not MISSING else []
    if precision.kv_cache is not MISSING:
        parts.append(f"KV cache {precision.kv_cache}{_inferred(record, 'precision.kv_cache')}")
    return ", ".join([*parts, *(f"{name} {form}" for name, form in precision.parts.items())])


def _prefix_cache(record: Record) -> str:
    cache = record.workload.prefix_cache
    parts = []
    if cache.enabled is not MISSING:
        parts.append("on" if cache.enabled else "off")
    if cache.hit_ratio is not MISSING:
        parts.append(f"hit ratio {cache.hit_ratio}")
    return ", ".join(parts)


def _window(record: Record) -> str:
    windows = {figure.window for figure in record.results.values()} | {record.load.window}
    return ", ".join(sorted(spoken(str(window)) for window in windows if window is not MISSING))


_WORDS: dict[str, Callable[[Record], str]] = {
    "model": _model,
    "hardware": hardware_words,
    "load": _load,
    "workload.input_tokens": _tokens("input_tokens"),
    "workload.output_tokens": _tokens("output_tokens"),
    "engine.version": _build,
    "load.warmup": _warmup,
    "load.scenario": lambda record: spoken(str(record.load.scenario)),
    "precision.weights": _precision,
    "parallelism": _parallelism,
    "load.requests": _requests,
    "measurement.runs": lambda record: str(record.measurement.runs),
    "workload.prefix_cache": _prefix_cache,
    "workload.speculative": lambda record: str(record.workload.speculative.method),
    "workload.output_policy": lambda record: str(record.workload.output_policy),
    "measurement.point": lambda record: spoken(str(record.measurement.point)),
    "load.window": _window,
}
