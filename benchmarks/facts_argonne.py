"""The plots' data of LLM-Inference-Bench: total throughput and latency of static batches."""

import re
from decimal import Decimal

from facts_rows import (
    RETRIEVED,
    Catalogue,
    LeftOutError,
    Part,
    Reading,
    Row,
    Source,
    Tree,
    number,
    reasons,
    requested,
)

COMMIT = "4211f5d4e9bc0145ed541b6d372d5d8223b44235"
SOURCE = Source(
    "llm-inference-bench",
    "LLM-Inference-Bench: data of the plots",
    "repository",
    "Argonne National Laboratory",
    "https://github.com/argonne-lcf/LLM-Inference-Bench",
)
FP16 = (
    "The table has no precision; the paper (arXiv:2411.00136) says FP16 unless it states another."
)
ONE_SEQUENCE = (
    "The batch of this engine's rows is the chunk in which a prompt is processed: whatever it is, "
    "the total rate times the latency gives one prompt and one output, and latency hardly changes "
    "from 16 to 64."
)
NO_PREFIX_CACHE = (
    "Neither table nor paper (November 2024) names a prefix cache. The releases of vLLM and "
    "TensorRT-LLM of that time leave it off unless it is asked for, the DeepSpeed engines have "
    "none, and the benchmark of llama.cpp clears its cache between tests."
)
PARTS = {
    "Nvidia A100 GPU": Part(
        ("a100-80-sxm", "a100-40-sxm", "a100-80-pcie", "a100-40-pcie"),
        "The table says A100, and neither memory nor form factor.",
    ),
    "Nvidia H100 GPU": Part(
        ("h100-sxm", "h100-pcie", "h100-nvl"),
        "The table says H100, and neither memory nor form factor.",
    ),
    "Nvidia GH200 GPU": Part(
        ("gh200-96", "gh200-144"), "The table says GH200, and no memory: there are two."
    ),
    "AMD MI250 GPU": Part(("mi250",)),
    "AMD MI300X GPU": Part(("mi300x", "mi300x-192gb")),
    "Intel PVC GPU": Part(
        ("max-1550",), "Ponte Vecchio is the chip; its largest part is the Max 1550."
    ),
    "Intel Max 1550": Part(("max-1550",)),
    "Habana Gaudi2": Part(("gaudi2", "gaudi-2")),
    "SambaNova SN40L": Part(("sambanova-sn40l", "sn40l")),
}
MODELS = {
    "meta-llama/Llama-2-7b-hf": ("llama-2-7b",),
    "meta-llama/Llama-2-70b-hf": ("llama-2-70b",),
    "meta-llama/Meta-Llama-3-8B": ("llama-3-8b",),
    "meta-llama/Meta-Llama-3-70B": ("llama-3-70b",),
    "mistralai/Mistral-7B-v0.1": ("mistral-7b-v0.1",),
    "mistralai/Mixtral-8x7B-v0.1": ("mixtral-8x7b-v0.1", "mixtral-8x7b"),
    "Qwen/Qwen2-7B": ("qwen2-7b",),
    "Qwen/Qwen2-72B": ("qwen2-72b",),
    "Qwen/Qwen1.5-7B": ("qwen1.5-7b",),
    "Deci/DeciLM-7B": ("decilm-7b",),
    "BAAI/Aquila-7B": ("aquila-7b",),
    "bigscience/bloom-7b1": ("bloom-7b1",),
    "EleutherAI/gpt-j-6b": ("gpt-j-6b",),
    "huggyllama/llama-7b": ("llama-7b",),
    "facebook/opt-6.7b": ("opt-6.7b",),
}
ENGINES = {
    "vLLM": {"id": "vllm"},
    "TensorRT-LLM": {"id": "tensorrt-llm"},
    "llama.cpp": {"id": "llama-cpp"},
}
HYBRID = re.compile(r"TP = 2 and PP = 2|Tensor \(2\) and Pipeline \(2\)")


