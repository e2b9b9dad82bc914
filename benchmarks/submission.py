"""Measure the import of a whole submission to MLPerf, as one process.

    python benchmarks/submission.py [--systems 50] [--keep FOLDER] [--only-make]

A submission is made of our own logs of LoadGen: twenty results a system, with the accuracy and
compliance runs that lie beside them, so that fifty systems are a thousand results. Three of the
twenty have a second label, whose log is the same to the byte. Then `benchreg import` reads it into
a registry of its own, which is thrown away.
"""

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

from audit import BENCHREG, HERE, cost

LOGS = HERE / "tests/importers/data/mlperf"
LOG = "mlperf_log_detail.txt"
SOURCE = "mlperf-inference-v5.1"
TOP = "inference_results_v5.1"
SCENARIOS = {"Offline": "offline", "Server": "server", "Interactive": "server"}
BENCHMARKS = (
    "llama2-70b-99",
    "llama2-70b-99.9",
    "llama3.1-8b",
    "llama3.1-405b",
    "deepseek-r1",
    "gpt-oss-120b",
)
RESULTS = (
    *((benchmark, scenario) for benchmark in BENCHMARKS for scenario in SCENARIOS),
    ("mixtral-8x7b", "Offline"),
    ("mixtral-8x7b", "Server"),
)
RATE = {"offline": "25773", "server": "7562.78"}
ACCURACY = "{'rouge1': 44.5, 'rouge2': 22.1, 'gen_num': 24576, 'tokens_per_sample': 292.7}\n"
MOST_CPU_S = 60


def make(into: Path, systems: int) -> int:
    """Write a submission below a folder, and return how many results it has."""
    texts = {name: (LOGS / name / LOG).read_text(encoding="utf-8") for name in RATE}
    for number in range(systems):
        division = into / TOP / "closed" / f"Example{number % 7}"
        system = f"{number + 1}xExample"
        _write(division / "systems" / f"{system}.json", json.dumps(_system(16 + number)))
        for benchmark, scenario in RESULTS:
            _result(division, f"{system}/{benchmark}/{scenario}", texts, number)
    return systems * len(RESULTS)


def _result(division: Path, way: str, texts: dict[str, str], number: int) -> None:
    """Write one result: its log, its accuracy, its measurements and its compliance run."""
    log = _log(texts, way, number)
    folder = division / "results" / way
    _write(folder / "performance/run_1" / LOG, log)
    _write(folder / "accuracy/accuracy.txt", ACCURACY)
    _write(folder / "accuracy" / LOG, log[:2000])
    _write(division / "measurements" / way / "system.json", '{"weight_data_types": "fp8"}')
    _write(division / "compliance" / way / "TEST06/performance/run_1" / LOG, log)


def _log(texts: dict[str, str], way: str, number: int) -> str:
    """Return a log with a rate of its own; two accuracies of one benchmark have the same."""
    system, benchmark, scenario = way.split("/")
    model = benchmark.removesuffix("-99").removesuffix("-99.9")
    name = SCENARIOS[scenario]
    rate = float(RATE[name]) * (1 + number / 1000 + len(model) / 10_000)
    text = texts[name].replace("PySUT", f"{system} {model} {scenario}")
    return text.replace(f'second", "value": {RATE[name]}', f'second", "value": {rate:.2f}')


def _system(parts: int) -> dict[str, object]:
    """Return the description of a system that has room for every model."""
    return {
        "accelerator_model_name": "NVIDIA H100-SXM-80GB",
        "accelerators_per_node": parts,
        "framework": "TensorRT-LLM 0.17.0, CUDA 12.4",
        "host_processor_model_name": "Example CPU",
        "host_processors_per_node": 2,
        "number_of_nodes": 1,
        "status": "available",
    }


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def registry(into: Path) -> Path:
    """Make a registry with the shipped catalogue and no record, and return its root."""
    root = into / "registry"
    shutil.rmtree(root, ignore_errors=True)
    without = shutil.ignore_patterns("benchmarks")
    shutil.copytree(HERE / "records", root / "records", ignore=without)
    shutil.copytree(HERE / "schema", root / "schema")
    return root


def measure(folder: Path, systems: int) -> int:
    """Print what the import of a submission takes; return 1 where that is too much."""
    results = make(folder, systems)
    root = registry(folder)
    command = [str(BENCHREG), "import", "--registry", str(root), "--source", SOURCE]
    taken = cost([*command, str(folder / TOP)])
    written = len(list((root / "records/benchmarks").rglob("*.yaml")))
    print(
        f"import of {results:,} results: {written:,} records, {taken.cpu_s:.1f} CPU s,"
        f" {taken.peak_mib:.0f} MiB, exit {taken.code}; at most {MOST_CPU_S} CPU s are allowed"
    )
    return int(taken.cpu_s > MOST_CPU_S or not written)


def main() -> int:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--systems", type=int, default=50)
    parser.add_argument("--keep", type=Path, help="a folder for what is made, which is kept")
    parser.add_argument("--only-make", action="store_true", help="make it, and import nothing")
    options = parser.parse_args()
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        run = make if options.only_make else measure
        code = run(options.keep, options.systems)
        return 0 if options.only_make else code
    with tempfile.TemporaryDirectory() as folder:
        return measure(Path(folder), options.systems)


if __name__ == "__main__":
    sys.exit(main())
