"""What a part can have: its peaks beside each other, and its numbers beside what any part has.

The limits are of parts that exist, V100 to Blackwell Ultra and wafers among them, with room; they
tell a number of another kind or in another unit, and no good part from a bad one.
"""

from collections.abc import Iterator
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from pydantic import MISSING

from benchreg.entities.catalogue import Accelerator, Peaks
from benchreg.registry.document import Pointer

# Printed pairs are no exact doubles: 733 beside 362.05 on L40S.
SLACK = Fraction(3, 200)
SIXTEEN = ("fp16", "bf16")
# How fast a format is beside the fastest of the wider ones, at most; the strictest counts.
WIDER: MappingProxyType[str, tuple[tuple[tuple[str, ...], int], ...]] = MappingProxyType({
    "tf32": ((("fp32",), 16),),
    "fp16": ((("tf32",), 2), (("bf16",), 2)),
    "bf16": ((("tf32",), 2), (("fp16",), 1)),
    "fp8": ((SIXTEEN, 2),),
    "int8": ((SIXTEEN, 2),),
    "fp6": ((("fp8",), 2),),
    "fp4": ((("fp8",), 2),),
    "int4": ((("int8",), 2),),
})  # fmt: skip
# Parts whose units of one format are faster than that, and how many times.
FASTER: MappingProxyType[tuple[str, str], Fraction] = MappingProxyType({
    # Blackwell Ultra: fp4 is three times fp8 (4,500 and 13,500), 15,000 for some; sparse 18,000
    ("b300", "fp4"): Fraction(5, 3),
    ("gb300", "fp4"): Fraction(3, 2),
    # its matrix engines take bf16 and fp8 at full rate, and fp16 and tf32 at a quarter
    ("gaudi3", "bf16"): Fraction(4),
    # 750 TOP/s beside 188 TFLOP/s
    ("groq-lpu", "int8"): Fraction(2),
    # the 16-bit units of Trainium2 beside new ones for fp8: 671 and 2,517
    ("trainium3", "fp8"): Fraction(15, 8),
})  # fmt: skip


class Beside(NamedTuple):
    """The strictest neighbour of a peak: its names, its rate, and how many times is allowed."""

    names: str
    rate: Fraction
    times: Fraction

    @property
    def most(self) -> Fraction:
        """The highest dense peak that the neighbour allows."""
        return self.rate * self.times * (1 + SLACK)


def stated(peaks: Peaks) -> dict[str, Fraction]:
    """Return the peaks that are stated, the widest format first."""
    found = {name: getattr(peaks, name) for name in Peaks.model_fields}
    return {name: Fraction(rate) for name, rate in found.items() if rate is not MISSING}


def beside(part: Accelerator, name: str) -> Beside | None:
    """Return the neighbour that a peak is held against; None where none is stated."""
    peaks = stated(part.peak_tflop_s)
    faster = FASTER.get((part.family, name), Fraction(1))
    found = []
    for names, times in WIDER[name]:
        there = [one for one in names if one in peaks]
        if there:
            rate = max(peaks[one] for one in there)
            more = 2 if name == "fp16" and names == ("tf32",) and _halves(peaks) else 1
            found.append(Beside(" and ".join(there), rate, times * more * faster))
    return min(found, key=lambda one: one.most, default=None)


def _halves(peaks: dict[str, Fraction]) -> bool:
    """Tell whether a card accumulates in fp32 at half rate, as GeForce does.

    Its tf32 is no faster than its fp32 then; fp16, which is stated with fp16 accumulation, is
    four times that.
    """
    return "fp32" in peaks and peaks["tf32"] <= peaks["fp32"] * (1 + SLACK)


class Range(NamedTuple):
    """A number of a part, the least and the most that any part has, and why."""

    at: Pointer
    value: Fraction
    low: Fraction
    high: Fraction
    why: str

    @property
    def holds(self) -> bool:
        """Tell whether the number lies within."""
        return self.low <= self.value <= self.high


