"""Columns made of others, parts of a text, and ids of merged rows."""

from decimal import Decimal
from typing import Any

import pytest

from benchreg.entities.mapping import Cell, Mapping
from benchreg.importers.cells import RowError, value_of
from benchreg.importers.draft import Account, Draft
from benchreg.importers.table import drafts, table
from benchreg.values.errors import BenchregError

HEAD = "system,per_node,nodes,label,scenario,rate\n"
PLAN: dict[str, Any] = {
    "title": "a table",
    "id": "{system}-{label}-{scenario}",
    "record": {"kind": "measurement"},
    "cells": {
        "title": {"text": "{gpus} x {name}"},
        "mlperf.benchmark": {"column": "label"},
    },
    "columns": {
        "gpus": {"column": "per_node", "by": ["nodes"]},
        "name": {"column": "system", "words": [{"text": "a", "becomes": "A100"}]},
    },
}
MERGE = {"by": ["system", "scenario", "rate"], "lists": ["mlperf.benchmark"]}


def placed(text: str, **more: Any) -> tuple[list[Draft], Account]:
    account = Account()
    mapping = Mapping.model_validate(PLAN | more)
    return list(drafts(table(mapping, lambda: text.splitlines(keepends=True)), account)), account


@pytest.mark.parametrize(
    ("name", "given", "text", "expected"),
    [
        ("up to a mark", {"before": "T"}, "2025-07-31T09:43:18Z", "2025-07-31"),
        ("after a mark", {"after": "vLLM "}, "vLLM 0.9.0", "0.9.0"),
        ("between two", {"after": "vLLM ", "before": ", "}, "vLLM 0.9.0, ROCm 6", "0.9.0"),
        ("to the end without the mark", {"before": ", "}, "vLLM 0.9.0", "vLLM 0.9.0"),
        ("before its words", {"before": " ", "words": [{"text": "a", "becomes": "b"}]}, "a c", "b"),
    ],
)  # fmt: skip
def test_a_cell_takes_a_part_of_a_text(
    name: str, given: dict[str, Any], text: str, expected: str
) -> None:
    assert value_of("title", Cell(column="a", **given), {"a": text}) == expected, name


@pytest.mark.parametrize(
    ("name", "path", "given", "row", "told"),
    [
        ("a part that is not there", "title", {"column": "a", "after": "vLLM "}, {"a": "SGLang 1"},
         "column 'a' is 'SGLang 1', which does not hold 'vLLM '"),
        ("a part of nothing", "title", {"column": "a", "before": ","}, {"a": ",x"},
         "column 'a' is blank, and the mapping does not say what that means"),
        ("a text that is no word", "load.scenario",
         {"text": "offline!", "words": [{"text": "x", "becomes": "y"}]}, {},
         "the text 'offline!' is 'offline!', which is none of its `words`"),
        ("a text that is no number", "load.requests", {"text": "{a} of {b}"}, {"a": "1", "b": "2"},
         "the text '{a} of {b}' is '1 of 2', which is no number"),
        ("a text of a blank column", "title", {"text": "{a} of {b}"}, {"a": "1", "b": " "},
         "column 'b' is blank, and the mapping does not say what that means"),
    ],
)  # fmt: skip
def test_the_refusal_says_what_was_read(
    name: str, path: str, given: dict[str, Any], row: dict[str, str], told: str
) -> None:
    with pytest.raises(RowError) as refusal:
        value_of(path, Cell.model_validate(given), row)
    assert str(refusal.value) == told, name


