"""Statistics over the requests of a run: their order, and what one over them is."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from pydantic import MISSING

from benchreg.analysis.derivation import UnsettledError, check
from benchreg.entities.figure import Derivation, Figure
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.values.expression import Expression, FormulaError, parse
from benchreg.values.units import factor

ORDER = ("min", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "p99.9", "max")
RANK = {statistic: place for place, statistic in enumerate(ORDER)}
_BOTH_SIDES = tuple(statistic for statistic in ORDER if statistic != "p99.9")
MIRROR = dict(zip(_BOTH_SIDES, reversed(_BOTH_SIDES), strict=True)) | {"peak": "peak"}
OF_REQUESTS = ("rate", "latency")

# One in a hundred of a tail: p99 and, from its other side, p1 rest on 10 of 1,000 requests.
LEAST_REQUESTS = {"p5": 100, "p95": 100, "p1": 1_000, "p99": 1_000, "p99.9": 10_000}


class Turned(NamedTuple):
    """A figure that a formula uses, and whether the result falls where the figure rises."""

    label: str
    figure: Figure
    falls: bool


def falls(formula: Expression, numbers: Mapping[str, Fraction], name: str) -> bool:
    """Tell whether a formula's result gets smaller where one of its numbers gets larger.

    Raises ZeroDivisionError as the formula does.
    """
    more = {**numbers, name: numbers[name] * Fraction(101, 100)}
    return formula.at(more) < formula.at(numbers)


@lru_cache(maxsize=4096)
def divisors(formula: str) -> frozenset[str]:
    """Return the names that a formula divides by; none where the formula is refused."""
    try:
        read = parse(formula)
        numbers = {name: Fraction(place) for place, name in enumerate(sorted(read.names), 2)}
        return frozenset(name for name in numbers if falls(read, numbers, name)) - read.taken_off
    except (FormulaError, ZeroDivisionError):
        return frozenset()


def turned(registry: Registry, record: Record, derivation: Derivation) -> list[Turned]:
    """Return the rates and latencies of single requests that a derivation uses.

    Raises FormulaError where the formula is refused, UnsettledError where an input or its metric
    is not there.
    """
    formula, inputs = check(registry, record, derivation)
    numbers = {name: Fraction(one.number) for name, one in inputs.items()}
    found = []
    for name, one in inputs.items():
        if one.figure is None or one.figure[0].results[one.figure[1]].scope != "per_request":
            continue
        home, result = one.figure
        figure, label = home.results[result], result if home is record else f"{home.id}#{result}"
        metric = registry.metrics.get(figure.metric)
        if metric is None:
            raise UnsettledError(f"the metric of {label} is not there")
        if metric.quantity in OF_REQUESTS:
            try:
                found.append(Turned(label, figure, falls(formula, numbers, name)))
            except ZeroDivisionError:
                raise UnsettledError(f"{derivation.formula!r} divides by 0") from None
    return found


def inverse(rate: Figure, time: Decimal, unit: str) -> bool:
    """Tell whether a token rate is one over a time, to a tenth of a percent."""
    per_second, seconds = factor(rate.unit, "tok/s"), factor(unit, "s")
    if per_second is None or seconds is None:
        return False
    return abs(Fraction(rate.value) * per_second * Fraction(time) * seconds - 1) < Fraction(1, 1000)


def requests_behind(record: Record, figure: Figure) -> int | None:
    """Return how many requests of one run a statistic is over at most; None where nothing says."""
    numbers = (figure.n, record.load.completed, record.load.requests)
    return min((number for number in numbers if number is not MISSING), default=None)
