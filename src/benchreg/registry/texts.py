"""The texts of files, for whoever shows a line of one."""

from collections.abc import Callable

from benchreg.registry.dialect import DialectError, decode
from benchreg.registry.registry import Registry

Texts = Callable[[str], str]


def texts(registry: Registry, read: Callable[[str], bytes]) -> Texts:
    """Return what gives the text of a file by its path; empty where there is none to show.

    Of a file that is no document only the place of its fault is known, so it is `read` again. It
    is not where no such place is known: then nobody looked into it, or it is no plain file.
    """
    placed = {refusal.path for refusal in registry.refusals if refusal.place is not None}

    def text(path: str) -> str:
        document = registry.documents.get(path)
        if document is not None:
            return document.text
        return _read(read, path) if path in placed else ""

    return text


def _read(read: Callable[[str], bytes], path: str) -> str:
    try:
        return decode(read(path), whatever=True)
    except (OSError, DialectError):
        return ""
