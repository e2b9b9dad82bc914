"""What a figure says of bandwidth and arithmetic, and how many requests decode at once."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchreg.analysis.completions import Completions
from benchreg.analysis.limits import LIMITS, Ends, bounded, limit
from benchreg.analysis.utilisation import AtOnce, at_once, used
from benchreg.entities.figure import Figure
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.roofline.figures import decode_batch

State = Callable[..., Record]
Change = Callable[..., Registry]
End = Callable[..., Ends]

LAYERS, WIDTH = 32, 4096
HEAD = 50432 * WIDTH
MET = LAYERS * (4 * WIDTH**2 + 2 * WIDTH * 16384) + (2 * LAYERS + 1) * WIDTH
CACHE, SCORE = 2 * LAYERS * WIDTH, 4 * LAYERS * WIDTH
BANDWIDTH, PEAK, BYTES = 2e12, 300e12, 2
PROMPT, OUTPUT, BATCH = 512, 64, 8
CONTEXTS = sum(range(PROMPT + 1, PROMPT + OUTPUT))
# What one request of a batch moves and does in its decode, and does in its prompt.
MOVED = ((MET + HEAD) * (OUTPUT - 1) / BATCH + CACHE * CONTEXTS) * BYTES
DECODED = 2 * (MET + HEAD) * (OUTPUT - 1) + SCORE * CONTEXTS
PROMPTED = 2 * MET * PROMPT + 2 * HEAD + SCORE * PROMPT * (PROMPT + 1) / 2
LOOP = {"pattern": "closed_loop", "batch_size": None, "concurrency": 64}


def figure(metric: str, value: float = 1, unit: str = "ms", **more: Any) -> dict[str, Any]:
    return {"metric": metric, "value": value, "unit": unit} | more


def mean(ttft: float | None = 1000, tpot: float | None = 50) -> dict[str, Any]:
    """Return the means of both latencies in ms, as results."""
    found = {"ttft": ttft, "tpot": tpot}
    return {
        name: figure(name, value, statistic="mean")
        for name, value in found.items()
        if value is not None
    }


@pytest.fixture(scope="session")
def ends(small: Registry, stated: State) -> End:
    """A function: an operating point with its bounds."""

    def found(among: Registry = small, **blocks: Any) -> Ends:
        completions, record = Completions(among), stated(**blocks)
        return bounded(completions, [(record, completions.of(record))])[0]

    return found


def utilised(of: Ends, metric: str, value: float) -> tuple[float, float]:
    return used(of, at_once(of), Figure.model_validate(figure(metric, 1)), value)


# How many run at once.


@pytest.mark.parametrize(
    ("case", "load", "expected"),
    [
        ("a static batch", {}, AtOnce(8, 8)),
        ("one at a time", {"pattern": "single_stream"}, AtOnce(1, 1)),
        ("a static batch that does not fit", {"batch_size": 100_000}, None),
        ("a static batch of no known size", {"batch_size": None}, None),
        ("a closed loop of which no latency is known", LOOP, None),
        ("an open loop", {"pattern": "open_loop", "batch_size": None, "max_in_flight": 8}, None),
    ],
)
def test_a_static_batch_decodes_at_once(
    case: str, load: dict[str, Any], expected: AtOnce | None, ends: End
) -> None:
    assert at_once(ends(load=load)) == expected, case


def test_one_at_a_time_is_one_even_where_16_bit_weights_do_not_fit(
    ends: End, with_entries: Change
) -> None:
    among = with_entries(accelerators={"example-gpu-80gb": {"memory_gib": 10}})
    of = ends(among, load={"pattern": "single_stream"}, precision={"weights": None})
    assert at_once(of) == AtOnce(1, 1)


def test_a_stated_concurrency_is_not_the_decode_batch(ends: End) -> None:
    found = at_once(ends(load=LOOP, results=mean(ttft=1600, tpot=25)))
    assert found is not None
    assert found.flight == 64
    assert found.decoding == pytest.approx(64 * (64 * 25) / (1600 + 64 * 25)) == 32
    assert found.decoding == pytest.approx(decode_batch(64, OUTPUT, 1.6, 0.025))


def test_no_more_decode_at_once_than_fit(ends: End) -> None:
    crowd = LOOP | {"concurrency": 5000}
    part = {"pools": [{"accelerator": "example-gpu-40gb", "count": 1}]}
    of = ends(load=crowd, results=mean(ttft=1, tpot=50), hardware=part)
    found = at_once(of)
    assert found is not None
    assert found.flight == 5000
    assert found.decoding == of.nominal.batch < 200


@pytest.mark.parametrize(
    ("case", "results", "workload"),
    [
        ("no TTFT", mean(ttft=None), {}),
        ("no TPOT", mean(tpot=None), {}),
        ("no output length", mean(), {"output_tokens": None}),
        ("two means", mean() | {"again": figure("ttft", 900, statistic="mean")}, {}),
        ("a percentile", mean(ttft=None) | {"late": figure("ttft", 900, statistic="p99")}, {}),
        (
            "another unit",
            mean(ttft=None) | {"late": figure("ttft", 1, "s", statistic="mean")},
            {},
        ),
    ],
)
def test_without_both_means_nobody_knows(
    case: str, results: dict[str, Any], workload: dict[str, Any], ends: End
) -> None:
    assert at_once(ends(load=LOOP, results=results, workload=workload)) is None, case


# What is used.

RATE = 10.0  # requests a second, which a batch of 8 takes 0.8 s for
REQUESTS = [
    ("request_throughput", RATE),
    ("output_throughput", RATE * OUTPUT),
    ("input_throughput", RATE * PROMPT),
    ("total_throughput", RATE * (PROMPT + OUTPUT)),
    ("output_rate_per_request", RATE * OUTPUT / BATCH),
    ("e2e_latency", 1e3 * BATCH / RATE),
    ("latency_per_output_token", 1e3 * BATCH / RATE / OUTPUT),
]


@pytest.mark.parametrize(("metric", "value"), REQUESTS)
def test_a_figure_of_whole_requests_uses_what_these_move_and_do(
    metric: str, value: float, ends: End
) -> None:
    mbu, mfu = utilised(ends(), metric, value)
    assert mbu == pytest.approx(RATE * MOVED / BANDWIDTH)
    assert mfu == pytest.approx(RATE * (DECODED + PROMPTED) / PEAK)


STEP_S = 0.02
DECODES = [
    ("tpot", 1e3 * STEP_S),
    ("itl", 1e3 * STEP_S),
    ("chunk_latency", 1e3 * STEP_S),
    ("decode_rate_per_request", 1 / STEP_S),
    ("decode_throughput", BATCH / STEP_S),
]


@pytest.mark.parametrize(("metric", "value"), DECODES)
def test_a_figure_of_decode_uses_what_a_step_moves_and_does(
    metric: str, value: float, ends: End
) -> None:
    mbu, mfu = utilised(ends(), metric, value)
    taken = STEP_S * (OUTPUT - 1)
    assert mbu == pytest.approx(BATCH * MOVED / BANDWIDTH / taken)
    assert mfu == pytest.approx(BATCH * DECODED / PEAK / taken)


def test_a_first_token_uses_the_arithmetic_of_its_prompt(ends: End) -> None:
    mbu, mfu = utilised(ends(load={"pattern": "single_stream"}), "ttft", 100.0)
    assert math.isnan(mbu)
    assert mfu == pytest.approx(PROMPTED / PEAK / 0.1)


@pytest.mark.parametrize(
    ("case", "metric", "value", "blocks"),
    [
        ("a first token of many prompts", "ttft", 100.0, {}),
        ("no prompt length", "tpot", 20.0, {"workload": {"input_tokens": None}}),
        ("no output length", "tpot", 20.0, {"workload": {"output_tokens": None}}),
        ("one output token", "tpot", 20.0, {"workload": {"output_tokens": 1}}),
        ("no batch", "tpot", 20.0, {"load": {"pattern": "all_at_once", "batch_size": None}}),
        ("a value of zero", "tpot", 0.0, {}),
        ("another metric", "prefill_throughput", 20.0, {}),
        ("goodput: what was late was worked on too", "goodput", 1.0, {}),
    ],
)
def test_where_the_work_is_not_known_nothing_is_said(
    case: str, metric: str, value: float, blocks: dict[str, Any], ends: End
) -> None:
    assert all(math.isnan(share) for share in utilised(ends(**blocks), metric, value)), case


def test_a_concurrency_uses_what_its_decode_batch_moves(ends: End) -> None:
    of = ends(load=LOOP, results=mean(ttft=1600, tpot=25))
    mbu, _ = utilised(of, "request_throughput", RATE)
    moved = ((MET + HEAD) * (OUTPUT - 1) / 32 + CACHE * CONTEXTS) * BYTES
    assert mbu == pytest.approx(RATE * moved / BANDWIDTH)
    stretched, _ = utilised(of, "tpot", 25.0)
    assert stretched == pytest.approx(32 * moved / BANDWIDTH / (0.025 * (OUTPUT - 1)))


@pytest.mark.parametrize(
    ("case", "batch", "split", "reads"),
    [
        ("copies read their own weights", 8, {"replicas": 4}, 1 / 2),
        ("one request is read for by one copy", 1, {"replicas": 4}, 1),
        ("a stage reads for each group in the pipeline", 8, {"pipeline": 4}, 4 / 8),
        ("stages that wait read nothing", 2, {"pipeline": 4}, 1),
        ("copies of a pipeline", 8, {"pipeline": 2, "replicas": 2}, 2 / 4),
    ],
)
def test_weights_are_read_as_often_as_the_split_says(
    case: str, batch: int, split: dict[str, int], reads: float, ends: End
) -> None:
    of = ends(
        load={"batch_size": batch},
        hardware={"pools": [{"accelerator": "example-gpu-80gb", "count": 4, "parallelism": split}]},
    )
    mbu, _ = utilised(of, "request_throughput", RATE)
    moved = ((MET + HEAD) * (OUTPUT - 1) * reads + CACHE * CONTEXTS) * BYTES
    assert mbu == pytest.approx(RATE * moved / (4 * BANDWIDTH)), case


def test_pools_apart_are_used_together(ends: End) -> None:
    part = {"accelerator": "example-gpu-80gb", "count": 1}
    pools = {"pools": [part | {"role": "prefill", "count": 3}, part | {"role": "decode"}]}
    _, mfu = utilised(ends(hardware=pools), "request_throughput", RATE)
    assert mfu == pytest.approx(RATE * (DECODED + PROMPTED) / (4 * PEAK))


# No true figure uses more than there is.


@settings(max_examples=150, deadline=None)
@given(
    metric=st.sampled_from(sorted(LIMITS)),
    batch=st.integers(1, 200),
    count=st.integers(1, 8),
    copies=st.booleans(),
    lengths=st.tuples(st.integers(1, 4000), st.integers(2, 4000)),
)
def test_a_figure_at_its_nominal_bound_uses_no_more_than_there_is(
    metric: str,
    batch: int,
    count: int,
    copies: bool,
    lengths: tuple[int, int],
    ends: End,
) -> None:
    split = {"replicas" if copies else "pipeline": count}
    of = ends(
        load={"batch_size": batch},
        hardware={
            "pools": [{"accelerator": "example-gpu-80gb", "count": count, "parallelism": split}]
        },
        workload={"input_tokens": lengths[0], "output_tokens": lengths[1]},
    )
    for share in utilised(of, metric, limit(metric, of, of.nominal)):
        assert math.isnan(share) or 0 <= share <= 1 + 1e-9


@pytest.mark.parametrize(
    ("case", "metric", "load", "share"),
    [
        ("decode is all memory", "tpot", {"batch_size": 8}, 0),
        ("decode of one is all memory", "decode_throughput", {"batch_size": 1}, 0),
        ("a prompt is all arithmetic", "ttft", {"pattern": "single_stream"}, 1),
    ],
)
def test_a_figure_at_its_bound_uses_all_of_what_bounds_it(
    case: str, metric: str, load: dict[str, Any], share: int, ends: End
) -> None:
    of = ends(load=load)
    assert utilised(of, metric, limit(metric, of, of.nominal))[share] == pytest.approx(1), case
