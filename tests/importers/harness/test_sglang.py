"""SGLang `bench_serving`: its lines become statements, of 0.2 to 0.5.23."""

import json
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchreg.importers.importer import recognised
from benchreg.importers.opened import opened
from benchreg.importers.statement import RunError, Statement

OWN = ("sglang-0.5.2-conc4", "sglang-0.5.23-conc4", "sglang-0.5.23-vllm-rate10")
NEWEST = "sglang-0.5.23-conc4"
FORMER = {  # as 0.2.0 wrote it: all latencies in ms, and no count of requests
    "backend": "sglang", "dataset_name": "random", "request_rate": 16.0, "total_input": 4000,
    "total_output": 1280, "total_output_retokenized": 1279, "mean_e2e_latency": 167.5,
    "median_e2e_latency": 167.0, "median_ttft": 27.5, "median_itl": 4.5,
    "output_token_throughput": 755.5, "sharegpt_output_len": None, "random_input_len": 100,
    "random_output_len": 32, "random_range_ratio": 1.0, "benchmark_duration": 1.694,
}  # fmt: skip
SECOND = {  # as 0.3.6 wrote it: means and medians alone
    "backend": "sglang", "dataset_name": "sharegpt", "request_rate": 4.0,
    "total_input_tokens": 4000, "total_output_tokens": 1280,
    "total_output_tokens_retokenized": 1279, "mean_e2e_latency_ms": 167.5,
    "median_e2e_latency_ms": 167.0, "median_ttft_ms": 27.5,
    "median_itl_ms": 4.5, "output_throughput": 755.5, "sharegpt_output_len": None,
    "random_input_len": 1024, "random_output_len": 128, "random_range_ratio": 0.0,
    "duration": 1.694, "completed": 40,
}  # fmt: skip
SERVER = {
    "model_path": "mock/model-8b", "version": "0.5.23", "tp_size": 8, "pp_size": 1, "dp_size": 1,
    "dtype": "bfloat16", "quantization": "fp8", "kv_cache_dtype": "fp8_e5m2",
    "enable_dp_attention": False, "ep_size": 1, "disaggregation_mode": "null",
    "api_key": "sk-private", "host": "private.host", "served_model_name": "private-name",
    "internal_states": [{"api_key": "sk-private"}],
}  # fmt: skip
Read = Callable[[Path], list[Statement]]
Run = Callable[..., Path]


@pytest.fixture
def run(data: Path, tmp_path: Path) -> Run:
    """A function that writes the newest closed loop with some keys changed, and its path."""

    def write(tree: dict[str, Any] | None = None, /, **changes: Any) -> Path:
        newest = json.loads((data / f"sglang/{NEWEST}.jsonl").read_text(encoding="utf-8"))
        kept = (tree or newest) | changes
        path = tmp_path / "run.jsonl"
        path.write_text(json.dumps(kept) + "\n", encoding="utf-8")
        return path

    return write


def only(found: list[Statement]) -> Statement:
    assert len(found) == 1
    return found[0]


