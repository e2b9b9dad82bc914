"""optimum-benchmark: the whole file makes a record, and its parts alone are refused."""

import json
from collections.abc import Callable
from copy import deepcopy
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchreg.importers.statement import RunError, Statement

Read = Callable[[Path], list[Statement]]
Told = Callable[..., list[Statement | RunError]]
Run = Callable[..., Any]


@pytest.fixture(scope="session")
def run(data: Path) -> Run:
    """A function that returns the run with the values at some dotted paths changed."""
    whole = json.loads((data / "optimum/benchmark.json").read_text(), parse_float=Decimal)

    def change(changes: dict[str, Any]) -> Any:
        tree = deepcopy(whole)
        for path, value in changes.items():
            *way, last = path.split(".")
            node = tree
            for key in way:
                node = node[key]
            node[last] = value
        return tree

    return change


def stating(told: Told, tree: Any) -> Statement:
    [found] = told("optimum-benchmark", tree)
    assert isinstance(found, Statement), found
    return found


def test_each_figure_has_the_value_to_which_its_locator_leads(
    data: Path, stated: Read, run: Run, at: Callable[[Any, str], Any]
) -> None:
    [found] = stated(data / "optimum/benchmark.json")
    figures = {k: f for k, f in found.tree["results"].items() if "inferred" not in f}
    assert list(figures) == ["decode_rate", "itl_mean", "itl_p50", "itl_p90", "itl_p95", "itl_p99"]
    for figure in figures.values():
        assert figure["value"] == at(run({}), figure["locator"])


def test_the_run_states_its_conditions(data: Path, stated: Read) -> None:
    tree = dict(stated(data / "optimum/benchmark.json")[0].tree)
    del tree["results"]
    assert tree == {
        "model": {"described_as": "example-org/example-7b"},
        "load": {"pattern": "static_batch", "batch_size": 4, "requests": 4,
                 "warmup": {"requests": 20, "excluded": True}},
        "measurement": {"runs": 2, "harness_version": "0.5.0", "point": "in_process"},
        "engine": {"described_as": "pytorch", "version": "2.4.1",
                   "stack": "transformers 4.45.2, accelerate 1.0.0"},
        "precision": {"weights": "fp16", "activations": "fp16"},
        "hardware": {"host": "Example CPU 64-Core",
                     "pools": [{"described_as": "Example GPU 80GB", "count": 1}]},
        "workload": {"input_tokens": 256, "output_tokens": 65, "length_basis": "requested",
                     "output_policy": "forced"},
    }  # fmt: skip


def test_time_per_output_token_is_derived_and_says_so(told: Told, run: Run) -> None:
    figure = stating(told, run({})).tree["results"]["tpot_mean"]
    assert figure["value"] == Decimal("1.6") / 64
    assert figure["unit"] == "s"
    assert "new tokens but the first" in figure["inferred"]["value"]


def test_the_latency_of_a_prefill_is_no_time_to_first_token(told: Told, run: Run) -> None:
    metrics = {f["metric"] for f in stating(told, run({})).tree["results"].values()}
    assert not {"ttft", "e2e_latency"} & metrics


@pytest.mark.parametrize(
    ("unit", "names"), [("samples/s", set()), ("tokens/s", {"prefill_rate"}), ("x", set())]
)
def test_the_throughput_of_a_prefill_counts_what_its_unit_says(
    unit: str, names: set[str], told: Told, run: Run
) -> None:
    tree = run({"report.prefill.throughput.unit": unit})
    assert stating(told, tree).tree["results"].keys() & {"prefill_rate"} == names


def test_older_files_call_the_scenario_a_benchmark(told: Told, run: Run) -> None:
    tree = run({"config.scenario.generate_kwargs": {}, "config.scenario.new_tokens": 65})
    tree["config"]["benchmark"] = tree["config"].pop("scenario")
    found = stating(told, tree).tree
    assert found["workload"] == {
        "input_tokens": 256, "output_tokens": 65, "length_basis": "requested"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("case", "changes", "pools"),
    [
        ("the ids that were given", {"device_ids": "0,1"}, [("Example GPU 80GB", 2)]),
        ("an id as a number", {"device_ids": 1}, [("Example GPU 80GB", 1)]),
        ("no ids", {"device_ids": None}, [("Example GPU 80GB", 2)]),
        ("an id of no GPU", {"device_ids": "7"}, [("Example GPU 80GB", 2)]),
        ("on the CPU", {"device": "cpu"}, [("Example CPU 64-Core", 1)]),
        ("on something else", {"device": "hpu"}, None),
    ],
)
def test_the_parts_are_those_of_the_device(
    case: str, changes: dict[str, Any], pools: Any, told: Told, run: Run
) -> None:
    tree = run({f"config.backend.{key}": value for key, value in changes.items()})
    named = stating(told, tree).tree.get("hardware", {}).get("pools")
    assert (named and [(pool["described_as"], pool["count"]) for pool in named]) == pools, case


