"""The dialect: bytes become text, plain scalars become values, and all else is refused."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchreg.registry.dialect import (
    MOST_BYTES,
    DialectError,
    Scalar,
    check_key,
    decode,
    place_of,
    resolve,
)
from benchreg.registry.document import Place
from benchreg.values.unseen import UNSEEN

HERE = Place(3, 7)
NOT_A_WORD = (
    "a key that is not a plain word, such as `batch_size`; write a space behind each colon and "
    "dash, and no comma in a number"
)
NOT_FINITE = "not a finite number; leave the value out and declare it absent"
TOO_GREAT = "a number beyond what a float holds (such as 1e400); if it is text, quote it"
TOO_LONG = "a number of more than 64 characters"


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("nothing", b"", ""),
        ("utf-8", "a: é\n".encode(), "a: é\n"),
        ("utf-8 with its mark", b"\xef\xbb\xbfa: 1\n", "a: 1\n"),
        ("utf-16, little end first", b"\xff\xfea\0:\0 \0\xe9\0", "a: é"),
        ("utf-16, big end first", b"\xfe\xff\0a\0:\0 \0\xe9", "a: é"),
        ("utf-16, beyond the first plane", b"\xff\xfe\x3d\xd8\x00\xde", "\U0001f600"),
        ("tab and line ends", b"a:\t1\r\nb: 2\rc: 3\n", "a:\t1\r\nb: 2\rc: 3\n"),
        ("carriage return beside an accent", "a: é\r\nb: 1\r\n".encode(), "a: é\r\nb: 1\r\n"),
        ("space that does not break", "a: 12\u00a0MB".encode(), "a: 12\u00a0MB"),
        ("as large as it may be", b"#" * MOST_BYTES, "#" * MOST_BYTES),
    ],
)
def test_bytes_are_decoded(name: str, data: bytes, text: str) -> None:
    assert decode(data) == text, name


@pytest.mark.parametrize(
    ("name", "data", "message", "place"),
    [
        (
            "one byte too large",
            b"#" * (MOST_BYTES + 1),
            "larger than 256 KiB; split it into several records",
            (1, 1),
        ),
        (
            "utf-32, little end first",
            "\ufeffa: 1".encode("utf-32-le"),
            "UTF-32 text; save the file as UTF-8",
            (1, 1),
        ),
        (
            "utf-32, big end first",
            "\ufeffa: 1".encode("utf-32-be"),
            "UTF-32 text; save the file as UTF-8",
            (1, 1),
        ),
        (
            "no utf-8",
            b"a: 1\nb: x\xff\n",
            "not UTF-8 text; save the file as UTF-8",
            (2, 5),
        ),
        (
            "no utf-8, after an accent and the mark",
            b"\xef\xbb\xbfa: \xc3\xa9\xff",
            "not UTF-8 text; save the file as UTF-8",
            (1, 5),
        ),
        (
            "latin-1",
            "name: Gerät\n".encode("latin-1"),
            "not UTF-8 text; save the file as UTF-8",
            (1, 10),
        ),
        (
            "utf-8 cut short",
            b"a: 1\r\nb: \xc3",
            "not UTF-8 text; save the file as UTF-8",
            (2, 4),
        ),
        (
            "a surrogate in utf-8",
            b"a: \xed\xa0\x80",
            "not UTF-8 text; save the file as UTF-8",
            (1, 4),
        ),
        (
            "utf-16 of odd length",
            b"\xff\xfea\0\n\0b",
            "not UTF-16-LE text; save the file as UTF-8",
            (2, 1),
        ),
        (
            "half a pair in utf-16",
            b"\xfe\xff\0a\xd8\x00\0b",
            "not UTF-16-BE text; save the file as UTF-8",
            (1, 2),
        ),
        (
            "utf-16 without its mark",
            "a: 1".encode("utf-16-le"),
            "the control character U+0000; take it out",
            (1, 2),
        ),
        ("nul", b"a: 1\nb: x\0y\n", "the control character U+0000; take it out", (2, 5)),
        ("escape", b"a: \x1b[31m\n", "the control character U+001B; take it out", (1, 4)),
        ("delete", b"a: 1\x7f\n", "the control character U+007F; take it out", (1, 5)),
        ("vertical tab", b"a:\x0b1\n", "the control character U+000B; take it out", (1, 3)),
        ("form feed", b"\x0ca: 1\n", "the control character U+000C; take it out", (1, 1)),
        (
            "control character after lone carriage returns",
            b"a: 1\rb: 2\r\rc: \0",
            "the control character U+0000; take it out",
            (4, 4),
        ),
        (
            "control character after accents",
            "é: é\r\né: \x1b".encode(),
            "the control character U+001B; take it out",
            (2, 4),
        ),
        (
            "next line",
            "a: x\u0085b: y".encode(),
            "the control character U+0085; take it out",
            (1, 5),
        ),
        (
            "line separator",
            "a: 1 # x\u2028b: 2".encode(),
            "the control character U+2028; take it out",
            (1, 9),
        ),
        (
            "paragraph separator",
            "a: x\u2029".encode(),
            "the control character U+2029; take it out",
            (1, 5),
        ),
    ],
)
def test_what_is_no_text_is_refused(
    name: str, data: bytes, message: str, place: tuple[int, int]
) -> None:
    with pytest.raises(DialectError) as refused:
        decode(data)
    assert refused.value == DialectError(message, Place(*place)), name


@pytest.mark.parametrize(
    ("name", "text", "character", "place"),
    [
        ("a turn of direction in a comment", "a: 1 # \u202e\n", "202E", (1, 8)),
        ("an isolate in a value", "a: 1\nb: x\u2066y\n", "2066", (2, 5)),
        ("a space without width", "a: b\u200bc\n", "200B", (1, 5)),
        ("a hyphen that does not show", "a: b\u00adc\n", "00AD", (1, 5)),
        ("a filler", "a: \u3164\n", "3164", (1, 4)),
        ("a second mark", "\ufeffa: 1\n", "FEFF", (1, 1)),
        ("a tag character", "a: b\U000e0041\n", "E0041", (1, 5)),
        ("a variation selector", "a: \u2764\ufe0f\n", "FE0F", (1, 5)),
        ("after a carriage return", "a: 1\r\nb: \u202e\r\n", "202E", (2, 4)),
    ],
)
def test_what_cannot_be_seen_is_refused_as_unsafe(
    name: str, text: str, character: str, place: tuple[int, int]
) -> None:
    with pytest.raises(DialectError) as refused:
        decode(b"\xef\xbb\xbf" + text.encode())
    message = f"the invisible character U+{character}; take it out"
    assert refused.value == DialectError(message, Place(*place), unsafe=True), name


def test_an_error_without_a_place_is_at_the_beginning() -> None:
    assert DialectError("x").place == Place(1, 1)


@given(st.text().map(lambda text: text.encode("utf-8", "replace")) | st.binary())
def test_text_that_was_decoded_hides_nothing(data: bytes) -> None:
    try:
        text = decode(data)
    except DialectError:
        return
    assert not UNSEEN.search(text.replace("\r", "\n"))


@pytest.mark.parametrize(
    ("name", "text", "offset", "place"),
    [
        ("the beginning", "a: 1\n", 0, (1, 1)),
        ("within the first line", "a: 1\n", 3, (1, 4)),
        ("the line end itself", "a: 1\nb", 4, (1, 5)),
        ("the next line", "a: 1\nb: 2", 5, (2, 1)),
        ("after both kinds of line end", "a\r\nb\rc\nd: 1", 10, (4, 4)),
        ("the end of the text", "a: 1\n", 5, (2, 1)),
        ("after a wide character", "a: \U0001f600x", 4, (1, 5)),
    ],
)
def test_an_offset_has_a_place(name: str, text: str, offset: int, place: tuple[int, int]) -> None:
    assert place_of(text, offset) == Place(*place), name


@pytest.mark.parametrize(
    "key", ["a", "_", "batch_size", "load.warmup", "bf16", "a-b", "yes", "on", "nan", "A" * 100]
)
def test_a_plain_word_is_a_key(key: str) -> None:
    check_key(key, HERE)


@pytest.mark.parametrize(
    "key",
    [
        *("", "~", "null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE"),
        *("1", "1a", "0x1", "1.5", ".inf", "-a", ".a", "a b", "a\n", "é", "a/b", "=", "A" * 101),
    ],
)
def test_anything_else_is_no_key(key: str) -> None:
    with pytest.raises(DialectError) as refused:
        check_key(key, HERE)
    assert refused.value == DialectError(NOT_A_WORD, HERE)


def test_a_merge_key_is_refused_by_its_name() -> None:
    with pytest.raises(DialectError) as refused:
        check_key("<<", HERE)
    assert refused.value == DialectError("a merge key `<<`; write the keys out", HERE)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("", None), ("~", None), ("null", None), ("Null", None), ("NULL", None)),
        *(("true", True), ("True", True), ("TRUE", True)),
        *(("false", False), ("False", False), ("FALSE", False)),
        *(("0", 0), ("-0", 0), ("+1", 1), ("-12", -12), ("9" * 64, int("9" * 64))),
        *(("007", 7), ("08", 8), ("0o17", 15), ("0x1F", 31), ("0xaB", 171)),
    ],
)
def test_nulls_truths_and_whole_numbers_have_their_values(text: str, value: Scalar) -> None:
    assert repr(resolve(text, HERE)) == repr(value)


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        *(("800.0", "800.0"), ("0.10", "0.10"), ("64.00", "64.00"), ("-0.0", "-0.0")),
        *(("1.", "1"), (".5", "0.5"), ("+.5", "0.5"), ("007.50", "7.50")),
        *(("1e3", "1E+3"), ("1.50e3", "1.50E+3"), ("5E-7", "5E-7"), ("1e+05", "1E+5")),
        *(("1e300", "1E+300"), ("1e-300", "1E-300"), ("0e0", "0")),
        (
            "0.1234567890123456789012345678901234567890",
            "0.1234567890123456789012345678901234567890",
        ),
    ],
)
def test_a_number_with_a_point_or_an_exponent_keeps_its_digits(text: str, digits: str) -> None:
    assert repr(resolve(text, HERE)) == f"Decimal('{digits}')"


@pytest.mark.parametrize(
    "text",
    [
        *("yes", "no", "on", "off", "y", "n", "Yes", "tRUE", "nULL", "nil", "none"),
        *("1_000", "1_0.5", "0x1_0", "0b11", "-0x1", "+0o7", "0o8", "0xg", "0X1F", "0O7"),
        *("2026-01-02", "2026-01-02T00:00:00Z", "12:30:45", "190:20:30", "1/2"),
        *("1e", "1e+", "e3", "1.2.3", "1.2e3.4", "+", "-", ".", "..", "-.", "+-1", "--1", "1 2"),
        *("\u0661", "1\u0661", "\u00b2", "=", "~x", "nano", "information", ".information"),
        *("1." * 40, "9" * 70 + "x", "1-" * 5000),
    ],
)
def test_all_other_plain_scalars_are_text(text: str) -> None:
    assert resolve(text, HERE) == text


@pytest.mark.parametrize(
    ("message", "text"),
    [
        *((NOT_FINITE, text) for text in (".inf", ".Inf", ".INF", "+.inf", "-.inf")),
        *((NOT_FINITE, text) for text in (".nan", ".NaN", ".NAN", "NaN", "nan", "-nan")),
        *((NOT_FINITE, text) for text in ("inf", "-Inf", "Infinity", "-Infinity", "+infinity")),
        *((TOO_GREAT, text) for text in ("1e400", "-1e400", "1E+400", "1.0e301", "1e-400")),
        *((TOO_GREAT, text) for text in ("0e301", "1e00000400", "1e" + "9" * 62)),
        *((TOO_GREAT, text) for text in ("9" * 50 + "e260", f"0.{'0' * 50}1e-260")),
        *((TOO_LONG, text) for text in ("9" * 65, "9" * 5000, "-" + "9" * 64)),
        *((TOO_LONG, text) for text in ("0." + "1" * 63, "1e" + "9" * 63, "9" * 5000 + "e5000")),
        *((TOO_LONG, text) for text in ("0x" + "f" * 63, "0o" + "7" * 5000)),
    ],
)
def test_a_number_that_no_float_holds_is_refused(message: str, text: str) -> None:
    with pytest.raises(DialectError) as refused:
        resolve(text, HERE)
    assert refused.value == DialectError(message, HERE)


@given(st.integers(-(10**60), 10**60))
def test_a_whole_number_is_read_as_it_is_written(number: int) -> None:
    assert resolve(str(number), HERE) == number


@given(
    st.decimals("-1e20", "1e20", places=9).map(lambda number: f"{number:f}")
    | st.floats(-1e300, 1e300, allow_subnormal=False).filter(lambda x: abs(x) > 1e-300).map(repr)
)
def test_a_decimal_number_is_read_to_the_digit(text: str) -> None:
    assert repr(resolve(text, HERE)) == repr(Decimal(text))


@given(st.text(st.sampled_from("0123456789.eE+-_xoXOabfinINF"), min_size=1, max_size=70))
def test_whatever_is_read_as_a_number_is_finite_as_a_float(text: str) -> None:
    try:
        value = resolve(text, HERE)
    except DialectError:
        return
    assert isinstance(value, str) or abs(float(value or 0)) < 1e304
