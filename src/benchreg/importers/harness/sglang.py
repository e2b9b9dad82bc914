"""SGLang: the lines that `bench_serving` appends to its file, one a run."""

from collections.abc import Iterator
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from benchreg.importers.arrivals import arrivals, reached
from benchreg.importers.foreign import Amount, Flag, Foreign, Measured, Paced, Text, Whole
from benchreg.importers.harness.settings import Settings, formats, split
from benchreg.importers.harness.vllm import goodput
from benchreg.importers.importer import importer
from benchreg.importers.opened import Opened
from benchreg.importers.statement import RunError, Statement, plain

FAR = Decimal("0.1")
RATIO_DIGITS = Decimal("0.0001")
STREAMED_BELOW = Decimal("0.999")
DATASETS = frozenset((
    "autobench", "custom", "generated-shared-prefix", "image", "longbench_v2", "mmmu", "mooncake",
    "openai", "random", "random-ids", "random-image", "sharegpt", "speed_bench",
))  # fmt: skip
ANSWERED = "the settings in the file are those that an SGLang server tells of itself"
LIFETIME = "an average over the life of the server, not of this run alone"
NO_FAILURES = "all came at once unless some failed: no more completed than --max-concurrency holds"


class Server(Settings):
    """The server's own settings that are looked at: an allow-list, for keys are among the rest."""

    version: Text | None = None
    model_path: Text | None = None
    tp_size: Whole | None = None
    pp_size: Whole | None = None
    dp_size: Whole | None = None
    ep_size: Whole | None = None
    enable_dp_attention: Flag | None = None
    disaggregation_mode: Text | None = None


class Limits(Foreign):
    """The limits of a goodput, in ms."""

    ttft: Measured = None
    tpot: Measured = None
    e2el: Measured = None


class Cached(Foreign):
    """What the server said of its prefix cache."""

    total_prompt_tokens: Whole | None = None
    total_cached_tokens: Whole | None = None


class Asked(Foreign):
    """What the client was asked for, in every version."""

    dataset_name: Text | None = None
    request_rate: Paced
    max_concurrency: Whole | None = None
    random_input_len: Whole | None = None
    random_output_len: Whole | None = None
    random_range_ratio: Measured = None


class Serving(Asked):
    """A line of SGLang 0.3.6 to 0.5.23."""

    duration: Amount
    completed: Whole
    total_input_tokens: Whole
    total_output_tokens: Whole
    total_output_tokens_retokenized: Any
    request_throughput: Measured = None
    input_throughput: Measured = None
    output_throughput: Measured
    total_throughput: Measured = None
    mean_e2e_latency_ms: Measured = None
    mean_ttft_ms: Measured = None
    concurrency: Measured = None
    accept_length: Measured = None
    request_goodput: Measured = None
    goodput_slos_ms: Limits | None = None
    cache_report: Cached | None = None
    server_info: Server | None = None
    errors: list[Any] | None = None


class FormerServing(Asked):
    """A line of SGLang 0.2, whose latencies are in ms and do not say so."""

    benchmark_duration: Amount
    completed: Whole | None = None
    total_input: Whole
    total_output: Whole
    total_output_retokenized: Any
    output_token_throughput: Measured


NEVER = {
    "model": "bench_serving writes the model in late 0.5 alone, if the server tells it",
    "hardware": "bench_serving runs on the client and does not write the server's hardware",
    "parallelism": "bench_serving does not name the part; --set accelerator=ID keeps a split",
    "precision": "the server's settings do not say in which format the checkpoint is",
    "engine": "bench_serving does not write which server answered; backend is a dialect",
    "engine.version": "bench_serving writes the server's version in late 0.5 alone, if it tells",
    "load": "a trace that is replayed has its own times, of which no rate is written",
    "load.warmup": "bench_serving does not write --warmup-requests",
    "load.failed": "bench_serving writes only how many completed",
    "workload.output_policy": "bench_serving does not write --disable-ignore-eos",
    "workload.prefix_cache": "bench_serving writes the hit ratio only with --cache-report",
    "workload.speculative": "bench_serving does not write by which method the server speculates",
    "measurement.point": "bench_serving does not write whether client and server share a host",
}
FORMER_NEVER = NEVER | {
    "workload.input_tokens": "bench_serving 0.2 does not write how many requests completed",
    "workload.output_tokens": "bench_serving 0.2 does not write how many requests completed",
    "load.failed": "bench_serving 0.2 does not write how many requests completed or failed",
}
SAVE = "python -m sglang.bench_serving ... --output-file run.jsonl"
LATENCIES = (
    ("ttft", "ttft", "ttft"),
    ("tpot", "tpot", "tpot"),
    ("itl", "chunk", "chunk_latency"),
    ("e2e_latency", "e2e", "e2e_latency"),
)
RATES = (
    ("request_rate", "request_throughput", "req/s"),
    ("input_rate", "input_throughput", "tok/s"),
    ("output_rate", "output_throughput", "tok/s"),
    ("total_rate", "total_throughput", "tok/s"),
)


