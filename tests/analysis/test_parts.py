"""The limits of a part let the whole catalogue through, and nothing a thousand times off."""

from decimal import Decimal
from fractions import Fraction

import pytest

from benchreg.analysis.parts import WIDER, beside, ranges, stated
from benchreg.entities.catalogue import Accelerator
from benchreg.registry.document import Pointer
from benchreg.registry.registry import Registry


def scaled(part: Accelerator, at: Pointer, times: Fraction) -> Accelerator:
    """Return the part with one of its numbers scaled."""
    holder = getattr(part, str(at[0])) if len(at) == 2 else part
    value = Fraction(getattr(holder, str(at[-1]))) * times
    number = Decimal(value.numerator) / Decimal(value.denominator)
    changed = holder.model_copy(update={str(at[-1]): number})
    return part.model_copy(update={str(at[0]): changed}) if len(at) == 2 else changed


def outside(part: Accelerator) -> list[Pointer]:
    return [one.at for one in ranges(part) if not one.holds]


def test_no_part_of_the_catalogue_is_outside(shipped: Registry) -> None:
    assert {part.id: outside(part) for part in shipped.accelerators.values() if outside(part)} == {}


@pytest.mark.parametrize("times", [Fraction(1000), Fraction(1, 1000)], ids=["1000", "1/1000"])
def test_a_number_that_is_a_thousand_times_off_is_found(shipped: Registry, times: Fraction) -> None:
    through = [
        (part.id, one.at)
        for part in shipped.accelerators.values()
        for one in ranges(part)
        if not outside(scaled(part, one.at, times))
    ]
    assert through == []


def test_every_peak_that_is_as_fast_as_can_be_is_found_when_it_is_doubled(
    shipped: Registry,
) -> None:
    judged = 0
    for part in shipped.accelerators.values():
        for name, rate in stated(part.peak_tflop_s).items():
            if name in WIDER and (against := beside(part, name)):
                assert rate <= against.most, (part.id, name)
                fast = rate > against.most / 2
                judged += fast
                at = ("peak_tflop_s", name)
                twice = scaled(part, at, Fraction(2))
                wider = beside(twice, name)
                assert wider == against
                assert (stated(twice.peak_tflop_s)[name] > wider.most) == fast
    assert judged > 200
