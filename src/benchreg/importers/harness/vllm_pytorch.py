"""vLLM's offline benchmarks once more: the list of metrics with the arguments of the run."""

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from typing import Any

from pydantic import Field

from benchreg.importers.batches import static_batch, warmups
from benchreg.importers.foreign import Flag, Foreign, Measured, Text, Whole
from benchreg.importers.harness.settings import Settings, formats, in_process, split
from benchreg.importers.harness.vllm_offline import (
    ENGINE,
    OF_LATENCY,
    OF_THROUGHPUT,
    OFFLINE,
    SAVE_LATENCY,
    SAVE_THROUGHPUT,
    Amounts,
    Statistics,
    latency,
    throughput,
)
from benchreg.importers.importer import importer
from benchreg.importers.opened import Opened, Piece
from benchreg.importers.statement import Statement

MOST_METRICS = 64
FAR = Decimal("0.1")
TORCH = "SAVE_TO_PYTORCH_BENCHMARK_FORMAT=1 "
DATASET = re.compile(r"[a-z0-9_-]{1,40}")


class Arguments(Settings):
    """The arguments of a run that are looked at: an allow-list, for all of them are in the file."""

    model: Text | None = None
    backend: Text | None = None
    dataset_name: Text | None = None
    input_len: Whole | None = None
    random_input_len: Whole | None = None
    prefix_len: Whole | None = None
    output_len: Whole | None = None
    random_output_len: Whole | None = None
    random_range_ratio: Any = None
    batch_size: Whole | None = None
    n: Whole | None = None
    num_iters_warmup: Whole | None = None
    tensor_parallel_size: Whole | None = None
    pipeline_parallel_size: Whole | None = None
    data_parallel_size: Whole | None = None
    enable_expert_parallel: Flag | None = None
    enable_prefix_caching: Flag | None = None


class Info(Foreign):
    """What stands beside the benchmark's name."""

    args: Arguments


class Benchmark(Foreign):
    """The block of a metric that says how it was run."""

    extra_info: Info


class Rated(Foreign):
    """A rate as a metric of its own."""

    benchmark_values: list[Measured] = Field(min_length=1, max_length=1)
    extra_info: Amounts


class Timed(Foreign):
    """The latencies as a metric of its own."""

    benchmark_values: list[Any]
    extra_info: Statistics


class RatedItem(Foreign):
    """One rate with its arguments; `place` is its number in the file."""

    benchmark: Benchmark
    metric: Rated
    place: Whole


class TimedItem(Foreign):
    """The latencies with their arguments; `place` is their number in the file."""

    benchmark: Benchmark
    metric: Timed
    place: Whole


class ThroughputMetrics(Foreign):
    """The two metrics of a throughput run, gathered from the list that a file is."""

    requests_per_second: RatedItem
    tokens_per_second: RatedItem


class LatencyMetrics(Foreign):
    """The metric of a latency run, gathered from the list that a file is."""

    latency: TimedItem


def metrics(file: Opened) -> list[Piece]:
    """Return the metrics of a run as one tree, by their names; nothing for another kind of file."""
    if file.form != "json":
        return []
    tree: dict[str, Any] = {}
    for place, piece in enumerate(islice(file.pieces(), MOST_METRICS)):
        item = piece.tree
        metric = item.get("metric") if isinstance(item, dict) else None
        name = metric.get("name") if isinstance(metric, dict) else None
        if not isinstance(name, str) or name in tree:
            return []
        tree[name] = {**item, "place": place}
    return [Piece("", tree)] if tree else []


RATES = (
    ("request_rate", "request_throughput", "req/s"),
    ("total_rate", "total_throughput", "tok/s"),
)
NEVER_THROUGHPUT = {
    **OFFLINE,
    **OF_THROUGHPUT,
    "engine": "another program than vLLM generated: --backend says so",
    "workload.input_tokens": "a data set has its own lengths, and tokens are counted in one sum",
    "workload.output_tokens": "a data set has its own lengths, and tokens are counted in one sum",
}


