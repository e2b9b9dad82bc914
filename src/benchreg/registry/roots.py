"""Where a registry is: around a place, or beside the code."""

import os
from pathlib import Path

from benchreg.values.errors import BenchregError


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


def registry_root(asked: Path | None) -> Path:
    """Return the registry that is asked for, else the one around us, else our own."""
    if asked is not None:
        return asked
    try:
        return find_root(Path())
    except BenchregError:
        return own_root()
