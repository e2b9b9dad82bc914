"""genai-perf: what its JSON and CSV state, old and new, and what they are not taken to say."""

import csv
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
DATA = Path(__file__).parent.parent / "data/genai_perf"
RUN = next(opened(DATA / "profile_export_genai_perf.json").pieces()).tree
CSV = DATA / "profile_export_genai_perf.csv"
LATENCIES = {
    "time_to_first_token": ("ttft", "ttft"),
    "inter_token_latency": ("tpot", "tpot"),
    "request_latency": ("e2e", "e2e_latency"),
    "output_token_throughput_per_user": ("user_decode_rate", "decode_rate_per_request"),
}
# What follows from a number of the file that is no figure.
FOLLOWS = {
    "/request_count/avg": {"load.completed"},
    "/input_sequence_length/avg": {"workload.input_tokens"},
    "/output_sequence_length/avg": {"workload.output_tokens"},
    "/input_config/perf_analyzer/stimulus/concurrency": {"load.concurrency"},
    "/input_config/perf_analyzer/measurement/num": {"load.requests"},
    "/input_config/perf_analyzer/warmup_request_count": {"load.warmup.requests"},
}


def metric(mean: float, **more: Any) -> dict[str, Any]:
    return {"unit": "requests/sec", "avg": Decimal(str(mean)), **more}


def before_0_0_13(**config: Any) -> dict[str, Any]:
    """A report of the form that genai-perf wrote up to 0.0.12, where settings are arguments."""
    arguments: dict[str, Any] = {
        "model": ["example/model-7b"],
        "backend": "tensorrtllm",
        "endpoint": None,
        "endpoint_type": "chat",
        "service_kind": "openai",
        "streaming": True,
        "concurrency": 8,
        "request_rate": None,
        "synthetic_input_tokens_mean": 550,
        "output_tokens_mean": -1,
        "goodput": None,
        "extra_inputs": {},
    }
    times = {"p50": Decimal("30.5"), "p99": Decimal("99.5"), "std": Decimal("2.5")}
    return {
        "request_throughput": metric(2.5),
        "request_latency": metric(800.25, **times) | {"unit": "ms"},
        "time_to_first_token": metric(31.25, **times) | {"unit": "ms"},
        "inter_token_latency": metric(7.5, **times) | {"unit": "ms"},
        "output_token_throughput": metric(250.5),
        "output_token_throughput_per_request": metric(120.75, p99=Decimal("140.5")),
        "output_sequence_length": metric(100.5),
        "input_sequence_length": metric(550.25),
        "input_config": arguments | config,
    }


@pytest.fixture(scope="session")
def of(told: Told) -> Callable[[Any], Statement]:
    """A function that returns the one statement that a report makes; raises its refusal."""

    def one(tree: Any) -> Statement:
        (found,) = told("genai-perf", tree)
        if isinstance(found, RunError):
            raise found
        return found

    return one


def test_a_report_states_its_conditions_and_no_others(stated: Any) -> None:
    (found,) = stated(DATA / "profile_export_genai_perf.json")
    tree = dict(found.tree)
    del tree["results"]
    assert tree == {
        "model": {"described_as": "mock-model"},
        "load": {
            "pattern": "closed_loop",
            "concurrency": 4,
            "requests": 40,
            "completed": 40,
            "warmup": {"requests": 4},
        },
        "workload": {
            "input_tokens": 100,
            "output_tokens": Decimal("32.15"),
            "length_basis": "measured",
        },
        "measurement": {
            "runs": 1,
            "latency_origin": "dispatched",
            "streaming": True,
            "token_count_source": "client_tokenizer",
        },
    }
    assert not found.remarks


def test_each_figure_has_the_digits_at_its_place_in_the_file(stated: Any, at: Any) -> None:
    (found,) = stated(DATA / "profile_export_genai_perf.json")
    for figure in found.tree["results"].values():
        assert figure["value"] == at(RUN, figure["locator"])
    words = ("avg", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "min", "max")
    expected = {f"/{key}/{word}" for key in LATENCIES for word in words}
    expected |= {"/request_throughput/avg", "/output_token_throughput/avg"}
    assert {one["locator"] for one in found.tree["results"].values()} == expected


@pytest.mark.parametrize(("key", "name", "means"), [(key, *two) for key, two in LATENCIES.items()])
def test_a_statistic_is_of_the_metric_that_is_meant(
    key: str, name: str, means: str, of: Callable[[Any], Statement]
) -> None:
    figure = of(RUN).tree["results"][f"{name}_mean"]
    assert figure["metric"] == means
    assert figure["scope"] == "per_request"
    assert figure["spread"] == {"stdev": RUN[key]["std"]}
    assert figure["n"] == 40


