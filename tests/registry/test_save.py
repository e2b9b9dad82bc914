"""Files are moved into a registry together: all of them, or what was there is there again."""

import os
from pathlib import Path

import pytest

from benchreg.registry.save import Staging
from benchreg.values.errors import BenchregError

PATHS = [f"records/benchmarks/new/r{count}.yaml" for count in range(3)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A registry with one file."""
    (tmp_path / "records/benchmarks").mkdir(parents=True)
    (tmp_path / "records/old.yaml").write_text("old\n", encoding="utf-8")
    return tmp_path


def found(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text("utf-8") if path.is_file() else ""
        for path in root.rglob("*")
    }


def commit(root: Path) -> None:
    with Staging(root) as staging:
        staging.add("records/old.yaml", "new\n", replace=True)
        for path in PATHS:
            staging.add(path, "text\n")
        staging.commit()


def test_all_files_are_moved_in_and_nothing_else_is_left(root: Path) -> None:
    commit(root)
    files = {path for path, text in found(root).items() if text}
    assert files == {"records/old.yaml", *PATHS}
    assert found(root)["records/old.yaml"] == "new\n"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_a_move_that_ends_half_way_is_taken_back(
    error: BaseException, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, real = found(root), os.link

    def failing(source: Path, target: Path) -> None:
        if target.name == "r2.yaml":
            raise error
        real(source, target)

    monkeypatch.setattr(os, "link", failing)
    if isinstance(error, OSError):
        monkeypatch.setattr(Path, "read_bytes", lambda _: (_ for _ in ()).throw(error))
    with pytest.raises((BenchregError, KeyboardInterrupt)):
        commit(root)
    monkeypatch.undo()
    assert found(root) == before


def test_a_file_system_without_hard_links_is_written_as_well(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    commit(root)
    assert found(root)[PATHS[2]] == "text\n"


def test_a_link_on_the_way_is_refused_wherever_it_leads(root: Path) -> None:
    (root / "records/models").mkdir()
    (root / "records/benchmarks/new").symlink_to("../models")
    with pytest.raises(BenchregError, match="records/benchmarks/new is a link"):
        commit(root)
    assert list((root / "records/models").iterdir()) == []


def test_a_file_where_a_folder_should_be_is_one_clear_line(root: Path) -> None:
    (root / "records/benchmarks/new").write_text("x", encoding="utf-8")
    with pytest.raises(BenchregError, match="records/benchmarks/new is no folder"):
        commit(root)


def test_what_a_killed_process_leaves_is_not_committed_by_git(root: Path) -> None:
    with Staging(root) as staging:
        [folder] = root.glob(".benchreg-*")
        assert (folder / ".gitignore").read_text("utf-8") == "*\n"
        staging.add(PATHS[0], "text\n")
    assert list(root.glob(".benchreg-*")) == []
