"""Rows become drafts, and every row is accounted for."""

from collections.abc import Iterable
from typing import Any

import pytest

from benchreg.entities.mapping import Mapping
from benchreg.importers.draft import Account, Draft
from benchreg.importers.table import drafts, table
from benchreg.values.errors import BenchregError

HEAD = "system,model,label,scenario,rate\n"
SYSTEMS = ["TensorRT 10", "TensorRT-LLM", "vLLM"]
PLAN: dict[str, Any] = {
    "title": "a table",
    "id": "run-{system}-{model}-{scenario}",
    "folder": "{system}",
    "sweep": "{system}-{model}",
    "record": {"kind": "measurement", "results": {"rate": {"unit": "tok/s"}}},
    "cells": {
        "title": {"text": "{model} on {system}"},
        "results.rate.value": {"column": "rate", "blank": {"absent": "slo"}},
        "mlperf.benchmark": {"column": "label"},
    },
}


def plan(**more: Any) -> Mapping:
    return Mapping.model_validate(PLAN | more)


def placed(mapping: Mapping, text: str) -> tuple[list[Draft], Account]:
    account = Account()
    return list(drafts(table(mapping, lambda: lines(text)), account)), account


def lines(text: str) -> Iterable[str]:
    return text.splitlines(keepends=True)


def test_a_row_becomes_a_draft() -> None:
    [draft], account = placed(plan(), HEAD + "8xH100,Llama 2,99,Offline,800.0\n")
    assert (draft.where, draft.id, draft.folder) == (
        "row 2",
        "run-8xh100-llama-2-offline",
        "8xh100",
    )
    assert draft.tree["title"] == "Llama 2 on 8xH100"
    assert draft.tree["sweep"] == "8xh100-llama-2"
    assert str(draft.tree["results"]["rate"]["value"]) == "800.0"
    assert (account.rows, account.dropped) == (1, [])


def test_a_row_changes_nothing_for_the_next() -> None:
    found, _ = placed(plan(), HEAD + "a,m,1,x,1\nb,m,1,x,\n")
    assert "value" in found[0].tree["results"]["rate"]
    assert found[1].tree["results"]["rate"] == {"unit": "tok/s"}
    assert found[1].tree["absent"] == {"slo": "not_stated"}


def test_rows_are_left_out_for_the_first_reason_that_holds() -> None:
    skip = [
        {"when": [{"column": "scenario", "differs": ["Offline"]}], "reason": "not offline"},
        {"when": [{"column": "rate", "blank": True}], "reason": "no rate"},
    ]
    found, account = placed(plan(skip=skip), HEAD + "a,m,1,Server,\na,m,1,Offline,\n")
    assert found == []
    assert [(one.where, one.reason, one.refused) for one in account.dropped] == [
        ("row 2", "not offline", False),
        ("row 3", "no rate", False),
    ]


def test_a_case_adds_to_the_rows_it_holds_for() -> None:
    case = {
        "when": [{"column": "scenario", "contains": "Off"}],
        "record": {"load": {"pattern": "all_at_once"}, "results": {"rate": {"scope": "system"}}},
        "cells": {"title": {"text": "offline {model}"}},
    }
    offline, server = placed(plan(cases=[case]), HEAD + "a,m,1,Offline,1\na,m,1,Server,2\n")[0]
    assert offline.tree["load"] == {"pattern": "all_at_once"}
    assert offline.tree["results"]["rate"]["scope"] == "system"
    assert offline.tree["title"] == "offline m"
    assert "load" not in server.tree


@pytest.mark.parametrize(
    ("condition", "held"),
    [
        ({"lacks": "LLM"}, ["TensorRT 10"]),
        ({"contains": "LLM", "lacks": "RT"}, ["vLLM"]),
        ({"contains": "TensorRT"}, ["TensorRT 10", "TensorRT-LLM"]),
    ],
)
def test_a_case_holds_for_cells_that_hold_or_lack_a_text(
    condition: dict[str, str], held: list[str]
) -> None:
    case = {"when": [{"column": "system"} | condition], "record": {"status": "active"}}
    rows = "".join(f"{system},m{n},1,x,1\n" for n, system in enumerate(SYSTEMS))
    found, _ = placed(plan(cases=[case]), HEAD + rows)
    assert [
        system for system, draft in zip(SYSTEMS, found, strict=True) if "status" in draft.tree
    ] == held


