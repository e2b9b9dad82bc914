"""CAT005 and CAT006 at their edges: what heads, layers and experts can be, and what is active."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report

Change = Callable[..., Path]
Judge = Callable[..., Report]

MODEL = "models/example-model"
MIXED = """experts: {total: 8, active: 2, intermediate_size: 4096}
parameters_billion: 8.79
active_parameters_billion: {active}
"""


def found(report: Report, code: str) -> list[tuple[str, str]]:
    return [(one.pointer, one.message) for one in report.findings if one.code == code]


def pointers(report: Report, code: str) -> list[str]:
    return [pointer for pointer, _ in found(report, code)]


@pytest.mark.parametrize(
    ("attention", "expected"),
    [
        pytest.param("kind: mha, heads: 32, kv_heads: 32", [], id="mha"),
        pytest.param("kind: mha, heads: 32", [], id="mha, which need not say more"),
        pytest.param("kind: gqa, heads: 32, kv_heads: 8", [], id="gqa"),
        pytest.param("kind: gqa, heads: 15, kv_heads: 5", [], id="gqa of odd numbers"),
        pytest.param("kind: mqa, heads: 71, kv_heads: 1", [], id="mqa"),
        pytest.param("kind: mqa, heads: 71", [], id="mqa, which need not say more"),
        pytest.param("kind: gqa, heads: 32, kv_heads_total: 67", [], id="layers that differ"),
        pytest.param("kind: gqa, heads: 32, kv_heads: 8, kv_heads_total: 128", [], id="hybrid"),
        pytest.param("kind: mha, heads: 32, kv_heads: 8", ["kind"], id="mha of shared heads"),
        pytest.param("kind: gqa, heads: 32, kv_heads: 32", ["kind"], id="gqa that shares none"),
        pytest.param("kind: gqa, heads: 32, kv_heads: 1", ["kind"], id="gqa of one"),
        pytest.param("kind: mqa, heads: 32, kv_heads: 8", ["kind"], id="mqa of several"),
        pytest.param("kind: gqa, heads: 32, kv_heads: 9", ["kv_heads"], id="uneven"),
        pytest.param(
            "kind: gqa, heads: 32, kv_heads: 8, kv_heads_total: 257",
            ["kv_heads_total"],
            id="more than all layers have",
        ),
        pytest.param(
            "kind: gqa, heads: 32, kv_heads: 8, kv_heads_total: 129",
            ["kv_heads_total"],
            id="no multiple of a layer's",
        ),
        pytest.param(
            "kind: gqa, heads: 32, kv_heads_total: 1025", ["kv_heads_total"], id="more than heads"
        ),
        pytest.param(
            "kind: gqa, heads: 32, kv_heads: 8, kv_lora_rank: 512", ["kv_lora_rank"], id="a rank"
        ),
        pytest.param("kind: mla, heads: 32, kv_heads: 9, kv_lora_rank: 512", [], id="mla"),
        pytest.param("kind: mha, heads: 32, head_dim: 1024", ["head_dim"], id="heads too wide"),
        pytest.param("kind: mha, heads: 32, head_dim: 16", ["head_dim"], id="heads too narrow"),
        pytest.param("kind: mha, heads: 64, head_dim: 192", [], id="three times the width"),
        pytest.param(
            "kind: mha, heads: 32, sliding_window: 512, sliding_layers: 32", [], id="all layers"
        ),
        pytest.param(
            "kind: mha, heads: 32, sliding_window: 512, sliding_layers: 33",
            ["sliding_layers"],
            id="a layer that is not there",
        ),
    ],
)
def test_sizes_of_an_attention_agree(
    attention: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    report = judged(changed(**{MODEL: f"attention: {{{attention}}}\n"}))
    assert pointers(report, "CAT005") == [f"/attention/{name}" for name in expected]


@pytest.mark.parametrize(
    ("experts", "expected"),
    [
        pytest.param("total: 8, active: 2", [], id="some of them"),
        pytest.param("total: 8, active: 8", [], id="all of them"),
        pytest.param("total: 8, active: 9", ["active"], id="more than there are"),
        pytest.param("total: 8, active: 2, first_dense_layers: 31", [], id="one layer of them"),
        pytest.param(
            "total: 8, active: 2, first_dense_layers: 32", ["first_dense_layers"], id="no layer"
        ),
        pytest.param("total: 8, active: 2, layer_step: 33", ["layer_step"], id="a step too long"),
    ],
)
def test_experts_are_there_and_used(
    experts: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    report = judged(changed(**{MODEL: f"experts: {{{experts}}}\n"}))
    assert pointers(report, "CAT005") == [f"/experts/{name}" for name in expected]


def test_a_token_uses_no_more_than_all_parameters(changed: Change, judged: Judge) -> None:
    report = judged(changed(**{MODEL: "active_parameters_billion: 6.66\n"}))
    assert found(report, "CAT005") == [
        ("/active_parameters_billion", "6.66 are more than all, 6.65")
    ]


def test_a_contradiction_is_told_in_words(changed: Change, judged: Judge) -> None:
    sizes = "attention: {kind: mha, heads: 32, kv_heads: 9}\n"
    assert [message for _, message in found(judged(changed(**{MODEL: sizes})), "CAT005")] == [
        "mha has a KV head for each of the 32 heads, and there are 9",
        "32 heads are not shared evenly among 9 KV heads",
    ]


@pytest.mark.parametrize(
    ("active", "expected"),
    [
        pytest.param("4.50", 0, id="with the embedding"),
        pytest.param("4.30", 0, id="without it"),
        pytest.param("4", 0, id="rounded"),
        pytest.param("4.72", 0, id="within 5 %"),
        pytest.param("4.75", 1, id="more than that"),
        pytest.param("4.00", 1, id="less than that"),
        pytest.param("45", 1, id="ten times"),
    ],
)
def test_active_parameters_are_those_of_the_sizes(
    active: str, expected: int, changed: Change, judged: Judge
) -> None:
    report = judged(changed(**{MODEL: MIXED.replace("{active}", active)}))
    assert len(found(report, "CAT006")) == expected


def test_without_a_size_active_parameters_are_not_judged(base: Path, judged: Judge) -> None:
    file = base / f"records/{MODEL}.yaml"
    text = file.read_text(encoding="utf-8").replace("gated_mlp: false\n", "")
    file.write_text(f"{text}active_parameters_billion: 3\n", encoding="utf-8")
    report = judged(base)
    assert found(report, "CAT006") == []
    notes = [note.reason for note in report.unevaluated if note.code == "CAT006"]
    assert notes == ["gated_mlp is not stated"]
