"""MLPerf Inference results of language models, rounds 3.1 to 6.1."""

import re
from decimal import Decimal

from facts_mlperf_words import LABELS, MODELS, NO_SOFTWARE, PARTS, SCENARIOS, UNTRUE
from facts_rows import (
    RETRIEVED,
    Catalogue,
    LeftOutError,
    NoPointError,
    Part,
    Reading,
    Row,
    Source,
    Tree,
    number,
    quotient,
    reasons,
)

FIXED = "The benchmark fixes the model; the table names no checkpoint."
CHANGED = re.compile(r"prun|sparse|finetun", re.IGNORECASE)
LATENCIES = {
    "ttft_p99": ("ttft_p99_ns", "ttft", "p99"),
    "tpot_p99": ("tpot_p99_ns", "tpot", "p99"),
    "e2e_mean": ("mean_latency_ns", "e2e_latency", "mean"),
    "e2e_p90": ("p90_latency_ns", "e2e_latency", "p90"),
    "e2e_p99": ("p99_latency_ns", "e2e_latency", "p99"),
}


def read(row: Row, catalogue: Catalogue) -> Reading:
    """Return what a row says; raises NoPointError for what is not a round's own."""
    if row["source_path"].startswith("open/Lattix"):
        raise NoPointError("a submission of the copy that was read, and of no round")
    source = Source(
        f"mlperf-inference-{row['round']}",
        f"MLPerf Inference {row['round']} results",
        "result_repository",
        "MLCommons",
        f"https://github.com/{row['repo']}",
    )
    return Reading(row, row.name, source, _conditions(row, catalogue, source), _figures(row))


def _figures(row: Row) -> dict[str, Tree]:
    """Return the figures of a row, its own first; Offline has no latency of a request."""
    rates = {**_output_rate(row), **_request_rate(row)}
    if row["metric"].startswith("tokens_per_second_inferred"):
        rates = dict(reversed(rates.items()))
    if row["scenario"] == "Offline":
        return rates
    latencies = {name: _latency(row, *what) for name, what in LATENCIES.items() if row[what[0]]}
    if row["scenario"] == "SingleStream":
        return {"e2e_p90": latencies.pop("e2e_p90"), **latencies}
    return {**rates, **latencies}


def _output_rate(row: Row) -> dict[str, Tree]:
    value = row["value"] if row["metric"] == "tokens_per_second" else ""
    if _has_69_tokens(row):
        value = row["official_result"]
    rate: Tree = {"metric": "output_throughput", "scope": "system", "unit": "tok/s"}
    if row["scenario"] == "Offline":
        rate["absent"] = {"seen_by_request": "not_applicable"}
    elif row["tpot_p99_ns"]:
        rate["seen_by_request"] = "tpot_p99"
    elif row["mean_latency_ns"]:
        rate["seen_by_request"] = "e2e_mean"
    else:
        rate["absent"] = {"seen_by_request": "not_stated"}
    return {"output_rate": {**rate, "value": number(value)}} if value else {}


def _request_rate(row: Row) -> dict[str, Tree]:
    value = row["samples_per_s"]
    if row["metric"].startswith(("samples_per_second", "queries_per_second")):
        value = row["value"]
    rate: Tree = {"metric": "request_throughput", "scope": "system", "unit": "req/s"}
    return {"completed_rate": {**rate, "value": number(value)}} if value else {}


def _latency(row: Row, column: str, metric: str, statistic: str) -> Tree:
    return {
        "metric": metric,
        "scope": "per_request",
        "statistic": statistic,
        "value": number(str(Decimal(row[column]) / 1_000_000)),
        "unit": "ms",
    }


def _has_69_tokens(row: Row) -> bool:
    """Tell whether the published rate of GPT-J is 69 times the logged samples per second."""
    if row["model"] != "gptj" or not (row["samples_per_s"] and row["official_result"]):
        return False
    times = Decimal(row["official_result"]) / Decimal(row["samples_per_s"])
    return abs(times - 69) < Decimal("0.1")


