"""A question put to the snapshot of a registry, which is made anew where the records changed."""

import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import time
from typing import NamedTuple, Protocol, TypeVar

from benchreg.cli.main import say
from benchreg.cli.root import registry_root
from benchreg.registry.roots import own_root
from benchreg.snapshot.ask import Left
from benchreg.snapshot.store import Snapshot, Store
from benchreg.values.text import shown

CACHE = "BENCHREG_CACHE"
MOST_SHOWN = 8


class Answer(Protocol):
    """An answer that knows which files it was read from, by their numbers in the snapshot."""

    @property
    def files(self) -> frozenset[int]:
        """The numbers."""


A = TypeVar("A", bound=Answer)


class Asking(NamedTuple):
    """A snapshot, and the store that can make it anew."""

    store: Store
    snapshot: Snapshot

    def answer(self, asked: Callable[[Snapshot], A]) -> A:
        """Return an answer that is of the records as they are.

        Where a file that it was read from has changed since, a new snapshot is asked.
        """
        with suppress(sqlite3.DatabaseError):  # of a snapshot that is damaged within
            found = asked(self.snapshot)
            if self.snapshot.holds(found.files):
                return found
        with _told():
            again = self.store.make(self.snapshot.root, fixed=self.snapshot.fixed,
                                    known=self.snapshot)  # fmt: skip
        return asked(again)


def asking(root: Path | None) -> Asking:
    """Return the snapshot of the registry that a command asks."""
    found = registry_root(root)
    packed = own_root()
    fixed = packed.name == "data" and found == packed
    store = Store(cache_folder(), time())
    with _told():
        return Asking(store, store.open(found, fixed=fixed))


def cache_folder() -> Path | None:
    """Return the folder where snapshots are kept; None where there is no home for one."""
    if own := os.environ.get(CACHE):
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "benchreg"
    except RuntimeError:
        return None


@contextmanager
def _told() -> Iterator[None]:
    """Say that records are being read, at a terminal and where it takes its time."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    from benchreg.cli.progress import progress  # noqa: PLC0415  (a thread; only where a person looks)

    with progress(lambda: "the records are read"):
        yield


def explain(left: Left) -> None:
    """Say on standard error how words were taken, what was left out, and what left nothing."""
    for meaning in left.meanings:
        if meaning.ids != (meaning.word,):
            some = ", ".join(meaning.ids[:MOST_SHOWN])
            more = len(meaning.ids) - MOST_SHOWN
            rest = f" and {more} more" if more > 0 else ""
            say(f"{meaning.option} {shown(meaning.word)!r} is {some}{rest}", err=True)
    for said, count in left.unstated.items():
        if count:
            say(
                f"{shown(said)}: {count:,} more figures do not state it, and are left out", err=True
            )
    if left.not_standing:
        say(f"left out: {left.not_standing:,} figures that do not stand; --status any shows them",
            err=True)  # fmt: skip
    if left.emptied_by:
        near = ", ".join(f"{shown(word)} ({count:,})" for word, count in left.near)
        told = f"; there are {near}" if near else ""
        say(f"no figure is left by {shown(left.emptied_by)}{told}", err=True)
