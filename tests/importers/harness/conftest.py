"""What the tests of all importers stand on: files read as statements, and trees gone bad."""

import json
from collections.abc import Callable
from copy import deepcopy
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from benchreg.importers.importer import called, recognised, statements
from benchreg.importers.opened import Opened, opened
from benchreg.importers.statement import RunError, Statement

DATA = Path(__file__).parent.parent / "data"
GONE = object()
BAD: tuple[Any, ...] = (
    GONE, None, True, 0, -1, 10**30, Decimal("NaN"), Decimal("Infinity"), Decimal("1e-400"), "",
    "12,345.5", "nan", "\x1b[31m", "x" * 5000, [], [1], {}, {"a": 1},
)  # fmt: skip

Stated = Callable[[Path], list[Statement]]
Found = Callable[[Any, str], Any]
Spoiled = Callable[[Any], st.SearchStrategy[Any]]


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of the run files, one of its folders a harness."""
    return DATA


@pytest.fixture(scope="session")
def stated() -> Stated:
    """A function that returns what a file states; raises the first RunError that it meets."""

    def read(path: Path) -> list[Statement]:
        file = opened(path)
        found = []
        for one in statements(recognised(file), file):
            if isinstance(one, RunError):
                raise one
            found.append(one)
        return found

    return read


@pytest.fixture(scope="session")
def at() -> Found:
    """A function that returns what stands at a JSON pointer of a tree."""

    def find(tree: Any, pointer: str) -> Any:
        for step in pointer.split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            tree = tree[int(key) if isinstance(tree, list) else key]
        return tree

    return find


@pytest.fixture(scope="session")
def spoiled() -> Spoiled:
    """A function that returns a strategy: a tree of which some places were dropped or changed."""

    def strategy(tree: Any) -> st.SearchStrategy[Any]:
        changes = st.tuples(st.sampled_from(_places(tree)), st.sampled_from(BAD))
        return st.lists(changes, min_size=1, max_size=3).map(lambda found: _changed(tree, found))

    return strategy


def _places(tree: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the way to each value below the top of a tree."""
    items: Any = ()
    if isinstance(tree, dict):
        items = tree.items()
    elif isinstance(tree, list):
        items = enumerate(tree[:3])
    found = [here] if here else []
    return found + [place for key, value in items for place in _places(value, (*here, key))]


def _changed(tree: Any, changes: list[tuple[tuple[Any, ...], Any]]) -> Any:
    made = deepcopy(tree)
    for way, value in changes:
        node = made
        try:
            for key in way[:-1]:
                node = node[key]
            if value is GONE:
                del node[way[-1]]
            else:
                node[way[-1]] = deepcopy(value)
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took the place away
    return made


@pytest.fixture(scope="session")
def dumped() -> Callable[[Any], str]:
    """A function that returns a tree as JSON, its decimals with their digits."""
    return _dumped


def _dumped(tree: Any) -> str:
    if isinstance(tree, dict):
        pairs = (f"{json.dumps(str(key))}: {_dumped(value)}" for key, value in tree.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(tree, list):
        return "[" + ", ".join(_dumped(value) for value in tree) + "]"
    return str(tree) if isinstance(tree, Decimal) else json.dumps(tree)


@pytest.fixture(scope="session")
def told() -> Callable[..., list[Statement | RunError]]:
    """A function that returns what an importer makes of a tree: statements, and refusals."""

    def read(name: str, tree: Any, path: Path = Path("run.json")) -> list[Statement | RunError]:
        return list(statements(called(name), Opened(path, "json", 0, _tree=tree)))

    return read


@pytest.fixture(scope="session")
def changes() -> Callable[[Any, Any], set[str]]:
    """A function that returns the dotted paths of the values in which two trees differ."""

    def differ(before: Any, after: Any) -> set[str]:
        one, two = dict(_leaves(before)), dict(_leaves(after))
        return {path for path in one.keys() | two.keys() if one.get(path) != two.get(path)}

    return differ


def _leaves(tree: Any, here: str = "") -> list[tuple[str, Any]]:
    items: Any = tree.items() if isinstance(tree, dict) else enumerate(tree)
    found: list[tuple[str, Any]] = []
    for key, value in items:
        inner = isinstance(value, dict | list)
        found += _leaves(value, f"{here}{key}.") if inner else [(f"{here}{key}", value)]
    return found
