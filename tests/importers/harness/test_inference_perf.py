"""inference-perf: what the reports of a stage state, with and without their conditions."""

import json
import shutil
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
from benchreg.importers.statement import RepeatedError, RunError, Statement

Stated = Callable[[Path], list[Statement]]
At = Callable[[Any, str], Any]
Dumped = Callable[[Any], str]
Read = Callable[..., list[Statement | RunError]]

STAGES = ("closed/stage_0", "open/stage_0", "open/stage_1")
OPEN = {"load": {"type": "poisson", "stages": [{"rate": 8}]}, "server": {"model_name": "m"}}


def tree_of(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)


@pytest.fixture
def read(tmp_path: Path, dumped: Dumped) -> Read:
    """A function that writes a report, a configuration beside it, and returns what it states."""

    def of(tree: Any, config: Any = None) -> list[Statement | RunError]:
        path, beside = tmp_path / "report.json", tmp_path / "config.yaml"
        path.write_text(dumped(tree), encoding="utf-8")
        beside.unlink(missing_ok=True)
        if config is not None:
            beside.write_text(yaml.safe_dump(config), encoding="utf-8")
        file = opened(path)
        return list(statements(recognised(file), file))

    return of


@pytest.fixture
def stage(data: Path) -> Any:
    """A stage of an open loop of 8 requests a second."""
    return tree_of(data / "inference_perf/open/stage_1_lifecycle_metrics.json")


@pytest.fixture
def closed(data: Path) -> Any:
    """A stage of 4 requests in flight."""
    return tree_of(data / "inference_perf/closed/stage_0_lifecycle_metrics.json")


def only(found: list[Statement | RunError]) -> Statement:
    (one,) = found
    assert isinstance(one, Statement)
    return one


def refusal(found: list[Statement | RunError]) -> RunError:
    (one,) = found
    assert isinstance(one, RunError)
    return one


# What a stage states.


@pytest.mark.parametrize("name", STAGES)
def test_every_figure_is_what_stands_at_its_place(
    name: str, data: Path, stated: Stated, at: At
) -> None:
    path = data / f"inference_perf/{name}_lifecycle_metrics.json"
    (one,) = stated(path)
    assert len(one.tree["results"]) > 60
    for figure in one.tree["results"].values():
        assert at(tree_of(path), figure["locator"]) == figure["value"]


def test_a_stage_and_its_configuration_state_the_conditions(data: Path, stated: Stated) -> None:
    (one,) = stated(data / "inference_perf/open/stage_1_lifecycle_metrics.json")
    assert {key: value for key, value in one.tree.items() if key != "results"} == {
        "model": {"described_as": "mock-model"},
        "load": {
            "pattern": "open_loop",
            "request_rate": 8,
            "arrival": {"process": "poisson"},
            "requests": 40,
            "completed": 40,
            "failed": 0,
            "window": "full_drain",
            "duration_s": Decimal("4.114371596999945"),
        },
        "measurement": {"runs": 1, "latency_origin": "dispatched", "streaming": True},
        "workload": {
            "output_policy": "forced",
            "dataset": "random",
            "input_tokens": 64,
            "total_input_tokens": 2560,
            "output_tokens": Decimal("32.1"),
            "length_basis": "measured",
        },
    }


def test_each_stage_has_its_own_rate(data: Path, stated: Stated) -> None:
    names = [f"inference_perf/open/stage_{n}_lifecycle_metrics.json" for n in (0, 1)]
    assert [stated(data / name)[0].tree["load"]["request_rate"] for name in names] == [4, 8]


def test_the_requested_rate_of_a_fixed_concurrency_means_nothing(
    data: Path, stated: Stated
) -> None:
    (one,) = stated(data / "inference_perf/closed/stage_0_lifecycle_metrics.json")
    assert one.tree["load"]["pattern"] == "closed_loop"
    assert one.tree["load"]["concurrency"] == 4
    assert "request_rate" not in one.tree["load"]
    assert not any("were asked for" in text for text in one.remarks)


