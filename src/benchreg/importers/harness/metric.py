"""A metric as genai-perf and AIPerf export it, and the figures that those of their names are."""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal

from benchreg.importers.foreign import Foreign, Measured, Whole
from benchreg.importers.statement import POOLED, RunError, Statement, plain
from benchreg.values.text import amount, shown

Metrics = Mapping[str, "Metric"]

# Key in the export, name and metric of the figure; the key again where it means something else.
LATENCIES = (
    ("time_to_first_token", "ttft", "ttft", None),
    ("ttft", "ttft", "ttft", None),
    ("inter_token_latency", "tpot", "tpot", "inter_token_latency"),
    ("inter_chunk_latency", "chunk", "chunk_latency", None),
    ("request_latency", "e2e", "e2e_latency", None),
)
SPEEDS = (
    ("e2e_output_token_throughput", "user_rate", "output_rate_per_request", None),
    ("output_token_throughput_per_request", "user_rate", "output_rate_per_request", None),
    ("output_token_throughput_per_user", "user_decode_rate", "decode_rate_per_request",
     "output_token_throughput_per_user"),
)  # fmt: skip
RATES = (
    ("request_throughput", "request_rate", "request_throughput", "req/s"),
    ("output_token_throughput", "output_rate", "output_throughput", "tok/s"),
    ("input_token_throughput", "input_rate", "input_throughput", "tok/s"),
    ("total_token_throughput", "total_rate", "total_throughput", "tok/s"),
)
STREAMED = ("time_to_first_token", "ttft", "inter_token_latency", "inter_chunk_latency",
            "output_token_throughput_per_user")  # fmt: skip
LIMITS = {"time_to_first_token": "ttft_ms", "inter_token_latency": "tpot_ms",
          "request_latency": "e2e_ms"}  # fmt: skip
TIMES = {"ms": "ms", "us": "us", "s": "s", "sec": "s"}
FAR = Decimal("0.1")
DIGITS = 5
_PER_SECOND = re.compile(r"[a-z]{1,20}/sec(?:/user)?|per sec")


class Metric(Foreign):
    """A metric of an export: `avg`, percentiles and extremes beside it, and their unit.

    `count` is how many values stand behind them; the first AIPerf writes 1 for a rate.
    """

    unit: str = ""
    avg: Measured = None
    count: Whole | None = None

    def place(self, at: str, word: str) -> str:
        """Return where a statistic stands, under the place of its metric."""
        return f"{at}/{word}"

    def printed(self, value: Decimal) -> str | None:
        """Return the digits of a value that was rounded; None where the file has all of them."""
        del value
        return None

    @property
    def whole(self) -> int | None:
        """The mean of a metric that counts; raises RunError where it is no whole number."""
        if self.avg is None:
            return None
        if self.avg < 0 or self.avg != self.avg.to_integral_value():
            raise RunError(f"{self.avg} is no number of requests or tokens")
        return int(self.avg)


class Row(Metric):
    """A metric of a table, which rounds it to two decimals."""

    row: str
    column: str

    def place(self, at: str, word: str) -> str:
        """Return the row and the column of a statistic."""
        del at
        return f'row "{self.row}", {self.column if word == "avg" else word}'

    def printed(self, value: Decimal) -> str | None:
        """Return the digits as the table has them."""
        return f"{value:f}"


def metrics(run: Foreign) -> dict[str, Metric]:
    """Return the metrics that a shape has fields for and the file has, by key."""
    fields = ((key, getattr(run, key)) for key in type(run).model_fields)
    return {key: one for key, one in fields if isinstance(one, Metric)}


def mean(have: Metrics, key: str) -> Decimal | None:
    """Return the mean of a metric; None where there is none."""
    return have[key].avg if key in have else None


def count(have: Metrics, key: str) -> int | None:
    """Return what a metric counts; None where there is none."""
    return have[key].whole if key in have else None


def completed(have: Metrics) -> int | None:
    """Return how many requests completed; raises RunError where none did, or no token came."""
    found = count(have, "request_count")
    if found == 0:
        raise RunError("nothing completed, so there is nothing to record")
    if mean(have, "output_token_throughput") is None:
        raise RunError("counts no output tokens; a run of embeddings, rankings or images is none")
    return found


def lengths(found: Statement, have: Metrics) -> None:
    """State the mean lengths of prompts and outputs that were counted."""
    for way in ("input", "output"):
        value = mean(have, f"{way}_sequence_length")
        if value is not None:
            if value < 0:
                raise RunError(f"the mean {way} length is {value}")
            found.block("workload", length_basis="measured", **{f"{way}_tokens": plain(value)})


