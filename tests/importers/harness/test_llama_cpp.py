"""`llama-bench` in all its formats: one sequence at a time, and what each test measures."""

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

FORMATS = ("json", "jsonl", "csv", "sql", "md")
TESTS = ("prefill", "decode", "total", "prefill", "decode", "total")
TESTED: dict[str, Any] = {
    "build_commit": "1c1409e1", "build_number": 6865, "cpu_info": "Example CPU",
    "gpu_info": "Example GPU, Example GPU", "backends": "CUDA", "devices": "auto",
    "model_filename": "/home/somebody/secret/example-1b.gguf",
    "model_type": "llama 1B Q4_K - Medium",
    "model_size": 799862912, "model_n_params": 1235814432, "n_batch": 2048, "n_ubatch": 512,
    "n_threads": 16, "type_k": "f16", "type_v": "f16", "n_gpu_layers": 99, "n_cpu_moe": 0,
    "split_mode": "layer", "main_gpu": 0, "no_kv_offload": False, "flash_attn": True,
    "embeddings": False, "n_prompt": 512, "n_gen": 0, "n_depth": 1024,
    "test_time": "2025-10-28T18:04:31Z", "avg_ts": Decimal("1472.012844"),
    "stddev_ts": Decimal("12.5"), "samples_ns": [1, 2, 3], "samples_ts": [1460, 1472, 1484],
}  # fmt: skip
FORMER = {  # before depths and backends: a flag for each kind of backend
    "build_commit": "3855416", "build_number": 1291, "cuda": "true", "metal": "false",
    "gpu_blas": "true", "blas": "true", "cpu_info": "Example CPU", "gpu_info": "Example GPU",
    "model_filename": "models/7B/ggml-model-q4_0.gguf", "model_type": "llama 7B mostly Q4_0",
    "model_size": "3825065984", "model_n_params": "6738415616", "n_batch": "512",
    "n_threads": "16", "f16_kv": "true", "n_gpu_layers": "99", "main_gpu": "0", "n_prompt": "512",
    "n_gen": "0", "test_time": "2023-09-23T12:09:01Z", "avg_ts": "2368.80", "stddev_ts": "93.24",
}  # fmt: skip
Read = Callable[[Path], list[Statement]]
Told = Callable[..., list[Statement | RunError]]
Changes = Callable[[Any, Any], set[str]]


def stating(told: Told, **changes: Any) -> Statement:
    [found] = told("llama-bench", TESTED | changes)
    assert isinstance(found, Statement), found
    return found


def refusal(told: Told, **changes: Any) -> str:
    [found] = told("llama-bench", TESTED | changes)
    assert isinstance(found, RunError)
    return str(found)


@pytest.mark.parametrize("form", FORMATS)
def test_each_test_of_each_format_is_a_record_of_its_own(
    form: str, data: Path, stated: Read
) -> None:
    found = stated(data / f"llama_cpp/llama-bench.{form}")
    names = [list(one.tree["results"]) for one in found]
    assert names == [[f"{test}_rate"] for test in TESTS]
    metrics = [figure["metric"] for one in found for figure in one.tree["results"].values()]
    assert metrics == [f"{test}_throughput" for test in TESTS]


@pytest.mark.parametrize("form", FORMATS)
def test_each_figure_has_the_value_to_which_its_locator_leads(
    form: str, data: Path, stated: Read, at: Callable[[Any, str], Any]
) -> None:
    path = data / f"llama_cpp/llama-bench.{form}"
    file = opened(path)
    pieces = list(recognised(file).pieces(file))
    found = stated(path)
    assert len(found) == len(pieces) == 6
    for one, piece in zip(found, pieces, strict=True):
        assert one.at == piece.at
        [figure] = one.tree["results"].values()
        text = str(at(piece.tree, figure["locator"]))
        assert Decimal(text.partition(" ")[0]) == figure["value"]


