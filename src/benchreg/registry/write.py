"""Tree -> text: the one canonical form of a document, with the comments that belong in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from benchreg.registry.document import Pointer
from benchreg.registry.layout import FREE, NEVER, Fold, Layout, layout_of
from benchreg.registry.spelling import LINE, in_block, number, spelled, spelled_in_flow

_NUMBER = (int, Decimal, float, type(None))
_SCALAR = (str, *_NUMBER)


@dataclass(frozen=True, slots=True)
class Comments:
    """The comments of a document, each with its `#`, by the pointer of what they are written at.

    `head` stands before everything; `before` a key or an item, on lines of their own; `beside`
    it, at the end of its line; `after` the last one in a mapping or list. `around` holds the
    pointer of all that has a comment somewhere within, and so cannot stand in one line.
    """

    head: tuple[str, ...] = ()
    before: Mapping[Pointer, tuple[str, ...]] = field(default_factory=dict)
    beside: Mapping[Pointer, str] = field(default_factory=dict)
    after: Mapping[Pointer, tuple[str, ...]] = field(default_factory=dict)
    around: frozenset[Pointer] = frozenset()


NO_COMMENTS: Final = Comments()


def write(kind: str, tree: Mapping[str, Any], path: str, comments: Comments = NO_COMMENTS) -> str:
    """Return the text of an entity that lies at `path` below the folder that holds `schema/`.

    Raises BenchregError for what cannot be written: a number or a character that the reader
    refuses. Reading the text gives the tree again.
    """
    writer = _Writer(comments, [modeline(kind, path), *comments.head])
    writer.document(tree, layout_of(kind))
    return "\n".join([*writer.lines, ""])


def modeline(kind: str, path: str) -> str:
    """Return the line that tells an editor where the schema of the document at `path` is."""
    return f"# yaml-language-server: $schema={'../' * path.count('/')}schema/{kind}.schema.json"


@dataclass(slots=True)
class _Writer:
    """The lines written so far; `pad` is the indentation and `name` is `key:` or `-`."""

    comments: Comments
    lines: list[str] = field(default_factory=list)
    noted: bool = field(init=False)

    def __post_init__(self) -> None:
        self.noted = self.comments is not NO_COMMENTS

    def document(self, tree: Mapping[str, Any], layout: Layout) -> None:
        """Write the top level; blocks stand apart where the layout says so, single lines not."""
        was_line = True
        for count, key in enumerate(layout.ordered(tree)):
            start = len(self.lines)
            part = layout.parts.get(key, layout.item())
            self.entry("", f"{key}:", tree[key], part, (key,))
            is_line = isinstance(tree[key], _SCALAR) and self.lines[-1][0] != " "
            if layout.apart and count and not (was_line and is_line):
                self.lines.insert(start, "")
            was_line = is_line
        if after := self.comments.after.get((), ()):
            self.lines += ["", *after] if layout.apart else after

    def entry(self, pad: str, name: str, value: Any, layout: Layout, at: Pointer) -> None:
        """Write a key or an item with its value."""
        if self.noted:
            self.lines += [pad + comment for comment in self.comments.before.get(at, ())]
        if isinstance(value, str):
            self._text(pad, name, value, layout.fold, at)
        elif isinstance(value, _NUMBER):
            self.lines.append(f"{pad}{name} {number(value)}{self._beside(at)}")
        else:
            self._collection(pad, name, value, layout, at)

    def _beside(self, at: Pointer) -> str:
        if not self.noted or at not in self.comments.beside:
            return ""
        return f"  {self.comments.beside[at]}"

    def _text(self, pad: str, name: str, text: str, fold: Fold, at: Pointer) -> None:
        line = f"{pad}{name} {spelled(text)}"
        fits = fold is Fold.LONG and len(line) <= LINE and "\n" not in text
        block = None if fits or fold is Fold.NEVER else in_block(text, LINE - len(pad) - 2)
        if block is None:
            self.lines.append(line + self._beside(at))
            return
        sign, lines = block
        self.lines.append(f"{pad}{name} {sign}{self._beside(at)}")
        self.lines += [f"{pad}  {line}" if line else "" for line in lines]

    def _collection(self, pad: str, name: str, value: Any, layout: Layout, at: Pointer) -> None:
        beside = self._beside(at)
        flow = None
        if not value or (layout.width is not NEVER and at not in self.comments.around):
            flow = in_flow(value, layout)
        if flow and (not value or len(pad) + len(name) + 1 + len(flow) <= layout.width):
            self.lines.append(f"{pad}{name} {flow}{beside}")
        elif name == "-":
            self.lines += [pad + beside.lstrip()] if beside else []
            self._item(pad, value, layout, at)
        else:
            self.lines.append(f"{pad}{name}{beside}")
            self._children(f"{pad}  ", value, layout, at)

    def _children(self, pad: str, value: Any, layout: Layout, at: Pointer) -> None:
        if isinstance(value, Mapping):
            parts, item = layout.parts, layout.item()
            for key in layout.ordered(value):
                below = (*at, key) if self.noted else at
                self.entry(pad, f"{key}:", value[key], parts.get(key, item), below)
        else:
            for index, item in enumerate(value):
                below = (*at, index) if self.noted else at
                self.entry(pad, "-", item, layout.item(), below)
        if self.noted:
            self.lines += [pad + comment for comment in self.comments.after.get(at, ())]

    def _item(self, pad: str, value: Any, layout: Layout, at: Pointer) -> None:
        """Write a collection that is an item: its first line stands behind the `-`.

        Comments before that line stand before the `-`.
        """
        start = len(self.lines)
        self._children(f"{pad}  ", value, layout, at)
        while self.lines[start].lstrip()[0] == "#":
            self.lines[start] = pad + self.lines[start].lstrip()
            start += 1
        self.lines[start] = f"{pad}- {self.lines[start][len(pad) + 2 :]}"


def in_flow(value: Any, layout: Layout) -> str | None:
    """Return a collection as one line, or None where it holds more than scalars of one line."""
    named = isinstance(value, Mapping)
    shown = []
    for one in layout.ordered(value) if named else value:
        item = value[one] if named else one
        if isinstance(item, str) and "\n" not in item:
            text = spelled_in_flow(item)
        elif isinstance(item, _NUMBER):
            text = number(item)
        elif not item:
            text = in_flow(item, FREE) or ""
        else:
            return None
        shown.append(f"{one}: {text}" if named else text)
    return f"{{{', '.join(shown)}}}" if named else f"[{', '.join(shown)}]"
