"""What a part can do: memory, bandwidth, arithmetic, and what joins it to its neighbours.

The roofline (Williams, Waterman, Patterson 2009): work takes at least its bytes over the bandwidth
and its operations over the peak of their number format.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import MISSING

from benchreg.entities.catalogue import Accelerator, Interconnect
from benchreg.roofline.arrays import Numbers, Struct
from benchreg.values.errors import BenchregError

GIB, GIGA, TERA, MICRO = float(2**30), 1e9, 1e12, 1e-6
# One way over 16 lanes, in GB/s, by PCIe generation (PCI-SIG: 8, 16, 32, 64 GT/s a lane).
PCIE_GB_S = {3: 16.0, 4: 32.0, 5: 64.0, 6: 128.0}
# Of an all-reduce that was not measured on the part: what the reference configuration assumes.
FABRIC_LATENCY_S, PCIE_LATENCY_S = 3.5e-6, 25e-6


class UnknownTermError(BenchregError):
    """A number of a part that the estimate needs is not in the catalogue."""


@dataclass(frozen=True, slots=True)
class Part(Struct):
    """One accelerator, or one a configuration.

    memory_bytes, bandwidth (bytes/s), peak (FLOP/s of the arithmetic in use), link (bytes/s one
    way, of a ring over the group that is in use) and link_latency_s (of one all-reduce).
    """

    memory_bytes: Numbers
    bandwidth: Numbers
    peak: Numbers
    link: Numbers = np.inf
    link_latency_s: Numbers = 0.0


def part(accelerator: Accelerator, computes: tuple[str, ...], group: int = 1) -> Part:
    """Return the terms of a part, whose links join `group` of them.

    `computes` are the peaks that the arithmetic can reach; the highest counts. Raises
    UnknownTermError that names the field.
    """
    peaks = [rate for name in computes if (rate := _peak(accelerator, name)) is not None]
    if not peaks:
        raise _unknown(accelerator, f"peak_tflop_s.{computes[0]}")
    for name in ("memory_bandwidth_gb_s", "memory_gib"):
        if getattr(accelerator, name) is MISSING:
            raise _unknown(accelerator, name)
    link = joined(accelerator, group) if group > 1 else ALONE
    if link is None:
        raise _unknown(accelerator, beyond(accelerator)[0])
    return Part(
        memory_bytes=float(accelerator.memory_gib) * GIB,  # type: ignore[arg-type]
        bandwidth=float(accelerator.memory_bandwidth_gb_s) * GIGA,  # type: ignore[arg-type]
        peak=max(peaks) * TERA,
        link=link.bytes_per_s,
        link_latency_s=link.latency_s,
    )


def _unknown(accelerator: Accelerator, field: str) -> UnknownTermError:
    return UnknownTermError(f"{accelerator.id} has no {field} in the catalogue")


def _peak(accelerator: Accelerator, name: str) -> float | None:
    rate = getattr(accelerator.peak_tflop_s, name)
    return None if rate is MISSING else float(rate)


@dataclass(frozen=True, slots=True)
class Joined:
    """How a group of a part is joined: bytes/s one way, seconds of an all-reduce, and by what."""

    bytes_per_s: float
    latency_s: float
    by: Literal["measured", "fabric", "pcie"]


ALONE = Joined(np.inf, 0.0, "fabric")


def joined(accelerator: Accelerator, group: int) -> Joined | None:
    """Return what joins so many of a part: measured, its fabric, or PCIe; None where nobody says.

    A fabric that joins fewer, as a bridge of a pair, leaves the rest to PCIe.
    """
    fabric = accelerator.interconnect
    if fabric is MISSING:
        return over_pcie(accelerator)
    if measured := _measured(fabric, group):
        return measured
    reaches = fabric.joins is MISSING or group <= fabric.joins
    if fabric.gb_s_per_direction is MISSING or is_pcie(fabric) or not reaches:
        return over_pcie(accelerator)
    return Joined(float(fabric.gb_s_per_direction) * GIGA, FABRIC_LATENCY_S, "fabric")


def is_pcie(fabric: Interconnect) -> bool:
    """Tell whether an interconnect is PCIe and nothing else."""
    return fabric.kind.lower().startswith("pcie")


def over_pcie(accelerator: Accelerator) -> Joined | None:
    """Return PCIe as it is stated, or of 16 lanes of its generation; None where neither is."""
    fabric = accelerator.interconnect
    if fabric is not MISSING and is_pcie(fabric) and fabric.gb_s_per_direction is not MISSING:
        rate: float | None = float(fabric.gb_s_per_direction)
    else:
        generation = accelerator.pcie_gen
        rate = None if generation is MISSING else PCIE_GB_S.get(generation)
    return None if rate is None else Joined(rate * GIGA, PCIE_LATENCY_S, "pcie")


def beyond(accelerator: Accelerator) -> tuple[str, int]:
    """Return the field that nobody gave for a larger group, and the most that are joined as it is.

    It is for parts that `joined` knows nothing of, so that there is no PCIe.
    """
    fabric = accelerator.interconnect
    if fabric is MISSING:
        return "interconnect.gb_s_per_direction", 1
    groups = [group for group, *_ in _all_reduces(fabric)]
    if fabric.gb_s_per_direction is MISSING or fabric.joins is MISSING:
        return "interconnect.gb_s_per_direction", max(groups, default=1)
    return "pcie_gen", max([fabric.joins, *groups])


def _all_reduces(fabric: Interconnect) -> Iterator[tuple[int, float, float]]:
    """Yield group, bytes/s and seconds of each measured all-reduce that has both."""
    for one in fabric.allreduce:
        if one.gb_s is not MISSING and one.floor_us is not MISSING:
            yield one.group, float(one.gb_s) * GIGA, float(one.floor_us) * MICRO


def _measured(fabric: Interconnect, group: int) -> Joined | None:
    """Return the measured all-reduce of the smallest group that holds as many."""
    enough = [one for one in _all_reduces(fabric) if one[0] >= group]
    if not enough:
        return None
    _, rate, floor = min(enough)
    return Joined(rate, floor, "measured")


@dataclass(frozen=True, slots=True)
class Most:
    """The most that sources grant a part: for a bound, the more generous of two figures counts.

    Bytes, bytes/s and FLOP/s; infinite where the catalogue has no number.
    """

    memory_bytes: float
    bandwidth: float
    peak: float


def most(accelerator: Accelerator, computes: tuple[str, ...]) -> Most:
    """Return the upper ends of what is said of a part, conflicts included."""
    memory = _most(accelerator, "memory_gib", accelerator.memory_gib)
    bandwidth = _most(accelerator, "memory_bandwidth_gb_s", accelerator.memory_bandwidth_gb_s)
    peaks = [
        _most(accelerator, f"peak_tflop_s.{name}", getattr(accelerator.peak_tflop_s, name))
        for name in computes
    ]
    known = [peak for peak in peaks if peak < np.inf]
    return Most(memory * GIB, bandwidth * GIGA, max(known, default=np.inf) * TERA)


def _most(accelerator: Accelerator, field: str, value: object) -> float:
    if value is MISSING:
        return np.inf
    others = (float(one.value) for one in accelerator.conflicts if one.field == field)
    return max(float(value), *others, 0.0)  # type: ignore[arg-type]