def test_all_times_are_seconds(data: Path, stated: Stated) -> None:
    (one,) = stated(data / "inference_perf/closed/stage_0_lifecycle_metrics.json")
    results = one.tree["results"].values()
    assert {one["unit"] for one in results if one["scope"] == "per_request"} == {"s"}


def test_the_names_mean_what_they_mean(data: Path, stated: Stated) -> None:
    (one,) = stated(data / "inference_perf/closed/stage_0_lifecycle_metrics.json")
    found = {
        figure["locator"].split("/")[3]: figure["metric"]
        for figure in one.tree["results"].values()
        if figure["scope"] == "per_request"
    }
    assert found == {
        "time_to_first_token": "ttft",
        "time_per_output_token": "tpot",
        "inter_token_latency": "chunk_latency",
        "normalized_time_per_output_token": "latency_per_output_token",
        "request_latency": "e2e_latency",
    }


def test_a_rate_that_was_not_kept_is_told(data: Path, stated: Stated) -> None:
    (one,) = stated(data / "inference_perf/open/stage_1_lifecycle_metrics.json")
    assert "8 req/s were asked for, and 10.2133 were sent" in one.remarks
    assert any("of 7 requests differently" in text for text in one.remarks)


def test_failures_are_counted_and_told(stage: Any, read: Read) -> None:
    stage["failures"]["count"] = 5
    found = only(read(stage, OPEN))
    assert found.tree["load"]["failed"] == 5
    assert found.tree["load"]["requests"] == 45
    assert "5 requests failed; the figures are of those that succeeded" in found.remarks


def test_without_streaming_there_is_no_time_to_first_token(stage: Any, read: Read) -> None:
    latency = stage["successes"]["latency"]
    for name in ("time_to_first_token", "time_per_output_token", "inter_token_latency"):
        latency[name] = None
    names = only(read(stage, OPEN)).tree["results"]
    assert {name.rpartition("_")[0] for name in names if "_p" in name} >= {"e2e"}
    assert not [name for name in names if name.startswith(("ttft", "tpot", "chunk"))]


def test_lengths_are_the_servers_where_the_rates_are_counted_with_those(
    stage: Any, read: Read
) -> None:
    report = {"request_lifecycle": {"use_server_output_tokens": True}}
    workload = only(read(stage, {**OPEN, "report": report})).tree["workload"]
    assert workload["total_output_tokens"] == 1277
    assert workload["output_tokens"] == Decimal("31.925")


def test_what_a_prefix_cache_gave_is_stated_and_0_is_not(stage: Any, read: Read) -> None:
    assert "prefix_cache" not in only(read(stage, OPEN)).tree["workload"]
    stage["successes"]["prompt_tokens"]["cached"] = Decimal(640)
    assert only(read(stage, OPEN)).tree["workload"]["prefix_cache"] == {
        "hit_ratio": Decimal("0.25")
    }


# Without its configuration, or with that of another run.


def test_without_configuration_neither_model_nor_arrival_is_known(
    stage: Any, closed: Any, read: Read
) -> None:
    found = only(read(stage))
    assert "model" not in found.tree
    assert found.tree["load"]["pattern"] == "open_loop"
    assert found.tree["load"]["request_rate"] == 8
    assert "arrival" not in found.tree["load"]
    assert found.tree["absent"]["load.arrival"]["because"] == "not_stated"
    assert any("no config.yaml lies beside it" in text for text in found.remarks)
    assert only(read(closed)).tree["load"]["concurrency"] == 4


@pytest.mark.parametrize(
    "load",
    [
        {"type": "poisson", "stages": [{"rate": 3}]},
        {"type": "concurrent", "stages": [{"concurrency_level": 4}]},
        {"type": "poisson", "stages": []},
    ],
)
def test_the_configuration_of_another_run_is_refused(
    load: dict[str, Any], stage: Any, read: Read
) -> None:
    refused = refusal(read(stage, {**OPEN, "load": load}))
    assert "it is of another run" in str(refused)


