"""What the tests of the judges stand on: a text that is read, and all that is told of it."""

from collections.abc import Callable

import pytest

from benchreg.registry.document import Document, Place
from benchreg.registry.judge import judge
from benchreg.registry.read import Reader
from benchreg.registry.refusal import Refusal

Told = list[tuple[str, str, str, Place]]


@pytest.fixture(scope="session")
def read() -> Callable[[str], Document]:
    """Read a document with a reader of its own."""
    return _read


@pytest.fixture(scope="session")
def refusals() -> Callable[[str, str], Told]:
    """The kind, message, hint and place of every reason why a text is no entity."""

    def told(kind: str, text: str) -> Told:
        document = _read(text)
        found = judge(kind, document)
        assert isinstance(found, list), found
        return [(one.kind, one.message, one.hint, _place(document, one)) for one in found]

    return told


def _read(text: str) -> Document:
    return Reader().read("file.yaml", text.encode())


def _place(document: Document, refusal: Refusal) -> Place:
    """Return where a refusal points: at the value, or at the key."""
    return (document.value_place if refusal.on_value else document.place)(refusal.at)
