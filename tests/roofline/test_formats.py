"""What a number format takes, block by block, and which arithmetic it can reach."""

from typing import get_args

import pytest

from benchreg.entities.catalogue import Peaks
from benchreg.entities.vocabulary import NumberFormat
from benchreg.roofline.formats import (
    FORMATS,
    LEAST_CACHE_BITS,
    LEAST_WEIGHT_BITS,
    arithmetic,
    least_bits,
)

# Bytes of a block and its values: the OCP specification, and the structs of ggml-common.h.
BLOCKS: list[tuple[NumberFormat, int, int]] = [
    ("mxfp4", 16 + 1, 32),
    ("mxfp6", 24 + 1, 32),
    ("mxfp8", 32 + 1, 32),
    ("nvfp4", 8 + 1, 16),
    ("gguf_q4_0", 16 + 2, 32),
    ("gguf_q4_1", 16 + 4, 32),
    ("gguf_q5_0", 16 + 4 + 2, 32),
    ("gguf_q5_1", 16 + 4 + 4, 32),
    ("gguf_q8_0", 32 + 2, 32),
    ("gguf_iq4_nl", 16 + 2, 32),
    ("gguf_q2_k", 64 + 16 + 4, 256),
    ("gguf_q3_k_s", 64 + 32 + 12 + 2, 256),
    ("gguf_q3_k_m", 64 + 32 + 12 + 2, 256),
    ("gguf_q3_k_l", 64 + 32 + 12 + 2, 256),
    ("gguf_q4_k_s", 128 + 12 + 4, 256),
    ("gguf_q4_k_m", 128 + 12 + 4, 256),
    ("gguf_q5_k_s", 128 + 32 + 12 + 4, 256),
    ("gguf_q5_k_m", 128 + 32 + 12 + 4, 256),
    ("gguf_q6_k", 128 + 64 + 16 + 2, 256),
    ("gguf_iq1_s", 32 + 16 + 2, 256),
    ("gguf_iq2_xs", 64 + 8 + 2, 256),
    ("gguf_iq3_s", 64 + 8 + 32 + 4 + 2, 256),
    ("gguf_iq4_xs", 128 + 4 + 2 + 2, 256),
]


@pytest.mark.parametrize(("name", "size", "values"), BLOCKS)
def test_the_least_of_a_block_format_is_its_smallest_block(
    name: NumberFormat, size: int, values: int
) -> None:
    assert FORMATS[name].least == 8 * size / values


@pytest.mark.parametrize(
    ("name", "bits"),
    [("fp32", 32), ("bf16", 16), ("fp16", 16), ("fp8", 8), ("fp8_e4m3", 8), ("int8", 8), ("fp6", 6),
     ("fp4", 4), ("int4", 4), ("int4_awq", 4), ("int4_gptq", 4)],
)  # fmt: skip
def test_the_least_of_a_plain_format_is_its_name(name: NumberFormat, bits: int) -> None:
    assert FORMATS[name].least == bits


def test_groups_of_128_carry_a_scale_and_a_zero() -> None:
    assert FORMATS["int4_awq"].bits == pytest.approx(4 + (16 + 4) / 128, rel=1e-3)


@pytest.mark.parametrize("name", get_args(NumberFormat))
def test_every_format_of_the_vocabulary_is_known(name: NumberFormat) -> None:
    assert 1 < FORMATS[name].least <= FORMATS[name].bits <= 32
    assert set(FORMATS[name].computes) <= set(Peaks.model_fields)


def test_a_format_that_is_not_known_is_as_small_as_engines_run() -> None:
    assert least_bits(None) == LEAST_WEIGHT_BITS
    assert all(least_bits(None) <= FORMATS[name].least for name in ("int4", "fp4", "mxfp4", "fp8"))
    assert all(FORMATS[name].least >= LEAST_CACHE_BITS for name in ("int4", "fp4", "fp8"))


@pytest.mark.parametrize(
    ("case", "name", "experts", "bits"),
    [
        ("16-bit, with experts that came smaller", "gguf_f16", True, 4.25),
        ("the other 16-bit", "gguf_bf16", True, 4.25),
        ("32-bit", "gguf_f32", True, 4.25),
        ("8-bit", "gguf_q8_0", True, 4.25),
        ("smaller than those experts", "gguf_q2_k", True, 2.625),
        ("16-bit, dense", "gguf_f16", False, 16),
        ("8-bit, dense", "gguf_q8_0", False, 8.5),
        ("not a file of that kind", "fp16", True, 16),
    ],
)
def test_a_gguf_file_is_called_by_what_was_converted(
    case: str, name: NumberFormat, *, experts: bool, bits: float
) -> None:
    assert least_bits(name, experts=experts) == bits, case


@pytest.mark.parametrize(
    ("case", "weights", "activations", "reached", "not_reached"),
    [
        ("16-bit weights", "bf16", None, {"fp16", "bf16"}, {"fp8", "int8", "fp4"}),
        ("8-bit weights", "fp8", None, {"bf16", "fp8"}, {"int8", "fp4"}),
        ("8-bit integers may meet 8-bit floats", "int8", None, {"int8", "fp8"}, {"int4", "fp4"}),
        ("4-bit floats", "nvfp4", None, {"fp4", "fp8", "bf16"}, {"int4"}),
        ("4-bit integers", "int4_awq", None, {"int4", "int8", "bf16"}, {"fp4"}),
        ("activations decide", "int4_awq", "bf16", {"bf16"}, {"int4", "int8", "fp8"}),
        ("activations decide alone", None, "fp8", {"fp8"}, {"fp4", "int8"}),
        ("nothing is known", None, None, {"bf16", "fp8", "int8", "fp6", "fp4", "int4"}, set()),
    ],
)
def test_the_arithmetic_is_what_the_formats_allow(
    case: str,
    weights: NumberFormat | None,
    activations: NumberFormat | None,
    reached: set[str],
    not_reached: set[str],
) -> None:
    found = set(arithmetic(weights, activations))
    assert (reached - found, not_reached & found) == (set(), set()), case
