"""A file that somebody's harness wrote, opened: its text becomes trees, or tables of texts."""

import csv
import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, NamedTuple

from benchreg.importers.logged import MARK, logged
from benchreg.importers.statement import RepeatedError, RunError
from benchreg.importers.streamed import pruned, streamed
from benchreg.registry.loose import LooseError, loose
from benchreg.values.text import shown

Form = Literal["json", "lines", "yaml", "table", "text", "folder"]
Table = list[list[str]]

WIDE = (b"\xff\xfe", b"\xfe\xff")  # the marks of UTF-16
MOST_WHOLE = 8 * 1024 * 1024
MOST_TEXT = 16 * 1024 * 1024
MOST_YAML = 2 * 1024 * 1024
MOST_LINE = 8 * 1024 * 1024
MOST_ROWS = 100_000
LOG = "mlperf_log_detail.txt"
_KEY = re.compile(r"(?:---\s*\n)?(?:#[^\n]*\n)*[A-Za-z_][\w .-]*:(?:\s|$)")
_MARKED = re.compile(r"^[ \t]*\|[^|\n]*\|", re.MULTILINE)


class Piece(NamedTuple):
    """A tree that a file holds, and where: `` for the whole, a JSON pointer, or `line 3`."""

    at: str
    tree: Any


@dataclass(slots=True)
class Opened:
    """A file, by what is in it: trees (`pieces`), or tables with cells of text.

    Nothing of its name is ever taken for a fact. `folder` is the name of the folder it lies in.
    A run folder of LoadGen is opened as the log in it: `path` is that of the log.
    """

    path: Path
    form: Form
    size: int
    _text: str = ""
    _tree: Any = None
    _digest: str = field(default="", repr=False)
    _rows: list[Table] | None = field(default=None, repr=False)

    @property
    def folder(self) -> str:
        """The name of the folder that the file lies in."""
        return self.path.resolve().parent.name

    @property
    def sha256(self) -> str:
        """The SHA-256 of its bytes."""
        if not self._digest:
            with self.path.open("rb") as file:
                self._digest = hashlib.file_digest(file, "sha256").hexdigest()
        return self._digest

    def pieces(self) -> Iterator[Piece]:
        """Yield the trees of the file one by one: a list at the top is its items.

        Lists within are cut after some hundred items: those of requests are never read. Raises
        RunError for a line that is no JSON.
        """
        if self.form == "lines":
            yield from _lines(self.path)
        elif isinstance(self._tree, list):
            yield from (Piece(f"/{number}", one) for number, one in enumerate(self._tree))
        elif self.form in ("json", "yaml", "folder"):
            yield Piece("", self._tree)

    def tables(self) -> list[Table]:
        """Return the tables of a text: separated by blank lines; of csv, or of markdown."""
        if self._rows is None:
            if self._text.count("\n") > MOST_ROWS:
                raise RunError(f"has over {MOST_ROWS:,} lines, more than any report of a run")
            self._rows = list(_tables(self._text)) if self.form == "table" else []
        return self._rows

    @property
    def text(self) -> str:
        """The text of a file that is neither JSON nor YAML."""
        return self._text

    def beside(self, name: str) -> Any:
        """Return the tree of a small file that lies beside it; None where there is none to read."""
        path = self.path.parent / name
        try:
            if path.is_symlink() or not path.is_file() or path.stat().st_size > MOST_WHOLE:
                return None
            return opened(path)._tree  # noqa: SLF001  (a file of its own kind)
        except (OSError, RunError):
            return None


def opened(path: Path) -> Opened:
    """Open a file, or a run folder of LoadGen, and find by its content what form it has.

    Raises RunError for what is no text, no form that a harness writes, or too large, and OSError.
    """
    if path.is_dir():
        return _folder(path)
    if not path.is_file():
        raise RunError("is no file that can be read")
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start:
        raise RunError("is empty")
    if start[:1] in (b"{", b"[") or (
        start[:2] in WIDE and start[2:4].strip(b"\x00") in (b"{", b"[")
    ):
        return _json(path, size)
    if start.startswith(MARK):
        return Opened(path, "folder", size, _tree=logged(path))
    if b"MLPerf Results Summary" in start[:200]:
        raise RepeatedError(f"is the summary of a run of LoadGen; {LOG} beside it says more")
    if size > MOST_TEXT:
        raise RunError(f"is a text of over {MOST_TEXT // 2**20} MiB, and no JSON")
    return _texts(path, size, _decoded(path.read_bytes()))


def _folder(path: Path) -> Opened:
    log = path / LOG
    if log.is_symlink():
        raise RunError(f"has a {LOG} that is a link; links are not followed")
    if not log.is_file():
        raise RunError(f"is a folder without {LOG}; name the run files in it")
    return opened(log)


