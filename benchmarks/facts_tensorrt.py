"""The performance pages of TensorRT-LLM, releases 0.5.0 to 1.1."""

import re

from facts_rows import (
    RETRIEVED,
    Catalogue,
    Part,
    Reading,
    Row,
    Source,
    Tree,
    number,
    reasons,
    requested,
)

H100 = "The page says H100, and neither memory nor form factor."
PARTS = {
    "H100": Part(("h100-sxm", "h100-pcie"), H100),
    "H100 80GB HBM3": Part(("h100-sxm",)),
    "H200": Part(("h200-sxm", "h200-nvl"), "The page says H200, and no form factor."),
    "H200 141GB HBM3": Part(("h200-sxm", "h200-nvl"), "The page names no form factor."),
    "GH200 120GB": Part(
        ("gh200-96",), "120 GB is the memory of the host; the part beside it has 96 GB of HBM3."
    ),
    "A100": Part(
        ("a100-80-sxm", "a100-80-pcie"),
        "The page says A100. Falcon 180B in FP16 has 45 GB of weights on each of eight parts, more "
        "than a 40 GB part holds.",
    ),
    "A100-SXM4-80GB": Part(("a100-80-sxm",)),
    "L40S": Part(("l40s-48gb", "l40s")),
    "B200": Part(("b200-sxm",)),
    "GB200": Part(("gb200",)),
    "RTX 6000 Pro Blackwell Server Edition": Part(
        ("rtx-pro-6000-blackwell-server-96gb", "rtx-pro-6000-server")
    ),
}
MODELS = {
    "GPT-J 6B": ("gpt-j-6b",),
    "GPTJ 6B": ("gpt-j-6b",),
    "LLaMA 7B": ("llama-2-7b",),
    "LLaMA 70B": ("llama-2-70b",),
    "LLaMA v2 7B": ("llama-2-7b",),
    "LLaMA v2 70B": ("llama-2-70b",),
    "LLaMA v3 8B": ("llama-3-8b",),
    "LLaMA v3 70B": ("llama-3-70b",),
    "Llama 3.1 8B": ("llama-3.1-8b", "llama-3.1-8b-instruct"),
    "Llama 3.1 405B": ("llama-3.1-405b", "llama-3.1-405b-instruct"),
    "Llama 3.3 70B": ("llama-3.3-70b-instruct", "llama-3.3-70b"),
    "Llama 4 Scout": ("llama-4-scout-17b-16e-instruct", "llama-4-scout"),
    "Llama 4 Maverick": ("llama-4-maverick-17b-128e-instruct", "llama-4-maverick"),
    "Falcon 180B": ("falcon-180b",),
    "Mistral 7B": ("mistral-7b-v0.1",),
    "Mixtral 8x7B": ("mixtral-8x7b-v0.1", "mixtral-8x7b"),
    "Qwen3-235B-A22B": ("qwen3-235b-a22b",),
    "Qwen3-30B-A3B": ("qwen3-30b-a3b",),
    "GPT-OSS 120B": ("gpt-oss-120b",),
    "GPT-OSS 20B": ("gpt-oss-20b",),
    "DeepSeek R1 0528": ("deepseek-r1-0528", "deepseek-r1"),
}
TOTAL = (
    "The header does not say whose rate it is. Read as the rate of one accelerator, LLaMA 70B in "
    "FP16 at 128/128 would give each of 64 requests 77 tok/s, where reading the weights alone from "
    "four A100 80 GB leaves 59."
)
EACH = (
    "The header does not say whose rate it is; the H100 table beside it is per GPU. As a total, "
    "LLaMA 70B at 128/128 on four parts would reach half of what the page of 0.5.0 has for it."
)
LLAMA = "The page says LLaMA and its commands name Llama2."
OLD_PAGES = ("0.5.0", "0.6.1", "0.7.1")
CACHE = {
    **{
        (page, "H100"): (
            "fp8",
            "The commands of 0.6.1 and 0.7.1 build for H100 with an FP8 KV cache.",
        )
        for page in OLD_PAGES
    },
    **{
        (page, "A100"): ("fp16", "The commands of 0.6.1 and 0.7.1 have no FP8 KV cache for A100.")
        for page in OLD_PAGES
    },
}
NO_FORMAT = {
    "because": "conflicting",
    "note": "The column says FP8. The model is released with MXFP4 experts.",
}


def read(row: Row, catalogue: Catalogue) -> Reading:
    """Return what a row says."""
    page = _page(row)
    source = Source(
        f"tensorrt-llm-docs-v{page}",
        f"Performance of TensorRT-LLM: the page of release {page}",
        "vendor_docs",
        "NVIDIA",
        "https://github.com/NVIDIA/TensorRT-LLM",
    )
    if row["metric"] == "ttft":
        figures = {"first_token": _first_token(row)}
    else:
        figures = {"output_rate": _rate(row, page)}
    return Reading(row, row.name, source, _conditions(row, catalogue, page), figures)


