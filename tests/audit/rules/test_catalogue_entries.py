"""CAT002, CAT003 and CAT007 at their edges: what is within 3 %, missing, read, and vouched for."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report

Change = Callable[..., Path]
Judge = Callable[..., Report]

MODEL = "models/example-model"


def found(report: Report) -> list[str]:
    return [finding.message for finding in report.findings if finding.code == "CAT002"]


def reasons(report: Report) -> list[str]:
    return [note.reason for note in report.unevaluated if note.code == "CAT002"]


@pytest.mark.parametrize(
    ("billion", "expected"),
    [("6.65", 0), ("6.46", 0), ("6.45", 1), ("6.85", 0), ("6.86", 1), ("665", 1)],
)
def test_3_percent_of_the_stated_number_are_allowed(
    billion: str, expected: int, changed: Change, judged: Judge
) -> None:
    report = judged(changed(**{MODEL: f"parameters_billion: {billion}\n"}))
    assert len(found(report)) == expected


def test_the_finding_says_both_numbers(changed: Change, judged: Judge) -> None:
    report = judged(changed(**{MODEL: "tied_embeddings: false\n"}))
    assert found(report) == [
        "6.65 billion parameters are stated, and the sizes come to 6.856 (3.1 %)"
    ]


@pytest.mark.parametrize(
    ("fragment", "reason"),
    [
        ("parameters_billion:", "the number of parameters is not stated"),
        ("layers:", "layers is not stated"),
        ("hidden_size:", "hidden_size is not stated"),
        ("gated_mlp:", "gated_mlp is not stated"),
        ("attention:", "attention is not stated"),
        ("intermediate_size:", "intermediate_size is not stated"),
    ],
)
def test_a_model_without_a_size_is_not_judged(
    fragment: str, reason: str, base: Path, judged: Judge
) -> None:
    file = base / "records/models/example-model.yaml"
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(fragment)]
    file.write_text("".join(kept).replace(fragment[:-1] + ", ", ""), encoding="utf-8")
    report = judged(base)
    assert found(report) == []
    assert reasons(report) == [reason]


def test_a_size_within_a_block_is_named_by_its_path(changed: Change, judged: Judge) -> None:
    report = judged(changed(**{MODEL: "attention: {kind: gqa, heads: 32, head_dim: 128}\n"}))
    assert reasons(report) == ["attention.kv_heads is not stated"]


PART = "accelerators/example-gpu-80gb"
READ = """provenance:
  - fields: [memory_gib, memory_bandwidth_gb_s, peak_tflop_s, tdp_w]
    source: example-source
    checked: true
"""
HALF = READ.replace(", peak_tflop_s, tdp_w", "")
UNREAD = """  - fields: [peak_tflop_s.bf16, tdp_w]
    source: example-source
    checked: false
"""
JOINED = """interconnect:
  kind: NVLink 3
  gb_s_per_direction: 300
  allreduce: [{group: 2, gb_s: 200}]
