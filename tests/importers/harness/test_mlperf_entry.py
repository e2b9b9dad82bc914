"""A submission to MLPerf: what its folders and the files beside a log say of a result."""

import json
import shutil
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchreg.importers.joined import joined
from benchreg.importers.statement import RunError, Statement

Stated = Callable[[Path], list[Statement]]
Tree = dict[str, Any]
LOG = "mlperf_log_detail.txt"
SYSTEM: Tree = {
    "accelerator_interconnect": "Example Link",
    "accelerator_model_name": "Example X1 80GB",
    "accelerators_per_node": 8,
    "framework": "vLLM 0.9.2, PyTorch 2.7",
    "host_memory_capacity": "2 TB",
    "host_processor_model_name": "Example CPU",
    "host_processors_per_node": "2",
    "number_of_nodes": 2,
    "status": "available",
    "submitter": "somebody@example.com",
    "sw_notes": "--api-key 1234",
}
MEASURED: Tree = {"weight_data_types": "fp8", "starting_weights_filename": "/home/a/weights"}
ACCURACY = (
    "Results\n\n{'rouge1': 44.5105, 'rougeLsum': np.float64(42.075), 'gen_len': 28345358, "
    "'gen_num': 24576, 'tokens_per_sample': '292.7'}\nhash=3fbbd4c6\n"
)


class Submission:
    """A submission that is made of our own logs."""

    def __init__(self, root: Path, data: Path, stated: Stated) -> None:
        self.top, self.data, self.stated = root / "inference_results_v5.1", data, stated
        self.system("1xExample", SYSTEM)

    def system(self, name: str, tree: Tree | str, division: str = "closed") -> None:
        """Write the file of a system."""
        path = self.top / division / "Example/systems" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(tree if isinstance(tree, str) else json.dumps(tree))

    def result(self, way: str, log: str = "server", division: str = "closed") -> Path:
        """Put a log at `SYSTEM/BENCHMARK/SCENARIO`, and return the folder of the result."""
        folder = self.top / division / "Example/results" / way
        shutil.copytree(self.data / log, folder / "performance/run_1")
        return folder

    def read(self, folder: Path) -> Statement:
        """Return what a result states."""
        (found,) = self.stated(folder / "performance/run_1")
        return found


@pytest.fixture
def submission(tmp_path: Path, data: Path, stated: Stated) -> Submission:
    return Submission(tmp_path, data / "mlperf", stated)


def test_the_path_says_which_result_it_is(submission: Submission) -> None:
    found = submission.read(submission.result("1xExample/llama2-70b-99.9/Server"))
    assert found.tree["mlperf"] == {
        "round": "v5.1",
        "division": "closed",
        "availability": "available",
        "submitter": "Example",
        "system": "1xExample",
        "benchmark": ["llama2-70b-99.9"],
        "result_path": "closed/Example/results/1xExample/llama2-70b-99.9/Server",
    }
    assert found.tree["load"]["scenario"] == "server"
    assert found.tree["measurement"]["harness"] == "MLPerf LoadGen"
    assert found.tree["source"] == {
        "locator": "closed/Example/results/1xExample/llama2-70b-99.9/Server/performance/run_1/"
        "mlperf_log_detail.txt"
    }


@pytest.mark.parametrize(
    ("folder", "log", "scenario", "window"),
    [
        ("interactive", "server", "interactive", "last_issued"),
        ("Server", "server", "server", "last_issued"),
        ("OFFLINE", "offline", "offline", "full_drain"),
        ("SingleStream", "single_stream", "single_stream", "full_drain"),
    ],
)
def test_interactive_comes_from_the_folder_for_loadgen_logs_it_as_server(
    submission: Submission, folder: str, log: str, scenario: str, window: str
) -> None:
    found = submission.read(submission.result(f"1xExample/llama3.1-8b/{folder}", log))
    assert found.tree["load"]["scenario"] == scenario
    assert found.tree["load"]["window"] == window


