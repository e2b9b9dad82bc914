"""A branch is judged by what it brings, whatever was there before; nothing fails open."""

import json
import shutil
import stat
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from benchreg.audit.catalogue import chosen
from benchreg.audit.engine import Report, audit
from benchreg.audit.finding import Problem, Severity
from benchreg.audit.rule import rule
from benchreg.cli.main import run
from benchreg.cli.paths import among
from benchreg.cli.since import Since, narrowed, since_options
from benchreg.entities.record import Record
from benchreg.registry.load import load
from benchreg.registry.registry import Registry
from benchreg.values.errors import BenchregError

Change = Callable[..., Path]
Git = Callable[..., str]

FOLDER = "records/benchmarks/example-source"
BASE = f"{FOLDER}/base-record.yaml"
TODAY = date(2099, 12, 31)
MANY = 100
# three findings each: no version of the engine, a link that leads nowhere, and no locator
OLD_FAULTS = """\
engine: {id: example-engine}
model: {id: nobodys-model}
source: {id: example-source, retrieved: "2026-11-01"}
"""
BAD = """\
engine: {id: example-engine}
"""


@pytest.fixture
def old(changed: Change, git: Git) -> Path:
    """Return a repository with 300 findings and more on main, on a branch from there."""
    root = changed(**{f"old-{number}": f"id: old-{number}\n{OLD_FAULTS}" for number in range(MANY)})
    git(root, "init", "--quiet")
    committed(root, git)
    git(root, "switch", "--quiet", "--create", "topic")
    return root


def committed(root: Path, git: Git) -> None:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "more")


def write(root: Path, name: str, fragment: str) -> None:
    """Write a record that begins as the base record, whose blocks a fragment replaces."""
    text = (root / BASE).read_text(encoding="utf-8")
    for block in fragment.splitlines(keepends=True):
        key = block.partition(":")[0]
        start = text.index(f"\n{key}:") + 1
        end = text.find("\n\n", start) + 1 if key != "id" else text.index("\n", start) + 1
        text = text[:start] + block + text[end:]
    (root / FOLDER / f"{name}.yaml").write_text(text, encoding="utf-8")


def judged(root: Path, since: Since, *paths: Path, select: tuple[str, ...] = ()) -> Report:
    registry, rules, asked_for = load(root, today=TODAY), chosen(select, []), among(root, paths)
    report = audit(registry, rules, asked_for)
    return narrowed(report, registry, rules, since, root, asked_for).report


def told(report: Report) -> list[tuple[str, str]]:
    return [(one.code, one.path.rpartition("/")[2]) for one in report.findings]


MAIN = Since(base_ref="main")


def test_there_are_old_findings(old: Path) -> None:
    assert len(judged(old, Since()).findings) >= 300


def test_a_branch_that_changes_nothing_brings_nothing(old: Path) -> None:
    everything = len(judged(old, Since()).findings)
    report = judged(old, MAIN)
    assert (report.findings, report.known) == ((), everything)


def test_a_bad_record_brings_its_own_findings_and_no_others(old: Path, git: Git) -> None:
    write(old, "new", f"id: new\n{BAD}")
    assert told(judged(old, MAIN)) == [("CON001", "new.yaml"), ("IDN009", "new.yaml")]
    committed(old, git)
    assert told(judged(old, MAIN)) == [("CON001", "new.yaml"), ("IDN009", "new.yaml")]