def decimals(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    return json.loads(text, parse_float=Decimal, parse_constant=Decimal)


@pytest.mark.parametrize("name", OWN)
def test_one_importer_knows_the_file(name: str, data: Path) -> None:
    assert recognised(opened(data / f"sglang/{name}.jsonl")).name == "sglang-serving"


@pytest.mark.parametrize("name", OWN)
def test_every_figure_has_the_value_to_which_its_locator_leads(
    name: str, data: Path, stated: Read, at: Callable[[Any, str], Any]
) -> None:
    path = data / f"sglang/{name}.jsonl"
    results, tree = only(stated(path)).tree["results"], decimals(path)
    assert len(results) >= 17
    for figure in results.values():
        assert figure["value"] == Decimal(at(tree, figure["locator"]))


@pytest.mark.parametrize("name", OWN)
def test_every_statistic_that_a_record_knows_is_a_figure(
    name: str, data: Path, stated: Read
) -> None:
    path = data / f"sglang/{name}.jsonl"
    tree = decimals(path)
    found = {
        (f["metric"], f["statistic"]): f["value"]
        for f in only(stated(path)).tree["results"].values()
        if "statistic" in f
    }
    metrics = {"ttft": "ttft", "tpot": "tpot", "itl": "chunk_latency", "e2e_latency": "e2e_latency"}
    keys = [re.fullmatch(r"(mean|median|p[0-9]+)_(ttft|tpot|itl|e2e_latency)_ms", k) for k in tree]
    expected = {
        (metrics[key[2]], key[1].replace("median", "p50")): tree[key[0]] for key in keys if key
    }
    assert found == expected


def test_a_closed_loop_states_its_conditions(data: Path, stated: Read) -> None:
    tree = dict(only(stated(data / "sglang/sglang-0.5.2-conc4.jsonl")).tree)
    del tree["results"]
    assert tree == {
        "load": {"pattern": "closed_loop", "concurrency": 4, "completed": 40,
                 "duration_s": Decimal("1.0127977899999223"), "window": "full_drain"},
        "workload": {"total_input_tokens": 1784, "total_output_tokens": 632,
                     "input_tokens": Decimal("44.6"), "output_tokens": Decimal("15.8"),
                     "length_basis": "measured", "dataset": "random-ids",
                     "distribution": "uniform"},
        "measurement": {"runs": 1, "latency_origin": "dispatched"},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "changes", "expected"),
    [
        ("a bare Infinity and a cap", {}, {"pattern": "closed_loop", "concurrency": 4}),
        ("a bare Infinity alone", {"max_concurrency": None}, {"pattern": "all_at_once"}),
        ("infinity as text", {"request_rate": "inf"}, {"pattern": "closed_loop", "concurrency": 4}),
        ("a rate", {"request_rate": 8.5, "max_concurrency": None},
         {"pattern": "open_loop", "request_rate": Decimal("8.5"),
          "arrival": {"process": "poisson"}}),
        ("a rate and a cap", {"request_rate": 8},
         {"pattern": "open_loop", "request_rate": 8, "max_in_flight": 4,
          "arrival": {"process": "poisson"}}),
        ("a trace", {"request_rate": "trace", "max_concurrency": None},
         {"pattern": "trace_replay"}),
    ],
)  # fmt: skip
def test_the_pattern_follows_from_rate_and_cap(
    name: str, changes: dict[str, Any], expected: dict[str, Any], run: Run, stated: Read
) -> None:
    found = only(stated(run(**changes)))
    keys = ("pattern", "concurrency", "request_rate", "max_in_flight", "arrival")
    assert {key: found.tree["load"][key] for key in keys if key in found.tree["load"]} == expected
    assert "load.pattern" not in found.tree["inferred"], name


def test_no_more_answers_than_the_cap_holds_came_at_once_unless_some_failed(
    run: Run, stated: Read
) -> None:
    tree = only(stated(run(max_concurrency=40))).tree
    assert tree["load"]["pattern"] == "all_at_once"
    assert "concurrency" not in tree["load"]
    assert "unless some failed" in tree["inferred"]["load.pattern"]


def test_how_many_were_sent_or_failed_is_not_said(data: Path, stated: Read) -> None:
    for name in OWN:
        load = only(stated(data / f"sglang/{name}.jsonl")).tree["load"]
        assert "requests" not in load
        assert "failed" not in load


def test_lengths_are_measured_and_what_was_asked_for_is_remarked(data: Path, stated: Read) -> None:
    found = only(stated(data / f"sglang/{NEWEST}.jsonl"))
    assert found.tree["workload"]["input_tokens"] == Decimal("54.15")
    assert found.remarks == [
        "the mean input length is 54.15 tokens, and 100 were asked for",
        "the mean output length is 16.225 tokens, and 32 were asked for",
    ]


def test_a_ratio_of_one_is_fixed_lengths(run: Run, stated: Read) -> None:
    workload = only(stated(run(random_range_ratio=1.0))).tree["workload"]
    assert workload["distribution"] == "fixed"


def test_lengths_of_a_data_set_were_not_asked_for(run: Run, stated: Read) -> None:
    found = only(stated(run(dataset_name="sharegpt")))
    assert found.tree["workload"]["dataset"] == "sharegpt"
    assert "distribution" not in found.tree["workload"]
    assert found.remarks == []


