"""`vllm bench throughput` and `latency`, with and without the arguments of the run."""

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
from benchreg.importers.statement import RepeatedError, RunError, Statement

AMOUNTS = {"elapsed_time": 12.5, "num_requests": 100, "total_num_tokens": 64_000}
THROUGHPUT = AMOUNTS | {"requests_per_second": 8.0, "tokens_per_second": 5120.0}
LATENCIES = [1.5, 1.6, 1.7]
STATISTICS = {
    "avg_latency": 1.6,
    "percentiles": {"10": 1.52, "25": 1.55, "50": 1.61, "75": 1.65, "90": 1.68, "99": 1.698},
}
LATENCY = STATISTICS | {"latencies": LATENCIES}
ARGUMENTS = {
    "model": "mock/model-8b", "backend": "vllm", "dataset_name": "random", "input_len": 512,
    "output_len": 128, "batch_size": 8, "n": 1, "num_iters_warmup": 10, "num_iters": 3,
    "tensor_parallel_size": 2, "pipeline_parallel_size": 2, "data_parallel_size": 1,
    "enable_expert_parallel": False, "enable_prefix_caching": False, "dtype": "bfloat16",
    "quantization": "fp8", "kv_cache_dtype": "fp8_e5m2", "hf_token": "hf_private",
    "output_json": "/home/private/out.json", "speculative_config": None,
    "tokenizer": "/home/private/tokenizer",
}  # fmt: skip
Read = Callable[[Path], list[Statement]]
Write = Callable[..., Path]
Found = Callable[[Any, str], Any]


def metric(name: str, values: list[Any], extra: dict[str, Any], **args: Any) -> dict[str, Any]:
    return {
        "benchmark": {"name": "vLLM benchmark", "extra_info": {"args": ARGUMENTS | args}},
        "model": {"name": "mock/model-8b"},
        "metric": {"name": name, "benchmark_values": values, "extra_info": extra},
    }


def rates(**args: Any) -> list[Any]:
    return [
        metric("requests_per_second", [8.0], AMOUNTS, **args),
        metric("tokens_per_second", [5120.0], AMOUNTS, **args),
    ]


def times(**args: Any) -> list[Any]:
    return [metric("latency", LATENCIES, STATISTICS, **args)]


