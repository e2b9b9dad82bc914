"""The record: one operating point and every figure measured there."""

from pydantic import MISSING

from benchreg.entities.absence import Absences, Inferences
from benchreg.entities.base import (
    Commit,
    Date,
    Distinct,
    Entity,
    Id,
    Line,
    Named,
    Once,
    Prose,
    Several,
    Sha256,
    Url,
    Word,
    block,
    named,
    optional,
    required,
    several,
)
from benchreg.entities.conditions import (
    Accuracy,
    EngineChoice,
    Hardware,
    Load,
    Measurement,
    ModelChoice,
    Precision,
    Service,
    Slo,
    Workload,
)
from benchreg.entities.figure import Claim, Estimator, Figure
from benchreg.entities.vocabulary import (
    Availability,
    Condition,
    Division,
    Kind,
    Outcome,
    Status,
)


class SourceRef(Entity):
    """Where the figures of a record stand."""

    id: Id = required("A source of the catalogue.", "databricks-llm-inference-practices")
    locator: Line | MISSING = optional(
        "Table, row and column, figure, or path of the log.", 'Table 2, row "1 x A100", column 64'
    )
    retrieved: Date = required("When it was read.", "2026-04-16")
    commit: Commit | MISSING = optional("The commit that was read.", "198fc467")
    sha256: Sha256 | MISSING = optional("Hash of the file that was read.", "0" * 64)
    archive_url: Url | MISSING = optional("An archived copy.", "https://web.archive.org/web/1/")


class Mlperf(Entity):
    """What an MLPerf result is identified by."""

    round: Line | MISSING = optional("The round.", "v5.1")
    division: Division | MISSING = optional("The division.", "closed")
    availability: Availability | MISSING = optional("The availability category.", "available")
    submitter: Line | MISSING = optional("Who submitted it.", "AMD")
    system: Line | MISSING = optional("The system's folder name.", "8xMI300X_2xEPYC-9374F")
    benchmark: Distinct[Line] = several(
        "The benchmark; two where one run has two labels.", ["llama2-70b-99", "llama2-70b-99.9"]
    )
    result_path: Line | MISSING = optional(
        "Path of the result in the repository.", "closed/AMD/results/8xMI300X/llama2-70b-99/Server"
    )
    verified: bool | MISSING = optional("Whether MLCommons published the figure.", True)


class Links(Entity):
    """Records that this one speaks about."""

    replicates: Distinct[Id] = several("Records that it repeats.", ["other-record"])
    contradicts: Distinct[Id] = several("Records that it contradicts.", ["other-record"])
    estimate_of: Distinct[Id] = several("Measurements that it estimates.", ["other-record"])


class Waiver(Entity):
    """A finding that is accepted, with who accepts it and why."""

    rule: Line = required("The rule's code.", "CON014")
    at: Line | MISSING = optional("JSON pointer of the place; left out: the record.", "/load")
    reason: Prose | MISSING = optional("Why it is accepted.", "the source published it so")
    by: Line | MISSING = optional("Who accepted it.", "a maintainer")
    since: Date | MISSING = optional("When.", "2026-11-01")
    expires: Date | MISSING = optional("Until when.", "2027-11-01")


class Record(Entity):
    """One operating point: one model, hardware, engine, workload and load, with its figures."""

    id: Id = required("Unique id, equal to the file's name.", "mpt-7b-a100-static-b64")
    title: Line = required("What was run, in one line.", "MPT-7B on one A100, static batch of 64")
    kind: Kind = required(
        "What kind of record it is; an example is never published.", "measurement"
    )
    status: Status = required("Whether the record stands.", "active")
    status_reason: Prose | MISSING = optional("Why it does not stand.", "the source withdrew it")
    superseded_by: Id | MISSING = optional("The record that replaces it.", "other-record")
    estimator: Estimator | MISSING = optional("What made an estimate.", {"version": "benchreg 0.1"})
    outcome: Outcome | MISSING = optional("How it ended, unless it completed.", "out_of_memory")
    aliases: Distinct[Id] = several("Names used elsewhere.", ["mpt7b-a100-bs64"])
    source: Once[SourceRef] = required(
        "Where the figures stand.",
        {"id": "databricks-llm-inference-practices", "retrieved": "2026-04-16"},
    )
    mlperf: Mlperf | MISSING = optional(
        "What an MLPerf result is identified by.", {"round": "v5.1"}
    )
    model: Once[ModelChoice] = block(ModelChoice, "Which model was served.", {"id": "mpt-7b"})
    hardware: Once[Hardware] = block(
        Hardware, "What it ran on.", {"pools": [{"accelerator": "h100-sxm5-80gb", "count": 8}]}
    )
    service: Service | MISSING = optional("The hosted endpoint.", {"provider": "Example Cloud"})
    engine: Once[EngineChoice] = block(EngineChoice, "Which engine served it.", {"id": "vllm"})
    precision: Once[Precision] = block(Precision, "The number formats.", {"weights": "bf16"})
    workload: Once[Workload] = block(Workload, "What each request asks for.", {"input_tokens": 512})
    load: Once[Load] = block(
        Load, "How requests come.", {"pattern": "static_batch", "batch_size": 64}
    )
    measurement: Once[Measurement] = block(Measurement, "Who measured, and how.", {"runs": 3})
    slo: Slo | MISSING = optional("The latency limits.", {"ttft_ms": 2000, "tpot_ms": 200})
    accuracy: Several[Accuracy] = several(
        "What was evaluated.", [{"eval": "ROUGE1", "value": 44.5}]
    )
    inferred: Once[Inferences] = named(
        "Condition -> why it was concluded, where the source does not state it.",
        {"load.pattern": "the section describes static batching"},
    )
    contributed: Distinct[Condition] = several(
        "Conditions that the contributor states beside the file.", ["load.warmup"]
    )
    absent: Once[Absences] = named(
        "Condition -> why it is absent.",
        {"engine.version": "unrecoverable", "precision": "not_stated"},
    )
    results: Once[Named[Word, Figure]] = named(
        "Name -> figure.",
        {"completed_rate": {"metric": "request_throughput", "value": 12.5, "unit": "req/s"}},
    )
    sweep: Id | MISSING = optional(
        "Label of the sweep it is a point of.", "databricks-table-2-1xa100"
    )
    run: Id | MISSING = optional("Label of the run it belongs to.", "nightly-2026-11-01")
    links: Links = block(Links, "Records that it speaks about.", {"replicates": ["other-record"]})
    claims: Several[Claim] = several(
        "Statements of the source that are recomputed.",
        [
            {
                "says": "14 times",
                "locator": "text",
                "stated": "14",
                "formula": "a / b",
                "inputs": {"a": "rate", "b": "other-record#rate"},
            }
        ],
    )
    waivers: Several[Waiver] = several("Findings that are accepted.", [{"rule": "CON014"}])
    attribution: Prose | MISSING = optional("What the source asks to be said.", "MLPerf ...")
    notes: Prose | MISSING = optional("Prose; no facts that have a field.", "A batch total.")