def test_a_stage_that_a_sweep_made_is_not_among_the_configured_ones(stage: Any, read: Read) -> None:
    load = {"type": "constant", "stages": [], "sweep": {"type": "linear"}}
    found = only(read(stage, {**OPEN, "load": load}))
    assert found.tree["load"]["arrival"] == {"process": "constant"}


def test_a_trace_is_replayed(stage: Any, read: Read) -> None:
    load = {"type": "trace_replay", "trace": {"file": "hidden"}}
    found = only(read(stage, {**OPEN, "load": load}))
    assert found.tree["load"]["pattern"] == "trace_replay"
    assert "request_rate" not in found.tree["load"]


@pytest.mark.parametrize("config", ["text", ["list"], {"load": 1, "server": 2}, {"other": 1}])
def test_a_configuration_of_something_else_is_none(config: Any, stage: Any, read: Read) -> None:
    assert "model" not in only(read(stage, config)).tree


def test_no_key_address_or_dialect_is_stated(stage: Any, read: Read) -> None:
    server = {"type": "vllm", "model_name": "m", "api_key": "hidden", "base_url": "hidden"}
    config = {**OPEN, "server": server, "data": {"type": "hidden", "path": "hidden"}}
    found = only(read(stage, config))
    assert "hidden" not in repr(found)
    assert "engine" not in found.tree


# Versions.


def test_up_to_0_4_the_time_per_output_token_is_of_chunks_and_left_out(
    stage: Any, read: Read
) -> None:
    done = stage["successes"]
    del done["token_count_mismatches"], done["output_tokens"]
    done["prompt_len"] = done.pop("prompt_tokens")
    found = only(read(stage, OPEN))
    assert not [name for name in found.tree["results"] if name.startswith("tpot")]
    assert "chunk_mean" in found.tree["results"]
    assert any("time_per_output_token is left out" in text for text in found.remarks)
    assert found.tree["workload"]["input_tokens"] == 64
    assert "total_input_tokens" not in found.tree["workload"]


def test_0_1_1_calls_the_median_p50_and_has_no_duration(stage: Any, read: Read) -> None:
    del stage["benchmark_time_seconds"]
    latency = stage["successes"]["latency"]["request_latency"]
    latency["p50"] = latency.pop("median")
    stage["load_summary"]["schedule_accuracy"] = stage["load_summary"].pop("schedule_delay")
    found = only(read(stage, OPEN))
    assert found.tree["results"]["e2e_p50"]["locator"].endswith("/request_latency/p50")
    assert "duration_s" not in found.tree["load"]


def test_0_6_has_totals_of_prompts_and_their_mean_elsewhere(stage: Any, read: Read) -> None:
    done = stage["successes"]
    done["prompt_tokens"] = {"total": 2560, "cached": 0, "uncached": 2560}
    done["prompt_len"] = {"mean": Decimal("64.5")}
    assert only(read(stage, OPEN)).tree["workload"]["input_tokens"] == Decimal("64.5")


# What is refused.


@pytest.mark.parametrize("name", ["closed", "open"])
def test_a_summary_pools_the_stages_and_points_to_them(name: str, data: Path) -> None:
    file = opened(data / f"inference_perf/{name}/summary_lifecycle_metrics.json")
    refused = refusal(list(statements(recognised(file), file)))
    assert isinstance(refused, RepeatedError)
    assert "import the files stage_N_lifecycle_metrics.json" in str(refused)


def test_the_list_of_requests_is_refused_once_and_none_of_its_texts_is_told(read: Read) -> None:
    one = dict.fromkeys(("start_time", "end_time"), 1) | dict.fromkeys(
        ("request", "response", "info", "error"), "secret"
    )
    refused = refusal(read([one, one, one]))
    assert isinstance(refused, RepeatedError)
    assert "stage_N_lifecycle_metrics.json" in str(refused)
    assert "secret" not in str(refused)


