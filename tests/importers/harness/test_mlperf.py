"""LoadGen: what a detail log states, what is refused, and what is never read of it."""

import json
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchreg.importers.importer import recognised
from benchreg.importers.logged import KEYS
from benchreg.importers.opened import opened
from benchreg.importers.statement import RunError, Statement

Stated = Callable[[Path], list[Statement]]
Tree = dict[str, Any]
VALID = ("offline", "offline_without_tokens", "server", "single_stream")
LOG = "mlperf_log_detail.txt"


def events(folder: Path) -> Tree:
    """Return the first value of each key of a log, by the plainest way to read one."""
    found: Tree = {}
    for line in (folder / LOG).read_text(encoding="utf-8").splitlines():
        event = json.loads(line.removeprefix(":::MLLOG "), parse_float=Decimal)
        found.setdefault(event["key"], event["value"])
    return found


def write(folder: Path, tree: Tree, dumped: Callable[[Any], str]) -> Path:
    """Write a log of these values, as LoadGen writes its events."""
    folder.mkdir(parents=True, exist_ok=True)
    meta = '"metadata": {"is_error": false, "is_warning": false}'
    lines = [
        f':::MLLOG {{"key": "{key}", "value": {dumped(value)}, {meta}}}'
        for key, value in tree.items()
    ]
    (folder / LOG).write_text("\n".join(lines), encoding="utf-8", errors="replace")
    return folder


@pytest.fixture
def changed(
    data: Path, tmp_path: Path, dumped: Callable[[Any], str], stated: Stated
) -> Callable[..., Statement]:
    """A function that returns what a log states in which some values are others, or gone."""

    def read(run: str, **values: Any) -> Statement:
        tree = events(data / "mlperf" / run)
        for key, value in values.items():
            name = re.sub(r"_([0-9]{2})_([0-9]{2})_", r"_\1.\2_", key)
            tree.pop(name, None) if value is None else tree.update({name: value})
        (found,) = stated(write(tmp_path / "run", tree, dumped))
        return found

    return read


def pattern(found: Statement) -> Tree:
    return {key: found.tree["load"].get(key) for key in ("pattern", "request_rate", "window")}


@pytest.mark.parametrize("name", VALID)
def test_every_figure_is_the_value_of_its_key(data: Path, stated: Stated, name: str) -> None:
    log = events(data / "mlperf" / name)
    (found,) = stated(data / "mlperf" / name)
    for figure in found.tree["results"].values():
        logged = Decimal(log[figure["locator"].removeprefix("/")])
        scale = 1_000_000 if figure["unit"] == "ms" else 1
        assert figure["value"] * scale == logged
        assert ("logged in ns" in figure.get("note", "")) == (scale > 1)


def test_an_offline_run_sends_everything_at_once(data: Path, stated: Stated) -> None:
    (found,) = stated(data / "mlperf/offline")
    assert pattern(found) == {
        "pattern": "all_at_once",
        "request_rate": None,
        "window": "full_drain",
    }
    assert found.tree["load"]["requests"] == 3300
    assert found.tree["load"]["duration_s"] == Decimal("5.165")
    assert set(found.tree["results"]) == {"request_rate", "output_rate"}
    assert found.tree["workload"] == {"output_tokens": Decimal("40.34"), "length_basis": "measured"}
    assert found.tree["measurement"] == {
        "harness_version": "6.0.17 @ d6147c7eb7", "runs": 1, "measured": "2026-11-30",
    }  # fmt: skip


