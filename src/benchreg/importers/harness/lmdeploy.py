"""lmdeploy: the CSV files of its benchmark scripts."""

from collections.abc import Iterator
from decimal import Decimal
from typing import ClassVar

from pydantic import AliasChoices, Field

from benchreg.importers.arrivals import arrivals, reached
from benchreg.importers.foreign import Amount, Foreign, Measured, Rate, Said, Whole
from benchreg.importers.importer import importer
from benchreg.importers.opened import Opened, Piece, rows
from benchreg.importers.statement import RunError, Statement

DATASETS = frozenset(("random", "sharegpt"))
FAR = Decimal("0.1")


class Served(Foreign):
    """One row of `profile_restful_api.py`, whose client is a fork of SGLang's."""

    dataset_name: Said = None
    random_input_len: Measured = None
    random_output_len: Measured = None
    random_range_ratio: Measured = None
    request_rate: Rate
    completed: Whole
    total_input_tokens: Whole
    total_output_tokens: Whole
    duration: Amount
    request_throughput: Measured
    input_throughput: Measured
    output_throughput: Measured
    mean_e2e_latency_ms: Measured
    mean_ttft_ms: Measured = None
    mean_tpot_ms: Measured = None
    mean_itl_ms: Measured = None

    without: ClassVar[frozenset[str]] = frozenset((
        "median_e2e_latency_ms", "median_ttft_ms", "total_output_tokens_retokenized", "model_id"
    ))  # fmt: skip


class Batched(Foreign):
    """One row of `profile_throughput.py` or `profile_pipeline_api.py`, and of the client of 0.2."""

    batch: Whole
    prompts: Whole = Field(validation_alias=AliasChoices("num_prompts", "num_promts"))
    request_rate: Measured = Field(alias="RPS")
    output_rate: Measured = Field(alias="throughput(out tok/s)")
    total_rate: Measured = Field(alias="throughput(total tok/s)")
    ttft_mean: Measured = Field(default=None, alias="FTL(ave)(s)")
    ttft_min: Measured = Field(default=None, alias="FTL(min)(s)")
    ttft_max: Measured = Field(default=None, alias="FTL(max)(s)")


NEVER = {
    "model": "lmdeploy's CSV does not name the model",
    "hardware": "lmdeploy's CSV does not write what it ran on",
    "engine.version": "lmdeploy's CSV does not write a version",
    "load.warmup": "lmdeploy's CSV does not write a warm-up",
    "load.failed": "lmdeploy's CSV counts only what completed",
    "precision": "lmdeploy's CSV does not write the format of the model",
    "parallelism": "lmdeploy's CSV does not write how the model was split",
    "workload.output_policy": "lmdeploy's CSV does not write whether outputs were forced",
    "workload.prefix_cache": "lmdeploy's CSV does not write of a prefix cache",
    "workload.speculative": "lmdeploy's CSV does not write of speculation",
}
BATCHED_NEVER = {
    **NEVER,
    "workload.input_tokens": "this CSV holds no lengths",
    "workload.output_tokens": "this CSV holds no lengths",
    "measurement.point": "in 0.2 the client of a server wrote this CSV as well",
}
SERVED_NEVER = {
    **NEVER,
    "engine": "backend is the dialect in which the client asks, whatever answered",
    "measurement.point": "the CSV does not write where the client ran",
}
EITHER = (
    "profile_throughput.py holds `batch` requests in flight, and wrote such files; so did the "
    "script of the pipeline, which hands over all at once"
)
LATENCIES = (
    ("ttft", "ttft", "ttft"),
    ("tpot", "tpot", "tpot"),
    ("itl", "chunk", "chunk_latency"),
    ("e2e_latency", "e2e", "e2e_latency"),
)


def served(file: Opened) -> list[Piece]:
    """Return the rows of `profile_restful_api.py`."""
    return _below(file, "completed", "mean_e2e_latency_ms")


def batched(file: Opened) -> list[Piece]:
    """Return the rows of the scripts that count by `batch`."""
    return _below(file, "batch", "RPS", "throughput(out tok/s)")


def _below(file: Opened, *columns: str) -> list[Piece]:
    return [
        piece for table in file.tables() if set(columns) <= set(table[0]) for piece in rows(table)
    ]


