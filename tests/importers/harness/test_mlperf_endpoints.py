"""inference-endpoint: the summary that submissions have in place of a log of LoadGen."""

import json
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchreg.importers.statement import RunError, Statement

Stated = Callable[[Path], list[Statement]]
Dumped = Callable[[Any], str]
Tree = dict[str, Any]


@pytest.fixture
def summary(data: Path) -> Callable[[str], Tree]:
    """A function that returns the tree of a summary."""

    def read(name: str) -> Tree:
        text = (data / f"mlperf/endpoints/{name}.json").read_text(encoding="utf-8")
        tree: Tree = json.loads(text, parse_float=Decimal)
        return tree

    return read


@pytest.fixture
def changed(
    summary: Callable[[str], Tree], tmp_path: Path, dumped: Dumped, stated: Stated
) -> Callable[..., Statement]:
    """A function that returns what a summary states in which some values are others."""

    def read(name: str, **values: Any) -> Statement:
        path = tmp_path / "any.json"
        path.write_text(dumped(summary(name) | values))
        (found,) = stated(path)
        return found

    return read


def sent(kind: str, **level: Any) -> Tree:
    return {"load_pattern": {"type": kind, **level}}


@pytest.mark.parametrize("name", ["poisson", "offline"])
def test_every_figure_is_the_value_at_its_place(
    data: Path, stated: Stated, summary: Callable[[str], Tree], at: Callable[[Any, str], Any],
    name: str,
) -> None:  # fmt: skip
    (found,) = stated(data / f"mlperf/endpoints/{name}.json")
    for figure in found.tree["results"].values():
        scale = 1_000_000 if figure["unit"] == "ms" else 1
        assert figure["value"] * scale == at(summary(name), figure["locator"])


def test_a_poisson_run_is_an_open_loop_over_the_window_of_loadgen(
    data: Path, stated: Stated
) -> None:
    (found,) = stated(data / "mlperf/endpoints/poisson.json")
    assert found.tree["load"] == {
        "pattern": "open_loop", "request_rate": Decimal("101.5"), "arrival": {"process": "poisson"},
        "requests": 4000, "completed": 4000, "failed": 0, "duration_s": Decimal("41.23456789"),
        "window": "last_issued", "warmup": {"requests": 200},
    }  # fmt: skip
    assert "all requests but the last" in found.tree["results"]["request_rate"]["note"]
    assert found.tree["workload"]["output_tokens"] == Decimal("120.0308")
    assert found.tree["workload"]["input_tokens"] == Decimal("512.125")
    assert found.tree["measurement"] == {"harness_version": "0.1.0", "runs": 1}
    assert {"ttft_p99", "tpot_p99_9", "e2e_mean", "ttft_p1"} <= set(found.tree["results"])
    assert found.tree["results"]["ttft_mean"]["spread"] == {"stdev": Decimal("5.05")}


def test_a_run_at_full_throughput_sends_everything_at_once_and_has_no_latencies(
    data: Path, stated: Stated
) -> None:
    (found,) = stated(data / "mlperf/endpoints/offline.json")
    load = found.tree["load"]
    assert (load["pattern"], load["window"], load["warmup"]) == (
        "all_at_once",
        "full_drain",
        {"requests": 0},
    )
    assert set(found.tree["results"]) == {"request_rate", "output_rate"}


def test_a_fixed_concurrency_is_a_closed_loop(changed: Callable[..., Statement]) -> None:
    found = changed("poisson", run_config=sent("concurrency", target_concurrency=64))
    assert found.tree["load"]["pattern"] == "closed_loop"
    assert found.tree["load"]["concurrency"] == 64
    assert "warmup" not in found.tree["load"]


def test_an_older_summary_does_not_say_how_requests_were_sent(
    changed: Callable[..., Statement],
) -> None:
    found = changed("poisson", run_config=None, qps=None, tps=None)
    assert "pattern" not in found.tree["load"]
    assert any("how requests were sent" in text for text in found.remarks)
    assert "request_rate" not in found.tree["results"]
    assert "e2e_p99" in found.tree["results"]


def test_percentiles_may_be_named_without_a_point(changed: Callable[..., Statement]) -> None:
    found = changed("poisson", ttft={"avg": 2000000, "percentiles": {"99": 3000000}})
    assert found.tree["results"]["ttft_p99"]["value"] == 3
    assert found.tree["results"]["ttft_p99"]["locator"] == "/ttft/percentiles/99"


def test_failures_are_told(changed: Callable[..., Statement]) -> None:
    found = changed("poisson", n_samples_failed=7)
    assert found.tree["load"]["failed"] == 7
    assert any("7 requests failed" in text for text in found.remarks)


