"""`--fix` and `--diff`: what is written, what is printed, and what never is."""

import codecs
import json
import os
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from benchreg.audit.catalogue import all_rules
from benchreg.audit.fixes import Fixes
from benchreg.cli.fixing import fix_options, mend, preview
from benchreg.cli.main import run
from benchreg.registry.load import load
from benchreg.values.errors import BenchregError

Capture = pytest.CaptureFixture[str]
Change = Callable[..., Path]
RECORD = "records/benchmarks/example-source/base-record.yaml"
PARTNER = "records/benchmarks/example-source/example-partner.yaml"
VERSION = "engine:\n  id: example-engine\n  version: 0.10  # as printed\n"
EVERY: Callable[[str], bool] = lambda _: True  # noqa: E731


def fix(root: Path, among: Callable[[str], bool] = EVERY) -> Fixes:
    return mend(root, load(root), all_rules(), among)


def states(root: Path) -> dict[Path, tuple[int, int, bytes]]:
    return {
        path: (path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes())
        for path in root.rglob("*")
        if path.is_file()
    }


def test_the_options_are_given_to_a_command() -> None:
    @click.command()
    @fix_options
    def command(*, fix: bool, diff: bool) -> None:
        click.echo(f"{fix} {diff}")

    assert CliRunner().invoke(command, ["--diff"]).output == "False True\n"
    assert "--fix" in CliRunner().invoke(command, ["--help"]).output


def test_a_file_is_mended_where_it_stands(changed: Change, capsys: Capture) -> None:
    path = changed(VERSION) / RECORD
    before = path.read_text(encoding="utf-8")
    path.chmod(0o640)
    fix(path.parents[3])
    assert path.read_text(encoding="utf-8") == before.replace(" 0.10 ", ' "0.10" ')
    assert path.stat().st_mode & 0o777 == 0o640
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == (
        f'fixed: {RECORD}:24:12: SCH003 /engine/version as "0.10"\n'
        "1 finding fixed in 1 file, 0 left\n"
    )


def test_a_second_run_writes_nothing(changed: Change, capsys: Capture) -> None:
    root = changed(VERSION)
    fix(root)
    before = states(root)
    capsys.readouterr()
    assert fix(root).made == ()
    assert states(root) == before
    assert capsys.readouterr().err == "0 findings fixed in 0 files, 0 left\n"


