"""Snapshots of small registries, kept nowhere."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

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
