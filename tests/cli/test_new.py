"""`benchreg new` begins a record: what is known is stated, all else is a line to look up."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.cli.main import run
from benchreg.entities.completeness import CORE, absence
from benchreg.registry.load import load

Capture = pytest.CaptureFixture[str]
Begin = Callable[..., int]
PLACE = "records/benchmarks/example-source/my-run.yaml"


@pytest.fixture
def begun(base: Path) -> Begin:
    """A function that begins a record with some options."""

    def command(*options: str, name: str = "my-run", source: str = "example-source") -> int:
        return run(["new", name, "--source", source, "--registry", str(base), *options])

    return command


def test_a_skeleton_is_a_record_without_figures_and_says_so(
    begun: Begin, base: Path, capsys: Capture
) -> None:
    assert begun("--locator", "Table 2, row 3") == 1
    told = capsys.readouterr()
    assert f"written: {PLACE}" in told.err
    assert "CON019 there are no results" in told.out
    assert "1 error" in told.out
    record = load(base).records["my-run"]
    assert record.results == {}
    assert {absence(record, one.key).because for one in CORE} == {"not_checked"}  # type: ignore[union-attr]


def test_the_file_says_which_reasons_there_are_and_is_in_canonical_form(
    begun: Begin, base: Path, capsys: Capture
) -> None:
    begun("--set", "load.pattern=closed_loop")
    text = (base / PLACE).read_text(encoding="utf-8")
    for reason in ("not_stated", "unrecoverable", "withheld", "conflicting", "not_applicable"):
        assert f"\n#   {reason} " in text
    assert "  engine.version: not_checked  # engine version: state `engine.version`" in text
    capsys.readouterr()
    assert run(["fmt", "--check", str(base / PLACE), "--registry", str(base)]) == 0


def test_what_is_given_is_stated_and_no_longer_absent(begun: Begin, base: Path) -> None:
    words = [
        "model=example-model",
        "accelerator=example-gpu-40gb",
        "count=2",
        "engine.version=0.10",
    ]
    words += ["load.pattern=static_batch", "load.batch_size=64"]
    begun(*(f"--set={word}" for word in words), "--title", "A batch of 64")
    record = load(base).records["my-run"]
    assert (record.title, record.model.id) == ("A batch of 64", "example-model")
    assert (record.hardware.pools[0].count, record.load.batch_size) == (2, 64)
    assert record.engine.version == "0.10"
    assert record.absent.keys().isdisjoint({"model", "hardware", "load", "engine.version"})
    assert record.contributed == ()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        pytest.param({"name": "../x"}, "'../x' is no id", id="a path as an id"),
        pytest.param({"name": "My Run"}, "'My Run' is no id", id="capitals"),
        pytest.param({"source": "nobody"}, "there is no source 'nobody'", id="no source"),
    ],
)
def test_a_place_that_cannot_be_is_bad_use(
    options: dict[str, str], told: str, begun: Begin, capsys: Capture
) -> None:
    assert begun(**options) == 2
    assert told in capsys.readouterr().err


def test_a_part_without_its_count_is_bad_use(begun: Begin, base: Path, capsys: Capture) -> None:
    assert begun("--set=accelerator=example-gpu-40gb") == 2
    assert "count" in capsys.readouterr().err
    assert not (base / PLACE).exists()


def test_a_record_that_is_there_is_never_overwritten(
    begun: Begin, base: Path, capsys: Capture
) -> None:
    begun()
    before = (base / PLACE).read_bytes()
    capsys.readouterr()
    assert begun("--title", "Another") == 2
    assert "is there already" in capsys.readouterr().err
    assert (base / PLACE).read_bytes() == before


def test_a_dry_run_prints_and_writes_nothing(begun: Begin, base: Path, capsys: Capture) -> None:
    assert begun("--dry-run") == 0
    assert "id: my-run" in capsys.readouterr().out
    assert not (base / PLACE).exists()


def test_at_a_terminal_the_usual_conditions_are_asked_for(
    begun: Begin, base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = {"Model": "example-model", "Load": "closed_loop", "Requests in flight": "32"}
    asked = []

    def answer(question: str, **_: object) -> str:
        asked.append(question)
        return next((text for word, text in answers.items() if question.startswith(word)), "")

    monkeypatch.setattr("benchreg.cli.written.asks", lambda: True)
    monkeypatch.setattr("click.prompt", answer)
    begun("--set", "engine.version=1")
    record = load(base).records["my-run"]
    assert (record.model.id, record.load.concurrency) == ("example-model", 32)
    assert not any(question.startswith("Its version") for question in asked)


def test_an_answer_that_cannot_be_is_asked_for_again(
    begun: Begin, base: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    answers = {
        "Model": ["nothing-known", "example-model"],
        "Accelerator": ["example-gpu-40gb"],
        "How many": ["", "lots", "0", "2"],
        "Load": ["closed", "static_batch"],
        "Batch": ["64"],
    }
    asked = []

    def answer(question: str, **_: object) -> str:
        asked.append(question.split(maxsplit=1)[0])
        return next((text.pop(0) for word, text in answers.items()
                     if question.startswith(word)), "")  # fmt: skip

    monkeypatch.setattr("benchreg.cli.written.asks", lambda: True)
    monkeypatch.setattr("click.prompt", answer)
    begun()
    record = load(base).records["my-run"]
    assert (record.model.id, record.hardware.pools[0].count) == ("example-model", 2)
    assert record.load.batch_size == 64
    assert "Requests" not in asked  # those are of other patterns
    assert "this is needed" in capsys.readouterr().err


def test_a_place_that_is_taken_is_told_before_anything_is_asked(
    begun: Begin, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    begun()
    monkeypatch.setattr("benchreg.cli.written.asks", lambda: True)
    assert begun() == 2
    assert "is there already" in capsys.readouterr().err
