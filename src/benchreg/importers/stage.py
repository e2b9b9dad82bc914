"""Drafts -> files beside the registry, to be moved in together; what is there is never lost."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from os.path import lexists

from benchreg.importers.cells import RowError
from benchreg.importers.draft import Account, Draft, Dropped
from benchreg.importers.place import Placing
from benchreg.importers.update import updated
from benchreg.registry.comments import comments_of
from benchreg.registry.dialect import DialectError
from benchreg.registry.load import contents
from benchreg.registry.save import Staging


@dataclass(slots=True)
class Outcome:
    """What became of everything that was read; `written` and `changed` are paths."""

    account: Account = field(default_factory=Account)
    written: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: int = 0

    @property
    def refused(self) -> list[Dropped]:
        """What could not be placed."""
        return self.account.refused

    def refuse(self, draft: Draft, reason: str) -> None:
        """Note a draft whose record cannot stand."""
        self.account.drop(draft.where, reason, refused=True)

    def nothing(self) -> None:
        """Note that what was staged is not moved in."""
        self.written, self.changed = [], []


def placed(
    drafts: Iterable[Draft], placing: Placing, outcome: Outcome
) -> Iterator[tuple[Draft, str]]:
    """Yield each draft with the text of its record; refused ones are noted."""
    ids: set[str] = set()
    for draft in drafts:
        if draft.id in ids:
            outcome.refuse(draft, f"another one has the id {draft.id}; make it finer")
            continue
        ids.add(draft.id)
        try:
            yield draft, placing.text(placing.path(draft), draft.tree)
        except RowError as error:
            outcome.refuse(draft, str(error))


def stage(  # noqa: PLR0913  (what is staged, where, and what is told of it)
    staging: Staging, draft: Draft, text: str, placing: Placing, outcome: Outcome, *, update: bool
) -> None:
    """Stage a record's text; one that is there is left, refused, or with `update` brought up."""
    path = placing.path(draft)
    there = staging.root / path
    if not lexists(there):
        staging.add(path, text)
        outcome.written.append(path)
        return
    try:
        data = contents(there)
    except OSError as error:
        outcome.refuse(draft, f"{path} is there and cannot be read: {error.strerror or error}")
        return
    if data == text.encode():
        outcome.unchanged += 1
        return
    if not update:
        outcome.refuse(draft, f"{path} is there already; --update brings it up to date")
        return
    try:
        document = placing.tree(path, data)
        old, comments = document.tree, comments_of(document.text)
        new = placing.text(path, updated(old, draft.tree), comments)
    except (DialectError, RowError) as error:
        outcome.refuse(draft, f"{path} cannot be brought up to date: {error}")
        return
    if new == placing.form(path, old, comments):
        outcome.unchanged += 1
        return
    staging.add(path, new, replace=True)
    outcome.changed.append(path)
