"""The texts of documents in which something is found; what many share is looked into once."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

from benchreg.registry.document import Document, Pointer, leaves
from benchreg.registry.registry import Registry
from benchreg.values.confidential import has_leak, might_leak
from benchreg.values.quotes import has_long_quotation, might_quote

Text = tuple[Pointer, str]
What = Literal["leaks", "long quotations"]


class Sought(NamedTuple):
    """What is looked for: `has` tells of one text, and `might` quickly of several in lines.

    `might` is true wherever `has` is true of one of the lines.
    """

    might: Callable[[str], bool]
    has: Callable[[str], bool]


SOUGHT: Final[Mapping[What, Sought]] = {
    "leaks": Sought(might_leak, has_leak),
    "long quotations": Sought(might_quote, has_long_quotation),
}


def texts(registry: Registry, document: Document, what: What) -> Sequence[Text]:
    """Return each text of a document of a registry in which something of a kind is, with its place.

    What was found in a block is remembered as long as the registry is.
    """
    if not document.blocks:
        return tuple(_within(document.tree, SOUGHT[what]))
    memory = _memory(registry)
    memory.look(document)
    found = memory.found[what]
    if not found:
        return ()
    return [text for _, block in document.blocks for text in found.get(id(block), ())]


@dataclass(frozen=True, slots=True)
class _Memory:
    """The documents and blocks that were looked into, by their ids, and what some blocks hold."""

    seen: set[int] = field(default_factory=set)
    found: dict[What, dict[int, tuple[Text, ...]]] = field(
        default_factory=lambda: {what: {} for what in SOUGHT}
    )

    def look(self, document: Document) -> None:
        """Look into the blocks of a document that are new."""
        if id(document) in self.seen:
            return
        new = [block for _, block in document.blocks if id(block) not in self.seen]
        self.seen.update(map(id, (document, *new)))
        lines = "\n".join(_strings((block.tree for block in new), []))
        for what, sought in SOUGHT.items():
            if sought.might(lines):
                for block in new:
                    if found := tuple(_within(block.tree, sought)):
                        self.found[what][id(block)] = found


@lru_cache(maxsize=2)
def _memory(registry: Registry) -> _Memory:
    """Return what is known of a registry, which keeps what it holds and so the ids alive."""
    del registry
    return _Memory()


def _within(tree: Any, sought: Sought) -> Iterator[Text]:
    for at, text in leaves(tree):
        if isinstance(text, str) and sought.has(text):
            yield at, text


def _strings(tree: Iterable[Any], into: list[str]) -> list[str]:
    """Return every text below a tree, without its place; most blocks are read no further."""
    for value in tree.values() if isinstance(tree, dict) else tree:
        kind = type(value)
        if kind is str:
            into.append(value)
        elif kind is dict or kind is list:
            _strings(value, into)
    return into
