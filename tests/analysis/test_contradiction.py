"""The conditions that two records state differently are named; what one leaves out is not."""

from collections.abc import Callable

import pytest

from benchreg.analysis.contradiction import contradicting
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry

Draw = Callable[..., tuple[Registry, Record]]

LOAD = """\
load:
  pattern: closed_loop
  concurrency: 64
  requests: 6400
  completed: 6400
  failed: 0
  duration_s: {duration}
  window: full_drain
  warmup: {{requests: {warmup}, excluded: true}}
"""


def difference(drawn: Draw, fragment: str) -> list[str]:
    """Return how the base record differs from one in which these blocks are others."""
    registry, record = drawn(example_partner=f"id: example-partner\n{fragment}")
    partner = registry.records["example-partner"]
    assert contradicting(record, partner) == contradicting(partner, record)
    return contradicting(record, partner)


@pytest.mark.parametrize(
    ("name", "fragment", "paths"),
    [
        ("nothing", "", []),
        ("the same load, written anew", LOAD.format(duration="512.0", warmup=64), []),
        ("a number", LOAD.format(duration=512, warmup=8), ["load.warmup.requests"]),
        (
            "two numbers",
            LOAD.format(duration=500, warmup=8),
            ["load.warmup.requests", "load.duration_s"],
        ),
        (
            "a condition that one does not state",
            "engine: {id: example-engine}\n",
            [],
        ),
        (
            "a model in words beside one by id",
            "model: {described_as: an example model}\n",
            [],
        ),
        (
            "a pool",
            "hardware:\n  pools:\n    - {accelerator: example-gpu-40gb, count: 1}\n",
            ["hardware.pools.0.accelerator"],
        ),
        (
            "two pools beside one",
            (
                "hardware:\n  pools:\n    - {accelerator: example-gpu-80gb, count: 1}\n"
                "    - {accelerator: example-gpu-40gb, count: 1}\n"
            ),
            ["hardware.pools"],
        ),
        (
            "formats by part that one does not state",
            "precision: {weights: bf16, activations: bf16, kv_cache: bf16, parts: {mlp: mxfp4}}\n",
            [],
        ),
        ("a format", "precision: {weights: fp8}\n", ["precision.weights"]),
        ("an endpoint that one does not state", "service: {provider: Example Cloud}\n", []),
        (
            "an estimate beside what is none",
            "kind: estimate\nestimator: {version: an estimator}\n",
            ["kind"],
        ),
    ],
)
def test_the_conditions_that_differ_are_named(
    name: str, fragment: str, paths: list[str], drawn: Draw
) -> None:
    assert difference(drawn, fragment) == paths, name


@pytest.mark.parametrize(
    ("name", "fragment"),
    [
        ("the source", 'source: {id: example-source, retrieved: "2026-01-01"}\n'),
        ("the harness", "measurement: {harness: another}\n"),
        ("the figures", "results:\n  ttft: {metric: ttft, value: 20, unit: ms}\n"),
        ("the title", "title: Another\n"),
        ("what is declared absent", "absent: {load.scenario: not_stated}\n"),
    ],
)
def test_what_is_no_condition_makes_no_difference(name: str, fragment: str, drawn: Draw) -> None:
    assert difference(drawn, fragment) == [], name


def test_a_record_does_not_contradict_itself(shipped: Registry) -> None:
    assert len(shipped.records) > 40
    assert [one.id for one in shipped.records.values() if contradicting(one, one)] == []


def test_the_points_of_a_sweep_differ_in_their_load_alone(shipped: Registry) -> None:
    one, other = (shipped.records[f"mpt-7b-a100-static-b{size}"] for size in (1, 64))
    assert contradicting(one, other) == ["load.batch_size"]
