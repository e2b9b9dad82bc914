"""Value -> text: how the canonical form spells numbers, words, and text that is long."""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Final

from benchreg.registry.dialect import MOST_NUMBER, START, DialectError, resolve
from benchreg.values.errors import BenchregError
from benchreg.values.unseen import UNSEEN

Number = int | float | Decimal

LINE: Final = 88
_KNOWN: Final = 1 << 14

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:[ ./-]+[A-Za-z0-9_]+)*")
_TAKEN_FOR_OTHERS = frozenset(("y", "n", "yes", "no", "on", "off", "<<"))
_TAKEN_FOR_NUMBER = re.compile(
    r"""
      [-+.]*[0-9][0-9._:,/+-]* (?:[eE][-+]?[0-9.]+)?  # 12, -0.5, 1e3, 2026-11, 12:30, 1,000
    | [-+]?0[xob][0-9a-fA-F_]+
    | (?: [-+]?[0-9]*\.[0-9] | [0-9]{4}-[0-9]{1,2}-[0-9] ) .*  # 0.11.0rc1, 2026-11-01T10:00
    """,
    re.VERBOSE | re.DOTALL,
)
_NOT_FIRST = frozenset(",[]{}#&*!|>'\"%@`= ")
_NOT_ALONE = frozenset("-?:")
_NOT_WITHIN = re.compile(r": | #|[: ]\Z|[\t\n]|\A(?:---|\.\.\.)")
_NOT_IN_FLOW = re.compile(r"[][{},?]|\A:")
_NOT_IN_BLOCK = re.compile(r"\A[ \n]|[ \t]\Z|[ \t]\n|\t|\n\n\Z")
_MORE_INDENTED = re.compile(r"\n ")
_WITH_POINT = re.compile(r"-?[0-9]{1,31}\.[0-9]{1,31}")
_BETWEEN_WORDS = re.compile(r"(?<=[^ \n]) (?=[^ ])")
_ESCAPED = {"\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def number(value: Number | None) -> str:
    """Return a number with its digits, `true`, `false` or `null`.

    Raises BenchregError for a number that the reader would refuse.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    if not isinstance(value, int):
        exact = value if isinstance(value, Decimal) else Decimal(repr(value))
        return text if _WITH_POINT.fullmatch(text) else _of_decimal(exact)
    return text if len(text) <= MOST_NUMBER else _allowed((f"{value:#x}",), value)


def _of_decimal(value: Decimal) -> str:
    """Write a decimal without an exponent, unless its digits need one: 1e3 is not 1000."""
    sign, digits, exponent = value.as_tuple()
    if isinstance(exponent, str):
        return _allowed((), value)
    if exponent == 0 and len(digits) < MOST_NUMBER:
        return str(int(value))
    minus, first, rest = "-" if sign else "", digits[0], "".join(map(str, digits[1:]))
    point = f".{rest}" if rest else ""
    scientific = f"{minus}{first}{point}e{exponent + len(rest)}", f"{minus}{first}{rest}e{exponent}"
    return _allowed((f"{value:f}", *scientific) if exponent < 0 else scientific, value)


def _allowed(spellings: tuple[str, ...], value: Number) -> str:
    for text in spellings:
        if len(text) <= MOST_NUMBER and _read(text) == value:
            return text
    raise BenchregError(f"the number {str(value)[:80]} cannot be written in a record")


def _read(text: str) -> object:
    try:
        return resolve(text, START)
    except DialectError:
        return None


@lru_cache(_KNOWN)
def spelled(text: str) -> str:
    """Return a text as a scalar of one line in block style: plain, or else in quotes.

    Quoted is also what another reader of YAML could take for a number, a date or `yes`, and
    what begins with a number that has a point, as versions do.
    """
    return text if _is_plain(text) else _quoted(text)


@lru_cache(_KNOWN)
def spelled_in_flow(text: str) -> str:
    """Return a text as a scalar of one line within `{}` or `[]`."""
    return text if _is_plain(text) and not _NOT_IN_FLOW.search(text) else _quoted(text)


def _is_plain(text: str) -> bool:
    if text.lower() in _TAKEN_FOR_OTHERS or _read(text) != text:
        return False
    if _WORD.fullmatch(text):
        return True
    first, second = text[0], text[1:2]
    if first in _NOT_FIRST or (first in _NOT_ALONE and second in ("", " ")):
        return False
    looks = _NOT_WITHIN.search(text) or _TAKEN_FOR_NUMBER.fullmatch(text) or UNSEEN.search(text)
    return not looks


def _quoted(text: str) -> str:
    """Return a text in double quotes, or in single ones where that saves escapes."""
    seen = not UNSEEN.search(text) and "\n" not in text and "\t" not in text
    if seen and "'" not in text and ('"' in text or "\\" in text):
        return f"'{text}'"
    return '"' + "".join(map(_escape, text)) + '"'


def _escape(sign: str) -> str:
    code = ord(sign)
    if sign in _ESCAPED:
        return _ESCAPED[sign]
    if not UNSEEN.match(sign):
        return sign
    if 0xD800 <= code <= 0xDFFF:
        raise BenchregError(f"the half character U+{code:04X} cannot be written in a record")
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


@lru_cache(_KNOWN)
def in_block(text: str, width: int) -> tuple[str, tuple[str, ...]] | None:
    """Return a text as a block scalar: `|` or `>`, and lines without indentation, or None.

    Lines that fit stand as they are; text is folded between words, where it has any. None where
    a block scalar would not read back, or would be no better than one long line.
    """
    if _NOT_IN_BLOCK.search(text) or UNSEEN.search(text) or not text:
        return None
    body, chomp = (text[:-1], "") if text[-1] == "\n" else (text, "-")
    lines = body.split("\n")
    if len(lines) > 1 and max(map(len, lines)) <= width:
        return f"|{chomp}", tuple(lines)
    if not _BETWEEN_WORDS.search(body) or _MORE_INDENTED.search(body):
        return None
    folded = list(_folded(lines[0], width))
    for line in lines[1:]:
        folded += ["", *_folded(line, width)] if line else [""]
    return f">{chomp}", tuple(folded)


def _folded(line: str, width: int) -> Iterator[str]:
    words = _BETWEEN_WORDS.split(line)
    begun = words[0]
    for word in words[1:]:
        if len(begun) + 1 + len(word) > width:
            yield begun
            begun = word
        else:
            begun = f"{begun} {word}"
    yield begun
