"""Whole requests: closed forms are the plain sums of their steps."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchreg.roofline.hardware import Part
from benchreg.roofline.model import NO_WINDOW, Terms
from benchreg.roofline.request import (
    Lengths,
    _Line,
    _sum_above,
    decode,
    decode_flop,
    prefill,
    prefill_flop,
    seen,
)
from benchreg.roofline.step import IDEAL, Layout, Setup, Storage, decode_step

Strategy = st.SearchStrategy[Any]

PART = Part(memory_bytes=1e6, bandwidth=1000.0, peak=5000.0, link=200.0, link_latency_s=0.5)
COUNTS = st.integers(0, 300)


def on(model: Terms, layout: Layout | None = None) -> Setup:
    return Setup(model, PART, layout or Layout(), Storage(2.0, 2.0, 2.0), IDEAL)


# Positions.


def counted(before: int, count: int, window: float) -> tuple[float, float]:
    """Count the positions that each of some tokens sees, one token after the other."""
    contexts = range(before + 1, before + count + 1)
    return float(sum(contexts)), float(sum(min(context, window) for context in contexts))


@given(before=COUNTS, count=COUNTS, window=st.integers(1, 400))
def test_the_positions_that_tokens_see_are_counted(
    before: int, count: int, window: int, tiny: Terms
) -> None:
    far, near = seen(replace(tiny, window=float(window)), float(before), float(count))
    assert (far, near) == counted(before, count, window)


def test_without_a_window_every_layer_sees_all(tiny: Terms) -> None:
    far, near = seen(tiny, 5.0, 3.0)
    assert far == near == 6 + 7 + 8


# Sums of straight lines.


@given(
    at=st.integers(-2000, 2000),
    by=st.integers(-20, 20),
    before=COUNTS,
    count=COUNTS,
)
def test_what_is_above_zero_of_a_line_is_summed(at: int, by: int, before: int, count: int) -> None:
    found = _sum_above(_Line(float(at), float(by)), float(before), float(count))
    plain = sum(max(0, at + by * n) for n in range(before + 1, before + count + 1))
    assert found == pytest.approx(plain, abs=1e-6)


def test_many_lines_are_summed_at_once() -> None:
    line = _Line(np.array([10.0, -10.0, 5.0, -5.0, 0.0]), np.array([-3.0, 3.0, 0.0, 0.0, 0.0]))
    assert _sum_above(line, 0.0, 5.0).tolist() == [7 + 4 + 1, 2 + 5, 25, 0, 0]


# Prompts.


def test_a_prompt_meets_all_parameters_but_only_its_last_token_the_head(tiny: Terms) -> None:
    lengths = Lengths(prompt=5.0, output=1.0)
    assert prefill_flop(tiny, lengths) == 2 * 800 * 5 + 2 * 100 + 16 * (1 + 2 + 3 + 4 + 5)


def test_a_prompt_after_a_cached_one_sees_it_and_does_not_compute_it(tiny: Terms) -> None:
    lengths = Lengths(prompt=2.0, output=1.0, cached=3.0)
    assert prefill_flop(tiny, lengths) == 2 * 800 * 2 + 2 * 100 + 16 * (4 + 5)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), cached=COUNTS, prompt=COUNTS)
def test_a_prompt_in_two_chunks_is_the_prompt_and_one_more_head(
    data: st.DataObject, models: Strategy, cached: int, prompt: int
) -> None:
    model = data.draw(models)
    whole = prefill_flop(model, Lengths(float(cached + prompt), 1.0))
    first = prefill_flop(model, Lengths(float(cached), 1.0))
    second = prefill_flop(model, Lengths(float(prompt), 1.0, cached=float(cached)))
    assert first + second == pytest.approx(whole + 2 * model.head)


def test_prompts_of_a_pass_share_the_weights(tiny: Terms) -> None:
    lengths = Lengths(prompt=5.0, output=1.0)
    one, three = (prefill(on(tiny), prompts, lengths) for prompts in (1.0, 3.0))
    assert three.weights_s == one.weights_s == 900 * 2 / 1000
    assert three.compute_s == pytest.approx(3 * one.compute_s)
    assert one.total_s == max(one.weights_s, one.compute_s)


@pytest.mark.parametrize(("prompts", "times"), [(1, 1), (2, 5 / 4), (4, 7 / 4), (400, 403 / 4)])
def test_a_pipeline_of_four_fills_and_drains_around_its_prompts(
    prompts: int, times: float, tiny: Terms
) -> None:
    lengths = Lengths(prompt=50.0, output=1.0)
    alone = prefill(on(tiny), 1.0, lengths).compute_s
    staged = prefill(on(tiny, Layout(pipeline=4.0)), float(prompts), lengths).compute_s
    assert staged == pytest.approx(alone * times)


def test_prompts_of_an_attention_group_fill_its_pipeline_alone(tiny: Terms) -> None:
    lengths = Lengths(prompt=50.0, output=1.0)
    grouped = prefill(on(tiny, Layout(pipeline=4.0, attention_data=2.0)), 6.0, lengths)
    group = prefill(on(tiny, Layout(pipeline=4.0)), 3.0, lengths)
    assert grouped.compute_s == pytest.approx(group.compute_s)


# Decode.


def stepped(setup: Setup, batch: float, before: int, steps: int) -> float:
    """Sum the steps one after the other."""
    contexts = range(before + 1, before + steps + 1)
    return float(sum(decode_step(setup, batch, float(context)).total_s for context in contexts))


def test_a_request_of_one_token_has_no_step(tiny: Terms) -> None:
    found = decode(on(tiny), 3.0, Lengths(5.0, 1.0), 0.0)
    assert (found.weights_s, found.cache_s, found.compute_s, found.total_s) == (0, 0, 0, 0)


@settings(max_examples=120, deadline=None)
@given(
    data=st.data(),
    batch=st.integers(1, 300),
    before=COUNTS,
    steps=st.integers(1, 40),
)
def test_decode_is_the_sum_of_its_steps(
    data: st.DataObject, setups: Strategy, batch: int, before: int, steps: int
) -> None:
    setup = data.draw(setups)
    lengths = Lengths(prompt=float(before), output=steps + 1.0)
    found = decode(setup, float(batch), lengths, float(steps))
    assert found.total_s == pytest.approx(stepped(setup, float(batch), before, steps), rel=1e-9)


@pytest.mark.parametrize(
    ("case", "before", "window", "cached", "scored"),
    [
        ("from compute to memory", 0, NO_WINDOW, 8.0, 4.0),
        ("from memory to compute", 0, NO_WINDOW, 1.0, 40.0),
        ("before the window is full", 0, 150.0, 8.0, 4.0),
        ("when the window is full", 120, 150.0, 4.0, 2.0),
        ("after the window is full", 190, 150.0, 8.0, 4.0),
    ],
)
def test_steps_are_summed_over_the_point_where_memory_and_compute_cross(
    case: str, before: int, window: float, cached: float, scored: float, tiny: Terms
) -> None:
    windowed = 0.0 if window == NO_WINDOW else cached
    model = replace(
        tiny,
        cache=cached,
        cache_window=windowed,
        score=scored,
        score_window=0.0 if window == NO_WINDOW else scored,
        window=window,
    )
    middle = decode_step(on(model), 2.0, before + 50.0)
    crossing = replace(
        PART, peak=PART.peak * float(middle.compute_s / (middle.weights_s + middle.cache_s))
    )
    setup = replace(on(model), part=crossing)
    ends = [decode_step(setup, 2.0, before + n) for n in (1.0, 100.0)]
    longer = [one.weights_s + one.cache_s > one.compute_s for one in ends]
    assert longer[0] != longer[1], case
    found = decode(setup, 2.0, Lengths(float(before), 101.0), 100.0)
    assert found.total_s == pytest.approx(stepped(setup, 2.0, before, 100)), case
    assert found.total_s > max(found.weights_s + found.cache_s, found.compute_s), case


@settings(max_examples=60, deadline=None)
@given(data=st.data(), steps=st.integers(1, 40), before=COUNTS)
def test_the_operations_of_decode_are_those_of_its_steps(
    data: st.DataObject, models: Strategy, steps: int, before: int
) -> None:
    setup = replace(on(data.draw(models)), part=replace(PART, peak=1.0))
    contexts = range(before + 1, before + steps + 1)
    plain = sum(float(decode_step(setup, 1.0, float(n)).compute_s) for n in contexts)
    found = decode_flop(setup.model, Lengths(float(before), steps + 1.0), float(steps))
    assert found == pytest.approx(plain)


def test_a_step_that_yields_several_tokens_reads_once_for_them(tiny: Terms) -> None:
    alone, several = (
        decode(on(tiny, Layout(tensor=2.0)), 3.0, Lengths(5.0, 13.0, tokens_per_step=each), 12.0)
        for each in (1.0, 3.0)
    )
    assert several.weights_s == pytest.approx(alone.weights_s / 3)
    assert several.cache_s == pytest.approx(alone.cache_s / 3)
    assert several.compute_s == pytest.approx(alone.compute_s)


def test_a_step_that_yields_several_tokens_costs_its_overhead_and_latency_once(
    tiny: Terms,
) -> None:
    setup = replace(on(tiny, Layout(tensor=2.0)), coefficients=replace(IDEAL, overhead_s=7.0))
    lengths = Lengths(5.0, 13.0, tokens_per_step=3.0)
    free = replace(setup, coefficients=IDEAL)
    took, base = (decode(one, 3.0, lengths, 12.0).total_s for one in (setup, free))
    assert took - base == pytest.approx(4 * 7.0)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), batch=st.integers(1, 300), steps=st.integers(1, 1000))
def test_more_tokens_for_a_step_are_never_slower(
    data: st.DataObject, setups: Strategy, batch: int, steps: int
) -> None:
    setup = replace(data.draw(setups), coefficients=IDEAL)
    one, more = (
        decode(setup, float(batch), Lengths(100.0, steps + 1.0, 0.0, each), float(steps)).total_s
        for each in (1.0, 2.5)
    )
    assert more <= one * (1 + 1e-12)


@settings(max_examples=60, deadline=None)
@given(
    data=st.data(),
    before=COUNTS,
    steps=st.integers(0, 200),
    part=st.floats(0, 1),
)
def test_a_mean_length_lies_between_whole_ones(
    data: st.DataObject, setups: Strategy, before: int, steps: int, part: float
) -> None:
    setup = data.draw(setups)
    least, between, most = (
        decode(setup, 8.0, Lengths(float(before), count + 1), count).total_s
        for count in (float(steps), steps + part, steps + 1.0)
    )
    assert least * (1 - 1e-9) <= between <= most * (1 + 1e-9)