def test_a_folder_that_names_another_scenario_than_the_log_is_refused(
    submission: Submission,
) -> None:
    with pytest.raises(RunError, match="the folder says Offline, and the log Server"):
        submission.read(submission.result("1xExample/llama3.1-8b/Offline", "server"))


def test_the_benchmark_fixes_the_model_in_the_closed_division_alone(
    submission: Submission,
) -> None:
    closed = submission.read(submission.result("1xExample/llama3_1-405b/Server"))
    assert closed.tree["model"] == {"described_as": "llama-3.1-405b-instruct"}
    assert "rules fix the model" in closed.tree["inferred"]["model"]
    opened = submission.read(submission.result("1xExample/llama2-70b-99/Server", division="open"))
    assert opened.tree["model"] == {"described_as": "llama2-70b"}
    assert "model" not in opened.tree["inferred"]
    assert any("open division" in text for text in opened.remarks)
    unknown = submission.read(submission.result("1xExample/new-model/Server"))
    assert unknown.tree["model"] == {"described_as": "new-model"}


def test_the_file_of_the_system_names_parts_host_and_software(submission: Submission) -> None:
    found = submission.read(submission.result("1xExample/gptj-99/Server"))
    assert found.tree["hardware"] == {
        "pools": [{"described_as": "Example X1 80GB", "count": 16, "nodes": 2}],
        "nodes": 2,
        "host": "2 x Example CPU, 2 TB",
        "interconnect": "Example Link",
    }
    assert found.tree["engine"] == {
        "stack": "vLLM 0.9.2, PyTorch 2.7",
        "described_as": "vLLM",
        "version": "0.9.2",
    }


@pytest.mark.parametrize(
    ("framework", "engine", "version"),
    [
        ("vLLM v0.9.2", "vLLM", "0.9.2"),
        ("PyTorch vLLM", "vLLM", None),
        ("TensorRT-LLM 1.2.0rc1, CUDA 13", "TensorRT-LLM", "1.2.0rc1"),
        ("TensorRT 10.2, CUDA 12.4", None, None),
        ("Example LLMBoost Platform, vllm-0.9.0", None, None),
        ("TRTLLM-1, vLLM 0.9, Dynamo", None, None),
    ],
)
def test_an_engine_is_named_where_the_software_has_just_one(
    submission: Submission, framework: str, engine: str | None, version: str | None
) -> None:
    submission.system("1xExample", SYSTEM | {"framework": framework})
    found = submission.read(submission.result("1xExample/gptj-99/Server"))
    assert found.tree["engine"].get("described_as") == engine
    assert found.tree["engine"].get("version") == version
    assert found.tree["engine"]["stack"] == framework
    assert ("engine" in found.tree["absent"]) == (engine is None)
    assert ("engine.version" in found.tree["absent"]) == (version is None)


@pytest.mark.parametrize(
    ("name", "system", "pools"),
    [
        (
            "parts of two kinds",
            {"accelerator_model_name": "X1 80GB (x32), X2 (x16)", "accelerators_per_node": "8"},
            [{"described_as": "X1 80GB", "count": 32}, {"described_as": "X2", "count": 16}],
        ),
        (
            "processors alone",
            {"accelerator_model_name": "N/A", "accelerators_per_node": 0},
            [{"described_as": "Example CPU", "count": 4, "nodes": 2}],
        ),
        (
            "words behind a name that are no number",
            {"accelerator_model_name": "X1 (Power Cap 1000 W)"},
            [{"described_as": "X1 (Power Cap 1000 W)", "count": 16, "nodes": 2}],
        ),
        ("no number of parts", {"accelerators_per_node": "some"}, None),
        ("more parts than there are", {"accelerators_per_node": 99_999}, None),
        ("a name that a terminal obeys", {"accelerator_model_name": "X\x1b[31m"}, "cpu"),
        ("a name without end", {"accelerator_model_name": "X" * 5000}, "cpu"),
    ],
)
def test_pools_are_the_kinds_of_parts_that_compute(
    submission: Submission, name: str, system: Tree, pools: Any
) -> None:
    submission.system("1xExample", SYSTEM | system)
    found = submission.read(submission.result("1xExample/gptj-99/Server"))
    if pools == "cpu":
        pools = [{"described_as": "Example CPU", "count": 4, "nodes": 2}]
    assert found.tree.get("hardware", {}).get("pools") == pools, name
    assert (pools is None) == any("systems/" in text for text in found.remarks)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": 1, "a": 2}'])
