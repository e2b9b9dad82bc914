"""A text into a file that is asked for, and at the end of one that others write to as well."""

import os
import stat
from pathlib import Path

from benchreg.registry import whole
from benchreg.values.errors import BenchregError


def check(path: Path) -> None:
    """Raise BenchregError where no plain file could be written at a path.

    Its folder must be there. What lies at it already may be a plain file only: a link would be
    replaced and not followed, and a device is nobody's to replace.
    """
    if not path.name:
        raise BenchregError(f"{path}: is no name of a file")
    if not path.parent.is_dir():
        raise BenchregError(f"{path}: cannot be written: there is no folder {path.parent}")
    try:
        there = path.lstat()
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise BenchregError(f"{path}: cannot be written: {_reason(error)}") from None
    if not stat.S_ISREG(there.st_mode):
        raise BenchregError(f"{path}: is there already, and is not a plain file")


def write(path: Path, text: str) -> None:
    """Write a text as a file, whole or not at all; raises BenchregError where it cannot."""
    check(path)
    whole.write(path, _bytes(text))


def append(path: Path, text: str) -> None:
    """Write a text at the end of a file; raises BenchregError where it cannot."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(path, flags, 0o666), "wb") as file:
            file.write(_bytes(text))
    except (OSError, ValueError) as error:
        raise BenchregError(f"{path}: cannot be written: {_reason(error)}") from None


def _bytes(text: str) -> bytes:
    return f"{text}\n".encode("utf-8", "backslashreplace")


def _reason(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)
