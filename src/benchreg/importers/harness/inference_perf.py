"""inference-perf: the reports that it writes as JSON, of a stage of load."""

from collections.abc import Iterator
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from benchreg.importers.foreign import Amount, Foreign, Measured, Whole
from benchreg.importers.harness.inference_perf_config import (
    ARRIVING,
    FAR,
    NAME,
    Config,
    beside,
    conditions,
    load,
)
from benchreg.importers.importer import importer
from benchreg.importers.opened import Opened
from benchreg.importers.statement import RepeatedError, RunError, Statement, plain

NEVER = MappingProxyType({
    "model": f"inference-perf names the model in {NAME} alone",
    "hardware": "inference-perf runs on a client and does not write the server's hardware",
    "engine": "server.type is the kind of client, and no word of which server answered",
    "engine.version": "inference-perf does not write the server's version, nor its own",
    "load": "the load is of no kind that is known here, or of a stage that a sweep made",
    "load.warmup": "inference-perf has no warm-up; a first stage may have been meant as one",
    "load.arrival": "a stage does not say how its requests arrived",
    "precision": "inference-perf sees a server from outside and does not write its formats",
    "parallelism": "inference-perf sees a server from outside, not how it is split",
    "workload.prefix_cache": "inference-perf does not write whether the server had one",
    "workload.speculative": "inference-perf does not write whether the server speculated",
    "workload.output_policy": f"{NAME} does not say that ignore_eos was sent",
    "workload.dataset": f"the kind of data stands in {NAME} alone",
    "measurement.point": "inference-perf does not write on which host it ran",
})  # fmt: skip
SAVE = "inference-perf --config_file run.yml  # with report.request_lifecycle.per_stage: true"
LATENCIES = (
    ("ttft", "ttft", "time_to_first_token"),
    ("tpot", "tpot", "time_per_output_token"),
    ("chunk", "chunk_latency", "inter_token_latency"),
    ("latency_per_token", "latency_per_output_token", "normalized_time_per_output_token"),
    ("e2e", "e2e_latency", "request_latency"),
)
RENAMED = ("inter_token_latency", "normalized_time_per_output_token")
RATES = (
    ("request_rate", "request_throughput", "requests_per_sec", "req/s"),
    ("output_rate", "output_throughput", "output_tokens_per_sec", "tok/s"),
    ("input_rate", "input_throughput", "input_tokens_per_sec", "tok/s"),
    ("total_rate", "total_throughput", "total_tokens_per_sec", "tok/s"),
)


class Summed(Foreign):
    """What was asked for and sent; a summary of all stages has no rate that was asked for."""

    count: Whole
    requested_rate: Amount | None = None
    achieved_rate: Measured = None
    concurrency: Whole | None = None


class Latency(Foreign):
    """Distributions in seconds; null where nothing was streamed."""

    request_latency: Foreign | None
    normalized_time_per_output_token: Foreign | None
    time_per_output_token: Foreign | None = None
    time_to_first_token: Foreign | None = None
    inter_token_latency: Foreign | None = None


class Throughput(Foreign):
    """Rates over the time from the first request sent to the last one answered."""

    requests_per_sec: Measured
    output_tokens_per_sec: Measured
    input_tokens_per_sec: Measured = None
    total_tokens_per_sec: Measured = None


class Tokens(Foreign):
    """Tokens of a request; totals from 0.6 on."""

    mean: Measured = None
    total: Measured = None
    cached: Measured = None


class Successes(Foreign):
    """The requests that succeeded; from 0.5 on with how often two counts of tokens differed."""

    count: Whole
    latency: Latency
    throughput: Throughput
    prompt_len: Tokens | None = None
    prompt_tokens: Tokens | None = None
    output_len: Tokens | None = None
    output_tokens: Tokens | None = None
    token_count_mismatches: Whole | None = None


class Failures(Foreign):
    """The requests that failed."""

    count: Whole


class Staged(Foreign):
    """A report of one stage, or of all."""

    load_summary: Summed
    successes: Successes
    failures: Failures
    benchmark_time_seconds: Amount | None = None


class Sent(Foreign):
    """One request, with its texts."""

    start_time: Measured
    end_time: Measured
    request: Any
    response: Any
    info: Any
    error: Any


