"""What stands in quotation marks, and what is an apostrophe."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchreg.values.quotes import (
    MOST_WORDS,
    has_long_quotation,
    long_quotations,
    might_quote,
    quoted,
)

LONG = " ".join(["word"] * (MOST_WORDS + 1))
SHORT = " ".join(["word"] * MOST_WORDS)
MARKS = {
    "straight": ('"', '"'),
    "single": ("'", "'"),
    "English": ("\u201c", "\u201d"),
    "English, single": ("\u2018", "\u2019"),
    "German": ("\u201e", "\u201c"),
    "Polish": ("\u201e", "\u201d"),
    "French": ("\u00ab", "\u00bb"),
    "French, with spaces": ("\u00ab ", " \u00bb"),
    "Danish": ("\u00bb", "\u00ab"),
}
PAIRS = pytest.mark.parametrize(("begin", "end"), MARKS.values(), ids=MARKS.keys())


@PAIRS
def test_a_part_in_quotation_marks_is_found(begin: str, end: str) -> None:
    found = list(quoted(f"They call it {begin}a batch{end}, and {begin}two batches{end}."))
    assert [part.strip() for part in found] == ["a batch", "two batches"]


@PAIRS
def test_more_than_25_words_are_long(begin: str, end: str) -> None:
    assert not has_long_quotation(f"so: {begin}{SHORT}{end}.")
    assert has_long_quotation(f"so: {begin}{LONG}{end}.")
    assert not has_long_quotation(f"so: {begin}{SHORT}{end} and {begin}{SHORT}{end}, {SHORT}")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"the users' requests, {LONG}, and the servers' load", id="plural"),
        pytest.param(f"it doesn't, {LONG}, and it won't", id="contractions"),
        pytest.param(f"the users\u2019 requests, {LONG}, and the servers\u2019", id="typographic"),
        pytest.param(f'a 19" rack, {LONG}, and a 24" one', id="inches"),
        pytest.param(f"5' high, {LONG}, and 6' wide", id="feet"),
        pytest.param(f'row "1 x A100", {LONG}, column "64"', id="between two quotations"),
        pytest.param(f'"{LONG}', id="never closed"),
        pytest.param(f'{LONG}"', id="never opened"),
        pytest.param(LONG, id="no marks"),
    ],
)
def test_what_is_not_quoted_may_be_long(text: str) -> None:
    assert list(long_quotations(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f'"it doesn\'t {LONG}"', id="an apostrophe"),
        pytest.param(f"'it doesn't {LONG}'", id="an apostrophe in single marks"),
        pytest.param(f"\u201cthey call it \u2018x\u2019, {LONG}\u201d", id="another one"),
        pytest.param(f'("{LONG}.")', id="brackets"),
        pytest.param('"' + LONG.replace(" ", "\n") + '"', id="line ends"),
        pytest.param(f'a 19" rack: "{LONG}"', id="behind inches"),
    ],
)
def test_a_quotation_may_hold_other_signs(text: str) -> None:
    assert len(list(long_quotations(text))) == 1


@given(st.lists(st.sampled_from([*"\"'\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019 \n", "a", SHORT])))
def test_whatever_is_found_is_looked_for_and_stands_in_the_text(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert all(part in text for part in quoted(text))
    assert has_long_quotation(text) == bool(list(long_quotations(text)))
    assert might_quote(f"before\n{text}\nbehind") or not has_long_quotation(text)


@pytest.mark.parametrize("piece", ['"a ', " 'a", '"', "\u201ca ", "\u2018\u2019 ", "\u00bb"])
def test_a_text_that_was_made_to_be_slow_is_not(piece: str) -> None:
    start = process_time()
    list(long_quotations(piece * (100_000 // len(piece))))
    assert process_time() - start < 2
