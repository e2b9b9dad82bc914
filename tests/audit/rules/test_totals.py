"""DER006 to DER009 at their edges: pools, units, windows, lengths."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report

Change = Callable[..., Path]
Judge = Callable[..., Report]

POOLS = """hardware:
  pools:
    - {accelerator: example-gpu-80gb, count: 20, role: prefill, parallelism: {tensor: 20}}
    - {accelerator: example-gpu-80gb, count: 32, role: decode, parallelism: {tensor: 32}}
"""
EACH = """results:
  input_each:
    metric: input_throughput
    scope: per_accelerator
    over: prefill
    value: 5498
    unit: tok/s
  output_each:
    metric: output_throughput
    scope: per_accelerator
    over: decode
    value: 429
    unit: tok/s
    absent: {{seen_by_request: not_applicable}}
  total_each:
    metric: total_throughput
    scope: per_accelerator
    {over}
    value: {total}
    unit: tok/s
    absent: {{seen_by_request: not_applicable}}
"""
SERVED = """workload:
  length_basis: measured
  input_tokens: 169.36
  output_tokens: 226.15
  total_input_tokens: 130743
  total_output_tokens: 174589
  output_policy: natural
  dataset: ShareGPT
  prefix_cache: {enabled: false}
  speculative: {method: none}
load:
  pattern: closed_loop
  concurrency: 64
  requests: 772
  completed: 772
  failed: 0
  duration_s: 329.83
  window: full_drain
  warmup: {requests: 0}
"""
RATES = """results:
  requests: {{metric: request_throughput, scope: system, value: 2.34, printed: "2.34", unit: req/s}}
  output:
    metric: output_throughput
    scope: system
    value: {output}
    unit: tok/s
    absent: {{seen_by_request: not_applicable}}
  total:
    metric: total_throughput
    scope: system
    value: {total}
    unit: tok/s
    absent: {{seen_by_request: not_applicable}}
"""


def codes(report: Report) -> list[str]:
    return [finding.code for finding in report.findings if finding.code.startswith("DER")]


def reasons(report: Report) -> list[str]:
    return [note.reason for note in report.unevaluated if note.code.startswith("DER")]


@pytest.mark.parametrize(
    ("total", "expected"),
    [
        pytest.param("2378.6", [], id="429 x 32 and 5498 x 20 over 52"),
        pytest.param("2600", ["DER006"], id="a total that is too high"),
        pytest.param("264", ["DER006"], id="a total without the prompt tokens"),
    ],
)
def test_figures_of_two_pools_are_brought_to_the_system_first(
    total: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    report = judged(changed(POOLS + EACH.format(total=total, over="over: all")))
    assert codes(report) == expected


def test_a_figure_that_names_no_pool_of_two_is_not_judged(changed: Change, judged: Judge) -> None:
    report = judged(changed(POOLS + EACH.format(total="2600", over="note: of all parts")))
    assert codes(report) == []
    assert "the figure does not say over which pool it divides" in reasons(report)


@pytest.mark.parametrize(
    ("output", "total", "expected"),
    [
        pytest.param("529.33", "925.72", [], id="as reported"),
        pytest.param("529.33", "529.33", ["DER006"], id="a total that lacks its prompt tokens"),
        pytest.param("512.00", "925.72", ["DER006", "DER006"], id="an output of another length"),
        pytest.param("396.39", "925.72", ["DER006", "DER006"], id="input taken for output"),
    ],
)
def test_rates_are_requests_times_measured_lengths(
    output: str, total: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    report = judged(changed(SERVED + RATES.format(output=output, total=total)))
    assert codes(report) == expected


def test_a_length_that_was_only_asked_for_is_not_used(changed: Change, judged: Judge) -> None:
    asked = SERVED.replace("length_basis: measured", "length_basis: requested")
    for name in ("total_input_tokens: 130743", "total_output_tokens: 174589"):
        asked = asked.replace(f"  {name}\n", "")
    report = judged(changed(asked + RATES.format(output="300", total="925.72")))
    assert codes(report) == []


def test_figures_of_two_windows_are_not_put_together(changed: Change, judged: Judge) -> None:
    results = RATES.format(output="300\n    window: steady_state", total="925.72")
    assert codes(judged(changed(SERVED + results))) == []


DRAINED = """load:
  pattern: closed_loop
  concurrency: 64
  requests: 6400
  completed: 6400
  failed: 0
  duration_s: 512
  window: {window}
  warmup: {{requests: 0}}
measurement: {{harness: h, runs: {runs}, point: server}}
results:
  rate: {{metric: {metric}, scope: system, value: {value}}}