def _conditions(row: Row, catalogue: Catalogue, source: Source) -> Tree:
    pools = _pools(row, catalogue)
    length, why = _output_length(row)
    precision, absent = _precision(row)
    pattern, scenario = SCENARIOS[row["scenario"]]
    count = sum(pool["count"] for pool in pools)
    return {
        "title": f"{row['model_dir']} on {count} x {_words(row)[:60]}, MLPerf {row['round']} "
        f"{row['scenario']}, {row['submitter']}",
        "source": _source(row, source),
        "mlperf": _mlperf(row),
        "model": _model(row, catalogue),
        "hardware": {"pools": pools},
        "engine": {} if row["software"] in NO_SOFTWARE else {"stack": row["software"]},
        "precision": precision,
        "workload": {"length_basis": "measured", **length},
        "load": {"pattern": pattern, "scenario": scenario, **_request_pace(row)},
        "measurement": {"harness": "MLPerf LoadGen"},
        "inferred": reasons({"model.id": FIXED, "workload.output_tokens": why}),
        "absent": absent,
    }


def _mlperf(row: Row) -> Tree:
    path, log, _ = row["source_path"].partition("/performance/")
    return {
        "round": row["round"],
        "division": row["division"],
        "submitter": row["submitter"],
        "system": row["system_dir"],
        "benchmark": [row["model_dir"]],
        **({"result_path": path} if log else {}),
    }


def _source(row: Row, source: Source) -> Tree:
    """Return the path of the log; one file holds many results in the rounds read by hand."""
    where = (row["submitter"], row["system_dir"], row["model_dir"], row["scenario"])
    path = row["source_path"]
    locator = path if "/" in path else f"{path}, {', '.join(where)}"
    commit = {"commit": row["source_commit"]} if row["source_commit"] else {}
    return {"id": source.id, "locator": locator, "retrieved": RETRIEVED, **commit}


def _model(row: Row, catalogue: Catalogue) -> Tree:
    """Return the benchmark's model, unless the open division changed it."""
    place = f"{row['system_dir']} {row['model_dir']}"
    if CHANGED.search(place):
        raise LeftOutError(f"model unknown: {row['model']}, changed ({place})")
    return catalogue.model(row["model"], MODELS.get(row["model"], ()))


def _request_pace(row: Row) -> Tree:
    stated = row["scenario"] in {"Server", "Interactive"} and row["target_qps"]
    return {"request_rate": number(row["target_qps"])} if stated else {}


def _words(row: Row) -> str:
    """Return the words for the part; where there is none, the host's processors compute."""
    return row["host_processor"] if row["accelerator"] == "N/A" else row["accelerator"]


def _pools(row: Row, catalogue: Catalogue) -> list[Tree]:
    """Return one pool for each kind of part, with all nodes together."""
    words = _words(row)
    mixed = re.findall(r"([^,()]+?) \(x(\d+)\)", words)
    if mixed:
        return [_pool(catalogue, name.removeprefix(" and "), int(count)) for name, count in mixed]
    column = "host_processors" if row["accelerator"] == "N/A" else "accelerators"
    if not row[f"{column}_per_node"]:
        raise LeftOutError("the number of parts is not stated")
    return [_pool(catalogue, words, int(row[f"{column}_per_node"]) * int(row["nodes"]))]


def _pool(catalogue: Catalogue, words: str, count: int) -> Tree:
    names = next((names for key, names in PARTS if key.lower() in words.lower()), ())
    return catalogue.pool(words, Part(names), count)


def _output_length(row: Row) -> tuple[Tree, str]:
    """Return the mean output, from the run's own rates or its accuracy run."""
    if row["tokens_per_s"] and row["samples_per_s"]:
        why = "The logged tokens per second over the logged samples per second."
        return {"output_tokens": quotient(row["tokens_per_s"], row["samples_per_s"])}, why
    if _has_69_tokens(row):
        why = "The published tokens per second are 69 times the logged samples per second."
        return {"output_tokens": 69}, why
    found = re.search(r"TOKENS_PER_SAMPLE: ([\d.]+)", row["accuracy"])
    if found:
        return {"output_tokens": number(found[1])}, "The mean of the run that judged accuracy."
    return {}, ""


def _precision(row: Row) -> tuple[Tree, Tree]:
    label = row["weight_data_types"].lower()
    if label in UNTRUE:
        return {}, {"precision.weights": UNTRUE[label]}
    return (LABELS[label], {}) if label else ({}, {})