def test_a_server_run_is_an_open_loop_whose_clock_stops_with_the_query_issued_last(
    data: Path, stated: Stated
) -> None:
    (found,) = stated(data / "mlperf/server")
    assert pattern(found) == {
        "pattern": "open_loop",
        "request_rate": 200,
        "window": "last_issued",
    }
    assert found.tree["load"]["arrival"] == {"process": "poisson"}
    assert found.tree["load"]["requests"] == 985
    assert found.tree["slo"] == {"ttft_ms": 100, "tpot_ms": 10, "percentile": "p99"}
    assert found.tree["measurement"]["latency_origin"] == "scheduled"
    assert {"ttft_p99", "tpot_p99", "tpot_mean", "e2e_p99_9", "offered_rate"} <= set(
        found.tree["results"]
    )
    assert all(
        one["n"] == 985 for one in found.tree["results"].values() if one["scope"] == "per_request"
    )


def test_a_single_stream_has_one_request_at_a_time(data: Path, stated: Stated) -> None:
    (found,) = stated(data / "mlperf/single_stream")
    assert pattern(found) == {
        "pattern": "single_stream",
        "request_rate": None,
        "window": "full_drain",
    }
    results = found.tree["results"]
    assert results["request_rate"]["locator"] == "/result_qps_with_loadgen_overhead"
    assert results["e2e_p90"]["value"] == Decimal("128.290184")
    assert not [name for name in results if results[name]["locator"].startswith("/early_stopping")]


def test_the_mean_output_is_of_all_queries_although_a_rate_leaves_out_the_last(
    data: Path, stated: Stated
) -> None:
    (server,) = stated(data / "mlperf/server")
    exact = Decimal("7562.78") / Decimal("192.483") * 984 / 985
    assert abs(server.tree["workload"]["output_tokens"] - exact) < Decimal("0.005")
    (single,) = stated(data / "mlperf/single_stream")
    exact = Decimal("405.556") / Decimal("10.5408") * 99 / 100
    assert abs(single.tree["workload"]["output_tokens"] - exact) < Decimal("0.005")


def test_the_rate_of_tokens_is_never_the_broken_one_and_the_target_is_no_result(
    data: Path, stated: Stated
) -> None:
    (found,) = stated(data / "mlperf/server")
    results = found.tree["results"]
    assert results["output_rate"]["locator"] == "/result_completed_tokens_per_second"
    assert results["request_rate"]["locator"] == "/result_completed_samples_per_sec"
    assert results["offered_rate"]["metric"] == "offered_rate"
    assert not [one for one in results.values() if one["value"] == found.tree["load"]["requests"]]


def test_without_token_latencies_there_are_rates_of_samples_alone(
    data: Path, stated: Stated
) -> None:
    (found,) = stated(data / "mlperf/offline_without_tokens")
    assert set(found.tree["results"]) == {"request_rate"}
    assert "workload" not in found.tree


@pytest.mark.parametrize(
    ("name", "key", "counted"),
    [
        ("offline", "result_inferred_tokens_per_second", "result_tokens_per_second"),
        (
            "server",
            "result_inferred_completed_tokens_per_second",
            "result_completed_tokens_per_second",
        ),
    ],
)
def test_an_inferred_rate_of_tokens_is_read_where_none_was_counted_and_marked(
    changed: Callable[..., Statement], name: str, key: str, counted: str
) -> None:
    both = changed(name, **{key: Decimal("7.5")}).tree["results"]["output_rate"]
    assert (both["locator"], "inferred" in both) == (f"/{counted}", False)
    alone = changed(name, **{key: Decimal("7.5"), counted: None})
    rate = alone.tree["results"]["output_rate"]
    assert (rate["value"], rate["locator"]) == (Decimal("7.5"), f"/{key}")
    assert "no token was counted" in rate["inferred"]["value"]
    assert "output_tokens" not in alone.tree.get("workload", {})


def test_latencies_of_offline_are_not_read(data: Path, stated: Stated) -> None:
    assert "result_99.00_percentile_latency_ns" in events(data / "mlperf/offline")
    (found,) = stated(data / "mlperf/offline")
    assert all(one["scope"] == "system" for one in found.tree["results"].values())


