"""What a maintainer relies on: of a request, the audit tells what that brings, and nothing else.

Here it is the installed program, and git. The registry is the shipped catalogue and the records of
one shipped source, each of them a second time with faults in it: more than three hundred errors and
warnings are there before the request.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchreg.registry.roots import own_root

Done = subprocess.CompletedProcess[str]
Found = list[tuple[str, str, str]]

PROGRAM = Path(sys.executable).with_name("benchreg")
SHIPPED = own_root() / "records"
CATALOGUE = ("accelerators", "engines", "metrics", "models", "sources")
SOURCE = "benchmarks/databricks-llm-inference-practices"
FOLDER = f"records/{SOURCE}"
BATCH = f"{FOLDER}/mpt-7b-a100-static-b64.yaml"
NEW, TOTAL, SEEN = (f"{FOLDER}/{name}.yaml" for name in ("new", "total", "seen"))
SETTINGS = """\
[user]
  name = A tester
  email = tester@example.org
[init]
  defaultBranch = main
"""
OUTSIDE = ("GIT_", "GITHUB_", "CI_")  # what a hook or a service that runs the tests has set
EVERYTHING = ("audit", "--show", "note", "--format", "json")
SINCE_MAIN = (*EVERYTHING, "--base-ref", "main")

# A total, and in a file of its own what one request sees of it.
OF_ALL = """
results:
  output_rate:
    metric: output_throughput
    scope: system
    value: 800
    unit: tok/s
    seen_by_request: seen#user_rate
"""
OF_ONE = """
results:
  user_rate:
    metric: output_rate_per_request
    scope: per_request
    value: 12.5
    unit: tok/s
    aggregate: total#output_rate
