"""CON024 to CON027 at their edges: no tokens, off and used, accepted drafts, and formats."""

from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

from benchreg.audit.engine import Report
from benchreg.entities.vocabulary import NumberFormat

Change = Callable[..., Path]
Judge = Callable[..., Report]

WORKLOAD = """workload:
  input_tokens: {}
  output_tokens: {}
  length_basis: measured
  output_policy: forced
"""
FIGURES = {
    "requests": "{metric: request_throughput, scope: system, value: 12.5, unit: req/s}",
    "first": "{metric: ttft, scope: per_request, statistic: mean, value: 95, unit: ms}",
    "each": "{metric: tpot, scope: per_request, statistic: mean, value: 40, unit: ms}",
}


def found(report: Report, code: str) -> list[str]:
    return [finding.pointer for finding in report.findings if finding.code == code]


def results(*names: str) -> str:
    return "results:\n" + "".join(f"  {name}: {FIGURES[name]}\n" for name in names)


@pytest.mark.parametrize(
    ("lengths", "figures", "expected"),
    [
        pytest.param((512, 64), ("requests", "first", "each"), [], id="both"),
        pytest.param((0, 64), ("each",), [], id="decoding alone"),
        pytest.param((512, 0), ("first",), [], id="a prompt alone"),
        pytest.param((0, 64), ("requests",), ["/workload/input_tokens"], id="requests of nothing"),
        pytest.param(
            (512, 0), ("each",), ["/workload/output_tokens"], id="a gap between no tokens"
        ),
        pytest.param((512, 0), ("requests",), ["/workload/output_tokens"], id="no answers"),
        pytest.param(
            (0, 0),
            ("each",),
            ["/workload/input_tokens", "/workload/output_tokens"],
            id="nothing at all",
        ),
    ],
)
def test_what_has_no_tokens_has_no_figure_of_them(
    lengths: tuple[int, int],
    figures: tuple[str, ...],
    expected: list[str],
    changed: Change,
    judged: Judge,
) -> None:
    report = judged(changed(WORKLOAD.format(*lengths) + results(*figures)))
    assert found(report, "CON024") == expected


def test_without_figures_nobody_knows_which_phase_was_tested(
    changed: Change, judged: Judge, base: Path
) -> None:
    changed(WORKLOAD.format(0, 64))
    file = base / "records/benchmarks/example-source/base-record.yaml"
    conditions, *_ = file.read_text(encoding="utf-8").partition("results:")
    file.write_text(f"{conditions}outcome: out_of_memory\n", encoding="utf-8")
    report = judged(base)
    assert found(report, "CON024") == []
    notes = [note.reason for note in report.unevaluated if note.code == "CON024"]
    assert notes == ["no figure says which phase was tested"]


BLOCK = WORKLOAD.format(512, 64)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param("prefix_cache: {enabled: false}", [], id="a cache that is off"),
        pytest.param("prefix_cache: {enabled: false, hit_ratio: 0}", [], id="off, and never hit"),
        pytest.param("prefix_cache: {enabled: true, hit_ratio: 0.25}", [], id="on, and hit"),
        pytest.param("prefix_cache: {hit_ratio: 0.25}", [], id="hit, and so on"),
        pytest.param("speculative: {method: none}", [], id="no speculation"),
        pytest.param("speculative: {method: none, draft_tokens: 0}", [], id="none, and no drafts"),
        pytest.param(
            "speculative: {method: eagle3, draft_tokens: 3, acceptance_length: 2.4}",
            [],
            id="drafts",
        ),
        pytest.param(
            "prefix_cache: {enabled: false, hit_ratio: 0.25}",
            ["/workload/prefix_cache"],
            id="off, and hit",
        ),
        pytest.param(
            "speculative: {method: none, draft_tokens: 3}",
            ["/workload/speculative"],
            id="none, and drafts",
        ),
        pytest.param(
            "speculative: {method: none, acceptance: measured}",
            ["/workload/speculative"],
            id="none, and accepted",
        ),
        pytest.param(
            "speculative: {draft_model: a-draft}", ["/workload/speculative"], id="of no method"
        ),
    ],
)
def test_what_is_off_has_done_nothing(
    said: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    assert found(judged(changed(f"{BLOCK}  {said}\n")), "CON025") == expected


ACCEPTED = (
    "results:\n  taken: {{metric: acceptance_length, scope: {}, value: {}, unit: tok/step}}\n"
)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param("draft_tokens: 3, acceptance_length: 1", 0, id="no draft was right"),
        pytest.param("draft_tokens: 3, acceptance_length: 4", 0, id="every draft was right"),
        pytest.param("acceptance_length: 6.3", 0, id="of nobody knows how many"),
        pytest.param("draft_tokens: 3, acceptance_length: 4.01", 1, id="more than there were"),
        pytest.param("draft_tokens: 3, acceptance_length: 0.7", 1, id="a share"),
        pytest.param("acceptance_length: 0.99", 1, id="less than a step gives"),
        pytest.param("draft_tokens: 0, acceptance_length: 2.4", 1, id="of none"),
    ],
)
def test_a_step_takes_one_token_to_all_drafts_and_one(
    said: str, expected: int, changed: Change, judged: Judge
) -> None:
    text = f"{BLOCK}  speculative: {{method: eagle3, {said}, acceptance: measured}}\n"
    assert len(found(judged(changed(text)), "CON026")) == expected


