"""A question put to the snapshot of a registry, which is made anew where the records changed."""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from time import time
from typing import NamedTuple, Protocol, TypeVar

from benchreg.registry.roots import own_root, registry_root
from benchreg.snapshot.store import Snapshot, Store
from benchreg.values.errors import BenchregError

CACHE = "BENCHREG_CACHE"


class Answer(Protocol):
    """An answer that knows which files it was read from, by their numbers in the snapshot."""

    @property
    def files(self) -> frozenset[int]:
        """The numbers."""


A = TypeVar("A", bound=Answer)
Waiting = Callable[[], AbstractContextManager[None]]


class Asking(NamedTuple):
    """A snapshot, the store that can make it anew, and what is done while that takes its time."""

    store: Store
    snapshot: Snapshot
    waiting: Waiting

    def answer(self, asked: Callable[[Snapshot], A]) -> A:
        """Return an answer that is of the records as they are.

        Where a file that it was read from has changed since, a new snapshot is asked; and so where
        the question fails, for a damaged snapshot can say anything. If it fails again, it is us.
        """
        try:
            found = asked(self.snapshot)
            if self.snapshot.holds(found.files):
                return found
        except BenchregError:
            raise
        except Exception:  # noqa: BLE001, S110  (of a snapshot that is damaged within: see below)
            pass
        known = self.snapshot
        with self.waiting():
            again = self.store.make(known.root, fixed=known.fixed, known=known)
        return asked(again)


def asking(root: Path | None = None, waiting: Waiting = nullcontext) -> Asking:
    """Return the snapshot of a registry: that of a root, the one around us, or our own.

    Raises BenchregError where there is no such registry.
    """
    found = registry_root(root)
    if not (found / "records").is_dir():
        raise BenchregError(f"{found}: holds no folder `records/`")
    packed = own_root()
    fixed = packed.name == "data" and found == packed
    store = Store(cache_folder(), time())
    with waiting():
        return Asking(store, store.open(found, fixed=fixed), waiting)


def cache_folder() -> Path | None:
    """Return the folder where snapshots are kept; None where there is no home for one."""
    if own := os.environ.get(CACHE):
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "benchreg"
    except RuntimeError:
        return None
