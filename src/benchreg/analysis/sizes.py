"""The sizes of a model held against each other: what the heads of an attention can be, and so on.

Grouped queries share a KV head (Ainslie 2023), so that KV heads divide the heads: all of them in
multi-head, one in multi-query attention. What a head has is no share of the width in every model,
but in none that we know is it over three times, or under three quarters, of it.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from pydantic import MISSING

from benchreg.entities.catalogue import Attention, Experts, Model
from benchreg.registry.document import Pointer
from benchreg.roofline.parameters import Parts

LATENT = ("kv_lora_rank", "q_lora_rank", "rope_head_dim", "nope_head_dim", "value_head_dim")
NARROWEST, WIDEST = Fraction(1, 4), Fraction(6)


class Contradiction(NamedTuple):
    """A size that another one rules out: where, and why."""

    at: Pointer
    why: str


def contradictions(model: Model) -> Iterator[Contradiction]:
    """Yield the sizes of a model that contradict each other."""
    if model.attention is not MISSING:
        yield from _of_heads(model.attention)
        yield from _of_width(model, model.attention)
        yield from _of_layers(model, model.attention)
    if model.experts is not MISSING:
        yield from _of_experts(model, model.experts)
    total, active = model.parameters_billion, model.active_parameters_billion
    if MISSING not in (total, active) and active > total:  # type: ignore[operator]
        yield Contradiction(("active_parameters_billion",), f"{active} are more than all, {total}")


def _of_heads(attention: Attention) -> Iterator[Contradiction]:
    kind, heads, shared = attention.kind, attention.heads, attention.kv_heads
    if kind == "mla":
        return
    latent = [name for name in LATENT if getattr(attention, name) is not MISSING]
    if latent:
        yield Contradiction(("attention", latent[0]), f"{latent[0]} is of mla, and this is {kind}")
    if kind == "mqa" and shared not in (MISSING, 1):
        yield Contradiction(("attention", "kind"), f"mqa has one KV head, and there are {shared}")
    if kind == "gqa" and shared == 1 and heads != 1:
        yield Contradiction(("attention", "kind"), "gqa has several KV heads; of one it is mqa")
    if MISSING in (heads, shared):
        return
    if kind == "mha" and shared != heads:
        why = f"mha has a KV head for each of the {heads} heads, and there are {shared}"
        yield Contradiction(("attention", "kind"), why)
    elif kind == "gqa" and shared == heads:
        why = f"gqa has fewer KV heads than heads; of {heads} and {heads} it is mha"
        yield Contradiction(("attention", "kind"), why)
    if heads % shared:  # type: ignore[operator]
        why = f"{heads} heads are not shared evenly among {shared} KV heads"
        yield Contradiction(("attention", "kv_heads"), why)


def _of_width(model: Model, attention: Attention) -> Iterator[Contradiction]:
    sizes = (model.hidden_size, attention.heads, attention.head_dim)
    if attention.kind == "mla" or MISSING in sizes:
        return
    width, heads, one = sizes
    whole = heads * one  # type: ignore[operator]
    if not NARROWEST * width <= whole <= WIDEST * width:  # type: ignore[operator]
        why = f"{heads} heads of {one} are {whole}, and the width is {width}"
        yield Contradiction(("attention", "head_dim"), why)


def _of_layers(model: Model, attention: Attention) -> Iterator[Contradiction]:
    layers, sliding = model.layers, attention.sliding_layers
    if layers is MISSING:
        return
    if sliding is not MISSING and sliding > layers:
        why = f"{sliding} layers have a window, of {layers}"
        yield Contradiction(("attention", "sliding_layers"), why)
    total = attention.kv_heads_total
    most = attention.kv_heads if attention.kv_heads is not MISSING else attention.heads
    if MISSING in (total, most):
        return
    if total > layers * most:  # type: ignore[operator]
        why = f"{total} KV heads are more than {most} in each of {layers} layers"
        yield Contradiction(("attention", "kv_heads_total"), why)
    elif attention.kv_heads is not MISSING and total % attention.kv_heads:  # type: ignore[operator]
        why = f"{total} KV heads are no multiple of the {attention.kv_heads} of a layer"
        yield Contradiction(("attention", "kv_heads_total"), why)


def _of_experts(model: Model, experts: Experts) -> Iterator[Contradiction]:
    if experts.active > experts.total:
        why = f"a token uses {experts.active} experts, of {experts.total}"
        yield Contradiction(("experts", "active"), why)
    if model.layers is MISSING:
        return
    first, step = experts.first_dense_layers, experts.layer_step
    if first is not MISSING and first >= model.layers:
        why = f"{first} dense layers leave none of {model.layers} with experts"
        yield Contradiction(("experts", "first_dense_layers"), why)
    if step is not MISSING and step > model.layers:
        why = f"every {step} layers is none of {model.layers}"
        yield Contradiction(("experts", "layer_step"), why)


class Active(NamedTuple):
    """How many parameters a token uses, without the embedding and its output, and with both."""

    least: Fraction
    most: Fraction


def active(model: Model, parts: Parts) -> Active:
    """Return the parameters that one token uses; of a model without experts, all."""
    used = Fraction(parts.total - parts.experts)
    if model.experts is not MISSING:
        used += Fraction(parts.experts * model.experts.active, model.experts.total)
    return Active(used - parts.tables * parts.table, used)