@pytest.mark.parametrize(
    ("encode", "name"),
    [
        (lambda text: text.replace("\n", "\r\n").encode(), "line ends of Windows"),
        (lambda text: codecs.BOM_UTF8 + text.encode(), "a mark"),
        (lambda text: codecs.BOM_UTF16_LE + text.encode("utf-16-le"), "UTF-16"),
        (lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"), "the other UTF-16"),
        (lambda text: text.rstrip("\n").encode(), "no end of the last line"),
        (lambda text: ("# 🜁 é\n" + text).encode(), "signs of several bytes"),
    ],
)
def test_every_other_byte_is_kept(
    encode: Callable[[str], bytes], name: str, changed: Change
) -> None:
    root = changed(VERSION)
    text = (root / RECORD).read_text(encoding="utf-8")
    (root / RECORD).write_bytes(encode(text))
    fix(root)
    assert (root / RECORD).read_bytes() == encode(text.replace(" 0.10 ", ' "0.10" ')), name


def test_only_the_files_that_are_asked_for_are_written(changed: Change) -> None:
    root = changed(VERSION, example_partner="id: example-partner\n" + VERSION)
    before = states(root)
    fix(root, lambda path: path == PARTNER)
    after = states(root)
    assert {path for path, state in after.items() if before[path] != state} == {root / PARTNER}


def test_a_diff_is_printed_and_nothing_is_written(changed: Change, capsys: Capture) -> None:
    root = changed(VERSION)
    before = states(root)
    assert len(preview(load(root), all_rules(), EVERY).made) == 1
    assert states(root) == before
    captured = capsys.readouterr()
    assert captured.out.startswith(f"--- {RECORD}\n+++ {RECORD} (fixed)\n@@ -21,7 +21,7 @@\n")
    changes = [line for line in captured.out.splitlines()[2:] if line[0] in "+-"]
    assert changes == ["-  version: 0.10  # as printed", '+  version: "0.10"  # as printed']
    assert captured.err.endswith("1 finding to fix with --fix in 1 file, 0 left\n")


def test_what_is_left_is_said_with_the_reason(changed: Change, capsys: Capture) -> None:
    source = "source: {id: example-source, locator: run.json, retrieved: 2026}\n"
    root = changed(source)
    before = states(root)
    fix(root)
    assert states(root) == before
    first, last = capsys.readouterr().err.splitlines()
    assert first.startswith(f"not fixed: {RECORD}:8:60: ")
    assert '/source/retrieved as "2026"; it would bring SCH001' in first
    assert last == "0 findings fixed in 0 files, 1 left"


def test_of_very_many_the_first_are_named(changed: Change, capsys: Capture) -> None:
    root = changed("aliases:\n" + "".join(f"  - {number}.10\n" for number in range(250)))
    fix(root)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 102
    assert lines[-2:] == ["and 150 more", "250 findings fixed in 1 file, 0 left"]


def test_a_file_that_was_changed_meanwhile_is_left_alone(changed: Change) -> None:
    root = changed(VERSION, example_partner="id: example-partner\n" + VERSION)
    registry = load(root)
    (root / PARTNER).write_text("id: new\n", encoding="utf-8")
    before = states(root)
    with pytest.raises(BenchregError, match="was changed while it was audited"):
        mend(root, registry, all_rules(), EVERY)
    assert states(root) == before


@pytest.mark.parametrize("what", ["the file", "its folder"])
def test_what_became_a_link_meanwhile_is_left_alone(
    what: str, changed: Change, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = changed(VERSION)
    registry = load(root)
    victim = root / RECORD if what == "the file" else (root / RECORD).parent
    outside = tmp_path_factory.mktemp("outside") / "there"
    victim.rename(outside)
    victim.symlink_to(outside)
    before = states(outside.parent)
    with pytest.raises(BenchregError, match=r"cannot be read|a folder of it is a link"):
        mend(root, registry, all_rules(), EVERY)
    assert states(outside.parent) == before


def test_a_file_is_not_made_larger_than_a_record_may_be(changed: Change, capsys: Capture) -> None:
    root = changed(VERSION)
    data = (root / RECORD).read_bytes()
    (root / RECORD).write_bytes(data + b"#" * (2**18 - len(data)))
    assert fix(root).made == ()
    assert "not fixed" in capsys.readouterr().err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_bad_use(changed: Change) -> None:
    path = changed(VERSION) / RECORD
    path.parent.chmod(0o500)
    try:
        with pytest.raises(BenchregError, match="cannot be written: Permission denied"):
            fix(path.parents[3])
    finally:
        path.parent.chmod(0o700)


def test_an_interrupted_run_leaves_whole_files(
    changed: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = changed(VERSION)
    before = states(root)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fchmod", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fix(root)
    assert states(root) == before


def test_hostile_text_reaches_no_terminal(changed: Change, capsys: Capture) -> None:
    root = changed(VERSION)
    strange = root / "records/engines/\x1b[31mred.yaml"
    strange.write_text("id: 1\n", encoding="utf-8")
    preview(load(root), all_rules(), EVERY)
    fix(root)
    assert strange.read_text(encoding="utf-8") == "id: 1\n"
    captured = capsys.readouterr()
    assert "\x1b" not in captured.out + captured.err


def test_the_audit_fixes_and_judges_what_is_then(changed: Change, capsys: Capture) -> None:
    root = changed(VERSION)
    assert run(["audit", "--registry", str(root)]) == 1
    assert run(["audit", "--registry", str(root), "--diff"]) == 1
    capsys.readouterr()
    assert run(["audit", "--registry", str(root), "--fix"]) == 0
    captured = capsys.readouterr()
    assert "0 errors, 0 warnings, 0 notes" in captured.out
    assert "1 finding fixed in 1 file, 0 left" in captured.err
    assert run(["audit", "--registry", str(root), "--diff"]) == 0


def test_what_is_printed_for_programs_stays_whole(changed: Change, capsys: Capture) -> None:
    root = changed(VERSION)
    assert run(["audit", "--registry", str(root), "--fix", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["summary"]["files_refused"] == 0


def test_a_path_restricts_what_the_audit_fixes(changed: Change) -> None:
    root = changed(VERSION, example_partner="id: example-partner\n" + VERSION)
    assert run(["audit", "--registry", str(root), "--fix", str(root / PARTNER)]) == 0
    assert "version: 0.10 " in (root / RECORD).read_text(encoding="utf-8")
    assert 'version: "0.10" ' in (root / PARTNER).read_text(encoding="utf-8")
