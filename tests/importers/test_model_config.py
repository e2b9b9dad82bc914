"""The sizes of a model are those of its configuration, under whatever names it has them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchreg.entities.catalogue import Model
from benchreg.importers.model_config import Config, fields, sizes
from benchreg.importers.statement import RunError
from benchreg.registry.registry import Registry

DECODER = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 100}


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        pytest.param(
            {"d_model": 64, "n_layers": 2, "n_heads": 4, "vocab_size": 100, "expansion_ratio": 4,
             "model_type": "mpt", "max_seq_len": 2048},
            {"layers": 2, "hidden_size": 64, "intermediate_size": 256, "gated_mlp": False,
             "vocabulary_size": 100, "context_limit": 2048,
             "attention": {"kind": "mha", "heads": 4, "kv_heads": 4, "head_dim": 16}},
            id="MPT",
        ),
        pytest.param(
            {**DECODER, "multi_query": True, "model_type": "falcon"},
            {"layers": 2, "hidden_size": 64, "gated_mlp": False, "vocabulary_size": 100,
             "attention": {"kind": "mqa", "heads": 4, "kv_heads": 1, "head_dim": 16}},
            id="multi-query",
        ),
        pytest.param(
            {**DECODER, "num_local_experts": 8, "num_experts_per_tok": 2,
             "intermediate_size": 128},
            {"layers": 2, "hidden_size": 64, "vocabulary_size": 100,
             "attention": {"kind": "mha", "heads": 4, "kv_heads": 4, "head_dim": 16},
             "experts": {"total": 8, "active": 2, "intermediate_size": 128}},
            id="experts alone",
        ),
        pytest.param(
            {**DECODER, "sliding_window": 32, "head_dim": 8,
             "layer_types": ["sliding_attention", "full_attention"]},
            {"layers": 2, "hidden_size": 64, "vocabulary_size": 100,
             "attention": {"kind": "mha", "heads": 4, "kv_heads": 4, "head_dim": 8,
                           "sliding_window": 32, "sliding_layers": 1}},
            id="a window",
        ),
        pytest.param(
            {**DECODER, "sliding_window": 32, "use_sliding_window": False},
            {"layers": 2, "hidden_size": 64, "vocabulary_size": 100,
             "attention": {"kind": "mha", "heads": 4, "kv_heads": 4, "head_dim": 16}},
            id="a window that is off",
        ),
        pytest.param(
            {"text_config": DECODER, "vision_config": {"hidden_size": 1}},
            {"layers": 2, "hidden_size": 64, "vocabulary_size": 100,
             "attention": {"kind": "mha", "heads": 4, "kv_heads": 4, "head_dim": 16}},
            id="the text tower",
        ),
    ],
)  # fmt: skip
def test_families_name_their_sizes_differently(
    config: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert sizes(config) == expected


def test_a_latent_attention_has_its_own_sizes() -> None:
    latent = {"kv_lora_rank": 8, "q_lora_rank": 16, "qk_rope_head_dim": 4, "qk_nope_head_dim": 8,
              "v_head_dim": 8}  # fmt: skip
    assert sizes({**DECODER, **latent})["attention"] == {
        "kind": "mla", "heads": 4, "kv_lora_rank": 8, "q_lora_rank": 16, "rope_head_dim": 4,
        "nope_head_dim": 8, "value_head_dim": 8,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("tree", "told"),
    [
        (None, "is no configuration"),
        ([], "is no configuration"),
        ({}, "it has no layers"),
        ({**DECODER, "vocab_size": 0}, "it has no vocab_size"),
        ({**DECODER, "hidden_size": -1}, "hidden_size is negative"),
        ({**DECODER, "hidden_size": "many"}, "hidden_size is no number"),
        ({**DECODER, "hidden_size": 1.5}, "hidden_size is no number"),
    ],
)
def test_what_is_no_decoder_is_refused(tree: Any, told: str) -> None:
    with pytest.raises(RunError, match=told):
        sizes(tree)


@given(
    st.dictionaries(
        st.sampled_from([*DECODER, *Config.model_fields]),
        st.none() | st.booleans() | st.integers(-2, 10**6) | st.text(max_size=3) | st.just([1]),
    )
)
def test_any_configuration_is_an_entry_or_a_refusal(changes: dict[str, Any]) -> None:
    try:
        found = sizes({**DECODER, **changes})
    except RunError:
        return
    model = Model.model_validate({"id": "m", "name": "M", "family": "m", **found})
    assert model.layers
    assert set(fields({"layers": 1, "attention": {"heads": 2, "kind": "mha"}})) == {
        "layers",
        "attention.heads",
    }


def test_the_shipped_llama_has_the_sizes_of_its_configuration(shipped: Registry) -> None:
    model = shipped.models["llama-3.1-8b-instruct"]
    found = sizes({
        "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
        "vocab_size": 128256, "max_position_embeddings": 131072, "tie_word_embeddings": False,
    })  # fmt: skip
    assert {key: model.model_dump(exclude_unset=True)[key] for key in found} == found
