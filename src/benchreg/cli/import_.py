"""`benchreg import`: run files, or the rows of a published table, become records."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from benchreg.cli.judged import judged
from benchreg.cli.main import FINDINGS, NOTHING, say
from benchreg.cli.paths import NAMED
from benchreg.cli.progress import progress
from benchreg.entities.mapping import Mapping
from benchreg.importers.draft import Draft
from benchreg.importers.place import Placing
from benchreg.importers.stage import Outcome, Stager, placed
from benchreg.importers.table import Table, drafts, table
from benchreg.registry.dialect import DialectError
from benchreg.registry.edit import below_schema
from benchreg.registry.judge import judge
from benchreg.registry.load import contents
from benchreg.registry.read import Reader
from benchreg.registry.roots import find_root
from benchreg.registry.save import Staging
from benchreg.values.errors import BenchregError
from benchreg.values.text import counted, shown

MOST_LISTED = 20
MOST_REASON = 600


@click.command("import")
@click.argument("files", nargs=-1, type=NAMED, required=True)
@click.option("--map", "mapping", type=NAMED,
              help="How the rows of a published table (csv) become records.")  # fmt: skip
@click.option("--beside", type=NAMED,
              help="A second table, of which the mapping says what it adds.")  # fmt: skip
@click.option("--source", metavar="ID", help="The source that the runs are of.")
@click.option("--set", "given", multiple=True, metavar="KEY=VALUE",
              help="What you know and no file states, as accelerator=h100-sxm5-80gb.")  # fmt: skip
@click.option("--as", "name", metavar="IMPORTER", help="Read the files as those of one harness.")
@click.option("--into", metavar="FOLDER", default="", help="A folder below that of the source.")
@click.option("--dry-run", is_flag=True, help="Print the records, and write none.")
@click.option("--partial", is_flag=True, help="Write what is sound although others were refused.")
@click.option(
    "--update", is_flag=True, help="Change records that are there; keep a curator's work."
)
@click.option("--registry", "root", type=NAMED,
              help="The folder that holds `records/`.")  # fmt: skip
def command(
    files: tuple[Path, ...],
    mapping: Path | None,
    beside: Path | None,
    source: str | None,
    given: tuple[str, ...],
    name: str | None,
    into: str,
    *,
    dry_run: bool,
    partial: bool,
    update: bool,
    root: Path | None,
) -> int:
    """Turn run files of benchmark harnesses, or a table, into records, and audit them.

    A file is known by what is in it; folders are searched. What a file does not state is declared
    absent; --set adds what you know. Every run and row is accounted for. Where one is refused
    nothing is written without --partial, and the command ends with code 1.
    """
    root = root or find_root(Path())
    how = _How(root, dry_run=dry_run, partial=partial, update=update)
    if mapping is not None:
        if len(files) > 1 or source or given or name or into:
            raise BenchregError("with --map one table is read, and its mapping says everything")
        outcome = Outcome()
        found = drafts(_table(mapping, files[0], beside), outcome.account)
        return how.done(found, outcome, "row")
    if beside is not None:
        raise BenchregError("--beside is for a table that is read with --map")
    from benchreg.cli.runs import runs_of  # noqa: PLC0415  (tables need no importers)

    runs, paths = runs_of(root, files, source, given, name, into, dry_run=dry_run)
    outcome = Outcome(runs.account)
    return how.done(runs.drafts(paths), outcome, "run", runs.advice)


@dataclass(frozen=True, slots=True)
class _How:
    """How drafts become records: where, and what happens where one is refused."""

    root: Path
    dry_run: bool
    partial: bool
    update: bool

    def done(
        self,
        found: Iterable[Draft],
        outcome: Outcome,
        what: str,
        advice: Callable[[], Iterable[str]] = tuple,
    ) -> int:
        """Write what is sound, tell what became of everything, and return the exit code."""
        if self.dry_run:
            for _, text in placed(found, Placing(below_schema(self.root)), outcome):
                say(text)
        else:
            with progress(lambda: f"{counted(outcome.account.rows, what)} read"):
                self._written(found, outcome)
        _account(outcome, what, dry_run=self.dry_run)
        code = judged(self.root, [*outcome.written, *outcome.changed])
        if lines := list(advice()):
            say("\n".join(lines), err=True)
        if outcome.refused:
            return max(code, FINDINGS)
        return code if outcome.account.rows else NOTHING

    def _written(self, found: Iterable[Draft], outcome: Outcome) -> None:
        """Move the records of all drafts in together, or none where one is refused."""
        placing = Placing(below_schema(self.root))
        with Staging(self.root) as staging:
            stager = Stager(staging, placing, outcome, self.update)
            for draft, text in placed(found, placing, outcome):
                stager.stage(draft, text)
            if self.partial or not outcome.refused:
                staging.commit()
            else:
                outcome.nothing()


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


def _table(mapping: Path, file: Path, beside: Path | None) -> Table:
    """Return the table in a file as a mapping reads it, with what a second file adds."""
    plan = read_mapping(mapping)
    return table(plan, lambda: _lines(file), (lambda: _lines(beside)) if beside else None)


def _lines(table: Path) -> Iterator[str]:
    try:
        with table.open(encoding="utf-8-sig", newline="") as file:
            yield from file
    except OSError as error:
        raise BenchregError(f"{table}: cannot be read: {error.strerror}") from None


def _account(outcome: Outcome, what: str, *, dry_run: bool) -> None:
    """Say what became of every row or run."""
    account = outcome.account
    left_out = Counter(one.reason for one in account.dropped if not one.refused)
    lines = [
        f"{shown(one.where)}: {shown(one.reason, MOST_REASON)}"
        for one in outcome.refused[:MOST_LISTED]
    ]
    if len(outcome.refused) > MOST_LISTED:
        lines.append(f"and {len(outcome.refused) - MOST_LISTED:,} more {what}s that were refused")
    told = sorted(left_out.items())
    lines += [f"left out, {shown(why)}: {count:,}" for why, count in told[:MOST_LISTED]]
    if len(told) > MOST_LISTED:
        lines.append(f"left out for {len(told) - MOST_LISTED:,} other reasons")
    written = (
        "nothing written (dry run)"
        if dry_run
        else (
            f"{counted(len(outcome.written), 'record')} written, {len(outcome.changed):,} changed, "
            f"{outcome.unchanged:,} unchanged"
        )
    )
    lines.append(
        f"{counted(account.rows, what)}: {written}; {account.merged:,} merged, "
        f"{sum(left_out.values()):,} left out, {len(outcome.refused):,} refused"
    )
    say("\n".join(lines), err=True)