def test_a_data_set_that_the_tool_does_not_know_is_not_copied(run: Run, stated: Read) -> None:
    assert "private" not in str(only(stated(run(dataset_name="/home/private/prompts"))))


def test_the_measured_concurrency_is_a_figure_and_no_setting(data: Path, stated: Read) -> None:
    tree = only(stated(data / f"sglang/{NEWEST}.jsonl")).tree
    assert tree["load"]["concurrency"] == 4
    assert tree["results"]["in_flight"]["metric"] == "mean_concurrency"
    assert tree["results"]["in_flight"]["value"] == Decimal("3.800574601517856")


def test_tokens_counted_again_are_not_read(run: Run, stated: Read) -> None:
    one = only(stated(run(total_output_tokens_retokenized=1))).tree
    assert one == only(stated(run())).tree


def test_peaks_of_a_second_are_no_figures(data: Path, stated: Read) -> None:
    results = only(stated(data / f"sglang/{NEWEST}.jsonl")).tree["results"]
    assert not [name for name in results if "max" in name]
    assert Decimal(613) not in {figure["value"] for figure in results.values()}


@pytest.mark.parametrize(("tree", "names"), [
    (SECOND, {"output_rate", "ttft_p50", "chunk_p50", "e2e_mean", "e2e_p50"}),
    (FORMER, {"output_rate", "ttft_p50", "chunk_p50", "e2e_mean", "e2e_p50"}),
])  # fmt: skip
def test_statistics_that_a_version_does_not_write_are_absent(
    tree: dict[str, Any], names: set[str], run: Run, stated: Read
) -> None:
    assert set(only(stated(run(tree))).tree["results"]) == names


def test_a_line_of_before_counts_has_totals_and_no_means(run: Run, stated: Read) -> None:
    path = run(FORMER)
    assert recognised(opened(path)).name == "sglang-serving-0.2"
    tree = only(stated(path)).tree
    assert tree["workload"] == {
        "total_input_tokens": 4000, "total_output_tokens": 1280, "dataset": "random",
        "distribution": "fixed",
    }  # fmt: skip
    assert tree["load"]["request_rate"] == 16
    assert tree["results"]["e2e_mean"]["value"] == Decimal("167.5")
    assert tree["results"]["e2e_mean"]["unit"] == "ms"


def test_the_server_tells_model_version_and_formats(run: Run, stated: Read) -> None:
    tree = only(stated(run(server_info=SERVER))).tree
    assert tree["model"] == {"described_as": "mock/model-8b"}
    assert tree["engine"] == {
        "described_as": "SGLang", "version": "0.5.23",
        "flags": "--dtype bfloat16 --quantization fp8 --kv-cache-dtype fp8_e5m2",
    }  # fmt: skip
    assert "engine" in tree["inferred"]
    assert tree["precision"] == {"weights": "fp8", "kv_cache": "fp8_e5m2"}
    assert tree["hardware"] == {"pools": [{"count": 8, "parallelism": {"tensor": 8}}]}


def test_settings_off_the_list_never_leave_the_file(run: Run, stated: Read) -> None:
    path = run(server_info=SERVER, tag="sk-private", generated_texts=["sk-private"],
               errors=["sk-private"])  # fmt: skip
    assert "private" not in str(only(stated(path)))


def test_a_server_of_another_kind_names_no_engine(run: Run, stated: Read) -> None:
    for answer in (None, {}, {"vllm_config": "x"}):
        tree = only(stated(run(server_info=answer))).tree
        assert "engine" not in tree
        assert "model" not in tree


def test_the_dialect_is_no_engine(data: Path, stated: Read) -> None:
    tree = only(stated(data / "sglang/sglang-0.5.2-conc4.jsonl")).tree  # backend: vllm
    assert "engine" not in tree


def test_the_format_of_computing_is_not_that_of_the_weights(run: Run, stated: Read) -> None:
    tree = only(stated(run(server_info=SERVER | {"quantization": None}))).tree
    assert "weights" not in tree.get("precision", {})


