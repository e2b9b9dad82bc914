"""genai-perf: the JSON and the CSV of `genai-perf profile`, 0.0.5 to 0.0.16."""

from collections.abc import Iterator
from typing import Any, ClassVar

from pydantic import ValidationError

from benchreg.importers.foreign import Amount, Flag, Foreign, Number, Text, Whole
from benchreg.importers.harness.metric import (
    LATENCIES,
    RATES,
    SPEEDS,
    Metric,
    Metrics,
    Row,
    completed,
    far,
    figures,
    goodput,
    ignores_eos,
    lengths,
    mean,
    metrics,
    one_model,
    paced,
)
from benchreg.importers.importer import fault, importer
from benchreg.importers.opened import Opened, Piece
from benchreg.importers.statement import RunError, Statement
from benchreg.values.text import shown

Limits = dict[str, Number] | str | None


class Stimulus(Foreign):
    """How perf_analyzer was told to send requests: one of several ways."""

    concurrency: Whole | None = None
    request_rate: Amount | None = None


class Measurement(Foreign):
    """How much perf_analyzer was told to measure."""

    mode: str | None = None
    num: Whole | None = None


class PerfAnalyzer(Foreign):
    """The settings of the load generator."""

    stimulus: Stimulus = Stimulus()
    measurement: Measurement = Measurement()
    warmup_request_count: Whole | None = None


class Mean(Foreign):
    """A length that was asked for; -1 where none was."""

    mean: Number | None = None


class Inputs(Foreign):
    """What was asked of each request."""

    synthetic_tokens: Mean = Mean()
    output_tokens: Mean = Mean()
    goodput: Limits = None
    extra: Any = None


class Endpoint(Foreign):
    """How the server was spoken to; which server it was is not here."""

    streaming: Flag | None = None


class Config(Foreign):
    """The settings of a run: in blocks, or before 0.0.13 the arguments themselves."""

    model_names: list[Text] | None = None
    endpoint: Endpoint | str | None = None
    perf_analyzer: PerfAnalyzer = PerfAnalyzer()
    input: Inputs = Inputs()

    model: list[Text] | Text | None = None
    streaming: Flag | None = None
    concurrency: Whole | None = None
    request_rate: Amount | None = None
    warmup_request_count: Whole | None = None
    synthetic_input_tokens_mean: Number | None = None
    output_tokens_mean: Number | None = None
    goodput: Limits = None
    extra_inputs: Any = None

    def blocks(self) -> "Config":
        """Return the settings in blocks, whichever form they have."""
        if isinstance(self.endpoint, Endpoint) or self.model_names is not None:
            return self
        names = [self.model] if isinstance(self.model, str) else self.model
        stimulus = Stimulus(concurrency=self.concurrency, request_rate=self.request_rate)
        inputs = Inputs(
            synthetic_tokens=Mean(mean=self.synthetic_input_tokens_mean),
            output_tokens=Mean(mean=self.output_tokens_mean),
            goodput=self.goodput,
            extra=self.extra_inputs,
        )
        warmup = self.warmup_request_count
        tool = PerfAnalyzer(stimulus=stimulus, warmup_request_count=warmup)
        endpoint = Endpoint(streaming=self.streaming)
        return Config(model_names=names, endpoint=endpoint, perf_analyzer=tool, input=inputs)


class Export(Foreign):
    """One `profile_export_genai_perf.json`."""

    request_throughput: Metric
    request_latency: Metric
    request_count: Metric | None = None
    time_to_first_token: Metric | None = None
    inter_token_latency: Metric | None = None
    output_token_throughput: Metric | None = None
    output_token_throughput_per_user: Metric | None = None
    output_token_throughput_per_request: Metric | None = None
    output_sequence_length: Metric | None = None
    input_sequence_length: Metric | None = None
    request_goodput: Metric | None = None
    input_config: Config

    without: ClassVar[frozenset[str]] = frozenset(
        ("was_cancelled", "aiperf_version", "run_info", "error_summary", "records")
    )


class Sheet(Foreign):
    """The rows of one `profile_export_genai_perf.csv`, by the names that its JSON has for them."""

    genai_perf_rows: dict[str, Any]

    @property
    def metrics(self) -> dict[str, Row]:
        """The rows as metrics; raises RunError for a cell that is no number."""
        try:
            return {key: Row.model_validate(row) for key, row in self.genai_perf_rows.items()}
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise RunError(f"has a row that cannot be read: {fault(first)}") from None


