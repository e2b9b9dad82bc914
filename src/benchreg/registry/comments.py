"""Text -> Comments: which key or item each comment of a document is written at."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from yaml import MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent
from yaml.cyaml import CParser  # type: ignore[attr-defined]  # its stub does not export it

from benchreg.registry.document import Pointer
from benchreg.registry.write import NO_COMMENTS, Comments

_COMMENT_OR_INDICATOR = re.compile(r"(?P<comment>#[^\r\n]*)|[-?]")
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]*[ \t]+(#[^\r\n]*)")
_LINE_END = re.compile(r"\r\n|[\r\n]")
_MODELINE = re.compile(r"#\s*yaml-language-server\s*:\s*\$schema=")


class Entry(NamedTuple):
    """A key or an item: where it begins, in which column, and where its value begins."""

    at: Pointer
    start: int
    column: int
    value: int


class Collection(NamedTuple):
    """A mapping or a list: the column of what is in it, and where it ends if in flow style."""

    at: Pointer
    start: int
    column: int
    end: int


class Comment(NamedTuple):
    """A comment, where it begins, and whether it is alone on its line."""

    text: str
    start: int
    column: int
    alone: bool


def comments_of(text: str) -> Comments:
    """Return the comments of a text that the strict reader accepted, without its modelines."""
    if not any("#" in line and not _MODELINE.match(line) for line in text.splitlines()):
        return NO_COMMENTS
    outline = _Outline(text)
    placed = _Placed(outline)
    for comment in outline.comments:
        if not _MODELINE.match(comment.text):
            placed.place(comment)
    return placed.result()


class _Outline:
    """Where everything in a text is: entries, collections, and what else is no comment.

    Between the scalars of a document there are only indicators, white space and comments.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.entries: list[Entry] = []
        self.collections: dict[Pointer, Collection] = {}
        self.marks: list[tuple[int, Pointer]] = []
        self.comments: list[Comment] = []
        self.indicators: list[int] = []
        self._scalars: list[tuple[int, int]] = []
        self._lines = [0, *(end.end() for end in _LINE_END.finditer(text))]
        self._next: Callable[[], Any] = CParser(text).get_event
        self._next(), self._next()
        self._value(self._next(), ())
        self.marks.sort(key=itemgetter(0))
        self._scan()

    def _value(self, event: Any, at: Pointer) -> None:
        if type(event) is ScalarEvent:
            self._scalar(event, at)
            return
        start = event.start_mark
        if event.flow_style:
            self.marks.append((start.index + 1, at))
        column = start.column
        if type(event) is MappingStartEvent:
            end = self._mapping(at, column)
        else:
            end = self._sequence(at, column)
        self.collections[at] = Collection(
            at, start.index, column, end.end_mark.index if event.flow_style else 0
        )
        if event.flow_style:
            self.marks.append((end.end_mark.index, at))

    def _mapping(self, at: Pointer, column: int) -> Any:
        while type(key := self._next()) is not MappingEndEvent:
            below = (*at, key.value)
            self._scalar(key, below)
            value = self._next()
            self.entries.append(Entry(below, key.start_mark.index, column, value.start_mark.index))
            self._value(value, below)
        return key

    def _sequence(self, at: Pointer, column: int) -> Any:
        count = 0
        while type(item := self._next()) is not SequenceEndEvent:
            start = item.start_mark.index
            self.entries.append(Entry((*at, count), start, column, start))
            self._value(item, (*at, count))
            count += 1
        return item

    def _scalar(self, event: Any, at: Pointer) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        if event.style in ("|", ">"):
            header = _BLOCK_HEADER.match(self.text, start)
            self._scalars.append((start, header.start(1) if header else end))
            self._scalars.append((header.end(1) if header else end, end))
            self.marks.append((start + 1, at))
        else:
            self._scalars.append((start, end))
        self.marks.append((end, at))

    def _scan(self) -> None:
        begin = 0
        for start, end in [*sorted(self._scalars), (len(self.text), 0)]:
            for found in _COMMENT_OR_INDICATOR.finditer(self.text, begin, start):
                if found["comment"] is None:
                    self.indicators.append(found.start())
                else:
                    self.comments.append(self._comment(found.start(), found["comment"]))
            begin = end

    def _comment(self, start: int, comment: str) -> Comment:
        line_start = self._lines[bisect_right(self._lines, start) - 1]
        alone = not self.text[line_start:start].strip()
        return Comment(comment.rstrip(" \t"), start, start - line_start, alone)

    def entries_around(self, start: int) -> tuple[Entry | None, Entry | None]:
        """Return the last entry that begins before a place, and the first one behind it."""
        count = bisect_right(self.entries, start, key=attrgetter("start"))
        last = self.entries[count - 1] if count else None
        return last, self.entries[count] if count < len(self.entries) else None

    def written_before(self, start: int) -> tuple[Pointer, bool]:
        """Return what is written before a place, and whether an item or a key was begun since."""
        count = bisect_right(self.marks, start, key=itemgetter(0))
        mark, at = self.marks[count - 1] if count else (-1, ())
        begun = bisect_right(self.indicators, start)
        return at, begun > 0 and self.indicators[begun - 1] >= mark

    def open_at(self, last: Entry, start: int) -> Collection | None:
        """Return the innermost collection in flow style that a place is in."""
        for size in range(len(last.at), -1, -1):
            found = self.collections.get(last.at[:size])
            if found and found.start < start < found.end:
                return found
        return None


