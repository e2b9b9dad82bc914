"""The shipped records are judged clean, and what is done to them is found."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import MISSING

from benchreg.audit.engine import Report
from benchreg.audit.finding import Severity
from benchreg.registry.registry import Registry
from benchreg.registry.roots import own_root

DATABRICKS = "records/benchmarks/databricks-llm-inference-practices"
B64 = f"{DATABRICKS}/mpt-7b-a100-static-b64.yaml"
POOL = """    - described_as: 1 x A100
      could_be: [a100-sxm4-40gb, a100-pcie-40gb]
"""
LINKED = """    - accelerator: a100-sxm4-80gb
      described_as: A100 40GB
"""
WARMUP = """  load.warmup:
    because: unrecoverable
    would_need: the warm-up phase of the harness log, or the benchmark command line
"""
PRODUCT = "formula: completed_rate * output_tokens"
CYCLE = """    unit: req/s
    derivation: {formula: output_rate / 64}
  output_rate:
"""

# name, what is replaced, by what, and what is found: (code, a part of the line it is found at)
CHANGES = [
    (
        "a digit",
        "value: 800\n",
        "value: 801\n",
        [("DER001", "value: 801"), ("PRO003", "notes:")],  # the notes speak of 800 tok/s
    ),
    ("no counterpart", "    seen_by_request: user_rate\n", "", [("IDN004", "output_rate:")]),
    ("a key misspelt", "\nengine:\n", "\nenginee:\n", [("SCH001", "enginee:")]),
    (
        "a version without quotes",
        "  id: fastertransformer\n",
        "  id: fastertransformer\n  version: 0.10\n",
        [("SCH003", "version: 0.10")],
    ),
    ("no warm-up", WARMUP, "", [("CON001", "load:")]),
    (
        "a scenario stated and absent",
        "  batch_size: 64\n\n",
        "  batch_size: 64\n  scenario: offline\n\n",
        [("CON002", "load.scenario:")],
    ),
    (
        "another part",
        POOL,
        LINKED,
        [("IDN007", "accelerator: a100-sxm4-80gb"), ("CON017", "hardware.could_be:")],
    ),
    (
        "a decode rate from an end-to-end rate",
        "metric: output_rate_per_request",
        "metric: decode_rate_per_request",
        [("MET005", "user_rate:")],
    ),
    (
        "a record that is not there",
        "there: mpt-7b-a100-static-b1#completed_rate}",
        "there: mpt-7b-a100-static-b2#completed_rate}",
        [("IDN003", "mpt-7b-a100-static-b2")],
    ),
    (
        "an alias used twice",
        "aliases: [mpt7b-a100-bs64-aggregate-output-tps]",
        "aliases: [mpt7b-a100-bs1-per-user-decode-tps]",
        [("IDN002", "mpt7b-a100-bs1-per-user-decode-tps")] * 2,  # in both files
    ),
    (
        "a program for a formula",
        PRODUCT,
        "formula: __import__('os').system('true')",
        [("DER002", "__import__")],
    ),
    ("a tower of powers", PRODUCT, "formula: 9**9**9**9", [("DER002", "9**9")]),
    (
        "a number without bounds",
        PRODUCT,
        'formula: "1e999999999 * completed_rate"',
        [("DER002", "1e999999999")],
    ),
    (
        "values that derive from each other",
        "    unit: req/s\n  output_rate:\n",
        CYCLE,
        [("DER003", "derivation: {")],
    ),
    (
        "a reason that is none",
        "because: not_stated\n    note: cannot",
        "because: unknown\n    note: cannot",
        [("SCH001", "because: unknown")],
    ),
    ("a condition misspelt", "  load.warmup:\n", "  load.warmpu:\n", [("SCH001", "load.warmpu")]),
]

UNPLACED = "how much load this point of its sweep carries is not known"
Judge = Callable[[Path], Report]


def line_of(root: Path, path: str, number: int) -> str:
    return (root / path).read_text(encoding="utf-8").splitlines()[number - 1]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [change[1:] for change in CHANGES],
    ids=[change[0] for change in CHANGES],
)
def test_a_change_is_found_by_its_rule_and_nothing_else_comes(
    before: str, after: str, expected: list[tuple[str, str]], records: Path, judged: Judge
) -> None:
    known = {finding.fingerprint for finding in judged(records).findings}
    text = (records / B64).read_text(encoding="utf-8")
    assert text.count(before) == 1
    (records / B64).write_text(text.replace(before, after), encoding="utf-8")
    found = [one for one in judged(records).findings if one.fingerprint not in known]
    assert sorted(one.code for one in found) == sorted(code for code, _ in expected)
    for finding in found:
        assert finding.path == B64 or finding.code == "IDN002"
        line = line_of(records, finding.path, finding.line)
        assert any(code == finding.code and part in line for code, part in expected)


def test_the_shipped_records_have_no_error_and_both_judges_agree(judged: Judge) -> None:
    report = judged(own_root())
    assert [one for one in report.findings if one.severity is Severity.ERROR] == []
    assert report.crashes == ()
    # a run whose length nobody states cannot be called short or long, a peak that stands alone
    # neither dense nor sparse; a first token alone does not tell how much bandwidth decode used; a
    # source that contradicts itself on how the parts share a model leaves that open; a rate of all
    # tokens is no rate of outputs, and stands beside the latency of its batch
    assert {(note.code, note.reason) for note in report.unevaluated if note.code != "CAT001"} <= {
        ("CON014", "neither the duration nor the number of requests is known"),
        ("CON015", "the rest of the parallelism is declared absent"),
        ("CON016", "the length of a request is not known"),
        ("DER005", "e2e_latency is not an end-to-end rate of output tokens"),
        ("CON016", "no model of the catalogue is named"),
        *((code, "no linked model") for code in ("PLA001", "PLA002")),
        *((code, "no linked or possible part") for code in ("PLA001", "PLA002")),
        *((code, UNPLACED) for code in ("PLA004", "PLA007")),
        ("PLA005", "no figure tells how much of the bandwidth was used, or a length is not known"),
    }


def test_every_cell_of_both_databricks_tables_is_there(shipped: Registry) -> None:
    cells = [
        record
        for record in shipped.records.values()
        if record.source.id == "databricks-llm-inference-practices"
    ]
    table = [len([one for one in cells if f"Table {n}" in str(one.source.locator)]) for n in (1, 2)]
    assert table == [5, 32]
    assert sum(record.outcome == "out_of_memory" for record in cells) == 3


FIVE = {
    "8xMI300X_2xEPYC-9374F",
    "DGX-H100_H100-SXM-80GBx8_TRT",
    "B200-SXM-180GBx8_TRT",
    "8xMI325X_2xEPYC_9575F",
    "H200-SXM-141GBx8_TRT",
}


def test_five_mlperf_systems_have_offline_and_server_and_three_have_interactive(
    shipped: Registry,
) -> None:
    scenarios: dict[str, set[str]] = {system: set() for system in FIVE}
    for record in shipped.records.values():
        if record.mlperf is not MISSING and record.mlperf.system in FIVE:
            scenarios[str(record.mlperf.system)].add(str(record.load.scenario))
    assert all({"offline", "server"} <= found for found in scenarios.values())
    assert sum("interactive" in found for found in scenarios.values()) >= 3


def test_every_figure_of_mlperf_names_its_window(shipped: Registry) -> None:
    records = [one for one in shipped.records.values() if one.source.id.startswith("mlperf")]
    assert records
    windows = {
        (record.source.id, str(record.load.window))
        for record in records
        if record.load.window not in ("full_drain", "last_issued")
        and record.load.scenario != "single_stream"  # one request at a time has no window
    }
    # the summary of v6.1 alone was read, which holds rates and no scenario's window
    assert windows <= {("mlperf-inference-v6.1", "MISSING")}


VENDORS = {"AMD", "AWS", "Apple", "Cerebras", "Google", "Groq", "Intel", "NVIDIA", "SambaNova"}


def test_the_parts_of_many_vendors_have_what_a_bound_starts_from(shipped: Registry) -> None:
    parts = [part for part in shipped.accelerators.values() if part.kind != "cpu"]
    assert len(parts) >= 75
    assert {part.vendor for part in parts} >= VENDORS
    for part in parts:
        sourced = {field for one in part.provenance for field in one.fields}
        assert {"memory_gib", "memory_bandwidth_gb_s"} <= sourced, part.id
        assert MISSING not in (part.memory_gib, part.memory_bandwidth_gb_s), part.id


def test_a_conflict_is_with_a_number_in_use(shipped: Registry) -> None:
    for part in shipped.accelerators.values():
        for conflict in part.conflicts:
            holder: object = part
            for name in conflict.field.split("."):
                holder = getattr(holder, name)
            assert holder not in (MISSING, conflict.value), (part.id, conflict.field)
