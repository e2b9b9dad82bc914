"""Records are a stranger's: no command prints a text of theirs that the runner of a job acts on."""

import re
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from benchreg.cli import main
from benchreg.cli.main import run, say
from benchreg.values.errors import BenchregError

Change = Callable[..., Path]
Capture = pytest.CaptureFixture[str]

THEIRS = """\
title: "An example, ##[add-mask]a"
kind: measurement
source:
  id: example-source
  locator: "::set-env name=PATH::##[group]a"
  retrieved: "2026-11-01"
engine:
  id: example-engine
  version: "0.10 ##vso[task.complete]a"
notes: >-
  ::error::a is what this says, and the line that it begins is long enough to be folded, since
  what was folded may begin a line as well:
  ::error::b
"""
FAULTY = THEIRS.replace('version: "0.10 ##', "version: 0.10  # ##").replace('a"\nnotes', "a\nnotes")
FAULTY += 'status: "##[group]a"\n'
COMMAND = re.compile(r"^\s*::|##\w*\[", re.MULTILINE)
ESCAPED = re.compile(r"\\x3a:|\\x23#|\\u0023#|##\\\[")
OURS = re.compile(r"^::(?:error|warning|notice) file=.*$", re.MULTILINE)


def test_what_is_looked_for_is_there(changed: Change) -> None:
    text = (changed(THEIRS) / "records/benchmarks/example-source/base-record.yaml").read_text()
    assert len(COMMAND.findall(text)) == 5


@pytest.mark.parametrize(
    ("fragment", "words"),
    [
        (THEIRS, "show base-record"),
        (THEIRS, "query"),
        (THEIRS, "query --format csv"),
        (THEIRS, "query --format json"),
        (THEIRS, "query --format markdown"),
        (FAULTY, "fmt --diff"),
        (FAULTY, "audit"),
        (FAULTY, "audit --format concise"),
        (FAULTY, "audit --format github"),
        (FAULTY, "audit --format json"),
        (FAULTY, "audit --format sarif"),
        (FAULTY, "audit --diff"),
    ],
)
def test_a_text_of_a_record_begins_no_command(
    fragment: str, words: str, changed: Change, capsys: Capture
) -> None:
    run([*words.split(), "--registry", str(changed(fragment))])
    out, err = capsys.readouterr()
    assert ESCAPED.search(out)
    assert not COMMAND.search(OURS.sub("", out) + err)


def test_the_commands_of_a_workflow_are_still_ours_to_give(
    changed: Change, capsys: Capture
) -> None:
    run(["audit", "--format", "github", "--registry", str(changed(FAULTY))])
    assert OURS.search(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["show", "##[group]a"], 2),
        (["query", "--hardware", "##[group]a"], 2),
        (["estimate", "##[group]a", "b", "--input", "1", "--output", "1"], 2),
        (["sweep", "##[group]a", "b"], 2),
        (["audit", "no/##[group]a"], 2),
        (["audit", "--format", "##[group]a"], 2),
        (["audit", "--no\n::error::a ##[group]b"], 2),
        (["audit", "--fail-on", "\n::error::a ##[group]b"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_neither_does_a_word_of_the_command_line(
    words: list[str], code: int, capsys: Capture
) -> None:
    assert run(words) == code
    err = capsys.readouterr().err
    assert ESCAPED.search(err)
    assert not COMMAND.search(err)


@pytest.mark.parametrize("error", [RuntimeError, BenchregError, click.UsageError])
def test_neither_does_an_error_whatever_it_is(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    @click.command()
    def command() -> None:
        raise error("a\n::add-mask::b ##[group]c \x1b[31m\u202e")

    monkeypatch.setattr(main, "cli", command)
    run([])
    err = capsys.readouterr().err
    assert "add-mask::b" in err
    assert not COMMAND.search(err)
    assert not re.search("[\x1b\u202e]", err)


@pytest.mark.parametrize("err", [False, True])
def test_only_what_is_meant_to_be_a_command_is_one(err: bool, capsys: Capture) -> None:
    say("::notice::a", err=err)
    say("::notice::a", err=err, commands=True)
    assert capsys.readouterr()[err] == "\\x3a:notice::a\n::notice::a\n"


def test_no_command_prints_otherwise() -> None:
    commands = Path(main.__file__).parent
    written = {file.name: file.read_text(encoding="utf-8") for file in commands.glob("*.py")}
    assert len(written) > 10
    assert {name for name, text in written.items() if re.search(r"\becho\(|\bprint\(", text)} == {
        "main.py"
    }
