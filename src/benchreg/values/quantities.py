"""Quantities in prose: numbers with a unit, and numbers that are compared."""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

_NUMBER = r"(?:[0-9]{1,3}(?:,[0-9]{3}){1,4}|[0-9]{1,15})(?:\.[0-9]{1,15})?"
# Before a number that is within a word, a version, a path or a date: the 99 of llama2-70b-99.
_WITHIN = re.compile(r"(?:[\w.,/#:]|[\w.]-)\Z")
_ENDS = r"(?![\w%]|[-.,:/][0-9])"
_SPELLED = {
    "ktok/s": ("ktok/s", "ktokens/s"),
    "tok/s": ("tok/s", "token/s", "tok/sec", "token/sec", "t/s", "tps", "tokens/s", "tokens/sec"),
    "req/s": ("req/s", "req/sec", "request/s", "requests/s", "requests/sec", "samples/s", "rps"),
    "req/min": ("req/min", "requests/min", "requests per minute", "rpm"),
    "ms": ("ms", "millisecond", "ms/tok", "ms/token"),
    "us": ("us", "\u00b5s", "\u03bcs", "microsecond"),
    "s": ("s", "sec", "second"),
    "kW": ("kw", "kilowatt"),
    "W": ("w", "watt"),
    "mJ/tok": ("mj/tok", "mj/token"),
    "J/tok": ("j/tok", "j/token", "joules per token"),
    "GiB": ("gib",),
    "GB": ("gb",),
    "%": ("%", "percent", "per cent"),
    "times": ("times", "fold", "x", "\u00d7"),
    "other": (
        *("kb", "mb", "tb", "kib", "mib", "tib", "mb/s", "gb/s", "tb/s", "gib/s", "tib/s"),
        *("gflop", "tflop", "pflop", "gflop/s", "tflop/s", "pflop/s", "top", "pop", "top/s"),
        *("j", "joule", "wh", "kwh", "min", "minute", "h", "hour", "day"),
        *("usd", "eur", "dollar", "cent"),
        *("token", "request", "sample", "query", "queries", "user", "client", "sequence"),
        *("stream", "gpu", "accelerator", "card", "node", "run"),
    ),
}
_UNIT_OF = {word: unit for unit, words in _SPELLED.items() for word in words}
_UNIT_OF |= {f"{noun} per second": "tok/s" for noun in ("tok", "token", "tokens")}
_UNIT_OF |= {f"{noun} per second": "req/s" for noun in ("requests", "queries", "samples")}
_UNIT_OF |= {"queries/s": "req/s", "qps": "req/s"}
_OF_ONE = re.compile(r"/(?:user|gpu|request)\Z")
_WITH_UNIT = re.compile(
    rf"({_NUMBER})(?:\s*(?:to|-|\u2013)\s*({_NUMBER}))?[\s-]?"
    r"(?:(?:new|output|input|prompt|generated|total|concurrent|parallel|other)\s+)?"
    r"([A-Za-z%\u00b5\u03bc\u00d7][\w/%]*(?: per \w+| cent)?)"
)
_PART = re.compile(r"\s*[A-Z0-9(]")  # 8 x H100 is no comparison, and 14x faster is one
_COMPARED = re.compile(
    r"(?:(?i:\b(?:than|at least|at most|up to|above|below|exceed(?:s|ed|ing)?|factor of)\s+)"
    rf"|[<>\u2264\u2265]=?\s*)({_NUMBER}){_ENDS}"
)
_SHARE = re.compile(rf"({_NUMBER})\s+(?:out\s+)?of\s+(?:the\s+|all\s+)?({_NUMBER}){_ENDS}")
_COUNTED = re.compile(r"(?i:\b(?:run|part|page|file|row|column|step|pass)\s)\Z")
_SPOKEN = re.compile(
    r"\b(?i:(two|three|four|five|six|seven|eight|nine|ten|twelve|twenty)(?:\s+times|-?fold)"
    r"|(twice))\b"
)
_MONEY = re.compile(rf"[$\u20ac\u00a3]\s?({_NUMBER})")
_SAYS = {"twice": 2, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
_SAYS |= {"eight": 8, "nine": 9, "ten": 10, "twelve": 12, "twenty": 20}
_ANY = re.compile(rf"(?<![0-9.]){_NUMBER}")


class Quantity(NamedTuple):
    """Some words of a text, the numbers in them, and their unit.

    The unit is one of `UNITS`, or `%`, `times`, or `other` for what is not converted; it is empty
    for numbers that are only compared.
    """

    text: str
    numbers: tuple[Decimal, ...]
    unit: str


@lru_cache(maxsize=4096)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Return the numbers of a text that have a unit or are compared, in their order."""
    found: dict[tuple[int, int], Quantity] = {}
    for match, unit in chain(_with_units(text), _compared(text)):
        start, end = match.span()
        if all(end <= begun or ended <= start for begun, ended in found):
            words = (word for word in match.groups()[:2] if word)
            found[start, end] = Quantity(match.group(), tuple(map(_number, words)), unit)
    return tuple(found[span] for span in sorted(found))


def _with_units(text: str) -> Iterator[tuple[re.Match[str], str]]:
    for match in _WITH_UNIT.finditer(text):
        unit = _unit(match[3])
        parts = match[3] in ("x", "\u00d7") and _PART.match(text, match.end())
        if unit and not parts and not _within(text, match.start()):
            yield match, unit
    for match in _SPOKEN.finditer(text):
        yield match, "times"
    for match in _MONEY.finditer(text):
        yield match, "other"


def _unit(words: str) -> str:
    """Return the unit that is spelt so, with or without ` per second` behind it; or nothing."""
    plain = _OF_ONE.sub("", words.casefold())
    for spelt in (plain, plain.partition(" ")[0]):
        if unit := _UNIT_OF.get(spelt) or _UNIT_OF.get(spelt.removesuffix("s")):
            return unit
    return ""


def _compared(text: str) -> Iterator[tuple[re.Match[str], str]]:
    for match in _SHARE.finditer(text):
        if not _within(text, match.start()) and not _COUNTED.search(text, 0, match.start()):
            yield match, ""
    for match in _COMPARED.finditer(text):
        yield match, ""


def _within(text: str, start: int) -> bool:
    """Tell whether a number goes on with something that began before it."""
    return bool(_WITHIN.search(text, max(0, start - 2), start))


def all_numbers(text: str) -> list[Decimal]:
    """Return every number that stands in a text, within words too: 40 and 80 of `a40-80gb`."""
    return [_number(word) for word in _ANY.findall(text)]


def _number(word: str) -> Decimal:
    said = _SAYS.get(word.casefold())
    return Decimal(word.replace(",", "") if said is None else said)
