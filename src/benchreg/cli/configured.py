"""`benchreg.toml` and `[tool.benchreg]`: where they are looked for, and how they are read."""

import os
import re
from collections.abc import Callable
from os.path import lexists
from pathlib import Path
from typing import Any

import click

from benchreg.audit.configuration import UNCONFIGURED, WORDS, Configuration, configuration
from benchreg.audit.policy import Asked, Policy, policy
from benchreg.registry.load import contents
from benchreg.registry.roots import find_root
from benchreg.values.errors import BenchregError
from benchreg.values.text import shown

OWN, SHARED = "benchreg.toml", "pyproject.toml"
TABLE = "tool.benchreg"
HINT = "--isolated reads none"
MOST_BYTES = 64 * 1024
MOST_DOTS = 500  # in a line: tomllib takes the square of a key's parts
_AT = re.compile(r"(?P<said>.*) \(at line (?P<line>[0-9]+), column (?P<column>[0-9]+)\)")


def configuration_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say how an audit is to be done, and `--isolated`."""
    for option in (
        click.option("--isolated", is_flag=True, help="Read no benchreg.toml or pyproject.toml."),
        click.option(
            "--show", type=click.Choice([*WORDS]), default=None,
            help="The least severity that is printed one by one; a PATH prints all.  "
            "[default: error]",
        ),
        click.option(
            "--fail-on", type=click.Choice([*WORDS]), default=None,
            help="The least severity that ends with exit code 1.  [default: error]",
        ),
        click.option("--ignore", multiple=True, metavar="RULES", help="Not these."),
        click.option(
            "--select", multiple=True, metavar="RULES", help="Only these: MET004, MET, a name.",
        ),
    ):  # fmt: skip
        command = option(command)
    return command


def root_of(named: Path | None, paths: tuple[Path, ...], *, isolated: bool = False) -> Path:
    """Return the root of the registry: the one that is named, or the nearest to the first path.

    A folder is one that holds `records/`, or whose configuration says where that is. Raises
    BenchregError where there is none.
    """
    if named is not None:
        return named
    start = paths[0] if paths else Path()
    here = _absolute(start)
    for folder in () if isolated or not here.exists() else (here, *here.parents):
        if (folder / "records").is_dir():
            return folder
        found = _configuration(folder)
        if found is not None and found.registry:
            return _below(folder, found)
    return find_root(start)


def configured(root: Path, *, isolated: bool = False) -> Configuration:
    """Return the nearest configuration at or above the root of a registry, if there is one.

    Raises BenchregError with every fault of the file, and where one folder has both files.
    """
    here = _absolute(root)
    for folder in () if isolated else (here, *here.parents):
        found = _configuration(folder)
        if found is not None:
            _agree(folder, found)
            return Configuration(os.path.relpath(found.path, here), found.settings)
    return UNCONFIGURED


def policy_of(root: Path, asked: Asked, *, isolated: bool = False) -> Policy:
    """Return how the registry at a root is to be audited."""
    return policy(configured(root, isolated=isolated), asked)


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100  (`..` is left, a link is kept)


def _configuration(folder: Path) -> Configuration | None:
    """Return the configuration that lies in a folder."""
    own, shared = folder / OWN, folder / SHARED
    table = _table(shared) if lexists(shared) else None
    if lexists(own):
        if table is not None:
            raise BenchregError(f"{own}: {SHARED} beside it has [{TABLE}] too; keep one")
        return configuration(str(own), _toml(own))
    return None if table is None else configuration(str(shared), table, TABLE)


def _table(path: Path) -> dict[str, Any] | None:
    """Return the table that is ours of a file that many tools share."""
    tool = _toml(path).get("tool")
    table = tool.get("benchreg") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise BenchregError(f"{path}: {TABLE}: should be a table; write [{TABLE}]")
    return table


def _toml(path: Path) -> dict[str, Any]:
    """Return what a file says; raises BenchregError for one that is no TOML."""
    import tomllib  # noqa: PLC0415  (only where there is a configuration)

    try:
        text = _text(path)
        if any(line.count(".") > MOST_DOTS for line in text.split("\n")):
            raise BenchregError(f"{path}: a line with more than {MOST_DOTS} points; {HINT}")
        return tomllib.loads(text)
    except OSError as error:
        why = error.strerror or error
        raise BenchregError(f"{path}: cannot be read: {why}; {HINT}") from None
    except UnicodeDecodeError:
        raise BenchregError(f"{path}: not UTF-8 text; save it as UTF-8") from None
    except RecursionError:
        raise BenchregError(f"{path}: nested too deep") from None
    except ValueError as error:
        raise BenchregError(_not_toml(path, str(error))) from None


def _text(path: Path) -> str:
    data = contents(path)
    if len(data) > MOST_BYTES:
        raise BenchregError(f"{path}: larger than {MOST_BYTES // 1024} KiB; {HINT}")
    return data.decode()


def _not_toml(path: Path, error: str) -> str:
    found = _AT.fullmatch(error)
    if found is None:
        return f"{path}: not TOML: {shown(error)}"
    return f"{path}:{found['line']}:{found['column']}: not TOML: {shown(found['said'])}"


def _below(folder: Path, found: Configuration) -> Path:
    """Return the root that a configuration names, which is below its folder."""
    root = folder / found.registry
    if not root.resolve().is_relative_to(folder.resolve()):
        raise BenchregError(
            f"{found.path}: registry: {root} lies outside; a folder of it is a link"
        )
    if not (root / "records").is_dir():
        raise BenchregError(f"{found.path}: registry: {root} holds no folder `records/`")
    return root


def _agree(folder: Path, found: Configuration) -> None:
    """Refuse a configuration that names a registry where another one is."""
    if found.registry and (folder / "records").is_dir():
        message = f"names {found.registry}, and `records/` is here; keep one"
        raise BenchregError(f"{found.path}: registry: {message}")
