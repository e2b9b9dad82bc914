"""How fast a system should be: an estimate for each of many configurations at once.

Three loads. A static batch reads all its prompts, then decodes together. A closed loop keeps a
number of requests in flight: each step carries a token of every sequence that decodes and the
prompt tokens of those that arrive, and Little's law ties the number in flight to rate and latency.
Saturated is a closed loop whose batch is what memory holds.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from benchreg.roofline.arrays import Numbers, Struct
from benchreg.roofline.model import FLOP_PER_PARAMETER
from benchreg.roofline.request import (
    Lengths,
    Pass,
    decode,
    decode_flop,
    prefill,
    prefill_flop,
    seen,
)
from benchreg.roofline.step import (
    Setup,
    bytes_per_s,
    cache_split,
    collectives,
    compute_split,
    flop_per_s,
    held_weights,
    in_pipeline,
    memory_bytes,
    sequence_bytes,
    total,
    weights_bytes,
)

BLOCK = 16_384  # configurations that are worked on together: what the cache of a core holds
MOST_ROUNDS, AGREED = 60, 1e-6  # in which a closed loop finds its batch, and how closely


@dataclass(frozen=True, slots=True)
class Estimate(Struct):
    """What is expected of a configuration; never a measurement (arrays of shape (n,)).

    Seconds: ttft_s, tpot_s (nan for outputs of one token), e2e_s, wait_s (of it, for a place in
    the batch). Tokens/s and requests/s of the system: output, requests; per accelerator and per
    request: output_per_accelerator, output_per_request (end to end), decode_per_request (1/tpot).
    batch: sequences that decode at once, in the system. memory_bytes of one accelerator, and
    whether it fits. mbu: bytes that decode moves over what the bandwidth allows; mfu: operations
    of whole requests over what the peak allows. Bottlenecks are indices into BOTTLENECKS.
    """

    ttft_s: Numbers
    tpot_s: Numbers
    e2e_s: Numbers
    wait_s: Numbers
    requests: Numbers
    output: Numbers
    output_per_accelerator: Numbers
    output_per_request: Numbers
    decode_per_request: Numbers
    batch: Numbers
    concurrency: Numbers
    memory_bytes: Numbers
    fits: Numbers
    mbu: Numbers
    mfu: Numbers
    prefill_bottleneck: Numbers
    decode_bottleneck: Numbers


@dataclass(frozen=True, slots=True)
class Load(Struct):
    """The load of a system of `replicas` copies: batch or concurrency, of the whole system."""

    level: Numbers
    lengths: Lengths
    replicas: Numbers = 1.0


def static_batch(setup: Setup, load: Load) -> Estimate:
    """Return the estimate of a batch that starts and ends together."""
    return _in_blocks(_static, setup, load)


def closed_loop(setup: Setup, load: Load) -> Estimate:
    """Return the estimate of a steady number of requests in flight."""
    return _in_blocks(_closed, setup, load)


def saturated(setup: Setup, load: Load) -> Estimate:
    """Return the estimate of as many requests at once as memory holds; the level is ignored."""
    return _in_blocks(_saturated, setup, load)


def resident(setup: Setup, lengths: Lengths) -> Numbers:
    """Return how many sequences one copy of the model holds, half of their output written.

    A batch of at least attention_data sequences is assumed; 0 where not even the weights fit.
    """
    context = lengths.cached + lengths.prompt + lengths.output / 2
    many = np.maximum(setup.layout.attention_data, 1)
    free = setup.part.memory_bytes - setup.coefficients.reserved_bytes - held_weights(setup)
    return np.floor(np.maximum(free, 0) / sequence_bytes(setup, many, context))


def decode_batch(
    concurrency: Numbers, output: Numbers, ttft_s: Numbers, tpot_s: Numbers
) -> Numbers:
    """Return how many of the requests in flight decode, by Little's law.

    A request spends ttft_s of its life before its first token, and output x tpot_s after it.
    """
    after = output * tpot_s
    return concurrency * after / (ttft_s + after)


def _in_blocks(form: Callable[[Setup, Load], Estimate], setup: Setup, load: Load) -> Estimate:
    """Return what a form says, worked out block by block; memory stays that of the answer."""
    parts = (setup.model, setup.part, setup.layout, setup.storage, load, load.lengths)
    size = max((size for part in parts for size in part.sizes()), default=1)
    if size <= BLOCK:
        return form(setup, load)
    spans = [slice(start, min(start + BLOCK, size)) for start in range(0, size, BLOCK)]
    blocks = [form(_setup_at(setup, span), _load_at(load, span)) for span in spans]
    return Estimate.join(blocks, [span.stop - span.start for span in spans])


def _setup_at(setup: Setup, span: slice) -> Setup:
    return Setup(
        setup.model.take(span),
        setup.part.take(span),
        setup.layout.take(span),
        setup.storage.take(span),
        setup.coefficients,
    )


def _load_at(load: Load, span: slice) -> Load:
    level = load.take(span)
    return replace(level, lengths=load.lengths.take(span))


def _static(setup: Setup, load: Load) -> Estimate:
    lengths = load.lengths
    batch = np.maximum(load.level / load.replicas, 1)
    steps = np.maximum(lengths.output - 1, 0)
    first = prefill(setup, batch, lengths)
    rest = decode(setup, batch, lengths, steps)
    e2e = first.total_s + rest.total_s
    tpot = _over(rest.total_s, steps)
    moved = _over(rest.weights_s + rest.cache_s, rest.total_s)
    return _estimate(
        setup,
        load,
        _Found(first.total_s, tpot, e2e, 0.0, load.level / e2e, load.level, load.level, moved),
        (_bottleneck(first), _bottleneck(rest)),
        lengths.cached + lengths.prompt + lengths.output,
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """What a form found, before it is told per accelerator and request."""

    ttft_s: Numbers
    tpot_s: Numbers
    e2e_s: Numbers
    wait_s: Numbers
    requests: Numbers
    batch: Numbers
    concurrency: Numbers
    moved: Numbers


def _estimate(
    setup: Setup,
    load: Load,
    found: _Found,
    bottlenecks: tuple[Numbers, Numbers],
    context: Numbers,
) -> Estimate:
    lengths, coefficients = load.lengths, setup.coefficients
    accelerators = setup.layout.accelerators * load.replicas
    steps = np.maximum(lengths.output - 1, 0)
    flop = prefill_flop(setup.model, lengths) + decode_flop(setup.model, lengths, steps)
    held = memory_bytes(setup, np.maximum(found.batch / load.replicas, 1), context)
    output = found.requests * lengths.output
    return Estimate(
        ttft_s=found.ttft_s,
        tpot_s=found.tpot_s,
        e2e_s=found.e2e_s,
        wait_s=found.wait_s + 0 * found.e2e_s,
        requests=found.requests,
        output=output,
        output_per_accelerator=output / accelerators,
        output_per_request=lengths.output / found.e2e_s,
        decode_per_request=1 / found.tpot_s,
        batch=found.batch + 0 * found.e2e_s,
        concurrency=found.concurrency + 0 * found.e2e_s,
        memory_bytes=held + 0 * found.e2e_s,
        fits=held + 0 * found.e2e_s <= setup.part.memory_bytes,
        mbu=found.moved * coefficients.memory_efficiency,
        mfu=found.requests * flop / (setup.part.peak * accelerators),
        prefill_bottleneck=bottlenecks[0],
        decode_bottleneck=bottlenecks[1],
    )


def _over(amount: Numbers, count: Numbers) -> Numbers:
    """Return a mean; nan of nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return amount / np.where(np.asarray(count) > 0, count, np.nan)


