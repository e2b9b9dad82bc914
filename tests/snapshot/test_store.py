"""A snapshot is true, or it is made anew; what lies in its place can mislead nobody."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.snapshot import store as module
from benchreg.snapshot.ask import Asked, answers, ask
from benchreg.snapshot.store import LOOK_S, Snapshot, Store

Change = Callable[..., Path]
RECORD = "records/benchmarks/example-source/base-record.yaml"
REAL = "kind: measurement\n"


@pytest.fixture
def root(changed: Change) -> Path:
    return changed(REAL)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A folder for snapshots, beside the registry."""
    return tmp_path / "cache"


@pytest.fixture
def fills(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """A list of the roots that a snapshot was filled from."""
    found: list[Path] = []
    fill = module._fill  # noqa: SLF001  (how often it runs is what is tested)

    def counted(database: sqlite3.Connection, root: Path) -> None:
        found.append(root)
        fill(database, root)

    monkeypatch.setattr(module, "_fill", counted)
    return found


def opened(root: Path, kept: Path | None, later: float = 0.0) -> Snapshot:
    now = next((path.stat().st_mtime for path in kept.glob("*.sqlite")), 0.0) if kept else 0.0
    return Store(kept, now + later).open(root)


def value(snapshot: Snapshot) -> str:
    [one] = answers(snapshot.database, ask(snapshot.database, Asked()).ids)
    return str(one.row.value)


def edit(root: Path, before: str, after: str) -> None:
    """Write a record in place: its folder does not change."""
    file = root / RECORD
    text = file.read_text(encoding="utf-8").replace(before, after)
    with file.open("r+", encoding="utf-8") as open_file:
        open_file.write(text)
        open_file.truncate()


def test_a_second_question_asks_what_is_kept(root: Path, kept: Path, fills: list[Path]) -> None:
    assert value(opened(root, kept)) == value(opened(root, kept)) == "12.5"
    assert len(fills) == 1


def test_what_is_kept_can_be_read_by_nobody_else(root: Path, kept: Path) -> None:
    opened(root, kept)
    assert kept.stat().st_mode & 0o077 == 0
    assert all(path.stat().st_mode & 0o077 == 0 for path in kept.iterdir())


def test_records_that_come_or_go_are_seen_at_once(
    changed: Change, kept: Path, fills: list[Path]
) -> None:
    root = changed(REAL)
    opened(root, kept)
    changed(REAL, other=f"id: other\n{REAL}")
    found = opened(root, kept)
    assert len(ask(found.database, Asked()).ids) == 2
    (root / RECORD).with_name("other.yaml").unlink()
    assert value(opened(root, kept)) == "12.5"
    assert len(fills) == 3


def test_a_record_that_is_written_in_place_is_seen_where_it_is_in_the_answer(
    root: Path, kept: Path
) -> None:
    snapshot = opened(root, kept)
    [one] = answers(snapshot.database, ask(snapshot.database, Asked()).ids)
    assert snapshot.holds([one.file])
    edit(root, "value: 12.5", "value: 13.5")
    assert not snapshot.holds([one.file])
    assert value(Store(kept, 0.0).make(root, known=snapshot)) == "13.5"


def test_a_record_that_is_written_in_place_is_seen_when_all_files_are_looked_at(
    root: Path, kept: Path, fills: list[Path]
) -> None:
    opened(root, kept)
    edit(root, "value: 12.5", "value: 13.5")
    assert value(opened(root, kept, LOOK_S + 1)) == "13.5"
    assert value(opened(root, kept, -1)) == "13.5"  # of a clock that was set back
    assert len(fills) == 2


def test_a_look_at_all_files_lasts_for_a_while(
    root: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[Snapshot] = []
    whole = module._whole  # noqa: SLF001  (how often it runs is what is tested)

    def looked(one: Snapshot, meta: dict[str, str] | None = None) -> bool:
        looks.append(one)
        return whole(one, meta)

    monkeypatch.setattr(module, "_whole", looked)
    opened(root, kept)
    opened(root, kept, LOOK_S - 1)
    assert looks == []
    opened(root, kept, LOOK_S + 1)
    opened(root, kept)
    assert len(looks) == 1


def test_many_files_of_an_answer_are_looked_at_as_all_files(
    root: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FEW_FILES", 0)
    snapshot = opened(root, kept)
    [one] = answers(snapshot.database, ask(snapshot.database, Asked()).ids)
    assert snapshot.holds([one.file])
    edit(root, "value: 12.5", "value: 13.5")
    assert not snapshot.holds([one.file])


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("cut off", lambda data: data[: len(data) // 2]),
        ("empty", lambda _: b""),
        ("nonsense", lambda _: b"not a database " * 1000),
        ("a damaged head", lambda data: b"\x00" * 100 + data[100:]),
    ],
)
def test_a_snapshot_that_is_damaged_is_made_anew(
    name: str, damage: Callable[[bytes], bytes], root: Path, kept: Path
) -> None:
    opened(root, kept)
    [path] = kept.glob("*.sqlite")
    path.write_bytes(damage(path.read_bytes()))
    assert value(opened(root, kept)) == "12.5", name


def test_a_folder_in_its_place_is_left_and_nothing_is_kept(root: Path, kept: Path) -> None:
    opened(root, kept)
    [path] = kept.glob("*.sqlite")
    path.unlink()
    path.mkdir()
    assert value(opened(root, kept)) == "12.5"


def test_a_snapshot_of_other_code_is_made_anew(
    root: Path, kept: Path, fills: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(root, kept)
    monkeypatch.setattr(module, "of_code", lambda: "0.0.1 12 cpython-99")
    opened(root, kept)
    assert len(fills) == 2


def test_a_snapshot_of_another_root_is_made_anew_although_its_name_is_the_same(
    root: Path, kept: Path, fills: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_name", lambda _: "one-name")
    opened(root, kept)
    moved = root.with_name(f"{root.name}-moved")
    root.rename(moved)
    assert value(opened(moved, moved / "cache")) == "12.5"
    assert fills == [root, moved]


def test_a_folder_that_others_can_write_into_is_not_trusted(
    root: Path, kept: Path, fills: list[Path]
) -> None:
    opened(root, kept)
    kept.chmod(0o777)
    assert value(opened(root, kept)) == "12.5"
    assert value(opened(root, kept)) == "12.5"
    assert len(fills) == 3


def test_without_a_folder_nothing_is_kept_and_the_answer_is_the_same(root: Path) -> None:
    before = sorted(root.rglob("*"))
    assert value(opened(root, None)) == "12.5"
    assert value(opened(root, root / RECORD)) == "12.5"
    assert sorted(root.rglob("*")) == before


def test_records_that_are_fixed_are_not_looked_at(root: Path, kept: Path) -> None:
    Store(kept, 0.0).open(root, fixed=True)
    edit(root, "value: 12.5", "value: 13.5")
    snapshot = Store(kept, 1e12).open(root, fixed=True)
    assert snapshot.holds(range(1000))
    assert value(snapshot) == "12.5"


def test_nothing_is_left_of_a_snapshot_that_could_not_be_made(
    root: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_fill", broken)
    with pytest.raises(KeyboardInterrupt):
        opened(root, kept)
    assert not [path for path in kept.iterdir() if path.suffix != ".lock"]


def test_several_processes_at_once_get_the_same_answer_from_one_snapshot(
    root: Path, kept: Path
) -> None:
    command = [
        sys.executable,
        "-m",
        "benchreg",
        "query",
        "--format",
        "csv",
        "--registry",
        str(root),
    ]
    own = os.environ | {"BENCHREG_CACHE": str(kept)}
    running = [subprocess.Popen(command, env=own, stdout=subprocess.PIPE) for _ in range(4)]
    told = {one.communicate()[0] for one in running}
    assert [one.returncode for one in running] == [0, 0, 0, 0]
    assert len(told) == 1
    assert [path.suffix for path in sorted(kept.iterdir())] == [".lock", ".sqlite"]


def test_names_that_are_no_text_break_nothing(root: Path, kept: Path) -> None:
    odd = os.fsencode(root / "records/benchmarks/example-source") + b"/x\xff.yaml"
    with open(odd, "wb"):  # noqa: PTH123  (a path of bytes)
        pass
    assert value(opened(root, kept)) == value(opened(root, kept)) == "12.5"


def test_an_answer_of_nothing_looks_at_every_file(root: Path, kept: Path) -> None:
    snapshot = opened(root, kept)
    assert snapshot.holds([])
    edit(root, "value: 12.5", "value: 13.5")
    assert not snapshot.holds([])


def test_an_entry_of_the_catalogue_is_looked_at_each_time(
    root: Path, kept: Path, fills: list[Path]
) -> None:
    opened(root, kept)
    with (root / "records/models/example-model.yaml").open("a", encoding="utf-8") as file:
        file.write("# more\n")
    opened(root, kept)
    assert len(fills) == 2


@pytest.mark.parametrize("kind", ["a folder", "a link"])
def test_something_else_in_the_place_of_the_lock_is_no_end(
    kind: str, root: Path, kept: Path
) -> None:
    opened(root, kept)
    [lock], [path] = kept.glob("*.lock"), kept.glob("*.sqlite")
    lock.unlink()
    path.unlink()
    if kind == "a folder":
        lock.mkdir()
    else:
        lock.symlink_to(root / RECORD)
    assert value(opened(root, kept)) == "12.5"


def test_a_pipe_in_its_place_does_not_hang(root: Path, kept: Path) -> None:
    opened(root, kept)
    [path] = kept.glob("*.sqlite")
    path.unlink()
    os.mkfifo(path)
    assert value(opened(root, kept)) == "12.5"


def test_what_ended_processes_left_is_taken_away(root: Path, kept: Path) -> None:
    opened(root, kept)
    left = kept / "x-1.part"
    left.touch()
    os.utime(left, (0, 0))
    edit(root, "value: 12.5", "value: 13.5")
    opened(root, kept, LOOK_S + 1)
    assert not left.exists()
