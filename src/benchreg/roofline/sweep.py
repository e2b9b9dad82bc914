"""A grid of decode configurations: which one to run, and what each alternative costs.

The axes are number format, tensor parallelism, batch and link; the grid is worked out in one call.
Selected is what yields the most tokens a second and accelerator among those that fit in memory and
keep the limit on the time per output token. On the frontier are those that no other one beats in
both; permuting an axis permutes the answer and changes nothing else.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchreg.roofline.arrays import Array, Flags
from benchreg.roofline.hardware import Part
from benchreg.roofline.model import Terms
from benchreg.roofline.step import (
    BOTTLENECKS,
    Coefficients,
    Layout,
    Setup,
    Step,
    Storage,
    decode_step,
    memory_bytes,
)


@dataclass(frozen=True, slots=True)
class Precision:
    """A number format of weights and cache: its bytes a value, and the peak of its arithmetic."""

    name: str
    storage: Storage
    peak: float


@dataclass(frozen=True, slots=True)
class Link:
    """What joins the accelerators: bytes/s one way, and seconds of an all-reduce's latency.

    One of each, or one for each of the grid's ways of tensor parallelism.
    """

    name: str
    bytes_per_s: float | tuple[float, ...]
    latency_s: float | tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """The axes of a sweep, and what all its configurations share."""

    model: Terms
    memory_bytes: float
    bandwidth: float
    context: float
    precisions: tuple[Precision, ...]
    tensor: tuple[int, ...]
    batch: tuple[int, ...]
    links: tuple[Link, ...]
    coefficients: Coefficients

    @property
    def size(self) -> int:
        """How many configurations it has."""
        return len(self.precisions) * len(self.tensor) * len(self.batch) * len(self.links)


@dataclass(frozen=True, slots=True)
class Configuration:
    """One configuration of a sweep, in the units that it is shown in."""

    name: str
    precision: str
    tp_degree: int
    batch_size: int
    interconnect: str
    fits_hbm: bool
    memory_per_gpu_gb: float
    weight_read_ms: float
    kv_read_ms: float
    compute_ms: float
    allreduce_ms: float
    tpot_ms: float
    total_tokens_per_s: float
    tokens_per_s_per_gpu: float
    bottleneck: str


@dataclass(frozen=True, slots=True)
class Swept:
    """The configurations of a grid, by their place in it (arrays of shape (n,))."""

    grid: Grid
    index: tuple[Array, ...]
    tpot_s: Array
    per_accelerator: Array
    fits: Flags
    configurations: Callable[[int], Configuration]

    def allowed(self, limit_s: float) -> Flags:
        """Tell of each configuration whether it fits and keeps the limit."""
        return self.fits & (self.tpot_s <= limit_s)

    def selected(self, limit_s: float) -> int | None:
        """Return the place of what yields most for each accelerator; None where nothing may.

        Of equals it is the first: one accelerator is as fast over any link.
        """
        allowed = self.allowed(limit_s)
        if not allowed.any():
            return None
        return int(np.argmax(np.where(allowed, self.per_accelerator, -np.inf)))

    def frontier(self, limit_s: float) -> list[int]:
        """Return the places of what no other one beats in both, the fastest first; equals stay."""
        places = np.flatnonzero(self.allowed(limit_s))
        order = np.lexsort((-self.per_accelerator[places], self.tpot_s[places]))
        places = places[order]
        rates, times = self.per_accelerator[places], self.tpot_s[places]
        before = np.maximum.accumulate(np.concatenate(([-np.inf], rates)))[:-1]
        equal = np.zeros(len(places), bool)
        equal[1:] = (np.diff(rates) == 0) & (np.diff(times) == 0)
        first = np.maximum.accumulate(np.where(equal, 0, np.arange(len(places))))
        return [int(place) for place in places[(rates > before)[first]]]

    def find(self, precision: str, tensor: int, batch: int, link: str) -> int | None:
        """Return the place of a configuration; None where the grid does not have it."""
        grid = self.grid
        formats, links = [one.name for one in grid.precisions], [one.name for one in grid.links]
        there = precision in formats and link in links
        if not (there and tensor in grid.tensor and batch in grid.batch):
            return None
        place = formats.index(precision) * len(grid.tensor) + grid.tensor.index(tensor)
        return (place * len(grid.batch) + grid.batch.index(batch)) * len(links) + links.index(link)


@dataclass(frozen=True, slots=True)
class _Worked:
    """A grid with the step and the memory of each configuration (arrays of shape (n,))."""

    grid: Grid
    index: tuple[Array, ...]
    tensor: Array
    batch: Array
    step: Step
    bottleneck: Array
    held: Array

    def configuration(self, place: int) -> Configuration:
        """Return one configuration, rounded as it is shown."""
        grid, step = self.grid, self.step
        precision, link = (
            axis[self.index[n][place]].name for n, axis in ((0, grid.precisions), (3, grid.links))
        )
        ways, many = int(self.tensor[place]), int(self.batch[place])
        held, rate = float(self.held[place]), many / float(step.total_s[place])
        return Configuration(
            name=f"{precision}-tp{ways}-b{many}-{link}",
            precision=precision,
            tp_degree=ways,
            batch_size=many,
            interconnect=link,
            fits_hbm=held <= grid.memory_bytes,
            memory_per_gpu_gb=round(held / 1e9, 2),
            weight_read_ms=_ms(step.weights_s, place),
            kv_read_ms=_ms(step.cache_s, place),
            compute_ms=_ms(step.compute_s, place),
            allreduce_ms=_ms(step.collective_s, place),
            tpot_ms=_ms(step.total_s, place),
            total_tokens_per_s=round(rate, 1),
            tokens_per_s_per_gpu=round(rate / ways, 1),
            bottleneck=BOTTLENECKS[int(self.bottleneck[place])],
        )


def _ms(seconds: Array, place: int) -> float:
    return round(float(seconds[place]) * 1e3, 2)


def sweep(grid: Grid) -> Swept:
    """Return every configuration of a grid, in the order of its axes; the link varies fastest."""
    axes = (grid.precisions, grid.tensor, grid.batch, grid.links)
    index = tuple(axis.ravel() for axis in np.indices([len(axis) for axis in axes]))
    tensor, batch = (np.array(axes[n], float)[index[n]] for n in (1, 2))
    setup = _setup(grid, index, tensor)
    step = decode_step(setup, batch, grid.context)
    held = memory_bytes(setup, batch, grid.context)
    worked = _Worked(grid, index, tensor, batch, step, step.bottleneck, held)
    rate = batch / step.total_s / tensor
    fits = held <= grid.memory_bytes
    return Swept(grid, index, step.total_s, rate, fits, worked.configuration)


def _setup(grid: Grid, index: tuple[Array, ...], tensor: Array) -> Setup:
    """Return the setups of all configurations (arrays of shape (n,))."""
    many = Storage.stack([one.storage for one in grid.precisions])
    part = Part(
        grid.memory_bytes,
        grid.bandwidth,
        np.array([one.peak for one in grid.precisions])[index[0]],
        _by_ways(grid, [one.bytes_per_s for one in grid.links])[index[3], index[1]],
        _by_ways(grid, [one.latency_s for one in grid.links])[index[3], index[1]],
    )
    return Setup(grid.model, part, Layout(tensor=tensor), many.take(index[0]), grid.coefficients)


def speeds(grid: Grid, link: Link) -> list[tuple[int, float, float]]:
    """Return ways, bytes/s and seconds of latency of a link, where accelerators communicate."""
    rates, latencies = (_by_ways(grid, [one])[0] for one in (link.bytes_per_s, link.latency_s))
    return [
        (ways, float(rate), float(latency))
        for ways, rate, latency in zip(grid.tensor, rates, latencies, strict=True)
        if ways > 1
    ]


def _by_ways(grid: Grid, values: list[float | tuple[float, ...]]) -> Array:
    """Return a number of each link and number of ways, as an array (links, ways)."""
    return np.stack([np.broadcast_to(np.array(one, float), len(grid.tensor)) for one in values])


@dataclass(frozen=True, slots=True)
class Comparisons:
    """What is shown beside the selected configuration; a place is left out where it is not there.

    baseline: all tensor ways and one sequence, in the widest format. slow_link: the selected one
    at half its batch over the slowest link. half_split: half its tensor ways, at half its batch
    and at all of it.
    """

    baseline: int | None
    slow_link: int | None
    half_split: tuple[int, ...]


def comparisons(swept: Swept, selected: Configuration) -> Comparisons:
    """Return what a reader wants to see beside the selected configuration of a sweep."""
    grid = swept.grid
    widest = max(grid.precisions, key=lambda one: one.storage.weight)
    most = max(grid.tensor)
    rates = {
        one.name: dict(zip(grid.tensor, _by_ways(grid, [one.bytes_per_s])[0], strict=True))
        for one in grid.links
    }
    slowest = min(rates, key=lambda name: rates[name][selected.tp_degree])
    fastest = max(rates, key=lambda name: rates[name][most])
    slower = rates[slowest][selected.tp_degree] < rates[selected.interconnect][selected.tp_degree]
    halves = (selected.batch_size // 2, selected.batch_size)
    split = [
        swept.find(selected.precision, selected.tp_degree // 2, batch, selected.interconnect)
        for batch in halves
    ]
    over = swept.find(selected.precision, selected.tp_degree, halves[0], slowest)
    return Comparisons(
        swept.find(widest.name, most, min(grid.batch), fastest),
        over if slower else None,
        tuple(place for place in split if place is not None),
    )
