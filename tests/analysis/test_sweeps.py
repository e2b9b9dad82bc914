"""The grid of a sweep over the catalogue has the axes that a model and a part allow."""

from typing import Any, get_args

import pytest

from benchreg.analysis.sweeps import Axes, grid
from benchreg.entities.vocabulary import NumberFormat
from benchreg.registry.load import load
from benchreg.registry.registry import Registry
from benchreg.registry.roots import own_root
from benchreg.roofline.hardware import FABRIC_LATENCY_S, GIGA, MICRO, PCIE_LATENCY_S
from benchreg.roofline.reference import CONTEXT, GRID
from benchreg.roofline.sweep import speeds, sweep
from benchreg.values.errors import BenchregError

PART = "h100-sxm5-80gb"


@pytest.fixture(scope="module")
def catalogue() -> Registry:
    """The models and parts that come with benchreg."""
    return load(own_root(), only=frozenset(("model", "accelerator")))


def test_a_model_and_a_part_may_go_by_an_alias(catalogue: Registry) -> None:
    aliases = [
        (kind, name, held[0].entry.entity)
        for (kind, name), held in catalogue.holders.items()
        if kind in ("model", "accelerator") and held[0].at[0] == "aliases"
    ]
    _, part, accelerator = next(one for one in aliases if one[2] is catalogue.accelerators[PART])
    _, name, model = next(one for one in aliases if one[0] == "model")
    assert grid(catalogue, name, part, Axes())[:2] == (model, accelerator)


def test_a_large_model_has_the_axes_of_the_reference_case(catalogue: Registry) -> None:
    _, _, found = grid(catalogue, "llama-3.1-70b", PART, Axes())
    assert (found.tensor, found.batch, found.context) == (GRID.tensor, GRID.batch, CONTEXT)
    assert [one.name for one in found.precisions] == ["bf16", "fp8"]
    assert [one.name for one in found.links] == ["nvlink", "pcie"]


def test_a_link_has_a_speed_for_each_number_of_ways(catalogue: Registry) -> None:
    _, _, found = grid(catalogue, "llama-3.1-70b", "h200-nvl-141gb", Axes(tensor=(8, 1, 4)))
    nvlink, pcie = found.links
    assert speeds(found, nvlink) == [(8, 64e9, PCIE_LATENCY_S), (4, 450e9, FABRIC_LATENCY_S)]
    assert speeds(found, pcie) == [(8, 64e9, PCIE_LATENCY_S), (4, 64e9, PCIE_LATENCY_S)]


def test_what_was_measured_of_a_part_is_its_speed(catalogue: Registry) -> None:
    _, _, found = grid(catalogue, "llama-3.1-8b", "l40s-48gb", Axes(tensor=(1, 2, 8)))
    [pcie] = found.links
    told = [
        (ways, rate / GIGA, round(latency / MICRO, 9))
        for ways, rate, latency in speeds(found, pcie)
    ]
    assert (pcie.name, told) == ("pcie", [(2, 20.2, 7.0), (8, 2.3, 21.7)])


@pytest.mark.parametrize(
    ("name", "tensor", "links"),
    [
        ("within the bridge and beyond it", (2, 4), ["nvlink", "pcie"]),
        ("beyond it alone", (1, 4, 8), ["pcie"]),
        ("one card", (1,), ["none"]),
    ],
)
def test_a_bridge_is_a_link_where_it_joins_some(
    name: str, tensor: tuple[int, ...], links: list[str], catalogue: Registry
) -> None:
    _, _, found = grid(catalogue, "llama-3.1-70b", "h100-nvl-94gb", Axes(tensor=tensor))
    assert [one.name for one in found.links] == links, name


def test_a_part_has_the_memory_that_its_gib_are(catalogue: Registry) -> None:
    _, _, found = grid(catalogue, "llama-3.1-70b", PART, Axes())
    assert found.memory_bytes == 80 * 2**30


def test_what_is_asked_twice_is_one_configuration(catalogue: Registry) -> None:
    axes = Axes(("bf16", "bf16"), (2, 2), (8, 8), 1000)
    _, _, found = grid(catalogue, "llama-3.1-8b", PART, axes)
    assert (found.size, len(found.links)) == (2, 2)


@pytest.mark.parametrize("name", get_args(NumberFormat))
def test_every_format_can_be_swept(name: Any, catalogue: Registry) -> None:
    _, _, found = grid(catalogue, "llama-3.1-8b", PART, Axes((name,)))
    [precision] = found.precisions
    assert precision.storage.weight == precision.storage.head == precision.storage.cache > 0
    assert sweep(found).fits.any()


@pytest.mark.parametrize(
    ("name", "part", "tflops"),
    [
        ("its own", "h100-sxm5-80gb", 1979.0),
        ("16 bits, where the part has none of its own", "a100-sxm4-80gb", 312.0),
    ],
)
def test_a_format_is_multiplied_at_a_peak_that_the_part_has(
    name: str, part: str, tflops: float, catalogue: Registry
) -> None:
    _, _, found = grid(catalogue, "llama-3.1-8b", part, Axes(("fp8",)))
    assert found.precisions[0].peak == tflops * 1e12, name


def test_integers_of_4_bits_meet_16_bits(catalogue: Registry) -> None:
    _, _, found = grid(catalogue, "llama-3.1-8b", PART, Axes(("bf16", "int4_awq")))
    wide, narrow = found.precisions
    assert narrow.peak == wide.peak


def test_every_model_can_be_swept_on_a_common_part(catalogue: Registry) -> None:
    grids = [grid(catalogue, name, PART, Axes())[2] for name in catalogue.models]
    assert len(grids) > 100
    assert [one.size for one in grids if one.size < 14] == []


def test_every_part_with_memory_and_a_peak_can_be_swept(catalogue: Registry) -> None:
    swept, refused = [], []
    for name in catalogue.accelerators:
        try:
            swept.append(grid(catalogue, "llama-3.1-8b", name, Axes())[2])
        except BenchregError as error:
            refused.append(str(error))
    assert len(swept) > 80
    assert [message for message in refused if " in the catalogue" not in message] == []
    assert all(one.links and one.precisions and one.tensor for one in swept)


def test_more_configurations_than_memory_is_for_are_refused(catalogue: Registry) -> None:
    axes = Axes(("bf16", "fp8", "int8"), (1, 2, 4, 8), tuple(range(1, 100_000)))
    with pytest.raises(BenchregError, match="2,399,976 configurations are more than 2,000,000"):
        grid(catalogue, "llama-3.1-8b", PART, axes)