def test_a_query_that_was_filled_up_to_whole_passes_has_the_samples_that_its_rate_tells(
    changed: Callable[..., Statement],
) -> None:
    filled = changed(
        "offline", generated_samples_per_query=211200, effective_performance_sample_count=24576,
        result_samples_per_second=Decimal("83.1875"), result_max_latency_ns=2658862337734,
    )  # fmt: skip
    assert filled.tree["load"]["requests"] == 221184
    assert "whole passes" in filled.tree["inferred"]["load.requests"]
    neither = changed("offline", generated_samples_per_query=1000)
    assert "requests" not in neither.tree["load"]
    assert any("how many samples" in text for text in neither.remarks)


def test_a_server_without_token_latencies_has_its_limit_on_the_whole(
    changed: Callable[..., Statement],
) -> None:
    found = changed("server", requested_use_token_latencies=False)
    assert found.tree["slo"] == {"e2e_ms": 2000, "percentile": "p99"}
    other = changed("server", requested_server_target_latency_percentile=Decimal("0.97"))
    assert "slo" not in other.tree


def test_a_run_past_midnight_has_two_days(changed: Callable[..., Statement]) -> None:
    found = changed("server", test_datetime="2026-11-30T23:59:58Z")
    assert found.tree["measurement"]["measured"] == "2026-11-30/2026-12-01"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("an end before the begin", {"power_end": "11-30-2026 05:25:00.000"}),
        ("no end", {"power_end": None}),
        ("an end that is no time", {"power_end": "99-99-2026 05:25:00.000"}),
    ],
)
def test_a_duration_that_the_times_do_not_tell_is_not_stated(
    changed: Callable[..., Statement], name: str, values: Tree
) -> None:
    assert "duration_s" not in changed("server", **values).tree["load"], name


@pytest.mark.parametrize("text", ["2026-13-40T05:25:27Z", "9999-12-31T23:59:59Z", "today"])
def test_a_day_that_is_none_is_not_stated(changed: Callable[..., Statement], text: str) -> None:
    assert "measured" not in changed("server", test_datetime=text).tree["measurement"]


def test_a_rate_far_from_the_one_asked_for_is_told(changed: Callable[..., Statement]) -> None:
    assert not changed("server").remarks
    found = changed("server", requested_server_target_qps=300)
    assert found.remarks == ["192.483 requests a second completed, and 300 were asked for"]


def test_the_scenario_and_the_benchmark_are_of_a_folder_and_never_of_a_log(
    data: Path, stated: Stated
) -> None:
    (found,) = stated(data / "mlperf/server")
    assert "scenario" not in found.tree["load"]
    assert not {"mlperf", "model", "hardware", "engine"} & found.tree.keys()
    assert not found.same


def test_failures_are_no_count_of_loadgen_and_a_warm_up_is_not_told(
    data: Path, stated: Stated
) -> None:
    (found,) = stated(data / "mlperf/server")
    assert found.tree["absent"]["load.failed"]["because"] == "not_applicable"
    assert "load.warmup" not in found.tree["absent"]
    importer = recognised(opened(data / "mlperf/server"))
    assert "what ran before" in importer.never["load.warmup"]


def test_nothing_of_the_machine_or_its_messages_is_stated(data: Path, stated: Stated) -> None:
    said = str([stated(data / "mlperf" / name)[0].tree for name in VALID])
    assert not [word for word in ("PySUT", "PyQSL", "pid", "Starting", "sha1") if word in said]


