"""The page of questions, each with the one command that answers it and what that prints."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from benchreg.publish.handbook import GENERATED
from benchreg.registry.read import Reader

SOURCE = Path(__file__).with_name("questions.yaml")
WIDTH = 100

ABOUT = """# Questions and answers

Each question is answered by one command; what it prints is written here by `make docs`, and a test
holds the page against the records. [query.md](query.md) says what can be asked.
"""


class Question(NamedTuple):
    """What an analyst asks, the command that answers it, and how to read the answer."""

    asks: str
    command: str
    answer: str


def questions() -> tuple[Question, ...]:
    """Return every question of the page."""
    tree: Any = Reader().read(SOURCE.name, SOURCE.read_bytes()).tree
    return tuple(Question(**one) for one in tree["questions"])


def answered(printed: Callable[[str], str]) -> str:
    """Return the page; `printed` gives what a command prints."""
    lines = [GENERATED, ABOUT]
    for one in questions():
        lines += [f"## {one.asks}", "", "```text", f"$ {one.command}", printed(one.command)]
        lines += ["```", "", one.answer, ""]
    return "\n".join(lines)
