"""What `benchreg import` is told of run files: their source, what is given beside them."""

from collections.abc import Iterator
from pathlib import Path

from benchreg.cli.clock import here
from benchreg.importers.cells import slug
from benchreg.importers.complete import Context
from benchreg.importers.given import given
from benchreg.importers.importer import called
from benchreg.importers.names import Names
from benchreg.importers.runs import Runs
from benchreg.importers.submission import LeftOut
from benchreg.importers.walk import Asked, walked
from benchreg.registry.load import load
from benchreg.registry.registry import Registry
from benchreg.values.errors import BenchregError
from benchreg.values.text import shown, suggestion

CATALOGUE = frozenset(("accelerator", "model", "engine", "source", "metric"))
EXAMPLE = "example-own-run"


def runs_of(
    root: Path,
    paths: tuple[Path, ...],
    source: str | None,
    words: tuple[str, ...],
    name: str | None,
    into: str,
    *,
    dry_run: bool,
) -> tuple[Runs, Iterator[Asked | LeftOut]]:
    """Return the import of run files, and the files; raises BenchregError for what is bad use."""
    for path in paths:
        if not path.exists():
            raise BenchregError(f"{shown(str(path))}: there is no such file or folder")
    folder = "/".join(slug(part) for part in into.split("/") if part)
    if into and folder != into.rstrip("/"):
        raise BenchregError(
            f"--into {shown(into)}: write it as an id, such as {folder or 'runs'!r}"
        )
    registry = load(root, only=CATALOGUE)
    chosen = _source(registry, source, dry_run=dry_run)
    kind = registry.sources[chosen].kind if chosen in registry.sources else "own_run"
    context = Context(registry, chosen, here().isoformat(), kind == "own_run", folder)
    forced = called(name) if name else None
    return Runs(context, Names(registry).given(given(words)), forced), walked(paths)


def _source(registry: Registry, named: str | None, *, dry_run: bool) -> str:
    """Return the id of the source: the one that is named, else the only one of own runs."""
    known = registry.sources
    if named is not None:
        if named not in known:
            near = suggestion(named, list(known)) or "add it first: `benchreg add source`"
            raise BenchregError(f"there is no source {shown(named)!r}; {near}")
        return named
    own = [key for key, one in known.items() if one.kind == "own_run" and key != EXAMPLE]
    if len(own) == 1:
        return own[0]
    if dry_run:
        return "your-source"
    which = f"one of {', '.join(own)}" if own else "add one with `benchreg add source`"
    raise BenchregError(f"--source says whose runs these are: {which}")
