"""trtllm-bench: the report that `trtllm-bench throughput` or `latency --report_json` writes."""

from collections.abc import Iterator
from decimal import Decimal

from benchreg.importers.foreign import Amount, Foreign, Measured, Text, Whole
from benchreg.importers.importer import importer
from benchreg.importers.opened import Opened
from benchreg.importers.statement import RunError, Statement, plain
from benchreg.values.text import shown

FORMATS = {
    "float32": "fp32", "bfloat16": "bf16", "float16": "fp16",
    "fp8": "fp8", "fp8_block_scales": "fp8", "fp8_per_channel_per_token": "fp8",
    "nvfp4": "nvfp4", "w4a8_nvfp4_fp8": "nvfp4",
    "w4a16_mxfp4": "mxfp4", "w4a8_mxfp4_fp8": "mxfp4", "w4a8_mxfp4_mxfp8": "mxfp4",
    "int8": "int8", "w8a16": "int8", "w8a16_gptq": "int8",
    "w4a16": "int4", "w4a16_awq": "int4_awq", "w4a8_awq": "int4_awq", "w4a16_gptq": "int4_gptq",
    **dict.fromkeys((f"w8a8_sq_{way}" for way in (
        "per_channel", "per_tensor_plugin", "per_channel_per_token_plugin",
        "per_channel_per_tensor_plugin", "per_tensor_per_token_plugin")), "int8"),
}  # fmt: skip
BACKENDS = {"pytorch": "PyTorch backend", "trt": "TensorRT backend"}
METHODS = frozenset((
    "auto", "draft_target", "draft_tokens_external", "eagle", "eagle3", "explicit_draft_tokens",
    "lookahead", "lookahead_decoding", "medusa", "mtp", "ngram", "pard", "save_state",
    "user_provided",
))  # fmt: skip


class Engine(Foreign):
    """What ran the model; paths are not read."""

    model: Text
    version: Text | None = None
    backend: Text | None = None
    dtype: Text | None = None
    kv_cache_dtype: Text | None = None
    quantization: Text | None = None


class Machine(Foreign):
    """The first GPU; the tool asks for equal ones."""

    name: Text | None = None


class World(Foreign):
    """How the model is split. `max_batch_size` is a limit and no batch, and is not read."""

    tp_size: Whole | None = None
    pp_size: Whole | None = None
    ep_size: Whole | None = None
    world_size: Whole | None = None


class Requests(Foreign):
    """What was run; the concurrency is what came about, and no setting."""

    num_requests: Whole
    avg_num_concurrent_requests: Measured = None
    avg_input_length: Amount | None = None
    avg_output_length: Amount | None = None


class Percentiles(Foreign):
    """The statistics of one quantity over requests."""


class Performance(Foreign):
    """The rates and latencies of a run."""

    total_latency_ms: Measured = None
    avg_request_latency_ms: Measured = None
    request_throughput_req_s: Measured
    system_output_throughput_tok_s: Measured
    system_total_throughput_tok_s: Measured = None
    output_throughput_per_user_tok_s: Measured = None
    output_throughput_per_gpu_tok_s: Measured = None
    request_latency_percentiles_ms: Percentiles | None = None


class Streaming(Foreign):
    """What only a run with --streaming has."""

    token_output_speed_tok_s: Measured = None
    avg_ttft_ms: Measured = None
    avg_tpot_ms: Measured = None
    ttft_percentiles: Percentiles | None = None
    tpot_percentiles: Percentiles | None = None
    gen_tps_percentiles: Percentiles | None = None


class Decoding(Foreign):
    """What only a run that speculates has."""

    mode: Text | None = None
    acceptance_length_percentiles: Percentiles | None = None


class Dataset(Foreign):
    """The requests that were read, of which `avg_isl` and the like are cut to whole numbers."""

    num_requests: Whole | None = None


class Report(Foreign):
    """One report."""

    engine: Engine
    machine: Machine | None = None
    world_info: World
    request_info: Requests
    performance: Performance
    streaming_metrics: Streaming | None = None
    decoding_stats: Decoding | None = None
    dataset: Dataset = Dataset()


NEVER = {
    "hardware": "trtllm-bench writes the GPU's name only in newer versions, and where it sees one",
    "load": "trtllm-bench does not write --concurrency; the one in the report is a measurement",
    "load.warmup": "trtllm-bench does not write --warmup",
    "load.arrival": "trtllm-bench does not write how it sent requests",
    "load.failed": "trtllm-bench does not write how many requests failed",
    "precision": "trtllm-bench writes the formats of weights and KV cache only where they are set",
    "parallelism": "trtllm-bench does not write whether attention ran data-parallel",
    "workload.output_policy": "trtllm-bench does not write whether outputs could end early",
    "workload.dataset": "trtllm-bench writes a path, and no name of what it was",
    "workload.prefix_cache": "trtllm-bench does not write whether KV blocks were reused",
    "workload.speculative": "trtllm-bench writes a block for speculation only where there is any",
    "measurement.latency_origin": "trtllm-bench does not write where the clock of a request starts",
}
SAVE = "trtllm-bench --model MODEL throughput --dataset FILE --streaming --report_json report.json"


