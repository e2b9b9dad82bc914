"""What standard output can show."""

import os
import sys

import click

from benchreg.report.paint import Paint, plain

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


def asks() -> bool:
    """Tell whether somebody is there to answer a question."""
    return all(one is not None and one.isatty() for one in (sys.stdin, sys.stderr))


def _styled(text: str, role: str) -> str:
    return click.style(text, **_STYLES.get(role, {}))  # type: ignore[arg-type]
