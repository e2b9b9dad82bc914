"""A question is answered in the form that is asked for, and no form loses what a reader needs."""

import csv
import io
import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from benchreg.report.question import FORMS, Question, Screen
from benchreg.report.reply import Reply, reply
from benchreg.snapshot.ask import Asked
from benchreg.snapshot.store import Snapshot
from benchreg.values.errors import BenchregError

MPT = Asked({"model": "mpt-7b"}, {"metric": "output_throughput"})
OFFLINE = Asked(
    {"model": "llama-2-70b", "hardware": "h200"},
    {"metric": "output_throughput", "scenario": "offline", "round": "v5.1"},
)
ACROSS = ("accelerator", "engine")


@pytest.fixture
def put(asked: sqlite3.Connection) -> Any:
    """A function that puts a question to the shipped records."""

    def put(asked_for: Asked, width: int = 120, **more: Any) -> Reply:
        snapshot = Snapshot(Path(), asked)
        return reply(snapshot, Question(asked_for, **more), Screen(width))

    return put


def in_json(answer: Reply) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(answer.text)
    return found


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"sort": "level"},
        {"sort": "value"},
        {"sort": "-value", "anyway": True},
        {"sort": "value", "columns": "model", "across": ("batch",)},
        {"columns": "value"},
        {"columns": "low,model,high"},
        {"by": "model,level", "stat": "max"},
        {"by": "level", "stat": "max", "of": "low"},
        {"by": "record", "stat": "median", "anyway": True},
    ],
    ids=str,
)
@pytest.mark.parametrize("form", FORMS)
def test_800_is_never_told_without_12_5(form: str, more: dict[str, Any], put: Any) -> None:
    text = put(MPT, 60, form=form, limit=0, **more).text
    units = [json.dumps(row) for row in json.loads(text)] if form == "json" else text.splitlines()
    totals = [unit for unit in units if re.search(r"\b(800|796\.8|803\.2)\b", unit)]
    assert totals
    assert all("12.5" in unit for unit in totals), totals


def test_figures_are_listed_by_a_column_with_what_does_not_state_it_last(put: Any) -> None:
    rows = in_json(put(OFFLINE, form="json", sort="date", columns="date"))
    days = [row["date"] for row in rows]
    assert days == sorted(days)
    assert len(days) > 10


def test_ranks_stand_in_groups_with_why_each_is_apart(put: Any) -> None:
    rows = in_json(put(OFFLINE, form="json", sort="value", across=ACROSS, limit=0))
    first = [row["value"] for row in rows if row["group"] == 1]
    assert first == sorted(first, reverse=True)
    assert {row["comparable"] for row in rows} == {"yes"}
    assert all(row["why"].startswith("apart from the first: ") for row in rows if row["group"] > 1)


def test_worst_first_is_asked_with_a_hyphen(put: Any) -> None:
    rows = in_json(put(OFFLINE, form="json", sort="-value", across=ACROSS, limit=0))
    first = [row["value"] for row in rows if row["group"] == 1]
    assert first == sorted(first)


@pytest.mark.parametrize("form", FORMS)
def test_what_is_put_together_anyway_is_marked_in_every_format(form: str, put: Any) -> None:
    text = put(OFFLINE, form=form, sort="value", anyway=True, limit=3).text
    if form == "table":
        assert "NOT COMPARABLE, put together because it was asked for" in text
        return
    assert text.count("NOT COMPARABLE") == 3
    assert "yes" not in text


def test_a_table_says_how_much_it_leaves_out(put: Any) -> None:
    answer = put(OFFLINE, limit=5)
    assert answer.text.endswith(
        f"and {len(answer.left.ids) - 5} more figures; --limit 0 prints all"
    )
    assert "more figures" not in put(OFFLINE, limit=0).text
    assert len(in_json(put(OFFLINE, form="json"))) == len(answer.left.ids)


def test_a_count_needs_nothing_to_be_comparable(put: Any) -> None:
    answer = put(Asked(where="engine_version IS NULL"), by="source", form="csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert tuple(rows[0]) == ("source", "figures")
    assert sum(int(row["figures"]) for row in rows) == len(answer.left.ids)


def test_shares_of_a_bound_are_told_by_metric_in_percent(put: Any) -> None:
    asked_for = Asked({"engine": "vllm", "hardware": "h100", "model": "llama-2-70b"})
    text = put(asked_for, by="model", stat="median", of="of_bound").text
    assert "median of bound; total throughput, system" in text
    assert " %" in text


@pytest.mark.parametrize("form", FORMS)
def test_what_finds_nothing_is_empty_in_every_format(form: str, put: Any) -> None:
    answer = put(Asked({"model": "mpt-7b"}, {"scenario": "server"}), form=form)
    assert answer.left.ids == []
    assert {"table": "", "json": "[]"}.get(form, answer.text) == answer.text
    assert len(answer.text.splitlines()) < 3


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"columns": "modle"}, "did you mean 'model'"),
        ({"sort": "vale"}, "did you mean 'value'"),
        ({"by": "enginee", "stat": "max"}, "did you mean 'engine'"),
        ({"by": "model", "stat": "max", "of": "engine"}, "no column of numbers"),
        ({"sort": "value", "across": ("acelerator",)}, "did you mean 'accelerator'"),
    ],
)
def test_a_word_that_is_none_is_answered_with_the_nearest(
    more: dict[str, Any], told: str, put: Any
) -> None:
    with pytest.raises(BenchregError, match=told):
        put(MPT, **more)


@pytest.mark.parametrize("width", [1, 40, 80, 400])
def test_every_width_has_every_figure(width: int, put: Any) -> None:
    text = put(MPT, width, sort="value", across=("batch",), limit=0).text
    assert text.count("(one request sees") == len(put(MPT).left.ids)
