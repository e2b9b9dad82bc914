"""Filters are taken together, and what they leave is told with what a reader must know."""

import sqlite3
from collections.abc import Callable

import pytest

from benchreg.registry.registry import Registry
from benchreg.snapshot.ask import ANY, Asked, answers, ask
from benchreg.values.errors import BenchregError, NotFoundError

Small = Callable[..., sqlite3.Connection]


def keys(database: sqlite3.Connection, asked: Asked) -> list[str]:
    return [one.row.key for one in answers(database, ask(database, asked).ids)]


def test_nothing_asked_finds_every_figure_and_every_record_without_one(
    asked: sqlite3.Connection, shipped: Registry
) -> None:
    figures = sum(len(one.results) or 1 for one in shipped.records.values())
    assert len(ask(asked, Asked(status=ANY)).ids) == figures


def test_what_does_not_stand_is_left_out_and_counted(
    asked: sqlite3.Connection, shipped: Registry
) -> None:
    left = ask(asked, Asked())
    fallen = [one for one in shipped.records.values() if one.status != "active"]
    assert left.not_standing == sum(len(one.results) for one in fallen) > 0
    assert len(ask(asked, Asked(status="disputed")).ids) == left.not_standing


def test_filters_are_taken_together(asked: sqlite3.Connection) -> None:
    left = ask(asked, Asked({"hardware": "h100", "model": "llama-2-70b"},
                            {"metric": "ttft", "scenario": "server"}))  # fmt: skip
    found = answers(asked, left.ids)
    assert found
    assert {one.row.metric for one in found} == {"ttft"}
    assert {one.values["scenario"] for one in found} == {"server"}


def test_a_part_that_the_words_could_mean_is_found(asked: sqlite3.Connection) -> None:
    found = keys(asked, Asked({"hardware": "a100-sxm4-40gb", "model": "mpt-7b"}))
    assert "mpt-7b-a100-static-b64#output_rate" in found


def test_what_empties_a_question_is_named_with_what_there_is_instead(
    asked: sqlite3.Connection,
) -> None:
    left = ask(asked, Asked({"model": "mpt-7b"}, {"scenario": "server"}))
    assert left.ids == []
    assert left.emptied_by == "scenario server"
    assert [word for word, _ in left.near] == ["not stated"]


def test_a_range_says_how_many_figures_do_not_state_what_it_is_of(
    asked: sqlite3.Connection,
) -> None:
    left = ask(asked, Asked({"model": "llama-2-70b"}, ranges={"input_tokens": "100..200"}))
    assert left.ids
    assert left.unstated["input tokens 100..200"] > 100


def test_a_version_is_within_a_range(asked: sqlite3.Connection) -> None:
    left = ask(asked, Asked({"engine": "tensorrt-llm"}, engine_version="0.9..0.11"))
    found = {one.values["engine_version"] for one in answers(asked, left.ids[::50])}
    assert found
    assert {one.split(".")[1] for one in found} <= {"9", "10", "11"}


def test_every_word_of_a_text_is_looked_for_in_titles_and_conditions(
    asked: sqlite3.Connection,
) -> None:
    found = keys(asked, Asked(words=("OpenOrca", "MangoBoost")))
    assert found
    assert all("mangoboost" in key for key in found)


@pytest.mark.parametrize(
    ("asked_for", "told"),
    [
        (Asked(equal={"metric": "output_thruput"}), "did you mean 'output_throughput'"),
        (Asked(equal={"precision": "fp7"}), "did you mean 'fp"),
        (Asked(equal={"tier": "E"}), "there are C, D, X"),
    ],
)
def test_a_word_that_no_figure_has_is_answered_with_the_nearest(
    asked_for: Asked, told: str, asked: sqlite3.Connection
) -> None:
    with pytest.raises(NotFoundError, match=told):
        ask(asked, asked_for)


def test_a_range_that_is_none_is_told_by_its_option(asked: sqlite3.Connection) -> None:
    with pytest.raises(BenchregError, match="--input-tokens: 'many' is no range"):
        ask(asked, Asked(ranges={"input_tokens": "many"}))


def test_rows_keep_the_digits_that_are_written_and_their_counterpart(
    asked: sqlite3.Connection,
) -> None:
    [one] = answers(asked, ask(asked, Asked(where="figure = 'output_rate'",
                                            words=("mpt-7b-a100-static-b64",))).ids)  # fmt: skip
    assert (str(one.row.value), one.row.unit, one.row.seen_by_request) == (
        "800", "tok/s", "12.5 tok/s peak",
    )  # fmt: skip
    assert (one.values["value"], one.values["seen_value"]) == (800, 12.5)


def test_an_example_is_no_figure_of_anything(small: Small) -> None:
    assert {key.partition("#")[0] for key in keys(small(), Asked())} == {"base-record"}
