"""Figures are put together only where they can be compared, the best first."""

import sqlite3
from collections.abc import Callable
from itertools import combinations

import pytest

from benchreg.analysis.comparison import compared, varied
from benchreg.snapshot.ask import Answer, Asked, answers, ask
from benchreg.snapshot.ranked import (
    Group,
    groups,
    sides,
    together,
)

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


def test_figures_that_are_alike_stand_together_the_best_first(
    small: Small, rate: Rate, grouped: Grouped
) -> None:
    [group] = grouped(small(rate(5), other=rate(9), third=rate(7)))
    assert values(group) == [9, 7, 5]


def test_of_a_latency_the_least_is_the_best(small: Small, rate: Rate, grouped: Grouped) -> None:
    five, three = (f"{SCHEDULED}{rate(value, 'ttft', 'ms')}" for value in (5, 3))
    [group] = grouped(small(five, other=three))
    assert values(group) == [3, 5]


@pytest.mark.parametrize(
    ("name", "change", "across"),
    [
        ("another load", LESS_LOAD, "batch"),
        ("another format", "precision: {weights: fp8, activations: bf16, kv_cache: bf16}\n",
         "precision"),
        ("an absent version", f"engine: {{id: example-engine}}\n{NO_VERSION}", "engine"),
        ("another part", f"hardware:\n  pools:\n    - {SMALLER}\n", "accelerator"),
    ],
)  # fmt: skip
def test_what_differs_stands_apart_unless_the_question_varies_it(
    name: str, change: str, across: str, small: Small, rate: Rate, grouped: Grouped
) -> None:
    database = small(rate(5), other=f"{change}{rate(9)}")
    first, second = grouped(database)
    assert second.apart is not None, name
    assert not second.apart.comparable
    assert first.apart is None
    assert len(grouped(database, across)) == 1


def test_lengths_within_5_percent_stand_together(
    small: Small, rate: Rate, grouped: Grouped
) -> None:
    made = {name: LENGTHS.format(tokens) + rate(tokens)
            for name, tokens in (("a", 1000), ("b", 1049), ("c", 1060))}  # fmt: skip
    found = [
        values(group) for group in grouped(small("status: disputed\nstatus_reason: x\n", **made))
    ]
    assert sorted(map(sorted, found)) == [[1000, 1049], [1060]]


def test_what_is_put_together_anyway_says_what_keeps_it_apart(
    small: Small, rate: Rate, grouped: Grouped
) -> None:
    database = small(rate(5), other=LESS_LOAD + rate(9), third=rate(7))
    [group] = together(database, grouped(database), frozenset())
    assert values(group) == [9, 7, 5]
    assert group.mixed is not None
    assert [one.key for one in group.mixed.refused_by] == ["load.level"]


@pytest.mark.parametrize(
    ("asked_for", "across"),
    [
        ({"named": {"model": "llama-2-70b"}, "equal": {"metric": "output_throughput"}},
         ("accelerator", "engine")),
        ({"named": {"model": "llama-3-8b"}}, ("batch",)),
        ({"equal": {"scenario": "server", "metric": "ttft"}}, ()),
    ],
)  # fmt: skip
def test_all_figures_of_a_group_can_be_compared_and_those_of_two_cannot(
    asked_for: dict[str, object],
    across: tuple[str, ...],
    asked: sqlite3.Connection,
    grouped: Grouped,
) -> None:
    found = grouped(asked, *across, **asked_for)
    may = varied(across)
    assert len(found) > 1
    for group in found[:20]:
        for one, other in list(combinations(group.sides, 2))[:30]:
            assert compared([one, other], may).comparable
    metric = found[0].answers[0].values["metric"]
    alike = [group for group in found if group.answers[0].values["metric"] == metric]
    for first, second in combinations(alike[:25], 2):
        pairs = [(a, b) for a in first.sides[:3] for b in second.sides[:3]]
        assert not all(compared(pair, may).comparable for pair in pairs)


@pytest.mark.parametrize("column", ["low", "seen_value"])
def test_other_columns_of_values_are_ranked_by_themselves(
    column: str, asked: sqlite3.Connection
) -> None:
    mpt = Asked({"model": "mpt-7b"}, {"metric": "output_throughput"})
    ids = ask(asked, mpt).ids
    across = varied(["batch"])
    found = groups(asked, answers(asked, ids), sides(asked, ids), across, column)
    for group in found:
        listed = [one.values[column] for one in group.answers]
        assert listed == sorted(listed, reverse=True)


def test_no_figure_is_lost_or_told_twice(asked: sqlite3.Connection) -> None:
    ids = ask(asked, Asked({"model": "llama-2-70b"})).ids
    every = answers(asked, ids)
    figures = [one.id for one in every if one.row.value is not None]
    found: list[Answer] = []
    for group in groups(asked, every, sides(asked, ids), frozenset()):
        found += group.answers
    assert sorted(one.id for one in found) == figures
