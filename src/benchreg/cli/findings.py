"""`benchreg findings`: what the records show together."""

from pathlib import Path

import click

from benchreg.cli.main import NOTHING, OK, say
from benchreg.cli.paths import NAMED
from benchreg.registry.load import load
from benchreg.registry.roots import registry_root
from benchreg.report.findings import FORMS, all_told
from benchreg.values.errors import BenchregError
from benchreg.values.text import shown, suggestion


@click.command("findings")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--format", "form", type=click.Choice(FORMS), default=FORMS[0], show_default=True)
@click.option("--registry", "root", type=NAMED,
              help="The folder that holds `records/`.")  # fmt: skip
def command(names: tuple[str, ...], form: str, root: Path | None) -> int:
    """Answer questions that no single record answers: all of them, or those of some NAMES.

    Only records that stand are asked. What was counted is said above each table.
    """
    from benchreg.analysis.crosscheck import verdicts  # noqa: PLC0415  (numpy is slow to import)
    from benchreg.analysis.findings import findings  # noqa: PLC0415  (as above)

    registry = load(registry_root(root))
    every = findings(registry, verdicts(registry))
    known = [one.name for one in every]
    if unknown := next((name for name in names if name not in known), None):
        near = suggestion(unknown, known) or f"there are {', '.join(known)}"
        raise BenchregError(f"there is no finding {shown(unknown)!r}; {near}")
    wanted = [one for one in every if not names or one.name in names]
    say(all_told(wanted, form))
    return OK if any(one.rows for one in wanted) else NOTHING
