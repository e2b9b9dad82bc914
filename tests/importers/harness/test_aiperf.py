"""AIPerf: what its JSON states from 0.1.1 to 0.13, and which of its files are no result."""

import shutil
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
Of = Callable[..., Statement]
DATA = Path(__file__).parent.parent / "data/aiperf"
NAME = "profile_export_aiperf.json"
COUNTED = "server"
CONC = next(opened(DATA / "conc" / NAME).pieces()).tree
RATE = next(opened(DATA / "rate" / NAME).pieces()).tree
FIGURES = {
    "time_to_first_token": ("ttft", "ttft"),
    "inter_token_latency": ("tpot", "tpot"),
    "inter_chunk_latency": ("chunk", "chunk_latency"),
    "request_latency": ("e2e", "e2e_latency"),
    "output_token_throughput_per_user": ("user_decode_rate", "decode_rate_per_request"),
    "e2e_output_token_throughput": ("user_rate", "output_rate_per_request"),
}
RATES = {
    "request_throughput": ("request_rate", "request_throughput"),
    "output_token_throughput": ("output_rate", "output_throughput"),
    "input_token_throughput": ("input_rate", "input_throughput"),
    "total_token_throughput": ("total_rate", "total_throughput"),
}
# What follows from a number of the file that is no figure, beside the n of figures.
FOLLOWS = {
    "/request_count/avg": {"load.completed", "workload.input_tokens", "workload.output_tokens",
                           "load.duration_s"},
    "/completed_request_count/avg": {"load.requests"},
    "/total_isl/avg": {"workload.total_input_tokens", "workload.input_tokens"},
    "/total_osl/avg": {"workload.total_output_tokens", "workload.output_tokens"},
    "/input_config/phases/0/requests": {"load.warmup.requests"},
    "/input_config/phases/1/concurrency": {"load.concurrency"},
    "/benchmark_duration/avg": {"load.duration_s"},
    "/request_throughput/avg": {"load.duration_s"},
}  # fmt: skip


def metric(mean: Any, unit: str = "requests", **more: Any) -> dict[str, Any]:
    return {"unit": unit, "avg": Decimal(str(mean)), **more}


def options(**load: Any) -> dict[str, Any]:
    """A report of 0.3 to 0.8: flat, and the load as options; defaults are not written."""
    return {
        "request_throughput": metric("9.5", "requests/sec"),
        "request_latency": metric("900.5", "ms", p99=Decimal("1200.5"), std=Decimal("30.5")),
        "request_count": metric(95),
        "time_to_first_token": metric("250.5", "ms", p99=Decimal("400.5")),
        "inter_token_latency": metric("6.5", "ms"),
        "output_token_throughput": metric("950.5", "tokens/sec"),
        "output_token_throughput_per_user": metric("153.5", "tokens/sec/user"),
        "output_sequence_length": metric(100, "tokens"),
        "input_sequence_length": metric(550, "tokens"),
        "benchmark_duration": metric("10.0", "sec"),
        "input_config": {
            "endpoint": {
                "model_names": ["example/model-7b"],
                "type": "chat",
                "streaming": True,
                "url": "localhost:9000",
                "api_key": "SECRET",
            },
            "input": {"prompt": {"output_tokens": {"mean": 100}}},
            "loadgen": load,
            "cli_command": "aiperf profile --api-key SECRET",
        },
        "was_cancelled": False,
        "error_summary": [{"error_details": {"message": "SECRET"}, "count": 5}],
        "start_time": "2025-12-31T23:59:59.146443",
        "end_time": "2026-01-01T00:00:09.474205",
    }


def first() -> dict[str, Any]:
    """A report of 0.1.1: the metrics below `records`, two of them with a short name."""
    flat = options(concurrency=50, request_rate_mode="concurrency_burst", request_count=100)
    settings = ("input_config", "was_cancelled", "error_summary", "start_time", "end_time")
    records = {
        key: {"tag": key, "header": key, "min": None, "p1": None, **one}
        for key, one in flat.items()
        if key not in settings
    }
    records["ttft"] = records.pop("time_to_first_token") | {"count": 94}
    records["inter_chunk_latency"] = metric("6.75", "ms", count=9000)
    records["request_throughput"]["count"] = 1
    records["error_request_count"] = metric(5)
    return {"records": records} | {key: flat[key] for key in settings}


