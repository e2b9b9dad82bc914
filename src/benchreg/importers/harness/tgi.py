"""TGI: the tables that `text-generation-benchmark` prints when it ends."""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from typing import Annotated, Any

from pydantic import Field, PlainValidator
from pydantic_core import PydanticCustomError

from benchreg.importers.batches import static_batch, warmups
from benchreg.importers.foreign import Foreign, Text, Whole
from benchreg.importers.importer import importer
from benchreg.importers.opened import Opened, Piece, Table
from benchreg.importers.statement import RunError, Statement
from benchreg.values.text import shown

_CELL = re.compile(r"([0-9]{1,15}\.[0-9]{1,9}|NaN|inf) (ms|tokens/secs)")
FAR = Decimal("0.3")
PARAMETERS = frozenset(("Model", "Sequence Length", "Decode Length", "N Runs", "Warmups"))
# What a column is called, what it adds to the name of a figure, and its statistic.
COLUMNS = (("Average", "", "mean"), ("Lowest", "_min", "min"), ("Highest", "_max", "max"))


def _cell(unit: str, value: Any) -> Decimal | None:
    """Take a cell such as `14.29 ms`; None for one without a finite number."""
    found = _CELL.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None or found[2] != unit:
        raise PydanticCustomError("foreign_cell", "is no cell in {unit}", {"unit": unit})
    number = Decimal(found[1])
    return number if number.is_finite() else None


Latency = Annotated[Decimal | None, PlainValidator(partial(_cell, "ms"))]
Rate = Annotated[Decimal | None, PlainValidator(partial(_cell, "tokens/secs"))]


class Times(Foreign):
    """A row of the table of latencies, for one step and one size of a batch."""

    average: Latency = Field(alias="Average")
    lowest: Latency = Field(alias="Lowest")
    highest: Latency = Field(alias="Highest")


class Speeds(Foreign):
    """A row of the table of throughputs, for one step and one size of a batch."""

    average: Rate = Field(alias="Average")
    lowest: Rate = Field(alias="Lowest")
    highest: Rate = Field(alias="Highest")


class Latencies(Foreign):
    """The rows of the table of latencies."""

    prefill: Times = Field(alias="Prefill")
    token: Times = Field(alias="Decode (token)")


class Rates(Foreign):
    """The rows of the table of throughputs."""

    prefill: Speeds = Field(alias="Prefill")
    decode: Speeds = Field(alias="Decode")


class Batch(Foreign):
    """What the three tables say of one size of a batch."""

    model: Text = Field(alias="Model")
    sequence_length: Whole = Field(alias="Sequence Length")
    decode_length: Whole = Field(alias="Decode Length")
    runs: Whole = Field(alias="N Runs")
    warmups: Whole = Field(alias="Warmups")
    size: Whole = Field(alias="Batch Size")
    latency: Latencies
    throughput: Rates


Steps = dict[str, dict[str, dict[str, str]]]
NEVER = {
    "hardware": "text-generation-benchmark does not write what TGI ran on",
    "engine.version": "text-generation-benchmark does not write the version of TGI",
    "precision": "text-generation-benchmark does not write the format of the model",
    "parallelism": "text-generation-benchmark does not write the number of shards",
    "workload.prefix_cache": "text-generation-benchmark does not write of a prefix cache",
    "workload.speculative": "text-generation-benchmark does not write of speculation",
    "load.failed": "text-generation-benchmark ends when a run fails, and writes no count",
}


def batches(file: Opened) -> list[Piece]:
    """Return a tree for each size of a batch, of the tables of parameters, latencies and rates."""
    parameters: dict[str, str] = {}
    latency: Steps = {}
    pieces: list[Piece] = []
    for number, table in enumerate(file.tables(), 1):
        head = table[0]
        if head == ["Parameter", "Value"]:
            parameters = dict(row for row in table[1:] if len(row) == 2 and row[0] in PARAMETERS)
        elif head[:3] == ["Step", "Batch Size", "Average"] and "p50" in head:
            latency = _by_size(table)
        elif head[:3] == ["Step", "Batch Size", "Average"]:
            for size, rates in _by_size(table).items():
                told = {"Batch Size": size, "latency": latency.get(size), "throughput": rates}
                pieces.append(
                    Piece(f"table {number}, batch size {shown(size, 20)}", parameters | told)
                )
    return pieces


def _by_size(table: Table) -> Steps:
    """Return size of the batch -> step -> column -> cell; a blank step is that of the row above."""
    found: Steps = {}
    head, step = table[0], ""
    for row in table[1:]:
        if len(row) == len(head):
            step = row[0] or step
            found.setdefault(row[1], {})[step] = dict(zip(head[2:], row[2:], strict=True))
    return found


@importer(
    "text-generation-benchmark",
    harness="text-generation-benchmark",
    shape=Batch,
    save="text-generation-benchmark --tokenizer-name ... > tgi.md",
    never=NEVER,
    sheet=batches,
)
def text_generation_benchmark(run: Batch, file: Opened) -> Iterator[Statement]:
    """Static batches at the socket of TGI's shards: no HTTP, no router, a record for each size.

    The model is the name of the tokenizer. A prefill's throughput counted prompts in old versions
    and counts tokens now, under one unit: it is read where the latency beside it agrees. The
    latency of a prefill is that of a batch, and no time to first token. The percentiles are left
    out: they can come from runs that were not sorted.
    """
    del file
    if not run.runs:
        raise RunError("0 runs were asked for, so there is nothing to record")
    if not run.throughput.decode.average:
        raise RunError("no decoding was measured, so there is nothing to record")
    found = Statement()
    found.state("model.described_as", run.model)
    found.inferred("model", "the tool writes the name of the tokenizer that it was given")
    found.state("engine.described_as", "text-generation-inference")
    static_batch(found, run.size, runs=run.runs)
    warmups(found, run.warmups, run.size)
    found.block("workload", input_tokens=run.sequence_length, output_tokens=run.decode_length,
                length_basis="requested", output_policy="forced")  # fmt: skip
    found.state("measurement.point", "server")
    _rates(found, "decode", run.throughput.decode)
    if _counts_tokens(run):
        _rates(found, "prefill", run.throughput.prefill)
    else:
        found.remark("the throughput of the prefill does not count tokens, so it is left out")
    for column, _, statistic in COLUMNS:
        value = getattr(run.latency.token, column.lower())
        found.figure(f"tpot_{statistic}", "tpot", value, "ms", scope="per_request",
                     statistic=statistic, at=f"/latency/Decode (token)/{column}",
                     printed=_digits(value))  # fmt: skip
    yield found


def _rates(found: Statement, phase: str, speeds: Speeds) -> None:
    for column, ending, statistic in COLUMNS:
        value = getattr(speeds, column.lower())
        found.figure(f"{phase}_rate{ending}", f"{phase}_throughput", value, "tok/s",
                     statistic=statistic, window="phase_only", printed=_digits(value),
                     at=f"/throughput/{phase.capitalize()}/{column}")  # fmt: skip


def _digits(value: Decimal | None) -> str | None:
    return None if value is None else str(value)


def _counts_tokens(run: Batch) -> bool:
    """Tell whether a prefill's throughput is tokens over the latency of the prefill."""
    rate, latency = run.throughput.prefill.average, run.latency.prefill.average
    tokens = run.size * run.sequence_length
    if not rate or not latency or not tokens:
        return False
    return abs(rate * latency / 1000 / tokens - 1) <= FAR
