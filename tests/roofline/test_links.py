"""What joins a group of a part, case by case, and how a sweep takes it for each number of ways."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchreg.entities.catalogue import Accelerator
from benchreg.registry.registry import Registry
from benchreg.roofline.hardware import (
    FABRIC_LATENCY_S,
    GIGA,
    MICRO,
    PCIE_GB_S,
    PCIE_LATENCY_S,
    Joined,
    UnknownTermError,
    beyond,
    is_pcie,
    joined,
    over_pcie,
    part,
)
from benchreg.roofline.reference import GRID
from benchreg.roofline.sweep import Configuration, Grid, Link, Swept, speeds, sweep

OWN: dict[str, Any] = {
    "id": "example-gpu",
    "name": "Example GPU",
    "vendor": "Example",
    "family": "example",
    "kind": "gpu",
    "memory_gib": 80,
    "memory_bandwidth_gb_s": 2000,
    "peak_tflop_s": {"bf16": 300},
}
FABRIC: dict[str, Any] = {"kind": "NVLink 4", "gb_s_per_direction": 450}
BRIDGE: dict[str, Any] = {
    "kind": "NVLink 4 bridge between two cards, else PCIe 5 x16",
    "gb_s_per_direction": 300,
    "joins": 2,
}
SLOTS: dict[str, Any] = {"kind": "PCIe 4 x8", "gb_s_per_direction": 16}
PAIR = {"group": 2, "gb_s": 100, "floor_us": 2}
FOUR = {"group": 4, "gb_s": 90, "floor_us": 3}
NO_FLOOR, NO_RATE = {"group": 8, "gb_s": 80}, {"group": 8, "floor_us": 4}
OVER_5 = Joined(64e9, PCIE_LATENCY_S, "pcie")
LINK = "interconnect.gb_s_per_direction"


def accelerator(fabric: dict[str, Any] | None = None, generation: int | None = None) -> Accelerator:
    given = {"interconnect": fabric, "pcie_gen": generation}
    return Accelerator.model_validate(
        OWN | {name: value for name, value in given.items() if value is not None}
    )


def measured(gb_s: float, floor_us: float) -> Joined:
    return Joined(gb_s * GIGA, floor_us * MICRO, "measured")


@pytest.mark.parametrize(
    ("case", "fabric", "generation", "group", "expected"),
    [
        ("nothing", None, None, 2, None),
        ("lanes", None, 5, 2, OVER_5),
        ("lanes that nobody knows", None, 9, 2, None),
        ("a fabric", FABRIC, None, 8, Joined(450e9, FABRIC_LATENCY_S, "fabric")),
        ("a fabric beside lanes", FABRIC, 5, 8, Joined(450e9, FABRIC_LATENCY_S, "fabric")),
        ("a fabric of no known speed", {"kind": "Mesh"}, None, 2, None),
        ("the same, beside lanes", {"kind": "Mesh"}, 5, 2, OVER_5),
        ("a bridge", BRIDGE, 5, 2, Joined(300e9, FABRIC_LATENCY_S, "fabric")),
        ("more than it joins", BRIDGE, 5, 3, OVER_5),
        ("more than it joins, without lanes", BRIDGE, None, 3, None),
        (
            "as many as it joins",
            BRIDGE | {"joins": 4},
            5,
            4,
            Joined(300e9, FABRIC_LATENCY_S, "fabric"),
        ),
        ("eight lanes of sixteen", SLOTS, 4, 8, Joined(16e9, PCIE_LATENCY_S, "pcie")),
        ("eight lanes alone", SLOTS, None, 8, Joined(16e9, PCIE_LATENCY_S, "pcie")),
        ("lanes of no known number", {"kind": "PCIe 5"}, 5, 8, OVER_5),
        ("lanes of neither", {"kind": "PCIe 5"}, None, 8, None),
        ("measured, before the fabric", FABRIC | {"allreduce": [PAIR]}, 5, 2, measured(100, 2)),
        ("measured, before lanes", SLOTS | {"allreduce": [PAIR]}, 4, 2, measured(100, 2)),
        ("measured alone", {"kind": "Mesh", "allreduce": [PAIR]}, 5, 2, measured(100, 2)),
        ("measured, as many", FABRIC | {"allreduce": [FOUR, PAIR]}, 5, 2, measured(100, 2)),
        ("measured, the next more", FABRIC | {"allreduce": [FOUR, PAIR]}, 5, 3, measured(90, 3)),
        ("measured beyond a bridge", BRIDGE | {"allreduce": [FOUR]}, 5, 4, measured(90, 3)),
        (
            "more than were measured",
            FABRIC | {"allreduce": [FOUR]},
            5,
            8,
            Joined(450e9, FABRIC_LATENCY_S, "fabric"),
        ),
        ("more than were measured or a bridge joins", BRIDGE | {"allreduce": [PAIR]}, 5, 4, OVER_5),
        (
            "half a measurement is none",
            FABRIC | {"allreduce": [NO_FLOOR, NO_RATE]},
            5,
            8,
            Joined(450e9, FABRIC_LATENCY_S, "fabric"),
        ),
    ],
)  # fmt: skip
def test_a_group_is_joined_by_what_is_known_of_it(
    case: str,
    fabric: dict[str, Any] | None,
    generation: int | None,
    group: int,
    expected: Joined | None,
) -> None:
    assert joined(accelerator(fabric, generation), group) == expected, case


@pytest.mark.parametrize("generation", PCIE_GB_S)
def test_sixteen_lanes_have_the_speed_of_their_generation(generation: int) -> None:
    found = over_pcie(accelerator(FABRIC, generation))
    assert found == Joined(2 ** (generation + 1) * 1e9, PCIE_LATENCY_S, "pcie")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("PCIe 5.0 x16", True),
        ("pcie 4 x8", True),
        ("PCIe 5 x8 for each of its two GPUs", True),
        ("NVLink 4 bridge between two cards, else PCIe 5 x16", False),
        ("NVLink 4", False),
    ],
)
def test_pcie_is_an_interconnect_that_begins_with_it(kind: str, expected: bool) -> None:
    fabric = accelerator({"kind": kind}).interconnect
    assert is_pcie(fabric) is expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("case", "fabric", "group", "field", "most"),
    [
        ("nothing", None, 2, LINK, 1),
        ("a fabric of no known speed", {"kind": "Mesh"}, 2, LINK, 1),
        ("measured up to four", {"kind": "Mesh", "allreduce": [PAIR, FOUR, NO_FLOOR]}, 8, LINK, 4),
        ("a bridge", BRIDGE, 4, "pcie_gen", 2),
        ("a bridge, measured beyond it", BRIDGE | {"allreduce": [FOUR]}, 8, "pcie_gen", 4),
    ],
)
def test_what_nobody_said_is_named_with_how_many_are_joined_without_it(
    case: str, fabric: dict[str, Any] | None, group: int, field: str, most: int
) -> None:
    one = accelerator(fabric)
    assert beyond(one) == (field, most), case
    with pytest.raises(UnknownTermError, match=f"^example-gpu has no {field} in the catalogue$"):
        part(one, ("bf16",), group)
    assert part(one, ("bf16",), 1).link == np.inf
    if most > 1:
        assert np.isfinite(part(one, ("bf16",), most).link)


def test_every_part_whose_fabric_ends_has_lanes_beyond_it(shipped: Registry) -> None:
    bridged = [
        one
        for one in shipped.accelerators.values()
        if (pair := joined(one, 2)) is not None and pair.by == "fabric" and joined(one, 64) != pair
    ]
    assert len(bridged) > 5
    assert {far.by for one in bridged if (far := joined(one, 64)) is not None} == {"pcie"}


# A sweep with a speed for each number of ways.

UP_TO_TWO = Link("nvlink", (np.inf, 4e11, 1.6e10), (0.0, 3.5e-6, 25e-6))
WAYS = replace(GRID, tensor=(1, 2, 4), links=(UP_TO_TWO, GRID.links[1]))


def alone(grid: Grid, ways: int, rate: float, latency: float) -> list[Configuration]:
    """Return the configurations of so many ways over a link of one speed."""
    swept = sweep(replace(grid, tensor=(ways,), links=(Link("nvlink", rate, latency),)))
    return every(swept)


def every(swept: Swept) -> list[Configuration]:
    return [swept.configurations(place) for place in range(swept.grid.size)]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)], ids=["as it is", "turned"])
def test_each_number_of_ways_is_swept_at_its_own_speed(order: tuple[int, ...]) -> None:
    rates, latencies = UP_TO_TWO.bytes_per_s, UP_TO_TWO.latency_s
    assert isinstance(rates, tuple)
    assert isinstance(latencies, tuple)
    turned = Link("nvlink", tuple(rates[n] for n in order), tuple(latencies[n] for n in order))
    grid = replace(WAYS, tensor=tuple(WAYS.tensor[n] for n in order), links=(turned, GRID.links[1]))
    found = {one.name: one for one in every(sweep(grid)) if one.interconnect == "nvlink"}
    expected = [
        one
        for ways, rate, latency in zip(WAYS.tensor, rates, latencies, strict=True)
        for one in alone(WAYS, ways, rate, latency)
    ]
    assert found == {one.name: one for one in expected}


def test_the_speeds_of_a_link_are_those_of_the_ways_that_communicate() -> None:
    assert speeds(WAYS, UP_TO_TWO) == [(2, 4e11, 3.5e-6), (4, 1.6e10, 25e-6)]
    assert speeds(WAYS, GRID.links[1]) == [(2, 1.6e10, 25e-6), (4, 1.6e10, 25e-6)]
    assert speeds(replace(WAYS, tensor=(1,)), GRID.links[1]) == []


def test_one_speed_for_all_is_as_good_as_one_for_each() -> None:
    spread = (Link("nvlink", (4e11,) * 4, (3.5e-6,) * 4), Link("pcie", (1.6e10,) * 4, (25e-6,) * 4))
    assert every(sweep(replace(GRID, links=spread))) == every(sweep(GRID))
