"""InferenceX: rows per GPU in seconds, with rates that are reciprocals of latencies."""

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchreg.importers.statement import RunError, Statement

ROW: dict[str, Any] = {
    "hw": "h200", "conc": 64, "image": "vllm/vllm-openai:v0.11.0", "model": "org/model",
    "infmax_model_prefix": "m", "framework": "vllm", "precision": "fp8", "spec_decoding": "none",
    "disagg": False, "isl": 1024, "osl": 8192, "is_multinode": False, "tp": 4, "pp": 2,
    "dcp_size": 1, "pcp_size": 1, "ep": 4, "dp_attention": "false",
    "tput_per_gpu": Decimal("100.5"), "output_tput_per_gpu": Decimal("80.25"),
    "input_tput_per_gpu": Decimal("20.25"), "mean_ttft": Decimal("0.5"),
    "std_ttft": Decimal("0.1"), "p99_ttft": Decimal("0.9"), "mean_tpot": Decimal("0.01"),
    "p99_tpot": Decimal("0.02"), "mean_intvty": 100, "p99_intvty": 50, "std_intvty": 4711,
    "p99.9_intvty": 40, "mean_itl": Decimal("0.011"), "mean_e2el": 82,
}  # fmt: skip
SPLIT: dict[str, Any] = {
    key: value for key, value in ROW.items() if key not in ("tp", "pp", "pcp_size", "ep")
} | {
    "disagg": True, "is_multinode": True, "num_prefill_gpu": 8, "prefill_num_workers": 2,
    "prefill_tp": 4, "prefill_pp": 1, "prefill_pcp_size": 1, "prefill_ep": 1,
    "prefill_dp_attention": "false", "num_decode_gpu": 16, "decode_num_workers": 1,
    "decode_tp": 16, "decode_pp": 1, "decode_pcp_size": 1, "decode_ep": 16,
    "decode_dp_attention": "true",
}  # fmt: skip
FORMER: dict[str, Any] = {  # before lengths, images and the word for speculation
    "hw": "h200", "tp": 8, "ep": 1, "dp_attention": "false", "conc": 4, "model": "org/model",
    "framework": "trt", "precision": "fp8", "tput_per_gpu": 100, "output_tput_per_gpu": 50,
    "mtp": "on", "mean_ttft": 1, "mean_tpot": Decimal("0.01"), "mean_intvty": 100,
}  # fmt: skip
MEASURED = [key for key, value in ROW.items() if isinstance(value, Decimal) and "std" not in key]
Read = Callable[[Path], list[Statement]]
Told = Callable[..., list[Statement | RunError]]


def stating(told: Told, row: Any) -> Statement:
    [found] = told("inferencex", row)
    assert isinstance(found, Statement), found
    return found


def test_each_figure_has_the_value_to_which_its_locator_leads(
    data: Path, stated: Read, at: Callable[[Any, str], Any]
) -> None:
    path = data / "inferencex/agg.json"
    tree = json.loads(path.read_text(), parse_float=Decimal)
    [found] = stated(path)
    assert len(found.tree["results"]) == 3 + 4 * 5 + 4
    for figure in found.tree["results"].values():
        assert figure["value"] == at(tree, figure["locator"])


def test_a_list_of_rows_is_a_record_each(tmp_path: Path, stated: Read, dumped: Any) -> None:
    path = tmp_path / "rows.json"
    path.write_text(dumped([ROW, SPLIT, FORMER]))
    assert [one.at for one in stated(path)] == ["/0", "/1", "/2"]


def test_a_row_states_its_conditions(told: Told) -> None:
    tree = dict(stating(told, ROW).tree)
    del tree["results"]
    assert tree == {
        "model": {"described_as": "org/model"},
        "hardware": {"pools": [{"described_as": "h200", "count": 8,
                                "parallelism": {"tensor": 4, "pipeline": 2, "expert": 4}}]},
        "engine": {"described_as": "vllm", "image": "vllm/vllm-openai:v0.11.0"},
        "precision": {"weights": "fp8"},
        "workload": {"input_tokens": 1024, "output_tokens": 8192, "length_basis": "requested",
                     "speculative": {"method": "none"}},
        "load": {"pattern": "closed_loop", "concurrency": 64, "window": "full_drain"},
        "inferred": {"load.pattern": tree["inferred"]["load.pattern"]},
        "measurement": {"runs": 1, "latency_origin": "dispatched"},
    }  # fmt: skip


