"""CON003 to CON007, CON010, CON018, CON019 and CON028 at their edges: what is absent, and how."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report
from benchreg.audit.finding import Severity

Change = Callable[..., Path]
Judge = Callable[..., Report]

SCENARIO = "load.scenario: not_applicable"
WORKLOAD = """workload:
  {}
  length_basis: measured
  output_policy: forced
  prefix_cache: {{enabled: false}}
  speculative: {{method: none}}
"""
LOAD = """load:
  {}
  requests: 6400
  completed: 6400
  failed: 0
  duration_s: 512
  window: full_drain
"""
FULL = {
    "engine": "engine: {id: example-engine}\n",
    "warmup": LOAD.format("pattern: closed_loop\n  concurrency: 64"),
    "load": LOAD.format("warmup: {requests: 0}"),
    "input": WORKLOAD.format("output_tokens: 64"),
    "output": WORKLOAD.format("input_tokens: 512"),
    "both": WORKLOAD.format("dataset: ShareGPT"),
    "precision": "precision: {activations: bf16}\n",
    "kv cache": "precision: {weights: bf16, activations: bf16}\n",
}


def absent(*lines: str) -> str:
    return "absent:\n" + "".join(f"  {line}\n" for line in lines)


def found(report: Report) -> list[tuple[str, str]]:
    return [(one.code, one.pointer.rpartition("/")[2]) for one in report.findings]


@pytest.mark.parametrize(
    ("left_out", "declared", "expected"),
    [
        ("engine", ["engine.version: not_stated"], [("CON004", "engine.version")]),
        ("engine", ["engine.version: withheld"], [("CON004", "engine.version")]),
        ("warmup", ["load.warmup: not_stated"], [("CON005", "load.warmup")]),
        ("warmup", ["load.warmup: unrecoverable"], [("CON005", "load.warmup")]),
        ("input", ["workload.input_tokens: not_stated"], [("CON006", "workload.input_tokens")]),
        ("output", ["workload.output_tokens: conflicting"], [("CON006", "workload.output_tokens")]),
        ("both", ["workload.input_tokens: not_stated", "workload.output_tokens: not_stated"],
         [("CON006", "workload.input_tokens"), ("CON006", "workload.output_tokens")]),
        ("load", ["load: not_checked"], [("CON007", "load")]),
        ("precision", ["precision: not_stated"], [("CON010", "precision")] * 2),
        ("precision", ["precision.weights: not_stated", "precision.kv_cache: not_applicable"],
         [("CON010", "precision.weights")]),
        ("kv cache", ["precision.kv_cache: not_stated"], [("CON010", "precision.kv_cache")]),
    ],
)  # fmt: skip
def test_what_is_declared_absent_is_told_where_it_is_declared(
    left_out: str,
    declared: list[str],
    expected: list[tuple[str, str]],
    changed: Change,
    judged: Judge,
) -> None:
    report = judged(changed(FULL[left_out] + absent(SCENARIO, *declared)))
    assert [one for one in found(report) if one[0] != "CON018"] == expected


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("not_stated", ["CON003"]),
        ("unrecoverable", ["CON003"]),
        ("withheld", ["CON003"]),
        ("conflicting", ["CON003"]),
        ("not_checked", ["CON003"]),
        ("not_applicable", []),
    ],
)
def test_a_scenario_may_not_apply(
    reason: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    report = judged(changed(absent(f"load.scenario: {reason}")))
    assert [code for code, _ in found(report)] == expected


def test_only_the_scenario_may_be_none_and_the_hint_says_so(changed: Change, judged: Judge) -> None:
    report = judged(changed(FULL["engine"] + absent("slo: not_stated")))
    hints = {one.pointer: one.hint for one in report.findings if one.code == "CON001"}
    assert hints.keys() == {"/load", "/engine"}
    assert hints["/load"].endswith("or `not_applicable` where a run of this kind has none")
    assert hints["/engine"].endswith("`engine.version: not_stated` under `absent`")


@pytest.mark.parametrize(
    "block", ["engine: not_stated", "workload.dataset: not_stated", "measurement: not_stated"]
)
def test_no_other_key_covers_a_core_condition(block: str, changed: Change, judged: Judge) -> None:
    report = judged(changed(FULL["engine"] + absent(SCENARIO, block)))
    assert ("CON001", "engine") in found(report)
    assert "CON004" not in {code for code, _ in found(report)}


LEFT_OUT = {
    "precision.weights": "precision: {activations: bf16, kv_cache: bf16}\n",
    "parallelism": "hardware:\n  pools:\n    - {accelerator: example-gpu-80gb, count: 1}\n",
    "load.requests": "load: {pattern: closed_loop, concurrency: 64, failed: 0, "
    "window: full_drain, warmup: {requests: 0}}\n",
    "measurement.runs": "measurement: {harness: example bench, point: server}\n",
    "measurement.point": "measurement: {harness: example bench, runs: 3}\n",
    "workload.prefix_cache": WORKLOAD.format("input_tokens: 512\n  output_tokens: 64").replace(
        "  prefix_cache: {enabled: false}\n", ""
    ),
    "workload.speculative": WORKLOAD.format("input_tokens: 512\n  output_tokens: 64").replace(
        "  speculative: {method: none}\n", ""
    ),
    "workload.output_policy": WORKLOAD.format("input_tokens: 512\n  output_tokens: 64").replace(
        "  output_policy: forced\n", ""
    ),
    "load.window": LOAD.format(
        "pattern: closed_loop\n  concurrency: 64\n  warmup: {requests: 0}"
    ).replace("  window: full_drain\n", ""),
}


@pytest.mark.parametrize("key", LEFT_OUT)
def test_an_extended_condition_is_stated_or_declared(
    key: str, changed: Change, judged: Judge
) -> None:
    told = [one for one in judged(changed(LEFT_OUT[key])).findings if one.code == "CON018"]
    assert [one.pointer for one in told] == [f"/{key.partition('.')[0]}"]
    assert f"`{key}: not_stated`" in told[0].hint
    report = judged(changed(LEFT_OUT[key] + absent(SCENARIO, f"{key}: not_stated")))
    assert "CON018" not in {code for code, _ in found(report)}


def test_the_windows_of_all_figures_are_the_window(changed: Change, judged: Judge) -> None:
    rate = "{metric: request_throughput, scope: system, value: 12.5, unit: req/s, window: {}}"
    rate = rate.replace("{}", "full_drain")
    report = judged(changed(LEFT_OUT["load.window"] + f"results:\n  rate: {rate}\n"))
    assert "CON018" not in {code for code, _ in found(report)}


@pytest.mark.parametrize(
    ("outcome", "kept", "expected"),
    [
        ("", "results:", []),
        ("", "absent:", ["CON019"]),
        ("outcome: out_of_memory\n", "results:", ["CON019"]),
        ("outcome: out_of_memory\n", "absent:", []),
        ("outcome: failed\n", "results:", ["CON019"]),
        ("outcome: failed\n", "absent:", []),
        ("outcome: limit_not_met\n", "results:", []),
        ("outcome: limit_not_met\n", "absent:", []),
    ],
)
def test_there_are_results_or_an_outcome(
    outcome: str, kept: str, expected: list[str], base: Path, judged: Judge
) -> None:
    record = base / "records/benchmarks/example-source/base-record.yaml"
    before, results, after = record.read_text(encoding="utf-8").partition("results:")
    record.write_text(f"{outcome}{before}{results + after if kept == results else ''}", "utf-8")
    assert [code for code, _ in found(judged(base)) if code == "CON019"] == expected


VERSIONS = "engine: {{id: example-engine, {}}}\n"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param('version: "1.2.0"', [], id="a version"),
        pytest.param("version: v1", [], id="a short one"),
        pytest.param("version: main at 1a2b3c4", [], id="a commit among words"),
        pytest.param("image: example/engine:1.2.0", [], id="a tag"),
        pytest.param("image: example/engine@sha256:ab", [], id="a digest"),
        pytest.param("image: registry:5000/engine:24.04", [], id="a port, and a tag"),
        pytest.param(
            "image: example/engine:latest, commit: 1a2b3c4", [], id="the commit says it anyway"
        ),
        pytest.param("version: None", [Severity.ERROR], id="what a program writes"),
        pytest.param("version: NONE", [Severity.ERROR], id="the same, louder"),
        pytest.param("version: latest", [Severity.WARNING], id="another one tomorrow"),
        pytest.param("version: in-house server", [Severity.WARNING], id="a name"),
        pytest.param("image: example/engine:latest", [Severity.WARNING], id="a tag that moves"),
        pytest.param("image: example/engine", [Severity.WARNING], id="no tag"),
        pytest.param("image: registry:5000/engine", [Severity.WARNING], id="a port, and no tag"),
    ],
)
def test_a_version_says_which_one(
    said: str, expected: list[Severity], changed: Change, judged: Judge
) -> None:
    report = judged(changed(VERSIONS.format(said)))
    assert [one.severity for one in report.findings if one.code == "CON028"] == expected


@pytest.mark.parametrize(
    ("fragment", "pointer"),
    [
        (
            "measurement: {harness: a bench, harness_version: main}\n",
            "/measurement/harness_version",
        ),
        (
            "hardware:\n  pools: [{accelerator: example-gpu-80gb, count: 1}]\n  driver: None\n",
            "/hardware/driver",
        ),
    ],
)
def test_every_version_is_asked(
    fragment: str, pointer: str, changed: Change, judged: Judge
) -> None:
    report = judged(changed(fragment))
    assert [one.pointer for one in report.findings if one.code == "CON028"] == [pointer]


def test_an_engine_is_stated_or_declared_absent(changed: Change, judged: Judge) -> None:
    silent = 'engine: {version: "1.2.0"}\n'
    report = judged(changed(silent))
    messages = [one.message for one in report.findings if one.code == "CON018"]
    assert messages == ["the engine is neither stated nor declared absent"]
    declared = "absent: {load.scenario: not_applicable, engine: not_stated}\n"
    assert [
        one for one in judged(changed(silent + declared)).findings if one.code == "CON018"
    ] == []
