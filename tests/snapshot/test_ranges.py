"""Ranges of numbers, dates and versions, and the order of versions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchreg.snapshot.ranges import LAST, dates, numbers, version_key, versions
from benchreg.values.errors import BenchregError

PARTS = st.lists(st.integers(0, 999_999), min_size=2, max_size=4)


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("8", (8, 8)),
        ("7..13", (7, 13)),
        ("7..", (7, None)),
        ("..13.5", (None, 13.5)),
        ("1e3..", (1000, None)),
    ],
)
def test_a_range_of_numbers_has_two_ends_or_one(
    text: str, ends: tuple[float | None, float | None]
) -> None:
    assert numbers("--size", text) == ends


@pytest.mark.parametrize("text", ["", "..", "a", "7...9", "nan", "inf..", "1..2..3", "9" * 50])
def test_what_is_no_range_of_numbers_is_told_with_how_to_write_one(text: str) -> None:
    with pytest.raises(BenchregError, match=r"--size: .* write 8, 7\.\.13"):
        numbers("--size", text)


def test_a_date_means_all_that_begins_so() -> None:
    assert dates("--date", "2024..2025-06") == ("2024", f"2025-06{LAST}")
    assert dates("--date", "2025") == ("2025", f"2025{LAST}")


@pytest.mark.parametrize("text", ["", "..", "25", "2025-1", "tomorrow", "2025-01-01T00"])
def test_what_is_no_range_of_dates_is_told(text: str) -> None:
    with pytest.raises(BenchregError, match="is no range of dates"):
        dates("--date", text)


@pytest.mark.parametrize(
    ("version", "inside"),
    [
        ("0.6", True),
        ("0.6.3.post1", True),
        ("v0.6.1", True),
        ("0.8.99", True),
        ("0.9.0.2.dev108+g71faa1880", False),
        ("0.10.1", False),
        ("0.5.9", False),
    ],
)
def test_a_range_of_versions_has_all_that_begins_like_its_ends(version: str, inside: bool) -> None:
    low, high = versions("--engine-version", "0.6..0.8")
    assert (low <= version_key(version) <= high) is inside


@pytest.mark.parametrize("version", ["a1b2c3d", "main", "", "71faa1880d", "7b4f9e2"])
def test_a_commit_has_no_order(version: str) -> None:
    assert version_key(version) == ""


@pytest.mark.parametrize("text", ["", "..", "main", "main.."])
def test_what_is_no_range_of_versions_is_told(text: str) -> None:
    with pytest.raises(BenchregError, match="is no range of versions"):
        versions("--engine-version", text)


@given(PARTS, PARTS)
def test_versions_are_in_the_order_of_their_numbers(one: list[int], other: list[int]) -> None:
    keys = [version_key(".".join(map(str, parts))) for parts in (one, other)]
    assert (keys[0] < keys[1]) == (one < other)
