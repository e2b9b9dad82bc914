"""IDN013 at its edges: the size, the family and the version that words have for a model."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report
from benchreg.audit.finding import Severity
from benchreg.registry.registry import Registry

Change = Callable[..., Path]
Judge = Callable[..., Report]

MODEL = "models/example-model"
MLPERF = """mlperf:
  round: v5.1
  division: {}
  benchmark: [{}]
  result_path: {}/Example/results/1xExample/{}/Offline
"""


def found(report: Report) -> list[tuple[str, str]]:
    return [(one.pointer, one.message) for one in report.findings if one.code == "IDN013"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        pytest.param("Example 7B", 0, id="near"),
        pytest.param("Example 6.65B", 0, id="exactly"),
        pytest.param("Example 8B", 0, id="within 20 %"),
        pytest.param("Example", 0, id="no size"),
        pytest.param("Example 7B with a 0.5B draft", 0, id="one of two"),
        pytest.param("Example 80GB", 0, id="another unit"),
        pytest.param("Example 9B", 1, id="more than 20 %"),
        pytest.param("Example-70B-Instruct", 1, id="ten times"),
        pytest.param("Example 8x7B", 1, id="a mixture of eight"),
    ],
)
def test_words_and_model_agree_in_size(
    words: str, expected: int, changed: Change, judged: Judge
) -> None:
    report = judged(changed(f"model: {{id: example-model, described_as: {words}}}\n"))
    assert len(found(report)) == expected


def test_the_size_and_the_words_are_told(changed: Change, judged: Judge) -> None:
    report = judged(changed("model: {id: example-model, described_as: Example 70B}\n"))
    assert found(report) == [
        (
            "/model/described_as",
            "example-model has 6.65 billion parameters, and model.described_as is 'Example 70B'",
        )
    ]


@pytest.mark.parametrize(
    ("title", "expected"),
    [("Example 70B on a GPU", [Severity.WARNING]), ("Example 7B on a GPU, 8B tokens", [])],
)
def test_a_title_of_another_size_is_a_warning(
    title: str, expected: list[Severity], changed: Change, judged: Judge
) -> None:
    report = judged(changed(f"title: {title}\n"))
    assert [one.severity for one in report.findings if one.code == "IDN013"] == expected


@pytest.mark.parametrize(("division", "expected"), [("closed", 1), ("open", 0)])
def test_only_a_closed_division_runs_the_model_of_its_benchmark(
    division: str, expected: int, changed: Change, judged: Judge
) -> None:
    block = MLPERF.format(division, "llama2-70b-99", division, "llama2-70b-99")
    assert len(found(judged(changed(block)))) == expected


@pytest.mark.parametrize(
    ("family", "words", "expected"),
    [
        pytest.param("example-2", "Example 2", 0, id="the version"),
        pytest.param("example-2", "Example-2 7B", 0, id="the version, and a size"),
        pytest.param("example-2", "Example 7B", 0, id="a size, and no version"),
        pytest.param("example-2", "Example", 0, id="neither"),
        pytest.param("example-2.1", "Example 2", 0, id="as far as it is precise"),
        pytest.param("example-2.1", "Example 2.3", 1, id="another minor version"),
        pytest.param("example-2", "Example 3", 1, id="another version"),
        pytest.param("example-2", "Example3-7B", 1, id="another version, run together"),
        pytest.param("example", "Example 3", 0, id="a version that nobody has"),
        pytest.param("example-2", "Another Thing", 0, id="a name that nobody has"),
    ],
)
def test_words_and_model_agree_in_family(
    family: str, words: str, expected: int, changed: Change, judged: Judge
) -> None:
    named = f"model: {{id: example-model, described_as: {words}}}\n"
    report = judged(changed(named, **{MODEL: f"family: {family}\n"}))
    assert len(found(report)) == expected


def test_a_family_of_the_catalogue_is_not_another_one(
    changed: Change, judged: Judge, shipped: Registry
) -> None:
    text = "model: {id: example-model, described_as: Llama 7B}\n"
    root = changed(text)
    (root / "records/models/llama-7b.yaml").write_text(LLAMA, encoding="utf-8")
    assert "llama-7b" in shipped.models
    assert found(judged(root)) == [
        (
            "/model/described_as",
            "example-model is of the family example, and model.described_as is 'Llama 7B'",
        )
    ]


LLAMA = """id: llama-7b
name: LLaMA 7B
family: llama
"""


def test_a_model_without_a_size_is_not_judged(base: Path, changed: Change, judged: Judge) -> None:
    file = base / f"records/{MODEL}.yaml"
    text = file.read_text(encoding="utf-8").replace("parameters_billion: 6.65\n", "")
    file.write_text(text, encoding="utf-8")
    report = judged(changed("model: {id: example-model, described_as: Example 70B}\n"))
    assert found(report) == []
    notes = [note.reason for note in report.unevaluated if note.code == "IDN013"]
    assert notes == ["how many parameters example-model has is not stated"]


def test_a_model_that_is_not_there_is_not_judged(changed: Change, judged: Judge) -> None:
    report = judged(changed("model: {id: nobody, described_as: Nobody 70B}\n"))
    assert found(report) == []
    notes = [note.reason for note in report.unevaluated if note.code == "IDN013"]
    assert notes == ["nobody is not there"]
