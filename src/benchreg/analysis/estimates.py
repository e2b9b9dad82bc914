"""What a model should do on a part: a question in the catalogue's words, and its answer."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from pydantic import MISSING

from benchreg.analysis.question import (
    Question,
    check_context,
    check_numbers,
    check_split,
)
from benchreg.entities.catalogue import Accelerator, Model, Peaks
from benchreg.entities.vocabulary import NumberFormat
from benchreg.registry.registry import PLURALS, Registry
from benchreg.roofline.bound import Bound, Point, bound
from benchreg.roofline.estimate import closed_loop, saturated, static_batch
from benchreg.roofline.figures import Estimate, Load, resident
from benchreg.roofline.formats import FORMATS, arithmetic
from benchreg.roofline.hardware import GIGA, MICRO, TERA, Part, beyond, joined, part
from benchreg.roofline.model import Terms, terms
from benchreg.roofline.parameters import UncountedError
from benchreg.roofline.request import Lengths
from benchreg.roofline.step import Layout, Setup, Storage
from benchreg.values.errors import BenchregError, NotFoundError
from benchreg.values.text import amount, nearest, shown

BYTE, SIXTEEN_BITS = 8.0, 16.0
STORED = ("weights", "head", "kv_cache", "attention")
WORDS = {
    "kv_cache": "KV cache",
    "head": "head and embedding",
    "attention": "weights of the attention",
}


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
    if (PLURALS[kind], name) in registry.refused_ids:
        raise NotFoundError(f"{kind} {shown(name)} was refused; `benchreg audit` says why")
    near = nearest(name, [known for held, known in registry.holders if held == kind])
    hint = f"the nearest are {', '.join(near)}" if near else f"see `records/{PLURALS[kind]}/`"
    raise NotFoundError(f"no {kind} is called {shown(name)!r}; {hint}")


def model_terms(model: Model) -> Terms:
    """Return the terms of a model; raises BenchregError that names the size that is missing."""
    try:
        return terms(model)
    except UncountedError as missing:
        raise BenchregError(f"{model.id} has no {missing} in the catalogue") from None


def part_terms(accelerator: Accelerator, computes: tuple[str, ...], group: int = 1) -> Part:
    """Return the terms of a part; raises BenchregError that names the field that is missing."""
    known = [
        name
        for name in Peaks.model_fields
        if getattr(accelerator.peak_tflop_s, name) is not MISSING
    ]
    if not known:
        raise BenchregError(f"{accelerator.id} has no peak_tflop_s in the catalogue")
    if not set(known) & set(computes):
        raise BenchregError(
            f"{accelerator.id} has no peak_tflop_s of {' or '.join(computes)} in the catalogue; "
            f"it has {', '.join(known)}"
        )
    if group > 1 and joined(accelerator, group) is None:
        field, most = beyond(accelerator)
        raise BenchregError(
            f"{accelerator.id} has no {field} in the catalogue; without it tensor, pipeline and "
            f"the like are {'1' if most == 1 else f'at most {most}'}"
        )
    return part(accelerator, computes, group)


def answer(registry: Registry, question: Question) -> Answer:
    """Return the estimate that a question asks for.

    Raises BenchregError that names the field and what is allowed.
    """
    model = cast("Model", entity(registry, "model", question.model))
    accelerator = cast("Accelerator", entity(registry, "accelerator", question.accelerator))
    sizes, split = model_terms(model), question.split
    check_numbers(question)
    check_split(model, sizes, split)
    check_context(model, question)
    formats = _formats(question, model, accelerator)
    computes = arithmetic(formats["weights"], formats["activations"])
    setup = Setup(
        sizes,
        part_terms(accelerator, computes, split.joined),
        Layout(split.tensor, split.pipeline, split.context, split.attention_data, split.expert),
        Storage(*(FORMATS[formats[name]].bits / BYTE for name in STORED)),
        question.coefficients,
    )
    lengths = Lengths(
        question.input_tokens,
        question.output_tokens,
        question.cached_tokens,
        question.acceptance_length,
    )
    load = Load(float(question.level), lengths, split.replicas)
    forms = {"static_batch": static_batch, "closed_loop": closed_loop, "saturated": saturated}
    found = Answer(
        question,
        model,
        accelerator,
        formats,
        setup.part,
        forms[question.pattern](setup, load),
        bound(sizes, _point(question, setup)),
        float(resident(setup, lengths)) * split.replicas,
        (),
    )
    return replace(found, assumptions=tuple(_assumptions(found, computes)))


def usual_activations(weights: NumberFormat, accelerator: Accelerator) -> NumberFormat:
    """Return what a format of weights usually meets: its own, where the part can multiply it.

    Integers of 4 bits and GGUF meet 16 bits, and so does what the part has no peak for.
    """
    alone = weights.startswith(("int4", "gguf_"))
    own = FORMATS[weights].computes[-1]
    narrow = FORMATS[weights].bits < SIXTEEN_BITS
    unknown = narrow and getattr(accelerator.peak_tflop_s, own) is MISSING
    return "bf16" if alone or unknown else weights


def _formats(question: Question, model: Model, accelerator: Accelerator) -> dict[str, NumberFormat]:
    """Return the format of each kind of value: as given, or what is usual beside the weights.

    A checkpoint of experts in MXFP4 has its attention, head and embedding in 16 bits.
    """
    weights = question.weights or "bf16"
    experts_alone = weights == "mxfp4" and model.experts is not MISSING
    own_head = FORMATS[weights].bits >= SIXTEEN_BITS or weights.startswith("gguf_")
    return {
        "weights": weights,
        "activations": question.activations or usual_activations(weights, accelerator),
        "kv_cache": question.kv_cache or "bf16",
        "head": question.head or (weights if own_head else "bf16"),
        "attention": question.attention or ("bf16" if experts_alone else weights),
    }


def _assumptions(found: Answer, computes: tuple[str, ...]) -> Iterator[str]:
    """Yield in words what was taken for what nobody gave, and what the forms leave out."""
    question, words = found.question, WORDS
    for name, form in found.formats.items():
        if getattr(question, name) is None:
            yield f"{words.get(name, name)} in {form}: not given"
    yield (
        f"peaks of {amount(found.part.bandwidth / GIGA)} GB/s and "
        f"{amount(found.part.peak / TERA)} TFLOP/s, the highest of {', '.join(computes)}"
    )
    if found.model.experts is not MISSING:
        alike = question.coefficients.fewest_experts
        yield (
            "all tokens of a step pick the same experts"
            if alike
            else "tokens pick their experts evenly and independently"
        )
    if question.split.joined > 1 and question.coefficients.communication:
        yield _link_words(found)
    yield from _load_words(question)


def _load_words(question: Question) -> Iterator[str]:
    if question.pattern == "closed_loop":
        yield "no queue but for a place in memory; prompts join the steps of others"
    if question.pattern == "saturated":
        yield "sequences in memory are, on the mean, half written"
    if question.acceptance_length > 1:
        yield "a draft model or head costs nothing"
    if question.cached_tokens:
        yield "the cached tokens are read from memory, each sequence its own; no others are found"
    else:
        yield "no prompt is found in a prefix cache"
    yield "all sequences are of equal length"


def _link_words(found: Answer) -> str:
    link = joined(found.accelerator, found.question.split.joined)
    speed = f"{amount(found.part.link / GIGA)} GB/s and {found.part.link_latency_s / MICRO:g} us"
    if link is not None and link.by == "measured":
        return f"communication at {speed}: an all-reduce as measured on the part"
    fabric = found.accelerator.interconnect
    if link is not None and link.by == "fabric" and fabric is not MISSING:
        return f"communication at {speed}: the full bandwidth of {shown(fabric.kind, 100)}, one way"
    return f"communication at {speed}: the full bandwidth of PCIe, one way"


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
        weight_bytes=min(setup.storage.weight, setup.storage.head, setup.storage.of_attention),
        cache_bytes=setup.storage.cache,
        batch=np.inf if question.pattern == "saturated" else float(question.level),
        static=static,
        prompt=question.input_tokens,
        before=question.cached_tokens,
        output=question.output_tokens,
        tokens_per_step=question.acceptance_length,
    )