def _bottleneck(phase: Pass) -> Numbers:
    parts = (phase.weights_s, phase.cache_s, phase.compute_s, phase.collective_s)
    return np.argmax(np.stack(np.broadcast_arrays(*parts)), axis=0)


def _closed(setup: Setup, load: Load) -> Estimate:
    """Return the estimate of a closed loop: the batch is what Little's law leaves for decode.

    From the largest batch down, the law is asked again with the step that the last answer gives;
    the answers fall towards the one that agrees with itself. A configuration that has found it is
    left alone, so that no answer depends on what it was asked together with.
    """
    mixed = _Mixed.of(setup, load.lengths)
    room = np.maximum(resident(setup, load.lengths), 1) * load.replicas
    most = np.minimum(load.level, room)
    batch, found = most + 0 * mixed.alone.total_s, np.False_
    for _ in range(MOST_ROUNDS):
        step_s = mixed.step(np.maximum(batch / load.replicas, 1)).total_s
        ttft_s = mixed.alone.total_s + step_s
        asked = np.minimum(most, decode_batch(load.level, load.lengths.output, ttft_s, step_s))
        agreed = np.abs(asked - batch) <= AGREED * asked
        batch, found = np.where(found, batch, asked), found | agreed
        if np.all(found):
            break
    return _steady(load, mixed, batch)


