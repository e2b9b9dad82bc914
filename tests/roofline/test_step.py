"""One decode step: what each accelerator reads, does and sends, worked out by hand."""

from dataclasses import astuple, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchreg.roofline.hardware import Part
from benchreg.roofline.model import Terms
from benchreg.roofline.step import (
    BOTTLENECKS,
    IDEAL,
    Coefficients,
    Layout,
    Setup,
    Storage,
    all_reduce,
    collectives,
    decode_step,
    held_weights,
    memory_bytes,
    sequence_bytes,
    weights_bytes,
)

Strategy = st.SearchStrategy[Any]

PART = Part(memory_bytes=1e6, bandwidth=1000.0, peak=5000.0, link=200.0, link_latency_s=0.5)
TWO_BYTES = Storage(2.0, 2.0, 2.0)
BATCHES = [1.0, 2.0, 3.0, 8.0, 1000.0]


def on(model: Terms, layout: Layout | None = None, coefficients: Coefficients = IDEAL) -> Setup:
    return Setup(model, PART, layout or Layout(), TWO_BYTES, coefficients)


def in_experts(tiny: Terms) -> Terms:
    """Return the tiny model with 8 experts in each of its layers, of which a token meets 2."""
    return replace(tiny, experts=800.0, total=8.0, active=2.0, sparse_layers=2.0)


# What one accelerator reads and does, all alone.


def test_weights_are_read_once_for_all_sequences(tiny: Terms) -> None:
    for batch in BATCHES:
        assert decode_step(on(tiny), batch, 10.0).weights_s == (100 + 300 + 500) * 2 / 1000


def test_each_sequence_reads_its_own_cache(tiny: Terms) -> None:
    assert decode_step(on(tiny), 3.0, 10.0).cache_s == 3 * 8 * 10 * 2 / 1000


def test_each_sequence_is_multiplied_and_scored(tiny: Terms) -> None:
    assert decode_step(on(tiny), 3.0, 10.0).compute_s == 3 * (2 * 900 + 16 * 10) / 5000


def test_a_window_bounds_what_is_read_and_scored(tiny: Terms) -> None:
    windowed = replace(tiny, cache_window=8.0, score_window=16.0, window=4.0)
    step = decode_step(on(windowed), 1.0, 10.0)
    assert step.cache_s == 8 * (10 + 4) * 2 / 1000
    assert step.compute_s == (2 * 900 + 16 * (10 + 4)) / 5000


def test_the_head_may_have_a_format_of_its_own(tiny: Terms) -> None:
    setup = replace(on(tiny), storage=Storage(0.5, 2.0, 1.0))
    assert weights_bytes(setup, 1.0) == 100 * 2 + 800 * 0.5
    assert decode_step(setup, 1.0, 10.0).cache_s == 8 * 10 * 1 / 1000


@pytest.mark.parametrize(
    ("case", "exposed", "total"),
    [("the longer hides the shorter", 0.0, 2.5), ("half of it", 0.5, 3.0), ("none", 1.0, 3.5)],
)
def test_memory_and_compute_hide_one_another(
    case: str, exposed: float, total: float, tiny: Terms
) -> None:
    part = replace(PART, bandwidth=(900 * 2 + 8 * 10 * 2) / 2.5, peak=(2 * 900 + 16 * 10) / 1.0)
    setup = replace(on(tiny, coefficients=replace(IDEAL, exposed=exposed)), part=part)
    assert decode_step(setup, 1.0, 10.0).total_s == pytest.approx(total), case


