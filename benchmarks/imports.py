"""Hold what is imported from run files against the files, to the last digit.

    python benchmarks/imports.py FOLDER...

Every file below the folders is opened. Of each, one line: the importer that knows it, or the
reason why none reads it. Each figure is looked up at the place that it names in the file. Ends
with 1 where a value differs from that at its place, or where two importers know one file.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NamedTuple

from benchreg.importers.importer import Importer, recognised, statements
from benchreg.importers.opened import Opened, opened
from benchreg.importers.statement import RunError, Statement


class Checked(NamedTuple):
    """What became of the figures of one file."""

    equal: int
    converted: int
    differing: list[str]


def value_at(tree: Any, pointer: str) -> Any:
    """Return what stands at a JSON pointer below a tree; None where nothing does."""
    for key in pointer.strip("/").split("/"):
        name = key.replace("~1", "/").replace("~0", "~")
        if isinstance(tree, dict):
            tree = tree.get(name)
        elif isinstance(tree, list) and name.isdecimal() and int(name) < len(tree):
            tree = tree[int(name)]
        else:
            return None
    return tree


def number(value: Any) -> Decimal | None:
    """Return a value of a file as a number; None where it is none."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        return Decimal(str(value).replace(",", "").strip())
    except InvalidOperation:
        return None


def figures(found: Statement) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the figures of a statement by name."""
    yield from found.tree.get("results", {}).items()


def checked(file: Opened, one: Importer) -> Checked:
    """Hold every figure of a file against the value at its place."""
    trees = {piece.at: piece.tree for piece in one.pieces(file)}
    equal, converted, differing = 0, 0, []
    for found in statements(one, file):
        if isinstance(found, RunError):
            continue
        at = max((at for at in trees if found.at.startswith(at)), key=len, default="")
        tree = trees.get(at)
        below = found.at[len(at) :]
        tree = value_at(tree, below) if below.startswith("/") else tree
        for name, figure in figures(found):
            there = number(value_at(tree, figure.get("locator", "")))
            if there is None or "note" in figure:
                converted += 1
            elif there == figure["value"]:
                equal += 1
            else:
                differing.append(f"{name}: {figure['value']} and {there}")
    return Checked(equal, converted, differing)


def told(path: Path, outcomes: Counter[str]) -> str:
    """Return the line of one file, and count what became of it."""
    try:
        file = opened(path)
        one = recognised(file)
        found = list(statements(one, file))
    except (RunError, OSError) as error:
        text = str(error)
        kind = "ambiguous" if "could be of several" in text else "not read"
        outcomes[kind] += 1
        return f"{kind}: {text}"
    reasons = [str(one) for one in found if isinstance(one, RunError)]
    runs = len(found) - len(reasons)
    outcomes["imported" if runs else "refused"] += 1
    outcomes["runs"] += runs
    held = checked(file, one)
    outcomes["equal"] += held.equal
    outcomes["converted"] += held.converted
    outcomes["differing"] += len(held.differing)
    line = f"{one.name}: {runs} runs, {held.equal} figures equal, {held.converted} converted"
    faults = [*(f"DIFFERS {text}" for text in held.differing), *(f"refused: {r}" for r in reasons)]
    return "\n    ".join([line, *faults[:5]])


def main(folders: list[str]) -> int:
    """Print a line for each file below the folders, and the counts."""
    outcomes: Counter[str] = Counter()
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file() and not path.is_symlink():
                print(f"{path.relative_to(folder)}\n    {told(path, outcomes)}")
    print(dict(outcomes))
    return int(bool(outcomes["differing"] or outcomes["ambiguous"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
