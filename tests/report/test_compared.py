"""A comparison names what keeps figures apart, and what they share without knowing it."""

import json
import sqlite3
from typing import Any

import pytest

from benchreg.analysis.comparison import varied
from benchreg.report.compared import FORMS, Page
from benchreg.snapshot.picked import beside

TOTAL = "mpt-7b-a100-static-b64#output_rate"
H200 = "mlperf-v5.1-dell-xe9680-h200-sxm-141gbx8-trt-llama2-70b-offline#output_rate"
MI325 = "mlperf-v5.1-amd-8xmi325x-2xepyc-9575f-1-llama2-70b-offline#output_rate"


@pytest.fixture
def told(asked: sqlite3.Connection) -> Any:
    """A function that compares figures in a form."""

    def told(form: str, *names: str, across: tuple[str, ...] = (), **page: Any) -> str:
        return FORMS[form](beside(asked, names, varied(across)), Page(**page))

    return told


@pytest.mark.parametrize("form", FORMS)
def test_a_batch_total_and_an_offline_run_are_refused_with_the_list(form: str, told: Any) -> None:
    text = told(form, TOTAL, H200)
    for condition in ("pattern", "scenario", "window", "accelerator", "tokenizer"):
        assert condition in text
    assert "request_throughput" in text or form == "markdown"
    assert "1.02" not in text


@pytest.mark.parametrize("form", FORMS)
def test_the_total_never_stands_without_what_one_request_sees(form: str, told: Any) -> None:
    text = told(form, TOTAL, H200)
    units = [json.dumps(one) for one in json.loads(text)[0]["figures"]] if form == "json" else (
        text.splitlines()
    )  # fmt: skip
    totals = [unit for unit in units if "800" in unit]
    assert totals
    assert all("12.5 tok/s" in unit for unit in totals)


def test_two_offline_runs_of_a_round_are_compared_with_the_unknowns_that_they_share(
    told: Any,
) -> None:
    text = told("table", MI325, H200, across=("accelerator", "engine"), width=400)
    assert "\ncomparable\n" in text
    assert (
        "not known, and the same unknown: parallelism not stated; input tokens not stated" in text
    )
    assert "varied by the question: accelerator mi325x-256gb / h200-sxm-141gb" in text
    assert "B / A: 1.023, 1.023 to 1.023 by the printed digits" in text


def test_a_ratio_of_what_is_not_comparable_is_told_only_if_asked_and_marked(told: Any) -> None:
    assert "/ A:" not in told("table", TOTAL, H200)
    assert "B / A: 44.15" in told("table", TOTAL, H200, anyway=True)
    assert "(NOT COMPARABLE)" in told("table", TOTAL, H200, anyway=True)
    assert json.loads(told("json", TOTAL, H200))[0]["ratios"] is None


def test_json_has_every_condition_with_both_values(told: Any) -> None:
    [found] = json.loads(told("json", TOTAL, H200))
    by_name = {one["condition"]: one for one in found["conditions"]}
    assert found["comparable"] is False
    assert by_name["load.pattern"]["verdict"] == "differs"
    assert [one["value"] for one in by_name["load.pattern"]["values"]] == [
        "static_batch", "all_at_once",
    ]  # fmt: skip
    assert by_name["load.level"]["values"][1] is None


def test_each_figure_has_its_own_window_and_the_name_that_its_source_gives_it(told: Any) -> None:
    text = told("table", TOTAL, H200, width=400)
    assert "window not stated; databricks-llm-inference-practices, Table 2" in text
    assert "window full drain" in text
    assert "called 'Tokens per second' there" in text
    assert "output_throughput: Output tokens of all requests" in text


@pytest.mark.parametrize("width", [1, 40, 120])
def test_a_narrow_terminal_has_it_all(width: int, told: Any) -> None:
    text = told("table", TOTAL, H200, width=width)
    assert text.count("differs") == told("table", TOTAL, H200, width=400).count("differs")
