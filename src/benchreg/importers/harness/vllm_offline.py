"""vLLM without a server: the files of `vllm bench throughput` and `vllm bench latency`."""

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

from benchreg.importers.foreign import Amount, Foreign, Measured, Text, Whole
from benchreg.importers.harness.settings import forced, in_process
from benchreg.importers.importer import importer
from benchreg.importers.opened import Opened
from benchreg.importers.statement import RepeatedError, RunError, Statement, plain
from benchreg.importers.streamed import MOST_ITEMS
from benchreg.values.text import shown

PERCENT = MappingProxyType({f"{at}": f"p{at}" for at in (10, 25, 50, 75, 90, 99)})
ENGINE = "vLLM"
WHOLE_BATCH = (
    "vllm bench latency times a batch whose requests start together and have one length, so that "
    "the batch takes as long as each of them"
)


class Amounts(Foreign):
    """What a throughput run counts, in either of its files."""

    elapsed_time: Amount
    num_requests: Whole
    total_num_tokens: Whole


class Throughput(Amounts):
    """What `vllm bench throughput --output-json` writes; 0.33 adds the model."""

    requests_per_second: Measured
    tokens_per_second: Measured
    model_id: Text | None = None


class Percentiles(Foreign):
    """Percentiles over iterations, by their number."""


class Statistics(Foreign):
    """The statistics of a latency run, in either of its files."""

    avg_latency: Measured
    std_latency: Measured = None
    percentiles: Percentiles


class Latency(Statistics):
    """What `vllm bench latency --output-json` writes; 0.33 adds the model."""

    latencies: list[Any]
    model_id: Text | None = None


OFFLINE = {
    "hardware": "vLLM's offline benchmarks do not write the hardware",
    "engine.version": "vLLM's offline benchmarks do not write the version of vLLM",
    "parallelism": "the file does not name the part; --set accelerator=ID keeps the split",
    "load.failed": "a request that fails ends the run, so that there is no file",
    "workload.speculative": "the settings of speculation are not read: they may hold paths",
}
OF_THROUGHPUT = {
    "workload.output_policy": "vllm bench throughput does not write whether outputs were forced",
    "load.warmup": "vllm bench throughput has no warm-up, and does not write what ran before",
}
OF_LATENCY = {
    "load.window": "a latency has no window",
    "measurement.latency_origin": "no client: the clock starts when the requests are handed in",
}
NO_ARGUMENTS = OFFLINE | {
    "model": "vLLM's offline benchmarks write the model from 0.33 on, or a release shortly before",
    "parallelism": "the file does not hold the arguments; its *.pytorch.json does",
    "precision": "the file does not hold the arguments; its *.pytorch.json does",
    "workload.prefix_cache": "the file does not hold the arguments; its *.pytorch.json does",
    "workload.speculative": "the file does not hold the arguments",
}
NEVER_THROUGHPUT = {
    **NO_ARGUMENTS,
    **OF_THROUGHPUT,
    "engine": "the file does not say which --backend generated",
    "workload.dataset": "the file does not hold the arguments; its *.pytorch.json does",
    "workload.input_tokens": "the file counts prompt and output tokens in one sum",
    "workload.output_tokens": "the file counts prompt and output tokens in one sum",
}
NEVER_LATENCY = {
    **NO_ARGUMENTS,
    **OF_LATENCY,
    "load": "the file does not hold --batch-size; its *.pytorch.json does",
    "load.requests": "the file does not hold --batch-size; its *.pytorch.json does",
    "workload.input_tokens": "the file does not hold --input-len; its *.pytorch.json does",
    "workload.output_tokens": "the file does not hold --output-len; its *.pytorch.json does",
    "load.warmup": "the file does not hold --num-iters-warmup; its *.pytorch.json does",
}
SAVE_THROUGHPUT = "vllm bench throughput ... --output-json throughput.json"
SAVE_LATENCY = "vllm bench latency ... --output-json latency.json"


@importer("vllm-throughput", harness="vllm bench throughput", shape=Throughput,
          save=SAVE_THROUGHPUT, never=NEVER_THROUGHPUT)  # fmt: skip
def vllm_throughput(run: Throughput, file: Opened) -> Iterator[Statement]:
    """An offline run: all requests are handed in at once. "Tokens" are prompts and outputs.

    The rate of output tokens is printed and not saved, so that it cannot be had from this file.
    The `*.pytorch.json` beside it holds the arguments as well, and is the better one to import.
    """
    _said_better(file)
    found = Statement()
    found.state("model.described_as", run.model_id)
    throughput(found, run)
    found.figure("request_rate", "request_throughput", run.requests_per_second, "req/s",
                 at="/requests_per_second")  # fmt: skip
    found.figure("total_rate", "total_throughput", run.tokens_per_second, "tok/s",
                 at="/tokens_per_second")  # fmt: skip
    yield found


@importer("vllm-latency", harness="vllm bench latency", shape=Latency, save=SAVE_LATENCY,
          never=NEVER_LATENCY)  # fmt: skip
def vllm_latency(run: Latency, file: Opened) -> Iterator[Statement]:
    """The time of one static batch, over some iterations; of which size, this file does not say.

    It is taken as the end-to-end latency of each request of the batch, for they start together and
    have one length. Percentiles are over iterations, of which there are 30 unless told otherwise.
    The `*.pytorch.json` beside it holds size, lengths and warm-up, and is the better one to import.
    """
    _said_better(file)
    found = Statement()
    found.state("model.described_as", run.model_id)
    in_process(found, ENGINE)
    latency(found, run, len(run.latencies))
    yield found


def _said_better(file: Opened) -> None:
    """Raise RepeatedError where the file with the arguments of the same run lies beside."""
    better = f"{file.path.stem}.pytorch.json"
    if isinstance(file.beside(better), list):
        raise RepeatedError(f"says less than {shown(better)} beside it does; import that")


def throughput(found: Statement, run: Amounts) -> None:
    """State the load of an offline run. Raises RunError where nothing was run."""
    if not run.num_requests or not run.total_num_tokens:
        raise RunError("nothing completed, so there is nothing to record")
    if not run.elapsed_time:
        raise RunError("lasted 0 s, so that no rate can be told")
    found.block("load", pattern="all_at_once", requests=run.num_requests,
                duration_s=plain(run.elapsed_time), window="full_drain")  # fmt: skip
    found.state("measurement.runs", 1)


def latency(found: Statement, run: Statistics, iterations: int, at: str = "") -> None:
    """State the time of a batch. Raises RunError where none was timed."""
    if not iterations or run.avg_latency is None or run.avg_latency <= 0:
        raise RunError("nothing completed, so there is nothing to record")
    runs = iterations if iterations < MOST_ITEMS else None
    forced(found)
    found.state("load.pattern", "static_batch")
    found.state("measurement.runs", runs)
    between = None
    if runs is not None and run.std_latency is not None and run.std_latency > 0:
        between = {"runs": runs, "stdev": plain(run.std_latency)}
    values = run.percentiles.statistics(at=f"{at}/percentiles", words=PERCENT)
    values["mean"] = (run.avg_latency, f"{at}/avg_latency")
    for statistic, (value, place) in values.items():
        found.figure(
            f"e2e_{statistic}", "e2e_latency", value, "s", scope="per_request", at=place,
            statistic=statistic, source_name="latency", inferred={"metric": WHOLE_BATCH},
            variation=between if statistic == "mean" else None,
        )  # fmt: skip
