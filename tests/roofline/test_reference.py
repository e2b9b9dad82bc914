"""The reference case is what it is said to be, and its numbers follow from its form."""

from dataclasses import asdict, replace

import pytest

from benchreg.roofline.reference import CONTEXT, GRID, MODEL, TPOT_LIMIT_S, grid
from benchreg.roofline.step import REFERENCE
from benchreg.roofline.sweep import Configuration, sweep

SWEPT = sweep(GRID)
EVERY = [SWEPT.configurations(place) for place in range(GRID.size)]
FORMATS = {"fp8": (1, 2000e12), "bf16": (2, 1000e12)}
LINKS = {"nvlink": (400e9, 3.5e-6), "pcie": (16e9, 25e-6)}


def form(one: Configuration) -> dict[str, object]:
    """Return the numbers of a configuration by the form of the reference, written out."""
    tp, batch = one.tp_degree, one.batch_size
    size, peak = FORMATS[one.precision]
    link, latency = LINKS[one.interconnect]
    kv = 2 * 80 * 8 * 128 * size * 4096 * batch / tp
    times = {
        "weight_bandwidth": 70e9 * size / tp / (0.8 * 3.35e12),
        "kv_bandwidth": kv / (0.8 * 3.35e12),
        "compute": (2 * 70e9 * batch + 4 * 80 * 64 * 128 * 4096 * batch) / tp / (0.65 * peak),
        "allreduce_comm": (
            2 * 80 * (2 * (tp - 1) / tp * batch * 8192 * 2 / link + latency) if tp > 1 else 0.0
        ),
    }
    weights, cache, compute, sent = times.values()
    memory = weights + cache
    tpot = max(memory, compute) + 0.15 * min(memory, compute) + sent + 0.35e-3
    held = 70e9 * size / tp + kv + 3.5e9
    return {
        "fits_hbm": held <= 80e9,
        "memory_per_gpu_gb": round(held / 1e9, 2),
        "weight_read_ms": round(weights * 1e3, 2),
        "kv_read_ms": round(cache * 1e3, 2),
        "compute_ms": round(compute * 1e3, 2),
        "allreduce_ms": round(sent * 1e3, 2),
        "tpot_ms": round(tpot * 1e3, 2),
        "total_tokens_per_s": round(batch / tpot, 1),
        "tokens_per_s_per_gpu": round(batch / tpot / tp, 1),
        "bottleneck": max(times, key=lambda name: times[name]),
    }


def test_the_grid_has_all_of_its_axes() -> None:
    assert (GRID.size, CONTEXT, TPOT_LIMIT_S) == (2 * 4 * 7 * 2, 4096, 0.025)


def test_the_coefficients_are_those_of_the_form() -> None:
    assert asdict(REFERENCE) == {
        "memory_efficiency": 0.8,
        "compute_efficiency": 0.65,
        "exposed": 0.15,
        "overhead_s": 0.35e-3,
        "reserved_bytes": 3.5e9,
        "communication": 1.0,
        "fewest_experts": False,
    }


def test_all_parameters_of_the_model_are_read_in_a_step() -> None:
    assert MODEL.met + MODEL.head == MODEL.stored == 70e9


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.name)
def test_every_configuration_is_the_form_of_the_reference(one: Configuration) -> None:
    shown = asdict(one)
    assert {name: shown[name] for name in form(one)} == form(one)


def test_a_reader_may_choose_other_coefficients() -> None:
    slower = sweep(grid(replace(REFERENCE, overhead_s=1.35e-3)))
    assert (slower.tpot_s - SWEPT.tpot_s).tolist() == pytest.approx([1e-3] * GRID.size)