@importer("inference-perf", harness="inference-perf", shape=Staged, save=SAVE, never=NEVER)
def inference_perf(run: Staged, file: Opened) -> Iterator[Statement]:
    """A client's view of a server under one stage of load, with `config.yaml` beside it.

    All times are seconds. Without `config.yaml` neither the model nor the arrival of requests is
    known. The requested rate of a stage of fixed concurrency means nothing and is not read; the
    achieved rate is that of sending, and no figure.
    "Inter token latency" is taken as a gap between chunks. The version is not in the file:
    up to 0.4 the time per output token was one per chunk, and is left out. A summary pools all
    stages and is no operating point.
    """
    if run.load_summary.requested_rate is None:
        raise RepeatedError(
            "pools all stages of a run, or is of 0.1.0, which wrote no load; import the files "
            "stage_N_lifecycle_metrics.json of the run"
        )
    if not run.successes.count:
        raise RunError("nothing completed, so there is nothing to record")
    config, summed = beside(file), run.load_summary
    found = Statement()
    load(found, config, summed.requested_rate, summed.concurrency)
    ends(found, run.successes.count, run.failures.count, config)
    if run.benchmark_time_seconds:
        found.state("load.duration_s", plain(run.benchmark_time_seconds))
    _lengths(found, run.successes, server=bool(config and config.server_counts))
    _figures(found, run.successes)
    for text in _remarks(run, config):
        found.remark(text)
    yield found


@importer("inference-perf-requests", harness="inference-perf", shape=Sent, save=SAVE, never={})
def requests(run: Sent, file: Opened) -> Iterator[RunError]:
    """Not imported: stage_N_lifecycle_metrics.json of the same run has the statistics.

    The list of requests holds their texts, which are not read.
    """
    del run, file
    yield RepeatedError(
        "lists requests with their texts, which are not read; import the files "
        "stage_N_lifecycle_metrics.json of the run"
    )


def ends(found: Statement, completed: int, failed: int, config: Config | None) -> None:
    """State how the requests ended, and what follows from the way the client measures."""
    found.block("load", requests=completed + failed, completed=completed, failed=failed,
                window="full_drain")  # fmt: skip
    found.block("measurement", runs=1, latency_origin="dispatched")
    if config:
        conditions(found, config)
    if failed:
        found.remark(f"{failed} requests failed; the figures are of those that succeeded")


def _lengths(found: Statement, done: Successes, *, server: bool) -> None:
    """State the mean lengths: those that the rates of the same file are counted with."""
    prompts = done.prompt_tokens if done.prompt_tokens and done.prompt_tokens.mean else None
    outputs = done.output_tokens if server and done.output_tokens else None
    length(found, "input_tokens", (prompts or done.prompt_len or Tokens()).mean)
    length(found, "output_tokens", (outputs or done.output_len or Tokens()).mean)
    found.lengths(_total(prompts), _total(outputs), done.count)
    if prompts and prompts.cached and prompts.total and prompts.cached <= prompts.total:
        found.state("workload.prefix_cache.hit_ratio", round(prompts.cached / prompts.total, 4))


def length(found: Statement, name: str, mean: Decimal | None) -> None:
    """State a mean length that was measured; None, or 0, states nothing."""
    if mean:
        found.state(f"workload.{name}", plain(mean))
        found.state("workload.length_basis", "measured")


def _total(tokens: Tokens | None) -> int | None:
    total = tokens.total if tokens else None
    return int(total) if total and total == int(total) else None


def _figures(found: Statement, done: Successes) -> None:
    for name, metric, key, unit in RATES:
        found.figure(name, metric, getattr(done.throughput, key), unit,
                     at=f"/successes/throughput/{key}")  # fmt: skip
    for name, metric, key in LATENCIES:
        values = getattr(done.latency, key)
        if values is None:
            continue
        if name == "tpot" and done.token_count_mismatches is None:
            found.remark(
                f"{key} is left out: up to 0.4 it was of chunks, which may hold several tokens"
            )
            continue
        found.statistics(
            name, metric, "s", values.statistics(at=f"/successes/latency/{key}"), n=done.count,
            source_name=key if key in RENAMED else None,
        )  # fmt: skip


def _remarks(run: Staged, config: Config | None) -> Iterator[str]:
    if config is None:
        yield f"no {NAME} lies beside it: the model is not known, nor how requests arrived"
    asked, sent = run.load_summary.requested_rate, run.load_summary.achieved_rate
    open_loop = not run.load_summary.concurrency and (not config or config.load.type in ARRIVING)
    if open_loop and asked and sent and abs(sent - asked) > FAR * asked:
        yield f"{float(asked):.6g} req/s were asked for, and {float(sent):.6g} were sent"
    if run.successes.token_count_mismatches:
        yield (
            f"client and server counted the output tokens of {run.successes.token_count_mismatches}"
            " requests differently"
        )
