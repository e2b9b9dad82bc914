"""What an engine's own settings say, by a list of them, and what a tool without a server is."""

import re
from math import prod

from benchreg.importers.foreign import Foreign, Text
from benchreg.importers.statement import Statement

WEIGHTS = {
    "fp8": "fp8",
    "w8a8_fp8": "fp8",
    "modelopt_fp8": "fp8",
    "w8a8_int8": "int8",
    "awq": "int4_awq",
    "mxfp4": "mxfp4",
    "modelopt_fp4": "nvfp4",
}
CACHE = {
    "fp8": "fp8",
    "fp8_e4m3": "fp8_e4m3",
    "fp8_e5m2": "fp8_e5m2",
    "bfloat16": "bf16",
    "float16": "fp16",
}
_MOST = 100_000
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
FORCED = "the tool generates each output to the length that it was asked for"
_FLAGS = ("dtype", "quantization", "kv_cache_dtype")


class Settings(Foreign):
    """The settings that vLLM and SGLang call alike."""

    dtype: Text | None = None
    quantization: Text | None = None
    kv_cache_dtype: Text | None = None


def formats(found: Statement, settings: Settings) -> None:
    """State the number formats that settings name for certain.

    `--dtype` is the format of computing: it says nothing of a checkpoint whose weights are
    quantised, so it is kept as a flag alone.
    """
    found.block("precision", weights=WEIGHTS.get(settings.quantization or ""),
                kv_cache=CACHE.get(settings.kv_cache_dtype or ""))  # fmt: skip
    said = ((name, getattr(settings, name)) for name in _FLAGS)
    flags = [
        f"--{name.replace('_', '-')} {word}"
        for name, word in said
        if word is not None and word != "auto" and _WORD.fullmatch(word)
    ]
    found.state("engine.flags", " ".join(flags) or None)


def split(found: Statement, **ways: int | None) -> None:
    """State how a pool splits the model; ways that are not said, or of 1, are left out.

    All but `expert` multiply to the pool's count. A pool without a part is half a statement, so
    the contributor is told to name the part.
    """
    said = {way: number for way, number in ways.items() if number}
    factors = {way: number for way, number in said.items() if way != "expert"}
    count = prod(factors.values())
    if not factors or count > _MOST or max(said.values()) > _MOST:
        return
    kept = {way: number for way, number in said.items() if number > 1 or way == "tensor"}
    found.state("hardware.pools", [{"count": count, "parallelism": kept}])
    found.remark(f"the file says {count} accelerator{'s' * (count > 1)} and not which: name the "
                 "part with --set accelerator=ID")  # fmt: skip


def in_process(found: Statement, engine: str) -> None:
    """State that the tool is the engine: there is no server that could be another one."""
    found.state("engine.described_as", engine)
    found.state("measurement.point", "in_process")
    for condition in ("engine", "measurement.point"):
        found.inferred(condition, f"the tool runs {engine} in its own process, without a server")


def forced(found: Statement) -> None:
    """State what the tool does with outputs: it does not let the model end them."""
    found.state("workload.output_policy", "forced")
    found.inferred("workload.output_policy", FORCED)
