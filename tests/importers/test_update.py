"""A record of a run meets the file again: what a curator added stays, what the file says is new."""

from copy import deepcopy
from typing import Any

import pytest

from benchreg.importers.statement import RunError
from benchreg.importers.update import renewed

IMPORTED: dict[str, Any] = {
    "id": "r",
    "title": "words, tool, 64 in flight",
    "kind": "measurement",
    "status": "active",
    "source": {"id": "s", "locator": "r.json", "retrieved": "2026-11-30", "sha256": "0" * 64},
    "model": {"described_as": "words"},
    "load": {"pattern": "closed_loop", "concurrency": 64},
    "measurement": {"harness": "tool"},
    "absent": {"load.warmup": "not_stated", "hardware": "not_stated"},
    "results": {
        "rate": {
            "metric": "output_throughput", "scope": "system", "value": 800, "unit": "tok/s",
            "locator": "/rate", "absent": {"seen_by_request": "not_stated"},
        },
    },
}  # fmt: skip


@pytest.fixture
def there() -> dict[str, Any]:
    """The record as the first import wrote it, for a curator to change."""
    return deepcopy(IMPORTED)


def test_nothing_changes_where_nothing_is_new(there: dict[str, Any]) -> None:
    assert renewed(there, deepcopy(IMPORTED)) == IMPORTED


def test_what_a_curator_added_within_a_block_stays(there: dict[str, Any]) -> None:
    there["load"]["warmup"] = {"requests": 8}
    del there["absent"]["load.warmup"]
    there["title"] = "A title of my own"
    there["results"]["rate"]["n"] = 640
    assert renewed(there, deepcopy(IMPORTED)) == there


def test_what_an_earlier_import_contributed_stays(there: dict[str, Any]) -> None:
    there["hardware"] = {"pools": [{"accelerator": "h100-sxm5-80gb", "count": 8}]}
    there["contributed"] = ["hardware"]
    del there["absent"]["hardware"]
    there["title"] = "words on 8 x h100-sxm5-80gb, tool, 64 in flight"
    merged = renewed(there, deepcopy(IMPORTED))
    assert merged["contributed"] == ["hardware"]
    assert "hardware" not in merged["absent"]


def test_a_curators_reason_for_an_absence_stays(there: dict[str, Any]) -> None:
    there["absent"]["hardware"] = "withheld"
    assert renewed(there, deepcopy(IMPORTED))["absent"]["hardware"] == "withheld"


def test_what_the_file_states_is_the_importers(there: dict[str, Any]) -> None:
    there["load"]["concurrency"] = 65
    there["results"]["rate"]["value"] = 801
    merged = renewed(there, deepcopy(IMPORTED))
    assert merged["load"]["concurrency"] == 64
    assert merged["results"]["rate"]["value"] == 800


def test_what_is_stated_now_is_no_longer_absent(there: dict[str, Any]) -> None:
    imported = deepcopy(IMPORTED)
    imported["load"]["warmup"] = {"requests": 0}
    del imported["absent"]["load.warmup"]
    assert "load.warmup" not in renewed(there, imported)["absent"]


def test_an_id_takes_the_place_of_words_on_either_side(there: dict[str, Any]) -> None:
    imported = deepcopy(IMPORTED)
    imported["model"] = {"id": "llama-2-70b"}
    assert renewed(there, imported)["model"] == {"id": "llama-2-70b"}
    assert renewed(imported, there)["model"] == {"id": "llama-2-70b"}


def test_a_figure_that_is_called_otherwise_now_is_there_once(there: dict[str, Any]) -> None:
    there["results"] = {"old_name": there["results"]["rate"], "mine": {
        "metric": "ttft", "scope": "per_request", "statistic": "mean", "value": 5, "unit": "ms",
    }}  # fmt: skip
    assert set(renewed(there, deepcopy(IMPORTED))["results"]) == {"rate", "mine"}


def test_a_figure_that_a_curator_completed_no_longer_says_what_it_lacks(
    there: dict[str, Any],
) -> None:
    there["results"]["rate"] |= {"seen_by_request": "mine"}
    assert "absent" not in renewed(there, deepcopy(IMPORTED))["results"]["rate"]


@pytest.mark.parametrize("broken", [{"results": "none"}, {"hardware": {"pools": [3]}}])
def test_what_is_no_record_is_refused_and_never_a_crash(
    broken: dict[str, Any], there: dict[str, Any]
) -> None:
    with pytest.raises(RunError):
        renewed(there | broken, deepcopy(IMPORTED))
