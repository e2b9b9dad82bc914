"""trtllm-bench: what its report states, streaming or not, old and new, and what it never does."""

from collections.abc import Callable
from copy import deepcopy
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchreg.importers.opened import opened
from benchreg.importers.statement import RunError, Statement

Told = Callable[..., list[Statement | RunError]]
Of = Callable[[Any], Statement]
DATA = Path(__file__).parent.parent / "data/trtllm_bench"
NEW = next(opened(DATA / "streaming.json").pieces()).tree
OLD = next(opened(DATA / "old.json").pieces()).tree
# What follows from a number of the file that is no figure, beside the n of figures.
FOLLOWS = {
    "/request_info/num_requests": {"load.requests", "load.completed"},
    "/request_info/avg_input_length": {"workload.input_tokens"},
    "/request_info/avg_output_length": {"workload.output_tokens"},
    "/performance/total_latency_ms": {"load.duration_s"},
    "/world_info/world_size": {"hardware.pools.0.count"},
    "/world_info/tp_size": {"hardware.pools.0.parallelism.tensor"},
    "/world_info/pp_size": {"hardware.pools.0.parallelism.pipeline"},
    "/world_info/ep_size": {"hardware.pools.0.parallelism.expert"},
}


@pytest.fixture(scope="session")
def of(told: Told) -> Of:
    """A function that returns the one statement that a report makes; raises its refusal."""

    def one(tree: Any) -> Statement:
        (found,) = told("trtllm-bench", tree)
        if isinstance(found, RunError):
            raise found
        return found

    return one


def changed(block: str, tree: Any = NEW, **fields: Any) -> Any:
    made = deepcopy(tree)
    made[block] = made.get(block, {}) | fields
    return made


def test_a_report_states_its_conditions_and_no_others(stated: Any) -> None:
    (found,) = stated(DATA / "streaming.json")
    tree = dict(found.tree)
    del tree["results"]
    assert tree == {
        "model": {"described_as": "example/model-7b"},
        "hardware": {
            "pools": [
                {
                    "described_as": "Example GPU 80GB",
                    "count": 2,
                    "parallelism": {"tensor": 2, "pipeline": 1, "expert": 1},
                }
            ]
        },
        "engine": {
            "described_as": "TensorRT-LLM",
            "version": "1.2.0",
            "stack": "PyTorch backend",
        },
        "precision": {"weights": "fp8", "kv_cache": "fp8"},
        "workload": {
            "input_tokens": Decimal("128.25"),
            "output_tokens": 64,
            "length_basis": "measured",
        },
        "load": {
            "requests": 200,
            "completed": 200,
            "duration_s": Decimal("2.0005"),
            "window": "full_drain",
        },
        "measurement": {"runs": 1, "point": "in_process", "streaming": True},
    }
    assert not found.remarks


@pytest.mark.parametrize(("name", "tree"), [("streaming", NEW), ("old", OLD)])
def test_each_figure_has_the_digits_at_its_place_in_the_file(
    name: str, tree: Any, stated: Any, at: Any
) -> None:
    (found,) = stated(DATA / f"{name}.json")
    for figure in found.tree["results"].values():
        assert figure["value"] == at(tree, figure["locator"])


def test_each_name_of_the_harness_means_one_metric(of: Of) -> None:
    results = of(NEW).tree["results"]
    means = {name: (one["metric"], one["scope"]) for name, one in results.items()}
    words = ("mean", "p50", "p90", "p95", "p99", "min", "max")
    latencies = {"ttft": "ttft", "tpot": "tpot", "e2e": "e2e_latency",
                 "user_decode_rate": "decode_rate_per_request"}  # fmt: skip
    assert means == {
        "request_rate": ("request_throughput", "system"),
        "output_rate": ("output_throughput", "system"),
        "total_rate": ("total_throughput", "system"),
        "output_rate_per_gpu": ("output_throughput", "per_accelerator"),
        "in_flight": ("mean_concurrency", "system"),
        "user_rate_mean": ("output_rate_per_request", "per_request"),
        **{
            f"{name}_{word}": (metric, "per_request")
            for name, metric in latencies.items()
            for word in words
        },
    }
    assert results["output_rate_per_gpu"]["over"] == "all"


