"""The folders of a submission say what a result is, and which of them hold one."""

import os
from pathlib import Path

import pytest

from benchreg.importers import submission as module
from benchreg.importers.statement import RunError
from benchreg.importers.submission import LeftOut, entry, found

LOG = "mlperf_log_detail.txt"
RESULT = "closed/Example/results/1xExample/llama2-70b-99.9/Server"


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    return path


def below(root: Path) -> tuple[list[str], dict[str, str]]:
    """Return what is found below a folder, and what is left out with the reason."""
    seen = list(found(root))
    paths = [one.relative_to(root).as_posix() for one in seen if isinstance(one, Path)]
    left = {
        one.path.relative_to(root).as_posix(): one.reason
        for one in seen
        if isinstance(one, LeftOut)
    }
    return paths, left


def test_the_way_to_a_result_says_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "inference_results_v5.1" / RESULT / "performance/run_1" / LOG
    one = entry(path)
    assert one is not None
    assert (one.round, one.division, one.submitter) == ("v5.1", "closed", "Example")
    assert (one.system, one.benchmark, one.model) == ("1xExample", "llama2-70b-99.9", "llama2-70b")
    assert (one.scenario, one.path) == ("server", RESULT)
    assert one.locator == f"{RESULT}/performance/run_1/{LOG}"
    assert entry(path.parent / ".." / "run_1" / LOG) == one


@pytest.mark.parametrize(
    ("folder", "scenario"),
    [
        ("offline", "offline"),
        ("SERVER", "server"),
        ("Interactive", "interactive"),
        ("SingleStream", "single_stream"),
        ("single_stream", "single_stream"),
        ("multi-stream", "multi_stream"),
    ],
)
def test_a_scenario_is_read_in_any_case(tmp_path: Path, folder: str, scenario: str) -> None:
    one = entry(tmp_path / "open/E/results/S/m" / folder / "performance/run_1" / LOG)
    assert one is not None
    assert (one.division, one.scenario) == ("open", scenario)


def test_a_round_is_that_of_the_nearest_folder_and_empty_without_one(tmp_path: Path) -> None:
    log = f"{RESULT}/performance/run_1/{LOG}"
    nearest = entry(tmp_path / "v4.0/mlperf-v5.0" / log)
    assert nearest is not None
    assert nearest.round == "v5.0"
    none = entry(Path("/results-v5/abc") / log)
    assert none is not None
    assert none.round == ""


def test_the_summary_of_an_endpoint_lies_in_no_run_folder(tmp_path: Path) -> None:
    assert entry(tmp_path / RESULT / "performance/result_summary.json") is not None
    assert entry(tmp_path / RESULT / "performance/run_1/result_summary.json") is None


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("no submission", "runs/today"),
        ("no division", "secret/E/results/S/m/Server/performance/run_1"),
        ("no scenario", "closed/E/results/S/m/Fast/performance/run_1"),
        ("another run", "closed/E/results/S/m/Server/performance/run_2"),
        ("no performance", "closed/E/results/S/m/Server/accuracy"),
        ("not of results", "closed/E/measurements/S/m/Server/performance/run_1"),
        ("too short", "closed/E"),
    ],
)
def test_what_lies_elsewhere_is_no_result(tmp_path: Path, name: str, way: str) -> None:
    assert entry(tmp_path / way / LOG) is None, name


@pytest.mark.parametrize(
    "way",
    [
        "closed/E/compliance/S/m/Server/TEST06/performance/run_1",
        "closed/E/results/S/m/Server/TEST01/performance/run_1",
    ],
)
def test_a_compliance_run_is_refused_where_it_is_named(tmp_path: Path, way: str) -> None:
    with pytest.raises(RunError, match="compliance"):
        entry(tmp_path / way / LOG)


def test_a_folder_of_ones_own_called_test_is_no_compliance_run(tmp_path: Path) -> None:
    assert entry(tmp_path / "open/test01/runs/a/b/c/d" / LOG) is None