def _decoded(data: bytes) -> str:
    encoding = "utf-16" if data[:2] in WIDE else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        raise RunError("is not UTF-8 text; save it as UTF-8") from None
    if "\x00" in text:
        raise RunError("is no text: it holds zero bytes")
    return text.replace("\r\n", "\n")


def _json(path: Path, size: int) -> Opened:
    if size > MOST_WHOLE:
        return _large(path, size)
    text = _decoded(path.read_bytes())
    try:
        return Opened(path, "json", size, _tree=pruned(_parsed(text)))
    except json.JSONDecodeError as error:
        first, _, rest = text.strip().partition("\n")
        if error.msg == "Extra data" and rest.strip():
            _one_line(first, 1)
            return Opened(path, "lines", size)
        raise RunError(
            f"is no JSON: line {error.lineno}, column {error.colno}: {error.msg}"
        ) from None


def _large(path: Path, size: int) -> Opened:
    """Open a large file: line by line where its first line is whole, else as a stream."""
    with path.open("rb") as file:
        first = file.readline(MOST_LINE)
        while first and not first.strip():
            first = file.readline(MOST_LINE)
    if first[:2] in WIDE:
        raise RunError("is UTF-16; save a file of this size as UTF-8")
    if first.endswith(b"\n") and first.rstrip().endswith((b"}", b"]")) and len(first) > 2:
        try:
            _parsed(_decoded(first))
        except json.JSONDecodeError:
            pass
        else:
            return Opened(path, "lines", size)
    return Opened(path, "json", size, _tree=streamed(path))


def _parsed(text: str) -> Any:
    """Return the tree of a text in JSON; bare NaN and Infinity are kept as numbers that are none.

    Raises json.JSONDecodeError, and RunError for what Python's reader cannot bear.
    """
    try:
        return json.loads(
            text, parse_float=Decimal, parse_constant=Decimal, object_pairs_hook=_object
        )
    except (json.JSONDecodeError, RunError):
        raise
    except RecursionError:
        raise RunError("is nested too deeply") from None
    except (ValueError, ArithmeticError):
        raise RunError("holds a number with more digits than any figure") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        times = Counter(key for key, _ in pairs)
        twice = next(key for key, count in times.items() if count > 1)
        raise RunError(f"holds the key {shown(twice, 40)!r} twice in one object")
    return found


def _lines(path: Path) -> Iterator[Piece]:
    with path.open("rb") as file:
        number = 0
        while line := file.readline(MOST_LINE + 1):
            number += 1
            if len(line) > MOST_LINE:
                raise RunError(f"line {number} is longer than {MOST_LINE // 2**20} MiB")
            if text := _decoded(line).strip():
                yield Piece(f"line {number}", _one_line(text, number))


def _one_line(text: str, number: int) -> Any:
    try:
        return pruned(_parsed(text))
    except json.JSONDecodeError as error:
        raise RunError(f"line {number} is no JSON: column {error.colno}: {error.msg}") from None


def _texts(path: Path, size: int, text: str) -> Opened:
    marked = _MARKED.search(text) is not None
    if not marked and _KEY.match(text):
        if size > MOST_YAML:
            raise RunError(f"is YAML of over {MOST_YAML // 2**20} MiB; save the report as JSON")
        try:
            return Opened(path, "yaml", size, _tree=pruned(loose(text)))
        except LooseError as error:
            raise RunError(f"is no YAML: {error}") from None
    first = text.lstrip().partition("\n")[0]
    form: Form = "table" if marked or "," in first else "text"
    return Opened(path, form, size, _text=text)


def _tables(text: str) -> Iterator[Table]:
    """Yield the tables of a text; a blank line ends one, and so does a line that is no row."""
    marked = _MARKED.search(text) is not None
    for block in re.split(r"\n[ \t]*\n", text.strip()):
        if marked:
            rows = [_cells(line) for line in block.split("\n") if line.strip().startswith("|")]
            table = [row for row in rows if not all(re.fullmatch(r":?-+:?", one) for one in row)]
        else:
            table = _csv(block)
        if table:
            yield table


def rows(table: Table, name: str = "row") -> list[Piece]:
    """Return the rows below the header of a table, as trees by the names of its columns.

    A row that has not as many cells as the header stays a list, which fits no shape. Raises
    RunError where two columns share a name.
    """
    header, *below = table
    twice = next((one for one, times in Counter(header).items() if times > 1), None)
    if twice is not None:
        raise RunError(f"has two columns called {shown(twice, 40)!r}")
    return [
        Piece(
            f"{name} {number}",
            dict(zip(header, row, strict=True)) if len(row) == len(header) else row,
        )
        for number, row in enumerate(below, 1)
    ]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _csv(block: str) -> Table:
    try:
        return list(csv.reader(io.StringIO(block), strict=True))
    except csv.Error as error:
        raise RunError(f"is no csv table: {error}") from None
