"""The number formats that a record could have used, at either end of what it leaves open."""

from collections.abc import Iterator
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
REST = "all weights as the parts that are stated"


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

    @property
    def _rest_is_open(self) -> bool:
        """Whether formats of parts are stated, and none of the rest."""
        return self.precision.weights is MISSING and bool(self.precision.parts)

    def _weight(self, *, nominal: bool) -> float:
        if self.precision.weights_bytes is not MISSING:
            size = float(self.precision.weights_bytes)
            mean = size / float(self.model.stored)
            return mean if nominal else min(mean, self._read(size))
        if not self.labels:
            return (SIXTEEN if nominal else self.least) / BYTE
        if nominal:
            return min(FORMATS[label].bits for label in self.labels) / BYTE
        experts = self.model.sparse_layers > 0
        least = min(least_bits(label, experts=experts) for label in self.labels)
        return (min(least, self.least) if self._rest_is_open else least) / BYTE

    def _read(self, size: float) -> float:
        """Return the bytes of a weight that a step reads, if the embedding has 16 bits.

        A step looks up a row of it for each token, and a quantised checkpoint often leaves it wide.
        """
        model = self.model
        read = float(model.head + model.attention + model.mlp + model.experts)
        rest = size - (float(model.stored) - read) * SIXTEEN / BYTE
        return max(rest / read, self.least / BYTE)

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
        if not self.labels or (self._rest_is_open and not nominal):
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
        told = [f"16-bit {' and '.join(open_ones)}"] if open_ones else []
        return [*told, *((REST,) if self._rest_is_open else ()), *self._usual()]

    def _usual(self) -> Iterator[str]:
        """Yield the labels that may hold fewer bits than they usually do."""
        cache = self.precision.kv_cache
        stated = (*self.labels, *(() if cache is MISSING else (cache,)))
        experts = self.model.sparse_layers > 0
        for label in dict.fromkeys(stated):
            if least_bits(label, experts=experts) < FORMATS[label].bits:
                yield f"{label} of {FORMATS[label].bits:g} bits"
