"""An importer: the shape by which the files of a harness are known, and the reader of it."""

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from pydantic import ValidationError

from benchreg.importers import harness as harnesses
from benchreg.importers.foreign import Foreign
from benchreg.importers.opened import Opened, Piece
from benchreg.importers.statement import RepeatedError, RunError, Statement
from benchreg.values.errors import BenchregError
from benchreg.values.text import shown, suggestion

WHOLE = "the file: "  # where a reason is of no place within it
MOST_RUNS, MOST_BAD = 100_000, 100
Reader = Callable[[Any, Opened], Iterator[Statement | RunError]]


@dataclass(frozen=True, slots=True)
class Importer:
    """One format of one harness.

    `harness` is what the record names as such, `save` the command line that writes the file, and
    `never` says of each condition that the file does not state why not, in a sentence. `shape`
    is what its trees fit; `sheet` makes such trees of tables, where it reads tables or texts, and
    `gather` makes one of the trees of a file that hold one run between them. `page` is its
    documentation.
    """

    name: str
    harness: str
    shape: type[Foreign]
    save: str
    never: Mapping[str, str]
    read: Reader
    sheet: Callable[[Opened], list[Piece]] | None
    page: str
    gather: Callable[[Opened], list[Piece]] | None = None

    def pieces(self, file: Opened) -> Iterator[Piece]:
        """Yield the trees that the importer looks at: the file's own, or those of its tables."""
        if file.form in ("table", "text"):
            yield from self.sheet(file) if self.sheet else ()
        elif self.gather:
            yield from self.gather(file)
        else:
            yield from file.pieces()

    def lacks(self, tree: Any) -> list[str] | None:
        """Return why a tree is none of its shape, a line each; None where it fits."""
        if not isinstance(tree, dict):
            return ["an object with fields"]
        if other := sorted(self.shape.without & tree.keys()):
            return [f"no field {shown(other[0], 40)!r}"]
        try:
            self.shape.model_validate(tree)
        except ValidationError as error:
            return [fault(one) for one in error.errors(include_url=False, include_input=False)]
        return None


def importer(  # noqa: PLR0913  (all that makes an importer, by name)
    name: str,
    *,
    harness: str,
    shape: type[Foreign],
    save: str,
    never: Mapping[str, str],
    sheet: Callable[[Opened], list[Piece]] | None = None,
    gather: Callable[[Opened], list[Piece]] | None = None,
) -> Callable[[Reader], Importer]:
    """Make an importer of a reader: it gets what fits the shape, and the file that holds it."""

    def make(read: Reader) -> Importer:
        page = " ".join((read.__doc__ or "").split())
        return Importer(name, harness, shape, save, never, read, sheet, page, gather)

    return make


def fault(error: Mapping[str, Any]) -> str:
    """Return one fault of a tree in words: where, and what should be there."""
    at = "/".join(str(step) for step in error["loc"] if step != "function-before")
    what = "is missing" if error["type"] == "missing" else str(error["msg"]).removeprefix("Input ")
    return f"/{shown(at, 80)} {what}"


@cache
def all_importers() -> tuple[Importer, ...]:
    """Return every importer, by name. Raises RuntimeError where two share one."""
    found = [
        value
        for module in pkgutil.iter_modules(harnesses.__path__)
        for value in vars(importlib.import_module(f"{harnesses.__name__}.{module.name}")).values()
        if isinstance(value, Importer)
    ]
    if len({one.name for one in found}) != len(found):
        raise RuntimeError("two importers share a name")
    return tuple(sorted(found, key=lambda one: one.name))


def called(name: str) -> Importer:
    """Return the importer of a name; raises BenchregError for a name that none has."""
    known = [one.name for one in all_importers()]
    if name not in known:
        near = suggestion(name, known) or f"there are {', '.join(known)}"
        raise BenchregError(f"no importer is called {shown(name)!r}; {near}")
    return next(one for one in all_importers() if one.name == name)


class _Miss(NamedTuple):
    share: float
    importer: Importer
    faults: list[str]


def recognised(file: Opened) -> Importer:
    """Return the one importer whose shape the first tree of a file fits.

    Raises RunError where none or several fit: what was looked for, and the nearest miss.
    """
    fitting, missed = [], []
    for one in all_importers():
        first = next(one.pieces(file), None)
        if first is None:
            continue
        faults = one.lacks(first.tree)
        if faults is None:
            fitting.append(one)
        elif isinstance(first.tree, dict) and not one.shape.without & first.tree.keys():
            needed = [f for f in one.shape.model_fields.values() if f.is_required()]
            missed.append(_Miss(len(faults) / max(len(needed), 1), one, faults))
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = ", ".join(one.name for one in fitting)
        raise RunError(f"could be of several harnesses ({names}); say which with --as")
    raise RunError(_unknown(missed))


def fits(one: Importer, file: Opened) -> bool:
    """Tell whether the first tree of a file fits the shape of an importer."""
    first = next(one.pieces(file), None)
    return first is not None and one.lacks(first.tree) is None


def _unknown(missed: list[_Miss]) -> str:
    looked = ", ".join(sorted({one.harness for one in all_importers()}, key=str.casefold))
    near = min(missed, default=None, key=lambda miss: (miss.share, miss.importer.name))
    if near is None or near.share >= 1:
        return f"is of no harness that is known: {looked}"
    faults = "; ".join(near.faults[:3])
    return f"is of no harness that is known; the nearest is {near.importer.name}: {faults}"


def statements(one: Importer, file: Opened) -> Iterator[Statement | RunError]:
    """Yield what each tree of a file states; a tree that cannot be read yields the reason.

    A reason begins with the place of the tree; a RepeatedError is of the file, and the last. Raises
    RunError where the file ends badly, holds no run, or too many, or too many that are none.
    """
    bad = number = 0
    for number, piece in enumerate(one.pieces(file), 1):
        if number > MOST_RUNS:
            raise RunError(f"holds over {MOST_RUNS:,} runs; split it")
        for found in _stated(one, file, piece):
            bad += isinstance(found, RunError)
            yield found
            if isinstance(found, RepeatedError):
                return
        if bad >= MOST_BAD:
            raise RunError(f"{bad} of its runs are none; what comes after {piece.at} was not read")
    if not number:
        raise RunError(f"holds nothing that {one.name} could be")


def _stated(one: Importer, file: Opened, piece: Piece) -> Iterator[Statement | RunError]:
    """Yield what one tree states, or why it states nothing."""
    if not isinstance(piece.tree, dict):
        yield _placed(RunError("is no object with fields"), piece)
    elif faults := one.lacks(piece.tree):
        yield _placed(RunError(f"is no {one.name}: {'; '.join(faults[:3])}"), piece)
    else:
        yield from _read(one, file, piece)


def _read(one: Importer, file: Opened, piece: Piece) -> Iterator[Statement | RunError]:
    try:
        for found in one.read(one.shape.model_validate(piece.tree), file):
            if isinstance(found, RunError):
                yield _placed(found, piece)
                continue
            found.at = f"{piece.at}{found.at}"
            yield found
    except RunError as error:
        yield _placed(error, piece)


def _placed(error: RunError, piece: Piece) -> RunError:
    """Return a reason that begins with its place; a RepeatedError is of the whole file."""
    at = "" if isinstance(error, RepeatedError) else piece.at
    return type(error)(f"{at}: {error}" if at else f"{WHOLE}{error}")
