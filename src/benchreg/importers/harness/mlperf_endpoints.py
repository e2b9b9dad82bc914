"""MLCommons' inference-endpoint: the summary that it writes in place of a log of LoadGen."""

from collections.abc import Iterator
from decimal import Context, Decimal

from benchreg.importers.foreign import Amount, Flag, Foreign, Measured, Text, Whole
from benchreg.importers.harness.mlperf_entry import placed
from benchreg.importers.importer import importer
from benchreg.importers.opened import Opened
from benchreg.importers.statement import RunError, Statement, plain

EXTREMES = {"avg": "mean", "median": "p50", "min": "min", "max": "max"}
LEVELS = {
    f"{level}{zero}": f"p{level}" for level in (1, 5, 10, 25, 75, 90, 95, 99) for zero in (".0", "")
} | {"99.9": "p99.9"}
METRICS = (("ttft", "ttft", "ttft"), ("tpot", "tpot", "tpot"), ("latency", "e2e", "e2e_latency"))
OFFLINE, ONLINE = ("max_throughput",), ("poisson", "concurrency")
SCENARIOS = {"offline": OFFLINE, "server": ONLINE, "interactive": ONLINE}
FAR = Decimal("0.1")
_EXACT = Context(prec=80)


class Series(Foreign):
    """What is told of one quantity; empty where nothing was measured."""

    total: Measured = None
    percentiles: Foreign = Foreign()


class Pattern(Foreign):
    """How requests were sent."""

    type: Text
    target_qps: Amount | None = None
    target_concurrency: Whole | None = None


class Warmup(Foreign):
    """The tool's own warm-up."""

    enabled: Flag
    n_requests: Whole | None = None


class Settings(Foreign):
    """The settings of the run that the summary repeats."""

    load_pattern: Pattern | None = None
    warmup: Warmup | None = None


class Summary(Foreign):
    """One `performance/result_summary.json`, 0.1."""

    version: Text | None = None
    n_samples_issued: Whole
    n_samples_completed: Whole
    n_samples_failed: Whole
    duration_ns: Measured
    state: Text | None = None
    complete: Flag = True
    ttft: Series
    tpot: Series
    latency: Series
    output_sequence_lengths: Series
    input_sequence_lengths: Series = Series()
    legacy_loadgen_window_duration_ns: Measured = None
    qps: Measured = None
    tps: Measured = None
    run_config: Settings | None = None


NEVER = {
    "model": "the summary does not name the model, only the folders of a submission do",
    "hardware": "the summary does not name the hardware, only the files of a submission do",
    "load": "an older inference-endpoint does not write how it sent requests",
    "engine": "inference-endpoint runs on the client and does not write which server answered",
    "engine.version": "inference-endpoint does not write the server's version",
    "workload.input_tokens": "an older inference-endpoint does not count prompt tokens",
    "workload.output_tokens": "inference-endpoint counts tokens only where it has a tokenizer",
    "workload.dataset": "the summary does not name the dataset",
    "workload.output_policy": "the summary does not say how outputs end",
    "load.warmup": "an older inference-endpoint does not write whether it warmed up",
    "measurement.point": "the summary does not say where the client ran",
    "measurement.latency_origin": "the summary has latencies, and not from when they are taken",
    "parallelism": "inference-endpoint does not know how the model was split",
    "precision": "inference-endpoint does not know in which formats the model was served",
}
SAVE = "inference-endpoint benchmark ... --report-dir DIR  # DIR/performance/result_summary.json"


