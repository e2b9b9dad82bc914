"""CAT002 at its edges: what is within 3 %, and which size is missing."""

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
    assert report.findings == ()
    assert reasons(report) == [reason]


def test_a_size_within_a_block_is_named_by_its_path(changed: Change, judged: Judge) -> None:
    report = judged(changed(**{MODEL: "attention: {kind: gqa, heads: 32, head_dim: 128}\n"}))
    assert reasons(report) == ["attention.kv_heads is not stated"]
