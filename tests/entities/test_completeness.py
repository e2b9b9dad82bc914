"""Every condition is stated, declared absent under its own key or its block's, or a hole."""

from decimal import Decimal
from typing import Any

import pytest

from benchreg.entities.completeness import (
    BY_KEY,
    CORE,
    EXTENDED,
    TALLIED,
    Condition,
    absence,
    absent_of,
    applies,
    nothing_unset,
    something_set,
)
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry

BARE = {
    "id": "run-1",
    "title": "A run",
    "kind": "example",
    "status": "active",
    "source": {"id": "own-run", "retrieved": "2026-11-01"},
}
FIGURE = {"metric": "ttft", "value": Decimal(95), "unit": "ms"}
CORE_KEYS = [condition.key for condition in CORE]
EXTENDED_KEYS = [condition.key for condition in EXTENDED]


def record(**blocks: Any) -> Record:
    """Return a record that says this and nothing else."""
    return Record.model_validate(BARE | blocks)


def declared(*keys: str, because: str = "not_stated") -> Record:
    return record(absent=dict.fromkeys(keys, because))


STATED: list[tuple[str, dict[str, Any]]] = [
    ("model", {"model": {"id": "mpt-7b"}}),
    ("model", {"model": {"described_as": "a 7B model"}}),
    ("hardware", {"hardware": {"pools": [{"accelerator": "a100-sxm4-40gb", "count": 1}]}}),
    ("hardware", {"hardware": {"pools": [{"described_as": "1 x A100", "count": 1}]}}),
    ("load", {"load": {"pattern": "static_batch", "batch_size": 64}}),
    ("load", {"load": {"pattern": "closed_loop", "concurrency": 32}}),
    ("load", {"load": {"pattern": "open_loop", "request_rate": Decimal("12.5")}}),
    ("load", {"load": {"pattern": "all_at_once"}}),
    ("load", {"load": {"pattern": "single_stream"}}),
    ("load", {"load": {"pattern": "trace_replay"}, "workload": {"dataset": "OpenOrca"}}),
    ("load", {"load": {"pattern": "trace_replay", "request_rate": Decimal("12.5")}}),
    ("load", {"load": {"batch_size": 64}}),
    ("load", {"load": {"concurrency": 32}}),
    ("load", {"load": {"request_rate": Decimal("12.5")}}),
    ("workload.input_tokens", {"workload": {"input_tokens": 512}}),
    ("workload.output_tokens", {"workload": {"output_tokens": 64}}),
    ("engine.version", {"engine": {"version": "0.11.0"}}),
    ("engine.version", {"engine": {"commit": "a1b2c3d"}}),
    ("engine.version", {"engine": {"image": "vllm:0.11.0"}}),
    ("load.warmup", {"load": {"warmup": {"requests": 0}}}),
    ("load.warmup", {"load": {"warmup": {"seconds": 60}}}),
    ("load.scenario", {"load": {"scenario": "offline"}}),
    ("precision.weights", {"precision": {"weights": "bf16"}}),
    ("precision.weights", {"precision": {"parts": {"experts": "mxfp4"}}}),
    ("precision.activations", {"precision": {"activations": "bf16"}}),
    ("precision.kv_cache", {"precision": {"kv_cache": "fp8"}}),
    ("precision", {"precision": {"weights": "fp8", "activations": "bf16", "kv_cache": "fp8"}}),
    ("parallelism", {"hardware": {"pools": [{"count": 8, "parallelism": {"tensor": 8}}]}}),
    ("load.requests", {"load": {"requests": 1280}}),
    ("load.requests", {"load": {"completed": 1280}}),
    ("load.requests", {"load": {"duration_s": 100}}),
    ("load.failed", {"load": {"failed": 0}}),
    ("load.arrival", {"load": {"arrival": {"process": "poisson"}}}),
    ("load.window", {"load": {"window": "full_drain"}}),
    ("load.window", {"results": {"ttft": FIGURE | {"window": "full_drain"}}}),
    ("measurement.runs", {"measurement": {"runs": 3}}),
    ("measurement.point", {"measurement": {"point": "server"}}),
    ("measurement.latency_origin", {"measurement": {"latency_origin": "dispatched"}}),
    ("measurement",
     {"measurement": {"runs": 3, "point": "server", "latency_origin": "dispatched"}}),
    ("workload.prefix_cache", {"workload": {"prefix_cache": {"enabled": False}}}),
    ("workload.prefix_cache", {"workload": {"prefix_cache": {"hit_ratio": Decimal("0.5")}}}),
    ("workload.speculative", {"workload": {"speculative": {"method": "none"}}}),
    ("workload.output_policy", {"workload": {"output_policy": "forced"}}),
    ("workload.dataset", {"workload": {"dataset": "OpenOrca"}}),
    ("engine", {"engine": {"id": "vllm"}}),
    ("engine", {"engine": {"described_as": "in-house server"}}),
    ("slo", {"slo": {"ttft_ms": 450}}),
    ("accuracy", {"accuracy": [{"eval": "ROUGE1"}]}),
]  # fmt: skip


