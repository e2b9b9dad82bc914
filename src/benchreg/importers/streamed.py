"""JSON of any size -> a small tree: long lists, which are those of requests, are cut on the way."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from benchreg.importers.statement import RunError
from benchreg.values.text import shown

MOST_ITEMS = 512
MOST_WITHIN = 16
MOST_TEXT = 4096
MOST_NODES = 1_000_000
MOST_DEPTH = 100
MOST_DIGITS = 4000  # Python reads no whole number of more than 4300
_DIGITS = b"0123456789"
_LONG = re.compile(rb"(?<![0-9])[0-9]{%d}" % MOST_DIGITS)
_MARK = b"\xef\xbb\xbf"
_OPEN, _CLOSE = ("start_map", "start_array"), ("end_map", "end_array")

Event = tuple[str, Any]


def _most(items: list[Any], around: int) -> int:
    """Return how many items of a list are kept: few of objects in a list, which are requests."""
    return MOST_WITHIN if around and items and isinstance(items[0], dict) else MOST_ITEMS


def pruned(tree: Any, depth: int = 0, around: int = 0) -> Any:
    """Return a tree with its long lists and texts cut; raises RunError where it is too deep.

    `around` is how many lists it lies in.
    """
    if depth > MOST_DEPTH:
        raise RunError("is nested too deeply")
    if isinstance(tree, dict):
        return {key: pruned(one, depth + 1, around) for key, one in tree.items()}
    if isinstance(tree, list):
        kept = tree if depth == 0 else tree[: _most(tree, around)]
        return [pruned(one, depth + 1, around + 1) for one in kept]
    return tree[:MOST_TEXT] if isinstance(tree, str) else tree


def streamed(path: Path) -> Any:
    """Return the tree of a file in JSON, its long lists and texts cut while it is read.

    Raises RunError for what is no JSON (a bare NaN or Infinity is none to this reader) and for a
    tree that is large even so.
    """
    import ijson  # noqa: PLC0415  (only large files need it)

    try:
        with path.open("rb") as file:
            return _tree(iter(ijson.basic_parse(_Bounded(file))))
    except ijson.JSONError as error:
        raise RunError(f"is no JSON: {_reason(error)}") from None
    except RunError:
        raise
    except (ValueError, ArithmeticError):
        raise RunError("holds a number that is larger than any figure") from None


def _reason(error: Exception) -> str:
    """Return what the reader says; some of its messages are bytes, which quote the file."""
    first = error.args[0] if error.args else ""
    told = first.decode(errors="replace") if isinstance(first, bytes) else str(first)
    line = shown(told.partition("\n")[0], 80)
    number = "invalid char" in line
    return f"{line} NaN and Infinity are not read in a file of this size" if number else line


class _Bounded:
    """A file without its byte order mark, read as long as no run of digits in it is too long.

    The reader behind it dies of a number that Python does not read, and takes the process along.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.run = 0
        if file.read(len(_MARK)) != _MARK:
            file.seek(0)

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes; raises RunError where they go on with digits for too long."""
        data = self.file.read(size)
        begins = len(data) - len(data.lstrip(_DIGITS))
        self.run += begins
        if self.run >= MOST_DIGITS or _LONG.search(data):
            raise RunError("holds a number with more digits than any figure")
        if begins < len(data):
            self.run = len(data) - len(data.rstrip(_DIGITS))
        return data


class _Growing:
    """The tree so far: the containers that are open, and the key that waits for its value."""

    def __init__(self) -> None:
        self.open: list[Any] = []
        self.keys: list[str] = []
        self.root: Any = None
        self.nodes = 0
        self.lists = 0

    def full(self) -> bool:
        """Tell whether the list that is open has all that is kept of it."""
        here = self.open[-1] if self.open else None
        if not isinstance(here, list) or len(self.open) == 1:
            return False
        return len(here) >= MOST_WITHIN and len(here) >= _most(here, self.lists - 1)

    def put(self, value: Any) -> None:
        """Set a value where it belongs."""
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise RunError("holds more than any report of a run; lists of requests were left out")
        if not self.open:
            self.root = value
        elif isinstance(self.open[-1], list):
            self.open[-1].append(value)
        else:
            here, key = self.open[-1], self.keys[-1]
            if key in here:
                raise RunError(f"holds the key {shown(key, 40)!r} twice in one object")
            here[key] = value

    def enter(self, container: Any) -> None:
        """Open a mapping or a list."""
        self.put(container)
        self.open.append(container)
        self.keys.append("")
        self.lists += isinstance(container, list)
        if len(self.open) > MOST_DEPTH:
            raise RunError("is nested too deeply")

    def leave(self) -> None:
        """Close what is open."""
        self.lists -= isinstance(self.open.pop(), list)
        self.keys.pop()


def _tree(events: Iterator[Event]) -> Any:
    growing = _Growing()
    for kind, value in events:
        if kind == "map_key":
            growing.keys[-1] = value[:MOST_TEXT]
        elif kind in _CLOSE:
            growing.leave()
        elif growing.full():
            _skip(kind, events)
        elif kind in _OPEN:
            growing.enter({} if kind == "start_map" else [])
        else:
            growing.put(value[:MOST_TEXT] if isinstance(value, str) else value)
    return growing.root


def _skip(kind: str, events: Iterator[Event]) -> None:
    """Pass over a value, however much is in it."""
    depth = int(kind in _OPEN)
    while depth:
        kind = next(events)[0]
        if kind in _OPEN:
            depth += 1
        elif kind in _CLOSE:
            depth -= 1