REFUSED = [
    (
        "server_overloaded",
        {},
        "INVALID: not met: the limits on latency, the number of queries for early stopping",
    ),
    ("server_too_short", {}, "INVALID: not met: the number of queries for early stopping"),
    ("offline", {"result_validity": "INVALID"}, "INVALID: it does not say why"),
    ("offline", {"result_validity": None}, "the log ends before its result"),
    ("offline", {"effective_test_mode": "AccuracyOnly"}, "'AccuracyOnly'; a performance run"),
    ("offline", {"effective_scenario": "MultiStream"}, "'MultiStream', which is not read"),
    ("offline", {"num_errors": 3}, "LoadGen logged errors: 3"),
    ("server", {"result_query_count": 0}, "nothing completed"),
    ("offline", {"result_samples_per_second": "12,3"}, "is no number"),
    ("offline", {"result_samples_per_second": Decimal("1e300")}, "larger than any figure"),
    ("server", {"result_query_count": -1}, "is negative"),
    ("server", {"result_first_token_99_00_percentile_latency_ns": "x"}, "is no number"),
    ("server", {"result_perf_constraints_met": "perhaps"}, "neither true nor false"),
    ("offline", {"loadgen_version": None}, "/loadgen_version is missing"),
    (
        "offline",
        {"result_samples_per_second": 0, "result_tokens_per_second": 0},
        "no rate and no latency above 0",
    ),
]


@pytest.mark.parametrize(("name", "values", "told"), REFUSED)
def test_what_is_no_valid_performance_run_is_refused(
    changed: Callable[..., Statement], name: str, values: Tree, told: str
) -> None:
    with pytest.raises(RunError, match=re.escape(told)):
        changed(name, **values)


def test_an_event_that_is_an_error_refuses_the_run(
    data: Path, tmp_path: Path, stated: Stated
) -> None:
    text = (data / "mlperf/server" / LOG).read_text(encoding="utf-8")
    (tmp_path / LOG).write_text(text.replace('"is_error": false', '"is_error": true', 1))
    with pytest.raises(RunError, match="LoadGen logged errors: 1"):
        stated(tmp_path)


def test_the_summary_beside_a_log_says_where_to_look(data: Path) -> None:
    with pytest.raises(RunError, match=r"mlperf_log_detail\.txt beside it says more"):
        opened(data / "mlperf/server/mlperf_log_summary.txt")


def test_a_run_of_an_older_loadgen_is_read(changed: Callable[..., Statement]) -> None:
    found = changed(
        "server", loadgen_version="3.1 @ 1a2b3c4d5e", num_errors=None, effective_test_mode=None,
        effective_scenario=None, result_completed_tokens_per_second=None,
    )  # fmt: skip
    assert found.tree["measurement"]["harness_version"] == "3.1 @ 1a2b3c4d5e"
    assert "output_rate" not in found.tree["results"]
    assert found.tree["results"]["request_rate"]["value"] == Decimal("192.483")


def test_one_number_changes_its_figure_and_what_follows_from_it_alone(
    data: Path, changed: Callable[..., Statement]
) -> None:
    before = changed("server").tree
    numbers = [
        key for key, value in events(data / "mlperf/server").items()
        if key in KEYS and key.startswith("result_") and type(value) in (int, Decimal)
        and key != "result_query_count"
    ]  # fmt: skip
    assert len(numbers) > 20
    for key in numbers:
        value = events(data / "mlperf/server")[key] + 1
        after = changed("server", **{key: value}).tree
        differing = {
            figure["locator"]
            for name, figure in after["results"].items()
            if figure != before["results"][name]
        }
        assert differing <= {f"/{key}"}
        followers = {"workload", "inferred"} if "completed" in key else set()
        rest = set(before) - {"results"} - followers
        assert all(after[block] == before[block] for block in rest)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(draw=st.data(), name=st.sampled_from(VALID))
def test_any_log_gives_statements_or_a_refusal(
    draw: st.DataObject,
    name: str,
    data: Path,
    tmp_path: Path,
    stated: Stated,
    dumped: Callable[[Any], str],
    spoiled: Callable[[Any], st.SearchStrategy[Any]],
) -> None:
    tree = {key: one for key, one in events(data / "mlperf" / name).items() if key in KEYS}
    try:
        found = stated(write(tmp_path / "run", draw.draw(spoiled(tree)), dumped))
    except RunError:
        return
    assert all(one.tree["results"] for one in found)