def test_inter_token_latency_is_a_mean_per_request_and_no_gap_between_tokens(
    of: Callable[[Any], Statement],
) -> None:
    results = of(RUN).tree["results"]
    assert not {one["metric"] for one in results.values()} & {"itl", "chunk_latency"}
    assert results["tpot_p99"]["source_name"] == "inter_token_latency"


def test_the_slow_tail_of_a_rate_stays_the_low_percentile(of: Callable[[Any], Statement]) -> None:
    results = of(RUN).tree["results"]
    assert results["user_decode_rate_p1"]["value"] == RUN["output_token_throughput_per_user"]["p1"]
    assert results["user_decode_rate_p1"]["value"] < results["user_decode_rate_p99"]["value"]


def test_throughput_per_request_and_per_user_are_two_quantities(
    of: Callable[[Any], Statement],
) -> None:
    old, new = of(before_0_0_13()).tree["results"], of(RUN).tree["results"]
    assert old["user_rate_mean"]["metric"] == "output_rate_per_request"
    assert "user_decode_rate_mean" not in old
    assert new["user_decode_rate_mean"]["metric"] == "decode_rate_per_request"
    assert "user_rate_mean" not in new


def test_the_default_backend_is_no_engine(of: Callable[[Any], Statement]) -> None:
    assert RUN["input_config"]["endpoint"]["backend"] == "tensorrtllm"
    assert "engine" not in of(RUN).tree


def test_a_report_of_arguments_states_the_same_conditions(of: Callable[[Any], Statement]) -> None:
    found = of(before_0_0_13())
    assert found.tree["model"] == {"described_as": "example/model-7b"}
    assert found.tree["load"] == {"pattern": "closed_loop", "concurrency": 8}
    assert found.tree["measurement"]["streaming"] is True
    assert found.tree["workload"]["input_tokens"] == Decimal("550.25")
    assert not found.remarks


@pytest.mark.parametrize(
    ("stimulus", "load"),
    [
        ({"request_rate": 9}, {"pattern": "open_loop", "request_rate": 9}),
        ({"concurrency": 16}, {"pattern": "closed_loop", "concurrency": 16}),
        ({"fixed_schedule": None}, {"pattern": "trace_replay"}),
        ({"session_concurrency": 4}, {}),
        ({}, {}),
    ],
)  # fmt: skip
def test_the_load_is_what_the_stimulus_says(
    stimulus: Any, load: Any, of: Callable[[Any], Statement]
) -> None:
    tree = deepcopy(RUN)
    tree["input_config"]["perf_analyzer"] = {"stimulus": stimulus}
    assert of(tree).tree["load"] == load | {"completed": 40}


def test_an_open_loop_says_that_its_arrivals_are_unknown(of: Callable[[Any], Statement]) -> None:
    found = of(before_0_0_13(concurrency=None, request_rate=Decimal("2.5")))
    assert found.tree["absent"]["load.arrival"]["because"] == "not_stated"


def test_no_warm_up_is_stated_as_such(of: Callable[[Any], Statement]) -> None:
    tree = deepcopy(RUN)
    tree["input_config"]["perf_analyzer"]["warmup_request_count"] = 0
    assert of(tree).tree["load"]["warmup"] == {"requests": 0}


@pytest.mark.parametrize("said", [{"ignore_eos": True}, [["ignore_eos", "true"]]])
def test_outputs_are_forced_where_the_request_said_so(
    said: Any, of: Callable[[Any], Statement]
) -> None:
    tree = deepcopy(RUN)
    tree["input_config"]["input"]["extra"] = said
    assert of(tree).tree["workload"]["output_policy"] == "forced"


@pytest.mark.parametrize("said", [{"ignore_eos": False}, [["min_tokens", "1"]], "", None, [1]])
def test_nothing_else_forces_outputs(said: Any, of: Callable[[Any], Statement]) -> None:
    tree = deepcopy(RUN)
    tree["input_config"]["input"]["extra"] = said
    assert "output_policy" not in of(tree).tree["workload"]


def test_goodput_comes_with_its_limits(of: Callable[[Any], Statement]) -> None:
    tree = before_0_0_13(goodput={"time_to_first_token": 300, "inter_token_latency": 20})
    found = of(tree | {"request_goodput": metric(1.5)})
    assert found.tree["slo"] == {"ttft_ms": 300, "tpot_ms": 20}
    assert found.tree["results"]["goodput"]["value"] == Decimal("1.5")


