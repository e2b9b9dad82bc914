"""`benchreg` and `python -m benchreg`: runs a command and ends with the code that it means."""

import sys


def main() -> None:
    """Run the command line and exit."""
    try:
        from benchreg.cli.main import run  # noqa: PLC0415  (importing the module must do nothing)

        code = run()
    except KeyboardInterrupt:  # before there was a command that could say so
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
