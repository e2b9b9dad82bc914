"""One decode step: every sequence of a batch gets its next token.

Per accelerator and step, with t-way tensor, p-way pipeline, c-way context and a-way attention-data
parallelism, a batch b, and a context of n positions:

    weights    (attention + head) / t + (MLPs + experts touched) / (t a c)    bytes
    cache      b x cached(n) / (min(t, KV heads) x min(a, b) x c x m)          bytes
    compute    b x (2 x parameters met + score(n)) / (t x min(a, b) x c x m)   FLOP

where m = min(b / min(a, b), p) sequences or groups of them are in the pipeline at once: each of
its stages reads its weights once for each, so that only cache and compute are shared out. Attention
and MLP of every layer end in an all-reduce of b x hidden values of 2 bytes; a ring moves
2 (g - 1) / g of the message over each link. The step takes

    max(memory, compute) + exposed x min(memory, compute) + collectives + overhead
"""

from dataclasses import dataclass

import numpy as np

from benchreg.roofline.arrays import Numbers, Struct
from benchreg.roofline.hardware import Part
from benchreg.roofline.model import FLOP_PER_PARAMETER, Terms

ACTIVATION_BYTES = 2
BOTTLENECKS = ("weight_bandwidth", "kv_bandwidth", "compute", "allreduce_comm")


@dataclass(frozen=True, slots=True)
class Layout(Struct):
    """How many ways one copy of the model is split; `expert` overlays the others."""

    tensor: Numbers = 1.0
    pipeline: Numbers = 1.0
    context: Numbers = 1.0
    attention_data: Numbers = 1.0
    expert: Numbers = 1.0

    @property
    def accelerators(self) -> Numbers:
        """The accelerators that hold one copy."""
        return self.tensor * self.pipeline * self.context * self.attention_data

    @property
    def sharded(self) -> Numbers:
        """Over how many of a stage the MLPs and experts are split."""
        return self.tensor * self.context * self.attention_data


@dataclass(frozen=True, slots=True)
class Storage(Struct):
    """Bytes of one value: of a weight, of one in the head and the embedding, of one in the cache.

    The head and the embedding of a quantised checkpoint often stay in 16 bits, and so does the
    `attention` where experts alone are quantised; it is as the other weights where it is None.
    """

    weight: Numbers
    head: Numbers
    cache: Numbers
    attention: Numbers = None

    @property
    def of_attention(self) -> Numbers:
        """The bytes of a weight of the attention."""
        return self.weight if self.attention is None else self.attention


@dataclass(frozen=True, slots=True)
class Coefficients:
    """What is assumed of how well a system runs; every one is an assumption.

    memory_efficiency and compute_efficiency: shares of the peaks that are reached. exposed: the
    share of the shorter of memory and compute time that the longer does not hide. overhead_s:
    launch and scheduling of one step. reserved_bytes: memory of one accelerator that holds neither
    weights nor cache. fewest_experts: the tokens of a step pick the same experts.
    """

    memory_efficiency: float = 0.8
    compute_efficiency: float = 0.65
    exposed: float = 0.15
    overhead_s: float = 0.35e-3
    reserved_bytes: float = 3.5e9
    communication: float = 1.0
    fewest_experts: bool = False


REFERENCE = Coefficients()
IDEAL = Coefficients(1.0, 1.0, 0.0, 0.0, 0.0, 0.0, fewest_experts=True)


@dataclass(frozen=True, slots=True)
class Setup:
    """All that a configuration is, but for its load."""

    model: Terms
    part: Part
    layout: Layout
    storage: Storage
    coefficients: Coefficients = REFERENCE


@dataclass(frozen=True, slots=True)
class Step(Struct):
    """Seconds of one decode step by what they are spent on, and of the whole."""

    weights_s: Numbers
    cache_s: Numbers
    compute_s: Numbers
    collective_s: Numbers
    total_s: Numbers

    @property
    def bottleneck(self) -> Numbers:
        """The index into BOTTLENECKS of what takes longest."""
        parts = (self.weights_s, self.cache_s, self.compute_s, self.collective_s)
        return np.argmax(np.stack(np.broadcast_arrays(*parts)), axis=0)


def total(memory_s: Numbers, compute_s: Numbers, coefficients: Coefficients) -> Numbers:
    """Return the seconds of memory and compute together, partly hidden by one another."""
    longer, shorter = np.maximum(memory_s, compute_s), np.minimum(memory_s, compute_s)
    return longer + coefficients.exposed * shorter


def weights_bytes(setup: Setup, tokens: Numbers) -> Numbers:
    """Return the bytes of weights that an accelerator reads for a pass of some tokens."""
    model, layout, storage = setup.model, setup.layout, setup.storage
    touched = model.touched(tokens, fewest=setup.coefficients.fewest_experts)
    alike = model.attention * storage.of_attention + model.head * storage.head
    return alike / layout.tensor + (model.mlp + touched) * storage.weight / layout.sharded


def positions(model: Terms, context: Numbers) -> tuple[Numbers, Numbers]:
    """Return how many positions a layer sees: where it sees all, and where it has a window."""
    return context, np.minimum(context, model.window)


def cache_split(setup: Setup, batch: Numbers) -> Numbers:
    """Return over how many accelerators of a pass the cache of a batch is spread."""
    layout = setup.layout
    heads = np.minimum(layout.tensor, setup.model.kv_heads)
    return heads * np.minimum(layout.attention_data, np.maximum(batch, 1)) * layout.context


def compute_split(setup: Setup, batch: Numbers) -> Numbers:
    """Return over how many accelerators of a pass its operations are spread."""
    layout = setup.layout
    return layout.tensor * layout.context * np.minimum(layout.attention_data, np.maximum(batch, 1))


