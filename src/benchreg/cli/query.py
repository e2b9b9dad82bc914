"""`benchreg query`: figures by hardware, model and whatever else, none without its counterpart."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from benchreg.cli.asking import explain, put
from benchreg.cli.main import NOTHING, OK, say
from benchreg.cli.pager import page
from benchreg.cli.paths import NAMED
from benchreg.cli.terminal import paint, size
from benchreg.registry.roots import registry_root
from benchreg.report.question import COUNT, FORMS, MOST_ROWS, STATS, TABLE, Question, Screen
from benchreg.report.reply import reply
from benchreg.snapshot.ask import ANY, STANDS, VERDICTS, Asked
from benchreg.snapshot.columns import NAMES as COLUMNS
from benchreg.values.errors import BenchregError

STATUSES = ("active", "disputed", "superseded", "withdrawn")
NAMES = ("hardware", "model", "engine", "source")
EQUAL = ("metric", "scope", "statistic", "scenario", "pattern", "precision", "verdict", "tier",
         "round", "division", "submitter")  # fmt: skip
RANGES = (
    *("size", "count", "batch", "concurrency", "request_rate", "level"),
    *("input_tokens", "output_tokens"),
)
OFFERED = {
    "hardware": "accelerators",
    "model": "models",
    "engine": "engines",
    "source": "sources",
    "metric": "metrics",
}
FILTERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("--hardware", {"help": "A part, family or vendor: h100, a100-sxm4-40gb, amd."}),
    ("--model", {"help": "A model or family: llama-2-70b, llama-3.1."}),
    ("--size", {"metavar": "RANGE", "help": "Parameters of the model, 1e9: 7..13."}),
    ("--engine", {"help": "An engine: vllm."}),
    ("--engine-version", {"metavar": "RANGE", "help": "0.6 (every 0.6.x), 0.6..0.8, 0.9.."}),
    ("--metric", {"help": "A metric: output_throughput."}),
    ("--scope", {"help": "system, per_accelerator, per_replica or per_request."}),
    ("--statistic", {"help": "mean, p99 and so on."}),
    ("--scenario", {"help": "MLPerf's: offline, server, interactive, single_stream."}),
    ("--pattern", {"help": "How requests come: static_batch, closed_loop, open_loop."}),
    ("--precision", {"help": "Format of the weights: fp8."}),
    ("--count", {"metavar": "RANGE", "help": "Accelerators: 8, 1..8."}),
    ("--input-tokens", {"metavar": "RANGE", "help": "Mean prompt length: 100..2000."}),
    ("--output-tokens", {"metavar": "RANGE", "help": "Mean output length."}),
    ("--batch", {"metavar": "RANGE", "help": "Requests of a static batch: 1, 8..64."}),
    ("--concurrency", {"metavar": "RANGE", "help": "Requests in flight."}),
    ("--request-rate", {"metavar": "RANGE", "help": "Of an open loop, req/s."}),
    ("--level", {"metavar": "RANGE", "help": "Batch, concurrency or rate, by the pattern."}),
    ("--source", {"help": "A source: mlperf-inference-v5.1."}),
    ("--round", {"help": "MLPerf's round: v5.1."}),
    ("--division", {"help": "MLPerf's division: closed."}),
    ("--submitter", {"help": "Who submitted it to MLPerf."}),
    ("--date", {"metavar": "RANGE", "help": "Measured, else published: 2024..2025-06."}),
    ("--tier", {"help": "How much is told: A to D."}),
    ("--verdict", {"type": click.Choice(VERDICTS), "help": "The roofline's."}),
    ("--status", {"type": click.Choice([*STATUSES, ANY]), "default": STANDS,
                  "show_default": True, "help": "Whether it stands."}),
    ("--where", {"metavar": "SQL", "help": "Any condition over the columns: 'mbu > 0.5'."}),
)  # fmt: skip


def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Offer the ids of the catalogue that begin so; file names are ids, so nothing is read."""
    try:
        folder = registry_root(ctx.params.get("root")) / "records" / OFFERED[str(param.name)]
    except BenchregError:
        return []
    names = sorted(path.stem for path in folder.glob("*.yaml"))
    return [name for name in names if name.startswith(incomplete)]


def filters(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options of the filters to a command."""
    for name, more in reversed(FILTERS):
        offered = {"shell_complete": complete} if name.removeprefix("--") in OFFERED else {}
        command = click.option(name, **({"default": None} | offered | more))(command)
    return command


@click.command("query", epilog=f"Columns: {', '.join(COLUMNS)}.")
@click.argument("text", nargs=-1, metavar="[TEXT]...")
@filters
@click.option("--sort", default="", metavar="COLUMN",
              help="By a column; -COLUMN is the other way; value is the best first.")  # fmt: skip
@click.option("--across", default="", metavar="NAMES",
              help="What figures ranked together may differ in: accelerator,engine.")  # fmt: skip
@click.option("--anyway", is_flag=True, help="Put together what is not comparable, and say so.")
@click.option("--by", default="", metavar="COLUMNS", help="Group by columns: model,accelerator.")
@click.option("--stat", type=click.Choice(STATS), default=COUNT, show_default=True,
              help="The statistic of each group.")  # fmt: skip
@click.option("--of", default="value", show_default=True, metavar="COLUMN", help="What it is of.")
@click.option("--columns", default="", metavar="NAMES", help="Which columns, in this order.")
@click.option("--limit", type=click.IntRange(0), default=None,
              help=f"Most rows, 0 for all; a table has {MOST_ROWS} if left out.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(FORMS), default=TABLE, show_default=True,
              help="How rows are written.")  # fmt: skip
@click.option("--pager/--no-pager", default=True, help="Page what is longer than the terminal.")
@click.option("--registry", "root", type=NAMED, help="The folder that holds `records/`.")
def command(root: Path | None, form: str, *, pager: bool, **options: Any) -> int:
    """Print the figures that match everything that is asked for, and every word of TEXT.

    An aggregate always comes with what one request sees of it; what a source does not say stands
    as a word. Sorted by value, the best figures stand first, in groups that can be compared. With
    --by, a statistic of each group is printed. How words were taken, what was left out and which
    filter left nothing is said on standard error.
    """
    names = ("sort", "anyway", "by", "stat", "columns", "limit")
    question = Question(
        _asked(options),
        form,
        across=tuple(filter(None, options["across"].replace(" ", "").split(","))),
        of=options["of"].replace("-", "_"),
        **{name: options[name] for name in names},
    )
    screen = Screen(size().columns, paint())
    answer = put(root).answer(lambda snapshot: reply(snapshot, question, screen))
    explain(answer.left, answer.refused)
    if not answer.left.ids:
        say(answer.text or "nothing matches")
        return NOTHING
    page(answer.text, wanted=pager and form == TABLE)
    return OK


def _asked(options: dict[str, Any]) -> Asked:
    def given(names: tuple[str, ...]) -> dict[str, str]:
        return {name: options[name] for name in names if options[name] is not None}

    return Asked(
        given(NAMES),
        given(EQUAL),
        given(RANGES),
        options["engine_version"] or "",
        options["date"] or "",
        options["status"],
        options["text"],
        options["where"] or "",
    )
