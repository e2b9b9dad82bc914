"""`benchreg cite`: how a record, or the whole of the data, is cited."""

from pathlib import Path

import click

from benchreg.analysis.changes import version
from benchreg.cli.main import OK, say
from benchreg.cli.paths import NAMED
from benchreg.cli.show import complete
from benchreg.registry.load import load
from benchreg.registry.roots import registry_root
from benchreg.report.changes import citation


@click.command("cite")
@click.argument("names", nargs=-1, metavar="[RECORD]...", shell_complete=complete)
@click.option("--registry", "root", type=NAMED,
              help="The folder that holds `records/`.")  # fmt: skip
def command(names: tuple[str, ...], root: Path | None) -> int:
    """Print how each RECORD is cited, with its source; without one, how the whole of the data is.

    The data has the date on which a source was last read as its version.
    """
    registry = load(registry_root(root))
    of_data = version(registry)
    if not names:
        many, figures = (
            len(registry.records),
            sum(len(r.results) for r in registry.records.values()),
        )
        say(
            f"The benchreg developers: benchreg, a curated registry of LLM-inference benchmark "
            f"records. Data of {of_data}: {many:,} records with {figures:,} figures."
        )
        return OK
    records = [registry.resolve(name).record for name in names]
    say("\n\n".join(citation(registry, record, of_data) for record in records))
    return OK
