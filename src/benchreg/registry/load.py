"""A folder -> Registry; whatever is no entity becomes a refusal, never an exception."""

import gc
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
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
from benchreg.values.text import shown

FOLDERS = {plural if kind != "record" else "benchmarks": kind for kind, plural in PLURALS.items()}
_BESIDE = frozenset(("LICENSE", "README.md", ".gitignore", ".gitattributes"))
_PLAIN = re.compile(r"[A-Za-z0-9._-]+")


def find_root(start: Path) -> Path:
    """Return the nearest folder, at or above `start`, that holds `records/`.

    Raises BenchregError where there is none.
    """
    here = Path(os.path.abspath(start))  # noqa: PTH100  (`..` is left, a link is kept)
    if not here.exists():
        raise BenchregError(f"{start}: there is no such file or folder")
    for folder in (here, *here.parents):
        if (folder / "records").is_dir():
            return folder
    raise BenchregError(
        f"{start}: no folder here or above it holds `records/`; name one with --registry"
    )


def own_root() -> Path:
    """Return the folder that holds the records which come with benchreg."""
    packed = Path(__file__).parents[1] / "data"
    return packed if packed.is_dir() else Path(__file__).parents[3]


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
    loading = _Loading(_checked(root), cross_validate)
    with _collector_at_rest():
        for path in _walk(loading):
            if not only or kind_of(path) in only:
                loading.take(path)
    return build(
        loading.entries,
        loading.refusals,
        loading.documents,
        cross_validated=cross_validate,
        today=today.isoformat() if today else "",
    )


def files(root: Path) -> tuple[list[str], list[Refusal]]:
    """Return the paths of what should be entities below `root/records`, and what is no file.

    Raises BenchregError where there is no such folder.
    """
    loading = _Loading(_checked(root), both=False)
    return _walk(loading), loading.refusals


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

    root: Path
    both: bool
    reader: Reader = field(default_factory=Reader)
    parts: Parts = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict)

    def refuse(
        self, path: str, message: str, hint: str = "", kind: RefusalKind = "dialect"
    ) -> None:
        """Note a file that is no entity."""
        self.refusals.append(Refusal(path, kind, message, hint))

    def take(self, path: str) -> None:
        """Read one file, and note what it is or why it is nothing."""
        kind = kind_of(path)
        if kind is None:
            self.refuse(path, "a file where no entity belongs", _WHERE, "schema")
            return
        try:
            document = self.reader.read(path, contents(f"{self.root}/{path}"))
        except (OSError, DialectError) as error:
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


def kind_of(path: str) -> str | None:
    """Return the kind of entity that belongs at a path below the root; None where none does."""
    _, folder, *rest = path.split("/")
    kind = FOLDERS.get(folder)
    if kind is None or not path.endswith(".yaml"):
        return None
    return kind if (len(rest) > 1 if kind == "record" else len(rest) == 1) else None


def _walk(loading: _Loading) -> list[str]:
    """Return the paths, below the root, of all files that should be entities, in order."""
    found, waiting = [], ["records"]
    while waiting:
        folder = waiting.pop()
        try:
            children = list(os.scandir(loading.root / folder))
        except OSError as error:
            loading.refuse(
                folder, f"cannot be read: {error.strerror or error}", "give read permission"
            )
            continue
        for child in children:
            path = f"{folder}/{child.name}"
            if not _PLAIN.fullmatch(child.name):
                hint = "name it with letters, digits, and . _ - only"
                loading.refuse(shown(path), "a name that could deceive", hint, "unsafe")
            elif child.is_symlink():
                loading.refuse(path, "a symbolic link", "put the file itself here")
            elif child.is_dir(follow_symlinks=False):
                waiting.append(path)
            elif child.name not in _BESIDE:
                found.append(path)
    return sorted(found)


def contents(path: str | Path) -> bytes:
    """Return at most one byte more than a document may have, of a regular file only."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(0, "not a regular file")
        data = b""
        while len(data) <= MOST_BYTES and (more := os.read(handle, MOST_BYTES + 1 - len(data))):
            data += more
        return data
    finally:
        os.close(handle)


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Keep the garbage collector from walking a growing registry that holds no garbage."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()
