"""Intervals of exact numbers: what printed digits stand for, and arithmetic over them."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from functools import lru_cache

_SHORT = 200


@dataclass(frozen=True, slots=True)
class Interval:
    """All numbers from `low` to `high`, both included."""

    low: Fraction
    high: Fraction

    def joined(self, other: "Interval") -> "Interval":
        """Return the interval from the lowest to the highest of both."""
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def meets(self, other: "Interval") -> bool:
        """Tell whether the two have a number in common."""
        return self.low <= other.high and other.low <= self.high

    def __contains__(self, number: Fraction) -> bool:
        """Tell whether a number lies within."""
        return self.low <= number <= self.high

    def __neg__(self) -> "Interval":
        return Interval(-self.high, -self.low)

    def __add__(self, other: "Interval") -> "Interval":
        return Interval(self.low + other.low, self.high + other.high)

    def __sub__(self, other: "Interval") -> "Interval":
        return self + -other

    def __mul__(self, other: "Interval") -> "Interval":
        if self.low.numerator >= 0 and other.low.numerator >= 0:
            low = self.low * other.low
            alone = self.high is self.low and other.high is other.low
            return Interval(low, low if alone else self.high * other.high)
        return _hull([a * b for a in (self.low, self.high) for b in (other.low, other.high)])

    def __truediv__(self, other: "Interval") -> "Interval":
        if other.low.numerator <= 0 <= other.high.numerator:
            raise ZeroDivisionError
        low = 1 / other.high
        return self * Interval(low, low if other.high is other.low else 1 / other.low)

    def outward(self) -> "Interval":
        """Return a little wider interval whose ends are short: chains of formulas stay cheap."""
        return Interval(_cut(self.low, ROUND_FLOOR), _cut(self.high, ROUND_CEILING))

    @property
    def bits(self) -> int:
        """How long the longest integer is that its ends are made of."""
        ends = (self.low, self.high)
        return max(max(end.numerator.bit_length(), end.denominator.bit_length()) for end in ends)

    @property
    def width(self) -> Fraction:
        """How far the ends are apart."""
        return self.high - self.low


def _cut(number: Fraction, rounding: str) -> Fraction:
    if number.denominator.bit_length() < _SHORT and number.numerator.bit_length() < _SHORT:
        return number
    context = Context(prec=40, rounding=rounding)
    return Fraction(context.divide(Decimal(number.numerator), Decimal(number.denominator)))


def _hull(numbers: list[Fraction]) -> Interval:
    return Interval(min(numbers), max(numbers))


def smallest(parts: list[Interval]) -> Interval:
    """Return the interval of the smallest of several numbers."""
    return Interval(min(part.low for part in parts), min(part.high for part in parts))


def largest(parts: list[Interval]) -> Interval:
    """Return the interval of the largest of several numbers."""
    return Interval(max(part.low for part in parts), max(part.high for part in parts))


def exact(number: Decimal | Fraction | int) -> Interval:
    """Return the interval that holds one number only."""
    one = Fraction(number)
    return Interval(one, one)


@lru_cache(maxsize=1024)
def _half_of(exponent: int) -> Fraction:
    return Fraction(10**exponent, 2) if exponent >= 0 else Fraction(1, 2 * 10**-exponent)


def half_unit(number: Decimal) -> Fraction:
    """Return half a unit of the last digit that is written: 0.05 for 57.6, 0.5 for 800."""
    return _half_of(int(number.as_tuple().exponent))


def rounded_from(number: Decimal) -> Interval:
    """Return all numbers that are written so when rounded: 0.85 to 0.95 for 0.9."""
    half = half_unit(number)
    return Interval(Fraction(number) - half, Fraction(number) + half)


def short(number: Fraction | Decimal, digits: int = 4) -> str:
    """Write a number with as many significant digits, without an exponent and needless zeros."""
    context = Context(prec=digits, rounding=ROUND_HALF_EVEN)
    ratio = Fraction(number)
    rounded = context.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
    text = f"{rounded:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def ends(interval: Interval, digits: int = 4) -> str:
    """Write the two ends of an interval."""
    return f"{short(interval.low, digits)} to {short(interval.high, digits)}"
