"""vLLM: the files of `vllm bench serve`, and of the script that it grew from."""

from collections.abc import Iterator
from datetime import date
from typing import Any, ClassVar

from pydantic import Field, model_validator

from benchreg.importers.arrivals import arrivals, reached
from benchreg.importers.foreign import Amount, Foreign, Measured, Rate, Text, Whole
from benchreg.importers.importer import importer
from benchreg.importers.opened import Opened
from benchreg.importers.statement import RepeatedError, RunError, Statement, plain
from benchreg.values.text import shown

FORK = "InferenceX benchmark_serving"
GAPS_MENDED = "2024-08-01"
WORDS = frozenset(("date", "backend", "ramp_up_strategy"))


class Served(Foreign):
    """One object of `vllm bench serve --save-result`, 0.5 to 0.33.

    Runs of pooling models have no output tokens; they fit as well, to be refused in words. So does
    the client of InferenceX, a fork, which adds when a run began.
    """

    date: Text | None = None
    backend: Text | None = None
    model_id: Text
    num_prompts: Whole | None = None
    request_rate: Rate
    burstiness: Amount | None = None
    max_concurrency: Whole | None = None
    ramp_up_strategy: Text | None = None
    duration: Amount
    completed: Whole
    failed: Whole | None = None
    total_input_tokens: Whole
    total_output_tokens: Whole | None = None
    request_throughput: Measured
    request_goodput: Measured = None
    goodput_with_colon: Measured = Field(default=None, alias="request_goodput:")
    output_throughput: Measured = None
    total_token_throughput: Measured
    mean_client_queue_time_ms: Measured = None
    spec_decode_acceptance_length: Measured = None
    spec_decode_num_drafts: Whole | None = None
    spec_decode_draft_tokens: Whole | None = None
    benchmark_start_time_unix: Measured = None

    without: ClassVar[frozenset[str]] = frozenset(("total_output_tokens_retokenized",))

    @model_validator(mode="before")
    @classmethod
    def _without_metadata(cls, tree: Any) -> Any:
        """Leave out texts where numbers may stand: all that --metadata adds are texts."""
        if not isinstance(tree, dict):
            return tree
        needed = {name for name, field in cls.model_fields.items() if field.is_required()}
        return {
            key: value
            for key, value in tree.items()
            if not isinstance(value, str) or key in needed or key in WORDS
        }


NEVER = {
    "hardware": "vllm bench serve runs on the client and does not write the server's hardware",
    "parallelism": "vllm bench serve does not write how the server splits the model",
    "precision": "vllm bench serve does not write the server's number formats",
    "engine": "vllm bench serve does not write which server answered; backend is a dialect",
    "engine.version": "vllm bench serve does not write the server's version",
    "load.warmup": "vllm bench serve does not write --num-warmups",
    "load.failed": "vllm bench serve counts failures from 0.12.0 on",
    "workload.dataset": "vllm bench serve does not write --dataset-name",
    "workload.output_policy": "vllm bench serve does not write --ignore-eos",
    "workload.prefix_cache": "vllm bench serve does not write the server's settings",
    "workload.speculative": "vllm bench serve does not write by which method the server speculates",
    "measurement.point": "vllm bench serve does not write whether client and server share a host",
}
SAVE = "vllm bench serve ... --save-result --percentile-metrics ttft,tpot,itl,e2el"
LATENCIES = (
    ("ttft", "ttft", "ttft"),
    ("tpot", "tpot", "tpot"),
    ("itl", "chunk", "chunk_latency"),
    ("e2el", "e2e", "e2e_latency"),
)


@importer("vllm-serve", harness="vllm bench serve", shape=Served, save=SAVE, never=NEVER)
def vllm_serve(run: Served, file: Opened) -> Iterator[Statement]:
    """A client's view of a server. "ITL" are gaps between stream chunks, pooled over requests.

    Rates count completed requests only, from the first one sent to the last one answered, and
    "total token throughput" counts prompts as well. Latencies leave out the wait for
    --max-concurrency. Without a rate and a cap all requests are sent at once, and the time to
    first token is mostly queue. Peaks of a second count chunks, and the queue of the client is no
    server's: neither is read. Nor are keys of --metadata, whatever they are called: they are texts,
    also where a number may stand.
    """
    _refuse(run)
    found = Statement()
    if run.benchmark_start_time_unix is not None:
        _said_better(file)
        found.state("measurement.harness", FORK)
    found.state("model.described_as", run.model_id)
    arrivals(found, run.request_rate, run.max_concurrency, run.num_prompts, run.burstiness)
    found.block("load", requests=run.num_prompts, completed=run.completed, failed=run.failed,
                duration_s=plain(run.duration), window="full_drain")  # fmt: skip
    found.lengths(run.total_input_tokens, run.total_output_tokens, run.completed)
    found.block("measurement", measured=day(run.date), runs=1, latency_origin="dispatched")
    _rates(found, run)
    _latencies(found, run)
    _speculation(found, run)
    _remarks(found, run)
    yield found


