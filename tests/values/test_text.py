"""Text that could deceive is known and made safe to show, and a misspelt name is near others."""

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchreg.values.text import (
    NEAREST_COMPARED,
    amount,
    brief,
    is_placeholder,
    nearest,
    percent,
    shown,
    spoken,
    suggestion,
    unsafe_part,
)
from benchreg.values.unseen import MARKUP, UNSEEN

UNSEEN_CHARACTERS = {
    "nul": 0x0,
    "backspace": 0x8,
    "carriage return": 0xD,
    "escape": 0x1B,
    "delete": 0x7F,
    "next line": 0x85,
    "control sequence introducer": 0x9B,
    "soft hyphen": 0xAD,
    "combining grapheme joiner": 0x34F,
    "arabic letter mark": 0x61C,
    "hangul filler": 0x115F,
    "mongolian vowel separator": 0x180E,
    "zero width space": 0x200B,
    "zero width joiner": 0x200D,
    "right-to-left mark": 0x200F,
    "line separator": 0x2028,
    "paragraph separator": 0x2029,
    "right-to-left override": 0x202E,
    "word joiner": 0x2060,
    "invisible times": 0x2062,
    "right-to-left isolate": 0x2067,
    "pop directional isolate": 0x2069,
    "halfwidth hangul filler": 0xFFA0,
    "half of a pair": 0xD800,
    "variation selector": 0xFE0F,
    "byte order mark": 0xFEFF,
    "replacement character": 0xFFFD,
    "no character": 0xFFFF,
    "musical symbol": 0x1D173,
    "language tag": 0xE0001,
    "tag letter": 0xE0041,
}
ANY_TEXT = st.text(st.characters())


@pytest.mark.parametrize("code", UNSEEN_CHARACTERS.values(), ids=UNSEEN_CHARACTERS)
def test_a_character_that_is_not_seen_is_unsafe(code: int) -> None:
    assert unsafe_part(f"x{chr(code)}y") == f"the invisible character U+{code:04X}"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("<b>", "the markup '<b'"),
        ("x<Script src", "the markup '<Script'"),
        ("</p>", "the markup '</p'"),
        ("<a.b onclick=x>", "the markup '<a.b'"),
        ("<a_b/onclick=x>", "the markup '<a_b'"),
        ("<a<b onclick=x>", "the markup '<b'"),
        (f"<{'a' * 100}>", f"the markup '<{'a' * 39}…'"),
        ("<!-- x", "the markup '<!'"),
        ("<?xml", "the markup '<?'"),
        ("<b>\u202e", "the invisible character U+202E"),
    ],
)
def test_markup_is_unsafe(text: str, part: str) -> None:
    assert unsafe_part(text) == part


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "plain",
            "two\nlines\tand a tab",
            "a < b",
            "2 <3",
            "batch<N",
            "x <= y",
            "-> x",
            "a & b",
            "100 %",
        ),
        *("Gerät", "東京", "\u0627\u0644", "\U0001f600", "12\u00a0MB", 'say "so"', "it's", "`x`"),
    ],
)
def test_plain_text_of_any_language_is_safe(text: str) -> None:
    assert unsafe_part(text) is None


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "\n\t", "\u00a0", "TODO", "todo", " Todo\n", "tbd", "TBA", "FIXME", "xxx"),
        *("unknown", "Unknown", "n/a", "N/A", "na", "n.a.", "none given", "null", "nil", "NaN"),
        *("?", "???", "-", "--", "...", "~", "unspecified", "not stated"),
    ],
)
def test_a_word_that_stands_for_a_fact_is_a_placeholder(text: str) -> None:
    assert is_placeholder(text)


@pytest.mark.parametrize(
    "text", ["none", "0", "no", "unknown to us", "not_stated", "TODOs", "sodium (Na)", "-1", "x"]
)
def test_a_fact_is_no_placeholder(text: str) -> None:
    assert not is_placeholder(text)


@pytest.mark.parametrize(
    ("name", "text", "safe"),
    [
        ("plain", "a b", "a b"),
        ("lines and tabs", "a\nb\tc\r\n", r"a\nb\tc\x0d\n"),
        ("an escape", "\x1b[31m", r"\x1b[31m"),
        ("a turn of direction", "a\u202eb", r"a\u202eb"),
        ("beyond the first plane", "a\U000e0041b", r"a\U000e0041b"),
        ("half of a pair, as in a file name that is no text", "a\udcffb", r"a\udcffb"),
        ("accents", "Gerät", "Gerät"),
        ("as long as it may be", "x" * 200, "x" * 200),
        ("longer", "x" * 201, "x" * 200 + "…"),
    ],
)
def test_any_text_is_shown_on_one_safe_line(name: str, text: str, safe: str) -> None:
    assert shown(text) == safe, name


def test_a_text_is_cut_where_one_asks() -> None:
    assert shown("abcdef", limit=3) == "abc…"


@given(ANY_TEXT)
def test_what_is_shown_hides_nothing_and_breaks_no_line(text: str) -> None:
    safe = shown(text)
    assert not UNSEEN.search(safe)
    assert len(safe.splitlines()) <= 1


