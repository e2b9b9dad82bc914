"""`benchreg import` of run files, as a contributor runs it: one command, one honest record."""

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchreg.cli.main import run
from benchreg.registry.load import load
from benchreg.registry.save import Staging

Capture = pytest.CaptureFixture[str]
Import = Callable[..., int]
FOLDER = "records/benchmarks/my-runs"
RUN: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data/vllm-run.json").read_text(encoding="utf-8")
)


@pytest.fixture
def root(own_runs: Path) -> Path:
    """The registry that `imported` imports into."""
    return own_runs


def files(root: Path) -> list[Path]:
    return sorted((root / FOLDER).rglob("*")) if (root / FOLDER).exists() else []


def test_one_command_makes_one_record_that_only_says_what_the_file_says(
    imported: Import, root: Path, capsys: Capture
) -> None:
    assert imported(first=RUN) == 0
    [record] = (one for one in load(root).records.values() if one.source.id == "my-runs")
    assert record.model.described_as == "example-org/unheard-of"
    assert (record.load.pattern, record.load.concurrency) == ("closed_loop", 64)
    lengths = (record.workload.input_tokens, record.workload.output_tokens)
    assert [str(one) for one in lengths] == ["512", "64"]
    assert record.results["output_rate"].seen_by_request == "tpot_mean"
    assert record.results["ttft_p99"].locator == "/p99_ttft_ms"
    assert {"hardware", "engine.version", "load.warmup"} <= record.absent.keys()
    assert record.absent["load.scenario"].because == "not_applicable"
    assert record.source.locator == "first.json"
    told = capsys.readouterr()
    assert "1 run: 1 record written" in told.err
    assert "model 'example-org/unheard-of' is not in the catalogue" in told.err
    assert "0 errors" in told.out


def test_what_the_contributor_knows_is_stated_and_marked_as_such(
    imported: Import, root: Path
) -> None:
    words = ["accelerator=example-gpu-40gb", "count=1", "engine=example-engine"]
    words += ["engine.version=0.10", "model=example-model", "load.warmup.requests=0", "tensor=1"]
    assert imported(*(f"--set={word}" for word in words), first=RUN) == 0
    [record] = (one for one in load(root).records.values() if one.source.id == "my-runs")
    assert record.model.id == "example-model"
    assert record.engine.version == "0.10"
    assert sorted(record.contributed) == [
        "engine", "engine.version", "hardware", "load.warmup", "model", "parallelism",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("colour=red", "--set colour is no condition of a record"),
        ("concurency=4", "'concurency'"),
        ("load.concurrency=many", "--set load.concurrency is a whole number"),
        ("load.pattern=closed", "did you mean 'closed_loop'?"),
        ("count", "write KEY=VALUE"),
        ("results.output_rate.value=9", "is no condition of a record"),
        ("id=../../x", "--set id is no condition"),
        ("load=4", "--set load is a block"),
        ("absent.model=not_stated", "is no condition"),
    ],
)
def test_what_is_set_must_be_a_condition_of_its_kind(
    word: str, told: str, imported: Import, root: Path, capsys: Capture
) -> None:
    assert imported("--set", word, first=RUN) == 2
    assert told.replace("'concurency'", "--set concurency") in capsys.readouterr().err
    assert files(root) == []


def test_what_the_file_says_cannot_be_set_otherwise(
    imported: Import, root: Path, capsys: Capture
) -> None:
    assert imported("--set=load.concurrency=65", first=RUN) == 1
    assert "the file says load.concurrency is 64; --set cannot say 65" in capsys.readouterr().err
    assert imported("--set=load.concurrency=64", first=RUN) == 0
    [record] = (one for one in load(root).records.values() if one.source.id == "my-runs")
    assert record.contributed == ()


