"""A log of LoadGen is read line by line: the first value of a key of the list, and no other key."""

from decimal import Decimal
from pathlib import Path

import pytest

from benchreg.importers import logged as module
from benchreg.importers.logged import KEYS, logged
from benchreg.importers.opened import opened
from benchreg.importers.statement import RunError


def event(key: str, value: str, *, error: str = "false") -> str:
    meta = f'{{"is_error": {error}, "is_warning": false, "file": "results.cc"}}'
    return f':::MLLOG {{"key": "{key}", "value": {value}, "time_ms": 0.1, "metadata": {meta}}}\n'


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "mlperf_log_detail.txt"


def test_the_first_value_of_a_repeated_key_counts(log: Path) -> None:
    rate = "result_samples_per_second"
    log.write_text(event(rate, "12.50") + event(rate, "99"))
    assert logged(log) == {"is_error": 0, rate: Decimal("12.50")}


def test_a_key_that_is_not_of_the_list_is_not_read(log: Path) -> None:
    log.write_text(event("sut_name", '"a host"') + event("generic_message", '"/home/somebody"'))
    assert logged(log) == {"is_error": 0}
    assert not KEYS & {"sut_name", "generic_message", "result_token_throughput"}


def test_events_that_are_errors_are_counted_whatever_their_key(log: Path) -> None:
    log.write_text(event("error_runtime", '"lost"', error="true") * 3 + event("sut_name", '"a"'))
    assert logged(log)["is_error"] == 3


def test_lines_that_are_no_events_are_passed_over(log: Path) -> None:
    log.write_text("a\nb\n" + event("test_datetime", '"2026-11-30T05:25:27Z"') + "\xff\n")
    assert logged(log)["test_datetime"] == "2026-11-30T05:25:27Z"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("a number of C++ that is none", "-nan"),
        ("a text without its end", '"VALID'),
        ("a value that is nested without end", "[" * 100_000),
        ("a number with more digits than any", "1" * 5_000),
    ],
)
def test_an_event_of_the_list_that_is_no_json_is_refused(log: Path, name: str, value: str) -> None:
    log.write_text(event("sut_name", "1") + event("result_validity", value))
    with pytest.raises(RunError, match="line 2 is no event of LoadGen"):
        logged(log)
    assert name


def test_a_line_without_end_is_not_kept_in_memory(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_LINE", 300)
    hidden = event("result_validity", '"VALID"')
    log.write_text("x" * 300 + hidden + event("result_query_count", "7"))
    assert logged(log) == {"is_error": 0, "result_query_count": 7}


def test_a_log_that_is_too_large_is_refused(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_LOG", 10)
    log.write_text(event("result_query_count", "7"))
    with pytest.raises(RunError, match="is a log of over"):
        logged(log)


def test_a_run_folder_is_opened_as_the_log_in_it(log: Path) -> None:
    log.write_text(event("result_query_count", "7"))
    folder, file = opened(log.parent), opened(log)
    assert (folder.form, folder.path) == ("folder", log)
    assert list(folder.pieces()) == list(file.pieces())
    assert folder.sha256 == file.sha256


def test_a_log_is_known_by_what_is_in_it(log: Path) -> None:
    other = log.with_name("notes.md")
    other.write_text(event("result_query_count", "7"))
    assert opened(other).form == "folder"
    log.write_text("no log\n")
    assert opened(log.parent).form == "text"


def test_a_folder_without_a_log_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"folder without mlperf_log_detail\.txt"):
        opened(tmp_path)


def test_a_log_that_is_a_link_is_not_followed(tmp_path: Path, log: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text(event("result_query_count", "7"))
    log.symlink_to(elsewhere)
    with pytest.raises(RunError, match="links are not followed"):
        opened(tmp_path)