# Operations for each byte that the memory delivers: the ridge of the roofline.
WORK = MappingProxyType({
    "fp64": (Fraction(1, 10), 200), "fp32": (Fraction(1), 500), "tf32": (Fraction(5), 1500),
    "fp16": (Fraction(10), 3000), "bf16": (Fraction(10), 3000),
    "fp8": (Fraction(10), 8000), "int8": (Fraction(10), 8000),
    "fp6": (Fraction(20), 16000), "fp4": (Fraction(20), 16000), "int4": (Fraction(20), 16000),
})  # fmt: skip
WORK_OF_SRAM = (Fraction(1, 20), 100)


def ranges(part: Accelerator) -> Iterator[Range]:
    """Yield the numbers of a part that can be held against what any part has."""
    memory, bandwidth = _fraction(part.memory_gib), _fraction(part.memory_bandwidth_gb_s)
    if memory:
        why = "the SRAM of a die and the DIMMs of a socket are the ends"
        yield Range(("memory_gib",), memory, Fraction(1, 10), Fraction(4096), why)
    if bandwidth:
        found = _of_bandwidth(part, memory, bandwidth)
        yield found
        if not found.holds:  # nothing is held against a number that is wrong itself
            bandwidth = None
    if tdp := _fraction(part.tdp_w):
        yield _of_power(part, tdp)
    yield from _of_link(part, bandwidth)
    yield from _of_peaks(part, bandwidth)


def _of_bandwidth(part: Accelerator, memory: Fraction | None, bandwidth: Fraction) -> Range:
    at = ("memory_bandwidth_gb_s",)
    if memory is None:
        why = "a few channels of LPDDR, and HBM or the SRAM of a wafer, are the ends"
        most = 10**8 if part.kind == "npu" else 50_000
        return Range(at, bandwidth, Fraction(10), Fraction(most), why)
    low, high = (10_000, 1_000_000) if _sram(part) else (1, 160)
    least = Fraction(1, 10) if part.kind == "cpu" else Fraction(low)
    kind = "SRAM" if _sram(part) else "DRAM"
    often = f"{float(least):g} to {high:,} times a second"
    why = f"{kind} is read {often}, and there are {part.memory_gib} GiB"
    return Range(at, bandwidth, least * memory, high * memory, why)


def _of_power(part: Accelerator, tdp: Fraction) -> Range:
    if _wafer(part):
        why = "a wafer takes tens of kilowatts"
        return Range(("tdp_w",), tdp, Fraction(1000), Fraction(100_000), why)
    why = "a small module and a package under a cold plate are the ends"
    return Range(("tdp_w",), tdp, Fraction(3), Fraction(5000), why)


def _of_link(part: Accelerator, bandwidth: Fraction | None) -> Iterator[Range]:
    joined = part.interconnect
    link = None if joined is MISSING else _fraction(joined.gb_s_per_direction)
    if link:
        at = ("interconnect", "gb_s_per_direction")
        why = "a link feeds from the memory, and is slower"
        yield Range(at, link, Fraction(2), bandwidth or Fraction(30_000), why)


def _of_peaks(part: Accelerator, bandwidth: Fraction | None) -> Iterator[Range]:
    for name, rate in stated(part.peak_tflop_s).items():
        at = ("peak_tflop_s", name)
        if bandwidth:
            low, high = WORK_OF_SRAM if _sram(part) else WORK[name]
            why = f"{float(low):g} to {high:,} operations for each byte of memory are the ends"
            yield Range(at, rate, low * bandwidth / 1000, high * bandwidth / 1000, why)
        else:
            why = "a small SoC and a rack in one package are the ends"
            yield Range(at, rate, Fraction(1, 10), Fraction(10**6), why)


def _sram(part: Accelerator) -> bool:
    """Tell whether all memory is on the die: little of it and very fast, or a wafer's."""
    memory, bandwidth = _fraction(part.memory_gib), _fraction(part.memory_bandwidth_gb_s)
    small = bool(memory and bandwidth and memory < 1 and bandwidth >= 20_000)
    return part.kind == "npu" and (small or _wafer(part))


def _wafer(part: Accelerator) -> bool:
    memory, bandwidth = _fraction(part.memory_gib), _fraction(part.memory_bandwidth_gb_s)
    fast = bool(bandwidth and bandwidth >= 10_000_000)
    return part.kind == "npu" and fast and bool(memory and 10 <= memory < 100)


def _fraction(value: object) -> Fraction | None:
    return None if value is MISSING else Fraction(value)  # type: ignore[call-overload]
