"""What a rule says of its subject, and the finding that the engine makes of it."""

import hashlib
import json
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

from benchreg.registry.document import Document, Edit, Place, Pointer


class Severity(IntEnum):
    """How much a finding weighs; an error fails the audit."""

    NOTE = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> str:
        """The severity as it is written."""
        return _WORDS[self]


_WORDS = {one: one.name.lower() for one in Severity}


class Problem(NamedTuple):
    """A fault: where, what is wrong, what to write instead.

    `also` holds values of another record that are part of the fault. `severity` is set where the
    case weighs less than its rule. `place` is set where there is no tree to find `at` in. `edit` is
    set where one text is plainly meant, and writing it can say nothing that was not meant.
    What is `hidden` must not be shown: no report repeats its line.
    """

    at: Pointer
    message: str
    hint: str = ""
    severity: Severity | None = None
    also: tuple[str, ...] = ()
    on_value: bool = False
    place: Place | None = None
    edit: Edit | None = None
    hidden: bool = False


class NotEvaluated(NamedTuple):
    """A rule could not judge: where, and why not."""

    at: Pointer
    reason: str


class Finding(NamedTuple):
    """A problem with its rule, its file and its place."""

    severity: Severity
    path: str
    line: int
    column: int
    code: str
    name: str
    pointer: str
    message: str
    hint: str
    about: tuple[Document | None, Problem]

    @property
    def identity(self) -> tuple[str, ...]:
        """What stays when lines move: rule, subject, pointer with list items by value, values.

        A document, or a whole block of it, is no value that offends: what else is written in it
        would make another finding. There, and where nothing could be read, the message says which
        fault it is.
        """
        document, problem = self.about
        steps = []
        node: Any = document.tree if document else None
        for key in problem.at:
            node = node[key] if _has(node, key) else None
            steps.append(key if isinstance(key, str) else f"={_written(node)}")
        whole = document is None or (len(problem.at) < 2 and isinstance(node, dict | list))
        value = self.message if whole else _written(node)
        return (self.code, self.subject, "/".join(steps), value, *problem.also)

    @property
    def fingerprint(self) -> str:
        """A hash of the identity."""
        return hashlib.sha256(json.dumps(self.identity).encode()).hexdigest()[:32]

    @property
    def edit(self) -> Edit | None:
        """What the value should become, where that is plain."""
        return self.about[1].edit

    @property
    def subject(self) -> str:
        """What it is about."""
        return subject(self.path, self.about[0])


class Unevaluated(NamedTuple):
    """A rule that could not judge one place, with the reason."""

    code: str
    path: str
    pointer: str
    reason: str


@dataclass(frozen=True, slots=True)
class Crash:
    """A rule that failed on one subject: a fault of ours, and the run is incomplete."""

    code: str
    path: str
    error: str
    trace: str


def subject(path: str, document: Document | None) -> str:
    """Name what a file is about, wherever it lies: its kind and its id, or else its path."""
    named = document.tree.get("id") if document else None
    kind = path.removeprefix("records/").partition("/")[0]
    return f"{kind}/{named}" if isinstance(named, str) else path


def _has(node: object, key: str | int) -> bool:
    if isinstance(node, dict):
        return key in node
    return isinstance(node, list) and isinstance(key, int) and key < len(node)


_written = json.JSONEncoder(default=str, sort_keys=True).encode
