"""DER, third part: rates and latencies of one run add up."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from pydantic import MISSING

from benchreg.analysis.derivation import Settling, UnsettledError, settled
from benchreg.analysis.rates import (
    FIVE_PERCENT,
    ONE_PERCENT,
    Footing,
    Rated,
    in_unit,
    mean_length,
    near,
    of_system,
    rated,
)
from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import of_records_with, rule
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.values.interval import Interval, exact, short


@rule("DER006", Severity.ERROR, over=Record, needs=("metrics", "records"))
def totals_identity(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """Rates of one run do not add up.

    The total is input plus output, whatever the lengths. Where the mean lengths were measured or
    forced, a token rate is the rate of requests times the length. Over a full drain, a rate is
    what was completed over the duration. Figures per accelerator are brought to the system
    first, each by its own pool.

    Bad:

    ```yaml
    results:
      input_rate: {metric: input_throughput, scope: system, value: 6400, unit: tok/s}
      output_rate:
        metric: output_throughput
        scope: system
        value: 800
        unit: tok/s
        seen_by_request: user_rate
      total_rate:
        metric: total_throughput
        scope: system
        value: 800
        unit: tok/s
        seen_by_request: user_rate
      user_rate: {metric: output_rate_per_request, scope: per_request, value: 12.5, unit: tok/s}
    ```

    Good:

    ```yaml
    results:
      input_rate: {metric: input_throughput, scope: system, value: 6400, unit: tok/s}
      output_rate:
        metric: output_throughput
        scope: system
        value: 800
        unit: tok/s
        seen_by_request: user_rate
      total_rate:
        metric: total_throughput
        scope: system
        value: 7200
        unit: tok/s
        seen_by_request: user_rate
      user_rate: {metric: output_rate_per_request, scope: per_request, value: 12.5, unit: tok/s}
    ```
    """
    settling = settled(registry)
    found: dict[Footing, dict[str, list[Rated]]] = {}
    for one in rated(record, registry, *_TOTALS):
        if one.figure.scope is not MISSING and one.figure.scope != "per_request":
            found.setdefault(one.footing, {}).setdefault(one.metric.id, []).append(one)
    for footing, by_metric in found.items():
        drained = _drained(record) if footing == Footing("mean", "full_drain") else {}
        if len(by_metric) == 1 and drained.keys().isdisjoint(by_metric):
            continue
        try:
            told = list(_totals(settling, record, by_metric))
            yield from told
            for case in _over_the_drain(settling, record, by_metric, drained):
                if case.at not in {one.at for one in told}:
                    yield case
        except UnsettledError as error:
            yield NotEvaluated(("results",), str(error))


_TOTALS = ("request_throughput", "input_throughput", "output_throughput", "total_throughput")


def _totals(
    settling: Settling, record: Record, by_metric: dict[str, list[Rated]]
) -> Iterator[Problem]:
    """Yield where a token rate is not requests times length, or a total not the sum of both."""

    @cache
    def rate(metric: str) -> Interval | None:
        ones = by_metric.get(metric)
        return of_system(settling, record, ones[0]) if ones else None

    parts = []
    for metric, length in _PARTS:
        mean = mean_length(record, length)
        requests = rate("request_throughput") if mean else None
        expected = requests * mean if requests and mean else None
        if expected and (found := rate(metric)) and not near(found, expected, ONE_PERCENT):
            says = "the rate of requests times the mean length"
            yield _unequal(by_metric[metric][0], found, expected, says)
        parts.append(metric if metric in by_metric else expected)
    if None in parts or "total_throughput" not in by_metric:
        return
    one, two = (rate(part) if isinstance(part, str) else part for part in parts)
    total = rate("total_throughput")
    if one and two and total and not near(total, one + two, ONE_PERCENT):
        yield _unequal(by_metric["total_throughput"][0], total, one + two, "input plus output")


_PARTS = (("input_throughput", "input_tokens"), ("output_throughput", "output_tokens"))


def _drained(record: Record) -> dict[str, Interval]:
    """Return the rates that follow from what a run completed until its last request ended."""
    load, workload = record.load, record.workload
    counts = {
        "request_throughput": load.completed,
        "input_throughput": workload.total_input_tokens,
        "output_throughput": workload.total_output_tokens,
    }
    if load.duration_s is MISSING:
        return {}
    span = Fraction(load.duration_s)
    return {name: exact(count / span) for name, count in counts.items() if count is not MISSING}


def _over_the_drain(
    settling: Settling,
    record: Record,
    by_metric: dict[str, list[Rated]],
    drained: dict[str, Interval],
) -> Iterator[Problem]:
    """Yield where a rate is not what was completed over the duration.

    Both are of one run; where the rate is that of several, they may be 5 % apart.
    """
    runs = record.measurement.runs
    tolerance = FIVE_PERCENT if runs is not MISSING and runs > 1 else ONE_PERCENT
    for metric in drained.keys() & by_metric.keys():
        one, expected = by_metric[metric][0], drained[metric]
        found = of_system(settling, record, one)
        if not near(found, expected, tolerance):
            yield _unequal(one, found, expected, "what was completed over the duration")


def _unequal(one: Rated, found: Interval, expected: Interval, says: str) -> Problem:
    of_all = "" if one.figure.scope in ("system", "per_request") else " of the whole system"
    return Problem(
        ("results", one.name, "value"),
        f"{short(found.low, 6)} {one.metric.unit}{of_all} is not {says}, {short(expected.low, 6)}",
        "look which of the figures was misread, or whether one is of another pool or window",
        on_value=True,
    )


@of_records_with("mean_concurrency")
@rule("DER007", Severity.WARNING, over=Record, needs=("metrics", "records"))
def littles_law(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """The mean concurrency is not the rate of requests times their latency.

    In a steady state the requests in flight are the arrival rate times the time that each stays
    (Little 1961). Where that is off by more than 5 %, requests waited outside the measured
    latency, or the window holds much of a beginning or an end.

    Bad:

    ```yaml
    results:
      completed_rate: {metric: request_throughput, scope: system, value: 12.5, unit: req/s}
      latency:
        metric: e2e_latency
        scope: per_request
        statistic: mean
        value: 2000
        unit: ms
      in_flight: {metric: mean_concurrency, scope: system, value: 64, unit: req}
    ```

    Good:

    ```yaml
    results:
      completed_rate: {metric: request_throughput, scope: system, value: 12.5, unit: req/s}
      latency:
        metric: e2e_latency
        scope: per_request
        statistic: mean
        value: 5120
        unit: ms
      in_flight: {metric: mean_concurrency, scope: system, value: 64, unit: req}
    ```
    """
    metrics = ("mean_concurrency", "request_throughput", "e2e_latency")
    means = {
        one.metric.id: one
        for one in rated(record, registry, *metrics)
        if one.footing.statistic == "mean"
    }
    if len(means) < len(metrics):
        return
    settling = settled(registry)
    try:
        in_flight, rate, latency = (in_unit(settling, record, means[name]) for name in metrics)
    except UnsettledError as error:
        yield NotEvaluated(("results",), str(error))
        return
    expected = rate * latency * exact(Fraction(1, 1000))
    if not near(in_flight, expected, FIVE_PERCENT):
        says = "the rate of requests times their mean latency"
        yield _unequal(means["mean_concurrency"], in_flight, expected, says)


@of_records_with("tpot")
@rule("DER008", Severity.WARNING, over=Record, needs=("metrics", "records"))
def latency_identity(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """The mean latency is not the first token's time and that of all the others.

    A request of n tokens takes its TTFT and n - 1 times its TPOT. The means agree where all
    requests are alike; over 5 % apart, one of them is another quantity than its name says.

    Bad:

    ```yaml
    results:
      first: {metric: ttft, scope: per_request, statistic: mean, value: 950, unit: ms}
      each: {metric: tpot, scope: per_request, statistic: mean, value: 100, unit: ms}
      all: {metric: e2e_latency, scope: per_request, statistic: mean, value: 6400, unit: ms}
    ```

    Good:

    ```yaml
    results:
      first: {metric: ttft, scope: per_request, statistic: mean, value: 950, unit: ms}
      each: {metric: tpot, scope: per_request, statistic: mean, value: 100, unit: ms}
      all: {metric: e2e_latency, scope: per_request, statistic: mean, value: 7250, unit: ms}
    ```
    """
    metrics = ("e2e_latency", "ttft", "tpot")
    means = {
        one.metric.id: one
        for one in rated(record, registry, *metrics)
        if one.figure.statistic == "mean"
    }
    if len(means) < len(metrics):
        return
    if (length := mean_length(record, "output_tokens")) is None:
        yield NotEvaluated(("results",), "the mean output length is neither measured nor forced")
        return
    settling = settled(registry)
    try:
        whole, first, each = (in_unit(settling, record, means[name]) for name in metrics)
    except UnsettledError as error:
        yield NotEvaluated(("results",), str(error))
        return
    expected = first + (length - exact(1)) * each
    if not near(whole, expected, FIVE_PERCENT):
        says = "the TTFT and the TPOT of all other tokens"
        yield _unequal(means["e2e_latency"], whole, expected, says)