def test_rows_that_are_labels_of_one_run_become_one_draft() -> None:
    merge = {"by": ["system", "model", "scenario", "rate"], "lists": ["mlperf.benchmark"]}
    text = HEAD + "a,m,99,x,1\nb,m,99,x,1\na,m,99.9,x,1\na,m,99.9,x,2\n"
    found, account = placed(plan(merge=merge), text)
    assert [draft.tree["mlperf"]["benchmark"] for draft in found] == [
        ["99", "99.9"],
        ["99"],
        ["99.9"],
    ]
    assert (account.rows, account.merged) == (4, 1)


def test_a_row_of_another_length_is_refused_with_its_number() -> None:
    found, account = placed(plan(), HEAD + "a,m\na,m,1,x,1\na,m,1,x,1,2\n")
    assert len(found) == 1
    assert [one.where for one in account.dropped if one.refused] == ["row 2", "row 4"]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("empty", "", "the table is empty"),
        ("a column that is not there", HEAD.replace("rate", "ratte"),
         "no column 'rate', which the mapping names; did you mean 'ratte'"),
        ("another delimiter", HEAD.replace(",", ";") + "a;m;1;x;1\n",
         "the table has one column by the delimiter ','; write `delimiter: ';'`"),
        ("tabs", HEAD.replace(",", "\t"), r"write `delimiter: '\\t'`"),
        ("a column twice", HEAD.replace("label", "rate"), "the table has two columns 'rate'"),
        ("a quote without end", HEAD + 'a,"m,1,x,1\n', "after line 1: not a csv table"),
        ("a cell without end", HEAD + f'a,"{"m" * 200_000}",1,x,1\n', "not a csv table"),
    ],
)  # fmt: skip
def test_what_is_no_such_table_is_one_clear_line(name: str, text: str, told: str) -> None:
    with pytest.raises(BenchregError) as error:
        placed(plan(), text)
    assert told.replace(r"\\", "\\") in str(error.value), name
    assert "\n" not in str(error.value)


def test_a_table_of_100000_rows_is_not_held() -> None:
    account = Account()

    def many() -> Iterable[str]:
        yield HEAD
        for number in range(100_000):
            yield f"s{number},m,1,x,1\n"

    skip = [{"when": [{"column": "scenario", "equals": ["x"]}], "reason": "all of them"}]
    assert next(drafts(table(plan(), many), account)).id == "run-s0-m-x"
    assert account.rows == 1
    assert list(drafts(table(plan(skip=skip), many), account)) == []
    assert account.rows == 100_001


BESIDE: dict[str, Any] = {
    "beside": {
        "by": [{"column": "system", "beside": "where"}, {"column": "label", "beside": "label"}],
        "columns": ["took"],
    },
    "cells": {"load.duration_s": {"column": "took", "blank": {}}},
}


def test_a_second_table_adds_columns_to_the_rows_of_its_key() -> None:
    text, more = HEAD + "a,m,1,x,1\na,m,2,y,1\n", "took,where,label\n12.5,a,1\n7,b,2\n"
    both = table(plan(**BESIDE), lambda: lines(text), lambda: lines(more))
    first, second = drafts(both, Account())
    assert str(first.tree["load"]["duration_s"]) == "12.5"
    assert "load" not in second.tree


@pytest.mark.parametrize(
    ("name", "more", "told"),
    [
        ("another name", "tok,where,label\n1,a,1\n", "no column 'took', which the mapping names"),
        ("two answers", "took,where,label\n1,a,1\n2,a,1\n", "line 3 says otherwise of 'a, 1'"),
        ("a short row", "took,where,label\n1,a\n", "line 2 does not have as many cells"),
        ("no rows", "", "it has none"),
    ],
    ids=lambda value: value if " " in value else "",
)
def test_a_second_table_that_does_not_fit_is_one_clear_line(
    name: str, more: str, told: str
) -> None:
    with pytest.raises(BenchregError, match=told) as raised:
        table(plan(**BESIDE), lambda: lines(HEAD), lambda: lines(more))
    assert str(raised.value).startswith("the table beside: "), name


def test_a_second_table_is_given_where_the_mapping_names_one_and_nowhere_else() -> None:
    with pytest.raises(BenchregError, match="give it with --beside"):
        table(plan(**BESIDE), lambda: lines(HEAD))
    with pytest.raises(BenchregError, match="does not say what it adds"):
        table(plan(), lambda: lines(HEAD), lambda: lines(HEAD))


def test_a_second_table_adds_no_column_that_is_there() -> None:
    beside = BESIDE["beside"] | {"columns": ["rate"]}
    both = table(plan(beside=beside), lambda: lines(HEAD), lambda: lines("where,label,rate\n"))
    with pytest.raises(BenchregError, match="one of the `columns` of `beside` too"):
        list(drafts(both, Account()))