@importer(
    "lmdeploy-serve",
    harness="lmdeploy profile_restful_api",
    shape=Served,
    save="python benchmark/profile_restful_api.py ... --csv lmdeploy.csv",
    never=SERVED_NEVER,
    sheet=served,
)
def lmdeploy_serve(run: Served, file: Opened) -> Iterator[Statement]:
    """A client's view of a server, as means only; "ITL" are gaps between stream chunks.

    Rates count what completed, and how many requests were sent is not written, so that lost ones
    cannot be seen. Without streaming the time to first token is that of the whole answer, and is
    left out. Lengths are those that were measured: a range ratio below 1 asks for shorter ones.
    """
    del file
    if not run.completed:
        raise RunError("nothing completed, so there is nothing to record")
    if not run.output_throughput:
        raise RunError("has no throughput, so there is nothing to record")
    found = Statement()
    arrivals(found, run.request_rate, None, None)
    found.block("load", completed=run.completed, duration_s=run.duration or None,
                window="full_drain")  # fmt: skip
    found.lengths(run.total_input_tokens, run.total_output_tokens, run.completed)
    found.block("measurement", runs=1, latency_origin="dispatched")
    _asked(found, run)
    for name in ("request", "input", "output"):
        unit = "req/s" if name == "request" else "tok/s"
        found.figure(f"{name}_rate", f"{name}_throughput", getattr(run, f"{name}_throughput"),
                     unit, at=f"/{name}_throughput")  # fmt: skip
    _means(found, run)
    reached(found, run.request_rate, run.request_throughput)
    yield found


def _means(found: Statement, run: Served) -> None:
    whole = run.mean_e2e_latency_ms
    streamed = run.mean_ttft_ms is not None and whole is not None and run.mean_ttft_ms < whole
    found.state("measurement.streaming", True if streamed else None)
    for key, name, metric in LATENCIES:
        if name != "e2e" and not streamed:
            continue
        at = f"/mean_{key}_ms"
        found.figure(f"{name}_mean", metric, getattr(run, at[1:]), "ms", scope="per_request",
                     statistic="mean", n=run.completed, at=at)  # fmt: skip
    if not streamed:
        found.remark("no stream: the first token was not seen apart from the whole answer")


def _asked(found: Statement, run: Served) -> None:
    """State what prompts were made of, and remark lengths far from those asked for."""
    dataset = run.dataset_name
    found.state("workload.dataset", dataset if dataset in DATASETS else None)
    if dataset != "random":
        return
    ratio = run.random_range_ratio
    if ratio is not None:
        found.state("workload.distribution", "fixed" if ratio == 1 else "uniform")
    for name, asked in (("input", run.random_input_len), ("output", run.random_output_len)):
        mean = found.tree["workload"][f"{name}_tokens"]
        if asked and abs(mean / asked - 1) > FAR:
            found.remark(f"the mean {name} length is {mean}, and {asked} was asked for")


@importer(
    "lmdeploy-throughput",
    harness="lmdeploy",
    shape=Batched,
    save="python benchmark/profile_throughput.py DATASET MODEL --csv lmdeploy.csv",
    never=BATCHED_NEVER,
    sheet=batched,
)
def lmdeploy_throughput(run: Batched, file: Opened) -> Iterator[Statement]:
    """The whole speed of lmdeploy; "total" counts prompts as well, `FTL` is time to first token.

    `batch` is how many requests are in flight, and the file does not say which script wrote it:
    that of the pipeline hands over all of them and batches at most as many. A request that ended
    before its length is not counted. Percentiles are left out: a token that came with another
    counts in them as a gap of 0, rounded to a millisecond.
    """
    del file
    if not run.prompts or not run.output_rate:
        raise RunError("nothing was measured, so there is nothing to record")
    found = Statement()
    found.state("engine.described_as", "lmdeploy")
    _batch(found, run)
    found.block("load", requests=run.prompts, window="full_drain")
    found.block("measurement", runs=1, latency_origin="dispatched")
    for name, metric, unit in (
        ("request_rate", "request_throughput", "req/s"),
        ("output_rate", "output_throughput", "tok/s"),
        ("total_rate", "total_throughput", "tok/s"),
    ):
        _rounded(found, run, name, metric, unit)
    for statistic in ("mean", "min", "max"):
        _rounded(found, run, f"ttft_{statistic}", "ttft", "s", scope="per_request",
                 statistic=statistic)  # fmt: skip
    yield found


def _rounded(
    found: Statement, run: Batched, name: str, metric: str, unit: str, **more: str
) -> None:
    """State a figure by its digits: it was rounded to a thousandth."""
    value, column = getattr(run, name), str(type(run).model_fields[name].alias)
    digits = None if value is None else f"{value:f}"
    found.figure(name, metric, value, unit, at=f"/{column.replace('/', '~1')}", printed=digits,
                 **more)  # fmt: skip


def _batch(found: Statement, run: Batched) -> None:
    """State the load, by the columns that the scripts write."""
    columns = run.model_extra or {}
    if run.ttft_mean is None and "ttft_mean" not in run.model_fields_set:
        found.state("load.pattern", "all_at_once")
        found.state("engine.flags", f"max_batch_size {run.batch}")
        return
    arrivals(found, Decimal("Infinity"), run.batch, run.prompts)
    if "50%(s)" in columns:
        found.state("measurement.point", "in_process")
    elif "ttft_min" not in run.model_fields_set:
        found.state("measurement.point", "in_process")
        found.inferred("load.pattern", EITHER)
