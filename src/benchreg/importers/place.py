"""A draft -> a file: written in the canonical form, read back, and judged."""

from dataclasses import dataclass, field

from benchreg.importers.cells import RowError
from benchreg.importers.draft import Draft
from benchreg.registry.dialect import DialectError
from benchreg.registry.document import Document, Tree
from benchreg.registry.judge import Parts, judge
from benchreg.registry.read import Reader
from benchreg.registry.write import NO_COMMENTS, Comments, write

REMEMBERED = 2_000


@dataclass(slots=True)
class Placing:
    """Places the drafts of one import; what they share is read and judged once.

    `above` is the way from the folder of the schemas to the registry. What is remembered is
    forgotten after some thousand drafts, so that a table of any length is placed in the memory
    of a short one.
    """

    above: str = ""
    reader: Reader = field(default_factory=Reader)
    parts: Parts = field(default_factory=dict)
    placed: int = 0

    def path(self, draft: Draft) -> str:
        """Return where a draft's record lies below the root."""
        source = draft.tree.get("source", {}).get("id", "")
        if not isinstance(source, str) or not source:
            raise RowError("the record names no source")
        folder = f"{draft.folder}/" if draft.folder else ""
        return f"records/benchmarks/{source}/{folder}{draft.id}.yaml"

    def form(self, path: str, tree: Tree, comments: Comments = NO_COMMENTS) -> str:
        """Return the canonical form of a tree, whether it is a record or not."""
        return write("record", tree, self.above + path, comments)

    def text(self, path: str, tree: Tree, comments: Comments = NO_COMMENTS) -> str:
        """Return the file's text; raises RowError where the tree is no record."""
        text = self.form(path, tree, comments)
        self._forget()
        try:
            document = self.reader.read(path, text.encode())
        except DialectError as error:
            raise RowError(f"the record cannot be written: {error.message}") from None
        found = judge("record", document, parts=self.parts)
        if isinstance(found, list):
            first = found[0]
            hint = f"; {first.hint}" if first.hint else ""
            raise RowError(f"{first.message}{hint}")
        return text

    def _forget(self) -> None:
        self.placed += 1
        if self.placed % REMEMBERED == 0:
            self.reader, self.parts = Reader(), {}

    def tree(self, path: str, data: bytes) -> Document:
        """Return the document that is there; raises DialectError where it is none."""
        return self.reader.read(path, data)