@given(ANY_TEXT)
def test_what_is_shown_is_shown_again_as_it_is(text: str) -> None:
    assert shown(shown(text), limit=3000) == shown(text)


@given(ANY_TEXT)
def test_a_text_is_unsafe_for_what_is_not_seen_and_for_markup_only(text: str) -> None:
    assert (unsafe_part(text) is None) == (not UNSEEN.search(text) and not MARKUP.search(text))


@pytest.mark.parametrize(
    ("name", "number", "text"),
    [
        ("thousands", 1548.4, "1,548"),
        ("more digits than four before the point", 1234567.8, "1,234,568"),
        ("some after it", 12.5, "12.5"),
        ("four in all", 12.3456, "12.35"),
        ("small", 0.02134, "0.02134"),
        ("whole", 64.0, "64"),
        ("ending in zeros that count", 100.0, "100"),
        ("rounded up to a longer number", 9.9999, "10"),
        ("negative", -1548.0, "-1,548"),
        ("nothing", 0.0, "0"),
        ("too small for twelve digits", 1e-15, "0"),
        ("large, without an exponent", 1e15, "1,000,000,000,000,000"),
        ("no number", math.nan, "none"),
        ("without an end", math.inf, "none"),
    ],
)
def test_an_amount_has_four_digits_and_no_exponent(name: str, number: float, text: str) -> None:
    assert amount(number) == text, name


def test_an_amount_has_as_many_digits_as_one_asks_for() -> None:
    assert (amount(12.345, 2), amount(0.012345, 3)) == ("12", "0.0123")


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=1e-6, max_value=1e18))
def test_an_amount_is_near_the_number(number: float) -> None:
    text = amount(number)
    assert set(text) <= set("0123456789.,")
    assert float(text.replace(",", "")) == pytest.approx(number, 6e-4)


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.517, "52 %"),
        (0.0628, "6.3 %"),
        (0.998, "100 %"),
        (1.25, "125 %"),
        (12.5, "1,250 %"),
        (0.0, "0 %"),
        (1.2e-6, "0.00012 %"),
        (math.nan, ""),
        (math.inf, ""),
    ],
)
def test_a_share_has_two_digits(share: float, text: str) -> None:
    assert percent(share) == text


def test_a_word_of_a_vocabulary_is_spoken_without_its_underscores() -> None:
    assert spoken("does_not_fit") == "does not fit"


@pytest.mark.parametrize(
    ("name", "names", "near"),
    [
        ("vendro", ["name", "version", "vendor"], ("vendor", "version")),
        ("Swift", ["swift", "swift-2"], ("swift", "swift-2")),
        ("b64", ["b8", "mpt-7b-a100-static-b64"], ("mpt-7b-a100-static-b64",)),
        ("7b", ["mpt-7b-a100", "tiny"], ()),
        ("zzz", ["vendor", "name"], ()),
        ("", ["vendor", "name"], ()),
        ("x", [], ()),
        ("run-9", ["run-4", "run-3", "run-2", "run-1"], ("run-1", "run-2", "run-3")),
    ],
)
def test_a_misspelt_name_has_its_nearest_first(
    name: str, names: list[str], near: tuple[str, ...]
) -> None:
    assert nearest(name, names) == near


def test_no_more_names_are_near_than_one_asks_for() -> None:
    assert nearest("run-9", ["run-1", "run-2"], most=1) == ("run-1",)


def test_of_very_many_names_the_first_are_compared() -> None:
    names = [f"{number:05}" for number in range(NEAREST_COMPARED)]
    assert nearest("zebra", [*names, "zebra"]) == ()


def test_of_a_very_long_name_the_beginning_is_compared() -> None:
    assert nearest("a" * 100_000, ["a" * 90, "b" * 90]) == ("a" * 90,)


@given(st.text(max_size=20), st.sets(st.text(max_size=20), max_size=10))
def test_the_order_of_the_names_changes_nothing(name: str, names: set[str]) -> None:
    assert nearest(name, names) == nearest(name, sorted(names, reverse=True))


@given(st.text(min_size=1, max_size=20), st.sets(st.text(max_size=20), max_size=10))
def test_a_name_that_is_there_is_the_nearest(name: str, names: set[str]) -> None:
    near = nearest(name, names | {name})
    assert near[0].casefold() == name.casefold()


@pytest.mark.parametrize(
    ("name", "names", "text"),
    [
        ("vendro", ["vendor", "name"], "did you mean 'vendor'?"),
        ("run-9", ["run-2", "run-1"], "did you mean 'run-1' or 'run-2'?"),
        ("zzz", ["vendor"], ""),
    ],
)
def test_a_suggestion_is_a_question_or_nothing(name: str, names: list[str], text: str) -> None:
    assert suggestion(name, names) == text


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("12.5", "12.5"),
        ("800", "800"),
        ("8.0", "8.0"),
        ("0.451657", "0.451657"),
        ("35316.70", "35316.70"),
        ("6787.040706709282", "6787.04"),
        ("143.316958", "143.317"),
        ("123456789", "123457000"),
    ],
)
def test_a_number_is_shown_as_it_is_written_or_in_six_digits(written: str, shown: str) -> None:
    assert brief(Decimal(written)) == shown
