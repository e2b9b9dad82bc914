"""One value of a text becomes another where it stands; every other character is left alone."""

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple

from yaml import MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent
from yaml.cyaml import CParser  # type: ignore[attr-defined]  # its stub does not export it

from benchreg.registry.document import Edit, Pointer
from benchreg.registry.spelling import spelled, spelled_in_flow

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._#-]*")


class Span(NamedTuple):
    """Where a scalar stands in a text, how it is quoted, and whether in `{}` or `[]`."""

    start: int
    end: int
    style: str
    in_flow: bool


class Splice(NamedTuple):
    """What is to be written in the place of a part of a text."""

    start: int
    end: int
    written: str


def splices(text: str, edits: Iterable[Edit]) -> dict[Edit, Splice]:
    """Return what each edit changes in a text that the strict reader accepted.

    One that does not fit what is written is left out: a number that is not there as it is to be
    quoted, a text in a block (`|`, `>`), a name that is more than one word.
    """
    edits = tuple(edits)
    found = _spans(text, {edit.at for edit in edits})
    made = {edit: _splice(text, edit, found[edit.at]) for edit in edits if edit.at in found}
    return {edit: splice for edit, splice in made.items() if splice is not None}


def amended(text: str, changes: Iterable[Splice]) -> str:
    """Return a text with some of its parts written otherwise, from the last to the first."""
    for start, end, written in sorted(set(changes), reverse=True):
        text = text[:start] + written + text[end:]
    return text


def with_value(tree: Any, at: Pointer, value: object) -> Any:
    """Return a tree that says `value` at a place, and all else as this one does."""
    if not at:
        return value
    copy = tree.copy()
    copy[at[0]] = with_value(tree[at[0]], at[1:], value)
    return copy


def _splice(text: str, edit: Edit, span: Span) -> Splice | None:
    written = text[span.start : span.end]
    if edit.kind == "quote":
        fits = not span.style and written == edit.text
        return Splice(span.start, span.end, f'"{written}"') if fits else None
    if not _NAME.fullmatch(edit.text) or span.style in ("|", ">"):
        return None
    if span.style:
        return Splice(span.start, span.end, f"{span.style}{edit.text}{span.style}")
    spell = spelled_in_flow if span.in_flow else spelled
    return Splice(span.start, span.end, spell(edit.text))


def _spans(text: str, wanted: Collection[Pointer]) -> dict[Pointer, Span]:
    return _Spans(text, wanted).found if wanted else {}


class _Spans:
    """One pass over the events of a text, which remembers where some of its scalars are."""

    def __init__(self, text: str, wanted: Collection[Pointer]) -> None:
        self._wanted = frozenset(wanted)
        self._next: Callable[[], Any] = CParser(text).get_event
        self.found: dict[Pointer, Span] = {}
        self._next(), self._next()
        self._value(self._next(), (), in_flow=False)

    def _value(self, event: Any, at: Pointer, *, in_flow: bool) -> None:
        kind = type(event)
        if kind is ScalarEvent:
            if at in self._wanted:
                start, end = event.start_mark.index, event.end_mark.index
                self.found[at] = Span(start, end, event.style or "", in_flow)
        elif kind is MappingStartEvent:
            while type(key := self._next()) is not MappingEndEvent:
                self._value(self._next(), (*at, key.value), in_flow=bool(event.flow_style))
        else:
            count = 0
            while type(item := self._next()) is not SequenceEndEvent:
                self._value(item, (*at, count), in_flow=bool(event.flow_style))
                count += 1
