"""Names in a run file -> entries of the catalogue; what is not known stays the file's words."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchreg.importers.cells import slug
from benchreg.importers.statement import RunError, Statement, Tree
from benchreg.registry.registry import Registry
from benchreg.values.errors import BenchregError
from benchreg.values.text import nearest, shown

_PATH = re.compile(r"(?:[A-Za-z]:)?[/\\~.]|.*[/\\].*[/\\]")
_HUB = re.compile(r"https://huggingface\.co/([^/?#]+/[^/?#]+)/?")
_VENDOR = re.compile(r"(?:nvidia|amd(?:-instinct)?|intel|apple)-")
_LINK = re.compile(
    r"(?P<model>model\.id)|(?P<engine>engine\.id)"
    r"|(?P<accelerator>hardware\.pools\.[0-9]+\.accelerator)"
)
KINDS = {"model": "models", "accelerator": "accelerators", "engine": "engines"}


@dataclass(slots=True)
class Names:
    """The names and aliases of a registry's catalogue, looked up without regard to case.

    `unknown` are the words that nothing answered to, each with what a contributor can do.
    """

    registry: Registry
    _known: dict[str, dict[str, set[str]]] = field(default_factory=dict)
    unknown: dict[tuple[str, str], str] = field(default_factory=dict)

    def resolve(self, found: Statement) -> None:
        """Link the model, parts and engine of a statement where their words name one entry."""
        tree = found.tree
        for block, kind in (("model", "model"), ("engine", "engine")):
            if block in tree:
                self._link(kind, tree[block], "id")
        for pool in tree.get("hardware", {}).get("pools", ()):
            self._link("accelerator", pool, "accelerator")

    def given(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a contributor states, with ids for the names in it.

        Raises BenchregError for a name that the catalogue does not have.
        """
        return {path: self._id(path, value) for path, value in fields.items()}

    def _id(self, path: str, value: Any) -> Any:
        kind = (found := _LINK.fullmatch(path)) and found.lastgroup
        if not kind or value in getattr(self.registry, KINDS[kind]):
            return value
        ids = self.of(kind, value)
        if len(ids) != 1:
            raise BenchregError(f"--set {path}: {self._advice(kind, value, ids)}")
        return ids.pop()

    def agree(self, found: Statement, fields: Mapping[str, Any]) -> None:
        """Raise RunError where a contributor's id is none of those that the file's words name."""
        blocks = {"model.id": found.tree.get("model"), "engine.id": found.tree.get("engine")}
        for count, pool in enumerate(found.tree.get("hardware", {}).get("pools", ())):
            blocks[f"hardware.pools.{count}.accelerator"] = pool
        for path in sorted(blocks.keys() & fields.keys()):
            words = basename((blocks[path] or {}).get("described_as", ""))
            kind = path.rpartition(".")[2] if path.endswith("accelerator") else path.split(".")[0]
            ids = self.of(kind, words) if words else set()
            if ids and fields[path] not in ids:
                which = f"{shown(words, 100)!r} ({', '.join(sorted(ids))})"
                raise RunError(f"the file says {path} is {which}; --set cannot say {fields[path]}")

    def _link(self, kind: str, block: Tree, key: str) -> None:
        words = block.get("described_as")
        if words is None or key in block:
            return
        block["described_as"] = words = basename(words)
        ids = self.of(kind, words)
        if len(ids) == 1:
            del block["described_as"]
            block[key] = ids.pop()
        else:
            self.unknown[(kind, words)] = self._advice(kind, words, ids)

    def of(self, kind: str, words: str) -> set[str]:
        """Return the ids that words name: an id, a name, an alias, or `owner/name` of the hub.

        Case and punctuation tell nothing apart, nor does a vendor before the name of a part. A
        name with another owner is another model, however alike it looks.
        """
        if kind not in self._known:
            self._known[kind] = self._index(kind)
        return set(self._known[kind].get(_key(words), ()))

    def _index(self, kind: str) -> dict[str, set[str]]:
        index: dict[str, set[str]] = {}
        for key, entity in getattr(self.registry, KINDS[kind]).items():
            for name in (key, *_names(entity)):
                index.setdefault(_key(name), set()).add(key)
        return index

    def _advice(self, kind: str, words: str, ids: set[str]) -> str:
        if ids:
            which = ", ".join(sorted(ids))
            return f"{kind} {shown(words)!r} could be {which}; say which with --set {kind}=ID"
        near = nearest(words, getattr(self.registry, KINDS[kind]))
        add = f"add it with `benchreg add {kind}`"
        hint = f"the nearest are {', '.join(near)}: --set {kind}=ID, or {add}" if near else add
        return f"{kind} {shown(words)!r} is not in the catalogue; {hint}"


def _key(words: str) -> str:
    """Return what words are looked up by: letters and digits, without a vendor before them."""
    *owner, name = words.rsplit("/", 1)
    plain = _VENDOR.sub("", slug(name))
    return f"{owner[0].casefold()}/{plain}" if owner else plain


def _names(entity: object) -> Iterator[str]:
    yield from (name for name in (getattr(entity, "name", ""),) if name)
    yield from (alias for alias in getattr(entity, "aliases", ()) if isinstance(alias, str))
    if found := _HUB.fullmatch(str(getattr(entity, "url", ""))):
        yield found[1]


def basename(words: str) -> str:
    """Return the last part of a path on somebody's machine; other words as they are."""
    if _PATH.match(words):
        parts = [part for part in re.split(r"[/\\]+", words) if part not in ("", ".", "..", "~")]
        return parts[-1] if parts else words
    return words
