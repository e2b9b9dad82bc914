"""InferenceX (formerly InferenceMAX): the aggregate files of its pipeline."""

import re
from collections.abc import Iterator
from math import prod
from typing import Annotated, Any

from pydantic import PlainValidator

from benchreg.importers.foreign import Foreign, Measured, Said, Text, Whole
from benchreg.importers.images import image
from benchreg.importers.importer import importer
from benchreg.importers.opened import Opened
from benchreg.importers.statement import RunError, Statement, Tree

_WORD = re.compile(r"[a-z][a-z0-9_]{0,39}")
FORMATS = frozenset(("bf16", "fp16", "fp8", "fp4", "int8", "int4", "mxfp4", "nvfp4", "mxfp8"))
LATENCIES = (
    ("ttft", "ttft", "ttft"),
    ("tpot", "tpot", "tpot"),
    ("itl", "chunk", "chunk_latency"),
    ("e2el", "e2e", "e2e_latency"),
)
# "Interactivity" is one over a statistic of TPOT, so its percentiles are those of the other tail.
FLIPPED = {
    "mean": "mean", "median": "p50", "p75": "p25", "p90": "p10", "p95": "p5", "p99": "p1"
}  # fmt: skip
OVER_MEAN = "one over the mean of TPOT"
SPECULATION = {"off": "none", "false": "none", "on": "mtp", "true": "mtp"}
RATES = (
    ("output_tput_per_gpu", "output_rate", "output_throughput"),
    ("tput_per_gpu", "total_rate", "total_throughput"),
    ("input_tput_per_gpu", "input_rate", "input_throughput"),
)


def _truth(value: Any) -> bool | None:
    """Take a truth, which the pipeline writes as text; None for anything else."""
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(value.casefold()) if isinstance(value, str) else None


Truth = Annotated[bool | None, PlainValidator(_truth)]


class Aggregate(Foreign):
    """One operating point: `agg_*.json` is one, `agg_bmk.json` a list of them."""

    hw: Text
    conc: Whole
    model: Text
    framework: Text
    precision: Text
    image: Said = None
    spec_decoding: Said = None
    mtp: Said = None
    disagg: Truth = False
    scenario_type: Said = None
    isl: Whole | None = None
    osl: Whole | None = None
    tput_per_gpu: Measured = None
    output_tput_per_gpu: Measured = None
    input_tput_per_gpu: Measured = None
    tp: Whole | None = None
    pp: Whole = 1
    pcp_size: Whole = 1
    ep: Whole | None = None
    dp_attention: Truth = None
    num_prefill_gpu: Whole | None = None
    prefill_hw: Said = None
    prefill_num_workers: Whole = 1
    prefill_tp: Whole | None = None
    prefill_pp: Whole = 1
    prefill_pcp_size: Whole = 1
    prefill_ep: Whole | None = None
    prefill_dp_attention: Truth = None
    num_decode_gpu: Whole | None = None
    decode_hw: Said = None
    decode_num_workers: Whole = 1
    decode_tp: Whole | None = None
    decode_pp: Whole = 1
    decode_pcp_size: Whole = 1
    decode_ep: Whole | None = None
    decode_dp_attention: Truth = None


NEVER = {
    "engine.version": "the row has no image",
    "workload.input_tokens": "older rows do not say how long prompts are",
    "workload.output_tokens": "older rows do not say how long outputs are",
    "workload.output_policy": "InferenceX does not write that it ignores the end of text",
    "workload.prefix_cache": "InferenceX does not write of a prefix cache",
    "workload.speculative": "the row does not say whether it speculates",
    "load.warmup": "InferenceX does not write how many requests its pipeline sends before",
    "load.requests": "InferenceX writes neither the number of requests nor the duration",
    "load.failed": "InferenceX does not write how many requests failed",
    "precision": "the row's name of the format is none of a record's",
    "parallelism": "attention is data-parallel, and the row does not say how far",
    "measurement.point": "InferenceX does not write where its client ran",
}


