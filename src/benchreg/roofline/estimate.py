"""How fast a system should be: an estimate for each of many configurations at once.

Three loads. A static batch reads all its prompts, then decodes together. A closed loop keeps a
number of requests in flight: each step carries a token of every sequence that decodes and the
prompt tokens of those that arrive, and Little's law ties the number in flight to rate and latency.
Saturated is a closed loop whose batch is what memory holds.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from benchreg.roofline.figures import Estimate, Found, Load, bottleneck, over, told
from benchreg.roofline.request import decode, prefill
from benchreg.roofline.steady import closed, full
from benchreg.roofline.step import Setup

BLOCK = 16_384  # configurations that are worked on together: what the cache of a core holds


def static_batch(setup: Setup, load: Load) -> Estimate:
    """Return the estimate of a batch that starts and ends together."""
    return _in_blocks(_static, setup, load)


def closed_loop(setup: Setup, load: Load) -> Estimate:
    """Return the estimate of a steady number of requests in flight."""
    return _in_blocks(closed, setup, load)


def saturated(setup: Setup, load: Load) -> Estimate:
    """Return the estimate of as many requests at once as memory holds; the level is ignored."""
    return _in_blocks(full, setup, load)


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
    tpot = over(rest.total_s, steps)
    moved = over(rest.weights_s + rest.cache_s, rest.total_s)
    return told(
        setup,
        load,
        Found(first.total_s, tpot, e2e, 0.0, load.level / e2e, load.level, load.level, moved),
        (bottleneck(first), bottleneck(rest)),
        lengths.cached + lengths.prompt + lengths.output,
    )
