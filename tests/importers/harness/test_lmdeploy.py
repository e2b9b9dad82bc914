"""lmdeploy: the CSV of its client, and those of its scripts without a server."""

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

SERVED: dict[str, Any] = {
    "backend": "vllm", "dataset_name": "random", "sharegpt_output_len": "",
    "random_input_len": "100", "random_output_len": "32", "random_range_ratio": "1.0",
    "request_rate": "10.0", "completed": "40", "total_input_tokens": "4000",
    "total_output_tokens": "1280", "duration": "4.0", "request_throughput": "10.0",
    "input_throughput": "1000.0", "output_throughput": "320.0",
    "mean_e2e_latency_ms": "237.5", "mean_ttft_ms": "31.5", "mean_tpot_ms": "6.5",
    "mean_itl_ms": "6.25",
}  # fmt: skip
BATCHED: dict[str, Any] = {
    "batch": "64", "num_prompts": "3000", "RPS": "4.250", "RPM": "255.000",
    "FTL(ave)(s)": "0.180", "FTL(min)(s)": "0.051", "FTL(max)(s)": "2.340", "50%(s)": "0.031",
    "throughput(out tok/s)": "980.500", "throughput(total tok/s)": "2010.250",
}  # fmt: skip
FILES = ("lmdeploy_restful", "throughput", "throughput_0.2", "restful_0.2", "pipeline_0.2")
Read = Callable[[Path], list[Statement]]
Told = Callable[..., list[Statement | RunError]]
Changes = Callable[[Any, Any], set[str]]


def served(told: Told, **changes: Any) -> Statement:
    [found] = told("lmdeploy-serve", SERVED | changes)
    assert isinstance(found, Statement), found
    return found


@pytest.mark.parametrize("name", FILES)
def test_each_figure_has_the_value_to_which_its_locator_leads(
    name: str, data: Path, stated: Read, at: Callable[[Any, str], Any]
) -> None:
    path = data / f"lmdeploy/{name}.csv"
    file = opened(path)
    [piece] = recognised(file).pieces(file)
    [found] = stated(path)
    assert len(found.tree["results"]) >= 3
    for figure in found.tree["results"].values():
        assert figure["value"] == Decimal(at(piece.tree, figure["locator"]))


def test_the_clients_file_states_its_conditions(data: Path, stated: Read) -> None:
    tree = dict(stated(data / "lmdeploy/lmdeploy_restful.csv")[0].tree)
    assert list(tree.pop("results")) == [
        "request_rate", "input_rate", "output_rate", "ttft_mean", "tpot_mean", "chunk_mean",
        "e2e_mean",
    ]  # fmt: skip
    assert tree == {
        "load": {"pattern": "open_loop", "request_rate": 10, "arrival": {"process": "poisson"},
                 "completed": 40, "duration_s": Decimal("3.658718044000125"),
                 "window": "full_drain"},
        "workload": {"total_input_tokens": 4000, "total_output_tokens": 1280, "input_tokens": 100,
                     "output_tokens": 32, "length_basis": "measured", "dataset": "random",
                     "distribution": "fixed"},
        "measurement": {"runs": 1, "latency_origin": "dispatched", "streaming": True},
    }  # fmt: skip


def test_the_dialect_of_the_client_is_no_engine(told: Told) -> None:
    assert "engine" not in served(told, backend="vllm").tree


@pytest.mark.parametrize("word", ["inf", "Infinity"])
def test_an_infinite_rate_in_any_word_is_everything_at_once(word: str, told: Told) -> None:
    load = served(told, request_rate=word).tree["load"]
    assert load["pattern"] == "all_at_once"
    assert "request_rate" not in load


def test_a_rate_that_was_not_reached_is_told(told: Told) -> None:
    assert any("req/s" in remark for remark in served(told, request_rate="25").remarks)


def test_lengths_are_those_measured_and_told_where_far_from_those_asked_for(told: Told) -> None:
    found = served(told, random_range_ratio="0.0", total_input_tokens="2000")
    assert found.tree["workload"]["input_tokens"] == 50
    assert found.tree["workload"]["distribution"] == "uniform"
    assert any("100 was asked for" in remark for remark in found.remarks)


def test_without_streaming_the_first_token_was_not_seen(told: Told) -> None:
    found = served(told, mean_ttft_ms="237.5", mean_itl_ms="0.0")
    latencies = [name for name in found.tree["results"] if name.endswith("_mean")]
    assert latencies == ["e2e_mean"]
    assert "streaming" not in found.tree["measurement"]
    assert any("first token" in remark for remark in found.remarks)


