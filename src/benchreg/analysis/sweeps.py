"""The grid of a sweep over the catalogue: the axes that a model and a part allow."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

import numpy as np
from pydantic import MISSING

from benchreg.analysis.estimates import (
    entity,
    model_terms,
    part_terms,
    usual_activations,
)
from benchreg.analysis.question import (
    MOST_TOKENS,
    MOST_WAYS,
    Range,
    Split,
    check_split,
    tensor_ways,
)
from benchreg.entities.catalogue import Accelerator, Model
from benchreg.entities.vocabulary import NumberFormat
from benchreg.registry.registry import Registry
from benchreg.roofline import reference
from benchreg.roofline.formats import FORMATS, arithmetic
from benchreg.roofline.hardware import (
    ALONE,
    Joined,
    Part,
    beyond,
    is_pcie,
    joined,
    over_pcie,
)
from benchreg.roofline.model import Terms
from benchreg.roofline.step import REFERENCE, Coefficients, Storage
from benchreg.roofline.sweep import Grid, Link, Precision
from benchreg.values.errors import BenchregError

BYTE = 8.0
MOST_CONFIGURATIONS, MOST_BATCH = 2_000_000, 1_000_000


@dataclass(frozen=True, slots=True)
class Axes:
    """What is swept over; an empty axis is that of the reference case, as far as it goes."""

    precisions: tuple[NumberFormat, ...] = ()
    tensor: tuple[int, ...] = ()
    batch: tuple[int, ...] = ()
    context: float | None = None
    coefficients: Coefficients = REFERENCE


def grid(
    registry: Registry, model: str, accelerator: str, axes: Axes
) -> tuple[Model, Accelerator, Grid]:
    """Return a model and a part of the catalogue, and the grid to sweep the one on the other.

    Raises BenchregError that names the field and what is allowed.
    """
    known = cast("Model", entity(registry, "model", model))
    there = cast("Accelerator", entity(registry, "accelerator", accelerator))
    sizes = model_terms(known)
    context = _context(known, axes)
    tensor = _tensor(known, sizes, there, axes)
    precisions = tuple(dict.fromkeys(axes.precisions)) or _reached(there)
    one = _of_format(there, precisions[0])
    found = Grid(
        model=sizes,
        memory_bytes=one.memory_bytes,
        bandwidth=one.bandwidth,
        context=context,
        precisions=tuple(_precision(there, name) for name in precisions),
        tensor=tensor,
        batch=_batch(axes),
        links=tuple(_links(there, tensor)),
        coefficients=axes.coefficients,
    )
    if found.size > MOST_CONFIGURATIONS:
        raise BenchregError(
            f"{found.size:,} configurations are more than {MOST_CONFIGURATIONS:,}; shorten an axis"
        )
    return known, there, found


def _context(model: Model, axes: Axes) -> float:
    most = MOST_TOKENS if model.context_limit is MISSING else model.context_limit
    if axes.context is None:
        return min(reference.CONTEXT, most)
    Range(f"context of {model.id}", 1, most, "tokens").check(axes.context)
    return axes.context


def _tensor(model: Model, sizes: Terms, accelerator: Accelerator, axes: Axes) -> tuple[int, ...]:
    for ways in axes.tensor:
        Range("tensor", 1, MOST_WAYS).check(ways)
        check_split(model, sizes, Split(tensor=ways))
    if axes.tensor:
        return tuple(dict.fromkeys(axes.tensor))
    allowed = tensor_ways(sizes)
    return tuple(
        ways
        for ways in reference.GRID.tensor
        if ways in allowed and (ways == 1 or joined(accelerator, ways) is not None)
    )


def _batch(axes: Axes) -> tuple[int, ...]:
    for batch in axes.batch:
        Range("batch", 1, MOST_BATCH).check(batch)
    return tuple(dict.fromkeys(axes.batch)) or reference.GRID.batch


def _reached(accelerator: Accelerator) -> tuple[NumberFormat, ...]:
    """Return the formats of the reference case whose own peak the part has."""
    return ("bf16", "fp8") if accelerator.peak_tflop_s.fp8 is not MISSING else ("bf16",)


def _of_format(accelerator: Accelerator, name: NumberFormat) -> Part:
    """Return the terms of a part that works on weights of a format."""
    return part_terms(accelerator, arithmetic(name, usual_activations(name, accelerator)))


def _precision(accelerator: Accelerator, name: NumberFormat) -> Precision:
    size = FORMATS[name].bits / BYTE
    return Precision(name, Storage(size, size, size), _of_format(accelerator, name).peak)


def _links(accelerator: Accelerator, tensor: tuple[int, ...]) -> Iterable[Link]:
    """Yield what joins the parts, for each number of ways: their own fabric, and PCIe beside it."""
    if max(tensor) == 1:
        yield Link("none", np.inf, 0.0)
        return
    ways = [ALONE if one == 1 else _joined(accelerator, one) for one in tensor]
    fabric, slow = accelerator.interconnect, over_pcie(accelerator)
    if fabric is not MISSING and any(one.by != "pcie" for one in ways if one is not ALONE):
        yield _link(_slug(fabric.kind), ways)
        if is_pcie(fabric):
            return
    if slow is not None:
        yield Link("pcie", slow.bytes_per_s, slow.latency_s)


def _joined(accelerator: Accelerator, ways: int) -> Joined:
    found = joined(accelerator, ways)
    if found is None:
        field, most = beyond(accelerator)
        raise BenchregError(
            f"{accelerator.id} has no {field} in the catalogue; without it tensor is "
            f"{'1' if most == 1 else f'at most {most}'}"
        )
    return found


def _link(name: str, ways: Iterable[Joined]) -> Link:
    return Link(
        name,
        tuple(one.bytes_per_s for one in ways),
        tuple(one.latency_s for one in ways),
    )


def _slug(kind: str) -> str:
    return re.sub("[^a-z]", "", kind.lower().split(" ")[0]) or "fabric"
