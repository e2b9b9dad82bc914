"""What words say of a model: sizes as they are written, and names that are loose."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchreg.analysis.naming import another_family, fits, sizes, sizes_of
from benchreg.registry.registry import Registry


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Llama-2-70B", ["70"]),
        ("meta-llama/Llama-3.1-8B-Instruct", ["8"]),
        ("Qwen2.5-0.5B", ["0.5"]),
        ("Qwen3-235B-A22B", ["235", "22"]),
        ("Mixtral 8x7B", ["56"]),
        ("phi-3.5-moe 16x3.8B", ["60.8"]),
        ("a model of 7 billion", ["7"]),
        ("7bn, 8 b", ["7", "8"]),
        ("MI300X 7B", ["7"]),
        ("Qwen27B", []),
        ("Llama3.170B", []),
        ("80GB of 4bit on B200 and a10b1", []),
        ("Llama 3.1", []),
        ("1.2.3b", []),
        ("0x7B", []),
        ("0B", []),
        ("", []),
    ],
)
def test_sizes_are_read_from_words(words: str, expected: list[str]) -> None:
    assert [f"{size.billion.normalize():f}" for size in sizes(words)] == expected


@given(st.text(alphabet="0123456789.xXbB ail-n", max_size=200))
def test_any_words_have_some_sizes_or_none(words: str) -> None:
    assert all(size.billion > 0 for size in sizes(words))


@given(st.decimals(min_value="0.1", max_value="2000", places=1))
def test_a_size_is_read_as_it_is_written(billion: Decimal) -> None:
    assert [size.billion for size in sizes(f"Example {billion}B")] == [billion]


def test_no_model_contradicts_its_own_names(shipped: Registry) -> None:
    assert len(shipped.models) > 100
    for model in shipped.models.values():
        for name in (model.id, model.name, *model.aliases):
            assert all(fits(size, model) for size in sizes(name)), name
            assert another_family(name, model, shipped) == "", name


def test_every_model_of_the_catalogue_has_a_size(shipped: Registry) -> None:
    assert [model.id for model in shipped.models.values() if not sizes_of(model)] == []


@pytest.mark.parametrize(
    ("words", "model"),
    [
        ("Llama-2-70b-chat-hf", "llama-2-70b-chat"),
        ("LLaMA 7B", "llama-2-7b"),
        ("Llama 3 8B", "llama-3.1-8b"),
        ("Llama-3.1-Nemotron-70B", "llama-3.1-70b"),
        ("DeepSeek-R1-Distill-Llama-70B", "llama-3.3-70b-instruct"),
        ("CodeLlama-34b", "codellama-34b"),
        ("Code Llama 34B (Llama 2)", "codellama-34b"),
        ("GPTJ", "gpt-j-6b"),
        ("Vicuna 13B", "llama-13b"),
        ("Falcon 3", "falcon-7b"),
    ],
)
def test_loose_names_are_of_the_family(words: str, model: str, shipped: Registry) -> None:
    assert another_family(words, shipped.models[model], shipped) == ""


@pytest.mark.parametrize(
    ("words", "model", "family"),
    [
        ("Llama 2 70B", "llama-3-70b", "llama 2"),
        ("Llama 3.3 70B", "llama-3.1-70b", "llama 3.3"),
        ("Llama-2-13B", "llama-13b", "llama 2"),
        ("Mistral 7B", "llama-2-7b", "mistral"),
        ("Gemma 2 27B", "gemma-3-27b", "gemma 2"),
    ],
)
def test_another_family_is_named(words: str, model: str, family: str, shipped: Registry) -> None:
    assert another_family(words, shipped.models[model], shipped) == family


@pytest.mark.parametrize(
    ("words", "model", "expected"),
    [
        ("8x7B", "mixtral-8x7b-v0.1", True),
        ("8x22B", "mixtral-8x22b-v0.1", True),
        ("8x22B", "mixtral-8x7b-v0.1", False),
        ("17B", "llama-4-maverick-17b-128e-instruct", True),
        ("7B", "gemma-7b", True),
        ("1B", "llama-3.2-1b", True),
        ("70B", "llama-2-7b", False),
        ("13B", "llama-2-7b", False),
    ],
)
def test_a_size_is_near_to_any_that_a_model_has(
    words: str, model: str, expected: bool, shipped: Registry
) -> None:
    [size] = sizes(words)
    assert fits(size, shipped.models[model]) is expected
