"""`benchreg query` as an analyst runs it."""

import json
import re

import pytest

from benchreg.cli.main import run

Capture = pytest.CaptureFixture[str]
pytestmark = pytest.mark.usefixtures("shipped_once")


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


def test_every_row_says_what_the_roofline_says_of_it(capsys: Capture) -> None:
    assert run(["query", "--model", "mpt-7b", "--hardware", "a100", "--format", "json"]) == 0
    rows = {row["key"]: row for row in json.loads(capsys.readouterr().out)}
    total = rows["mpt-7b-a100-static-b64#output_rate"]
    assert {row["verdict"] for row in rows.values()} == {"plausible"}
    assert (total["of_bound"], total["of_widest"], total["mbu"]) == ("0.517", "0.0288", "0.25")


def test_a_table_shows_how_far_a_figure_goes_to_its_bound(capsys: Capture) -> None:
    assert run(["query", "--model", "mpt-7b", "--hardware", "a100"]) == 0
    out = capsys.readouterr().out
    [total] = [line for line in out.splitlines() if "mpt-7b-a100-static-b64#output_rate" in line]
    assert re.search(r" of bound +MBU +MFU ", out)
    assert re.search(r" 2\.9 to 52 % +25 % +30 % ", total)


def test_a_record_without_figures_has_a_verdict(capsys: Capture) -> None:
    assert run(["query", "--model", "mpt-7b", "--hardware", "a10", "--format", "json"]) == 0
    rows = [row for row in json.loads(capsys.readouterr().out) if row["value"] is None]
    assert len(rows) > 1
    assert {(row["verdict"], row["of_bound"], row["mbu"]) for row in rows} == {
        ("unchecked", "", "")
    }


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
