"""`benchreg audit --format`: which formats are asked for, where each goes, and what is bad use."""

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from benchreg.audit.engine import Report
from benchreg.cli import formats
from benchreg.cli.audit import command
from benchreg.cli.main import CRASH, FINDINGS, run
from benchreg.values.errors import BenchregError

Change = Callable[..., Path]
Capture = pytest.CaptureFixture[str]
RECORD = "records/benchmarks/example-source/base-record.yaml"
ERROR = "enginee: {id: example-engine}\n"
WAIVED = """load:
  pattern: closed_loop
  concurrency: 64
  requests: 320
  failed: 0
  duration_s: 25.6
  window: full_drain
  warmup: {requests: 0}
waivers:
  - {rule: CON014, reason: the source ran no longer, by: a maintainer, since: "2026-11-01"}
"""


def test_each_format_goes_to_its_place(changed: Change, tmp_path: Path, capsys: Capture) -> None:
    root, out = str(changed(ERROR)), tmp_path / "out"
    out.mkdir()
    names = [name for name in formats.WRITERS if name != "concise"]
    asked = [f"--format={name}={out / name}" for name in names]
    assert run(["audit", "--registry", root, "--format", "concise", *asked]) == 1
    assert capsys.readouterr().out.startswith(f"{RECORD}:68:1: SCH001 unknown key")
    texts = {name: (out / name).read_text(encoding="utf-8") for name in names}
    assert sorted(file.name for file in out.iterdir()) == sorted(names)
    assert json.loads(texts["json"])["findings"][0]["code"] == "SCH001"
    assert json.loads(texts["sarif"])["runs"][0]["results"][0]["ruleId"] == "SCH001"
    assert json.loads(texts["gitlab"])[0]["check_name"] == "SCH001"
    assert ET.fromstring(texts["junit"]).get("failures") == "1"  # noqa: S314  (it is our own)
    assert "### 1 error" in texts["markdown"]
    assert texts["github"].startswith(f"::error file={RECORD},line=68,col=1,")
    assert texts["full"].startswith("error SCH001 unknown key")


def test_with_files_only_nothing_is_printed(
    changed: Change, tmp_path: Path, capsys: Capture
) -> None:
    out = tmp_path / "a=b.sarif"
    assert run(["audit", "--registry", str(changed(ERROR)), "--format", f"sarif={out}"]) == 1
    assert capsys.readouterr() == ("", "")
    assert out.exists()


