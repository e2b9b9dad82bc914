"""A text that may be longer than the terminal."""

import os
import sys

import click

from benchreg.cli.main import say
from benchreg.cli.terminal import size
from benchreg.report.inert import inert


def page(text: str, *, wanted: bool = True) -> None:
    """Write a text, through a pager where a person reads it and it is longer than the terminal."""
    lines = size().lines
    if not wanted or sys.stdout is None or not sys.stdout.isatty() or text.count("\n") < lines - 1:
        say(text)
        return
    os.environ.setdefault("LESS", "-FRX")
    click.echo_via_pager(f"{inert(text)}\n")
