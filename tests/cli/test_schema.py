"""`benchreg schema` prints and writes."""

import json
from pathlib import Path

import pytest

from benchreg.cli.main import run

Capture = pytest.CaptureFixture[str]


def test_a_schema_is_printed(capsys: Capture) -> None:
    assert run(["schema", "record"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "benchreg record"


def test_all_are_written_below_a_folder(tmp_path: Path) -> None:
    assert run(["schema", "--into", str(tmp_path / "new")]) == 0
    assert len(list((tmp_path / "new").glob("*.schema.json"))) == 8


def test_a_kind_that_is_not_there_is_answered_with_the_nearest(capsys: Capture) -> None:
    assert run(["schema", "recrod"]) == 2
    assert "did you mean 'record'?" in capsys.readouterr().err
