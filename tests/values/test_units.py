"""Units of one dimension turn into each other exactly, and into nothing else."""

from fractions import Fraction

import pytest

from benchreg.registry.registry import Registry
from benchreg.values.units import UNITS, factor


@pytest.mark.parametrize(
    ("unit", "to", "expected"),
    [
        ("s", "ms", Fraction(1000)),
        ("ms", "s", Fraction(1, 1000)),
        ("us", "ms", Fraction(1, 1000)),
        ("req/min", "req/s", Fraction(1, 60)),
        ("tok/s", "tok/min", Fraction(60)),
        ("ktok/s", "tok/s", Fraction(1000)),
        ("mJ/tok", "J/tok", Fraction(1, 1000)),
        ("USD/ktok", "USD/Mtok", Fraction(1000)),
        ("kW", "W", Fraction(1000)),
        ("GiB", "GB", Fraction(1073741824, 1_000_000_000)),
        ("tok/s", "tok/s", Fraction(1)),
    ],
)
def test_a_number_is_turned_by_an_exact_factor(unit: str, to: str, expected: Fraction) -> None:
    assert factor(unit, to) == expected


@pytest.mark.parametrize(
    ("name", "unit", "to"),
    [
        ("a rate of tokens is no rate of requests", "tok/s", "req/s"),
        ("a time is no rate", "s", "tok/s"),
        ("tokens of a step are no tokens of a second", "tok/step", "tok/s"),
        ("energy is no power", "J/tok", "W"),
        ("from what is no unit", "tokens/s", "tok/s"),
        ("to what is no unit", "tok/s", "TOK/S"),
        ("from nothing", "", "s"),
    ],
)
def test_where_dimensions_differ_there_is_no_factor(name: str, unit: str, to: str) -> None:
    assert factor(unit, to) is None, name


@pytest.mark.parametrize("unit", UNITS)
def test_there_and_back_is_the_same_number(unit: str) -> None:
    same = [to for to in UNITS if UNITS[to].dimension == UNITS[unit].dimension]
    there = [factor(unit, to) for to in same]
    back = [factor(to, unit) for to in same]
    assert [one * other for one, other in zip(there, back, strict=True) if one and other] == [
        1 for _ in same
    ]


def test_every_unit_of_a_shipped_metric_turns_into_the_one_it_is_shown_in(
    shipped: Registry,
) -> None:
    units = [
        (metric.id, unit, metric.unit)
        for metric in shipped.metrics.values()
        for unit in (metric.unit, *metric.other_units)
    ]
    assert len(units) > 20
    assert [case for case in units if factor(*case[1:]) is None] == []
