"""Estimates: what must hold of any model, on any part, split and loaded in any way."""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchreg.roofline.estimate import BLOCK, closed_loop, saturated, static_batch
from benchreg.roofline.figures import Estimate, Load, decode_batch, resident
from benchreg.roofline.hardware import Part
from benchreg.roofline.model import Terms
from benchreg.roofline.request import Lengths, decode, prefill
from benchreg.roofline.step import (
    BOTTLENECKS,
    IDEAL,
    REFERENCE,
    Layout,
    Setup,
    Storage,
    memory_bytes,
)

Strategy = st.SearchStrategy[Any]
Form = Callable[[Setup, Load], Estimate]

FORMS: tuple[Form, ...] = (static_batch, closed_loop, saturated)
LATENCIES = ("ttft_s", "tpot_s", "e2e_s")
RATES = ("requests", "output", "output_per_accelerator", "output_per_request")
PART = Part(memory_bytes=10_000.0, bandwidth=1000.0, peak=5000.0, link=200.0, link_latency_s=0.5)

forms = pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)


def on(model: Terms, layout: Layout | None = None) -> Setup:
    return Setup(model, PART, layout or Layout(), Storage(2.0, 2.0, 2.0), IDEAL)


def within(found: float, other: float, slack: float = 1e-9) -> bool:
    return found <= other * (1 + slack)


# A static batch.


def test_a_static_batch_reads_all_prompts_and_then_decodes(tiny: Terms) -> None:
    setup, lengths = on(tiny), Lengths(20.0, 11.0)
    found = static_batch(setup, Load(3.0, lengths))
    first, rest = prefill(setup, 3.0, lengths), decode(setup, 3.0, lengths, 10.0)
    assert found.ttft_s == first.total_s
    assert found.tpot_s == rest.total_s / 10
    assert found.e2e_s == first.total_s + rest.total_s
    assert found.requests == 3 / found.e2e_s
    assert found.output == pytest.approx(3 * 11 / found.e2e_s)
    assert found.output_per_request == pytest.approx(11 / found.e2e_s)
    assert (found.batch, found.concurrency, found.wait_s) == (3, 3, 0)


def test_an_output_of_one_token_has_no_time_for_each_output_token(tiny: Terms) -> None:
    found = static_batch(on(tiny), Load(3.0, Lengths(20.0, 1.0)))
    assert np.isnan(found.tpot_s)
    assert np.isnan(found.decode_per_request)
    assert found.e2e_s == found.ttft_s


@forms
def test_copies_share_the_load_and_double_the_rate(form: Form, tiny: Terms) -> None:
    lengths = Lengths(20.0, 11.0)
    one, two = form(on(tiny), Load(3.0, lengths)), form(on(tiny), Load(6.0, lengths, 2.0))
    assert two.e2e_s == pytest.approx(one.e2e_s)
    assert two.requests == pytest.approx(2 * one.requests)
    assert two.output_per_accelerator == pytest.approx(one.output_per_accelerator)
    assert (two.mbu, two.mfu) == (pytest.approx(one.mbu), pytest.approx(one.mfu))


def test_what_fits_is_told_by_the_longest_context(tiny: Terms) -> None:
    lengths = Lengths(20.0, 11.0, cached=5.0)
    held = memory_bytes(on(tiny), 3.0, 36.0)
    for memory, fits in ((held, True), (held * (1 - 1e-9), False)):
        setup = replace(on(tiny), part=replace(PART, memory_bytes=memory))
        found = static_batch(setup, Load(3.0, lengths))
        assert (found.memory_bytes, bool(found.fits)) == (held, fits)


