"""`benchreg query` as an analyst runs it."""

import json

import pytest

from benchreg.cli.main import run

Capture = pytest.CaptureFixture[str]


def test_offline_and_server_stand_apart_with_their_windows(capsys: Capture) -> None:
    assert run(["query", "--model", "llama-2-70b", "--hardware", "h100"]) == 0
    captured = capsys.readouterr()
    titles = [line for line in captured.out.splitlines() if "; scenario " in line]
    assert any("scenario offline" in line for line in titles)
    assert any("scenario server" in line for line in titles)
    assert "full drain" in captured.out
    assert "last issued" in captured.out
    assert "hardware 'h100' is h100-nvl-94gb, h100-pcie-80gb, h100-sxm5-80gb" in captured.err


@pytest.mark.parametrize("form", ["table", "csv", "json", "markdown"])
def test_800_is_never_shown_without_12_5(form: str, capsys: Capture) -> None:
    asked = ["--model", "mpt-7b", "--metric", "output_throughput", "--format", form]
    assert run(["query", *asked]) == 0
    out = capsys.readouterr().out
    texts = [json.dumps(row) for row in json.loads(out)] if form == "json" else out.splitlines()
    totals = [text for text in texts if "mpt-7b-a100-static-b64#output_rate" in text]
    assert len(totals) == 1
    assert "800" in totals[0]
    assert "12.5 tok/s" in totals[0]


def test_a_scope_restricts_the_rows(capsys: Capture) -> None:
    asked = ["--model", "mpt-7b", "--scope", "per_request", "--format", "json"]
    assert run(["query", *asked]) == 0
    assert {row["scope"] for row in json.loads(capsys.readouterr().out)} == {"per request"}


def test_what_finds_nothing_says_which_filter_emptied_it(capsys: Capture) -> None:
    assert run(["query", "--model", "mpt-7b", "--scenario", "server"]) == 4
    assert "no record is left by scenario server" in capsys.readouterr().err


def test_a_name_that_is_not_there_is_answered_with_the_nearest(capsys: Capture) -> None:
    assert run(["query", "--hardware", "h1000"]) == 2
    assert "did you mean" in capsys.readouterr().err
