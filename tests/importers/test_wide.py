"""A long table, of one figure a row: the rows of a point become one record, in any order."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchreg.entities.mapping import Mapping
from benchreg.importers.draft import Account, Draft
from benchreg.importers.table import drafts, table
from benchreg.values.errors import BenchregError

HEAD = "place,system,tp,metric,unit,value\n"
RATE, LATENCY = "a 1,x,,rate,tok/s,800\n", "a 1,x,,latency,ms,5000\n"
PLAN: dict[str, Any] = {
    "title": "a long table",
    "id": "{system}-{place}",
    "wide": {"by": ["place"], "name": "figure", "value": "value", "names": ["rate", "latency_ms"]},
    "columns": {
        "figure": {
            "text": "{metric}, {unit}",
            "words": [
                {"text": "rate, tok/s", "becomes": "rate"},
                {"text": "latency, ms", "becomes": "latency_ms"},
            ],
        },
    },
    "record": {"kind": "measurement"},
    "cells": {"source.locator": {"column": "place"}},
    "cases": [
        {
            "when": [{"column": "rate", "blank": False}],
            "cells": {"results.rate.value": {"column": "rate"}},
        },
        {
            "when": [{"column": "latency_ms", "blank": False}],
            "cells": {"results.latency.value": {"column": "latency_ms"}},
        },
    ],
}
MERGE = {"by": ["system", "rate"], "lists": ["source.locator"], "fill": ["tp"]}


def placed(text: str, **more: Any) -> tuple[list[Draft], Account]:
    account = Account()
    mapping = Mapping.model_validate(PLAN | more)
    long = table(mapping, lambda: (HEAD + text).splitlines(keepends=True))
    return list(drafts(long, account)), account


def values(draft: Draft) -> dict[str, str]:
    return {name: str(one["value"]) for name, one in draft.tree["results"].items()}


def test_the_rows_of_a_point_are_one_record() -> None:
    [draft], account = placed(RATE + LATENCY)
    assert values(draft) == {"rate": "800", "latency": "5000"}
    assert (draft.where, draft.id) == ("row 2", "x-a-1")
    assert (account.rows, account.merged, account.dropped) == (2, 1, [])


def test_a_figure_that_a_point_does_not_have_is_blank() -> None:
    [draft], _ = placed(LATENCY)
    assert values(draft) == {"latency": "5000"}


@given(st.permutations([*("rate, tok/s", "latency, ms") * 3]), st.data())
def test_the_order_of_the_rows_is_of_no_matter(kinds: list[str], data: st.DataObject) -> None:
    places = {kind: iter("123") for kind in kinds}
    rows = [
        f"{next(places[kind])},x,,{kind.replace(', ', ',')},{10 + number}\n"
        for number, kind in enumerate(kinds)
    ]
    other = data.draw(st.permutations(rows))
    first, second = placed("".join(rows))[0], placed("".join(other))[0]
    assert {one.id: one.tree for one in first} == {one.id: one.tree for one in second}
    assert len(first) == 3


@pytest.mark.parametrize(
    ("name", "text", "refused", "told"),
    [
        ("a figure twice", RATE + LATENCY + RATE, "row 2",
         "row 4 of the table holds 'rate' of the same point again"),
        ("a figure of no name", RATE + LATENCY + "b,x,,power,W,3\n", "row 4",
         "the text '{metric}, {unit}' is 'power, W', which is none of its `words`"),
        ("a row of another length", RATE + LATENCY + "b,x\n", "row 4",
         "the row does not have as many cells as there are columns"),
        ("a point that disagrees with itself", RATE + LATENCY.replace("x", "y"), "row 2",
         "the rows of the point differ in column 'system'"),
    ],
)  # fmt: skip
def test_what_is_no_point_is_refused(name: str, text: str, refused: str, told: str) -> None:
    found, account = placed(text)
    assert [(one.where, one.reason) for one in account.refused] == [(refused, told)], name
    assert account.rows == len(found) + account.merged + len(account.dropped)


def test_a_name_that_is_not_listed_is_refused() -> None:
    wide = PLAN["wide"] | {"name": "metric", "names": ["rate"]}
    _, account = placed(RATE + LATENCY, wide=wide, cases=PLAN["cases"][:1], columns={})
    [one] = account.refused
    assert (one.where, one.reason) == (
        "row 3",
        "column 'metric' is 'latency', which is none of the `names`",
    )


def test_rows_are_left_out_one_by_one() -> None:
    skip = [{"when": [{"column": "metric", "equals": ["latency"]}], "reason": "no rate"}]
    [draft], account = placed(RATE + LATENCY, skip=skip)
    assert values(draft) == {"rate": "800"}
    assert [(one.where, one.reason, one.refused) for one in account.dropped] == [
        ("row 3", "no rate", False)
    ]


def test_no_row_is_left_out_for_a_figure_of_its_point() -> None:
    skip = [{"when": [{"column": "rate", "blank": True}], "reason": "no rate"}]
    _, account = placed(RATE, skip=skip)
    [one] = account.refused
    assert one.reason == "column 'rate' is of a whole point, and this is a row of one"


def test_labels_of_a_run_fill_each_other_and_say_where_they_stand() -> None:
    text = RATE + LATENCY + (RATE + LATENCY).replace("a 1,x,", "b 7,x,4")
    split = {"hardware.pools": {"column": "tp"}}
    cases = [*PLAN["cases"], {"when": [{"column": "tp", "blank": False}], "cells": split}]
    [draft], account = placed(text, merge=MERGE, cases=cases)
    assert draft.tree["source"]["locator"] == "a 1; b 7"
    assert draft.tree["hardware"]["pools"] == ["4"]
    assert (account.rows, account.merged) == (4, 3)


def test_labels_that_fill_a_cell_with_two_texts_are_refused() -> None:
    text = RATE.replace("x,", "x,2") + RATE.replace("a 1,x,", "b 7,x,4")
    _, account = placed(text, merge=MERGE)
    assert [one.reason for one in account.refused] == ["the rows of the run differ in column 'tp'"]


def test_a_label_that_cannot_be_read_is_refused_and_not_merged() -> None:
    text = RATE + (RATE + LATENCY.replace("x,", "x,4")).replace("a 1", "b 7")
    found, account = placed(text, merge=MERGE)
    assert len(found) == 1
    assert [(one.where, one.reason) for one in account.refused] == [
        ("row 3", "the rows of the point differ in column 'tp'")
    ]
    assert account.rows == len(found) + account.merged + len(account.refused)


@pytest.mark.parametrize(
    ("name", "wide", "told"),
    [
        ("a figure that is a column", {"names": ["rate", "latency_ms", "system"]},
         "the table has a column 'system', which is one of the `names` too"),
        ("a value that is nowhere", {"value": "valeu"},
         "no column 'valeu', which the mapping names; did you mean 'value'"),
        ("a point that is nowhere", {"by": ["palce"]},
         "no column 'palce', which the mapping names; did you mean 'place'"),
    ],
)  # fmt: skip
def test_a_mapping_that_cannot_be_followed_is_refused(
    name: str, wide: dict[str, Any], told: str
) -> None:
    with pytest.raises(BenchregError) as error:
        placed(RATE, wide=PLAN["wide"] | wide)
    assert told in str(error.value), name