def test_a_system_that_cannot_be_read_leaves_the_hardware_open(
    submission: Submission, text: str
) -> None:
    submission.system("1xExample", text)
    found = submission.read(submission.result("1xExample/gptj-99/Server"))
    assert not {"hardware", "engine"} & found.tree.keys()
    assert "availability" not in found.tree["mlperf"]


@pytest.mark.parametrize(
    ("label", "weights"),
    [("fp8", "fp8"), ("FP4", "fp4"), ("UINT4", "int4"), ("MXFP4", "mxfp4"), ("bf16", "bf16")],
)
def test_the_format_of_the_weights_is_that_of_the_measurements(
    submission: Submission, label: str, weights: str
) -> None:
    folder = submission.result("1xExample/gptj-99/Server")
    place = submission.top / "closed/Example/measurements/1xExample/gptj-99/Server"
    place.mkdir(parents=True)
    (place / "1xExample_Server.json").write_text(json.dumps({"weight_data_types": label}))
    assert submission.read(folder).tree["precision"] == {"weights": weights}


def test_measurements_may_lie_in_the_folder_of_the_result(submission: Submission) -> None:
    folder = submission.result("1xExample/gptj-99/Server")
    (folder / "measurements.json").write_text(json.dumps(MEASURED))
    found = submission.read(folder)
    assert found.tree["precision"] == {"weights": "fp8"}
    assert "/home" not in str(found.tree)


@pytest.mark.parametrize("label", ["fp16", "FP32"])
def test_a_wide_format_is_not_taken_for_the_one_that_was_served(
    submission: Submission, label: str
) -> None:
    folder = submission.result("1xExample/gptj-99/Server")
    (folder / "measurements.json").write_text(json.dumps({"weight_data_types": label}))
    found = submission.read(folder)
    assert "precision" not in found.tree
    assert found.tree["absent"]["precision.weights"]["because"] == "conflicting"


@pytest.mark.parametrize("label", ["BF16/F32/F8_E4M3/U8", "nvfp4, fp8 KV cache"])
def test_a_format_that_a_record_has_no_word_for_is_told(submission: Submission, label: str) -> None:
    folder = submission.result("1xExample/gptj-99/Server")
    (folder / "measurements.json").write_text(json.dumps({"weight_data_types": label}))
    found = submission.read(folder)
    assert "precision" not in found.tree
    assert any("no one format" in text for text in found.remarks)


def test_measurements_that_differ_name_no_format(submission: Submission) -> None:
    folder = submission.result("1xExample/gptj-99/Server")
    (folder / "measurements.json").write_text(json.dumps({"weight_data_types": "fp8"}))
    place = submission.top / "closed/Example/measurements/1xExample/gptj-99/Server"
    place.mkdir(parents=True)
    (place / "a.json").write_text(json.dumps({"weight_data_types": "fp4"}))
    found = submission.read(folder)
    assert "precision" not in found.tree
    assert any("no one format" in text for text in found.remarks)


