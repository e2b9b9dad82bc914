"""Names of a file become ids where they name one entry, and stay the file's words elsewhere."""

import pytest

from benchreg.importers.names import Names, basename
from benchreg.importers.statement import Statement
from benchreg.registry.registry import Registry


def resolved(shipped: Registry, words: str) -> tuple[dict[str, str], str]:
    names, found = Names(shipped), Statement()
    found.state("model.described_as", words)
    names.resolve(found)
    return found.tree["model"], "".join(names.unknown.values())


@pytest.mark.parametrize(
    "words",
    [
        "llama-3.1-8b-instruct",
        "Llama-3.1-8B-Instruct",
        "Llama 3.1 8B Instruct",
        "meta-llama/Llama-3.1-8B-Instruct",
        "meta-llama-3.1-8b-instruct",
        "/data/models/Llama-3.1-8B-Instruct",
    ],
)
def test_an_id_a_name_an_alias_or_its_place_on_the_hub_names_an_entry(
    words: str, shipped: Registry
) -> None:
    assert resolved(shipped, words) == ({"id": "llama-3.1-8b-instruct"}, "")


def test_a_model_of_another_owner_is_another_model(shipped: Registry) -> None:
    block, told = resolved(shipped, "somebody/Llama-3.1-8B-Instruct")
    assert block == {"described_as": "somebody/Llama-3.1-8B-Instruct"}
    assert "is not in the catalogue" in told
    assert "llama-3.1-8b-instruct" in told
    assert "--set model=ID" in told


def test_what_nothing_is_near_to_can_be_added(shipped: Registry) -> None:
    block, told = resolved(shipped, "qqqqqqqq")
    assert block == {"described_as": "qqqqqqqq"}
    assert told == ("model 'qqqqqqqq' is not in the catalogue; add it with `benchreg add model`")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("/data/nm/models/DeepSeek-R1", "DeepSeek-R1"),
        ("/data/models/DeepSeek-R1/", "DeepSeek-R1"),
        (r"C:\models\gguf\a.gguf", "a.gguf"),
        ("~/models/a", "a"),
        ("./a", "a"),
        ("../a/b", "b"),
        ("host/share/models/a", "a"),
        ("owner/name", "owner/name"),
        ("name", "name"),
    ],
)
def test_of_a_path_on_somebodys_machine_the_last_part_is_kept(words: str, expected: str) -> None:
    assert basename(words) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("NVIDIA H100 80GB HBM3", "h100-sxm5-80gb"),
        ("NVIDIA A100-SXM4-80GB", "a100-sxm4-80gb"),
        ("NVIDIA H200-SXM-141GB", "h200-sxm-141gb"),
        ("AMD Instinct MI325X 256GB HBM3e", "mi325x-256gb"),
        ("mi300x", "mi300x-192gb"),
    ],
)
def test_what_drivers_and_systems_call_a_part_names_it(
    words: str, expected: str, shipped: Registry
) -> None:
    assert Names(shipped).of("accelerator", words) == {expected}


@pytest.mark.parametrize("words", ["H100", "NVIDIA A100", "A100 80GB", "NVIDIA H200", "NVIDIA"])
def test_words_that_could_be_several_parts_name_none(words: str, shipped: Registry) -> None:
    assert Names(shipped).of("accelerator", words) == set()


def test_parts_and_engines_are_looked_up_as_well(shipped: Registry) -> None:
    found = Statement()
    found.state("hardware.pools.0.described_as", "NVIDIA H100 SXM5 80GB")
    found.state("hardware.pools.1.described_as", "Some GPU")
    found.state("engine.described_as", "vLLM")
    names = Names(shipped)
    names.resolve(found)
    assert found.tree["hardware"]["pools"] == [
        {"accelerator": "h100-sxm5-80gb"},
        {"described_as": "Some GPU"},
    ]
    assert found.tree["engine"] == {"id": "vllm"}
    assert [kind for kind, _ in names.unknown] == ["accelerator"]
