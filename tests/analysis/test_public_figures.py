"""Public figures: those that no hardware can reach are found, and no other one is."""

import csv
from collections import Counter
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import pytest

from benchreg.analysis.crosscheck import Verdict, crosscheck
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry

ROWS = list(
    csv.DictReader(
        (Path(__file__).parents[1] / "data/roofline/public_figures.csv")
        .read_text(encoding="utf-8")
        .splitlines()
    )
)
# What a row is an example of: mostly of what would be a false alarm if it were read otherwise.
READINGS = {
    "listed",
    "beside_the_list",
    "neighbour",
    "closest",
    "pipeline",
    "prompt_and_output",
    "prompt_chunk",
    "active_experts",
    "total_of_system",
    "per_accelerator",
    "part_not_named",
    "batch_beyond_memory",
    "cache_format_open",
    "gibibytes",
    "prefix_cache_open",
    "first_token",
    "format_label_untrue",
    "all_nodes",
    "lengths_open",
    "format_open",
}
SPLITS = ("tensor", "pipeline", "attention_data", "expert")


def given(row: dict[str, str], *names: str) -> dict[str, Any]:
    """Return what a row says of some conditions, numbers as numbers."""
    return {name: number(row[name]) for name in names if row[name]}


def number(text: str) -> Any:
    """Return a cell as the number that it is, or as it is."""
    try:
        found = Decimal(text)
    except InvalidOperation:
        return text
    return int(found) if found == found.to_integral_value() else found


def pool(row: dict[str, str]) -> dict[str, Any]:
    parts = row["accelerators"].split()
    which = (
        {"accelerator": parts[0]}
        if len(parts) == 1
        else {"described_as": "as printed", "could_be": parts}
    )
    return which | given(row, "count") | {"parallelism": given(row, *SPLITS)}


def record(row: dict[str, str], registry: Registry) -> Record:
    """Return the record of one row: what the row does not say, the record does not say."""
    known = row["engine"] in registry.engines
    cache = {"off": {"enabled": False}, "on": {"enabled": True}}.get(row["prefix_cache"], {})
    return Record.model_validate({
        "id": row["name"],
        "title": row["name"],
        "kind": "measurement",
        "status": "active",
        "source": {"id": row["source"], "locator": row["locator"], "retrieved": "2026-11-01"},
        "model": {"id": row["model"]},
        "engine": {"id" if known else "described_as": row["engine"]} if row["engine"] else {},
        "hardware": {"pools": [pool(row)]},
        "precision": given(row, "weights", "kv_cache"),
        "workload": given(row, "input_tokens", "output_tokens") | {"prefix_cache": cache},
        "load": given(row, "pattern", "batch_size"),
        "results": {"figure": given(row, "metric", "scope", "statistic", "value", "unit")},
    })  # fmt: skip


def judged(row: dict[str, str], registry: Registry) -> Verdict:
    return crosscheck(registry, [record(row, registry)])[(row["name"], "figure")]


def test_the_rows_are_there_and_each_is_an_example_of_a_reading() -> None:
    counted = Counter(row["verdict"] for row in ROWS)
    assert len(ROWS) >= 60
    assert counted["impossible"] >= 30
    assert counted["plausible"] >= 30
    assert {row["reading"] for row in ROWS} <= READINGS
    assert len({row["name"] for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_a_public_figure_has_its_verdict(row: dict[str, str], shipped: Registry) -> None:
    found = judged(row, shipped)
    assert found.kind == row["verdict"], found.reason
