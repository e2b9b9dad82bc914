"""GuideLLM: what its JSON and YAML state, version by version, and what is refused."""

import json
from collections.abc import Callable
from copy import deepcopy
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchreg.importers.importer import recognised, statements
from benchreg.importers.opened import opened
from benchreg.importers.statement import RunError, Statement

Stated = Callable[[Path], list[Statement]]
At = Callable[[Any, str], Any]
Dumped = Callable[[Any], str]
Read = Callable[[Any], list[Statement | RunError]]

FILES = ("0.2-concurrent", "0.3-concurrent", "0.8-streams", "0.8-poisson", "0.8-throughput")


def tree_of(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)


@pytest.fixture
def read(tmp_path: Path, dumped: Dumped) -> Read:
    """A function that writes a tree as a report and returns what it states."""

    def of(tree: Any) -> list[Statement | RunError]:
        path = tmp_path / "report.json"
        path.write_text(dumped(tree), encoding="utf-8")
        file = opened(path)
        return list(statements(recognised(file), file))

    return of


@pytest.fixture
def streams(data: Path) -> Any:
    return tree_of(data / "guidellm/0.8-streams.json")


@pytest.fixture
def former(data: Path) -> Any:
    return tree_of(data / "guidellm/0.3-concurrent.json")


def only(found: list[Statement | RunError]) -> Statement:
    (one,) = found
    assert isinstance(one, Statement)
    return one


def refusal(found: list[Statement | RunError]) -> str:
    (one,) = found
    assert isinstance(one, RunError)
    return str(one)


# What a report states.


@pytest.mark.parametrize("name", FILES)
def test_every_figure_is_what_stands_at_its_place(
    name: str, data: Path, stated: Stated, at: At
) -> None:
    path = data / f"guidellm/{name}.json"
    tree, found = tree_of(path), stated(path)
    assert len(found) == len(tree["benchmarks"])
    for one in found:
        assert len(one.tree["results"]) > 30
        for figure in one.tree["results"].values():
            assert at(at(tree, one.at), figure["locator"]) == figure["value"]


@pytest.mark.parametrize(
    ("name", "load"),
    [
        ("0.2-concurrent", [{"pattern": "closed_loop", "concurrency": 4}]),
        ("0.3-concurrent", [{"pattern": "closed_loop", "concurrency": 4}]),
        ("0.8-streams", [{"pattern": "closed_loop", "concurrency": n} for n in (2, 4)]),
        (
            "0.8-poisson",
            [
                {
                    "pattern": "open_loop",
                    "request_rate": 6,
                    "max_in_flight": 10240,
                    "arrival": {"process": "poisson"},
                }
            ],
        ),
        ("0.8-throughput", [{"pattern": "closed_loop", "concurrency": 16}]),
    ],
)
def test_the_load_is_that_of_the_strategy(
    name: str, load: list[dict[str, Any]], data: Path, stated: Stated
) -> None:
    keys = ("pattern", "concurrency", "request_rate", "max_in_flight", "arrival")
    found = [one.tree["load"] for one in stated(data / f"guidellm/{name}.json")]
    assert [{key: one[key] for key in keys if key in one} for one in found] == load


def test_a_report_of_0_8_states_its_conditions(data: Path, stated: Stated) -> None:
    one = stated(data / "guidellm/0.8-streams.json")[1]
    assert one.at == "/benchmarks/1"
    assert {key: value for key, value in one.tree.items() if key != "results"} == {
        "model": {"described_as": "mock-model"},
        "measurement": {
            "harness_version": "0.8.1",
            "measured": "2026-11-30",
            "runs": 1,
            "latency_origin": "dispatched",
            "streaming": True,
        },
        "load": {
            "pattern": "closed_loop",
            "concurrency": 4,
            "completed": 24,
            "failed": 0,
            "requests": 24,
            "duration_s": Decimal("1.100041151046753"),
            "window": "full_drain",
            "warmup": {"requests": 0},
        },
        "workload": {
            "total_input_tokens": 1560,
            "input_tokens": 65,
            "length_basis": "measured",
            "total_output_tokens": 768,
            "output_tokens": 32,
        },
    }


def test_a_report_of_0_2_states_its_conditions_and_no_version(data: Path, stated: Stated) -> None:
    one = only(list(stated(data / "guidellm/0.2-concurrent.json")))
    assert one.tree["model"] == {"described_as": "mock-model"}
    assert one.tree["workload"]["input_tokens"] == Decimal("73.65")
    assert one.tree["workload"]["total_input_tokens"] == 1473
    assert one.tree["measurement"] == {
        "measured": "2026-11-30",
        "runs": 1,
        "latency_origin": "dispatched",
    }


