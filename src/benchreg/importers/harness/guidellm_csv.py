"""GuideLLM: the table that it writes as CSV, with one row of names (0.2, 0.3) or three."""

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from pydantic import Field, ValidationError

from benchreg.importers.foreign import Amount, Foreign, Text, Whole
from benchreg.importers.harness.guidellm import NO_TEXT, Args, Backend, Loader, Worker, asked
from benchreg.importers.harness.guidellm_point import (
    BY_TOKEN,
    NEVER,
    Measure,
    Point,
    Strategy,
    told,
)
from benchreg.importers.importer import importer
from benchreg.importers.opened import Opened, Piece
from benchreg.importers.statement import RunError, Statement

SAVE = "guidellm benchmark ... --output-path benchmarks.csv"
POSITIONS = ("min", None, "p1", "p5", "p10", "p25", "p75", "p90", "p95", "p99", "max")
FORMER = MappingProxyType({
    "requests_per_second": "Requests per second",
    "request_concurrency": "Request concurrency",
    "request_latency": "Request latency",
    "prompt_token_count": "Prompt token count",
    "output_token_count": "Output token count",
    "time_to_first_token_ms": "Time to first token ms",
    "inter_token_latency_ms": "Inter token latency ms",
    "output_tokens_per_second": "Output tokens per second",
    "tokens_per_second": "Tokens per second",
})  # fmt: skip
CURRENT = MappingProxyType({
    "requests_per_second": ("Server Throughput", "Successful Requests/Sec"),
    "request_concurrency": ("Server Throughput", "Successful Concurrency"),
    "request_latency": ("Request Latency", "Successful Sec"),
    "prompt_token_count": ("Token Metrics", "Successful Input Tokens"),
    "output_token_count": ("Token Metrics", "Successful Output Tokens"),
    "time_to_first_token_ms": ("Time to First Token", "Successful ms"),
    "time_per_output_token_ms": ("Time per Output Token", "Successful ms"),
    "inter_token_latency_ms": ("Inter Token Latency", "Successful ms"),
    "prompt_tokens_per_second": ("Token Throughput", "Successful Input Tokens/Sec"),
    "output_tokens_per_second": ("Token Throughput", "Successful Output Tokens/Sec"),
    "tokens_per_second": ("Token Throughput", "Successful Total Tokens/Sec"),
})  # fmt: skip
_STRATEGY = re.compile(r"([a-z]{1,20})(?:@([0-9]{1,12}(?:\.[0-9]{1,12})?|unlimited))?")
_DAY = re.compile(r"(20[0-9]{2}-[01][0-9]-[0-3][0-9]) [0-9:]{8}")
_VERSION = re.compile(r"[0-9][0-9A-Za-z.+-]{0,40}")


class FormerRow(Foreign):
    """A row of the table with one row of names."""

    start: Text | None = Field(default=None, alias="Start Time")
    duration: Amount | None = Field(default=None, alias="Duration")
    completed: Whole = Field(alias="Successful Requests")
    failed: Whole = Field(alias="Errored Requests")
    incomplete: Whole = Field(alias="Incomplete Requests")
    args: Args = Field(alias="Args")
    worker: Worker | None = Field(default=None, alias="Worker")
    loader: Loader | None = Field(default=None, alias="Request Loader")


class Profile(Foreign):
    """The plan of all benchmarks of a run; a list has a value for each."""

    streams: list[Whole] = Field(default_factory=list)
    rate: list[Amount] = Field(default_factory=list)
    max_concurrency: Whole | None = None


class Info(Foreign):
    """The columns of a run."""

    index: Whole | None = Field(default=None, alias="Run Index")
    profile: Profile | Text | None = Field(default=None, alias="Profile")
    backend: Backend | Text | None = Field(default=None, alias="Backend")


class Which(Foreign):
    """The columns of a benchmark: its strategy, from 0.8 on with its streams or rate."""

    strategy: Text = Field(alias="Strategy")


class Seconds(Foreign):
    """A time in seconds."""

    value: Amount = Field(alias="Sec")