def test_coefficients_are_shares_of_the_peaks_and_a_time_for_each_step(tiny: Terms) -> None:
    ideal = decode_step(on(tiny, Layout(tensor=2.0)), 2.0, 10.0)
    assumed = replace(
        IDEAL, memory_efficiency=0.5, compute_efficiency=0.25, communication=0.5, overhead_s=7.0
    )
    step = decode_step(on(tiny, Layout(tensor=2.0), assumed), 2.0, 10.0)
    assert step.weights_s == ideal.weights_s / 0.5
    assert step.cache_s == ideal.cache_s / 0.5
    assert step.compute_s == ideal.compute_s / 0.25
    longest = max(step.weights_s + step.cache_s, step.compute_s)
    assert step.total_s == longest + step.collective_s + 7.0
    assert step.collective_s == 0.5 * collectives(on(tiny, Layout(tensor=2.0)), 2.0) > 0


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("weight_bandwidth", {"bandwidth": 1.0, "peak": 1e9}),
        ("kv_bandwidth", {"bandwidth": 1.0, "peak": 1e9, "batch": 100.0}),
        ("compute", {"bandwidth": 1e9, "peak": 1.0}),
        ("allreduce_comm", {"bandwidth": 1e9, "peak": 1e9, "link": 1.0}),
    ],
)
def test_the_bottleneck_is_what_takes_longest(
    name: str, changes: dict[str, float], tiny: Terms
) -> None:
    batch = changes.pop("batch", 1.0)
    setup = replace(
        on(tiny, Layout(tensor=2.0), replace(IDEAL, communication=1.0)),
        part=replace(PART, **changes),
    )
    assert BOTTLENECKS[int(decode_step(setup, batch, 10.0).bottleneck)] == name


# Experts.


@pytest.mark.parametrize(("batch", "touched"), [(1.0, 2), (2.0, 3.5), (1e6, 8)])
def test_a_step_reads_the_experts_that_its_tokens_touch(
    batch: float, touched: float, tiny: Terms
) -> None:
    setup = on(in_experts(tiny), coefficients=Coefficients())
    assert weights_bytes(setup, batch) == pytest.approx((900 + touched * 100) * 2)
    assert weights_bytes(replace(setup, coefficients=IDEAL), batch) == (900 + 2 * 100) * 2


def test_a_token_is_multiplied_with_its_own_experts_alone(tiny: Terms) -> None:
    assert decode_step(on(in_experts(tiny)), 1.0, 0.0).compute_s == 2 * (900 + 200) / 5000


# Splits.


@pytest.mark.parametrize(
    ("case", "layout", "weights", "cache", "compute"),
    [
        ("one", Layout(), 900 + 1600, 8, 1),
        ("tensor, up to the KV heads", Layout(tensor=2.0), 450 + 800, 4, 2),
        ("tensor, beyond the KV heads", Layout(tensor=8.0), 112.5 + 200, 4, 8),
        ("context", Layout(context=2.0), 400 + 250 + 800, 4, 2),
        ("attention data", Layout(attention_data=2.0), 400 + 250 + 800, 4, 2),
        ("experts overlay the others", Layout(tensor=2.0, expert=2.0), 450 + 800, 4, 2),
        ("pipeline, one sequence for each stage", Layout(pipeline=4.0), 900 + 1600, 2, 4),
    ],
)
def test_a_split_shares_out_what_it_can(
    case: str, layout: Layout, weights: float, cache: float, compute: float, tiny: Terms
) -> None:
    model = replace(in_experts(tiny), experts=1600.0, active=8.0)
    step = decode_step(on(model, layout), 8.0, 10.0)
    assert step.weights_s == pytest.approx(weights * 2 / 1000), case
    assert step.cache_s == pytest.approx(8 * cache * 10 * 2 / 1000), case
    assert step.compute_s == pytest.approx(8 * (2 * 2500 + 160) / 5000 / compute), case


def test_attention_data_shares_out_no_more_than_there_are_sequences(tiny: Terms) -> None:
    split = on(tiny, Layout(attention_data=8.0))
    assert decode_step(split, 1.0, 10.0).cache_s == decode_step(on(tiny), 1.0, 10.0).cache_s
    assert decode_step(split, 8.0, 10.0).cache_s == decode_step(on(tiny), 1.0, 10.0).cache_s


def test_a_latent_cache_is_whole_on_every_accelerator(tiny: Terms) -> None:
    latent = replace(tiny, kv_heads=1.0)
    one, eight = (
        decode_step(on(latent, Layout(tensor=ways)), 4.0, 10.0).cache_s for ways in (1.0, 8.0)
    )
    assert one == eight


