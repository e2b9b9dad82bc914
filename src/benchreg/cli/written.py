"""A new file of the registry: named by its id, never over one that is there, then audited."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from benchreg.cli.judged import judged
from benchreg.cli.main import OK, say
from benchreg.cli.terminal import asks
from benchreg.entities.base import ID_PATTERN
from benchreg.registry.edit import below_schema
from benchreg.registry.judge import judge
from benchreg.registry.read import Reader
from benchreg.registry.refusal import Refusal
from benchreg.registry.save import Staging
from benchreg.registry.write import NO_COMMENTS, Comments, write
from benchreg.values.errors import BenchregError
from benchreg.values.text import shown


def an_id(name: str) -> str:
    """Return a name that can be an id; raises BenchregError for another."""
    if not re.fullmatch(ID_PATTERN, name) or len(name) > 120:
        raise BenchregError(
            f"{shown(name)!r} is no id: lower-case letters and digits, with `-` or `.` between"
        )
    return name


def asked(questions: Iterable[tuple[str, str]], given: Iterable[str]) -> list[str]:
    """Return KEY=VALUE words: those given, and the answers of a person at a terminal.

    An empty answer says nothing. Where nobody can answer, nothing is asked.
    """
    words = list(given)
    have = {word.partition("=")[0].strip() for word in words}
    for key, question in questions if asks() else ():
        if key not in have:
            answer = click.prompt(question, default="", show_default=False, err=True).strip()
            words += [f"{key}={answer}"] if answer else []
    return words


def add(root: Path, path: str, text: str, *, dry_run: bool) -> int:
    """Write a file below the root and audit it, or print what it would be."""
    if dry_run:
        say(text)
        return OK
    with Staging(root) as staging:
        staging.add(path, text)
        staging.commit()
    say(f"written: {path}", err=True)
    return judged(root, [path])


def text_of(
    root: Path, kind: str, path: str, tree: Mapping[str, Any], comments: Comments = NO_COMMENTS
) -> str:
    """Return the canonical text of a sound entity; raises BenchregError for another."""
    text = write(kind, tree, below_schema(root) + path, comments)
    document = Reader().read(path, text.encode())
    found = judge(kind, document, both=True)
    if isinstance(found, list):
        raise BenchregError("\n".join(_told(refusal) for refusal in found))
    return text


def _told(refusal: Refusal) -> str:
    at = ".".join(str(key) for key in refusal.at)
    hint = f"; {refusal.hint}" if refusal.hint else ""
    return f"{shown(at)}: {shown(refusal.message)}{shown(hint)}" if at else shown(refusal.message)
