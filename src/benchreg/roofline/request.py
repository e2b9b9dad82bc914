"""Whole requests: a prompt is read, then tokens follow one by one over a context that grows.

The decode of a request is the sum of its steps. Both memory and compute time grow in a straight
line with the context, up to where a window is full and in another one beyond it, so the sum of the
longer of the two has a closed form on either side of the point where they cross.
"""

from dataclasses import dataclass

import numpy as np

from benchreg.roofline.arrays import Numbers, Struct
from benchreg.roofline.model import FLOP_PER_PARAMETER, NO_WINDOW, Terms
from benchreg.roofline.step import (
    Setup,
    bytes_per_s,
    cache_split,
    collectives,
    compute_split,
    flop_per_s,
    in_pipeline,
    of_group,
    total,
    weights_bytes,
)


@dataclass(frozen=True, slots=True)
class Lengths(Struct):
    """What a request brings and takes, in tokens; means may be fractions.

    `cached` are already in the cache when the prompt arrives; a step yields `tokens_per_step`
    (speculative decoding: the acceptance length).
    """

    prompt: Numbers
    output: Numbers
    cached: Numbers = 0.0
    tokens_per_step: Numbers = 1.0


@dataclass(frozen=True, slots=True)
class Pass(Struct):
    """Seconds of a phase by what they are spent on, and of the whole."""

    weights_s: Numbers
    cache_s: Numbers
    compute_s: Numbers
    collective_s: Numbers
    total_s: Numbers


def _triangle(count: Numbers) -> Numbers:
    return count * (count + 1) / 2


def seen(model: Terms, before: Numbers, count: Numbers) -> tuple[Numbers, Numbers]:
    """Return the positions that `count` tokens after `before` others see, all together.

    In a layer that sees everything, and in one with a window; each token sees itself.
    """
    last, window = before + count, model.window
    far = _triangle(last) - _triangle(before)
    inside = _triangle(np.minimum(last, window)) - _triangle(np.minimum(before, window))
    beyond = np.maximum(last - window, 0) - np.maximum(before - window, 0)
    return far, inside + window * beyond


def prefill_flop(model: Terms, lengths: Lengths) -> Numbers:
    """Return the operations of one prompt; only its last token goes through the head."""
    far, near = seen(model, lengths.cached, lengths.prompt)
    score = model.score_prefill * (model.score * far + model.score_window * near)
    return FLOP_PER_PARAMETER * (model.met * lengths.prompt + model.head) + score


def prefill(setup: Setup, prompts: Numbers, lengths: Lengths) -> Pass:
    """Return the pass of some prompts at once, to the first token of each.

    The stages of a pipeline fill and drain around those of an attention group:
    (prompts + stages - 1) / prompts.
    """
    coefficients, stages = setup.coefficients, setup.layout.pipeline
    tokens = prompts * lengths.prompt
    flop = prompts * prefill_flop(setup.model, lengths)
    weights_s = weights_bytes(setup, tokens) / bytes_per_s(setup)
    own = of_group(setup, prompts)
    drained = (own + stages - 1) / own / stages
    compute_s = flop / compute_split(setup, prompts) * drained / flop_per_s(setup)
    collective_s = coefficients.communication * collectives(setup, tokens)
    took = total(weights_s, compute_s, coefficients) + collective_s + coefficients.overhead_s
    return Pass(weights_s, 0.0 * weights_s, compute_s, collective_s, took)


def decode_flop(model: Terms, lengths: Lengths, steps: Numbers) -> Numbers:
    """Return the operations of the tokens after the first, for one sequence."""
    far, near = seen(model, lengths.cached + lengths.prompt, steps)
    score = model.score * far + model.score_window * near
    return FLOP_PER_PARAMETER * (model.met + model.head) * steps + score


def decode(setup: Setup, batch: Numbers, lengths: Lengths, steps: Numbers) -> Pass:
    """Return all steps that a batch takes for `steps` further tokens of each sequence."""
    model, coefficients = setup.model, setup.coefficients
    per_step, before = lengths.tokens_per_step, lengths.cached + lengths.prompt
    busy, reach, rate = in_pipeline(setup, batch), bytes_per_s(setup), flop_per_s(setup)
    weights = weights_bytes(setup, batch * per_step) / reach / per_step
    byte_s = batch * setup.storage.cache / cache_split(setup, batch) / busy / reach / per_step
    flop_s = batch / compute_split(setup, batch) / busy / rate
    linear = FLOP_PER_PARAMETER * (model.met + model.head) * flop_s
    far, near = seen(model, before, steps)
    cache_s = byte_s * (model.cache * far + model.cache_window * near)
    compute_s = linear * steps + flop_s * (model.score * far + model.score_window * near)
    weights_s = weights * steps
    gap = _Line(weights - linear, byte_s * model.cache - flop_s * model.score)
    window = _Line(0.0, byte_s * model.cache_window - flop_s * model.score_window)
    longer = compute_s + _positive(gap, window, model, before, steps)
    memory_s = weights_s + cache_s
    shorter = memory_s + compute_s - longer
    collective_s = coefficients.communication * collectives(setup, batch * per_step)
    collective_s = collective_s * steps / per_step
    overhead_s = coefficients.overhead_s * steps / per_step
    took = longer + coefficients.exposed * shorter + collective_s + overhead_s
    return Pass(weights_s, cache_s, compute_s, collective_s, took)


@dataclass(frozen=True, slots=True)
class _Line:
    """A number that grows with the context n: at + by x n."""

    at: Numbers
    by: Numbers


def _positive(gap: _Line, window: _Line, model: Terms, before: Numbers, steps: Numbers) -> Numbers:
    """Return the sum over the steps of how much longer memory takes than compute, where it does."""
    if not np.any(model.window < NO_WINDOW):
        return _sum_above(gap, before, steps)
    inside = np.clip(model.window - before, 0, steps)
    growing = _Line(gap.at, gap.by + window.by)
    full = _Line(gap.at + window.by * np.minimum(model.window, NO_WINDOW), gap.by)
    return _sum_above(growing, before, inside) + _sum_above(full, before + inside, steps - inside)


def _sum_above(line: _Line, before: Numbers, count: Numbers) -> Numbers:
    """Return the sum of max(0, line(n)) over n = before + 1 ... before + count.

    A straight line is above zero at its beginning or at its end: the sum is a trapezium.
    """
    first, last = line.at + line.by * (before + 1), line.at + line.by * (before + count)
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = np.clip(np.ceil(first / np.abs(line.by)), 0, count)  # falling: steps above zero
        rising = np.clip(np.floor(last / np.abs(line.by)) + 1, 0, count)
    above = np.where(line.by < 0, crossing, rising)
    partly = np.where(
        line.by < 0,
        above * (first + line.by * (above - 1) / 2),
        above * (last - line.by * (above - 1) / 2),
    )
    whole = count * (first + last) / 2
    return np.where(
        (first >= 0) & (last >= 0), whole, np.where((first <= 0) & (last <= 0), 0.0, partly)
    )
