"""What a record says of a condition is put in words, with a mark where it was not the source."""

from collections.abc import Callable

import pytest

from benchreg.entities.completeness import BY_KEY, CORE, EXTENDED
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.report.conditions import described, engine_words

Draw = Callable[..., tuple[Registry, Record]]

SAID = [
    ("model", "model: {id: example-model}", "example-model"),
    ("model", "model: {described_as: Llama2-70B}", "'Llama2-70B'"),
    ("model", "model: {id: example-model, described_as: Llama2-70B}",
     "example-model, 'Llama2-70B'"),
    ("hardware", "hardware: {pools: [{accelerator: example-gpu-80gb, count: 8}]}",
     "8 x example-gpu-80gb"),
    ("load", "load: {pattern: static_batch, batch_size: 64}", "static batch of 64"),
    ("load", "load: {pattern: closed_loop, concurrency: 32}", "closed loop of 32 in flight"),
    ("load", "load: {pattern: open_loop, request_rate: 12.5}", "open loop at 12.5 req/s"),
    ("load", "load: {pattern: all_at_once}", "all requests at once"),
    ("load", "load: {pattern: single_stream}", "one request at a time"),
    ("load", "load: {pattern: trace_replay}", "replay of a trace"),
    ("load", "load: {batch_size: 64, concurrency: 32}", "batch 64, concurrency 32"),
    ("load", "load: {request_rate: 12.5}", "12.5 req/s"),
    ("workload.input_tokens", "workload: {input_tokens: 512}", "512 tokens"),
    ("workload.output_tokens", "workload: {output_tokens: 653.9, length_basis: measured}",
     "653.9 tokens, measured"),
    ("engine.version", 'engine: {version: "1.2.0", commit: a1b2c3d, image: "e:1.2"}',
     "1.2.0, a1b2c3d, e:1.2"),
    ("load.warmup", "load: {warmup: {requests: 0}}", "0 requests"),
    ("load.warmup", "load: {warmup: {requests: 64, seconds: 60, excluded: true}}",
     "64 requests, 60 s, excluded"),
    ("load.warmup", "load: {warmup: {seconds: 60, excluded: false}}", "60 s, not excluded"),
    ("load.scenario", "load: {scenario: multi_stream}", "multi stream"),
    ("precision.weights", "precision: {weights: fp8, kv_cache: bf16}",
     "weights fp8, KV cache bf16"),
    ("precision.weights", "precision: {weights: fp8}", "weights fp8"),
    ("precision.weights", "precision: {parts: {experts: mxfp4, attention: bf16}}",
     "experts mxfp4, attention bf16"),
    ("parallelism", "hardware: {pools: [{count: 8, parallelism: {tensor: 4, replicas: 2}}]}",
     "replicas 2, tensor 4"),
    ("load.requests", "load: {requests: 1280, completed: 1279, duration_s: 102.65}",
     "1280 requests, 102.65 s"),
    ("load.requests", "load: {completed: 1279}", "1279 requests"),
    ("load.requests", "load: {duration_s: 60}", "60 s"),
    ("measurement.runs", "measurement: {runs: 3}", "3"),
    ("measurement.point", "measurement: {point: client_same_host}", "client same host"),
    ("workload.prefix_cache", "workload: {prefix_cache: {enabled: false}}", "off"),
    ("workload.prefix_cache", "workload: {prefix_cache: {enabled: true, hit_ratio: 0.25}}",
     "on, hit ratio 0.25"),
    ("workload.prefix_cache", "workload: {prefix_cache: {hit_ratio: 0}}", "hit ratio 0"),
    ("workload.speculative", "workload: {speculative: {method: eagle3}}", "eagle3"),
    ("workload.output_policy", "workload: {output_policy: forced}", "forced"),
    ("load.window", "load: {window: full_drain}", "full drain"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "fragment", "words"), SAID)
def test_a_condition_is_said_in_words(key: str, fragment: str, words: str, drawn: Draw) -> None:
    _, record = drawn(f"{fragment}\n")
    assert described(record, BY_KEY[key]) == words


def test_every_condition_of_a_card_is_said_above() -> None:
    assert {key for key, _, _ in SAID} == {condition.key for condition in (*CORE, *EXTENDED)}


def test_the_windows_of_all_figures_are_said(drawn: Draw) -> None:
    figure = "metric: ttft, scope: per_request, value: 20, unit: ms"
    _, record = drawn(
        "load: {pattern: all_at_once}\n"
        "results:\n"
        f"  one: {{{figure}, window: steady_state}}\n"
        f"  other: {{{figure}, window: last_issued}}\n"
    )
    assert described(record, BY_KEY["load.window"]) == "last issued, steady state"


@pytest.mark.parametrize(
    ("because", "words"),
    [
        ("not_stated", "not stated; absent, not inferred"),
        ("unrecoverable", "unrecoverable; absent, not inferred"),
        ("withheld", "withheld; absent, not inferred"),
        ("not_checked", "not checked; absent, not inferred"),
        ("not_applicable", "not applicable"),
    ],
)
def test_a_condition_that_is_absent_is_said_to_be(because: str, words: str, drawn: Draw) -> None:
    _, record = drawn(f"load: {{pattern: all_at_once}}\nabsent: {{load.warmup: {because}}}\n")
    assert described(record, BY_KEY["load.warmup"]) == words


def test_a_condition_that_nobody_declared_is_said_to_be_a_hole(drawn: Draw) -> None:
    _, record = drawn("load: {pattern: all_at_once}\n")
    assert described(record, BY_KEY["load.warmup"]) == "neither stated nor declared absent"


@pytest.mark.parametrize(
    ("key", "inferred", "words"),
    [
        ("model", "model", "example-model (inferred)"),
        ("model", "model.id", "example-model (inferred)"),
        ("load", "load.pattern", "closed loop of 64 in flight (inferred)"),
        ("hardware", "hardware.could_be", "1 x example-gpu-80gb (inferred)"),
        ("precision.weights", "precision", "weights bf16, KV cache bf16 (inferred)"),
        ("precision.weights", "precision.kv_cache", "weights bf16, KV cache bf16 (inferred)"),
        ("measurement.runs", "measurement", "3 (inferred)"),
        ("workload.output_policy", "workload.output_policy", "forced (inferred)"),
        ("workload.output_policy", "workload.dataset", "forced"),
        ("engine.version", "engine.id", "1.2.0"),
    ],
)
def test_what_was_inferred_is_marked(key: str, inferred: str, words: str, drawn: Draw) -> None:
    _, record = drawn(f"inferred: {{{inferred}: the log says so}}\n")
    assert described(record, BY_KEY[key]) == words


def test_what_the_contributor_states_is_marked(drawn: Draw) -> None:
    _, record = drawn("contributed: [load.warmup]\n")
    assert described(record, BY_KEY["load.warmup"]) == "64 requests, excluded (contributed)"


@pytest.mark.parametrize(
    ("name", "fragment", "words"),
    [
        ("of the catalogue", "engine: {id: example-engine}", "example-engine"),
        ("in the source's words", "engine: {described_as: in-house server}", "'in-house server'"),
        ("not known", 'engine: {version: "1.2.0"}', ""),
        (
            "inferred",
            "engine: {id: example-engine}\ninferred: {engine.id: the flags}",
            "example-engine (inferred)",
        ),
    ],
)
def test_the_engine_is_named_as_the_source_names_it(
    name: str, fragment: str, words: str, drawn: Draw
) -> None:
    _, record = drawn(f"{fragment}\n")
    assert engine_words(record) == words, name