class Timings(Foreign):
    """The columns of times."""

    start: Text | None = Field(default=None, alias="Start Time")
    duration: Seconds | None = Field(default=None, alias="Duration")
    warmup: Seconds | None = Field(default=None, alias="Warmup")


class Ends(Foreign):
    """The columns that count requests by how they ended."""

    completed: Whole = Field(alias="Successful")
    incomplete: Whole = Field(alias="Incomplete")
    failed: Whole = Field(alias="Errored")


class Client(Foreign):
    """What wrote the table."""

    guidellm_version: Text | None = None


class Runtime(Foreign):
    """The columns of the client, from 0.5 on."""

    metadata: Client | Text | None = Field(default=None, alias="Metadata")


class CurrentRow(Foreign):
    """A row of the table with three rows of names."""

    info: Info = Field(alias="Run Info")
    which: Which = Field(alias="Benchmark")
    timings: Timings = Field(alias="Timings")
    ends: Ends = Field(alias="Request Counts")
    runtime: Runtime | None = Field(default=None, alias="Runtime Info")


def sheet(file: Opened) -> list[Piece]:
    """Return a tree for each row of a table of GuideLLM, with the names of its columns as keys.

    Raises RunError for a row that does not have the header's columns: they are those of the first
    benchmark.
    """
    rows = next(iter(file.tables()), [])
    if rows and rows[0][:4] == ["Type", "Run Id", "Id", "Name"]:
        names: list[tuple[str, ...]] = [(name,) for name in rows[0]]
    elif len(rows) > 2 and rows[0][0] == "Run Info" and rows[1][:2] == ["Run ID", "Run Index"]:
        names = [tuple(x for x in name if x) for name in zip(*rows[:3], strict=False)]
    else:
        return []
    first = 1 if len(names[0]) == 1 else 3
    for number, row in enumerate(rows[first:], first + 1):
        if len(row) != len(names):
            raise RunError(
                f"row {number} has {len(row)} cells under {len(names)} columns, which GuideLLM "
                "makes of its first benchmark; import the JSON of the run"
            )
    return [
        Piece(f"row {number}", _tree(names, row))
        for number, row in enumerate(rows[first:], first + 1)
    ]


