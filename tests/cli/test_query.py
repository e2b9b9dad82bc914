"""`benchreg query` as an analyst runs it."""

import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import click
import pytest

from benchreg.analysis.crosscheck import KINDS
from benchreg.cli.main import run
from benchreg.cli.query import EQUAL, FILTERS, STATUSES, command
from benchreg.entities.vocabulary import Status
from benchreg.registry.roots import own_root
from benchreg.snapshot.ask import VERDICTS
from benchreg.snapshot.columns import NAMES

Capture = pytest.CaptureFixture[str]
Change = Callable[..., Path]
OWN = ("--registry", str(own_root()))
RECORD = "records/benchmarks/example-source/base-record.yaml"


def test_offline_and_server_stand_apart_with_their_windows(capsys: Capture) -> None:
    asked = ["--model", "llama-2-70b", "--hardware", "h100", "--limit", "0"]
    assert run(["query", *OWN, *asked]) == 0
    captured = capsys.readouterr()
    titles = [line for line in captured.out.splitlines() if "; scenario " in line]
    assert any("scenario offline" in line for line in titles)
    assert any("scenario server" in line for line in titles)
    assert "full drain" in captured.out
    assert "last issued" in captured.out
    assert "hardware 'h100' is h100-nvl-94gb, h100-pcie-80gb, h100-sxm5-80gb" in captured.err


def test_every_row_says_what_the_roofline_says_of_it(capsys: Capture) -> None:
    assert run(["query", *OWN, "--model", "mpt-7b", "--hardware", "a100", "--format", "json"]) == 0
    rows = {row["key"]: row for row in json.loads(capsys.readouterr().out)}
    total = rows["mpt-7b-a100-static-b64#output_rate"]
    assert {row["verdict"] for row in rows.values()} == {"plausible"}
    assert (total["of_bound"], total["of_widest"], total["mbu"]) == ("0.517", "0.0288", "0.25")


def test_a_table_shows_how_far_a_figure_goes_to_its_bound(capsys: Capture) -> None:
    assert run(["query", *OWN, "--model", "mpt-7b", "--hardware", "a100", "--limit", "0"]) == 0
    out = capsys.readouterr().out
    [total] = [line for line in out.splitlines() if "mpt-7b-a100-static-b64#output_rate" in line]
    assert re.search(r" of bound +MBU +MFU ", out)
    assert re.search(r" 2\.9 to 52 % +25 % +30 % ", total)


def test_a_record_without_figures_has_a_verdict(capsys: Capture) -> None:
    assert run(["query", *OWN, "--model", "mpt-7b", "--hardware", "a10", "--format", "json"]) == 0
    rows = [row for row in json.loads(capsys.readouterr().out) if row["value"] is None]
    assert len(rows) > 1
    assert {(row["verdict"], row["of_bound"], row["mbu"]) for row in rows} == {
        ("unchecked", "", "")
    }


def test_what_finds_nothing_says_which_filter_emptied_it_and_what_is_near(capsys: Capture) -> None:
    assert run(["query", *OWN, "--model", "mpt-7b", "--scenario", "server"]) == 4
    captured = capsys.readouterr()
    assert "no figure is left by scenario server; there are not stated (" in captured.err
    assert captured.out == "nothing matches\n"


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("a part", ["--hardware", "h1000"], "did you mean"),
        ("a metric", ["--metric", "output_thruput"], "did you mean 'output_throughput'"),
        ("a range", ["--size", "big"], "--size: 'big' is no range of numbers"),
        ("a range that ends early", ["--level", "9..3"], "is no range"),
        ("a date", ["--date", "yesterday"], "is no range of dates"),
        ("a version", ["--engine-version", "x"], "is no range of versions"),
        ("a column", ["--columns", "modle"], "did you mean 'model'"),
        ("a sort", ["--sort", "modle"], "did you mean 'model'"),
        ("a condition", ["--where", "modle = 1"], "did you mean 'model'"),
        ("a limit", ["--limit", "-1"], "Invalid value for '--limit'"),
        ("an empty word", ["--model", ""], "no model is called ''"),
        ("a root", ["--registry", "/nowhere"], "/nowhere"),
        ("bytes", ["\udcff"], "is no text in UTF-8"),
        ("bytes in a condition", ["--where", "title = '\udcff'"], "is no text in UTF-8"),
        ("very many words", ["x"] * 60, "60 words are too many"),
        ("a hyphen alone", ["--sort", "-"], "no column is called '-'"),
        (
            "two columns of numbers",
            ["--by", "model", "--stat", "max", "--of", "value,low"],
            "no column of numbers is called 'value,low'",
        ),
        ("groups of figures", ["--by", "value"], "name what tells figures apart"),
        ("a statistic of nothing", ["--stat", "max"], "name their columns with --by"),
        ("ranks of nothing", ["--across", "batch"], "nothing else is ranked"),
        ("columns of groups", ["--by", "model", "--columns", "title"], "leave --columns"),
        ("dates that are turned", ["--date", "2025..2024"], "is no range of dates"),
        ("versions that are turned", ["--engine-version", "0.9..0.6"], "is no range of versions"),
    ],
)
def test_a_question_that_cannot_be_asked_is_one_clear_line(
    name: str, arguments: list[str], told: str, capsys: Capture
) -> None:
    assert run(["query", *OWN, *arguments]) == 2, name
    captured = capsys.readouterr()
    assert told in captured.err
    assert captured.out == ""


def test_the_words_of_a_choice_are_those_of_the_records() -> None:
    assert get_args(Status) == STATUSES
    assert set(VERDICTS) == set(KINDS)


def test_every_filter_is_of_a_column() -> None:
    assert set(EQUAL) <= set(NAMES)
    assert len({name for name, _ in FILTERS}) == len(FILTERS)


