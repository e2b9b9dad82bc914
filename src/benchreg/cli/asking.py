"""What a person is told while a question is answered, and of how it was taken."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchreg.cli.main import say
from benchreg.snapshot.ask import Left
from benchreg.snapshot.asking import CACHE, Asking, asking
from benchreg.values.text import counted, shown

MOST_SHOWN = 8


@contextmanager
def waiting() -> Iterator[None]:
    """Say that records are being read, at a terminal and where it takes its time."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    from benchreg.cli.progress import progress  # noqa: PLC0415  (a thread; only where a person looks)

    with progress(lambda: "the records are read"):
        yield


def put(root: Path | None) -> Asking:
    """Return the snapshot that a command asks, and say where none could be kept."""
    found = asking(root, waiting)
    if not found.snapshot.kept:
        where = found.store.folder or "no home"
        say(f"no copy of the records can be kept in {shown(str(where))}; every question reads them"
            f" all ({CACHE} names another folder)", err=True)  # fmt: skip
    return found


def explain(left: Left, refused: int) -> None:
    """Say on standard error how words were taken, what was left out, and what left nothing."""
    for meaning in left.meanings:
        if meaning.ids != (meaning.word,):
            some = ", ".join(meaning.ids[:MOST_SHOWN])
            more = len(meaning.ids) - MOST_SHOWN
            rest = f" and {more} more" if more > 0 else ""
            say(f"{meaning.option} {shown(meaning.word)!r} is {some}{rest}", err=True)
    for said, count in left.unstated.items():
        _left_out(count, "figure", f"with nothing stated for {shown(said)}")
    _left_out(left.without_figure, "record", "without a figure: out of memory, or failed")
    _left_out(
        left.not_standing, "figure", "disputed, superseded or withdrawn; --status any shows all"
    )
    tell_refused(refused)
    if left.emptied_by:
        near = ", ".join(f"{shown(word)} ({count:,})" for word, count in left.near)
        told = f"; there are {near}" if near else ""
        say(f"no figure is left by {shown(left.emptied_by)}{told}", err=True)


def _left_out(count: int, what: str, why: str) -> None:
    if count:
        say(f"left out: {counted(count, what)} {why}", err=True)


def tell_refused(refused: int) -> None:
    """Say on standard error how many files are in no answer."""
    _left_out(refused, "file", "refused; `benchreg audit` says why")