def test_all_gpus_of_a_machine_are_inferred(told: Told, run: Run) -> None:
    found = stating(told, run({"config.backend.device_ids": None}))
    assert "hardware" in found.tree["inferred"]
    assert any("2 GPUs" in remark for remark in found.remarks)


def test_a_quantised_model_has_no_format_by_its_dtype(told: Told, run: Run) -> None:
    tree = run({"config.backend.quantization_scheme": "gptq"})
    assert "precision" not in stating(told, tree).tree


def test_the_version_of_a_client_is_not_that_of_the_engine(told: Told, run: Run) -> None:
    changes = {"name": "py-txi", "version": "0.10.0", "image": "registry.example.org:5000/tgi:2.4"}
    tree = run({f"config.backend.{key}": value for key, value in changes.items()})
    found = stating(told, tree).tree
    assert found["engine"] == {
        "described_as": "py-txi", "image": "tgi:2.4",
        "stack": "py-txi 0.10.0, transformers 4.45.2, accelerate 1.0.0",
    }  # fmt: skip
    assert "point" not in found["measurement"]


def test_no_secret_of_the_configuration_reaches_the_statement(data: Path, stated: Read) -> None:
    path = data / "optimum/benchmark.json"
    assert "hf_0000000000" in path.read_text()
    assert "hf_0000000000" not in repr(stated(path))


@pytest.mark.parametrize(
    ("case", "changes", "message"),
    [
        ("a model that writes nothing", {"report.decode": None}, "generates text"),
        ("nothing measured", {"report.decode.throughput.value": 0}, "generates text"),
        ("another unit", {"report.decode.throughput.unit": "samples/s"}, "not in tokens/s"),
        ("beams", {"config.scenario.generate_kwargs.num_beams": 4}, "beams"),
        ("no batch", {"config.scenario.input_shapes.batch_size": 0}, "batch of 0"),
        ("endless", {"report.decode.throughput.value": Decimal("Infinity")}, "finite"),
    ],
)
def test_what_is_no_record_is_refused(
    case: str, changes: dict[str, Any], message: str, told: Told, run: Run
) -> None:
    [found] = told("optimum-benchmark", run(changes))
    assert isinstance(found, RunError)
    assert message in str(found), case


def test_a_report_without_its_conditions_asks_for_them(data: Path, stated: Read) -> None:
    with pytest.raises(RunError, match=r"import the benchmark\.json"):
        stated(data / "optimum/benchmark_report.json")


def test_a_table_whose_folder_had_the_conditions_is_refused(tmp_path: Path, stated: Read) -> None:
    path = tmp_path / "inference_results.csv"
    path.write_text(",forward.latency(s),generate.throughput(tokens/s)\n0,0.02,160\n")
    with pytest.raises(RunError, match="name of its folder"):
        stated(path)


@pytest.mark.parametrize(
    ("path", "value", "paths"),
    [
        ("report.decode.throughput.value", 7, {"results.decode_rate.value"}),
        ("report.decode.latency.mean", Decimal("3.2"), {"results.tpot_mean.value"}),
        ("report.per_token.latency.p90", 7, {"results.itl_p90.value"}),
        ("report.per_token.latency.stdev", 7, set()),
        ("report.decode.latency.count", 7, {"measurement.runs"}),
        ("config.scenario.input_shapes.sequence_length", 7, {"workload.input_tokens"}),
        ("config.scenario.warmup_runs", 7, {"load.warmup.requests"}),
        ("report.prefill.latency.mean", 7, set()),
        ("report.load_model.latency.mean", 7, set()),
    ],
)
def test_a_changed_number_changes_what_follows_from_it(
    path: str, value: Any, paths: set[str], told: Told, run: Run,
    changes: Callable[[Any, Any], set[str]],
) -> None:  # fmt: skip
    before, after = stating(told, run({})).tree, stating(told, run({path: value})).tree
    assert changes(before, after) == paths


@given(data=st.data())
@settings(max_examples=200, deadline=None)
def test_a_spoiled_file_is_a_statement_or_a_refusal(
    data: st.DataObject, told: Told, spoiled: Any, run: Run
) -> None:
    tree = data.draw(spoiled(run({})))
    assert all(isinstance(one, Statement | RunError) for one in told("optimum-benchmark", tree))
