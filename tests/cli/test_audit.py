"""`benchreg audit` as its users run it: what it prints, and the code it ends with."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg import __version__
from benchreg.cli.main import run
from benchreg.values.errors import IncompleteError

Change = Callable[..., Path]
Capture = pytest.CaptureFixture[str]
RECORD = "records/benchmarks/example-source/base-record.yaml"
ERROR = "enginee: {id: example-engine}\n"
WARNING = """results:
  output_rate:
    metric: output_throughput
    scope: system
    value: 800
    unit: tok/s
    absent: {seen_by_request: not_stated}
"""
NOTE = "measurement: {harness: example bench, point: server}\n"


def test_a_registry_without_fault_ends_with_0_and_a_summary(base: Path, capsys: Capture) -> None:
    assert run(["audit", "--registry", str(base)]) == 0
    out = capsys.readouterr().out
    assert "2 records with 2 figures, 27 catalogue entries, 0 files refused" in out
    assert "0 errors, 0 warnings, 0 notes" in out
    assert "not evaluated SCH008: the second judge is asked with --cross-validate only" in out


def test_with_both_judges_nothing_is_left_unevaluated(base: Path, capsys: Capture) -> None:
    assert run(["audit", "--registry", str(base), "--cross-validate"]) == 0
    assert "not evaluated" not in capsys.readouterr().out


def test_the_audit_knows_which_day_it_is(changed: Change, capsys: Capture) -> None:
    source = 'source: {id: example-source, locator: run.json, retrieved: "2999-01-01"}\n'
    assert run(["audit", "--registry", str(changed(source)), "--format", "concise"]) == 1
    assert "PRO002 read on 2999-01-01, and is read in the future" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("fragment", "fail_on", "code"),
    [
        pytest.param(ERROR, "error", 1, id="an error fails"),
        pytest.param(WARNING, "error", 0, id="a warning passes"),
        pytest.param(WARNING, "warning", 1, id="a warning fails where asked"),
        pytest.param(NOTE, "warning", 0, id="a note passes there"),
        pytest.param(NOTE, "note", 1, id="a note fails where asked"),
    ],
)
def test_the_least_failing_severity_is_chosen(
    fragment: str, fail_on: str, code: int, changed: Change
) -> None:
    assert run(["audit", "--registry", str(changed(fragment)), "--fail-on", fail_on]) == code


def test_the_full_format_shows_the_line_and_a_caret(changed: Change, capsys: Capture) -> None:
    run(["audit", "--registry", str(changed(ERROR))])
    expected = f"""error SCH001 unknown key 'enginee' in /
  --> {RECORD}:68:1 (schema-violation)
   |
68 | enginee: {{id: example-engine}}
   | ^^^^^^^
  = help: did you mean 'engine'?