@pytest.mark.parametrize(
    ("name", "prompt", "changes", "prefill_is", "decode_is"),
    [
        (
            "few tokens",
            1.0,
            {"link": 1e9, "link_latency_s": 0.0},
            "weight_bandwidth",
            "weight_bandwidth",
        ),
        ("a long prompt", 1e4, {"link": 1e9, "link_latency_s": 0.0}, "compute", "kv_bandwidth"),
        ("little arithmetic", 1.0, {"peak": 10.0}, "compute", "compute"),
        ("a slow link", 1.0, {"link": 0.1, "peak": 1e9}, "allreduce_comm", "allreduce_comm"),
    ],
)
def test_each_phase_has_its_bottleneck(
    name: str,
    prompt: float,
    changes: dict[str, float],
    prefill_is: str,
    decode_is: str,
    tiny: Terms,
) -> None:
    setup = replace(
        on(tiny, Layout(tensor=2.0)),
        part=replace(PART, **changes),
        coefficients=replace(IDEAL, communication=1.0),
    )
    found = static_batch(setup, Load(4.0, Lengths(prompt, 11.0)))
    assert BOTTLENECKS[int(found.prefill_bottleneck)] == prefill_is, name
    assert BOTTLENECKS[int(found.decode_bottleneck)] == decode_is, name


# A closed loop.


def test_requests_in_flight_decode_for_their_share_of_life() -> None:
    assert decode_batch(10.0, 100.0, 1.0, 0.03) == pytest.approx(10 * 3 / 4)
    assert decode_batch(10.0, 100.0, 0.0, 0.03) == 10


@pytest.mark.parametrize("level", [1.0, 3.0, 6.0])
def test_a_step_of_a_closed_loop_carries_the_prompts_that_arrive(level: float, tiny: Terms) -> None:
    found = closed_loop(on(tiny), Load(level, Lengths(20.0, 11.0)))
    batch, contexts = max(float(found.batch), 1.0), sum(range(21, 31))
    moved = 900 * 2 + batch * 8 * contexts / 10 * 2
    prompt = 2 * 800 * 20 + 2 * 100 + 16 * 210
    flop = batch * (2 * 900 + 16 * contexts / 10 + prompt / 10)
    step_s = max(moved / 1000, flop / 5000)
    alone_s = max(900 * 2 / 1000, prompt / 5000)
    assert found.tpot_s == pytest.approx(step_s, rel=1e-5)
    assert found.ttft_s == pytest.approx(alone_s + step_s, rel=1e-5)
    assert found.e2e_s == pytest.approx(alone_s + 11 * step_s, rel=1e-5)
    assert found.batch == pytest.approx(level * 10 * step_s / (alone_s + 11 * step_s), rel=1e-5)


@pytest.mark.parametrize("form", [static_batch, closed_loop])
def test_bandwidth_and_arithmetic_are_told_as_shares_of_their_peaks(
    form: Form, tiny: Terms
) -> None:
    assumed = replace(IDEAL, memory_efficiency=0.5, compute_efficiency=0.25, overhead_s=0.1)
    found = form(replace(on(tiny), coefficients=assumed), Load(3.0, Lengths(20.0, 11.0)))
    batch, contexts = max(float(found.batch), 1.0), sum(range(21, 31))
    moved = 900 * 2 + batch * 8 * contexts / 10 * 2
    flop = 2 * 800 * 20 + 2 * 100 + 16 * 210 + 10 * 2 * 900 + 16 * contexts
    assert found.mbu == pytest.approx(moved / 1000 / float(found.tpot_s), rel=1e-5)
    assert found.mfu == pytest.approx(float(found.requests) * flop / 5000, rel=1e-5)


