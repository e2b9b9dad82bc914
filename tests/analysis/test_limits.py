"""The limit of each metric, worked out by plain sums, and wider with all that is forgotten."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchreg.analysis.completions import Completions, OutOfReachError
from benchreg.analysis.limits import LIMITS, Ends, bounded, limit
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry

State = Callable[..., Record]
Change = Callable[..., Registry]
End = Callable[..., Ends]

# The example model and part, in the terms of the roofline.
LAYERS, WIDTH = 32, 4096
HEAD = 50432 * WIDTH
MET = LAYERS * (4 * WIDTH**2 + 2 * WIDTH * 16384) + (2 * LAYERS + 1) * WIDTH
STORED = MET + HEAD
CACHE, SCORE = 2 * LAYERS * WIDTH, 4 * LAYERS * WIDTH
BANDWIDTH, PEAK, BYTES = 2e12, 300e12, 2
PROMPT, OUTPUT, BATCH = 512, 64, 8

LATENCIES = ("ttft", "tpot", "itl", "chunk_latency", "e2e_latency", "latency_per_output_token")


def prompt_flop(prompt: int = PROMPT) -> float:
    return 2 * MET * prompt + 2 * HEAD + SCORE * prompt * (prompt + 1) / 2


def prefill_s(prompts: int, prompt: int = PROMPT) -> float:
    """Return the seconds of a prefill: the weights once, and the arithmetic of every prompt."""
    return max(STORED * BYTES / BANDWIDTH, prompts * prompt_flop(prompt) / PEAK)


def step_s(batch: int, context: int) -> float:
    """Return the seconds of one step of a batch."""
    moved = (STORED + batch * CACHE * context) * BYTES
    return max(moved / BANDWIDTH, batch * (2 * STORED + SCORE * context) / PEAK)


def decode_s(batch: int, prompt: int = PROMPT, output: int = OUTPUT) -> float:
    return sum(step_s(batch, prompt + n) for n in range(1, output))


def flowing_s(batch: int) -> float:
    """Return the seconds that one of many requests in flight takes of the whole part."""
    contexts = sum(range(PROMPT + 1, PROMPT + OUTPUT))
    moved = (STORED * (OUTPUT - 1) / batch + CACHE * contexts) * BYTES
    flop = prompt_flop() + 2 * STORED * (OUTPUT - 1) + SCORE * contexts
    return max(moved / BANDWIDTH, flop / PEAK)


@pytest.fixture(scope="session")
def ends(small: Registry, stated: State) -> End:
    """A function: an operating point with its bounds."""

    def found(among: Registry = small, **blocks: Any) -> Ends:
        completions, record = Completions(among), stated(**blocks)
        return bounded(completions, [(record, completions.of(record))])[0]

    return found


def refused(metric: str, of: Ends) -> str:
    with pytest.raises(OutOfReachError) as reason:
        limit(metric, of, of.widest)
    return str(reason.value)


STATIC_S = prefill_s(BATCH) + decode_s(BATCH)
STATIC = {
    "request_throughput": BATCH / STATIC_S,
    "goodput": BATCH / STATIC_S,
    "output_throughput": BATCH * OUTPUT / STATIC_S,
    "input_throughput": BATCH * PROMPT / STATIC_S,
    "total_throughput": BATCH * (PROMPT + OUTPUT) / STATIC_S,
    "decode_throughput": BATCH * (OUTPUT - 1) / decode_s(BATCH),
    "prefill_throughput": PROMPT * PEAK / prompt_flop(),
    "output_rate_per_request": OUTPUT / STATIC_S,
    "decode_rate_per_request": (OUTPUT - 1) / decode_s(BATCH),
    "prefill_rate_per_request": PROMPT / prefill_s(1),
    "ttft": 1e3 * prefill_s(1),
    "tpot": 1e3 * decode_s(BATCH) / (OUTPUT - 1),
    "itl": 1e3 * decode_s(BATCH) / (OUTPUT - 1),
    "chunk_latency": 1e3 * decode_s(BATCH) / (OUTPUT - 1),
    "e2e_latency": 1e3 * STATIC_S,
    "latency_per_output_token": 1e3 * STATIC_S / OUTPUT,
}
ALONE_S = prefill_s(1) + decode_s(1)
FLOWING = STATIC | {
    "request_throughput": 1 / flowing_s(BATCH),
    "goodput": 1 / flowing_s(BATCH),
    "output_throughput": OUTPUT / flowing_s(BATCH),
    "input_throughput": PROMPT / flowing_s(BATCH),
    "total_throughput": (PROMPT + OUTPUT) / flowing_s(BATCH),
    "output_rate_per_request": OUTPUT / ALONE_S,
    "decode_rate_per_request": (OUTPUT - 1) / decode_s(1),
    "tpot": 1e3 * decode_s(1) / (OUTPUT - 1),
    "itl": 1e3 * decode_s(1) / (OUTPUT - 1),
    "chunk_latency": 1e3 * decode_s(1) / (OUTPUT - 1),
    "e2e_latency": 1e3 * ALONE_S,
    "latency_per_output_token": 1e3 * ALONE_S / OUTPUT,
}
LOOP = {"pattern": "closed_loop", "batch_size": None, "concurrency": BATCH}


def test_every_metric_that_is_modelled_is_worked_out_here(small: Registry) -> None:
    assert STATIC.keys() == FLOWING.keys() == LIMITS.keys()
    assert LIMITS.keys() <= small.metrics.keys()
    latencies = {name for name in LIMITS if small.metrics[name].quantity == "latency"}
    assert latencies == set(LATENCIES)


@pytest.mark.parametrize("metric", STATIC)
def test_the_limit_of_a_static_batch(metric: str, ends: End) -> None:
    of = ends()
    assert limit(metric, of, of.widest) == pytest.approx(STATIC[metric], rel=1e-9)


@pytest.mark.parametrize("metric", FLOWING)
def test_the_limit_of_requests_in_flight(metric: str, ends: End) -> None:
    of = ends(load=LOOP)
    assert limit(metric, of, of.widest) == pytest.approx(FLOWING[metric], rel=1e-9)


@pytest.mark.parametrize("metric", ["offered_rate", "mean_power", "acceptance_length"])
def test_a_metric_that_is_not_modelled_says_so(metric: str, ends: End) -> None:
    assert refused(metric, ends()) == f"{metric} is not modelled"


def test_bounds_of_no_records_are_none(small: Registry) -> None:
    assert bounded(Completions(small), []) == []


# Lengths that are not known.


@pytest.mark.parametrize(
    ("case", "metric", "workload", "expected"),
    [
        ("no output: the best batch decodes on", "output_throughput", {"output_tokens": None},
         BATCH / step_s(BATCH, PROMPT + 1)),
        ("no output: the faster of first and next token", "output_rate_per_request",
         {"output_tokens": None}, 1 / step_s(1, PROMPT + 1)),
        ("no output, of a short prompt", "latency_per_output_token",
         {"input_tokens": 1, "output_tokens": None}, 1e3 * prefill_s(1, 1)),
        ("no prompt: each token meets its parameters", "input_throughput",
         {"input_tokens": None}, PEAK / (2 * MET)),
        ("no prompt: all could be prompt", "total_throughput",
         {"input_tokens": None}, PEAK / (2 * MET)),
        ("no output: all could be prompt", "total_throughput",
         {"output_tokens": None}, PROMPT * PEAK / prompt_flop()),
        ("no prompt: each token of one", "prefill_rate_per_request",
         {"input_tokens": None}, PEAK / (2 * MET)),
        ("no prompt: the weights once", "ttft", {"input_tokens": None},
         1e3 * STORED * BYTES / BANDWIDTH),
    ],
)  # fmt: skip
def test_a_length_that_is_not_known_is_at_its_generous_end(
    case: str, metric: str, workload: dict[str, Any], expected: float, ends: End
) -> None:
    of = ends(load=LOOP, workload=workload)
    assert limit(metric, of, of.widest) == pytest.approx(expected, rel=1e-9), case


def test_pools_apart_may_read_and_write_at_the_same_time(ends: End) -> None:
    part = {"accelerator": "example-gpu-80gb", "count": 1}
    pools = {"pools": [part | {"role": "prefill"}, part | {"role": "decode"}]}
    of = ends(load=LOOP, hardware=pools, workload={"input_tokens": None, "output_tokens": None})
    expected = PEAK / (2 * MET) + BATCH / step_s(BATCH, 1)
    assert limit("total_throughput", of, of.widest) == pytest.approx(expected, rel=1e-9)


# Prefix caches.


@pytest.mark.parametrize(
    ("case", "workload", "metric", "reason"),
    [
        (
            "hits not known",
            {"prefix_cache": {"enabled": True}},
            "prefill_throughput",
            "how much of a prompt is found in a prefix cache is not known",
        ),
        (
            "a cache not known",
            {"prefix_cache": None},
            "prefill_throughput",
            "how much of a prompt is found in a prefix cache is not known",
        ),
        (
            "nor the prompt",
            {"prefix_cache": None, "input_tokens": None},
            "prefill_throughput",
            "how much of a prompt is found in a prefix cache is not known",
        ),
        (
            "all of it hit",
            {"prefix_cache": {"enabled": True, "hit_ratio": 1}},
            "prefill_throughput",
            "all of a prompt is found in a prefix cache",
        ),
        (
            "a cache not known, nor the prompt",
            {"prefix_cache": None, "input_tokens": None},
            "input_throughput",
            "prompts may be found in a prefix cache, and lengths are not known",
        ),
        (
            "a cache not known, nor the output",
            {"prefix_cache": None, "output_tokens": None},
            "total_throughput",
            "prompts may be found in a prefix cache, and lengths are not known",
        ),
        (
            "a cache not known, nor the prompt, of one request",
            {"prefix_cache": None, "input_tokens": None},
            "prefill_rate_per_request",
            "prompts may be found in a prefix cache, and lengths are not known",
        ),
    ],
)
def test_what_a_prefix_cache_leaves_open_says_so(
    case: str, workload: dict[str, Any], metric: str, reason: str, ends: End
) -> None:
    assert refused(metric, ends(workload=workload)) == reason, case


def test_prompts_that_are_hit_in_part_are_read_that_much_faster(ends: End) -> None:
    of = ends(workload={"prefix_cache": {"enabled": True, "hit_ratio": 0.75}})
    flop = prompt_flop(128)
    assert limit("prefill_throughput", of, of.widest) == pytest.approx(PROMPT * PEAK / flop)
    assert limit("ttft", of, of.widest) == pytest.approx(1e3 * prefill_s(1, 128))


@pytest.mark.parametrize("metric", ["ttft", "input_throughput", "prefill_rate_per_request"])
def test_a_cache_that_may_hold_all_of_a_prompt_leaves_a_pass_over_the_weights(
    metric: str, ends: End
) -> None:
    off, on, open_ = (
        ends(workload={"prefix_cache": cache})
        for cache in ({"enabled": False}, {"enabled": True}, None)
    )
    known, found, unsaid = (limit(metric, of, of.widest) for of in (off, on, open_))
    assert ((found <= unsaid < known) if metric == "ttft" else (found >= unsaid > known)) is True


# A static batch that may have run in turns.


def test_a_static_batch_that_may_not_have_fitted_is_bounded_as_one_in_turns(ends: End) -> None:
    crowded = {"pattern": "static_batch", "batch_size": 250}  # 16-bit, it fits half written alone
    part = {"pools": [{"accelerator": "example-gpu-40gb", "count": 2}]}
    known, open_ = (
        ends(load=crowded, hardware=part, precision={"weights": "bf16", "kv_cache": cache})
        for cache in ("int4", None)
    )
    assert known.completed.widest == open_.completed.widest
    assert limit("tpot", known, known.widest) > limit("tpot", open_, open_.widest)


@pytest.mark.parametrize("length", ["input_tokens", "output_tokens"])
def test_a_static_batch_of_no_known_length_may_not_have_fitted_either(
    length: str, ends: End
) -> None:
    of = ends(workload={length: None})
    alone = ends(workload={length: None}, load={"pattern": "single_stream"})
    assert limit("tpot", of, of.widest) == limit("tpot", alone, alone.widest)


def test_one_sequence_runs_in_no_turns_even_where_16_bit_weights_do_not_fit(
    ends: End, with_entries: Change
) -> None:
    among = with_entries(accelerators={"example-gpu-80gb": {"memory_gib": 10}})
    single = {"load": {"pattern": "single_stream"}}
    known, open_ = (
        ends(among, precision={"weights": weights, "activations": "bf16"}, **single)
        for weights in ("int4", None)
    )
    for of in (known, open_):
        expected = 1e3 / limit("e2e_latency", of, of.widest)
        assert limit("request_throughput", of, of.widest) == pytest.approx(expected)


# All that is forgotten makes a limit wider.

PARTS = {
    "slow": {
        "memory_gib": 40,
        "memory_bandwidth_gb_s": 1000,
        "peak_tflop_s": {"bf16": 100, "fp8": 200, "int4": 400, "fp4": 400},
    },
    "fast": {
        "memory_gib": 80,
        "memory_bandwidth_gb_s": 3000,
        "peak_tflop_s": {"bf16": 900, "fp8": 1800, "int4": 3600, "fp4": 3600},
    },
}
FORMATS = {"bf16": ["bf16"], "fp8": ["bf16", "fp8"], "int4_awq": ["bf16"], "nvfp4": ["nvfp4"]}
SIZES = st.integers(1, 20_000)


@st.composite
def _known(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the blocks of an operating point of which all is known."""
    weights = draw(st.sampled_from(sorted(FORMATS)))
    count = draw(st.integers(1, 8))
    replicas = draw(st.sampled_from([1, count]))
    cache = draw(
        st.just({"enabled": False})
        | st.floats(0, 1).map(lambda hits: {"enabled": True, "hit_ratio": hits})
    )
    batch = draw(st.integers(1, 1000))
    patterns: list[dict[str, Any]] = [
        {"pattern": "static_batch", "batch_size": batch},
        {"pattern": "single_stream", "batch_size": None},
        {"pattern": "closed_loop", "batch_size": None, "concurrency": batch},
        {"pattern": "all_at_once", "batch_size": None, "requests": batch},
    ]
    return {
        "hardware": {
            "pools": [
                {
                    "accelerator": draw(st.sampled_from(sorted(PARTS))),
                    "count": count,
                    "parallelism": {"replicas": replicas, "pipeline": count // replicas},
                }
            ]
        },
        "precision": {
            "weights": weights,
            "activations": draw(st.sampled_from(FORMATS[weights])),
            "kv_cache": draw(st.sampled_from(["bf16", "fp8", "int4"])),
        },
        "workload": {
            "input_tokens": draw(SIZES),
            "output_tokens": draw(SIZES),
            "prefix_cache": cache,
            "speculative": {
                "method": "eagle3",
                "draft_tokens": 3,
                "acceptance_length": draw(st.floats(1, 4)),
            },
        },
        "load": draw(st.sampled_from(patterns)),
    }


# What each condition is replaced by where it is forgotten; the part and the cache are put in words.
FORGET: dict[str, tuple[str, dict[str, Any]]] = {
    "weights": ("precision", {"weights": None, "activations": None}),
    "activations": ("precision", {"activations": None}),
    "cache": ("precision", {"kv_cache": None}),
    "accepted": ("workload", {"speculative": {"method": "eagle3", "draft_tokens": 3}}),
    "input": ("workload", {"input_tokens": None}),
    "output": ("workload", {"output_tokens": None}),
    "load": ("load", {"pattern": "closed_loop", "batch_size": None}),
}
NAMES = [*FORGET, "part", "split", "hits", "prefix"]


def forgotten(known: dict[str, Any], names: set[str]) -> dict[str, Any]:
    """Return the blocks of an operating point without some of its conditions."""
    found = dict(known)
    for name in names & FORGET.keys():
        block, changes = FORGET[name]
        found[block] = changes if name == "load" else found[block] | changes
    (pool,) = known["hardware"]["pools"]
    if "part" in names:
        words = {"could_be": sorted(PARTS), "described_as": "a GPU"}
        pool = words | {key: value for key, value in pool.items() if key != "accelerator"}
    if "split" in names:
        pool = pool | {"parallelism": {}}
    if "hits" in names:
        on = found["workload"]["prefix_cache"]["enabled"]
        found["workload"] = found["workload"] | {"prefix_cache": {"enabled": True} if on else None}
    if "prefix" in names:
        found["workload"] = found["workload"] | {"prefix_cache": None}
    return found | {"hardware": {"pools": [pool]}}


def limits_of(of: Ends) -> dict[str, float | None]:
    """Return the limit of every metric at the widest end; None where there is none."""
    found: dict[str, float | None] = {}
    for metric in LIMITS:
        try:
            found[metric] = limit(metric, of, of.widest)
        except OutOfReachError:
            found[metric] = None
    return found


def beside(metric: str, known: dict[str, Any], names: set[str]) -> float:
    """Return what the first token adds, which comes with the prompt: tokens over those computed.

    Where nobody says how many there are, a limit is that of tokens that are all computed; that of
    an output is the limit of decode.
    """
    workload = known["workload"]
    total = workload["input_tokens"] + workload["output_tokens"]
    if metric == "output_throughput" and "output" in names:
        return np.inf
    return float(total / (total - 1)) if metric == "total_throughput" else 1.0


@settings(max_examples=200, deadline=None)
@given(known=_known(), names=st.sets(st.sampled_from(NAMES), min_size=1, max_size=4))
def test_what_is_forgotten_makes_no_limit_narrower(
    known: dict[str, Any], names: set[str], ends: End, with_entries: Change
) -> None:
    among = with_entries(accelerators=PARTS)
    least, most = (limits_of(ends(among, **one)) for one in (known, forgotten(known, names)))
    for metric, wide in most.items():
        one = least[metric]
        if wide is not None and one is not None:
            if metric in LATENCIES:
                assert wide <= one * (1 + 1e-9), metric
            else:
                assert wide * beside(metric, known, names) >= one * (1 - 1e-9), metric


def test_the_widest_end_of_every_shipped_record_is_no_narrower_than_its_nominal_one(
    shipped: Registry,
) -> None:
    completions = Completions(shipped)
    within = []
    for record in shipped.records.values():
        try:
            within.append((record, completions.of(record)))
        except OutOfReachError:
            continue
    assert len(within) > 200
    for of in bounded(completions, within):
        for metric in LIMITS:
            try:
                wide, one = (limit(metric, of, side) for side in (of.widest, of.nominal))
            except OutOfReachError:
                continue
            if metric in LATENCIES:
                assert wide <= one * (1 + 1e-9), (of.record.id, metric)
            else:
                assert wide >= one * (1 - 1e-9), (of.record.id, metric)