@importer("sglang-serving", harness="sglang bench_serving", shape=Serving, save=SAVE, never=NEVER)
def sglang_serving(run: Serving, file: Opened) -> Iterator[Statement]:
    """A client's view of a server. "ITL" are gaps between stream chunks, pooled over requests.

    Only requests that completed are counted, and how many were sent is not written: failures do
    not show. The random data set draws lengths from 1 up to the length that was asked for, unless
    --random-range-ratio is 1. "Concurrency" is measured; the setting is "max_concurrency". The
    acceptance length is an average over the life of the server. Of the server's settings a few are
    read, by name; tokens that the client counted again are not, nor peaks of a second, which count
    chunks. With --disable-stream the first token comes with the last, and of latencies only that of
    the whole answer is read.
    """
    del file
    _refuse(run.completed, run.total_output_tokens, run.duration)
    found = Statement()
    _paced(found, run, run.completed)
    found.block("load", completed=run.completed, duration_s=plain(run.duration),
                window="full_drain")  # fmt: skip
    found.lengths(run.total_input_tokens, run.total_output_tokens, run.completed)
    _dataset(found, run)
    found.block("measurement", runs=1, latency_origin="dispatched")
    for name, metric, unit in RATES:
        found.figure(name, metric, getattr(run, metric), unit, at=f"/{metric}")
    found.figure("in_flight", "mean_concurrency", run.concurrency, "req", at="/concurrency")
    _latencies(found, run, "_ms", run.completed, streamed=_streamed(found, run))
    _speculation(found, run)
    _goodput(found, run)
    _server(found, run)
    _remarks(found, run)
    yield found


@importer("sglang-serving-0.2", harness="sglang bench_serving", shape=FormerServing, save=SAVE,
          never=FORMER_NEVER)  # fmt: skip
def sglang_serving_former(run: FormerServing, file: Opened) -> Iterator[Statement]:
    """A line of SGLang 0.2, which counts tokens and not requests: mean lengths cannot be told.

    Its latencies are in ms. --random-range-ratio was 1 unless told otherwise: fixed lengths.
    """
    del file
    _refuse(run.completed, run.total_output, run.benchmark_duration)
    found = Statement()
    _paced(found, run, run.completed)
    found.block("load", completed=run.completed, duration_s=plain(run.benchmark_duration),
                window="full_drain")  # fmt: skip
    found.lengths(run.total_input, run.total_output, run.completed)
    _dataset(found, run)
    found.block("measurement", runs=1, latency_origin="dispatched")
    found.figure("output_rate", "output_throughput", run.output_token_throughput, "tok/s",
                 at="/output_token_throughput")  # fmt: skip
    _latencies(found, run, "", run.completed, streamed=True)
    yield found


def _refuse(completed: int | None, output: int, duration: Decimal) -> None:
    """Raise RunError for a run that is no operating point of generation."""
    if completed == 0:
        raise RunError("nothing completed, so there is nothing to record")
    if not output:
        raise RunError("not one output token came: nothing completed, or a model that embeds")
    if not duration:
        raise RunError("lasted 0 s, so that no rate can be told")


def _paced(found: Statement, run: Asked, completed: int | None) -> None:
    """State the pattern. How many prompts there were is not written, only how many completed."""
    rate, cap = run.request_rate, run.max_concurrency
    if rate is None:
        found.state("load.pattern", "trace_replay")
        return
    arrivals(found, rate, cap, completed)
    if rate.is_infinite() and cap is not None and completed and completed <= cap:
        found.inferred("load.pattern", NO_FAILURES)


