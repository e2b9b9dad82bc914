"""Number formats: how many bits a value takes, and which peak its arithmetic can reach.

Block formats carry their scales: MXFP4 and MXFP8 one byte in 32 values (OCP Microscaling 1.0),
NVFP4 one FP8 scale in 16, AWQ and GPTQ a 16-bit scale and a 4-bit zero in 128, GGUF as `ggml` lays
its blocks out; a GGUF type that mixes (`_K_M`) is a little more than its smallest block.
"""

from dataclasses import dataclass
from types import MappingProxyType

from benchreg.entities.vocabulary import NumberFormat

SIXTEEN = 16.0
FLOAT16, FLOAT8, INTEGER8 = ("fp16", "bf16"), ("fp8",), ("int8",)
EIGHT = (*FLOAT16, *FLOAT8, *INTEGER8)
FOUR_FLOAT, FOUR_INTEGER = (*EIGHT, "fp6", "fp4"), (*EIGHT, "int4")
ANY = (*FOUR_FLOAT, "int4")


@dataclass(frozen=True, slots=True)
class Format:
    """Bits of one stored value: as usual, and at the very least; and what can multiply it.

    `computes` are the fields of an accelerator's peaks that its arithmetic could reach.
    """

    bits: float
    least: float
    computes: tuple[str, ...]


def _gguf(bits: float, least: float | None = None) -> Format:
    return Format(bits, least or bits, (*EIGHT, "fp4"))


FORMATS: MappingProxyType[NumberFormat, Format] = MappingProxyType({
    "fp32": Format(32, 32, ("fp32", "tf32")),
    "tf32": Format(32, 32, ("fp32", "tf32")),
    "bf16": Format(16, 16, FLOAT16),
    "fp16": Format(16, 16, FLOAT16),
    "fp8": Format(8, 8, (*FLOAT16, *FLOAT8)),
    "fp8_e4m3": Format(8, 8, (*FLOAT16, *FLOAT8)),
    "fp8_e5m2": Format(8, 8, (*FLOAT16, *FLOAT8)),
    "mxfp8": Format(8.25, 8.25, (*FLOAT16, *FLOAT8)),
    "int8": Format(8, 8, EIGHT),
    "fp6": Format(6, 6, (*FLOAT16, *FLOAT8, "fp6")),
    "mxfp6": Format(6.25, 6.25, (*FLOAT16, *FLOAT8, "fp6")),
    "fp4": Format(4.5, 4, FOUR_FLOAT),
    "nvfp4": Format(4.5, 4.5, FOUR_FLOAT),
    "mxfp4": Format(4.25, 4.25, FOUR_FLOAT),
    "int4": Format(4.16, 4, FOUR_INTEGER),
    "int4_awq": Format(4.16, 4, FOUR_INTEGER),
    "int4_gptq": Format(4.16, 4, FOUR_INTEGER),
    "gguf_f32": Format(32, 32, ("fp32", "tf32", *FLOAT16)),
    "gguf_bf16": Format(16, 16, FLOAT16),
    "gguf_f16": Format(16, 16, FLOAT16),
    "gguf_iq1_s": _gguf(1.5625),
    "gguf_iq2_xs": _gguf(2.3125),
    "gguf_iq3_s": _gguf(3.4375),
    "gguf_iq4_nl": _gguf(4.5),
    "gguf_iq4_xs": _gguf(4.25),
    "gguf_q2_k": _gguf(2.96, 2.625),
    "gguf_q3_k_s": _gguf(3.5, 3.4375),
    "gguf_q3_k_m": _gguf(3.91, 3.4375),
    "gguf_q3_k_l": _gguf(4.27, 3.4375),
    "gguf_q4_0": _gguf(4.5),
    "gguf_q4_1": _gguf(5),
    "gguf_q4_k_s": _gguf(4.58, 4.5),
    "gguf_q4_k_m": _gguf(4.85, 4.5),
    "gguf_q5_0": _gguf(5.5),
    "gguf_q5_1": _gguf(6),
    "gguf_q5_k_s": _gguf(5.54, 5.5),
    "gguf_q5_k_m": _gguf(5.69, 5.5),
    "gguf_q6_k": _gguf(6.5625),
    "gguf_q8_0": _gguf(8.5),
})  # fmt: skip

# The smallest that engines run widely; a record with smaller numbers names its format.
LEAST_WEIGHT_BITS = 4.0
LEAST_CACHE_BITS = 4.0
# A GGUF file is called F16 or Q8_0 by what was converted; experts that came as MXFP4 stay so (the
# Q8_0 of gpt-oss-120b is as large as its MXFP4).
LEAST_GGUF_EXPERT_BITS = 4.25


def least_bits(name: NumberFormat | None, *, experts: bool = False) -> float:
    """Return the fewest bits that a weight of this format takes; None is a format not known."""
    if name is None:
        return LEAST_WEIGHT_BITS
    least = FORMATS[name].least
    if experts and name.startswith("gguf_"):
        return min(least, LEAST_GGUF_EXPERT_BITS)
    return least


def arithmetic(weights: NumberFormat | None, activations: NumberFormat | None) -> tuple[str, ...]:
    """Return the peaks that a product could reach; an unknown format could be any.

    Activations decide where they are stated; else they may be as small as the weights, and 16-bit
    weights meet 16-bit activations.
    """
    if activations is not None:
        return FORMATS[activations].computes
    return FORMATS[weights].computes if weights is not None else ANY
