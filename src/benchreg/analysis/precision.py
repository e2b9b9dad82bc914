"""The number formats that a record could have used, at either end of what it leaves open."""

from dataclasses import dataclass

from pydantic import MISSING

from benchreg.entities.conditions import Precision
from benchreg.entities.vocabulary import NumberFormat
from benchreg.roofline.formats import (
    FORMATS,
    LEAST_CACHE_BITS,
    SIXTEEN,
    arithmetic,
    least_bits,
)
from benchreg.roofline.model import Terms

BYTE = 8.0
SIXTEEN_BIT = ("fp16", "bf16")


@dataclass(frozen=True, slots=True)
class Numbers:
    """The formats that a model could have run in; `least` bits a weight where nothing is stated."""

    precision: Precision
    model: Terms
    least: float

    @property
    def labels(self) -> tuple[NumberFormat, ...]:
        """The formats of weights, those of parts included."""
        stated = self.precision.weights
        return (*(() if stated is MISSING else (stated,)), *self.precision.parts.values())

    def storage(self, *, nominal: bool) -> dict[str, float]:
        """Return the bytes of a weight and of a cached value."""
        return {
            "weight_bytes": self._weight(nominal=nominal),
            "cache_bytes": self._cache(nominal=nominal),
        }

    def _weight(self, *, nominal: bool) -> float:
        if self.precision.weights_bytes is not MISSING:
            return float(self.precision.weights_bytes / self.model.stored)
        if not self.labels:
            return (SIXTEEN if nominal else self.least) / BYTE
        experts = self.model.sparse_layers > 0
        if nominal:
            return min(FORMATS[label].bits for label in self.labels) / BYTE
        return min(least_bits(label, experts=experts) for label in self.labels) / BYTE

    def _cache(self, *, nominal: bool) -> float:
        stated = self.precision.kv_cache
        if stated is MISSING:
            return (SIXTEEN if nominal else LEAST_CACHE_BITS) / BYTE
        return (FORMATS[stated].bits if nominal else FORMATS[stated].least) / BYTE

    def computes(self, *, nominal: bool) -> tuple[str, ...]:
        """Return the peaks that the arithmetic could reach."""
        stated = self.precision.activations
        if stated is not MISSING:
            return arithmetic(None, stated)
        if not self.labels:
            return SIXTEEN_BIT if nominal else arithmetic(None, None)
        names = (name for label in self.labels for name in arithmetic(label, None))
        return tuple(dict.fromkeys(names))

    def unknown(self) -> list[str]:
        """Say which formats are open, as what the nominal end takes them for."""
        open_ones = []
        if not self.labels and self.precision.weights_bytes is MISSING:
            open_ones.append("weights")
        if self.precision.kv_cache is MISSING:
            open_ones.append("KV cache")
        return [f"16-bit {' and '.join(open_ones)}"] if open_ones else []
