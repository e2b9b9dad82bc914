"""`benchreg sweep`: a grid of decode configurations, what to run, and what else there is."""

import shutil
from pathlib import Path
from typing import Any

import click

from benchreg.cli.estimate import CATALOGUE, FORMAT, NAME, chosen, coefficients
from benchreg.cli.main import NOTHING, OK, say
from benchreg.cli.paths import NAMED
from benchreg.cli.terminal import paint
from benchreg.registry.load import load
from benchreg.registry.roots import registry_root
from benchreg.values.errors import BenchregError

MILLI = 1e-3


@click.command("sweep")
@click.argument("model", required=False)
@click.argument("accelerator", required=False)
@click.option(
    "--precision", "precisions", type=FORMAT, metavar=NAME, multiple=True,
    help="Format of weights, head and cache alike.",
)  # fmt: skip
@click.option("--tensor", type=int, multiple=True, help="Ways of tensor parallelism.")
@click.option("--batch", type=int, multiple=True, help="Sequences that decode at once.")
@click.option("--context", type=float, help="Tokens of each sequence.  [default: 4096]")
@click.option("--tpot-limit", type=float, help="Most ms per output token.  [default: 25]")
@coefficients
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="How the sweep is written.",
)  # fmt: skip
@click.option(
    "--registry", "root", type=NAMED,
    help="The folder that holds `records/`.",
)  # fmt: skip
def command(
    model: str | None,
    accelerator: str | None,
    *,
    tpot_limit: float | None,
    form: str,
    root: Path | None,
    **given: Any,
) -> int:
    """Sweep the decode of MODEL on ACCELERATOR over formats, tensor parallelism, batch and link.

    Without both, the reference case: a 70B model on 80 GB parts. An option may be given several
    times, and makes an axis. Ends with 4 where nothing fits and keeps the limit.
    """
    from benchreg.analysis.question import Range  # noqa: PLC0415  (numpy is slow to import)
    from benchreg.analysis.sweeps import Axes, grid  # noqa: PLC0415  (as above)
    from benchreg.report.swept import as_json, as_text  # noqa: PLC0415  (as above)
    from benchreg.roofline import reference  # noqa: PLC0415  (as above)
    from benchreg.roofline.sweep import sweep  # noqa: PLC0415  (as above)

    limit_s = reference.TPOT_LIMIT_S if tpot_limit is None else tpot_limit * MILLI
    Range("tpot limit", 0.001, 3_600_000, "ms", 1 / MILLI).check(limit_s)
    used, part = chosen(given), ""
    if model is None:
        _check_unused(given)
        name, asked = reference.NAME, reference.grid(used)
    elif accelerator is None:
        raise BenchregError("accelerator: it is missing; name the part to sweep the model on")
    else:
        axes = Axes(given["precisions"], given["tensor"], given["batch"], given["context"], used)
        catalogue = load(registry_root(root), only=CATALOGUE)
        found, there, asked = grid(catalogue, model, accelerator, axes)
        name, part = found.id, there.id
    swept = sweep(asked)
    if form == "json":
        say(as_json(swept, name, limit_s, part))
    else:
        title = f"{name} on {part}" if part else name
        width = shutil.get_terminal_size((200, 24)).columns
        say(as_text(swept, title, limit_s, paint(), width))
    return OK if swept.selected(limit_s) is not None else NOTHING


def _check_unused(given: dict[str, Any]) -> None:
    """Raise BenchregError for an axis that the reference case does not take."""
    for name, value in given.items():
        if value not in (None, ()):
            option = f"--{name.rstrip('s')}" if name == "precisions" else f"--{name}"
            raise BenchregError(
                f"{option}: the axes of the reference case are fixed; name a model and a part"
            )
