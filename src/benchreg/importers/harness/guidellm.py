"""GuideLLM: the report that it writes as JSON or YAML."""

import re
from collections.abc import Iterator
from decimal import Decimal
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import AfterValidator, ValidationError
from pydantic_core import PydanticCustomError

from benchreg.importers.foreign import Amount, Flag, Foreign, Measured, Rate, Text, Whole
from benchreg.importers.harness.guidellm_point import (
    BY_TOKEN,
    MEASURED,
    NEVER,
    Measure,
    Point,
    Strategy,
    day,
    told,
)
from benchreg.importers.importer import fault, importer
from benchreg.importers.opened import Opened
from benchreg.importers.statement import RunError, Statement

PERCENTILES = MappingProxyType({
    **{f"p{at:02}": f"p{at}" for at in (1, 5, 10, 25, 50, 75, 90, 95, 99)},
    "p999": "p99.9",
})  # fmt: skip
NO_TEXT = ("embedding", "pooling", "audio")
_ASKED = re.compile(r"['\"]?\b(prompt_tokens|output_tokens)['\"]?\s{0,4}[=:]\s{0,4}([0-9]{1,9})\b")
_VERSION = re.compile(r"[0-9][0-9A-Za-z.+-]{0,40}")
_CODE = re.compile(r"[a-z][a-z0-9_]{0,40}")


class Summary(Foreign):
    """The distribution of one metric over requests, or over their tokens."""

    percentiles: Foreign | None = None
    total_sum: Measured = None


class ByStatus(Foreign):
    """A metric, by how its requests ended; only those that succeeded are read."""

    successful: Summary | None = None


class Counts(Foreign):
    """Requests, by how they ended."""

    successful: Whole
    errored: Whole
    incomplete: Whole = 0


class Metrics(Foreign):
    """What a benchmark measured; others of its metrics are looked up by their names."""

    requests_per_second: ByStatus | None
    time_to_first_token_ms: ByStatus | None
    inter_token_latency_ms: ByStatus | None
    request_totals: Counts | None = None


class Sending(Foreign):
    """A strategy of the scheduler."""

    type_: Text
    streams: Whole | None = None
    rate: Rate | None = None
    max_concurrency: Whole | None = None
    start_time: Measured = None

    @property
    def strategy(self) -> Strategy:
        """The strategy in the words that all versions share."""
        return Strategy(self.type_, self.streams, self.rate, self.max_concurrency)


class Args(Foreign):
    """How a benchmark was run, up to 0.3."""

    strategy: Sending
    warmup_number: Whole | None = None
    warmup_duration: Amount | None = None


class Worker(Foreign):
    """Whom a benchmark spoke to, up to 0.3."""

    backend_model: Text | None = None


class Loader(Foreign):
    """Where the requests came from, up to 0.3; only asked lengths are looked for in it."""

    data: Any = None


class Former(Foreign):
    """A benchmark of GuideLLM 0.2 or 0.3."""

    args: Args
    worker: Worker | None = None
    request_loader: Loader | None = None
    request_totals: Counts
    metrics: Metrics
    start_time: Measured = None
    duration: Amount | None = None


class Backend(Foreign):
    """Whom a benchmark spoke to."""

    model: Text | None = None
    request_format: Text | None = None
    stream: Flag | None = None


class Config(Foreign):
    """How a benchmark was run."""

    strategy: Sending
    backend: Backend | None = None


class Warned(Foreign):
    """A warning of GuideLLM about its own run."""

    code: Text | None = None


class Current(Foreign):
    """A benchmark of GuideLLM 0.4 to 0.8."""

    config: Config
    metrics: Metrics
    start_time: Measured = None
    duration: Amount | None = None
    warmup_duration: Amount | None = None
    warnings: list[Warned] | None = None


class Requests(Foreign):
    """A benchmark of GuideLLM 0.1: each request with its texts, and no statistics."""

    benchmarks: list[Any]
    args: dict[str, Any]


class Data(Foreign):
    """One source of prompts; lengths are those that were asked for."""

    prompt_tokens: Any = None
    output_tokens: Any = None


class Spec(Foreign):
    """What the whole report was asked to do, from 0.7 on."""

    backend: Backend | None = None
    data: list[Any] | None = None


class Plan(Foreign):
    """The report's own `config`."""

    spec: Spec | None = None


class Metadata(Foreign):
    """What wrote the report; its `version` is that of the format."""

    guidellm_version: Text | None = None


def fitted(tree: Any) -> Former | Current | Requests:
    """Return a benchmark as its version wrote it; raises RunError for what is none."""
    shape: type[Foreign] = Current
    if isinstance(tree, dict) and "args" in tree:
        shape = Requests if "benchmarks" in tree else Former
    try:
        return shape.model_validate(tree)  # type: ignore[return-value]
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        told_ = "; ".join(fault(one) for one in faults[:3])
        raise RunError(f"is no benchmark of GuideLLM: {told_}") from None


