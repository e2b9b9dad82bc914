"""`benchreg` and `python -m benchreg`: runs a command and ends with the code that it means."""

import gc
import sys

FEW_OBJECTS = 100_000  # a command that makes no more has no garbage that is worth looking for


def main() -> None:
    """Run the command line and exit."""
    gc.set_threshold(FEW_OBJECTS)
    try:
        from benchreg.cli.main import run  # noqa: PLC0415  (importing the module must do nothing)

        code = run()
    except KeyboardInterrupt:  # before there was a command that could say so
        code = 130
    gc.freeze()  # all of it is thrown away: there is nothing to look for in it
    sys.exit(code)


if __name__ == "__main__":
    main()