@pytest.fixture(scope="session")
def of(told: Told) -> Of:
    """A function that returns the one statement that a report makes; raises its refusal."""

    def one(tree: Any, path: Path = Path("run.json")) -> Statement:
        (found,) = told("aiperf", tree, path)
        if isinstance(found, RunError):
            raise found
        return found

    return one


def test_a_closed_loop_states_its_conditions_and_no_others(stated: Any) -> None:
    (found,) = stated(DATA / "conc" / NAME)
    tree = dict(found.tree)
    del tree["results"]
    assert tree == {
        "model": {"described_as": "mock-model"},
        "load": {
            "pattern": "closed_loop",
            "concurrency": 4,
            "requests": 40,
            "completed": 40,
            "failed": 0,
            "duration_s": Decimal("2.80125"),
            "window": "full_drain",
            "warmup": {"requests": 4, "excluded": True},
        },
        "workload": {
            "input_tokens": 100,
            "output_tokens": Decimal("32.175"),
            "length_basis": "measured",
            "total_input_tokens": 4000,
            "total_output_tokens": 1287,
            "output_policy": "forced",
        },
        "measurement": {
            "harness_version": "0.13.0",
            "measured": "2026-11-30",
            "runs": 1,
            "latency_origin": "dispatched",
            "first_token": "any",
            "token_count_source": "client_tokenizer",
            "streaming": True,
        },
    }


def test_an_open_loop_states_its_rate_arrivals_and_limits(stated: Any) -> None:
    (found,) = stated(DATA / "rate" / NAME)
    load = found.tree["load"]
    assert (load["pattern"], load["request_rate"]) == ("open_loop", 8)
    assert load["arrival"] == {"process": "poisson"}
    assert load["warmup"] == {"requests": 0}
    assert found.tree["slo"] == {"ttft_ms": 30, "tpot_ms": 6}
    assert found.tree["results"]["goodput"]["value"] == RATE["goodput"]["avg"]
    assert "output_policy" not in found.tree["workload"]


@pytest.mark.parametrize("folder", ["conc", "rate"])
def test_each_figure_has_the_digits_at_its_place_in_the_file(
    folder: str, stated: Any, at: Any
) -> None:
    (found,) = stated(DATA / folder / NAME)
    tree = next(opened(DATA / folder / NAME).pieces()).tree
    for figure in found.tree["results"].values():
        assert figure["value"] == at(tree, figure["locator"])
    read = {figure["locator"].split("/")[1] for figure in found.tree["results"].values()}
    assert read - {"goodput"} == FIGURES.keys() | RATES.keys()


@pytest.mark.parametrize(
    ("key", "name", "means"),
    [(key, *two) for group in (FIGURES, RATES) for key, two in group.items()],
)
def test_a_name_of_the_harness_means_one_metric(key: str, name: str, means: str, of: Of) -> None:
    results = of(CONC).tree["results"]
    figure = results[name if key in RATES else f"{name}_mean"]
    assert figure["metric"] == means
    assert figure["locator"] == f"/{key}/avg"
    assert figure["scope"] == ("system" if key in RATES else "per_request")


def test_inter_token_latency_is_a_mean_per_request_and_gaps_are_of_chunks(of: Of) -> None:
    results = of(CONC).tree["results"]
    assert results["tpot_p99"]["source_name"] == "inter_token_latency"
    assert "itl" not in {one["metric"] for one in results.values()}
    tpot = (CONC["request_latency"]["sum"] - CONC["time_to_first_token"]["sum"]) / 40 / 31
    assert abs(results["tpot_mean"]["value"] - tpot) < Decimal("0.05")


def test_requests_stand_behind_a_statistic_and_gaps_do_not(of: Of) -> None:
    results = of(first()).tree["results"]
    assert results["ttft_mean"]["n"] == 94
    assert results["chunk_mean"]["n"] == 95
    assert "n" not in results["request_rate"]


def test_the_fast_tail_of_a_rate_stays_the_high_percentile(of: Of) -> None:
    results = of(CONC).tree["results"]
    assert (
        results["user_decode_rate_p1"]["value"]
        < results["user_decode_rate_p50"]["value"]
        < results["user_decode_rate_p99"]["value"]
    )


