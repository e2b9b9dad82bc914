"""Models, parts, splits and loads that nobody built, drawn for the properties."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from benchreg.roofline.arrays import Struct
from benchreg.roofline.bound import Point
from benchreg.roofline.figures import Load
from benchreg.roofline.hardware import Part
from benchreg.roofline.model import NO_WINDOW, Terms
from benchreg.roofline.request import Lengths
from benchreg.roofline.step import Coefficients, Layout, Setup, Storage

Strategy = st.SearchStrategy[Any]


def one_of(*numbers: float) -> st.SearchStrategy[float]:
    return st.sampled_from([float(number) for number in numbers])


def whole(least: int, most: int) -> st.SearchStrategy[float]:
    return st.integers(least, most).map(float)


@st.composite
def _models(draw: st.DrawFn) -> Terms:
    """Draw a model: of any kind of attention; dense or experts; windows, chunks or neither."""
    layers, width = draw(one_of(1, 2, 7, 32, 80)), draw(one_of(64, 1024, 8192))
    heads, size = draw(one_of(1, 8, 64)), draw(one_of(64, 128))
    kind = draw(st.sampled_from(("mha", "gqa", "mqa", "mla")))
    kv_heads = {"mha": heads, "gqa": max(1.0, heads / 8)}.get(kind, 1.0)
    cache, score, prefill = 2 * kv_heads * size, 4 * heads * size, 1.0
    if kind == "mla":
        cache, score = 576.0, 2 * heads * (2 * 512 + 64)
        prefill = (128 + 64 + 128) / (2 * 512 + 64)
    windowed = draw(one_of(0, layers // 2, layers))
    total = draw(one_of(1, 1, 8, 64))
    active = draw(whole(1, int(min(total, 8))))
    experts = 0.0 if total == 1 else layers * total * 3 * width * 512
    attention, mlp = 2 * layers * width**2, draw(one_of(0, 8)) * layers * width**2
    head = width * draw(one_of(1000, 128_000))
    return Terms(
        stored=attention + mlp + experts + head * draw(one_of(1, 2)),
        head=head,
        attention=attention,
        mlp=mlp,
        experts=experts,
        total=total,
        active=active,
        layers=layers,
        sparse_layers=layers if experts else 0.0,
        hidden_size=width,
        heads=heads,
        kv_heads=kv_heads,
        cache=(layers - windowed) * cache,
        cache_window=windowed * cache,
        score=(layers - windowed) * score,
        score_window=windowed * score,
        score_prefill=prefill,
        window=draw(one_of(1, 128, 4096)) if windowed else NO_WINDOW,
        chunked=draw(one_of(0, 1)) if windowed else 0.0,
    )


@st.composite
def _parts(draw: st.DrawFn) -> Part:
    """Draw a part; its arithmetic is at least 20 operations for each byte, as behind any DRAM."""
    bandwidth = draw(st.floats(5e10, 2e13))
    return Part(
        memory_bytes=draw(st.floats(1e9, 3e11)),
        bandwidth=bandwidth,
        peak=bandwidth * draw(st.floats(20, 2000)),
        link=draw(st.floats(1e9, 1e12)),
        link_latency_s=draw(st.floats(0, 1e-4)),
    )


@st.composite
def _storages(draw: st.DrawFn) -> Storage:
    weight = draw(one_of(0.5, 0.5625, 1, 2))
    return Storage(weight, draw(one_of(weight, 2)), draw(one_of(0.5, 1, 2)))


MODELS: st.SearchStrategy[Terms] = _models()
PARTS: st.SearchStrategy[Part] = _parts()
STORAGES: st.SearchStrategy[Storage] = _storages()
LAYOUTS = st.builds(
    Layout,
    tensor=one_of(1, 1, 2, 8),
    pipeline=one_of(1, 1, 2, 4),
    context=one_of(1, 1, 2),
    attention_data=one_of(1, 1, 2, 8),
    expert=one_of(1, 1, 2, 8),
)
COEFFICIENTS = st.builds(
    Coefficients,
    memory_efficiency=st.floats(0.05, 1),
    compute_efficiency=st.floats(0.05, 1),
    exposed=st.floats(0, 1),
    overhead_s=st.floats(0, 1e-2),
    reserved_bytes=st.floats(0, 5e9),
    communication=st.floats(0, 1),
)
LENGTHS = st.builds(
    Lengths,
    prompt=whole(0, 20_000),
    output=whole(1, 4000),
    cached=one_of(0, 0, 100, 10_000),
    tokens_per_step=one_of(1, 1, 1.7, 4),
)
LOADS = st.builds(Load, level=whole(1, 2048), lengths=LENGTHS, replicas=one_of(1, 1, 2, 4))
SETUPS = st.builds(Setup, MODELS, PARTS, LAYOUTS, STORAGES, COEFFICIENTS)


@pytest.fixture(scope="session")
def models() -> Strategy:
    """Terms of models of every kind of attention, with and without experts and windows."""
    return MODELS


@pytest.fixture(scope="session")
def parts() -> Strategy:
    """Parts."""
    return PARTS


@pytest.fixture(scope="session")
def lengths() -> Strategy:
    """What requests bring and take."""
    return LENGTHS


@pytest.fixture(scope="session")
def setups() -> Strategy:
    """Models on parts, split in some way, with any coefficients."""
    return SETUPS


@pytest.fixture(scope="session")
def loads() -> Strategy:
    """Loads of a system."""
    return LOADS


@pytest.fixture(scope="session")
def tiny() -> Terms:
    """A model of two layers whose every term can be worked out by hand."""
    return Terms(
        stored=1000.0,
        head=100.0,
        attention=300.0,
        mlp=500.0,
        experts=0.0,
        total=1.0,
        active=1.0,
        layers=2.0,
        sparse_layers=0.0,
        hidden_size=10.0,
        heads=4.0,
        kv_heads=2.0,
        cache=8.0,
        cache_window=0.0,
        score=16.0,
        score_window=0.0,
        score_prefill=1.0,
        window=NO_WINDOW,
    )


@pytest.fixture(scope="session")
def bounded_as() -> Any:
    """A function: the operating point of a setup and a load, nothing of it unknown."""
    return _point


def _point(setup: Setup, load: Load, **changes: Any) -> Point:
    layout, part, lengths = setup.layout, setup.part, load.lengths
    count = layout.accelerators * load.replicas
    point = Point(
        memory=count * part.memory_bytes,
        bandwidth=count * part.bandwidth,
        peak=count * part.peak,
        prefill_bandwidth=count * part.bandwidth,
        prefill_peak=count * part.peak,
        apart=False,
        replicas=load.replicas,
        pipeline=layout.pipeline,
        weight_bytes=np.minimum(setup.storage.weight, setup.storage.head),
        cache_bytes=setup.storage.cache,
        batch=load.level,
        static=False,
        prompt=lengths.prompt,
        before=lengths.cached,
        output=lengths.output,
        tokens_per_step=lengths.tokens_per_step,
    )
    return replace(point, **changes)


@pytest.fixture(scope="session")
def together() -> Any:
    """A function: many setups and loads of equal coefficients as one of arrays."""
    return _together


def _together(many: list[tuple[Setup, Load]]) -> tuple[Setup, Load]:
    first = many[0][0]
    kinds = ("model", "part", "layout", "storage")
    stacked: dict[str, Any] = {
        kind: _stack([getattr(setup, kind) for setup, _ in many]) for kind in kinds
    }
    lengths = _stack([load.lengths for _, load in many])
    level, replicas = (
        np.array([getattr(load, name) for _, load in many]) for name in ("level", "replicas")
    )
    return replace(first, **stacked), Load(level, lengths, replicas)


def _stack(many: list[Any]) -> Any:
    return type(many[0]).stack(many)


@pytest.fixture(scope="session")
def rows() -> Any:
    """A function: each row of what is made of arrays, as numbers by their names."""
    return _rows


def _rows(found: Struct, count: int) -> list[dict[str, float]]:
    columns = {
        field.name: np.broadcast_to(getattr(found, field.name), count).tolist()
        for field in fields(found)
    }
    return [{name: column[row] for name, column in columns.items()} for row in range(count)]
