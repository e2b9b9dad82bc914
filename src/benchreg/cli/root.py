"""Which registry a command asks."""

from pathlib import Path

from benchreg.registry.roots import find_root, own_root
from benchreg.values.errors import BenchregError


def registry_root(asked: Path | None) -> Path:
    """Return the registry that is asked for, else the one around us, else our own."""
    if asked is not None:
        return asked
    try:
        return find_root(Path())
    except BenchregError:
        return own_root()