def test_one_refused_run_keeps_all_from_being_written_unless_partial_is_asked(
    imported: Import, root: Path, capsys: Capture
) -> None:
    bad = {**RUN, "completed": 0}
    assert imported(bad=bad, good=RUN) == 1
    assert files(root) == []
    assert "bad.json: nothing completed" in capsys.readouterr().err
    assert imported("--partial", bad=bad, good=RUN) == 1
    assert len(files(root)) == 1


def test_several_runs_of_one_file_are_records_of_their_own(imported: Import, root: Path) -> None:
    lines = "\n".join(json.dumps({**RUN, "max_concurrency": cap}) for cap in (1, 8, 64))
    assert imported(sweep=lines) == 0
    found = [one for one in load(root).records.values() if one.source.id == "my-runs"]
    assert sorted((one.load.concurrency, one.source.locator) for one in found) == [
        (1, "sweep.json, line 1"), (8, "sweep.json, line 2"), (64, "sweep.json, line 3"),
    ]  # fmt: skip


def test_a_dry_run_prints_the_record_and_writes_none(
    imported: Import, root: Path, capsys: Capture
) -> None:
    assert imported("--dry-run", first=RUN) == 0
    assert files(root) == []
    assert "concurrency: 64" in capsys.readouterr().out


def test_a_folder_is_searched_and_what_is_no_run_is_left_out(
    imported: Import, root: Path, capsys: Capture
) -> None:
    imported("--dry-run", first=RUN)
    (root / "runs/notes.txt").write_text("nothing of interest", encoding="utf-8")
    capsys.readouterr()
    words = ["import", str(root / "runs"), "--registry", str(root), "--source", "my-runs"]
    assert run(words) == 0
    told = capsys.readouterr().err
    assert "1 run: 1 record written" in told
    assert "left out" in told


def test_a_file_that_was_named_and_is_no_run_is_refused_with_the_nearest_miss(
    imported: Import, capsys: Capture
) -> None:
    almost = {key: value for key, value in RUN.items() if key != "duration"}
    assert imported(first=almost) == 1
    told = capsys.readouterr().err
    assert "the nearest is vllm-serve: /duration is missing" in told
    assert imported("--as=vllm-serve", first=almost) == 1
    assert imported("--as=vllm-serv", first=almost) == 2
    assert "did you mean 'vllm-serve'" in capsys.readouterr().err


def test_records_lie_in_the_folder_that_is_asked_for_and_never_outside(
    imported: Import, root: Path, capsys: Capture
) -> None:
    assert imported("--into=h100/nightly", first=RUN) == 0
    [path] = (one for one in files(root) if one.is_file())
    assert path.parent == root / FOLDER / "h100/nightly"
    for way in ("../..", "/etc", "a/../b", "A b"):
        assert imported(f"--into={way}", first=RUN) == 2
        assert "write it as an id" in capsys.readouterr().err


def test_a_source_must_be_there_and_be_named_where_there_are_several(
    imported: Import, root: Path, capsys: Capture
) -> None:
    assert imported(source="nobody", first=RUN) == 2
    assert "there is no source 'nobody'" in capsys.readouterr().err
    assert imported(source="", first=RUN) == 2
    told = capsys.readouterr().err
    assert "--source says whose runs these are: one of example-source, my-runs" in told
    assert imported(source="example-source", first=RUN) == 0
    (root / "records/sources/my-runs.yaml").unlink()
    assert imported(source="", first=RUN) == 0


def test_what_is_private_in_a_file_never_leaves_it(
    imported: Import, root: Path, capsys: Capture
) -> None:
    secret = "sk-canary0123456789abcdef"  # noqa: S105  (a canary)
    host = "canary.internal"
    spoiled = {
        **RUN,
        "model_id": "/mnt/canary-home/models/unheard-of",
        "label": secret,
        "backend": host,
        "tokenizer_id": f"/mnt/{host}/t",
        "api_key": secret,
        "command": f"curl -H 'Authorization: Bearer {secret}' http://{host}",
        "generated_texts": [f"canary {secret}"] * 3,
        "errors": [f"ConnectionError {host}"],
    }
    assert imported("--dry-run", first=spoiled) == 0
    assert imported(first=spoiled) == 0
    told = capsys.readouterr()
    text = "".join(path.read_text(encoding="utf-8") for path in files(root))
    assert "unheard-of" in text
    assert "canary" not in text + told.out + told.err


