"""`benchreg handbook`: write the generated pages of the documentation."""

from pathlib import Path

import click

from benchreg.audit.catalogue import all_rules
from benchreg.cli.main import COMMANDS, OK, cli
from benchreg.publish.handbook import handbook
from benchreg.registry.load import load, own_root

WIDTH = 80


def pages() -> dict[str, str]:
    """Return every generated page by its path below docs/."""
    root = click.Context(cli, info_name="benchreg", terminal_width=WIDTH, **cli.context_settings)
    helps = {"benchreg": cli.get_help(root)}
    for name in COMMANDS:
        command = cli.get_command(root, name)
        if command is not None:
            context = click.Context(command, info_name=name, parent=root, terminal_width=WIDTH)
            helps[f"benchreg {name}"] = command.get_help(context)
    return handbook(all_rules(), helps, load(own_root()).metrics.values())


@click.command("handbook")
@click.option(
    "--into", type=click.Path(file_okay=False, path_type=Path), required=True,
    help="The folder of the documentation.",
)  # fmt: skip
def command(into: Path) -> int:
    """Write the page of every rule and the reference of the commands below a folder."""
    for name, text in pages().items():
        path = into / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return OK