@importer("trtllm-bench", harness="trtllm-bench", shape=Report, save=SAVE, never=NEVER)
def trtllm_bench(run: Report, file: Opened) -> Iterator[Statement]:
    """Measured inside the process: there is no HTTP, and no server to wait for.

    Output per user has the first token in it, the "token output speed" of --streaming has not.
    Total throughput is prompts and outputs. The average concurrency is what came about: a setting
    is not in the report, nor whether there was one. `max_batch_size` is a limit and no batch, and
    `issue_rate` is how fast requests were queued: neither is read.
    """
    del file
    found, requests = Statement(), run.request_info
    if not requests.num_requests:
        raise RunError("nothing completed, so there is nothing to record")
    _engine(found, run.engine)
    _hardware(found, run)
    found.block("workload", input_tokens=_plain(requests.avg_input_length),
                output_tokens=_plain(requests.avg_output_length))  # fmt: skip
    if "workload" in found.tree:
        found.state("workload.length_basis", "measured")
    took = run.performance.total_latency_ms
    found.block("load", requests=requests.num_requests, completed=requests.num_requests,
                duration_s=plain(took / 1000) if took and took > 0 else None,
                window="full_drain")  # fmt: skip
    found.block("measurement", runs=1, point="in_process",
                streaming=run.streaming_metrics is not None)  # fmt: skip
    _speculation(found, run.decoding_stats)
    _rates(found, run)
    _latencies(found, run)
    _remarks(found, run)
    yield found


def _plain(value: Decimal | None) -> Decimal | int | None:
    return None if value is None else plain(value)


def _engine(found: Statement, engine: Engine) -> None:
    found.state("model.described_as", engine.model)
    backend = BACKENDS.get((engine.backend or "").casefold())
    found.block("engine", described_as="TensorRT-LLM", version=engine.version, stack=backend)
    kv_cache, weights = engine.kv_cache_dtype, engine.quantization
    if weights is None and "quantization" in engine.model_fields_set:
        weights = engine.dtype
    for field, words in (("weights", weights), ("kv_cache", kv_cache)):
        form = FORMATS.get((words or "").casefold())
        found.state(f"precision.{field}", form)
        if words and form is None and words.casefold() != "auto":
            found.remark(f"{field} are {shown(words, 40)!r}, which is no one format of a record; "
                         f"say it with --set precision.{field}=...")  # fmt: skip


def _hardware(found: Statement, run: Report) -> None:
    """State the GPUs, where the report names them; without a name there is no part to speak of."""
    world = run.world_info
    ways = {"tensor": world.tp_size, "pipeline": world.pp_size, "expert": world.ep_size}
    split = {way: size for way, size in ways.items() if size}
    if run.machine and run.machine.name and world.world_size:
        at = "hardware.pools.0"
        found.block(at, described_as=run.machine.name, count=world.world_size)
        found.block(f"{at}.parallelism", **split)
    elif world.world_size:
        said = " ".join(f"--set {way}={size}" for way, size in split.items())
        found.remark(f"the report does not name its {world.world_size} GPUs: "
                     f"--set accelerator=ID --set count={world.world_size} {said}")  # fmt: skip
    if (world.ep_size or 0) > 1:
        found.remark("the report does not say whether attention ran data-parallel; if it did, "
                     "correct the parallelism (attention_data for tensor)")  # fmt: skip


def _speculation(found: Statement, decoding: Decoding | None) -> None:
    if decoding is None:
        return
    method = (decoding.mode or "").casefold()
    if method in METHODS:
        found.state("workload.speculative.method", method)
    else:
        found.remark("the run speculated; say how with --set workload.speculative.method=...")
    if decoding.acceptance_length_percentiles:
        length = decoding.acceptance_length_percentiles.statistics().get("mean", (None, ""))[0]
        if length is not None and length > 0:
            found.state("workload.speculative.acceptance_length", plain(length))


def _rates(found: Statement, run: Report) -> None:
    for name, metric, unit, key, more in _RATES:
        value = getattr(run.performance, key)
        found.figure(name, metric, value, unit, at=f"/performance/{key}", **more)
    concurrency = run.request_info.avg_num_concurrent_requests
    at = "/request_info/avg_num_concurrent_requests"
    found.figure("in_flight", "mean_concurrency", concurrency, "req", at=at)


_ALL: dict[str, str] = {}
_GPU = {"scope": "per_accelerator", "over": "all"}
_RATES = (
    ("request_rate", "request_throughput", "req/s", "request_throughput_req_s", _ALL),
    ("output_rate", "output_throughput", "tok/s", "system_output_throughput_tok_s", _ALL),
    ("total_rate", "total_throughput", "tok/s", "system_total_throughput_tok_s", _ALL),
    ("output_rate_per_gpu", "output_throughput", "tok/s", "output_throughput_per_gpu_tok_s", _GPU),
)


def _latencies(found: Statement, run: Report) -> None:
    speed, fast, n = run.performance, run.streaming_metrics, run.request_info.num_requests
    rows = [
        ("user_rate", "output_rate_per_request", "tok/s", speed,
         "output_throughput_per_user_tok_s", ""),
        ("e2e", "e2e_latency", "ms", speed, "avg_request_latency_ms",
         "request_latency_percentiles_ms"),
        ("ttft", "ttft", "ms", fast, "avg_ttft_ms", "ttft_percentiles"),
        ("tpot", "tpot", "ms", fast, "avg_tpot_ms", "tpot_percentiles"),
        ("user_decode_rate", "decode_rate_per_request", "tok/s", fast, "token_output_speed_tok_s",
         "gen_tps_percentiles"),
    ]  # fmt: skip
    for name, metric, unit, block, key, percentiles in rows:
        if block is not None:
            at = "/performance" if block is speed else "/streaming_metrics"
            many = getattr(block, percentiles, None) if percentiles else None
            values = many.statistics(at=f"{at}/{percentiles}") if many else {}
            if getattr(block, key) is not None:
                values["mean"] = (getattr(block, key), f"{at}/{key}")
            found.statistics(name, metric, unit, values, n=n)


def _remarks(found: Statement, run: Report) -> None:
    done, asked = run.request_info.num_requests, run.dataset.num_requests
    if asked and asked != done:
        found.remark(f"the dataset has {asked} requests, and {done} were measured")
