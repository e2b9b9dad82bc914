"""Intervals hold every number that they stand for, and never lose one on the way."""

import operator
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchreg.values.interval import (
    Interval,
    ends,
    exact,
    half_unit,
    largest,
    rounded_from,
    short,
    smallest,
)

ENDS = st.builds(Fraction, st.integers(), st.integers(1, 10**9)) | st.integers().map(Fraction)
DECIMALS = st.decimals(-(10**15), 10**15, allow_nan=False)
EXACTLY = Context(prec=2000)
Operation = Callable[[Any, Any], Any]


class Part(NamedTuple):
    """An interval, and a number within it."""

    whole: Interval
    point: Fraction


@st.composite
def parts(draw: st.DrawFn) -> Part:
    """Draw an interval and a number within."""
    low, point, high = sorted(draw(st.tuples(ENDS, ENDS, ENDS)))
    return Part(Interval(low, high), point)


def divisors() -> st.SearchStrategy[Part]:
    """Draw an interval without 0, of either sign, and a number within."""
    above = st.builds(Fraction, st.integers(1), st.integers(1, 10**9))
    below = above.map(operator.neg)
    ends = st.tuples(above, above, above) | st.tuples(below, below, below)
    return ends.map(sorted).map(lambda three: Part(Interval(three[0], three[2]), three[1]))


def interval(low: str, high: str) -> Interval:
    return Interval(Fraction(low), Fraction(high))


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul])
@given(one=parts(), two=parts())
def test_the_result_of_any_two_numbers_lies_in_the_result_of_their_intervals(
    operation: Operation, one: Part, two: Part
) -> None:
    assert operation(one.point, two.point) in operation(one.whole, two.whole)


@given(one=parts(), two=divisors())
def test_any_two_numbers_divided_lie_in_their_intervals_divided(one: Part, two: Part) -> None:
    assert one.point / two.point in one.whole / two.whole


@given(part=parts())
def test_a_number_with_its_sign_turned_lies_in_its_interval_turned(part: Part) -> None:
    assert -part.point in -part.whole


@given(several=st.lists(parts(), min_size=1, max_size=4))
def test_the_smallest_and_the_largest_number_lie_in_those_of_their_intervals(
    several: list[Part],
) -> None:
    assert min(part.point for part in several) in smallest([part.whole for part in several])
    assert max(part.point for part in several) in largest([part.whole for part in several])


@pytest.mark.parametrize(
    ("name", "operation", "expected"),
    [
        ("a sum", operator.add, interval("0", "7")),
        ("a difference", operator.sub, interval("-5", "2")),
        ("a product over both signs", operator.mul, interval("-4", "12")),
        ("a quotient of both signs", operator.truediv, interval("-1", "3")),
    ],
)
def test_the_ends_are_as_near_as_they_can_be(
    name: str, operation: Operation, expected: Interval
) -> None:
    assert operation(interval("-1", "3"), interval("1", "4")) == expected, name


@pytest.mark.parametrize(
    ("name", "divisor"),
    [
        ("within", interval("-1", "1")),
        ("at the low end", interval("0", "1")),
        ("at the high end", interval("-1", "0")),
        ("alone", interval("0", "0")),
    ],
)
def test_a_divisor_that_may_be_zero_is_refused(name: str, divisor: Interval) -> None:
    with pytest.raises(ZeroDivisionError):
        exact(1) / divisor
    assert Fraction(0) in divisor, name


@pytest.mark.parametrize(
    ("name", "other", "they_do"),
    [
        ("overlapping", interval("2", "4"), True),
        ("one within the other", interval("1.5", "1.6"), True),
        ("with one number in common", interval("3", "4"), True),
        ("apart above", interval("3.01", "4"), False),
        ("apart below", interval("-1", "0.99"), False),
    ],
)
def test_two_intervals_meet_where_they_have_a_number_in_common(
    name: str, other: Interval, *, they_do: bool
) -> None:
    assert interval("1", "3").meets(other) is they_do, name
    assert other.meets(interval("1", "3")) is they_do, name