@pytest.mark.parametrize("word", ["engine.flags=--x", "load.warmup.excluded=true"])
def test_a_part_of_a_condition_does_not_count_as_the_condition(
    word: str, imported: Import, root: Path
) -> None:
    assert imported(f"--set={word}", first=RUN) == 0
    [record] = (one for one in load(root).records.values() if one.source.id == "my-runs")
    assert record.contributed == ()


def test_what_is_set_must_be_in_the_catalogue_and_agree_with_the_file(
    imported: Import, root: Path, capsys: Capture
) -> None:
    assert imported("--set=model=example-modell", first=RUN) == 2
    assert "the nearest are example-model" in capsys.readouterr().err
    (root / "records/models/other.yaml").write_text(
        "id: other\nname: other\nfamily: other\n", encoding="utf-8"
    )
    assert imported("--set=model=example-model", first={**RUN, "model_id": "other"}) == 1
    assert "the file says model.id is 'other' (other)" in capsys.readouterr().err
    assert imported("--set=model=other", first={**RUN, "model_id": "other"}) == 0


@pytest.mark.parametrize("name", ["\ud800x", "a\x1b]0;owned\x07", "a<script>b"])
def test_a_name_that_could_deceive_is_told_where_the_file_has_it(
    name: str, imported: Import, capsys: Capture
) -> None:
    assert imported(first={**RUN, "model_id": name}) == 1
    told = capsys.readouterr().err
    assert "its model.described_as holds" in told
    assert "\x1b" not in told


def test_a_secret_in_the_name_of_a_file_is_not_written(
    imported: Import, root: Path, capsys: Capture
) -> None:
    assert imported(AKIA0123456789ABCDEF=RUN) == 1
    assert "its source.locator looks like an access key" in capsys.readouterr().err
    assert files(root) == []


def test_a_file_that_holds_nothing_is_accounted_for(imported: Import, capsys: Capture) -> None:
    assert imported("--as=vllm-serve", first="[]") == 1
    assert "1 run: 0 records written" in (told := capsys.readouterr().err)
    assert "holds nothing that vllm-serve could be" in told


def test_a_forced_importer_leaves_out_what_else_lies_in_a_folder(
    imported: Import, root: Path
) -> None:
    imported("--dry-run", first=RUN)
    (root / "runs/notes.json").write_text("{}", encoding="utf-8")
    (root / "runs/notes.txt").write_text("notes", encoding="utf-8")
    assert imported(str(root / "runs"), "--as=vllm-serve") == 0
    assert len(files(root)) == 1


def test_a_file_of_mostly_something_else_is_not_read_to_its_end(
    imported: Import, capsys: Capture
) -> None:
    assert imported(first=json.dumps(RUN) + "\n{}" * 5000) == 1
    assert "101 runs: 0 records written" in capsys.readouterr().err


def test_an_interrupt_leaves_nothing_half_written_and_a_rerun_completes(
    imported: Import, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(root.rglob("*"))
    real = Staging.add

    def interrupted(self: Staging, path: str, text: str, *, replace: bool = False) -> None:
        real(self, path, text, replace=replace)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Staging, "add", interrupted)
        assert imported(first=RUN) == 130
    assert [one for one in sorted(root.rglob("*")) if "runs" not in one.parts] == [
        one for one in before if "runs" not in one.parts
    ]
    assert imported(first=RUN) == 0
    assert len(files(root)) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_told_in_one_line(
    imported: Import, root: Path, capsys: Capture
) -> None:
    root.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert imported(first=RUN) == 2
    finally:
        root.chmod(stat.S_IRWXU)
    assert "cannot be written" in capsys.readouterr().err
