"""A registry in which some files read otherwise: what it would be, with nothing written."""

from collections.abc import Mapping

from benchreg.registry.dialect import DialectError
from benchreg.registry.document import Document
from benchreg.registry.judge import judge
from benchreg.registry.load import kind_of, unread
from benchreg.registry.read import Reader
from benchreg.registry.refusal import Refusal
from benchreg.registry.registry import Entry, Registry, build


def revised(registry: Registry, texts: Mapping[str, str]) -> Registry:
    """Return the registry with these texts at their paths, judged as it was and on its day.

    A path at which no entity belongs is passed over.
    """
    entries = [entry for entry in registry.entries if entry.document.path not in texts]
    refusals = [refusal for refusal in registry.refusals if refusal.path not in texts]
    documents = {path: one for path, one in registry.documents.items() if path not in texts}
    reader = Reader()
    for path, text in texts.items():
        kind = kind_of(path)
        if kind is None:
            continue
        try:
            document = reader.read(path, text.encode())
        except DialectError as error:
            refusals.append(unread(path, error))
            continue
        documents[path] = document
        found = _judged(kind, document, both=registry.cross_validated)
        if isinstance(found, Entry):
            entries.append(found)
        else:
            refusals += found
    return build(
        entries,
        refusals,
        documents,
        cross_validated=registry.cross_validated,
        today=registry.today,
    )


def _judged(kind: str, document: Document, *, both: bool) -> Entry | list[Refusal]:
    found = judge(kind, document, both=both)
    return found if isinstance(found, list) else Entry(kind, found, document)
