"""How fast a system can possibly be: no true measurement is faster.

The forms of the estimate with nothing lost: every accelerator of a pool works as one, at its full
bandwidth and the full peak of its number format, memory and compute hide one another entirely,
nothing is communicated, no step has an overhead, and all tokens of a step pick the same experts.
What is not known stands at its most generous end, and it is the caller who chooses it.
"""

from dataclasses import dataclass, replace

import numpy as np

from benchreg.roofline.arrays import Numbers, Struct
from benchreg.roofline.hardware import Part
from benchreg.roofline.model import FLOP_PER_PARAMETER, Terms
from benchreg.roofline.request import Lengths, decode, decode_flop, prefill, prefill_flop, seen
from benchreg.roofline.step import (
    IDEAL,
    Layout,
    Setup,
    Storage,
    held_weights,
    sequence_bytes,
    weights_bytes,
)

MOST_SEQUENCES = 1e7  # where neither the load nor memory says how many run at once


@dataclass(frozen=True, slots=True)
class Point(Struct):
    """Operating points, with every unknown at one end (arrays of shape (n,), or numbers).

    Memory in bytes, bandwidth in bytes/s and peak in FLOP/s are those of all accelerators
    together: of the pools that decode, and of those that read prompts; `apart` where these are
    not the same. `batch` is how many sequences run at most, infinite where nothing says it, and
    exactly so many, from the prompt on, where it is `static`. `prompt` tokens are computed;
    `before` are in the cache when they come. An output that is not known is of one token.
    """

    memory: Numbers
    bandwidth: Numbers
    peak: Numbers
    prefill_bandwidth: Numbers
    prefill_peak: Numbers
    apart: Numbers
    replicas: Numbers
    pipeline: Numbers
    weight_bytes: Numbers
    cache_bytes: Numbers
    batch: Numbers
    static: Numbers
    prompt: Numbers
    before: Numbers
    output: Numbers
    tokens_per_step: Numbers


@dataclass(frozen=True, slots=True)
class Bound(Struct):
    """The limits of an operating point (arrays of shape (n,)).

    Least seconds: ttft_s, tpot_s, e2e_s. Most per second, of the system: requests, decoded
    (output tokens of decode alone), prompted (prompt tokens of prefill alone). batch: sequences
    of the system, as many as run at once.

    For MBU and MFU, in seconds that all bandwidth or all arithmetic is busy: weights_s of one pass
    of one copy, with the experts that its batch is expected to touch; of one request, cache_s and
    compute_s of its decode, prompt_s of its prompt. passes: decode steps of one request.
    needed_bytes: weights and one sequence; resident_bytes: weights and the whole load.
    """

    ttft_s: Numbers
    tpot_s: Numbers
    e2e_s: Numbers
    requests: Numbers
    decoded: Numbers
    prompted: Numbers
    batch: Numbers
    weights_s: Numbers
    cache_s: Numbers
    compute_s: Numbers
    prompt_s: Numbers
    passes: Numbers
    needed_bytes: Numbers
    resident_bytes: Numbers


def bound(model: Terms, point: Point) -> Bound:
    """Return the limits of operating points (arrays (n,) in, arrays (n,) out).

    A static batch whose sequences do not fit to their end runs in turns, as any other load.
    """
    model = _cheapest(model)
    lengths = Lengths(point.prompt, point.output, point.before, point.tokens_per_step)
    steps = np.maximum(point.output - 1, 0)
    some = np.maximum(steps, 1)
    reader, decoder = _reader(model, point), _decoder(model, point)
    room = _room(decoder, point, point.output / 2)
    static = point.static & (point.batch <= _room(decoder, point, point.output))
    batch = np.minimum(point.batch, room)
    own = np.maximum(batch / point.replicas, 1)
    together = np.where(static, own, 1.0)
    last = decode(decoder, together, lengths, some)
    e2e = prefill(reader, together, lengths).total_s + last.total_s * steps / some
    busy = _busy(decoder, point, lengths, own)
    with np.errstate(divide="ignore"):  # an arithmetic without a known peak takes no time
        steady = 1 / busy.longest_s(point, own)
    return Bound(
        ttft_s=prefill(reader, 1.0, lengths).total_s,
        tpot_s=last.total_s / some,
        e2e_s=e2e,
        requests=np.where(static, batch / e2e, steady),
        decoded=batch * some / decode(decoder, own, lengths, some).total_s,
        prompted=_prompted(model, point, lengths),
        batch=batch,
        weights_s=_expected_s(decoder, point, own),
        cache_s=busy.cache_s,
        compute_s=busy.compute_s,
        prompt_s=busy.prompt_s,
        passes=busy.passes,
        needed_bytes=_held(decoder, point, 1.0),
        resident_bytes=_held(decoder, point, np.maximum(point.batch / point.replicas, 1)),
    )


