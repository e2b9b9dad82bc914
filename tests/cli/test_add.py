"""`benchreg add` makes an entry of the catalogue, whose numbers say where they were read."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.cli.main import run
from benchreg.registry.load import load

Capture = pytest.CaptureFixture[str]
Add = Callable[..., int]
CONFIG = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
    "tie_word_embeddings": False,
}
NAMED = ("--set=name=My model", "--set=family=my-family", "--source=example-source")


@pytest.fixture
def added(base: Path) -> Add:
    """A function that adds an entry to the small registry."""

    def command(*words: str) -> int:
        return run(["add", *words, "--registry", str(base)])

    return command


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A published configuration of a model."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG), encoding="utf-8")
    return path


def test_a_models_sizes_are_read_and_its_parameters_counted(
    added: Add, config: Path, base: Path, capsys: Capture
) -> None:
    words = (*NAMED, "--set=parameters_billion=8.03", "--locator=config.json")
    assert added("model", "my-model", "--config", str(config), *words) == 0
    told = capsys.readouterr().err
    assert "its sizes come to 8.03 billion parameters; stated are 8.03, 0.0 % away" in told
    model = load(base).models["my-model"]
    assert (model.layers, model.gated_mlp, model.tied_embeddings) == (32, True, False)
    assert [(one.checked, "layers" in one.fields) for one in model.provenance] == [
        (True, True),
        (False, False),
    ]


def test_a_count_that_the_sizes_do_not_come_to_is_an_error(
    added: Add, config: Path, capsys: Capture
) -> None:
    words = (*NAMED, "--set=parameters_billion=70")
    assert added("model", "my-model", "--config", str(config), *words) == 1
    told = capsys.readouterr()
    assert "88.5 % away" in told.err
    assert "CAT002" in told.out


def test_what_a_configuration_does_not_say_stays_open(
    added: Add, config: Path, base: Path, capsys: Capture
) -> None:
    tree = {key: value for key, value in CONFIG.items() if key != "tie_word_embeddings"}
    config.write_text(json.dumps(tree), encoding="utf-8")
    assert added("model", "my-model", "--config", str(config), *NAMED) == 0
    assert "cannot be counted: tied_embeddings is not stated" in capsys.readouterr().err
    assert "tied" not in (base / "records/models/my-model.yaml").read_text(encoding="utf-8")


def test_numbers_that_nobody_vouches_for_are_unverified(
    added: Add, base: Path, capsys: Capture
) -> None:
    words = ["name=X", "vendor=V", "family=x", "kind=gpu", "memory_gib=80"]
    fields = [f"--set={word}" for word in words]
    assert added("accelerator", "x1", *fields) == 2
    assert "--source says where the numbers were read" in capsys.readouterr().err
    assert added("accelerator", "x1", *fields, "--source=example-source") == 0
    assert [one.checked for one in load(base).accelerators["x1"].provenance] == [False]
    assert added("accelerator", "x2", *fields, "--source=example-source", "--checked") == 0
    assert [one.checked for one in load(base).accelerators["x2"].provenance] == [True]


@pytest.mark.parametrize("kind", ["engine", "source"])
def test_engines_and_sources_need_no_provenance(kind: str, added: Add, base: Path) -> None:
    words = {"engine": ["name=E"], "source": ["title=T", "kind=paper", "publisher=P"]}[kind]
    assert added(kind, "new-one", *(f"--set={word}" for word in words)) == 0
    assert "new-one" in getattr(load(base), f"{kind}s")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        pytest.param(["engine", "e"], "write it, such as `name: vLLM`", id="a field is missing"),
        pytest.param(["engine", "e", "--set=colour=red"], "is no field of a engine", id="unknown"),
        pytest.param(["engine", "../e"], "'../e' is no id", id="a path as an id"),
        pytest.param(["engine", "e", "--config=x"], "--config is the configuration", id="no model"),
        pytest.param(["planet", "e"], "'planet' is not one of", id="no kind"),
        pytest.param(["model", "m", "--config=nothing.json"], "is no file", id="no file"),
    ],
)
def test_bad_use_is_one_line_and_writes_nothing(
    words: list[str], told: str, added: Add, base: Path, capsys: Capture
) -> None:
    before = sorted(base.rglob("*"))
    assert added(*words) == 2
    assert told in capsys.readouterr().err
    assert sorted(base.rglob("*")) == before


def test_an_entry_that_is_there_is_never_overwritten(added: Add, capsys: Capture) -> None:
    assert added("engine", "example-engine", "--set=name=Another") == 2
    assert "is there already" in capsys.readouterr().err


def test_a_source_that_is_missing_is_told_before_anything_is_asked(
    added: Add, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr("benchreg.cli.add.asks", lambda: True)
    monkeypatch.setattr("benchreg.cli.written.asks", lambda: True)
    assert added("accelerator", "x1") == 2
    assert added("model", "x1", "--source=nobody") == 2
    told = capsys.readouterr().err
    assert "--source says where the numbers were read" in told
    assert "there is no source 'nobody'" in told