def test_the_accuracy_lies_beside(submission: Submission) -> None:
    folder = submission.result("1xExample/llama2-70b-99/Server")
    (folder / "accuracy").mkdir()
    (folder / "accuracy/accuracy.txt").write_text(ACCURACY)
    assert submission.read(folder).tree["accuracy"] == [
        {"eval": "ROUGE1", "value": Decimal("44.5105"), "n": 24576},
        {"eval": "ROUGELSUM", "value": Decimal("42.075"), "n": 24576},
        {"eval": "GEN_LEN", "value": Decimal(28345358), "n": 24576},
        {"eval": "TOKENS_PER_SAMPLE", "value": Decimal("292.7"), "n": 24576},
    ]


@pytest.mark.parametrize("text", ["", "'rouge1': nan", "'rouge1': -3", "'secret': 5", "\xff\x00"])
def test_an_accuracy_that_is_no_number_is_not_stated(submission: Submission, text: str) -> None:
    folder = submission.result("1xExample/llama2-70b-99/Server")
    (folder / "accuracy").mkdir()
    (folder / "accuracy/accuracy.txt").write_text(text)
    assert "accuracy" not in submission.read(folder).tree


def test_nothing_free_of_the_files_beside_is_stated(submission: Submission) -> None:
    said = str(submission.read(submission.result("1xExample/gptj-99/Server")).tree)
    assert not [word for word in ("api-key", "somebody", "hash", "sw_notes") if word in said]


def test_two_accuracies_of_one_run_are_one_record(submission: Submission) -> None:
    pair = [
        submission.read(submission.result(f"1xExample/llama2-70b-{target}/Server"))
        for target in ("99", "99.9")
    ]
    (one,) = joined(pair)
    assert isinstance(one, Statement)
    assert one.tree["mlperf"]["benchmark"] == ["llama2-70b-99", "llama2-70b-99.9"]
    assert not one.remarks


@pytest.mark.parametrize(
    ("name", "way", "log"),
    [
        ("another scenario", "1xExample/llama2-70b-99.9/Interactive", "server"),
        ("another model", "1xExample/mixtral-8x7b/Server", "server"),
        ("another system", "2xExample/llama2-70b-99.9/Server", "server"),
        ("another log", "1xExample/llama2-70b-99.9/Offline", "offline"),
    ],
)
def test_runs_that_only_look_alike_stay_apart(
    submission: Submission, name: str, way: str, log: str
) -> None:
    first = submission.read(submission.result("1xExample/llama2-70b-99/Server"))
    other = submission.read(submission.result(way, log))
    assert len(list(joined([first, other]))) == 2, name


@pytest.mark.parametrize("name", ["X\x1b[31m", "<script src=x>", "x" * 190, "a\tb", "a\nb"])
def test_a_folder_that_no_record_can_name_is_refused(submission: Submission, name: str) -> None:
    with pytest.raises(RunError, match="too long for a record, or unsafe"):
        submission.read(submission.result(f"{name}/gptj-99/Server"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(draw=st.data())
def test_any_files_beside_give_a_statement_or_a_refusal(
    draw: st.DataObject,
    tmp_path_factory: pytest.TempPathFactory,
    data: Path,
    stated: Stated,
    dumped: Callable[[Any], str],
    spoiled: Callable[[Any], st.SearchStrategy[Any]],
) -> None:
    made = Submission(tmp_path_factory.mktemp("made"), data / "mlperf", stated)
    folder = made.result("1xExample/gptj-99/Offline", "offline")
    made.system("1xExample", dumped(draw.draw(spoiled(SYSTEM))))
    (folder / "measurements.json").write_text(dumped(draw.draw(spoiled(MEASURED))))
    (folder / "accuracy").mkdir()
    scores = {"accuracy_scores": [{"complete": True, "dataset_name": "a", "score": 5}]}
    report = folder / "accuracy/accuracy_results.json"
    report.write_text(dumped(draw.draw(spoiled(scores))))
    found = made.read(folder)
    for pool in found.tree.get("hardware", {}).get("pools", ()):
        assert 0 < pool["count"] <= 100_000
        assert pool["described_as"].isprintable()
