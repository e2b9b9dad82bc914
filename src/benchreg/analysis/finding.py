"""What a question over many records is answered with."""

from dataclasses import dataclass

from benchreg.values.text import amount


@dataclass(frozen=True, slots=True)
class Finding:
    """An answer: its question, what was counted, and the table (a header and rows of texts)."""

    name: str
    question: str
    counted: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def digits(number: float) -> str:
    """Write a number in three significant digits."""
    return amount(float(f"{number:.3g}"))
