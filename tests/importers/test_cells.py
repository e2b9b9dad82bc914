"""A cell becomes the value that its field asks for, or the row is refused with the reason."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchreg.entities.base import ID_PATTERN
from benchreg.entities.mapping import Cell
from benchreg.importers.cells import RowError, pointer, put, slug, value_of
from benchreg.values.errors import BenchregError

RATE = "results.rate.value"


def cell(**given_: Any) -> Cell:
    return Cell.model_validate(given_)


@pytest.mark.parametrize(
    ("name", "path", "given_", "row", "expected"),
    [
        ("text", "title", {"column": "a"}, {"a": " x "}, "x"),
        ("text of several", "title", {"text": "{a} on {b}"}, {"a": "x", "b": "y"}, "x on y"),
        ("a number with its digits", RATE, {"column": "a"}, {"a": "800.0"}, Decimal("800.0")),
        ("a whole number", "load.requests", {"column": "a"}, {"a": "12"}, 12),
        ("a whole number with a point", "load.requests", {"column": "a"}, {"a": "12.0"}, 12),
        ("ns to ms", RATE, {"column": "a", "times": Decimal("0.000001")}, {"a": "245904862"},
         Decimal("245.904862")),
        ("a product", "hardware.pools.0.count", {"column": "a", "by": ["b"]},
         {"a": "4", "b": "18"}, 72),
        ("a quotient", RATE, {"column": "a", "over": "b", "digits": 4},
         {"a": "99123.04", "b": "361.3"}, Decimal("274.4")),
        ("grouped digits", RATE, {"column": "a", "thousands": ","}, {"a": "12,345.5"},
         Decimal("12345.5")),
        ("the digits that a source prints", "results.rate.printed", {"column": "a", "places": 2},
         {"a": "5062.8"}, "5062.80"),
        ("a whole number that is printed as one", "results.rate.printed",
         {"column": "a", "places": 0}, {"a": "2790.0"}, "2790"),
        ("a word", "load.scenario",
         {"column": "a", "words": [{"text": "Offline", "becomes": "offline"}]},
         {"a": "Offline"}, "offline"),
        ("a list of one", "mlperf.benchmark", {"column": "a"}, {"a": "llama2-70b-99"},
         ["llama2-70b-99"]),
        ("a list of several", "mlperf.benchmark", {"column": "a", "split": ";"}, {"a": "x; y"},
         ["x", "y"]),
        ("yes", "mlperf.verified", {"column": "a"}, {"a": "True"}, True),
        ("nothing, which the mapping allows", "title", {"column": "a", "blank": {}}, {"a": " "},
         None),
    ],
)  # fmt: skip
def test_a_cell_becomes_a_value(
    name: str, path: str, given_: dict[str, Any], row: dict[str, str], expected: object
) -> None:
    assert value_of(path, cell(**given_), row) == expected, name


@pytest.mark.parametrize(
    ("name", "path", "given_", "row", "told"),
    [
        ("blank", "title", {"column": "a"}, {"a": ""},
         "column 'a' is blank, and the mapping does not say what that means"),
        ("no number", RATE, {"column": "a"}, {"a": "fast"}, "is 'fast', which is no number"),
        ("grouped digits", RATE, {"column": "a"}, {"a": "12,345"},
         "is '12,345', which is no number; if digits are grouped, write `thousands: ','`"),
        ("infinity", RATE, {"column": "a"}, {"a": "inf"}, "is 'inf', which is no number"),
        ("too many digits", RATE, {"column": "a"}, {"a": "9" * 5000}, "which is no number"),
        ("more places than are printed", "results.rate.printed", {"column": "a", "places": 1},
         {"a": "5062.84"}, "is 5062.84, which does not fit its `places`"),
        ("a number of any size", RATE, {"column": "a", "places": 2}, {"a": "1e999"},
         "is 1E+999, which does not fit its `places`"),
        ("a part of a request", "load.requests", {"column": "a"}, {"a": "1.5"},
         "is 1.5, and a whole number is meant"),
        ("a word that is not listed", "load.scenario",
         {"column": "a", "words": [{"text": "Offline", "becomes": "offline"}]},
         {"a": "Server"}, "is 'Server', which is none of its `words`"),
        ("a division by nothing", RATE, {"column": "a", "over": "b", "digits": 3},
         {"a": "1", "b": "0"}, "the division by 'b' is not possible"),
        ("neither true nor false", "mlperf.verified", {"column": "a"}, {"a": "yes"},
         "is 'yes', and true or false is meant"),
        ("an escape", RATE, {"column": "a"}, {"a": "\x1b[31m"}, "is '\\\\x1b[31m'"),
    ],
)  # fmt: skip
def test_a_cell_that_cannot_be_read_is_refused_with_the_reason(
    name: str, path: str, given_: dict[str, Any], row: dict[str, str], told: str
) -> None:
    with pytest.raises(RowError) as refusal:
        value_of(path, cell(**given_), row)
    assert told in str(refusal.value), name


@given(st.text(max_size=200))
def test_a_slug_is_an_id_or_nothing(text: str) -> None:
    import re

    made = slug(text)
    assert not made or re.fullmatch(ID_PATTERN, made)
    assert slug(made) == made


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("title", ("title",)),
        ("hardware.pools.0.count", ("hardware", "pools", 0, "count")),
        ("absent.engine.version", ("absent", "engine.version")),
        ("inferred.workload.output_tokens", ("inferred", "workload.output_tokens")),
    ],
)
def test_a_path_is_a_pointer(path: str, expected: tuple[str | int, ...]) -> None:
    assert pointer(path) == expected


def test_a_path_into_a_list_item_that_is_not_there_is_a_fault_of_the_mapping() -> None:
    with pytest.raises(BenchregError, match="has no such list item"):
        put({"hardware": {"pools": []}}, "hardware.pools.0.count", 1)
