"""MET, second part: which statistic a figure is, and whether it can be had."""

from collections.abc import Iterator
from itertools import pairwise

from pydantic import MISSING

from benchreg.analysis.derivation import Settling, UnsettledError, settled
from benchreg.analysis.statistics import LEAST_REQUESTS, RANK, requests_behind
from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.values.expression import FormulaError
from benchreg.values.interval import Interval, exact
from benchreg.values.units import factor


@rule("MET006", Severity.ERROR, over=Record, needs=("metrics",))
def latency_without_statistic(record: Record, registry: Registry) -> Iterator[Problem]:
    """A latency is neither a mean nor a percentile.

    Every request has its own latency. The mean of a thousand and their p99 differ by a factor of
    ten under load, and a number alone is read as whichever the reader hopes for. `peak`, the best
    of several runs, says nothing of the requests in one. Where the source does not say, the
    figure's own `absent` does (a warning); only the latency of one single request (`n: 1`) has no
    statistic.

    Bad:

    ```yaml
    results:
      first: {metric: ttft, scope: per_request, value: 95, unit: ms}
    ```

    Good:

    ```yaml
    results:
      first: {metric: ttft, scope: per_request, statistic: mean, value: 95, unit: ms}
    ```
    """
    for name, figure in record.results.items():
        if figure.statistic in RANK or figure.statistic == "mean":
            continue
        metric, declared = registry.metrics[figure.metric], figure.absent.get("statistic")
        if metric.quantity != "latency":
            continue
        of_none = declared is not None and declared.because == "not_applicable"
        if of_none and requests_behind(record, figure) == 1:
            continue
        said = "names no statistic" if figure.statistic is MISSING else f"is a {figure.statistic}"
        yield Problem(
            ("results", name),
            f"{metric.id} {said}: it is neither a mean nor a percentile",
            "look in the source which it is; until then it stands beside no other latency"
            if declared and not of_none
            else "say `statistic: mean` or the percentile, or write `statistic: not_stated` under "
            "the figure's own `absent`",
            severity=Severity.WARNING if declared and not of_none else None,
        )


