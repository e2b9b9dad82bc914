"""A file that is written whole or not at all, and one that others write to as well."""

import os
import secrets
import stat
from pathlib import Path

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
    """Write a text beside a file and put it in its place; raises BenchregError where it cannot."""
    check(path)
    beside = path.parent / f".benchreg-{secrets.token_hex(8)}"
    try:
        _create(beside, f"{text}\n".encode("utf-8", "backslashreplace"))
        beside.replace(path)
    except OSError as error:
        raise BenchregError(f"{path}: cannot be written: {_reason(error)}") from None
    finally:
        beside.unlink(missing_ok=True)


def append(path: Path, text: str) -> None:
    """Write a text at the end of a file; raises BenchregError where it cannot."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
    try:
        _fill(os.open(path, flags, 0o666), f"{text}\n".encode("utf-8", "backslashreplace"))
    except (OSError, ValueError) as error:
        raise BenchregError(f"{path}: cannot be written: {_reason(error)}") from None


def _create(path: Path, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    _fill(os.open(path, flags, 0o666), data)


def _fill(handle: int, data: bytes) -> None:
    with os.fdopen(handle, "wb") as file:
        file.write(data)


def _reason(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)