def test_lengths_are_nominal_and_told_to_be(told: Told) -> None:
    assert any("nominal" in remark for remark in stating(told, ROW).remarks)


def test_values_without_a_unit_in_their_name_are_seconds(told: Told) -> None:
    results = stating(told, ROW).tree["results"]
    assert results["ttft_mean"]["unit"] == results["e2e_mean"]["unit"] == "s"
    assert results["ttft_mean"]["spread"] == {"stdev": Decimal("0.1")}


def test_total_throughput_counts_prompts_and_outputs(told: Told) -> None:
    results = stating(told, ROW).tree["results"]
    assert results["total_rate"]["metric"] == "total_throughput"
    assert results["total_rate"]["value"] == Decimal("100.5")
    assert results["output_rate"]["value"] == Decimal("80.25")


def test_one_over_a_slow_tail_is_the_slow_tail_of_the_rate(told: Told) -> None:
    results = stating(told, ROW).tree["results"]
    rates = {name: f for name, f in results.items() if f["metric"] == "decode_rate_per_request"}
    assert {name: f["statistic"] for name, f in rates.items()} == {
        "user_decode_rate_mean": "mean", "user_decode_rate_p1": "p1"
    }  # fmt: skip
    assert rates["user_decode_rate_p1"]["value"] == 50
    assert rates["user_decode_rate_p1"]["source_name"] == "p99_intvty"


def test_one_over_a_spread_means_nothing(told: Told) -> None:
    assert "4711" not in repr(stating(told, ROW).tree)


def test_gaps_between_chunks_are_no_gaps_between_tokens(told: Told) -> None:
    assert stating(told, ROW).tree["results"]["chunk_mean"]["metric"] == "chunk_latency"


def test_a_split_system_has_two_pools_and_each_rate_its_own(told: Told) -> None:
    tree = stating(told, SPLIT).tree
    assert tree["hardware"]["pools"] == [
        {"described_as": "h200", "count": 8, "role": "prefill",
         "parallelism": {"tensor": 4, "replicas": 2}},
        {"described_as": "h200", "count": 16, "role": "decode"},
    ]  # fmt: skip
    over = {name: tree["results"][f"{name}_rate"]["over"] for name in ("output", "input", "total")}
    assert over == {"output": "decode", "input": "prefill", "total": "all"}


def test_a_split_system_may_be_of_two_parts(told: Told) -> None:
    pools = stating(told, SPLIT | {"prefill_hw": "b200", "decode_hw": "gb300"}).tree["hardware"]
    assert [pool["described_as"] for pool in pools["pools"]] == ["b200", "gb300"]


def test_workers_that_do_both_are_one_pool(told: Told) -> None:
    row = SPLIT | {"num_decode_gpu": 0, "decode_tp": 0, "decode_ep": 0}
    tree = stating(told, row).tree
    [pool] = tree["hardware"]["pools"]
    assert (pool["count"], "role" in pool) == (8, False)
    assert tree["results"]["output_rate"]["over"] == "all"


@pytest.mark.parametrize(
    ("case", "changes"),
    [
        ("attention in parallel over data", {"dp_attention": "true"}),
        ("a count that workers do not come to", {"num_prefill_gpu": 12, "prefill_tp": 4}),
    ],
)
def test_a_split_that_is_not_known_is_not_stated(
    case: str, changes: dict[str, Any], told: Told
) -> None:
    assert "parallelism" not in stating(told, ROW | changes).tree["hardware"]["pools"][0], case


def test_older_rows_have_no_lengths_and_another_word_for_speculation(told: Told) -> None:
    tree = stating(told, FORMER).tree
    assert tree["workload"] == {"speculative": {"method": "mtp"}}
    assert "image" not in tree["engine"]
    assert tree["hardware"]["pools"][0]["count"] == 8


