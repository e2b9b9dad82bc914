"""What an analyst's word means."""

import sqlite3

import pytest

from benchreg.registry.registry import Registry
from benchreg.snapshot.words import meaning
from benchreg.values.errors import NotFoundError


@pytest.mark.parametrize(
    ("name", "option", "word", "ids"),
    [
        ("a family", "hardware", "a100",
         ("a100-pcie-40gb", "a100-pcie-80gb", "a100-sxm4-40gb", "a100-sxm4-80gb")),
        ("a part", "hardware", "a100-sxm4-40gb", ("a100-sxm4-40gb",)),
        ("an alias", "hardware", "A100-40-SXM", ("a100-sxm4-40gb",)),
        ("words", "hardware", "a100 pcie 80", ("a100-pcie-80gb",)),
        ("a model and its variants", "model", "llama-2-70b", ("llama-2-70b", "llama-2-70b-chat")),
        ("a family of models", "model", "llama-2", ("llama-2-70b", "llama-2-70b-chat")),
        ("a source", "source", "mlperf-inference-v5.1", ("mlperf-inference-v5.1",)),
    ],
)  # fmt: skip
def test_a_word_names_entries(
    name: str, option: str, word: str, ids: tuple[str, ...], asked: sqlite3.Connection
) -> None:
    found = meaning(asked, option, word)
    assert set(ids) <= set(found.ids), name
    assert name != "a part" or found.ids == ids


def test_a_vendor_names_all_its_parts(asked: sqlite3.Connection, shipped: Registry) -> None:
    found = meaning(asked, "hardware", "amd")
    assert {shipped.accelerators[part].vendor for part in found.ids} == {"AMD"}


@pytest.mark.parametrize(
    ("option", "word", "near"),
    [
        ("hardware", "h1000", "h100"),
        ("model", "lama-2-70b", "llama-2-70b"),
        ("engine", "vlm", "vllm"),
        ("source", "mlperf-inference-v5.2", "mlperf-inference-v5.1"),
    ],
)
def test_a_word_that_names_nothing_is_answered_with_the_nearest(
    option: str, word: str, near: str, asked: sqlite3.Connection
) -> None:
    with pytest.raises(NotFoundError, match=f"did you mean.*'{near}'"):
        meaning(asked, option, word)


@pytest.mark.parametrize("word", ["", " ", "-", "?"])
def test_a_word_without_letters_names_nothing(word: str, asked: sqlite3.Connection) -> None:
    with pytest.raises(NotFoundError):
        meaning(asked, "model", word)
