"""What standard output can show."""

import os
import sys
from contextlib import suppress

import click

from benchreg.report.paint import Paint, plain

NO_TERMINAL = (200, 24)
_STYLES: dict[str, dict[str, str | bool]] = {
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow"},
    "note": {"fg": "cyan"},
    "help": {"fg": "green"},
    "frame": {"fg": "blue"},
    "title": {"bold": True},
}


def paint() -> Paint:
    """Return colours for a terminal, and none where nobody would see them."""
    if (
        sys.stdout is None
        or not sys.stdout.isatty()
        or "NO_COLOR" in os.environ
        or os.environ.get("TERM") == "dumb"
    ):
        return plain
    return _styled


def size() -> os.terminal_size:
    """Return the columns and lines of the terminal: those that the environment names, else its own.

    Where there is no terminal, lines are as long as they like.
    """
    columns, lines = 0, 0
    with suppress(ValueError):
        columns = int(os.environ.get("COLUMNS", ""))
    with suppress(ValueError):
        lines = int(os.environ.get("LINES", ""))
    known = os.terminal_size(NO_TERMINAL)
    with suppress(OSError, ValueError, AttributeError):
        known = os.get_terminal_size(sys.__stdout__.fileno())  # type: ignore[union-attr]
    return os.terminal_size((columns if columns > 0 else known.columns or NO_TERMINAL[0],
                             lines if lines > 0 else known.lines or NO_TERMINAL[1]))  # fmt: skip


def asks() -> bool:
    """Tell whether somebody is there to answer a question."""
    return all(one is not None and one.isatty() for one in (sys.stdin, sys.stderr))


def _styled(text: str, role: str) -> str:
    return click.style(text, **_STYLES.get(role, {}))  # type: ignore[arg-type]
