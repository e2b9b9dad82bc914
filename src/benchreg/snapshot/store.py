"""Where snapshots are kept: opened when they are true, made anew when the records changed.

A snapshot is asked only after a look at what it was made from: at every folder of the records and
at the files of the answer each time, and at every file where the last look at them all is older
than `LOOK_S`. It is written whole beside the old one and moved over it: nobody reads half of one.
"""

import fcntl
import os
import sqlite3
import stat
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from benchreg.snapshot.stamps import Stamps, named, of_code, same, stamps

FORMAT = 1
LOOK_S = 10.0
LEFT_S = 3600.0
FEW_FILES = 300
SUFFIX, RECORDS = ".sqlite", "records/benchmarks/"


class Snapshot(NamedTuple):
    """An open snapshot of the records below a root."""

    root: Path
    database: sqlite3.Connection
    fixed: bool = False
    kept: bool = True

    @property
    def refused(self) -> int:
        """How many files of the records were refused, and are in no answer."""
        return int(_meta(self)["refused"])

    def holds(self, files: Iterable[int]) -> bool:
        """Tell whether the files of an answer, by their numbers, are as they were read."""
        wanted = set(files)
        if self.fixed:
            return True
        if not 0 < len(wanted) <= FEW_FILES:  # of nothing, any file could have been
            return _whole(self)
        marks = ",".join(map(str, wanted))
        found = self.database.execute(f"SELECT path, stamp FROM files WHERE id IN ({marks})")  # noqa: S608
        return same(self.root, dict(found.fetchall()))


class Store(NamedTuple):
    """The snapshots of one user, in a folder that is nobody else's; without one none is kept.

    `now` is the time in s since 1970, by which the age of the last look is told.
    """

    folder: Path | None
    now: float

    def open(self, root: Path, *, fixed: bool = False) -> Snapshot:
        """Return a snapshot of the records below a root as they are, made now if there is none.

        Records that are `fixed` never change: those that come with an installed benchreg.
        """
        found = self._true(root, fixed=fixed)
        return found or self.make(root, fixed=fixed)

    def make(self, root: Path, *, fixed: bool = False, known: Snapshot | None = None) -> Snapshot:
        """Return a snapshot made now; one that another process has made meanwhile will do.

        That is not the one that is `known` to be out of date.
        """
        folder = own_folder(self.folder)
        if folder is None:
            return _unkept(root, fixed=fixed)
        with suppress(OSError), _alone(folder / f"{_name(root)}.lock"):
            made = None if known else self._true(root, fixed=fixed)
            return made or _written(root, folder / f"{_name(root)}{SUFFIX}", fixed=fixed)
        return _unkept(root, fixed=fixed)  # there is something else in the place of the lock

    def _true(self, root: Path, *, fixed: bool) -> Snapshot | None:
        """Return the snapshot that is kept, where it is whole and the records have not changed."""
        folder = self.folder
        if folder is None or not _is_own(folder):
            return None
        path = folder / f"{_name(root)}{SUFFIX}"
        try:
            there = path.lstat()
            if not stat.S_ISREG(there.st_mode):
                return None
            age = self.now - there.st_mtime
            found = _opened(root, path, fixed=fixed)
        except (OSError, sqlite3.Error):
            return None
        with suppress(sqlite3.Error, ValueError, KeyError):
            look = not 0 <= age <= LOOK_S
            if _fresh(found, look=look):
                if look:
                    with suppress(OSError):  # of a folder that is only read
                        os.utime(path, (self.now, self.now))
                return found
        found.database.close()
        return None


def own_folder(folder: Path | None) -> Path | None:
    """Return a folder for snapshots that nobody else can write into; None where there is none."""
    if folder is None:
        return None
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder if _is_own(folder) and os.access(folder, os.W_OK) else None


def _is_own(folder: Path) -> bool:
    """Tell whether a folder is ours, and others cannot put a false snapshot there."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    open_to_others = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not open_to_others


def _readable(root: Path) -> str:
    """Return the whole path of a root as a text, whatever its bytes are."""
    return os.path.realpath(root).encode("utf-8", "backslashreplace").decode()


def _name(root: Path) -> str:
    """Return the name of a root's snapshot: its own, and a number of its whole path."""
    whole = os.path.realpath(root)
    plain = "".join(one if one.isalnum() else "-" for one in os.path.basename(whole))  # noqa: PTH119
    return f"{plain[:40]}-{crc32(os.fsencode(whole)):08x}"