def test_lines_that_move_bring_nothing(old: Path) -> None:
    for path in (old / "records").rglob("*.yaml"):
        path.write_text(f"# moved\n\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    assert told(judged(old, MAIN)) == []
    write(old, "new", f"id: new\n{BAD}")
    assert told(judged(old, MAIN)) == [("CON001", "new.yaml"), ("IDN009", "new.yaml")]


def test_what_is_mended_beside_it_hides_nothing(old: Path) -> None:
    write(old, "old-1", "id: old-1\n")
    write(old, "old-2", f"id: old-2\n{OLD_FAULTS.replace('nobodys', 'somebodys')}")
    assert ("IDN003", "old-2.yaml") in told(judged(old, MAIN))


def test_a_link_that_the_branch_breaks_is_new_in_a_file_that_it_did_not_touch(old: Path) -> None:
    (old / "records/accelerators/example-gpu-80gb.yaml").unlink()
    found = judged(old, MAIN)
    assert {one.code for one in found.findings} == {"IDN003"}
    assert {one.path for one in found.findings} > {BASE, f"{FOLDER}/old-0.yaml"}


def test_a_branch_that_lags_behind_is_not_asked_for_what_came_since(old: Path, git: Git) -> None:
    git(old, "switch", "--quiet", "main")
    write(old, "old-1", "id: old-1\n")
    write(old, "theirs", f"id: theirs\n{BAD}")
    committed(old, git)
    git(old, "switch", "--quiet", "topic")
    assert told(judged(old, MAIN)) == []
    write(old, "new", f"id: new\n{BAD}")
    assert told(judged(old, MAIN)) == [("CON001", "new.yaml"), ("IDN009", "new.yaml")]


def test_a_record_that_was_refused_and_is_read_now_brings_all_its_findings(
    old: Path, git: Git
) -> None:
    git(old, "switch", "--quiet", "main")
    (old / FOLDER / "old-1.yaml").write_text("id: [\n", encoding="utf-8")
    committed(old, git)
    git(old, "switch", "--quiet", "--create", "mends")
    write(old, "old-1", f"id: old-1\n{OLD_FAULTS}")
    codes = {code for code, path in told(judged(old, MAIN)) if path == "old-1.yaml"}
    assert codes >= {"CON001", "IDN003", "PRO001"}


def test_another_fault_of_a_refused_file_is_new(old: Path, git: Git) -> None:
    (old / FOLDER / "old-1.yaml").write_text("id: old-1\nx: &x 1\n", encoding="utf-8")
    committed(old, git)
    git(old, "branch", "--force", "main", "topic")
    (old / FOLDER / "old-1.yaml").write_text("# moved\nid: old-1\nx: &x 1\n", encoding="utf-8")
    assert told(judged(old, MAIN)) == []
    (old / FOLDER / "old-1.yaml").write_text("id: old-1\nx: 1\n", encoding="utf-8")
    assert {code for code, _ in told(judged(old, MAIN))} == {"SCH001"}


def refuse(root: Path, name: str) -> Path:
    """Write a file that is refused, and return its path."""
    path = root / FOLDER / f"{name}.yaml"
    path.write_text("id: [\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "here", "there", "asked", "code"),
    [
        ("before as well", ["bad"], ["bad"], "CON", 0),
        ("only now", ["bad"], [], "CON", 1),
        ("only now, and its form is asked for", ["bad"], [], "SCH005", 1),
        ("one more", ["bad", "worse"], ["bad"], "CON", 1),
        ("elsewhere before", ["worse"], ["bad"], "CON", 1),
        ("before, and no more", [], ["bad"], "CON", 0),
        ("before, and its text is asked for", ["bad"], ["bad"], "CON,SCH", 0),
        ("only now, and its text is asked for", ["bad"], [], "CON,SCH", 1),
    ],
)
def test_a_refused_file_that_no_rule_could_be_asked_of_fails_where_it_was_not_refused_before(
    name: str, here: list[str], there: list[str], asked: str, code: int, base: Path, git: Git
) -> None:
    git(base, "init", "--quiet")
    refused = [refuse(base, one) for one in there]
    committed(base, git)
    for path in refused:
        path.unlink()
    for one in here:
        refuse(base, one)
    words = ["audit", "--select", asked, "--registry", str(base)]
    assert run([*words, "--base-ref", "HEAD"]) == code, name
    assert run(words) == bool(here), name


def test_a_refused_file_that_was_not_asked_for_fails_nothing(base: Path, git: Git) -> None:
    git(base, "init", "--quiet")
    committed(base, git)
    refuse(base, "bad")
    words = ["audit", "--select", "CON", "--registry", str(base), "--base-ref", "HEAD"]
    assert run([*words, str(base / BASE)]) == 0
    assert run([*words, str(base / FOLDER)]) == 1


def test_a_refused_file_is_known_where_the_baseline_says_so(base: Path) -> None:
    refuse(base, "bad")
    words = ["audit", "--registry", str(base)]
    file = str(base / "known.jsonl")
    assert run([*words, "--select", "CON", "--write-baseline", file]) == 1
    assert run([*words, "--select", "CON", "--baseline", file]) == 1
    assert run([*words, "--write-baseline", file]) == 0
    assert run([*words, "--select", "CON", "--baseline", file]) == 0
    refuse(base, "worse")
    assert run([*words, "--select", "CON", "--baseline", file]) == 1


def test_only_what_is_asked_for_is_new(old: Path) -> None:
    write(old, "new", f"id: new\n{BAD}")
    write(old, "other", f"id: other\n{BAD}")
    found = judged(old, MAIN, old / FOLDER / "new.yaml", select=("CON",))
    assert told(found) == [("CON001", "new.yaml")]
    assert found.known == 0


@pytest.mark.parametrize("place", ["top", "folder", "worktree", "detached"])
def test_it_works_wherever_the_registry_lies(place: str, old: Path, git: Git) -> None:
    root = old
    if place == "folder":
        (old / "inner").mkdir()
        git(old, "mv", "records", "inner/records")
        git(old, "commit", "--quiet", "--message", "moved")
        git(old, "branch", "--force", "main")
        root = old / "inner"
    if place == "worktree":
        git(old, "worktree", "add", "--quiet", "--detach", str(old.parent / "beside"))
        root = old.parent / "beside"
    if place == "detached":
        git(old, "switch", "--quiet", "--detach")
    write(root, "new", f"id: new\n{BAD}")
    assert told(judged(root, MAIN)) == [("CON001", "new.yaml"), ("IDN009", "new.yaml")]
    shutil.rmtree(old.parent / "beside", ignore_errors=True)


SCRIPT = """\
from pathlib import Path
from benchreg.audit.catalogue import usual_rules
from benchreg.audit.engine import audit
from benchreg.cli.since import Since, narrowed
from benchreg.registry.load import load
root = Path({root!r})
registry = load(root)
report = audit(registry, usual_rules())
report = narrowed(report, registry, usual_rules(), Since(base_ref="main"), root).report
Path({out!r}).write_text(repr([one.code + one.path[-8:] for one in report.findings]))
"""


@pytest.mark.parametrize("how", ["commit", "commit -a", "commit from elsewhere", "amend"])
def test_it_works_in_a_hook(
    how: str, old: Path, git: Git, tmp_path_factory: pytest.TempPathFactory
) -> None:
    beside = tmp_path_factory.mktemp("beside")
    (beside / "run.py").write_text(
        SCRIPT.format(root=str(old), out=str(beside / "found")), encoding="utf-8"
    )
    hook = old / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        f"#!/bin/sh\nenv > {beside}/environment\nexec {sys.executable} {beside}/run.py\n",
        encoding="utf-8",
    )
    hook.chmod(0o755)
    write(old, "new", f"id: new\n{BAD}")
    if how == "commit -a":
        git(old, "add", "--intent-to-add", "--all")
        git(old, "commit", "--quiet", "--all", "--message", "new")
    else:
        git(old, "add", "--all")
        place = (
            (beside, f"--git-dir={old}/.git", f"--work-tree={old}")
            if "elsewhere" in how
            else (old,)
        )
        amend = ("--amend",) if how == "amend" else ()
        git(*place, "commit", "--quiet", *amend, "--message", "new")
    assert "GIT_INDEX_FILE" in (beside / "environment").read_text(encoding="utf-8")
    found = (beside / "found").read_text(encoding="utf-8")
    assert found == "['CON001new.yaml', 'IDN009new.yaml']"