@pytest.mark.parametrize("form", ["json", "jsonl", "csv", "sql"])
def test_what_was_asked_for_stands_with_the_tokens_that_were_there_before(
    form: str, data: Path, stated: Read
) -> None:
    asked = [one.tree["workload"] for one in stated(data / f"llama_cpp/llama-bench.{form}")]
    lengths = [(w["input_tokens"], w["output_tokens"], w["context_tokens"]) for w in asked]
    assert lengths == [(64, 0, 0), (0, 16, 0), (64, 16, 0), (64, 0, 128), (0, 16, 128),
                       (64, 16, 128)]  # fmt: skip


def test_a_test_states_its_conditions(told: Told) -> None:
    tree = dict(stating(told).tree)
    del tree["results"]
    assert tree == {
        "model": {"described_as": "llama 1B Q4_K - Medium (example-1b.gguf)"},
        "engine": {"described_as": "llama.cpp", "commit": "1c1409e1", "version": "b6865",
                   "flags": "n_batch 2048, n_ubatch 512, n_threads 16, n_gpu_layers 99, "
                            "split_mode layer, flash_attn 1"},
        "hardware": {"host": "Example CPU",
                     "pools": [{"described_as": "Example GPU", "count": 2}]},
        "precision": {"weights": "gguf_q4_k_m", "kv_cache": "fp16", "weights_bytes": 799862912},
        "workload": {"input_tokens": 512, "output_tokens": 0, "context_tokens": 1024,
                     "length_basis": "requested", "output_policy": "forced"},
        "load": {"pattern": "single_stream", "requests": 1, "window": "phase_only"},
        "measurement": {"measured": "2025-10-28", "runs": 3, "point": "in_process"},
    }  # fmt: skip


def test_a_logical_batch_of_prompt_tokens_is_no_number_of_requests(told: Told) -> None:
    load = stating(told, n_batch=512).tree["load"]
    assert load["pattern"] == "single_stream"
    assert not {"batch_size", "concurrency"} & load.keys()


def test_repetitions_differ_by_their_spread_and_one_alone_by_none(told: Told) -> None:
    [figure] = stating(told).tree["results"].values()
    assert figure["variation"] == {"runs": 3, "stdev": Decimal("12.5")}
    alone = stating(told, samples_ts=[1472], stddev_ts=Decimal(0))
    assert "variation" not in alone.tree["results"]["prefill_rate"]
    assert alone.tree["measurement"]["runs"] == 1


def test_a_list_of_repetitions_that_may_have_been_cut_counts_none(told: Told) -> None:
    assert "runs" not in stating(told, samples_ts=[1] * 512).tree["measurement"]


def test_a_build_outside_a_checkout_is_no_version(data: Path, stated: Read) -> None:
    for one in stated(data / "llama_cpp/llama-bench.json"):
        assert not {"version", "commit"} & one.tree["engine"].keys()


def test_the_table_has_the_build_that_stands_below_it(
    data: Path, stated: Read, tmp_path: Path
) -> None:
    text = (data / "llama_cpp/llama-bench.md").read_text().replace("unknown (0)", "1c1409e1 (6865)")
    path = tmp_path / "a.md"
    path.write_text(f"ggml_init: found 1 device:\n{text}")
    found = stated(path)[0].tree["engine"]
    assert (found["version"], found["commit"]) == ("b6865", "1c1409e1")


def test_the_table_keeps_the_digits_that_were_printed(data: Path, stated: Read) -> None:
    figure = stated(data / "llama_cpp/llama-bench.md")[0].tree["results"]["prefill_rate"]
    assert figure["printed"] == "103387.39"
    assert figure["variation"] == {"stdev": Decimal("8612.76")}


def test_a_cpu_is_a_pool_whose_one_socket_is_inferred(data: Path, stated: Read) -> None:
    tree = stated(data / "llama_cpp/llama-bench.json")[0].tree
    assert tree["hardware"]["pools"] == [{"described_as": "Intel(R) Xeon(R) Processor", "count": 1}]
    assert "hardware" in tree["inferred"]


