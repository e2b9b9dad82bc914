"""A file that is written whole or not at all."""

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from benchreg.values.errors import BenchregError

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def write(path: Path, data: bytes) -> None:
    """Write a file beside its place, and put it there; one that is there already keeps its mode.

    A link is replaced, and not what it leads to. Raises BenchregError where this cannot be; what
    was there is then as it was.
    """
    try:
        _write(path, data, _mode(path))
    except OSError as error:
        raise _failure(path, error) from None


def replace(path: Path, data: bytes) -> None:
    """Put new contents in the place of a file, as `write` does; there must be one."""
    try:
        path.lstat()
    except OSError as error:
        raise _failure(path, error) from None
    write(path, data)


def _mode(path: Path) -> int | None:
    """Return the mode of a plain file that is there; None for whatever else may be there."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return None
    return stat.S_IMODE(mode) if stat.S_ISREG(mode) else None


def _write(path: Path, data: bytes, mode: int | None) -> None:
    beside = path.with_name(f".benchreg-{secrets.token_hex(8)}")
    try:
        handle = os.open(beside, _FLAGS, 0o666 if mode is None else mode)  # never wider than that
        with os.fdopen(handle, "wb") as file:
            if mode is not None:
                os.fchmod(handle, mode)
            file.write(data)
        beside.replace(path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise


def _failure(path: Path, error: OSError) -> BenchregError:
    return BenchregError(f"{path}: cannot be written: {error.strerror or error}")
