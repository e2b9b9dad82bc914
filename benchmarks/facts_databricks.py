"""The table of the Databricks post: time to first token, and requests per second by batch."""

from facts_rows import RETRIEVED, Catalogue, NoPointError, Part, Reading, Row, Source, Tree, number

SOURCE = Source(
    "databricks-llm-inference-practices",
    "LLM Inference Performance Engineering: Best Practices",
    "blog",
    "Databricks",
    "https://www.databricks.com/blog/llm-inference-performance-engineering-best-practices",
)
PARTS = {
    "A10": Part(("a10-pcie-24gb", "a10")),
    "A100-40GB": Part(
        ("a100-40-sxm", "a100-40-pcie"), "The table names the 40 GB A100 and no form factor."
    ),
    "A100": Part(
        ("a100-40-sxm", "a100-40-pcie"),
        'Table 2 prints only "A100"; Table 1 and two figures of the post name the 40 GB part.',
    ),
}
MODELS = {"MPT-7B": ("mpt-7b",), "Llama2-70B": ("llama-2-70b",)}
METRICS: dict[str, tuple[str, Tree]] = {
    "ttft": ("first_token", {"metric": "ttft", "scope": "per_request", "unit": "ms"}),
    "request_throughput": (
        "completed_rate",
        {"metric": "request_throughput", "scope": "system", "statistic": "peak", "unit": "req/s"},
    ),
}


def read(row: Row, catalogue: Catalogue) -> Reading:
    """Return what a row says; raises NoPointError for ratios and shares of no stated model."""
    if row["metric"] not in METRICS:
        raise NoPointError(f"no figure of one operating point: {row['metric']}")
    name, figure = METRICS[row["metric"]]
    if name == "first_token":
        figure = {**figure, "absent": {"statistic": "not_stated"}}
    return Reading(row, row.name, SOURCE, _conditions(row, catalogue), {name: _valued(figure, row)})


def _valued(figure: Tree, row: Row) -> Tree:
    return {**figure, "value": number(row["value"])}


def _conditions(row: Row, catalogue: Catalogue) -> Tree:
    part = PARTS.get(row["gpu"], Part())
    count = int(row["n_gpus"])
    batch = int(row["concurrency_or_batch"])
    first = row["metric"] == "ttft"
    workload: Tree = {"input_tokens": number(row["isl"]), "length_basis": "requested"}
    if not first:  # the output length of the first table is no column of the post
        workload["output_tokens"] = number(row["osl"])
    inferred = {"hardware.could_be": part.why} if part.why else {}
    return {
        "title": f"{row['model']} on {count} x {row['gpu']}, batch of {batch}, {row['metric']}",
        "source": {
            "id": SOURCE.id,
            "locator": f"{row.place}, {row['model']}, {count} x {row['gpu']}, batch {batch}",
            "retrieved": RETRIEVED,
        },
        "model": catalogue.model(row["model"], MODELS.get(row["model"], ())),
        "hardware": {"pools": [catalogue.pool(row["gpu"], part, count)]},
        "engine": {} if first else {"id": "fastertransformer"},
        "workload": workload,
        "load": {"pattern": "static_batch", "batch_size": batch},
        "inferred": {
            **inferred,
            **(
                {"load.pattern": "The caption gives a batch size and no arrivals."} if first else {}
            ),
        },
    }