@pytest.mark.parametrize(("key", "blocks"), STATED)
def test_a_condition_is_stated_by_its_field(key: str, blocks: dict[str, Any]) -> None:
    stating = record(**blocks)
    assert BY_KEY[key].stated(stating)
    assert absence(stating, key) is None
    assert applies(stating, BY_KEY[key])
    assert absent_of(stating, (BY_KEY[key],)) == ()


@pytest.mark.parametrize(
    ("key", "fields"),
    [
        ("model", "`model.id`"),
        ("load", "`load.pattern` and its own parameter"),
        ("workload.input_tokens", "`workload.input_tokens`"),
        ("engine.version", "`engine.version`, `commit` or `image`"),
        ("slo", "`slo`"),
    ],
)
def test_a_condition_names_the_fields_that_state_it(key: str, fields: str) -> None:
    assert BY_KEY[key].stated_by == fields


def test_every_condition_is_stated_above() -> None:
    assert {key for key, _ in STATED} == set(BY_KEY)


@pytest.mark.parametrize("key", BY_KEY)
def test_a_record_that_says_nothing_states_no_condition(key: str) -> None:
    assert not BY_KEY[key].stated(record())


@pytest.mark.parametrize(
    ("name", "key", "blocks"),
    [
        ("a batch by its clients", "load", {"load": {"pattern": "static_batch", "concurrency": 8}}),
        ("a closed loop by a batch", "load",
         {"load": {"pattern": "closed_loop", "batch_size": 8}}),
        ("an open loop by its cap", "load", {"load": {"pattern": "open_loop", "max_in_flight": 8}}),
        ("a trace by the replay alone", "load", {"load": {"pattern": "trace_replay"}}),
        ("a trace by its clients", "load", {"load": {"pattern": "trace_replay", "concurrency": 8}}),
        ("a load by the dataset alone", "load", {"workload": {"dataset": "OpenOrca"}}),
        ("hardware by a count alone", "hardware", {"hardware": {"pools": [{"count": 8}]}}),
        ("hardware by its host", "hardware", {"hardware": {"host": "2 x AMD EPYC"}}),
        ("hardware by one pool of two", "hardware",
         {"hardware": {"pools": [{"accelerator": "a100-sxm4-40gb", "count": 1}, {"count": 1}]}}),
        ("a model by its revision", "model", {"model": {"revision": "main"}}),
        ("an engine version by the engine", "engine.version", {"engine": {"id": "vllm"}}),
        ("an engine version by the stack", "engine.version", {"engine": {"stack": "CUDA 12.4"}}),
        ("a warm-up by what it leaves out", "load.warmup",
         {"load": {"warmup": {"excluded": True}}}),
        ("a scenario by the pattern", "load.scenario", {"load": {"pattern": "single_stream"}}),
        ("a length by the total", "workload.input_tokens",
         {"workload": {"total_input_tokens": 5120}}),
        ("precision by one format of three", "precision", {"precision": {"weights": "bf16"}}),
        ("speculation by its draft", "workload.speculative",
         {"workload": {"speculative": {"draft_tokens": 3}}}),
        ("the window of one figure of two", "load.window",
         {"results": {"ttft": FIGURE | {"window": "full_drain"}, "other": FIGURE}}),
    ],
)  # fmt: skip
def test_a_condition_is_not_stated_by_what_is_only_near(
    name: str, key: str, blocks: dict[str, Any]
) -> None:
    assert not BY_KEY[key].stated(record(**blocks)), name


