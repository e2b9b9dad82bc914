"""What tells whether files have changed: stamps of every file and folder below a root."""

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import benchreg

_MASK = (1 << 63) - 1
_ROOMS = ("analysis", "entities", "registry", "roofline", "snapshot", "values")


class Stamps(NamedTuple):
    """A number for each folder and file below a root, by path; it changes when they do."""

    folders: dict[str, int]
    files: dict[str, int]

    @property
    def total(self) -> int:
        """One number for all files, in whatever order they are found."""
        return total(self.files.values())


def total(stamps: Iterable[int]) -> int:
    """Return one number for many stamps, whatever their order."""
    return sum(stamps) & _MASK


def stamp(found: os.stat_result) -> int:
    """Return the stamp of a file: when it was written and changed, its size, and which it is.

    A program can set the time of writing back, and not that of the change.
    """
    return hash((found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)) & _MASK


def of_folder(found: os.stat_result) -> int:
    """Return the stamp of a folder, which changes when a name in it comes or goes."""
    return hash((found.st_mtime_ns, found.st_ino)) & _MASK


def stamps(root: Path) -> Stamps:
    """Return the stamps of `root/records`; what cannot be read has none."""
    folders, files, waiting = {}, {}, ["records"]
    while waiting:
        folder = waiting.pop()
        try:
            folders[folder] = of_folder((root / folder).stat())
            children = list(os.scandir(root / folder))
        except OSError:
            continue
        for child in children:
            path = f"{folder}/{child.name}"
            if child.is_dir(follow_symlinks=False):
                waiting.append(path)
            else:
                try:
                    files[path] = stamp(child.stat(follow_symlinks=False))
                except OSError:
                    continue
    return Stamps(folders, files)


def named(stamps: Mapping[str, int]) -> dict[bytes, int]:
    """Return stamps by the names that the system has for their paths."""
    return {os.fsencode(path): one for path, one in stamps.items()}


def same(root: Path, known: Mapping[bytes, int], *, folders: bool = False) -> bool:
    """Tell whether files, or folders, still have the stamps that are known of them.

    Their names are bytes, as the system has them: not every name is a text.
    """
    made = of_folder if folders else stamp
    base = os.fsencode(root) + b"/"
    try:
        return all(
            made(os.stat(base + path, follow_symlinks=folders)) == one  # noqa: PTH116  (twice as quick)
            for path, one in known.items()
        )
    except OSError:
        return False


def of_code() -> str:
    """Return what changes when this program does: its version, its files, and Python's own."""
    home = Path(benchreg.__file__).parent
    found = [
        stamp(child.stat())
        for room in _ROOMS
        for child in os.scandir(home / room)
        if child.name.endswith(".py")
    ]
    return f"{benchreg.__version__} {total(found)} {sys.implementation.cache_tag}"
