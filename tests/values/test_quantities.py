"""Numbers in prose: which have a unit, which are compared, and which only stand there."""

from decimal import Decimal
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchreg.values.quantities import all_numbers, quantities


def read(text: str) -> list[tuple[str, str]]:
    return [(" ".join(map(str, one.numbers)), one.unit) for one in quantities(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No request receives 800 tok/s; read on.", [("800", "tok/s")]),
        ("64 output tokens per second", [("64", "tok/s")]),
        ("12 tokens/s/user and 3.5 tps", [("12", "tok/s"), ("3.5", "tok/s")]),
        ("1.2 ktok/s", [("1.2", "ktok/s")]),
        ("12.5 requests/s, 3 QPS", [("12.5", "req/s"), ("3", "req/s")]),
        ("5 s. Then 9.4 ms/token", [("5", "s"), ("9.4", "ms")]),
        ("1,024 new tokens", [("1024", "other")]),
        ("54.4 to 60.8 tok/s", [("54.4 60.8", "tok/s")]),
        ("10-20 ms", [("10 20", "ms")]),
        ("an A100 40GB at 400 W", [("40", "GB"), ("400", "W")]),
        ("900 GB/s of 2 TB/s", [("900", "other"), ("2", "other")]),
        ("by 12 % or 3 percent", [("12", "%"), ("3", "%")]),
        ("14x, or 14 x as fast", [("14", "times"), ("14", "times")]),
        ("13.9 times, 3-fold, tenfold, twice, four  times",
         [("13.9", "times"), ("3", "times"), ("10", "times"), ("2", "times"), ("4", "times")]),
        ("$3.20 an hour, 2 USD", [("3.20", "other"), ("2", "other")]),
        ("more than 2,000, up to 5 and > 3", [("2000", ""), ("5", ""), ("3", "")]),
        ("negative in 5 of 9 systems", [("5 9", "")]),
    ],
)  # fmt: skip
def test_a_number_with_a_unit_or_compared_is_found(
    text: str, expected: list[tuple[str, str]]
) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "the derived 57.6 stands for 54.4 to 60.8.",
        "The folders llama2-70b-99 and llama2-70b-99.9 hold the same log: one run, two labels.",
        "8 x H100, 8xA10, 2 x (4 parts)",
        "newer than 0.11.0, later than 2026-11-01, below v5.1",
        "the p99 at batch 64 in fp8",
        "run 2 of 3, page 1 of 2",
        "once a batch is compute-bound, a larger one raises latency and no longer throughput",
        "see results/99 tokens, or row 3.2.1 tokens",
    ],
)
def test_what_is_no_quantity_is_left_alone(text: str) -> None:
    assert read(text) == []


def test_the_words_are_kept_as_they_stand() -> None:
    assert [one.text for one in quantities("about 1,024 new tokens in all")] == ["1,024 new tokens"]


def test_every_number_of_a_text_is_read() -> None:
    assert all_numbers("a40-80gb, 1,024 at 12.5") == [40, 80, 1024, Decimal("12.5")]


@given(st.text(st.sampled_from("0123456789.,-x %tokms/ofthan"), max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    assert all(one.text in text and one.numbers for one in quantities(text))


@pytest.mark.parametrize("text", ["8" * 600, "8," * 300, "8 to " * 120, "1 of " * 120, "8." * 300])
def test_a_text_that_was_made_to_be_slow_is_not(text: str) -> None:
    start = perf_counter()
    quantities(text)
    assert perf_counter() - start < 1
