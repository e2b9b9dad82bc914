"""SGLang in batches: `bench_one_batch`, `bench_one_batch_server`, `bench_offline_throughput`."""

import json
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

BATCH = {
    "run_name": "private words", "batch_size": 4, "input_len": 1024, "output_len": 128,
    "prefill_latency": 0.32, "prefill_throughput": 12800.0, "median_decode_latency": 0.01,
    "median_decode_throughput": 400.0, "total_latency": 1.6, "overall_throughput": 2880.0,
}  # fmt: skip
PREFILL = {key: value for key, value in (BATCH | {"output_len": 1}).items() if "decode" not in key}
FIRST = {  # the first version, whose rate of output divides by the whole time
    "run_name": "private words", "batch_size": 16, "input_len": 1024, "output_len": 16,
    "latency": 0.8, "output_throughput": 320.0, "overall_throughput": 20800.0,
}  # fmt: skip
SECOND = FIRST | {"output_throughput": 640.0, "last_gen_throughput": 600.1}
THIRD = SECOND | {
    "input_throughput": 40960.0, "last_ttft": 0.4, "acc_length": -1, "cache_hit_rate": 0.25,
}  # fmt: skip
NEWEST = THIRD | {
    "acc_length": 2.5, "total_output_tokens": 256, "num_early_stopped": 0,
    "steady_state_output_throughput": 655.5, "steady_state_window_s": 0.35,
}  # fmt: skip
OFFLINE = {
    "backend": "engine", "successful_requests": 100, "total_latency": 10.5,
    "total_input_tokens": 51200, "total_output_tokens": 12800, "request_throughput": 9.5,
    "input_throughput": 4876.25, "output_throughput": 1219.5, "total_throughput": 6095.75,
    "last_gen_throughput": 1100.5,
}  # fmt: skip
FILES = (
    ("sglang-one-batch", BATCH),
    ("sglang-one-batch", PREFILL),
    ("sglang-one-batch-server", FIRST),
    ("sglang-one-batch-server", SECOND),
    ("sglang-one-batch-server", THIRD),
    ("sglang-one-batch-server", NEWEST),
    ("sglang-offline", OFFLINE),
)
Read = Callable[[Path], list[Statement]]
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A function that writes trees as lines of a file, and returns its path."""

    def make(*trees: Any) -> Path:
        path = tmp_path / "result.jsonl"
        path.write_text("".join(json.dumps(tree) + "\n" for tree in trees), encoding="utf-8")
        return path

    return make


def only(found: list[Statement]) -> Statement:
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(("name", "tree"), FILES)
def test_one_importer_knows_the_file(name: str, tree: Any, write: Write) -> None:
    assert recognised(opened(write(tree))).name == name


@pytest.mark.parametrize(("name", "tree"), FILES)
def test_every_figure_has_the_value_to_which_its_locator_leads(
    name: str, tree: Any, write: Write, stated: Read, at: Callable[[Any, str], Any]
) -> None:
    path = write(tree)
    digits = json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    results = only(stated(path)).tree["results"]
    found = [figure for figure in results.values() if "derivation" not in figure]
    assert len(found) >= 3, name
    for figure in found:
        assert figure["value"] == at(digits, figure["locator"])


@pytest.mark.parametrize(("name", "tree"), FILES)
def test_free_text_never_leaves_the_file(name: str, tree: Any, write: Write, stated: Read) -> None:
    assert "private" not in str(only(stated(write(tree)))), name


def test_a_batch_in_the_process_states_its_conditions(write: Write, stated: Read) -> None:
    tree = dict(only(stated(write(BATCH))).tree)
    del tree["results"]
    assert set(tree.pop("inferred")) == {"engine", "measurement.point", "workload.output_policy"}
    assert tree == {
        "engine": {"described_as": "SGLang"},
        "load": {"pattern": "static_batch", "batch_size": 4, "requests": 4},
        "workload": {"input_tokens": 1024, "output_tokens": 128, "length_basis": "requested",
                     "output_policy": "forced"},
        "measurement": {"runs": 1, "point": "in_process"},
    }  # fmt: skip


def test_phases_of_a_batch_are_no_rates_of_the_whole(write: Write, stated: Read) -> None:
    results = only(stated(write(BATCH))).tree["results"]
    kinds = {name: (f["metric"], f["scope"], f["unit"]) for name, f in results.items()}
    assert kinds == {
        "prefill_rate": ("prefill_throughput", "system", "tok/s"),
        "decode_rate": ("decode_throughput", "system", "tok/s"),
        "user_decode_rate": ("decode_rate_per_request", "per_request", "tok/s"),
        "total_rate": ("total_throughput", "system", "tok/s"),
        "ttft_mean": ("ttft", "per_request", "s"),
        "itl_p50": ("itl", "per_request", "s"),
        "e2e_mean": ("e2e_latency", "per_request", "s"),
    }
    assert results["decode_rate"]["window"] == "phase_only"
    assert results["user_decode_rate"]["value"] == 100


def test_a_batch_of_one_token_has_no_decoding(write: Write, stated: Read) -> None:
    results = only(stated(write(PREFILL))).tree["results"]
    assert set(results) == {"prefill_rate", "total_rate", "ttft_mean", "e2e_mean"}


@pytest.mark.parametrize(
    ("name", "tree", "figure", "metric", "window"),
    [
        ("the whole time", FIRST, "output_rate", "output_throughput", "full_drain"),
        ("after the last first token", SECOND, "decode_rate", "decode_throughput", "phase_only"),
        ("with its first token", THIRD, "decode_rate", "decode_throughput", "phase_only"),
        ("a line that adds up to neither", FIRST | {"output_throughput": 640.0}, "decode_rate",
         "decode_throughput", "phase_only"),
    ],
)  # fmt: skip
def test_the_rate_of_output_is_that_of_the_time_it_divides_by(
    name: str, tree: Any, figure: str, metric: str, window: str, write: Write, stated: Read
) -> None:
    results = only(stated(write(tree))).tree["results"]
    found = [f for f in results.values() if f.get("locator") == "/output_throughput"]
    assert found == [results[figure]], name
    assert (found[0]["metric"], found[0]["window"]) == (metric, window)


def test_a_server_states_neither_engine_nor_point(write: Write, stated: Read) -> None:
    tree = only(stated(write(NEWEST))).tree
    assert "engine" not in tree
    assert "point" not in tree["measurement"]
    assert "output_policy" not in tree["workload"]


def test_the_newest_line_of_a_server_is_read_whole(write: Write, stated: Read) -> None:
    tree = only(stated(write(NEWEST))).tree
    assert tree["workload"]["prefix_cache"] == {"hit_ratio": Decimal("0.25")}
    results = tree["results"]
    assert results["prefill_rate"]["locator"] == "/input_throughput"
    assert results["steady_decode_rate"]["window"] == "steady_state"
    assert results["acceptance"]["value"] == Decimal("2.5")
    assert (results["ttft_max"]["statistic"], results["ttft_max"]["n"]) == ("max", 16)
    assert results["total_rate"]["seen_by_request"] == "e2e_max"


def test_minus_one_is_no_acceptance(write: Write, stated: Read) -> None:
    found = only(stated(write(THIRD)))
    assert "acceptance" not in found.tree["results"]
    assert found.remarks == []


def test_decoding_of_one_token_has_no_rate(write: Write, stated: Read) -> None:
    results = only(stated(write(THIRD | {"output_len": 1}))).tree["results"]
    assert "decode_rate" not in results


def test_outputs_that_were_shorter_than_asked_for_are_counted(write: Write, stated: Read) -> None:
    found = only(stated(write(NEWEST | {"total_output_tokens": 200, "num_early_stopped": 3})))
    assert found.tree["workload"]["output_tokens"] == Decimal("12.5")
    assert found.tree["workload"]["length_basis"] == "measured"
    assert "200 output tokens came, and 256 were asked for" in found.remarks
    assert "3 requests stopped before the batch did" in found.remarks


def test_the_model_is_stated_by_the_files_that_write_it(write: Write, stated: Read) -> None:
    tree = only(stated(write(NEWEST | {"model_path": "mock/model-8b"}))).tree
    assert tree["model"] == {"described_as": "mock/model-8b"}


def test_an_offline_run_states_its_conditions(write: Write, stated: Read) -> None:
    tree = dict(only(stated(write(OFFLINE))).tree)
    results = tree.pop("results")
    del tree["inferred"]
    assert tree == {
        "engine": {"described_as": "SGLang"},
        "load": {"pattern": "all_at_once", "requests": 100, "completed": 100,
                 "duration_s": Decimal("10.5"), "window": "full_drain"},
        "workload": {"total_input_tokens": 51200, "input_tokens": 512,
                     "total_output_tokens": 12800, "output_tokens": 128,
                     "length_basis": "measured"},
        "measurement": {"runs": 1, "point": "in_process"},
    }  # fmt: skip
    assert set(results) == {"request_rate", "input_rate", "output_rate", "total_rate"}


def test_minus_one_is_what_was_not_computed(write: Write, stated: Read) -> None:
    found = only(stated(write(OFFLINE | {"total_output_tokens": -1, "output_throughput": -1})))
    assert "output_tokens" not in found.tree["workload"]
    assert "output_rate" not in found.tree["results"]
    assert any("/output_throughput is -1" in remark for remark in found.remarks)


def test_appended_batches_are_records_each(write: Write, stated: Read) -> None:
    assert [found.at for found in stated(write(PREFILL, BATCH))] == ["line 1", "line 2"]


@pytest.mark.parametrize(
    ("name", "tree", "told"),
    [
        ("no latency", BATCH | {"total_latency": None}, "nothing completed"),
        ("a latency of 0", FIRST | {"latency": 0.0}, "nothing completed"),
        ("a batch of nothing", FIRST | {"batch_size": 0}, "a batch of 0 requests"),
        ("no output", FIRST | {"output_len": 0}, "nothing completed"),
        ("a run that never ended", OFFLINE | {"total_latency": -1}, "nothing completed"),
        ("no requests", OFFLINE | {"successful_requests": 0}, "nothing completed"),
        ("no tokens", OFFLINE | {"total_output_tokens": 0}, "not one output token"),
        ("an embedding model",
         {key: value for key, value in OFFLINE.items() if key != "total_output_tokens"},
         "embedding"),
        ("half a request", BATCH | {"batch_size": 1.5}, "/batch_size is no whole number"),
        ("a negative length", BATCH | {"input_len": -1}, "/input_len is negative"),
        ("an endless rate", BATCH | {"overall_throughput": float("inf")}, "no finite number"),
    ],
)  # fmt: skip
def test_a_run_that_is_no_operating_point_is_refused(
    name: str, tree: Any, told: str, write: Write, stated: Read
) -> None:
    with pytest.raises(RunError) as error:
        stated(write(tree))
    assert told in str(error.value), name


@given(draw=st.data())
@settings(max_examples=150, deadline=None)
def test_a_spoiled_line_is_stated_or_refused_and_no_bug(
    draw: st.DataObject,
    stated: Read,
    tmp_path_factory: pytest.TempPathFactory,
    spoiled: Callable[[Any], st.SearchStrategy[Any]],
    dumped: Callable[[Any], str],
) -> None:
    tree = draw.draw(st.sampled_from([tree for _, tree in FILES]))
    path = tmp_path_factory.mktemp("spoiled") / "run.jsonl"
    path.write_text(dumped(draw.draw(spoiled(tree))), encoding="utf-8")
    try:
        found = only(stated(path))
    except RunError:
        return
    assert all(figure["value"] > 0 for figure in found.tree.get("results", {}).values())


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("latency", {"results.e2e_max.value"}),
        ("last_ttft", {"results.ttft_max.value"}),
        ("input_throughput", {"results.prefill_rate.value"}),
        ("output_throughput", {"results.decode_rate.value", "results.user_decode_rate.value"}),
        ("overall_throughput", {"results.total_rate.value"}),
        ("last_gen_throughput", set()),
        ("acc_length", {"results.acceptance.value"}),
        ("steady_state_output_throughput", {"results.steady_decode_rate.value"}),
        ("steady_state_window_s", set()),
        ("input_len", {"workload.input_tokens"}),
    ],
)
def test_one_number_of_the_line_changes_the_fields_that_follow_from_it(
    key: str,
    expected: set[str],
    write: Write,
    stated: Read,
    changes: Callable[[Any, Any], set[str]],
) -> None:
    before = only(stated(write(NEWEST))).tree
    after = only(stated(write(NEWEST | {key: NEWEST[key] + 1}))).tree  # type: ignore[operator]
    assert changes(before, after) == expected
