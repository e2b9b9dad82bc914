"""`benchreg compare` as an analyst runs it; the exit code tells."""

import json

import pytest

from benchreg.cli.main import run
from benchreg.registry.roots import own_root

Capture = pytest.CaptureFixture[str]
OWN = ("--registry", str(own_root()))
ONE, OTHER = "mpt-7b-a100-static-b64", "mpt-7b-a100-static-b1"


def test_what_is_comparable_ends_with_0(capsys: Capture) -> None:
    assert run(["compare", *OWN, ONE, OTHER, "--across", "batch"]) == 0
    assert "NOT COMPARABLE" not in capsys.readouterr().out


def test_what_is_not_ends_with_1_and_names_why(capsys: Capture) -> None:
    assert run(["compare", *OWN, ONE, OTHER]) == 1
    out = capsys.readouterr().out
    assert "NOT COMPARABLE: 1 conditions differ or are not known" in out
    assert "level" in out


def test_three_figures_are_compared_together(capsys: Capture) -> None:
    names = [f"mpt-7b-a100-static-b{batch}#output_rate" for batch in (1, 8, 64)]
    assert run(["compare", *OWN, *names, "--across", "batch", "--format", "json"]) == 0
    [found] = json.loads(capsys.readouterr().out)
    assert [figure["value"] for figure in found["figures"]] == [57.6, 339.2, 800]
    assert [round(one["ratio"], 2) for one in found["ratios"]] == [5.89, 13.89]


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("one figure", [ONE], "name two figures or more"),
        ("none", [], "name two figures or more"),
        ("another name", ["mpt-7b-a100-static-b63", OTHER], "mpt-7b-a100-static-b64"),
        ("another condition", [ONE, OTHER, "--across", "bach"], "did you mean 'batch'"),
        ("another form", [ONE, OTHER, "--format", "csv"], "'csv' is not one of"),
    ],
)
def test_bad_use_is_one_clear_line(
    name: str, arguments: list[str], told: str, capsys: Capture
) -> None:
    assert run(["compare", *OWN, *arguments]) == 2, name
    assert told in capsys.readouterr().err
