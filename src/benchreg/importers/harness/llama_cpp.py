"""llama.cpp: what `llama-bench` prints, in each of its formats."""

import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

from benchreg.importers.foreign import Foreign
from benchreg.importers.harness.llama_rows import Asked, Printed, Tested, dumped, printed
from benchreg.importers.importer import importer
from benchreg.importers.opened import Opened
from benchreg.importers.parts import one_cpu, pools
from benchreg.importers.statement import RunError, Statement, plain
from benchreg.importers.streamed import MOST_ITEMS

_COMMIT = re.compile(r"[0-9a-f]{7,40}")
ON_CPU = frozenset(("CPU", "BLAS"))
ALL_LAYERS = 99
CACHE = {"f32": "fp32", "f16": "fp16", "bf16": "bf16"} | {
    word: f"gguf_{word}" for word in ("q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl")
}
# What the model's own description ends with, and the format of records that it names.
WEIGHTS = {
    "all F32": "gguf_f32", "BF16": "gguf_bf16", "F16": "gguf_f16", "Q8_0": "gguf_q8_0",
    "Q6_K": "gguf_q6_k", "Q5_0": "gguf_q5_0", "Q5_1": "gguf_q5_1", "Q4_0": "gguf_q4_0",
    "Q4_1": "gguf_q4_1", "Q2_K - Medium": "gguf_q2_k", "Q5_K - Small": "gguf_q5_k_s",
    "Q5_K - Medium": "gguf_q5_k_m", "Q4_K - Small": "gguf_q4_k_s", "Q4_K - Medium": "gguf_q4_k_m",
    "Q3_K - Small": "gguf_q3_k_s", "Q3_K - Medium": "gguf_q3_k_m", "Q3_K - Large": "gguf_q3_k_l",
    "IQ4_NL - 4.5 bpw": "gguf_iq4_nl", "IQ4_XS - 4.25 bpw": "gguf_iq4_xs",
    "IQ3_S - 3.4375 bpw": "gguf_iq3_s", "IQ2_XS - 2.3125 bpw": "gguf_iq2_xs",
    "IQ1_S - 1.5625 bpw": "gguf_iq1_s",
}  # fmt: skip

NEVER = {
    "hardware": "the file does not say which parts did the work",
    "engine.version": "llama.cpp was built outside a checkout: build 0, commit unknown",
    "load.warmup": "llama-bench warms up unless --no-warmup is given, and does not write if it was",
    "precision": "the file's name of the format is none of a record's, or its size belies it",
    "parallelism": "llama-bench writes a split mode, and no degree of parallelism",
    "measurement.runs": "this format of llama-bench leaves out the repetitions",
    "workload.prefix_cache": "llama-bench does not write of a prefix cache",
    "workload.speculative": "llama-bench does not write of speculation",
    "load.failed": "llama-bench ends when a run fails, and writes no count",
}
PRINTED_NEVER = {
    **NEVER,
    "hardware": "the table names a backend, and no part; -o json writes cpu_info and gpu_info",
    "engine.version": "the line with the build is missing, or says that there was no checkout",
}


@importer(
    "llama-bench",
    harness="llama-bench",
    shape=Tested,
    save="llama-bench -m MODEL -o json > llama-bench.json",
    never=NEVER,
    sheet=dumped,
)
def llama_bench(run: Tested, file: Opened) -> Iterator[Statement]:
    """One sequence at a time in the process itself: no server, no queue, no other request.

    Each test is a record. `pp` is the speed of a prompt alone, `tg` that of writing alone, after
    `n_depth` tokens in memory (none by default, so it is not what a server does at 8k), and
    `pp+tg` counts the tokens of both in one number. `n_batch` is how many tokens of a prompt are
    computed at once, never how many requests there are. The name of the format can belie the
    model; the size in bytes is what counts.
    """
    del file
    if run.embeddings:
        raise RunError("ran with --embeddings, which writes no text")
    found = Statement()
    name = re.split(r"[/\\]", run.model_filename or "")[-1]
    found.state("model.described_as", f"{run.model_type} ({name})" if name else run.model_type)
    _engine(found, run.build_commit, run.build_number)
    _flags(found, run, ("n_batch", "n_ubatch", "n_threads", "n_gpu_layers", "split_mode",
                        "flash_attn"))  # fmt: skip
    _hardware(found, run)
    _precision(found, run)
    runs = len(run.samples_ts or ()) % MOST_ITEMS or None  # a list that long may have been cut
    found.block("measurement", measured=_day(run.test_time), runs=runs)
    name = _asks(found, Asked(run.n_prompt, run.n_gen, run.n_depth))
    found.figure(f"{name}_rate", f"{name}_throughput", _speeds(run.avg_ts), "tok/s",
                 at="/avg_ts", variation=_variation(run.stddev_ts, runs))  # fmt: skip
    yield found