def of_group(setup: Setup, batch: Numbers) -> Numbers:
    """Return how many sequences of a batch an attention group has; at least one."""
    every = np.maximum(batch, 1)
    return every / np.minimum(setup.layout.attention_data, every)


def in_pipeline(setup: Setup, batch: Numbers) -> Numbers:
    """Return how many sequences, or groups of them, of an attention group are in the pipeline."""
    return np.minimum(of_group(setup, batch), setup.layout.pipeline)


def bytes_per_s(setup: Setup) -> Numbers:
    """Return the bandwidth that is reached."""
    return setup.part.bandwidth * setup.coefficients.memory_efficiency


def flop_per_s(setup: Setup) -> Numbers:
    """Return the arithmetic that is reached."""
    return setup.part.peak * setup.coefficients.compute_efficiency


def decode_step(setup: Setup, batch: Numbers, context: Numbers) -> Step:
    """Return the step of a batch whose sequences are `context` tokens long (arrays (n,))."""
    model, coefficients = setup.model, setup.coefficients
    far, near = positions(model, context)
    cached = (model.cache * far + model.cache_window * near) * setup.storage.cache
    score = model.score * far + model.score_window * near
    flop = batch * (FLOP_PER_PARAMETER * (model.met + model.head) + score)
    busy = in_pipeline(setup, batch)
    weights_s = weights_bytes(setup, batch) / bytes_per_s(setup)
    cache_s = batch * cached / cache_split(setup, batch) / busy / bytes_per_s(setup)
    compute_s = flop / compute_split(setup, batch) / busy / flop_per_s(setup)
    collective_s = coefficients.communication * collectives(setup, batch)
    took = total(weights_s + cache_s, compute_s, coefficients)
    return Step(
        weights_s, cache_s, compute_s, collective_s, took + collective_s + coefficients.overhead_s
    )


def collectives(setup: Setup, tokens: Numbers) -> Numbers:
    """Return the seconds that a pass of some tokens spends on communication, over all layers.

    Attention and dense MLP of a layer end in an all-reduce over the tensor-parallel group. Over the
    context-parallel group go the parts of attention, and what a dense MLP that is split over it
    makes; over the attention-data groups the tokens of all meet at a dense MLP. Experts that are
    spread over groups are sent their tokens and send them back; else they end as a dense MLP does.
    The stages of a pipeline hand over in turn.
    """
    model, layout, part = setup.model, setup.layout, setup.part
    every = tokens * model.hidden_size * ACTIVATION_BYTES
    own = every / np.minimum(layout.attention_data, np.maximum(tokens, 1))
    spread = (np.maximum(layout.expert, layout.attention_data) > 1) & (model.sparse_layers > 0)
    dense = model.layers - np.where(spread, model.sparse_layers, 0.0)
    seconds = (model.layers + dense) * all_reduce(part, layout.tensor, own)
    if np.any(layout.context > 1):
        seconds = seconds + (model.layers + dense) * all_reduce(part, layout.context, own)
    if np.any(layout.attention_data > 1):
        seconds = seconds + dense * all_reduce(part, layout.attention_data, every)
    if np.any(spread):
        sent = 2 * model.sparse_layers * _exchange(setup, own)
        seconds = seconds + np.where(spread, sent, 0.0)
    if np.any(layout.pipeline > 1):
        handed = own / in_pipeline(setup, tokens) / part.link + part.link_latency_s
        seconds = seconds + np.where(layout.pipeline > 1, layout.pipeline * handed, 0.0)
    return seconds


def _exchange(setup: Setup, message: Numbers) -> Numbers:
    """Return the seconds in which tokens reach their experts, or come back.

    An accelerator has its share of the message of its attention group; a token goes to as many
    accelerators as it has experts, or to all of the group, and stays where it is for one of them.
    """
    model, layout = setup.model, setup.layout
    group = np.maximum(layout.expert, layout.attention_data)
    mine = message / (layout.tensor * layout.context)
    copies = np.minimum(model.active, group) * (group - 1) / group
    return mine * copies / setup.part.link + setup.part.link_latency_s


def all_reduce(part: Part, group: Numbers, message: Numbers) -> Numbers:
    """Return the seconds of a ring all-reduce of `message` bytes; 0 for a group of one.

    2 (g - 1) / g of the message over each link, and a latency.
    """
    seconds = 2 * (group - 1) / group * message / part.link + part.link_latency_s
    return np.where(group > 1, seconds, 0.0)


def memory_bytes(setup: Setup, batch: Numbers, context: Numbers) -> Numbers:
    """Return the bytes that an accelerator holds: weights, cache, and what is reserved."""
    return (
        held_weights(setup)
        + batch * sequence_bytes(setup, batch, context)
        + setup.coefficients.reserved_bytes
    )


def held_weights(setup: Setup) -> Numbers:
    """Return the bytes of weights that an accelerator holds."""
    model, layout, storage = setup.model, setup.layout, setup.storage
    split = model.mlp + model.experts
    tables = (model.stored - split - model.attention) * storage.head
    alike = model.attention * storage.of_attention + tables
    shared = split * storage.weight / layout.sharded
    return (alike / layout.tensor + shared) / layout.pipeline


def sequence_bytes(setup: Setup, batch: Numbers, context: Numbers) -> Numbers:
    """Return the bytes of cache that one sequence of a batch takes on an accelerator."""
    model = setup.model
    far, near = positions(model, context)
    cached = (model.cache * far + model.cache_window * near) * setup.storage.cache
    return cached / cache_split(setup, batch) / setup.layout.pipeline