@pytest.mark.parametrize(
    ("ref", "message"),
    [
        ("origin/main", "there is no commit 'origin/main' here; fetch it: git fetch origin"),
        ("--all", "'--all' is no commit here"),
        ("", "'' is no commit here"),
    ],
)
def test_a_base_that_is_not_there_is_bad_use_even_where_nothing_is_found(
    ref: str, message: str, base: Path, git: Git
) -> None:
    git(base, "init", "--quiet")
    committed(base, git)
    with pytest.raises(BenchregError, match=message):
        judged(base, Since(base_ref=ref))


def test_a_folder_that_is_not_under_git_is_bad_use(base: Path, git: Git) -> None:
    del git
    with pytest.raises(BenchregError, match="lies in no git repository"):
        judged(base, MAIN)


@rule("TST001", Severity.ERROR, over=Record)
def it_crashes(record: Record, registry: Registry) -> list[Problem]:
    """A rule has a bug."""
    raise KeyError(record.id, registry.today)


def test_a_crash_is_never_known(old: Path) -> None:
    registry, rules = load(old, today=TODAY), (it_crashes, *chosen(["CON"], []))
    for since in (MAIN, Since(baseline=known_in(old)), Since(write_baseline=old / "other")):
        report = narrowed(audit(registry, rules), registry, rules, since, old).report
        assert len(report.crashes) == MANY + 2
        assert {crash.code for crash in report.crashes} == {"TST001"}
    assert not (old / "other").exists()


def known_in(root: Path, *paths: Path) -> Path:
    file = root / "known.jsonl"
    judged(root, Since(write_baseline=file), *paths)
    return file


