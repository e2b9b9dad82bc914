"""Files -> Registry; whatever is no entity becomes a refusal, never an exception."""

import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from benchreg.registry.dialect import MOST_BYTES, DialectError
from benchreg.registry.document import Document
from benchreg.registry.judge import Parts, judge
from benchreg.registry.read import Reader
from benchreg.registry.refusal import Refusal, RefusalKind
from benchreg.registry.registry import PLURALS, Entry, Registry, build
from benchreg.values.errors import BenchregError
from benchreg.values.garbage import collector_at_rest
from benchreg.values.text import shown

Found = tuple[str, bytes | Refusal | Entry]
FOLDERS = {plural if kind != "record" else "benchmarks": kind for kind, plural in PLURALS.items()}
BESIDE = frozenset(("LICENSE", "README.md", ".gitignore", ".gitattributes"))
_PLAIN = re.compile(r"[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*")


def load(
    root: Path,
    *,
    cross_validate: bool = False,
    today: date | None = None,
    only: frozenset[str] = frozenset(),
) -> Registry:
    """Return the registry of `root/records`; with `cross_validate` both judges see every document.

    `today` is the day on which it is judged; without it, rules that need one do not judge. `only`
    are the kinds of entity that are wanted, all where it is empty: the others are not read. Raises
    BenchregError where there is no such folder.
    """
    return collected(_in_folder(root, only), cross_validate=cross_validate, today=today)


def collected(
    found: Iterable[Found], *, cross_validate: bool = False, today: date | None = None
) -> Registry:
    """Return the registry of files, wherever they come from.

    A file is the path that it has below the root, and its bytes, why it is none, or the entry that
    it is already known to be.
    """
    loading = _Loading(cross_validate)
    with collector_at_rest():
        for path, data in found:
            loading.take(path, data)
    return build(
        loading.entries,
        loading.refusals,
        loading.documents,
        cross_validated=cross_validate,
        today=today.isoformat() if today else "",
    )


def _in_folder(root: Path, only: frozenset[str]) -> Iterator[Found]:
    """Yield the files below `root/records`; those where no entity belongs are not read."""
    paths, refusals = files(root)
    yield from ((refusal.path, refusal) for refusal in refusals)
    for path in paths:
        if not only or kind_of(path) in only:
            yield path, misplaced(path) or _read(root, path)


def _read(root: Path, path: str) -> bytes | Refusal:
    try:
        return contents(f"{root}/{path}")
    except OSError as error:
        return unread(path, error)


def files(root: Path) -> tuple[list[str], list[Refusal]]:
    """Return the paths of what should be entities below `root/records`, and what is no file.

    Raises BenchregError where there is no such folder.
    """
    return _walk(_checked(root))


def _checked(root: Path) -> Path:
    folder = root / "records"
    if not folder.is_dir():
        raise BenchregError(f"{root}: holds no folder `records/`")
    if folder.is_symlink():
        raise BenchregError(f"{folder}: is a symbolic link; a registry is a folder of its own")
    return root


@dataclass(slots=True)
class _Loading:
    """What was read so far."""

    both: bool
    reader: Reader = field(default_factory=Reader)
    parts: Parts = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict)

    def take(self, path: str, found: bytes | Refusal | Entry) -> None:
        """Note what a file is, or why it is nothing."""
        if isinstance(found, Refusal):
            self.refusals.append(found)
        elif isinstance(found, Entry):
            self.documents[path] = found.document
            self.entries.append(found)
        else:
            self._read(path, found)

    def _read(self, path: str, data: bytes) -> None:
        kind = kind_of(path)
        if kind is None:
            raise ValueError(f"{path}: no entity belongs there")
        try:
            document = self.reader.read(path, data)
        except DialectError as error:
            self.refusals.append(unread(path, error))
        else:
            self._judge(kind, document)

    def _judge(self, kind: str, document: Document) -> None:
        self.documents[document.path] = document
        found = judge(kind, document, both=self.both, parts=self.parts)
        if isinstance(found, list):
            self.refusals += found
        else:
            self.entries.append(Entry(kind, found, document))


def unread(path: str, error: OSError | DialectError) -> Refusal:
    """Return the refusal of a file that could not be read."""
    if isinstance(error, OSError):
        reason = f"cannot be read: {error.strerror or error}"
        return Refusal(path, "dialect", reason, "make it a plain file")
    kind: RefusalKind = "unsafe" if error.unsafe else "dialect"
    return Refusal(path, kind, error.message, place=error.place)


_WHERE = (
    "a record belongs at records/benchmarks/<source>/.../<id>.yaml, another entity at "
    f"records/<kind>/<id>.yaml, with <kind> one of {', '.join(FOLDERS)}"
)


def misplaced(path: str) -> Refusal | None:
    """Return the refusal of a file at a path where no entity belongs."""
    if kind_of(path) is None:
        return Refusal(path, "schema", "a file where no entity belongs", _WHERE)
    return None


def misnamed(path: str) -> Refusal | None:
    """Return the refusal of a file or folder whose path could deceive a reader or a program."""
    if _PLAIN.fullmatch(path):
        return None
    hint = "name it with letters, digits, and . _ - only"
    return Refusal(shown(path), "unsafe", "a name that could deceive", hint)


def linked(path: str) -> Refusal:
    """Return the refusal of a symbolic link."""
    return Refusal(path, "dialect", "a symbolic link", "put the file itself here")


def kind_of(path: str) -> str | None:
    """Return the kind of entity that belongs at a path below the root; None where none does."""
    _, folder, *rest = path.split("/")
    kind = FOLDERS.get(folder)
    if kind is None or not path.endswith(".yaml"):
        return None
    return kind if (len(rest) > 1 if kind == "record" else len(rest) == 1) else None


def _walk(root: Path) -> tuple[list[str], list[Refusal]]:
    """Return the paths of all files that should be entities, in order, and what is no file."""
    found, refused, waiting = [], [], ["records"]
    while waiting:
        folder = waiting.pop()
        try:
            children = list(os.scandir(root / folder))
        except OSError as error:
            told = f"cannot be read: {error.strerror or error}"
            refused.append(Refusal(folder, "dialect", told, "give read permission"))
            continue
        for child in children:
            path = f"{folder}/{child.name}"
            if refusal := misnamed(path):
                refused.append(refusal)
            elif child.is_symlink():
                refused.append(linked(path))
            elif child.is_dir(follow_symlinks=False):
                waiting.append(path)
            elif child.name not in BESIDE:
                found.append(path)
    return sorted(found), refused


def contents(path: str | Path) -> bytes:
    """Return at most one byte more than a document may have, of a regular file only."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(0, "not a regular file")
        data = os.read(handle, min(found.st_size, MOST_BYTES) + 1)  # one more: its end is seen
        if len(data) != found.st_size:
            while len(data) <= MOST_BYTES and (more := os.read(handle, MOST_BYTES + 1 - len(data))):
                data += more
        return data
    finally:
        os.close(handle)