@pytest.mark.parametrize("name", FILES)
def test_yaml_says_what_json_says(name: str, data: Path, stated: Stated, tmp_path: Path) -> None:
    source = data / f"guidellm/{name}.json"
    same = tmp_path / "report.yaml"
    same.write_text(yaml.safe_dump(json.loads(source.read_text(encoding="utf-8"))), "utf-8")
    assert [(one.at, one.tree) for one in stated(same)] == [
        (one.at, one.tree) for one in stated(source)
    ]


@pytest.mark.parametrize(
    ("strategy", "load"),
    [
        ({"type_": "synchronous"}, {"pattern": "closed_loop", "concurrency": 1}),
        ({"type_": "concurrent", "streams": 9}, {"pattern": "closed_loop", "concurrency": 9}),
        ({"type_": "throughput", "max_concurrency": None}, {"pattern": "all_at_once"}),
        ({"type_": "throughput", "max_concurrency": 99}, {"pattern": "all_at_once"}),
        (
            {"type_": "constant", "rate": Decimal("2.50")},
            {
                "pattern": "open_loop",
                "request_rate": Decimal("2.50"),
                "arrival": {"process": "constant"},
            },
        ),
        ({"type_": "trace", "time_scale": 1}, {"pattern": "trace_replay"}),
    ],
    ids=lambda case: case.get("type_", ""),
)
def test_each_member_of_a_sweep_has_the_load_of_its_own_strategy(
    strategy: dict[str, Any], load: dict[str, Any], streams: Any, read: Read
) -> None:
    streams["benchmarks"][0]["config"]["strategy"] = strategy
    found, other = read(streams)
    assert isinstance(found, Statement)
    assert isinstance(other, Statement)
    kept = ("pattern", "concurrency", "request_rate", "max_in_flight", "arrival")
    assert {key: found.tree["load"][key] for key in kept if key in found.tree["load"]} == load
    assert other.tree["load"]["concurrency"] == 4


@pytest.mark.parametrize(
    "strategy", [{"type_": "concurrent"}, {"type_": "constant"}, {"type_": "wave", "rate": 3}]
)
def test_a_strategy_that_is_not_known_leaves_the_load_absent(
    strategy: dict[str, Any], streams: Any, read: Read
) -> None:
    streams["benchmarks"] = streams["benchmarks"][:1]
    streams["benchmarks"][0]["config"]["strategy"] = strategy
    found = only(read(streams))
    assert "pattern" not in found.tree["load"]
    assert found.tree["load"].keys().isdisjoint({"concurrency", "request_rate"})
    assert any("strategy" in text for text in found.remarks)


def test_the_report_of_0_4_has_neither_version_nor_plan(streams: Any, read: Read) -> None:
    tree = {"args": {"model": "other"}, "benchmarks": streams["benchmarks"][:1]}
    found = only(read(tree))
    assert found.tree["model"] == {"described_as": "mock-model"}
    assert "harness_version" not in found.tree["measurement"]


def test_the_model_is_that_of_the_plan_where_the_benchmark_has_none(
    streams: Any, read: Read
) -> None:
    for one in streams["benchmarks"]:
        one["config"]["backend"]["model"] = None
    found = read(streams)[0]
    assert isinstance(found, Statement)
    assert found.tree["model"] == {"described_as": "mock-model"}


