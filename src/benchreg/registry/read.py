"""Text -> Document: libyaml's events become a tree whose every node has its line and column."""

import re
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from yaml import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    YAMLError,
)

from benchreg.registry.dialect import (
    MOST_DEPTH,
    NO_WORD,
    DialectError,
    check_key,
    decode,
    resolve,
)
from benchreg.registry.document import Block, Document, Place, Tree
from benchreg.registry.plain import Part, is_suspect, plain_part
from benchreg.values.errors import BenchregError

try:
    from yaml.cyaml import CParser  # type: ignore[attr-defined]  # its stub does not export it
except ImportError as error:  # a PyYAML that was built without libyaml
    raise BenchregError(
        "PyYAML was built without libyaml; install a wheel: pip install --force-reinstall pyyaml"
    ) from error

_TOP_LINE = re.compile(r"\n(?=[^ \n#])")
_TOP_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*:(?:[ \n]|$)")
_COMMENTS = re.compile(r"(?: *(?:#[^\n]*)?\n)*")


@dataclass(slots=True)
class Reader:
    """Reads documents and remembers what many of them share: keys, scalars and whole blocks."""

    _keys: set[str] = field(default_factory=set)
    _plain: dict[str, Any] = field(default_factory=dict)
    _parts: dict[str, Part] = field(default_factory=dict)

    def read(self, path: str, data: bytes) -> Document:
        """Return the document, or raise DialectError for what is outside the dialect."""
        text = decode(data)
        return self.read_in_parts(path, text) or self.read_whole(path, text)

    def read_whole(self, path: str, text: str) -> Document:
        """Return the document from one pass over its text."""
        composer = _Composer(text, self._keys, self._plain)
        block = composer.compose()
        return Document(path, text, block.tree, ((0, block),), composer.suspect)

    def read_in_parts(self, path: str, text: str) -> Document | None:
        """Return the same document from its top-level keys, each text of which is read only once.

        The records of one source share most of their blocks to the letter. Where a document is
        not plainly a block mapping of such parts, or any of them is refused, the answer is None.
        """
        if "\r" in text or text[-1:] != "\n":
            return None
        parts = _TOP_LINE.split(text[:-1])
        line = 0
        if _COMMENTS.fullmatch(f"{parts[0]}\n"):
            line = parts.pop(0).count("\n") + 1
        tree: Tree = {}
        blocks, suspect = [], False
        for text_of_part in parts:
            part = self._parts.get(text_of_part) or self._read_part(text_of_part)
            if part is None or part.key in tree:
                return None
            tree[part.key] = part.value
            blocks.append((line, part.block))
            suspect |= part.suspect
            line += part.lines
        return Document(path, text, tree, tuple(blocks), suspect) if blocks else None

    def _read_part(self, text: str) -> Part | None:
        if not _TOP_KEY.match(text):
            return None
        if part := plain_part(text):
            self._parts[text] = part
            return part
        composer = _Composer(f"{text}\n", self._keys, self._plain)
        try:
            block = composer.compose()
        except DialectError:
            return None
        if len(block.tree) != 1:
            return None
        [(key, value)] = block.tree.items()
        part = self._parts[text] = Part(
            key, value, block, text.count("\n") + 1, suspect=composer.suspect
        )
        return part


