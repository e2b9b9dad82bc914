"""A registry is found from where one stands, and benchreg brings its own."""

from pathlib import Path

import pytest

from benchreg.registry.roots import find_root, own_root
from benchreg.values.errors import BenchregError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a folder with one file in its registry."""
    (tmp_path / "records/engines").mkdir(parents=True)
    (tmp_path / "records/engines/swift.yaml").write_text("id: swift", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "start", [".", "records", "records/engines", "records/engines/swift.yaml", "other/folder"]
)
def test_the_root_is_the_nearest_folder_that_holds_records(root: Path, start: str) -> None:
    (root / "other/folder").mkdir(parents=True)
    assert find_root(root / start) == root


def test_a_nearer_root_hides_one_above_it(root: Path) -> None:
    (root / "inner/records").mkdir(parents=True)
    assert find_root(root / "inner/records") == root / "inner"


def test_the_root_is_found_from_where_one_stands(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root / "records/engines")
    assert find_root(Path("swift.yaml")) == root


def test_a_start_that_is_not_there_is_bad_use(root: Path) -> None:
    with pytest.raises(BenchregError, match="there is no such file or folder"):
        find_root(root / "nothing")


def test_a_start_without_records_above_it_is_bad_use(tmp_path: Path) -> None:
    with pytest.raises(BenchregError, match="name one with --registry"):
        find_root(tmp_path)


def test_benchreg_comes_with_records() -> None:
    assert (own_root() / "records").is_dir()
