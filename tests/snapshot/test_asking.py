"""A question is answered of the records as they are."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from benchreg.snapshot.ask import Asked, answers, ask
from benchreg.snapshot.asking import asking, cache_folder
from benchreg.snapshot.store import Snapshot
from benchreg.values.errors import BenchregError

Change = Callable[..., Path]
RECORD = "records/benchmarks/example-source/base-record.yaml"


class Values(NamedTuple):
    values: list[str]
    files: frozenset[int]


def values(snapshot: Snapshot) -> Values:
    found = answers(snapshot.database, ask(snapshot.database, Asked()).ids)
    return Values([str(one.row.value) for one in found], frozenset(one.file for one in found))


def test_a_record_that_changes_after_the_snapshot_was_opened_is_read_anew(changed: Change) -> None:
    root = changed("kind: measurement\n")
    open_ = asking(root)
    assert open_.answer(values).values == ["12.5"]
    file = root / RECORD
    file.write_text(file.read_text("utf-8").replace("value: 12.5", "value: 13.5"), "utf-8")
    assert open_.answer(values).values == ["13.5"]


def test_the_registry_around_us_is_asked_before_our_own(
    changed: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = changed("kind: measurement\n")
    monkeypatch.chdir(root / "records")
    assert asking().answer(values).values == ["12.5"]


def test_a_root_without_records_is_bad_use(tmp_path: Path) -> None:
    with pytest.raises(BenchregError, match="holds no folder `records/`"):
        asking(tmp_path)


def test_snapshots_are_kept_where_the_environment_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("BENCHREG_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "benchreg"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache/benchreg"


def test_a_snapshot_that_is_damaged_within_is_made_anew(
    changed: Change, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = changed("kind: measurement\n")
    monkeypatch.setenv("BENCHREG_CACHE", str(tmp_path / "own"))
    asking(root)
    [path] = (tmp_path / "own").glob("*.sqlite")
    database = sqlite3.connect(path)
    database.execute("UPDATE details SET shown = 'nothing', facets = '['")
    database.commit()
    database.close()
    assert asking(root).answer(values).values == ["12.5"]


def test_a_fault_of_our_own_is_told_and_not_tried_for_ever(changed: Change) -> None:
    tried = []

    def broken(snapshot: Snapshot) -> Values:
        tried.append(snapshot)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asking(changed("kind: measurement\n")).answer(broken)
    assert len(tried) == 2
