"""`benchreg sweep`: a grid of decode configurations, what to run, and what else there is."""

import math
from pathlib import Path
from typing import Any, get_args

import click

from benchreg.cli.estimate import CATALOGUE, chosen, coefficients
from benchreg.cli.main import NOTHING, OK, say
from benchreg.cli.show import registry_root
from benchreg.cli.terminal import paint
from benchreg.entities.vocabulary import NumberFormat
from benchreg.registry.load import load
from benchreg.values.errors import BenchregError

FORMAT = click.Choice(get_args(NumberFormat))
MILLI = 1e-3


@click.command("sweep")
@click.argument("model", required=False)
@click.argument("accelerator", required=False)
@click.option("--precision", "precisions", type=FORMAT, multiple=True, help="Weights and cache.")
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
    "--registry", "root", type=click.Path(path_type=Path),
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
    from benchreg.analysis.sweeps import Axes, grid  # noqa: PLC0415  (numpy is slow to import)
    from benchreg.report.swept import as_json, as_text  # noqa: PLC0415  (as above)
    from benchreg.roofline import reference  # noqa: PLC0415  (as above)
    from benchreg.roofline.sweep import sweep  # noqa: PLC0415  (as above)

    limit_s = reference.TPOT_LIMIT_S if tpot_limit is None else tpot_limit * MILLI
    if not 0 < limit_s < math.inf:
        raise BenchregError(f"tpot limit: {tpot_limit:g} ms is not allowed; it is above 0")
    used = chosen(given)
    if model is None:
        _check_unused(given)
        name, asked = reference.NAME, reference.grid(used)
    elif accelerator is None:
        raise BenchregError("accelerator: it is missing; name the part to sweep the model on")
    else:
        context = reference.CONTEXT if given["context"] is None else given["context"]
        axes = Axes(given["precisions"], given["tensor"], given["batch"], context, used)
        found, asked = grid(load(registry_root(root), only=CATALOGUE), model, accelerator, axes)
        name = found.id
    swept = sweep(asked)
    say(as_json(swept, name, limit_s) if form == "json" else as_text(swept, name, limit_s, paint()))
    return OK if swept.selected(limit_s) is not None else NOTHING


def _check_unused(given: dict[str, Any]) -> None:
    """Raise BenchregError for an axis that the reference case does not take."""
    for name, value in given.items():
        if value not in (None, ()):
            option = f"--{name.rstrip('s')}" if name == "precisions" else f"--{name}"
            raise BenchregError(
                f"{option}: the axes of the reference case are fixed; name a model and a part"
            )