NEVER = {
    "hardware": "genai-perf runs on the client and does not write the server's hardware",
    "engine": "genai-perf does not write which server answered; `backend` is a default of its own",
    "engine.version": "genai-perf does not write the server's version",
    "precision": "genai-perf does not write the server's number formats",
    "parallelism": "genai-perf does not write how the server splits the model",
    "load": "the run had neither a rate nor a concurrency: it followed a schedule or sessions",
    "load.warmup": "the settings in the file name no number of requests to warm up with",
    "load.failed": "genai-perf counts the requests that succeeded, and no others",
    "load.window": "genai-perf does not write which requests perf_analyzer kept to measure",
    "workload.prefix_cache": "genai-perf does not write whether the server caches prefixes",
    "workload.speculative": "genai-perf does not write whether the server speculates",
    "workload.output_policy": "genai-perf says that outputs are forced only by --extra-inputs",
    "measurement.point": "genai-perf does not write where its client ran",
}
CSV_NEVER = NEVER | {
    "model": "the CSV of genai-perf does not name the model; its JSON does",
    "load": "the CSV of genai-perf does not write the load; its JSON does",
    "load.warmup": "the CSV of genai-perf does not write the warm-up; its JSON does",
    "load.requests": "the CSV of genai-perf does not write how many requests there were",
    "workload.output_policy": "the CSV of genai-perf does not write what was asked of the server",
}
SAVE = "genai-perf profile -m MODEL --streaming ...  # profile_export_genai_perf.json"
CSV_SAVE = "genai-perf profile -m MODEL --streaming ...  # profile_export_genai_perf.csv"


@importer("genai-perf", harness="genai-perf", shape=Export, save=SAVE, never=NEVER)
def genai_perf(run: Export, file: Opened) -> Iterator[Statement]:
    """A client's view of a server. Its "inter token latency" is one mean per request: the TPOT.

    Throughput "per request" (before 0.0.13) has the first token in it, "per user" has not: two
    quantities. `backend` in the file is a default, whatever answered. Early versions call the
    unit of every rate requests/sec: the name of the metric says what is counted.
    """
    del file
    config, found = run.input_config.blocks(), Statement()
    one_model(found, config.model_names or ())
    _load(found, config.perf_analyzer)
    streaming = config.endpoint.streaming if isinstance(config.endpoint, Endpoint) else None
    _measured(found, metrics(run), streaming=streaming)
    if ignores_eos(config.input.extra):
        found.state("workload.output_policy", "forced")
    goodput(found, run.request_goodput, "/request_goodput", config.input.goodput)
    _remarks(found, config, metrics(run))
    yield found


def _sheet(file: Opened) -> list[Piece]:
    """Return the rows of both tables; an AIPerf table has a column `std` and is not read here."""
    tables = file.tables()
    first = tables[0][0] if tables else []
    if first[:4] != ["Metric", "avg", "min", "max"] or "std" in first:
        return []
    rows: dict[str, dict[str, str]] = {}
    for head, *body in tables:
        if head[:1] != ["Metric"] or len(head) < 2:
            continue
        words = ["avg" if word == "Value" else word for word in head[1:]]
        for name, *cells in (row for row in body if row):
            title, _, unit = name.partition(" (")
            key = title.casefold().replace(" ", "_")
            if key in rows:
                raise RunError(f"has two rows {shown(title, 40)!r}")
            if key in _ROWS:
                where = {"row": name, "column": head[1], "unit": unit.rstrip(")")}
                rows[key] = dict(zip(words, cells, strict=False)) | where
    return [Piece("", {"genai_perf_rows": rows})]


_ROWS = frozenset((
    *(key for key, *_ in (*LATENCIES, *SPEEDS, *RATES)),
    "request_count", "request_goodput", "input_sequence_length", "output_sequence_length",
))  # fmt: skip


@importer("genai-perf-csv", harness="genai-perf", shape=Sheet, save=CSV_SAVE, never=CSV_NEVER,
          sheet=_sheet)  # fmt: skip
def genai_perf_csv(run: Sheet, file: Opened) -> Iterator[Statement]:
    """The figures of the JSON, rounded to two decimals, without any condition but the lengths.

    Import the JSON that was written beside it instead: that names the model and the load.
    """
    del file
    have, found = run.metrics, Statement()
    _measured(found, have, streaming=None)
    goodput(found, have.get("request_goodput"), "", None)
    found.remark("the CSV has no model, load or warm-up: import the JSON beside it, or --set them")
    yield found


def _measured(found: Statement, have: Metrics, *, streaming: bool | None) -> None:
    n = completed(have)
    found.block("load", completed=n)
    lengths(found, have)
    found.block("measurement", runs=1, latency_origin="dispatched", streaming=streaming)
    found.state("measurement.token_count_source", "client_tokenizer")
    figures(found, have, "", n=n, streaming=streaming)


def _load(found: Statement, tool: PerfAnalyzer) -> None:
    stimulus = tool.stimulus
    paced(found, stimulus.request_rate, stimulus.concurrency)
    if stimulus.request_rate:
        note = "genai-perf does not write how requests were spaced"
        found.absent("load.arrival", "not_stated", note)
    if "fixed_schedule" in (stimulus.model_extra or {}):
        found.state("load.pattern", "trace_replay")
    if tool.measurement.mode == "request_count":
        found.state("load.requests", tool.measurement.num)
    found.state("load.warmup.requests", tool.warmup_request_count)


def _remarks(found: Statement, config: Config, have: Metrics) -> None:
    asked, rate = config.input, config.perf_analyzer.stimulus.request_rate
    far(found, "input length", asked.synthetic_tokens.mean, mean(have, "input_sequence_length"))
    far(found, "output length", asked.output_tokens.mean, mean(have, "output_sequence_length"))
    far(found, "rate of requests", rate, mean(have, "request_throughput"))
