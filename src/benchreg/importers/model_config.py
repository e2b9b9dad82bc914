"""A published `config.json` of a model -> the sizes of a catalogue entry; only what it states.

The keys are those of Hugging Face transformers. Two values follow by its own rules where a key is
left out: as many KV heads as heads, and a head of width over heads.
"""

from decimal import Decimal
from typing import Any, ClassVar

from pydantic import AliasChoices, Field, ValidationError

from benchreg.importers.foreign import Flag, Foreign, Text, Whole
from benchreg.importers.importer import fault
from benchreg.importers.statement import RunError, Tree

GATED = frozenset((
    "llama", "llama4", "llama4_text", "mistral", "mistral3", "ministral", "mixtral", "qwen2",
    "qwen2_moe", "qwen3", "qwen3_moe", "qwen3_next", "gemma", "gemma2", "gemma3", "gemma3_text",
    "phi3", "phimoe", "deepseek", "deepseek_v2", "deepseek_v3", "kimi_k2", "glm4", "glm4_moe",
    "gpt_oss", "olmo", "olmo2", "olmoe", "granite", "granitemoe", "cohere", "cohere2", "internlm2",
    "baichuan", "stablelm", "minimax", "minimax_m2", "hunyuan_v1_moe", "ernie4_5_moe", "dbrx",
    "jamba", "smollm3", "exaone4", "seed_oss", "aquila",
))  # fmt: skip
COUNTS = ("shared", "first_dense_layers")
PLAIN_MLP = frozenset((
    "gpt2", "gpt_neo", "gpt_neox", "gptj", "opt", "bloom", "mpt", "falcon", "phi", "starcoder2",
    "gpt_bigcode", "codegen",
))  # fmt: skip


def _either(*names: str) -> Any:
    return Field(default=None, validation_alias=AliasChoices(*names))


class Config(Foreign):
    """The sizes of a decoder, under the names that model families give them."""

    model_type: Text | None = None
    layers: Whole | None = _either("num_hidden_layers", "n_layer", "n_layers", "num_layers")
    width: Whole | None = _either("hidden_size", "n_embd", "d_model")
    inner: Whole | None = _either("intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size")
    expansion_ratio: Whole | None = None
    heads: Whole | None = _either("num_attention_heads", "n_head", "n_heads")
    kv_heads: Whole | None = _either("num_key_value_heads", "num_kv_heads", "n_head_kv")
    multi_query: Flag | None = None
    head_dim: Whole | None = None
    vocab_size: Whole | None = None
    tie_word_embeddings: Flag | None = None
    context: Whole | None = _either(
        "max_position_embeddings", "n_positions", "max_seq_len", "max_sequence_length"
    )
    sliding_window: Whole | None = None
    use_sliding_window: Flag | None = None
    layer_types: list[Text] | None = None
    kv_lora_rank: Whole | None = None
    q_lora_rank: Whole | None = None
    qk_rope_head_dim: Whole | None = None
    qk_nope_head_dim: Whole | None = None
    v_head_dim: Whole | None = None
    experts: Whole | None = _either("num_local_experts", "n_routed_experts", "num_experts")
    active: Whole | None = _either("num_experts_per_tok", "num_experts_per_token", "moe_top_k")
    shared: Whole | None = _either("n_shared_experts", "num_shared_experts")
    expert_inner: Whole | None = _either("moe_intermediate_size", "expert_hidden_size")
    shared_inner: Whole | None = _either("shared_expert_intermediate_size")
    dense_first: Whole | None = _either("first_k_dense_replace")
    step: Whole | None = _either("decoder_sparse_step", "interleave_moe_layer_step")

    needed: ClassVar[tuple[str, ...]] = ("layers", "width", "heads", "vocab_size")


