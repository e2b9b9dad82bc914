"""A run file that is imported again: no second record, and nothing lost of the first."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Capture = pytest.CaptureFixture[str]
Import = Callable[..., int]
FOLDER = "records/benchmarks/my-runs"
RUN: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data/vllm-run.json").read_text(encoding="utf-8")
)


@pytest.fixture
def root(own_runs: Path) -> Path:
    """The registry that `imported` imports into."""
    return own_runs


def files(root: Path) -> list[Path]:
    return sorted((root / FOLDER).rglob("*")) if (root / FOLDER).exists() else []


def test_a_second_import_changes_no_byte(imported: Import, root: Path, capsys: Capture) -> None:
    imported(first=RUN)
    [path] = files(root)
    before = path.read_bytes()
    assert imported(first=RUN) == 0
    assert path.read_bytes() == before
    assert "1 unchanged" in capsys.readouterr().err


def test_an_update_keeps_what_a_curator_wrote(imported: Import, root: Path) -> None:
    imported(first=RUN)
    [path] = files(root)
    path.write_text(path.read_text(encoding="utf-8") + "notes: a curator was here\n", "utf-8")
    assert imported("--set=engine.version=0.11.0", first=RUN) == 1
    assert imported("--update", "--set=engine.version=0.11.0", first=RUN) == 0
    after = path.read_text(encoding="utf-8")
    assert 'version: "0.11.0"' in after
    assert "a curator was here" in after


def test_a_file_that_is_reached_twice_is_one_run(
    imported: Import, root: Path, capsys: Capture
) -> None:
    path = root / "runs/first.json"
    assert imported(str(path), str(root / "runs/../runs"), first=RUN) == 0
    assert "1 run: 1 record written" in capsys.readouterr().err


def test_a_copy_of_a_file_is_left_out_and_told_by_its_path(
    imported: Import, root: Path, capsys: Capture
) -> None:
    assert imported(copy=RUN, first=RUN) == 0
    told = capsys.readouterr().err
    assert f"left out, is a copy of {root / 'runs/copy.json'}: 1" in told
    assert len(files(root)) == 1


def test_a_run_of_which_more_is_known_stays_one_record(imported: Import, root: Path) -> None:
    imported(first=RUN)
    [path] = files(root)
    words = ("--set=accelerator=example-gpu-40gb", "--set=count=1")
    assert imported("--into=elsewhere", *words, first=RUN) == 1
    assert imported("--update", *words, first=RUN) == 0
    assert files(root) == [path]
    assert "example-gpu-40gb" in path.read_text(encoding="utf-8")
    assert imported(first=RUN) == 0  # the file says nothing that is not there
    assert "example-gpu-40gb" in path.read_text(encoding="utf-8")


def test_a_record_that_a_curator_renamed_is_found_again(imported: Import, root: Path) -> None:
    imported(first=RUN)
    [path] = files(root)
    text = path.read_text(encoding="utf-8").replace(f"id: {path.stem}", "id: a-nice-name")
    path.unlink()
    path.with_name("a-nice-name.yaml").write_text(text, encoding="utf-8")
    assert imported("--update", "--set=engine.version=0.11.0", first=RUN) == 0
    assert [one.name for one in files(root)] == ["a-nice-name.yaml"]


def test_an_import_on_another_day_changes_nothing(imported: Import, root: Path) -> None:
    imported(first=RUN)
    [path] = files(root)
    day = re.compile(r'retrieved: "[0-9-]+"')
    text = day.sub('retrieved: "2026-01-02"', path.read_text(encoding="utf-8"))
    path.write_text(text, encoding="utf-8")
    assert imported(first=RUN) == 0
    assert imported("--update", first=RUN) == 0
    assert path.read_text(encoding="utf-8") == text


def test_what_is_there_and_cannot_be_read_is_told_in_plain_words(
    imported: Import, root: Path, capsys: Capture
) -> None:
    imported(first=RUN)
    [path] = files(root)
    path.write_text("id: a\nid: b\n", encoding="utf-8")
    assert imported("--update", first=RUN) == 1
    told = capsys.readouterr().err
    assert "cannot be brought up to date: the key 'id' stands twice" in told
    assert "Place(" not in told


def test_long_names_keep_the_ids_of_a_sweep_apart(imported: Import, root: Path) -> None:
    named = {**RUN, "model_id": "example-org/" + "long-" * 30 + "name"}
    lines = "\n".join(json.dumps({**named, "max_concurrency": cap}) for cap in (1, 8))
    assert imported(sweep=lines) == 0
    assert all(len(path.stem) <= 120 for path in files(root))
    assert len(files(root)) == 2
