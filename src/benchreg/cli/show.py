"""`benchreg show`: one record, with everything that its figures need to be read with."""

from pathlib import Path

import click
from click.shell_completion import CompletionItem

from benchreg.cli.main import OK, say
from benchreg.cli.paths import NAMED
from benchreg.cli.terminal import paint
from benchreg.registry.load import load
from benchreg.registry.roots import registry_root
from benchreg.values.errors import BenchregError


def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the ids that begin so; file names are ids, so nothing is read."""
    del param
    try:
        root = registry_root(ctx.params.get("root"))
    except BenchregError:
        return []
    names = sorted(path.stem for path in (root / "records/benchmarks").rglob("*.yaml"))
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


@click.command("show")
@click.argument("name", shell_complete=complete)
@click.option(
    "--registry", "root", type=NAMED,
    help="The folder that holds `records/`.",
)  # fmt: skip
def command(name: str, root: Path | None) -> int:
    """Show the record or figure called NAME: an id, `record#result`, or an alias."""
    from benchreg.report.card import card  # noqa: PLC0415  (numpy is slow to import)

    registry = load(registry_root(root))
    record, result = registry.resolve(name)
    say(card(registry, record, name, result or "", paint()))
    return OK
