"""The bound: no estimate beats it, whatever is assumed."""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchreg.roofline.bound import Bound, Point, bound
from benchreg.roofline.estimate import closed_loop, saturated, static_batch
from benchreg.roofline.figures import Estimate, Load, resident
from benchreg.roofline.hardware import Part
from benchreg.roofline.model import Terms
from benchreg.roofline.request import Lengths, prefill_flop
from benchreg.roofline.step import IDEAL, Layout, Setup, Storage

Strategy = st.SearchStrategy[Any]
Form = Callable[[Setup, Load], Estimate]
Pointed = Callable[..., Point]

LEAST = ("ttft_s", "tpot_s", "e2e_s")
MOST = ("requests", "decoded", "prompted")
FORMS: list[tuple[Form, dict[str, Any]]] = [
    (static_batch, {"static": True}),
    (closed_loop, {}),
    (saturated, {"batch": np.inf}),
]


def point(**changes: Any) -> Point:
    """Return a point of one tiny part, with 3 sequences of 20 and 11 tokens."""
    known = Point(
        memory=10_000.0,
        bandwidth=1000.0,
        peak=5000.0,
        prefill_bandwidth=1000.0,
        prefill_peak=5000.0,
        apart=False,
        replicas=1.0,
        pipeline=1.0,
        weight_bytes=2.0,
        cache_bytes=2.0,
        batch=3.0,
        static=True,
        prompt=20.0,
        before=0.0,
        output=11.0,
        tokens_per_step=1.0,
    )
    return replace(known, **changes)


def no_slower(fast: Bound, slow: Bound, slack: float = 1e-9) -> list[str]:
    """Return in what the first is beaten by the second."""
    return [
        name
        for name in (*LEAST, *MOST)
        for one, other in [(getattr(fast, name), getattr(slow, name))]
        if not np.all(one <= other * (1 + slack) if name in LEAST else one >= other * (1 - slack))
    ]


# Worked out by hand.


def step_s(batch: float, context: float, tiny: Terms) -> float:
    moved = 900 * 2 + batch * float(tiny.cache) * context * 2
    return max(moved / 1000, batch * (2 * 900 + float(tiny.score) * context) / 5000)


def prefill_s(prompts: float) -> float:
    return max(900 * 2 / 1000, prompts * (2 * 800 * 20 + 2 * 100 + 16 * 210) / 5000)


def test_a_static_batch_takes_its_prompts_and_its_steps(tiny: Terms) -> None:
    found = bound(tiny, point())
    steps = sum(step_s(3, 20 + n, tiny) for n in range(1, 11))
    assert found.ttft_s == pytest.approx(prefill_s(1))
    assert found.tpot_s == pytest.approx(steps / 10)
    assert found.e2e_s == pytest.approx(prefill_s(3) + steps)
    assert found.requests == pytest.approx(3 / (prefill_s(3) + steps))
    assert found.decoded == pytest.approx(30 / steps)
    assert found.prompted == pytest.approx(20 / (prefill_s(1)))
    assert found.batch == 3


def test_sequences_in_flight_overlap_and_share_the_weights(tiny: Terms) -> None:
    found = bound(tiny, point(static=False))
    alone = sum(step_s(1, 20 + n, tiny) for n in range(1, 11))
    contexts = sum(range(21, 31))
    memory_s = (900 * 2 * 10 / 3 + 8 * contexts * 2) / 1000
    flop = 2 * 800 * 20 + 2 * 100 + 16 * 210 + 2 * 900 * 10 + 16 * contexts
    assert found.e2e_s == pytest.approx(prefill_s(1) + alone)
    assert found.requests == pytest.approx(1 / max(memory_s, flop / 5000))
    assert found.decoded == pytest.approx(30 / sum(step_s(3, 20 + n, tiny) for n in range(1, 11)))


@pytest.mark.parametrize(
    ("case", "split", "batch", "reads"),
    [
        ("one copy", {}, 4.0, 1 / 4),
        ("copies that each read for their own", {"replicas": 2.0}, 4.0, 2 / 4),
        ("stages that are full", {"pipeline": 2.0}, 4.0, 2 / 4),
        ("stages that wait for one another", {"pipeline": 4.0}, 2.0, 4 / 2),
        ("copies without a request", {"replicas": 4.0}, 2.0, 1.0),
    ],
)
def test_requests_take_the_weights_as_often_as_the_split_says(
    case: str, split: dict[str, float], batch: float, reads: float, tiny: Terms
) -> None:
    found = bound(tiny, point(static=False, batch=batch, peak=1e9, prefill_peak=1e9, **split))
    moved = 900 * 2 * 10 * reads + 8 * sum(range(21, 31)) * 2
    assert found.requests == pytest.approx(1000 / moved), case


