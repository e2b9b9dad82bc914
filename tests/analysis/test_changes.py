"""What differs between two states of a registry is told record by record."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.analysis.changes import Changed, changes, version
from benchreg.registry.load import load
from benchreg.registry.registry import Registry

Change = Callable[..., Path]
OLD = "base-record"


@pytest.fixture
def before(base: Path) -> Registry:
    """The small registry as it is."""
    return load(base)


def test_equal_registries_do_not_differ(before: Registry, base: Path) -> None:
    assert changes(before, load(base)) == []


def test_what_is_new_and_what_is_gone_is_told(before: Registry, changed: Change) -> None:
    now = load(changed(other_record="id: other-record\n"))
    assert changes(before, now) == [Changed("other-record", "example-source", "added")]
    assert changes(now, before) == [Changed("other-record", "example-source", "removed")]


def test_a_changed_record_names_its_blocks_and_results(before: Registry, changed: Change) -> None:
    now = load(changed("title: another\nload: {pattern: all_at_once}\n"))
    assert changes(before, now) == [Changed(OLD, "example-source", "changed", ("load", "title"))]


def test_a_changed_figure_is_named(before: Registry, changed: Change) -> None:
    result = (
        "results:\n  rate: {metric: request_throughput, scope: system, value: 1, unit: req/s}\n"
    )
    [one] = changes(before, load(changed(result)))
    assert one.kind == "changed"
    assert "results.rate" in one.blocks
    assert all(name.startswith("results.") for name in one.blocks)


@pytest.mark.parametrize("status", ["disputed", "superseded", "withdrawn"])
def test_a_changed_standing_is_told_as_such(status: str, before: Registry, changed: Change) -> None:
    now = load(changed(f"status: {status}\nstatus_reason: a cell was misread\n"))
    [one] = changes(before, now)
    assert (one.kind, one.blocks) == (status, ("status", "status_reason"))
    [back] = changes(now, before)
    assert back.kind == "restored"


def test_comments_and_the_order_of_keys_change_nothing(before: Registry, base: Path) -> None:
    path = base / "records/benchmarks/example-source/base-record.yaml"
    path.write_text("# looked at\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert changes(before, load(base)) == []


def test_the_version_is_the_last_day_on_which_a_source_was_read(changed: Change) -> None:
    source = 'source: {id: example-source, locator: run.json, retrieved: "2026-12-24"}\n'
    assert version(load(changed(source))) == "2026-12-24"
