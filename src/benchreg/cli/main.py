"""The group of commands, and what becomes of the errors that leave them."""

import importlib
import io
import os
import sys
import traceback
from keyword import iskeyword
from typing import TextIO

import click

from benchreg import __version__
from benchreg.values.errors import BenchregError, IncompleteError
from benchreg.values.text import shown

COMMANDS = {
    "add": "Add an accelerator, a model, an engine or a source to the catalogue.",
    "audit": "Judge every record: schema, links, arithmetic, conditions.",
    "changes": "Print what differs in the records since a commit or tag.",
    "cite": "Print how a record is cited, or the whole of the data.",
    "compare": "Tell whether figures can be compared, condition by condition.",
    "estimate": "Estimate what a model does on a part, beside what it possibly can.",
    "findings": "Answer what no single record answers, such as Server above Offline.",
    "fmt": "Bring records into the canonical form, comments included.",
    "handbook": "Write the generated pages of the documentation.",
    "import": "Turn run files, or the rows of a published table, into records.",
    "new": "Begin a record: what is known, and what is left to look up.",
    "query": "Print figures by hardware, model, engine, metric or scenario.",
    "rules": "Print the pages of the rules.",
    "schema": "Print a JSON Schema, or write them all.",
    "show": "Show a record: its figures, and what a reader must know of them.",
    "sweep": "Work out a grid of decode configurations, and choose among them.",
}
MOST_SHOWN = 1000
OK, FINDINGS, MISUSE, CRASH, NOTHING, INTERRUPTED = 0, 1, 2, 3, 4, 130


class Commands(click.Group):
    """A group that imports a command only when it is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command of its own file."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        name = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        command: click.Command = importlib.import_module(f"benchreg.cli.{name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or offer the nearest one."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            from benchreg.values.text import suggestion  # noqa: PLC0415  (only on an error)

            near = suggestion(args[0], COMMANDS) or f"there are {', '.join(COMMANDS)}"
            raise click.UsageError(f"no command {shown(args[0])!r}; {near}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="benchreg")
def cli() -> None:
    """Keep a registry of LLM-inference benchmark records honest.

    Exit codes: 0 nothing found at or above --fail-on, 1 findings, 2 bad use, 3 a crash (the run
    is incomplete), 4 nothing matched, 130 interrupted.
    """


def run(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit code; errors become one line, bugs a traceback."""
    try:
        code = cli.main(arguments, prog_name="benchreg", standalone_mode=False)
        if sys.stdout is not None:  # somebody may have closed it
            sys.stdout.flush()
    except (click.ClickException, BenchregError, OSError) as error:
        return _told(error)
    except IncompleteError as error:
        complain(error)
        return CRASH
    except (click.Abort, KeyboardInterrupt):
        click.echo("benchreg: interrupted", err=True)
        return INTERRUPTED
    except SystemExit as end:  # click's own end: of a completion, or where nobody reads its help
        broken = isinstance(end.__context__, OSError)
        return OK if broken or end.code is None else int(end.code)
    except Exception:  # noqa: BLE001  (whatever it is, it must not look like findings)
        say(_lines(traceback.format_exc()), err=True)
        click.echo("benchreg: this is a bug of benchreg; please report it", err=True)
        return CRASH
    return code if isinstance(code, int) else OK


def _told(error: click.ClickException | BenchregError | OSError) -> int:
    """Say on one line each what was wrong with the use; a reader who went away is no error."""
    if isinstance(error, BrokenPipeError):
        _silence(sys.stdout)
        return OK
    if isinstance(error, click.ClickException):
        told = io.StringIO()
        error.show(told)
        say(_lines(told.getvalue()), err=True)
        return MISUSE
    complain(error)
    return MISUSE


def complain(error: Exception) -> None:
    """Say on standard error what went wrong, a line for each line that it has."""
    for line in str(error).split("\n"):
        say(f"benchreg: {shown(line, MOST_SHOWN)}", err=True)


def _lines(text: str) -> str:
    """Return a text of several lines, each of them safe to print."""
    return "\n".join(shown(line, MOST_SHOWN) for line in text.rstrip("\n").split("\n"))


def _silence(stream: TextIO) -> None:
    """Send what is left to be written nowhere: nobody reads it any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def say(text: str, *, err: bool = False, commands: bool = False) -> None:
    """Write text to standard output or error; a reader who went away is no error.

    Texts quote the files of strangers. So what the runner of a workflow would take for one of its
    commands is escaped, unless these `commands` are our own.
    """
    from benchreg.report.inert import inert  # noqa: PLC0415  (a version is told without it)

    stream = sys.stderr if err else sys.stdout
    if stream is None:  # somebody closed it
        return
    try:
        click.echo(text if commands else inert(text), err=err)
        stream.flush()
    except BrokenPipeError:
        _silence(stream)