@importer("mlperf-endpoints", harness="inference-endpoint", shape=Summary, save=SAVE, never=NEVER)
def mlperf_endpoints(run: Summary, file: Opened) -> Iterator[Statement]:
    """A summary of inference-endpoint. Its rates may be over one of two windows.

    Where legacy_loadgen_window_duration_ns is a number, they are those of LoadGen's Server: the
    clock stops when the request issued last has its answer. Else they are over the whole run.
    Latencies are in nanoseconds. Latencies of a run in which all requests come at once are not
    read, for no user waits there.
    """
    _refuse(run)
    found = Statement()
    here = placed(found, file)
    pattern = run.run_config.load_pattern if run.run_config else None
    if here and pattern and pattern.type not in SCENARIOS.get(here.scenario, ()):
        raise RunError(f"the folder says {here.way[-1]}, and the summary {pattern.type[:40]}")
    found.block("measurement", harness_version=run.version, runs=1)
    _load(found, run)
    found.lengths(_total(run.input_sequence_lengths), _total(run.output_sequence_lengths),
                  run.n_samples_completed)  # fmt: skip
    _rates(found, run)
    if pattern is None or pattern.type not in OFFLINE:
        _latencies(found, run)
    if not found.tree.get("results"):
        raise RunError("the summary has no rate and no latency above 0")
    yield found


def _refuse(run: Summary) -> None:
    if (run.state or "complete") != "complete" or not run.complete:
        raise RunError("the run did not come to its end, so its figures are partial")
    if not run.n_samples_completed:
        raise RunError("nothing completed, so there is nothing to record")


def _load(found: Statement, run: Summary) -> None:
    pattern = run.run_config.load_pattern if run.run_config else None
    warmup = run.run_config.warmup if run.run_config else None
    found.block("load", requests=run.n_samples_issued, completed=run.n_samples_completed,
                failed=run.n_samples_failed, duration_s=_scaled(run.duration_ns, -9),
                window=_window(run))  # fmt: skip
    if warmup:
        found.state("load.warmup.requests", warmup.n_requests if warmup.enabled else 0)
    if run.n_samples_failed:
        found.remark(f"{run.n_samples_failed} requests failed; rates count those that completed")
    if pattern is None:
        found.remark("the summary does not say how requests were sent; say it with --set")
    elif pattern.type in OFFLINE:
        found.state("load.pattern", "all_at_once")
    elif pattern.type == "concurrency" and pattern.target_concurrency:
        found.block("load", pattern="closed_loop", concurrency=pattern.target_concurrency)
    elif pattern.type == "poisson" and pattern.target_qps:
        found.block("load", pattern="open_loop", request_rate=pattern.target_qps)
        found.state("load.arrival.process", "poisson")
        if run.qps and abs(run.qps / pattern.target_qps - 1) > FAR:
            found.remark(f"{run.qps} requests a second completed, and {pattern.target_qps} "
                         "were asked for")  # fmt: skip
    else:
        raise RunError(f"sent requests as {pattern.type[:40]!r}, without a level that is read")


def _window(run: Summary) -> str:
    return "last_issued" if run.legacy_loadgen_window_duration_ns else "full_drain"


def _rates(found: Statement, run: Summary) -> None:
    note = None
    if run.legacy_loadgen_window_duration_ns:
        note = "all requests but the last, over LoadGen's window"
    found.figure("request_rate", "request_throughput", run.qps, "req/s", at="/qps", note=note)
    found.figure("output_rate", "output_throughput", run.tps, "tok/s", at="/tps")


def _latencies(found: Statement, run: Summary) -> None:
    for key, name, metric in METRICS:
        series: Series = getattr(run, key)
        values = series.statistics(at=f"/{key}", words=EXTREMES)
        values |= series.percentiles.statistics(at=f"/{key}/percentiles", words=LEVELS)
        in_ms = {word: (_scaled(value, -6), at) for word, (value, at) in values.items()}
        found.statistics(name, metric, "ms", in_ms, n=run.n_samples_completed,
                         stdev=_scaled(series.spread(), -6), note="written in ns")  # fmt: skip


def _total(series: Series) -> int | None:
    """Return a total of tokens; None where nothing was counted."""
    total = series.total
    return int(total) if total and total == total.to_integral_value() else None


def _scaled(value: Decimal | None, places: int) -> Decimal | None:
    """Return a number of nanoseconds in another unit, exactly; None where it is none above 0."""
    if value is None or value <= 0:
        return None
    return Decimal(plain(value.scaleb(places, _EXACT).normalize(_EXACT)))
