"""YAML of other tools is read with its digits, and nothing in it is run or multiplied."""

import contextlib
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchreg.registry.loose import LooseError, loose


def test_numbers_keep_their_digits_and_dates_stay_text() -> None:
    text = "rate: 1.23456789012345678\nat: 2026-11-30\nrequests: 40\nend: .inf\nnone: null\n"
    assert loose(text) == {
        "rate": Decimal("1.23456789012345678"),
        "at": "2026-11-30",
        "requests": 40,
        "end": Decimal("Infinity"),
        "none": None,
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("a: &x 1\nb: *x\n", "line 1: an anchor or alias", id="an alias"),
        pytest.param("a: &x [1]\n", "line 1: an anchor or alias", id="an anchor"),
        pytest.param("b: 1\na: 1\na: 2\n", "line 1: a key stands twice", id="a key twice"),
        pytest.param("[" * 65 + "]" * 65, "line 1: nested over 64 levels", id="deep"),
        pytest.param("a: !!python/object:os.system x\n", "line 1: could not", id="a tag"),
        pytest.param("a: [\n", "line 2: ", id="unfinished"),
        pytest.param("a: \x00\n", "no YAML that is read here", id="a zero byte"),
        pytest.param("a: 1\n---\nb: 2\n", "line 2: but found another document", id="two documents"),
    ],
)
def test_what_could_be_abused_is_refused_with_its_line(text: str, told: str) -> None:
    with pytest.raises(LooseError) as caught:
        loose(text)
    assert str(caught.value).startswith(told)
    assert "\n" not in str(caught.value)


@given(st.text(alphabet="ab:{}[]&*!-#'\"\n 1.e", max_size=40))
def test_any_text_is_a_tree_or_a_refusal(text: str) -> None:
    with contextlib.suppress(LooseError):
        loose(text)
