"""A line at the terminal that says that a long command is still at work."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from benchreg.cli.clock import elapsed

FIRST_S, NEXT_S = 1.0, 0.5


@contextmanager
def progress(told: Callable[[], str]) -> Iterator[None]:
    """Show how long the work within takes, with what is `told` of it; only where a person looks.

    Nothing is shown of what takes less than a second, and nothing is left when it ends.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    over, start = threading.Event(), elapsed()

    def show() -> None:
        wait = FIRST_S
        while not over.wait(wait):
            wait = NEXT_S
            sys.stderr.write(f"\r\x1b[K{told()}, {elapsed() - start:.0f} s")
            sys.stderr.flush()

    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        if elapsed() - start >= FIRST_S:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