@pytest.mark.parametrize(
    ("said", "method"), [("mtp", "mtp"), ("off", "none"), ("rm -rf /", None), ("", None)]
)
def test_speculation_is_one_word_or_not_stated(said: str, method: str | None, told: Told) -> None:
    tree = stating(told, ROW | {"spec_decoding": said}).tree
    assert tree["workload"].get("speculative", {}).get("method") == method


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("nvcr.io#nvidia/sglang:1", "nvcr.io#nvidia/sglang:1"),
        ("lmsysorg/sglang:v0.5.8", "lmsysorg/sglang:v0.5.8"),
        ("registry.corp.example:5000/team/vllm:1", "team/vllm:1"),
        ("localhost/vllm:1", "vllm:1"),
        ("vllm:1; echo", None),
    ],
)
def test_an_image_is_named_without_a_private_host(said: str, kept: str | None, told: Told) -> None:
    assert stating(told, ROW | {"image": said}).tree["engine"].get("image") == kept


@pytest.mark.parametrize(
    ("case", "row", "message"),
    [
        ("agents", ROW | {"scenario_type": "agentic-coding"}, "agent"),
        ("agents by their block", ROW | {"request_metrics": {}}, "agent"),
        ("nothing in flight", ROW | {"conc": 0}, "0 requests in flight"),
        ("no throughput", ROW | {"tput_per_gpu": None, "output_tput_per_gpu": 0}, "no throughput"),
        ("no GPU", ROW | {"tp": 0}, "how many GPUs"),
        ("GPUs of decode alone", SPLIT | {"num_prefill_gpu": 0}, "unclear"),
        ("two kinds, and not split", SPLIT | {"disagg": False}, "unclear"),
        ("endless", ROW | {"tput_per_gpu": Decimal("Infinity")}, "finite"),
        ("endless latency", ROW | {"mean_ttft": Decimal("Infinity")}, "finite"),
        ("beyond bounds", ROW | {"conc": 10**30}, "larger"),
        ("a negative concurrency", ROW | {"conc": -4}, "negative"),
    ],
)
def test_what_is_no_record_is_refused(
    case: str, row: dict[str, Any], message: str, told: Told
) -> None:
    [found] = told("inferencex", row)
    assert isinstance(found, RunError)
    assert message in str(found), case


@pytest.mark.parametrize(
    ("key", "value", "paths"),
    [
        ("tput_per_gpu", 7, {"results.total_rate.value"}),
        ("p99_tpot", 7, {"results.tpot_p99.value"}),
        ("p99_intvty", 7, {"results.user_decode_rate_p1.value"}),
        ("std_ttft", 7, {"results.ttft_mean.spread.stdev"}),
        ("conc", 7, {"load.concurrency"}),
        ("isl", 7, {"workload.input_tokens"}),
        ("std_intvty", 7, set()),
        ("p99.9_intvty", 7, set()),
    ],
)
def test_a_changed_number_changes_what_follows_from_it(
    key: str, value: int, paths: set[str], told: Told, changes: Callable[[Any, Any], set[str]]
) -> None:
    assert changes(stating(told, ROW).tree, stating(told, ROW | {key: value}).tree) == paths


@given(key=st.sampled_from(MEASURED), value=st.decimals(Decimal("0.001"), 1000, places=3))
@settings(max_examples=100, deadline=None)
def test_a_changed_measurement_changes_the_figures_that_lie_there(
    key: str, value: Decimal, told: Told, changes: Callable[[Any, Any], set[str]]
) -> None:
    before, after = stating(told, ROW), stating(told, ROW | {key: value})
    figures = before.tree["results"].items()
    there = {f"results.{name}.value" for name, figure in figures if figure["locator"] == f"/{key}"}
    assert changes(before.tree, after.tree) <= there
    assert after.tree["results"].keys() == before.tree["results"].keys()


@given(data=st.data())
@settings(max_examples=200, deadline=None)
def test_a_spoiled_row_is_a_statement_or_a_refusal(
    data: st.DataObject, told: Told, spoiled: Any
) -> None:
    tree = data.draw(st.sampled_from((ROW, SPLIT, FORMER)).flatmap(spoiled))
    assert all(isinstance(one, Statement | RunError) for one in told("inferencex", tree))