"""
    assert expected in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "data", "excerpt"),
    [
        ("no YAML", b"id: a\ntitle: [1, 2\n", "3 | \n  | ^"),
        ("a tab", b"id: a\n\ttitle: b\n", "2 | \\ttitle: b\n  | ^^^^^^^"),
        ("an anchor", b"id: a\r\n\r\ntitle: &a b\r\n", "3 | title: &a b\n  |        ^^^^"),
        (
            "unseen",
            "id: a\ntitle: b\u202ec\n".encode(),
            "2 | title: b\\u202ec\n  |         ^^^^^^^",
        ),
        ("control", b"id: a\rtitle: b\x1b[31m\r", "2 | title: b\\x1b[31m\n  |         ^^^^^^^^"),
    ],
)
def test_the_line_of_a_file_that_is_no_document_is_shown_as_well(
    name: str, data: bytes, excerpt: str, base: Path, capsys: Capture
) -> None:
    (base / RECORD).write_bytes(data)
    run(["audit", "--registry", str(base)])
    assert f"  |\n{excerpt}\n" in capsys.readouterr().out, name


@pytest.mark.parametrize("data", [b"id: \xff\n", b"#" * 300_000], ids=["no text", "too large"])
def test_of_a_file_that_is_no_text_no_line_is_shown(
    data: bytes, base: Path, capsys: Capture
) -> None:
    (base / RECORD).write_bytes(data)
    run(["audit", "--registry", str(base)])
    out = capsys.readouterr().out
    assert f"  --> {RECORD}:1:" in out
    assert " | " not in out


def test_the_concise_format_is_one_line_a_finding(changed: Change, capsys: Capture) -> None:
    run(["audit", "--registry", str(changed(ERROR)), "--format", "concise"])
    line = f"{RECORD}:68:1: SCH001 unknown key 'enginee' in /; did you mean 'engine'?"
    assert capsys.readouterr().out.splitlines()[0] == line


def test_the_json_format_has_a_versioned_envelope(changed: Change, capsys: Capture) -> None:
    run(["audit", "--registry", str(changed(ERROR)), "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert (document["format"], document["version"]) == ("benchreg-audit", 1)
    assert document["benchreg"] == __version__
    assert document["summary"]["findings"] == {"error": 1, "warning": 0, "note": 0}
    assert document["rules"]["SCH001"]["evaluated"] == 29
    assert document["rules"]["SCH008"]["not_evaluated"] == 28
    [finding] = document["findings"]
    assert finding["pointer"] == "/enginee"
    assert (finding["line"], finding["column"]) == (68, 1)
    assert len(finding["fingerprint"]) == 32


def test_warnings_come_as_a_count_with_examples(changed: Change, capsys: Capture) -> None:
    root = str(changed(WARNING))
    run(["audit", "--registry", root])
    out = capsys.readouterr().out
    assert "warning IDN008 per-request-undisclosed: 1\n" in out
    assert "-->" not in out


@pytest.mark.parametrize(
    "more",
    [
        pytest.param(["--show", "warning"], id="asked for"),
        pytest.param(["PATH"], id="a path is named"),
    ],
)
def test_warnings_are_printed_one_by_one(more: list[str], changed: Change, capsys: Capture) -> None:
    root = changed(WARNING)
    named = [str(root / RECORD) if word == "PATH" else word for word in more]
    run(["audit", "--registry", str(root), *named])
    assert f"--> {RECORD}" in capsys.readouterr().out


def test_only_selected_rules_run(changed: Change, capsys: Capture) -> None:
    assert run(["audit", "--registry", str(changed(WARNING)), "--ignore", "IDN008"]) == 0
    assert "0 warnings" in capsys.readouterr().out


def test_a_rule_that_is_not_there_is_bad_use(base: Path, capsys: Capture) -> None:
    assert run(["audit", "--registry", str(base), "--select", "MET444"]) == 2
    assert "no rule is called 'MET444'" in capsys.readouterr().err


def test_the_registry_is_found_above_a_path(
    changed: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = changed(ERROR)
    monkeypatch.chdir(root / "records/models")
    assert run(["audit"]) == 1
    assert run(["audit", "example-model.yaml"]) == 0


def test_a_path_of_another_registry_is_bad_use(
    base: Path, tmp_path_factory: pytest.TempPathFactory, capsys: Capture
) -> None:
    other = tmp_path_factory.mktemp("other")
    assert run(["audit", "--registry", str(base), str(other)]) == 2
    assert "is not below the registry" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ("audit", ""),
        ("audit", "--", ""),
        ("audit", RECORD, ""),
        ("audit", "--registry", ""),
        ("audit", "--baseline", ""),
        ("audit", "--write-baseline", ""),
        ("fmt", ""),
        ("fmt", "--registry", ""),
        ("show", "base-record", "--registry", ""),
        ("query", "--registry", ""),
    ],
    ids=lambda words: " ".join(word or "''" for word in words),
)
def test_a_path_that_is_empty_is_bad_use_and_does_not_mean_everything(
    words: tuple[str, ...], base: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(base)
    before = {path: path.stat().st_mtime_ns for path in base.rglob("*")}
    assert run([*words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "it is empty; name a file or a folder" in captured.err
    assert {path: path.stat().st_mtime_ns for path in base.rglob("*")} == before


@pytest.mark.parametrize("word", [".", "./", "records"])
def test_the_working_folder_is_named_by_its_dot(
    word: str, base: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(base)
    assert run(["audit", word]) == 0
    assert "2 records" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("nowhere", "there is no such file or folder", id="a folder that is not there"),
        pytest.param("", "no folder here or above it holds `records/`", id="an empty folder"),
    ],
)
def test_where_no_registry_is_the_audit_says_so(
    name: str, message: str, tmp_path: Path, capsys: Capture
) -> None:
    assert run(["audit", str(tmp_path / name)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert captured.err.count("\n") == 1


def test_an_empty_registry_matches_nothing(tmp_path: Path) -> None:
    (tmp_path / "records").mkdir()
    assert run(["audit", str(tmp_path)]) == 4
    assert run(["audit", str(tmp_path), "--allow-empty"]) == 0


def test_a_file_that_is_no_yaml_is_a_finding_at_its_place(base: Path, capsys: Capture) -> None:
    (base / RECORD).write_text("id: base-record\ntitle: [1, 2\n", encoding="utf-8")
    assert run(["audit", "--registry", str(base), "--format", "concise"]) == 1
    assert f"{RECORD}:3:1: SCH002 not YAML" in capsys.readouterr().out


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every folder")
def test_a_folder_that_may_not_be_read_is_a_finding(base: Path, capsys: Capture) -> None:
    folder = base / "records/models"
    folder.chmod(0)
    try:
        assert run(["audit", "--registry", str(base), "--format", "concise"]) == 1
    finally:
        folder.chmod(0o700)
    assert "records/models:1:1: SCH002 cannot be read" in capsys.readouterr().out


def test_a_link_out_of_the_registry_is_a_finding(base: Path, capsys: Capture) -> None:
    (base / "records/models/secret.yaml").symlink_to("/etc/passwd")
    assert run(["audit", "--registry", str(base), "--format", "concise"]) == 1
    out = capsys.readouterr().out
    assert "records/models/secret.yaml:1:1: SCH002 a symbolic link" in out
    assert "root:" not in out


# Linux counts into `ru_maxrss` what the parent held at the fork; `VmHWM` is of the program alone.
MEASURED = """
import resource, sys
from pathlib import Path
from benchreg.cli.main import run
from benchreg.registry.roots import own_root
from benchreg.values.errors import IncompleteError
code = run(sys.argv[1:])
status = Path("/proc/self/status")
lines = status.read_text().splitlines() if status.exists() else []
own = [int(line.split()[1]) for line in lines if line.startswith("VmHWM:")]
print("KiB", own[0] if own else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
sys.exit(code)
"""


def test_a_record_of_a_gigabyte_is_refused_in_bounded_memory(base: Path) -> None:
    with (base / RECORD).open("wb") as file:
        file.truncate(2**30)
    command = [sys.executable, "-c", MEASURED, "audit", "--registry", str(base)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "larger than 256 KiB" in done.stdout
    assert "Traceback" not in done.stderr
    assert int(done.stdout.split()[-1]) < 200_000


def benchreg(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "benchreg", *arguments]


def test_a_reader_that_goes_away_does_not_change_the_verdict(changed: Change) -> None:
    root = changed(ERROR)
    reading, writing = os.pipe()
    os.close(reading)
    command = benchreg("audit", "--registry", str(root))
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert done.returncode == 1
    assert done.stderr == b""


def test_hostile_text_reaches_no_terminal(changed: Change, capsys: Capture) -> None:
    root = changed('title: "a \\e[31mred\\u202e title"\n')
    (root / "records/models/\x1b[31mred.yaml").write_text("id: x\n", encoding="utf-8")
    assert run(["audit", "--registry", str(root)]) == 1
    out = capsys.readouterr().out
    assert "SCH006" in out
    assert "\x1b" not in out
    assert "\u202e" not in out


def test_the_program_itself_ends_with_the_same_code(changed: Change) -> None:
    root = changed(ERROR)
    done = subprocess.run(benchreg("audit", "--registry", str(root)), check=False)
    assert done.returncode == 1


FORMATS = ("concise", "json", "github", "sarif", "gitlab", "junit", "markdown")


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_every_format_is_the_same_to_the_byte_in_any_order_and_number_of_processes(
    jobs: str, records: Path, tmp_path: Path
) -> None:
    def told(seed: str, processes: str) -> dict[str, bytes]:
        into = tmp_path / f"{seed}-{processes}"
        into.mkdir()
        forms = [f"--format={name}={into / name}" for name in FORMATS]
        command = [sys.executable, "-m", "benchreg", "audit", "--format=full", *forms]
        command += ["--registry", str(records), "--jobs", processes, "--show=note"]
        env = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(command, capture_output=True, check=True, env=env)
        return {"full": done.stdout} | {name: (into / name).read_bytes() for name in FORMATS}

    assert told("7", jobs) == told("1", "1")


def test_a_process_that_was_killed_ends_with_3_and_no_verdict(
    base: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise IncompleteError("a process ended without an answer")

    monkeypatch.setattr("benchreg.audit.engine.spread", killed)
    assert run(["audit", "--registry", str(base), "--jobs", "2"]) == 3
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "benchreg: a process ended without an answer\n")


@pytest.mark.parametrize("jobs", ["0", "-1", "many", "257"])
def test_a_number_of_processes_that_makes_no_sense_is_bad_use(
    jobs: str, base: Path, capsys: Capture
) -> None:
    assert run(["audit", "--registry", str(base), "--jobs", jobs]) == 2
    assert "'--jobs'" in capsys.readouterr().err