def test_the_rate_of_one_user_times_the_users_is_not_read_as_the_aggregate(of: Of) -> None:
    results = of(CONC).tree["results"]
    assert results["output_rate"]["value"] == CONC["output_token_throughput"]["avg"]
    assert results["output_rate"]["value"] < 4 * results["user_decode_rate_mean"]["value"]


def test_time_weighted_and_warm_up_metrics_are_not_read(of: Of) -> None:
    before = of(CONC).tree
    tree = {
        key: value
        for key, value in CONC.items()
        if not key.startswith(("effective_", "active_", "http_", "tokens_in_flight"))
    }
    tree["warmup_metrics"] = {"request_latency": metric(1, "ms")}
    assert len(tree) < len(CONC)
    assert of(tree).tree == before


def test_the_duration_is_the_one_that_the_rates_are_over(of: Of) -> None:
    assert of(CONC).tree["load"]["duration_s"] != CONC["benchmark_duration"]["avg"]
    assert of(options()).tree["load"]["duration_s"] == 10


@pytest.mark.parametrize("stamp", ["yesterday", "2025-12-31T23:59:59+00:00", ""])
def test_a_stamp_that_cannot_be_read_leaves_the_duration(stamp: str, of: Of) -> None:
    tree = options() | {"start_time": stamp or "x"}
    assert of(tree).tree["load"]["duration_s"] == 10


def test_the_first_format_is_read_as_the_later_ones(of: Of, at: Any) -> None:
    tree = first()
    found = of(tree)
    assert found.tree["load"]["pattern"] == "closed_loop"
    assert found.tree["load"]["failed"] == 5
    assert found.tree["load"]["requests"] == 100
    assert found.tree["measurement"]["measured"] == "2025-12-31"
    assert found.tree["results"]["ttft_p99"]["locator"] == "/records/ttft/p99"
    for figure in found.tree["results"].values():
        assert figure["value"] == at(tree, figure["locator"])


@pytest.mark.parametrize(
    ("load", "expected"),
    [
        ({"concurrency": 50}, {"pattern": "closed_loop", "concurrency": 50}),
        ({"request_rate": 8, "request_rate_mode": "poisson"},
         {"pattern": "open_loop", "request_rate": 8, "arrival": {"process": "poisson"}}),
        ({"request_rate": 8, "arrival_pattern": "gamma", "arrival_smoothness": Decimal("0.5")},
         {"pattern": "open_loop", "request_rate": 8,
          "arrival": {"process": "gamma", "burstiness": Decimal("0.5")}}),
        ({"request_rate": 8, "arrival_pattern": "constant", "concurrency": 50},
         {"pattern": "open_loop", "request_rate": 8, "max_in_flight": 50,
          "arrival": {"process": "constant"}}),
        ({"user_centric_rate": 2, "num_users": 9}, {}),
    ],
)  # fmt: skip
def test_options_of_a_load_make_its_pattern(load: Any, expected: Any, of: Of) -> None:
    found = of(options(**load)).tree["load"]
    kept = ("pattern", "concurrency", "request_rate", "max_in_flight", "arrival")
    assert {key: found[key] for key in kept if key in found} == expected


@pytest.mark.parametrize(
    ("phase", "expected"),
    [
        ({"type": "constant", "rate": 8, "concurrency": 9},
         {"pattern": "open_loop", "request_rate": 8, "max_in_flight": 9,
          "arrival": {"process": "constant"}}),
        ({"type": "gamma", "rate": 8, "smoothness": 2},
         {"pattern": "open_loop", "request_rate": 8,
          "arrival": {"process": "gamma", "burstiness": 2}}),
        ({"type": "gamma", "rate": 8},
         {"pattern": "open_loop", "request_rate": 8, "arrival": {"process": "gamma"}}),
        ({"type": "poisson", "rate_series": [[0, 1]]},
         {"pattern": "open_loop", "arrival": {"process": "poisson"}}),
        ({"type": "concurrency"}, {"pattern": "closed_loop"}),
        ({"type": "fixed_schedule"}, {"pattern": "trace_replay"}),
        ({"type": "concurrency", "concurrency": 9, "timing_mode": "agentic_replay"},
         {"pattern": "trace_replay"}),
        ({"type": "user_centric", "rate": 8, "users": 9}, {}),
        ({"type": None}, {}),
    ],
)  # fmt: skip
def test_the_type_of_a_phase_is_its_pattern(phase: Any, expected: Any, of: Of) -> None:
    tree = deepcopy(RATE)
    tree["input_config"]["phases"] = [{"name": "p", "kind": "profiling", "requests": 40, **phase}]
    load = of(tree).tree["load"]
    kept = ("pattern", "concurrency", "request_rate", "max_in_flight", "arrival")
    assert {key: load[key] for key in kept if key in load} == expected


