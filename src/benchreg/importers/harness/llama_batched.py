"""llama.cpp: what `llama-batched-bench` prints, as lines of JSON and as a table."""

import re
from collections.abc import Iterator

from pydantic import ConfigDict, Field

from benchreg.importers.batches import each_decodes, static_batch
from benchreg.importers.foreign import Flag, Foreign, Measured, Number, Whole
from benchreg.importers.importer import importer
from benchreg.importers.opened import Opened, Piece, rows
from benchreg.importers.statement import RunError, Statement

_LINE = re.compile(r"^.{0,200}\bn_kv_max = .*$", re.MULTILINE)
_FIELD = re.compile(r"\b(\w{1,40}) = (-?[0-9]{1,9})\b")
FLAGS = ("n_batch", "n_ubatch", "n_threads", "n_gpu_layers", "flash_attn")
HEADS = {"PP", "TG", "B", "N_KV", "S_TG t/s"}


class Batched(Foreign):
    """One line of `llama-batched-bench --output-format jsonl`."""

    pp: Whole
    tg: Whole
    pl: Whole
    n_kv: Whole
    speed_pp: Measured
    speed_tg: Measured
    speed: Measured
    is_pp_shared: Flag = False
    n_kv_max: Whole | None = None
    n_batch: Whole | None = None
    n_ubatch: Whole | None = None
    n_threads: Whole | None = None
    n_gpu_layers: Number | None = None
    flash_attn: Number | None = None


class BatchedRow(Batched):
    """One row of the table that `llama-batched-bench` prints by default."""

    model_config = ConfigDict(populate_by_name=False)

    pp: Whole = Field(alias="PP")
    tg: Whole = Field(alias="TG")
    pl: Whole = Field(alias="B")
    n_kv: Whole = Field(alias="N_KV")
    speed_pp: Measured = Field(alias="S_PP t/s")
    speed_tg: Measured = Field(alias="S_TG t/s")
    speed: Measured = Field(alias="S t/s")


NEVER = {
    "model": "llama-batched-bench does not write which model it loaded",
    "hardware": "llama-batched-bench does not write what it ran on",
    "engine.version": "llama-batched-bench does not write the build",
    "load.warmup": "llama-batched-bench does not write its warm-up",
    "precision": "llama-batched-bench does not write the format of the model",
    "parallelism": "llama-batched-bench does not write how the model was split",
    "workload.speculative": "llama-batched-bench does not write of speculation",
    "load.failed": "llama-batched-bench ends when a run fails, and writes no count",
}
# The figures: field, name, metric, and over what they are counted.
SPEEDS = (
    ("speed_pp", "prefill_rate", "prefill_throughput", "phase_only"),
    ("speed_tg", "decode_rate", "decode_throughput", "phase_only"),
    ("speed", "total_rate", "total_throughput", "full_drain"),
)


def printed(file: Opened) -> list[Piece]:
    """Return the rows of the table, each with the settings of the line above it."""
    lines = [set(_FIELD.findall(line)) for line in _LINE.findall(file.text)]
    said = dict(set.intersection(*lines)) if lines else {}
    return [
        piece._replace(tree=said | piece.tree) if isinstance(piece.tree, dict) else piece
        for table in file.tables()
        if set(table[0]) >= HEADS
        for piece in rows(table)
    ]


@importer(
    "llama-batched-bench",
    harness="llama-batched-bench",
    shape=Batched,
    save="llama-batched-bench -m MODEL ... --output-format jsonl > batched.jsonl",
    never=NEVER,
)
def llama_batched_bench(run: Batched, file: Opened) -> Iterator[Statement]:
    """Static batches of `pl` equal sequences in the process itself; a record for each line.

    Every speed is of all sequences together: what one of them sees is `speed_tg` over `pl`. With a
    shared prompt (`-pps`) it is computed once, and `speed` counts its tokens once. `n_batch` is how
    many tokens are computed at once, and no number of requests.
    """
    del file
    yield _point(run)


@importer(
    "llama-batched-bench-table",
    harness="llama-batched-bench",
    shape=BatchedRow,
    save="llama-batched-bench -m MODEL ... > batched.md",
    never=NEVER,
    sheet=printed,
)
def llama_batched_bench_table(run: BatchedRow, file: Opened) -> Iterator[Statement]:
    """The same batches as a table for people, with rounded speeds."""
    del file
    yield _point(run)


def _point(run: Batched) -> Statement:
    if not any(speed for speed in (run.speed_pp, run.speed_tg)):
        raise RunError("no speed was measured, so there is nothing to record")
    found = Statement()
    static_batch(found, run.pl, runs=1)
    found.state("engine.described_as", "llama.cpp")
    flags = {name: getattr(run, name) for name in FLAGS}
    said = [f"{name} {value}" for name, value in flags.items() if value is not None]
    found.state("engine.flags", ", ".join(said) or None)
    found.block("workload", input_tokens=run.pp, output_tokens=run.tg, length_basis="requested",
                output_policy="forced")  # fmt: skip
    found.state("workload.prefix_cache.enabled", run.is_pp_shared)
    found.state("measurement.point", "in_process")
    for field, name, metric, window in SPEEDS:
        key = type(run).model_fields[field].alias
        value = getattr(run, field)
        exact = f"{value:f}" if key and value is not None else None
        at = f"/{(key or field).replace('/', '~1')}"
        found.figure(name, metric, value, "tok/s", at=at, window=window, printed=exact)
    each_decodes(found, run.pl)
    if run.is_pp_shared:
        found.remark("the sequences share one prompt, which was computed once")
    return found
