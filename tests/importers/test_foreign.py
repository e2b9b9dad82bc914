"""Numbers of foreign files are taken as they are written, and what is none is refused."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from benchreg.importers.foreign import (
    Amount,
    Flag,
    Foreign,
    Measured,
    Number,
    Rate,
    Text,
    Whole,
)
from benchreg.importers.statement import RunError

D = Decimal


class Amounts(Foreign):
    amount: Amount | None = None
    number: Number | None = None
    measured: Measured = None
    whole: Whole | None = None
    rate: Rate | None = None
    text: Text | None = None
    flag: Flag | None = None


def taken(**value: Any) -> Any:
    [name] = value
    return getattr(Amounts.model_validate(value), name)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"amount": D("1.2345678901234567890")}, D("1.2345678901234567890")),
        ({"amount": 0}, D(0)),
        ({"amount": "1,234,567.5"}, D("1234567.5")),
        ({"amount": " 12 "}, D(12)),
        ({"number": -1}, D(-1)),
        ({"measured": None}, None),
        ({"measured": D("NaN")}, None),
        ({"measured": "NaN"}, None),
        ({"measured": "-"}, None),
        ({"measured": ""}, None),
        ({"whole": D("40.0")}, 40),
        ({"rate": "inf"}, D("Infinity")),
        ({"rate": "Infinity"}, D("Infinity")),
        ({"rate": D("Infinity")}, D("Infinity")),
        ({"rate": D("6.5")}, D("6.5")),
        ({"text": " a "}, "a"),
        ({"flag": "False"}, False),
        ({"flag": 1}, True),
    ],
)
def test_a_value_is_taken_in_each_spelling(value: dict[str, Any], expected: Any) -> None:
    assert taken(**value) == expected


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"amount": D(-1)}, "is negative"),
        ({"amount": D("NaN")}, "is no finite number"),
        ({"amount": D("Infinity")}, "is no finite number"),
        ({"amount": "nan"}, "is no number"),
        ({"amount": "1,23"}, "is no number"),
        ({"amount": "0x10"}, "is no number"),
        ({"amount": True}, "is no number"),
        ({"amount": [1]}, "is no number"),
        ({"amount": D("1e16")}, "larger than any figure"),
        ({"amount": 10**30}, "larger than any figure"),
        ({"amount": D("1e-40")}, "smaller than any figure"),
        ({"amount": "9" * 41}, "is no number"),
        ({"measured": D("-Infinity")}, "is no finite number"),
        ({"whole": D("1.5")}, "is no whole number"),
        ({"rate": D("-Infinity")}, "is no finite number"),
        ({"rate": "fast"}, "is no number"),
        ({"text": ""}, "is no text"),
        ({"text": 3}, "is no text"),
        ({"text": "x" * 5000}, "is no text"),
        ({"flag": "yes"}, "is neither true nor false"),
    ],
)
def test_what_is_no_such_value_is_refused(value: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        taken(**value)


@given(
    st.sampled_from(sorted(Amounts.model_fields)),
    st.none() | st.booleans() | st.integers() | st.decimals() | st.text() | st.lists(st.none()),
)
def test_any_value_is_taken_or_refused(name: str, value: Any) -> None:
    try:
        found = taken(**{name: value})
    except ValidationError:
        return
    if isinstance(found, Decimal):
        assert found.is_finite() or (name == "rate" and found > 0)


def test_statistics_are_found_by_names_of_a_list_only() -> None:
    run = Foreign.model_validate(
        {"mean_ttft_ms": D("1.5"), "median_ttft_ms": 1, "p99_ttft_ms": None, "p42_ttft_ms": 7,
         "std_ttft_ms": D("0.25")}
    )  # fmt: skip
    assert run.statistics("{}_ttft_ms", "/a") == {
        "mean": (D("1.5"), "/a/mean_ttft_ms"),
        "p50": (D(1), "/a/median_ttft_ms"),
    }
    assert run.spread("{}_ttft_ms") == D("0.25")
    assert run.spread("{}_tpot_ms") is None


def test_a_statistic_that_is_no_number_is_refused_with_its_place() -> None:
    run = Foreign.model_validate({"mean_ttft_ms": "fast"})
    with pytest.raises(RunError, match="/mean_ttft_ms is no number"):
        run.statistics("{}_ttft_ms")