@importer(
    "llama-bench-table",
    harness="llama-bench",
    shape=Printed,
    save="llama-bench -m MODEL > llama-bench.md",
    never=PRINTED_NEVER,
    sheet=printed,
)
def llama_bench_table(run: Printed, file: Opened) -> Iterator[Statement]:
    """The same tests as a table for people: rounded speeds, no hardware, no date.

    The table shows settings only where they differ from the defaults. `-o json` says more.
    """
    del file
    found = Statement()
    found.state("model.described_as", run.model)
    _engine(found, run.build_commit, run.build_number)
    _flags(found, run, ("n_batch", "n_ubatch", "threads", "ngl", "sm", "fa"))
    found.state("precision.weights", _weights(run.model))
    found.state("precision.kv_cache", _cache(run.type_k, run.type_v))
    name, speed = _asks(found, run.test), run.speed
    found.figure(f"{name}_rate", f"{name}_throughput", _speeds(Decimal(speed.printed)), "tok/s",
                 at="/t~1s", printed=speed.printed, variation=_variation(speed.stdev))  # fmt: skip
    yield found


def _asks(found: Statement, asked: Asked) -> str:
    """State what one test asks for; return the phase whose speed it measures, or `total`."""
    if not asked.prompt and not asked.generated:
        raise RunError("a test without a prompt and without output measures nothing")
    both = bool(asked.prompt and asked.generated)
    found.block("workload", input_tokens=asked.prompt, output_tokens=asked.generated,
                context_tokens=asked.depth, length_basis="requested",
                output_policy="forced")  # fmt: skip
    found.block("load", pattern="single_stream", requests=1,
                window="full_drain" if both else "phase_only")  # fmt: skip
    found.state("measurement.point", "in_process")
    return "total" if both else "prefill" if asked.prompt else "decode"


def _speeds(value: Decimal | None) -> Decimal:
    if not value or value < 0:
        raise RunError("no speed was measured, so there is nothing to record")
    return value


def _variation(stdev: Decimal | None, runs: int | None = None) -> dict[str, Any] | None:
    """Return how repetitions differ; one alone differs from none."""
    if not stdev or stdev < 0 or runs == 1:
        return None
    return ({"runs": runs} if runs else {}) | {"stdev": plain(stdev)}


def _engine(found: Statement, commit: str | None, number: int | None) -> None:
    """State the build; outside a checkout its commit is `unknown` and its number 0."""
    found.state("engine.described_as", "llama.cpp")
    if commit and _COMMIT.fullmatch(commit):
        found.state("engine.commit", commit)
    if number:
        found.state("engine.version", f"b{number}")


def _flags(found: Statement, run: Foreign, names: tuple[str, ...]) -> None:
    values = {name: getattr(run, name) for name in names}
    flags = ", ".join(f"{name} {value}" for name, value in values.items() if value is not None)
    found.state("engine.flags", flags or None)


def _day(stamp: str | None) -> str | None:
    """Return the day of a stamp such as 2026-11-30T05:51:08Z; None where it is none."""
    try:
        return date.fromisoformat((stamp or "")[:10]).isoformat()
    except ValueError:
        return None


def _hardware(found: Statement, run: Tested) -> None:
    """State the parts that did the work, as far as the file tells which did."""
    backends = {one.strip() for one in (run.backends or "").split(",") if one.strip()}
    if not run.gpu_info and not run.gpu_blas and backends <= ON_CPU:
        one_cpu(found, run.cpu_info)
        return
    found.state("hardware.host", run.cpu_info)
    used = _used(run)
    if run.n_gpu_layers == 0 or not used:
        found.remark("the file does not say which parts did the work; state them with --set")
        return
    pools(found, used)
    _offloaded(found, run)


def _used(run: Tested) -> list[str]:
    """Return the names of the GPUs that a test ran on; none where that cannot be told."""
    named = [one.strip() for one in (run.gpu_info or "").split(", ") if one.strip()]
    if run.devices not in (None, "auto"):
        count = len(run.devices.split("/"))
        return named[:1] * count if len(set(named)) == 1 and count <= len(named) else []
    if run.split_mode == "none":
        return named[run.main_gpu : run.main_gpu + 1]
    return named


def _offloaded(found: Statement, run: Tested) -> None:
    if run.n_gpu_layers is not None and 0 < run.n_gpu_layers < ALL_LAYERS:
        found.remark(
            f"n_gpu_layers is {run.n_gpu_layers}: the rest of the layers, if there are more, "
            "ran on the CPU"
        )
    parts = [*(["weights"] if run.n_cpu_moe else []), *(["kv_cache"] if run.no_kv_offload else [])]
    found.state("engine.host_offload", "_and_".join(parts) or None)


def _precision(found: Statement, run: Tested) -> None:
    """State the format that the model's description names, unless its size belies it."""
    found.state("precision.kv_cache", _cache(run.type_k, run.type_v))
    found.state("precision.weights_bytes", run.model_size or None)
    label = _weights(run.model_type)
    if label is None or not run.model_size or not run.model_n_params:
        found.state("precision.weights", label)
        return
    bits = Decimal(run.model_size) * 8 / run.model_n_params
    named = int(re.findall("[0-9]+", label)[0])
    if Decimal("0.7") * named <= bits <= 2 * named + 1:
        found.state("precision.weights", label)
    else:
        found.remark(f"the format is called {label}, and a weight takes {bits:.1f} bits")


def _cache(keys: str | None, values: str | None) -> str | None:
    return CACHE.get(keys) if keys and keys == values else None


def _weights(described: str) -> str | None:
    return next((form for end, form in WEIGHTS.items() if described.endswith(f" {end}")), None)
