"""The page of typical mistakes: what was written, what the audit prints, what to write instead."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from benchreg.audit.catalogue import usual_rules
from benchreg.audit.engine import Report, audit
from benchreg.publish.handbook import GENERATED
from benchreg.registry.load import collected, misplaced
from benchreg.registry.read import Reader
from benchreg.registry.registry import Registry
from benchreg.registry.texts import Texts, texts

SOURCE = Path(__file__).with_name("mistakes.yaml")
TODAY = date(2026, 11, 30)  # no day of the clock, so that the page stays as it is
Printed = Callable[[Report, Texts], str]


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake: blocks of a record as they were written, and as they are mended.

    `path` is where the file lay, and `mended` where it belongs.
    """

    title: str
    wrong: str
    right: str
    path: str
    mended: str


def mistakes() -> tuple[str, tuple[Mistake, ...]]:
    """Return the record that they are made in, and every mistake."""
    tree: Any = Reader().read(SOURCE.name, SOURCE.read_bytes()).tree
    path = tree["path"]
    return tree["record"], tuple(
        Mistake(one["title"], one["wrong"], one["right"], one.get("path", path), path)
        for one in tree["mistakes"]
    )


def judged(catalogue: Registry, path: str, text: str) -> tuple[Report, Texts]:
    """Return what the audit says of a record beside a catalogue, and the texts of the files."""
    known = [(one.document.path, one) for one in catalogue.entries if one.kind != "record"]
    written = (path, misplaced(path) or text.encode())
    registry = collected([*known, written], today=TODAY)
    report = audit(registry, usual_rules(), lambda other: other == path)
    return report, texts(registry, lambda _: text.encode())


def merged(record: str, fragment: str) -> str:
    """Return a record in which a fragment replaces the top-level blocks that it names."""
    return "".join((_blocks(record) | _blocks(fragment)).values())


def _blocks(text: str) -> dict[str, str]:
    parts = re.split(r"^(?=[a-z_]+:)", text, flags=re.MULTILINE)
    return {part.partition(":")[0]: part for part in parts if part}


ABOUT = """# Typical mistakes, and how to mend them

Each was made in the record at the end of this page. It shows what was written, what
`benchreg audit PATH` prints, and what to write instead.
"""


def page(catalogue: Registry, printed: Printed) -> str:
    """Return the page; `printed` gives the findings of a report as the command prints them."""
    record, found = mistakes()
    lines = [GENERATED, ABOUT]
    for number, one in enumerate(found, 1):
        said = printed(*judged(catalogue, one.path, merged(record, one.wrong)))
        lines += [f"## {number}. {one.title}", "", *_case(one, said)]
    return "\n".join([*lines, "## The record", "", *_fenced("yaml record", record)])


def _case(one: Mistake, said: str) -> Iterator[str]:
    moved = one.path != one.mended
    yield from _fenced("text", one.path if moved else one.wrong)
    yield from _fenced("text", said)
    yield from _fenced("text", one.mended if moved else one.right)


def _fenced(language: str, text: str) -> list[str]:
    return [f"```{language}", text.rstrip("\n"), "```", ""]
