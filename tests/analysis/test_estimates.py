"""An answer says what a model should do on a part, what it possibly can, and what was assumed."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchreg.analysis.estimates import Answer, answer
from benchreg.analysis.question import Pattern, Question, Split, adjusted
from benchreg.entities.vocabulary import NumberFormat
from benchreg.registry.load import load
from benchreg.registry.registry import Registry
from benchreg.registry.roots import own_root
from benchreg.roofline.step import IDEAL, REFERENCE
from benchreg.values.errors import BenchregError

Ask = Callable[..., Answer]
DENSE = Question("llama-3.1-8b", "h100-sxm5-80gb", 1000, 200)
EXPERTS = replace(DENSE, model="mixtral-8x7b-v0.1", split=Split(tensor=8))
# of gpt-oss-120b: 36 layers of 64 query heads and 8 key and value heads of 64, and 73 norms
ATTENTION = 2880 * (36 * 64 * (2 * 64 + 2 * 8) + 73)
EIGHT = {
    "tensor": Split(tensor=8),
    "pipeline": Split(pipeline=8),
    "context": Split(context=8),
    "attention data": Split(attention_data=8),
    "replicas": Split(replicas=8),
}


@pytest.fixture(scope="module")
def catalogue() -> Registry:
    """The models and parts that come with benchreg."""
    return load(own_root(), only=frozenset(("model", "accelerator")))


@pytest.fixture
def ask(catalogue: Registry) -> Ask:
    """A function that asks the catalogue one question, with changes."""

    def asked(question: Question = DENSE, **changes: Any) -> Answer:
        return answer(catalogue, replace(question, **changes))

    return asked


# The figures.


def test_a_known_case_is_the_sum_that_a_hand_makes_of_it(ask: Ask) -> None:
    found = ask(Question("mpt-7b", "a100-sxm4-40gb", 512, 64, level=64))
    weights, cache = 6.65e9 * 2, 64 * 576 * 524_288
    assert float(found.estimate.memory_bytes) == pytest.approx(weights + cache + 3.5e9, 1e-3)
    assert float(found.estimate.tpot_s) == pytest.approx(26.36e-3, 1e-3)
    assert float(found.estimate.ttft_s) == pytest.approx(2.106, 1e-3)
    assert float(found.estimate.output) == pytest.approx(1088, 1e-3)
    assert (found.room, bool(found.estimate.fits)) == (91, True)


LOADS: list[tuple[Pattern, int]] = [
    *(("static_batch", level) for level in (1, 8, 64)),
    *(("closed_loop", level) for level in (1, 64, 100_000)),
    ("saturated", 1),
]
WEIGHTS: tuple[NumberFormat, ...] = ("bf16", "int4_awq")
NOISE = 1 + 1e-9


def beats_its_bound(found: Answer) -> bool:
    """Tell whether a figure is better than the bound beside it; nan is better than nothing."""
    estimate, bound = found.estimate, found.bound
    pairs = [
        *(
            (getattr(bound, name), getattr(estimate, name))
            for name in ("ttft_s", "tpot_s", "e2e_s")
        ),
        (estimate.requests, bound.requests),
    ]
    return any(bool(low > high * NOISE) for low, high in pairs)


@pytest.mark.parametrize("coefficients", [REFERENCE, IDEAL], ids=["reference", "ideal"])
@pytest.mark.parametrize("split", EIGHT.values(), ids=EIGHT)
def test_no_estimate_is_better_than_its_bound(split: Split, coefficients: Any, ask: Ask) -> None:
    answers = [
        ask(
            Question(model, part, 700, output, pattern, level, weights=weights, split=split),
            coefficients=coefficients,
        )
        for model, part, (pattern, level), weights, output in product(
            ("llama-3.1-8b", "mixtral-8x7b-v0.1", "deepseek-v2-lite", "gemma-2-9b"),
            ("h100-sxm5-80gb", "l40s-48gb", "mi300x-192gb"),
            LOADS,
            WEIGHTS,
            (1.0, 300.0),
        )
    ]
    fitting = [found for found in answers if found.estimate.fits]
    assert len(fitting) > 200
    assert [found.question for found in fitting if beats_its_bound(found)] == []


def test_of_one_request_alone_the_ideal_estimate_is_the_bound(ask: Ask) -> None:
    found = ask(coefficients=IDEAL)
    assert float(found.estimate.e2e_s) == pytest.approx(float(found.bound.e2e_s), 1e-9)


def test_copies_of_the_model_share_the_load_and_nothing_else(ask: Ask) -> None:
    one = ask(pattern="closed_loop", level=32)
    two = ask(pattern="closed_loop", level=64, split=Split(replicas=2))
    assert two.question.split.accelerators == 2
    assert float(two.estimate.tpot_s) == pytest.approx(float(one.estimate.tpot_s))
    assert float(two.estimate.output) == pytest.approx(2 * float(one.estimate.output))
    assert two.room == 2 * one.room


def test_a_larger_batch_touches_more_experts_and_takes_no_more_memory_for_them(ask: Ask) -> None:
    few, many = (ask(EXPERTS, level=level) for level in (1, 64))
    alike = [ask(EXPERTS, level=level, coefficients=IDEAL) for level in (1, 64)]
    assert float(many.estimate.tpot_s) > 1.5 * float(few.estimate.tpot_s)
    assert float(alike[1].estimate.tpot_s) < 1.5 * float(alike[0].estimate.tpot_s)
    cache = 63 * 1200 * 2 * 32 * 8 * 128 * 2 / 8
    grown = float(many.estimate.memory_bytes) - float(few.estimate.memory_bytes)
    assert grown == pytest.approx(cache)


def test_a_saturated_system_runs_what_its_memory_holds(ask: Ask) -> None:
    found = ask(pattern="saturated")
    assert float(found.estimate.batch) == found.room
    assert float(found.estimate.memory_bytes) == pytest.approx(80 * 2**30, 0.01)
    assert float(found.estimate.wait_s) == 0


def test_more_in_flight_than_memory_holds_wait_and_are_no_faster(ask: Ask) -> None:
    full = ask(pattern="saturated")
    found = ask(pattern="closed_loop", level=10_000)
    assert float(found.estimate.batch) == full.room
    assert float(found.estimate.wait_s) > 0
    assert float(found.estimate.requests) == pytest.approx(float(full.estimate.requests), 0.01)


def test_tokens_in_the_cache_are_held_and_not_computed(ask: Ask) -> None:
    cold, warm = ask(input_tokens=10_000), ask(input_tokens=100, cached_tokens=9_900)
    assert float(warm.estimate.ttft_s) < 0.1 * float(cold.estimate.ttft_s)
    assert float(warm.estimate.memory_bytes) == float(cold.estimate.memory_bytes)
    assert float(warm.estimate.tpot_s) == float(cold.estimate.tpot_s)


def test_an_acceptance_length_shortens_decode_and_leaves_prefill(ask: Ask) -> None:
    plain, drafted = ask(), ask(acceptance_length=2.0)
    assert float(drafted.estimate.tpot_s) == pytest.approx(float(plain.estimate.tpot_s) / 2, 0.02)
    assert float(drafted.estimate.ttft_s) == float(plain.estimate.ttft_s)


@pytest.mark.parametrize("way", ["tensor", "pipeline", "context", "attention data"])
def test_whatever_is_split_over_parts_they_talk_to_one_another(way: str, ask: Ask) -> None:
    found = ask(EXPERTS, level=64, split=EIGHT[way])
    assert np.isfinite(found.part.link)
    free = ask(
        EXPERTS, level=64, split=EIGHT[way], coefficients=replace(REFERENCE, communication=0.0)
    )
    assert float(found.estimate.e2e_s) > float(free.estimate.e2e_s)


def test_copies_do_not_talk(ask: Ask) -> None:
    assert ask(split=Split(replicas=8)).part.link == np.inf


def test_every_model_has_an_answer_on_a_large_system(catalogue: Registry) -> None:
    asked = [
        Question(name, "b200-sxm-180gb", 500, 100, weights="fp8", split=Split(attention_data=16))
        for name in catalogue.models
    ]
    assert len(asked) > 100
    answers = [answer(catalogue, question) for question in asked]
    assert [one.model.id for one in answers if not one.estimate.fits] == []


# What is taken for what nobody gives.


@pytest.mark.parametrize(
    ("name", "part", "weights", "activations", "head"),
    [
        ("nothing", "h100-sxm5-80gb", None, "bf16", "bf16"),
        ("16 bits", "h100-sxm5-80gb", "fp16", "fp16", "fp16"),
        ("32 bits", "h100-sxm5-80gb", "fp32", "fp32", "fp32"),
        ("8 bits where the part multiplies them", "h100-sxm5-80gb", "fp8", "fp8", "bf16"),
        ("8 bits where it does not", "a100-sxm4-80gb", "fp8", "bf16", "bf16"),
        ("8-bit integers", "a100-sxm4-80gb", "int8", "int8", "bf16"),
        ("4 bits where the part multiplies them", "b200-sxm-180gb", "nvfp4", "nvfp4", "bf16"),
        ("4 bits where it does not", "h100-sxm5-80gb", "mxfp4", "bf16", "bf16"),
        ("4-bit integers", "a100-sxm4-80gb", "int4_awq", "bf16", "bf16"),
        ("a GGUF file, its head as the rest", "apple-m3-max", "gguf_q4_0", "bf16", "gguf_q4_0"),
    ],
)
def test_a_format_that_is_not_given_is_what_is_usual_beside_the_weights(
    name: str, part: str, weights: Any, activations: str, head: str, ask: Ask
) -> None:
    found = ask(accelerator=part, weights=weights)
    assert found.formats == {
        "weights": weights or "bf16",
        "activations": activations,
        "kv_cache": "bf16",
        "head": head,
        "attention": weights or "bf16",
    }, name
    said = [text for text in found.assumptions if text.endswith("not given")]
    assert len(said) == (5 if weights is None else 4)


@pytest.mark.parametrize(
    ("name", "model", "weights", "attention", "head"),
    [
        ("experts in MXFP4, beside all else", "gpt-oss-120b", "mxfp4", "bf16", "bf16"),
        ("experts in another format of 4 bits", "gpt-oss-120b", "nvfp4", "nvfp4", "bf16"),
        ("experts in 8 bits", "gpt-oss-120b", "fp8", "fp8", "bf16"),
        ("MXFP4 of a dense model", "llama-3.1-8b", "mxfp4", "mxfp4", "bf16"),
    ],
)
def test_where_experts_alone_are_quantised_the_attention_is_not(
    name: str, model: str, weights: Any, attention: str, head: str, ask: Ask
) -> None:
    found = ask(model=model, weights=weights)
    assert (found.formats["attention"], found.formats["head"]) == (attention, head), name
    assert f"weights of the attention in {attention}: not given" in found.assumptions, name


@pytest.mark.parametrize(("model", "gib"), [("gpt-oss-120b", 60.8), ("gpt-oss-20b", 12.8)])
def test_a_checkpoint_of_experts_in_mxfp4_is_as_large_as_its_model_card_says(
    model: str, gib: float, ask: Ask
) -> None:
    found = ask(model=model, weights="mxfp4", coefficients=IDEAL, input_tokens=1, output_tokens=1)
    assert float(found.estimate.memory_bytes) / 2**30 == pytest.approx(gib, 0.004)


def test_a_format_of_the_attention_that_is_given_is_taken(ask: Ask) -> None:
    wide, narrow = (
        ask(model="gpt-oss-120b", weights="mxfp4", attention=form, coefficients=IDEAL)
        for form in ("bf16", "mxfp4")
    )
    assert [text for text in narrow.assumptions if "attention" in text] == []
    assert float(wide.estimate.memory_bytes) - float(narrow.estimate.memory_bytes) == (
        pytest.approx(ATTENTION * (2 - 4.25 / 8))
    )
    assert float(wide.estimate.tpot_s) > float(narrow.estimate.tpot_s)


def test_the_bound_takes_every_weight_in_the_narrowest_format(ask: Ask) -> None:
    alike = ask(weights="fp8", head="fp8")
    wide = ask(weights="bf16", head="bf16", attention="fp8")
    assert float(wide.bound.tpot_s) == pytest.approx(float(alike.bound.tpot_s))
    assert float(wide.estimate.tpot_s) > float(alike.estimate.tpot_s)


def test_a_format_that_is_given_is_no_assumption(ask: Ask) -> None:
    given = dict.fromkeys(("weights", "activations", "kv_cache", "head", "attention"), "fp8")
    found = ask(**given)
    assert found.formats == given
    assert [text for text in found.assumptions if "not given" in text] == []


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("the peaks", {}, "peaks of 3,350 GB/s and 989.5 TFLOP/s, the highest of fp16, bf16"),
        ("no cache", {}, "no prompt is found in a prefix cache"),
        ("a cache", {"cached_tokens": 5.0}, "the cached tokens are read from memory"),
        ("a closed loop", {"pattern": "closed_loop"}, "no queue but for a place in memory"),
        ("saturation", {"pattern": "saturated"}, "sequences in memory are, on the mean, half"),
        ("a draft", {"acceptance_length": 2.0}, "a draft model or head costs nothing"),
        ("experts", {"model": EXPERTS.model, "split": Split(tensor=8)}, "tokens pick their exp"),
        (
            "the same experts",
            {"model": EXPERTS.model, "split": Split(tensor=8), "coefficients": IDEAL},
            "all tokens of a step pick the same experts",
        ),
        ("a measured link", {"split": Split(tensor=8)}, "an all-reduce as measured on the part"),
        (
            "a fabric",
            {"split": Split(pipeline=8), "accelerator": "mi300x-192gb"},
            "communication at 448 GB/s and 3.5 us: the full bandwidth of Infinity Fabric, 7 links",
        ),
        (
            "a bridge",
            {"split": Split(tensor=2), "accelerator": "h100-nvl-94gb"},
            "communication at 300 GB/s and 3.5 us: the full bandwidth of NVLink 4 bridge",
        ),
        (
            "more than a bridge joins",
            {"split": Split(tensor=4), "accelerator": "h100-nvl-94gb"},
            "communication at 64 GB/s and 25 us: the full bandwidth of PCIe, one way",
        ),
        (
            "eight lanes",
            {"split": Split(tensor=2), "accelerator": "arc-b580-12gb", "weights": "fp8"},
            "communication at 16 GB/s and 25 us: the full bandwidth of PCIe, one way",
        ),
        (
            "lanes that were measured",
            {"split": Split(tensor=4), "accelerator": "l40s-48gb"},
            "communication at 5.7 GB/s and 11.8 us: an all-reduce as measured on the part",
        ),
    ],
)
def test_what_a_question_leaves_open_is_said(
    name: str, changes: dict[str, Any], said: str, ask: Ask
) -> None:
    assert [text for text in ask(**changes).assumptions if said in text], name


@pytest.mark.parametrize(
    ("name", "changes", "unsaid"),
    [
        ("experts of a dense model", {}, "expert"),
        ("a link of one part", {}, "communication"),
        ("a link of copies", {"split": Split(replicas=8)}, "communication"),
        (
            "a link that costs nothing",
            {"split": EIGHT["tensor"], "coefficients": IDEAL},
            "GB/s and 2",
        ),
        ("a draft", {}, "draft"),
        ("an empty cache beside a full one", {"cached_tokens": 5.0}, "no prompt"),
    ],
)
def test_what_does_not_matter_is_not_said(
    name: str, changes: dict[str, Any], unsaid: str, ask: Ask
) -> None:
    assert [text for text in ask(**changes).assumptions if unsaid in text] == [], name


def test_lanes_of_pcie_stand_where_the_catalogue_has_no_fabric(
    changed: Callable[..., Path],
) -> None:
    root = changed(**{"accelerators/example-gpu-80gb": "pcie_gen: 5\n"})
    question = Question("example-model", "example-gpu-80gb", 100, 10, split=Split(tensor=2))
    said = answer(load(root), question).assumptions
    assert "communication at 64 GB/s and 25 us: the full bandwidth of PCIe, one way" in said


def test_more_than_a_bridge_joins_need_lanes(changed: Callable[..., Path]) -> None:
    bridge = "interconnect: {kind: NVLink 9 bridge, gb_s_per_direction: 300, joins: 2}\n"
    registry = load(changed(**{"accelerators/example-gpu-80gb": bridge}))
    question = Question("example-model", "example-gpu-80gb", 100, 10, split=Split(tensor=2))
    assert answer(registry, question).part.link == 300e9
    with pytest.raises(BenchregError, match=r"no pcie_gen in .*; without it tensor.* at most 2$"):
        answer(registry, replace(question, split=Split(tensor=4)))


# Coefficients.


def test_a_profile_is_taken_but_for_what_is_given() -> None:
    assert adjusted("reference", {}) == REFERENCE
    assert adjusted("ideal", {"exposed": 0.5, "overhead_s": None}) == replace(IDEAL, exposed=0.5)


@pytest.mark.parametrize(
    ("name", "end", "beyond"),
    [
        ("memory_efficiency", 0.001, 0.00099),
        ("memory_efficiency", 1.0, 1.001),
        ("compute_efficiency", 0.001, 0.0),
        ("compute_efficiency", 1.0, 2.0),
        ("exposed", 0.0, -1e-9),
        ("exposed", 1.0, 1.001),
        ("overhead_s", 0.0, -1e-9),
        ("overhead_s", 60.0, 60.1),
        ("reserved_bytes", 0.0, -1.0),
        ("reserved_bytes", 1e13, 1.1e13),
    ],
)
def test_a_coefficient_may_be_at_its_ends_and_not_beyond(
    name: str, end: float, beyond: float
) -> None:
    assert getattr(adjusted("reference", {name: end}), name) == end
    with pytest.raises(BenchregError, match="is not allowed; it is"):
        adjusted("reference", {name: beyond})
