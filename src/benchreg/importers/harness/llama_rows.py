"""llama.cpp: the rows of `llama-bench`, and how its tables and its SQL become such rows."""

import csv
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated, Any, NamedTuple

from pydantic import Field, PlainValidator
from pydantic_core import PydanticCustomError

from benchreg.importers.foreign import Flag, Foreign, Measured, Number, Said, Text, Whole
from benchreg.importers.opened import Opened, Piece, rows
from benchreg.importers.statement import RunError

_SETTING = re.compile(r"[\w.+*-]{1,40}", re.ASCII)
_INSERT = re.compile(r"INSERT INTO \w+ \(([^()]*)\) VALUES \((.*)\);?[ \t]*")
_BUILD = re.compile(r"^build: (\w{1,40}) \(([0-9]{1,9})\)", re.MULTILINE)
_TEST = re.compile(
    r"(?:pp ?([0-9]{1,9}))?[ +]{0,3}(?:tg ?([0-9]{1,9}))?(?: @ d([0-9]{1,9}))?", re.ASCII
)
_SPEED = re.compile(
    r"([0-9]{1,15}(?:\.[0-9]{1,9})?)(?: ?(?:±|\+/-) ?([0-9]{1,15}(?:\.[0-9]{1,9})?))?"
)


def _setting(value: Any) -> str | None:
    """Take a setting: a number, a truth, or one word; None for anything else."""
    text = str(int(value)) if isinstance(value, bool) else value
    if isinstance(text, int | Decimal):
        text = f"{text:d}" if isinstance(text, int) and text.bit_length() <= 64 else str(text)
    return text if isinstance(text, str) and _SETTING.fullmatch(text) else None


class Speed(NamedTuple):
    """A cell such as `103.39 ± 0.61`: the mean over repetitions, as printed, and its spread."""

    printed: str
    stdev: Decimal | None


def _speed(value: Any) -> Speed:
    found = _SPEED.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        raise PydanticCustomError("foreign_speed", "is no speed such as 103.39 ± 0.61")
    return Speed(found[1], Decimal(found[2]) if found[2] else None)


class Asked(NamedTuple):
    """What one test runs: tokens of a prompt, tokens to write, and those in memory before."""

    prompt: int
    generated: int
    depth: int | None


def _asked(value: Any) -> Asked:
    found = _TEST.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None or not (found[1] or found[2]):
        raise PydanticCustomError("foreign_test", "is no test such as pp512 or tg128 @ d1024")
    return Asked(int(found[1] or 0), int(found[2] or 0), int(found[3]) if found[3] else None)


Setting = Annotated[str | None, PlainValidator(_setting)]


class Tested(Foreign):
    """One test of `llama-bench -o json`, `jsonl`, `csv` or `sql`."""

    build_commit: Text
    build_number: Whole | None = None
    cpu_info: Said = None
    gpu_info: Said = None
    backends: Said = None
    gpu_blas: Flag = False
    devices: Said = None
    model_filename: Said = None
    model_type: Text
    model_size: Whole | None = None
    model_n_params: Whole | None = None
    n_batch: Setting = None
    n_ubatch: Setting = None
    n_threads: Setting = None
    type_k: Setting = None
    type_v: Setting = None
    n_gpu_layers: Number | None = None
    n_cpu_moe: Whole = 0
    split_mode: Setting = None
    main_gpu: Whole = 0
    no_kv_offload: Flag = False
    flash_attn: Setting = None
    embeddings: Flag = False
    n_prompt: Whole
    n_gen: Whole
    n_depth: Whole | None = None
    test_time: Said = None
    avg_ts: Measured
    stddev_ts: Measured = None
    samples_ts: list[Any] | None = None


class Printed(Foreign):
    """One row of the table that `llama-bench` prints by default."""

    model: Text
    test: Annotated[Asked, PlainValidator(_asked)]
    speed: Annotated[Speed, PlainValidator(_speed)] = Field(alias="t/s")
    build_commit: Said = None
    build_number: Whole | None = None
    type_k: Setting = None
    type_v: Setting = None
    threads: Setting = None
    ngl: Setting = None
    n_batch: Setting = None
    n_ubatch: Setting = None
    fa: Setting = None
    sm: Setting = None


def dumped(file: Opened) -> list[Piece]:
    """Return the rows of `-o csv` or `-o sql`."""
    if "INSERT INTO llama_bench " in file.text:
        return list(_inserted(file.text))
    return [
        piece
        for table in file.tables()
        if {"build_commit", "avg_ts"} <= set(table[0])
        for piece in rows(table)
    ]


def _inserted(text: str) -> Iterator[Piece]:
    found = (_INSERT.fullmatch(line) for line in text.split("\n") if line.startswith("INSERT "))
    for number, one in enumerate((one for one in found if one), 1):
        names = [name.strip() for name in one[1].split(",")]
        try:
            values = next(csv.reader([one[2]], quotechar="'", skipinitialspace=True, strict=True))
        except csv.Error as error:
            raise RunError(f"row {number} holds no values of SQL: {error}") from None
        yield Piece(f"row {number}", dict(zip(names, values, strict=False)))


def printed(file: Opened) -> list[Piece]:
    """Return the rows of the default table, each with the build that stands below it."""
    builds = set(_BUILD.findall(file.text))
    build = (
        dict(zip(("build_commit", "build_number"), builds.pop(), strict=True))
        if len(builds) == 1
        else {}
    )
    return [
        piece._replace(tree=piece.tree | build) if isinstance(piece.tree, dict) else piece
        for table in file.tables()
        if {"model", "test", "t/s"} <= set(table[0])
        for piece in rows(table)
    ]
