"""The grid of a sweep over the catalogue: the axes that a model and a part allow."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

import numpy as np
from pydantic import MISSING

from benchreg.analysis.estimates import Split, check_split, entity, model_terms
from benchreg.entities.catalogue import Accelerator, Model
from benchreg.entities.vocabulary import NumberFormat
from benchreg.registry.registry import Registry
from benchreg.roofline import reference
from benchreg.roofline.formats import FORMATS, arithmetic
from benchreg.roofline.hardware import (
    GIGA,
    MICRO,
    PCIE_GB_S,
    PCIE_LATENCY_S,
    UnknownTermError,
    part,
)
from benchreg.roofline.step import REFERENCE, Coefficients, Storage
from benchreg.roofline.sweep import Grid, Link, Precision
from benchreg.values.errors import BenchregError

BYTE = 8.0
MOST_CONFIGURATIONS = 2_000_000


@dataclass(frozen=True, slots=True)
class Axes:
    """What is swept over; an empty axis is that of the reference case, as far as it goes."""

    precisions: tuple[NumberFormat, ...] = ()
    tensor: tuple[int, ...] = ()
    batch: tuple[int, ...] = ()
    context: float = reference.CONTEXT
    coefficients: Coefficients = REFERENCE


def grid(registry: Registry, model: str, accelerator: str, axes: Axes) -> tuple[Model, Grid]:
    """Return a model of the catalogue and the grid to sweep it over on a part.

    Raises BenchregError that names the field and what is allowed.
    """
    known = cast("Model", entity(registry, "model", model))
    there = cast("Accelerator", entity(registry, "accelerator", accelerator))
    sizes = model_terms(known)
    _check(known, axes)
    heads = int(sizes.heads)
    tensor = axes.tensor or tuple(n for n in reference.GRID.tensor if heads % n == 0)
    for ways in tensor:
        check_split(known, sizes, Split(tensor=ways))
    precisions = axes.precisions or _reached(there)
    found = Grid(
        model=sizes,
        memory_bytes=part(there, arithmetic("bf16", None)).memory_bytes,
        bandwidth=part(there, arithmetic("bf16", None)).bandwidth,
        context=axes.context,
        precisions=tuple(_precision(there, name) for name in precisions),
        tensor=tensor,
        batch=axes.batch or reference.GRID.batch,
        links=tuple(_links(there, max(tensor))),
        coefficients=axes.coefficients,
    )
    if found.size > MOST_CONFIGURATIONS:
        raise BenchregError(
            f"{found.size:,} configurations are more than {MOST_CONFIGURATIONS:,}; shorten an axis"
        )
    return known, found


def _check(model: Model, axes: Axes) -> None:
    for name, values in (("tensor", axes.tensor), ("batch", axes.batch)):
        for value in values:
            if not 1 <= value <= 1_000_000:
                raise BenchregError(f"{name}: {value} is not allowed; it is 1 to 1000000")
    limit = model.context_limit
    most = 1e9 if limit is MISSING else limit
    if not 1 <= axes.context <= most:
        allowed = f"1 to {most:,}" if limit is not MISSING else "at least 1"
        raise BenchregError(
            f"context: {axes.context:g} tokens are not allowed; for {model.id} it is {allowed}"
        )


def _reached(accelerator: Accelerator) -> tuple[NumberFormat, ...]:
    """Return the formats of the reference case whose own peak the part has."""
    return ("bf16", "fp8") if accelerator.peak_tflop_s.fp8 is not MISSING else ("bf16",)


def _precision(accelerator: Accelerator, name: NumberFormat) -> Precision:
    size = FORMATS[name].bits / BYTE
    return Precision(
        name, Storage(size, size, size), part(accelerator, arithmetic(name, None)).peak
    )


def _links(accelerator: Accelerator, group: int) -> Iterable[Link]:
    """Yield what joins the parts: their own fabric, and PCIe beside it."""
    joined, lanes = accelerator.interconnect, accelerator.pcie_gen
    own = joined is not MISSING and joined.gb_s_per_direction is not MISSING
    if joined is not MISSING and own and "pcie" not in joined.kind.lower():
        terms = part(accelerator, arithmetic("bf16", None), max(group, 2))
        yield Link(_slug(joined.kind), terms.link, terms.link_latency_s)
    if lanes is not MISSING and lanes in PCIE_GB_S:
        yield Link("pcie", PCIE_GB_S[lanes] * GIGA, PCIE_LATENCY_S)
    elif not own:
        if group > 1:
            raise UnknownTermError(
                f"{accelerator.id} has no interconnect.gb_s_per_direction in the catalogue; sweep "
                "it with a tensor axis of 1"
            )
        yield Link("none", np.inf, 0 * MICRO)


def _slug(kind: str) -> str:
    return re.sub("[^a-z]", "", kind.lower().split(" ")[0]) or "fabric"
