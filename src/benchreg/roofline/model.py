"""What a model costs: bytes to hold, bytes to read and operations to do, for a token or a step.

With the parameters by part (`parameters.py`), the count of a decode step follows Pope et al. 2022
(arXiv 2211.05102): each parameter that a token meets is read once a step and multiplied once a
token, 2 FLOP each. Attention adds, for each token and each position that it sees, 4 x heads x head
size FLOP a layer, and the cache holds 2 x KV heads x head size values a token and layer. Latent
attention (DeepSeek-V2, arXiv 2405.04434) holds kv_rank + rope values; its decode works on them
directly (2 x heads x (2 x kv_rank + rope) FLOP), its prefill on whole heads
(2 x heads x (nope + rope + value)).
"""

from dataclasses import dataclass

import numpy as np
from pydantic import MISSING

from benchreg.entities.catalogue import Attention, Model
from benchreg.roofline.arrays import Numbers, Struct
from benchreg.roofline.parameters import (
    UncountedError,
    kv_heads,
    parameters,
    size,
    sparse_layers,
)

FLOP_PER_PARAMETER = 2
NO_WINDOW = 1e15  # tokens; longer than any context


@dataclass(frozen=True, slots=True)
class Terms(Struct):
    """The sizes of a model, or of one model a configuration (arrays of shape (n,)).

    Parameters are counts: `head` is read for every token that is to be followed by another,
    `attention` (with norms) is split by tensor parallelism alone, `mlp` holds dense MLPs, shared
    experts and routers, `experts` the routed ones, of which a token meets `active` of `total` in
    each of `sparse_layers`. `cache` and `score` are of the layers that see the whole context:
    cached values a token, and FLOP for a token and a position; `cache_window` and `score_window`
    of those that see the last `window` positions, or, where `chunked`, a chunk that begins anew.
    `score_prefill` is to `score` as prefill is to decode.
    """

    stored: Numbers
    head: Numbers
    attention: Numbers
    mlp: Numbers
    experts: Numbers
    total: Numbers
    active: Numbers
    layers: Numbers
    sparse_layers: Numbers
    hidden_size: Numbers
    heads: Numbers
    kv_heads: Numbers
    cache: Numbers
    cache_window: Numbers
    score: Numbers
    score_window: Numbers
    score_prefill: Numbers
    window: Numbers
    chunked: Numbers = 0.0

    def touched(self, tokens: Numbers, *, fewest: bool) -> Numbers:
        """Return the routed parameters that a step of some tokens reads.

        Each token picks `active` of `total` experts: T tokens that pick freely meet
        total x (1 - (1 - active / total)^T) of them, and at the very `fewest` the same ones.
        """
        share = self.active / self.total
        if fewest:
            return self.experts * share
        return self.experts * -np.expm1(np.maximum(tokens, 1) * _log_rest(share))

    @property
    def met(self) -> Numbers:
        """The parameters that one token is multiplied with, the head left out."""
        return self.attention + self.mlp + self.experts * (self.active / self.total)


def _log_rest(share: Numbers) -> Numbers:
    """Return log(1 - share); a token that meets all leaves nothing."""
    return np.log1p(-np.minimum(share, 1 - 1e-16))


def terms(model: Model) -> Terms:
    """Return the terms of a model of the catalogue; raises UncountedError that names a size."""
    parts = parameters(model)
    if model.attention is MISSING:
        raise UncountedError("attention")
    attention, layers = model.attention, size(model, "layers")
    full, windowed = _layers(attention, layers)
    cache, score, prefill = _of_a_layer(attention, layers)
    return Terms(
        stored=float(parts.total),
        head=float(parts.table),
        attention=float(parts.attention + parts.norms),
        mlp=float(parts.mlp + parts.router + parts.shared),
        experts=float(parts.experts),
        **_experts(model, layers),
        layers=float(layers),
        hidden_size=float(size(model, "hidden_size")),
        heads=float(size(attention, "heads", "attention.")),
        kv_heads=_split(attention, layers),
        cache=full * cache,
        cache_window=windowed * cache,
        score=full * score,
        score_window=windowed * score,
        score_prefill=prefill / score,
        window=_window(attention),
        chunked=float(attention.chunked is True),
    )


def _experts(model: Model, layers: int) -> dict[str, float]:
    if model.experts is MISSING:
        return {"total": 1.0, "active": 1.0, "sparse_layers": 0.0}
    experts = model.experts
    return {
        "total": float(experts.total),
        "active": float(min(experts.active, experts.total)),
        "sparse_layers": float(sparse_layers(experts, layers)),
    }


def _layers(attention: Attention, layers: int) -> tuple[float, float]:
    """Return how many layers see the whole context, and how many a window of it."""
    if attention.sliding_window is MISSING:
        return float(layers), 0.0
    sliding = attention.sliding_layers
    windowed = layers if sliding is MISSING else min(sliding, layers)
    return float(layers - windowed), float(windowed)


def _window(attention: Attention) -> float:
    """Return how far back a windowed layer sees; in chunks that begin anew, half on the mean."""
    if attention.sliding_window is MISSING:
        return NO_WINDOW
    return float(attention.sliding_window) / (2 if attention.chunked is True else 1)


def _of_a_layer(attention: Attention, layers: int) -> tuple[float, float, float]:
    """Return the cached values of a token, and the FLOP of decode and of prefill, of one layer."""
    heads = size(attention, "heads", "attention.")
    if attention.kind == "mla":
        rank, rope, nope, value = (
            float(size(attention, name, "attention."))
            for name in ("kv_lora_rank", "rope_head_dim", "nope_head_dim", "value_head_dim")
        )
        return rank + rope, 2 * heads * (2 * rank + rope), 2 * heads * (nope + rope + value)
    one = float(size(attention, "head_dim", "attention."))
    score = 4 * heads * one
    return 2 * kv_heads(attention, layers, heads) / layers * one, score, score


def _split(attention: Attention, layers: int) -> float:
    """Return over how many parts the cache of a layer can be split; a latent one is whole."""
    if attention.kind == "mla":
        return 1.0
    heads = size(attention, "heads", "attention.")
    return float(max(1, kv_heads(attention, layers, heads) // layers))
