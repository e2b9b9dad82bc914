"""llmperf: what its summary states, and what is refused."""

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchreg.importers.importer import recognised, statements
from benchreg.importers.opened import opened
from benchreg.importers.statement import RepeatedError, RunError, Statement

Stated = Callable[[Path], list[Statement]]
At = Callable[[Any, str], Any]
Dumped = Callable[[Any], str]
Read = Callable[[Any], list[Statement | RunError]]


@pytest.fixture
def read(tmp_path: Path, dumped: Dumped) -> Read:
    """A function that writes a tree as a summary and returns what it states."""

    def of(tree: Any) -> list[Statement | RunError]:
        path = tmp_path / "summary.json"
        path.write_text(dumped(tree), encoding="utf-8")
        file = opened(path)
        return list(statements(recognised(file), file))

    return of


@pytest.fixture
def summary(data: Path) -> Any:
    text = (data / "llmperf/summary.json").read_text(encoding="utf-8")
    return json.loads(text, parse_float=Decimal)


def only(found: list[Statement | RunError]) -> Statement:
    (one,) = found
    assert isinstance(one, Statement)
    return one


def test_every_figure_is_what_stands_at_its_place(
    data: Path, stated: Stated, summary: Any, at: At
) -> None:
    (one,) = stated(data / "llmperf/summary.json")
    assert len(one.tree["results"]) == 38
    for figure in one.tree["results"].values():
        assert at(summary, figure["locator"]) == figure["value"]


def test_a_summary_states_its_conditions(data: Path, stated: Stated) -> None:
    (one,) = stated(data / "llmperf/summary.json")
    assert {key: value for key, value in one.tree.items() if key != "results"} == {
        "model": {
            "described_as": "mock-model",
            "tokenizer": "hf-internal-testing/llama-tokenizer",
        },
        "load": {
            "pattern": "closed_loop",
            "concurrency": 4,
            "requests": 24,
            "completed": 24,
            "failed": 0,
        },
        "measurement": {
            "measured": "2026-11-30",
            "runs": 1,
            "latency_origin": "dispatched",
            "token_count_source": "client_tokenizer",
        },
        "workload": {
            "input_tokens": Decimal("99.375"),
            "output_tokens": Decimal("31.75"),
            "length_basis": "measured",
        },
    }


def test_inter_token_latency_starts_with_the_first_token_and_is_no_tpot(
    data: Path, stated: Stated
) -> None:
    results = stated(data / "llmperf/summary.json")[0].tree["results"]
    one = results["latency_per_token_mean"]
    assert one["metric"] == "latency_per_output_token"
    assert one["source_name"] == "results_inter_token_latency_s"
    assert not [name for name in results if name.startswith(("tpot", "itl"))]


def test_mean_output_throughput_is_the_rate_of_the_system(data: Path, stated: Stated) -> None:
    results = stated(data / "llmperf/summary.json")[0].tree["results"]
    assert results["output_rate"]["scope"] == "system"
    assert results["user_rate_mean"]["scope"] == "per_request"
    assert results["request_rate"]["unit"] == "req/min"


def test_tokens_are_those_of_llama_2_and_the_contributor_is_told(
    data: Path, stated: Stated
) -> None:
    (one,) = stated(data / "llmperf/summary.json")
    assert any("tokenizer of Llama 2" in text for text in one.remarks)


def test_keys_of_the_user_are_not_read(summary: Any, read: Read) -> None:
    before = only(read(summary))
    summary |= {"gpu": "hidden", "api": "https://hidden.example", "note": "hidden", "n": 5}
    assert only(read(summary)).tree == before.tree


def test_failures_and_lengths_far_from_those_asked_for_are_told(summary: Any, read: Read) -> None:
    summary |= {"results_number_errors": 3, "mean_output_tokens": 64}
    found = only(read(summary))
    assert (found.tree["load"]["requests"], found.tree["load"]["failed"]) == (27, 3)
    assert "3 requests failed; the figures are of those that succeeded" in found.remarks
    assert "64 output_tokens were asked for, and 31.75 were measured on average" in found.remarks


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("results_num_completed_requests", "nothing completed"),
        ("num_concurrent_requests", "0 threads send nothing"),
    ],
)
def test_a_run_of_nothing_is_refused(key: str, told: str, summary: Any, read: Read) -> None:
    summary[key] = 0
    (refused,) = read(summary)
    assert isinstance(refused, RunError)
    assert told in str(refused)


def test_the_list_of_requests_is_refused_once_with_what_to_import(data: Path) -> None:
    file = opened(data / "llmperf/individual_responses.json")
    (refused,) = statements(recognised(file), file)
    assert isinstance(refused, RepeatedError)
    assert "import the file *_summary.json" in str(refused)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("results_num_completed_requests", -1),
        ("results_num_completed_requests", Decimal("1.5")),
        ("num_concurrent_requests", 10**30),
        ("model", ""),
        ("results_ttft_s_mean", Decimal("Infinity")),
    ],
)
def test_a_hostile_condition_is_no_summary(key: str, value: Any, summary: Any, read: Read) -> None:
    summary[key] = value
    with pytest.raises(RunError, match=f"the nearest is llmperf: /{key} "):
        read(summary)


@pytest.mark.parametrize("value", [Decimal("NaN"), None, "", 0, -1])
def test_a_figure_that_was_not_measured_is_left_out(value: Any, summary: Any, read: Read) -> None:
    summary["results_ttft_s_quantiles_p99"] = value
    results = only(read(summary)).tree["results"]
    assert "ttft_p99" not in results
    assert "ttft_p95" in results


def test_a_number_may_be_a_text_with_its_thousands_grouped(summary: Any, read: Read) -> None:
    summary["results_end_to_end_latency_s_max"] = "1,234.5"
    assert only(read(summary)).tree["results"]["e2e_max"]["value"] == Decimal("1234.5")


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=st.data())
def test_a_spoiled_summary_states_or_is_refused_and_never_fails(
    drawn: st.DataObject, summary: Any, spoiled: Any, read: Read
) -> None:
    try:
        found = read(drawn.draw(spoiled(summary)))
    except RunError:
        return
    assert all(isinstance(one, Statement | RunError) for one in found)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=st.data(), change=st.integers(2, 1000))
def test_another_number_changes_only_the_figure_that_stands_there(
    drawn: st.DataObject, change: int, summary: Any, read: Read
) -> None:
    before = only(read(summary))
    numbers = [key for key, value in summary.items() if isinstance(value, Decimal)]
    key = drawn.draw(st.sampled_from([key for key in numbers if "number_" not in key]))
    after = only(read({**summary, key: summary[key] * change + 1}))
    differing = {
        figure["locator"]
        for name, figure in after.tree["results"].items()
        if figure | {"spread": 0} != before.tree["results"][name] | {"spread": 0}
    }
    assert differing <= {f"/{key}"}
    for part in ("model", "load", "measurement", "workload"):
        assert after.tree[part] == before.tree[part]
