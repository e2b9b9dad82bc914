"""SGLang in batches, with and without a server: what three of its tools append to a file."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, ClassVar

from benchreg.importers.batches import each_decodes, static_batch
from benchreg.importers.foreign import Foreign, Measured, Number, Text, Whole
from benchreg.importers.harness.settings import forced, in_process
from benchreg.importers.harness.sglang import LIFETIME, RATES
from benchreg.importers.importer import importer
from benchreg.importers.opened import Opened
from benchreg.importers.statement import RunError, Statement, plain

CLOSE = Decimal("0.002")
ENGINE = "SGLang"
IN_STEP = "the requests of the batch start together and run in step, so that each takes as long"
MIDDLE = "at the step whose latency is the median"
WHOLE = "the time until the last request of the batch was answered"
AFTER_LAST = (
    "the tokens of the whole batch over the time after its last request had its first token"
)


class Batch(Foreign):
    """One batch of requests of one length; `run_name` is free text and not read."""

    run_name: Any
    batch_size: Whole
    input_len: Whole
    output_len: Whole


class OneBatch(Batch):
    """A line of `bench_one_batch`; without decoding there is no decode latency."""

    prefill_latency: Measured
    prefill_throughput: Measured = None
    median_decode_latency: Measured = None
    median_decode_throughput: Measured = None
    total_latency: Measured
    overall_throughput: Measured = None


class OneBatchServer(Batch):
    """A line of `bench_one_batch_server`, which came to have more keys."""

    model_path: Text | None = None
    latency: Measured
    input_throughput: Measured = None
    output_throughput: Measured = None
    overall_throughput: Measured = None
    last_ttft: Measured = None
    last_gen_throughput: Measured = None
    acc_length: Measured = None
    total_output_tokens: Whole | None = None
    num_early_stopped: Whole | None = None
    steady_state_output_throughput: Measured = None
    cache_hit_rate: Measured = None

    without: ClassVar[frozenset[str]] = frozenset(("prefill_latency",))


class Offline(Foreign):
    """A line of `bench_offline_throughput`, where -1 is what was not computed."""

    successful_requests: Whole
    total_latency: Number
    total_input_tokens: Whole
    total_output_tokens: Number | None = None
    request_throughput: Measured
    input_throughput: Measured = None
    output_throughput: Measured = None
    total_throughput: Measured = None


TOOL = {
    "hardware": "the tool does not write the hardware",
    "parallelism": "the tool does not write how the model is split",
    "precision": "the tool does not write the number formats",
    "engine.version": "the tool does not write the version of the engine",
    "load.warmup": "the tool does not write what ran before",
    "load.failed": "a request that fails ends the run, so that there is no line",
    "workload.prefix_cache": "the tool does not write the settings of the engine",
    "workload.speculative": "the tool does not write the settings of the engine",
}
ONE_BATCH = TOOL | {
    "model": "the tool does not write the model; run_name is free text",
    "measurement.latency_origin": "the tool does not write when its clock starts",
    "load.window": "a latency has no window, and each rate has its own",
}
SERVED = ONE_BATCH | {
    "model": "older versions of the tool do not write the model; run_name is free text",
    "engine": "the tool does not write which server answered",
    "workload.output_policy": "the tool does not write whether outputs were forced",
    "measurement.point": "the tool does not write whether it shares a host with the server",
}
OFFLINE = TOOL | {
    "model": "the tool does not write the model",
    "load.failed": "the tool counts the requests that succeeded, and no others",
    "workload.output_tokens": "the outputs were not counted: their total is -1",
    "workload.output_policy": "the tool does not write whether outputs were forced",
}
RESULT = " ... --result-filename result.jsonl"


@importer("sglang-one-batch", harness="sglang bench_one_batch", shape=OneBatch,
          save="python -m sglang.bench_one_batch" + RESULT, never=ONE_BATCH)  # fmt: skip
def sglang_one_batch(run: OneBatch, file: Opened) -> Iterator[Statement]:
    """A static batch in the engine's own process, without server or scheduler.

    The rate of decoding is that of the step in the middle, all requests together. "Overall" is
    prompts and outputs over the sum of all steps. The requests run in step: the time of the prefill
    is taken as their time to first token, that of the step in the middle as the gap between tokens,
    and the whole as their end-to-end latency.
    """
    del file
    found = _batch(run, run.total_latency)
    in_process(found, ENGINE)
    forced(found)
    found.figure("prefill_rate", "prefill_throughput", run.prefill_throughput, "tok/s",
                 at="/prefill_throughput", window="phase_only")  # fmt: skip
    found.figure("decode_rate", "decode_throughput", run.median_decode_throughput, "tok/s",
                 at="/median_decode_throughput", window="phase_only", note=MIDDLE)  # fmt: skip
    each_decodes(found, run.batch_size)
    found.figure("total_rate", "total_throughput", run.overall_throughput, "tok/s",
                 at="/overall_throughput", window="full_drain")  # fmt: skip
    seen = (
        ("ttft", "ttft", run.prefill_latency, "prefill_latency", "mean"),
        ("itl", "itl", run.median_decode_latency, "median_decode_latency", "p50"),
        ("e2e", "e2e_latency", run.total_latency, "total_latency", "mean"),
    )
    for name, metric, value, key, statistic in seen:
        found.figure(
            f"{name}_{statistic}", metric, value, "s", scope="per_request", at=f"/{key}",
            statistic=statistic, source_name=key, inferred={"metric": IN_STEP},
        )  # fmt: skip
    yield found


@importer("sglang-one-batch-server", harness="sglang bench_one_batch_server", shape=OneBatchServer,
          save="python -m sglang.bench_one_batch_server" + RESULT, never=SERVED)  # fmt: skip
def sglang_one_batch_server(run: OneBatchServer, file: Opened) -> Iterator[Statement]:
    """A static batch through a server. "Output throughput" is a rate of decoding alone.

    It divides by the time after the last request had its first token, and is recorded as decode
    throughput; the first version of the tool divided by the whole time, which makes it one of
    output. "Input throughput" divides by the time to that token. "Last generation throughput" is
    that of a moment at the end, and is not read.
    """
    del file
    found = _batch(run, run.latency)
    found.state("model.described_as", run.model_path)
    _outputs(found, run)
    share = run.cache_hit_rate
    if share is not None and 0 <= share <= 1:
        found.state("workload.prefix_cache.hit_ratio", plain(share))
    _server_rates(found, run)
    found.figure("ttft_max", "ttft", run.last_ttft, "s", scope="per_request", at="/last_ttft",
                 statistic="max", n=run.batch_size)  # fmt: skip
    found.figure("e2e_max", "e2e_latency", run.latency, "s", scope="per_request", at="/latency",
                 statistic="max", n=run.batch_size, note=WHOLE)  # fmt: skip
    if run.acc_length is not None and run.acc_length > 0:
        found.figure("acceptance", "acceptance_length", run.acc_length, "tok/step",
                     at="/acc_length", note=LIFETIME)  # fmt: skip
    yield found


@importer("sglang-offline", harness="sglang bench_offline_throughput", shape=Offline,
          save="python -m sglang.bench_offline_throughput" + RESULT, never=OFFLINE)  # fmt: skip
def sglang_offline(run: Offline, file: Opened) -> Iterator[Statement]:
    """An offline run: all requests are handed to the engine at once. -1 is not computed.

    "Last generation throughput" is that of a moment at the end, and is not read.
    """
    del file
    output = run.total_output_tokens
    if output is None:
        raise RunError("is a run of an embedding model: it counts no output tokens")
    if not run.successful_requests or run.total_latency <= 0:
        raise RunError("nothing completed, so there is nothing to record")
    if output == 0 or output != output.to_integral_value():
        raise RunError("not one output token came, so there is no generation to record")
    found = Statement()
    in_process(found, ENGINE)
    found.block("load", pattern="all_at_once", requests=run.successful_requests,
                completed=run.successful_requests, duration_s=plain(run.total_latency),
                window="full_drain")  # fmt: skip
    found.lengths(run.total_input_tokens, int(output) if output > 0 else None,
                  run.successful_requests)  # fmt: skip
    found.state("measurement.runs", 1)
    for name, metric, unit in RATES:
        found.figure(name, metric, getattr(run, metric), unit, at=f"/{metric}")
    yield found


def _batch(run: Batch, took: Measured) -> Statement:
    """Return the load of a batch. Raises RunError where none was answered."""
    if not run.output_len or took is None or took <= 0:
        raise RunError("nothing completed, so there is nothing to record")
    found = Statement()
    static_batch(found, run.batch_size, 1)
    found.block("workload", input_tokens=run.input_len, output_tokens=run.output_len,
                length_basis="requested")  # fmt: skip
    return found


def _outputs(found: Statement, run: OneBatchServer) -> None:
    """State how many tokens came, where the file counts them and they are not those asked for."""
    total = run.total_output_tokens
    if total and total != run.batch_size * run.output_len:
        found.lengths(None, total, run.batch_size)
        found.remark(f"{total} output tokens came, and {run.batch_size * run.output_len} were "
                     "asked for")  # fmt: skip
    if run.num_early_stopped:
        found.remark(f"{run.num_early_stopped} requests stopped before the batch did")


def _server_rates(found: Statement, run: OneBatchServer) -> None:
    seen = "e2e_max"
    found.figure("prefill_rate", "prefill_throughput", run.input_throughput, "tok/s",
                 at="/input_throughput", window="phase_only", source_name="input_throughput",
                 note="all prompts over the time to the first token of the last one")  # fmt: skip
    if _over_whole(run):
        found.figure(
            "output_rate", "output_throughput", run.output_throughput, "tok/s",
            at="/output_throughput", window="full_drain", seen_by_request=seen,
        )  # fmt: skip
    elif run.output_len > 1:
        found.figure("decode_rate", "decode_throughput", run.output_throughput, "tok/s",
                     at="/output_throughput", window="phase_only", source_name="output_throughput",
                     note=AFTER_LAST)  # fmt: skip
        each_decodes(found, run.batch_size)
    found.figure("steady_decode_rate", "decode_throughput", run.steady_state_output_throughput,
                 "tok/s", at="/steady_state_output_throughput", window="steady_state",
                 seen_by_request=seen)  # fmt: skip
    found.figure("total_rate", "total_throughput", run.overall_throughput, "tok/s",
                 at="/overall_throughput", window="full_drain", seen_by_request=seen)  # fmt: skip


def _over_whole(run: OneBatchServer) -> bool:
    """Tell whether the output rate divides by the whole time, as the first version did."""
    rate, took = run.output_throughput, run.latency
    if rate is None or took is None or run.last_ttft is not None:
        return False
    tokens = Decimal(run.batch_size * run.output_len)
    return run.last_gen_throughput is None and abs(rate * took - tokens) <= CLOSE * tokens
