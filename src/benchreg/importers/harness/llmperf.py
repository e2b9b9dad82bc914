"""llmperf: the summary that `token_benchmark_ray.py` writes; it is no longer maintained."""

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Any, ClassVar

from pydantic import Field

from benchreg.importers.foreign import Amount, Foreign, Measured, Text, Whole
from benchreg.importers.importer import importer
from benchreg.importers.opened import Opened
from benchreg.importers.statement import RepeatedError, RunError, Statement, plain

NEVER = MappingProxyType({
    "hardware": "llmperf runs on a client and does not write the server's hardware",
    "engine": "llmperf does not write which server answered",
    "engine.version": "llmperf does not write the server's version",
    "load.warmup": "llmperf has no warm-up",
    "load.window": "the clock of llmperf also runs while it starts and ends its threads",
    "precision": "llmperf sees a server from outside and does not write its number formats",
    "parallelism": "llmperf sees a server from outside and does not write how it is split",
    "workload.prefix_cache": "llmperf does not write whether the server had a prefix cache",
    "workload.speculative": "llmperf does not write whether the server speculated",
    "workload.output_policy": "llmperf sends max_tokens, and other parameters it does not write",
    "workload.dataset": "llmperf does not write what its prompts were made of",
    "measurement.point": "llmperf does not write on which host it ran",
})  # fmt: skip
SAVE = "python token_benchmark_ray.py ... --results-dir out"
WORDS = MappingProxyType({
    "mean": "mean", "min": "min", "max": "max",
    **{f"quantiles_p{at}": f"p{at}" for at in (25, 50, 75, 90, 95, 99)},
})  # fmt: skip
SEEN = (
    ("ttft", "ttft", "ttft_s", "s"),
    ("latency_per_token", "latency_per_output_token", "inter_token_latency_s", "s"),
    ("e2e", "e2e_latency", "end_to_end_latency_s", "s"),
    ("user_rate", "output_rate_per_request", "request_output_throughput_token_per_s", "tok/s"),
)
FAR = Decimal("0.1")
TOKENIZER = "hf-internal-testing/llama-tokenizer"


class Summary(Foreign):
    """One object of a file `*_summary.json`, of the form of 2023-08-31.

    Counts at their least and most are texts. Keys of --metadata stand among the others and are
    not read.
    """

    model: Text
    num_concurrent_requests: Whole
    mean_input_tokens: Amount | None = None
    mean_output_tokens: Amount | None = None
    completed: Whole = Field(alias="results_num_completed_requests")
    errors: Whole = Field(alias="results_number_errors")
    per_minute: Measured = Field(alias="results_num_completed_requests_per_min")
    output_rate: Measured = Field(alias="results_mean_output_throughput_token_per_s")
    results_ttft_s_mean: Measured
    input_tokens: Measured = Field(default=None, alias="results_number_input_tokens_mean")
    output_tokens: Measured = Field(default=None, alias="results_number_output_tokens_mean")
    timestamp: Measured = None


class Response(Foreign):
    """One request of a file `*_individual_responses.json`."""

    error_code: Any
    ttft_s: Any
    end_to_end_latency_s: Any
    request_output_throughput_token_per_s: Any
    number_total_tokens: Any

    without: ClassVar[frozenset[str]] = frozenset(("model",))


@importer("llmperf", harness="llmperf", shape=Summary, save=SAVE, never=NEVER)
def llmperf(run: Summary, file: Opened) -> Iterator[Statement]:
    """A client's view of a server that a fixed number of threads keep busy.

    "Inter token latency" has the time to first token in its sum, so it is the latency per output
    token, and no TPOT. "Mean output throughput" is the system's rate over the whole time, in
    which threads start and end. Tokens are counted with the tokenizer of Llama 2, whatever the
    model is: they are not the server's.
    """
    del file
    if not run.completed:
        raise RunError("nothing completed, so there is nothing to record")
    if not run.num_concurrent_requests:
        raise RunError("0 threads send nothing")
    found = Statement()
    found.block("model", described_as=run.model, tokenizer=TOKENIZER)
    found.block("load", pattern="closed_loop", concurrency=run.num_concurrent_requests,
                requests=run.completed + run.errors, completed=run.completed,
                failed=run.errors)  # fmt: skip
    found.block("measurement", measured=_day(run.timestamp), runs=1, latency_origin="dispatched")
    found.state("measurement.token_count_source", "client_tokenizer")
    for name in ("input_tokens", "output_tokens"):
        mean = getattr(run, name)
        if mean:
            found.state(f"workload.{name}", plain(mean))
            found.state("workload.length_basis", "measured")
    _figures(found, run)
    for text in _remarks(run):
        found.remark(text)
    yield found


@importer("llmperf-responses", harness="llmperf", shape=Response, save=SAVE, never={})
def responses(run: Response, file: Opened) -> Iterator[RunError]:
    """Not imported: the file *_summary.json of the same run has the statistics.

    The list of requests has neither model nor load.
    """
    del run, file
    yield RepeatedError(
        "lists requests without model, load or statistics; import the file *_summary.json of the "
        "same run"
    )


def _figures(found: Statement, run: Summary) -> None:
    found.figure("request_rate", "request_throughput", run.per_minute, "req/min",
                 at="/results_num_completed_requests_per_min")  # fmt: skip
    found.figure("output_rate", "output_throughput", run.output_rate, "tok/s",
                 at="/results_mean_output_throughput_token_per_s",
                 source_name="results_mean_output_throughput_token_per_s")  # fmt: skip
    for name, metric, key, unit in SEEN:
        pattern = f"results_{key}_{{}}"
        found.statistics(
            name, metric, unit, run.statistics(pattern, words=WORDS), n=run.completed,
            stdev=run.spread(pattern),
            source_name=f"results_{key}" if name == "latency_per_token" else None,
        )  # fmt: skip


def _remarks(run: Summary) -> Iterator[str]:
    yield (
        "tokens are counted with the tokenizer of Llama 2; for a model with another one, lengths "
        "and rates are off"
    )
    if run.errors:
        yield f"{run.errors} requests failed; the figures are of those that succeeded"
    asked = (("input_tokens", run.mean_input_tokens), ("output_tokens", run.mean_output_tokens))
    for name, nominal in asked:
        mean = getattr(run, name)
        if mean and nominal and abs(mean - nominal) > FAR * nominal:
            yield (
                f"{float(nominal):.6g} {name} were asked for, and {float(mean):.6g} were measured"
                " on average"
            )


def _day(seconds: Decimal | None) -> str | None:
    if seconds is None or not 946_684_800 <= seconds < 4_102_444_800:
        return None
    return datetime.fromtimestamp(int(seconds), UTC).date().isoformat()
