"""What a record leaves open stands at its most generous end, and at a usual one."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from benchreg.analysis.completions import (
    NO_HIT,
    NOT_SHARED,
    SLOWEST,
    Completed,
    Completions,
    OutOfReachError,
)
from benchreg.analysis.precision import REST
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.roofline.bound import Point
from benchreg.roofline.formats import LEAST_CACHE_BITS, LEAST_WEIGHT_BITS
from benchreg.roofline.hardware import GIB

State = Callable[..., Record]
Change = Callable[..., Registry]
Complete = Callable[..., Completed]

BYTE = 8
UNKNOWN = {"weights": None, "activations": None, "kv_cache": None}
PARTS = {
    "slow": {
        "memory_gib": 80,
        "memory_bandwidth_gb_s": 1000,
        "peak_tflop_s": {"bf16": 100, "fp8": 200},
    },
    "fast": {
        "memory_gib": 80,
        "memory_bandwidth_gb_s": 3000,
        "peak_tflop_s": {"bf16": 900, "fp8": 1800},
    },
}
EXPERTS = {"experts": {"total": 8, "active": 2, "intermediate_size": 16384}}


def pool(accelerator: str = "example-gpu-80gb", count: int = 1, **other: Any) -> dict[str, Any]:
    return {"accelerator": accelerator, "count": count} | other


def pools(*many: dict[str, Any]) -> dict[str, Any]:
    return {"pools": list(many)}


@pytest.fixture(scope="session")
def completed(small: Registry, stated: State) -> Complete:
    """A function: both ends of an operating point."""

    def complete(among: Registry = small, **blocks: Any) -> Completed:
        return Completions(among).of(stated(**blocks))

    return complete


def refused(completed: Complete, among: Registry | None = None, **blocks: Any) -> str:
    """Return why an operating point cannot be judged."""
    with pytest.raises(OutOfReachError) as reason:
        completed(**({} if among is None else {"among": among}), **blocks)
    return str(reason.value)


# Where nothing is unknown.


def test_where_nothing_is_unknown_both_ends_are_one(completed: Complete) -> None:
    found = completed()
    assert found.widest == found.nominal
    assert (found.unknown, found.cached) == ((), False)


def test_a_point_is_what_the_record_says(completed: Complete) -> None:
    assert completed().widest == Point(
        memory=80 * GIB,
        bandwidth=2e12,
        peak=300e12,
        prefill_bandwidth=2e12,
        prefill_peak=300e12,
        apart=False,
        replicas=1.0,
        pipeline=1.0,
        weight_bytes=2.0,
        cache_bytes=2.0,
        batch=8.0,
        static=True,
        prompt=512.0,
        before=0.0,
        output=64.0,
        tokens_per_step=1.0,
    )


def test_tokens_that_are_in_the_cache_before_stand_there(completed: Complete) -> None:
    found = completed(workload={"context_tokens": 4096}).widest
    assert (found.prompt, found.before) == (512, 4096)


# Number formats.


@pytest.mark.parametrize(
    ("case", "precision", "weight_bits", "cache_bits", "unknown"),
    [
        ("known", {}, (16, 16), (16, 16), ()),
        ("no weights", {"weights": None}, (LEAST_WEIGHT_BITS, 16), (16, 16), ("16-bit weights",)),
        (
            "no cache",
            {"kv_cache": None},
            (16, 16),
            (LEAST_CACHE_BITS, 16),
            ("16-bit KV cache",),
        ),
        (
            "nothing",
            UNKNOWN,
            (LEAST_WEIGHT_BITS, 16),
            (LEAST_CACHE_BITS, 16),
            ("16-bit weights and KV cache",),
        ),
        (
            "a word for several formats",
            {"weights": "fp4"},
            (4, 4.5),
            (16, 16),
            ("fp4 of 4.5 bits",),
        ),
        (
            "groups with scales",
            {"weights": "int4_awq"},
            (4, 4.16),
            (16, 16),
            ("int4_awq of 4.16 bits",),
        ),
        (
            "a mixed file",
            {"weights": "gguf_q4_k_m"},
            (4.5, 4.85),
            (16, 16),
            ("gguf_q4_k_m of 4.85 bits",),
        ),
        ("a cache of 8 bits", {"kv_cache": "fp8"}, (16, 16), (8, 8), ()),
        (
            "parts beside the rest",
            {"parts": {"experts": "mxfp4", "attention": "bf16"}},
            (4.25, 4.25),
            (16, 16),
            (),
        ),
        (
            "parts, and the rest is not known",
            {"weights": None, "parts": {"attention": "bf16"}},
            (LEAST_WEIGHT_BITS, 16),
            (16, 16),
            (REST,),
        ),
        (
            "small parts, and the rest is not known",
            {"weights": None, "parts": {"experts": "mxfp4"}},
            (LEAST_WEIGHT_BITS, 4.25),
            (16, 16),
            (REST,),
        ),
    ],
)
def test_a_format_that_is_open_is_the_smallest_or_16_bit(
    case: str,
    precision: dict[str, Any],
    weight_bits: tuple[float, float],
    cache_bits: tuple[float, float],
    unknown: tuple[str, ...],
    completed: Complete,
) -> None:
    found = completed(precision=precision)
    for side, weight, cache in zip(
        (found.widest, found.nominal), weight_bits, cache_bits, strict=True
    ):
        assert (side.weight_bytes * BYTE, side.cache_bytes * BYTE) == (weight, cache), case
    assert found.unknown == unknown, case


def test_the_size_of_the_weights_wins_over_the_label(completed: Complete) -> None:
    found = completed(precision={"weights": "gguf_f16", "weights_bytes": 4_404_000_000})
    stored = 32 * (4 * 4096**2 + 2 * 4096 * 16384) + 65 * 4096 + 50432 * 4096
    assert found.widest.weight_bytes == found.nominal.weight_bytes
    assert found.widest.weight_bytes == pytest.approx(4_404_000_000 / stored)


def test_an_embedding_may_be_wider_than_what_is_read(
    completed: Complete, with_entries: Change
) -> None:
    among = with_entries(models={"example-model": {"tied_embeddings": False}})
    table = 50432 * 4096
    read = 32 * (4 * 4096**2 + 2 * 4096 * 16384) + 65 * 4096 + table
    size = read // 2 + 2 * table
    found = completed(among, precision={"weights": "int4_awq", "weights_bytes": size})
    assert found.widest.weight_bytes == pytest.approx(0.5)
    assert found.nominal.weight_bytes == pytest.approx(size / (read + table))


@pytest.mark.parametrize(
    ("case", "weights", "experts", "bits"),
    [
        ("16-bit, with experts", "gguf_f16", True, 4.25),
        ("8-bit, with experts", "gguf_q8_0", True, 4.25),
        ("16-bit, dense", "gguf_f16", False, 16),
    ],
)
def test_experts_of_a_gguf_file_may_be_smaller_than_its_name(
    case: str,
    weights: str,
    bits: float,
    completed: Complete,
    with_entries: Change,
    *,
    experts: bool,
) -> None:
    among = with_entries(models={"example-model": EXPERTS if experts else {}})
    found = completed(among, precision={"weights": weights})
    assert found.widest.weight_bytes * BYTE == bits, case


@pytest.mark.parametrize(
    ("case", "precision", "bits"),
    [
        ("nothing stated", UNKNOWN, 1.5625),
        ("a stated format", {"weights": "int4"}, 4),
        ("a stated size", {"weights": None, "weights_bytes": 6_652_432_384}, 8),
    ],
)
def test_an_engine_may_run_smaller_weights(
    case: str,
    precision: dict[str, Any],
    bits: float,
    completed: Complete,
    with_entries: Change,
) -> None:
    among = with_entries(engines={"example-engine": {"least_weight_bits": 1.5625}})
    found = completed(among, precision=precision)
    assert found.widest.weight_bytes * BYTE == pytest.approx(bits, rel=1e-3), case


@pytest.mark.parametrize(
    ("case", "precision", "widest", "nominal"),
    [
        ("16-bit", {}, 300, 300),
        ("nothing known", UNKNOWN, 4800, 300),
        ("weights of 8 bits", {"weights": "fp8", "activations": None}, 600, 600),
        ("weights of 8 bits, 16-bit arithmetic", {"weights": "fp8"}, 300, 300),
        (
            "8-bit arithmetic, and weights not known",
            {"weights": None, "activations": "fp8"},
            600,
            600,
        ),
        ("4-bit integers", {"weights": "int4", "activations": None}, 2400, 2400),
        ("4-bit floats", {"weights": "mxfp4", "activations": None}, 4800, 4800),
        ("a size and no format", {**UNKNOWN, "weights_bytes": 10**10}, 4800, 300),
        (
            "the widest of several parts",
            {"activations": None, "parts": {"experts": "mxfp4"}},
            4800,
            4800,
        ),
    ],
)
def test_the_arithmetic_is_what_could_be_in_use(
    case: str,
    precision: dict[str, Any],
    widest: float,
    nominal: float,
    completed: Complete,
    with_entries: Change,
) -> None:
    peaks = {"bf16": 300, "fp8": 600, "int8": 1200, "int4": 2400, "fp4": 4800}
    among = with_entries(accelerators={"example-gpu-80gb": {"peak_tflop_s": peaks}})
    found = completed(among, precision=precision)
    assert (found.widest.peak, found.nominal.peak) == (widest * 1e12, nominal * 1e12), case


# Parts.


def test_an_ambiguous_part_is_the_fastest_or_the_slowest(
    completed: Complete, with_entries: Change
) -> None:
    among = with_entries(accelerators=PARTS)
    one = {"described_as": "a GPU", "could_be": ["slow", "fast"], "count": 2}
    found = completed(among, hardware=pools(one))
    assert (found.widest.bandwidth, found.widest.peak) == (6e12, 1800e12)
    assert (found.nominal.bandwidth, found.nominal.peak) == (2e12, 200e12)
    assert found.unknown == (SLOWEST,)


def test_a_part_that_sources_quarrel_about_is_the_better_one_or_its_own(
    completed: Complete, with_entries: Change
) -> None:
    quarrels = [
        {"field": field, "value": value, "source": "example-source"}
        for field, value in (
            ("memory_gib", 94),
            ("memory_bandwidth_gb_s", 2039),
            ("peak_tflop_s.bf16", 312),
        )
    ]
    among = with_entries(accelerators={"example-gpu-80gb": {"conflicts": quarrels}})
    found = completed(among)
    widest, nominal = found.widest, found.nominal
    assert (widest.memory, widest.bandwidth, widest.peak) == (94 * GIB, 2.039e12, 312e12)
    assert (nominal.memory, nominal.bandwidth, nominal.peak) == (80 * GIB, 2e12, 300e12)
    assert found.unknown == (SLOWEST,)


def test_pools_of_unlike_parts_are_added(completed: Complete) -> None:
    found = completed(hardware=pools(pool(count=3), pool("example-gpu-40gb", 2)))
    assert found.widest.memory == (3 * 80 + 2 * 40) * GIB
    assert (found.widest.bandwidth, found.widest.prefill_peak) == (5 * 2e12, 5 * 300e12)
    assert not found.widest.apart
    assert (found.accelerators, found.prefilling, found.decoding) == (5, 5, 5)


def test_pools_apart_read_prompts_and_decode_on_their_own_parts(
    completed: Complete, with_entries: Change
) -> None:
    among = with_entries(accelerators=PARTS)
    found = completed(
        among, hardware=pools(pool("slow", 3, role="prefill"), pool("fast", 2, role="decode"))
    )
    side = found.widest
    assert side.apart
    assert (side.prefill_bandwidth, side.prefill_peak) == (3e12, 300e12)
    assert (side.bandwidth, side.peak, side.memory) == (6e12, 1800e12, 160 * GIB)
    assert (found.accelerators, found.prefilling, found.decoding) == (5, 3, 2)


def test_a_pool_without_a_role_does_both(completed: Complete) -> None:
    found = completed(hardware=pools(pool(count=3), pool(count=2, role="decode")))
    assert found.widest.apart
    assert (found.prefilling, found.decoding) == (3, 5)


def test_a_pool_of_one_role_alone_does_the_other_too(completed: Complete) -> None:
    found = completed(hardware=pools(pool(count=2, role="decode")))
    assert not found.widest.apart
    assert (found.prefilling, found.decoding) == (2, 2)


@pytest.mark.parametrize(
    ("case", "many", "copies", "stages"),
    [
        ("none", [pool(count=8)], 1, 1),
        ("copies", [pool(count=8, parallelism={"replicas": 4})], 4, 1),
        ("stages", [pool(count=8, parallelism={"pipeline": 2})], 1, 2),
        ("both", [pool(count=8, parallelism={"replicas": 4, "pipeline": 2})], 4, 2),
        ("more copies than parts", [pool(count=8, parallelism={"replicas": 16})], 8, 1),
        (
            "more stages than parts of a copy",
            [pool(count=8, parallelism={"replicas": 4, "pipeline": 8})],
            4,
            2,
        ),
        (
            "of two pools",
            [pool(count=8, parallelism={"replicas": 4}), pool(count=8)],
            1,
            1,
        ),
    ],
)
def test_copies_and_stages_are_those_of_the_one_pool(
    case: str, many: list[dict[str, Any]], copies: int, stages: int, completed: Complete
) -> None:
    side = completed(hardware=pools(*many)).widest
    assert (side.replicas, side.pipeline) == (copies, stages), case


# Load.


@pytest.mark.parametrize(
    ("case", "load", "batch", "static"),
    [
        ("a static batch", {"pattern": "static_batch", "batch_size": 8}, 8, True),
        ("a static batch of no known size", {"pattern": "static_batch"}, np.inf, False),
        ("one at a time", {"pattern": "single_stream"}, 1, True),
        ("a closed loop", {"pattern": "closed_loop", "concurrency": 32}, 32, False),
        ("a closed loop of no known size", {"pattern": "closed_loop"}, np.inf, False),
        ("an open loop", {"pattern": "open_loop", "request_rate": 3}, np.inf, False),
        (
            "an open loop with a cap",
            {"pattern": "open_loop", "request_rate": 3, "max_in_flight": 256},
            256,
            False,
        ),
        (
            "a loop with a lower cap",
            {"pattern": "closed_loop", "concurrency": 512, "max_in_flight": 256},
            256,
            False,
        ),
        ("all at once", {"pattern": "all_at_once", "requests": 1000}, 1000, False),
        ("all at once, of no known number", {"pattern": "all_at_once"}, np.inf, False),
        ("a trace", {"pattern": "trace_replay", "requests": 1000}, np.inf, False),
        ("no pattern", {"batch_size": 8}, np.inf, False),
        ("nothing", {}, np.inf, False),
    ],
)
def test_as_many_run_as_the_load_says_and_else_as_fit(
    case: str, load: dict[str, Any], batch: float, *, static: bool, completed: Complete
) -> None:
    nothing = {"pattern": None, "batch_size": None}
    side = completed(load=nothing | load).widest
    assert (side.batch, side.static) == (batch, static), case


@pytest.mark.parametrize(
    ("case", "workload", "prompt", "output"),
    [
        ("known", {}, 512, 64),
        ("no prompt", {"input_tokens": None}, 0, 64),
        ("no output", {"output_tokens": None}, 512, 1),
        ("less than one token", {"output_tokens": 0}, 512, 1),
        ("means", {"input_tokens": 219.5, "output_tokens": 653.9}, 219.5, 653.9),
    ],
)
def test_a_length_that_is_not_known_is_none(
    case: str, workload: dict[str, Any], prompt: float, output: float, completed: Complete
) -> None:
    side = completed(workload=workload).widest
    assert (side.prompt, side.output) == (prompt, output), case


@pytest.mark.parametrize(
    ("case", "speculative", "tokens"),
    [
        ("none", {"method": "none"}, 1),
        ("not stated", {}, 1),
        ("its acceptance", {"method": "eagle3", "acceptance_length": 2.4, "draft_tokens": 5}, 2.4),
        ("its draft tokens", {"method": "eagle3", "draft_tokens": 3}, 4),
        (
            "less than the token that every step yields",
            {"method": "x", "acceptance_length": 0.5},
            1,
        ),
    ],
)
def test_speculation_yields_at_most_what_is_accepted_or_drafted(
    case: str, speculative: dict[str, Any], tokens: float, completed: Complete
) -> None:
    found = completed(workload={"speculative": speculative})
    assert found.widest.tokens_per_step == found.nominal.tokens_per_step == tokens, case


@pytest.mark.parametrize(
    ("case", "cache", "widest", "nominal", "cached"),
    [
        ("off", {"enabled": False}, (512, 0), (512, 0), False),
        ("not stated", {}, (0, 0), (512, 0), True),
        ("on, shared by all", {"enabled": True}, (0, 0), (512, 0), True),
        ("on, with its hits", {"enabled": True, "hit_ratio": 0.75}, (128, 0), (128, 384), False),
        ("its hits alone", {"hit_ratio": 0.75}, (128, 0), (128, 384), False),
        ("on, and nothing hit", {"enabled": True, "hit_ratio": 0}, (512, 0), (512, 0), False),
        ("on, and all hit", {"enabled": True, "hit_ratio": 1}, (0, 0), (0, 512), False),
    ],
)
def test_a_prompt_may_be_found_in_a_prefix_cache(
    case: str,
    cache: dict[str, Any],
    widest: tuple[float, float],
    nominal: tuple[float, float],
    cached: bool,
    completed: Complete,
) -> None:
    found = completed(workload={"prefix_cache": cache})
    assert (found.widest.prompt, found.widest.before) == widest, case
    assert (found.nominal.prompt, found.nominal.before) == nominal, case
    assert (found.cached, NO_HIT in found.unknown) == (cached, cached), case


def test_hits_that_are_known_may_still_be_shared(completed: Complete) -> None:
    found = completed(workload={"prefix_cache": {"enabled": True, "hit_ratio": 0.75}})
    assert found.unknown == (NOT_SHARED,)


def test_prompts_of_no_known_length_may_be_found_in_a_prefix_cache_too(completed: Complete) -> None:
    found = completed(workload={"input_tokens": None, "prefix_cache": None})
    assert found.cached


# What is out of reach.


@pytest.mark.parametrize(
    ("case", "blocks", "reason"),
    [
        ("no model", {"model": {"id": None, "described_as": "a model"}}, "no linked model"),
        ("a model that is not there", {"model": {"id": "another"}}, "no linked model"),
        ("no hardware", {"hardware": {"pools": []}}, "no linked or possible part"),
        (
            "a part in words",
            {"hardware": pools({"described_as": "a GPU", "count": 1})},
            "no linked or possible part",
        ),
        (
            "a part that is not there",
            {"hardware": pools(pool("another"))},
            "no linked or possible part",
        ),
        ("weights on the host", {"engine": {"host_offload": "weights"}}, "weights on the host"),
        ("the cache on the host", {"engine": {"host_offload": "kv_cache"}}, "kv cache on the host"),
        (
            "both",
            {"engine": {"host_offload": "weights_and_kv_cache"}},
            "weights and kv cache on the host",
        ),
        (
            "speculation of no known kind",
            {"workload": {"speculative": {"method": "eagle3"}}},
            "speculative decoding of unknown acceptance",
        ),
    ],
)
def test_what_cannot_be_judged_says_why(
    case: str, blocks: dict[str, Any], reason: str, completed: Complete
) -> None:
    assert refused(completed, **blocks) == reason, case


def test_nothing_on_the_host_is_no_reason(completed: Complete) -> None:
    assert completed(engine={"host_offload": "none"}).widest == completed().widest


@pytest.mark.parametrize(
    ("case", "entries", "reason"),
    [
        (
            "the bandwidth of a part",
            {"accelerators": {"example-gpu-80gb": {"memory_bandwidth_gb_s": None}}},
            "the bandwidth of example-gpu-80gb is not known",
        ),
        (
            "a size of a model",
            {"models": {"example-model": {"hidden_size": None}}},
            "model sizes unknown: example-model has no hidden_size",
        ),
        (
            "the attention of a model",
            {"models": {"example-model": {"attention": None}}},
            "model sizes unknown: example-model has no attention",
        ),
    ],
)
def test_a_number_that_is_not_in_the_catalogue_is_named(
    case: str, entries: dict[str, Any], reason: str, completed: Complete, with_entries: Change
) -> None:
    assert refused(completed, with_entries(**entries)) == reason, case


def test_a_part_that_is_not_among_those_that_it_could_be_leaves_all_open(
    completed: Complete,
) -> None:
    one = {"described_as": "a GPU", "could_be": ["example-gpu-80gb", "another"], "count": 1}
    assert refused(completed, hardware=pools(one)) == "no linked or possible part"
