"""A file that is asked for is written whole, in its place, or not at all."""

import os
from pathlib import Path

import pytest

from benchreg.cli import output
from benchreg.values.errors import BenchregError


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    output.write(path, "one")
    output.write(path, "two")
    assert path.read_text(encoding="utf-8") == "two\n"
    assert [file.name for file in tmp_path.iterdir()] == ["a.json"]


def test_a_file_may_be_read_by_whom_the_user_allows(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        output.write(tmp_path / "a", "one")
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o644


def test_what_cannot_be_encoded_is_escaped(tmp_path: Path) -> None:
    output.write(tmp_path / "a", "a \ud800 b")
    assert (tmp_path / "a").read_text(encoding="utf-8") == "a \\ud800 b\n"


def test_a_link_is_neither_followed_nor_replaced(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("kept", encoding="utf-8")
    (tmp_path / "link").symlink_to(target)
    with pytest.raises(BenchregError, match="link: is there already, and is not a plain file"):
        output.write(tmp_path / "link", "one")
    assert target.read_text(encoding="utf-8") == "kept"
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize(
    ("name", "path", "message"),
    [
        ("a folder that is not there", "no/a", "no/a: cannot be written: there is no folder"),
        ("a folder", "folder", "folder: is there already, and is not a plain file"),
        ("a pipe", "pipe", "pipe: is there already, and is not a plain file"),
        ("a file as a folder", "file/a", "file/a: cannot be written: there is no folder"),
        ("too long", "a" * 300, "cannot be written: File name too long"),
    ],
)
def test_a_place_where_no_file_can_be_is_refused(
    name: str, path: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    before = sorted(tmp_path.iterdir())
    for act in (output.check, lambda where: output.write(where, "one")):
        with pytest.raises(BenchregError, match=message):
            act(tmp_path / path)
    assert sorted(tmp_path.iterdir()) == before, name


def test_a_file_that_breaks_off_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    output.write(path, "one")

    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(BenchregError, match="a: cannot be written: No space left on device"):
        output.write(path, "two")
    assert path.read_text(encoding="utf-8") == "one\n"
    assert [file.name for file in tmp_path.iterdir()] == ["a"]


def test_a_text_is_added_to_what_others_wrote(tmp_path: Path) -> None:
    path = tmp_path / "summary"
    path.write_text("theirs\n", encoding="utf-8")
    output.append(path, "ours")
    assert path.read_text(encoding="utf-8") == "theirs\nours\n"
    with pytest.raises(BenchregError, match="cannot be written: Is a directory"):
        output.append(tmp_path, "ours")
