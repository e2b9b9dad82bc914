"""How many parameters a model has, counted from its sizes.

The matrices of a decoder as its configuration names them (Vaswani 2017; multi-query: Shazeer 2019,
grouped: Ainslie 2023; gated MLP: Shazeer 2020; latent attention and shared experts: DeepSeek-V2,
2024), with width d, and in each layer:

- attention: d x (heads + 2 x KV heads) x head size, and heads x head size x d back;
- latent attention (MLA): the query d x q_rank + q_rank x heads x (nope + rope), or d x heads x
  (nope + rope) where it is not compressed; the cache d x (kv_rank + rope); from it kv_rank x heads
  x (nope + value); and heads x value x d back;
- MLP: 2 matrices of d x intermediate, 3 where it is gated;
- experts: as many such MLPs as there are, the shared ones once more, and the router, d x total;
- norms: 2 x d, and the two of a latent query and cache.

With them go the embedding, vocabulary x d, once more for an output that is not tied, and the last
norm. Left out is what no field has: biases, learned positions, norms of heads; less than 1 % in
every model that we know.
"""

from typing import NamedTuple

from pydantic import MISSING

from benchreg.entities.base import Entity
from benchreg.entities.catalogue import Attention, Experts, Model


class UncountedError(Exception):
    """A size that the count needs is not stated; the message names its field."""


class Parts(NamedTuple):
    """The parameters of a model by what they do, of all its layers.

    `table` is one of vocabulary x width: it is the output head, and once more the embedding where
    the two are not tied. `experts` are all routed ones; `shared` runs for every token.
    """

    table: int
    tables: int
    norms: int
    attention: int
    mlp: int
    router: int
    shared: int
    experts: int

    @property
    def total(self) -> int:
        """The parameters of the model."""
        return self.tables * self.table + sum(self[2:])


def parameters(model: Model) -> Parts:
    """Return the parameters of a model by part; raises UncountedError."""
    if model.attention is MISSING:
        raise UncountedError("attention")
    width, layers = size(model, "hidden_size"), size(model, "layers")
    mlp, router, shared, experts = _mlps(model, width, layers)
    return Parts(
        table=size(model, "vocabulary_size") * width,
        tables=1 if size(model, "tied_embeddings") else 2,
        norms=(2 * layers + 1) * width,
        attention=_attention(model.attention, width, layers),
        mlp=mlp,
        router=router,
        shared=shared,
        experts=experts,
    )


def size(entity: Entity, name: str, within: str = "") -> int:
    """Return a stated size; raises UncountedError."""
    stated = getattr(entity, name)
    if stated is MISSING:
        raise UncountedError(f"{within}{name}")
    return int(stated)


def _attention(attention: Attention, width: int, layers: int) -> int:
    """Return the parameters of the attention of all layers."""
    heads = size(attention, "heads", "attention.")
    if attention.kind == "mla":
        return layers * _latent(attention, width, heads)
    one = size(attention, "head_dim", "attention.")
    return 2 * one * width * (layers * heads + kv_heads(attention, layers, heads))


def kv_heads(attention: Attention, layers: int, heads: int) -> int:
    """Return the KV heads of all layers; a kind that fixes them need not state them."""
    if attention.kv_heads_total is not MISSING:
        return attention.kv_heads_total
    if attention.kv_heads is MISSING and attention.kind in ("mha", "mqa"):
        return layers * (heads if attention.kind == "mha" else 1)
    return layers * size(attention, "kv_heads", "attention.")


def _latent(attention: Attention, width: int, heads: int) -> int:
    """Return the parameters of the latent attention of one layer."""
    rank, rope, nope, value = (
        size(attention, name, "attention.")
        for name in ("kv_lora_rank", "rope_head_dim", "nope_head_dim", "value_head_dim")
    )
    query = heads * (nope + rope)
    asked = width * query
    if attention.q_lora_rank is not MISSING:
        asked = attention.q_lora_rank * (width + query + 1)
    cache = width * (rank + rope) + rank * (heads * (nope + value) + 1)
    return asked + cache + heads * value * width


def _mlps(model: Model, width: int, layers: int) -> tuple[int, int, int, int]:
    """Return the parameters of all dense MLPs, routers, shared experts and routed experts."""
    matrix = width * (3 if size(model, "gated_mlp") else 2)
    if model.experts is MISSING:
        return layers * matrix * size(model, "intermediate_size"), 0, 0, 0
    sparse, experts = sparse_layers(model.experts, layers), model.experts
    dense = layers - sparse
    return (
        dense * matrix * size(model, "intermediate_size") if dense else 0,
        sparse * width * experts.total,
        sparse * matrix * _shared_width(experts),
        sparse * matrix * experts.total * size(experts, "intermediate_size", "experts."),
    )


def sparse_layers(experts: Experts, layers: int) -> int:
    """Return how many layers have experts; all, where nothing else is said."""
    first = 0 if experts.first_dense_layers is MISSING else experts.first_dense_layers
    step = 1 if experts.layer_step is MISSING else experts.layer_step
    return max(0, layers - first) // step


def _shared_width(experts: Experts) -> int:
    """Return the hidden sizes of the shared experts of one layer together."""
    if experts.shared != 0 and experts.shared_intermediate_size is not MISSING:
        return experts.shared_intermediate_size
    if experts.shared is MISSING or not experts.shared:
        return 0
    return experts.shared * size(experts, "intermediate_size", "experts.")