def test_a_setting_that_was_left_at_its_default_is_absent_with_the_reason(of: Of) -> None:
    bare = of(options(request_rate=8)).tree["absent"]["load.arrival"]
    assert "left as it is" in bare["note"]
    tree = deepcopy(RATE)
    tree["input_config"]["phases"] = [{"kind": "profiling", "type": "concurrency", "requests": 40}]
    assert "left as it is" in of(tree).tree["absent"]["load"]["note"]


@pytest.mark.parametrize(
    ("load", "expected"),
    [
        ({}, {"requests": 0}),
        ({"warmup_request_count": 0}, {"requests": 0}),
        ({"warmup_request_count": 8}, {"requests": 8, "excluded": True}),
        ({"warmup_duration": Decimal("2.5")}, {"seconds": Decimal("2.5"), "excluded": True}),
        ({"warmup_num_sessions": 3}, None),
    ],
)
def test_a_warm_up_that_no_option_names_did_not_take_place(
    load: Any, expected: Any, of: Of
) -> None:
    found = of(options(concurrency=50, **load)).tree
    assert found["load"].get("warmup") == expected
    assert ("load.warmup" in found.get("absent", {})) == (expected is None)


def test_warm_ups_of_several_phases_add_up(of: Of) -> None:
    tree = deepcopy(CONC)
    warm, run = tree["input_config"]["phases"]
    tree["input_config"]["phases"] = [warm, warm | {"name": "more", "duration": 2}, run]
    assert of(tree).tree["load"]["warmup"] == {"requests": 8, "excluded": True}


def test_a_phase_is_a_warm_up_by_its_name_where_it_has_no_kind(of: Of) -> None:
    tree = deepcopy(CONC)
    for phase in tree["input_config"]["phases"]:
        del phase["kind"]
    assert of(tree).tree == of(CONC).tree


def test_a_file_of_the_warm_up_is_refused_where_it_lies(stated: Any) -> None:
    with pytest.raises(RunError, match="is of the warm-up, and no result"):
        stated(DATA / "conc/phases/warmup" / NAME)


def test_a_file_of_the_warm_up_is_refused_wherever_it_was_moved(
    stated: Any, tmp_path: Path
) -> None:
    shutil.copy(DATA / "conc/phases/warmup" / NAME, tmp_path / "result.json")
    with pytest.raises(RunError, match="is of the warm-up, and no result"):
        stated(tmp_path / "result.json")


