"""Bytes -> text -> events: the part of YAML 1.2 that a record may be written in."""

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Final

from benchreg.registry.document import Place
from benchreg.values.unseen import UNSEEN

MOST_BYTES: Final = 256 * 1024
MOST_DEPTH: Final = 32
MOST_NUMBER: Final = 64
MOST_KEY: Final = 100
MOST_EXPONENT: Final = 300

Scalar = str | int | bool | Decimal | None


START: Final = Place(1, 1)


@dataclass(slots=True)
class DialectError(Exception):
    """What is outside the dialect, where, and what to write instead."""

    message: str
    place: Place = START
    unsafe: bool = False


_NO_LINE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]")
_USUAL: Final = bytes((*range(0x20, 0x7F), 0x09, 0x0A, 0x0D))
_BYTE_ORDER_MARKS: Final = (
    (b"\xff\xfe\x00\x00", ""),
    (b"\x00\x00\xfe\xff", ""),
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)


def decode(data: bytes, *, whatever: bool = False) -> str:
    """Return the text of a file: UTF-8, or UTF-16 by its mark; refuse what is no text.

    Refuse characters that have no place in a text as well, unless it may hold `whatever`.
    """
    if len(data) > MOST_BYTES:
        raise DialectError(f"larger than {MOST_BYTES // 1024} KiB; split it into several records")
    mark, encoding = _encoding(data)
    if not encoding:
        raise DialectError("UTF-32 text; save the file as UTF-8")
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        before = data[len(mark) : len(mark) + error.start].decode(encoding, "replace")
        raise DialectError(
            f"not {encoding.upper()} text; save the file as UTF-8", place_of(before, len(before))
        ) from None
    if whatever:
        return text
    plain = data if encoding == "utf-8" else text.encode()
    if unusual := plain.removeprefix(mark).translate(None, _USUAL):
        _check(text, unusual.decode())
    return text


def encoded_as(data: bytes, text: str) -> bytes:
    """Return a text in the encoding of a file that was read, with its mark if it has one."""
    mark, encoding = _encoding(data)
    return mark + text.encode(encoding)


def _encoding(data: bytes) -> tuple[bytes, str]:
    """Return the byte order mark of a file, and what it is written in."""
    found = ((mark, name) for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark))
    return next(found, (b"", "utf-8"))


def _check(text: str, unusual: str) -> None:
    """Refuse a text for the first character that has no place in it; `unusual` are its few."""
    for what, pattern, unsafe in (("control", _NO_LINE, False), ("invisible", UNSEEN, True)):
        if pattern.search(unusual):
            found = next(one for one in pattern.finditer(text) if one.group() != "\r")
            code = f"U+{ord(found.group()):04X}"
            place = place_of(text, found.start())
            raise DialectError(f"the {what} character {code}; take it out", place, unsafe=unsafe)


_LINE_END = re.compile(r"\r\n|[\r\n]")


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, as their numbers are counted."""
    return _LINE_END.split(text) if "\r" in text else text.split("\n")


def place_of(text: str, offset: int) -> Place:
    """Return the line and column of an offset into a text."""
    ends = [found.end() for found in _LINE_END.finditer(text, 0, offset)]
    return Place(len(ends) + 1, offset - (ends[-1] if ends else 0) + 1)


_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_BOOL: Final = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_NUMBER = re.compile(
    r"(?P<int>[-+]?[0-9]+)|0o(?P<octal>[0-7]+)|0x(?P<hex>[0-9a-fA-F]+)"
    r"|(?P<float>[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE](?P<exponent>[-+]?[0-9]+))?)"
)
_NOT_FINITE = re.compile(r"[-+]?\.?(?:inf|infinity|nan)", re.IGNORECASE)


NO_WORD: Final = (
    "a key that is not a plain word, such as `batch_size`; write a space behind each colon and "
    "dash, and no comma in a number"
)


@lru_cache(maxsize=1 << 12)
def check_key(text: str, place: Place) -> None:
    """Refuse a key that is not a plain word."""
    if text == "<<":
        raise DialectError("a merge key `<<`; write the keys out", place)
    if len(text) > MOST_KEY or not _KEY.fullmatch(text) or text in _NULL or text in _BOOL:
        raise DialectError(NO_WORD, place)


def resolve(text: str, place: Place) -> Scalar:
    """Return what a plain scalar means in the core schema of YAML 1.2.

    A number with a point or an exponent is a `Decimal`, so that its digits are kept.
    """
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    first = text[0]
    if not (first in "+-." or "0" <= first <= "9"):
        if _NOT_FINITE.fullmatch(text):
            raise _not_finite(place)
        return text
    return _number(text, place)


def _number(text: str, place: Place) -> Scalar:
    found = _NUMBER.fullmatch(text)
    if found is None:
        if _NOT_FINITE.fullmatch(text):
            raise _not_finite(place)
        return text
    if len(text) > MOST_NUMBER:
        raise DialectError(f"a number of more than {MOST_NUMBER} characters", place)
    if found["int"]:
        return int(text)
    if found["octal"]:
        return int(found["octal"], 8)
    if found["hex"]:
        return int(found["hex"], 16)
    return _decimal(text, int(found["exponent"] or 0), place)


def _decimal(text: str, exponent: int, place: Place) -> Decimal:
    if abs(exponent) <= MOST_EXPONENT:
        value = Decimal(text)
        if abs(value.adjusted()) <= MOST_EXPONENT:  # many digits before or after the point
            return value
    raise DialectError(
        "a number beyond what a float holds (such as 1e400); if it is text, quote it", place
    )


def _not_finite(place: Place) -> DialectError:
    return DialectError("not a finite number; leave the value out and declare it absent", place)
