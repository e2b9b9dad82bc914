"""A folder is searched in order; what is no run, a link or hidden is not opened."""

from pathlib import Path

import pytest

from benchreg.importers.opened import LOG
from benchreg.importers.submission import LeftOut
from benchreg.importers.walk import Asked, walked


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with run files in several places."""
    for name in ("b.json", "a.json", "sub/c.json", ".hidden.json", ".git/d.json"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("{}", encoding="utf-8")
    (tmp_path / "link.json").symlink_to("a.json")
    (tmp_path / "way").symlink_to("sub", target_is_directory=True)
    return tmp_path


def opened(root: Path) -> list[str]:
    found = walked([root])
    return [one.path.relative_to(root).as_posix() for one in found if isinstance(one, Asked)]


def test_files_of_a_folder_come_in_order_without_links_and_hidden_ones(folder: Path) -> None:
    assert opened(folder) == ["a.json", "b.json", "sub/c.json"]


def test_what_is_named_is_opened_whatever_it_is(folder: Path) -> None:
    names = [folder / ".hidden.json", folder / "nothing.json"]
    assert list(walked(names)) == [Asked(name, named=True) for name in names]


def test_a_run_folder_is_one_run_and_its_files_are_not_opened(folder: Path) -> None:
    run = folder / "sub/run"
    run.mkdir()
    for name in (LOG, "mlperf_log_accuracy.json"):
        (run / name).write_text("{}", encoding="utf-8")
    assert opened(folder) == ["sub/run", "a.json", "b.json", "sub/c.json"]
    assert list(walked([run])) == [Asked(run, named=True)]


def test_of_a_submission_only_its_runs_are_opened(folder: Path) -> None:
    division = folder / "inference_results_v5.1/closed/Example"
    run = division / "results/1xExample/llama2-70b-99/Offline/performance/run_1"
    check = division / "results/1xExample/llama2-70b-99/Offline/accuracy"
    for place in (run, check, division / "systems"):
        place.mkdir(parents=True)
        (place / "x.json").write_text("{}", encoding="utf-8")
    (run / LOG).write_text("x", encoding="utf-8")
    (check / LOG).write_text("x", encoding="utf-8")
    assert opened(folder) == [run.relative_to(folder).as_posix(), "a.json", "b.json", "sub/c.json"]
    left = [one for one in walked([folder]) if isinstance(one, LeftOut)]
    assert [one.path.name for one in left] == ["accuracy", "way"]
    assert all(one.reason for one in left)
