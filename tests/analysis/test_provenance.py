"""Every value has an origin: stated, inferred, derived, contributed or absent."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.analysis.provenance import Provenance, of_condition, of_figure
from benchreg.registry.load import load
from benchreg.registry.registry import Registry
from benchreg.values.errors import NotFoundError

MPT = "mpt-7b-a100-static-b64"
SOURCE, PLACE = "databricks-llm-inference-practices", 'Table 2, row "1 x A100", column 64'


@pytest.mark.parametrize(
    ("figure", "origin", "why"),
    [
        ("completed_rate", "stated", ""),
        ("output_rate", "derived", "completed_rate * output_tokens"),
    ],
)
def test_a_figure_is_stated_or_derived(
    figure: str, origin: str, why: str, shipped: Registry
) -> None:
    found = of_figure(shipped.records[MPT], figure)
    assert found == Provenance(origin, SOURCE, PLACE, why)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("condition", "origin", "said"),
    [
        ("workload.input_tokens", "stated", False),
        ("engine.version", "absent", True),
        ("workload.dataset", "not declared", False),
    ],
)
def test_a_condition_is_stated_or_says_why_not(
    condition: str, origin: str, said: bool, shipped: Registry
) -> None:
    found = of_condition(shipped.records[MPT], condition)
    assert (found.origin, bool(found.why)) == (origin, said)


def test_what_was_concluded_has_its_reason(changed: Callable[..., Path]) -> None:
    text = "inferred: {engine.version: it was the release of the day}\ncontributed: [load.warmup]\n"
    record = load(changed(text)).records["base-record"]
    assert of_condition(record, "engine.version").why == "it was the release of the day"
    assert of_condition(record, "load.warmup").origin == "contributed"


def test_what_there_is_not_is_answered_with_the_nearest(shipped: Registry) -> None:
    with pytest.raises(NotFoundError, match="did you mean 'output_rate'"):
        of_figure(shipped.records[MPT], "output_rat")
    with pytest.raises(NotFoundError, match=r"did you mean 'engine\.version'"):
        of_condition(shipped.records[MPT], "engine.versio")
