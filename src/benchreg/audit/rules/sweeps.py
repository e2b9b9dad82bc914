"""PLA, second part: the points of a sweep follow from one another."""

from collections.abc import Iterator

from pydantic import MISSING

from benchreg.analysis.scaling import Axis, Rise, rises
from benchreg.analysis.sweep import level
from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import of_records_with, rule
from benchreg.entities.record import Record
from benchreg.entities.vocabulary import Quantity
from benchreg.registry.registry import Registry
from benchreg.values.interval import exact, short

LEAST_FALL = exact(2) / exact(100)  # what repeated runs differ by
LOADS = {"batch": "a batch of {}", "concurrency": "{} in flight", "rate": "{} req/s"}


@of_records_with("sweep")
@rule("PLA004", Severity.NOTE, over=Record, needs=("metrics",))
def scaling_reversed(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """More accelerators or more load make the whole system slower.

    A larger batch shares each read of the weights among more requests, and more accelerators
    read faster. Where a system does less with more, a queue overflows, requests are preempted, or
    the accelerators wait for each other; or two cells of a table were swapped. Within a sweep, a
    point is held against the next one below that differs in nothing but the load, or but the
    accelerators and how they share the model; a fall of up to 2 %, or within the printed digits,
    is none.

    Bad:

    ```yaml
    sweep: example-sweep
    ```

    ```yaml example-partner
    id: example-partner
    source: {id: example-source, locator: second-run.json, retrieved: "2026-11-01"}
    sweep: example-sweep
    load:
      pattern: closed_loop
      concurrency: 128
      requests: 6400
      completed: 6400
      failed: 0
      duration_s: 640
      window: full_drain
      warmup: {requests: 128}
    results:
      completed_rate:
        metric: request_throughput
        scope: system
        value: 10
        unit: req/s
        variation: {runs: 3, stdev: 0.1}
    ```

    Good:

    ```yaml
    sweep: example-sweep
    ```

    ```yaml example-partner
    id: example-partner
    source: {id: example-source, locator: second-run.json, retrieved: "2026-11-01"}
    sweep: example-sweep
    load:
      pattern: closed_loop
      concurrency: 128
      requests: 6400
      completed: 6400
      failed: 0
      duration_s: 400
      window: full_drain
      warmup: {requests: 128}
    results:
      completed_rate:
        metric: request_throughput
        scope: system
        value: 16
        unit: req/s
        variation: {runs: 3, stdev: 0.1}
    ```
    """
    yield from _unplaced(record)
    for fall, others in _falls(record, registry, "rate"):
        yield Problem(
            ("results", fall.here),
            f"the system's {fall.here} is {_percent(fall)} % lower with {_place(record, fall.axis)}"
            f" than with {_place(fall.below, fall.axis)} ({fall.below.id}){_and(others)}",
            "check whether two cells were swapped, and say in `notes` what slows it down",
            also=(fall.below.id,),
        )


@of_records_with("sweep")
@rule("PLA007", Severity.NOTE, over=Record, needs=("metrics",))
def latency_falls_with_load(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """A token takes less time under more load.

    Each step of a larger batch moves more bytes and does more arithmetic, so that the time per
    output token grows, or stays. Where it falls, outputs were shorter, requests failed, or two
    cells of a table were swapped. Points are compared as in PLA004, and the same statistic.

    Bad:

    ```yaml
    sweep: example-sweep
    results:
      tpot: {metric: tpot, scope: per_request, statistic: mean, value: 25, unit: ms}
    ```

    ```yaml example-partner
    id: example-partner
    source: {id: example-source, locator: second-run.json, retrieved: "2026-11-01"}
    sweep: example-sweep
    load:
      pattern: closed_loop
      concurrency: 128
      requests: 6400
      completed: 6400
      failed: 0
      duration_s: 400
      window: full_drain
      warmup: {requests: 128}
    results:
      tpot: {metric: tpot, scope: per_request, statistic: mean, value: 20, unit: ms}
    ```

    Good:

    ```yaml
    sweep: example-sweep
    results:
      tpot: {metric: tpot, scope: per_request, statistic: mean, value: 25, unit: ms}
    ```

    ```yaml example-partner
    id: example-partner
    source: {id: example-source, locator: second-run.json, retrieved: "2026-11-01"}
    sweep: example-sweep
    load:
      pattern: closed_loop
      concurrency: 128
      requests: 6400
      completed: 6400
      failed: 0
      duration_s: 400
      window: full_drain
      warmup: {requests: 128}
    results:
      tpot: {metric: tpot, scope: per_request, statistic: mean, value: 40, unit: ms}
    ```
    """
    yield from _unplaced(record)
    for fall, others in _falls(record, registry, "latency"):
        if fall.axis == "load":
            yield Problem(
                ("results", fall.here),
                f"{fall.here} is {_percent(fall)} % lower with {_place(record, fall.axis)} than "
                f"with {_place(fall.below, fall.axis)} ({fall.below.id}){_and(others)}",
                "check whether two cells were swapped, requests failed, or outputs ended early",
                also=(fall.below.id,),
            )


def _unplaced(record: Record) -> Iterator[NotEvaluated]:
    alone = record.sweep is MISSING or record.load.pattern == "single_stream"
    if not alone and record.results and level(record) is None:
        yield NotEvaluated(("load",), "how much load this point of its sweep carries is not known")


def _falls(
    record: Record, registry: Registry, quantity: Quantity
) -> Iterator[tuple[Rise, list[str]]]:
    """Yield what falls towards each point below: the first figure, and the names of the others."""
    by_point: dict[tuple[str, str], list[Rise]] = {}
    for rise in rises(registry).get(record.id, ()):
        figure = record.results.get(rise.here)
        metric = None if figure is None else registry.metrics[figure.metric]
        if metric and metric.quantity == quantity and rise.ratio.high < 1 - LEAST_FALL.low:
            by_point.setdefault((rise.axis, rise.below.id), []).append(rise)
    for first, *others in by_point.values():
        yield first, [other.here for other in others]


def _percent(fall: Rise) -> str:
    return short(100 * (1 - (fall.ratio.low + fall.ratio.high) / 2), 2)


def _place(record: Record, axis: Axis) -> str:
    if axis == "accelerators":
        count = sum(pool.count for pool in record.hardware.pools)
        return f"{count} accelerator{'s' if count > 1 else ''}"
    at = level(record)
    return "" if at is None else LOADS[at.kind].format(at.amount)


def _and(others: list[str]) -> str:
    return f", and so is {', '.join(others)}" if others else ""
