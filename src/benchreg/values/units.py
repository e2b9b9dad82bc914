"""The units of figures, and exact factors between those of one dimension."""

from fractions import Fraction
from typing import NamedTuple


class Unit(NamedTuple):
    """What a unit measures, and how many base units it is."""

    dimension: str
    factor: Fraction


UNITS: dict[str, Unit] = {
    "req/s": Unit("requests per time", Fraction(1)),
    "req/min": Unit("requests per time", Fraction(1, 60)),
    "tok/s": Unit("tokens per time", Fraction(1)),
    "ktok/s": Unit("tokens per time", Fraction(1000)),
    "tok/min": Unit("tokens per time", Fraction(1, 60)),
    "s": Unit("time", Fraction(1)),
    "ms": Unit("time", Fraction(1, 1000)),
    "us": Unit("time", Fraction(1, 1_000_000)),
    "req": Unit("requests", Fraction(1)),
    "tok/step": Unit("tokens per step", Fraction(1)),
    "W": Unit("power", Fraction(1)),
    "kW": Unit("power", Fraction(1000)),
    "J/tok": Unit("energy per token", Fraction(1)),
    "mJ/tok": Unit("energy per token", Fraction(1, 1000)),
    "USD/Mtok": Unit("price per token", Fraction(1)),
    "USD/ktok": Unit("price per token", Fraction(1000)),
    "GiB": Unit("memory", Fraction(2**30)),
    "GB": Unit("memory", Fraction(10**9)),
}


def factor(unit: str, to: str) -> Fraction | None:
    """Return what turns a number in `unit` into one in `to`; None for two dimensions."""
    have, want = UNITS.get(unit), UNITS.get(to)
    if have is None or want is None or have.dimension != want.dimension:
        return None
    return have.factor / want.factor