def test_what_is_written_is_known_from_then_on(old: Path) -> None:
    everything = len(judged(old, Since()).findings)
    file = old / "known.jsonl"
    report = judged(old, Since(write_baseline=file))
    assert (report.findings, report.known) == ((), everything)
    report = judged(old, Since(baseline=file))
    assert (report.findings, report.known, report.stale) == ((), everything, 0)
    write(old, "new", f"id: new\n{BAD}")
    assert told(judged(old, Since(baseline=file))) == [
        ("CON001", "new.yaml"),
        ("IDN009", "new.yaml"),
    ]


def test_what_is_found_no_more_is_counted(old: Path) -> None:
    file = known_in(old)
    gone = sum(path == "old-7.yaml" for _, path in told(judged(old, Since())))
    (old / FOLDER / "old-7.yaml").unlink()
    assert judged(old, Since(baseline=file)).stale >= gone >= 3
    assert judged(old, Since(baseline=file), old / FOLDER / "old-8.yaml").stale == 0
    assert judged(old, Since(baseline=file), select=("CON001",)).stale == 1


def test_a_baseline_is_the_same_whoever_writes_it(old: Path) -> None:
    first = known_in(old).read_bytes()
    for path in (old / "records").rglob("*.yaml"):
        path.write_text(f"# moved\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    lines = known_in(old).read_bytes().splitlines()
    assert [json.loads(line) for line in lines] == [json.loads(line) for line in first.splitlines()]


@pytest.mark.parametrize("name", ["missing", "a folder", "malformed"])
def test_a_baseline_that_cannot_be_read_is_bad_use(name: str, base: Path) -> None:
    file = base if name == "a folder" else base / "known.jsonl"
    if name == "malformed":
        file.write_bytes(b"<<<<<<<\n")
    message = "known.jsonl:1: the head" if name == "malformed" else "cannot be read: .*; write one"
    with pytest.raises(BenchregError, match=message):
        judged(base, Since(baseline=file))


def test_a_baseline_is_written_whole_or_not_at_all(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = known_in(old)
    file.chmod(0o640)
    before, names = file.read_bytes(), sorted(old.iterdir())
    write(old, "new", f"id: new\n{BAD}")

    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fails)
        with pytest.raises(BenchregError, match="cannot be written: No space left on device"):
            known_in(old)
    assert file.read_bytes() == before
    assert sorted(old.iterdir()) == names
    assert known_in(old).read_bytes() != before
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_baseline_that_is_a_link_stays_one(base: Path) -> None:
    (base / "known.jsonl").symlink_to("elsewhere.jsonl")
    known_in(base)
    assert (base / "known.jsonl").is_symlink()
    assert (base / "elsewhere.jsonl").read_text(encoding="ascii").startswith('{"format"')


def test_a_baseline_that_is_no_plain_file_is_left_alone(base: Path) -> None:
    (base / "known").mkdir()
    with pytest.raises(BenchregError, match="known: is there already, and is not a plain file"):
        judged(base, Since(write_baseline=base / "known"))
    assert list((base / "known").iterdir()) == []


def test_a_baseline_where_no_folder_is_is_bad_use(base: Path) -> None:
    with pytest.raises(BenchregError, match="known: cannot be written: there is no folder"):
        judged(base, Since(write_baseline=base / "nothing/known"))


@click.command
@click.option("--other", is_flag=True)
@since_options
def command(since: Since, *, other: bool) -> int:
    """Say what was given."""
    click.echo(f"{since} {other}")
    return 0


@pytest.mark.parametrize(
    ("arguments", "since"),
    [
        ([], Since()),
        (["--base-ref", "main"], Since(base_ref="main")),
        (["--base-ref", "-x"], Since(base_ref="-x")),
        (["--base-ref", ""], Since(base_ref="")),
        (["--baseline", "a"], Since(baseline=Path("a"))),
        (["--write-baseline", "a"], Since(write_baseline=Path("a"))),
    ],
)
def test_a_command_takes_the_options_as_one(arguments: list[str], since: Since) -> None:
    done = CliRunner().invoke(command, ["--other", *arguments], standalone_mode=False)
    assert (done.exception, done.output) == (None, f"{since} True\n")


def test_only_one_of_the_options_may_be_used() -> None:
    done = CliRunner().invoke(command, ["--base-ref", "main", "--baseline", "a"])
    assert isinstance(done.exception, BenchregError)
    assert str(done.exception) == "use one of --base-ref, --baseline and --write-baseline"


def test_without_an_option_the_report_stays_as_it_is(base: Path) -> None:
    registry, rules = load(base), chosen([], [])
    report = audit(registry, rules)
    assert narrowed(report, registry, rules, Since(), base).report is report
