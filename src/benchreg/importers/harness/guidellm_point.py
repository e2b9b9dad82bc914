"""GuideLLM: one benchmark of it, from whichever of its files, and what it states."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from types import MappingProxyType

from benchreg.importers.arrivals import arrivals
from benchreg.importers.statement import RunError, Statement, plain

Values = Mapping[str, tuple[Decimal | None, str]]

NEVER = MappingProxyType({
    "model": "the run named no model and took the server's own",
    "load": "the strategy is none that is known here, or lacks its streams or its rate",
    "load.warmup": "this file of GuideLLM has no time of a warm-up",
    "load.window": "the warm-up was cut off, and the file does not say how the rest ended",
    "hardware": "GuideLLM runs on the client; the platform that it writes is the client's",
    "engine": "GuideLLM does not write which server answered; the backend's kind is a dialect",
    "engine.version": "guidellm_version is the client's, and the server's is not written",
    "precision": "GuideLLM sees a server from outside and does not write its number formats",
    "parallelism": "GuideLLM sees a server from outside and does not write how it is split",
    "workload.prefix_cache": "GuideLLM does not write whether the server had a prefix cache",
    "workload.speculative": "GuideLLM does not write whether the server speculated",
    "workload.output_policy": "GuideLLM does not write whether it sent ignore_eos",
    "workload.dataset": "GuideLLM's own words for its data are free text and are not read",
    "measurement.point": "GuideLLM does not write on which host it ran",
})  # fmt: skip
RATES = (
    ("request_rate", "request_throughput", "requests_per_second", "req/s"),
    ("output_rate", "output_throughput", "output_tokens_per_second", "tok/s"),
    ("input_rate", "input_throughput", "prompt_tokens_per_second", "tok/s"),
    ("total_rate", "total_throughput", "tokens_per_second", "tok/s"),
    ("in_flight", "mean_concurrency", "request_concurrency", "req"),
)
LATENCIES = (
    ("ttft", "ttft", "time_to_first_token_ms", "ms"),
    ("tpot", "tpot", "inter_token_latency_ms", "ms"),
    ("latency_per_token", "latency_per_output_token", "time_per_output_token_ms", "ms"),
    ("e2e", "e2e_latency", "request_latency", "s"),
)
LENGTHS = (("input_tokens", "prompt_token_count"), ("output_tokens", "output_token_count"))
MEASURED = (
    *(source for _, _, source, _ in (*RATES, *LATENCIES)),
    *(source for _, source in LENGTHS),
)
BY_TOKEN = ("inter_token_latency_ms", "time_per_output_token_ms")
FAR = Decimal("0.1")
_WHOLE = Decimal("0.001")


@dataclass(frozen=True, slots=True)
class Strategy:
    """How a benchmark sent its requests; `cap` is the most that it held in flight."""

    kind: str
    streams: int | None = None
    rate: Decimal | None = None
    cap: int | None = None


@dataclass(frozen=True, slots=True)
class Measure:
    """The statistics of one metric over the requests that succeeded, each with its place."""

    values: Values
    stdev: Decimal | None = None
    total: Decimal | None = None

    @property
    def mean(self) -> Decimal | None:
        """The mean; None where it was not measured."""
        return self.values.get("mean", (None, ""))[0]


@dataclass(slots=True)
class Point:
    """One benchmark: its requests by how they ended, its load, and what it measured.

    `measures` are by GuideLLM's names; those that a version has wrong are not among them.
    `warmup_s` is the time that was left out before, `warmup_requests` the requests.
    """

    strategy: Strategy
    completed: int
    failed: int
    incomplete: int
    measures: dict[str, Measure]
    at: str = ""
    model: str | None = None
    version: str | None = None
    day: str | None = None
    duration_s: Decimal | None = None
    warmup_s: Decimal | None = None
    warmup_requests: int | None = None
    streaming: bool | None = None
    asked: dict[str, Decimal] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def requests(self) -> int:
        """All requests that were sent."""
        return self.completed + self.failed + self.incomplete

    def mean(self, name: str) -> Decimal | None:
        """Return the mean of a measure; None without one."""
        return self.measures[name].mean if name in self.measures else None


def told(point: Point) -> Statement:
    """Return what a benchmark states; raises RunError where it measured nothing."""
    if not point.completed:
        raise RunError("no request succeeded, so there is nothing to record")
    if point.mean("output_token_count") == 0:
        raise RunError("no output tokens: a run of embeddings or pooling is no record here")
    found = Statement(point.at)
    found.state("model.described_as", point.model)
    found.block("measurement", harness_version=point.version, measured=point.day, runs=1,
                latency_origin="dispatched", streaming=point.streaming)  # fmt: skip
    _load(found, point)
    _counts(found, point)
    _lengths(found, point)
    _figures(found, point)
    for text in _remarks(point):
        found.remark(text)
    return found


def _load(found: Statement, point: Point) -> None:
    strategy, rate, cap = point.strategy, point.strategy.rate, point.strategy.cap
    if strategy.kind == "synchronous":
        found.block("load", pattern="closed_loop", concurrency=1)
    elif strategy.kind == "concurrent" and strategy.streams:
        found.block("load", pattern="closed_loop", concurrency=strategy.streams)
    elif strategy.kind == "throughput":
        arrivals(found, Decimal("Infinity"), cap, point.requests)
    elif strategy.kind in ("constant", "poisson") and rate and rate.is_finite():
        found.block(
            "load", pattern="open_loop", request_rate=plain(rate), max_in_flight=cap or None
        )
        found.state("load.arrival.process", strategy.kind)
    elif strategy.kind == "trace":
        found.state("load.pattern", "trace_replay")
    else:
        found.remark("the strategy is none that is known here, or lacks its streams or rate")


def _counts(found: Statement, point: Point) -> None:
    """State the ends of the requests; those cut off at the end have neither of the two."""
    found.block("load", completed=point.completed, failed=point.failed)
    if not point.incomplete:
        found.state("load.requests", point.requests)
    if point.duration_s:
        found.state("load.duration_s", plain(point.duration_s))
    if point.incomplete:
        found.state("load.window", "time_limit")
    elif not point.warmup_s and not point.warmup_requests:
        found.state("load.window", "full_drain")
    if point.warmup_requests:
        found.block("load.warmup", requests=point.warmup_requests, excluded=True)
    elif point.warmup_s:
        found.block("load.warmup", seconds=plain(point.warmup_s), excluded=True)
    elif point.warmup_s is not None or point.warmup_requests is not None:
        found.state("load.warmup.requests", 0)


def _lengths(found: Statement, point: Point) -> None:
    """State the mean lengths: of the totals where the file has them, which hold rounding noise."""
    totals: list[int | None] = []
    for name, source in LENGTHS:
        measure = point.measures.get(source, Measure({}))
        total = measure.total
        whole = total is not None and abs(total - round(total)) < _WHOLE
        totals.append(round(total) if whole and total else None)
        if totals[-1] is None and measure.mean:
            found.state(f"workload.{name}", plain(measure.mean))
            found.state("workload.length_basis", "measured")
    found.lengths(totals[0], totals[1], point.completed)


def _figures(found: Statement, point: Point) -> None:
    for name, metric, source, unit in RATES:
        value, at = point.measures.get(source, Measure({})).values.get("mean", (None, ""))
        found.figure(name, metric, value, unit, at=at)
    for name, metric, source, unit in LATENCIES:
        measure = point.measures.get(source)
        if measure is None:
            continue
        if not any(value for value, _ in measure.values.values()):
            found.remark(f"{source} is 0 or empty throughout: it was not measured")
            continue
        weighed = source in BY_TOKEN
        found.statistics(
            name, metric, unit, measure.values, n=point.completed,
            stdev=None if weighed else measure.stdev,
            source_name=source if weighed else None,
        )  # fmt: skip


def _remarks(point: Point) -> Iterator[str]:
    if point.failed:
        yield f"{point.failed} requests failed; the figures are of those that succeeded"
    if point.incomplete:
        yield (
            f"{point.incomplete} requests were cut off when the time was over; the rates leave "
            "out what was done for them"
        )
    measured, asked = point.mean("requests_per_second"), point.strategy.rate
    if measured and asked and asked.is_finite() and abs(measured - asked) > FAR * asked:
        yield f"{float(asked):.6g} req/s were asked for, and {float(measured):.6g} were measured"
    highest = point.measures.get("request_concurrency", Measure({})).values.get("max", (None, ""))[
        0
    ]
    if asked and point.strategy.cap and highest and highest >= point.strategy.cap:
        yield "the cap was reached: requests waited on the client, and latencies leave that out"
    for name, source in LENGTHS:
        mean, nominal = point.mean(source), point.asked.get(name)
        if mean and nominal and abs(mean - nominal) > FAR * nominal:
            yield f"{nominal} {name} were asked for, and {float(mean):.6g} were measured on average"
    yield from (f"GuideLLM warns of {code}" for code in point.warnings)


def day(seconds: Decimal | None) -> str | None:
    """Return the day, in UTC, of seconds since 1970; None for what is none of this century."""
    if seconds is None or not 946_684_800 <= seconds < 4_102_444_800:
        return None
    return datetime.fromtimestamp(int(seconds), UTC).date().isoformat()