def _saturated(setup: Setup, load: Load) -> Estimate:
    """Return the estimate of a batch that fills memory; its concurrency follows."""
    mixed = _Mixed.of(setup, load.lengths)
    room = np.maximum(resident(setup, load.lengths), 1) * load.replicas
    step_s = mixed.step(room / load.replicas).total_s
    share = 1 + (mixed.alone.total_s + step_s) / (load.lengths.output * step_s)
    return _steady(replace(load, level=room * share), mixed, room + 0 * step_s)


def _steady(load: Load, mixed: "_Mixed", batch: Numbers) -> Estimate:
    """Return the estimate of a batch in steady state; who finds no place in it waits."""
    lengths, setup = load.lengths, mixed.setup
    step = mixed.step(np.maximum(batch / load.replicas, 1))
    ttft_s, after_s = mixed.alone.total_s + step.total_s, lengths.output * step.total_s
    rate = batch / after_s
    wait_s = np.maximum(load.level / rate - ttft_s - after_s, 0)
    wait_s = np.where(wait_s > AGREED * after_s, wait_s, 0.0)
    moved = (step.weights_s + step.cache_s) / step.total_s
    return _estimate(
        setup,
        load,
        _Found(
            ttft_s + wait_s,
            step.total_s,
            ttft_s + wait_s + after_s,
            wait_s,
            rate,
            batch,
            load.level,
            moved,
        ),
        (_bottleneck(mixed.alone), _bottleneck(step)),
        lengths.cached + lengths.prompt + lengths.output / 2,
    )


@dataclass(frozen=True, slots=True)
class _Mixed:
    """A step of steady state: a token of each sequence, and the prompts that arrive meanwhile.

    For each token that comes out, prompt / output tokens of prompts go in. `alone` is the prefill
    of one prompt; `cached` the bytes and `flop` the operations of one sequence and token.
    """

    setup: Setup
    lengths: Lengths
    alone: Pass
    cached: Numbers
    flop: Numbers

    @classmethod
    def of(cls, setup: Setup, lengths: Lengths) -> "_Mixed":
        """Return what does not depend on the batch."""
        model = setup.model
        before = lengths.cached + lengths.prompt
        far, near = (seen_by / lengths.output for seen_by in seen(model, before, lengths.output))
        score = model.score * far + model.score_window * near
        flop = FLOP_PER_PARAMETER * (model.met + model.head) + score
        return cls(
            setup,
            lengths,
            prefill(setup, 1.0, lengths),
            (model.cache * far + model.cache_window * near) * setup.storage.cache,
            flop + prefill_flop(model, lengths) / lengths.output,
        )

    def step(self, batch: Numbers) -> Pass:
        """Return the step of a batch of each copy, for one token of each sequence."""
        setup, per_step = self.setup, self.lengths.tokens_per_step
        coefficients, busy = setup.coefficients, in_pipeline(setup, batch)
        tokens = batch * per_step * (1 + self.lengths.prompt / self.lengths.output)
        weights_s = weights_bytes(setup, tokens) / bytes_per_s(setup) / per_step
        cache_s = batch * self.cached / cache_split(setup, batch) / busy
        cache_s = cache_s / bytes_per_s(setup) / per_step
        compute_s = batch * self.flop / compute_split(setup, batch) / busy / flop_per_s(setup)
        collective_s = coefficients.communication * collectives(setup, tokens) / per_step
        took = total(weights_s + cache_s, compute_s, coefficients)
        return Pass(
            weights_s,
            cache_s,
            compute_s,
            collective_s,
            took + collective_s + coefficients.overhead_s / per_step,
        )