@importer("vllm-throughput-pytorch", harness="vllm bench throughput", shape=ThroughputMetrics,
          save=TORCH + SAVE_THROUGHPUT, never=NEVER_THROUGHPUT, gather=metrics)  # fmt: skip
def vllm_throughput_pytorch(run: ThroughputMetrics, file: Opened) -> Iterator[Statement]:
    """An offline run with the arguments of its command line, a metric to an item of the list.

    The lengths are those that were asked for, and stated where the prompts are random: a data set
    has its own. "Tokens" are prompts and outputs. Of the arguments a few are read, by name.
    """
    del file
    rates = (run.requests_per_second, run.tokens_per_second)
    args, amounts = rates[0].benchmark.extra_info.args, rates[0].metric.extra_info
    found = Statement()
    _arguments(found, args)
    if args.backend in ("vllm", "vllm-chat"):
        in_process(found, ENGINE)
    throughput(found, amounts)
    for (name, metric, unit), rate in zip(RATES, rates, strict=True):
        found.figure(name, metric, rate.metric.benchmark_values[0], unit,
                     at=f"/{rate.place}/metric/benchmark_values/0")  # fmt: skip
    _lengths(found, args, amounts)
    yield found


@importer("vllm-latency-pytorch", harness="vllm bench latency", shape=LatencyMetrics,
          save=TORCH + SAVE_LATENCY, never=OFFLINE | OF_LATENCY, gather=metrics)  # fmt: skip
def vllm_latency_pytorch(run: LatencyMetrics, file: Opened) -> Iterator[Statement]:
    """The time of one static batch, with its size, lengths and warm-up.

    It is taken as the end-to-end latency of each request of the batch, for they start together and
    have one length. Percentiles are over iterations. Of the arguments of the command line a few are
    read, by name.
    """
    del file
    args, timed = run.latency.benchmark.extra_info.args, run.latency.metric
    found = Statement()
    _arguments(found, args)
    in_process(found, ENGINE)
    if args.batch_size is not None:
        static_batch(found, args.batch_size)
        warmups(found, args.num_iters_warmup, args.batch_size)
    found.block("workload", input_tokens=args.input_len, output_tokens=args.output_len)
    if args.input_len is not None or args.output_len is not None:
        found.state("workload.length_basis", "requested")
    if args.n is not None and args.n > 1:
        found.remark(f"each prompt made {args.n} sequences: the batch holds more than its requests")
    latency(found, timed.extra_info, len(timed.benchmark_values),
             at=f"/{run.latency.place}/metric/extra_info")  # fmt: skip
    yield found


def _arguments(found: Statement, args: Arguments) -> None:
    found.state("model.described_as", args.model)
    formats(found, args)
    found.state("workload.prefix_cache.enabled", args.enable_prefix_caching)
    if args.data_parallel_size in (None, 1):
        expert = args.tensor_parallel_size if args.enable_expert_parallel else None
        split(found, tensor=args.tensor_parallel_size, pipeline=args.pipeline_parallel_size,
              expert=expert)  # fmt: skip


def _lengths(found: Statement, args: Arguments, amounts: Amounts) -> None:
    """State the data set, and the lengths that were asked for where its prompts are random."""
    if DATASET.fullmatch(args.dataset_name or ""):
        found.state("workload.dataset", args.dataset_name)
    if args.dataset_name != "random":
        return
    prompt = args.input_len if args.random_input_len is None else args.random_input_len
    output = args.output_len if args.random_output_len is None else args.random_output_len
    if prompt is None or output is None:
        return
    prompt += args.prefix_len or 0
    found.block("workload", input_tokens=prompt, output_tokens=output, length_basis="requested")
    asked = amounts.num_requests * (prompt + output)
    if abs(asked - amounts.total_num_tokens) > FAR * amounts.total_num_tokens:
        found.remark(f"{amounts.total_num_tokens} tokens were counted, and {asked} were asked for")
