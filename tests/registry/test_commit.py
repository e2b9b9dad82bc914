"""A commit becomes the registry that its files would be, and nothing is checked out."""

import gc
import os
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import IO

import pytest

from benchreg.registry import git as door
from benchreg.registry.commit import load_commit
from benchreg.registry.dialect import MOST_BYTES
from benchreg.registry.git import merge_base
from benchreg.registry.load import load
from benchreg.registry.refusal import Refusal
from benchreg.registry.registry import Registry
from benchreg.values.errors import BenchregError

Git = Callable[..., str]
ENGINE = b"id: swift\nname: Swift\n"


@pytest.fixture
def root(tmp_path: Path, git: Git) -> Path:
    """Return a repository whose first commit holds one engine."""
    (tmp_path / "records/engines").mkdir(parents=True)
    (tmp_path / "records/engines/swift.yaml").write_bytes(ENGINE)
    git(tmp_path, "init", "--quiet")
    committed(tmp_path, git)
    return tmp_path


def committed(root: Path, git: Git) -> str:
    git(root, "add", "--all", "--force")
    git(root, "commit", "--quiet", "--allow-empty", "--message", "more")
    return git(root, "rev-parse", "HEAD")


def said(registry: Registry) -> tuple[object, ...]:
    return (registry.entries, registry.refusals, registry.documents, registry.broken)


def test_the_shipped_records_are_the_same_from_a_commit(records: Path, git: Git) -> None:
    git(records, "init", "--quiet")
    registry = load_commit(records, committed(records, git))
    assert len(registry.records) > 30
    assert said(registry) == said(load(records))


CASES = [
    ("records/engines/a.yaml", b"id: a\nname: &x A\n"),
    ("records/engines/b.yaml", b"id: b\nnmae: B\n"),
    ("records/engines/c.yaml", b"\xff"),
    ("records/engines/d.yaml", b""),
    ("records/engines/e.yaml", b"\xef\xbb\xbfid: e\r\nname: E\r\n"),
    ("records/engines/f.yaml", "id: f\nname: F\n".encode("utf-16")),
    ("records/engines/g.yml", ENGINE),
    ("records/engines/README.md", b"\xff"),
    ("records/.gitattributes", b"* -text\n"),
    ("records/engines/LICENSE.yaml", b"id: h\nname: H\n"),
    ("records/engines/deep/i.yaml", ENGINE),
    ("records/benchmarks/a/b/c/j.yaml", b"id: j\n"),
    ("records/benchmarks/k.yaml", b"id: k\n"),
    ("records/engines/l.yaml", b"id: l\nname: L\n#" + b"x" * MOST_BYTES),
    ("records/engines/m.yaml", b"id: swift\nname: Swift\n"),
    ("records/a b/n.yaml", ENGINE),
    ("records/a b/o.yaml", ENGINE),
    ("records/a b/c\n/p.yaml", ENGINE),
    ("records/engines/\x1b[2J.yaml", ENGINE),
    (os.fsdecode(b"records/engines/\xff.yaml"), ENGINE),
    ("records/engines/a:1:1: SCH001.yaml", ENGINE),
    ("records/" + "d/" * 300 + "q.yaml", ENGINE),
    ("other/a.yaml", b"\xff"),
]


@pytest.mark.parametrize(("path", "data"), CASES, ids=lambda value: repr(value)[:40])
def test_a_file_of_a_commit_is_what_it_is_in_a_folder(
    path: str, data: bytes, root: Path, git: Git
) -> None:
    at = root / path
    at.parent.mkdir(parents=True, exist_ok=True)
    at.write_bytes(data)
    assert said(load_commit(root, committed(root, git))) == said(load(root))


def test_all_of_them_together_are_too(root: Path, git: Git) -> None:
    for path, data in CASES:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    (root / "records/engines/link.yaml").symlink_to("swift.yaml")
    (root / "records/models").symlink_to("engines")
    (root / "records/README.md").symlink_to("engines")
    (root / "records/engines/swift.yaml").chmod(0o755)
    registry = load(root)
    commit = committed(root, git)
    assert len(registry.refusals) > 15
    assert said(load_commit(root, commit)) == said(registry)
    assert said(load_commit(root, commit, registry)) == said(registry)


