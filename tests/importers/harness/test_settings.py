"""A split without a part: the statement has it, and a record only where the part is given."""

from pathlib import Path
from typing import Any

import pytest

from benchreg.importers.complete import Context, draft
from benchreg.importers.given import contribute
from benchreg.importers.harness.settings import split
from benchreg.importers.importer import called
from benchreg.importers.opened import Opened
from benchreg.importers.statement import Statement
from benchreg.registry.registry import Registry

PART = "hardware.pools.0.accelerator"


def made(shipped: Registry, tmp_path: Path, fields: dict[str, Any]) -> dict[str, Any]:
    path = tmp_path / "run.json"
    path.write_text("{}", encoding="utf-8")
    found = Statement(tree={"measurement": {"runs": 1}})
    split(found, tensor=2, pipeline=2)
    contribute(found, fields)
    context = Context(shipped, "example-own-run", "2026-11-30", ours=True)
    return draft(found, called("vllm-serve"), Opened(path, "json", 2), context).tree


def test_a_split_without_a_part_is_no_hardware(shipped: Registry, tmp_path: Path) -> None:
    tree = made(shipped, tmp_path, {})
    assert "hardware" not in tree
    assert {"hardware", "parallelism"} <= tree["absent"].keys()


def test_a_split_of_a_part_that_is_given_is_kept(shipped: Registry, tmp_path: Path) -> None:
    tree = made(shipped, tmp_path, {PART: "h100-sxm5-80gb"})
    assert tree["hardware"]["pools"] == [
        {"count": 4, "parallelism": {"tensor": 2, "pipeline": 2}, "accelerator": "h100-sxm5-80gb"}
    ]
    assert "parallelism" not in tree["absent"]


@pytest.mark.parametrize(
    ("name", "ways", "pools"),
    [
        ("one part", {"tensor": 1, "pipeline": None}, [{"count": 1, "parallelism": {"tensor": 1}}]),
        ("nothing said", {"tensor": None}, None),
        ("experts alone", {"expert": 8}, None),
        ("more than any system", {"tensor": 100_001}, None),
    ],
)
def test_ways_multiply_to_the_count(name: str, ways: dict[str, Any], pools: Any) -> None:
    found = Statement()
    split(found, **ways)
    assert found.tree.get("hardware", {}).get("pools") == pools, name
    assert len(found.remarks) == (pools is not None)
