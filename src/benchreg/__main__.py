"""`benchreg` and `python -m benchreg`: runs a command and ends with the code that it means."""

import sys


def main() -> None:
    """Run the command line and exit."""
    from benchreg.cli.main import run  # noqa: PLC0415  (importing the module must do nothing)

    sys.exit(run())


if __name__ == "__main__":
    main()
