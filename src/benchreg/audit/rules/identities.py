"""DER, second part: figures of one operating point agree with each other."""

from collections.abc import Iterator
from fractions import Fraction

from pydantic import MISSING

from benchreg.analysis.derivation import Settling, UnsettledError
from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.values.expression import FormulaError
from benchreg.values.interval import Interval, exact, short
from benchreg.values.units import factor


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
    settling = Settling(registry)
    for name, figure in record.results.items():
        if figure.seen_by_request is MISSING or figure.scope != "system":
            continue
        at = ("results", name)
        home, seen = registry.figure(record, figure.seen_by_request)
        if (figure.metric, seen.metric) != ("output_throughput", "output_rate_per_request"):
            yield NotEvaluated(at, f"{seen.metric} is not an end-to-end rate of output tokens")
            continue
        if figure.unit == seen.unit and figure.value == batch * seen.value:
            continue
        if (scale := factor(seen.unit, figure.unit)) is None:
            yield NotEvaluated(at, f"{seen.unit} cannot be turned into {figure.unit}")
            continue
        try:
            total = settling.interval(record, name)
            one = settling.interval(home, figure.seen_by_request.rpartition("#")[2])
        except (FormulaError, UnsettledError) as error:
            yield NotEvaluated(at, str(error))
            continue
        if not _agree(total, exact(batch * scale) * one):
            yield Problem(
                (*at, "value"),
                f"{figure.value} is not {batch} x {seen.value}, the batch times what one request "
                f"sees ({short(batch * scale * Fraction(seen.value), 6)} {figure.unit})",
                "one of the two, or the batch size, is wrong",
                on_value=True,
                also=(str(seen.value),),
            )


TOLERANCE = Fraction(5, 1000)


def _agree(one: Interval, other: Interval) -> bool:
    """Tell whether two intervals meet; two exact numbers agree to 0.5 %."""
    if one.width or other.width:
        return one.meets(other)
    return abs(one.low - other.low) <= TOLERANCE * max(abs(one.low), abs(other.low))
