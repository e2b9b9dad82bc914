"""A document: its path, its plain tree, and the line and column of every key and value in it."""

import re
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, NamedTuple

Pointer = tuple[str | int, ...]
Tree = dict[str, Any]


class Place(NamedTuple):
    """A line and a column of a text, both counted from 1."""

    line: int
    column: int


class Edit(NamedTuple):
    """What the value at a place should become: a text.

    `quote` keeps what is written, and puts it in quotes; `replace` is one name for another.
    """

    at: Pointer
    kind: Literal["quote", "replace"]
    text: str


_SCALAR = re.compile(r"[^\s,\]}#]+")


@dataclass(frozen=True, slots=True)
class Block:
    """A parsed part of a document: a mapping, and four numbers for each node below it.

    The nodes are counted in the order of the text; a node has the line and the column of its
    key (of itself, in a list) and of its value, counted from 0 within the block.
    """

    tree: Tree
    places: "array[int]"
    _numbers: dict[Pointer, int] = field(default_factory=dict, repr=False, compare=False)

    def number(self, pointer: Pointer) -> int:
        """Return the number of a node, or of the nearest written parent of it.

        The nodes are numbered when the first of them is asked for; most blocks are never asked.
        """
        if not self._numbers:
            self._numbers.update((at, count) for count, at in enumerate(_nodes(self.tree)))
        while pointer not in self._numbers:
            pointer = pointer[:-1]
        return self._numbers[pointer]


@dataclass(frozen=True, slots=True)
class Document:
    """A file as it was read: `blocks` are its top level, each with the line where it begins."""

    path: str
    text: str
    tree: Tree
    blocks: tuple[tuple[int, Block], ...]
    suspect: bool

    def place(self, pointer: Pointer) -> Place:
        """Return where the key is written, or the nearest written parent of it."""
        return self._place(pointer, 0)

    def value_place(self, pointer: Pointer) -> Place:
        """Return where the value is written, or the nearest written parent of it."""
        return self._place(pointer, 2)

    def value(self, pointer: Pointer) -> Any:
        """Return the value at a pointer; None where nothing is written."""
        node: Any = self.tree
        for key in pointer:
            node = _child(node, key)
            if node is _NOTHING:
                return None
        return node

    def scalar(self, pointer: Pointer) -> str:
        """Return a plain scalar as it is written, such as `0.10`."""
        line, column = self.value_place(pointer)
        rest = self.text.splitlines()[line - 1][column - 1 :]
        found = _SCALAR.match(rest)
        return found[0] if found else ""

    def _place(self, pointer: Pointer, part: int) -> Place:
        for first_line, block in self.blocks:
            if pointer and pointer[0] in block.tree:
                at = 4 * block.number(pointer) + part
                return Place(first_line + block.places[at] + 1, block.places[at + 1] + 1)
        return Place(1, 1)


def written(tree: Any, pointer: Pointer) -> Pointer:
    """Return the longest beginning of a pointer that is written in the tree."""
    for depth, key in enumerate(pointer):
        tree = _child(tree, key)
        if tree is _NOTHING:
            return pointer[:depth]
    return pointer


_NOTHING = object()


def _child(tree: Any, key: str | int) -> Any:
    if isinstance(tree, Mapping):
        return tree.get(key, _NOTHING)
    if isinstance(tree, list) and isinstance(key, int) and 0 <= key < len(tree):
        return tree[key]
    return _NOTHING


def _nodes(tree: Any, at: Pointer = ()) -> Iterator[Pointer]:
    """Yield the pointer of every node below a tree, in the order of the text."""
    for key, child in _children(tree):
        yield (*at, key)
        yield from _nodes(child, (*at, key))


def _children(tree: Any) -> Iterator[tuple[str | int, Any]]:
    if isinstance(tree, Mapping):
        yield from tree.items()
    elif isinstance(tree, list):
        yield from enumerate(tree)


def leaves(tree: Any, at: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    """Yield every scalar and every empty list or mapping, with its pointer."""
    children = list(_children(tree))
    if not children:
        yield at, tree
    for key, child in children:
        yield from leaves(child, (*at, key))


@lru_cache(maxsize=4096)
def written_pointer(pointer: Pointer) -> str:
    """Write a pointer as JSON Pointer does (RFC 6901); the whole document is `/`."""
    return "/" + "/".join(str(key).replace("~", "~0").replace("/", "~1") for key in pointer)