def test_lists_of_requests_are_passed_over_in_a_report_of_any_size(
    streams: Any, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = read(streams)
    for one in streams["benchmarks"]:
        one["requests"] = {"successful": [{"times": list(range(40))}] * 600}
    monkeypatch.setattr("benchreg.importers.opened.MOST_WHOLE", 10_000)
    monkeypatch.setattr("benchreg.importers.streamed.MOST_NODES", 10_000)
    assert read(streams) == before


# How not to misread it.


def test_inter_token_latency_is_tpot_and_the_statistics_are_not_over_requests(
    data: Path, stated: Stated
) -> None:
    one = stated(data / "guidellm/0.8-poisson.json")[0].tree["results"]["tpot_mean"]
    assert (one["metric"], one["source_name"]) == ("tpot", "inter_token_latency_ms")
    assert one["n"] == 30
    assert "spread" not in one


def test_time_per_output_token_is_a_latency_per_token_from_0_4_on_and_nothing_before(
    data: Path, stated: Stated
) -> None:
    new = stated(data / "guidellm/0.8-poisson.json")[0].tree["results"]
    assert new["latency_per_token_mean"]["metric"] == "latency_per_output_token"
    for name in ("0.2", "0.3"):
        old = stated(data / f"guidellm/{name}-concurrent.json")[0].tree["results"]
        assert not [figure for figure in old if figure.startswith("latency_per_token")]


def test_the_total_rate_of_0_2_counts_prompts_twice_and_is_left_out(
    data: Path, stated: Stated
) -> None:
    old = stated(data / "guidellm/0.2-concurrent.json")[0].tree["results"]
    new = stated(data / "guidellm/0.3-concurrent.json")[0].tree["results"]
    assert "total_rate" not in old
    assert new["total_rate"]["value"] == Decimal("2038.6108368415707")


def test_request_latency_is_in_seconds_and_the_others_are_not(data: Path, stated: Stated) -> None:
    results = stated(data / "guidellm/0.8-poisson.json")[0].tree["results"]
    assert {results[name]["unit"] for name in results if name.startswith("e2e")} == {"s"}
    assert {results[name]["unit"] for name in results if name.startswith("ttft")} == {"ms"}


@pytest.mark.parametrize("name", FILES)
def test_of_a_rate_only_the_mean_is_read(name: str, data: Path, stated: Stated) -> None:
    for one in stated(data / f"guidellm/{name}.json"):
        rates = [f for f in one.tree["results"].values() if f["scope"] == "system"]
        assert rates
        assert all(figure["locator"].endswith("/mean") for figure in rates)
        assert not any("statistic" in figure for figure in rates)


def test_a_rate_that_was_not_reached_is_told_beside_the_one_that_was_asked_for(
    data: Path, stated: Stated
) -> None:
    one = stated(data / "guidellm/0.8-poisson.json")[0]
    assert one.tree["load"]["request_rate"] == 6
    assert one.tree["results"]["request_rate"]["value"] == Decimal("110.55563755983383")
    assert "6 req/s were asked for, and 110.556 were measured" in one.remarks


def test_requests_cut_off_at_the_end_are_neither_completed_nor_failed(
    streams: Any, read: Read
) -> None:
    streams["benchmarks"] = streams["benchmarks"][:1]
    streams["benchmarks"][0]["metrics"]["request_totals"] |= {"incomplete": 3, "errored": 2}
    found = only(read(streams))
    load = found.tree["load"]
    assert (load["completed"], load["failed"], load["window"]) == (24, 2, "time_limit")
    assert "requests" not in load
    assert any(text.startswith("3 requests were cut off") for text in found.remarks)
    assert any(text.startswith("2 requests failed") for text in found.remarks)


def test_lengths_far_from_those_asked_for_are_told(data: Path, stated: Stated) -> None:
    for name in ("0.3-concurrent", "0.8-throughput"):
        found = stated(data / f"guidellm/{name}.json")[0]
        assert any(text.startswith("100 input_tokens were asked for") for text in found.remarks)


def test_a_warm_up_that_was_left_out_is_stated_and_the_window_then_is_not(
    data: Path, stated: Stated, former: Any, read: Read
) -> None:
    new = stated(data / "guidellm/0.8-poisson.json")[0].tree["load"]
    assert new["warmup"] == {"seconds": Decimal("0.015285253524780273"), "excluded": True}
    assert "window" not in new
    former["benchmarks"][0]["args"]["warmup_number"] = 5
    assert only(read(former)).tree["load"]["warmup"] == {"requests": 5, "excluded": True}


def test_what_was_not_streamed_has_no_time_to_first_token(streams: Any, read: Read) -> None:
    streams["benchmarks"] = streams["benchmarks"][:1]
    summary = streams["benchmarks"][0]["metrics"]["time_to_first_token_ms"]["successful"]
    summary |= dict.fromkeys(("mean", "median", "min", "max", "std_dev"), 0)
    summary["percentiles"] = dict.fromkeys(summary["percentiles"], 0)
    found = only(read(streams))
    assert not [name for name in found.tree["results"] if name.startswith("ttft")]
    assert [text for text in found.remarks if "time_to_first_token_ms" in text] == [
        "time_to_first_token_ms is 0 or empty throughout: it was not measured"
    ]


def test_no_text_of_a_request_no_key_and_no_address_is_stated(streams: Any, read: Read) -> None:
    for one in streams["benchmarks"]:
        one["config"]["backend"] |= {"api_key": "sk-hidden", "target": "http://hidden.example"}
        one["requests"] = {"successful": [{"prompt": "hidden", "output": "hidden"}]}
    streams["metadata"]["platform"] = "hidden"
    found = read(streams)
    assert len(found) == 2
    assert "hidden" not in repr(found)


# What is refused.


def test_nothing_that_succeeded_is_nothing_to_record(streams: Any, read: Read) -> None:
    streams["benchmarks"][0]["metrics"]["request_totals"]["successful"] = 0
    refused, found = read(streams)
    assert isinstance(refused, RunError)
    assert str(refused).startswith("the file: /benchmarks/0: no request succeeded")
    assert isinstance(found, Statement)


@pytest.mark.parametrize("word", ["/v1/embeddings", "/pooling", "/v1/audio/transcriptions"])
def test_a_run_that_makes_no_text_is_refused(word: str, streams: Any, read: Read) -> None:
    streams["benchmarks"] = streams["benchmarks"][:1]
    streams["benchmarks"][0]["config"]["backend"]["request_format"] = word
    assert "embeddings, pooling or audio" in refusal(read(streams))


def test_a_run_without_output_tokens_is_refused(former: Any, read: Read) -> None:
    former["benchmarks"][0]["metrics"]["output_token_count"]["successful"]["mean"] = 0
    assert "no output tokens" in refusal(read(former))


def test_0_1_wrote_requests_and_no_statistics(read: Read) -> None:
    run = {"mode": "synchronous", "rate": None, "results": [{"prompt": "secret"}]}
    found = refusal(read({"benchmarks": [{"benchmarks": [run], "args": {"model": "m"}}]}))
    assert "GuideLLM 0.1 wrote no statistics" in found
    assert "secret" not in found


def test_a_benchmark_that_is_none_is_refused_and_the_others_are_read(
    streams: Any, read: Read
) -> None:
    del streams["benchmarks"][0]["metrics"]["inter_token_latency_ms"]
    refused, found = read(streams)
    assert isinstance(refused, RunError)
    assert "/metrics/inter_token_latency_ms is missing" in str(refused)
    assert isinstance(found, Statement)


@pytest.mark.parametrize("tree", [{"benchmarks": []}, {"benchmarks": [{"name": "x"}]}])
def test_benchmarks_of_another_tool_are_not_recognised(tree: Any, read: Read) -> None:
    with pytest.raises(RunError, match="is of no harness that is known"):
        read(tree)


@pytest.mark.parametrize(
    ("pointer", "value", "told"),
    [
        ("duration", -1, "/duration is negative"),
        ("duration", Decimal("NaN"), "/duration is no finite number"),
        ("duration", 10**30, "/duration is larger than any figure"),
    ],
)
def test_a_hostile_value_is_refused_with_its_place(
    pointer: str, value: Any, told: str, former: Any, read: Read
) -> None:
    former["benchmarks"].append(deepcopy(former["benchmarks"][0]))
    former["benchmarks"][1][pointer] = value
    _, refused = read(former)
    assert told in str(refused)


@pytest.mark.parametrize("value", [Decimal("NaN"), None, "-", "nan"])
def test_a_figure_that_is_no_number_was_not_measured(value: Any, former: Any, read: Read) -> None:
    former["benchmarks"][0]["metrics"]["request_latency"]["successful"]["max"] = value
    results = only(read(former)).tree["results"]
    assert "e2e_max" not in results
    assert "e2e_min" in results


@pytest.mark.parametrize("value", [Decimal("Infinity"), 10**30, "fast", [1]])
def test_a_figure_beyond_bounds_refuses_its_benchmark(value: Any, former: Any, read: Read) -> None:
    former["benchmarks"][0]["metrics"]["request_latency"]["successful"]["max"] = value
    assert "/metrics/request_latency/successful/max is" in refusal(read(former))


# What holds of any report.


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=st.data(), name=st.sampled_from(("0.3-concurrent", "0.8-poisson")))
def test_a_spoiled_report_states_or_is_refused_and_never_fails(
    drawn: st.DataObject, name: str, data: Path, spoiled: Any, read: Read
) -> None:
    tree = drawn.draw(spoiled(tree_of(data / f"guidellm/{name}.json")))
    try:
        found = read(tree)
    except RunError:
        return
    assert all(isinstance(one, Statement | RunError) for one in found)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=st.data(), change=st.integers(2, 1000))
def test_another_number_changes_only_the_figures_that_stand_there(
    drawn: st.DataObject, change: int, data: Path, at: At, read: Read
) -> None:
    tree = tree_of(data / "guidellm/0.8-poisson.json")
    before = only(read(tree))
    metrics = tree["benchmarks"][0]["metrics"]
    name = drawn.draw(st.sampled_from(sorted(set(metrics) - {"request_totals"})))
    place = drawn.draw(st.sampled_from(("mean", "median", "max", "percentiles/p99", "mode")))
    *way, last = f"successful/{place}".split("/")
    node = at(metrics[name], "/" + "/".join(way))
    node[last] = node[last] * change + 1
    after = only(read(tree))
    differing = {
        key: figure["locator"]
        for key, figure in after.tree["results"].items()
        if figure != before.tree["results"][key]
    }
    assert set(differing.values()) <= {f"/metrics/{name}/successful/{place}"}
    assert {key: part for key, part in after.tree.items() if key != "results"} == {
        key: part for key, part in before.tree.items() if key != "results"
    }
