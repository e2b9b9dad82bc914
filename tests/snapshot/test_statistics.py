"""A statistic is of figures that can be compared, and stands with what a request sees of them."""

import sqlite3
from collections.abc import Callable

import pytest

from benchreg.analysis.comparison import varied
from benchreg.snapshot.ranked import Group
from benchreg.snapshot.statistics import across_of, columns, number_column, stats
from benchreg.values.errors import BenchregError

Small = Callable[..., sqlite3.Connection]
Rate = Callable[..., str]
Grouped = Callable[..., list[Group]]


SCHEDULED = "measurement: {latency_origin: scheduled, first_token: any}\n"
LESS_LOAD = "load: {pattern: closed_loop, concurrency: 32, window: full_drain}\n"
LENGTHS = (
    "workload: {{input_tokens: {}, output_tokens: 64, length_basis: measured,"
    " output_policy: forced, dataset: random, prefix_cache: {{enabled: false}},"
    " speculative: {{method: none}}}}\n"
)
NO_VERSION = "absent: {engine.version: not_stated, load.scenario: not_applicable}\n"
SMALLER = "{accelerator: example-gpu-40gb, count: 1, parallelism: {tensor: 1}}"


def values(group: Group) -> list[float]:
    return [one.values["value"] for one in group.answers]


def test_the_most_has_what_a_request_sees_of_that_very_figure(
    asked: sqlite3.Connection, grouped: Grouped
) -> None:
    mpt = {"named": {"model": "mpt-7b"}, "equal": {"metric": "output_throughput"}}
    found = grouped(asked, "batch", "count", **mpt)
    tables = [stats(group, ("count",), "max", "value") for group in found]
    [one] = [stat for table in tables for stat in table.stats if stat.value == 800]
    assert (one.by, one.seen) == (("1",), "12.5 tok/s peak")
    [least] = stats(found[0], ("engine",), "min", "value").stats
    assert least.seen.startswith(f"{least.value:g} tok/s")


def test_a_mean_has_the_range_of_what_requests_see(
    asked: sqlite3.Connection, grouped: Grouped
) -> None:
    mpt = {"named": {"model": "mpt-7b"}, "equal": {"metric": "output_throughput"}}
    [group] = [one for one in grouped(asked, "batch", **mpt) if 800 in values(one)]
    [one] = stats(group, ("model",), "mean", "value").stats
    assert (one.count, one.seen) == (6, "12.5 to 57.6 tok/s")


def test_figures_that_differ_in_what_a_column_frees_are_told_apart(
    small: Small, rate: Rate, grouped: Grouped
) -> None:
    commit = "engine: {id: example-engine, commit: a1b2c3d}\n"
    [group] = grouped(small(rate(5), other=commit + rate(9)), "engine")
    first, second = stats(group, ("engine",), "max", "value", varied(["engine"])).stats
    assert {(first.value, first.also), (second.value, second.also)} == {
        (5, "1.2.0"), (9, "a1b2c3d"),
    }  # fmt: skip
    [one] = stats(group, ("engine",), "max", "value").stats
    assert (one.count, one.also) == (2, "")


def test_of_figures_of_which_some_say_nothing_the_reasons_are_told(
    small: Small, grouped: Grouped
) -> None:
    result = (
        "results:\n  a: {{metric: output_throughput, scope: system, value: {}, unit: tok/s,"
        " absent: {{seen_by_request: withheld}}}}\n"
    )
    [group] = grouped(small(result.format(800), other=result.format(900)))
    [one] = stats(group, ("model",), "median", "value").stats
    assert (one.value, one.seen) == (850, "withheld")


@pytest.mark.parametrize(("stat", "value"), [("min", 5), ("max", 9), ("mean", 7), ("median", 7)])
def test_each_statistic_is_what_it_is_called(
    stat: str, value: float, small: Small, rate: Rate, grouped: Grouped
) -> None:
    [group] = grouped(small(rate(5), other=rate(9), third=rate(7)))
    [one] = stats(group, ("model",), stat, "value").stats
    assert (one.count, one.value, one.unit) == (3, value, "req/s")


def test_what_a_question_groups_by_is_what_it_varies() -> None:
    assert set(across_of(("model", "accelerator", "source"))) == {"model", "accelerator"}


def test_a_column_that_is_none_is_answered_with_the_nearest() -> None:
    with pytest.raises(BenchregError, match="did you mean 'model'"):
        columns("modle")
    with pytest.raises(BenchregError, match="no column of numbers"):
        number_column("model")
    with pytest.raises(BenchregError):
        number_column("")