@pytest.mark.parametrize(
    ("name", "pattern", "inferred", "point"),
    [
        ("throughput_0.2", "closed_loop", False, "in_process"),
        ("restful_0.2", "closed_loop", False, None),
        ("throughput", "closed_loop", True, "in_process"),
        ("pipeline_0.2", "all_at_once", False, None),
    ],
)
def test_the_columns_tell_which_script_wrote_them(
    name: str, pattern: str, inferred: bool, point: str | None, data: Path, stated: Read
) -> None:
    [found] = stated(data / f"lmdeploy/{name}.csv")
    assert found.tree["load"]["pattern"] == pattern
    assert found.tree["load"].get("concurrency") == (64 if pattern == "closed_loop" else None)
    assert ("load.pattern" in found.tree.get("inferred", {})) == inferred
    assert found.tree["measurement"].get("point") == point


def test_a_batch_that_never_binds_is_everything_at_once(told: Told) -> None:
    [found] = told("lmdeploy-throughput", BATCHED | {"num_prompts": "10"})
    assert isinstance(found, Statement)
    assert found.tree["load"]["pattern"] == "all_at_once"


def test_total_throughput_counts_prompts_and_outputs(data: Path, stated: Read) -> None:
    results = stated(data / "lmdeploy/throughput.csv")[0].tree["results"]
    assert results["output_rate"]["value"] == Decimal("980.500")
    assert results["total_rate"]["metric"] == "total_throughput"
    assert results["total_rate"]["printed"] == "2010.250"


def test_a_dash_is_no_latency(data: Path, stated: Read) -> None:
    results = stated(data / "lmdeploy/restful_0.2.csv")[0].tree["results"]
    assert not any(name.startswith("ttft") for name in results)


@pytest.mark.parametrize(
    ("importer", "changes", "message"),
    [
        ("lmdeploy-serve", {"completed": "0"}, "nothing completed"),
        ("lmdeploy-serve", {"output_throughput": "nan"}, "no throughput"),
        ("lmdeploy-serve", {"request_rate": "0"}, "sends none"),
        ("lmdeploy-serve", {"request_rate": "trace"}, "no number"),
        ("lmdeploy-serve", {"duration": "-1"}, "negative"),
        ("lmdeploy-serve", {"mean_e2e_latency_ms": "inf"}, "no number"),
        ("lmdeploy-serve", {"total_input_tokens": "9" * 40}, "larger"),
        ("lmdeploy-throughput", {"num_prompts": "0"}, "nothing was measured"),
        ("lmdeploy-throughput", {"throughput(out tok/s)": "-"}, "nothing was measured"),
        ("lmdeploy-throughput", {"batch": "0"}, "lets none through"),
    ],
)
def test_what_is_no_record_is_refused(
    importer: str, changes: dict[str, Any], message: str, told: Told
) -> None:
    [found] = told(importer, (SERVED if importer == "lmdeploy-serve" else BATCHED) | changes)
    assert isinstance(found, RunError)
    assert message in str(found)


def test_a_row_of_another_length_than_the_header_is_refused(
    data: Path, stated: Read, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text((data / "lmdeploy/throughput.csv").read_text().replace("64,", "64,64,"))
    with pytest.raises(RunError):
        stated(path)


def test_grouped_thousands_are_read(told: Told) -> None:
    found = served(told, total_input_tokens="4,000")
    assert found.tree["workload"]["total_input_tokens"] == 4000


@pytest.mark.parametrize(
    ("key", "value", "paths"),
    [
        ("output_throughput", "7", {"results.output_rate.value"}),
        ("mean_itl_ms", "7", {"results.chunk_mean.value"}),
        ("duration", "7", {"load.duration_s"}),
        ("total_output_tokens", "1240",
         {"workload.total_output_tokens", "workload.output_tokens"}),
        ("sharegpt_output_len", "7", set()),
        ("backend", "sglang", set()),
    ],
)  # fmt: skip
def test_a_changed_number_changes_what_follows_from_it(
    key: str, value: str, paths: set[str], told: Told, changes: Changes
) -> None:
    assert changes(served(told).tree, served(told, **{key: value}).tree) == paths


@pytest.mark.parametrize(
    ("key", "paths"),
    [
        ("RPS", {"results.request_rate.value", "results.request_rate.printed"}),
        ("FTL(max)(s)", {"results.ttft_max.value", "results.ttft_max.printed"}),
        ("num_prompts", {"load.requests"}),
        ("RPM", set()),
        ("50%(s)", set()),
    ],
)
def test_a_changed_cell_of_a_script_changes_what_follows_from_it(
    key: str, paths: set[str], told: Told, changes: Changes
) -> None:
    [before] = told("lmdeploy-throughput", BATCHED)
    [after] = told("lmdeploy-throughput", BATCHED | {key: "777"})
    assert isinstance(before, Statement)
    assert isinstance(after, Statement)
    assert changes(before.tree, after.tree) == paths


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_a_spoiled_row_is_a_statement_or_a_refusal(
    data: st.DataObject, told: Told, spoiled: Any
) -> None:
    name, row = data.draw(
        st.sampled_from((("lmdeploy-serve", SERVED), ("lmdeploy-throughput", BATCHED)))
    )
    tree = data.draw(spoiled(row))
    assert all(isinstance(one, Statement | RunError) for one in told(name, tree))
