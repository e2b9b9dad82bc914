"""JSON of any size is read as a stream, and nothing in it takes the process along."""

from pathlib import Path

import pytest

from benchreg.importers.statement import RunError
from benchreg.importers.streamed import MOST_DIGITS, streamed


def file(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "large.json"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("before", [0, 1, 65_530, 65_536 - MOST_DIGITS // 2])
def test_a_number_of_too_many_digits_is_refused_wherever_it_stands(
    before: int, tmp_path: Path
) -> None:
    data = b'{"a":"' + b"x" * before + b'","b":' + b"9" * 6000 + b"}"
    with pytest.raises(RunError, match="more digits than any figure"):
        streamed(file(tmp_path, data))


def test_runs_of_digits_that_are_short_enough_add_up_to_nothing(tmp_path: Path) -> None:
    numbers = b",".join([b"7" * 3000] * 100)
    assert len(streamed(file(tmp_path, b'{"a":[' + numbers + b"]}"))["a"]) == 100


@pytest.mark.parametrize("number", [b"1e99999999999999999999", b"-1e-99999999999999999999"])
def test_an_exponent_beyond_bounds_is_refused(number: bytes, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="larger than any figure"):
        streamed(file(tmp_path, b'{"a":' + number + b"}"))


def test_a_mark_of_utf_8_is_passed_over(tmp_path: Path) -> None:
    assert streamed(file(tmp_path, b'\xef\xbb\xbf{"a": 1}')) == {"a": 1}


@pytest.mark.parametrize(
    ("data", "told", "hint"),
    [(b'{"a": NaN}', "invalid char", True), (b'{"a": 1', "premature EOF", False),
     (b'{"a": "\xe9"}', "invalid bytes in UTF8", False)],
)  # fmt: skip
def test_what_is_no_json_is_told_in_one_line_that_fits(
    data: bytes, told: str, hint: bool, tmp_path: Path
) -> None:
    with pytest.raises(RunError, match=told) as error:
        streamed(file(tmp_path, data))
    assert ("NaN and Infinity" in str(error.value)) == hint
    assert "b'" not in str(error.value)
