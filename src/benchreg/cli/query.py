"""`benchreg query`: figures by hardware and model, each with what it must be read with."""

import shutil
from pathlib import Path
from typing import get_args

import click

from benchreg.analysis.search import Asked, Found, search
from benchreg.analysis.table import Row, rows
from benchreg.cli.main import NOTHING, OK, say
from benchreg.cli.paths import NAMED
from benchreg.cli.root import registry_root
from benchreg.cli.terminal import paint
from benchreg.entities.vocabulary import LoadPattern, Scenario, Scope
from benchreg.registry.load import load
from benchreg.report.rows import FORMATS, table
from benchreg.values.text import shown


@click.command("query")
@click.option("--hardware", default="", help="A part, family or vendor: h100, a100-sxm4-40gb, amd.")
@click.option("--model", default="", help="A model or family: llama-2-70b, llama-3.1.")
@click.option("--engine", default="", help="An engine: vllm.")
@click.option("--metric", default="", help="A metric: output_throughput.")
@click.option("--scope", type=click.Choice(get_args(Scope)), default=None, help="Whose figure.")
@click.option("--scenario", type=click.Choice(get_args(Scenario)), default=None, help="MLPerf's.")
@click.option("--pattern", type=click.Choice(get_args(LoadPattern)), default=None, help="Of load.")
@click.option(
    "--format", "form", type=click.Choice(["table", *FORMATS]), default="table", show_default=True,
    help="How rows are written.",
)  # fmt: skip
@click.option(
    "--registry", "root", type=NAMED,
    help="The folder that holds `records/`.",
)  # fmt: skip
def command(
    hardware: str,
    model: str,
    engine: str,
    metric: str,
    scope: str | None,
    scenario: str | None,
    pattern: str | None,
    form: str,
    root: Path | None,
) -> int:
    """Print the figures that match everything that is asked for.

    A total comes with what one request sees of it; what a source does not say stands as a word.
    How a name was taken, and which filter left nothing, is said on standard error.
    """
    from benchreg.analysis.crosscheck import crosscheck  # noqa: PLC0415  (numpy is slow to import)

    registry = load(registry_root(root))
    asked = Asked(hardware, model, engine, metric, scope or "", scenario or "", pattern or "")
    found = search(registry, asked)
    _explain(found)
    verdicts = crosscheck(registry, found.records)
    wanted = [row for row in rows(registry, found.records, verdicts) if _is_asked(row, asked)]
    if form == "table":
        width = shutil.get_terminal_size((200, 24)).columns
        say(table(wanted, width, paint()) if wanted else "nothing matches")
    else:
        say(FORMATS[form](wanted))
    return OK if wanted else NOTHING


def _is_asked(row: Row, asked: Asked) -> bool:
    metric = not asked.metric or row.metric == asked.metric
    return metric and (not asked.scope or row.scope == asked.scope.replace("_", " "))


def _explain(found: Found) -> None:
    for meaning in found.meanings:
        if meaning.ids != (meaning.word,):
            taken = ", ".join(meaning.ids)
            say(f"{meaning.kind} {shown(meaning.word)!r} is {taken}", err=True)
    if found.emptied_by:
        say(f"no record is left by {shown(found.emptied_by)}", err=True)
