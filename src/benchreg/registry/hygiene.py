"""Values that stand where a fact should, and text that could deceive."""

from collections.abc import Iterator
from typing import Final

from benchreg.registry.document import Document, Pointer, leaves, written_pointer
from benchreg.registry.refusal import Refusal
from benchreg.registry.schema import allowed_at, schema_of
from benchreg.values.text import is_placeholder, shown, unsafe_part

QUOTING: Final = frozenset(
    (
        *("after", "before", "blank", "contains", "delimiter"),
        *("differs", "equals", "split", "text", "thousands"),
    )
)


def hygiene(kind: str, document: Document) -> Iterator[Refusal]:
    """Yield a refusal for every empty value, placeholder and unsafe text of a document."""
    for at, value in leaves(document.tree):
        if isinstance(value, str) and (part := unsafe_part(value)):
            where, hint = written_pointer(at), "write plain text, in one line or folded"
            message = f"{where} holds {part}"
            yield Refusal(document.path, "unsafe", message, hint, at, on_value=True)
        elif kind == "mapping" and not QUOTING.isdisjoint(at):
            continue  # what a cell says is no fact of ours: `N/A`, or nothing at all
        elif value is None or value in ("", [], {}):
            yield _placeholder(kind, document, at, "an empty value")
        elif isinstance(value, str) and is_placeholder(value):
            yield _placeholder(kind, document, at, f"the placeholder {shown(value, 40)!r}")


def _placeholder(kind: str, document: Document, at: Pointer, what: str) -> Refusal:
    return Refusal(
        document.path,
        "placeholder",
        f"{written_pointer(at)} holds {what}",
        _instead(kind, at),
        at,
        on_value=True,
    )


def _instead(kind: str, at: Pointer) -> str:
    """Return what to write: a fact where one must stand, else nothing, and in a record why not."""
    if at and at[-1] in allowed_at(kind, at[:-1]).get("required", ()):
        return "write what it is; the key must be there"
    condition = ".".join(str(key) for key in at[:2])
    if kind == "record" and condition in schema_of(kind)["$defs"]["Absences"]["properties"]:
        return f"leave the key out, and write `{condition}: not_stated` under `absent`"
    return "leave the key out"
