"""Ranges that a question asks for: of numbers, of dates, of versions."""

import re
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from benchreg.values.errors import BenchregError
from benchreg.values.text import shown

_NUMBERS = re.compile(r"(?<![0-9.])[0-9]{1,9}(?:\.[0-9]{1,9})*")
_WIDTH = 9
LAST = "~"  # behind every digit, point and hyphen
_DATE = re.compile(r"[0-9]{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01]))?)?")


class Range(NamedTuple):
    """Both ends, included; an empty one is open."""

    low: str
    high: str


def ends(text: str) -> Range:
    """Return the ends of `A..B`, `A..`, `..B` or `A`, which is both."""
    low, found, high = text.partition("..")
    return Range(low.strip(), high.strip() if found else low.strip())


def numbers(option: str, text: str) -> tuple[float | None, float | None]:
    """Return the ends of a range of numbers; raises BenchregError for what is none."""
    found = tuple(_number(option, text, one) for one in ends(text))
    if found == (None, None) or (None not in found and found[0] > found[1]):  # type: ignore[operator]
        raise BenchregError(f"{option}: {shown(text)!r} is no range; write 8, 7..13, 7.. or ..13")
    return found[0], found[1]


def _number(option: str, text: str, end: str) -> float | None:
    if not end:
        return None
    try:
        number = Decimal(end) if len(end) < 40 else Decimal("NaN")
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise BenchregError(
            f"{option}: {shown(text)!r} is no range of numbers; write 8, 7..13, 7.. or ..13"
        )
    return float(number)


def dates(option: str, text: str) -> tuple[str, str]:
    """Return the ends of a range of dates, the last one with all that begins so."""
    low, high = ends(text)
    for end in (low, high):
        if (end and not _DATE.fullmatch(end)) or not (low or high) or low > (high or low) + LAST:
            raise BenchregError(
                f"{option}: {shown(text)!r} is no range of dates; write 2025, 2024-07..2025 or "
                "2025-01-31.."
            )
    return low, f"{high}{LAST}"


def version_key(version: str) -> str:
    """Return what orders a version: its first numbers, each in nine digits; empty without any.

    `0.9.0.2.dev108+g71f` and `v0.9` are 0.9 and what follows; a bare commit has no order.
    """
    found = _NUMBERS.search(version)
    if found is None or ("." not in found[0] and found.end() != len(version)):
        return ""
    return ".".join(part.zfill(_WIDTH) for part in found[0].split("."))


def versions(option: str, text: str) -> tuple[str, str]:
    """Return the keys of a range of versions; 0.6 is 0.6 and every 0.6.x."""
    low, high = ends(text)
    keys = version_key(low) if low else "", version_key(high) if high else ""
    turned = bool(high) and keys[0] > f"{keys[1]}{LAST}"
    if not (low or high) or (low and not keys[0]) or (high and not keys[1]) or turned:
        raise BenchregError(
            f"{option}: {shown(text)!r} is no range of versions; write 0.6, 0.6..0.8, 0.6.. or ..1"
        )
    return keys[0], f"{keys[1]}{LAST}"