def _page(row: Row) -> str:
    """Return the release of the page; what the table calls 1.2 is the page of 1.1."""
    named = re.search(r"TensorRT-LLM v?(\d[\d.]*) docs", row["source"])
    version = named[1] if named else row["engine_version"]
    return {"1.2": "1.1"}.get(version, version)


def _first_token(row: Row) -> Tree:
    return {
        "metric": "ttft",
        "scope": "per_request",
        "value": number(row["value"]),
        "unit": "ms",
        "absent": {"statistic": "not_stated"},
    }


def _rate(row: Row, page: str) -> Tree:
    scope, why = _scope(row, page)
    return {
        "metric": "output_throughput",
        "scope": scope,
        "value": number(row["value"]),
        "unit": "tok/s",
        "source_name": row["unit"],
        "absent": {"seen_by_request": "not_stated"},
        **({"inferred": {"scope": why}} if why else {}),
    }


def _scope(row: Row, page: str) -> tuple[str, str]:
    """Return whose rate a figure is; the words of two headers changed their meaning."""
    if row["metric"] == "output_throughput_per_gpu":
        return "per_accelerator", ""
    if row["metric"] == "output_throughput_total":
        return (
            "system",
            "The page gives one rate for the accelerators of a row, which grows with them.",
        )
    if page == "0.7.1" and row["gpu"] != "L40S":
        return "per_accelerator", EACH
    return "system", TOTAL


def _conditions(row: Row, catalogue: Catalogue, page: str) -> Tree:
    part = PARTS.get(row["gpu"], Part())
    count = int(row["n_gpus"])
    pool = catalogue.pool(row["gpu"], part, count)
    pool["parallelism"] = _parallelism(row, count)
    load, why = _load(row)
    cache, why_cache = CACHE.get((page, row["gpu"]), ("", ""))
    precision, absent = _precision(row, cache)
    return {
        "title": f"{row['model']}, {row['precision']}, on {count} x {row['gpu']}, "
        f"{row['scenario']}, {row['isl']}/{row['osl']} tokens, TensorRT-LLM {page}",
        "source": {
            "id": f"tensorrt-llm-docs-v{page}",
            "locator": re.sub(r"<sup>\**</sup>", "", row.place),
            "retrieved": RETRIEVED,
            **_commit(row),
        },
        "model": catalogue.model(row["model"], MODELS.get(row["model"], ())),
        "hardware": {"pools": [pool]},
        "engine": {"id": "tensorrt-llm", "version": _engine(row, page)},
        "precision": precision,
        "workload": requested(row),
        "load": load,
        "inferred": reasons(
            {
                "load.pattern": why,
                "precision.kv_cache": why_cache,
                "hardware.could_be": part.why,
                "model.id": LLAMA if row["model"] in {"LLaMA 7B", "LLaMA 70B"} else "",
            }
        ),
        "absent": absent,
    }


def _commit(row: Row) -> Tree:
    found = re.search(r"\b[0-9a-f]{40}\b", row["source"])
    return {"commit": found[0]} if found else {}


def _engine(row: Row, page: str) -> str:
    """Return the engine's version; the page of 0.7.1 prints figures of two earlier ones."""
    if page != "0.7.1":
        return page
    return "0.5.0" if row["metric"] == "ttft" or row["gpu"] == "L40S" else "0.6.1"


def _parallelism(row: Row, count: int) -> Tree:
    pipeline = int(row["pp"] or 1)
    if "attention-DP" in row["scenario"]:
        attention = {"attention_data": count // pipeline, "expert": count // pipeline}
        return {**attention, "pipeline": pipeline}
    return {"tensor": int(row["tp"]), "pipeline": pipeline}


def _load(row: Row) -> tuple[Tree, str]:
    if row["concurrency_or_batch"]:
        batch = int(row["concurrency_or_batch"])
        why = "The tables have a batch size and fixed lengths."
        return {"pattern": "static_batch", "batch_size": batch}, why
    return {"pattern": "all_at_once"}, "The page sends all requests at once, without a rate."


def _precision(row: Row, cache: str) -> tuple[Tree, Tree]:
    kept = {"kv_cache": cache} if cache else {}
    if row["model"].startswith("GPT-OSS") and row["precision"] == "FP8":
        return kept, {"precision.weights": NO_FORMAT}
    return {"weights": row["precision"].lower(), **kept}, {}
