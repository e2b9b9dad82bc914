"""`benchreg compare`: whether figures can stand side by side, condition by condition."""

from pathlib import Path
from typing import NamedTuple

import click
from click.shell_completion import CompletionItem

from benchreg.analysis.comparison import ACROSS, varied
from benchreg.cli.asking import put, tell_refused
from benchreg.cli.main import FINDINGS, OK
from benchreg.cli.pager import page as paged
from benchreg.cli.paths import NAMED
from benchreg.cli.terminal import paint, size
from benchreg.report.compared import FORMS, Page
from benchreg.snapshot.picked import Beside, beside
from benchreg.snapshot.store import Snapshot
from benchreg.values.errors import BenchregError

FEWEST = 2


def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the ids of records that begin so."""
    from benchreg.cli.show import complete as records  # noqa: PLC0415  (only where a shell asks)

    return records(ctx, param, incomplete)


class _Found(NamedTuple):
    """Figures side by side, and the files that they were read from."""

    beside: tuple[Beside, ...]
    files: frozenset[int]
    refused: int


@click.command("compare")
@click.argument("names", nargs=-1, metavar="A B [C]...", shell_complete=complete)
@click.option("--across", default="", metavar="NAMES",
              help=f"What the question varies: {', '.join(ACROSS)}, or a condition.")  # fmt: skip
@click.option("--anyway", is_flag=True, help="Print ratios of what is not comparable, marked so.")
@click.option("--format", "form", type=click.Choice(list(FORMS)), default="table",
              show_default=True, help="How it is written.")  # fmt: skip
@click.option("--pager/--no-pager", default=True, help="Page what is longer than the terminal.")
@click.option("--registry", "root", type=NAMED, help="The folder that holds `records/`.")
def command(
    names: tuple[str, ...], across: str, form: str, root: Path | None, *, anyway: bool, pager: bool
) -> int:
    """Tell whether figures can be compared, and by what they differ.

    A, B and so on are figures (`record#figure`), records or aliases; of records those figures are
    compared that all of them have. Every condition is equal, differs, or is absent or inferred in
    one of them. The exit code is 0 where all can be compared, 1 where not.
    """
    if len(names) < FEWEST:
        raise BenchregError("name two figures or more: record#figure, a record or an alias")
    may = varied(filter(None, across.replace(" ", "").split(",")))

    def found(snapshot: Snapshot) -> _Found:
        some = beside(snapshot.database, names, may)
        files = frozenset(one.answer.file for two in some for one in two.figures)
        return _Found(some, files, snapshot.refused)

    answer = put(root).answer(found)
    some = answer.beside
    tell_refused(answer.refused)
    text = FORMS[form](some, Page(size().columns, paint(), anyway))
    paged(text, wanted=pager and form == "table")
    return OK if all(one.comparison.comparable for one in some) else FINDINGS