@given(whole=parts().map(lambda part: part.whole), power=st.integers(-90, 90))
@example(whole=interval("1/3", "2/3"), power=80)
@example(whole=interval("-2/3", "-1/3"), power=-80)
def test_outward_never_narrows(whole: Interval, power: int) -> None:
    scale = exact(Fraction(3, 7) ** power)
    scaled = whole * scale
    wider = scaled.outward()
    assert wider.low <= scaled.low
    assert wider.high >= scaled.high


@given(whole=parts().map(lambda part: part.whole))
def test_outward_is_short_and_hardly_wider(whole: Interval) -> None:
    long = whole * exact(Fraction(3, 7) ** 200)
    wider = long.outward()
    assert wider.bits < long.bits or long.bits < 200
    assert wider.width - long.width <= max(abs(long.low), abs(long.high)) / 10**35


def test_outward_keeps_short_ends_as_they_are() -> None:
    third = interval("1/3", "800.5")
    assert third.outward() is not third
    assert third.outward() == third


@pytest.mark.parametrize("power", [9000, -9000])
def test_outward_takes_numbers_as_large_as_a_formula_can_give(power: int) -> None:
    huge = exact(Fraction(10) ** power * 7 / 3)
    wider = huge.outward()
    assert huge.low in wider
    assert wider.low > 0


@pytest.mark.parametrize("rounding", [ROUND_HALF_EVEN, ROUND_HALF_UP])
@given(number=DECIMALS, places=st.integers(-3, 12))
def test_a_number_lies_in_what_its_rounded_digits_stand_for(
    rounding: str, number: Decimal, places: int
) -> None:
    rounded = number.quantize(Decimal(1).scaleb(-places), rounding, EXACTLY)
    assert Fraction(number) in rounded_from(rounded)


@pytest.mark.parametrize(
    ("written", "low", "high"),
    [
        ("0.9", "0.85", "0.95"),
        ("12.5", "12.45", "12.55"),
        ("57.6", "57.55", "57.65"),
        ("800", "799.5", "800.5"),
        ("800.0", "799.95", "800.05"),
        ("8e2", "750", "850"),
        ("0", "-0.5", "0.5"),
        ("-14", "-14.5", "-13.5"),
    ],
)
def test_digits_stand_for_all_that_is_rounded_to_them(written: str, low: str, high: str) -> None:
    assert rounded_from(Decimal(written)) == interval(low, high)
    assert half_unit(Decimal(written)) == rounded_from(Decimal(written)).width / 2


@pytest.mark.parametrize("number", [Decimal("12.50"), Fraction(25, 2)])
def test_an_exact_number_is_an_interval_without_width(number: Decimal | Fraction) -> None:
    assert exact(number) == interval("12.5", "12.5")
    assert exact(number).width == 0


@pytest.mark.parametrize(
    ("number", "digits", "text"),
    [
        (Fraction(125, 9), 3, "13.9"),
        (Fraction(800), 6, "800"),
        (Fraction(800), 1, "800"),
        (Fraction(12345), 4, "12340"),
        (Fraction(1, 3), 4, "0.3333"),
        (Fraction(0), 4, "0"),
        (Decimal("12.50"), 4, "12.5"),
        (Fraction(-6, 5), 4, "-1.2"),
        (Fraction(10) ** 20, 3, "100000000000000000000"),
        (Fraction(1, 10**7), 3, "0.0000001"),
    ],
)
def test_a_number_is_written_short_and_without_an_exponent(
    number: Fraction | Decimal, digits: int, text: str
) -> None:
    assert short(number, digits) == text


def test_the_ends_of_an_interval_are_written_short() -> None:
    assert ends(interval("796.8", "803.2")) == "796.8 to 803.2"
    assert ends(interval("1/3", "2/3"), 2) == "0.33 to 0.67"
