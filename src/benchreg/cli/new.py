"""`benchreg new`: the beginning of a record that is written by hand."""

from pathlib import Path

import click

from benchreg.cli.clock import here
from benchreg.cli.main import say
from benchreg.cli.paths import NAMED
from benchreg.cli.written import Question, add, an_id, asked, check_free, text_of
from benchreg.importers.given import given
from benchreg.importers.names import Names
from benchreg.importers.skeleton import record
from benchreg.importers.statement import RunError
from benchreg.registry.load import load
from benchreg.registry.roots import find_root
from benchreg.values.errors import BenchregError
from benchreg.values.text import shown, suggestion

CATALOGUE = frozenset(("accelerator", "model", "engine", "source", "metric"))
QUESTIONS = (
    Question("model", "Model (id of the catalogue; empty: not known)"),
    Question("accelerator", "Accelerator (id of the catalogue)"),
    Question("count", "How many of them", "accelerator=", needed=True),
    Question("engine", "Engine (id of the catalogue)"),
    Question("engine.version", "Version of the engine"),
    Question(
        "load.pattern", "Load (static_batch, closed_loop, open_loop, all_at_once, single_stream)"
    ),
    Question("load.batch_size", "Batch size", "load.pattern=static_batch"),
    Question("load.concurrency", "Requests in flight", "load.pattern=closed_loop"),
    Question("load.request_rate", "Requests per second", "load.pattern=open_loop"),
    Question("workload.input_tokens", "Mean input length in tokens"),
    Question("workload.output_tokens", "Mean output length in tokens"),
    Question("precision.weights", "Format of the weights (bf16, fp8, ...)"),
)


@click.command("new")
@click.argument("name", metavar="ID")
@click.option("--source", required=True, metavar="ID", help="The source that it is read from.")
@click.option("--locator", metavar="TEXT", help="Where in the source: a table and row, a path.")
@click.option("--title", metavar="TEXT", help="What was run, in one line.")
@click.option("--set", "words", multiple=True, metavar="KEY=VALUE",
              help="A condition that the source states, as load.concurrency=32.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Print the record, and write none.")
@click.option("--registry", "root", type=NAMED,
              help="The folder that holds `records/`.")  # fmt: skip
def command(
    name: str,
    source: str,
    locator: str | None,
    title: str | None,
    words: tuple[str, ...],
    *,
    dry_run: bool,
    root: Path | None,
) -> int:
    """Begin the record ID: what you know, and a line for all that is left to look up.

    At a terminal the usual conditions are asked for; an empty answer leaves them open. No figure
    is made up: the record is not sound before you have written its results.
    """
    root = root or find_root(Path())
    registry = load(root, only=CATALOGUE)
    if source not in registry.sources:
        near = suggestion(source, list(registry.sources)) or "add it first: `benchreg add source`"
        raise BenchregError(f"there is no source {shown(source)!r}; {near}")
    reference = {"id": source, "retrieved": here().isoformat()}
    reference |= {"locator": locator} if locator else {}
    names = Names(registry)
    path = f"records/benchmarks/{source}/{an_id(name)}.yaml"
    if not dry_run:
        check_free(root, path)
    fields = names.given(given(asked(QUESTIONS, words, lambda some: names.given(given(some)))))
    try:
        tree, comments = record(name, reference, fields, title or name, names)
    except RunError as error:
        raise BenchregError(str(error)) from None
    text = text_of(root, "record", path, tree, comments)
    for line in names.unknown.values():
        say(line, err=True)
    return add(root, path, text, dry_run=dry_run)
