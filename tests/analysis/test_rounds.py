"""What the results of rounds show together is counted over those that stand, each pair once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.analysis.rounds import server_above_offline, server_window, spread_of_alike
from benchreg.registry.load import load
from benchreg.registry.registry import Registry

Change = Callable[..., Path]
ENTRY = """id: {id}
status: {status}
status_reason: it is a test
precision: {{weights: fp8}}
mlperf:
  round: v5.1
  division: closed
  submitter: {submitter}
  system: {system}
  benchmark: [{benchmark}]
load: {{scenario: {scenario}, {load}}}
results:
  output_rate: {{metric: output_throughput, scope: system, value: {rate}, unit: tok/s}}
  done: {{metric: request_throughput, scope: system, value: 2, unit: req/s}}
"""
WHOLE = "pattern: all_at_once, window: full_drain"
LAST_ISSUED = "pattern: open_loop, window: last_issued, requests: 200, duration_s: "


def entry(scenario: str, rate: float, **more: str) -> str:
    words = {"system": "one", "submitter": "Nobody", "status": "active", "benchmark": "a-99"}
    words["load"] = WHOLE
    return ENTRY.format(scenario=scenario, rate=rate, **(words | more))


@pytest.fixture
def registry(changed: Change) -> Callable[..., Registry]:
    """A function that returns the small registry with some results of MLPerf."""

    def made(**records: str) -> Registry:
        named = {name: text.replace("id: {id}", "") for name, text in records.items()}
        return load(changed(**named))

    return made


def with_ids(**records: tuple[str, float, dict[str, str]]) -> dict[str, str]:
    return {
        name: entry(scenario, rate, id=name.replace("_", "-"), **more)
        for name, (scenario, rate, more) in records.items()
    }


def test_a_pair_is_of_one_system_and_benchmark_and_counts_once(
    registry: Callable[..., Registry],
) -> None:
    both = {"benchmark": "a-99, a-99.9"}
    other = {"system": "two"}
    found = server_above_offline(
        registry(
            **with_ids(
                first=("offline", 100, both),
                second=("server", 110, both),
                third=("offline", 100, other),
                fourth=("server", 90, other),
                fifth=("server", 500, {"system": "three"}),
            )
        )
    )
    assert found.counted.startswith("In 1 of 2 pairs")
    assert found.rows == (("v5.1", "example-model", "2", "1", "not stated", "1"),)


def test_a_server_rate_is_held_against_offline_over_its_whole_run_too(
    registry: Callable[..., Registry],
) -> None:
    found = server_above_offline(
        registry(
            **with_ids(
                first=("offline", 100, {}),
                second=("server", 110, {"load": f"{LAST_ISSUED}125"}),
            )
        )
    )
    assert found.rows == (("v5.1", "example-model", "1", "1", "0", "1.1"),)
    assert found.counted.endswith("in 1 as reported and in 0 over the whole run.")


def test_a_window_that_ends_early_raises_a_rate_by_what_the_run_went_on(
    registry: Callable[..., Registry],
) -> None:
    found = server_window(
        registry(
            **with_ids(
                first=("server", 110, {"load": f"{LAST_ISSUED}125"}),
                second=("server", 9, {"load": f"{LAST_ISSUED}100"}),
                third=("server", 9, {}),
            )
        )
    )
    assert found.rows == (("example-model", "server", "2", "12.5 %", "25.0 %"),)
    assert found.counted.startswith("By 12.5 % at the median and 25.0 % at the most")


def test_what_does_not_stand_is_not_asked(registry: Callable[..., Registry]) -> None:
    disputed = {"status": "disputed"}
    found = server_above_offline(
        registry(**with_ids(first=("offline", 100, {}), second=("server", 110, disputed)))
    )
    assert found.rows == ()


def test_results_on_equal_hardware_are_put_beside_each_other(
    registry: Callable[..., Registry],
) -> None:
    rates = {"one": 100, "two": 150, "three": 120}
    records = {
        name: ("offline", rate, {"system": name, "submitter": name}) for name, rate in rates.items()
    }
    found = spread_of_alike(registry(**with_ids(**records)))
    [row] = found.rows
    assert row[:4] == ("v5.1", "closed", "example-model", "offline")
    assert row[-3:] == ("3", "1.5", "1.25")
    assert found.counted.startswith("In 1 of 1 groups")


def test_two_systems_are_no_spread(registry: Callable[..., Registry]) -> None:
    found = spread_of_alike(
        registry(**with_ids(one=("offline", 1, {}), two=("offline", 2, {"system": "two"})))
    )
    assert found.rows == ()
