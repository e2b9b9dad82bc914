"""Drafts -> files beside the registry, to be moved in together; what is there is never lost."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from os.path import lexists

from benchreg.importers.cells import RowError
from benchreg.importers.draft import Account, Draft, Dropped
from benchreg.importers.existing import Existing, run_of
from benchreg.importers.place import Placing
from benchreg.importers.update import renewed, updated
from benchreg.registry.comments import comments_of
from benchreg.registry.dialect import DialectError
from benchreg.registry.document import Tree
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
    """Yield each draft with the text of its record; refused ones are noted.

    One that says what another said, word for word, is of a copy of the same file.
    """
    seen: dict[str, tuple[str, str]] = {}
    for draft in drafts:
        said = _said(draft)
        if draft.id in seen:
            where, before = seen[draft.id]
            if said and said == before:
                outcome.account.drop(draft.where, f"is a copy of {where}", refused=False)
            else:
                outcome.refuse(draft, f"another one has the id {draft.id}; make it finer")
            continue
        seen[draft.id] = draft.where, said
        try:
            yield draft, placing.text(placing.path(draft), draft.tree)
        except RowError as error:
            outcome.refuse(draft, str(error))


def _said(draft: Draft) -> str:
    """Return a digest of all that the draft of a run says, except where it lies."""
    if run_of(draft.tree) is None:
        return ""
    source = {key: one for key, one in draft.tree["source"].items() if key != "locator"}
    return sha256(repr(draft.tree | {"source": source}).encode()).hexdigest()


@dataclass(slots=True)
class Stager:
    """Stages the records of one import; with `update` those that are there are brought up."""

    staging: Staging
    placing: Placing
    outcome: Outcome
    update: bool = False
    existing: Existing = field(init=False)

    def __post_init__(self) -> None:
        self.existing = Existing(self.staging.root)

    def stage(self, draft: Draft, text: str) -> None:
        """Stage a record's text; one that is there is left, refused, or brought up to date."""
        path = self.placing.path(draft)
        if not lexists(self.staging.root / path):
            there = self.existing.path(draft.tree)
            if there is None:
                self.staging.add(path, text)
                self.outcome.written.append(path)
                return
            path = there
        try:
            data = contents(self.staging.root / path)
        except OSError as error:
            reason = f"{path} is there and cannot be read: {error.strerror or error}"
            self.outcome.refuse(draft, reason)
            return
        if data == text.encode():
            self.outcome.unchanged += 1
        else:
            self._meet(draft, path, data)

    def _meet(self, draft: Draft, path: str, data: bytes) -> None:
        """Leave what is there where nothing is new, or bring it up to date where that is asked."""
        try:
            document = self.placing.tree(path, data)
            old, comments = document.tree, comments_of(document.text)
            new = _again(old, draft.tree)
            merged = renewed(old, new) if run_of(new) else updated(old, new)
            text = self.placing.text(path, merged, comments)
        except (DialectError, RowError) as error:
            told = error.message if isinstance(error, DialectError) else error
            self.outcome.refuse(draft, f"{path} is there and cannot be brought up to date: {told}")
            return
        if text == self.placing.form(path, old, comments):
            self.outcome.unchanged += 1
        elif self.update:
            self.staging.add(path, text, replace=True)
            self.outcome.changed.append(path)
        else:
            reason = f"{path} is there already and says otherwise; --update brings it up to date"
            self.outcome.refuse(draft, reason)


def _again(there: Tree, imported: Tree) -> Tree:
    """Return a record of the run that is there, under its id and with the day of its reading."""
    run = run_of(imported)
    if run is None or run != run_of(there) or not isinstance(there.get("id"), str):
        return imported
    days = {"retrieved": there["source"]["retrieved"]} if "retrieved" in there["source"] else {}
    return imported | {"id": there["id"], "source": imported["source"] | days}