def _cheapest(model: Terms) -> Terms:
    """Return a model whose attention costs the least that it can.

    A latent cache is read as it is and multiplied as whole heads, and a chunk has just begun anew.
    """
    kept = 1 - model.chunked
    return replace(
        model,
        score=model.score * model.score_prefill,
        score_window=model.score_window * model.score_prefill * kept,
        score_prefill=1.0,
        cache_window=model.cache_window * kept,
    )


def _setup(model: Terms, part: Part, layout: Layout, point: Point) -> Setup:
    storage = Storage(point.weight_bytes, point.weight_bytes, point.cache_bytes)
    return Setup(model, part, layout, storage, IDEAL)


def _reader(model: Terms, point: Point) -> Setup:
    """Return what reads prompts: all accelerators of one copy as one."""
    part = Part(
        point.memory, point.prefill_bandwidth / point.replicas, point.prefill_peak / point.replicas
    )
    return _setup(model, part, Layout(), point)


def _decoder(model: Terms, point: Point) -> Setup:
    """Return what decodes: one copy as one, whose pipeline still has its stages in turn."""
    share = point.replicas * point.pipeline
    part = Part(point.memory / share, point.bandwidth / share, point.peak / share)
    return _setup(model, part, Layout(pipeline=point.pipeline), point)


def _room(decoder: Setup, point: Point, written: Numbers) -> Numbers:
    """Return how many sequences all copies hold, so much of their output written."""
    context = point.before + point.prompt + written
    free = decoder.part.memory_bytes - held_weights(decoder)
    one = _sequence(decoder, context)
    held = np.minimum(np.maximum(free, 0) / one * point.replicas, MOST_SEQUENCES)
    return np.maximum(held, point.replicas)


def _sequence(decoder: Setup, context: Numbers) -> Numbers:
    """Return the bytes of a sequence; never nothing, of which endlessly many would fit."""
    return np.maximum(sequence_bytes(decoder, 1.0, context), 1e-9)


def _held(decoder: Setup, point: Point, sequences: Numbers) -> Numbers:
    """Return the bytes that all accelerators hold for so many sequences of each copy."""
    context = point.before + point.prompt + point.output
    cache = sequences * _sequence(decoder, context)
    return (held_weights(decoder) + cache) * point.replicas * point.pipeline


@dataclass(frozen=True, slots=True)
class _Busy:
    """How long a request keeps the system busy, in seconds of all bandwidth and all arithmetic."""

    weights_s: Numbers
    cache_s: Numbers
    compute_s: Numbers
    prompt_s: Numbers
    passes: Numbers

    def longest_s(self, point: Point, batch: Numbers) -> Numbers:
        """Return what a request takes of the system where all overlaps: weights are shared."""
        memory_s = self.weights_s * self.passes / batch + self.cache_s
        apart = np.maximum(self.compute_s, self.prompt_s)
        compute_s = np.where(point.apart, apart, self.compute_s + self.prompt_s)
        return np.maximum(memory_s, compute_s)


def _busy(decoder: Setup, point: Point, lengths: Lengths, batch: Numbers) -> _Busy:
    model = decoder.model
    steps = np.maximum(point.output - 1, 0)
    far, near = seen(model, point.before + point.prompt, steps)
    cached = (model.cache * far + model.cache_window * near) * point.cache_bytes
    return _Busy(
        weights_bytes(decoder, batch) * point.pipeline / point.bandwidth,
        cached / point.tokens_per_step / point.bandwidth,
        decode_flop(model, lengths, steps) / point.peak,
        prefill_flop(model, lengths) / point.prefill_peak,
        steps / point.tokens_per_step,
    )


def _expected_s(decoder: Setup, point: Point, batch: Numbers) -> Numbers:
    """Return the seconds of all bandwidth that one pass of one copy is expected to take."""
    usual = replace(decoder, coefficients=replace(IDEAL, fewest_experts=False))
    tokens = batch * point.tokens_per_step
    return weights_bytes(usual, tokens) * point.pipeline / point.bandwidth


def _prompted(model: Terms, point: Point, lengths: Lengths) -> Numbers:
    """Return the most prompt tokens per second of prefill alone, all copies together.

    Of prompts of no known length, each token costs the parameters that it meets and no more.
    """
    least = FLOP_PER_PARAMETER * model.met
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(point.prompt > 0, prefill_flop(model, lengths) / point.prompt, least)
    return point.prefill_peak / each
