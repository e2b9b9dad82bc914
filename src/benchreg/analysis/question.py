"""What is asked of the estimator, in the catalogue's words, and what of it is allowed."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from pydantic import MISSING

from benchreg.entities.catalogue import Model
from benchreg.entities.vocabulary import NumberFormat
from benchreg.roofline.model import Terms
from benchreg.roofline.step import IDEAL, REFERENCE, Coefficients
from benchreg.values.errors import BenchregError
from benchreg.values.text import spoken

Pattern = Literal["static_batch", "closed_loop", "saturated"]
PROFILES: Mapping[str, Coefficients] = MappingProxyType({"reference": REFERENCE, "ideal": IDEAL})
MOST_TOKENS, MOST_WAYS, LONGEST_DRAFT = 1e9, 100_000, 100


@dataclass(frozen=True, slots=True)
class Split:
    """How many ways the model is split, and how many copies of it run."""

    tensor: int = 1
    pipeline: int = 1
    context: int = 1
    attention_data: int = 1
    expert: int = 1
    replicas: int = 1

    @property
    def accelerators(self) -> int:
        """All accelerators; expert parallelism overlays the others."""
        return self.tensor * self.pipeline * self.context * self.attention_data * self.replicas

    @property
    def joined(self) -> int:
        """How many talk to one another at a time: a tensor group, or the largest other one."""
        others = max(self.pipeline, self.context, self.attention_data, self.expert)
        return self.tensor if self.tensor > 1 else others


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: model and part by id or alias, formats, split, load and lengths in tokens.

    `level` is the batch or the concurrency of the whole system. A format that is not given is
    None, and the answer says what was taken for it.
    """

    model: str
    accelerator: str
    input_tokens: float
    output_tokens: float
    pattern: Pattern = "static_batch"
    level: int = 1
    cached_tokens: float = 0.0
    acceptance_length: float = 1.0
    weights: NumberFormat | None = None
    activations: NumberFormat | None = None
    kv_cache: NumberFormat | None = None
    head: NumberFormat | None = None
    attention: NumberFormat | None = None
    split: Split = Split()
    coefficients: Coefficients = REFERENCE


class Range(NamedTuple):
    """What a number may be, in the unit that it is told in: `per` of it are one of our own."""

    name: str
    least: float
    most: float
    unit: str = ""
    per: float = 1.0

    def check(self, value: float) -> None:
        """Raise BenchregError for a number outside; nan is outside of everything."""
        told, unit = _float(value) * self.per, f" {self.unit}" if self.unit else ""
        if not self.least <= told <= self.most:
            raise BenchregError(
                f"{self.name}: {told:,.10g}{unit} is not allowed; it is {self.least:,.10g} to "
                f"{self.most:,.10g}{unit}"
            )


def _float(value: float) -> float:
    """Return a number as a float, infinite where it is an integer that none holds."""
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, 1 if value > 0 else -1)


COEFFICIENTS = MappingProxyType({
    "memory_efficiency": Range("memory efficiency", 0.001, 1),
    "compute_efficiency": Range("compute efficiency", 0.001, 1),
    "exposed": Range("exposed", 0, 1),
    "overhead_s": Range("overhead", 0, 60_000, "ms", 1e3),
    "reserved_bytes": Range("reserved", 0, 10_000, "GB", 1e-9),
})  # fmt: skip


def adjusted(profile: str, given: Mapping[str, float | None]) -> Coefficients:
    """Return the coefficients of a profile, with those that are given in place of its own.

    Raises BenchregError for one that is out of its range.
    """
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    for name, value in changes.items():
        COEFFICIENTS[name].check(value)
    return replace(PROFILES[profile], **changes)


def check_numbers(question: Question) -> None:
    """Raise BenchregError for a number that no question can have; it names what is allowed."""
    Range("input tokens", 1, MOST_TOKENS).check(question.input_tokens)
    Range("output tokens", 1, MOST_TOKENS).check(question.output_tokens)
    Range("cached tokens", 0, MOST_TOKENS).check(question.cached_tokens)
    Range("acceptance length", 1, LONGEST_DRAFT).check(question.acceptance_length)
    level = "batch" if question.pattern == "static_batch" else "concurrency"
    Range(level, 1, MOST_TOKENS).check(question.level)
    for field in fields(question.split):
        name = "context parallel" if field.name == "context" else spoken(field.name)
        Range(name, 1, MOST_WAYS).check(getattr(question.split, field.name))
    Range("all accelerators together", 1, MOST_WAYS).check(question.split.accelerators)


def tensor_ways(sizes: Terms) -> list[int]:
    """Return how many ways of tensor parallelism leave whole heads, and KV heads or copies."""
    heads, kv_heads = int(sizes.heads), int(sizes.kv_heads)
    return [n for n in _divisors(heads) if kv_heads == 1 or not (kv_heads % n and n % kv_heads)]


def _divisors(number: int) -> list[int]:
    return [one for one in range(1, number + 1) if number % one == 0]


def check_split(model: Model, sizes: Terms, split: Split) -> None:
    """Raise BenchregError where a model cannot be split so; it names what is allowed."""
    ways, layers = tensor_ways(sizes), int(sizes.layers)
    if split.tensor not in ways:
        cached = f" and {sizes.kv_heads:g} KV heads" if sizes.kv_heads > 1 else ""
        raise BenchregError(
            f"tensor: {split.tensor} does not split the {sizes.heads:g} heads{cached} of "
            f"{model.id} evenly; it is {_one_of(ways)}"
        )
    if split.pipeline > layers:
        raise BenchregError(
            f"pipeline: {split.pipeline} stages are more than the {layers} layers of {model.id}; "
            f"it is 1 to {layers}"
        )
    _check_experts(model, sizes, split)


def _check_experts(model: Model, sizes: Terms, split: Split) -> None:
    group = split.tensor * split.context * split.attention_data
    if split.expert > 1 and not sizes.sparse_layers:
        raise BenchregError(f"expert: {model.id} has no experts; it is 1")
    ways = _divisors(math.gcd(int(sizes.total), group))
    if split.expert > 1 and split.expert not in ways:
        raise BenchregError(
            f"expert: {split.expert} does not divide both the {sizes.total:g} experts of "
            f"{model.id} and the {group} accelerators of a stage; it is {_one_of(ways)}"
        )


def _one_of(ways: list[int]) -> str:
    return f"one of {', '.join(map(str, ways))}" if len(ways) > 1 else str(ways[0])


def check_context(model: Model, question: Question) -> None:
    """Raise BenchregError for more tokens than a model can have in its context."""
    tokens = question.cached_tokens + question.input_tokens + question.output_tokens
    if model.context_limit is not MISSING and tokens > model.context_limit:
        cached = "cached, " if question.cached_tokens else ""
        raise BenchregError(
            f"{cached}input and output: {tokens:,.10g} tokens together are beyond the context "
            f"limit of {model.id}, {model.context_limit:,} tokens"
        )