def _said_better(file: Opened) -> None:
    """Raise RepeatedError where InferenceX's own summary of the same run lies beside."""
    better = f"agg_{file.path.name}"
    if isinstance(file.beside(better), dict):
        raise RepeatedError(f"says less than {shown(better)} beside it does; import that")


def _refuse(run: Served) -> None:
    """Raise RunError for a run that is no operating point of generation."""
    if not run.completed:
        raise RunError("nothing completed, so there is nothing to record")
    if run.total_output_tokens is None or run.output_throughput is None:
        raise RunError("is a run of a pooling or embedding model: it counts no output tokens")
    if not run.total_output_tokens:
        raise RunError("not one output token came, so there is no generation to record")
    if not run.duration:
        raise RunError("lasted 0 s, so that no rate can be told")
    if run.ramp_up_strategy is not None:
        raise RunError("ramps its rate up, and is no one operating point; run each rate by itself")


def _rates(found: Statement, run: Served) -> None:
    rates = (
        ("request_rate", "request_throughput", "req/s", run.request_throughput),
        ("output_rate", "output_throughput", "tok/s", run.output_throughput),
    )
    for name, metric, unit, value in rates:
        found.figure(name, metric, value, unit, at=f"/{metric}")
    found.figure("total_rate", "total_throughput", run.total_token_throughput, "tok/s",
                 at="/total_token_throughput")  # fmt: skip
    goodput(found, run.request_goodput, "/request_goodput")
    goodput(found, run.goodput_with_colon, "/request_goodput:")


def goodput(found: Statement, value: Measured, at: str) -> None:
    """State a goodput; 0 is one, where no request kept the limits."""
    if value is not None and not value:
        found.block("results.goodput", metric="goodput", scope="system", value=0, unit="req/s",
                    locator=at)  # fmt: skip
    found.figure("goodput", "goodput", value or None, "req/s", at=at)


def _latencies(found: Statement, run: Served) -> None:
    for key, name, metric in LATENCIES:
        if key == "itl" and _first_gap_is_ttft(run):
            found.remark("clients of before August 2024 counted the first token among the gaps "
                         "between chunks, so those are left out")  # fmt: skip
            continue
        pattern = f"{{}}_{key}_ms"
        values, spread = run.statistics(pattern), run.spread(pattern)
        found.statistics(name, metric, "ms", values, stdev=spread, n=run.completed)


def _first_gap_is_ttft(run: Served) -> bool:
    """Tell whether the client was of a time when completions began their gaps with the TTFT."""
    measured = day(run.date)
    return measured is not None and measured < GAPS_MENDED and run.backend != "openai-chat"


def _speculation(found: Statement, run: Served) -> None:
    found.figure("acceptance", "acceptance_length", run.spec_decode_acceptance_length, "tok/step",
                 at="/spec_decode_acceptance_length")  # fmt: skip
    drafts, tokens = run.spec_decode_num_drafts, run.spec_decode_draft_tokens
    if drafts and tokens and not tokens % drafts:
        found.state("workload.speculative.draft_tokens", tokens // drafts)


def _remarks(found: Statement, run: Served) -> None:
    if run.failed:
        found.remark(f"{run.failed} requests failed; the rates count only those that completed")
    lost = (run.num_prompts or 0) - run.completed
    if run.failed is None and lost > 0:
        found.remark(f"{lost} of {run.num_prompts} requests did not complete")
    reached(found, run.request_rate, run.request_throughput)
    if not run.request_rate.is_finite():
        return
    waited = run.mean_client_queue_time_ms
    if waited is not None and waited >= 1:
        found.remark(f"requests waited {waited:.3g} ms on the client: latencies leave that out")
    elif run.max_concurrency is not None and not _never_binds(run):
        found.remark("the cap may have held requests back on the client: latencies leave that out")


def _never_binds(run: Served) -> bool:
    """Tell whether there are no more requests than the cap on those in flight lets through."""
    return run.num_prompts is not None and run.num_prompts <= (run.max_concurrency or 0)


def day(stamp: str | None) -> str | None:
    """Return the day of a stamp such as 20261130-054105; None where it is none."""
    digits, dash, _ = (stamp or "").partition("-")
    if not dash or len(digits) != len("20261130") or not digits.isascii() or not digits.isdigit():
        return None
    try:
        return date.fromisoformat(f"{digits[:4]}-{digits[4:6]}-{digits[6:]}").isoformat()
    except ValueError:
        return None
