"""The reference case: a dense 70B model on 80 GB parts, every number of it an assumption.

It is what `benchreg sweep` works out when it is asked for nothing else, and what its answer is held
against. Parameters, peaks and links are round numbers; no part of the catalogue is meant.
"""

from dataclasses import replace

from benchreg.roofline.model import NO_WINDOW, Terms
from benchreg.roofline.step import REFERENCE, Coefficients, Storage
from benchreg.roofline.sweep import Grid, Link, Precision

NAME = "70B-GQA-80L"
TPOT_LIMIT_S = 25e-3
CONTEXT = 4096
LAYERS, HEADS, KV_HEADS, HEAD_SIZE = 80, 64, 8, 128

MODEL = Terms(
    stored=70e9,
    head=0.0,
    attention=70e9,
    mlp=0.0,
    experts=0.0,
    total=1.0,
    active=1.0,
    layers=LAYERS,
    sparse_layers=0.0,
    hidden_size=8192.0,
    heads=HEADS,
    kv_heads=KV_HEADS,
    cache=2.0 * LAYERS * KV_HEADS * HEAD_SIZE,
    cache_window=0.0,
    score=4.0 * LAYERS * HEADS * HEAD_SIZE,
    score_window=0.0,
    score_prefill=1.0,
    window=NO_WINDOW,
)
GRID = Grid(
    model=MODEL,
    memory_bytes=80e9,
    bandwidth=3.35e12,
    context=CONTEXT,
    precisions=(
        Precision("bf16", Storage(2.0, 2.0, 2.0), 1000e12),
        Precision("fp8", Storage(1.0, 1.0, 1.0), 2000e12),
    ),
    tensor=(1, 2, 4, 8),
    batch=(1, 8, 16, 32, 64, 96, 128),
    links=(Link("nvlink", 400e9, 3.5e-6), Link("pcie", 16e9, 25e-6)),
    coefficients=REFERENCE,
)


def grid(coefficients: Coefficients) -> Grid:
    """Return the grid of the reference case with other coefficients."""
    return replace(GRID, coefficients=coefficients)
