"""The CON rules at their edges: what applies, what is whole, what is contradicted."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report

Change = Callable[..., Path]
Judge = Callable[..., Report]
SERVICE = "service: {provider: Example Cloud}\nengine: {id: example-engine}\n"
WORKLOAD = """workload:
  input_tokens: 512
  output_tokens: 64
  length_basis: measured
  output_policy: forced
  prefix_cache: {{enabled: false}}
  speculative: {speculative}
"""
LOAD = """load:
  {load}
  failed: 0
  window: full_drain
  warmup: {{requests: 0}}
"""


def con(report: Report) -> list[str]:
    return [one.code for one in report.findings if one.code.startswith("CON")]


@pytest.mark.parametrize(
    ("fragment", "expected"),
    [
        pytest.param("engine: {id: example-engine}\nabsent:\n  load.scenario: not_applicable\n"
                     "  engine.version: not_applicable\n", ["CON001"], id="our engine has one"),
        pytest.param(f"{SERVICE}absent:\n  load.scenario: not_applicable\n"
                     "  engine.version: not_applicable\n", [], id="a service hides it"),
        pytest.param("absent: {load.scenario: not_applicable, load.warmup: not_stated}\n"
                     "contributed: [load.warmup]\n", ["CON002"], id="stated and absent"),
        pytest.param("absent: {load.scenario: not_applicable, slo: not_stated}\n"
                     "contributed: [slo]\n", ["CON002"], id="contributed and absent"),
        pytest.param("absent: {load.scenario: not_applicable, measurement: not_stated}\n"
                     "inferred: {measurement: so it seems}\n", ["CON002"],
                     id="inferred and absent"),
    ],
)  # fmt: skip
def test_a_condition_applies_and_is_said_once(
    fragment: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    assert con(judged(changed(fragment))) == expected


@pytest.mark.parametrize(
    ("speculative", "absent", "expected"),
    [
        ("{method: none}", "", []),
        ("{method: eagle3}", "", ["CON013"]),
        ("{method: eagle3}", "  workload.speculative: not_stated\n", []),
        ("{method: none}", "  workload.speculative: not_stated\n", ["CON002"]),
        ("{method: eagle3, acceptance_length: 2.4}", "", ["CON013"]),
        ("{method: eagle3, acceptance_length: 2.4, acceptance: synthetic}", "", []),
    ],
)
def test_speculation_says_how_often_it_was_right(
    speculative: str, absent: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    declared = f"absent:\n  load.scenario: not_applicable\n{absent}"
    text = WORKLOAD.format(speculative=speculative) + declared
    assert con(judged(changed(text))) == expected


@pytest.mark.parametrize(
    ("load", "expected"),
    [
        pytest.param("pattern: closed_loop\n  concurrency: 64\n  requests: 640\n  duration_s: 60",
                     [], id="just long enough"),
        pytest.param("pattern: closed_loop\n  concurrency: 64\n  requests: 639\n  duration_s: 60",
                     ["CON014"], id="a request too few"),
        pytest.param("pattern: closed_loop\n  concurrency: 64\n  requests: 640\n  duration_s: 59",
                     ["CON014"], id="a second too few"),
        pytest.param("pattern: single_stream\n  requests: 5\n  duration_s: 9", [], id="one stream"),
        pytest.param("pattern: static_batch\n  requests: 5\n  duration_s: 900", ["CON008"],
                     id="a batch without a size"),
        pytest.param("pattern: trace_replay\n  requests: 5\n  duration_s: 900", ["CON008"],
                     id="a trace without a name"),
        pytest.param("pattern: closed_loop\n  concurrency: 4\n  batch_size: 4\n  requests: 640",
                     ["CON009"], id="a batch where none is"),
        pytest.param("pattern: closed_loop\n  concurrency: 4\n  requests: 640\n  completed: 600",
                     ["CON020"], id="requests that went nowhere"),
    ],
)  # fmt: skip
def test_a_load_is_whole_and_long_enough(
    load: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    text = WORKLOAD.format(speculative="{method: none}").replace("64\n", "64\n", 1)
    assert con(judged(changed(text + LOAD.format(load=load)))) == expected


@pytest.mark.parametrize(
    ("mean", "expected"),
    [("226.15", []), ("226.1", []), ("226", []), ("230.1", ["CON020"]), ("226.3", ["CON020"])],
)
def test_a_measured_mean_is_its_total_over_the_requests(
    mean: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    text = f"""workload:
  input_tokens: 512
  output_tokens: {mean}
  total_output_tokens: 174589
  length_basis: measured
  output_policy: natural
  prefix_cache: {{enabled: false}}
  speculative: {{method: none}}
"""
    load = LOAD.format(load="pattern: single_stream\n  requests: 772\n  completed: 772")
    assert con(judged(changed(text + load))) == expected


RATE = "{metric: request_throughput, scope: system, value: 12.5, unit: req/s, "
ONE_RUN = "measurement: {harness: h, runs: 3, point: server}\n"


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        pytest.param("n: 6400", [], id="all requests"),
        pytest.param("n: 6390", [], id="fewer"),
        pytest.param("n: 6401", ["CON020"], id="a request more than there were"),
        pytest.param("variation: {runs: 3}", [], id="all runs"),
        pytest.param("variation: {runs: 4}", ["CON020"], id="a run more than was made"),
    ],
)
def test_a_figure_is_over_no_more_than_there_was(
    more: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    assert con(judged(changed(f"{ONE_RUN}results:\n  rate: {RATE}{more}}}\n"))) == expected


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        pytest.param("absent: {scope: not_stated}", ["CON002"], id="stated and absent"),
        pytest.param("absent: {window: not_stated}", [], id="absent"),
        pytest.param("inferred: {scope: the axis says so}", [], id="concluded"),
        pytest.param("inferred: {statistic: the axis says so}", ["CON017"], id="without a value"),
    ],
)
def test_a_figure_says_each_thing_once(
    more: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    assert con(judged(changed(f"{ONE_RUN}results:\n  rate: {RATE}{more}}}\n"))) == expected


def test_a_reason_without_a_value_is_told(changed: Change, judged: Judge) -> None:
    text = "inferred: {hardware.could_be: because, workload.output_policy: because}\n"
    found = [(one.code, one.pointer) for one in judged(changed(text)).findings]
    assert found == [("CON017", "/inferred/hardware.could_be")]


@pytest.mark.parametrize("dataset", ["random", "synthetic prompts", "a repeated prompt"])
def test_prompts_that_may_be_cached_ask_for_the_cache(
    dataset: str, changed: Change, judged: Judge
) -> None:
    text = WORKLOAD.format(speculative="{method: none}")
    text = text.replace("  prefix_cache: {enabled: false}\n", f"  dataset: {dataset}\n")
    declared = "absent: {load.scenario: not_applicable, workload.prefix_cache: not_checked}\n"
    assert con(judged(changed(text + declared))) == ["CON012"]
