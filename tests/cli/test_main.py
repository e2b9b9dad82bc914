"""The command line as a whole: codes, help, completion, and errors that leave a command."""

import os
import subprocess
import sys

import click
import pytest

from benchreg import __version__
from benchreg.cli import main

Capture = pytest.CaptureFixture[str]


def test_the_version_is_printed(capsys: Capture) -> None:
    assert main.run(["--version"]) == 0
    assert __version__ in capsys.readouterr().out


def test_every_command_has_help(capsys: Capture) -> None:
    for name in main.COMMANDS:
        assert main.run([name, "--help"]) == 0
        assert f"Usage: benchreg {name}" in capsys.readouterr().out


def test_a_command_that_is_not_there_is_answered_with_the_nearest(capsys: Capture) -> None:
    assert main.run(["audti"]) == 2
    assert "did you mean 'audit'?" in capsys.readouterr().err


def test_an_option_that_is_not_there_is_bad_use(capsys: Capture) -> None:
    assert main.run(["audit", "--formt", "json"]) == 2
    assert "No such option" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        pytest.param(KeyboardInterrupt(), 130, id="interrupted"),
        pytest.param(click.Abort(), 130, id="aborted"),
        pytest.param(RuntimeError("a bug"), 3, id="a bug"),
        pytest.param(RecursionError("too deep"), 3, id="too deep"),
        pytest.param(MemoryError(), 3, id="no memory"),
    ],
)
def test_an_error_becomes_the_code_that_it_means(
    error: BaseException, code: int, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    @click.command()
    def command() -> None:
        raise error

    monkeypatch.setattr(main, "cli", command)
    assert main.run([]) == code
    assert capsys.readouterr().err


def test_a_shell_completes_commands_and_ids() -> None:
    words = {"COMP_WORDS": "benchreg show mpt-7b-a100-static-b6", "COMP_CWORD": "2"}
    environment = os.environ | words | {"_BENCHREG_COMPLETE": "bash_complete"}
    command = [sys.executable, "-m", "benchreg"]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, cwd="/"
    )
    assert done.stdout.strip() == "plain,mpt-7b-a100-static-b64"


def test_the_version_needs_no_heavy_import() -> None:
    heavy = "pydantic", "jsonschema", "yaml", "numpy", "ruamel"
    code = (
        "import sys; from benchreg.cli.main import run; run(['--version']);"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_nobody_has_to_read_what_is_said_beside_the_answer() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "benchreg", "query", "--model", "mpt-7b", "--hardware", "a100"]
    done = subprocess.run(
        [*command, "--format", "json"],
        stdout=subprocess.PIPE,
        stderr=writing,
        check=False,
        text=True,
        cwd="/",
    )
    os.close(writing)
    assert done.returncode == 0
    assert '"key": "mpt-7b-a100-static-b64#output_rate"' in done.stdout