@pytest.mark.parametrize(
    ("name", "changes", "expected"),
    [
        ("copies", {"tp_size": 4, "dp_size": 2},
         {"count": 8, "parallelism": {"tensor": 4, "replicas": 2}}),
        ("attention in parallel", {"dp_size": 8, "enable_dp_attention": True},
         {"count": 8, "parallelism": {"tensor": 1, "attention_data": 8}}),
        ("experts", {"ep_size": 8}, {"count": 8, "parallelism": {"tensor": 8, "expert": 8}}),
        ("stages", {"pp_size": 2}, {"count": 16, "parallelism": {"tensor": 8, "pipeline": 2}}),
        ("half of a disaggregated pair", {"disaggregation_mode": "decode"}, None),
        ("ranks that do not divide", {"dp_size": 3, "enable_dp_attention": True}, None),
        ("no size", {"tp_size": None}, None),
        ("a size of nothing", {"tp_size": 0}, None),
        ("a size beyond any system", {"tp_size": 10**9}, None),
    ],
)  # fmt: skip
def test_the_split_is_what_the_sizes_mean(
    name: str, changes: dict[str, Any], expected: dict[str, Any] | None, run: Run, stated: Read
) -> None:
    tree = only(stated(run(server_info=SERVER | changes))).tree
    pools = tree.get("hardware", {}).get("pools")
    assert pools == (None if expected is None else [expected]), name


def test_acceptance_is_an_average_over_the_life_of_the_server(run: Run, stated: Read) -> None:
    figure = only(stated(run(accept_length=2.75))).tree["results"]["acceptance"]
    assert (figure["metric"], figure["value"]) == ("acceptance_length", Decimal("2.75"))
    assert "life of the server" in figure["note"]


def test_a_goodput_comes_with_its_limits(run: Run, stated: Read) -> None:
    path = run(
        request_goodput=20.5, slo_attainment=0.5, goodput_slos_ms={"ttft": 500.0, "tpot": 50}
    )
    tree = only(stated(path)).tree
    assert tree["slo"] == {"ttft_ms": 500, "tpot_ms": 50}
    assert tree["results"]["goodput"]["value"] == Decimal("20.5")


def test_the_cache_report_is_a_hit_ratio(run: Run, stated: Read) -> None:
    report = {"total_prompt_tokens": 3000, "total_cached_tokens": 1000, "cache_hit_rate_pct": 33.33}
    workload = only(stated(run(cache_report=report))).tree["workload"]
    assert workload["prefix_cache"] == {"hit_ratio": Decimal("0.3333")}


def test_answers_that_were_not_streamed_have_no_first_token(run: Run, stated: Read) -> None:
    zero = {
        f"{word}_{key}_ms": 0.0 for word in ("mean", "median", "std") for key in ("tpot", "itl")
    }
    found = only(stated(run(mean_ttft_ms=104.50285935001489, **zero)))
    assert found.tree["measurement"]["streaming"] is False
    kinds = {figure["metric"] for figure in found.tree["results"].values()}
    assert "e2e_latency" in kinds
    assert kinds.isdisjoint({"ttft", "tpot", "chunk_latency"})
    assert any("not streamed" in remark for remark in found.remarks)


def test_errors_in_the_details_are_remarked(run: Run, stated: Read) -> None:
    remarks = only(stated(run(errors=["", "x", "y"]))).remarks
    assert any("at least 2 requests failed" in remark for remark in remarks)


def test_a_rate_that_was_not_reached_is_remarked(run: Run, stated: Read) -> None:
    remarks = only(stated(run(request_rate=100, max_concurrency=None))).remarks
    assert "36.4 req/s completed, and 100 req/s were configured" in remarks


def test_appended_runs_are_records_each(data: Path, tmp_path: Path, stated: Read) -> None:
    path = tmp_path / "runs.jsonl"
    lines = [(data / f"sglang/{name}.jsonl").read_text(encoding="utf-8").strip() for name in OWN]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert [found.at for found in stated(path)] == ["line 1", "line 2", "line 3"]