def test_a_submodule_is_refused(root: Path, git: Git) -> None:
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},records/models")
    git(root, "commit", "--quiet", "--message", "module")
    registry = load_commit(root, merge_base(root, "HEAD"))
    assert registry.refusals == (
        Refusal("records/models", "dialect", "a submodule", "put the files themselves here"),
    )


def test_a_commit_without_records_is_an_empty_registry(root: Path, git: Git) -> None:
    git(root, "mv", "records", "elsewhere")
    registry = load_commit(root, committed(root, git))
    assert said(registry)[:2] == ((), ())


def test_records_that_are_a_link_in_the_commit_are_no_registry(root: Path, git: Git) -> None:
    git(root, "mv", "records", "elsewhere")
    (root / "records").symlink_to("elsewhere")
    with pytest.raises(BenchregError, match="records/ is no folder in the commit"):
        load_commit(root, committed(root, git))


def test_a_registry_below_the_top_is_found_in_the_commit(root: Path, git: Git) -> None:
    (root / "inner/records/engines").mkdir(parents=True)
    (root / "inner/records/engines/other.yaml").write_bytes(b"id: other\nname: Other\n")
    assert list(load_commit(root / "inner", committed(root, git)).engines) == ["other"]


def test_nothing_is_checked_out_and_the_index_stays(root: Path, git: Git) -> None:
    commit = git(root, "rev-parse", "HEAD")
    (root / "records/engines/swift.yaml").unlink()
    (root / "records/engines/other.yaml").write_bytes(b"id: other\nname: Other\n")
    index = (root / ".git/index").read_bytes()
    assert list(load_commit(root, commit).engines) == ["swift"]
    assert list(load(root).engines) == ["other"]
    assert (root / ".git/index").read_bytes() == index


def test_what_stays_the_same_is_not_read_again(
    root: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "records/engines/other.yaml").write_bytes(b"id: other\nname: Other\n")
    commit = committed(root, git)
    (root / "records/engines/other.yaml").write_bytes(b"id: other\nname: Changed\n")
    registry = load(root)
    asked: list[str] = []
    batch = door._batch  # noqa: SLF001  (what is asked of git is what is tested)

    def counted(root: Path, how: str, ids: list[str]) -> IO[bytes]:
        asked.extend(ids)
        return batch(root, how, ids)

    monkeypatch.setattr(door, "_batch", counted)
    base = load_commit(root, commit, registry)
    assert set(asked) == {git(root, "rev-parse", "HEAD:records/engines/other.yaml")}
    assert base.engines["swift"] is registry.engines["swift"]
    assert base.engines["other"].name == "Other"


@pytest.mark.parametrize(
    ("name", "data", "others"),
    [
        ("line ends", b"id: swift\r\nname: Swift\r\n", ENGINE),
        ("a mark", b"\xef\xbb\xbf" + ENGINE, ENGINE),
        ("an encoding", ENGINE.decode().encode("utf-16"), ENGINE),
        ("a value", b"id: swift\nname: Swifter\n", ENGINE),
        ("a comment", b"# new\n" + ENGINE, ENGINE),
        ("what is refused", b"id: swift\nnmae: Swift\n", ENGINE),
    ],
)
def test_what_changed_is_read_from_the_commit(
    name: str, data: bytes, others: bytes, root: Path, git: Git
) -> None:
    (root / "records/engines/swift.yaml").write_bytes(data)
    registry = load(root)
    (root / "records/engines/swift.yaml").write_bytes(others)
    base = load_commit(root, git(root, "rev-parse", "HEAD"), registry)
    assert said(base) == said(load(root)), name


def test_it_is_judged_by_the_same_judges_on_the_same_day(root: Path, git: Git) -> None:
    commit = git(root, "rev-parse", "HEAD")
    registry = load(root, cross_validate=True, today=date(2026, 11, 30))
    base = load_commit(root, commit, registry)
    assert (base.cross_validated, base.today) == (True, "2026-11-30")
    assert (load_commit(root, commit).cross_validated, load_commit(root, commit).today) == (
        False,
        "",
    )


def test_the_collector_of_garbage_works_again(root: Path, git: Git) -> None:
    load_commit(root, git(root, "rev-parse", "HEAD"))
    assert gc.isenabled()
    with pytest.raises(BenchregError):
        load_commit(root, "1" * 40)
    assert gc.isenabled()
