"""Files -> their canonical form, with every comment."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchreg.registry.comments import comments_of
from benchreg.registry.dialect import MOST_BYTES, DialectError
from benchreg.registry.document import Document
from benchreg.registry.load import contents, files, kind_of, unread
from benchreg.registry.read import Reader
from benchreg.registry.refusal import Refusal
from benchreg.registry.write import write


class Edition(NamedTuple):
    """A file as it is, the text that was read from it, and what should be there."""

    path: str
    data: bytes
    before: str
    after: str

    @property
    def is_canonical(self) -> bool:
        """Whether the file is in the canonical form, to the byte."""
        return self.data == self.after.encode()

    @property
    def line(self) -> int:
        """The number of the first line that is not as it should be."""
        lines = self.before.split("\n"), self.after.split("\n")
        same = (one == other for one, other in zip(*lines, strict=False))
        first = next((number for number, equal in enumerate(same, 1) if not equal), None)
        if first is None and self.before != self.after:
            return min(map(len, lines))
        return first or 1


def canonical(kind: str, document: Document, path: str) -> str:
    """Return the canonical text of a document, comments included, as `write` writes it."""
    return write(kind, document.tree, path, comments_of(document.text))


def editions(root: Path, among: Callable[[str], bool]) -> Iterator[Edition | Refusal]:
    """Yield every file of the registry that is asked for, or why it cannot be read, by path.

    Raises BenchregError where there is no registry.
    """
    paths, refusals = files(root)
    refused = {refusal.path: refusal for refusal in refusals}
    reader, above = Reader(), below_schema(root)
    for path in filter(among, sorted([*paths, *refused])):
        if path in refused:
            yield refused[path]
        elif kind := kind_of(path):
            yield _edition(root / path, path, kind, above, reader)


def _edition(file: Path, path: str, kind: str, above: str, reader: Reader) -> Edition | Refusal:
    try:
        data = contents(file)
        document = reader.read(path, data)
    except (OSError, DialectError) as error:
        return unread(path, error)
    after = canonical(kind, document, above + path)
    if len(after.encode()) > MOST_BYTES:
        return Refusal(path, "dialect", "too large in the canonical form", "split it")
    return Edition(path, data, document.text, after)


def below_schema(root: Path) -> str:
    """Return where a registry lies below the nearest folder with `schema/`, as a prefix of paths.

    Where there is none it is empty: the schemas are looked for beside `records/`.
    """
    here = root.absolute()
    for folder in (here, *here.parents):
        if (folder / "schema/record.schema.json").is_file():
            return "".join(f"{part}/" for part in here.relative_to(folder).parts)
    return ""
