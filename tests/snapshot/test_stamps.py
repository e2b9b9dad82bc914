"""A stamp changes when a file does, whatever a program sets its times to."""

import os
from pathlib import Path

import pytest

from benchreg.snapshot.stamps import named, of_code, same, stamps

RECORD = "records/benchmarks/example-source/base-record.yaml"


def test_nothing_changed_is_the_same(base: Path) -> None:
    first, second = stamps(base), stamps(base)
    assert first == second
    assert same(base, named(first.files))
    assert same(base, named(first.folders), folders=True)
    assert len(first.files) > 10


def test_a_file_that_is_written_in_place_has_another_stamp(base: Path) -> None:
    before, file = stamps(base), base / RECORD
    found = file.stat()
    with file.open("r+b") as open_file:
        open_file.write(b"#")
    os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns))  # as a program might that keeps times
    assert not same(base, named(before.files))
    assert stamps(base).total != before.total


@pytest.mark.parametrize("change", ["added", "deleted", "renamed"])
def test_a_folder_whose_names_change_has_another_stamp(base: Path, change: str) -> None:
    before, file = stamps(base), base / RECORD
    os.utime(file.parent, ns=(0, 0))
    old = stamps(base)
    match change:
        case "added":
            (file.parent / "new.yaml").touch()
        case "deleted":
            file.unlink()
        case _:
            file.rename(file.with_name("other.yaml"))
    assert not same(base, named(old.folders), folders=True)
    assert before.folders.keys() == stamps(base).folders.keys()


def test_a_link_is_not_followed(base: Path, tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far/x.yaml").touch()
    (base / "records/engines/loop").symlink_to(tmp_path / "far")
    assert not any(path.endswith("x.yaml") for path in stamps(base).files)


def test_the_code_has_a_stamp_that_stays() -> None:
    assert of_code() == of_code()
