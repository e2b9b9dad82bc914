"""Git is asked for a commit and its files; whatever keeps it from answering is one line."""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchreg.registry import git as door
from benchreg.registry.git import Leaf, blobs, leaves, merge_base
from benchreg.values.errors import BenchregError

Git = Callable[..., str]
Program = Callable[[str], None]
THERE_IS_NO = "there is no commit"
FETCH = "here; fetch it: git fetch"
NAME = "is no commit here; name a branch: --base-ref origin/main"


@pytest.fixture
def root(tmp_path: Path, git: Git) -> Path:
    """Return a repository with two commits on main, and a branch from the first with one more."""
    root = tmp_path / "repository"
    (root / "records").mkdir(parents=True)
    git(root, "init", "--quiet")
    commit(git, root, "a", "1\n")
    git(root, "branch", "topic")
    commit(git, root, "b", "2\n")
    git(root, "switch", "--quiet", "topic")
    commit(git, root, "c", "3\n")
    return root


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Return what puts a shell script in the place of git; `$real` is the one behind it."""
    real = next(path for folder in os.get_exec_path() if (path := Path(folder) / "git").is_file())

    def write(script: str) -> None:
        folder = tmp_path / "bin"
        folder.mkdir()
        (folder / "git").write_text(f"#!/bin/sh\nreal={real}\n{script}\n", encoding="utf-8")
        (folder / "git").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    return write


def commit(git: Git, root: Path, name: str, text: str) -> str:
    (root / "records" / name).write_text(text, encoding="utf-8")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", name)
    return git(root, "rev-parse", "HEAD")


def read(root: Path, of: str) -> dict[str, bytes]:
    found = leaves(root, of, "records")
    data = blobs(root, [leaf.id for leaf in found], 100)
    return {leaf.path: text for leaf, text in zip(found, data, strict=True)}


@pytest.mark.parametrize(
    "ref", ["main", "refs/heads/main", "main~1", "HEAD", "main^{commit}", "HEAD@{0}", "topic~1"]
)
def test_the_base_is_the_commit_that_both_have(ref: str, root: Path, git: Git) -> None:
    expected = git(root, "merge-base", "HEAD", ref)
    assert merge_base(root, ref) == expected


def test_a_commit_is_read_as_it_was_and_not_as_the_files_are(root: Path) -> None:
    (root / "records/a").write_text("changed\n", encoding="utf-8")
    assert read(root, merge_base(root, "main")) == {"records/a": b"1\n"}
    assert read(root, merge_base(root, "HEAD")) == {"records/a": b"1\n", "records/c": b"3\n"}


def test_the_registry_may_be_a_folder_of_the_work_tree(root: Path, git: Git) -> None:
    inner = root / "-odd :(top) * folder\n"
    (inner / "records").mkdir(parents=True)
    commit(git, inner, "d", "4\n")
    assert read(inner, merge_base(inner, "HEAD")) == {"records/d": b"4\n"}


def test_the_registry_may_be_reached_by_a_link(root: Path, git: Git, tmp_path: Path) -> None:
    inner = root / "inner"
    (inner / "records").mkdir(parents=True)
    commit(git, inner, "d", "4\n")
    (tmp_path / "link").symlink_to(inner)
    assert read(tmp_path / "link", merge_base(inner, "HEAD")) == {"records/d": b"4\n"}


def test_what_is_no_file_is_listed_with_its_mode(root: Path, git: Git) -> None:
    (root / "records/link").symlink_to("a")
    (root / "records/a").chmod(0o755)
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},records/module")
    git(root, "add", "records/link", "records/a")
    git(root, "commit", "--quiet", "--message", "modes")
    found = leaves(root, merge_base(root, "HEAD"), "records")
    assert [(leaf.mode, leaf.path) for leaf in found] == [
        ("100755", "records/a"),
        ("100644", "records/c"),
        ("120000", "records/link"),
        ("160000", "records/module"),
    ]


def test_a_name_is_read_as_it_is_whatever_is_in_it(root: Path, git: Git) -> None:
    names = ["a b", 'q"uote', "t\tab", "n\newline", "\u202e", os.fsdecode(b"\xff")]
    for name in names:
        (root / "records" / name).write_bytes(b"")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "names")
    expected = {f"records/{name}" for name in (*names, "a", "c")}
    assert {leaf.path for leaf in leaves(root, merge_base(root, "HEAD"), "records")} == expected


def test_what_is_too_large_is_not_read(root: Path, git: Git) -> None:
    sizes = {"large": 101, "just": 100, "none": 0}
    for name, size in sizes.items():
        commit(git, root, name, "x" * size)
    found = read(root, merge_base(root, "HEAD"))
    assert found["records/just"] == b"x" * 100
    assert found["records/large"] == bytes(101)
    assert found["records/none"] == b""


def test_ten_thousand_objects_are_one_question(root: Path, git: Git) -> None:
    id_ = git(root, "rev-parse", "HEAD:records/a")
    assert list(blobs(root, [id_] * 10_000, 100)) == [b"1\n"] * 10_000


def test_a_folder_that_the_commit_does_not_have_is_empty(root: Path) -> None:
    assert leaves(root, merge_base(root, "HEAD"), "other") == []


@pytest.mark.parametrize("name", ["a file", "a link"])
def test_records_that_are_no_folder_there_are_told(name: str, root: Path, git: Git) -> None:
    if name == "a file":
        (root / "other").write_bytes(b"")
    else:
        (root / "other").symlink_to("records")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "other")
    with pytest.raises(BenchregError, match="other/ is no folder in the commit"):
        leaves(root, merge_base(root, "HEAD"), "other")


def told(root: Path, ref: str) -> str:
    with pytest.raises(BenchregError) as raised:
        merge_base(root, ref)
    assert "\n" not in str(raised.value)
    return str(raised.value)


@pytest.mark.parametrize(
    ("ref", "message"),
    [
        ("nothing", (f"{THERE_IS_NO} 'nothing' {FETCH} origin nothing:refs/remotes/origin/nothing, "
         "and name it --base-ref origin/nothing")),
        ("origin/main", (f"{THERE_IS_NO} 'origin/main' {FETCH} origin "
         "main:refs/remotes/origin/main")),
        ("far/a/b", f"{THERE_IS_NO} 'far/a/b' {FETCH} far a/b:refs/remotes/far/a/b"),
        ("near", f"{THERE_IS_NO} 'near' here, and a branch of origin: --base-ref origin/near"),
        ("1" * 40, f"the commit {'1' * 40} is not here; fetch it: git fetch origin {'1' * 40}"),
        ("--all", f"'--all' {NAME}"),
        ("--output=x", f"'--output=x' {NAME}"),
        ("^main", f"'^main' {NAME}"),
        ("main..topic", f"'main..topic' {NAME}"),
        ("HEAD:records", f"'HEAD:records' {NAME}"),
        ("", f"'' {NAME}"),
        ("a\nb", rf"'a\nb' {NAME}"),
        ("a\0b", rf"'a\x00b' {NAME}"),
        ("\x1b[2J", rf"'\x1b[2J' {NAME}"),
        ("$(touch x)", f"'$(touch x)' {NAME}"),
        ("\udcff", rf"'\udcff' {NAME}"),
    ],
)  # fmt: skip
def test_a_ref_that_is_no_commit_is_told_with_what_fetches_it(
    ref: str, message: str, root: Path, git: Git
) -> None:
    git(root, "remote", "add", "origin", str(root))
    git(root, "remote", "add", "far", str(root))
    git(root, "update-ref", "refs/remotes/origin/near", "main")
    assert told(root, ref) == message


def test_a_repository_without_a_remote_has_its_refs_told_as_well(root: Path) -> None:
    message = f"{THERE_IS_NO} 'origin/main' {FETCH} origin main:refs/remotes/origin/main"
    assert told(root, "origin/main") == message


@pytest.mark.parametrize("ref", ["origin/main", "main"])
def test_the_command_that_fetches_a_ref_does_so(ref: str, root: Path, git: Git) -> None:
    clone = root.parent / "clone"
    git(root, "clone", "--quiet", "--single-branch", "--branch=topic", f"file://{root}", str(clone))
    message = told(clone, ref)
    found = re.search(r"git (fetch [^,]*)", message)
    assert found
    git(clone, *found[1].split())
    assert merge_base(clone, "origin/main") == git(root, "merge-base", "main", "topic")


def test_the_command_that_fetches_a_commit_does_so(root: Path, git: Git) -> None:
    clone = root.parent / "clone"
    git(root, "clone", "--quiet", "--single-branch", "--branch=topic", f"file://{root}", str(clone))
    message = told(clone, git(root, "rev-parse", "main"))
    git(clone, *message.partition("git ")[2].split())
    assert merge_base(clone, git(root, "rev-parse", "main"))


def test_a_shallow_clone_without_a_common_commit_is_told_and_mended(root: Path, git: Git) -> None:
    clone = root.parent / "clone"
    git(root, "clone", "--quiet", "--depth=1", "--no-single-branch", f"file://{root}", str(clone))
    message = told(clone, "origin/main")
    assert message == (
        "HEAD and origin/main have no commit in common in this shallow clone; fetch the history: "
        "git fetch --unshallow"
    )
    git(clone, *message.partition("git ")[2].split())
    assert merge_base(clone, "origin/main") == git(root, "merge-base", "main", "topic")


def test_a_shallow_clone_that_is_deep_enough_is_enough(root: Path, git: Git) -> None:
    clone = root.parent / "clone"
    git(root, "clone", "--quiet", "--depth=2", "--no-single-branch", f"file://{root}", str(clone))
    assert read(clone, merge_base(clone, "origin/main")) == {"records/a": b"1\n"}


def test_branches_that_share_nothing_are_told(root: Path, git: Git) -> None:
    git(root, "switch", "--quiet", "--orphan", "alone")
    (root / "records").mkdir(exist_ok=True)
    commit(git, root, "z", "9\n")
    assert told(root, "main") == (
        "HEAD and main have no commit in common; name the branch that this one began at: "
        "--base-ref REF"
    )


def test_a_branch_without_a_commit_is_told(root: Path, git: Git) -> None:
    git(root, "switch", "--quiet", "--orphan", "alone")
    assert told(root, "main") == f"{root}: HEAD is no commit yet; make one: git commit"


def test_an_object_that_was_never_fetched_is_told_and_not_fetched(root: Path, git: Git) -> None:
    clone = root.parent / "clone"
    git(root, "config", "uploadpack.allowFilter", "true")
    git(
        root, "clone", "--quiet", "--filter=blob:none", "--no-checkout", f"file://{root}",
        str(clone),
    )  # fmt: skip
    base = merge_base(clone, "origin/main")
    with pytest.raises(BenchregError, match="objects of the base are not here") as raised:
        read(clone, base)
    git(clone, *str(raised.value).partition("git ")[2].split())
    assert read(clone, base) == {"records/a": b"1\n"}


@pytest.mark.parametrize("state", ["detached", "worktree", "worktree of a bare repository"])
def test_other_states_of_a_work_tree_are_as_good(state: str, root: Path, git: Git) -> None:
    expected = git(root, "merge-base", "main", "topic")
    if state == "detached":
        git(root, "switch", "--quiet", "--detach", "topic")
    if state == "worktree of a bare repository":
        git(root, "clone", "--quiet", "--bare", str(root), str(root.parent / "bare"))
        root = root.parent / "bare"
    if "worktree" in state:
        git(root, "worktree", "add", "--quiet", "--detach", str(root.parent / "other"), "topic")
        root = root.parent / "other"
    assert merge_base(root, "main") == expected
    assert read(root, expected) == {"records/a": b"1\n"}


@pytest.mark.parametrize(
    "name", ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX",
             "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_CEILING_DIRECTORIES", "GIT_TRACE"],
)  # fmt: skip
def test_what_a_hook_sets_changes_nothing(
    name: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    assert read(root, merge_base(root, "main")) == {"records/a": b"1\n"}


def test_no_replacement_stands_in_for_an_object(root: Path, git: Git) -> None:
    one, other = (git(root, "rev-parse", f"HEAD:records/{name}") for name in "ac")
    git(root, "replace", one, other)
    assert read(root, merge_base(root, "main")) == {"records/a": b"1\n"}


def test_nothing_that_the_repository_names_is_run(root: Path, git: Git, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    run = tmp_path / "run"
    run.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n", encoding="utf-8")
    run.chmod(0o755)
    for setting in (
        *("core.fsmonitor", "core.pager", "pager.cat-file", "diff.external", "diff.x.textconv"),
        *("filter.x.smudge", "filter.x.clean", "core.sshCommand", "alias.cat-file"),
    ):
        git(root, "config", setting, str(run))
    (root / ".gitattributes").write_text("* diff=x filter=x\n", encoding="utf-8")
    assert read(root, merge_base(root, "main")) == {"records/a": b"1\n"}
    assert not mark.exists()


def test_a_folder_without_a_repository_is_told(tmp_path: Path, git: Git) -> None:
    del git
    assert told(tmp_path, "main") == (
        f"{tmp_path}: lies in no git repository; clone it, or compare with a file instead: "
        "--baseline FILE"
    )


def test_a_folder_in_no_work_tree_is_told(root: Path) -> None:
    assert told(root / ".git", "main") == (
        f"{root}/.git: lies in no work tree of git; compare with a file instead: --baseline FILE"
    )


def test_a_repository_of_another_user_is_told_with_the_command_that_trusts_it(
    root: Path, program: Program
) -> None:
    program('GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec "$real" "$@"')
    assert told(root, "main") == (
        f"{root}: its repository belongs to another user; trust it: "
        f"git config --global --add safe.directory {root}"
    )


def test_a_repository_that_is_trusted_is_read(
    root: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    program('GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec "$real" "$@"')
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "safe.directory")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(root))
    assert read(root, merge_base(root, "main")) == {"records/a": b"1\n"}


def test_without_git_there_is_no_base(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert told(root, "main") == (
        "git is not installed, or not on PATH; install it, or compare with a file instead: "
        "--baseline FILE"
    )


def test_a_git_that_cannot_be_run_is_told(root: Path, program: Program, tmp_path: Path) -> None:
    program("")
    (tmp_path / "bin/git").write_bytes(b"\x7fELF")
    assert told(root, "main") == (
        "git cannot be run: Exec format error; compare with a file instead: --baseline FILE"
    )


def test_a_git_that_hangs_is_not_waited_for(
    root: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    program("exec sleep 60")
    monkeypatch.setattr(door, "TIMEOUT_S", 0.2)
    assert told(root, "main") == (
        "git rev-parse gave no answer in 0.2 s; try it by hand, or compare with a file instead: "
        "--baseline FILE"
    )


def answers(root: Path) -> Iterator[str]:
    base = merge_base(root, "main")
    yield base
    yield from (text.decode() for text in read(root, base).values())


@pytest.mark.parametrize(
    ("name", "script"),
    [
        ("nothing at all", "exit 0"),
        ("text", "echo all is well"),
        ("bytes", r"printf '\377\000\n'"),
        ("no base", 'case "$*" in *merge-base*) echo main;; *) exec "$real" "$@";; esac'),
        ("half an id", 'case "$*" in *verify*) echo 12ab;; *) exec "$real" "$@";; esac'),
        ("a list that breaks off",
         'case "$*" in *"ls-tree"*) "$real" "$@" | head -c 20;; *) exec "$real" "$@";; esac'),
        ("a list of text", 'case "$*" in *ls-tree*) echo a b;; *) exec "$real" "$@";; esac'),
        ("no sizes", 'case "$*" in *batch-check*) cat;; *) exec "$real" "$@";; esac'),
        ("no contents", 'case "$*" in *"--batch "*) cat;; *) exec "$real" "$@";; esac'),
        ("contents that break off",
         'case "$*" in *"--batch "*) "$real" "$@" | head -c 50;; *) exec "$real" "$@";; esac'),
        ("contents and more",
         'case "$*" in *"--batch "*) "$real" "$@"; echo;; *) exec "$real" "$@";; esac'),
    ],
)  # fmt: skip
def test_an_answer_that_is_none_is_told(
    name: str, script: str, root: Path, program: Program
) -> None:
    program(script)
    with pytest.raises(BenchregError, match="gave an answer that is none; see which program it"):
        list(answers(root))
    assert name


@pytest.mark.parametrize("command", ["rev-parse", "merge-base", "ls-tree", "cat-file"])
def test_a_failure_is_told_in_the_words_of_git(command: str, root: Path, program: Program) -> None:
    script = f'case "$*" in *{command}*) echo "warning: w" >&2; echo "fatal: \\033[2Jit broke" >&2;'
    program(f'{script} exit 128;; *) exec "$real" "$@";; esac')
    with pytest.raises(BenchregError) as raised:
        list(answers(root))
    assert str(raised.value) == (
        f"git {command} failed: fatal: \\x1b[2Jit broke; see what is wrong: git fsck"
    )


def test_a_silent_failure_is_told_too(root: Path, program: Program) -> None:
    program("exit 77")
    assert told(root, "main") == (
        "git rev-parse failed: it ended with 77 and said nothing; see what is wrong: git fsck"
    )


def test_a_broken_object_is_no_empty_file(root: Path, git: Git) -> None:
    id_ = git(root, "rev-parse", "main~1:records/a")
    broken = root / ".git/objects" / id_[:2] / id_[2:]
    broken.chmod(0o644)
    broken.write_bytes(b"")
    with pytest.raises(BenchregError, match="objects of the base are not here"):
        read(root, merge_base(root, "main"))


def test_a_sha256_repository_is_read(tmp_path: Path, git: Git) -> None:
    (tmp_path / "records").mkdir()
    git(tmp_path, "init", "--quiet", "--object-format=sha256")
    commit(git, tmp_path, "a", "1\n")
    assert len(merge_base(tmp_path, "HEAD")) == 64
    assert read(tmp_path, merge_base(tmp_path, "HEAD")) == {"records/a": b"1\n"}


def test_a_leaf_is_what_git_lists(root: Path, git: Git) -> None:
    id_ = git(root, "rev-parse", "HEAD:records/a")
    assert leaves(root, merge_base(root, "HEAD"), "records")[0] == Leaf("100644", id_, "records/a")