@pytest.mark.parametrize(
    ("method", "value", "expected"),
    [("eagle3", "2.4", 0), ("eagle3", "0.7", 1), ("eagle3", "4.5", 1), ("none", "0.7", 0)],
)
def test_a_figure_of_acceptance_is_held_to_the_same(
    method: str, value: str, expected: int, changed: Change, judged: Judge
) -> None:
    drafts = f"  speculative: {{method: {method}, draft_tokens: 3}}\n"
    report = judged(changed(BLOCK + drafts + ACCEPTED.format("system", value)))
    assert found(report, "CON026") == ["/results/taken/value"] * expected


@pytest.mark.parametrize("name", ["fp16", "bf16", "fp8", "int8", "nvfp4", "gguf_f16", "gguf_q8_0"])
@pytest.mark.parametrize("field", ["weights", "activations", "kv_cache"])
def test_a_plain_format_may_be_anywhere(
    field: str, name: str, changed: Change, judged: Judge
) -> None:
    assert found(judged(changed(f"precision: {{{field}: {name}}}\n")), "CON027") == []


@pytest.mark.parametrize(
    ("field", "name", "misplaced"),
    [
        ("weights", "int4_awq", False),
        ("weights", "gguf_q4_k_m", False),
        ("activations", "tf32", False),
        ("kv_cache", "gguf_q4_0", False),
        ("kv_cache", "gguf_iq4_nl", False),
        ("weights", "tf32", True),
        ("kv_cache", "tf32", True),
        ("kv_cache", "int4_gptq", True),
        ("kv_cache", "gguf_q4_k_m", True),
        ("kv_cache", "gguf_iq4_xs", True),
        ("activations", "int4_awq", True),
        ("activations", "gguf_q4_0", True),
        ("activations", "gguf_q6_k", True),
    ],
)
def test_a_format_of_weights_is_nowhere_else(
    field: str, name: str, misplaced: bool, changed: Change, judged: Judge
) -> None:
    report = judged(changed(f"precision: {{{field}: {name}}}\n"))
    assert found(report, "CON027") == [f"/precision/{field}"] * misplaced


def test_no_part_is_stored_in_a_way_of_multiplying(changed: Change, judged: Judge) -> None:
    parts = "precision: {parts: {experts: mxfp4, attention: tf32}}\n"
    assert found(judged(changed(parts)), "CON027") == ["/precision/parts/attention"]


def test_weights_may_be_in_every_format_but_one(changed: Change, judged: Judge) -> None:
    formats = get_args(NumberFormat)
    parts = ", ".join(f"part_{index}: {name}" for index, name in enumerate(formats))
    wrong = found(judged(changed(f"precision: {{parts: {{{parts}}}}}\n")), "CON027")
    assert wrong == [f"/precision/parts/part_{formats.index('tf32')}"]
