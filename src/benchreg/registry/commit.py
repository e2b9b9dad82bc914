"""A commit -> Registry, by the same way as a folder, without a checkout."""

import hashlib
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path

from benchreg.registry.dialect import MOST_BYTES
from benchreg.registry.git import LINK, SUBMODULE, Leaf, blobs, leaves
from benchreg.registry.load import BESIDE, Found, collected, linked, misnamed, misplaced
from benchreg.registry.refusal import Refusal
from benchreg.registry.registry import Entry, Registry


def load_commit(root: Path, commit: str, like: Registry | None = None) -> Registry:
    """Return the registry that a commit holds at `root/records`; empty where it holds none.

    `commit` is an object id. Where another registry is given, it is judged by the same judges and
    on the same day, and takes each entry that has the same text at the same path. Raises
    BenchregError where git cannot tell.
    """
    held = list(_vetted(leaves(root, commit, "records")))
    if like is None:
        return collected(_found(root, held, {}))
    found = _found(root, held, _known(held, like))
    today = date.fromisoformat(like.today) if like.today else None
    return collected(found, cross_validate=like.cross_validated, today=today)


Vetted = tuple[Leaf, Refusal | None]


def _vetted(held: Iterable[Leaf]) -> Iterator[Vetted]:
    """Yield what should be an entity, and why something else is none; a folder is refused once."""
    refused: set[str] = set()
    for leaf in held:
        refusal = misnamed(leaf.path) and _first_misnamed(leaf.path)
        if refusal is None:
            if leaf.mode in _NO_FILES or leaf.path.rpartition("/")[2] not in BESIDE:
                yield leaf, _no_file(leaf) or misplaced(leaf.path)
        elif refusal.path not in refused:
            refused.add(refusal.path)
            yield leaf, refusal


_NO_FILES = (LINK, SUBMODULE)


def _first_misnamed(path: str) -> Refusal | None:
    """Return the refusal of the highest folder on a path, or the file, whose name is refused."""
    steps = path.split("/")
    above = ("/".join(steps[:depth]) for depth in range(1, len(steps) + 1))
    return next((refusal for part in above if (refusal := misnamed(part))), None)


def _no_file(leaf: Leaf) -> Refusal | None:
    if leaf.mode == LINK:
        return linked(leaf.path)
    if leaf.mode == SUBMODULE:
        return Refusal(leaf.path, "dialect", "a submodule", "put the files themselves here")
    return None


def _known(held: Iterable[Vetted], like: Registry) -> dict[str, Entry]:
    """Return the entries whose text is the one that the commit holds at their path."""
    ids = {leaf.path: leaf.id for leaf, refusal in held if refusal is None}
    return {
        entry.document.path: entry
        for entry in like.entries
        if (id_ := ids.get(entry.document.path)) and _id(entry.document.text, len(id_)) == id_
    }


def _id(text: str, length: int) -> str:
    """Return the object id of a text, as git makes it (gitformat-loose; SHA-1 or SHA-256)."""
    data = text.encode()
    whole = b"blob %d\0%b" % (len(data), data)
    if length == 64:
        return hashlib.sha256(whole).hexdigest()
    return hashlib.sha1(whole, usedforsecurity=False).hexdigest()


def _found(root: Path, held: Iterable[Vetted], known: dict[str, Entry]) -> Iterator[Found]:
    unread = []
    for leaf, refusal in held:
        if refusal is not None:
            yield leaf.path, refusal
        elif leaf.path in known:
            yield leaf.path, known[leaf.path]
        else:
            unread.append(leaf)
    read = blobs(root, [leaf.id for leaf in unread], MOST_BYTES)
    yield from ((leaf.path, data) for leaf, data in zip(unread, read, strict=True))
