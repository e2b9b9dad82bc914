"""Text that may be shown: what is unsafe in it, how it is made safe, and what it is near to."""

import math
import re
from collections.abc import Collection
from decimal import Context, Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from difflib import SequenceMatcher

# A tag's name is a letter and whatever follows it, such as `<a.b onclick=...>` (HTML 13.2.5.8).
MARKUP = re.compile(r"<(?:/?[A-Za-z][^\s<>/]*(?=[\s/>])|[!?])")
PLACEHOLDERS = frozenset(
    (
        "unknown",
        "n/a",
        "na",
        "n.a.",
        "none given",
        "null",
        "nil",
        "nan",
        "todo",
        "tbd",
        "tba",
        "fixme",
        "xxx",
        "?",
        "??",
        "???",
        "-",
        "--",
        "...",
        "~",
        "unspecified",
        "not stated",
        "not specified",
        "not available",
        "not reported",
        "not known",
        "not given",
    )
)
_TO_DO = re.compile(r"(?:todo|tbd|tba|fixme|xxx)\b")
NEAREST_COMPARED = 20_000


def unsafe_part(text: str) -> str | None:
    """Say which part of a text could deceive a terminal, a page or a reader; None if none could."""
    from benchreg.values.unseen import MARKUP, UNSEEN  # noqa: PLC0415  (slow to compile)

    if found := UNSEEN.search(text):
        return f"the invisible character U+{ord(found.group()):04X}"
    if found := MARKUP.search(text):
        return f"the markup {shown(found.group(), 40)!r}"
    return None


def is_placeholder(text: str) -> bool:
    """Tell whether a text only stands where a fact should."""
    plain = text.strip().casefold()
    return not plain or plain in PLACEHOLDERS or bool(_TO_DO.match(plain))


def shown(text: str, limit: int = 200) -> str:
    """Make any text safe to print on one line: escapes for what is unseen, cut at `limit`."""
    cut = text if len(text) <= limit else f"{text[:limit]}…"
    if cut.isascii() and cut.isprintable():
        return cut
    from benchreg.values.unseen import UNSEEN  # noqa: PLC0415  (slow to compile; most text is plain)

    return UNSEEN.sub(_escape, cut.replace("\n", "\\n").replace("\t", "\\t"))


def _escape(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def in_markdown(text: str) -> str:
    """Return a text in which no mark of markdown, and no bar of a table, means anything."""
    for mark in ("\\", "|", "`", "*", "[", "<", ">"):
        text = text.replace(mark, f"\\{mark}")
    return text


def in_csv(text: str) -> str:
    """Return a text that no program which opens a csv file takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def amount(number: float, digits: int = 4) -> str:
    """Return a number with four digits and no exponent, as `1,548` or `0.0213`."""
    if not math.isfinite(number):
        return "none"
    after = digits - 1 - math.floor(math.log10(abs(number))) if number else 0
    text = f"{number:,.{min(max(after, 0), 12)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def brief(number: Decimal, digits: int = 6) -> str:
    """Return a number as it is written, or rounded where it has more digits than anybody reads."""
    held = number
    if len(number.as_tuple().digits) > digits + 1:
        held = Context(prec=digits).plus(number)
    return f"{held:f}"


def percent(share: float) -> str:
    """Return a share with two digits, as `52 %`; nothing where it is no number."""
    return f"{amount(100 * share, 2)} %" if math.isfinite(share) else ""


def spoken(word: str) -> str:
    """Return a word of a vocabulary as it is spoken: `not_stated` is "not stated"."""
    return word.replace("_", " ")


def nearest(name: str, names: Collection[str], most: int = 3) -> tuple[str, ...]:
    """Return the names that a misspelt one was most likely meant to be, the nearest first.

    Compares at most 20,000 names and 100 characters of each, so that no registry is too large.
    """
    from difflib import SequenceMatcher  # noqa: PLC0415  (slow to import, and only errors need it)

    wanted = name[:100].casefold()
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    scored = []
    for other in sorted(names)[:NEAREST_COMPARED]:
        matcher.set_seq1(other[:100].casefold())
        score = 1.0 if wanted in other.casefold() and len(wanted) > 2 else _ratio(matcher)
        if score >= 0.6:
            scored.append((-score, abs(len(other) - len(name)), other))
    return tuple(other for *_, other in sorted(scored)[:most])


def _ratio(matcher: "SequenceMatcher[str]") -> float:
    cheap = min(matcher.real_quick_ratio(), matcher.quick_ratio())
    return matcher.ratio() if cheap >= 0.6 else 0.0


def suggestion(name: str, names: Collection[str]) -> str:
    """Return `did you mean 'a' or 'b'?`, or nothing where no name is near."""
    near = nearest(name, names)
    return f"did you mean {' or '.join(repr(other) for other in near)}?" if near else ""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Write `1 record`, `2 records`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
