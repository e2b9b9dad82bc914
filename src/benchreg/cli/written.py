"""A new file of the registry: named by its id, never over one that is there, then audited."""

import re
from collections.abc import Callable, Iterable, Mapping
from os.path import lexists
from pathlib import Path
from typing import Any, NamedTuple

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


class Question(NamedTuple):
    """What is asked for a key: only behind an answer that begins with `after`.

    Where it is `needed` an empty answer is none.
    """

    key: str
    text: str
    after: str = ""
    needed: bool = False


def asked(
    questions: Iterable[Question], given: Iterable[str], check: Callable[[list[str]], object]
) -> list[str]:
    """Return KEY=VALUE words: those given, and the answers of a person at a terminal.

    An empty answer says nothing. One that `check` raises BenchregError for is asked for again, so
    that no slip costs all the answers before it. Where nobody can answer, nothing is asked.
    """
    words = list(given)
    check(words)
    for question in questions if asks() else ():
        have = {word.partition("=")[0].strip() for word in words}
        behind = any(word.startswith(question.after) for word in words)
        if question.key not in have and (behind or not question.after):
            words += _answer(question, check)
    return words


def _answer(question: Question, check: Callable[[list[str]], object]) -> list[str]:
    while True:
        try:
            text = click.prompt(question.text, default="", show_default=False, err=True).strip()
        except click.Abort:
            say("", err=True)
            raise
        if not text:
            if not question.needed:
                return []
            say("this is needed; Ctrl-C gives up, and writes nothing", err=True)
            continue
        try:
            check([f"{question.key}={text}"])
        except BenchregError as error:
            say(str(error).removeprefix("--set "), err=True)
        else:
            return [f"{question.key}={text}"]


def check_free(root: Path, path: str) -> None:
    """Raise BenchregError where something is at a path already."""
    if lexists(root / path):
        raise BenchregError(f"{path} is there already; choose another id, or edit that file")


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