def _opened(root: Path, path: Path, *, fixed: bool) -> Snapshot:
    plain = str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    address = f"file:{plain}?mode=ro&immutable=1"
    database = sqlite3.connect(address, uri=True, isolation_level=None)
    database.execute("PRAGMA mmap_size = 1073741824")
    database.execute("PRAGMA query_only = 1")
    return Snapshot(root, database, fixed)


def _meta(snapshot: Snapshot) -> dict[str, str]:
    return dict(snapshot.database.execute("SELECT name, said FROM meta").fetchall())


def _fresh(snapshot: Snapshot, *, look: bool) -> bool:
    """Tell whether a snapshot is of this program's making and of these records as they are."""
    meta = _meta(snapshot)
    mine = (str(FORMAT), of_code(), _readable(snapshot.root))
    if (meta["format"], meta["code"], meta["root"]) != mine:
        return False
    if snapshot.fixed:
        return True
    folders = dict(snapshot.database.execute("SELECT path, stamp FROM folders"))
    if not same(snapshot.root, folders, folders=True):
        return False
    if look:
        return _whole(snapshot, meta)
    query = "SELECT path, stamp FROM catalogue"
    return same(snapshot.root, dict(snapshot.database.execute(query)))


def _whole(snapshot: Snapshot, meta: dict[str, str] | None = None) -> bool:
    """Tell whether every file is as it was read."""
    known = (meta or _meta(snapshot))["total"]
    return known == str(stamps(snapshot.root).total)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Wait until no other process makes the same snapshot."""
    with os.fdopen(
        os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    ) as at:
        fcntl.flock(at, fcntl.LOCK_EX)
        yield


def _written(root: Path, path: Path, *, fixed: bool) -> Snapshot:
    """Return a new snapshot that is kept; one that is not, where there is no room to keep it."""
    try:
        _write(root, path)
        return _opened(root, path, fixed=fixed)
    except (OSError, sqlite3.OperationalError):
        return _unkept(root, fixed=fixed)


def _write(root: Path, path: Path) -> None:
    """Write a snapshot whole, or none: an old one stays until the new one takes its place."""
    import tempfile  # noqa: PLC0415  (slow to import, and a true snapshot needs none)

    _sweep(path.parent)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f"{path.stem}-", suffix=".part")
    os.close(handle)
    try:
        with closing(sqlite3.connect(name, isolation_level=None)) as database:
            _fill(database, root)
        os.replace(name, path)  # noqa: PTH105  (as mkstemp, of a plain name)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)  # noqa: PTH108  (as above)


def _sweep(folder: Path) -> None:
    """Take away what processes left that were ended while they made a snapshot."""
    for part in folder.glob("*.part"):
        with suppress(OSError):
            if part.stat().st_mtime < folder.stat().st_mtime - LEFT_S:
                part.unlink()


def _unkept(root: Path, *, fixed: bool) -> Snapshot:
    """Return a snapshot in memory, for one question."""
    database = sqlite3.connect(":memory:", isolation_level=None)
    _fill(database, root)
    database.execute("PRAGMA query_only = 1")
    return Snapshot(root, database, fixed, kept=False)


def _fill(database: sqlite3.Connection, root: Path) -> None:
    from benchreg.analysis.crosscheck import verdicts  # noqa: PLC0415  (slow; not for a true snapshot)
    from benchreg.registry.load import load  # noqa: PLC0415  (as above)
    from benchreg.snapshot.build import build  # noqa: PLC0415  (as above)

    before = stamps(root)
    registry = load(root)
    for pragma in ("journal_mode = OFF", "synchronous = OFF", "page_size = 8192"):
        database.execute(f"PRAGMA {pragma}")
    database.execute("BEGIN")
    build(database, registry, verdicts(registry), before.files)
    database.executemany(
        "INSERT INTO meta VALUES (?, ?)",
        _said(root, before, len({one.path for one in registry.refusals})),
    )
    own = {path: one for path, one in before.files.items() if not path.startswith(RECORDS)}
    database.executemany("INSERT INTO folders VALUES (?, ?)", named(before.folders).items())
    database.executemany("INSERT INTO catalogue VALUES (?, ?)", named(own).items())
    database.execute("COMMIT")


def _said(root: Path, before: Stamps, refused: int) -> Iterator[tuple[str, str]]:
    yield "format", str(FORMAT)
    yield "code", of_code()
    yield "root", _readable(root)
    yield "total", str(before.total)
    yield "refused", str(refused)