def test_nothing_that_completed_is_nothing_to_record(stage: Any, read: Read) -> None:
    stage["successes"]["count"] = 0
    assert "nothing completed" in str(refusal(read(stage, OPEN)))


def test_the_metrics_of_a_server_are_no_stage(stage: Any, read: Read) -> None:
    del stage["successes"]["latency"]
    with pytest.raises(RunError, match="nearest is inference-perf: /successes/latency is missing"):
        read(stage)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (-1, "/benchmark_time_seconds is negative"),
        (Decimal("Infinity"), "/benchmark_time_seconds is no finite number"),
        (10**30, "/benchmark_time_seconds is larger"),
    ],
)
def test_a_hostile_duration_is_no_stage(value: Any, told: str, stage: Any, read: Read) -> None:
    stage["benchmark_time_seconds"] = value
    with pytest.raises(RunError, match=told):
        read(stage)


@pytest.mark.parametrize("value", [Decimal("NaN"), None, 0, -1, "nan"])
def test_a_figure_that_was_not_measured_is_left_out(value: Any, stage: Any, read: Read) -> None:
    stage["successes"]["latency"]["request_latency"]["p99"] = value
    results = only(read(stage, OPEN)).tree["results"]
    assert "e2e_p99" not in results
    assert "e2e_p95" in results


def test_a_figure_beyond_bounds_refuses_the_stage(stage: Any, read: Read) -> None:
    stage["successes"]["latency"]["request_latency"]["p99"] = Decimal("1e400")
    assert "/request_latency/p99 is larger" in str(refusal(read(stage, OPEN)))


# The report with units.


@pytest.fixture
def part(data: Path, tmp_path: Path) -> Callable[..., list[Statement | RunError]]:
    """A function that changes words of a report with units and returns what it then states."""
    folder = tmp_path / "part"
    shutil.copytree(data / "inference_perf/partial", folder)

    def of(*changes: tuple[str, str]) -> list[Statement | RunError]:
        path = folder / "inference-perf.partial.stage_1.yaml"
        text = path.read_text(encoding="utf-8")
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")
        file = opened(path)
        return list(statements(recognised(file), file))

    return of


@pytest.mark.parametrize("number", [0, 1])
def test_a_report_with_units_says_what_the_json_of_its_stage_says(
    number: int, data: Path, stated: Stated
) -> None:
    (one,) = stated(data / f"inference_perf/partial/inference-perf.partial.stage_{number}.yaml")
    (same,) = stated(data / f"inference_perf/open/stage_{number}_lifecycle_metrics.json")
    results = same.tree["results"]
    assert one.tree["results"].keys() == results.keys()
    for name, figure in one.tree["results"].items():
        assert (figure["metric"], figure["value"]) == (
            results[name]["metric"],
            results[name]["value"],
        )
    assert one.tree["model"] == same.tree["model"]
    assert one.tree["load"] == {k: v for k, v in same.tree["load"].items() if k != "duration_s"}
    assert one.tree["measurement"]["measured"] == "2026-11-30"


def test_every_figure_with_a_unit_is_what_stands_at_its_place(
    data: Path, stated: Stated, at: At
) -> None:
    path = data / "inference_perf/partial/inference-perf.partial.stage_1.yaml"
    tree = yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader)  # noqa: S506  (all texts)
    for figure in stated(path)[0].tree["results"].values():
        assert Decimal(at(tree, figure["locator"])) == figure["value"]


def test_a_unit_is_kept(part: Read) -> None:
    results = only(part(("units: s/token", "units: ms/token"))).tree["results"]
    assert results["tpot_mean"]["unit"] == "ms"
    assert results["ttft_mean"]["unit"] == "s"


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("units: s\n", "units: fortnights\n", "/latency/time_to_first_token/units"),
        ("units: queries/s", "units: queries/min", "/throughput/request_rate/units"),
    ],
)
def test_a_unit_that_is_not_known_refuses_the_report(
    old: str, new: str, place: str, part: Read
) -> None:
    assert place in str(refusal(part((old, new))))


