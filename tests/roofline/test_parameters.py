"""Parameters counted from sizes, by kind of attention and of MLP."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from benchreg.entities.catalogue import Model
from benchreg.registry.registry import Registry
from benchreg.roofline.parameters import UncountedError, parameters

TINY = {
    "id": "tiny",
    "name": "Tiny",
    "family": "tiny",
    "layers": 2,
    "hidden_size": 4,
    "intermediate_size": 10,
    "gated_mlp": False,
    "vocabulary_size": 100,
    "tied_embeddings": True,
}
HEADS = {"heads": 3, "head_dim": 2}
LATENT = {
    "kind": "mla",
    "heads": 3,
    "kv_lora_rank": 5,
    "rope_head_dim": 1,
    "nope_head_dim": 2,
    "value_head_dim": 2,
}
EXPERTS = {"total": 8, "active": 2, "intermediate_size": 6}
EMBEDDING, NORMS, MLP = 100 * 4, (2 * 2 + 1) * 4, 2 * (2 * 4 * 10)


def model(attention: Mapping[str, Any] = HEADS | {"kind": "mha"}, **other: object) -> Model:
    return Model.model_validate(TINY | {"attention": dict(attention)} | other)


@pytest.mark.parametrize(
    ("attention", "of_a_layer"),
    [
        pytest.param(HEADS | {"kind": "mha"}, 4 * (4 * 3 * 2), id="a KV head a head"),
        pytest.param(HEADS | {"kind": "mqa"}, 4 * 2 * (2 * 3 + 2 * 1), id="one KV head"),
        pytest.param(
            HEADS | {"kind": "gqa", "kv_heads": 2}, 4 * 2 * (2 * 3 + 2 * 2), id="groups of heads"
        ),
        pytest.param(
            LATENT, 4 * 9 + 4 * 6 + 5 * (3 * 4) + 5 + 6 * 4, id="latent, the query as it is"
        ),
        pytest.param(
            LATENT | {"q_lora_rank": 7},
            (4 * 7 + 7 * 9 + 7) + 4 * 6 + 5 * (3 * 4) + 5 + 6 * 4,
            id="latent, the query compressed",
        ),
    ],
)
def test_attention_counts_by_its_kind(attention: dict[str, Any], of_a_layer: int) -> None:
    assert parameters(model(attention)).total == EMBEDDING + NORMS + MLP + 2 * of_a_layer


def test_kv_heads_that_differ_by_layer_count_by_their_sum() -> None:
    attention = HEADS | {"kind": "gqa", "kv_heads_total": 3}
    of_all = 4 * 2 * (2 * 2 * 3 + 2 * 3)
    assert parameters(model(attention)).total == EMBEDDING + NORMS + MLP + of_all


def test_an_output_that_is_not_tied_counts_once_more() -> None:
    assert parameters(model(tied_embeddings=False)).total - parameters(model()).total == EMBEDDING


def test_a_gate_is_a_third_matrix() -> None:
    assert parameters(model(gated_mlp=True)).total - parameters(model()).total == 2 * 4 * 10


@pytest.mark.parametrize(
    ("experts", "mlps"),
    [
        pytest.param({}, 2 * (8 * 48 + 32), id="in every layer"),
        pytest.param({"first_dense_layers": 1}, 80 + (8 * 48 + 32), id="after a dense layer"),
        pytest.param({"layer_step": 2}, 80 + (8 * 48 + 32), id="in every second layer"),
        pytest.param({"first_dense_layers": 2}, 2 * 80, id="in no layer"),
        pytest.param({"first_dense_layers": 3}, 2 * 80, id="after more layers than there are"),
        pytest.param({"shared": 1}, 2 * (9 * 48 + 32), id="with a shared one of their size"),
        pytest.param(
            {"shared": 2, "shared_intermediate_size": 5}, 2 * (8 * 48 + 40 + 32), id="shared"
        ),
        pytest.param(
            {"shared": 0, "shared_intermediate_size": 5}, 2 * (8 * 48 + 32), id="none shared"
        ),
    ],
)
def test_experts_count_in_their_layers(experts: dict[str, int], mlps: int) -> None:
    dense = parameters(model()).total - MLP
    assert parameters(model(experts=EXPERTS | experts)).total == dense + mlps


@pytest.mark.parametrize(
    ("attention", "other", "missing"),
    [
        ({"kind": "mha", "head_dim": 2}, {}, "attention.heads"),
        ({"kind": "mla", "heads": 3}, {}, "attention.kv_lora_rank"),
        (HEADS | {"kind": "gqa"}, {}, "attention.kv_heads"),
        (
            HEADS | {"kind": "mha"},
            {"experts": {"total": 8, "active": 2}},
            "experts.intermediate_size",
        ),
    ],
)
def test_a_size_that_is_not_stated_is_named(
    attention: dict[str, Any], other: dict[str, Any], missing: str
) -> None:
    with pytest.raises(UncountedError, match=f"^{missing}$"):
        parameters(model(attention, **other))


def test_every_shipped_model_is_what_its_sizes_come_to(shipped: Registry) -> None:
    apart = {
        one.id: abs(parameters(one).total / (one.parameters_billion * 10**9) - 1)
        for one in shipped.models.values()
        if isinstance(one.parameters_billion, Decimal)
    }
    assert len(apart) >= 100
    assert max(apart.values()) < Decimal("0.03")
    assert sum(one < Decimal("0.01") for one in apart.values()) >= len(apart) - 3
