"""Scalars are spelt so that they read back, here and elsewhere, and no louder than they must."""

from decimal import Decimal
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from benchreg.registry.dialect import DialectError
from benchreg.registry.read import Reader
from benchreg.registry.spelling import in_block, number, spelled, spelled_in_flow
from benchreg.values.errors import BenchregError

PLAIN = (
    *("vllm", "tok/s", "closed_loop", "v5.1", "1 x A100", "1xA100-40GB", "18x 4th Gen NVLink"),
    *("1000 / tpot", "completed_rate * output_tokens", "--max-num-seqs 64", "-x", "198fc467"),
    *("965182b03376a00fcae415c54e560e1c83937932", "other-record#rate", "https://a.org/?a=b#c"),
    *('Table 2, row "1 x A100", column 64', "The vendor's label.", "64 % of 8", "a:b", "0a"),
    *("MLPerf® Inference", "naïve", "速度", "🚀", "a 🚀 b", "x\u00a0y", "Null island", "yesterday"),
)
QUOTED = (
    *("", " ", "  a", "a ", "a: b", "a:", ":", ": a", "- a", "-", "? a", "?", "a #b", "#a", "# a"),
    *("'a'", '"a"', "[a", "{a", "]", "}", ",", "&a", "*a", "!a", "|", ">", "%a", "@a", "`a", "="),
    *("null", "Null", "NULL", "~", "true", "True", "FALSE", "yes", "No", "ON", "off", "y", "<<"),
    *("0", "007", "64", "-1", "+1", "1.", ".5", "-.5e3", "1e3", "1E+3", "0x1", "0x1F", "0o17"),
    *("0b11", "1_000", "12:30:45", "1,000", "1/2", "2026", "2026-11", "2026-11-01", "0.11.0"),
    *("2026-11-01/2026-11-02", "2026-11-01T10:00:00Z", "2026-11-01 10:00", "0.11.0rc1", "12.5x"),
    *("5.1.0 @ 50de99161e", ".inf", "-.Inf", "nan", "NaN", "infinity", "1e400", "---", "--- a"),
    *("...", "a\tb", "\t", "a\nb", "\n", "a\r", "\x00", "\x7f", "\x85", "\u2028", "\u202e"),
    *("a\u200bb", "❤\ufe0f", "\ufeff"),
)
IN_FLOW_QUOTED = ("a, b", "a]", "[", "a{b", "a}", "x?y", "a,b", ":a", "a, #b")


def read(value: str) -> Any:
    return Reader().read("file.yaml", f"a: {value}\n".encode()).tree["a"]


def read_in_flow(value: str) -> Any:
    return Reader().read("file.yaml", f"a: [{value}, {{b: {value}}}]\n".encode()).tree["a"]


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_plainly_text_stands_without_quotes(text: str) -> None:
    assert spelled(text) == text
    assert read(text) == text


@pytest.mark.parametrize("text", QUOTED)
def test_what_could_be_taken_for_something_else_stands_in_quotes(text: str) -> None:
    assert spelled(text)[0] in "'\""
    assert read(spelled(text)) == text
    assert read_in_flow(spelled_in_flow(text)) == [text, {"b": text}]


@pytest.mark.parametrize("text", IN_FLOW_QUOTED)
def test_within_brackets_more_stands_in_quotes(text: str) -> None:
    assert spelled_in_flow(text) == f'"{text}"'
    assert read_in_flow(spelled_in_flow(text)) == [text, {"b": text}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("0.9", '"0.9"', id="double quotes"),
        pytest.param('"0.9" is printed', "'\"0.9\" is printed'", id="single ones save escapes"),
        pytest.param('it\'s: "0.9"', r'"it\'s: \"0.9\""'.replace("\\'", "'"), id="both"),
        pytest.param("a\\ b: c", r"'a\ b: c'", id="a backslash"),
        pytest.param("a\n\tb\x85", r'"a\n\tb\x85"', id="control characters"),
        pytest.param("\u202e \U000e0001", r'"\u202e \U000e0001"', id="unseen characters"),
    ],
)
def test_quotes_are_double_unless_single_ones_read_better(text: str, expected: str) -> None:
    assert spelled(text) == expected


@given(st.text(max_size=20) | st.text("aZ09 .:-#'\"\\\n\t,[]{}&*!|>%@`?~é\u00a0😀", max_size=12))
def test_any_text_reads_back(text: str) -> None:
    assert read(spelled(text)) == text
    assert read_in_flow(spelled_in_flow(text)) == [text, {"b": text}]


