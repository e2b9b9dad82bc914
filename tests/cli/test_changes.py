"""`benchreg changes` is the changelog of a release of the data, `benchreg cite` how it is cited."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.cli.main import run
from benchreg.report import changes as module

Capture = pytest.CaptureFixture[str]
Git = Callable[..., str]
Change = Callable[..., Path]


@pytest.fixture
def released(base: Path, git: Git) -> Path:
    """The small registry, released as `data-1`."""
    git(base, "init", "--quiet")
    git(base, "add", "--all")
    git(base, "commit", "--quiet", "--message", "first")
    git(base, "tag", "data-1")
    return base


def printed(root: Path, capsys: Capture, *words: str) -> str:
    capsys.readouterr()
    run(["changes", *words, "--registry", str(root)])
    return capsys.readouterr().out


def test_a_release_without_changes_says_so(released: Path, capsys: Capture) -> None:
    assert printed(released, capsys, "data-1") == "# Records since data-1\n\nNo record differs.\n"


def test_what_was_added_and_disputed_is_listed_by_source(
    released: Path, changed: Change, capsys: Capture
) -> None:
    fallen = "status: disputed\nstatus_reason: a cell was misread\n"
    changed(fallen, other_record="id: other-record\n")
    text = printed(released, capsys, "data-1")
    assert "1 added, 1 disputed." in text
    assert "## Added\n\nexample-source: 1\n\n- `other-record`\n" in text
    assert "## Disputed\n\nexample-source: 1\n\n- `base-record`: status, status_reason\n" in text
    told = json.loads(printed(released, capsys, "data-1", "--format", "json"))
    assert [(one["id"], one["kind"]) for one in told] == [
        ("base-record", "disputed"), ("other-record", "added"),
    ]  # fmt: skip


def test_of_many_records_some_are_listed_unless_all_are_asked_for(
    released: Path, changed: Change, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_LISTED", 2)
    changed("", **{f"other_{n}": f"id: other-{n}\n" for n in "abcde"})
    short, whole = (printed(released, capsys, "data-1", *more) for more in ((), ("--all",)))
    assert "- and 3 more; --all lists them" in short
    assert whole.count("- `other-") == 5


def test_a_ref_that_is_not_there_is_bad_use(released: Path, capsys: Capture) -> None:
    assert run(["changes", "data-2", "--registry", str(released)]) == 2
    assert "there is no commit 'data-2'" in capsys.readouterr().err


def test_a_refused_file_is_no_silent_removal(released: Path, capsys: Capture) -> None:
    path = released / "records/benchmarks/example-source/base-record.yaml"
    path.write_text("id: [", encoding="utf-8")
    assert run(["changes", "data-1", "--registry", str(released)]) == 1
    assert "1 files were refused" in capsys.readouterr().err


def test_a_record_is_cited_with_its_source_and_the_data(base: Path, capsys: Capture) -> None:
    assert run(["cite", "base-record", "--registry", str(base)]) == 0
    out = capsys.readouterr().out
    assert out.endswith("Record base-record of benchreg, data of 2026-11-01.\n")
    assert "run.json" in out


def test_the_whole_is_cited_with_its_size(base: Path, capsys: Capture) -> None:
    assert run(["cite", "--registry", str(base)]) == 0
    assert "Data of 2026-11-01: 2 records with 2 figures." in capsys.readouterr().out


def test_a_record_that_there_is_not_cannot_be_cited(base: Path, capsys: Capture) -> None:
    assert run(["cite", "base-recor", "--registry", str(base)]) == 2
    assert "base-record" in capsys.readouterr().err