@pytest.mark.parametrize(
    ("case", "changes", "pools"),
    [
        ("two alike", {}, [("Example GPU", 2)]),
        ("two kinds", {"gpu_info": "GPU A, GPU B"}, [("GPU A", 1), ("GPU B", 1)]),
        ("one of them by its number", {"gpu_info": "GPU A, GPU B", "split_mode": "none",
                                       "main_gpu": 1}, [("GPU B", 1)]),
        ("one of two alike", {"devices": "CUDA0"}, [("Example GPU", 1)]),
        ("one of two kinds", {"gpu_info": "GPU A, GPU B", "devices": "CUDA0"}, None),
        ("no layer on a GPU", {"n_gpu_layers": 0}, None),
        ("a GPU without a name", {"gpu_info": ""}, None),
    ],
)  # fmt: skip
def test_the_parts_are_those_that_did_the_work_or_none(
    case: str, changes: dict[str, Any], pools: list[tuple[str, int]] | None, told: Told
) -> None:
    found = stating(told, **changes)
    named = found.tree["hardware"].get("pools")
    assert (named and [(pool["described_as"], pool["count"]) for pool in named]) == pools, case
    assert bool(found.remarks) == (pools is None)


def test_what_stays_in_host_memory_is_told(told: Told) -> None:
    assert stating(told, n_cpu_moe=12).tree["engine"]["host_offload"] == "weights"
    both = stating(told, n_cpu_moe=12, no_kv_offload=True)
    assert both.tree["engine"]["host_offload"] == "weights_and_kv_cache"
    assert any("CPU" in remark for remark in stating(told, n_gpu_layers=20).remarks)


def test_a_format_that_the_size_belies_is_not_believed(told: Told) -> None:
    found = stating(told, model_type="gpt-oss 20B F16", model_size=13779630336,
                    model_n_params=20914757184)  # fmt: skip
    assert found.tree["precision"] == {"kv_cache": "fp16", "weights_bytes": 13779630336}
    assert any("5.3 bits" in remark for remark in found.remarks)


@pytest.mark.parametrize(
    ("model_type", "weights"),
    [("llama 8B BF16", "gguf_bf16"), ("llama 7B mostly Q4_0", "gguf_q4_0"),
     ("qwen 7B IQ4_XS - 4.25 bpw", "gguf_iq4_xs"), ("gpt-oss 20B MXFP4 MoE", None)],
)  # fmt: skip
def test_the_format_is_what_the_description_ends_with(
    model_type: str, weights: str | None, told: Told
) -> None:
    tree = stating(told, model_type=model_type, model_size=None).tree
    assert tree["precision"].get("weights") == weights


def test_a_cache_of_two_formats_has_none_for_both(told: Told) -> None:
    assert "kv_cache" not in stating(told, type_v="q8_0").tree["precision"]
    quantised = stating(told, type_k="q8_0", type_v="q8_0")
    assert quantised.tree["precision"]["kv_cache"] == "gguf_q8_0"


def test_the_rows_of_2023_are_read(told: Told) -> None:
    [found] = told("llama-bench", FORMER)
    assert isinstance(found, Statement)
    assert found.tree["hardware"]["pools"] == [{"described_as": "Example GPU", "count": 1}]
    assert found.tree["results"]["prefill_rate"]["value"] == Decimal("2368.80")
    assert "context_tokens" not in found.tree["workload"]


@pytest.mark.parametrize("value", [-1, "1", True, None, "auto"])
def test_flash_attention_may_be_written_in_any_way(value: Any, told: Told) -> None:
    assert "results" in stating(told, flash_attn=value).tree


@pytest.mark.parametrize(
    ("case", "changes", "message"),
    [
        ("embeddings", {"embeddings": True}, "--embeddings"),
        ("nothing measured", {"avg_ts": 0}, "no speed"),
        ("no number", {"avg_ts": Decimal("NaN")}, "no speed"),
        ("endless", {"avg_ts": Decimal("Infinity")}, "finite"),
        ("below nothing", {"avg_ts": -1}, "no speed"),
        ("beyond bounds", {"avg_ts": 10**30}, "larger"),
        ("nothing asked for", {"n_prompt": 0}, "without a prompt"),
        ("a negative length", {"n_prompt": -5}, "negative"),
    ],
)
def test_what_is_no_measurement_is_refused(
    case: str, changes: dict[str, Any], message: str, told: Told
) -> None:
    assert message in refusal(told, **changes), case


