"""A tier says how much is told of a record, and it is worked out."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.analysis.tier import TIERS, tier
from benchreg.registry.load import load
from benchreg.registry.registry import Registry

Change = Callable[..., Path]
OWN = {"sources/example-source": "kind: own_run\n"}
BLOG = {"sources/example-source": "kind: blog\n"}
ONE_RUN = "measurement: {runs: 1, point: server}\n"
NO_POINT = """measurement: {runs: 3}
load: {pattern: closed_loop, concurrency: 64, warmup: {requests: 64}, requests: 6400, failed: 0}
absent:
  load.scenario: not_applicable
  measurement.point: not_stated
  load.window: not_stated
"""
NO_VERSION = """engine: {id: example-engine}
absent: {load.scenario: not_applicable, engine.version: not_stated}
"""
NO_LENGTH = """workload: {output_tokens: 64}
absent: {load.scenario: not_applicable, workload.input_tokens: not_stated}
"""


@pytest.mark.parametrize(
    ("name", "fragment", "others", "expected"),
    [
        ("all is told, with raw logs", "", OWN, "A"),
        ("all is told, without raw logs", "", BLOG, "B"),
        ("a single run", ONE_RUN, OWN, "B"),
        ("two conditions are absent", NO_POINT, OWN, "B"),
        ("a core condition is absent", NO_VERSION, OWN, "C"),
        ("a length is absent", NO_LENGTH, OWN, "D"),
        ("it does not stand", "status: disputed\nstatus_reason: it is wrong\n", OWN, "X"),
        ("it is replaced", "status: superseded\nsuperseded_by: example-partner\n", OWN, "A"),
    ],
)
def test_a_tier_is_what_is_told(
    name: str, fragment: str, others: dict[str, str], expected: str, changed: Change
) -> None:
    registry = load(changed(fragment, **others))
    assert registry.refusals == (), name
    assert tier(registry, registry.records["base-record"]) == expected, name


def test_every_shipped_record_has_a_tier(shipped: Registry) -> None:
    found = {tier(shipped, record) for record in shipped.records.values()}
    assert found <= TIERS.keys()
    assert len(found) > 2