def test_a_pipeline_is_no_faster_for_one_sequence(tiny: Terms) -> None:
    alone, staged = on(tiny), on(tiny, Layout(pipeline=4.0))
    for context in (1.0, 100.0):
        assert astuple(decode_step(staged, 1.0, context)) == astuple(
            decode_step(alone, 1.0, context)
        )


def test_an_attention_group_fills_the_pipeline_with_its_own_sequences_alone(tiny: Terms) -> None:
    grouped = on(tiny, Layout(pipeline=4.0, attention_data=2.0))
    for own in (1.0, 2.0, 8.0):
        found, group = (
            decode_step(setup, batch, 10.0)
            for setup, batch in ((grouped, 2 * own), (on(tiny, Layout(pipeline=4.0)), own))
        )
        assert (found.cache_s, found.compute_s) == (group.cache_s, group.compute_s)


@settings(max_examples=50, deadline=None)
@given(data=st.data(), stages=st.integers(2, 8), each=st.integers(1, 64))
def test_a_full_pipeline_yields_what_as_many_copies_do(
    data: st.DataObject, models: Strategy, stages: int, each: int
) -> None:
    alone = on(data.draw(models))
    staged = replace(alone, layout=Layout(pipeline=float(stages)))
    batch = float(stages * each)
    copy, pipeline = decode_step(alone, float(each), 100.0), decode_step(staged, batch, 100.0)
    assert batch / pipeline.total_s == pytest.approx(stages * each / copy.total_s)


# Communication.


@pytest.mark.parametrize(
    ("group", "seconds"),
    [
        (1.0, 0.0),
        (2.0, 2 * 1 / 2 * 800 / 200 + 0.5),
        (4.0, 2 * 3 / 4 * 800 / 200 + 0.5),
        (8.0, 2 * 7 / 8 * 800 / 200 + 0.5),
    ],
)
def test_a_ring_sends_each_part_of_the_message_all_but_once_twice(
    group: float, seconds: float
) -> None:
    assert all_reduce(PART, group, 800.0) == pytest.approx(seconds)


def test_a_group_of_one_sends_nothing_even_over_a_link_that_nobody_knows() -> None:
    alone = replace(PART, link=np.inf, link_latency_s=0.0)
    assert all_reduce(alone, np.array([1.0, 2.0]), 800.0).tolist() == [0.0, 0.0]


MESSAGE = 6 * 10 * 2  # bytes of six tokens


@pytest.mark.parametrize(
    ("case", "layout", "seconds"),
    [
        ("one", Layout(), 0),
        ("two all-reduces a layer", Layout(tensor=4.0), 2 * 2 * (1.5 * MESSAGE / 200 + 0.5)),
        ("over the context, two as well", Layout(context=2.0), 2 * 2 * (MESSAGE / 200 + 0.5)),
        (
            "over the groups of attention data, the tokens of all before the MLP",
            Layout(attention_data=2.0),
            2 * (MESSAGE / 200 + 0.5),
        ),
        (
            "each group of attention data its own tokens",
            Layout(tensor=4.0, attention_data=2.0),
            2 * 2 * (1.5 * MESSAGE / 2 / 200 + 0.5) + 2 * (MESSAGE / 200 + 0.5),
        ),
        (
            "a hand-over at each stage, of its share",
            Layout(pipeline=3.0),
            3 * (MESSAGE / 3 / 200 + 0.5),
        ),
    ],
)
def test_a_step_of_six_tokens_sends_for_its_split(
    case: str, layout: Layout, seconds: float, tiny: Terms
) -> None:
    assert collectives(on(tiny, layout), 6.0) == pytest.approx(seconds), case


