"""What stands in quotation marks."""

import re
from collections.abc import Iterator
from typing import Final

MOST_WORDS: Final = 25
_ALSO_OTHERS: Final = "\"'\u2019"
_MARK = re.compile("[\"'“”„«»\u2018\u2019]")
# What closes a quotation, by what opens it. German opens with what English closes with.
_CLOSES: Final = {
    '"': '"',
    "'": "'",
    "“": "”",
    "„": "“”",
    "«": "»",
    "»": "«",
    "\u2018": "\u2019",
}  # fmt: skip


def quoted(text: str) -> Iterator[str]:
    """Yield each part of a text that stands in quotation marks, in the order in which they close.

    A sign that is also an apostrophe, a foot or an inch opens nothing behind a letter or digit,
    and closes nothing before one or behind a space.
    """
    begun: dict[str, int] = {}
    for found in _MARK.finditer(text):
        mark, at = found[0], found.start()
        closes, opens = _may(text, at) if mark in _ALSO_OTHERS else (True, True)
        if closes and mark in begun:
            start = begun[mark]
            yield text[start:at]
            begun = {close: begin for close, begin in begun.items() if begin != start}
        elif opens and mark in _CLOSES:
            begun |= dict.fromkeys(_CLOSES[mark], at + 1)


def _may(text: str, at: int) -> tuple[bool, bool]:
    """Tell whether a sign may close a quotation, and whether it may open one."""
    before, after = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    return not before.isspace() and not after.isalnum(), not before.isalnum()


def long_quotations(text: str) -> Iterator[str]:
    """Yield each part of a text in quotation marks that is longer than 25 words."""
    return (part for part in quoted(text) if len(words(part)) > MOST_WORDS)


def words(text: str) -> list[str]:
    """Return the words of a text, which spaces and line ends part."""
    return [word for word in text.replace("\n", " ").split(" ") if word]


def has_long_quotation(text: str) -> bool:
    """Tell whether a text quotes more than 25 words in a row."""
    return might_quote(text) and next(long_quotations(text), None) is not None


def might_quote(text: str) -> bool:
    """Tell quickly whether a text, or one of several in lines, could quote so many words."""
    return text.count(" ") + text.count("\n") >= MOST_WORDS and _MARK.search(text) is not None