@forms
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_little_s_law_holds(
    form: Form, data: st.DataObject, setups: Strategy, loads: Strategy
) -> None:
    found = form(data.draw(setups), data.draw(loads))
    assert found.requests * found.e2e_s == pytest.approx(found.concurrency, rel=1e-5)
    if form is not static_batch:
        decoding = found.requests * (found.e2e_s - found.ttft_s)
        assert decoding == pytest.approx(found.batch, rel=1e-5)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_more_decode_at_once_than_are_in_flight_or_fit(
    data: st.DataObject, setups: Strategy, loads: Strategy
) -> None:
    setup, load = data.draw(setups), data.draw(loads)
    found = closed_loop(setup, load)
    room = max(float(resident(setup, load.lengths)), 1.0) * load.replicas
    assert within(found.batch, min(load.level, room))
    assert found.wait_s >= 0


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_requests_beyond_what_memory_holds_wait_and_change_nothing_else(
    data: st.DataObject, setups: Strategy, loads: Strategy
) -> None:
    setup, load = data.draw(setups), data.draw(loads)
    full = saturated(setup, load)
    most = float(full.concurrency)
    beyond = closed_loop(setup, replace(load, level=3 * most))
    assert beyond.batch == pytest.approx(full.batch, rel=1e-5)
    assert beyond.requests == pytest.approx(full.requests, rel=1e-5)
    assert beyond.tpot_s == pytest.approx(full.tpot_s, rel=1e-5)
    assert beyond.wait_s == pytest.approx(2 * most / full.requests, rel=1e-4)
    assert beyond.ttft_s == pytest.approx(full.ttft_s + beyond.wait_s, rel=1e-4)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), more=st.integers(0, 500))
def test_more_in_flight_yield_no_less(
    data: st.DataObject, setups: Strategy, loads: Strategy, more: int
) -> None:
    setup, load = data.draw(setups), data.draw(loads)
    few, many = closed_loop(setup, load), closed_loop(setup, replace(load, level=load.level + more))
    assert within(few.requests, many.requests, 1e-5)
    assert within(few.e2e_s, many.e2e_s, 1e-5)


# Saturated.