@pytest.mark.parametrize(
    "asked", [["--tier", "A"], ["--pattern", "trace_replay"], ["--concurrency", "64"]], ids=str
)
def test_a_word_that_could_be_said_and_is_not_finds_nothing(
    asked: list[str], capsys: Capture
) -> None:
    assert run(["query", *OWN, *asked]) == 4
    assert "no figure is left by" in capsys.readouterr().err


def test_a_record_that_ran_out_of_memory_is_told_where_it_cannot_be_ranked(
    capsys: Capture,
) -> None:
    asked = ["--model", "mpt-7b", "--hardware", "a10", "--sort", "value", "--across", "batch"]
    assert run(["query", *OWN, *asked]) == 0
    assert "records without a figure: out of memory, or failed" in capsys.readouterr().err
    assert run(["query", *OWN, "mpt-7b-a10-static-b128", "--sort", "value"]) == 4
    assert run(["compare", *OWN, "mpt-7b-a10-static-b128", "mpt-7b-a100-static-b64"]) == 2
    assert "mpt-7b-a10-static-b128 has no figures: out of memory" in capsys.readouterr().err


def test_where_no_copy_can_be_kept_that_is_said(
    changed: Change, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    root = changed("kind: measurement\n")
    monkeypatch.setenv("BENCHREG_CACHE", str(root / RECORD))
    assert run(["query", "--registry", str(root)]) == 0
    assert "no copy of the records can be kept" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "begun", "offered"),
    [("--hardware", "h200-s", ["h200-sxm-141gb"]), ("--metric", "tt", ["ttft"])],
)
def test_a_shell_is_offered_what_the_catalogue_has(
    option: str, begun: str, offered: list[str]
) -> None:
    [parameter] = [one for one in command.params if option in one.opts]
    context = click.Context(command, info_name="query")
    context.params["root"] = own_root()
    assert [one.value for one in parameter.shell_complete(context, begun)] == offered


def test_a_file_that_was_refused_is_told(changed: Change, capsys: Capture) -> None:
    root = changed("kind: measurement\nenginee: x\n")
    assert run(["query", "--registry", str(root)]) == 4
    assert "left out: 1 file refused; `benchreg audit` says why" in capsys.readouterr().err


def test_a_record_that_changed_is_answered_as_it_is_now(changed: Change, capsys: Capture) -> None:
    root = changed("kind: measurement\n")
    asked = ["query", "--registry", str(root), "--format", "csv", "--columns", "value"]
    run(asked)
    file = root / RECORD
    file.write_text(file.read_text("utf-8").replace("value: 12.5", "value: 13.5"), "utf-8")
    capsys.readouterr()
    run(asked)
    [row] = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert row["value"] == "13.5"


HOSTILE = '"=cmd() | <b>x</b> `y` \\u00e9 ::set-env ##vso[x] \'; DROP TABLE figures; --"'


@pytest.mark.parametrize("form", ["table", "csv", "json", "markdown"])
def test_hostile_words_of_a_record_are_only_words(
    form: str, changed: Change, capsys: Capture
) -> None:
    words = HOSTILE.replace("<b>x</b>", "< b")
    root = changed(f"kind: measurement\ntitle: {words}\nengine: {{described_as: {words}}}\n")
    options = ["--columns", "title,engine,value", "--format", form]
    assert run(["query", "--registry", str(root), *options]) == 0
    captured = capsys.readouterr()
    assert "12.5" in captured.out
    assert "\n::" not in captured.out
    assert "##vso[" not in captured.out
    if form == "csv":
        [row] = list(csv.DictReader(io.StringIO(captured.out)))
        assert row["title"].startswith("'=cmd()")
    if form == "markdown":
        assert captured.out.splitlines()[-1].replace("\\|", "").count("|") == 6


def test_a_terminal_that_was_closed_is_no_fault() -> None:
    done = subprocess.run(f"{shlex.join(QUERY)} >&-", shell=True, env=environment(),  # noqa: S602
                          capture_output=True, check=False)  # fmt: skip
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)


def environment(**more: str) -> dict[str, str]:
    """Return the environment of these tests, without what a terminal would add, and more."""
    plain = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    return plain | more


QUERY = [sys.executable, "-m", "benchreg", "query", *OWN, "--model", "mpt-7b"]


def test_a_reader_who_goes_away_is_no_error() -> None:
    with subprocess.Popen(
        [*QUERY, "--format", "csv"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdout is not None
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr is not None
        assert b"Traceback" not in running.stderr.read()
    assert running.returncode == 0


@pytest.mark.parametrize(
    "more",
    [
        {"COLUMNS": "40"},
        {"NO_COLOR": "1"},
        {"LANG": "de_DE.UTF-8", "LC_ALL": "de_DE.UTF-8"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
        {"TERM": "dumb"},
    ],
    ids=str,
)
def test_every_desk_has_the_same_figures(more: dict[str, str]) -> None:
    done = subprocess.run([*QUERY, "--metric", "output_throughput"], env=environment(**more),
                          capture_output=True, check=True)  # fmt: skip
    lines = done.stdout.decode().splitlines()
    [total] = [line for line in lines if re.search(r"\b800\b.*tok/s", line)]
    assert "12.5 tok/s" in total
    assert "\x1b" not in done.stdout.decode()


def test_a_question_imports_nothing_that_is_slow() -> None:
    code = (
        "import sys\nfrom benchreg.cli.main import run\n"
        f"run({[*QUERY[3:], '--limit', '1']!r})\n"
        "print(sorted({'pydantic', 'numpy', 'yaml', 'jsonschema'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True,
                          check=True, text=True)  # fmt: skip
    assert done.stdout.splitlines()[-1] == "[]"
