"""`benchreg` and `python -m benchreg`: runs a command and ends with the code that it means."""

import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn

FEW_OBJECTS = 100_000  # a command that makes no more has no garbage that is worth looking for


def main() -> None:
    """Run the command line and exit."""
    gc.set_threshold(FEW_OBJECTS)
    try:
        from benchreg.cli.main import run  # noqa: PLC0415  (importing the module must do nothing)

        code = run()
    except KeyboardInterrupt:  # before there was a command that could say so
        code = 130
    _end(code)


def _end(code: int) -> NoReturn:
    """End the process without taking apart what it holds: that takes longer than some questions."""
    with suppress(OSError, ValueError, AttributeError):  # a reader went away, or there was none
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