def test_a_saturated_copy_holds_what_fits_with_half_of_each_output_written(tiny: Terms) -> None:
    setup, lengths = on(tiny), Lengths(20.0, 11.0, cached=4.0)
    one = 8 * (4 + 20 + 11 / 2) * 2
    assert resident(setup, lengths) == (10_000 - 2000) // one
    assert saturated(setup, Load(1.0, lengths, 3.0)).batch == 3 * ((10_000 - 2000) // one)


def test_where_not_even_the_weights_fit_nothing_is_resident(tiny: Terms) -> None:
    small = replace(on(tiny), part=replace(PART, memory_bytes=1999.0))
    assert resident(small, Lengths(20.0, 11.0)) == 0
    assert not saturated(small, Load(1.0, Lengths(20.0, 11.0))).fits


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_what_is_saturated_fits_where_one_sequence_of_each_split_does(
    data: st.DataObject, setups: Strategy, loads: Strategy
) -> None:
    setup, load = data.draw(setups), data.draw(loads)
    found = saturated(setup, load)
    if resident(setup, load.lengths) >= setup.layout.attention_data:
        assert found.fits
        assert found.memory_bytes <= setup.part.memory_bytes


# All of them.


@forms
@settings(max_examples=60, deadline=None)
@given(data=st.data(), name=st.sampled_from(("bandwidth", "peak", "link")), times=st.floats(1, 16))
def test_a_faster_part_is_never_slower(
    form: Form,
    data: st.DataObject,
    setups: Strategy,
    loads: Strategy,
    name: str,
    times: float,
) -> None:
    setup, load = data.draw(setups), data.draw(loads)
    faster = replace(setup.part, **{name: getattr(setup.part, name) * times})
    slow, fast = form(setup, load), form(replace(setup, part=faster), load)
    for latency in LATENCIES:
        # in a closed loop, prompts that are read sooner leave more sequences for decode at once
        if form is not closed_loop or latency != "tpot_s":
            before, after = getattr(slow, latency), getattr(fast, latency)
            assert np.isnan(before) or within(after, before, 1e-5), latency
    if form is not saturated:
        for rate in RATES:
            assert within(getattr(slow, rate), getattr(fast, rate), 1e-5), rate


@forms
@settings(max_examples=60, deadline=None)
@given(
    data=st.data(),
    name=st.sampled_from(("memory_efficiency", "compute_efficiency", "exposed", "overhead_s")),
)
def test_a_better_coefficient_is_never_slower(
    form: Form, data: st.DataObject, setups: Strategy, loads: Strategy, name: str
) -> None:
    setup, load = data.draw(setups), data.draw(loads)
    ideal = replace(setup.coefficients, **{name: getattr(IDEAL, name)})
    slow, fast = form(setup, load), form(replace(setup, coefficients=ideal), load)
    assert within(fast.e2e_s, slow.e2e_s, 1e-5)
    assert within(slow.requests, fast.requests, 1e-5)


@forms
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_more_of_the_peaks_is_used_than_is_reached(
    form: Form, data: st.DataObject, setups: Strategy, loads: Strategy
) -> None:
    setup = data.draw(setups)
    found = form(setup, data.draw(loads))
    assert np.isnan(found.mbu) or 0 <= found.mbu <= setup.coefficients.memory_efficiency + 1e-9
    assert 0 <= found.mfu <= setup.coefficients.compute_efficiency + 1e-9


@forms
@settings(max_examples=30, deadline=None)
@given(data=st.data(), count=st.integers(2, 12))
def test_many_configurations_at_once_are_each_alone(
    form: Form,
    data: st.DataObject,
    count: int,
    setups: Strategy,
    loads: Strategy,
    together: Callable[..., tuple[Setup, Load]],
    rows: Callable[..., list[dict[str, float]]],
) -> None:
    coefficients = data.draw(setups).coefficients
    many = [
        (replace(data.draw(setups), coefficients=coefficients), data.draw(loads))
        for _ in range(count)
    ]
    found = rows(form(*together(many)), count)
    for row, (setup, load) in zip(found, many, strict=True):
        alone = form(setup, load)
        for name, value in row.items():
            assert value == pytest.approx(float(getattr(alone, name)), rel=1e-9, nan_ok=True), name


@forms
def test_more_configurations_than_a_block_are_each_alone(form: Form, tiny: Terms) -> None:
    count = 2 * BLOCK + 3
    level = np.linspace(1, 500, count)
    prompt = np.linspace(2000, 1, count)
    setup = replace(
        on(tiny, Layout(tensor=2.0)),
        part=replace(PART, memory_bytes=np.linspace(1e4, 1e7, count)),
        coefficients=REFERENCE,
    )
    found = form(setup, Load(level, Lengths(prompt, 100.0)))
    assert {len(getattr(found, field.name)) for field in fields(Estimate)} == {count}
    for place in (0, 1, BLOCK - 1, BLOCK, 2 * BLOCK, count - 1):
        one = replace(setup, part=setup.part.take(place))
        alone = form(one, Load(float(level[place]), Lengths(float(prompt[place]), 100.0)))
        for field in fields(Estimate):
            assert getattr(found, field.name)[place] == pytest.approx(
                float(getattr(alone, field.name)), rel=1e-9
            ), field.name


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_experts_that_every_token_meets_are_a_dense_model(
    data: st.DataObject, setups: Strategy, loads: Strategy
) -> None:
    setup, load = data.draw(setups), data.draw(loads)
    layout = replace(setup.layout, attention_data=1.0, expert=1.0)
    model = replace(setup.model, active=setup.model.total)
    dense = replace(
        model,
        mlp=model.mlp + model.experts,
        experts=0.0,
        total=1.0,
        active=1.0,
        sparse_layers=0.0,
    )
    for form in FORMS:
        one, other = (
            form(replace(setup, model=terms, layout=layout), load) for terms in (model, dense)
        )
        for field in fields(Estimate):
            found, expected = getattr(one, field.name), getattr(other, field.name)
            assert float(found) == pytest.approx(float(expected), rel=1e-6, nan_ok=True), field.name