@pytest.mark.parametrize(
    ("limits", "value", "says"),
    [
        ({"output_token_throughput_per_request": 9}, 1.5, "no field for one of its limits"),
        ({"time_to_first_token": 0}, 1.5, "no field for one of its limits"),
        ({"time_to_first_token": 9}, -1, "nothing was measured"),
    ],
)
def test_goodput_is_left_out_where_it_cannot_be_said(
    limits: Any, value: float, says: str, of: Callable[[Any], Statement]
) -> None:
    found = of(before_0_0_13(goodput=limits) | {"request_goodput": metric(value)})
    assert "goodput" not in found.tree["results"]
    assert any(says in remark for remark in found.remarks)


def test_without_streaming_the_time_to_the_first_token_is_no_such_thing(
    of: Callable[[Any], Statement],
) -> None:
    silent = before_0_0_13(streaming=None)
    silent["time_to_first_token"] = silent["request_latency"]
    for tree in (before_0_0_13(streaming=False), silent):
        found = of(tree)
        kept = {one["metric"] for one in found.tree["results"].values()}
        assert kept.isdisjoint({"ttft", "tpot", "decode_rate_per_request"})
        assert any("time_to_first_token is left out" in remark for remark in found.remarks)


def test_lengths_and_rates_far_from_what_was_asked_are_told(of: Callable[[Any], Statement]) -> None:
    settings = {"synthetic_input_tokens_mean": 700, "output_tokens_mean": 200}
    found = of(before_0_0_13(concurrency=None, request_rate=5, **settings))
    assert found.remarks == [
        "the input length was to be 700 and was 550.25",
        "the output length was to be 200 and was 100.5",
        "the rate of requests was to be 5 and was 2.5",
    ]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"request_count": metric(0)}, "nothing completed"),
        ({"request_count": metric(4.5)}, "no number of requests"),
        ({"request_count": metric(-4)}, "no number of requests"),
        ({"output_token_throughput": None}, "embeddings, rankings or images"),
        ({"output_token_throughput": metric(9) | {"unit": "tokens/min"}}, "a rate per second"),
        ({"request_latency": metric(9) | {"unit": "ns"}}, "no unit of time"),
        ({"output_sequence_length": metric(-1)}, "the mean output length is -1"),
    ],
)
def test_what_is_no_result_is_refused(
    change: Any, says: str, of: Callable[[Any], Statement]
) -> None:
    with pytest.raises(RunError, match=says):
        of(before_0_0_13() | change)


@pytest.mark.parametrize("rate", [{"concurrency": 0}, {"concurrency": None, "request_rate": 0}])
def test_a_load_that_sends_nothing_is_refused(rate: Any, of: Callable[[Any], Statement]) -> None:
    with pytest.raises(RunError, match="sends no requests"):
        of(before_0_0_13(**rate))


def test_a_run_of_several_models_is_refused(of: Callable[[Any], Statement]) -> None:
    with pytest.raises(RunError, match="several models"):
        of(before_0_0_13(model=["one", "two"]))
    assert of(before_0_0_13(model=["one", "one"])).tree["model"] == {"described_as": "one"}


@pytest.mark.parametrize("value", ["text", Decimal("Infinity"), Decimal("1E+400"), True, [1]])
def test_a_percentile_that_is_no_number_is_refused_with_its_place(
    value: Any, of: Callable[[Any], Statement]
) -> None:
    tree = deepcopy(RUN)
    tree["request_latency"]["p99"] = value
    with pytest.raises(RunError, match="the file: /request_latency/p99 is"):
        of(tree)


@pytest.mark.parametrize("value", [None, Decimal("NaN"), "-", 0, Decimal("-0.5")])
def test_a_percentile_that_was_not_measured_is_left_out(
    value: Any, of: Callable[[Any], Statement]
) -> None:
    tree = deepcopy(RUN)
    tree["request_latency"]["p99"] = value
    results = of(tree).tree["results"]
    assert "e2e_p99" not in results
    assert "e2e_p95" in results


def test_no_text_of_the_settings_but_the_model_is_copied(of: Callable[[Any], Statement]) -> None:
    def marked(tree: Any) -> Any:
        if isinstance(tree, dict):
            return {key: marked(value) for key, value in tree.items()}
        return "SECRET" if isinstance(tree, str) else tree

    tree = deepcopy(RUN)
    tree["input_config"] = marked(tree["input_config"]) | {"model_names": ["mock-model"]}
    found = of(tree)
    assert "SECRET" not in repr(found)
    assert found.tree["model"] == {"described_as": "mock-model"}


