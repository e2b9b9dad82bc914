"""`benchreg import`: a published table becomes records."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from os.path import lexists
from pathlib import Path

import click

from benchreg.audit.catalogue import all_rules
from benchreg.audit.engine import audit
from benchreg.audit.finding import Severity
from benchreg.cli.clock import today
from benchreg.cli.main import CRASH, FINDINGS, NOTHING, OK, say
from benchreg.cli.terminal import paint
from benchreg.entities.mapping import Mapping
from benchreg.importers.cells import RowError
from benchreg.importers.place import Placing
from benchreg.importers.table import Account, Draft, Dropped, drafts
from benchreg.importers.update import updated
from benchreg.registry.comments import comments_of
from benchreg.registry.dialect import DialectError
from benchreg.registry.edit import below_schema
from benchreg.registry.judge import judge
from benchreg.registry.load import contents, find_root, load
from benchreg.registry.read import Reader
from benchreg.registry.save import Staging
from benchreg.report.concise import concise
from benchreg.report.summary import counted
from benchreg.values.errors import BenchregError
from benchreg.values.text import shown

MOST_LISTED = 20
MOST_AUDITED = 20_000


@dataclass(slots=True)
class Outcome:
    """What became of the rows of a table."""

    account: Account = field(default_factory=Account)
    written: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: int = 0

    @property
    def refused(self) -> list[Dropped]:
        """The rows that could not be placed."""
        return [dropped for dropped in self.account.dropped if dropped.refused]

    def refuse(self, draft: Draft, reason: str) -> None:
        """Note a row whose record cannot stand."""
        self.account.dropped.append(Dropped(draft.number, reason, refused=True))


@click.command("import")
@click.argument("table", type=click.Path(path_type=Path))
@click.option("--map", "mapping", type=click.Path(path_type=Path), required=True,
              help="How rows become records.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Print the records, and write none.")
@click.option("--partial", is_flag=True, help="Write what is sound although rows were refused.")
@click.option(
    "--update", is_flag=True, help="Change records that are there; keep a curator's work."
)
@click.option("--registry", "root", type=click.Path(path_type=Path),
              help="The folder that holds `records/`.")  # fmt: skip
def command(
    table: Path, mapping: Path, *, dry_run: bool, partial: bool, update: bool, root: Path | None
) -> int:
    """Turn the rows of TABLE (csv) into records, by a mapping, and audit what was written.

    Every row is accounted for: a record, a label of one, left out by the mapping, or refused with
    its number and the reason. Where rows are refused nothing is written without --partial, and
    the command ends with code 1.
    """
    root = root or find_root(Path())
    plan = read_mapping(mapping)
    outcome = Outcome()
    placing = Placing(below_schema(root))
    with Staging(root) as staging:
        for draft, text in _placed(plan, table, placing, outcome):
            if dry_run:
                say(text)
            else:
                _stage(staging, draft, text, placing, outcome, update=update)
        if not dry_run and (partial or not outcome.refused):
            staging.commit()
        else:
            outcome.written, outcome.changed = [], []
    _account(outcome, dry_run=dry_run)
    judged = _judged(root, [*outcome.written, *outcome.changed])
    if outcome.refused:
        return max(judged, FINDINGS)
    return judged if outcome.account.rows else NOTHING


def read_mapping(path: Path) -> Mapping:
    """Return a mapping; raises BenchregError with every fault of the file, each at its place."""
    try:
        document = Reader().read(str(path), contents(path))
    except OSError as error:
        raise BenchregError(f"{path}: cannot be read: {error.strerror}") from None
    except DialectError as error:
        place = f"{error.place.line}:{error.place.column}"
        raise BenchregError(f"{path}:{place}: {error.message}") from None
    found = judge("mapping", document, both=True)
    if isinstance(found, Mapping):
        return found
    faults = []
    for refusal in found if isinstance(found, list) else ():
        at = document.place(refusal.at)
        hint = f"; {refusal.hint}" if refusal.hint else ""
        faults.append(f"{path}:{at.line}:{at.column}: {shown(refusal.message)}{shown(hint)}")
    raise BenchregError("\n".join(faults))


def _placed(
    plan: Mapping, table: Path, placing: Placing, outcome: Outcome
) -> Iterator[tuple[Draft, str]]:
    """Yield each draft with the text of its record; refused ones are noted."""
    ids: set[str] = set()
    for draft in drafts(plan, lambda: _lines(table), outcome.account):
        if draft.id in ids:
            outcome.refuse(draft, f"another row has the id {draft.id}; make the pattern finer")
            continue
        ids.add(draft.id)
        try:
            yield draft, placing.text(placing.path(draft), draft.tree)
        except RowError as error:
            outcome.refuse(draft, str(error))


def _lines(table: Path) -> Iterator[str]:
    try:
        with table.open(encoding="utf-8-sig", newline="") as file:
            yield from file
    except OSError as error:
        raise BenchregError(f"{table}: cannot be read: {error.strerror}") from None


def _stage(
    staging: Staging, draft: Draft, text: str, placing: Placing, outcome: Outcome, *, update: bool
) -> None:
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


def _account(outcome: Outcome, *, dry_run: bool) -> None:
    """Say what became of every row."""
    account = outcome.account
    left_out = Counter(one.reason for one in account.dropped if not one.refused)
    lines = [f"row {one.number}: {shown(one.reason)}" for one in outcome.refused[:MOST_LISTED]]
    if len(outcome.refused) > MOST_LISTED:
        lines.append(f"and {len(outcome.refused) - MOST_LISTED:,} more rows that were refused")
    lines += [f"left out, {shown(why)}: {count:,}" for why, count in sorted(left_out.items())]
    written = (
        "nothing written (dry run)"
        if dry_run
        else (
            f"{counted(len(outcome.written), 'record')} written, {len(outcome.changed):,} changed, "
            f"{outcome.unchanged:,} unchanged"
        )
    )
    lines.append(
        f"{counted(account.rows, 'row')}: {written}; {account.merged:,} merged, "
        f"{sum(left_out.values()):,} left out, {len(outcome.refused):,} refused"
    )
    click.echo("\n".join(lines), err=True)


def _judged(root: Path, paths: list[str]) -> int:
    """Print the audit of what was written, and return the code that it means."""
    if not paths:
        return OK
    if len(paths) > MOST_AUDITED:
        many = counted(len(paths), "record")
        say(f"{many} are too many to audit here; `benchreg audit` judges them")
        return OK
    wanted = set(paths)
    registry = load(root, today=today())
    report = audit(registry, all_rules(), lambda path: path in wanted)
    say(concise(report, frozenset({Severity.ERROR}), paint=paint()))
    if report.crashes:
        return CRASH
    failed = any(finding.severity is Severity.ERROR for finding in report.findings)
    return FINDINGS if failed else OK