def test_a_file_of_the_measured_phase_states_what_the_whole_does(
    stated: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "phases/profiling"
    folder.mkdir(parents=True)
    shutil.copy(DATA / "conc" / NAME, folder / NAME)
    (found,) = stated(folder / NAME)
    assert found.tree == stated(DATA / "conc" / NAME)[0].tree


def test_a_folder_called_warmup_is_none_of_the_warm_up(stated: Any, tmp_path: Path) -> None:
    (tmp_path / "warmup").mkdir()
    shutil.copy(DATA / "conc" / NAME, tmp_path / "warmup" / NAME)
    assert stated(tmp_path / "warmup" / NAME)


def two_phases(folder: Path, dumped: Any, *, manifest: bool) -> Path:
    """Write the file of a phase called `high`, of a run with another measured phase."""
    tree = deepcopy(CONC)
    warm, run = tree["input_config"]["phases"]
    phases = [warm, run | {"name": "low", "concurrency": 2}, run | {"name": "high"}]
    tree["input_config"]["phases"] = phases
    path = folder / "phases/high" / NAME
    path.parent.mkdir(parents=True)
    path.write_text(dumped(tree))
    (folder / NAME).write_text(dumped(tree))
    if manifest:
        told = {"phases": [{"phase_name": phase["name"]} for phase in phases]}
        (folder / "phase_manifest.json").write_text(dumped(told))
    return path


def test_one_of_several_measured_phases_is_known_by_the_manifest(
    stated: Any, dumped: Any, tmp_path: Path
) -> None:
    path = two_phases(tmp_path, dumped, manifest=True)
    (found,) = stated(path)
    assert found.tree["load"]["concurrency"] == 4
    with pytest.raises(RunError, match="pools several measured phases"):
        stated(tmp_path / NAME)


def test_several_measured_phases_without_a_manifest_are_refused(
    stated: Any, dumped: Any, tmp_path: Path
) -> None:
    with pytest.raises(RunError, match="pools several measured phases"):
        stated(two_phases(tmp_path, dumped, manifest=False))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"was_cancelled": True}, "was cancelled before it ended"),
        ({"is_complete": False, "incomplete_reason": "SECRET"}, "did not end as it should"),
        ({"request_count": None}, "nothing completed"),
        ({"request_count": metric(0)}, "nothing completed"),
        ({"request_count": metric("0.5")}, "no number of requests"),
        ({"output_token_throughput": None}, "embeddings, rankings or images"),
        ({"total_osl": metric("3.5")}, "no number of requests or tokens"),
        ({"request_throughput": metric(9, "requests/min")}, "a rate per second"),
        ({"request_latency": metric(9, "hours")}, "no unit of time"),
    ],
)
def test_what_is_no_result_is_refused(change: Any, says: str, of: Of) -> None:
    with pytest.raises(RunError, match=says) as refused:
        of(options(concurrency=50) | change)
    assert "SECRET" not in str(refused.value)


def test_a_run_of_several_models_is_refused(of: Of) -> None:
    tree = deepcopy(RATE)
    tree["input_config"]["models"]["items"] = [{"name": "one"}, {"name": "two"}]
    with pytest.raises(RunError, match="several models"):
        of(tree)


@pytest.mark.parametrize("load", [{"concurrency": 0}, {"request_rate": 0}])
def test_a_load_that_sends_nothing_is_refused(load: Any, of: Of) -> None:
    with pytest.raises(RunError, match="sends no requests"):
        of(options(**load))


def test_the_table_is_refused_and_the_report_beside_it_named(stated: Any) -> None:
    with pytest.raises(
        RunError, match=r"names neither model nor load.*profile_export_aiperf\.json"
    ):
        stated(DATA / "conc/profile_export_aiperf.csv")


def test_failures_are_counted_from_the_errors_where_no_metric_counts_them(of: Of) -> None:
    found = of(options(concurrency=50))
    assert found.tree["load"]["failed"] == 5
    assert any("5 requests failed" in remark for remark in found.remarks)
    assert "failed" not in of(options() | {"error_summary": None}).tree["load"]


def test_what_needs_a_look_is_told(of: Of) -> None:
    tree = options(request_rate=20, request_count=120, request_cancellation_rate=10)
    tree["input_config"]["input"]["prompt"]["output_tokens"]["mean"] = 250
    tree |= {
        "usage_prompt_tokens": metric(500, "tokens"),
        "credit_to_start_latency": metric(90, "ms"),
        "spec_decode_acceptance_length": metric(2, "ratio"),
    }
    assert of(tree).remarks == [
        "the client cancelled some requests on purpose",
        "5 requests failed; the figures are of those that completed",
        "120 requests were to be sent, and 100 ended",
        "the output length was to be 250 and was 100",
        "the rate of requests was to be 20 and was 9.5",
        "the server counts 500 tokens a prompt, the client 550",
        "requests waited in the client before they were sent; latencies leave it out",
        "the server speculated; say how with --set workload.speculative.method=...",
    ]


def test_a_loop_with_no_more_requests_than_it_holds_is_told(of: Of) -> None:
    found = of(options(concurrency=100, request_count=100))
    assert found.tree["load"]["pattern"] == "closed_loop"
    assert any("came all at once" in remark for remark in found.remarks)


def test_a_cap_on_an_open_loop_is_told(of: Of) -> None:
    found = of(options(request_rate=Decimal("9.5"), concurrency=50))
    assert found.tree["load"]["max_in_flight"] == 50
    assert any("held requests back on the client" in remark for remark in found.remarks)