def test_output_per_user_has_the_first_token_in_it_and_the_output_speed_has_not(of: Of) -> None:
    results = of(NEW).tree["results"]
    spot = {name: results[name]["locator"] for name in ("user_rate_mean", "user_decode_rate_mean")}
    assert spot == {
        "user_rate_mean": "/performance/output_throughput_per_user_tok_s",
        "user_decode_rate_mean": "/streaming_metrics/token_output_speed_tok_s",
    }


def test_total_throughput_is_prompts_and_outputs(of: Of) -> None:
    found = of(NEW).tree
    lengths = found["workload"]["input_tokens"] + found["workload"]["output_tokens"]
    requests = found["results"]["request_rate"]["value"]
    total = found["results"]["total_rate"]["value"]
    assert found["results"]["total_rate"]["metric"] == "total_throughput"
    assert abs(total / (requests * lengths) - 1) < Decimal("0.001")


def test_the_concurrency_that_came_about_is_a_figure_and_no_load(of: Of) -> None:
    found = of(OLD).tree
    assert found["results"]["in_flight"]["value"] == Decimal("1018.8281")
    assert found["load"].keys() == {"requests", "completed", "duration_s", "window"}


@pytest.mark.parametrize("field", ["max_batch_size", "max_num_tokens", "issue_rate"])
def test_limits_and_the_rate_of_queueing_are_not_read(field: str, of: Of) -> None:
    assert of(changed("world_info", **{field: 7})).tree == of(NEW).tree


def test_lengths_that_were_cut_to_whole_numbers_are_not_read(of: Of) -> None:
    assert of(changed("dataset", avg_isl=9, avg_osl=9)).tree == of(NEW).tree


def test_an_old_report_without_gpu_or_streaming_states_less(stated: Any) -> None:
    (found,) = stated(DATA / "old.json")
    assert "hardware" not in found.tree
    assert found.tree["measurement"]["streaming"] is False
    assert found.tree["engine"]["stack"] == "TensorRT backend"
    assert found.tree["precision"] == {"weights": "fp16"}
    metrics = {one["metric"] for one in found.tree["results"].values()}
    assert metrics.isdisjoint({"ttft", "tpot", "decode_rate_per_request", "total_throughput"})
    (remark,) = found.remarks
    assert "does not name its 8 GPUs" in remark
    assert remark.endswith("--set count=8 --set tensor=4 --set pipeline=2")


@pytest.mark.parametrize("machine", [None, {}, {"name": None}])
def test_a_report_of_a_machine_without_a_name_states_no_hardware(machine: Any, of: Of) -> None:
    assert "hardware" not in of(NEW | {"machine": machine}).tree


@pytest.mark.parametrize(
    ("engine", "precision"),
    [
        ({"quantization": None, "kv_cache_dtype": None}, {"weights": "bf16"}),
        ({"quantization": "NVFP4", "kv_cache_dtype": "INT8"},
         {"weights": "nvfp4", "kv_cache": "int8"}),
        ({"quantization": "W4A16_AWQ", "kv_cache_dtype": "auto"}, {"weights": "int4_awq"}),
        ({"quantization": "W4A8_MXFP4_MXFP8", "kv_cache_dtype": None}, {"weights": "mxfp4"}),
        ({"quantization": "FP8_BLOCK_SCALES", "kv_cache_dtype": None}, {"weights": "fp8"}),
    ],
)  # fmt: skip
def test_the_format_of_the_weights_is_that_of_the_quantization_if_there_is_one(
    engine: Any, precision: Any, of: Of
) -> None:
    found = of(changed("engine", **engine))
    assert found.tree["precision"] == precision
    assert not found.remarks


def test_a_quantization_of_several_formats_is_left_to_the_contributor(of: Of) -> None:
    found = of(changed("engine", quantization="MIXED_PRECISION"))
    assert found.tree["precision"] == {"kv_cache": "fp8"}
    assert "--set precision.weights=" in found.remarks[0]


def test_a_report_that_says_nothing_of_quantization_states_no_format(of: Of) -> None:
    tree = deepcopy(NEW)
    del tree["engine"]["quantization"]
    assert "weights" not in of(tree).tree["precision"]