def test_memory_holds_so_many_sequences_with_half_of_their_output_written(tiny: Terms) -> None:
    one = 8 * (20 + 11 / 2) * 2
    for batch in (1e6, np.inf):
        assert bound(tiny, point(batch=batch, static=False)).batch == (10_000 - 2000) / one


def test_without_a_memory_nothing_but_the_load_says_how_many_run(tiny: Terms) -> None:
    assert bound(tiny, point(memory=np.inf)).batch == 3
    assert bound(tiny, point(memory=np.inf, batch=np.inf)).batch > 1e6


def test_where_not_even_the_weights_fit_one_sequence_runs(tiny: Terms) -> None:
    found = bound(tiny, point(memory=1999.0))
    assert found.batch == 1
    assert found.needed_bytes == 2000 + 8 * 31 * 2
    assert found.resident_bytes == 2000 + 3 * 8 * 31 * 2


@pytest.mark.parametrize(
    ("case", "batch", "in_turns"),
    [
        ("to its end, just", 8000 / (8 * 31 * 2) - 0.01, False),
        ("half written, and not to its end", 8000 / (8 * 31 * 2) + 0.01, True),
        ("not at all", 1e4, True),
    ],
)
def test_a_static_batch_that_does_not_fit_to_its_end_runs_in_turns(
    case: str, batch: float, tiny: Terms, *, in_turns: bool
) -> None:
    many, flowing = (bound(tiny, point(batch=batch, static=static)) for static in (True, False))
    assert (no_slower(many, flowing) == []) == in_turns, case
    assert no_slower(flowing, many) == [], case


def test_a_chunk_has_just_begun_anew(tiny: Terms) -> None:
    chunked = replace(tiny, cache_window=8.0, score_window=16.0, window=64.0, chunked=1.0)
    found, expected = bound(chunked, point()), bound(tiny, point())
    assert no_slower(found, expected) == no_slower(expected, found) == []


def test_a_latent_cache_is_multiplied_as_whole_heads(tiny: Terms) -> None:
    latent, whole = replace(tiny, score_prefill=0.25), replace(tiny, score=4.0)
    found, expected = bound(latent, point()), bound(whole, point())
    assert no_slower(found, expected) == no_slower(expected, found) == []


def test_the_tokens_of_a_step_pick_the_same_experts(tiny: Terms) -> None:
    sparse = replace(tiny, stored=1800.0, experts=800.0, total=8.0, active=2.0, sparse_layers=2.0)
    dense = replace(tiny, mlp=tiny.mlp + 200)
    found, expected = (bound(model, point(memory=1e9)) for model in (sparse, dense))
    assert no_slower(found, expected) == no_slower(expected, found) == []


def test_prompts_of_no_known_length_cost_what_each_token_meets(tiny: Terms) -> None:
    assert bound(tiny, point(prompt=0.0)).prompted == 5000 / (2 * 800)


def test_pools_apart_take_prompts_and_decode_at_the_same_time(tiny: Terms) -> None:
    changes = {"static": False, "batch": np.inf, "peak": 500.0, "prefill_peak": 500.0}
    same, apart = (bound(tiny, point(apart=one, **changes)) for one in (False, True))
    assert apart.requests == pytest.approx(1 / max(apart.compute_s, apart.prompt_s))
    assert same.requests == pytest.approx(1 / (apart.compute_s + apart.prompt_s))


def test_a_pool_that_reads_prompts_decides_the_first_token_alone(tiny: Terms) -> None:
    slow, fast = (bound(tiny, point(prefill_peak=peak, apart=True)) for peak in (5e3, 5e6))
    assert fast.ttft_s == 900 * 2 / 1000 < slow.ttft_s
    assert (fast.tpot_s, fast.decoded) == (slow.tpot_s, slow.decoded)


# What must hold of anything.


@pytest.mark.parametrize(("form", "changes"), FORMS, ids=[form.__name__ for form, _ in FORMS])
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_no_estimate_is_faster(
    form: Form,
    changes: dict[str, Any],
    data: st.DataObject,
    setups: Strategy,
    loads: Strategy,
    bounded_as: Pointed,
) -> None:
    setup, load = data.draw(setups), data.draw(loads)
    found, limits = form(setup, load), bound(setup.model, bounded_as(setup, load, **changes))
    if found.fits:
        slow = [name for name in LEAST if getattr(limits, name) > getattr(found, name) * (1 + 1e-9)]
        assert slow == []
        assert limits.requests >= found.requests * (1 - 1e-5)


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_no_copy_holds_more_sequences(
    data: st.DataObject, setups: Strategy, loads: Strategy, bounded_as: Pointed
) -> None:
    setup, load = data.draw(setups), data.draw(loads)
    limits = bound(setup.model, bounded_as(setup, load, batch=np.inf))
    assert limits.batch >= min(float(resident(setup, load.lengths)) * load.replicas, 1e7)


