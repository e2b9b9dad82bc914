"""DER, fifth part: what cannot be more, or less, than another figure of the same run."""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from math import isqrt

from pydantic import MISSING

from benchreg.analysis.derivation import UnsettledError, settled
from benchreg.analysis.rates import FIVE_PERCENT, Rated, in_unit, near, rated
from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import of_records_with, rule
from benchreg.entities.conditions import Load
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.values.interval import Interval, exact, short
from benchreg.values.units import factor

OFFERED, COMPLETED = "offered_rate", "request_throughput"
WHOLE, FIRST = "e2e_latency", "ttft"
FEW = 100  # requests; of an unknown number, at least as many are taken
DEVIATIONS = 3


@of_records_with("offered_rate")
@rule("DER011", Severity.WARNING, over=Record, needs=("metrics", "records"))
def offered_rate_identity(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """The rate that was offered is not the one that was configured, or less than what completed.

    An open loop sends at the rate that it was told to. Where it sent less, the client could not
    keep up, and the figures are of another load; where more requests completed than were sent, one
    of the numbers is of another run or in another unit. 5 % and three deviations of a Poisson
    process of so many requests are left. An open loop with `max_in_flight` may send less.

    Bad:

    ```yaml
    load:
      pattern: open_loop
      request_rate: 20
      arrival: {process: poisson}
      requests: 6400
      failed: 0
      duration_s: 512
      window: full_drain
      warmup: {requests: 0}
    results:
      offered: {metric: offered_rate, scope: system, value: 12.5, unit: req/s}
    ```

    Good:

    ```yaml
    load:
      pattern: open_loop
      request_rate: 12.4
      arrival: {process: poisson}
      requests: 6400
      failed: 0
      duration_s: 512
      window: full_drain
      warmup: {requests: 0}
    results:
      offered: {metric: offered_rate, scope: system, value: 12.5, unit: req/s}
    ```
    """
    figures = record.results.values()
    if not any(figure.metric == OFFERED for figure in figures) or _plainly_as_told(record):
        return
    load, settling = record.load, settled(registry)
    ones = [one for one in rated(record, registry, OFFERED, COMPLETED) if _of_all(one)]
    try:
        known = [(one, in_unit(settling, record, one)) for one in ones]
    except UnsettledError as error:
        yield NotEvaluated(("results",), str(error))
        return
    completed = [(one, rate) for one, rate in known if one.metric.id == COMPLETED]
    for one, rate in known:
        if one.metric.id != OFFERED:
            continue
        if load.request_rate is not MISSING and not _as_told(rate, load):
            yield _problem(one, f"{load.request_rate} req/s were configured")
        for other, done in completed:
            if other.footing == one.footing and done.low > rate.high * (1 + _room(load)):
                yield _problem(one, f"{other.figure.value} {other.figure.unit} completed")


def _plainly_as_told(record: Record) -> bool:
    """Tell whether all rates are in one unit, and as written in order; False leaves it open."""
    figures = [one for one in record.results.values() if one.metric in (OFFERED, COMPLETED)]
    if any(one.unit != "req/s" for one in figures) or record.load.request_rate is MISSING:
        return False
    offered = [one.value for one in figures if one.metric == OFFERED]
    most = max((one.value for one in figures if one.metric == COMPLETED), default=Decimal(0))
    told = record.load.request_rate
    return all(abs(one - told) * 20 <= told and one >= most for one in offered)


def _of_all(one: Rated) -> bool:
    return one.figure.scope == "system"


def _as_told(rate: Interval, load: Load) -> bool:
    told = exact(Fraction(load.request_rate))  # type: ignore[arg-type]  # the caller asked
    capped = load.max_in_flight is not MISSING and rate.high < told.low
    return capped or near(rate, told, _room(load))


def _room(load: Load) -> Fraction:
    """Return how far apart, as a share, the rates of one load may be."""
    requests = FEW if load.requests is MISSING or load.requests < 1 else load.requests
    return FIVE_PERCENT + Fraction(DEVIATIONS, isqrt(requests))


def _problem(one: Rated, what: str) -> Problem:
    return Problem(
        ("results", one.name, "value"),
        f"{one.figure.value} {one.figure.unit} were offered, and {what}",
        "look whether both are of this run and in their unit; a client that cannot keep up offers "
        "another load",
        on_value=True,
        also=(what,),
    )


@of_records_with("ttft")
@rule("DER012", Severity.ERROR, over=Record, needs=("metrics", "records"))
def whole_shorter_than_part(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """A request takes less time than its first token.

    Each request ends when its last token is there, which is no sooner than the first. So every
    statistic of the end-to-end latency is at least the same one of the time to the first token.
    Where it is not, two columns or two units were taken for each other.

    Bad:

    ```yaml
    results:
      first: {metric: ttft, scope: per_request, statistic: p50, value: 951, unit: ms}
      whole: {metric: e2e_latency, scope: per_request, statistic: p50, value: 895, unit: ms}
    ```

    Good:

    ```yaml
    results:
      first: {metric: ttft, scope: per_request, statistic: p50, value: 95, unit: ms}
      whole: {metric: e2e_latency, scope: per_request, statistic: p50, value: 5.1, unit: s}
    ```
    """
    if _plainly_longer(record):
        return
    settling = settled(registry)
    ones = [one for one in rated(record, registry, WHOLE, FIRST) if _has_statistic(one)]
    firsts = {one.footing: one for one in ones if one.metric.id == FIRST}
    for one in ones:
        first = firsts.get(one.footing)
        if one.metric.id != WHOLE or first is None:
            continue
        try:
            whole, part = in_unit(settling, record, one), in_unit(settling, record, first)
        except UnsettledError as error:
            yield NotEvaluated(("results", one.name), str(error))
            continue
        if whole.high < part.low:
            yield Problem(
                ("results", one.name, "value"),
                f"the {one.footing.statistic} of whole requests is {short(whole.high)} ms, and "
                f"that of their first token {short(part.low)} ms",
                "look whether two columns, or two units, were taken for each other",
                on_value=True,
                also=(short(part.low),),
            )


def _plainly_longer(record: Record) -> bool:
    """Tell whether every whole request is, as written, longer than any first token.

    It is where there are not both; False leaves it open.
    """
    figures = record.results.values()
    wholes = [one for one in figures if one.metric == WHOLE]
    firsts = [one for one in figures if one.metric == FIRST] if wholes else []
    if len({one.unit for one in (*wholes, *firsts)}) > 1:
        return False
    by_statistic = {one.statistic: one.value for one in firsts}
    pairs = ((one.value, by_statistic.get(one.statistic)) for one in wholes)
    return len(by_statistic) == len(firsts) and all(
        part is None or whole >= part for whole, part in pairs
    )


def _has_statistic(one: Rated) -> bool:
    """Tell whether a latency says which of its requests it is; the best of runs does not."""
    return one.figure.statistic not in (MISSING, "peak")


MOST_RUNS = 2  # a request that was sent at the end may still be answered after the window


@rule("DER013", Severity.ERROR, over=Record, needs=("metrics",))
def longer_than_the_run(record: Record, registry: Registry) -> Iterator[Problem]:
    """A request takes longer than the whole run.

    What was measured within ten minutes took no hour. A latency of more than twice the duration
    is in another unit (ms for s), or the duration is that of another run.

    Bad:

    ```yaml
    results:
      whole: {metric: e2e_latency, scope: per_request, statistic: p99, value: 7200, unit: s}
    ```

    Good:

    ```yaml
    results:
      whole: {metric: e2e_latency, scope: per_request, statistic: p99, value: 7200, unit: ms}
    ```
    """
    duration = record.load.duration_s
    if duration is MISSING:
        return
    most = MOST_RUNS * Fraction(duration)
    for name, figure in record.results.items():
        if registry.metrics[figure.metric].quantity != "latency":
            continue
        seconds = factor(figure.unit, "s")
        if seconds is not None and Fraction(figure.value) * seconds > most:
            yield Problem(
                ("results", name, "value"),
                f"{figure.metric} is {figure.value} {figure.unit}, and the run took {duration} s",
                "look whether the unit is the source's, and the duration that of this run",
                on_value=True,
                also=(str(duration),),
            )