def test_speculation_is_stated_with_its_acceptance(of: Of) -> None:
    stats = {"mode": "Eagle3", "acceptance_length_percentiles": {"average": Decimal("2.75")}}
    found = of(NEW | {"decoding_stats": stats}).tree["workload"]["speculative"]
    assert found == {"method": "eagle3", "acceptance_length": Decimal("2.75")}
    assert "speculative" not in of(NEW).tree["workload"]


def test_a_mode_of_decoding_that_nobody_knows_is_not_copied(of: Of) -> None:
    found = of(NEW | {"decoding_stats": {"mode": "SECRET"}})
    assert "SECRET" not in repr(found)
    assert any("the run speculated" in remark for remark in found.remarks)


def test_a_split_over_experts_asks_for_a_look_at_the_attention(of: Of) -> None:
    found = of(changed("world_info", ep_size=2))
    assert any("data-parallel" in remark for remark in found.remarks)


def test_requests_that_were_not_measured_are_told(of: Of) -> None:
    found = of(changed("dataset", num_requests=250))
    assert found.remarks == ["the dataset has 250 requests, and 200 were measured"]


def test_a_mean_is_taken_from_the_percentiles_where_it_stands_nowhere_else(of: Of) -> None:
    found = of(changed("performance", avg_request_latency_ms=None)).tree["results"]["e2e_mean"]
    assert found["locator"] == "/performance/request_latency_percentiles_ms/average"


def test_paths_are_not_copied(of: Of) -> None:
    tree = changed("engine", model_path="SECRET", engine_dir="SECRET")
    tree["dataset"]["dataset_path"] = "SECRET"
    assert "SECRET" not in repr(of(tree))


@pytest.mark.parametrize(
    ("block", "fields", "says"),
    [
        ("request_info", {"num_requests": 0}, "nothing completed"),
        ("request_info", {"num_requests": -1}, "is negative"),
        ("request_info", {"avg_input_length": -1}, "is negative"),
        ("performance", {"request_throughput_req_s": "fast"}, "is no number"),
        ("performance", {"request_throughput_req_s": Decimal("1E+400")}, "larger than any figure"),
        ("streaming_metrics", {"ttft_percentiles": {"p99": "late"}}, "/p99 is no number"),
        ("engine", {"model": " "}, "is no text"),
    ],
)
def test_what_is_no_result_is_refused(block: str, fields: Any, says: str, of: Of) -> None:
    with pytest.raises(RunError, match=says):
        of(changed(block, **fields))


@pytest.mark.parametrize("value", [None, Decimal("NaN"), 0, -5, "-"])
def test_what_was_not_measured_is_left_out(value: Any, of: Of) -> None:
    tree = changed("performance", system_output_throughput_tok_s=value, total_latency_ms=value)
    found = of(tree).tree
    assert "output_rate" not in found["results"]
    assert "duration_s" not in found["load"]


@given(data=st.data())
def test_a_number_of_the_file_changes_what_is_read_from_it_and_nothing_else(
    data: st.DataObject, of: Of, at: Any, changes: Any
) -> None:
    before = of(NEW).tree
    place = data.draw(st.sampled_from(numbers(NEW)))
    above, _, key = place.rpartition("/")
    tree = deepcopy(NEW)
    at(tree, above)[key] = at(NEW, place) * 2 + 1
    found = changes(before, of(tree).tree)
    read = {f"results.{name}.value" for name, one in before["results"].items()
            if one["locator"] == place}  # fmt: skip
    ending = {path for path in found if path.endswith(".n")} if key == "num_requests" else set()
    assert found == read | FOLLOWS.get(place, set()) | ending


def numbers(tree: Any, here: str = "") -> list[str]:
    if isinstance(tree, dict):
        return [one for key, value in tree.items() for one in numbers(value, f"{here}/{key}")]
    return [here] if isinstance(tree, int | Decimal) else []


@given(data=st.data())
def test_a_spoiled_report_is_read_or_refused(data: st.DataObject, spoiled: Any, told: Told) -> None:
    base = data.draw(st.sampled_from((NEW, OLD)))
    for found in told("trtllm-bench", data.draw(spoiled(base))):
        assert isinstance(found, Statement | RunError)
