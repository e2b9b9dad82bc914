"""Parts of a document that are plain enough to be read without a parser.

A part is a top-level key with all that is below it. Two shapes are read here, line by line: one
key with one value, and one key with a block of such lines below it. Whatever is not exactly of
these shapes is left to libyaml; tests hold the two ways equal.
"""

import re
from array import array
from functools import lru_cache
from typing import Any, NamedTuple

from benchreg.registry.dialect import START, DialectError, check_key, resolve
from benchreg.registry.document import Block
from benchreg.values.text import is_placeholder
from benchreg.values.unseen import MARKUP, UNSEEN

# Plain scalars of printable ASCII that begin with a letter or digit, and hold neither `:` nor
# `#`, end where their line ends; quoted ones here hold neither a quote nor a backslash.
_VALUE = r"(?:[A-Za-z0-9](?:[ !-\"$-9;-~]*[!-\"$-9;-~])?|\"[ !#-\[\]-~]*\")"
_LINE = re.compile(rf"([a-z_]+): ({_VALUE})")
_BLOCK = re.compile(rf"([a-z_]+):((?:\n  [a-z_]+: {_VALUE})+)")


class Part(NamedTuple):
    """A top-level key with its value, read from a text of that many lines."""

    key: str
    value: Any
    block: Block
    lines: int
    suspect: bool


def plain_part(text: str) -> Part | None:
    """Return the part that a text is, or None where it is not plain enough, or is refused.

    Empty lines behind it belong to the part and say nothing.
    """
    shape = text.rstrip("\n")
    lines = text.count("\n") + 1
    try:
        if line := _LINE.fullmatch(shape):
            return _of_line(line[1], line[2], lines)
        if block := _BLOCK.fullmatch(shape):
            return _of_block(block[1], block[2], lines)
    except DialectError:
        return None
    return None


def _of_line(key: str, written: str, lines: int) -> Part:
    check_key(key, START)
    value, suspect = _value(written)
    block = Block({key: value}, array("I", (0, 0, 0, len(key) + 2)))
    return Part(key, value, block, lines, suspect)


def _of_block(key: str, below: str, lines: int) -> Part | None:
    check_key(key, START)
    tree: dict[str, Any] = {}
    places, suspect = array("I", (0, 0, 1, 2)), False
    for number, (name, written) in enumerate(_LINE.findall(below), 1):
        check_key(name, START)
        if name in tree:
            return None
        tree[name], odd = _value(written)
        places.extend((number, 2, number, len(name) + 4))
        suspect = suspect or odd
    return Part(key, tree, Block({key: tree}, places), lines, suspect)


@lru_cache(maxsize=1 << 14)
def _value(written: str) -> tuple[Any, bool]:
    """Return what a scalar means, and whether it is to be looked at."""
    value = written[1:-1] if written[0] == '"' else resolve(written, START)
    return value, is_suspect(value)


def is_suspect(value: Any) -> bool:
    """Tell whether a scalar is empty, a placeholder, or could deceive; it is then looked at."""
    if not isinstance(value, str):
        return value is None
    if not (value.isascii() and value.isprintable()) and UNSEEN.search(value):
        return True
    return ("<" in value and bool(MARKUP.search(value))) or is_placeholder(value)