@pytest.mark.parametrize(
    ("case", "layout", "attention", "sent"),
    [
        ("within tensor parallelism", Layout(tensor=2.0, expert=2.0), MESSAGE, MESSAGE / 2),
        ("over attention data", Layout(attention_data=3.0, expert=3.0), 0, MESSAGE / 3 * 4 / 3),
        ("over attention data alone", Layout(attention_data=3.0), 0, MESSAGE / 3 * 4 / 3),
        (
            "over more accelerators than a token has experts",
            Layout(tensor=8.0, expert=8.0),
            2 * 7 / 8 * MESSAGE,
            MESSAGE / 8 * 2 * 7 / 8,
        ),
    ],
)
def test_tokens_are_sent_to_their_experts_and_back(
    case: str, layout: Layout, attention: float, sent: float, tiny: Terms
) -> None:
    reduced = 2 * (attention / 200 + 0.5) if attention else 0
    there_and_back = 2 * 2 * (sent / 200 + 0.5)
    found = collectives(on(in_experts(tiny), layout), 6.0)
    assert found == pytest.approx(reduced + there_and_back), case


def test_experts_that_are_split_as_an_mlp_end_as_one(tiny: Terms) -> None:
    for layout in (Layout(tensor=4.0), Layout(context=2.0), Layout(pipeline=3.0)):
        sparse, dense = (collectives(on(model, layout), 6.0) for model in (in_experts(tiny), tiny))
        assert sparse == dense


# Memory.


@pytest.mark.parametrize(
    ("case", "layout", "held"),
    [
        ("one", Layout(), 1000),
        ("tensor", Layout(tensor=2.0), 500),
        ("pipeline", Layout(pipeline=4.0), 250),
        ("both", Layout(tensor=2.0, pipeline=2.0), 250),
        ("attention data repeats attention and tables", Layout(attention_data=2.0), 250 + 500),
        ("context repeats them too", Layout(context=5.0), 100 + 500),
    ],
)
def test_an_accelerator_holds_its_part_of_the_weights(
    case: str, layout: Layout, held: float, tiny: Terms
) -> None:
    assert held_weights(on(tiny, layout)) == held * 2, case


@pytest.mark.parametrize(
    ("case", "layout", "batch", "share"),
    [
        ("one", Layout(), 3.0, 1),
        ("tensor", Layout(tensor=2.0), 3.0, 2),
        ("tensor, beyond the KV heads", Layout(tensor=8.0), 3.0, 2),
        ("pipeline", Layout(pipeline=4.0), 3.0, 4),
        ("context", Layout(context=2.0), 3.0, 2),
        ("attention data", Layout(attention_data=2.0), 3.0, 2),
        ("attention data of one sequence", Layout(attention_data=2.0), 1.0, 1),
    ],
)
def test_an_accelerator_holds_its_part_of_a_sequence(
    case: str, layout: Layout, batch: float, share: int, tiny: Terms
) -> None:
    setup = on(tiny, layout)
    assert sequence_bytes(setup, batch, 10.0) == 8 * 10 * 2 / share, case
    held = held_weights(setup) + batch * 8 * 10 * 2 / share
    assert memory_bytes(setup, batch, 10.0) == held, case


def test_what_is_reserved_is_held_too(tiny: Terms) -> None:
    setup = on(tiny, coefficients=replace(IDEAL, reserved_bytes=77.0))
    assert memory_bytes(setup, 1.0, 10.0) == 2000 + 160 + 77


@settings(max_examples=100, deadline=None)
@given(
    data=st.data(),
    batch=st.integers(1, 500),
    more=st.integers(0, 500),
    context=st.integers(0, 20_000),
    longer=st.integers(0, 20_000),
)
def test_memory_and_time_grow_with_batch_and_with_context(
    data: st.DataObject, setups: Strategy, batch: int, more: int, context: int, longer: int
) -> None:
    setup = data.draw(setups)
    grown = [(batch, context), (batch + more, context), (batch + more, context + longer)]
    sizes = [float(memory_bytes(setup, float(b), float(n))) for b, n in grown]
    times = [float(decode_step(setup, float(b), float(n)).total_s) for b, n in grown]
    assert sizes[0] <= sizes[1] * (1 + 1e-12)
    assert sizes[1] <= sizes[2]
    assert times[0] <= times[1] * (1 + 1e-12)
    assert times[1] <= times[2]
