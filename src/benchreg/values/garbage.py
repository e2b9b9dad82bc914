"""The garbage collector, kept from walking over what holds no garbage."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Build something large without the collector, and let it leave out later what was built.

    What is built must hold no cycles worth freeing: it would be kept until the process ends.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()