class _Composer:
    """One pass over the events of one text."""

    def __init__(self, text: str, keys: set[str], plain: dict[str, Any]) -> None:
        self._text = text
        self._next: Callable[[], Any] = CParser(text).get_event
        self._keys = keys
        self._plain = plain
        self._places = array("I")
        self.suspect = False

    def compose(self) -> Block:
        """Return the one mapping that the text is."""
        try:
            return self._document()
        except YAMLError as error:
            raise _refusal(error, self._text) from None

    def _document(self) -> Block:
        self._next()
        start = self._next()
        if isinstance(start, StreamEndEvent):
            raise DialectError("an empty file; a document is a mapping of keys")
        if isinstance(start, DocumentStartEvent) and (start.version or start.tags):
            raise DialectError("a directive; take the line out", _place(start))
        top = self._next()
        if type(top) is not MappingStartEvent:
            raise DialectError(
                "a document is a mapping of keys, not a list or a value", _place(top)
            )
        tree = self._mapping(top, 1)
        self._end()
        return Block(tree, self._places)

    def _end(self) -> None:
        end = self._next()
        if not isinstance(end, DocumentEndEvent):
            raise DialectError("more than one value", _place(end))
        last = self._next()
        if not isinstance(last, StreamEndEvent):
            raise DialectError("a second document; one file holds one", _place(last))

    def _mapping(self, start: MappingStartEvent, depth: int) -> Tree:
        _check_collection(start, depth)
        tree: Tree = {}
        following, extend = self._next, self._places.extend
        while type(key := following()) is not MappingEndEvent:
            name = self._key(key)
            if name in tree:
                raise DialectError(f"the key {name!r} stands twice; keep one", _place(key))
            value = following()
            at, to = key.start_mark, value.start_mark
            extend((at.line, at.column, to.line, to.column))
            tree[name] = self._value(value, depth)
        return tree

    def _sequence(self, start: SequenceStartEvent, depth: int) -> list[Any]:
        _check_collection(start, depth)
        items: list[Any] = []
        while type(value := self._next()) is not SequenceEndEvent:
            at = value.start_mark
            self._places.extend((at.line, at.column, at.line, at.column))
            items.append(self._value(value, depth))
        return items

    def _value(self, event: Any, depth: int) -> Any:
        kind = type(event)
        if kind is ScalarEvent:
            return self._scalar(event)
        if kind is MappingStartEvent:
            tree = self._mapping(event, depth + 1)
            self.suspect |= not tree
            return tree
        if kind is SequenceStartEvent:
            items = self._sequence(event, depth + 1)
            self.suspect |= not items
            return items
        raise _unexpected(event)

    def _key(self, event: Any) -> str:
        if type(event) is not ScalarEvent:
            raise _unexpected(event)
        if event.anchor or event.tag:
            raise _unexpected(event)
        name: str = event.value
        if name not in self._keys:
            check_key(name, _place(event))
            self._keys.add(name)
        return name

    def _scalar(self, event: ScalarEvent) -> Any:
        if event.anchor or event.tag:
            raise _unexpected(event)
        text: str = event.value
        if event.style:
            self.suspect |= is_suspect(text)
            return text
        try:
            return self._plain[text]
        except KeyError:
            value = resolve(text, _place(event))
            if value is None or (type(value) is str and is_suspect(value)):
                self.suspect = True
            else:
                self._plain[text] = value
            return value


def _check_collection(start: Any, depth: int) -> None:
    if start.anchor or start.tag:
        raise _unexpected(start)
    if depth > MOST_DEPTH:
        raise DialectError(f"nested deeper than {MOST_DEPTH} levels", _place(start))


def _unexpected(event: Any) -> DialectError:
    place = _place(event)
    if isinstance(event, AliasEvent):
        return DialectError("an alias `*`; write the value out", place)
    if getattr(event, "anchor", None):
        return DialectError("an anchor `&`; take it out, and write the value each time", place)
    if getattr(event, "tag", None):
        return DialectError("a tag `!`; write the plain value", place)
    return DialectError(NO_WORD, place)


def _place(event: Any) -> Place:
    mark = event.start_mark
    return Place(mark.line + 1, mark.column + 1)


def _refusal(error: YAMLError, text: str) -> DialectError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    place = Place(mark.line + 1, mark.column + 1) if mark else Place(1, 1)
    if _sign_at(text, place) == "\t":
        return DialectError("not YAML: a tab; indent with spaces", place)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    context = getattr(error, "context", None)
    message = f"not YAML: {problem}" + (f" {context}" if context else "")
    hint = next((hint for words, hint in _HINTS.items() if words in message), "")
    return DialectError(f"{message}{hint}", place)


def _sign_at(text: str, place: Place) -> str:
    line = next(islice(text.split("\n"), place.line - 1, None), "")
    return line[place.column - 1 :][:1]


_HINTS = {
    "cannot start any token": "; quote a text that begins with a sign",
    "mapping values are not allowed": "; begin the keys of one block in one column, and quote a "
    "text that holds a colon and a space",
    "did not find expected": "; look for a bracket, a quote or an indentation that does not fit",
    "could not find expected ':'": "; a line below a key is indented, or is a key itself",
}
