"""`benchreg show` by id, alias and figure."""

from pathlib import Path

import pytest

from benchreg.cli.main import run

Capture = pytest.CaptureFixture[str]
pytestmark = pytest.mark.usefixtures("shipped_once")


@pytest.mark.parametrize(
    "name",
    ["mpt-7b-a100-static-b64", "mpt-7b-a100-static-b64#output_rate",
     "mpt7b-a100-bs64-per-user-decode-tps", "mpt7b-a100-bs64-aggregate-output-tps"],
)  # fmt: skip
def test_a_record_is_found_by_every_name_of_it(name: str, capsys: Capture) -> None:
    assert run(["show", name]) == 0
    assert capsys.readouterr().out.startswith("mpt-7b-a100-static-b64: ")


def test_a_record_is_shown_with_what_the_roofline_says_of_each_figure(capsys: Capture) -> None:
    assert run(["show", "mpt-7b-a100-static-b64"]) == 0
    section = capsys.readouterr().out.partition("\nRoofline\n")[2].partition("\n\n")[0]
    named = [line.split(":")[0].strip() for line in section.splitlines() if ": plausible: " in line]
    assert named == ["completed_rate", "output_rate", "user_rate"]


def test_an_old_name_leads_to_its_figure(capsys: Capture) -> None:
    run(["show", "mpt7b-a100-bs64-per-user-decode-tps"])
    out = capsys.readouterr().out
    assert "mpt7b-a100-bs64-per-user-decode-tps is its figure user_rate" in out
    assert "> user_rate" in out


@pytest.mark.parametrize(
    ("name", "offered"),
    [
        ("mpt-7b-a100-static-b46", "mpt-7b-a100-static-b4"),
        ("mpt-7b-a100-static-b64#rate", "completed_rate"),
        ("zzz", "nothing is near"),
    ],
)
def test_a_name_that_is_not_there_is_answered_with_the_nearest(
    name: str, offered: str, capsys: Capture
) -> None:
    assert run(["show", name]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert offered in captured.err
    assert captured.err.count("\n") == 1


def test_a_hostile_name_reaches_no_terminal(capsys: Capture) -> None:
    assert run(["show", "\x1b[31m\u202e"]) == 2
    assert "\x1b" not in capsys.readouterr().err


def test_a_record_of_another_registry_is_shown(base: Path, capsys: Capture) -> None:
    assert run(["show", "base-record", "--registry", str(base)]) == 0
    assert "Absent conditions: 0 of 7" in capsys.readouterr().out
