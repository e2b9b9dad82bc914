"""`benchreg schema`: the JSON Schemas of the entities."""

from pathlib import Path

import click

from benchreg.cli.main import OK, say
from benchreg.publish.schema import schemas
from benchreg.values.errors import BenchregError
from benchreg.values.text import shown, suggestion


@click.command("schema")
@click.argument("kind", required=False)
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the schemas of all kinds into this folder.",
)
def command(kind: str | None, into: Path | None) -> int:
    """Print the schema of a KIND of entity (record, accelerator, ...), or write them all."""
    texts = {name.partition(".")[0]: text for name, text in schemas().items()}
    if into is not None:
        into.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (into / f"{name}.schema.json").write_text(text, encoding="utf-8")
        return OK
    if kind not in texts:
        near = suggestion(kind or "", texts) or f"there are {', '.join(texts)}"
        raise BenchregError(f"no kind of entity is called {shown(kind or '')!r}; {near}")
    say(texts[kind].rstrip("\n"))
    return OK