def _begins(benchmarks: list[Any]) -> list[Any]:
    """Take a list of which one is a benchmark; the others are judged one by one."""
    for one in benchmarks:
        try:
            fitted(one)
        except RunError:
            continue
        return benchmarks
    raise PydanticCustomError("foreign_benchmarks", "holds no benchmark of GuideLLM")


class Report(Foreign):
    """A report of any version: all have a list of benchmarks."""

    benchmarks: Annotated[list[Any], AfterValidator(_begins)]
    metadata: Metadata | None = None
    config: Plan | None = None


@importer(
    "guidellm", harness="GuideLLM", shape=Report, never=NEVER,
    save="guidellm benchmark ... --output-path benchmarks.json",
)  # fmt: skip
def guidellm(run: Report, file: Opened) -> Iterator[Statement | RunError]:
    """A client's view of a server, a record for each benchmark of a sweep or list of streams.

    Figures are of the requests that succeeded; those that were cut off when the time was over are
    in none. "Inter token latency" is one value a request, so
    it is TPOT; its statistics are weighted by tokens. "Time per output token" includes the first
    token from 0.4 on, and is left out before, when it matched nothing. Of rates only the mean is
    read: their percentiles are of moments. GuideLLM 0.2 counts prompts twice in its total rate,
    which is left out; 0.1 writes no statistics. Versions in the file are the client's.
    """
    del file
    for number, tree in enumerate(run.benchmarks):
        at = f"/benchmarks/{number}"
        try:
            yield told(_point(fitted(tree), run, at))
        except RunError as error:
            yield RunError(f"{at}: {error}")


def _point(one: Former | Current | Requests, run: Report, at: str) -> Point:
    if isinstance(one, Requests):
        raise RunError("GuideLLM 0.1 wrote no statistics; measure again with 0.2 or later")
    made = _former(one) if isinstance(one, Former) else _current(one, run)
    made.at = at
    version = run.metadata.guidellm_version if run.metadata else None
    made.version = version if version and _VERSION.fullmatch(version) else None
    return made


def _former(one: Former) -> Point:
    """Return a benchmark of 0.2 or 0.3; only the strategies of 0.3 have a start."""
    measures = measured(one.metrics)
    del measures["time_per_output_token_ms"]
    if one.args.strategy.start_time is None:
        del measures["tokens_per_second"]
    ends, args = one.request_totals, one.args
    return Point(
        args.strategy.strategy, ends.successful, ends.errored, ends.incomplete, measures,
        model=one.worker.backend_model if one.worker else None,
        day=day(one.start_time), duration_s=one.duration,
        warmup_s=args.warmup_duration or Decimal(0), warmup_requests=args.warmup_number,
        asked=asked(one.request_loader.data if one.request_loader else None),
    )  # fmt: skip


def _current(one: Current, run: Report) -> Point:
    ends = one.metrics.request_totals
    if ends is None:
        raise RunError("says of no request how it ended (metrics/request_totals is missing)")
    spec = run.config.spec if run.config and run.config.spec else Spec()
    backend = one.config.backend or spec.backend or Backend()
    if any(word in (backend.request_format or "") for word in NO_TEXT):
        raise RunError("is a run of embeddings, pooling or audio, which is no record here")
    codes = [warned.code or "" for warned in one.warnings or ()]
    return Point(
        one.config.strategy.strategy, ends.successful, ends.errored, ends.incomplete,
        measured(one.metrics),
        model=backend.model or (spec.backend.model if spec.backend else None),
        day=day(one.start_time), duration_s=one.duration, warmup_s=one.warmup_duration,
        streaming=backend.stream, asked=asked((spec.data or [None])[0]),
        warnings=tuple(code for code in codes if _CODE.fullmatch(code)),
    )  # fmt: skip


def measured(metrics: Metrics) -> dict[str, Measure]:
    """Return what was measured of the requests that succeeded, by GuideLLM's names.

    Raises RunError for what is no distribution, or no number.
    """
    return {name: _measure(metrics, name) for name in MEASURED}


def _measure(metrics: Metrics, name: str) -> Measure:
    found = getattr(metrics, name, None)
    try:
        by_status = ByStatus.model_validate(found if found is not None else {})
    except ValidationError:
        raise RunError(f"/metrics/{name} is no distribution") from None
    summary = by_status.successful
    if summary is None:
        return Measure({})
    at = f"/metrics/{name}/successful"
    values = summary.statistics(at=at)
    if summary.percentiles is not None:
        more = summary.percentiles.statistics(at=f"{at}/percentiles", words=PERCENTILES)
        values = more | values
    spread = None if name in BY_TOKEN else summary.spread()
    return Measure(values, spread, summary.total_sum)


def asked(data: Any) -> dict[str, Decimal]:
    """Return the lengths that were asked for, where the words for the data are of that kind."""
    if isinstance(data, dict):
        data = str({key: data.get(key) for key in ("prompt_tokens", "output_tokens")})
    found = dict(_ASKED.findall(data)) if isinstance(data, str) else {}
    names = {"prompt_tokens": "input_tokens", "output_tokens": "output_tokens"}
    return {names[key]: Decimal(digits) for key, digits in found.items()}
