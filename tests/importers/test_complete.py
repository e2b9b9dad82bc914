"""A statement becomes a draft whose holes have reasons, and whose totals have their other side."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchreg.entities.record import Record
from benchreg.importers.complete import Context, draft
from benchreg.importers.foreign import Foreign
from benchreg.importers.importer import Importer
from benchreg.importers.opened import Opened, opened
from benchreg.importers.statement import RunError, Statement
from benchreg.registry.registry import Registry

NEVER = {"engine.version": "the harness runs on the client", "precision": "it does not know them"}
ONE = Importer("a-harness", "A harness", Foreign, "run it", NEVER, lambda *_: iter(()), None, "")


@pytest.fixture
def file(tmp_path: Path) -> Opened:
    """A run file."""
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"a": 1}), encoding="utf-8")
    return opened(path)


def made(found: Statement, file: Opened, shipped: Registry, *, ours: bool = True) -> dict[str, Any]:
    return draft(found, ONE, file, Context(shipped, "s", "2026-11-30", ours)).tree


def loaded(**load: Any) -> Statement:
    found = Statement("/runs/3")
    found.block("load", **load)
    found.figure("output_rate", "output_throughput", 800, "tok/s", at="/rate")
    return found


def test_every_condition_is_stated_or_absent_with_the_harness_own_reason(
    file: Opened, shipped: Registry
) -> None:
    tree = made(loaded(pattern="closed_loop", concurrency=64), file, shipped)
    assert tree["absent"]["engine.version"] == {
        "because": "not_stated",
        "note": "the harness runs on the client",
    }
    assert tree["absent"]["precision"]["note"] == "it does not know them"
    assert tree["absent"]["load.scenario"] == "not_applicable"
    assert "load" not in tree["absent"]
    assert "precision.weights" not in tree["absent"]
    assert Record.model_validate(tree).load.concurrency == 64


def test_a_reason_for_no_level_of_load_is_none_for_the_rest_of_it(
    file: Opened, shipped: Registry
) -> None:
    never = {"load": "no level", "engine": "not which server", "precision": "no formats"}
    one = Importer("a-harness", "A harness", Foreign, "run it", never, ONE.read, None, "")
    found = Statement()
    found.state("precision.kv_cache", "fp8")
    context = Context(shipped, "s", "2026-11-30", ours=True)
    absent = draft(found, one, file, context).tree["absent"]
    assert absent["load"]["note"] == "no level"
    assert absent["load.warmup"] == absent["load.requests"] == "not_stated"
    assert absent["engine.version"]["note"] == "not which server"
    assert absent["precision.weights"]["note"] == "no formats"


def test_the_scenario_of_somebody_elses_run_is_not_stated(file: Opened, shipped: Registry) -> None:
    tree = made(loaded(pattern="all_at_once"), file, shipped, ours=False)
    assert tree["absent"]["load.scenario"] == "not_stated"


def test_what_the_importer_says_of_an_absence_stands(file: Opened, shipped: Registry) -> None:
    found = loaded(pattern="all_at_once")
    found.absent("load.failed", "not_applicable")
    found.absent("load.requests", "withheld")
    found.state("load.requests", 4)
    absent = made(found, file, shipped)["absent"]
    assert absent["load.failed"] == "not_applicable"
    assert "load.requests" not in absent


@pytest.mark.parametrize(
    ("load", "expected"),
    [
        ({"pattern": "single_stream"}, {}),
        ({"pattern": "closed_loop", "concurrency": 1}, {}),
        ({"pattern": "all_at_once"}, {"absent": {"seen_by_request": "not_applicable"}}),
        ({"pattern": "open_loop"}, {"absent": {"seen_by_request": "not_stated"}}),
    ],
)
def test_a_total_without_its_other_side_says_why(
    load: dict[str, Any], expected: dict[str, Any], file: Opened, shipped: Registry
) -> None:
    figure = made(loaded(**load), file, shipped)["results"]["output_rate"]
    assert {key: figure[key] for key in ("absent", "seen_by_request") if key in figure} == expected


def test_a_total_names_what_one_request_sees(file: Opened, shipped: Registry) -> None:
    found = loaded(pattern="closed_loop", concurrency=64)
    sees = {"scope": "per_request", "statistic": "p50"}
    found.figure("e2e_p50", "e2e_latency", 5, "s", **sees)
    found.figure("tpot_p50", "tpot", 80, "ms", **sees)
    found.figure("chunk_p50", "chunk_latency", 80, "ms", **sees)
    results = made(found, file, shipped)["results"]
    assert results["output_rate"]["seen_by_request"] == "tpot_p50"
    assert "seen_by_request" not in results["e2e_p50"]


def test_the_id_and_the_place_are_the_same_at_every_import(file: Opened, shipped: Registry) -> None:
    one, other = (made(loaded(pattern="all_at_once"), file, shipped) for _ in range(2))
    assert one == other
    assert one["id"] == f"a-harness-{file.sha256[:8]}-3"
    assert one["source"]["locator"] == "run.json, /runs/3"
    assert one["title"] == "a model that the file does not name, A harness, all requests at once"


@pytest.mark.parametrize("name", ["a b.json", "\x1b[1m.json", "é.json", "a,b.json", "-x.json"])
def test_a_name_that_is_not_plain_is_no_place(name: str, tmp_path: Path, shipped: Registry) -> None:
    path = tmp_path / name
    path.write_text("{}", encoding="utf-8")
    tree = made(loaded(pattern="all_at_once"), opened(path), shipped)
    assert tree["source"]["locator"] == "the run file, /runs/3"


def test_a_statement_that_is_no_record_is_refused(file: Opened, shipped: Registry) -> None:
    found = loaded(pattern="all_at_once", concurrency=0)
    with pytest.raises(RunError, match="what it states is no record: /load/concurrency"):
        made(found, file, shipped)
