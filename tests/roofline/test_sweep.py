"""A grid: what is selected, what is on the frontier, and what stands beside them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchreg.roofline.model import Terms
from benchreg.roofline.reference import GRID, TPOT_LIMIT_S
from benchreg.roofline.step import IDEAL, Storage
from benchreg.roofline.sweep import (
    Comparisons,
    Configuration,
    Grid,
    Link,
    Precision,
    Swept,
    comparisons,
    sweep,
)

WIDE = Precision("bf16", Storage(2.0, 2.0, 2.0), 1e12)
NARROW = Precision("fp8", Storage(1.0, 1.0, 1.0), 2e12)
FAST, SLOW = Link("nvlink", 4e11, 3.5e-6), Link("pcie", 1.6e10, 25e-6)
LIMITS = st.floats(1e-4, 1.0)


@st.composite
def _grids(draw: st.DrawFn) -> Grid:
    def some(of: Any) -> Any:
        return tuple(draw(st.lists(st.sampled_from(of), min_size=1, unique=True)))

    return replace(
        GRID,
        memory_bytes=draw(st.floats(1e10, 4e11)),
        bandwidth=draw(st.floats(1e11, 1e13)),
        context=draw(st.integers(1, 100_000)),
        precisions=some((WIDE, NARROW)),
        tensor=some((1, 2, 4, 8)),
        batch=some((1, 2, 8, 64, 128)),
        links=some((FAST, SLOW)),
    )


GRIDS: st.SearchStrategy[Grid] = _grids()


def every(swept: Swept) -> list[Configuration]:
    return [swept.configurations(place) for place in range(swept.grid.size)]


def beaten(swept: Swept, place: int, limit_s: float) -> bool:
    """Tell whether another one that may be chosen is as good in both, and better in one."""
    times, rates, allowed = swept.tpot_s, swept.per_accelerator, swept.allowed(limit_s)
    as_good = allowed & (times <= times[place]) & (rates >= rates[place])
    return bool(np.any(as_good & ((times < times[place]) | (rates > rates[place]))))


def test_a_grid_has_every_combination_once_and_the_link_varies_fastest() -> None:
    grid = replace(GRID, tensor=(2, 4), batch=(1, 8))
    names = [one.name for one in every(sweep(grid))]
    assert len(set(names)) == len(names) == grid.size == 16
    assert names[:5] == [
        "bf16-tp2-b1-nvlink",
        "bf16-tp2-b1-pcie",
        "bf16-tp2-b8-nvlink",
        "bf16-tp2-b8-pcie",
        "bf16-tp4-b1-nvlink",
    ]
    assert names[8] == "fp8-tp2-b1-nvlink"


@pytest.mark.parametrize(
    ("precision", "tensor", "batch", "link"),
    [("bf16", 1, 1, "nvlink"), ("fp8", 8, 128, "pcie"), ("fp8", 4, 64, "nvlink")],
)
def test_a_configuration_is_found_by_what_it_is(
    precision: str, tensor: int, batch: int, link: str
) -> None:
    swept = sweep(GRID)
    place = swept.find(precision, tensor, batch, link)
    assert place is not None
    assert swept.configurations(place).name == f"{precision}-tp{tensor}-b{batch}-{link}"


@pytest.mark.parametrize(
    ("case", "asked"),
    [
        ("a format", ("int4", 1, 1, "nvlink")),
        ("a split", ("bf16", 3, 1, "nvlink")),
        ("a batch", ("bf16", 1, 7, "nvlink")),
        ("a link", ("bf16", 1, 1, "infiniband")),
    ],
)
def test_what_the_grid_does_not_have_is_not_found(
    case: str, asked: tuple[str, int, int, str]
) -> None:
    assert sweep(GRID).find(*asked) is None, case


def test_a_configuration_is_shown_in_its_units(tiny: Terms) -> None:
    grid = Grid(
        model=tiny,
        memory_bytes=4e9,
        bandwidth=1e5,
        context=10.0,
        precisions=(replace(WIDE, peak=1e6),),
        tensor=(2,),
        batch=(3,),
        links=(Link("wire", 1e5, 1e-3),),
        coefficients=replace(IDEAL, communication=1.0, reserved_bytes=2e9),
    )
    found = sweep(grid).configurations(0)
    assert (found.weight_read_ms, found.kv_read_ms) == (9.0, 2.4)
    assert found.compute_ms == pytest.approx(1e3 * 3 * (1800 + 160) / 1e6 / 2, abs=0.005)
    assert found.allreduce_ms == pytest.approx(1e3 * 4 * (60 / 1e5 + 1e-3), abs=0.005)
    assert found.tpot_ms == pytest.approx(9.0 + 2.4 + found.allreduce_ms, abs=0.011)
    assert found.total_tokens_per_s == pytest.approx(3e3 / found.tpot_ms, rel=1e-3)
    assert found.tokens_per_s_per_gpu == pytest.approx(found.total_tokens_per_s / 2, abs=0.1)
    assert (found.memory_per_gpu_gb, found.fits_hbm, found.bottleneck) == (
        2.0,
        True,
        "weight_bandwidth",
    )


def test_nothing_is_selected_where_nothing_keeps_the_limit() -> None:
    swept = sweep(GRID)
    assert (swept.selected(1e-6), swept.frontier(1e-6)) == (None, [])


@settings(max_examples=100, deadline=None)
@given(grid=GRIDS, limit_s=LIMITS)
def test_the_selected_one_yields_most_of_those_that_may_be(grid: Grid, limit_s: float) -> None:
    swept = sweep(grid)
    place, allowed = swept.selected(limit_s), swept.allowed(limit_s)
    assert (place is None) == (not allowed.any())
    if place is not None:
        assert allowed[place]
        assert swept.per_accelerator[place] == swept.per_accelerator[allowed].max()


@settings(max_examples=100, deadline=None)
@given(grid=GRIDS, limit_s=LIMITS)
def test_on_the_frontier_is_what_no_other_one_beats(grid: Grid, limit_s: float) -> None:
    swept = sweep(grid)
    expected = {
        place
        for place in np.flatnonzero(swept.allowed(limit_s)).tolist()
        if not beaten(swept, place, limit_s)
    }
    found = swept.frontier(limit_s)
    assert set(found) == expected
    assert len(found) == len(expected)
    assert sorted(found, key=lambda place: swept.tpot_s[place]) == found


@pytest.mark.parametrize(
    ("case", "times", "rates", "expected"),
    [
        ("one", [1], [1], [0]),
        ("slower, and more", [1, 2], [1, 2], [0, 1]),
        ("slower, and as much", [1, 2], [1, 1], [0]),
        ("slower, and less", [1, 2], [2, 1], [0]),
        ("as fast, and less", [1, 1, 2], [1, 2, 3], [1, 2]),
        ("as fast, and as much", [2, 2, 1], [2, 2, 1], [2, 0, 1]),
        ("equals that are beaten", [1, 2, 2], [2, 1, 1], [0]),
    ],
)
def test_equals_stay_on_the_frontier_and_what_is_beaten_in_one_does_not(
    case: str, times: list[float], rates: list[float], expected: list[int]
) -> None:
    swept = replace(
        sweep(GRID),
        tpot_s=np.array(times, float),
        per_accelerator=np.array(rates, float),
        fits=np.full(len(times), fill_value=True),
    )
    assert swept.frontier(10.0) == expected, case


def test_one_accelerator_is_as_fast_over_any_link_and_both_stay_on_the_frontier() -> None:
    swept = sweep(replace(GRID, tensor=(1,)))
    names = [swept.configurations(place).name for place in swept.frontier(1.0)]
    assert names[:2] == ["fp8-tp1-b1-nvlink", "fp8-tp1-b1-pcie"]


@settings(max_examples=60, deadline=None)
@given(data=st.data(), grid=GRIDS, limit_s=LIMITS)
def test_axes_in_another_order_give_the_same_answer_in_another_order(
    data: st.DataObject, grid: Grid, limit_s: float
) -> None:
    axes = ("precisions", "tensor", "batch", "links")
    changes: dict[str, Any] = {
        name: tuple(data.draw(st.permutations(getattr(grid, name)))) for name in axes
    }
    turned = replace(grid, **changes)
    one, other = sweep(grid), sweep(turned)
    assert {shown.name: shown for shown in every(one)} == {
        shown.name: shown for shown in every(other)
    }
    names = [
        {swept.configurations(place).name for place in swept.frontier(limit_s)}
        for swept in (one, other)
    ]
    assert names[0] == names[1]
    chosen = [one.selected(limit_s), other.selected(limit_s)]
    if chosen[0] is not None and chosen[1] is not None:
        assert one.per_accelerator[chosen[0]] == other.per_accelerator[chosen[1]]
    assert (chosen[0] is None) == (chosen[1] is None)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["as it is", "turned"])
def test_the_reference_is_selected_in_any_order(order: tuple[int, int]) -> None:
    turned = replace(
        GRID,
        precisions=tuple(GRID.precisions[n] for n in order),
        links=tuple(GRID.links[n] for n in order),
        tensor=GRID.tensor[::-1],
        batch=GRID.batch[::-1],
    )
    swept = sweep(turned)
    place = swept.selected(TPOT_LIMIT_S)
    assert place is not None
    assert swept.configurations(place).name == "fp8-tp4-b128-nvlink"


# What stands beside the selected one.


def beside(grid: Grid, name: str) -> dict[str, Any]:
    """Return the names of what is compared with a configuration of a grid."""
    swept = sweep(grid)
    (chosen,) = [one for one in every(swept) if one.name == name]
    found: Comparisons = comparisons(swept, chosen)

    def told(place: int | None) -> str | None:
        return None if place is None else swept.configurations(place).name

    return {
        "baseline": told(found.baseline),
        "slow": told(found.slow_link),
        "half": [told(place) for place in found.half_split],
    }


@pytest.mark.parametrize(
    ("case", "grid", "name", "expected"),
    [
        (
            "all of it",
            GRID,
            "fp8-tp4-b128-nvlink",
            {
                "baseline": "bf16-tp8-b1-nvlink",
                "slow": "fp8-tp4-b64-pcie",
                "half": ["fp8-tp2-b64-nvlink", "fp8-tp2-b128-nvlink"],
            },
        ),
        (
            "half the batch is not there",
            replace(GRID, batch=(1, 128)),
            "fp8-tp4-b128-nvlink",
            {"baseline": "bf16-tp8-b1-nvlink", "slow": None, "half": ["fp8-tp2-b128-nvlink"]},
        ),
        (
            "half the ways are not there",
            replace(GRID, tensor=(4,)),
            "fp8-tp4-b128-nvlink",
            {"baseline": "bf16-tp4-b1-nvlink", "slow": "fp8-tp4-b64-pcie", "half": []},
        ),
        (
            "one accelerator and one sequence",
            GRID,
            "bf16-tp1-b1-nvlink",
            {"baseline": "bf16-tp8-b1-nvlink", "slow": None, "half": []},
        ),
        (
            "the slow link itself",
            GRID,
            "fp8-tp4-b128-pcie",
            {
                "baseline": "bf16-tp8-b1-nvlink",
                "slow": None,
                "half": ["fp8-tp2-b64-pcie", "fp8-tp2-b128-pcie"],
            },
        ),
        (
            "one link",
            replace(GRID, links=GRID.links[:1]),
            "fp8-tp4-b128-nvlink",
            {
                "baseline": "bf16-tp8-b1-nvlink",
                "slow": None,
                "half": ["fp8-tp2-b64-nvlink", "fp8-tp2-b128-nvlink"],
            },
        ),
    ],
)
def test_what_stands_beside_a_configuration_is_what_the_grid_has(
    case: str, grid: Grid, name: str, expected: dict[str, Any]
) -> None:
    assert beside(grid, name) == expected, case
