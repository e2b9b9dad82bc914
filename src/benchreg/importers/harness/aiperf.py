"""AIPerf: `profile_export_aiperf.json` of `aiperf profile`, 0.1.1 to 0.13."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal

from pydantic import Field

from benchreg.importers.foreign import Flag, Foreign, Text, Whole
from benchreg.importers.harness.aiperf_load import Config, Phase, measured, state_load
from benchreg.importers.harness.metric import (
    DIGITS,
    Metric,
    Metrics,
    completed,
    count,
    far,
    figures,
    goodput,
    ignores_eos,
    lengths,
    mean,
    metrics,
    one_model,
)
from benchreg.importers.importer import importer
from benchreg.importers.opened import Opened, Piece
from benchreg.importers.statement import RepeatedError, RunError, Statement, plain
from benchreg.values.text import amount

CLOSE = Decimal("0.05")


class Records(Foreign):
    """The metrics of a run; in 0.1.1 two have a short name."""

    request_throughput: Metric | None = None
    request_latency: Metric | None = None
    request_count: Metric | None = None
    completed_request_count: Metric | None = None
    error_request_count: Metric | None = None
    time_to_first_token: Metric | None = None
    ttft: Metric | None = None
    inter_token_latency: Metric | None = None
    inter_chunk_latency: Metric | None = None
    output_token_throughput: Metric | None = None
    input_token_throughput: Metric | None = None
    total_token_throughput: Metric | None = None
    output_token_throughput_per_user: Metric | None = None
    e2e_output_token_throughput: Metric | None = None
    input_sequence_length: Metric | None = None
    output_sequence_length: Metric | None = None
    total_isl: Metric | None = None
    total_osl: Metric | None = None
    benchmark_duration: Metric | None = None
    goodput: Metric | None = None
    usage_prompt_tokens: Metric | None = None
    credit_to_start_latency: Metric | None = None
    spec_decode_acceptance_length: Metric | None = None


class Errors(Foreign):
    """How many requests failed in one way; what they said is not read."""

    count: Whole


class Gpu(Foreign):
    """A GPU that telemetry watched."""

    gpu_name: Text


class Gpus(Foreign):
    """The GPUs of one telemetry endpoint."""

    gpus: dict[str, Gpu] = Field(default_factory=dict)


class Telemetry(Foreign):
    """What telemetry watched, where it was reachable."""

    endpoints: dict[str, Gpus] = Field(default_factory=dict)


class Profile(Records):
    """One `profile_export_aiperf.json`; `warmup_metrics` in it are no results."""

    aiperf_version: Text | None = None
    input_config: Config
    was_cancelled: Flag
    is_complete: Flag | None = None
    records: Records | None = None
    error_summary: list[Errors] | None = None
    telemetry_data: Telemetry | None = None
    start_time: Text | None = None
    end_time: Text | None = None
    warmup_metrics: object = None

    @property
    def metrics(self) -> Metrics:
        """The metrics, wherever the version of the file has them."""
        return metrics(self.records or self)

    @property
    def at(self) -> str:
        """The place of the metrics."""
        return "/records" if self.records else ""


class Sheet(Foreign):
    """The tables of one `profile_export_aiperf.csv`."""

    aiperf_tables: Whole


NEVER = {
    "hardware": "AIPerf sees the server's GPUs only where a telemetry endpoint answered",
    "engine": "AIPerf does not write which server answered",
    "engine.version": "AIPerf does not write the server's version; aiperf_version is the client's",
    "precision": "AIPerf does not write the server's number formats",
    "parallelism": "AIPerf does not write how the server splits the model",
    "workload.prefix_cache": "AIPerf does not write whether the server caches prefixes",
    "workload.speculative": "AIPerf does not write how the server speculates, if it does",
    "workload.output_policy": "AIPerf says that outputs are forced only by --extra-inputs",
    "measurement.point": "AIPerf does not write where its client ran",
}
SAVE = "aiperf profile -m MODEL --streaming ...  # profile_export_aiperf.json"


@importer("aiperf", harness="aiperf", shape=Profile, save=SAVE, never=NEVER)
def aiperf(run: Profile, file: Opened) -> Iterator[Statement]:
    """A client's view of a server. Its "inter token latency" is one mean per request: the TPOT.

    Gaps between stream chunks are its "inter chunk latency". Throughput per user leaves out the
    first token, and its p99 is that of the rate: the fast tail. Files of a warm-up, of a run that
    was cancelled or did not end, and of several measured phases are refused. Time-weighted
    metrics (effective, active) and those of the connections (http) are not read.
    """
    _refuse(run)
    have, config = run.metrics, run.input_config
    found, n, failed = Statement(), completed(run.metrics) or 0, _failed(run)
    one_model(found, config.names)
    _gpus(found, run.telemetry_data)
    phase = measured(config, file, None if run.warmup_metrics else n + (failed or 0))
    state_load(found, config, phase)
    sent = count(have, "completed_request_count")
    sent = sent if sent is not None or phase is None else phase.requests
    found.block("load", requests=sent, completed=n, failed=failed, duration_s=_duration(run, n),
                window="full_drain")  # fmt: skip
    _lengths(found, run, n)
    _measurement(found, run)
    figures(found, have, run.at, n=n, streaming=config.endpoint.streaming)
    limits = config.slos or config.input.goodput
    goodput(found, have.get("goodput"), f"{run.at}/goodput", limits)
    _remarks(found, run, phase or Phase())
    yield found


def _refuse(run: Profile) -> None:
    if run.was_cancelled:
        raise RunError("was cancelled before it ended; run it again to its end")
    if run.is_complete is False:
        raise RunError("did not end as it should (is_complete is false); run it again")
    if not count(run.metrics, "request_count"):
        raise RunError("nothing completed, so there is nothing to record")


def _failed(run: Profile) -> int | None:
    """Return how many requests failed: as counted, else as the list of errors adds up."""
    counted = count(run.metrics, "error_request_count")
    if counted is None and run.error_summary is not None:
        return sum(one.count for one in run.error_summary)
    return counted


def _gpus(found: Statement, telemetry: Telemetry | None) -> None:
    watched = telemetry.endpoints.values() if telemetry else ()
    names = [gpu.gpu_name for endpoint in watched for gpu in endpoint.gpus.values()]
    for number, name in enumerate(dict.fromkeys(names)):
        found.block(f"hardware.pools.{number}", described_as=name, count=names.count(name))
    if names:
        found.inferred("hardware", "These are the GPUs that telemetry watched; whether all of them "
                       "served the model, the file does not say.")  # fmt: skip


def _lengths(found: Statement, run: Profile, n: int) -> None:
    """State the mean lengths: as the totals give them, where the file has those."""
    lengths(found, run.metrics)
    found.lengths(count(run.metrics, "total_isl"), count(run.metrics, "total_osl"), n)
    if ignores_eos(run.input_config.endpoint.extra or run.input_config.input.extra):
        found.state("workload.output_policy", "forced")


def _measurement(found: Statement, run: Profile) -> None:
    endpoint, start = run.input_config.endpoint, _stamp(run.start_time)
    first = bool({"time_to_first_token", "ttft"} & run.metrics.keys()) and endpoint.streaming
    found.block(
        "measurement",
        harness_version=run.aiperf_version,
        measured=start.date().isoformat() if start else None,
        runs=1,
        latency_origin="dispatched",
        first_token="any" if first else None,
        token_count_source="server" if endpoint.use_server_token_count else "client_tokenizer",
        streaming=endpoint.streaming,
    )


def _duration(run: Profile, n: int) -> Decimal | int | None:
    """Return the seconds that the rates are over.

    That is from the first request to the last response; in 0.13 from the start of the phase to its
    end. Which of the two is seen from the rate of requests.
    """
    spans = [span for span in (_benchmark(run), _stamped(run)) if span is not None and span > 0]
    rate = mean(run.metrics, "request_throughput")
    if rate and rate > 0:
        spans.sort(key=lambda span: abs(span - n / rate))
    return plain(spans[0]) if spans else None


def _benchmark(run: Profile) -> Decimal | None:
    one = run.metrics.get("benchmark_duration")
    return one.avg if one is not None and one.unit in ("s", "sec") else None


def _stamped(run: Profile) -> Decimal | None:
    start, end = _stamp(run.start_time), _stamp(run.end_time)
    if start is None or end is None or (start.tzinfo is None) != (end.tzinfo is None):
        return None
    return Decimal((end - start) // timedelta(microseconds=1)) / 10**6


def _stamp(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None


def _remarks(found: Statement, run: Profile, phase: Phase) -> None:
    have, config, load = run.metrics, run.input_config, found.tree["load"]
    if load.get("failed"):
        found.remark(f"{load['failed']} requests failed; the figures are of those that completed")
    ended = load["completed"] + load.get("failed", 0)
    if phase.requests not in (None, ended):
        found.remark(f"{phase.requests} requests were to be sent, and {ended} ended")
    for way in ("input", "output"):
        length = mean(have, f"{way}_sequence_length")
        far(found, f"{way} length", config.asked(way), length)
    far(found, "rate of requests", phase.rate, mean(have, "request_throughput"))
    if not config.endpoint.use_server_token_count:
        ours, theirs = mean(have, "input_sequence_length"), mean(have, "usage_prompt_tokens")
        if ours and theirs and abs(ours - theirs) > CLOSE * ours:
            found.remark(f"the server counts {amount(float(theirs), DIGITS)} tokens a prompt, "
                         f"the client {amount(float(ours), DIGITS)}")  # fmt: skip
    waited, took = mean(have, "credit_to_start_latency"), mean(have, "request_latency")
    if waited and took and waited > CLOSE * took:
        found.remark("requests waited in the client before they were sent; latencies leave it out")
    if "spec_decode_acceptance_length" in have:
        found.remark("the server speculated; say how with --set workload.speculative.method=...")


def _tables(file: Opened) -> list[Piece]:
    tables = file.tables()
    first = tables[0][0] if tables else []
    ours = first[:4] == ["Metric", "avg", "min", "max"] and "std" in first
    return [Piece("", {"aiperf_tables": len(tables)})] if ours else []


@importer("aiperf-csv", harness="aiperf", shape=Sheet, save=SAVE, never={}, sheet=_tables)
def aiperf_csv(run: Sheet, file: Opened) -> Iterator[Statement]:
    """Not imported: profile_export_aiperf.json beside it says more.

    The table has rounded figures and no conditions, nor does it tell a result from a warm-up.
    """
    del run, file
    raise RepeatedError("the CSV of AIPerf names neither model nor load, nor whether it is of the "
                   "warm-up; import profile_export_aiperf.json beside it")  # fmt: skip