@settings(max_examples=100, deadline=None)
@given(
    data=st.data(),
    name=st.sampled_from(("memory", "bandwidth", "peak", "prefill_bandwidth", "prefill_peak")),
    times=st.floats(1, 16),
    static=st.booleans(),
)
def test_a_faster_or_larger_part_is_never_slower(
    data: st.DataObject,
    setups: Strategy,
    loads: Strategy,
    bounded_as: Pointed,
    name: str,
    times: float,
    *,
    static: bool,
) -> None:
    setup, load = data.draw(setups), data.draw(loads)
    known = bounded_as(setup, load, static=False if name == "memory" else static)
    more = replace(known, **{name: getattr(known, name) * times})
    assert no_slower(bound(setup.model, more), bound(setup.model, known)) == []


@settings(max_examples=100, deadline=None)
@given(
    data=st.data(),
    name=st.sampled_from(("weight_bytes", "cache_bytes", "before", "prompt")),
    times=st.floats(0, 1),
)
def test_smaller_numbers_and_shorter_contexts_are_never_slower(
    data: st.DataObject,
    setups: Strategy,
    loads: Strategy,
    bounded_as: Pointed,
    name: str,
    times: float,
) -> None:
    setup, load = data.draw(setups), data.draw(loads)
    known = bounded_as(setup, load)
    less = replace(known, **{name: getattr(known, name) * times})
    if name in ("before", "prompt"):
        less = replace(less, **{name: np.floor(getattr(less, name))})
    beaten = no_slower(bound(setup.model, less), bound(setup.model, known))
    assert set(beaten) <= ({"prompted"} if name in ("prompt", "before") else set())


@settings(max_examples=100, deadline=None)
@given(data=st.data(), name=st.sampled_from(("replicas", "pipeline")), static=st.booleans())
def test_one_copy_in_one_stage_is_never_slower(
    data: st.DataObject,
    setups: Strategy,
    loads: Strategy,
    bounded_as: Pointed,
    name: str,
    *,
    static: bool,
) -> None:
    setup, load = data.draw(setups), data.draw(loads)
    known = bounded_as(setup, load, static=static, memory=np.inf)
    assert (
        no_slower(bound(setup.model, replace(known, **{name: 1.0})), bound(setup.model, known))
        == []
    )


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_a_load_without_a_batch_of_its_own_is_never_slower(
    data: st.DataObject, setups: Strategy, loads: Strategy, bounded_as: Pointed
) -> None:
    setup, load = data.draw(setups), data.draw(loads)
    known, free = bounded_as(setup, load, static=True), bounded_as(setup, load, batch=np.inf)
    flowing = replace(known, static=False)
    assert no_slower(bound(setup.model, flowing), bound(setup.model, known)) == []
    assert no_slower(bound(setup.model, free), bound(setup.model, flowing)) == []


@settings(max_examples=30, deadline=None)
@given(data=st.data(), count=st.integers(2, 12))
def test_many_points_at_once_are_each_alone(
    data: st.DataObject,
    count: int,
    setups: Strategy,
    loads: Strategy,
    bounded_as: Pointed,
    rows: Callable[..., list[dict[str, float]]],
) -> None:
    many = [(data.draw(setups), data.draw(loads), data.draw(st.booleans())) for _ in range(count)]
    points = [bounded_as(setup, load, static=static) for setup, load, static in many]
    models = Terms.stack([setup.model for setup, _, _ in many])
    found = rows(bound(models, Point.stack(points)), count)
    for row, (setup, _, _), one in zip(found, many, points, strict=True):
        alone = bound(setup.model, one)
        for field in fields(Bound):
            expected = float(getattr(alone, field.name))
            assert row[field.name] == pytest.approx(expected, rel=1e-9), field.name


def test_a_setup_with_nothing_lost_is_as_fast_as_its_bound(
    tiny: Terms, bounded_as: Pointed
) -> None:
    setup = Setup(tiny, Part(1e5, 1e3, 5e3), Layout(), Storage(2.0, 2.0, 2.0), IDEAL)
    load = Load(3.0, Lengths(20.0, 11.0))
    found, limits = static_batch(setup, load), bound(tiny, bounded_as(setup, load, static=True))
    assert limits.e2e_s == pytest.approx(found.e2e_s)
    assert limits.tpot_s == pytest.approx(found.tpot_s)
    assert limits.requests == pytest.approx(found.requests)


def test_the_prompt_tokens_of_a_second_are_those_that_the_arithmetic_allows(tiny: Terms) -> None:
    lengths = Lengths(20.0, 11.0)
    assert bound(tiny, point()).prompted == pytest.approx(20 * 5000 / prefill_flop(tiny, lengths))
