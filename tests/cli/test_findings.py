"""`benchreg findings` answers what no single record answers, in a form that is asked for."""

import csv
import io
import json

import pytest

from benchreg.cli.main import run
from benchreg.registry.roots import own_root

Capture = pytest.CaptureFixture[str]
pytestmark = pytest.mark.usefixtures("shipped_once")
SHIPPED = ("--registry", str(own_root()))
NAME = "server-above-offline"


def test_every_answer_is_printed_with_what_was_counted(capsys: Capture) -> None:
    assert run(["findings", *SHIPPED]) == 0
    out = capsys.readouterr().out
    assert "How often is MLPerf Server above Offline on the same system?\n\nIn " in out
    assert "| part " in out


def test_each_form_has_the_same_rows(capsys: Capture) -> None:
    run(["findings", NAME, "--format", "json", *SHIPPED])
    told = json.loads(capsys.readouterr().out)
    run(["findings", NAME, "--format", "csv", *SHIPPED])
    header, *rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert (told["name"], told["header"], told["rows"]) == (NAME, header, rows)
    run(["findings", NAME, *SHIPPED])
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert len(lines) == len(rows) + 2
    assert len({len(line) for line in lines}) == 1


def test_a_name_that_there_is_not_is_bad_use(capsys: Capture) -> None:
    assert run(["findings", "server-above-offlin", *SHIPPED]) == 2
    assert f"did you mean '{NAME}'" in capsys.readouterr().err


def test_a_registry_without_an_answer_ends_with_4(base: object, capsys: Capture) -> None:
    assert run(["findings", NAME, "--registry", str(base)]) == 4
    assert "In 0 of 0 pairs" in capsys.readouterr().out
