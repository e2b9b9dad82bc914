"""inference-perf: the report of a stage as YAML, in the common form of llm-d, with units."""

import re
from collections.abc import Collection, Iterator
from types import MappingProxyType
from typing import Annotated

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from benchreg.importers.foreign import WORDS, Foreign, Measured, Text, Whole
from benchreg.importers.harness.inference_perf import LATENCIES, NEVER, RENAMED, ends, length
from benchreg.importers.harness.inference_perf_config import NAME, Stage, beside, load
from benchreg.importers.importer import importer
from benchreg.importers.opened import Opened
from benchreg.importers.statement import RepeatedError, RunError, Statement

RATES = (
    ("request_rate", "request_throughput", "request_rate", "req/s"),
    ("output_rate", "output_throughput", "output_token_rate", "tok/s"),
    ("input_rate", "input_throughput", "input_token_rate", "tok/s"),
    ("total_rate", "total_throughput", "total_token_rate", "tok/s"),
)
TIMES = MappingProxyType({"s": "s", "s/token": "s", "ms": "ms", "ms/token": "ms"})
PER_SECOND = frozenset(("tokens/s", "queries/s", "requests/s"))
TALLIED = MappingProxyType({**WORDS, "p99p9": "p99.9"})
_STAGE = re.compile(r"inference-perf-stage-([0-9]{1,4})-[0-9a-f]{1,40}")
_DAY = re.compile(r"(20[0-9]{2}-[01][0-9]-[0-3][0-9])T[0-9:.]{8,20}(?:Z|[+]00:00)")


def _of_a_stage(uid: str) -> str:
    if not _STAGE.fullmatch(uid):
        raise PydanticCustomError("foreign_stage", "names no stage of inference-perf")
    return uid


class Quantity(Foreign):
    """A distribution, or a rate as its mean, with its unit."""

    units: Text
    mean: Measured = None


class Asked(Foreign):
    """The requests of the stage; `total` counts those that failed as well."""

    total: Whole
    failures: Whole
    input_length: Quantity | None = None
    output_length: Quantity | None = None


class Aggregate(Foreign):
    """What the stage measured."""

    requests: Asked
    latency: dict[str, Quantity | None]
    throughput: dict[str, Quantity | None]


class Performance(Foreign):
    """What was measured of requests."""

    aggregate: Aggregate


class Results(Foreign):
    """What was measured."""

    request_performance: Performance


class When(Foreign):
    """When the stage ran."""

    start: Text | None = None


class Which(Foreign):
    """Which stage of which program it was."""

    uid: Annotated[Text, AfterValidator(_of_a_stage)]
    time: When | None = None


class Partial(Foreign):
    """A report of a stage; `version` is that of the form."""

    version: Text
    run: Which
    results: Results


@importer(
    "inference-perf-partial", harness="inference-perf", shape=Partial, never=NEVER,
    save="inference-perf --config_file run.yml  # 0.7 writes it beside the JSON",
)  # fmt: skip
def partial(run: Partial, file: Opened) -> Iterator[Statement]:
    """The report of a stage in the form of llm-d: it has units, and no conditions of its own.

    Those stand in `config.yaml` beside it, without which it is refused. The JSON of the same
    stage says more: where that lies beside it, import that. Its duration is not the one that the
    rates are counted over, and is not read.
    """
    number = int(_STAGE.fullmatch(run.run.uid)[1])  # type: ignore[index]
    config, measured = beside(file), run.results.request_performance.aggregate
    better = f"stage_{number}_lifecycle_metrics.json"
    if file.beside(better) is not None:
        raise RepeatedError(f"says less than {better} beside it does; import that")
    if config is None:
        raise RunError(f"states neither model nor load, and no {NAME} lies beside it to do so")
    asked = measured.requests
    if asked.failures >= asked.total:
        raise RunError("nothing completed, so there is nothing to record")
    found = Statement()
    stages = config.load.stages or []
    stage = stages[number] if number < len(stages) else Stage()
    load(found, config, stage.rate, stage.concurrency_level)
    ends(found, asked.total - asked.failures, asked.failures, config)
    day = _DAY.fullmatch(run.run.time.start or "") if run.run.time else None
    found.state("measurement.measured", day[1] if day else None)
    for name, tokens in (("input", asked.input_length), ("output", asked.output_length)):
        length(found, f"{name}_tokens", tokens.mean if tokens else None)
    _figures(found, measured)
    yield found


def _figures(found: Statement, measured: Aggregate) -> None:
    at = "/results/request_performance/aggregate"
    completed = measured.requests.total - measured.requests.failures
    for name, metric, key, unit in RATES:
        rate = measured.throughput.get(key)
        if rate is not None:
            _unit(rate, PER_SECOND, f"{at}/throughput/{key}")
            found.figure(name, metric, rate.mean, unit, at=f"{at}/throughput/{key}/mean")
    for name, metric, key in LATENCIES:
        values = measured.latency.get(key)
        if values is None:
            continue
        unit = TIMES[_unit(values, TIMES.keys(), f"{at}/latency/{key}")]
        found.statistics(
            name, metric, unit, values.statistics(at=f"{at}/latency/{key}", words=TALLIED),
            n=completed, source_name=key if key in RENAMED else None,
            stdev=values.spread(),
        )  # fmt: skip


def _unit(quantity: Quantity, known: Collection[str], at: str) -> str:
    if quantity.units not in known:
        raise RunError(f"{at}/units is none that is known here")
    return quantity.units