@pytest.mark.parametrize(
    ("name", "given", "text", "expected"),
    [
        ("a factor leaves no zeros", {"times": Decimal("0.000001")}, "450000000", "450"),
        ("a factor of 1 takes them off", {"times": Decimal(1)}, "48047.0", "48047"),
        ("and writes no exponent", {"times": Decimal(1)}, "146960.0", "146960"),
        ("nor does rounding", {"digits": 3}, "3677.834", "3680"),
        ("the zeros that a source prints stay", {"places": 2}, "4848.0", "4848.00"),
    ],
)
def test_a_number_is_spelt_without_what_arithmetic_adds(
    name: str, given: dict[str, Any], text: str, expected: str
) -> None:
    found = value_of("results.rate.value", Cell(column="a", **given), {"a": text})
    assert str(found) == expected, name


def test_a_column_is_made_of_others() -> None:
    [draft], _ = placed(HEAD + "a,8,2,99,x,1\n")
    assert draft.tree["title"] == "16 x A100"


def test_a_column_is_made_only_for_the_rows_that_are_taken() -> None:
    skip = [{"when": [{"column": "system", "equals": ["b"]}], "reason": "another system"}]
    found, account = placed(HEAD + "a,8,2,99,x,1\nb,,,99,x,1\nc,8,1,99,x,1\n", skip=skip)
    assert len(found) == 1
    assert [(one.where, one.refused) for one in account.dropped] == [
        ("row 3", False),
        ("row 4", True),
    ]
    assert account.dropped[1].reason == "column 'system' is 'c', which is none of its `words`"


def test_a_made_column_is_a_condition_of_rows() -> None:
    skip = [{"when": [{"column": "gpus", "differs": ["16"]}], "reason": "another size"}]
    found, account = placed(HEAD + "a,8,2,99,x,1\na,8,1,99,x,1\n", skip=skip)
    assert (len(found), account.dropped[0].reason) == (1, "another size")


def test_a_record_of_several_rows_has_its_own_id() -> None:
    text = HEAD + "a,8,1,99.9,x,1\na,8,1,99,x,1\na,8,1,99.9,y,1\na,8,1,99,y,2\n"
    found, account = placed(text, merge=MERGE | {"id": "{system}-{scenario}"})
    assert [draft.id for draft in found] == ["a-x", "a-99.9-y", "a-99-y"]
    assert account.merged == 1


def test_the_labels_of_a_run_stand_in_one_order() -> None:
    first, _ = placed(HEAD + "a,8,1,99.9,x,1\na,8,1,99,x,1\n", merge=MERGE)
    second, _ = placed(HEAD + "a,8,1,99,x,1\na,8,1,99.9,x,1\n", merge=MERGE)
    assert first[0].tree["mlperf"] == second[0].tree["mlperf"] == {"benchmark": ["99", "99.9"]}


@pytest.mark.parametrize(
    ("name", "more", "told"),
    [
        ("neither", {"cells": {"title": {}}}, "cell 'title' has neither `column` nor `text`"),
        ("both", {"cells": {"title": {"column": "rate", "text": "x"}}},
         "cell 'title' has both `column` and `text`"),
        ("a column of the table", {"columns": {"rate": {"column": "system"}}},
         "the table has a column 'rate', which the mapping makes anew"),
        ("itself", {"columns": {"gpus": {"text": "{gpus}"}}},
         "the mapping makes 'gpus' of 'gpus', which is made later"),
        ("a later one", {"columns": {"gpus": {"text": "{name}"}, "name": {"column": "system"}}},
         "the mapping makes 'gpus' of 'name', which is made later"),
        ("one that is nowhere", {"columns": {"gpus": {"text": "{nods}"}, "name": {"text": "x"}}},
         "no column 'nods', which the mapping names; did you mean 'nodes'"),
        ("one that is nowhere, in a merged id", {"merge": MERGE | {"id": "{sytem}"}},
         "no column 'sytem', which the mapping names; did you mean 'system'"),
    ],
)  # fmt: skip
def test_a_mapping_that_cannot_be_followed_is_refused(
    name: str, more: dict[str, Any], told: str
) -> None:
    with pytest.raises(BenchregError) as error:
        placed(HEAD, **more)
    assert told in str(error.value), name