@rule("MET007", Severity.WARNING, over=Record, needs=("metrics",))
def percentile_of_few(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """A percentile far out in the tail is of few requests.

    The p99 of 200 requests is its second-worst request: run it again, and it is another number.
    A p99 (and the p1 of a rate, which is the same tail) wants 1,000 requests, a p95 100 and a
    p99.9 10,000. The requests are those of one run: the least of the figure's `n`,
    `load.completed` and `load.requests`.

    Bad:

    ```yaml
    results:
      first: {metric: ttft, scope: per_request, statistic: p99, value: 171, unit: ms, n: 640}
    ```

    Good:

    ```yaml
    results:
      first: {metric: ttft, scope: per_request, statistic: p90, value: 140, unit: ms, n: 640}
    ```
    """
    for name, figure in record.results.items():
        least = LEAST_REQUESTS.get(str(figure.statistic))
        if least is None or figure.scope not in ("per_request", MISSING):
            continue
        at, requests = ("results", name, "statistic"), requests_behind(record, figure)
        if requests is None:
            yield NotEvaluated(
                at, f"the number of requests behind the {figure.statistic} is not known"
            )
        elif requests < least:
            yield Problem(
                at,
                f"the {figure.statistic} of {registry.metrics[figure.metric].id} is of "
                f"{requests:,} requests, and wants {least:,}",
                "measure more requests, or keep a percentile that is nearer to the middle",
                on_value=True,
                also=(str(requests),),
            )


@rule("MET008", Severity.ERROR, over=Record, needs=("metrics", "records"))
def percentiles_out_of_order(
    record: Record, registry: Registry
) -> Iterator[Problem | NotEvaluated]:
    """Percentiles do not ascend.

    Half of the requests are at or below the p50, and 99 of 100 at or below the p99: no p50 is
    above its p99, of a latency or of a rate. Where it is, two columns were swapped, or the two
    figures are of different quantities.

    Bad:

    ```yaml
    results:
      first_p50: {metric: ttft, scope: per_request, statistic: p50, value: 171, unit: ms}
      first_p99: {metric: ttft, scope: per_request, statistic: p99, value: 95, unit: ms}
    ```

    Good:

    ```yaml
    results:
      first_p50: {metric: ttft, scope: per_request, statistic: p50, value: 95, unit: ms}
      first_p99: {metric: ttft, scope: per_request, statistic: p99, value: 171, unit: ms}
    ```
    """
    settling = settled(registry)
    for names in _of_one_kind(record):
        if _plainly_ascend(record, names):
            continue
        try:
            spans = {name: _in_unit(settling, record, name) for name in names}
        except (FormulaError, UnsettledError) as error:
            yield NotEvaluated(("results", names[0]), str(error))
            continue
        yield from _descents(record, names, spans)


def _descents(record: Record, names: list[str], spans: dict[str, Interval]) -> Iterator[Problem]:
    """Yield each percentile that is below one of a lower rank, in whatever its digits stand for."""
    highest, same_rank = "", [names[0]]
    for name in names[1:]:
        if _rank(record, name) > _rank(record, same_rank[0]):
            below = [*same_rank, highest] if highest else same_rank
            highest, same_rank = max(below, key=lambda one: spans[one].low), []
        same_rank.append(name)
        if highest and spans[highest].low > spans[name].high:
            figure, other = record.results[name], record.results[highest]
            yield Problem(
                ("results", name, "value"),
                f"the {figure.statistic} of {figure.metric} ({figure.value} {figure.unit}) is "
                f"below its {other.statistic} ({other.value} {other.unit})",
                "look whether two columns were swapped, or one of them is of another quantity",
                on_value=True,
                also=(f"{other.value} {other.unit}",),
            )


def _of_one_kind(record: Record) -> list[list[str]]:
    """Return the names of figures that are percentiles of one quantity, the lowest first."""
    kinds: dict[tuple[object, ...], list[str]] = {}
    for name, figure in record.results.items():
        if figure.statistic in RANK:
            kind = (figure.metric, figure.scope, figure.over, figure.window)
            kinds.setdefault(kind, []).append(name)
    return [sorted(names, key=lambda name: _rank(record, name)) for names in kinds.values()]


def _rank(record: Record, name: str) -> int:
    return RANK[str(record.results[name].statistic)]


def _plainly_ascend(record: Record, names: list[str]) -> bool:
    """Tell whether values of one unit ascend as they are written; False leaves it open."""
    figures = [record.results[name] for name in names]
    return all(low.value <= high.value and low.unit == high.unit for low, high in pairwise(figures))


def _in_unit(settling: Settling, record: Record, name: str) -> Interval:
    """Return what a figure stands for in the unit of its metric; raises UnsettledError."""
    figure = record.results[name]
    unit = settling.registry.metrics[figure.metric].unit
    if (scale := factor(figure.unit, unit)) is None:
        raise UnsettledError(f"{figure.unit} cannot be turned into {unit}")
    return settling.interval(record, name) * exact(scale)


PERCENTILES = frozenset(RANK) - {"min", "max"}


@rule("MET016", Severity.WARNING, over=Record, needs=("metrics",))
def statistic_of_a_total(record: Record, registry: Registry) -> Iterator[Problem]:
    """A total is called a percentile.

    Tokens over a window are one number: there is no p99 of it, unless the window was cut into
    intervals, and then how long these were decides the percentile. More often the figure is of
    one request, and the scope is wrong. Several runs, and static batches, which are repeated, do
    have a median and extremes. A figure whose `note` says over what it is taken is left alone.

    Bad (also PRO006):

    ```yaml
    measurement:
      harness: example bench
      point: server
      runs: 1
    results:
      rate: {metric: input_throughput, scope: system, statistic: p99, value: 800, unit: tok/s}
    ```

    Good:

    ```yaml
    measurement:
      harness: example bench
      point: server
      runs: 1
    results:
      rate: {metric: input_throughput, scope: system, statistic: peak, value: 800, unit: tok/s}
    ```
    """
    if record.load.pattern == "static_batch" or record.measurement.runs not in (MISSING, 1):
        return
    for name, figure in record.results.items():
        if figure.statistic not in PERCENTILES or figure.scope in ("per_request", MISSING):
            continue
        if registry.metrics[figure.metric].quantity == "rate" and figure.note is MISSING:
            yield Problem(
                ("results", name, "statistic"),
                f"{figure.metric} of a {figure.scope} is one number, and no {figure.statistic}",
                "correct the scope or the statistic (the best of several runs is `peak`), or say "
                "in the figure's `note` over which intervals it is",
                on_value=True,
            )