@pytest.mark.parametrize(
    ("name", "changes", "told"),
    [
        ("all failed", {"completed": 0}, "nothing completed"),
        ("no tokens", {"total_output_tokens": 0}, "not one output token"),
        ("no time", {"duration": 0.0}, "lasted 0 s"),
        ("a cap of nothing", {"max_concurrency": 0}, "a cap of 0"),
        ("a rate of nothing", {"request_rate": 0}, "a rate of 0"),
        ("a rate that is a word", {"request_rate": "fast"}, "request_rate"),
        ("a negative duration", {"duration": -1.0}, "/duration is negative"),
        ("a text for a latency", {"p99_ttft_ms": "slow"}, "/p99_ttft_ms is no number"),
        ("an endless latency", {"p99_ttft_ms": float("inf")}, "/p99_ttft_ms is no finite number"),
        ("a count beyond bounds", {"completed": 2**70}, "/completed is larger"),
    ],
)  # fmt: skip
def test_a_run_that_is_no_operating_point_is_refused(
    name: str, changes: dict[str, Any], told: str, run: Run, stated: Read
) -> None:
    with pytest.raises(RunError) as error:
        stated(run(**changes))
    assert told in str(error.value), name


@given(draw=st.data())
@settings(max_examples=50, deadline=None)
def test_one_number_of_the_file_changes_the_fields_that_follow_from_it(
    draw: st.DataObject,
    data: Path,
    stated: Read,
    tmp_path_factory: pytest.TempPathFactory,
    dumped: Callable[[Any], str],
    changes: Callable[[Any, Any], set[str]],
) -> None:
    path = data / f"sglang/{NEWEST}.jsonl"
    tree, before = decimals(path), only(stated(path)).tree
    numbers = [key for key, value in tree.items() if isinstance(value, int | Decimal)]
    skipped = ("request_rate", "random_range_ratio", "random_input_len", "random_output_len")
    key = draw.draw(st.sampled_from([one for one in numbers if one not in skipped]))
    other = tmp_path_factory.mktemp("changed") / "run.json"
    other.write_text(dumped(tree | {key: tree[key] + 1}), encoding="utf-8")
    assert changes(before, only(stated(other)).tree) == following(key, before["results"])


def following(key: str, results: dict[str, Any]) -> set[str]:
    """Return the places of a statement that follow from a key of the file."""
    found = {f"results.{name}.value" for name, f in results.items() if f["locator"] == f"/{key}"}
    if key.startswith("std_") and key != "std_itl_ms":  # a deviation of gaps is none of requests
        figure = key.removeprefix("std_").removesuffix("_ms")
        name = {"e2e_latency": "e2e"}.get(figure, figure)
        found.add(f"results.{name}_mean.spread.stdev")
    if key == "completed":
        found |= {f"results.{name}.n" for name, figure in results.items() if "n" in figure}
    others = {
        "completed": {"load.completed", "workload.input_tokens", "workload.output_tokens"},
        "total_input_tokens": {"workload.total_input_tokens", "workload.input_tokens"},
        "total_output_tokens": {"workload.total_output_tokens", "workload.output_tokens"},
        "duration": {"load.duration_s"},
        "max_concurrency": {"load.concurrency"},
    }
    return found | others.get(key, set())


@given(draw=st.data())
@settings(max_examples=150, deadline=None)
def test_a_spoiled_line_is_stated_or_refused_and_no_bug(
    draw: st.DataObject,
    data: Path,
    stated: Read,
    tmp_path_factory: pytest.TempPathFactory,
    spoiled: Callable[[Any], st.SearchStrategy[Any]],
    dumped: Callable[[Any], str],
) -> None:
    newest = decimals(data / f"sglang/{NEWEST}.jsonl") | {
        "server_info": SERVER, "goodput_slos_ms": {"ttft": 500}, "request_goodput": 3,
        "cache_report": {"total_prompt_tokens": 30, "total_cached_tokens": 10}, "errors": ["", "x"],
    }  # fmt: skip
    tree = draw.draw(st.sampled_from((newest, FORMER, SECOND)))
    path = tmp_path_factory.mktemp("spoiled") / "run.jsonl"
    path.write_text(dumped(draw.draw(spoiled(tree))), encoding="utf-8")
    try:
        found = only(stated(path))
    except RunError:
        return
    assert all(figure["value"] >= 0 for figure in found.tree.get("results", {}).values())