def test_requests_that_failed_are_among_the_total(part: Read) -> None:
    load = only(part(("failures: 0", "failures: 4"))).tree["load"]
    assert (load["requests"], load["completed"], load["failed"]) == (40, 36, 4)


def test_a_report_of_failures_alone_is_refused(part: Read) -> None:
    assert "nothing completed" in str(refusal(part(("failures: 0", "failures: 40"))))


def test_a_stage_that_is_not_configured_is_of_another_run(part: Read) -> None:
    refused = refusal(part(("inference-perf-stage-1-", "inference-perf-stage-7-")))
    assert "it is of another run" in str(refused)


def test_a_stage_that_a_sweep_made_has_no_load_in_a_report_with_units(
    part: Read, tmp_path: Path
) -> None:
    config = tmp_path / "part/config.yaml"
    text = config.read_text(encoding="utf-8").replace("sweep: null", "sweep: {type: linear}")
    config.write_text(text, encoding="utf-8")
    found = only(part(("inference-perf-stage-1-", "inference-perf-stage-7-")))
    assert found.tree["load"].keys().isdisjoint({"pattern", "concurrency", "request_rate"})


def test_a_report_of_another_program_is_not_recognised(part: Read) -> None:
    with pytest.raises(RunError, match="names no stage of inference-perf"):
        part(("inference-perf-stage-1-", "other-"))


def test_a_report_with_units_is_refused_without_its_conditions(part: Read, tmp_path: Path) -> None:
    (tmp_path / "part/config.yaml").unlink()
    assert "no config.yaml lies beside it" in str(refusal(part()))


def test_a_report_with_units_points_to_the_json_beside_it(
    part: Read, stage: Any, dumped: Dumped, tmp_path: Path
) -> None:
    beside = tmp_path / "part/stage_1_lifecycle_metrics.json"
    beside.write_text(dumped(stage), encoding="utf-8")
    refused = refusal(part())
    assert isinstance(refused, RepeatedError)
    assert "stage_1_lifecycle_metrics.json" in str(refused)


# What holds of any report.


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=st.data())
def test_a_spoiled_stage_states_or_is_refused_and_never_fails(
    drawn: st.DataObject, stage: Any, spoiled: Any, read: Read
) -> None:
    config = {**OPEN, "api": {"streaming": True}, "data": {"type": "random"}}
    try:
        found = read(drawn.draw(spoiled(stage)), config)
    except RunError:
        return
    assert all(isinstance(one, Statement | RunError) for one in found)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=st.data())
def test_a_spoiled_configuration_states_or_is_refused_and_never_fails(
    drawn: st.DataObject, stage: Any, data: Path, spoiled: Any, read: Read, tmp_path: Path
) -> None:
    path = data / "inference_perf/open/config.yaml"
    config = drawn.draw(spoiled(yaml.safe_load(path.read_text(encoding="utf-8"))))
    text = json.dumps(config, default=str, allow_nan=True)
    read(stage)
    (tmp_path / "config.yaml").write_text(f"# as JSON\n{text}\n", encoding="utf-8")
    file = opened(tmp_path / "report.json")
    found = list(statements(recognised(file), file))
    assert all(isinstance(one, Statement | RunError) for one in found)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=st.data(), change=st.integers(2, 1000))
def test_another_number_changes_only_the_figure_that_stands_there(
    drawn: st.DataObject, change: int, stage: Any, at: At, read: Read
) -> None:
    before = only(read(stage, OPEN))
    locators = {figure["locator"] for figure in before.tree["results"].values()}
    place = drawn.draw(st.sampled_from(sorted(locators)))
    way, _, last = place.rpartition("/")
    tree = deepcopy(stage)
    node = at(tree, way)
    node[last] *= change
    after = only(read(tree, OPEN))
    differing = {
        figure["locator"]
        for name, figure in after.tree["results"].items()
        if figure != before.tree["results"][name]
    }
    assert differing == {place}
    for part_ in ("model", "load", "measurement", "workload"):
        assert after.tree[part_] == before.tree[part_]