@pytest.mark.parametrize(("key", "blocks"), STATED)
def test_a_condition_that_is_stated_is_set_in_part(key: str, blocks: dict[str, Any]) -> None:
    assert something_set(record(**blocks), key)


@pytest.mark.parametrize("key", BY_KEY)
def test_a_record_that_says_nothing_has_all_unset(key: str) -> None:
    assert not nothing_unset(record(), key)
    assert not something_set(record(), key)


@pytest.mark.parametrize(
    ("name", "key", "blocks", "whole"),
    [
        ("a cache that is off", "workload.prefix_cache",
         {"workload": {"prefix_cache": {"enabled": False}}}, True),
        ("a cache that is on, its hits unknown", "workload.prefix_cache",
         {"workload": {"prefix_cache": {"enabled": True}}}, False),
        ("a cache with its hits", "workload.prefix_cache",
         {"workload": {"prefix_cache": {"enabled": True, "hit_ratio": Decimal("0.5")}}}, True),
        ("no speculation", "workload.speculative",
         {"workload": {"speculative": {"method": "none"}}}, True),
        ("speculation, its acceptance unknown", "workload.speculative",
         {"workload": {"speculative": {"method": "eagle3"}}}, False),
        ("speculation with its acceptance", "workload.speculative",
         {"workload": {"speculative": {"method": "eagle3", "acceptance_length": 2}}}, True),
        ("one format of three", "precision", {"precision": {"weights": "bf16"}}, False),
        ("runs alone", "measurement", {"measurement": {"runs": 3}}, False),
    ],
)  # fmt: skip
def test_a_condition_is_whole_where_nothing_of_it_can_be_absent(
    name: str, key: str, blocks: dict[str, Any], *, whole: bool
) -> None:
    assert something_set(record(**blocks), key), name
    assert nothing_unset(record(**blocks), key) is whole, name


@pytest.mark.parametrize(
    ("key", "blocks"),
    [
        ("hardware.could_be",
         {"hardware": {"pools": [{"could_be": ["a100-sxm4-40gb"], "count": 1}]}}),
        ("load.pattern", {"load": {"pattern": "closed_loop"}}),
        ("load.warmup", {"load": {"warmup": {"excluded": True}}}),
        ("model.id", {"model": {"id": "mpt-7b"}}),
        ("engine.id", {"engine": {"id": "vllm"}}),
        ("engine", {"engine": {"stack": "CUDA 12.4"}}),
    ],
)  # fmt: skip
def test_what_may_be_inferred_beside_a_condition_is_set_or_not(
    key: str, blocks: dict[str, Any]
) -> None:
    assert something_set(record(**blocks), key)
    assert not something_set(record(), key)


@pytest.mark.parametrize("key", BY_KEY)
def test_a_condition_is_declared_absent_by_its_own_key(key: str) -> None:
    found = absence(declared(key, because="withheld"), key)
    assert found is not None
    assert found.because == "withheld"


@pytest.mark.parametrize("key", BY_KEY)
def test_a_condition_that_nobody_declares_is_a_hole(key: str) -> None:
    silent = record()
    assert absence(silent, key) is None
    assert applies(silent, BY_KEY[key])
    assert absent_of(silent, (BY_KEY[key],)) == (BY_KEY[key],)