def test_a_rate_far_from_the_one_asked_for_is_told(changed: Callable[..., Statement]) -> None:
    found = changed("poisson", run_config=sent("poisson", target_qps=200))
    assert any("200 were asked for" in text for text in found.remarks)


@pytest.mark.parametrize(
    ("name", "values", "told"),
    [
        ("an interrupted run", {"state": "interrupted"}, "did not come to its end"),
        ("a run that did not drain", {"complete": False}, "did not come to its end"),
        ("nothing completed", {"n_samples_completed": 0}, "nothing completed"),
        ("an agent's turns", {"run_config": sent("agentic_inference")}, "'agentic_inference'"),
        ("a rate of nothing", {"run_config": sent("poisson", target_qps=0)}, "without a level"),
        ("a text for a rate", {"qps": "fast"}, "is no number"),
        ("a negative count", {"n_samples_failed": -1}, "is negative"),
        ("a latency without end", {"ttft": {"avg": Decimal("Infinity")}}, "no finite number"),
    ],
)
def test_what_is_no_whole_run_is_refused(
    changed: Callable[..., Statement], name: str, values: Tree, told: str
) -> None:
    with pytest.raises(RunError, match=re.escape(told)):
        changed("poisson", **values)
    assert name


def test_what_was_not_measured_is_left_out(changed: Callable[..., Statement]) -> None:
    found = changed("poisson", ttft={"avg": Decimal("NaN"), "min": 0}, tps=None)
    assert not [name for name in found.tree["results"] if name.startswith(("ttft", "output"))]


@pytest.mark.parametrize(("folder", "name"), [("Interactive", "poisson"), ("Offline", "offline")])
def test_the_folders_of_a_submission_say_which_result_it_is(
    data: Path, tmp_path: Path, stated: Stated, folder: str, name: str
) -> None:
    result = tmp_path / "v6.1/closed/Example/results/72xExample/deepseek-r1" / folder
    (result / "performance").mkdir(parents=True)
    summary = result / "performance/result_summary.json"
    summary.write_bytes((data / f"mlperf/endpoints/{name}.json").read_bytes())
    (result / "accuracy").mkdir()
    (result / "accuracy/accuracy_results.json").write_text(
        '{"accuracy_scores": [{"dataset_name": "deepseek_r1", "score": 81.43, "complete": true, '
        '"total_samples": 4388}, {"dataset_name": "half", "score": 1, "complete": false}]}'
    )
    (found,) = stated(summary)
    assert found.tree["load"]["scenario"] == folder.casefold()
    assert found.tree["mlperf"]["round"] == "v6.1"
    assert found.tree["model"] == {"described_as": "deepseek-r1"}
    assert found.tree["accuracy"] == [{"eval": "deepseek_r1", "value": Decimal("81.43"), "n": 4388}]
    assert "harness" not in found.tree["measurement"]


def test_a_folder_that_names_another_scenario_is_refused(
    data: Path, tmp_path: Path, stated: Stated
) -> None:
    folder = tmp_path / "closed/Example/results/X/deepseek-r1/Offline/performance"
    folder.mkdir(parents=True)
    summary = folder / "result_summary.json"
    summary.write_bytes((data / "mlperf/endpoints/poisson.json").read_bytes())
    with pytest.raises(RunError, match="the folder says Offline, and the summary poisson"):
        stated(summary)


def test_one_number_changes_its_figure_alone(
    summary: Callable[[str], Tree], changed: Callable[..., Statement]
) -> None:
    before = changed("poisson").tree["results"]
    for block in ("ttft", "tpot", "latency"):
        series = summary("poisson")[block]
        for key in ("avg", "median", "min", "max"):
            after = changed("poisson", **{block: series | {key: series[key] + 1}}).tree["results"]
            differing = [one["locator"] for name, one in after.items() if one != before[name]]
            assert differing == [f"/{block}/{key}"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(draw=st.data(), name=st.sampled_from(["poisson", "offline"]))
def test_any_summary_gives_statements_or_a_refusal(
    draw: st.DataObject,
    name: str,
    tmp_path: Path,
    summary: Callable[[str], Tree],
    stated: Stated,
    dumped: Dumped,
    spoiled: Callable[[Any], st.SearchStrategy[Any]],
) -> None:
    path = tmp_path / "any.json"
    path.write_text(dumped(draw.draw(spoiled(summary(name)))))
    try:
        found = stated(path)
    except RunError:
        return
    assert all(one.tree["results"] for one in found)
