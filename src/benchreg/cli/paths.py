"""The PATHS of a command line: which files of a registry they mean."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from benchreg.values.errors import BenchregError


class NamedPath(click.Path):
    """A path that is named: an empty word is none, and does not mean the working folder."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; raises an error of use for an empty word."""
        if value == "":
            self.fail("it is empty; name a file or a folder, or leave it out", param, ctx)
        return super().convert(value, param, ctx)


NAMED = NamedPath()


def among(root: Path, paths: tuple[Path, ...]) -> Callable[[str], bool]:
    """Return whether a path of the registry is asked for.

    Raises BenchregError for a path that is not there or not below the root.
    """
    wanted = [_below(root, path) for path in paths]
    if not wanted or "" in wanted:
        return lambda _: True
    exact, folders = set(wanted), tuple(f"{path}/" for path in wanted)
    return lambda path: path in exact or path.startswith(folders)


def _below(root: Path, path: Path) -> str:
    if not os.path.lexists(path):
        raise BenchregError(f"{path}: there is no such file or folder")
    absolute = Path(os.path.abspath(path))  # noqa: PTH100  (the last name may be a link)
    real = absolute.parent.resolve() / absolute.name
    try:
        below = real.relative_to(root.resolve())
    except ValueError:
        raise BenchregError(f"{path}: is not below the registry {root}") from None
    return "" if below == Path() else below.as_posix()