def test_a_speed_with_grouped_thousands_is_read(told: Told) -> None:
    assert stating(told, avg_ts="1,472.5").tree["results"]["prefill_rate"]["value"] == Decimal(
        "1472.5"
    )


def test_no_path_and_no_unknown_word_reaches_the_statement(told: Told) -> None:
    found = stating(told, split_mode="layer; rm -rf /", tensor_buft_overrides="secret")
    assert "somebody" not in json.dumps(found.tree, default=str)
    assert "rm -rf" not in json.dumps(found.tree, default=str)


def test_a_value_of_sql_may_hold_a_quote_and_a_comma(
    data: Path, stated: Read, tmp_path: Path
) -> None:
    text = (data / "llama_cpp/llama-bench.sql").read_text()
    path = tmp_path / "a.sql"
    path.write_text(text.replace("'tiny-random.gguf'", "'it''s, a model.gguf'"))
    assert "it's, a model.gguf" in stated(path)[0].tree["model"]["described_as"]


def test_sql_without_an_end_is_refused_in_words(data: Path, stated: Read, tmp_path: Path) -> None:
    path = tmp_path / "a.sql"
    text = (data / "llama_cpp/llama-bench.sql").read_text()
    path.write_text(text.replace("'tiny-random.gguf', ", "'tiny-random.gguf"))
    with pytest.raises(RunError, match="row 1"):
        stated(path)


@pytest.mark.parametrize(
    ("key", "value", "paths"),
    [
        ("avg_ts", Decimal(7), {"results.prefill_rate.value"}),
        ("stddev_ts", Decimal(7), {"results.prefill_rate.variation.stdev"}),
        ("n_depth", 7, {"workload.context_tokens"}),
        ("n_batch", 7, {"engine.flags"}),
        ("build_number", 7, {"engine.version"}),
        ("model_size", 800000000, {"precision.weights_bytes"}),
        ("avg_ns", 7, set()),
        ("stddev_ns", 7, set()),
    ],
)
def test_a_changed_number_changes_what_follows_from_it(
    key: str, value: Any, paths: set[str], told: Told, changes: Changes
) -> None:
    assert changes(stating(told).tree, stating(told, **{key: value}).tree) == paths


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_a_spoiled_row_is_a_statement_or_a_refusal(data: st.DataObject, told: Told,
                                                   spoiled: Any) -> None:  # fmt: skip
    tree = data.draw(spoiled(TESTED))
    assert all(isinstance(one, Statement | RunError) for one in told("llama-bench", tree))


@given(speed=st.text(max_size=30), test=st.text(max_size=30))
@settings(max_examples=150, deadline=None)
def test_a_spoiled_cell_of_the_table_is_a_statement_or_a_refusal(
    speed: str, test: str, told: Told
) -> None:
    tree = {"model": "llama 7B Q4_0", "test": test, "t/s": speed}
    assert all(isinstance(one, Statement | RunError) for one in told("llama-bench-table", tree))


@given(form=st.sampled_from(FORMATS), cut=st.integers(0, 8000), put=st.text(max_size=8))
@settings(max_examples=200, deadline=None)
def test_a_spoiled_text_is_statements_or_a_refusal(
    form: str, cut: int, put: str, data: Path, tmp_path_factory: pytest.TempPathFactory,
    stated: Read,
) -> None:  # fmt: skip
    text = (data / f"llama_cpp/llama-bench.{form}").read_text()
    path = tmp_path_factory.mktemp("llama") / "a"
    path.write_bytes((text[:cut] + put + text[cut + 6 :]).encode(errors="replace"))
    try:
        found = stated(path)
    except RunError:
        return
    assert all(isinstance(one, Statement) for one in found)
