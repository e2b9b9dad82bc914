"""A curated registry of LLM-inference benchmark records, and the audit that keeps it honest."""

from os import PathLike, fspath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchreg.api import Benchmarks

__version__ = "0.1.0"
__all__ = ["load"]


def load(root: "str | PathLike[str] | None" = None) -> "Benchmarks":
    """Return the records of a registry: below `root`, around the working directory, or our own.

    Raises BenchregError where there is no such registry.
    """
    from pathlib import Path  # noqa: PLC0415  (importing benchreg must cost nothing)

    from benchreg.api import load as loaded  # noqa: PLC0415  (as above)

    return loaded(None if root is None else Path(fspath(root)))
