"""The numbers that a record states in its fields, so that prose can be held against them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from pydantic import MISSING, BaseModel

from benchreg.analysis.derivation import UnsettledError, settled
from benchreg.entities.figure import Claim, Derivation, Figure
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.values.expression import FormulaError
from benchreg.values.interval import rounded_from
from benchreg.values.quantities import Quantity, all_numbers
from benchreg.values.units import UNITS, factor

ANY, COUNT, WORDS = "any", "count", "words"
_BLOCKS = (
    "model",
    "hardware",
    "service",
    "engine",
    "precision",
    "workload",
    "load",
    "measurement",
    "slo",
    "accuracy",
    "mlperf",
)
_UNIT_OF = {
    "duration_s": "s",
    "seconds": "s",
    "ttft_ms": "ms",
    "tpot_ms": "ms",
    "e2e_ms": "ms",
    "power_limit_w": "W",
    "request_rate": "req/s",
}
_RATIOS = ("times", "%")
_MEASURED = ("time", "tokens per time", "requests per time")


class Number(NamedTuple):
    """A number with its unit, or with `any` (a claim), `count` (a condition) or `words`."""

    number: Fraction
    unit: str


@dataclass(frozen=True)
class Stated:
    """The numbers of a record: figures with the ends of what they stand for, conditions, claims."""

    registry: Registry
    record: Record

    def holds(self, quantity: Quantity) -> bool:
        """Tell whether the numbers of a quantity, to their digits, are among them.

        A time or a rate must be one there too.
        """
        return all(
            any(_same(one, number, quantity.unit) for one in chain(self._plain, self._ends()))
            for number in quantity.numbers
        )

    @cached_property
    def _plain(self) -> list[Number]:
        return list(_plain(self.registry, self.record))

    @cached_property
    def _recomputed(self) -> list[Number]:
        return list(_ends(self.registry, self.record))

    def _ends(self) -> Iterator[Number]:
        yield from self._recomputed


def _same(stated: Number, number: Decimal, unit: str) -> bool:
    """Tell whether a number in a unit is a stated one, rounded to the digits that it has."""
    span = rounded_from(number)
    if stated.unit == ANY or not unit:
        return stated.number in span
    if unit in _RATIOS:
        return stated.unit == COUNT and stated.number in span
    if unit not in UNITS or (stated.unit == WORDS and UNITS[unit].dimension not in _MEASURED):
        known = UNITS.get(stated.unit)
        return (known is None or known.dimension not in _MEASURED) and stated.number in span
    scale = factor(stated.unit, unit)
    return scale is not None and stated.number * scale in span


def _plain(registry: Registry, record: Record) -> Iterator[Number]:
    for figure in record.results.values():
        yield from _of_figure(figure)
        if figure.derivation is not MISSING:
            yield from _of_formula(registry, figure.derivation, figure.derivation.assumes)
    for claim in record.claims:
        yield Number(Fraction(claim.stated), ANY)
        yield from _of_formula(registry, claim, [claim.says])
    yield from _words([record.title], WORDS)
    for block in _BLOCKS:
        yield from _of_field(block, getattr(record, block))


def _of_figure(figure: Figure) -> Iterator[Number]:
    yield Number(Fraction(figure.value), figure.unit)
    yield from _of_field("n", figure.n)
    yield from _of_field("runs", figure.variation.runs)
    spread = () if figure.spread is MISSING else (figure.spread.stdev,)
    for number in (figure.variation.stdev, figure.variation.ci95, *spread):
        if number is not MISSING:
            yield Number(Fraction(number), figure.unit)


def _of_formula(
    registry: Registry, derivation: Derivation | Claim, said: Iterable[str]
) -> Iterator[Number]:
    """Yield the numbers of a formula and its words, and the figures of other records in it."""
    yield from _words([derivation.formula, *said], ANY)
    for reference in derivation.inputs.values():
        home, found, result = reference.partition("#")
        other = registry.records.get(home) if found else None
        if other is not None and result in other.results:
            yield from _of_figure(other.results[result])


def _of_field(name: str, value: object) -> Iterator[Number]:
    """Yield the numbers of a field, down to the last one; those in words have no unit."""
    if isinstance(value, BaseModel):
        value = value.__dict__
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _of_field(key, part)
    elif isinstance(value, tuple):
        for part in value:
            yield from _of_field(name, part)
    elif isinstance(value, str):
        yield from _words([value], WORDS)
    elif isinstance(value, int | Decimal) and not isinstance(value, bool):
        yield from _of_number(name, Fraction(value))


def _of_number(name: str, number: Fraction) -> Iterator[Number]:
    yield Number(number, _UNIT_OF.get(name, COUNT))
    if name == "weights_bytes":
        yield Number(number / 10**9, "GB")
    elif name == "hit_ratio":
        yield Number(100 * number, COUNT)


def _words(texts: Iterable[str], unit: str) -> Iterator[Number]:
    for text in texts:
        for number in all_numbers(text):
            yield Number(Fraction(number), unit)


def _ends(registry: Registry, record: Record) -> Iterator[Number]:
    """Yield both ends of what each figure stands for."""
    settling = settled(registry)
    for name, figure in record.results.items():
        try:
            interval = settling.interval(record, name)
        except (FormulaError, UnsettledError):
            continue
        yield Number(interval.low, figure.unit)
        yield Number(interval.high, figure.unit)
