"""A file is written whole, or what was there stays."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.registry.whole import replace, write
from benchreg.values.errors import BenchregError

BOTH = pytest.mark.parametrize("act", [write, replace])
Act = Callable[[Path, bytes], None]


def test_a_file_that_is_not_there_is_made_as_the_user_allows(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write(tmp_path / "a.yaml", b"new")
    finally:
        os.umask(before)
    assert (tmp_path / "a.yaml").read_bytes() == b"new"
    assert (tmp_path / "a.yaml").stat().st_mode & 0o777 == 0o640


@BOTH
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755])
def test_a_file_that_is_there_keeps_its_mode(act: Act, mode: int, tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"old")
    path.chmod(mode)
    act(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == mode
    assert list(tmp_path.iterdir()) == [path]


@BOTH
def test_a_file_is_never_open_to_more_than_it_was(
    act: Act, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, opened = tmp_path / "a.yaml", []
    path.write_bytes(b"old")
    path.chmod(0o600)
    chmod = os.fchmod

    def seen(handle: int, mode: int) -> None:
        opened.append(os.fstat(handle).st_mode & 0o777)
        chmod(handle, mode)

    monkeypatch.setattr(os, "fchmod", seen)
    act(path, b"new")
    assert opened == [0o600]


@BOTH
def test_a_link_is_replaced_and_not_what_it_leads_to(act: Act, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(b"old")
    (tmp_path / "b.yaml").symlink_to("a.yaml")
    before = os.umask(0o022)
    try:
        act(tmp_path / "b.yaml", b"new")
    finally:
        os.umask(before)
    assert (tmp_path / "a.yaml").read_bytes() == b"old"
    assert not (tmp_path / "b.yaml").is_symlink()
    assert (tmp_path / "b.yaml").stat().st_mode & 0o777 == 0o644


@BOTH
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
@pytest.mark.parametrize(("where", "name"), [(os, "fchmod"), (Path, "replace")])
def test_an_interrupted_write_leaves_the_file_as_it_was(
    act: Act, where: object, name: str, error: BaseException, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    path = tmp_path / "a.yaml"
    path.write_bytes(b"old")

    def interrupted(*_: object) -> None:
        raise error

    monkeypatch.setattr(where, name, interrupted)
    with pytest.raises((KeyboardInterrupt, BenchregError)):
        act(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@BOTH
@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_bad_use(act: Act, tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"old")
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(BenchregError, match="cannot be written: Permission denied"):
            act(path, b"new")
    finally:
        tmp_path.chmod(0o700)
    assert path.read_bytes() == b"old"


def test_a_file_that_is_gone_cannot_be_replaced(tmp_path: Path) -> None:
    with pytest.raises(BenchregError, match=r"a\.yaml: cannot be written: No such file"):
        replace(tmp_path / "a.yaml", b"new")
    assert list(tmp_path.iterdir()) == []


@BOTH
def test_where_no_folder_is_nothing_is_written(act: Act, tmp_path: Path) -> None:
    with pytest.raises(BenchregError, match="cannot be written: No such file"):
        act(tmp_path / "nothing/a.yaml", b"new")


@BOTH
def test_a_folder_is_no_file(act: Act, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(BenchregError, match="cannot be written: Is a directory"):
        act(tmp_path / "a", b"new")
    assert list(tmp_path.iterdir()) == [tmp_path / "a"]
