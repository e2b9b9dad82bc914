"""`benchreg changes`: the changelog of the records since a commit or tag."""

from pathlib import Path

import click

from benchreg.analysis.changes import changes
from benchreg.cli.main import FINDINGS, OK, say
from benchreg.cli.paths import NAMED
from benchreg.registry.commit import load_commit
from benchreg.registry.git import merge_base
from benchreg.registry.load import load
from benchreg.registry.roots import find_root
from benchreg.report.changes import FORMS, changelog


@click.command("changes")
@click.argument("ref")
@click.option("--format", "form", type=click.Choice(FORMS), default=FORMS[0], show_default=True)
@click.option("--all", "every", is_flag=True, help="List every record, however many there are.")
@click.option("--registry", "root", type=NAMED,
              help="The folder that holds `records/`.")  # fmt: skip
def command(ref: str, form: str, *, every: bool, root: Path | None) -> int:
    """Print what differs in the records since REF, a tag or commit: record by record.

    What was added, removed, changed (with the blocks that differ), disputed, superseded, withdrawn
    or restored. Ends with 1 where a file is refused, so that a record of it could be missing.
    """
    root = root or find_root(Path())
    now = load(root)
    before = load_commit(root, merge_base(root, ref), now)
    say(changelog(changes(before, now), f"Records since {ref}", form, every=every))
    refused = len(now.refusals) + len(before.refusals)
    if refused:
        say(f"{refused:,} files were refused; `benchreg audit` says why", err=True)
    return FINDINGS if refused else OK