def test_runs_are_found_in_order_and_what_is_none_is_left_out_with_a_reason(tmp_path: Path) -> None:
    for way in (
        f"{RESULT}/performance/run_1/{LOG}",
        f"{RESULT}/performance/run_2/{LOG}",
        f"{RESULT}/performance/ranging/{LOG}",
        f"{RESULT}/accuracy/{LOG}",
        f"{RESULT}/TEST06/performance/run_1/{LOG}",
        f"closed/Example/compliance/1xExample/llama2-70b-99/Server/TEST06/performance/run_1/{LOG}",
        "closed/Example/results/0xExample/deepseek-r1/Offline/performance/result_summary.json",
        "closed/Example/systems/1xExample.json",
        f".git/{LOG}",
    ):
        put(tmp_path / way)
    paths, left = below(tmp_path)
    assert paths == [
        "closed/Example/results/0xExample/deepseek-r1/Offline/performance/result_summary.json",
        f"{RESULT}/performance/run_1",
    ]
    assert {way: why.split(",")[0] for way, why in left.items()} == {
        "closed/Example/compliance": "a compliance run checks the rules",
        f"{RESULT}/TEST06": "a compliance run checks the rules",
        f"{RESULT}/accuracy": "the accuracy run of a result",
        f"{RESULT}/performance/ranging": "the ranging run of a power measurement",
        f"{RESULT}/performance/run_2": "only run_1 is the result",
    }


def test_a_run_folder_is_found_as_itself_and_so_is_a_file(tmp_path: Path) -> None:
    log = put(tmp_path / LOG)
    assert list(found(tmp_path)) == [tmp_path]
    assert list(found(log)) == [log]


def test_an_empty_folder_holds_nothing(tmp_path: Path) -> None:
    assert list(found(tmp_path)) == []


def test_links_are_left_out(tmp_path: Path) -> None:
    outside = put(tmp_path / "outside" / LOG)
    put(tmp_path / "outside/result_summary.json")
    root = tmp_path / "root"
    (root / "run").mkdir(parents=True)
    (root / "run" / LOG).symlink_to(outside)
    (root / "linked").symlink_to(outside.parent)
    (root / "result_summary.json").symlink_to(outside.parent / "result_summary.json")
    (root / "round").symlink_to(root)
    paths, left = below(root)
    assert not paths
    assert set(left) == {f"run/{LOG}", "linked", "result_summary.json", "round"}
    assert set(left.values()) == {"is a link; links are not followed"}


def test_folders_without_end_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_DEPTH", 3)
    put(tmp_path / "a/b/c/d" / LOG)
    paths, left = below(tmp_path)
    assert not paths
    assert left == {"a/b/c": "lies more than 3 folders deep"}


def test_a_folder_that_cannot_be_read_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "closed").mkdir()
    scandir = os.scandir

    def listed(path: Path) -> object:
        if path.name == "closed":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", listed)
    _, left = below(tmp_path)
    assert left == {"closed": "cannot be read: Permission denied"}


def test_a_file_behind_a_link_is_not_read_as_one_of_the_submission(tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text('{"status": "available"}')
    root = tmp_path / "root"
    one = entry(root / RESULT / "performance/run_1" / LOG)
    assert one is not None
    one.systems().parent.mkdir(parents=True)
    one.systems().symlink_to(secret)
    assert one.tree(one.systems()) is None
    assert one.tree(secret) is None
    one.systems().unlink()
    one.systems().write_text('{"status": "available"}')
    assert one.tree(one.systems()) == {"status": "available"}


@pytest.mark.parametrize("text", ["[1, 2]", "{", '{"a": 1, "a": 2}', "", "plain"])
def test_a_file_that_holds_no_tree_is_as_if_it_were_not_there(tmp_path: Path, text: str) -> None:
    one = entry(tmp_path / RESULT / "performance/run_1" / LOG)
    assert one is not None
    one.systems().parent.mkdir(parents=True)
    one.systems().write_text(text)
    assert one.tree(one.systems()) is None
