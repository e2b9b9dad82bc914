"""The files and folders of an import -> what is worth opening, in order, and what is left out."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchreg.importers.opened import LOG
from benchreg.importers.statement import RunError
from benchreg.importers.submission import LeftOut, entry, found


class Asked(NamedTuple):
    """A file or run folder to open, and whether it was named itself."""

    path: Path
    named: bool


def walked(paths: Iterable[Path]) -> Iterator[Asked | LeftOut]:
    """Yield what to open of paths: files and run folders that are named, and those below a folder.

    Of a submission to MLPerf the runs are opened, and nothing beside them. Links and hidden files
    are not followed. A file that is reached twice is opened once.
    """
    paths = list(paths)
    named = {_real(path): path for path in paths if _is_run(path)}
    seen: set[str] = set()
    for path in paths:
        for one in [Asked(path, named=True)] if _is_run(path) else _below(path):
            key = _real(one.path)
            if key in seen or (key in named and not _is_run(path)):
                continue
            seen.add(key)
            yield one


def _is_run(path: Path) -> bool:
    return not path.is_dir() or os.path.lexists(path / LOG)


def _real(path: Path) -> str:
    """Return the one path of a file, however it is named; a run folder is the log in it."""
    return os.path.realpath(path / LOG if path.is_dir() else path)


def _below(folder: Path) -> Iterator[Asked | LeftOut]:
    runs = list(found(folder))
    done = {one.path if isinstance(one, LeftOut) else one for one in runs}
    for one in runs:
        yield one if isinstance(one, LeftOut) else Asked(one, named=False)
        if isinstance(one, Path):
            done |= _submission(one)
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if _is_open(Path(here) / name, done))
        paths = (Path(here) / name for name in sorted(names))
        yield from (Asked(path, named=False) for path in paths if _is_open(path, done))


def _is_open(path: Path, done: set[Path]) -> bool:
    return path not in done and not path.name.startswith(".") and not path.is_symlink()


def _submission(run: Path) -> set[Path]:
    """Return the folder of the division that a run lies in; nothing where it is of none."""
    try:
        of = entry(run / LOG if run.is_dir() else run)
    except RunError:
        return set()
    return set() if of is None else {of.root / of.way[0]}