@pytest.mark.parametrize(
    ("name", "words", "message"),
    [
        ("unknown", ["sariff"], "no format is called 'sariff'; did you mean 'sarif'?"),
        ("far from any", ["xyz"], "no format is called 'xyz'; there are auto, full, concise"),
        ("empty", [""], "no format is called ''"),
        ("hostile", ["a\x1b[31m\nb"], "no format is called 'a\\\\x1b[31m"),
        ("two to standard output", ["json", "sarif"], "two formats for standard output"),
        ("twice the same", ["json", "json"], "two formats for standard output"),
        ("no file", ["json="], "--format json= names no file"),
        ("auto into a file", ["auto=a"], "auto is for standard output; name the format of 'a'"),
        ("one file", ["json=a", "sarif=./a"], "two formats for one file"),
        ("no such folder", ["json=none/a"], "none/a: cannot be written: there is no folder none"),
    ],
)
def test_bad_use_is_told_on_one_line_before_anything_is_read(
    name: str, words: list[str], message: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: Capture,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    asked = [f"--format={word}" for word in words]
    assert run(["audit", "--registry", str(tmp_path / "not-there"), *asked]) == 2, name
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"benchreg: {message}")
    assert captured.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_on_github_the_default_annotates_and_adds_to_the_summary(
    changed: Change, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("theirs\n", encoding="utf-8")
    for name, value in {
        "ACTIONS": "true",
        "STEP_SUMMARY": str(summary),
        "SERVER_URL": "https://example.org",
        "REPOSITORY": "a/b",
        "SHA": "c0ffee",
    }.items():
        monkeypatch.setenv(f"GITHUB_{name}", value)
    assert run(["audit", "--registry", str(changed(ERROR))]) == 1
    assert capsys.readouterr().out.startswith(f"::error file={RECORD},line=68,col=1,")
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("theirs\n<!-- benchreg audit -->\n")
    assert f"](https://example.org/a/b/blob/c0ffee/{RECORD}#L68)" in text


def test_a_summary_that_cannot_be_written_changes_no_verdict(
    base: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(base))
    assert run(["audit", "--registry", str(base)]) == 0
    assert capsys.readouterr().err == f"benchreg: {base}: cannot be written: Is a directory\n"


@pytest.mark.parametrize("value", ["", "false", "1"])
def test_elsewhere_the_default_is_for_people(
    value: str, changed: Change, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", value)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "/nowhere/at/all")
    run(["audit", "--registry", str(changed(ERROR))])
    captured = capsys.readouterr()
    assert captured.out.startswith("error SCH001 unknown key")
    assert captured.err == ""


@pytest.mark.parametrize(
    ("name", "environment", "address"),
    [
        ("a desk", {}, ""),
        (
            "GitLab",
            {"CI_PROJECT_URL": "https://example.org/a", "CI_COMMIT_SHA": "c0ffee"},
            "https://example.org/a/-/blob/c0ffee/",
        ),
        ("in part", {"CI_PROJECT_URL": "https://example.org/a"}, ""),
        ("no address", {"CI_PROJECT_URL": "javascript:a", "CI_COMMIT_SHA": "c0ffee"}, ""),
        (
            "marks",
            {"CI_PROJECT_URL": "https://example.org/a)|[", "CI_COMMIT_SHA": "b"},
            "https://example.org/a%29%7C%5B/-/blob/b/",
        ),
    ],
)
def test_the_address_of_the_files_is_what_the_service_says(
    name: str, environment: dict[str, str], address: str
) -> None:
    assert formats.source(environment) == address, name


def test_statistics_stand_in_place_of_a_text(
    changed: Change, tmp_path: Path, capsys: Capture
) -> None:
    root, out = str(changed(ERROR)), tmp_path / "a.json"
    for asked in ([], ["--format", "concise"], ["--format", f"json={out}"]):
        assert run(["audit", "--registry", root, "--statistics", *asked]) == 1
        assert capsys.readouterr().out.startswith("rule    severity")
    assert json.loads(out.read_text(encoding="utf-8"))["summary"]["findings"]["error"] == 1


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("full", "  = reason: the source ran no longer (by a maintainer, since 2026-11-01)\n"),
        ("concise", "; reason: the source ran no longer (by a maintainer, since 2026-11-01)\n"),
        ("sarif", '"justification": "the source ran no longer (by a maintainer, since'),
    ],
)
def test_what_records_accept_is_listed_where_asked_for(
    form: str, expected: str, changed: Change, capsys: Capture
) -> None:
    asked = ["audit", "--registry", str(changed(WAIVED)), "--format", form]
    assert run(asked) == 0
    assert expected not in capsys.readouterr().out
    assert run([*asked, "--show-waived"]) == 0
    assert expected in capsys.readouterr().out


def test_a_file_that_cannot_be_written_is_bad_use_unless_a_rule_crashed(
    tmp_path: Path, capsys: Capture
) -> None:
    nothing = Report((), (), (), {}, 0, 0, 0, 0)
    audited = formats.Audited(nothing, (), lambda _: "", frozenset(), frozenset(), waived=False)
    asked = [formats.Target("json", tmp_path / "none/a"), formats.Target("concise", None)]
    with pytest.raises(BenchregError, match="none/a: cannot be written: there is no folder"):
        formats.tell(audited, asked, FINDINGS, counted=False)
    assert "0 errors" in capsys.readouterr().out
    assert formats.tell(audited, asked, CRASH, counted=False) == CRASH
    assert "none/a: cannot be written: there is no folder" in capsys.readouterr().err


def test_formats_complete_in_a_shell() -> None:
    [option] = [one for one in command.params if one.name == "forms"]
    offered = option.shell_complete(command.make_context("audit", []), "s")
    assert [item.value for item in offered] == ["sarif"]
    assert "markdown" in CliRunner().invoke(command, ["--help"]).output
