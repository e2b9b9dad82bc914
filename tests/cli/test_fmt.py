"""`benchreg fmt` as its users run it: what it writes, what it prints, and its exit codes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchreg.cli.main import run

Capture = pytest.CaptureFixture[str]
RECORD = "records/benchmarks/example-source/base-record.yaml"
ENGINE = "records/engines/example-engine.yaml"
PLACE = "# yaml-language-server: $schema=../../schema/engine.schema.json\n"


@pytest.fixture
def root(base: Path) -> Path:
    """A registry of its own, in the canonical form."""
    assert run(["fmt", "--registry", str(base)]) == 0
    return base


def write(root: Path, path: str, text: str) -> Path:
    (root / path).write_text(text, encoding="utf-8", newline="")
    return root / path


def test_a_registry_in_the_canonical_form_is_left_as_it_is(root: Path, capsys: Capture) -> None:
    before = {path: path.stat() for path in root.rglob("*.yaml")}
    capsys.readouterr()
    assert run(["fmt", "--registry", str(root)]) == 0
    assert run(["fmt", "--check", "--registry", str(root)]) == 0
    assert capsys.readouterr().out == (
        "0 files formatted, 29 in the canonical form, 0 not read\n"
        "0 files to format with `benchreg fmt`, 29 in the canonical form, 0 not read\n"
    )
    after = {path: path.stat() for path in root.rglob("*.yaml")}
    assert [(one.st_ino, one.st_mtime_ns) for one in before.values()] == [
        (one.st_ino, one.st_mtime_ns) for one in after.values()
    ]


def test_a_file_is_brought_into_the_form_and_named(root: Path, capsys: Capture) -> None:
    path = write(root, ENGINE, "name: Example  # by us\n# id\nid: 'example-engine'\n")
    path.chmod(0o640)
    capsys.readouterr()
    assert run(["fmt", "--registry", str(root)]) == 0
    assert path.read_text() == f"{PLACE}# id\nid: example-engine\nname: Example  # by us\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert capsys.readouterr().out == (
        f"formatted {ENGINE}\n1 file formatted, 28 in the canonical form, 0 not read\n"
    )


def test_a_check_writes_nothing_and_tells_the_first_line(root: Path, capsys: Capture) -> None:
    text = (root / RECORD).read_text().replace('retrieved: "2026', "retrieved:  '2026")
    path = write(root, RECORD, text.replace('-11-01"\n\nmodel', "-11-01'\n\nmodel"))
    written = path.read_bytes()
    capsys.readouterr()
    assert run(["fmt", "--check", "--registry", str(root)]) == 1
    assert path.read_bytes() == written
    assert capsys.readouterr().out == (
        f"{RECORD}:11:1: SCH005 not in the canonical form: "
        "`  retrieved:  '2026-11-01'` should be `  retrieved: \"2026-11-01\"`\n"
        "1 file to format with `benchreg fmt`, 28 in the canonical form, 0 not read\n"
    )


def test_the_audit_tells_the_same_where_it_is_asked(root: Path, capsys: Capture) -> None:
    write(root, ENGINE, "name: A\nid: example-engine\n")
    capsys.readouterr()
    assert run(["fmt", "--check", "--registry", str(root)]) == 1
    finding = capsys.readouterr().out.splitlines()[0].replace("form: ", "form; ")
    audit = ["audit", "--registry", str(root), "--format", "concise", "--show", "note"]
    assert run([*audit, "--select", "SCH005", "--fail-on", "note"]) == 1
    assert finding in capsys.readouterr().out
    run([*audit, "--select", "SCH"])
    run(audit)
    assert "SCH005" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        pytest.param(
            "id: a", "1:1: SCH005 not in the canonical form: `id: a` should be", id="first"
        ),
        pytest.param(
            f"{PLACE}id: a\n\n", "3:1: SCH005 not in the canonical form: ", id="a blank line"
        ),
        pytest.param(
            f"{PLACE}id: a\r\n",
            "2:1: SCH005 not in the canonical form: `id: a\\x0d` should be `id: a`",
            id="a line end of Windows",
        ),
        pytest.param(
            f"\ufeff{PLACE}id: a\n",
            "1:1: SCH005 not in the canonical form: not plain UTF-8",
            id="a mark",
        ),
    ],
)
def test_a_finding_says_what_should_be_there(
    text: str, finding: str, root: Path, capsys: Capture
) -> None:
    write(root, ENGINE, text)
    assert run(["fmt", "--check", "--registry", str(root), str(root / ENGINE)]) == 1
    assert f"{ENGINE}:{finding}" in capsys.readouterr().out


def test_a_diff_writes_nothing_and_shows_every_change(root: Path, capsys: Capture) -> None:
    path = write(root, ENGINE, "name: A\nid: a\n")
    capsys.readouterr()
    assert run(["fmt", "--diff", "--registry", str(root)]) == 1
    assert path.read_text() == "name: A\nid: a\n"
    assert capsys.readouterr().out.startswith(
        f"--- {ENGINE}\n+++ {ENGINE} (canonical)\n@@ -1,2 +1,3 @@\n"
        f"+{PLACE}+id: a\n name: A\n-id: a\n"
    )


def test_a_file_that_cannot_be_read_is_named_and_left_alone(root: Path, capsys: Capture) -> None:
    path = write(root, ENGINE, "name: A\nid: [a\n")
    unseen = write(root, "records/engines/unseen.yaml", "id: a\u202e\n")
    (root / "records/engines/link.yaml").symlink_to("/etc/passwd")
    capsys.readouterr()
    assert run(["fmt", "--registry", str(root)]) == 1
    assert path.read_text() == "name: A\nid: [a\n"
    assert unseen.read_text(encoding="utf-8") == "id: a\u202e\n"
    assert (root / "records/engines/link.yaml").is_symlink()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{ENGINE}:3:1: SCH002 not YAML")
    assert lines[1:] == [
        "records/engines/link.yaml:1:1: SCH002 a symbolic link; put the file itself here",
        "records/engines/unseen.yaml:1:6: SCH006 the invisible character U+202E; take it out",
        "0 files formatted, 28 in the canonical form, 3 not read",
    ]


def test_an_entity_that_the_schema_refuses_is_formatted_all_the_same(root: Path) -> None:
    path = write(root, ENGINE, "idd: 'example-engine'\n")
    assert run(["fmt", "--registry", str(root)]) == 0
    assert path.read_text() == f"{PLACE}idd: example-engine\n"


def test_paths_restrict_what_is_formatted(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    for path in (ENGINE, RECORD):
        write(root, path, "id:  a\n")
    capsys.readouterr()
    monkeypatch.chdir(root / "records")
    assert run(["fmt", "engines", "models/example-model.yaml"]) == 0
    assert (root / RECORD).read_text() == "id:  a\n"
    assert "1 file formatted, 1 in the canonical form" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["nowhere.yaml"], "there is no such file or folder", id="nothing there"),
        pytest.param(["/"], "no folder here or above it holds", id="no registry above"),
        pytest.param(["--registry", "records"], "holds no folder `records/`", id="no registry"),
        pytest.param(["--registry", ".", "/"], "is not below the registry", id="outside"),
        pytest.param(["--chekc"], "No such option", id="an unknown option"),
    ],
)
def test_bad_use_ends_with_2(
    arguments: list[str], message: str, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(root)
    assert run(["fmt", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_where_no_file_is_asked_for_nothing_matched(root: Path) -> None:
    write(root, "records/notes.txt", "text")
    assert run(["fmt", "--registry", str(root), str(root / "records/notes.txt")]) == 4


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_bad_use(root: Path, capsys: Capture) -> None:
    path = write(root, ENGINE, "id:  a\n")
    path.parent.chmod(0o500)
    try:
        assert run(["fmt", "--registry", str(root)]) == 2
    finally:
        path.parent.chmod(0o700)
    assert "cannot be written: Permission denied" in capsys.readouterr().err
    assert path.read_text() == "id:  a\n"


def test_an_interrupted_run_leaves_whole_files_and_nothing_else(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    for path in (ENGINE, RECORD):
        write(root, path, "id:  a\n")
    files = sorted(root.rglob("*"))
    monkeypatch.setattr(Path, "replace", interrupted)
    assert run(["fmt", "--registry", str(root)]) == 130
    assert (root / ENGINE).read_text() == (root / RECORD).read_text() == "id:  a\n"
    assert sorted(root.rglob("*")) == files


def test_hostile_names_and_texts_reach_no_terminal(root: Path, capsys: Capture) -> None:
    write(root, "records/engines/\x1b[31mred.yaml", "id:  a\n")
    write(root, ENGINE, 'id:  "\\e[31m"\n')
    assert run(["fmt", "--check", "--registry", str(root)]) == 1
    assert run(["fmt", "--diff", "--registry", str(root)]) == 1
    run(["fmt", "--registry", str(root)])
    assert (root / ENGINE).read_text() == f'{PLACE}id: "\\x1b[31m"\n'
    assert "\x1b" not in capsys.readouterr().out


def test_formatting_needs_neither_a_schema_nor_a_yaml_writer() -> None:
    code = (
        "import sys; from benchreg.cli.main import run; run(['fmt', '--check']);"
        "print([name for name in ('jsonschema', 'ruamel', 'numpy') if name in sys.modules])"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
    )
    assert done.stdout.splitlines()[-1] == "[]"