def figures(
    found: Statement, have: Metrics, at: str, *, n: int | None, streaming: bool | None
) -> None:
    """State the figures of metrics that stand under a place; `n` requests completed.

    Without streaming the first token is the last one: what is measured from it is left out.
    """
    for key, name, metric, unit in RATES:
        if key in have and have[key].avg is not None:
            one = have[key]
            _per_second(key, one)
            found.figure(name, metric, one.avg, unit, at=one.place(f"{at}/{key}", "avg"),
                         printed=one.printed(one.avg or Decimal()))  # fmt: skip
    left_out = _unstreamed(have, streaming=streaming)
    for key in left_out:
        found.remark(f"{key} is left out: without streaming it says nothing of tokens")
    for key, name, metric, source_name in (*LATENCIES, *SPEEDS):
        if key in have and key not in left_out:
            unit = _unit(key, have[key], latency=metric in _LATENCY)
            _each_request(found, have[key], f"{at}/{key}", (name, metric, unit, source_name), n)


_LATENCY = tuple(metric for _, _, metric, _ in LATENCIES)


def _unstreamed(have: Metrics, *, streaming: bool | None) -> list[str]:
    ends = (mean(have, "time_to_first_token") or mean(have, "ttft"), mean(have, "request_latency"))
    several = (mean(have, "output_sequence_length") or 2) > 1
    if streaming is False or (several and ends[0] is not None and ends[0] == ends[1]):
        return [key for key in STREAMED if key in have]
    return []


def _per_second(key: str, one: Metric) -> None:
    if one.unit and not _PER_SECOND.fullmatch(one.unit):
        raise RunError(f"{key} is in {shown(one.unit, 40)!r}, and a rate per second is meant")


def _unit(key: str, one: Metric, *, latency: bool) -> str:
    if not latency:
        _per_second(key, one)
        return "tok/s"
    if one.unit not in TIMES:
        raise RunError(f"{key} is in {shown(one.unit, 40)!r}, which is no unit of time")
    return TIMES[one.unit]


def _each_request(
    found: Statement, one: Metric, at: str, figure: tuple[str, str, str, str | None], n: int | None
) -> None:
    name, metric, unit, source_name = figure
    n = n if metric == "chunk_latency" else one.count or n
    spread = None if metric in POOLED else one.spread()
    for statistic, (value, place) in one.statistics(at=at).items():
        if value is None:
            continue
        more = {"spread": {"stdev": spread}} if statistic == "mean" and spread else {}
        found.figure(
            f"{name}_{statistic.replace('.', '_')}", metric, value, unit, scope="per_request",
            at=one.place(at, place.rpartition("/")[2]), statistic=statistic, n=n,
            source_name=source_name, printed=one.printed(value), **more,
        )  # fmt: skip


def goodput(found: Statement, one: Metric | None, at: str, limits: object) -> None:
    """State the goodput, and the limits that a request had to keep (milliseconds, by metric)."""
    if one is None or one.avg is None:
        return
    _per_second("goodput", one)
    if isinstance(limits, dict) and limits:
        if limits.keys() - LIMITS.keys() or min(limits.values()) <= 0:
            found.remark("the goodput is left out: a record has no field for one of its limits")
            return
        found.block("slo", **{LIMITS[key]: plain(value) for key, value in limits.items()})
    found.figure("goodput", "goodput", one.avg, "req/s", at=one.place(at, "avg"),
                 printed=one.printed(one.avg))  # fmt: skip


def paced(found: Statement, rate: Decimal | None, cap: int | None) -> None:
    """State an open loop where there is a rate, else a closed one where there is a concurrency."""
    if rate == 0 or cap == 0:
        raise RunError("a rate or a concurrency of 0 sends no requests")
    if rate is not None:
        found.block("load", pattern="open_loop", request_rate=plain(rate), max_in_flight=cap)
    elif cap is not None:
        found.block("load", pattern="closed_loop", concurrency=cap)


def far(found: Statement, what: str, asked: Decimal | None, measured: Decimal | None) -> None:
    """Remark where what was measured is over a tenth off what was asked for."""
    if asked and measured is not None and asked > 0 and abs(measured - asked) > FAR * asked:
        words = amount(float(asked), DIGITS), amount(float(measured), DIGITS)
        found.remark(f"the {what} was to be {words[0]} and was {words[1]}")


def one_model(found: Statement, names: Iterable[str]) -> None:
    """State the model; raises RunError for a run of several."""
    different = list(dict.fromkeys(names))
    if len(different) > 1:
        raise RunError("ran several models at once, and a record is of one")
    found.state("model.described_as", next(iter(different), None))


def ignores_eos(extra: object) -> bool:
    """Tell whether the inputs beside the prompt let no request end early; pairs, or a mapping."""
    pairs = extra.items() if isinstance(extra, dict) else extra if isinstance(extra, list) else ()
    said = [pair for pair in pairs if isinstance(pair, list | tuple) and len(pair) == 2]
    return any(key == "ignore_eos" and str(value).casefold() == "true" for key, value in said)
