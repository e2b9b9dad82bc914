"""What a part can do: its own numbers, what joins it to others, and the most that is said of it."""

import math
from typing import Any

import pytest

from benchreg.entities.catalogue import Accelerator
from benchreg.registry.registry import Registry
from benchreg.roofline.formats import FORMATS
from benchreg.roofline.hardware import (
    FABRIC_LATENCY_S,
    GIB,
    PCIE_LATENCY_S,
    UnknownTermError,
    most,
    part,
)

OWN = {
    "id": "example-gpu",
    "name": "Example GPU",
    "vendor": "Example",
    "family": "example",
    "kind": "gpu",
    "memory_gib": 80,
    "memory_bandwidth_gb_s": 2000,
    "peak_tflop_s": {"bf16": 300, "fp16": 310, "fp8": 600},
}
FABRIC = {"kind": "NVLink 4", "gb_s_per_direction": 450}
SLOTS = {"kind": "PCIe 5.0 x16", "gb_s_per_direction": 64}
MEASURED = [
    {"group": 2, "gb_s": 300, "floor_us": 2},
    {"group": 4, "gb_s": 350},
    {"group": 8, "gb_s": 400, "floor_us": 3},
]
SIXTEEN = ("fp16", "bf16")


def accelerator(**other: Any) -> Accelerator:
    return Accelerator.model_validate(OWN | other)


def without(*names: str) -> Accelerator:
    return Accelerator.model_validate({key: OWN[key] for key in OWN if key not in names})


def test_a_part_has_gibibytes_and_the_highest_peak_of_its_arithmetic() -> None:
    found = part(accelerator(), ("bf16", "fp16", "int8"))
    assert (found.memory_bytes, found.bandwidth, found.peak) == (80 * 2**30, 2e12, 310e12)


@pytest.mark.parametrize(
    ("case", "other", "group", "link", "latency"),
    [
        ("one alone needs none", {}, 1, math.inf, 0.0),
        ("of a fabric", {"interconnect": FABRIC}, 8, 450e9, FABRIC_LATENCY_S),
        ("of slots", {"interconnect": SLOTS}, 8, 64e9, PCIE_LATENCY_S),
        ("of a generation of slots", {"pcie_gen": 4}, 2, 32e9, PCIE_LATENCY_S),
        (
            "measured, in the group",
            {"interconnect": FABRIC | {"allreduce": MEASURED}},
            2,
            300e9,
            2e-6,
        ),
        (
            "measured, in the next larger group that is whole",
            {"interconnect": FABRIC | {"allreduce": MEASURED}},
            3,
            400e9,
            3e-6,
        ),
        (
            "of more than were measured",
            {"interconnect": FABRIC | {"allreduce": MEASURED}},
            16,
            450e9,
            FABRIC_LATENCY_S,
        ),
        (
            "of a fabric without numbers, in slots",
            {"interconnect": {"kind": "some fabric"}, "pcie_gen": 5},
            2,
            64e9,
            PCIE_LATENCY_S,
        ),
    ],
)
def test_a_group_is_joined_by_what_is_known_best(
    case: str, other: dict[str, Any], group: int, link: float, latency: float
) -> None:
    found = part(accelerator(**other), SIXTEEN, group)
    assert (found.link, found.link_latency_s) == (link, pytest.approx(latency)), case


@pytest.mark.parametrize(
    ("case", "one", "computes", "group", "field"),
    [
        ("a peak", accelerator(), ("int8", "int4"), 1, "peak_tflop_s.int8"),
        ("bandwidth", without("memory_bandwidth_gb_s"), SIXTEEN, 1, "memory_bandwidth_gb_s"),
        ("memory", without("memory_gib"), SIXTEEN, 1, "memory_gib"),
        ("a link", accelerator(), SIXTEEN, 2, "interconnect.gb_s_per_direction"),
        (
            "a link of slots that nobody knows",
            accelerator(pcie_gen=9),
            SIXTEEN,
            2,
            "interconnect.gb_s_per_direction",
        ),
    ],
)
def test_a_number_that_is_not_in_the_catalogue_is_named(
    case: str, one: Accelerator, computes: tuple[str, ...], group: int, field: str
) -> None:
    with pytest.raises(UnknownTermError) as refusal:
        part(one, computes, group)
    assert str(refusal.value) == f"example-gpu has no {field} in the catalogue", case


def conflict(field: str, value: float) -> dict[str, Any]:
    return {"conflicts": [{"field": field, "value": value, "source": "example-source"}]}


@pytest.mark.parametrize(
    ("case", "other", "memory_gib", "bandwidth", "peak"),
    [
        ("its own", {}, 80, 2e12, 310e12),
        ("more memory", conflict("memory_gib", 94), 94, 2e12, 310e12),
        ("more bandwidth", conflict("memory_bandwidth_gb_s", 2039), 80, 2.039e12, 310e12),
        ("less bandwidth", conflict("memory_bandwidth_gb_s", 1555), 80, 2e12, 310e12),
        ("a higher peak", conflict("peak_tflop_s.bf16", 400), 80, 2e12, 400e12),
        ("a lower peak", conflict("peak_tflop_s.fp16", 100), 80, 2e12, 310e12),
        ("another peak", conflict("peak_tflop_s.fp8", 999), 80, 2e12, 310e12),
    ],
)
def test_of_two_numbers_the_more_generous_one_counts(
    case: str, other: dict[str, Any], memory_gib: float, bandwidth: float, peak: float
) -> None:
    found = most(accelerator(**other), SIXTEEN)
    assert (found.memory_bytes, found.bandwidth) == (memory_gib * GIB, bandwidth), case
    assert found.peak == pytest.approx(peak), case


@pytest.mark.parametrize("field", ["memory_bytes", "bandwidth", "peak"])
def test_the_most_of_what_nobody_says_is_without_limit(field: str) -> None:
    bare = without("memory_gib", "memory_bandwidth_gb_s", "peak_tflop_s")
    assert getattr(most(bare, SIXTEEN), field) == math.inf


def test_no_part_of_the_catalogue_can_do_more_than_the_most(shipped: Registry) -> None:
    judged = 0
    for one in shipped.accelerators.values():
        for computes in {known.computes for known in FORMATS.values()}:
            try:
                own = part(one, computes)
            except UnknownTermError:
                continue
            judged += 1
            widest = most(one, computes)
            for field in ("memory_bytes", "bandwidth", "peak"):
                assert getattr(own, field) <= getattr(widest, field), (one.id, computes, field)
    assert judged > 200