"""


def spoilt(text: str, name: str) -> str:
    """Return a record under another name, without a locator and a warm-up, of a model of nobody."""
    for pattern, instead in (
        (r"^id: .*$", f"id: {name}"),
        (r"^ +aliases: .*\n", ""),  # a name is taken once
        (r"^sweep: .*\n", ""),
        (r"^model:\n  id: ", "model:\n  id: nobodys-"),
        (r"^source:\n(  id: .*\n)  locator: .*\n", r"source:\n\1"),
        (r"^  load\.warmup:\n(?:    .*\n)+", ""),
    ):
        text = re.sub(pattern, instead, text, flags=re.MULTILINE)
    return text


def rebuilt(text: str, name: str, results: str) -> str:
    """Return a record under another name, with other results and nothing behind them."""
    head = text.partition("\nresults:")[0]
    return re.sub(r"^id: .*$", f"id: {name}", head, flags=re.MULTILINE) + results


class Repository:
    """A folder under git, and the program and git run in it as a maintainer runs them."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root, self.home = root, home

    @property
    def environment(self) -> dict[str, str]:
        own = {name: one for name, one in os.environ.items() if not name.startswith(OUTSIDE)}
        path = os.pathsep.join([str(self.home), str(PROGRAM.parent), os.environ["PATH"]])
        settings = {"GIT_CONFIG_GLOBAL": f"{self.home}/gitconfig", "GIT_CONFIG_NOSYSTEM": "1"}
        return {**own, **settings, "PATH": path, "HOME": str(self.home)}

    def run(self, *words: str) -> Done:
        return subprocess.run(
            words, cwd=self.root, env=self.environment, capture_output=True, text=True, check=False
        )

    def git(self, *words: str) -> str:
        done = self.run("git", *words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def audit(self, *words: str) -> tuple[int, Found]:
        """Run the audit, and return its code and what it told: severity, code and path."""
        done = self.run("benchreg", *words)
        assert done.stderr == ""
        return done.returncode, found(done.stdout)

    def commit(self, message: str = "more") -> Done:
        self.git("add", "--all")
        return self.run("git", "commit", "--quiet", "--message", message)

    def write(self, path: str, text: str) -> None:
        (self.root / path).write_text(text, encoding="utf-8")

    def read(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def hook(self, name: str, script: str) -> None:
        file = self.root / ".git/hooks" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        file.chmod(0o755)

    def clone(self, name: str, *words: str) -> "Repository":
        there = self.root.parent / name
        self.git("clone", "--quiet", *words, f"file://{self.root}", str(there))
        return Repository(there, self.home)


def found(document: str) -> Found:
    """Return severity, code and path of each finding, and assert that the run was complete."""
    told = json.loads(document)
    assert told["summary"]["complete"]
    return sorted((one["severity"], one["code"], one["path"]) for one in told["findings"])


@pytest.fixture(scope="module")
def main(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """The repository before the request; whoever changes it takes a copy."""
    home = tmp_path_factory.mktemp("home")
    (home / "gitconfig").write_text(SETTINGS, encoding="utf-8")
    one = Repository(home / "main", home)
    for folder in (*CATALOGUE, SOURCE):
        shutil.copytree(SHIPPED / folder, one.root / "records" / folder)
    for path in sorted((SHIPPED / SOURCE).glob("*.yaml")):
        name = f"old-{path.stem}"
        one.write(f"{FOLDER}/{name}.yaml", spoilt(path.read_text(encoding="utf-8"), name))
    one.write(TOTAL, rebuilt(one.read(BATCH), "total", OF_ALL))
    one.write(SEEN, rebuilt(one.read(BATCH), "seen", OF_ONE))
    one.git("init", "--quiet")
    assert one.commit("before").returncode == 0
    return one


@pytest.fixture(scope="module")
def bad(main: Repository) -> str:
    """A record with faults, which is the same in every request."""
    return spoilt(main.read(BATCH), "new")


@pytest.fixture(scope="module")
def faults(main: Repository, bad: str, tmp_path_factory: pytest.TempPathFactory) -> Found:
    """What the audit tells of the bad record where nothing is known."""
    root = tmp_path_factory.mktemp("alone") / "main"
    shutil.copytree(main.root / "records", root / "records")
    one = Repository(root, main.home)
    one.write(NEW, bad)
    _, told = one.audit(*EVERYTHING, NEW)
    errors = [code for severity, code, _ in told if severity == "error"]
    assert errors == ["CON001", "IDN003", "PRO001"]
    assert {path for *_, path in told} == {NEW}
    return told


@pytest.fixture
def branch(main: Repository, tmp_path: Path) -> Repository:
    """A branch of its own, which begins at main."""
    home = tmp_path / "home"
    home.mkdir()
    shutil.copy(main.home / "gitconfig", home)
    shutil.copytree(main.root, tmp_path / "branch")
    one = Repository(tmp_path / "branch", home)
    one.git("switch", "--quiet", "--create", "topic")
    return one


def test_there_are_three_hundred_findings_before(main: Repository) -> None:
    code, told = main.audit(*EVERYTHING)
    assert code == 1
    assert len([one for one in told if one[0] in ("error", "warning")]) > 300


def test_a_bad_record_is_all_that_is_told(branch: Repository, bad: str, faults: Found) -> None:
    branch.write(NEW, bad)
    assert branch.audit(*SINCE_MAIN) == (1, faults)
    branch.commit()
    done = branch.run("benchreg", "audit", "--base-ref", "main")
    assert done.returncode == 1
    assert re.findall(r"--> (\S+\.yaml)", done.stdout) == [NEW] * 3
    assert re.search(
        r"^3 errors, \d+ warnings, \d+ notes; [3-9]\d\d known$", done.stdout, re.MULTILINE
    )


def moved(text: str) -> str:
    """Return a document with its blocks in the opposite order, and comments between them."""
    head, *blocks = re.split(r"^(?=[a-z_]+:)", text, flags=re.MULTILINE)
    return head + "".join(f"\n# moved\n{block.rstrip()}\n" for block in reversed(blocks))


def test_lines_that_move_in_other_files_change_nothing(
    branch: Repository, bad: str, faults: Found
) -> None:
    files = [path for path in (branch.root / FOLDER).glob("*.yaml") if path.name != "seen.yaml"]
    for path in files:
        path.write_text(moved(path.read_text(encoding="utf-8")), encoding="utf-8")
    assert len(branch.git("diff", "--name-only").splitlines()) == len(files) > 70
    branch.write(NEW, bad)
    assert branch.audit(*SINCE_MAIN) == (1, faults)


@pytest.mark.parametrize(
    ("name", "before", "after", "code"),
    [
        ("the record is gone", r"(?s).*", "", "IDN003"),
        ("it names the other no more", "    aggregate: .*\n", "", "IDN005"),
        ("it is of another load", "batch_size: 64", "batch_size: 32", "IDN006"),
    ],
)
def test_a_link_that_breaks_is_told_in_the_file_that_was_not_touched(
    name: str, before: str, after: str, code: str, branch: Repository
) -> None:
    text = re.sub(before, after, branch.read(SEEN), count=1)
    branch.write(SEEN, text) if text else (branch.root / SEEN).unlink()
    branch.commit()
    assert branch.git("diff", "--name-only", "main").split() == [SEEN]
    ended, told = branch.audit(*SINCE_MAIN)
    assert ended == 1
    assert ("error", code, TOTAL) in told, name
    assert {path for *_, path in told} <= {TOTAL, SEEN}


AUDIT = "exec benchreg audit --base-ref main --show note --format json"


@pytest.mark.parametrize(
    ("place", "variable"), [("branch", "GIT_INDEX_FILE"), ("beside", "GIT_DIR")]
)
def test_a_hook_of_git_stops_the_bad_commit_alone(
    place: str, variable: str, branch: Repository, bad: str, faults: Found
) -> None:
    branch.git("worktree", "add", "--quiet", "-b", "other", str(branch.root.parent / "beside"))
    branch.hook("pre-commit", f"env > '{branch.home}/set'\n{AUDIT}='{branch.home}/told'")
    one = Repository(branch.root.parent / place, branch.home)
    one.write(NEW, bad)
    assert one.commit().returncode == 1
    assert found((one.home / "told").read_text(encoding="utf-8")) == faults
    assert f"\n{variable}=" in (one.home / "set").read_text(encoding="utf-8")


def test_a_hook_of_git_lets_a_good_commit_pass(branch: Repository) -> None:
    branch.hook("pre-commit", AUDIT)
    branch.write("records/README.md", "Records.\n")
    assert branch.commit().returncode == 0
    assert branch.git("log", "--format=%s", "main..").split() == ["more"]


def test_a_push_of_a_bad_record_is_stopped(branch: Repository, bad: str) -> None:
    far = branch.root.parent / "far"
    branch.git("init", "--quiet", "--bare", str(far))
    branch.git("remote", "add", "origin", str(far))
    branch.hook("pre-push", AUDIT)
    branch.write(NEW, bad)
    branch.commit()
    assert branch.run("git", "push", "--quiet", "origin", "topic").returncode == 1
    assert branch.git("ls-remote", "origin") == ""
    (branch.root / NEW).unlink()
    branch.commit()
    branch.git("push", "--quiet", "origin", "topic")
    assert branch.git("ls-remote", "origin").endswith("refs/heads/topic\n")


def test_a_worktree_is_as_good(branch: Repository, bad: str, faults: Found) -> None:
    beside = Repository(branch.root.parent / "beside", branch.home)
    branch.git("worktree", "add", "--quiet", "--detach", str(beside.root))
    beside.write(NEW, bad)
    assert beside.audit(*SINCE_MAIN) == (1, faults)


def of_another_user(one: Repository) -> None:
    """Let git take every folder for one of another user."""
    real = shutil.which("git")
    (one.home / "git").write_text(
        f'#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec {real} "$@"\n', encoding="utf-8"
    )
    (one.home / "git").chmod(0o755)


@pytest.mark.parametrize(
    ("name", "words", "command"),
    [
        (
            "a ref that was not fetched",
            ["--single-branch", "--branch=topic"],
            "git fetch origin main:refs/remotes/origin/main",
        ),
        (
            "a shallow clone",
            ["--depth=1", "--no-single-branch", "--branch=topic"],
            "git fetch --unshallow",
        ),
        (
            "another user",
            ["--branch=topic"],
            "git config --global --add safe.directory {root}",
        ),
    ],
)
def test_where_no_base_can_be_had_the_command_that_is_told_mends_it(
    name: str, words: list[str], command: str, branch: Repository, bad: str, faults: Found
) -> None:
    branch.write(NEW, bad)
    branch.commit()
    one = branch.clone("clone", *words)
    if name == "another user":
        of_another_user(one)
    since = (*EVERYTHING, "--base-ref", "origin/main")
    done = one.run("benchreg", *since)
    mend = command.format(root=one.root)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("benchreg: ")
    assert done.stderr.endswith(f": {mend}\n")
    one.git(*mend.split()[1:])
    assert one.audit(*since) == (1, faults)
