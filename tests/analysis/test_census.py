"""Records are counted by what they are of, and by what nobody knows of them."""

from collections.abc import Callable
from pathlib import Path

from benchreg.analysis.census import (
    by_engine,
    by_model,
    by_part,
    by_pattern,
    by_source,
    by_year,
    counts,
    unknowns,
    with_version,
)
from benchreg.registry.load import load
from benchreg.registry.registry import Registry

Change = Callable[..., Path]
OTHER = """id: other-record
status: disputed
status_reason: a cell was misread
model: {described_as: Some model}
engine: {described_as: home-made}
load: {pattern: all_at_once}
measurement: {measured: "2024-02-03"}
absent: {engine.version: not_stated}
"""


def test_records_figures_and_what_does_not_stand_are_counted_by_name(changed: Change) -> None:
    registry = load(changed(other_record=OTHER))
    [one] = counts(registry, by_source)
    assert (one.name, one.records, one.fallen) == ("example-source", 3, 1)
    assert one.figures == sum(len(record.results) for record in registry.records.values())
    assert [(one.name, one.records) for one in counts(registry, by_model)] == [
        ("example-model", 2), ("Some model", 1),
    ]  # fmt: skip
    assert {one.name for one in counts(registry, by_engine)} == {"example-engine", "home-made"}
    assert {one.name for one in counts(registry, by_pattern)} >= {"all at once"}
    assert "2024" in {one.name for one in counts(registry, by_year)}


def test_a_record_with_several_parts_counts_under_each_of_them_once(changed: Change) -> None:
    pools = """hardware:
  pools:
    - {accelerator: example-gpu-40gb, count: 1}
    - {accelerator: example-gpu-80gb, count: 1}
    - {described_as: Some part, count: 2}
    - {described_as: Some part, count: 3}
"""
    registry = load(changed(f"id: base-record\n{pools}"))
    found = {one.name: one.records for one in counts(registry, by_part)}
    assert found == {"example-gpu-80gb": 2, "example-gpu-40gb": 1, "Some part": 1}


def test_what_is_not_known_is_a_share_of_the_records_that_it_concerns(changed: Change) -> None:
    registry = load(changed(other_record=OTHER))
    found = {one.condition.key: one for one in unknowns(registry, by_source)}
    version = found["engine.version"]
    assert (version.lacking["example-source"], version.concerned["example-source"]) == (1, 3)
    scenario = found["load.scenario"]
    assert scenario.concerned["example-source"] == 1  # it does not apply to the others
    assert with_version(registry) == {"example-source": (2, 3)}


def test_every_shipped_record_is_counted_under_one_source(shipped: Registry) -> None:
    found = counts(shipped, by_source)
    assert sum(one.records for one in found) == len(shipped.records)
    assert sorted((-one.records, one.name) for one in found) == [
        (-one.records, one.name) for one in found
    ]