@pytest.mark.parametrize(
    ("block", "covered"),
    [
        ("precision", ["precision.weights", "precision.activations", "precision.kv_cache"]),
        ("measurement", ["measurement.runs", "measurement.point", "measurement.latency_origin"]),
        ("engine", []),
        ("load", []),
        ("hardware", []),
        ("model", []),
        ("slo", []),
        ("accuracy", []),
        ("parallelism", []),
    ],
)
def test_a_block_covers_what_is_unset_in_it_and_no_core_condition(
    block: str, covered: list[str]
) -> None:
    silent = declared(block)
    others = [key for key in BY_KEY if key != block and absence(silent, key) is not None]
    assert sorted(others) == sorted(covered)


@pytest.mark.parametrize("key", [key for key in CORE_KEYS if "." in key])
def test_a_core_condition_is_never_covered_by_all_the_others(key: str) -> None:
    silent = declared(*(other for other in BY_KEY if other != key))
    assert absence(silent, key) is None
    assert absent_of(silent, CORE) != ()


def test_a_key_of_its_own_wins_over_the_block() -> None:
    silent = record(absent={"measurement": "not_stated", "measurement.runs": "withheld"})
    reasons = {key: absence(silent, key) for key in ("measurement.runs", "measurement.point")}
    assert {key: found.because for key, found in reasons.items() if found} == {
        "measurement.runs": "withheld",
        "measurement.point": "not_stated",
    }


@pytest.mark.parametrize("key", CORE_KEYS + EXTENDED_KEYS)
def test_what_is_not_applicable_counts_as_answered(key: str) -> None:
    answered = declared(key, because="not_applicable")
    assert not applies(answered, BY_KEY[key])
    assert absent_of(answered, (BY_KEY[key],)) == ()


@pytest.mark.parametrize(
    "because", ["not_stated", "unrecoverable", "withheld", "conflicting", "not_checked"]
)
def test_every_other_reason_leaves_a_condition_absent(because: str) -> None:
    silent = declared(*CORE_KEYS, because=because)
    assert absent_of(silent, CORE) == CORE


def test_a_condition_that_is_stated_and_not_applicable_still_counts() -> None:
    both = record(load={"warmup": {"requests": 0}}, absent={"load.warmup": "not_applicable"})
    assert applies(both, BY_KEY["load.warmup"])
    assert absent_of(both, (BY_KEY["load.warmup"],)) == ()


def test_the_tally_is_of_seven_conditions_and_the_scenario_stands_apart() -> None:
    assert [condition.title for condition in TALLIED] == [
        "model",
        "hardware",
        "batch or concurrency",
        "input length",
        "output length",
        "engine version",
        "warm-up",
    ]
    assert [condition.title for condition in CORE if condition not in TALLIED] == ["scenario"]


@pytest.mark.parametrize(
    ("among", "titles"),
    [
        (TALLIED, ["engine version", "warm-up"]),
        (CORE, ["engine version", "warm-up", "scenario"]),
        (
            EXTENDED,
            [
                "precision",
                "requests or duration",
                "runs",
                "prefix cache",
                "speculation",
                "output policy",
                "measurement point",
                "window",
            ],
        ),
    ],
)
def test_two_of_seven_conditions_of_the_mpt_7b_record_are_absent(
    among: tuple[Condition, ...], titles: list[str], shipped: Registry
) -> None:
    mpt = shipped.records["mpt-7b-a100-static-b64"]
    assert [condition.title for condition in absent_of(mpt, among)] == titles


def test_no_shipped_record_has_a_hole_among_the_core_conditions(shipped: Registry) -> None:
    assert len(shipped.records) > 40
    holes = [
        (one.id, condition.key)
        for one in shipped.records.values()
        for condition in absent_of(one, CORE)
        if absence(one, condition.key) is None
    ]
    assert holes == []