class _Placed:
    """The comments that were placed so far."""

    def __init__(self, outline: _Outline) -> None:
        self._outline = outline
        self._head: list[str] = []
        self._before: dict[Pointer, list[str]] = defaultdict(list)
        self._beside: dict[Pointer, list[str]] = defaultdict(list)
        self._after: dict[Pointer, list[str]] = defaultdict(list)

    def place(self, comment: Comment) -> None:
        """Find what a comment is written at."""
        last, following = self._outline.entries_around(comment.start)
        at, begun = self._outline.written_before(comment.start)
        if last is None:
            self._head.append(comment.text)
        elif begun and following:
            self._before[following.at].append(comment.text)
        elif comment.alone:
            self._place_alone(comment, last, following)
        elif at:
            self._beside[at].append(comment.text)
        else:
            self._after[()].append(comment.text)

    def _place_alone(self, comment: Comment, last: Entry, following: Entry | None) -> None:
        flow = self._outline.open_at(last, comment.start)
        if flow is not None:
            if following and following.start < flow.end:
                self._before[following.at].append(comment.text)
            else:
                self._after[flow.at].append(comment.text)
        elif comment.start < last.value:
            below = self._outline.collections.get(last.at)
            inside = following and below and not below.end
            self._before[following.at if following and inside else last.at].append(comment.text)
        elif following and comment.column <= following.column:
            self._before[following.at].append(comment.text)
        else:
            self._place_at_end(comment, last, following)

    def _place_at_end(self, comment: Comment, last: Entry, following: Entry | None) -> None:
        """Place a comment that is indented deeper than what follows it: it ends a block."""
        for size in range(len(last.at) - 1, -1, -1):
            block = self._outline.collections[last.at[:size]]
            if not block.end and block.column <= comment.column:
                if following and following.at[:size] == block.at:
                    self._before[following.at].append(comment.text)
                else:
                    self._after[block.at].append(comment.text)
                return
        self._after[()].append(comment.text)

    def result(self) -> Comments:
        """Return all comments; one line holds one, and what is empty holds none."""
        for at, [*more, _] in self._beside.items():
            if more:
                self._before[at] += more
        filled = {entry.at[:-1] for entry in self._outline.entries}
        for at in self._after.keys() - filled:
            self._before[at] += self._after.pop(at)
        return Comments(
            tuple(self._head),
            {at: tuple(texts) for at, texts in self._before.items()},
            {at: texts[-1] for at, texts in self._beside.items()},
            {at: tuple(texts) for at, texts in self._after.items()},
            frozenset(self._around()),
        )

    def _around(self) -> Iterator[Pointer]:
        for at in (*self._before, *self._beside):
            yield from (at[:size] for size in range(len(at)))
        for at in self._after:
            yield from (at[:size] for size in range(len(at) + 1))