"""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("12.5, unit: req/s", [], id="what completed over the duration"),
        pytest.param("12.62, unit: req/s", [], id="within 1 %"),
        pytest.param("12.64, unit: req/s", ["DER006"], id="over 1 %"),
        pytest.param("750, unit: req/min", [], id="in another unit"),
        pytest.param("12.5, unit: req/min", ["DER006"], id="in a wrong unit"),
        pytest.param("15.2, unit: req/s", ["DER006"], id="two digits swapped"),
        pytest.param("15.2, unit: req/s, statistic: peak", [], id="the best of several"),
        pytest.param("15.2, unit: req/s, window: steady_state", [], id="its own window"),
    ],
)
def test_a_rate_over_a_full_drain_is_what_completed(
    value: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    text = DRAINED.format(window="full_drain", runs=1, metric="request_throughput", value=value)
    assert codes(judged(changed(text))) == expected


@pytest.mark.parametrize(
    ("window", "runs", "metric", "value", "expected"),
    [
        ("last_issued", 1, "request_throughput", "13, unit: req/s", []),
        ("full_drain", 1, "request_throughput", "13, unit: req/s", ["DER006"]),
        ("full_drain", 3, "request_throughput", "13, unit: req/s", []),
        ("full_drain", 3, "request_throughput", "14, unit: req/s", ["DER006"]),
        ("full_drain", 1, "offered_rate", "13, unit: req/s", []),
    ],
)
def test_only_a_full_drain_of_one_run_is_exact(
    window: str,
    runs: int,
    metric: str,
    value: str,
    expected: list[str],
    changed: Change,
    judged: Judge,
) -> None:
    text = DRAINED.format(window=window, runs=runs, metric=metric, value=value)
    assert codes(judged(changed(text))) == expected


def test_a_rate_is_told_once_where_two_identities_fail(changed: Change, judged: Judge) -> None:
    report = judged(changed(SERVED + RATES.format(output="396.39", total="793.1")))
    assert [one.pointer for one in report.findings if one.code == "DER006"] == [
        "/results/output/value"
    ]


@pytest.mark.parametrize(
    ("each", "expected"),
    [
        pytest.param("value: 1600, unit: tok/s", [], id="a quarter of four"),
        pytest.param("value: 1.6, unit: ktok/s", [], id="in thousands"),
        pytest.param("value: 6400, unit: tok/s", ["DER009"], id="the total once more"),
    ],
)
def test_a_share_times_their_number_is_the_whole(
    each: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    report = judged(
        changed(f"""hardware:
  pools:
    - {{accelerator: example-gpu-80gb, count: 4, parallelism: {{tensor: 4}}}}
results:
  all_input: {{metric: input_throughput, scope: system, value: 6400, unit: tok/s}}
  each_input: {{metric: input_throughput, scope: per_accelerator, {each}}}
""")
    )
    assert codes(report) == expected


def test_latencies_are_compared_in_one_unit(changed: Change, judged: Judge) -> None:
    report = judged(
        changed("""results:
  first: {metric: ttft, scope: per_request, statistic: mean, value: 0.095, unit: s}
  each: {metric: tpot, scope: per_request, statistic: mean, value: 10, unit: ms}
  all: {metric: e2e_latency, scope: per_request, statistic: mean, value: 0.725, unit: s}
""")
    )
    assert codes(report) == []


def test_medians_are_not_put_into_the_identity_of_means(changed: Change, judged: Judge) -> None:
    report = judged(
        changed("""results:
  first: {metric: ttft, scope: per_request, statistic: p50, value: 95, unit: ms}
  each: {metric: tpot, scope: per_request, statistic: mean, value: 10, unit: ms}
  all: {metric: e2e_latency, scope: per_request, statistic: mean, value: 400, unit: ms}
""")
    )
    assert codes(report) == []


LITTLE = """results:
  rate: {{metric: request_throughput, scope: system, value: 12.5, unit: req/s}}
  latency: {{metric: e2e_latency, scope: per_request, statistic: {}, value: 5120, unit: ms}}
  in_flight: {{metric: mean_concurrency, scope: system, value: {}}}
"""


@pytest.mark.parametrize(
    ("statistic", "in_flight", "expected"),
    [
        pytest.param("mean", "64, unit: req", [], id="equal"),
        pytest.param("mean", "67.3, unit: req", [], id="within 5 %"),
        pytest.param("mean", "67.4, unit: req", ["DER007"], id="over 5 %"),
        pytest.param("mean", "60.8, unit: req", [], id="within 5 % below"),
        pytest.param("mean", "60.7, unit: req", ["DER007"], id="over 5 % below"),
        pytest.param("p50", "32, unit: req", [], id="of another statistic"),
    ],
)
def test_littles_law_holds_to_5_percent(
    statistic: str, in_flight: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    assert codes(judged(changed(LITTLE.format(statistic, in_flight)))) == expected


LATENCIES = """results:
  first: {{metric: ttft, scope: per_request, statistic: mean, value: 950, unit: ms}}
  each: {{metric: tpot, scope: per_request, statistic: mean, value: 100, unit: ms}}
  all: {{metric: e2e_latency, scope: per_request, statistic: mean, value: {}}}
"""


@pytest.mark.parametrize(
    ("whole", "expected"),
    [
        pytest.param("7250, unit: ms", [], id="equal"),
        pytest.param("7631, unit: ms", [], id="within 5 %"),
        pytest.param("7632, unit: ms", ["DER008"], id="over 5 %"),
        pytest.param("7.25, unit: s", [], id="in seconds"),
        pytest.param("7250, unit: s", ["DER008", "DER013"], id="in a wrong unit"),
    ],
)
def test_latencies_add_up_to_5_percent(
    whole: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    assert codes(judged(changed(LATENCIES.format(whole)))) == expected


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (LITTLE.format("mean", "64, unit: W"), "DER007"),
        (LATENCIES.format("7250, unit: W"), "DER008"),
    ],
)
def test_what_has_no_common_unit_is_not_judged(
    text: str, code: str, changed: Change, judged: Judge
) -> None:
    report = judged(changed(text))
    assert code not in codes(report)
    [reason] = [note.reason for note in report.unevaluated if note.code == code]
    assert reason.startswith("W cannot be turned into")


def test_latencies_without_a_known_length_are_not_judged(changed: Change, judged: Judge) -> None:
    workload = "workload: {input_tokens: 512, output_tokens: 64, output_policy: natural}\n"
    report = judged(changed(workload + LATENCIES.format("9000, unit: ms")))
    assert codes(report) == []
    assert "the mean output length is neither measured nor forced" in reasons(report)