def read(row: Row, catalogue: Catalogue) -> Reading:
    """Return what a row says; rows of one place are one operating point."""
    figures = {
        "total_throughput": ("total_rate", _total),
        "e2e_latency": ("latency", _latency),
        "ttft_batch": ("first_token", _first_token),
        "avg_power": ("power", _power),
    }
    if row["metric"] not in figures:
        raise LeftOutError(f"no metric: {row['metric']}")
    name, figure = figures[row["metric"]]
    return Reading(row, row.place, SOURCE, _conditions(row, catalogue), {name: figure(row)})


def _total(row: Row) -> Tree:
    return {
        "metric": "total_throughput",
        "scope": "system",
        "value": number(row["value"]),
        "unit": "tok/s",
        "seen_by_request": "latency",
        "inferred": {"scope": "It is the prompts and outputs of the whole batch over the latency."},
    }


def _latency(row: Row) -> Tree:
    return {
        "metric": "e2e_latency",
        "scope": "per_request",
        "value": number(row["value"]),
        "unit": "s",
        "absent": {"statistic": "not_stated"},
        "note": "the latency of the whole batch, which starts and ends together",
    }


def _first_token(row: Row) -> Tree:
    return {
        "metric": "ttft",
        "scope": "per_request",
        "value": number(row["value"]),
        "unit": "s",
        "absent": {"statistic": "not_stated"},
        "note": "the latency of the whole batch with one output token",
    }


def _power(row: Row) -> Tree:
    return {
        "metric": "mean_power",
        "scope": "system",
        "value": number(str(Decimal(row["value"]) / 1000)),
        "unit": "W",
        "metered": "accelerators",
        "note": "the table has milliwatts",
    }


def _conditions(row: Row, catalogue: Catalogue) -> Tree:
    part = PARTS.get(row["gpu"], Part())
    count = int(row["n_gpus"])
    pool = catalogue.pool(row["gpu"], part, count)
    if split := _parallelism(row, count):
        pool["parallelism"] = split
    load, why = _load(row)
    return {
        "title": f"{row['model']} on {count} x {row['gpu']}, {row['engine']}, {row['scenario']}, "
        f"batch column {row['concurrency_or_batch']}, {row['isl']}/{row['osl']} tokens",
        "source": {
            "id": SOURCE.id,
            "locator": row.place,
            "retrieved": RETRIEVED,
            "commit": COMMIT,
        },
        "model": catalogue.model(row["model"], MODELS.get(row["model"], ())),
        "hardware": {"pools": [pool]},
        "engine": ENGINES.get(row["engine"], {"described_as": row["engine"]}),
        "precision": _precision(row),
        "workload": _workload(row),
        "load": load,
        "inferred": reasons(
            {
                "load.pattern": why,
                "precision.weights": "" if row["precision"] else FP16,
                "hardware.could_be": part.why,
                "workload.prefix_cache": NO_PREFIX_CACHE if _has_no_prefix_cache(row) else "",
            }
        ),
    }


def _has_no_prefix_cache(row: Row) -> bool:
    return row["engine"] != "sambaflow"


def _workload(row: Row) -> Tree:
    return {
        **requested(row),
        **({"prefix_cache": {"enabled": False}} if _has_no_prefix_cache(row) else {}),
    }


def _load(row: Row) -> tuple[Tree, str]:
    if row["engine"] == "llama.cpp":
        return {"pattern": "single_stream"}, ONE_SEQUENCE
    why = "The table has a batch size, fixed lengths and one latency for all of it."
    return {"pattern": "static_batch", "batch_size": int(row["concurrency_or_batch"])}, why


def _parallelism(row: Row, count: int) -> Tree:
    """Return how the source says that the parts share the model; expert splits are left open."""
    if HYBRID.search(row["scenario"]):
        return {"tensor": 2, "pipeline": 2}
    if row["tp"] or row["scenario"] == "static batch TP":
        return {"tensor": count}
    if row["pp"] or row["scenario"] == "static batch PP":
        return {"pipeline": count}
    return {}


def _precision(row: Row) -> Tree:
    found = re.fullmatch(r"Weight = (\w+), KV Cache = (\w+)", row["precision"])
    if found:
        return {"weights": found[1], "kv_cache": found[2]}
    return {"weights": "fp16"}