def _tree(names: list[tuple[str, ...]], row: list[str]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for way, text in zip(names, row, strict=True):
        node = tree
        for key in way[:-1]:
            node = node.setdefault(key, {})
            if not isinstance(node, dict):
                break
        else:
            if text and way:
                node.setdefault(way[-1], _cell(text))
    return tree


def _cell(text: str) -> Any:
    """Return a cell: a list or an object where it is one, else its text."""
    if text[0] not in "[{":
        return text
    try:
        return json.loads(text, parse_float=Decimal, parse_constant=Decimal)
    except (ValueError, ArithmeticError, RecursionError):
        return text


@importer(
    "guidellm-csv-0.3", harness="GuideLLM", shape=FormerRow, save=SAVE, never=NEVER, sheet=sheet
)
def former(run: FormerRow, file: Opened) -> Iterator[Statement]:
    """The table of GuideLLM 0.2 and 0.3, a record for each row.

    It reads as the JSON does, and the JSON states more: import that where there is a choice. The
    day is that of the client's own clock.
    """
    del file
    measures = dict(_former_measures(run))
    if run.args.strategy.start_time is None:
        del measures["tokens_per_second"]
    yield told(Point(
        run.args.strategy.strategy, run.completed, run.failed, run.incomplete, measures,
        model=run.worker.backend_model if run.worker else None, day=_day(run.start),
        duration_s=run.duration, warmup_requests=run.args.warmup_number,
        warmup_s=run.args.warmup_duration or Decimal(0),
        asked=asked(run.loader.data if run.loader else None),
    ))  # fmt: skip


@importer("guidellm-csv", harness="GuideLLM", shape=CurrentRow, save=SAVE, never=NEVER, sheet=sheet)
def current(run: CurrentRow, file: Opened) -> Iterator[Statement]:
    """The table of GuideLLM 0.4 to 0.8, whose names stand in three rows; a record for each row.

    It reads as the JSON does, and the JSON states more: import that where there is a choice. Up
    to 0.7 the streams or the rate of a benchmark stand in the plan of the run alone, and those of
    a sweep nowhere; from 0.8 on the rates of a sweep are rounded to two digits.
    """
    del file
    backend = run.info.backend if isinstance(run.info.backend, Backend) else Backend()
    if any(word in (backend.request_format or "") for word in NO_TEXT):
        raise RunError("is a run of embeddings, pooling or audio, which is no record here")
    client = run.runtime.metadata if run.runtime else None
    version = client.guidellm_version if isinstance(client, Client) else None
    yield told(Point(
        _strategy(run), run.ends.completed, run.ends.failed, run.ends.incomplete,
        dict(_current_measures(run)), model=backend.model, streaming=backend.stream,
        version=version if version and _VERSION.fullmatch(version) else None,
        day=_day(run.timings.start),
        duration_s=run.timings.duration.value if run.timings.duration else None,
        warmup_s=run.timings.warmup.value if run.timings.warmup else None,
    ))  # fmt: skip


def _strategy(run: CurrentRow) -> Strategy:
    """Return the strategy: its kind from its own cell, its numbers from the plan where it can."""
    found = _STRATEGY.fullmatch(run.which.strategy)
    if not found:
        return Strategy("")
    kind, told_ = found.groups()
    plan = run.info.profile if isinstance(run.info.profile, Profile) else Profile()
    at = len(plan.streams) + len(plan.rate) if run.info.index is None else run.info.index
    number = Decimal(told_) if told_ and told_ != "unlimited" else None
    if kind == "concurrent":
        return Strategy(kind, plan.streams[at] if at < len(plan.streams) else _whole(number))
    if kind == "throughput":
        return Strategy(kind, cap=_whole(number) or plan.max_concurrency)
    rate = plan.rate[at] if at < len(plan.rate) else number
    return Strategy(kind, rate=rate, cap=plan.max_concurrency)


def _whole(number: Decimal | None) -> int | None:
    return int(number) if number is not None and number == int(number) else None


def _former_measures(run: FormerRow) -> Iterator[tuple[str, Measure]]:
    for source, title in FORMER.items():
        pattern = f"Successful {title} {{}}"
        values = run.statistics(pattern, words={"mean": "mean", "median": "p50"})
        key = pattern.format("[min, 0.1, 1, 5, 10, 25, 75, 90, 95, 99, max]")
        listed = _listed((run.model_extra or {}).get(key), f"/{key}")
        spread = None if source in BY_TOKEN else run.spread(pattern, ("std dev",))
        yield source, Measure(values | listed, spread)


def _current_measures(run: CurrentRow) -> Iterator[tuple[str, Measure]]:
    for source, (group, name) in CURRENT.items():
        at = f"/{group}/{name.replace('/', '~1')}"
        node = (run.model_extra or {}).get(group)
        try:
            column = Foreign.model_validate(node.get(name, {}) if isinstance(node, dict) else {})
        except ValidationError:
            raise RunError(f"{at} is no column of statistics") from None
        values = column.statistics(at=at, words={"Mean": "mean", "Median": "p50"})
        listed = _listed((column.model_extra or {}).get("Percentiles"), f"{at}/Percentiles")
        spread = None if source in BY_TOKEN else column.spread(words=("Std Dev",))
        yield source, Measure(values | listed, spread)


def _listed(cell: Any, at: str) -> dict[str, tuple[Decimal | None, str]]:
    """Return the statistics of a list in a cell, which has no names but its order."""
    if not isinstance(cell, list) or len(cell) != len(POSITIONS):
        return {}
    numbered = Foreign.model_validate({str(at_): value for at_, value in enumerate(cell)})
    words = {str(at_): word for at_, word in enumerate(POSITIONS) if word}
    return numbered.statistics(at=at, words=words)


def _day(start: str | None) -> str | None:
    found = _DAY.fullmatch(start or "")
    return found[1] if found else None
