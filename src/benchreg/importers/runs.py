"""Run files -> drafts: each file by the one importer that knows it, each run with what is given."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchreg.importers.complete import Context, draft
from benchreg.importers.draft import Account, Draft
from benchreg.importers.given import contribute
from benchreg.importers.importer import WHOLE, Importer, fits, recognised, statements
from benchreg.importers.joined import joined
from benchreg.importers.names import Names
from benchreg.importers.opened import Opened, opened
from benchreg.importers.public import public
from benchreg.importers.statement import RepeatedError, RunError, Statement
from benchreg.importers.submission import LeftOut
from benchreg.importers.walk import Asked
from benchreg.values.text import shown

MOST_TOLD, MOST_LINES = 600, 30


@dataclass(slots=True)
class Runs:
    """One import of run files: what is shared, and what is to be told at its end.

    `fields` are what the contributor states beside the files, `forced` the importer that is
    asked for. `remarks` are by place what somebody has to look at.
    """

    context: Context
    fields: Mapping[str, Any] = field(default_factory=dict)
    forced: Importer | None = None
    account: Account = field(default_factory=Account)
    remarks: dict[str, list[str]] = field(default_factory=dict)
    names: Names = field(init=False)
    _homes: dict[int, tuple[Opened, Importer]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.names = Names(self.context.registry)

    def drafts(self, paths: Iterable[Asked | LeftOut]) -> Iterator[Draft]:
        """Yield the drafts of files; what is no draft is accounted for.

        What no importer knows, and what another file of the same run says better, is left out of
        a folder; a file that was named itself is refused.
        """
        for found in joined(self._stated(paths)):
            if isinstance(found, RunError):  # none is: they are accounted for below
                continue
            self.account.merged -= 1
            file, one = self._homes.pop(id(found))
            try:
                yield self._draft(found, one, file)
            except RunError as error:
                self.account.drop(_where(file.path, found.at), public(str(error)), refused=True)

    def _stated(self, paths: Iterable[Asked | LeftOut]) -> Iterator[Statement]:
        for asked in paths:
            if isinstance(asked, LeftOut):
                self.account.drop(_where(asked.path), asked.reason, refused=False)
                continue
            try:
                file = opened(asked.path)
                one = self._importer(asked, file)
            except (RunError, OSError) as error:
                self.account.rows += asked.named
                reason = error.strerror if isinstance(error, OSError) else str(error)
                self._drop(asked, reason or "cannot be read", refused=asked.named)
                continue
            yield from self._of(asked, file, one)

    def _importer(self, asked: Asked, file: Opened) -> Importer:
        """Return the importer of a file; raises RunError where there is none."""
        if self.forced is None:
            return recognised(file)
        if not asked.named and not fits(self.forced, file):
            raise RunError(f"is no {self.forced.name}")
        return self.forced

    def _of(self, asked: Asked, file: Opened, one: Importer) -> Iterator[Statement]:
        before = self.account.rows
        try:
            for found in statements(one, file):
                self.account.rows += 1
                if isinstance(found, RunError):
                    again = isinstance(found, RepeatedError) and not asked.named
                    self._drop(asked, str(found), refused=not again)
                else:
                    self.account.merged += 1  # until it is seen to stand for itself
                    self._homes[id(found)] = (file, one)
                    yield found
        except (RunError, OSError) as error:
            self.account.rows += self.account.rows == before
            self._drop(asked, str(error), refused=True)

    def _drop(self, asked: Asked, reason: str, *, refused: bool) -> None:
        told = public(reason.removeprefix(WHOLE))
        self.account.drop(_where(asked.path), told, refused=refused)

    def _draft(self, found: Statement, one: Importer, file: Opened) -> Draft:
        self.names.agree(found, self.fields)
        contribute(found, self.fields)
        self.names.resolve(found)
        made = draft(found, one, file, self.context)
        if found.remarks:
            where = _where(file.path, found.at)
            self.remarks.setdefault(where, []).extend(found.remarks)
        return replace(made, where=_where(file.path, found.at))

    def advice(self) -> Iterator[str]:
        """Yield what a contributor has to look at, a line each: remarks, then names."""
        by_text: dict[str, list[str]] = {}
        for where, remarks in self.remarks.items():
            for text in remarks:
                by_text.setdefault(public(text), []).append(where)
        lines = [
            *(_remark(*one) for one in by_text.items()),
            *map(public, self.names.unknown.values()),
        ]
        yield from lines[:MOST_LINES]
        if len(lines) > MOST_LINES:
            yield f"and {len(lines) - MOST_LINES:,} more to look at"


def _remark(text: str, wheres: list[str]) -> str:
    more = f" and {len(wheres) - 1:,} more" if len(wheres) > 1 else ""
    return f"look at {shown(wheres[0])}{more}: {shown(text, MOST_TOLD)}"


def _where(path: Path, at: str = "") -> str:
    """Return the place of something that is told of an import."""
    return f"{path}, {at}" if at else str(path)
