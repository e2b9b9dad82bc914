"""MLPerf LoadGen: the run folders that it leaves, by their detail log."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Context, Decimal

from benchreg.importers.foreign import Amount, Flag, Foreign, Measured, Text, Whole
from benchreg.importers.harness.mlperf_entry import HARNESS, placed
from benchreg.importers.importer import importer
from benchreg.importers.logged import EXTREMES, LATENCIES, LEVELS, PERCENTILES
from benchreg.importers.opened import Opened
from benchreg.importers.statement import RunError, Statement, plain

LEVEL_OF = {Decimal(level.removeprefix("p")) / 100: level for level in LEVELS.values()}
SCENARIOS = {"offline": "Offline", "server": "Server", "interactive": "Server",
             "single_stream": "SingleStream"}  # fmt: skip
METRICS = (("ttft", "ttft"), ("tpot", "tpot"), ("e2e", "e2e_latency"))
FAR = Decimal("0.1")
DIGITS = Decimal("0.00001")
_EXACT, _FOUR = Context(prec=80), Context(prec=4)


class Logged(Foreign):
    """The keys of a detail log that are read, LoadGen 3.1 to 6.0."""

    loadgen_version: Text
    requested_scenario: Text
    requested_test_mode: Text
    effective_scenario: Text | None = None
    effective_test_mode: Text | None = None
    is_error: Whole = 0
    num_errors: Whole = 0
    test_datetime: Text | None = None
    power_begin: Text | None = None
    power_end: Text | None = None
    requested_server_target_qps: Amount | None = None
    requested_use_token_latencies: Flag = False
    requested_server_ttft_latency: Amount | None = None
    requested_server_tpot_latency: Amount | None = None
    requested_server_target_latency_ns: Amount | None = None
    requested_server_target_latency_percentile: Amount | None = None
    effective_performance_sample_count: Whole | None = None
    generated_samples_per_query: Whole | None = None
    result_validity: Text | None = None
    result_perf_constraints_met: Flag = True
    result_min_duration_met: Flag = True
    result_min_queries_met: Flag = True
    early_stopping_met: Flag = True
    result_query_count: Whole | None = None
    result_max_latency_ns: Measured = None
    result_samples_per_second: Measured = None
    result_completed_samples_per_sec: Measured = None
    result_scheduled_samples_per_sec: Measured = None
    result_qps_with_loadgen_overhead: Measured = None
    result_tokens_per_second: Measured = None
    result_inferred_tokens_per_second: Measured = None
    result_completed_tokens_per_second: Measured = None
    result_inferred_completed_tokens_per_second: Measured = None
    result_token_throughput_with_loadgen_overhead: Measured = None

    @property
    def scenario(self) -> str:
        """The scenario that ran."""
        return self.effective_scenario or self.requested_scenario


NEVER = {
    "model": "a log of LoadGen does not name the model, only the folders of a submission do",
    "hardware": "a log of LoadGen does not name the hardware, only the files of a submission do",
    "load": "the log does not have the rate that was asked for",
    "engine": "LoadGen calls the system under test, and does not know what it is",
    "engine.version": "LoadGen calls the system under test, and does not know what it is",
    "workload.input_tokens": "LoadGen sends numbers of samples, and never sees a prompt",
    "workload.output_tokens": "the log counts no tokens",
    "workload.dataset": "the log has the number of samples, and no name of a dataset",
    "workload.output_policy": "LoadGen does not know how outputs end",
    "load.warmup": "LoadGen has no phase for it, and the log does not say what ran before",
    "measurement.point": "LoadGen calls the system under test, wherever that passes it on to",
    "measurement.latency_origin": "the log has latencies, and not from when they are taken",
    "parallelism": "a log of LoadGen does not say how the model was split",
    "precision": "a log of LoadGen does not say in which formats the model was served",
}
SAVE = "# the log_output settings of LoadGen name the folder of mlperf_log_detail.txt"


@importer("mlperf-loadgen", harness="LoadGen", shape=Logged, save=SAVE, never=NEVER)
def mlperf_loadgen(run: Logged, file: Opened) -> Iterator[Statement]:
    """A run folder of LoadGen. Interactive is logged as Server: only a submission's path tells.

    Server rates count every token but stop the clock when the query issued last has its answer, so
    they are higher than over the whole run. The token rate of Server is the completed one;
    result_token_throughput is in no unit that means anything, and target_qps is a setting. A rate
    that LoadGen infers is samples per second times a number that the benchmark fixes: nobody
    counted tokens. Latencies of Offline are not read, for no user waits there.
    """
    _refuse(run)
    found = Statement()
    here = placed(found, file)
    if here and SCENARIOS.get(here.scenario) != run.scenario:
        raise RunError(f"the folder says {here.way[-1]}, and the log {run.scenario}")
    if here:
        found.state("measurement.harness", HARNESS)
    found.block("measurement", harness_version=run.loadgen_version, runs=1, measured=_days(run))
    found.absent("load.failed", "not_applicable", "LoadGen has no count of failures")
    if run.scenario == "Offline":
        _offline(found, run)
    else:
        _online(found, run)
    if not found.tree.get("results"):
        raise RunError("the log has no rate and no latency above 0")
    yield found


def _refuse(run: Logged) -> None:
    """Raise RunError for what is no valid performance run of a scenario that is read."""
    mode = run.effective_test_mode or run.requested_test_mode
    if mode not in ("PerformanceOnly", "SubmissionRun"):
        raise RunError(f"is a run in mode {mode[:40]!r}; a performance run has the figures")
    if run.scenario not in SCENARIOS.values():
        raise RunError(f"is a run of the scenario {run.scenario[:40]!r}, which is not read")
    if run.is_error or run.num_errors:
        raise RunError(f"LoadGen logged errors: {max(run.is_error, run.num_errors)}")
    if run.result_validity is None:
        raise RunError("the log ends before its result: the run was cut off")
    if run.result_validity != "VALID":
        raise RunError(f"LoadGen calls the result {run.result_validity[:40]}: {_unmet(run)}")
    if run.result_query_count == 0:
        raise RunError("nothing completed, so there is nothing to record")


def _unmet(run: Logged) -> str:
    met = (
        ("the limits on latency", run.result_perf_constraints_met),
        ("the duration", run.result_min_duration_met),
        ("the number of queries", run.result_min_queries_met),
        ("the number of queries for early stopping", run.early_stopping_met),
    )
    unmet = [name for name, kept in met if not kept]
    return f"not met: {', '.join(unmet)}" if unmet else "it does not say why"


def _offline(found: Statement, run: Logged) -> None:
    found.block("load", pattern="all_at_once", duration_s=_seconds(run), window="full_drain")
    _sent(found, run)
    samples, tokens = run.result_samples_per_second, run.result_tokens_per_second
    found.figure("request_rate", "request_throughput", samples, "req/s",
                 at="/result_samples_per_second")  # fmt: skip
    inferred = run.result_inferred_tokens_per_second
    _tokens(found, ("/result_tokens_per_second", tokens),
            ("/result_inferred_tokens_per_second", inferred))  # fmt: skip
    if tokens and samples:
        _length(found, tokens / samples, "Logged tokens per second over logged samples per second.")


def _sent(found: Statement, run: Logged) -> None:
    """State the samples of an Offline run: LoadGen may fill its one query up to whole passes.

    Its rate is over its longest latency, and tells which number it is.
    """
    asked, of_pass = run.generated_samples_per_query, run.effective_performance_sample_count
    rate, longest = run.result_samples_per_second, run.result_max_latency_ns
    if not (asked and rate and longest):
        return
    filled = -(-asked // of_pass) * of_pass if of_pass else asked
    really = rate * longest.scaleb(-9, _EXACT)
    for number in (asked, filled):
        if abs(really / number - 1) < DIGITS:
            found.state("load.requests", number)
            if number != asked:
                found.inferred("load.requests", "The samples of the query that was generated, "
                               "filled up to whole passes over the samples that were loaded: "
                               "as many as the rate times the longest latency.")  # fmt: skip
            return
    found.remark("the log does not say how many samples were sent; its rate tells another number")


def _online(found: Statement, run: Logged) -> None:
    """State a run of Server or SingleStream, in which somebody waits for each request."""
    if run.scenario == "Server":
        _server(found, run)
    else:
        found.block("load", pattern="single_stream", window="full_drain")
        found.figure("request_rate", "request_throughput", run.result_qps_with_loadgen_overhead,
                     "req/s", at="/result_qps_with_loadgen_overhead",
                     note="all queries but the last, until that one was issued")  # fmt: skip
        _mean(found, run, run.result_token_throughput_with_loadgen_overhead,
              run.result_qps_with_loadgen_overhead)  # fmt: skip
    found.block("load", requests=run.result_query_count, duration_s=_seconds(run))
    _tokens(found, ("/result_completed_tokens_per_second", run.result_completed_tokens_per_second),
            ("/result_inferred_completed_tokens_per_second",
             run.result_inferred_completed_tokens_per_second))  # fmt: skip
    for (name, metric), overall, level in zip(METRICS, LATENCIES, PERCENTILES, strict=True):
        values = run.statistics(overall, words=EXTREMES) | run.statistics(level, words=LEVELS)
        in_ms = {key: (_ms(value), at) for key, (value, at) in values.items()}
        found.statistics(name, metric, "ms", in_ms, n=run.result_query_count, note="logged in ns")


def _server(found: Statement, run: Logged) -> None:
    rate, done = run.requested_server_target_qps, run.result_completed_samples_per_sec
    found.block("load", pattern="open_loop", request_rate=rate or None, window="last_issued")
    found.state("load.arrival.process", "poisson")
    found.state("measurement.latency_origin", "scheduled")
    found.inferred("measurement.latency_origin",
                   "LoadGen takes latencies of Server from the time for which a query was "
                   "scheduled; its log has the latencies alone.")  # fmt: skip
    _limits(found, run)
    found.figure("request_rate", "request_throughput", done, "req/s",
                 at="/result_completed_samples_per_sec")  # fmt: skip
    found.figure("offered_rate", "offered_rate", run.result_scheduled_samples_per_sec, "req/s",
                 at="/result_scheduled_samples_per_sec")  # fmt: skip
    _mean(found, run, run.result_completed_tokens_per_second, done)
    if rate and done and abs(done / rate - 1) > FAR:
        found.remark(f"{done} requests a second completed, and {rate} were asked for")


def _limits(found: Statement, run: Logged) -> None:
    """State the limits that the run had to keep, at the percentile that LoadGen looked at."""
    level = LEVEL_OF.get(run.requested_server_target_latency_percentile or Decimal())
    limits = {"e2e_ms": _ms(run.requested_server_target_latency_ns)}
    if run.requested_use_token_latencies:
        limits = {"ttft_ms": _ms(run.requested_server_ttft_latency),
                  "tpot_ms": _ms(run.requested_server_tpot_latency)}  # fmt: skip
    kept = {name: plain(limit) for name, limit in limits.items() if limit}
    if kept and level:
        found.block("slo", **kept, percentile=level)


def _tokens(found: Statement, counted: tuple[str, Decimal | None],
            inferred: tuple[str, Decimal | None]) -> None:  # fmt: skip
    """State the rate of tokens that was counted, else the one that was inferred, marked as such."""
    at, value = counted
    if value is not None:
        found.figure("output_rate", "output_throughput", value, "tok/s", at=at)
        return
    at, value = inferred
    told = "LoadGen multiplied samples by a number that the benchmark fixes; no token was counted."
    found.figure("output_rate", "output_throughput", value, "tok/s", at=at,
                 inferred={"value": told})  # fmt: skip


def _mean(found: Statement, run: Logged, tokens: Decimal | None, samples: Decimal | None) -> None:
    """State the mean output: rates of one window, of which that of samples leaves out the last."""
    issued = run.result_query_count
    if tokens and samples and issued and issued > 1:
        _length(found, tokens / samples * (issued - 1) / issued,
                "Logged tokens per second over logged samples per second; LoadGen leaves the last "
                "query out of the samples, and not out of the tokens.")  # fmt: skip


def _length(found: Statement, mean: Decimal, reason: str) -> None:
    found.block("workload", output_tokens=plain(_FOUR.plus(mean)), length_basis="measured")
    found.inferred("workload.output_tokens", reason)


def _ms(nanoseconds: Decimal | None) -> Decimal | None:
    return None if nanoseconds is None else nanoseconds.scaleb(-6, _EXACT).normalize(_EXACT)


def _seconds(run: Logged) -> Decimal | int | None:
    """Return how long the run really took; None where its two times do not tell."""
    begin, end = _moment(run.power_begin), _moment(run.power_end)
    if begin is None or end is None or end <= begin:
        return None
    return plain(Decimal((end - begin) // timedelta(milliseconds=1)) / 1000)


def _moment(text: str | None) -> datetime | None:
    try:
        return datetime.strptime(text or "", "%m-%d-%Y %H:%M:%S.%f").replace(tzinfo=UTC)
    except ValueError:
        return None


def _days(run: Logged) -> str | None:
    """Return the day of the run, or its first and last, by the clock of the log."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z?", run.test_datetime or ""):
        return None
    try:
        first = datetime.fromisoformat(str(run.test_datetime)[:19]).replace(tzinfo=UTC)
        last = first + timedelta(seconds=float(_seconds(run) or 0))
    except (ValueError, OverflowError):
        return None
    days = (first.date().isoformat(), last.date().isoformat())
    return days[0] if days[0] == days[1] else "/".join(days)
