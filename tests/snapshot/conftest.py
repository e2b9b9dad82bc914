"""Snapshots of small registries, kept nowhere."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.analysis.comparison import varied
from benchreg.snapshot.ask import Asked, answers, ask
from benchreg.snapshot.ranked import Group, groups, sides
from benchreg.snapshot.store import Store

Change = Callable[..., Path]
Small = Callable[..., sqlite3.Connection]
REAL = "kind: measurement"


@pytest.fixture
def small(changed: Change) -> Small:
    """A function that returns the snapshot of the base record with blocks changed, and others."""

    def made(fragment: str = "", **others: str) -> sqlite3.Connection:
        real = {
            name: text if "/" in name else f"id: {name.replace('_', '-')}\n{REAL}\n{text}"
            for name, text in others.items()
        }
        return Store(None, 0.0).open(changed(f"{REAL}\n{fragment}", **real)).database

    return made


@pytest.fixture
def rate() -> Callable[..., str]:
    """A function that returns the results of a record of one figure."""

    def made(value: float, metric: str = "request_throughput", unit: str = "req/s") -> str:
        scope = "per_request" if unit == "ms" else "system"
        figure = f"metric: {metric}, scope: {scope}, statistic: mean, value: {value}, unit: {unit}"
        return f"results:\n  rate: {{{figure}}}\n"

    return made


@pytest.fixture
def grouped() -> Callable[..., list[Group]]:
    """A function that returns the figures that a question leaves, in groups."""

    def made(database: sqlite3.Connection, *across: str, **asked: object) -> list[Group]:
        ids = ask(database, Asked(**asked)).ids  # type: ignore[arg-type]
        return groups(database, answers(database, ids), sides(database, ids), varied(across))

    return made
