"""DER, second part: figures of one operating point agree with each other."""

from collections.abc import Iterator
from fractions import Fraction

from pydantic import MISSING

from benchreg.analysis.derivation import Settling, UnsettledError, settled
from benchreg.analysis.rates import agree, in_unit, of_system, rated, shares
from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import of_records_with, rule
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.values.expression import FormulaError
from benchreg.values.interval import Interval, exact, short
from benchreg.values.units import factor


@of_records_with("static_batch")
@rule("DER005", Severity.ERROR, over=Record, needs=("metrics", "records", "results"))
def aggregate_identity(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """A batch total is not the batch times the rate of one request.

    The requests of a static batch start and end together. So the output rate of the system is
    the batch size times the end-to-end rate of one request, to the digits that are printed.

    Bad:

    ```yaml
    load:
      pattern: static_batch
      batch_size: 64
      warmup: {requests: 0}
      requests: 640
      window: full_drain
    results:
      output_rate:
        metric: output_throughput
        scope: system
        value: 800
        unit: tok/s
        seen_by_request: user_rate
      user_rate: {metric: output_rate_per_request, scope: per_request, value: 15, unit: tok/s}
    ```

    Good:

    ```yaml
    load:
      pattern: static_batch
      batch_size: 64
      warmup: {requests: 0}
      requests: 640
      window: full_drain
    results:
      output_rate:
        metric: output_throughput
        scope: system
        value: 800
        unit: tok/s
        seen_by_request: user_rate
      user_rate: {metric: output_rate_per_request, scope: per_request, value: 12.5, unit: tok/s}
    ```
    """
    batch = record.load.batch_size
    if record.load.pattern != "static_batch" or batch is MISSING:
        return
    settling = settled(registry)
    for name, figure in record.results.items():
        if figure.seen_by_request is MISSING:
            continue
        at = ("results", name)
        home, seen = registry.figure(record, figure.seen_by_request)
        if (figure.metric, seen.metric) != ("output_throughput", "output_rate_per_request"):
            yield NotEvaluated(at, f"{seen.metric} is not an end-to-end rate of output tokens")
            continue
        plain = figure.scope == "system" and figure.unit == seen.unit
        if plain and figure.value == batch * seen.value:
            continue
        try:
            total, one = _batch_and_one(settling, record, name, home)
        except (FormulaError, UnsettledError) as error:
            yield NotEvaluated(at, str(error))
            continue
        if not agree(total, exact(batch) * one):
            yield Problem(
                (*at, "value"),
                f"{figure.value} is not {batch} x {seen.value}, the batch times what one request "
                f"sees ({short(batch * Fraction(seen.value), 6)} {seen.unit} of the whole system)",
                "one of the two, or the batch size, is wrong",
                on_value=True,
                also=(str(seen.value),),
            )


def _batch_and_one(
    settling: Settling, record: Record, name: str, home: Record
) -> tuple[Interval, Interval]:
    """Return the rate of the system and of one request, in one unit; raises UnsettledError."""
    figure = record.results[name]
    result = str(figure.seen_by_request).rpartition("#")[2]
    seen = home.results[result]
    if _has_replicas(record):
        raise UnsettledError("the batch may be that of one replica of several")
    if (scale := factor(figure.unit, seen.unit)) is None:
        raise UnsettledError(f"{figure.unit} cannot be turned into {seen.unit}")
    parts = shares(record, figure) * scale
    total, one = settling.interval(record, name), settling.interval(home, result)
    return (total if parts == 1 else total * exact(parts)), one


def _has_replicas(record: Record) -> bool:
    replicas = [pool.parallelism.replicas for pool in record.hardware.pools]
    return any(count is not MISSING and count > 1 for count in replicas)


@of_records_with("per_accelerator")
@rule("DER009", Severity.ERROR, over=Record, needs=("metrics", "records"))
def per_accelerator_identity(
    record: Record, registry: Registry
) -> Iterator[Problem | NotEvaluated]:
    """A rate per accelerator, times their number, is not the rate of the system.

    Where a source prints both, one is the other over the number of accelerators in the pool. If
    not, the figure is of another pool, or it was taken for a total.

    Bad:

    ```yaml
    results:
      all_input: {metric: input_throughput, scope: system, value: 6400, unit: tok/s}
      each_input: {metric: input_throughput, scope: per_accelerator, value: 800, unit: tok/s}
    ```

    Good:

    ```yaml
    results:
      all_input: {metric: input_throughput, scope: system, value: 6400, unit: tok/s}
      each_input: {metric: input_throughput, scope: per_accelerator, value: 6400, unit: tok/s}
    ```
    """
    if not any(figure.scope == "per_accelerator" for figure in record.results.values()):
        return
    ones = list(rated(record, registry, *{one.metric for one in record.results.values()}))
    totals = {(one.metric.id, one.footing): one for one in ones if one.figure.scope == "system"}
    settling = settled(registry)
    for one in ones:
        total = totals.get((one.metric.id, one.footing))
        if one.figure.scope != "per_accelerator" or total is None:
            continue
        try:
            found, expected = of_system(settling, record, one), in_unit(settling, record, total)
        except UnsettledError as error:
            yield NotEvaluated(("results", one.name), str(error))
            continue
        if not agree(found, expected):
            yield Problem(
                ("results", one.name, "value"),
                f"{one.figure.value} of each accelerator makes {short(found.low, 6)} "
                f"{one.metric.unit} of them all, and {total.name} is {short(expected.low, 6)}",
                "look over which accelerators the figure divides, and say so under `over`",
                on_value=True,
            )
