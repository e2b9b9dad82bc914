"""What a model costs: by kind of attention, with windows and with experts."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations, product
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchreg.entities.catalogue import Model
from benchreg.registry.registry import Registry
from benchreg.roofline.model import NO_WINDOW, Terms, terms
from benchreg.roofline.parameters import UncountedError, parameters

LAYERS = 4
SMALL = {
    "id": "small",
    "name": "Small",
    "family": "small",
    "layers": LAYERS,
    "hidden_size": 8,
    "intermediate_size": 10,
    "gated_mlp": True,
    "vocabulary_size": 100,
    "tied_embeddings": False,
}
HEADS = {"kind": "gqa", "heads": 6, "kv_heads": 2, "head_dim": 16}
LATENT = {
    "kind": "mla",
    "heads": 6,
    "kv_lora_rank": 512,
    "rope_head_dim": 64,
    "nope_head_dim": 128,
    "value_head_dim": 128,
}
EXPERTS = {"total": 8, "active": 2, "intermediate_size": 6}


def small(attention: Mapping[str, Any] = HEADS, **other: Any) -> Terms:
    return terms(Model.model_validate(SMALL | {"attention": dict(attention)} | other))


@pytest.mark.parametrize(
    ("case", "attention", "cached", "kv_heads"),
    [
        ("a KV head a head", {"kind": "mha", "heads": 6, "head_dim": 16}, 2 * 6 * 16, 6),
        ("groups of heads", HEADS, 2 * 2 * 16, 2),
        ("one KV head", {"kind": "mqa", "heads": 6, "head_dim": 16}, 2 * 1 * 16, 1),
        ("latent", LATENT, 512 + 64, 1),
    ],
)
def test_a_layer_caches_the_keys_and_values_of_a_token(
    case: str, attention: dict[str, Any], cached: int, kv_heads: int
) -> None:
    model = small(attention)
    assert (model.cache, model.cache_window, model.kv_heads) == (LAYERS * cached, 0, kv_heads), case


def test_layers_with_other_kv_heads_cache_their_sum() -> None:
    model = small({"kind": "gqa", "heads": 6, "kv_heads_total": 9, "head_dim": 16})
    assert (model.cache, model.kv_heads) == (2 * 9 * 16, 2)


def test_a_token_is_scored_against_each_position_by_each_head() -> None:
    model = small()
    assert (model.score, model.score_prefill) == (LAYERS * 4 * 6 * 16, 1.0)


def test_a_latent_cache_is_scored_as_it_is_and_a_prompt_with_whole_heads() -> None:
    model = small(LATENT)
    assert model.score == LAYERS * 2 * 6 * (512 + 64 + 512)
    assert model.score * model.score_prefill == pytest.approx(LAYERS * 2 * 6 * (128 + 64 + 128))


@pytest.mark.parametrize(
    ("case", "window", "full", "windowed", "seen"),
    [
        ("none", {}, 4, 0, NO_WINDOW),
        ("on all layers", {"sliding_window": 128}, 0, 4, 128),
        ("on some layers", {"sliding_window": 128, "sliding_layers": 3}, 1, 3, 128),
        ("that begins anew, half of it", {"sliding_window": 128, "chunked": True}, 0, 4, 64),
        ("that slides", {"sliding_window": 128, "chunked": False}, 0, 4, 128),
        ("on more than there are", {"sliding_window": 128, "sliding_layers": 9}, 0, 4, 128),
    ],
)
def test_a_window_is_of_its_layers(
    case: str, window: dict[str, Any], full: int, windowed: int, seen: float
) -> None:
    model = small(HEADS | window)
    one, score = 2 * 2 * 16, 4 * 6 * 16
    assert (model.cache, model.cache_window) == (full * one, windowed * one), case
    assert (model.score, model.score_window) == (full * score, windowed * score), case
    assert model.window == seen, case


def test_each_parameter_is_of_one_kind() -> None:
    model = small(experts=EXPERTS | {"shared": 1, "first_dense_layers": 1})
    table, expert = 100 * 8, 3 * 8 * 6
    assert model.head == table
    assert model.attention == LAYERS * 2 * 16 * 8 * (6 + 2) + (2 * LAYERS + 1) * 8
    assert model.experts == 3 * 8 * expert
    assert model.mlp == 3 * 8 * 10 + 3 * 8 * 8 + 3 * expert
    assert model.stored == 2 * table + model.attention + model.mlp + model.experts
    assert (model.total, model.active, model.sparse_layers) == (8, 2, 3)


def test_a_table_that_is_tied_is_stored_once() -> None:
    assert small().stored - small(tied_embeddings=True).stored == small().head


def test_every_shipped_model_stores_what_it_reads_and_its_embedding(shipped: Registry) -> None:
    assert len(shipped.models) > 100
    for model in shipped.models.values():
        found, table = terms(model), parameters(model).table
        embedding = 0 if model.tied_embeddings else table
        read = found.head + found.attention + found.mlp + found.experts
        assert found.stored == pytest.approx(read + embedding), model.id
        assert found.met <= found.attention + found.mlp + found.experts, model.id


@pytest.mark.parametrize(
    ("attention", "other", "missing"),
    [
        ({"kind": "mha", "heads": 6}, {}, "attention.head_dim"),
        ({"kind": "mla", "heads": 6}, {}, "attention.kv_lora_rank"),
        (HEADS, {"experts": {"total": 8, "active": 2}}, "experts.intermediate_size"),
    ],
)
def test_a_size_that_is_not_stated_is_named(
    attention: dict[str, Any], other: dict[str, Any], missing: str
) -> None:
    with pytest.raises(UncountedError, match=f"^{missing}$"):
        small(attention, **other)


def test_a_model_without_attention_is_not_counted() -> None:
    with pytest.raises(UncountedError, match=r"^attention$"):
        terms(Model.model_validate(SMALL))


# Experts.


def picked_by_chance(total: int, active: int, tokens: int) -> float:
    """Return the mean number of distinct experts over every way in which tokens can pick."""
    ways = product(combinations(range(total), active), repeat=tokens)
    return fmean(len(set().union(*way)) for way in ways)


@pytest.mark.parametrize(
    ("total", "active", "tokens"),
    [(4, 1, 1), (4, 1, 5), (4, 2, 1), (4, 2, 2), (4, 2, 4), (5, 3, 3), (6, 1, 4), (3, 3, 2)],
)
def test_tokens_touch_as_many_experts_as_all_ways_to_pick_do_on_the_mean(
    total: int, active: int, tokens: int
) -> None:
    model = replace(
        small(experts=EXPERTS), total=float(total), active=float(active), experts=total * 10.0
    )
    expected = picked_by_chance(total, active, tokens) * 10
    assert model.touched(float(tokens), fewest=False) == pytest.approx(expected)


@pytest.mark.parametrize("tokens", [1.0, 7.0, 1e6])
def test_at_the_very_fewest_all_tokens_pick_the_same_experts(tokens: float) -> None:
    model = small(experts=EXPERTS)
    assert model.touched(tokens, fewest=True) == model.experts * 2 / 8


def test_many_tokens_touch_all_experts() -> None:
    model = small(experts=EXPERTS)
    assert model.touched(1e6, fewest=False) == pytest.approx(model.experts)


def test_less_than_one_token_is_one() -> None:
    model = small(experts=EXPERTS)
    assert model.touched(0.0, fewest=False) == pytest.approx(model.experts * 2 / 8)


@settings(max_examples=100, deadline=None)
@given(
    total=st.integers(1, 512),
    share=st.floats(0, 1),
    tokens=st.integers(1, 10_000),
    more=st.integers(0, 10_000),
)
def test_more_tokens_touch_no_fewer_experts(
    total: int, share: float, tokens: int, more: int
) -> None:
    active = float(max(1, int(total * share)))
    model = replace(small(experts=EXPERTS), total=float(total), active=active)
    few, many = model.touched(np.array([tokens, tokens + more], float), fewest=False)
    assert model.touched(float(tokens), fewest=True) <= few * (1 + 1e-12)
    assert few <= many <= model.experts


def test_experts_that_every_token_meets_are_a_dense_mlp() -> None:
    sparse = small(experts=EXPERTS | {"active": 8})
    for tokens in (1.0, 100.0):
        for fewest in (True, False):
            assert sparse.touched(tokens, fewest=fewest) == pytest.approx(sparse.experts)
    assert sparse.met == sparse.attention + sparse.mlp + sparse.experts
