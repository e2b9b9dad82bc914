"""What an estimate says of a configuration, however it was found."""

from dataclasses import dataclass

import numpy as np

from benchreg.roofline.arrays import Numbers, Struct
from benchreg.roofline.request import Lengths, Pass, decode_flop, prefill_flop
from benchreg.roofline.step import Setup, held_weights, memory_bytes, sequence_bytes


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


@dataclass(frozen=True, slots=True)
class Found:
    """What a form found, before it is told per accelerator and request."""

    ttft_s: Numbers
    tpot_s: Numbers
    e2e_s: Numbers
    wait_s: Numbers
    requests: Numbers
    batch: Numbers
    concurrency: Numbers
    moved: Numbers


def told(
    setup: Setup,
    load: Load,
    found: Found,
    bottlenecks: tuple[Numbers, Numbers],
    context: Numbers,
) -> Estimate:
    """Return what was found, told per accelerator and request, with memory and utilisation."""
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


def over(amount: Numbers, count: Numbers) -> Numbers:
    """Return a mean; nan of nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return amount / np.where(np.asarray(count) > 0, count, np.nan)


def bottleneck(phase: Pass) -> Numbers:
    """Return the index into BOTTLENECKS of what a phase spends most on."""
    parts = (phase.weights_s, phase.cache_s, phase.compute_s, phase.collective_s)
    return np.argmax(np.stack(np.broadcast_arrays(*parts)), axis=0)