@given(data=st.data())
def test_a_number_of_the_file_changes_what_is_read_from_it_and_nothing_else(
    data: st.DataObject, of: Callable[[Any], Statement], at: Any, changes: Any
) -> None:
    before = of(RUN).tree
    places = [place for place in numbers(RUN) if place.rpartition("/")[2] != "std"]
    place = data.draw(st.sampled_from(places))
    above, _, key = place.rpartition("/")
    tree = deepcopy(RUN)
    at(tree, above)[key] = at(RUN, place) * 2 + 1
    found = changes(before, of(tree).tree)
    read = {f"results.{name}.value" for name, one in before["results"].items()
            if one["locator"] == place}  # fmt: skip
    counted = {path for path in found if path.endswith(".n")} if "count" in place else set()
    assert found == read | FOLLOWS.get(place, set()) | counted


def numbers(tree: Any, here: str = "") -> list[str]:
    if isinstance(tree, dict):
        return [one for key, value in tree.items() for one in numbers(value, f"{here}/{key}")]
    whole = isinstance(tree, int | Decimal) and not isinstance(tree, bool)
    return [here] if whole else []


@given(data=st.data())
def test_a_spoiled_report_is_read_or_refused(data: st.DataObject, spoiled: Any, told: Told) -> None:
    base = data.draw(st.sampled_from((RUN, before_0_0_13(goodput={"request_latency": 9}))))
    for found in told("genai-perf", data.draw(spoiled(base))):
        assert isinstance(found, Statement | RunError)


def test_a_table_has_the_figures_of_the_report_as_they_are_printed(
    stated: Any, of: Callable[[Any], Statement]
) -> None:
    (found,) = stated(CSV)
    exact = of(RUN).tree["results"]
    assert found.tree["results"].keys() == exact.keys()
    for name, figure in found.tree["results"].items():
        assert abs(figure["value"] - exact[name]["value"]) <= Decimal("0.005")
        assert Decimal(figure["printed"]) == figure["value"]
        row, _, column = figure["locator"].rpartition(", ")
        assert cell(row.removeprefix('row "').rstrip('"'), column) == figure["printed"]


def cell(row: str, column: str) -> str:
    head: list[str] = []
    for cells in csv.reader(CSV.read_text().splitlines()):
        if cells[:1] == ["Metric"]:
            head = cells
        elif cells[:1] == [row]:
            return cells[head.index(column)]
    raise LookupError(row)


def test_a_table_states_no_condition_but_lengths_and_counts(stated: Any) -> None:
    (found,) = stated(CSV)
    assert found.tree["load"] == {"completed": 40}
    assert found.tree["workload"]["input_tokens"] == 100
    assert found.tree.keys() == {"load", "workload", "measurement", "results"}
    assert any("import the JSON beside it" in remark for remark in found.remarks)


HEAD = "Metric,avg,min,max,p99,p95,p90,p75,p50,p25\n"
TAIL = (
    "\nMetric,Value\nOutput Token Throughput (per sec),1234.50\nRequest Throughput (per sec),9.10\n"
)


def test_an_older_table_with_grouped_thousands_is_read(stated: Any, tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_text(
        f'{HEAD}Request Latency (ms),"1,250.10",9.00,"12,345.60",1,1,1,1,1,1\n'
        f"Output Sequence Length,100.00,1,1,1,1,1,1,1,1\n{TAIL}"
    )
    (found,) = stated(tmp_path / "old.csv")
    results = found.tree["results"]
    assert results["e2e_mean"]["printed"] == "1250.10"
    assert results["e2e_max"]["value"] == Decimal("12345.60")
    assert results["output_rate"]["value"] == Decimal("1234.50")
    assert found.tree["workload"]["output_tokens"] == 100


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("Request Latency (ms),1,1,1\nRequest Latency (ms),2,2,2\n", "two rows 'Request Latency'"),
        ("Request Latency (ms),one,1,1\n", "avg is no number"),
        ("Request Latency (parsec),1,1,1\n", "no unit of time"),
    ],
)
def test_a_table_that_cannot_be_trusted_is_refused(
    rows: str, says: str, stated: Any, tmp_path: Path
) -> None:
    (tmp_path / "run.csv").write_text(f"{HEAD}{rows}{TAIL}")
    with pytest.raises(RunError, match=says):
        stated(tmp_path / "run.csv")


@given(text=st.text(max_size=200))
def test_any_text_in_a_table_is_read_or_refused(
    text: str, stated: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("csv") / "run.csv"
    path.write_text(f"{HEAD}Request Latency (ms),1.00,{text}\n{text}\n{TAIL}", "utf-8")
    try:
        assert all(isinstance(one, Statement) for one in stated(path))
    except RunError as error:
        assert str(error)  # noqa: PT017  (either outcome is right, and a refusal says why)
