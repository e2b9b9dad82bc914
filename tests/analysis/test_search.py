"""What an analyst's word means, and which records it finds."""

import pytest

from benchreg.analysis.search import Asked, search
from benchreg.registry.registry import Registry
from benchreg.values.errors import NotFoundError


@pytest.mark.parametrize(
    ("name", "asked", "ids"),
    [
        ("a family", Asked(hardware="a100"),
         ("a100-pcie-40gb", "a100-pcie-80gb", "a100-sxm4-40gb", "a100-sxm4-80gb")),
        ("a part", Asked(hardware="a100-sxm4-40gb"), ("a100-sxm4-40gb",)),
        ("an alias", Asked(hardware="A100-40-SXM"), ("a100-sxm4-40gb",)),
        ("words", Asked(hardware="a100 pcie 80"), ("a100-pcie-80gb",)),
        ("a model and its variants", Asked(model="llama-2-70b"),
         ("llama-2-70b", "llama-2-70b-chat")),
        ("a family of models", Asked(model="llama-2"), ("llama-2-70b", "llama-2-70b-chat")),
    ],
)  # fmt: skip
def test_a_word_names_entries(
    name: str, asked: Asked, ids: tuple[str, ...], shipped: Registry
) -> None:
    [meaning] = search(shipped, asked).meanings
    assert set(ids) <= set(meaning.ids), name
    assert name != "a part" or meaning.ids == ids


def test_a_vendor_names_all_its_parts(shipped: Registry) -> None:
    [meaning] = search(shipped, Asked(hardware="amd")).meanings
    vendors = {shipped.accelerators[part].vendor for part in meaning.ids}
    assert vendors == {"AMD"}


def test_a_part_that_the_words_could_mean_is_found(shipped: Registry) -> None:
    found = search(shipped, Asked(hardware="a100-sxm4-40gb", model="mpt-7b"))
    assert "mpt-7b-a100-static-b64" in {record.id for record in found.records}


def test_a_part_that_no_record_could_mean_finds_nothing_and_says_so(shipped: Registry) -> None:
    found = search(shipped, Asked(model="mpt-7b", hardware="a100-sxm4-80gb"))
    assert found.records == []
    assert found.emptied_by in ("model mpt-7b", "hardware a100-sxm4-80gb")


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        (Asked(hardware="h1000"), "h100"),
        (Asked(model="lama-2-70b"), "llama-2-70b"),
        (Asked(engine="vlm"), "vllm"),
        (Asked(metric="output_thruput"), "output_throughput"),
    ],
)
def test_a_word_that_names_nothing_is_answered_with_the_nearest(
    asked: Asked, near: str, shipped: Registry
) -> None:
    with pytest.raises(NotFoundError, match=f"did you mean.*'{near}'"):
        search(shipped, asked)


def test_filters_are_taken_together(shipped: Registry) -> None:
    asked = Asked(model="llama-2-70b", hardware="h100", scenario="server", metric="ttft")
    found = search(shipped, asked)
    assert found.records
    for record in found.records:
        assert record.load.scenario == "server"
        assert any(figure.metric == "ttft" for figure in record.results.values())


def test_nothing_asked_finds_everything_but_examples(shipped: Registry) -> None:
    found = search(shipped, Asked())
    assert len(found.records) == len(shipped.records)