def _dataset(found: Statement, run: Asked) -> None:
    """State the data set, and how its lengths vary where it draws them at random."""
    if run.dataset_name not in DATASETS:
        return
    found.state("workload.dataset", run.dataset_name)
    ratio = run.random_range_ratio
    if run.dataset_name in ("random", "random-ids") and ratio is not None:
        found.state("workload.distribution", "fixed" if ratio == 1 else "uniform")
        _nominal(found, "input", run.random_input_len)
        _nominal(found, "output", run.random_output_len)


def _nominal(found: Statement, side: str, asked: int | None) -> None:
    mean = found.tree.get("workload", {}).get(f"{side}_tokens")
    if asked and mean is not None and abs(Decimal(mean) - asked) > FAR * asked:
        found.remark(f"the mean {side} length is {mean} tokens, and {asked} were asked for")


def _streamed(found: Statement, run: Serving) -> bool:
    """Tell whether answers came in a stream: if not, the first token comes with the last one."""
    first, last = run.mean_ttft_ms, run.mean_e2e_latency_ms
    several = run.total_output_tokens > run.completed
    if not first or not last or not several or first < STREAMED_BELOW * last:
        return True
    found.remark("the first token came with the last one: the answers were not streamed, and there "
                 "is no time to first token")  # fmt: skip
    found.state("measurement.streaming", value=False)
    return False


def _latencies(
    found: Statement, run: Foreign, suffix: str, completed: int | None, *, streamed: bool
) -> None:
    for key, name, metric in LATENCIES if streamed else LATENCIES[-1:]:
        pattern = f"{{}}_{key}{suffix}"
        values, spread = run.statistics(pattern), run.spread(pattern)
        found.statistics(name, metric, "ms", values, stdev=spread, n=completed)


def _speculation(found: Statement, run: Serving) -> None:
    found.figure("acceptance", "acceptance_length", run.accept_length, "tok/step",
                 at="/accept_length", note=LIFETIME)  # fmt: skip
    cached = run.cache_report
    if cached and cached.total_prompt_tokens and cached.total_cached_tokens is not None:
        share = Decimal(cached.total_cached_tokens) / cached.total_prompt_tokens
        if share <= 1:
            share = share.quantize(RATIO_DIGITS, ROUND_HALF_EVEN)
            found.state("workload.prefix_cache.hit_ratio", plain(share))


def _goodput(found: Statement, run: Serving) -> None:
    goodput(found, run.request_goodput, "/request_goodput")
    limits = run.goodput_slos_ms
    if limits and run.request_goodput is not None:
        told = {"ttft_ms": limits.ttft, "tpot_ms": limits.tpot, "e2e_ms": limits.e2el}
        found.block("slo", **{key: plain(one) for key, one in told.items() if one})


def _server(found: Statement, run: Serving) -> None:
    """State what the server told of itself, which it does only where it is SGLang."""
    server = run.server_info
    if server is None:
        return
    found.state("model.described_as", server.model_path)
    if server.version is not None:
        found.block("engine", described_as="SGLang", version=server.version)
        found.inferred("engine", ANSWERED)
    formats(found, server)
    if server.disaggregation_mode in (None, "null"):
        _split(found, server)


def _split(found: Statement, server: Server) -> None:
    """State how the model is split: under data-parallel attention `dp` divides `tp`."""
    tensor, data = server.tp_size, server.dp_size or 1
    if not tensor:
        return
    expert = server.ep_size if (server.ep_size or 0) > 1 else None
    if not server.enable_dp_attention:
        split(found, tensor=tensor, pipeline=server.pp_size, replicas=data, expert=expert)
    elif not tensor % data:
        split(found, tensor=tensor // data, attention_data=data, pipeline=server.pp_size,
              expert=expert)  # fmt: skip


def _remarks(found: Statement, run: Serving) -> None:
    failed = sum(isinstance(error, str) and bool(error) for error in run.errors or ())
    if failed:
        found.remark(f"at least {failed} requests failed; the rates count those that completed")
    if run.request_rate is not None:
        reached(found, run.request_rate, run.request_throughput)
        if run.request_rate.is_finite() and (run.max_concurrency or run.completed) < run.completed:
            found.remark("the cap may have held requests back on the client: latencies leave that "
                         "out")  # fmt: skip