NUMBERS: tuple[dict[str, Any], ...] = (THROUGHPUT, LATENCY | {"std_latency": 0.08})
FOLLOWING: dict[str, set[str]] = {
    "elapsed_time": {"load.duration_s"},
    "num_requests": {"load.requests"},
    "total_num_tokens": set(),
    "requests_per_second": {"results.request_rate.value"},
    "tokens_per_second": {"results.total_rate.value"},
    "avg_latency": {"results.e2e_mean.value"},
    "std_latency": {"results.e2e_mean.variation.stdev"},
}
FILES: tuple[tuple[str, Any], ...] = (
    ("vllm-throughput", THROUGHPUT),
    ("vllm-latency", LATENCY),
    ("vllm-throughput-pytorch", rates()),
    ("vllm-latency-pytorch", times()),
)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A function that writes a tree as a file, and returns its path."""

    def make(tree: Any, name: str = "run.json") -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(tree), encoding="utf-8")
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
    name: str, tree: Any, write: Write, stated: Read, at: Found
) -> None:
    path = write(tree)
    digits = json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    found = only(stated(path))
    assert found.at == "", name
    assert len(found.tree["results"]) >= 2
    for figure in found.tree["results"].values():
        assert figure["value"] == at(digits, figure["locator"])


def test_tokens_per_second_count_prompts_too(write: Write, stated: Read) -> None:
    tree = only(stated(write(THROUGHPUT))).tree
    assert tree["results"]["total_rate"]["metric"] == "total_throughput"
    assert {figure["metric"] for figure in tree["results"].values()} == {
        "request_throughput", "total_throughput",
    }  # fmt: skip


def test_a_throughput_run_states_no_more_than_is_in_its_file(write: Write, stated: Read) -> None:
    tree = dict(only(stated(write(THROUGHPUT))).tree)
    del tree["results"]
    assert tree == {
        "load": {"pattern": "all_at_once", "requests": 100, "duration_s": Decimal("12.5"),
                 "window": "full_drain"},
        "measurement": {"runs": 1},
    }  # fmt: skip


def test_keys_that_the_harness_does_not_write_are_no_lengths(write: Write, stated: Read) -> None:
    tree = only(stated(write(THROUGHPUT | {"input": 512, "ouput": 128, "gpu": "H100"}))).tree
    assert "workload" not in tree
    assert "hardware" not in tree


@pytest.mark.parametrize("tree", [THROUGHPUT, LATENCY])
def test_the_model_is_stated_by_the_versions_that_write_it(
    tree: dict[str, Any], write: Write, stated: Read
) -> None:
    assert "model" not in only(stated(write(tree))).tree
    newer = only(stated(write(tree | {"model_id": "mock/model-8b"}))).tree
    assert newer["model"] == {"described_as": "mock/model-8b"}


def test_a_batch_of_unknown_size_is_still_a_batch(write: Write, stated: Read) -> None:
    tree = only(stated(write(LATENCY))).tree
    assert tree["load"] == {"pattern": "static_batch"}
    assert tree["measurement"] == {"point": "in_process", "runs": 3}
    assert tree["engine"] == {"described_as": "vLLM"}
    assert set(tree["inferred"]) == {"engine", "measurement.point", "workload.output_policy"}
    assert all(
        figure["unit"] == "s" and "metric" in figure["inferred"]
        for figure in tree["results"].values()
    )


def test_the_spread_of_iterations_is_between_runs(write: Write, stated: Read) -> None:
    results = only(stated(write(LATENCY | {"std_latency": 0.08}))).tree["results"]
    assert results["e2e_mean"]["variation"] == {"runs": 3, "stdev": Decimal("0.08")}
    assert "variation" not in results["e2e_p50"]


def test_more_iterations_than_are_read_have_no_number(write: Write, stated: Read) -> None:
    path = write(LATENCY | {"latencies": [1.5] * 2000, "std_latency": 0.08})
    tree = only(stated(path)).tree
    assert "runs" not in tree["measurement"]
    assert "variation" not in tree["results"]["e2e_mean"]


def test_the_arguments_state_the_conditions_of_a_batch(write: Write, stated: Read) -> None:
    found = only(stated(write(times())))
    tree = dict(found.tree)
    del tree["results"], tree["inferred"]
    assert tree == {
        "model": {"described_as": "mock/model-8b"},
        "engine": {"described_as": "vLLM",
                   "flags": "--dtype bfloat16 --quantization fp8 --kv-cache-dtype fp8_e5m2"},
        "precision": {"weights": "fp8", "kv_cache": "fp8_e5m2"},
        "hardware": {"pools": [{"count": 4, "parallelism": {"tensor": 2, "pipeline": 2}}]},
        "workload": {"input_tokens": 512, "output_tokens": 128, "length_basis": "requested",
                     "output_policy": "forced", "prefix_cache": {"enabled": False}},
        "load": {"pattern": "static_batch", "batch_size": 8, "requests": 8,
                 "warmup": {"requests": 80, "excluded": True}},
        "measurement": {"point": "in_process", "runs": 3},
    }  # fmt: skip
    assert found.remarks == [
        "the file says 4 accelerators and not which: name the part with --set accelerator=ID"
    ]


@pytest.mark.parametrize("tree", [rates(), times()])
def test_arguments_off_the_list_never_leave_the_file(tree: Any, write: Write, stated: Read) -> None:
    assert "private" not in str(only(stated(write(tree))))


def test_the_arguments_state_the_lengths_of_random_prompts(write: Write, stated: Read) -> None:
    found = only(stated(write(rates(prefix_len=0))))
    assert found.tree["workload"] == {
        "dataset": "random", "input_tokens": 512, "output_tokens": 128,
        "length_basis": "requested", "prefix_cache": {"enabled": False},
    }  # fmt: skip
    assert len(found.remarks) == 1  # that no part is named


def test_lengths_far_from_what_was_counted_are_remarked(write: Write, stated: Read) -> None:
    found = only(stated(write(rates(input_len=1024))))
    assert "64000 tokens were counted, and 115200 were asked for" in found.remarks


def test_a_data_set_has_lengths_of_its_own(write: Write, stated: Read) -> None:
    workload = only(stated(write(rates(dataset_name="sharegpt", output_len=128)))).tree["workload"]
    assert workload == {"dataset": "sharegpt", "prefix_cache": {"enabled": False}}


def test_a_data_set_with_a_path_for_a_name_is_left_out(write: Write, stated: Read) -> None:
    tree = only(stated(write(rates(dataset_name="/home/private/x")))).tree
    assert "dataset" not in tree["workload"]


@pytest.mark.parametrize(
    ("backend", "engine"), [("vllm", "vLLM"), ("vllm-chat", "vLLM"), ("hf", None), ("mii", None)]
)
def test_vllm_is_the_engine_where_it_generated(
    backend: str, engine: str | None, write: Write, stated: Read
) -> None:
    tree = only(stated(write(rates(backend=backend)))).tree
    assert tree["engine"].get("described_as") == engine


def test_experts_overlay_the_split_and_are_no_factor(write: Write, stated: Read) -> None:
    tree = only(stated(write(times(enable_expert_parallel=True)))).tree
    assert tree["hardware"]["pools"] == [
        {"count": 4, "parallelism": {"tensor": 2, "pipeline": 2, "expert": 2}}
    ]


def test_data_parallel_ranks_of_vllm_are_no_split_that_is_known(write: Write, stated: Read) -> None:
    assert "hardware" not in only(stated(write(times(data_parallel_size=2)))).tree


@pytest.mark.parametrize("word", ["gptq", "compressed-tensors", "auto", "x; rm -rf /", None])
def test_a_quantisation_that_names_no_format_states_none(
    word: str | None, write: Write, stated: Read
) -> None:
    tree = only(stated(write(times(quantization=word)))).tree
    assert "weights" not in tree["precision"]
    assert "rm -rf" not in str(tree)


def test_several_sequences_of_a_prompt_are_remarked(write: Write, stated: Read) -> None:
    found = only(stated(write(times(n=4))))
    assert any("each prompt made 4 sequences" in remark for remark in found.remarks)


@pytest.mark.parametrize(
    ("name", "tree", "told"),
    [
        ("no requests", THROUGHPUT | {"num_requests": 0}, "nothing completed"),
        ("no tokens", THROUGHPUT | {"total_num_tokens": 0}, "nothing completed"),
        ("no time", THROUGHPUT | {"elapsed_time": 0}, "lasted 0 s"),
        ("no iterations", LATENCY | {"latencies": []}, "nothing completed"),
        ("no latency", LATENCY | {"avg_latency": None}, "nothing completed"),
        ("a negative latency", LATENCY | {"avg_latency": -1.0}, "nothing completed"),
        ("a batch of nothing", times(batch_size=0), "a batch of 0 requests"),
        ("a text for a percentile", LATENCY | {"percentiles": {"50": "x"}},
         "/percentiles/50 is no number"),
        ("a negative time", THROUGHPUT | {"elapsed_time": -1}, "/elapsed_time is negative"),
        ("one metric of two", rates()[:1], "is of no harness"),
        ("metrics of another tool", [metric("mean_ttft_ms", [27.0], AMOUNTS)],
         "is of no harness"),
        ("two runs in one file", [*rates(), *rates()], "is of no harness"),
    ],
)  # fmt: skip
def test_a_run_that_is_no_operating_point_is_refused(
    name: str, tree: Any, told: str, write: Write, stated: Read
) -> None:
    with pytest.raises(RunError) as error:
        stated(write(tree))
    assert told in str(error.value), name


@pytest.mark.parametrize(("plain", "better"), [(THROUGHPUT, rates()), (LATENCY, times())])
def test_the_file_with_the_arguments_is_the_one_to_import(
    plain: Any, better: Any, write: Write, stated: Read
) -> None:
    write(better, "run.pytorch.json")
    with pytest.raises(RepeatedError, match=r"run\.pytorch\.json"):
        stated(write(plain))


@given(draw=st.data())
@settings(max_examples=120, deadline=None)
def test_a_spoiled_file_is_stated_or_refused_and_no_bug(
    draw: st.DataObject,
    stated: Read,
    tmp_path_factory: pytest.TempPathFactory,
    spoiled: Callable[[Any], st.SearchStrategy[Any]],
    dumped: Callable[[Any], str],
) -> None:
    tree = draw.draw(st.sampled_from([tree for _, tree in FILES]))
    path = tmp_path_factory.mktemp("spoiled") / "run.json"
    path.write_text(dumped(draw.draw(spoiled(tree))), encoding="utf-8")
    try:
        found = only(stated(path))
    except RunError:
        return
    assert all(figure["value"] > 0 for figure in found.tree.get("results", {}).values())
    assert found.tree["load"]["pattern"] in ("all_at_once", "static_batch")


@given(draw=st.data())
@settings(max_examples=40, deadline=None)
def test_one_number_of_the_file_changes_the_fields_that_follow_from_it(
    draw: st.DataObject,
    stated: Read,
    tmp_path_factory: pytest.TempPathFactory,
    changes: Callable[[Any, Any], set[str]],
) -> None:
    tree: dict[str, Any] = draw.draw(st.sampled_from(NUMBERS))
    key = draw.draw(st.sampled_from([key for key in tree if key in FOLLOWING]))
    folder = tmp_path_factory.mktemp("changed")
    before, after = folder / "before.json", folder / "after.json"
    before.write_text(json.dumps(tree), encoding="utf-8")
    after.write_text(json.dumps(tree | {key: tree[key] + 1}), encoding="utf-8")
    found = changes(only(stated(before)).tree, only(stated(after)).tree)
    assert found == FOLLOWING[key]
