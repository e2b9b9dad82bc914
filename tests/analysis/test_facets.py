"""The conditions of a figure: what decides what it can be compared with."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.analysis.comparison import Facet, Side, compared, varied
from benchreg.analysis.facets import scopes, side
from benchreg.registry.load import load
from benchreg.registry.registry import Registry

Change = Callable[..., Path]
MPT = "mpt-7b-a100-static-b64"
OFFLINE = "mlperf-v5.1-dell-xe9680-h200-sxm-141gbx8-trt-llama2-70b-offline"
COULD_BE = """hardware:
  pools:
    - {described_as: A GPU, count: 1, could_be: [example-gpu-40gb, example-gpu-80gb]}
"""
TWO_ROLES = """hardware:
  pools:
    - {accelerator: example-gpu-80gb, count: 2, role: prefill}
    - {accelerator: example-gpu-80gb, count: 6, role: decode}
"""
OTHER = "mlperf-v5.1-amd-8xmi325x-2xepyc-9575f-1-llama2-70b-offline"


def of(registry: Registry, name: str, figure: str = "output_rate") -> Side:
    record = registry.records[name]
    return side(registry, record, record.results[figure])


@pytest.fixture
def facets(changed: Change) -> Callable[..., dict[str, Facet]]:
    """A function that returns the facets of the base record's figure, with blocks changed."""

    def made(fragment: str = "") -> dict[str, Facet]:
        registry = load(changed(fragment))
        record = registry.records["base-record"]
        [figure] = record.results.values()
        return side(registry, record, figure).facets

    return made


def test_a_batch_of_64_and_an_offline_run_are_refused_with_the_list(shipped: Registry) -> None:
    found = compared([of(shipped, MPT), of(shipped, OFFLINE)])
    refused = {condition.key: condition.word for condition in found.refused_by}
    assert not found.comparable
    assert refused["load.pattern"] == "differs"
    assert refused["engine.version"] == "absent"
    assert refused["hardware.accelerator"] == "absent"
    assert refused["model"] == "differs"


def test_two_offline_runs_of_a_round_are_compared_with_the_unknowns_that_they_share(
    shipped: Registry,
) -> None:
    across = varied(["accelerator", "engine"])
    found = compared([of(shipped, OTHER), of(shipped, OFFLINE)], across)
    assert found.comparable
    shared = {condition.key: condition.word for condition in found.shared}
    assert shared["workload.input_tokens"] == "same unknown"
    assert shared["precision.kv_cache"] == "same unknown"
    assert shared["workload.dataset"] == "same inference"
    assert not compared([of(shipped, OTHER), of(shipped, OFFLINE)]).comparable


def test_runs_of_two_rounds_share_no_unknown(shipped: Registry) -> None:
    older = next(one for one in shipped.records.values() if one.id.startswith("mlperf-v4.1")
                 and one.id.endswith("h200-sxm-141gbx8-trt-llama2-70b-offline"))  # fmt: skip
    found = compared([of(shipped, older.id), of(shipped, OFFLINE)], varied(["engine"]))
    assert "workload.prefix_cache" in {condition.key for condition in found.refused_by}


def test_points_of_one_sweep_share_what_their_source_does_not_say(shipped: Registry) -> None:
    sides = [of(shipped, MPT), of(shipped, "mpt-7b-a100-static-b1")]
    assert compared(sides, varied(["batch"])).comparable
    assert [one.key for one in compared(sides).refused_by] == ["load.level"]


def test_a_length_that_a_log_measures_counts_as_stated(shipped: Registry) -> None:
    found = of(shipped, OFFLINE).facets["workload.output_tokens"]
    assert (found.state, found.why) == ("stated", "")


def test_an_open_division_shares_nothing(shipped: Registry) -> None:
    opened = next(
        one for one in shipped.records.values() if getattr(one.mlperf, "division", "") == "open"
    )
    assert not any(scope.startswith("MLPerf") for scope in scopes(opened))


@pytest.mark.parametrize(
    ("name", "fragment", "key", "facet"),
    [
        ("a part that is meant", "", "hardware.accelerator",
         Facet("hardware.accelerator", "stated", "example-gpu-80gb")),
        ("parts that could be", COULD_BE, "hardware.accelerator",
         Facet("hardware.accelerator", "absent", "could be example-gpu-40gb or example-gpu-80gb")),
        ("a model in words", "model: {described_as: Llama2-70B}\n", "model",
         Facet("model", "absent", "'Llama2-70B'")),
        ("pools of two roles", TWO_ROLES, "hardware.count",
         Facet("hardware.count", "stated", "6 for decode + 2 for prefill")),
        ("a commit for a version", "engine: {id: example-engine, commit: a1b2c3d}\n",
         "engine.version", Facet("engine.version", "stated", "a1b2c3d")),
        ("no limits", "", "slo", Facet("slo", "stated", "none")),
        ("limits", "slo: {ttft_ms: 450, percentile: p99}\n", "slo",
         Facet("slo", "stated", "ttft_ms 450, percentile p99")),
        ("no cache", "", "workload.prefix_cache",
         Facet("workload.prefix_cache", "stated", "enabled False")),
        ("one way of parallelism", "", "parallelism", Facet("parallelism", "stated", "tensor 1")),
    ],
)  # fmt: skip
def test_a_condition_is_what_the_record_states(
    name: str, fragment: str, key: str, facet: Facet, facets: Callable[..., dict[str, Facet]]
) -> None:
    assert facets(fragment)[key] == facet, name


@pytest.mark.parametrize(
    ("name", "metric", "load", "there"),
    [
        ("a batch", "request_throughput, scope: system, unit: req/s",
         "{pattern: static_batch, batch_size: 8}", True),
        ("a rate that was sought", "request_throughput, scope: system, unit: req/s",
         "{pattern: open_loop, request_rate: 8}", False),
        ("a latency at a rate", "ttft, scope: per_request, statistic: p99, unit: ms",
         "{pattern: open_loop, request_rate: 8}", True),
        ("all at once", "request_throughput, scope: system, unit: req/s",
         "{pattern: all_at_once}", False),
    ],
)  # fmt: skip
def test_a_level_is_a_condition_where_it_was_chosen(
    name: str, metric: str, load: str, there: bool, facets: Callable[..., dict[str, Facet]]
) -> None:
    found = facets(f"load: {load}\nresults:\n  a: {{metric: {metric}, value: 5}}\n")
    assert ("load.level" in found) is there, name
    assert ("measurement.latency_origin" in found) is metric.startswith("ttft")
