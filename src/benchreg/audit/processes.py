"""Work that is spread over several processes, and comes back as if one had done it."""

import multiprocessing
import warnings
from collections.abc import Callable, Sequence
from contextlib import closing
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from benchreg.values.errors import IncompleteError

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def spread(
    work: Callable[[Sequence[Item]], Answer], many: Sequence[Item], processes: int
) -> list[Answer]:
    """Return what `work` makes of each share of `many`, in the order of the shares.

    The last share is done here. Each other one has a process that is forked from this one, so
    that nothing has to be sent there; what it answers is pickled. Where the system cannot fork,
    all is one share. Raises IncompleteError where a process ends without an answer.
    """
    able = "fork" in multiprocessing.get_all_start_methods()
    *others, last = _shares(many, processes if able else 1)
    waiting = [_start(work, share) for share in others]
    try:
        here = work(last)
        return [*(_answer(process, end) for process, end in waiting), here]
    finally:
        for process, _ in waiting:
            process.terminate()
            process.join()


def _shares(many: Sequence[Item], processes: int) -> list[Sequence[Item]]:
    """Return at most so many runs of equal length, one after the other."""
    size = max(1, -(-len(many) // processes))
    return [many[start : start + size] for start in range(0, len(many), size)] or [many]


def _start(
    work: Callable[[Sequence[Item]], Answer], share: Sequence[Item]
) -> tuple[BaseProcess, Connection]:
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_tell, args=(work, share, there), daemon=True)
    with warnings.catch_warnings():  # the threads are those of a linear algebra that nobody calls
        warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
        process.start()
    there.close()
    return process, here


def _tell(work: Callable[[Sequence[Item]], Answer], share: Sequence[Item], end: Connection) -> None:
    with closing(end):
        end.send(work(share))


def _answer(process: BaseProcess, end: Connection) -> Any:
    with closing(end):
        try:
            return end.recv()
        except EOFError:
            process.join()
            raise IncompleteError(
                f"a process ended without an answer (code {process.exitcode}); "
                "with fewer --jobs less memory is needed"
            ) from None