"""


def unsourced(report: Report) -> list[tuple[str, str]]:
    return [(one.pointer, one.message) for one in report.findings if one.code == "CAT003"]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param(READ, None, id="a block vouches for its numbers"),
        pytest.param(
            READ.replace("peak_tflop_s,", "peak_tflop_s.fp32, peak_tflop_s.tf32,"),
            "without a source: peak_tflop_s.bf16",
            id="one of three",
        ),
        pytest.param(
            READ.replace("true", "false"),
            "named by a source, and not read there: memory_gib, memory_bandwidth_gb_s, "
            "peak_tflop_s.fp32, peak_tflop_s.tf32, peak_tflop_s.bf16, tdp_w",
            id="nothing was read",
        ),
        pytest.param(
            HALF + UNREAD,
            "named by a source, and not read there: peak_tflop_s.bf16, tdp_w; "
            "without a source: peak_tflop_s.fp32, peak_tflop_s.tf32",
            id="one finding for both",
        ),
        pytest.param(READ + UNREAD, None, id="read at one source and not at another"),
        pytest.param(
            READ + JOINED,
            "without a source: interconnect.gb_s_per_direction, interconnect.allreduce",
            id="a link, and its measurements as one",
        ),
        pytest.param(
            READ.replace("tdp_w", "tdp_w, interconnect") + JOINED, None, id="the whole link"
        ),
        pytest.param(READ + "pcie_gen: 4\n", "without a source: pcie_gen", id="an integer"),
        pytest.param(READ + 'released: "2020"\n', None, id="a date is no number"),
    ],
)
def test_every_number_of_a_part_was_read_somewhere(
    change: str, expected: str | None, changed: Change, judged: Judge
) -> None:
    found = unsourced(judged(changed(**{PART: change})))
    assert found == ([] if expected is None else [("/provenance", expected)])


def test_a_model_without_any_source_is_one_finding(base: Path, judged: Judge) -> None:
    file = base / f"records/{MODEL}.yaml"
    file.write_text(file.read_text(encoding="utf-8").partition("provenance:")[0], encoding="utf-8")
    (pointer, message), *more = unsourced(judged(base))
    assert (pointer, more) == ("/", [])
    assert message == (
        "without a source: parameters_billion, layers, hidden_size, intermediate_size, "
        "vocabulary_size, attention.heads, attention.kv_heads, attention.head_dim, context_limit"
    )


def nothing(report: Report) -> list[tuple[str, str]]:
    return [(one.pointer, one.message) for one in report.findings if one.code == "CAT007"]


CONFLICT = "conflicts: [{{field: {}, value: {}, source: example-source}}]\n"
LINK = "interconnect: {kind: NVLink 3, allreduce: [{group: 2, gb_s: 200}]}\n"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param(READ, [], id="fields that are there"),
        pytest.param(READ.replace("tdp_w", "tdp_w, name"), [], id="a field that is no number"),
        pytest.param(READ.replace("tdp_w", "interconnect.allreduce") + LINK, [], id="a list"),
        pytest.param(
            READ.replace("tdp_w", "tdp_watts"),
            [("/provenance/0/fields/3", "no accelerator has a 'tdp_watts'")],
            id="a field that nothing has",
        ),
        pytest.param(
            READ.replace("tdp_w", "peak_tflop_s.fp5"),
            [("/provenance/0/fields/3", "no accelerator has a 'peak_tflop_s.fp5'")],
            id="a field that no block has",
        ),
        pytest.param(
            READ.replace("tdp_w", "tdp_w, peak_tflop_s.fp8"),
            [("/provenance/0/fields/4", "the entry has no peak_tflop_s.fp8")],
            id="a field that is not stated",
        ),
        pytest.param(
            READ.replace("tdp_w", "tdp_w, interconnect.gb_s_per_direction"),
            [("/provenance/0/fields/4", "the entry has no interconnect.gb_s_per_direction")],
            id="a block that is not stated",
        ),
        pytest.param(CONFLICT.format("tdp_w", 500), [], id="another number"),
        pytest.param(CONFLICT.format("peak_tflop_s.bf16", 312), [], id="another peak"),
        pytest.param(
            CONFLICT.format("tdp_w", "400.0"),
            [("/conflicts/0/value", "400.0 is the tdp_w in use")],
            id="the same number",
        ),
        pytest.param(
            CONFLICT.format("peak_tflop_s.fp8", 600),
            [("/conflicts/0/field", "the entry has no peak_tflop_s.fp8")],
            id="a number that is not in use",
        ),
        pytest.param(
            CONFLICT.format("peak_tflop_s", 600),
            [("/conflicts/0/field", "peak_tflop_s is no number")],
            id="a block",
        ),
        pytest.param(
            CONFLICT.format("tdp.w", 600),
            [("/conflicts/0/field", "no accelerator has a 'tdp.w'")],
            id="a path through nothing",
        ),
    ],
)
def test_a_source_vouches_for_what_is_there(
    change: str, expected: list[tuple[str, str]], changed: Change, judged: Judge
) -> None:
    assert nothing(judged(changed(**{PART: change}))) == expected


def test_the_field_that_is_meant_is_offered(changed: Change, judged: Judge) -> None:
    report = judged(changed(**{PART: READ.replace("tdp_w", "memory_gb")}))
    [hint] = [one.hint for one in report.findings if one.code == "CAT007"]
    assert "memory_gib" in hint
