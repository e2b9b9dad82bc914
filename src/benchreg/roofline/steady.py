"""Steady state: requests come as others leave, and prompts join the steps of those that decode."""

from dataclasses import dataclass, replace

import numpy as np

from benchreg.roofline.arrays import Numbers
from benchreg.roofline.figures import (
    Estimate,
    Found,
    Load,
    bottleneck,
    decode_batch,
    resident,
    told,
)
from benchreg.roofline.model import FLOP_PER_PARAMETER
from benchreg.roofline.request import Lengths, Pass, prefill, prefill_flop, seen
from benchreg.roofline.step import (
    Setup,
    bytes_per_s,
    cache_split,
    collectives,
    compute_split,
    flop_per_s,
    in_pipeline,
    total,
    weights_bytes,
)

MOST_ROUNDS, AGREED = 60, 1e-6  # in which a closed loop finds its batch, and how closely


def closed(setup: Setup, load: Load) -> Estimate:
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
        asked = np.minimum(most, decode_batch(load.level, mixed.steps, ttft_s, step_s))
        agreed = np.abs(asked - batch) <= AGREED * asked
        batch, found = np.where(found, batch, asked), found | agreed
        if np.all(found):
            break
    return _steady(load, mixed, batch)


def full(setup: Setup, load: Load) -> Estimate:
    """Return the estimate of a batch that fills memory; its concurrency follows."""
    mixed = _Mixed.of(setup, load.lengths)
    room = np.maximum(resident(setup, load.lengths), 1) * load.replicas
    step_s = mixed.step(room / load.replicas).total_s
    share = 1 + (mixed.alone.total_s + step_s) / (mixed.steps * step_s)
    return _steady(replace(load, level=room * share), mixed, room + 0 * step_s)


def _steady(load: Load, mixed: "_Mixed", batch: Numbers) -> Estimate:
    """Return the estimate of a batch in steady state; who finds no place in it waits."""
    lengths, setup = load.lengths, mixed.setup
    step = mixed.step(np.maximum(batch / load.replicas, 1))
    ttft_s, after_s = mixed.alone.total_s + step.total_s, mixed.steps * step.total_s
    rate = batch / after_s
    wait_s = np.maximum(load.level / rate - ttft_s - after_s, 0)
    wait_s = np.where(wait_s > AGREED * after_s, wait_s, 0.0)
    moved = (step.weights_s + step.cache_s) / step.total_s
    return told(
        setup,
        load,
        Found(
            ttft_s + wait_s,
            step.total_s,
            ttft_s + wait_s + after_s,
            wait_s,
            rate,
            batch,
            load.level,
            moved,
        ),
        (bottleneck(mixed.alone), bottleneck(step)),
        lengths.cached + lengths.prompt + lengths.output / 2,
    )


@dataclass(frozen=True, slots=True)
class _Mixed:
    """A step of steady state: a token of each sequence, and the prompts that arrive meanwhile.

    A request decodes for `steps` tokens after its first one (at least one), so that for each of
    them prompt / steps tokens of prompts go in. `alone` is the prefill of one prompt; `cached` the
    bytes and `flop` the operations of one sequence and token.
    """

    setup: Setup
    lengths: Lengths
    steps: Numbers
    alone: Pass
    cached: Numbers
    flop: Numbers

    @classmethod
    def of(cls, setup: Setup, lengths: Lengths) -> "_Mixed":
        """Return what does not depend on the batch."""
        model = setup.model
        before, steps = lengths.cached + lengths.prompt, np.maximum(lengths.output - 1, 1)
        far, near = (seen_by / steps for seen_by in seen(model, before, steps))
        score = model.score * far + model.score_window * near
        flop = FLOP_PER_PARAMETER * (model.met + model.head) + score
        return cls(
            setup,
            lengths,
            steps,
            prefill(setup, 1.0, lengths),
            (model.cache * far + model.cache_window * near) * setup.storage.cache,
            flop + prefill_flop(model, lengths) / steps,
        )

    def step(self, batch: Numbers) -> Pass:
        """Return the step of a batch of each copy, for one token of each sequence."""
        setup, per_step = self.setup, self.lengths.tokens_per_step
        coefficients, busy = setup.coefficients, in_pipeline(setup, batch)
        tokens = batch * per_step * (1 + self.lengths.prompt / self.steps)
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