@importer(
    "inferencex",
    harness="InferenceX",
    shape=Aggregate,
    save="python utils/process_result.py  # agg_*.json, or the pipeline's agg_bmk.json",
    never=NEVER,
)
def inferencex(run: Aggregate, file: Opened) -> Iterator[Statement]:
    """A client's view of a server, as rows that the pipeline adds up; each row is a record.

    Latencies are seconds. `tput_per_gpu` counts prompts and outputs over all GPUs; where prefill
    and decode have their own, output counts over those of decode and input over those of prefill.
    `p99_intvty` is one over the p99 of TPOT, so the p1 of the rate; that of p99.9 has no name in a
    record, and `std_intvty` means nothing: neither is read. Lengths are nominal: requests
    are about a tenth shorter. Rows of agents, which have no such lengths, are refused.
    """
    del file
    agents = "agent" in (run.scenario_type or "").casefold()
    if agents or "request_metrics" in (run.model_extra or {}):
        raise RunError("replays the turns of an agent, whose load a record cannot hold yet")
    if not run.conc:
        raise RunError("had 0 requests in flight, so there is nothing to record")
    if not any((run.tput_per_gpu, run.output_tput_per_gpu)):
        raise RunError("has no throughput, so there is nothing to record")
    found = Statement()
    found.state("model.described_as", run.model)
    roles = _hardware(found, run)
    _engine(found, run)
    found.block("load", pattern="closed_loop", concurrency=run.conc, window="full_drain")
    found.inferred("load.pattern", "the pipeline sends without a rate, and holds `conc` in flight")
    if run.isl is not None and run.osl is not None:
        found.block("workload", input_tokens=run.isl, output_tokens=run.osl,
                    length_basis="requested")  # fmt: skip
        found.remark("isl and osl are nominal: the requests were about a tenth shorter")
    found.block("measurement", runs=1, latency_origin="dispatched")
    for key, name, metric in RATES:
        found.figure(name, metric, getattr(run, key), "tok/s", scope="per_accelerator",
                     over=roles.get(key, "all"), at=f"/{key}")  # fmt: skip
    _latencies(found, run)
    yield found


def _latencies(found: Statement, run: Aggregate) -> None:
    for key, name, metric in LATENCIES:
        found.statistics(name, metric, "s", run.statistics(f"{{}}_{key}"),
                         stdev=run.spread(f"{{}}_{key}"))  # fmt: skip
    for statistic, (value, at) in run.statistics("{}_intvty", words=FLIPPED).items():
        found.figure(f"user_decode_rate_{statistic}", "decode_rate_per_request", value, "tok/s",
                     scope="per_request", statistic=statistic, at=at, source_name=at[1:],
                     note=OVER_MEAN if statistic == "mean" else None)  # fmt: skip


def _hardware(found: Statement, run: Aggregate) -> dict[str, str]:
    """State the pools; return over which of them a throughput counts, where not over all."""
    prefill, decode = run.num_prefill_gpu, run.num_decode_gpu
    if not prefill and not decode:
        count = (run.tp or 0) * run.pp * run.pcp_size
        found.state("hardware.pools", [_pool(run, "", run.hw, count)])
        return {}
    if not decode:
        found.state("hardware.pools", [_pool(run, "prefill_", run.prefill_hw or run.hw, prefill)])
        return {}
    if not prefill or not run.disagg:
        raise RunError("names GPUs of decode without those of prefill, or is not disaggregated: "
                       "over which GPUs its throughput counts is unclear")  # fmt: skip
    found.state("hardware.pools", [
        _pool(run, "prefill_", run.prefill_hw or run.hw, prefill) | {"role": "prefill"},
        _pool(run, "decode_", run.decode_hw or run.hw, decode) | {"role": "decode"},
    ])  # fmt: skip
    return {"output_tput_per_gpu": "decode", "input_tput_per_gpu": "prefill"}


def _pool(run: Aggregate, kind: str, hardware: str, count: int | None) -> Tree:
    """Return a pool; how it splits the model only where that comes to its count."""
    if not count:
        raise RunError("does not say how many GPUs there were, and its figures are per GPU")
    pool: Tree = {"described_as": hardware, "count": count}
    ways = {
        "tensor": getattr(run, f"{kind}tp") or 0,
        "pipeline": getattr(run, f"{kind}pp"),
        "context": getattr(run, f"{kind}pcp_size"),
        "replicas": getattr(run, f"{kind}num_workers") if kind else 1,
    }
    if getattr(run, f"{kind}dp_attention") is False and prod(ways.values()) == count:
        ways["expert"] = getattr(run, f"{kind}ep") or 1
        pool["parallelism"] = {
            way: number for way, number in ways.items() if number > 1 or way == "tensor"
        }
    return pool


def _engine(found: Statement, run: Aggregate) -> None:
    """State the engine with its image, the format of the weights, and speculation."""
    found.block("engine", described_as=run.framework, image=image(run.image))
    if run.precision in FORMATS:
        found.state("precision.weights", run.precision)
    said = (run.spec_decoding or run.mtp or "").casefold()
    word = SPECULATION.get(said, said)
    found.state("workload.speculative.method", word if _WORD.fullmatch(word) else None)