def sizes(tree: Any) -> Tree:
    """Return the blocks of a catalogue entry that a configuration states.

    Of a model with several towers the text one counts. Raises RunError for what is no
    configuration of a decoder.
    """
    if isinstance(tree, dict) and isinstance(tree.get("text_config"), dict):
        tree = {"tie_word_embeddings": tree.get("tie_word_embeddings"), **tree["text_config"]}
        tree = {key: value for key, value in tree.items() if value is not None}
    try:
        config = Config.model_validate(tree)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        raise RunError(f"is no configuration of a model: {fault(faults[0])}") from None
    missing = [name for name in config.needed if not getattr(config, name)]
    if missing:
        raise RunError(f"is no configuration of a decoder: it has no {missing[0]}")
    found: Tree = {
        "layers": config.layers,
        "hidden_size": config.width,
        "intermediate_size": _inner(config),
        "gated_mlp": _gated(config),
        "vocabulary_size": config.vocab_size,
        "tied_embeddings": config.tie_word_embeddings,
        "attention": _attention(config),
        "experts": _experts(config),
        "context_limit": config.context,
    }
    return _stated(found)


def _stated(found: Tree) -> Tree:
    """Return what is stated: a size of 0 is none, unless it is a number of things left out."""
    return {
        key: value
        for key, value in found.items()
        if value is not None and (value is False or value or key in COUNTS)
    }


def _inner(config: Config) -> int | None:
    if config.experts and not config.expert_inner and not config.dense_first:
        return None  # the one size that is stated is that of the experts
    if config.inner is None and config.expansion_ratio and config.width:
        return config.expansion_ratio * config.width
    return config.inner


def _gated(config: Config) -> bool | None:
    if config.model_type in GATED:
        return True
    return False if config.model_type in PLAIN_MLP else None


def _attention(config: Config) -> Tree:
    heads = config.heads or 1
    if config.kv_lora_rank:
        found: Tree = {
            "kind": "mla",
            "heads": heads,
            "kv_lora_rank": config.kv_lora_rank,
            "q_lora_rank": config.q_lora_rank,
            "rope_head_dim": config.qk_rope_head_dim,
            "nope_head_dim": config.qk_nope_head_dim,
            "value_head_dim": config.v_head_dim,
        }
    else:
        kv_heads = 1 if config.multi_query and config.kv_heads is None else config.kv_heads or heads
        kind = "mha" if kv_heads == heads else "mqa" if kv_heads == 1 else "gqa"
        found = {"kind": kind, "heads": heads, "kv_heads": kv_heads, "head_dim": _head(config)}
    if config.sliding_window and config.use_sliding_window is not False:
        found["sliding_window"] = config.sliding_window
        if config.layer_types:
            found["sliding_layers"] = config.layer_types.count("sliding_attention") or None
    return _stated(found)


def _head(config: Config) -> int | None:
    if config.head_dim:
        return config.head_dim
    whole = config.width and config.heads and config.width % config.heads == 0
    return config.width // config.heads if whole and config.width and config.heads else None


def _experts(config: Config) -> Tree | None:
    if not config.experts or not config.active:
        return None
    size = config.expert_inner or config.inner
    shared = config.shared_inner or (size and config.shared and size * config.shared) or None
    found: Tree = {
        "total": config.experts,
        "active": config.active,
        "shared": config.shared or (1 if config.shared_inner else None),
        "intermediate_size": size,
        "shared_intermediate_size": shared,
        "first_dense_layers": config.dense_first,
        "layer_step": config.step,
    }
    return _stated(found)


def fields(tree: Tree, at: str = "") -> list[str]:
    """Return the paths of all numbers of a tree, as a catalogue entry's provenance names them."""
    paths: list[str] = []
    for key, value in tree.items():
        if isinstance(value, dict):
            paths += fields(value, f"{at}{key}.")
        elif isinstance(value, int | Decimal) and not isinstance(value, bool):
            paths.append(f"{at}{key}")
    return paths


def billions(count: int) -> Decimal:
    """Return a count of parameters in 1e9, to three digits after the point."""
    shown = (Decimal(count) / 10**9).quantize(Decimal("0.001")).normalize()
    return Decimal(f"{shown:f}")
