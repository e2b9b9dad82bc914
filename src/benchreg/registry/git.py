"""Git, asked and never trusted: what a ref means, and the files that a commit holds as bytes."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, NamedTuple

from benchreg.values.errors import BenchregError
from benchreg.values.text import shown

TIMEOUT_S = 120
INSTEAD = "compare with a file instead: --baseline FILE"
_OPTIONS = (
    *("--no-pager", "--no-optional-locks", "--no-replace-objects", "--literal-pathspecs"),
    *("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}"),
)
# What a hook sets is of its own repository and index. What stays says where git and its settings
# are, `safe.directory` among them, and where the search for a repository ends.
_KEPT = ("GIT_CONFIG_", "GIT_EXEC_PATH", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_")
_SET = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # git before 2.45 knows no other way to fetch nothing
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
    "LANGUAGE": "C",
}
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_LEAF = re.compile(rb"([0-7]{6}) (?:blob|tree|commit) ([0-9a-f]{40,64})\t(.+)", re.DOTALL)
_SIZE = re.compile(rb"([0-9a-f]{40,64}) blob ([0-9]{1,18})")
_PLAIN_REF = re.compile(r"(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_.-]+)*")
FOLDER, LINK, SUBMODULE = "040000", "120000", "160000"


class Leaf(NamedTuple):
    """What a commit holds at a path: its mode, as git writes it, and its object."""

    mode: str
    id: str
    path: str


class _Answer(NamedTuple):
    code: int
    out: bytes
    error: str


def merge_base(root: Path, ref: str) -> str:
    """Return the newest commit that HEAD and a ref have in common, as an object id.

    Raises BenchregError, with the command that mends it, where there is none.
    """
    _prefix(root)
    theirs = _commit(root, ref)
    if theirs is None:
        raise BenchregError(_no_ref(root, ref))
    ours = _commit(root, "HEAD")
    if ours is None:
        raise BenchregError(f"{root}: HEAD is no commit yet; make one: git commit")
    answer = _git(root, "merge-base", "--end-of-options", theirs, ours)
    if answer.code == 0:
        return _id(answer)
    if answer.code == 1 and not answer.out:
        raise BenchregError(_nothing_common(root, ref))
    raise _failure(root, "merge-base", answer)


def leaves(root: Path, commit: str, folder: str) -> list[Leaf]:
    """Return all that a commit holds in a folder of `root`, with paths below `root`.

    A folder that is not in the commit holds nothing. Raises BenchregError where it is no folder.
    """
    whole = f"{_prefix(root)}{folder}"
    found = _listed(root, commit, whole)
    if not found:
        return []
    if len(found) > 1 or found[0].mode != FOLDER:
        raise BenchregError(f"{folder}/ is no folder in the commit {commit[:12]}; {INSTEAD}")
    return [leaf._replace(path=f"{folder}/{leaf.path}") for leaf in _listed(root, found[0].id)]


def blobs(root: Path, ids: Iterable[str], most: int) -> Iterator[bytes]:
    """Yield the bytes of each object; of one that has more than `most`, as many zeros and one.

    Raises BenchregError where one is not there.
    """
    ids = list(ids)
    if not ids:
        return
    sizes = [_size(root, line, id_) for line, id_ in _sizes(root, ids)]
    wanted = [id_ for id_, size in zip(ids, sizes, strict=True) if size <= most]
    with _batch(root, "--batch", wanted) as answer:
        for id_, size in zip(ids, sizes, strict=True):
            yield _blob(root, answer, id_, size) if size <= most else bytes(most + 1)
        if answer.read(1):
            raise _garbage("cat-file")


def _sizes(root: Path, ids: list[str]) -> Iterator[tuple[bytes, str]]:
    with _batch(root, "--batch-check", ids) as answer:
        for id_ in ids:
            yield answer.readline(200).removesuffix(b"\n"), id_


def _size(root: Path, line: bytes, id_: str) -> int:
    if line == f"{id_} missing".encode():
        raise _not_here(root)
    found = _SIZE.fullmatch(line)
    if found is None or found[1].decode() != id_:
        raise _garbage("cat-file")
    return int(found[2])


def _blob(root: Path, answer: IO[bytes], id_: str, size: int) -> bytes:
    if _size(root, answer.readline(200).removesuffix(b"\n"), id_) != size:
        raise _garbage("cat-file")
    data = answer.read(size)
    if len(data) != size or answer.read(1) != b"\n":
        raise _garbage("cat-file")
    return data


def _batch(root: Path, how: str, ids: list[str]) -> IO[bytes]:
    """Ask one process for all objects; its answer comes as a file, so that nobody waits."""
    answer: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (the caller closes it)
    with tempfile.TemporaryFile() as asked:
        asked.writelines(f"{id_}\n".encode() for id_ in ids)
        asked.seek(0)
        told = _git(root, "cat-file", how, "--buffer", asked=asked, answer=answer)
    if told.code != 0:
        answer.close()
        raise _failure(root, "cat-file", told)
    answer.seek(0)
    return answer


def _prefix(root: Path) -> str:
    """Return where `root` lies in its work tree: empty, or a path with a slash at its end."""
    answer = _git(root, "rev-parse", "--is-inside-work-tree", "--show-prefix")
    inside, _, prefix = answer.out.partition(b"\n")
    if answer.code != 0:
        raise _failure(root, "rev-parse", answer)
    if inside == b"false":
        raise BenchregError(f"{root}: lies in no work tree of git; {INSTEAD}")
    if inside != b"true" or not prefix.endswith(b"\n"):
        raise _garbage("rev-parse")
    return os.fsdecode(prefix.removesuffix(b"\n"))


def _commit(root: Path, ref: str) -> str | None:
    """Return the object id of the commit that a ref means; None where it means none."""
    if not ref or "\0" in ref:
        return None
    given = f"{ref}^{{commit}}"
    answer = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", given)
    if answer.code == 0:
        return None if answer.out.startswith(b"^") else _id(answer)
    if answer.code == 1:
        return None
    raise _failure(root, "rev-parse", answer)


def _id(answer: _Answer) -> str:
    """Return the one object id that an answer is."""
    text = answer.out.decode("ascii", "replace").removesuffix("\n")
    if not _ID.fullmatch(text):
        raise _garbage("rev-parse")
    return text


def _listed(root: Path, tree: str, *paths: str) -> list[Leaf]:
    """Return one path of a tree, or all files below it."""
    deep = () if paths else ("-r",)
    answer = _git(root, "ls-tree", *deep, "-z", "--full-tree", "--end-of-options", tree, *paths)
    if answer.code != 0:
        raise _failure(root, "ls-tree", answer)
    if answer.out and not answer.out.endswith(b"\0"):
        raise _garbage("ls-tree")
    return [_leaf(line) for line in answer.out.split(b"\0")[:-1]]


def _leaf(line: bytes) -> Leaf:
    found = _LEAF.fullmatch(line)
    if found is None:
        raise _garbage("ls-tree")
    return Leaf(found[1].decode(), found[2].decode(), os.fsdecode(found[3]))


def _git(
    root: Path, *arguments: str, asked: IO[bytes] | None = None, answer: IO[bytes] | None = None
) -> _Answer:
    """Run git in a folder; its answer goes to a file where one is given."""
    program = shutil.which("git")
    if program is None:
        raise BenchregError(f"git is not installed, or not on PATH; install it, or {INSTEAD}")
    try:
        done = subprocess.run(  # noqa: S603  (no shell; a ref stands behind --end-of-options)
            [os.path.abspath(program), *_OPTIONS, *arguments],  # noqa: PTH100  (links are kept)
            cwd=root,
            env=_environment(),
            stdin=asked or subprocess.DEVNULL,
            stdout=answer or subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BenchregError(
            f"git {arguments[0]} gave no answer in {TIMEOUT_S} s; try it by hand, or {INSTEAD}"
        ) from None
    except OSError as error:
        told = error.strerror or error
        raise BenchregError(f"git cannot be run: {told}; {INSTEAD}") from None
    return _Answer(done.returncode, done.stdout or b"", done.stderr.decode("utf-8", "replace"))


def _environment() -> dict[str, str]:
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith(_KEPT)
    }
    return own | _SET


def _failure(root: Path, command: str, answer: _Answer) -> BenchregError:
    """Return in one line what git said, and the command that mends it where there is one."""
    lines = [line.strip() for line in answer.error.splitlines() if line.strip()]
    trust = next((line for line in lines if line.startswith("git config --global --add")), "")
    if trust:
        return BenchregError(f"{root}: its repository belongs to another user; trust it: {trust}")
    if "not a git repository" in answer.error:
        return BenchregError(f"{root}: lies in no git repository; clone it, or {INSTEAD}")
    if "promisor remote" in answer.error:
        return _not_here(root)
    told = next((line for line in lines if line.startswith(("fatal:", "error:"))), "")
    words = told or (lines[-1] if lines else f"it ended with {answer.code} and said nothing")
    return BenchregError(f"git {command} failed: {shown(words)}; see what is wrong: git fsck")


def _not_here(root: Path) -> BenchregError:
    return BenchregError(
        f"{root}: objects of the base are not here (a partial clone, or a damaged one); "
        "fetch them: git fetch --refetch --no-filter"
    )


def _garbage(command: str) -> BenchregError:
    return BenchregError(
        f"git {command} gave an answer that is none; see which program it is: git --version"
    )


def _no_ref(root: Path, ref: str) -> str:
    """Say that a ref is not there, and how it is fetched."""
    if not _PLAIN_REF.fullmatch(ref):
        return f"'{shown(ref)}' is no commit here; name a branch: --base-ref origin/main"
    if _ID.fullmatch(ref):
        return f"the commit {ref} is not here; fetch it: git fetch origin {ref}"
    if _commit(root, f"origin/{ref}"):
        return f"there is no commit {ref!r} here, and a branch of origin: --base-ref origin/{ref}"
    first, _, rest = ref.partition("/")
    listed = _git(root, "remote").out.decode("utf-8", "replace").split()
    remote, branch = (first, rest) if rest and first in ("origin", *listed) else ("origin", ref)
    fetch = f"git fetch {remote} {branch}:refs/remotes/{remote}/{branch}"
    name = "" if f"{remote}/{branch}" == ref else f", and name it --base-ref {remote}/{branch}"
    return f"there is no commit {ref!r} here; fetch it: {fetch}{name}"


def _nothing_common(root: Path, ref: str) -> str:
    """Say that HEAD and a ref have no commit in common, and how the history is fetched."""
    shallow = _git(root, "rev-parse", "--is-shallow-repository").out.strip() == b"true"
    told = f"HEAD and {shown(ref)} have no commit in common"
    if shallow:
        return f"{told} in this shallow clone; fetch the history: git fetch --unshallow"
    return f"{told}; name the branch that this one began at: --base-ref REF"