def test_nothing_is_told_of_a_run_as_it_should_be(of: Of) -> None:
    tree = options(concurrency=50, request_count=95) | {"error_summary": []}
    assert not of(tree).remarks


def test_tokens_are_the_servers_where_the_client_takes_its_count(of: Of) -> None:
    tree = options() | {"usage_prompt_tokens": metric(500, "tokens")}
    tree["input_config"]["endpoint"]["use_server_token_count"] = True
    found = of(tree)
    assert found.tree["measurement"]["token_count_source"] == COUNTED
    assert not any("the server counts" in remark for remark in found.remarks)


def test_without_streaming_nothing_is_said_of_first_tokens(of: Of) -> None:
    tree = options()
    tree["input_config"]["endpoint"]["streaming"] = False
    found = of(tree).tree
    assert {one["metric"] for one in found["results"].values()}.isdisjoint({"ttft", "tpot"})
    assert "first_token" not in found["measurement"]


def test_hardware_is_what_telemetry_watched_and_marked_so(of: Of) -> None:
    gpus = {str(n): {"gpu_name": "NVIDIA H100 80GB HBM3", "hostname": "SECRET"} for n in range(2)}
    found = of(options() | {"telemetry_data": {"endpoints": {"SECRET": {"gpus": gpus}}}})
    pools = [{"described_as": "NVIDIA H100 80GB HBM3", "count": 2}]
    assert found.tree["hardware"] == {"pools": pools}
    assert "telemetry watched" in found.tree["inferred"]["hardware"]
    assert "hardware" not in of(options() | {"telemetry_data": {"endpoints": {}}}).tree


def test_goodput_with_a_limit_that_no_field_holds_is_left_out(of: Of) -> None:
    tree = options() | {"goodput": metric("4.5", "requests/sec")}
    tree["input_config"]["input"]["goodput"] = {"output_token_throughput_per_user": 9}
    assert "goodput" not in of(tree).tree["results"]


def test_keys_addresses_commands_and_messages_are_not_copied(of: Of) -> None:
    assert "SECRET" not in repr(of(options(concurrency=50)))
    found = repr(of(CONC))
    assert "127.0.0.1" not in found
    assert "aiperf profile" not in found


@pytest.mark.parametrize("value", ["text", Decimal("Infinity"), Decimal("1E+400"), True, {}])
def test_a_percentile_that_is_no_number_is_refused(value: Any, of: Of) -> None:
    tree = deepcopy(CONC)
    tree["time_to_first_token"]["p99"] = value
    with pytest.raises(RunError, match="the file: /time_to_first_token/p99 is"):
        of(tree)


@given(data=st.data())
def test_a_number_of_the_file_changes_what_is_read_from_it_and_nothing_else(
    data: st.DataObject, of: Of, at: Any, changes: Any
) -> None:
    before = of(CONC).tree
    stated = [one for one in numbers(CONC) if "/std" not in one and at(CONC, one)]
    place = data.draw(st.sampled_from(stated))
    above, _, key = place.rpartition("/")
    tree = deepcopy(CONC)
    at(tree, above)[key] = at(CONC, place) * 2 + 1
    found = changes(before, of(tree).tree)
    read = {f"results.{name}.value" for name, one in before["results"].items()
            if one["locator"] == place}  # fmt: skip
    counted = {path for path in found if path.endswith(".n")} if "count" in place else set()
    assert read <= found
    assert found <= read | FOLLOWS.get(place, set()) | counted


def numbers(tree: Any, here: str = "") -> list[str]:
    if isinstance(tree, dict | list):
        items: Any = tree.items() if isinstance(tree, dict) else enumerate(tree)
        return [one for key, value in items for one in numbers(value, f"{here}/{key}")]
    whole = isinstance(tree, int | Decimal) and not isinstance(tree, bool)
    return [here] if whole else []


@given(data=st.data())
def test_a_spoiled_report_is_read_or_refused(data: st.DataObject, spoiled: Any, told: Told) -> None:
    base = data.draw(st.sampled_from((CONC, RATE, first(), options(request_rate=8))))
    for found in told("aiperf", data.draw(spoiled(base))):
        assert isinstance(found, Statement | RunError)