@given(st.text("aeyYnNoOsfFtTrRuUlL019.:_-+xbEZ~ ", min_size=1, max_size=10))
def test_a_reader_of_yaml_1_1_takes_it_for_text_too(text: str) -> None:
    assert yaml.safe_load(f"a: {spelled(text)}") == {"a": text}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("800", "800"),
        ("800.0", "800.0"),
        ("0.10", "0.10"),
        ("-0.0", "-0.0"),
        ("-0.", "0"),
        ("+1", "1"),
        ("007", "7"),
        ("0x1F", "31"),
        ("5.", "5"),
        (".5", "0.5"),
        ("1e3", "1e3"),
        ("1.50E+3", "1.50e3"),
        ("1e0", "1"),
        ("1e-7", "0.0000001"),
        ("1e-300", "1e-300"),
        (f"0x{'f' * 62}", f"0x{'f' * 62}"),
        (f"1.{'3' * 57}e-200", f"1.{'3' * 57}e-200"),
        (f"{'9' * 61}e9", f"{'9' * 61}e9"),
    ],
)
def test_a_number_keeps_its_digits(written: str, expected: str) -> None:
    value = read(written)
    assert number(value) == expected
    assert read(number(value)) == value


@pytest.mark.parametrize(
    ("value", "expected"),
    [(True, "true"), (False, "false"), (None, "null"), (0.1, "0.1"), (1e22, "1e22"), (2.0, "2.0")],
)
def test_other_scalars_are_written_as_the_reader_knows_them(value: Any, expected: str) -> None:
    assert number(value) == expected


@pytest.mark.parametrize(
    "value",
    [Decimal("NaN"), Decimal("-Infinity"), float("inf"), 10**80, -(10**64), Decimal("1e301")],
)
def test_a_number_that_the_reader_refuses_is_bad_use(value: Any) -> None:
    with pytest.raises(BenchregError, match="cannot be written in a record"):
        number(value)


def test_half_a_character_is_bad_use() -> None:
    with pytest.raises(BenchregError, match=r"U\+D83D"):
        spelled("\ud83d")


DIGITS = st.text("0123456789", max_size=40)
NUMBERS = st.builds("".join, st.tuples(
    st.sampled_from(["", "-", "+"]), DIGITS, st.sampled_from(["", "."]), DIGITS,
    st.one_of(st.just(""), st.integers(-310, 310).map(lambda power: f"e{power}")),
))  # fmt: skip


@given(NUMBERS)
@example("-0.")
@example("0e5")
@example("-0x1")
@example(f"{'9' * 59}e-250")
def test_any_number_that_can_be_read_is_written_with_its_digits(written: str) -> None:
    try:
        value = read(written)
    except DialectError:
        return
    if not isinstance(value, int | Decimal):
        return
    again = read(number(value))
    assert again == value
    assert number(again) == number(value)
    assert digits(again) == digits(value)


def digits(value: int | Decimal) -> object:
    """Return the digits of a number, and the power of ten of the last one."""
    exact = Decimal(value)
    return (exact.copy_abs(), exact.as_tuple().exponent) if value else exact.adjusted()


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("a b c", 3, (">-", ("a b", "c"))),
        ("a b c", 1, (">-", ("a", "b", "c"))),
        ("wonderful a", 3, (">-", ("wonderful", "a"))),
        ("a  b c", 4, (">-", ("a  b", "c"))),
        ("a b\n", 9, (">", ("a b",))),
        ("a\nb\n", 9, ("|", ("a", "b"))),
        ("a\n", 9, None),
        ("a b\n", 1, (">", ("a", "b"))),
        ("a\n b\n\nc", 9, ("|-", ("a", " b", "", "c"))),
        ("a b\nc\n\nd", 1, (">-", ("a", "b", "", "c", "", "", "d"))),
        ("wonderful", 3, None),
        ("a  b", 1, None),
        ("", 9, None),
        ("\n", 9, None),
        ("a b\n\n", 9, None),
        (" a b", 9, None),
        ("a b ", 9, None),
        ("a b \nc", 9, None),
        ("a\tb c", 9, None),
        ("a b\n c", 2, None),
        ("a\u202e b", 9, None),
    ],
)
def test_text_is_folded_between_words_or_not_at_all(text: str, width: int, expected: Any) -> None:
    assert in_block(text, width) == expected


@given(st.text("ab #:-\n\t'é", max_size=30), st.integers(1, 12))
def test_folded_text_reads_back(text: str, width: int) -> None:
    block = in_block(text, width)
    if block is not None:
        sign, lines = block
        body = "".join(f"  {line}\n" if line else "\n" for line in lines)
        assert read(f"{sign}\n{body}") == text
