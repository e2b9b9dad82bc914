"""The records of a source that are there already, by the run that each is of."""

import os
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from benchreg.registry.dialect import DialectError
from benchreg.registry.document import Tree
from benchreg.registry.load import contents
from benchreg.registry.read import Reader

_SHA = re.compile(rb"sha256: [\x22\x27]?([0-9a-f]{64})")


class Run(NamedTuple):
    """One run: the SHA-256 of its file, and its place there, whatever the file is called."""

    sha256: str
    place: str


def run_of(tree: Tree) -> Run | None:
    """Return the run that a record is of; None for one that is of no file."""
    source = tree.get("source")
    if not isinstance(source, dict):
        return None
    digest, locator = source.get("sha256"), source.get("locator")
    if not isinstance(digest, str) or not isinstance(locator, str):
        return None
    return Run(digest, locator if "/" in locator.partition(",")[0] else locator.partition(", ")[2])


@dataclass(slots=True)
class Existing:
    """Where below a root the records of runs lie, found by their contents.

    A record has another id as soon as more is known of its run, or a curator renames it: it is of
    the same run still. The files of a source are looked through once, and only those that could be
    of a run that is asked for are read.
    """

    root: Path
    _holding: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    _found: dict[tuple[str, str], dict[Run, str]] = field(default_factory=dict)

    def path(self, tree: Tree) -> str | None:
        """Return where the record of the same run lies; None where there is none yet."""
        run, source = run_of(tree), tree.get("source", {}).get("id", "")
        if run is None:
            return None
        if source not in self._holding:
            self._holding[source] = self._look_through(source)
        key = (source, run.sha256)
        if key not in self._found:
            paths = self._holding[source].get(run.sha256, [])
            self._found[key] = dict(self._runs(paths))
        return self._found[key].get(run)

    def _look_through(self, source: str) -> dict[str, list[str]]:
        """Return by SHA-256 which files of a source name one."""
        holding: dict[str, list[str]] = defaultdict(list)
        for folder, folders, names in os.walk(self.root / "records/benchmarks" / source):
            folders.sort()
            for name in sorted(names, reverse=True):
                path = Path(folder, name)
                try:
                    found = _SHA.search(contents(path)) if name.endswith(".yaml") else None
                except OSError:
                    continue
                if found:
                    holding[found[1].decode()].append(path.relative_to(self.root).as_posix())
        return holding

    def _runs(self, paths: list[str]) -> Iterator[tuple[Run, str]]:
        reader = Reader()
        for path in paths:
            try:
                run = run_of(reader.read(path, contents(self.root / path)).tree)
            except (OSError, DialectError):
                continue
            if run:
                yield run, path
