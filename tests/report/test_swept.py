"""A sweep as a document: the reference case to the digit, and what is left out where it is not."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchreg.report.swept import as_json, as_text, document
from benchreg.roofline.reference import GRID, NAME, TPOT_LIMIT_S
from benchreg.roofline.sweep import Grid, sweep

REFERENCE = Path(__file__).parents[1] / "data/roofline/reference-70b-gqa.json"


def test_the_reference_document_is_reproduced_to_the_digit() -> None:
    found = document(sweep(GRID), NAME, TPOT_LIMIT_S)
    expected = json.loads(REFERENCE.read_bytes())
    assert found == expected
    assert list(found) == list(expected)


def test_the_reference_text_is_reproduced_to_the_letter() -> None:
    assert as_json(sweep(GRID), NAME, TPOT_LIMIT_S) == REFERENCE.read_text(encoding="utf-8")


OTHER = {"kind", "accelerator", "assumed"}  # what every sweep but the reference says as well


@pytest.mark.parametrize(
    ("case", "grid", "limit_s", "keys"),
    [
        ("nothing keeps the limit", GRID, 1e-6, []),
        (
            "all of it",
            GRID,
            TPOT_LIMIT_S,
            ["naive_low_latency_baseline", "pcie_tp4_b64_comparison", "tp2_batch_scaling"],
        ),
        (
            "one link",
            replace(GRID, links=GRID.links[:1]),
            TPOT_LIMIT_S,
            ["naive_low_latency_baseline", "tp2_batch_scaling"],
        ),
        (
            "one split",
            replace(GRID, tensor=(4,)),
            TPOT_LIMIT_S,
            ["naive_low_latency_baseline", "pcie_tp4_b64_comparison"],
        ),
    ],
)
def test_a_document_compares_with_what_the_grid_has(
    case: str, grid: Grid, limit_s: float, keys: list[str]
) -> None:
    head = ["execution_mode", "model", "context_len", "sla_tpot_ms", "selected"]
    found = [key for key in document(sweep(grid), NAME, limit_s) if key not in OTHER]
    assert found == [*head, *keys, "pareto_frontier"], case


def test_every_sweep_but_the_reference_says_that_it_is_an_estimate_and_what_it_assumes() -> None:
    reference = document(sweep(GRID), NAME, TPOT_LIMIT_S)
    other = document(sweep(replace(GRID, tensor=(4,))), NAME, TPOT_LIMIT_S, "example-gpu")
    assert not reference.keys() & OTHER
    assert other.keys() >= OTHER
    assert (other["kind"], other["accelerator"]) == ("estimate", "example-gpu")
    assert "0.65" in json.dumps(other["assumed"])


def test_where_nothing_keeps_the_limit_nothing_is_selected() -> None:
    found = document(sweep(GRID), NAME, 1e-6)
    assert (found["selected"], found["pareto_frontier"]) == (None, [])
    assert "nothing is selected" in as_text(sweep(GRID), NAME, 1e-6)


@pytest.mark.parametrize("limit_ms", [25.0, 33.3, 29.0, 0.1, 57.9, 8.2])
def test_the_limit_is_shown_as_it_was_given(limit_ms: float) -> None:
    assert document(sweep(GRID), NAME, limit_ms / 1e3)["sla_tpot_ms"] == limit_ms


@pytest.mark.parametrize(("context", "shown"), [(4096.0, "4096"), (4096.5, "4096.5")])
def test_a_whole_context_is_shown_as_whole(context: float, shown: str) -> None:
    text = as_json(sweep(replace(GRID, context=context)), NAME, TPOT_LIMIT_S)
    assert f'"context_len": {shown},' in text


def test_a_table_has_every_configuration_of_the_document() -> None:
    text = as_text(sweep(GRID), NAME, TPOT_LIMIT_S)
    expected = json.loads(REFERENCE.read_bytes())
    assert len(expected["pareto_frontier"]) > 3
    for one in (expected["selected"], *expected["pareto_frontier"], *expected["tp2_batch_scaling"]):
        assert one["name"] in text
    assert "Estimates, not measurements" in text
