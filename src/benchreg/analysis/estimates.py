"""What a model should do on a part: a question in the catalogue's words, and its answer."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, Literal, cast

import numpy as np
from pydantic import MISSING

from benchreg.entities.catalogue import Accelerator, Model
from benchreg.entities.vocabulary import NumberFormat
from benchreg.registry.registry import Registry
from benchreg.roofline.bound import Bound, Point, bound
from benchreg.roofline.estimate import (
    Estimate,
    Load,
    closed_loop,
    resident,
    saturated,
    static_batch,
)
from benchreg.roofline.formats import FORMATS, arithmetic
from benchreg.roofline.hardware import Part, part
from benchreg.roofline.model import Terms, terms
from benchreg.roofline.parameters import UncountedError
from benchreg.roofline.request import Lengths
from benchreg.roofline.step import IDEAL, REFERENCE, Coefficients, Layout, Setup, Storage
from benchreg.values.errors import BenchregError, NotFoundError
from benchreg.values.text import nearest, shown

Pattern = Literal["static_batch", "closed_loop", "saturated"]
PROFILES: Mapping[str, Coefficients] = MappingProxyType({"reference": REFERENCE, "ideal": IDEAL})
BYTE, GIGA, SIXTEEN_BITS = 8.0, 1e9, 16.0


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
    split: Split = Split()
    coefficients: Coefficients = REFERENCE


@dataclass(frozen=True, slots=True)
class Answer:
    """An estimate with the bound beside it, and everything that was assumed."""

    question: Question
    model: Model
    accelerator: Accelerator
    formats: Mapping[str, NumberFormat]
    part: Part
    estimate: Estimate
    bound: Bound
    room: float
    assumptions: tuple[str, ...]


def entity(registry: Registry, kind: str, name: str) -> Any:
    """Return the entity of a kind that has an id or an alias; raises NotFoundError."""
    for known in registry.holders.get((kind, name), ()):
        return known.entry.entity
    names = [known for held, known in registry.holders if held == kind]
    near = nearest(name, names)
    hint = f"the nearest are {', '.join(near)}" if near else f"`records/{kind}s/` has {len(names)}"
    raise NotFoundError(f"no {kind} is called {shown(name)!r}; {hint}")


def model_terms(model: Model) -> Terms:
    """Return the terms of a model; raises BenchregError that names the size that is missing."""
    try:
        return terms(model)
    except UncountedError as missing:
        raise BenchregError(f"{model.id} has no {missing} in the catalogue") from None


def answer(registry: Registry, question: Question) -> Answer:
    """Return the estimate that a question asks for.

    Raises BenchregError that names the field and what is allowed.
    """
    model = cast("Model", entity(registry, "model", question.model))
    accelerator = cast("Accelerator", entity(registry, "accelerator", question.accelerator))
    sizes = model_terms(model)
    _check_numbers(question)
    check_split(model, sizes, question.split)
    _check_context(model, question)
    formats, assumed = _formats(question)
    computes = arithmetic(formats["weights"], formats["activations"])
    split = question.split
    terms_of_part = part(accelerator, computes, split.tensor)
    layout = Layout(split.tensor, split.pipeline, split.context, split.attention_data, split.expert)
    storage = Storage(
        *(FORMATS[formats[name]].bits / BYTE for name in ("weights", "head", "kv_cache"))
    )
    setup = Setup(sizes, terms_of_part, layout, storage, question.coefficients)
    lengths = Lengths(
        question.input_tokens,
        question.output_tokens,
        question.cached_tokens,
        question.acceptance_length,
    )
    load = Load(float(question.level), lengths, split.replicas)
    forms = {"static_batch": static_batch, "closed_loop": closed_loop, "saturated": saturated}
    return Answer(
        question,
        model,
        accelerator,
        formats,
        terms_of_part,
        forms[question.pattern](setup, load),
        bound(sizes, _point(question, setup)),
        float(resident(setup, lengths)) * split.replicas,
        (*assumed, *_assumptions(question, model, accelerator)),
    )


def _check_numbers(question: Question) -> None:
    for name, least in (
        ("input_tokens", 1),
        ("output_tokens", 1),
        ("cached_tokens", 0),
        ("acceptance_length", 1),
        ("level", 1),
    ):
        value = getattr(question, name)
        if not least <= value < 1e9:
            word = "batch or concurrency" if name == "level" else name.replace("_", " ")
            raise BenchregError(f"{word}: {value:g} is not allowed; it is at least {least}")
    for field in fields(question.split):
        ways = getattr(question.split, field.name)
        if not 1 <= ways <= 100_000:
            raise BenchregError(f"{field.name}: {ways} is not allowed; it is 1 to 100000")


def _check_coefficient(name: str, value: float) -> None:
    most = np.inf if name in ("overhead_s", "reserved_bytes") else 1.0
    least = 1e-6 if name.endswith("efficiency") else 0.0
    if not least <= value <= most:
        allowed = f"{least:g} to {most:g}" if np.isfinite(most) else f"at least {least:g}"
        raise BenchregError(f"{name}: {value:g} is not allowed; it is {allowed}")


def check_split(model: Model, sizes: Terms, split: Split) -> None:
    """Raise BenchregError where a model cannot be split so; it names what is allowed."""
    heads, kv_heads, layers = int(sizes.heads), int(sizes.kv_heads), int(sizes.layers)
    if heads % split.tensor:
        ways = ", ".join(str(one) for one in range(1, heads + 1) if heads % one == 0)
        raise BenchregError(
            f"tensor: {split.tensor} does not divide the {heads} heads of {model.id}; it is one "
            f"of {ways}"
        )
    if sizes.kv_heads > 1 and kv_heads % split.tensor and split.tensor % kv_heads:
        raise BenchregError(
            f"tensor: {split.tensor} neither divides nor repeats the {kv_heads} KV heads of "
            f"{model.id}"
        )
    if split.pipeline > layers:
        raise BenchregError(
            f"pipeline: {split.pipeline} stages are more than the {layers} layers of {model.id}"
        )
    group = split.tensor * split.context * split.attention_data
    experts = int(sizes.total) if sizes.sparse_layers else 1
    if split.expert > 1 and (experts % split.expert or group % split.expert):
        raise BenchregError(
            f"expert: {split.expert} must divide both the {experts} experts of {model.id} and the "
            f"{group} accelerators of a stage"
        )


def _check_context(model: Model, question: Question) -> None:
    tokens = question.cached_tokens + question.input_tokens + question.output_tokens
    if model.context_limit is not MISSING and tokens > model.context_limit:
        raise BenchregError(
            f"input and output: {tokens:,.0f} tokens together are beyond the context limit of "
            f"{model.id}, {model.context_limit:,} tokens"
        )


def _formats(question: Question) -> tuple[dict[str, NumberFormat], list[str]]:
    """Return the format of each kind of value, and what was taken for those that nobody gave."""
    weights = question.weights or "bf16"
    narrow = FORMATS[weights].bits < SIXTEEN_BITS
    taken: dict[str, NumberFormat] = {
        "weights": weights,
        "activations": question.activations or ("bf16" if _weight_only(weights) else weights),
        "kv_cache": question.kv_cache or "bf16",
        "head": question.head or ("bf16" if narrow else weights),
    }
    words = {"kv_cache": "KV cache", "head": "head and embedding"}
    assumed = [
        f"{words.get(name, name)} in {taken[name]}: not given"
        for name in taken
        if getattr(question, name) is None
    ]
    return taken, assumed


def _weight_only(weights: NumberFormat) -> bool:
    """Tell whether a format usually meets 16-bit activations: integers of 4 bits, and GGUF."""
    return weights.startswith(("int4", "gguf_"))


def _assumptions(question: Question, model: Model, accelerator: Accelerator) -> list[str]:
    found = []
    if model.experts is not MISSING:
        found.append("tokens pick their experts evenly and independently")
    if question.split.tensor > 1:
        found.append(_link_words(accelerator, question.split.tensor))
    if question.pattern == "closed_loop":
        found.append("no queue but for a place in memory; prompts join the steps of others")
    if question.pattern == "saturated":
        found.append("sequences in memory are, on the mean, half written")
    if question.acceptance_length > 1:
        found.append("a draft model or head costs nothing")
    return [*found, "no prompt is found in a prefix cache", "all sequences are of equal length"]


def _link_words(accelerator: Accelerator, group: int) -> str:
    joined = accelerator.interconnect
    if joined is not MISSING and any(one.group >= group for one in joined.allreduce):
        return "all-reduce as measured on the part"
    if joined is not MISSING and joined.gb_s_per_direction is not MISSING:
        return f"all-reduce at the full bandwidth of {joined.kind}, one way"
    return "all-reduce over PCIe of 16 lanes, at its full bandwidth one way"


def _point(question: Question, setup: Setup) -> Point:
    """Return the same question for the bound: nothing of it is unknown."""
    split, one = question.split, setup.part
    parts = float(split.accelerators)
    static = question.pattern == "static_batch"
    return Point(
        memory=parts * one.memory_bytes,
        bandwidth=parts * one.bandwidth,
        peak=parts * one.peak,
        prefill_bandwidth=parts * one.bandwidth,
        prefill_peak=parts * one.peak,
        apart=False,
        replicas=float(split.replicas),
        pipeline=float(split.pipeline),
        weight_bytes=np.minimum(setup.storage.weight, setup.storage.head),
        cache_bytes=setup.storage.cache,
        batch=np.inf if question.pattern == "saturated" else float(question.level),
        static=static,
        prompt=question.input_tokens,
        before=question.cached_tokens,
        output=question.output_tokens,
        tokens_per_step=question.acceptance_length,
    )


def adjusted(profile: str, given: Mapping[str, float | None]) -> Coefficients:
    """Return the coefficients of a profile, with those that are given in place of its own.

    Raises BenchregError for one that is out of its range.
    """
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    for name, value in changes.items():
        _check_coefficient(name, value)
    return replace(PROFILES[profile], **changes)
