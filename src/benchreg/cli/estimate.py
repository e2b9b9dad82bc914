"""`benchreg estimate`: how fast a model should be on a part, and how fast it possibly can."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast, get_args

import click

from benchreg.cli.main import FINDINGS, OK, say
from benchreg.cli.paths import NAMED
from benchreg.cli.terminal import paint
from benchreg.entities.vocabulary import NumberFormat
from benchreg.registry.load import load
from benchreg.registry.roots import registry_root
from benchreg.values.errors import BenchregError

CATALOGUE = frozenset(("model", "accelerator"))
GIGA, MILLI = 1e9, 1e-3
FORMAT, NAME = click.Choice(get_args(NumberFormat)), "FORMAT"  # too many to list in the help


def coefficients(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose coefficients."""
    options = (
        click.option(
            "--profile", type=click.Choice(["reference", "ideal"]), default="reference",
            show_default=True, help="Named coefficients; the options below replace single ones.",
        ),
        click.option("--memory-efficiency", type=float, help="Share of the bandwidth reached."),
        click.option("--compute-efficiency", type=float, help="Share of the peak reached."),
        click.option("--exposed", type=float, help="Share of the shorter time that is not hidden."),
        click.option("--overhead-ms", type=float, help="Overhead of one step, in ms."),
        click.option("--reserved-gb", type=float, help="Memory that holds nothing of ours, in GB."),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def chosen(given: dict[str, Any]) -> Any:
    """Return the coefficients that the options ask for; they are taken out of `given`."""
    from benchreg.analysis.question import adjusted  # noqa: PLC0415  (numpy is slow to import)

    overhead, reserved = given.pop("overhead_ms"), given.pop("reserved_gb")
    return adjusted(
        given.pop("profile"),
        {
            "memory_efficiency": given.pop("memory_efficiency"),
            "compute_efficiency": given.pop("compute_efficiency"),
            "exposed": given.pop("exposed"),
            "overhead_s": None if overhead is None else overhead * MILLI,
            "reserved_bytes": None if reserved is None else reserved * GIGA,
        },
    )


@click.command("estimate")
@click.argument("model")
@click.argument("accelerator")
@click.option("--input", "input_tokens", type=float, required=True, help="Prompt tokens.")
@click.option("--output", "output_tokens", type=float, required=True, help="Output tokens.")
@click.option(
    "--batch", type=int, help="A static batch of so many requests (1 if no load is given)."
)
@click.option("--concurrency", type=int, help="So many requests in flight, in a closed loop.")
@click.option("--saturated", is_flag=True, help="As many requests at once as memory holds.")
@click.option("--cached", "cached_tokens", type=float, default=0, help="Tokens cached before.")
@click.option(
    "--acceptance-length", type=float, default=1, help="Tokens a step, with speculative decoding."
)
@click.option(
    "--weights", type=FORMAT, metavar=NAME, help="Format, as fp8 or int4_awq.  [default: bf16]"
)
@click.option("--activations", type=FORMAT, metavar=NAME, help="Format of the activations.")
@click.option("--kv-cache", type=FORMAT, metavar=NAME, help="Format of the KV cache.")
@click.option("--head", type=FORMAT, metavar=NAME, help="Format of output head and embedding.")
@click.option("--attention", type=FORMAT, metavar=NAME, help="Format of the attention's weights.")
@click.option("--tensor", type=int, default=1, help="Tensor parallelism.")
@click.option("--pipeline", type=int, default=1, help="Pipeline stages.")
@click.option("--context-parallel", "context", type=int, default=1, help="Context parallelism.")
@click.option("--attention-data", type=int, default=1, help="Data parallelism of attention.")
@click.option("--expert", type=int, default=1, help="Expert parallelism; overlays the others.")
@click.option("--replicas", type=int, default=1, help="Copies of the model.")
@coefficients
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="How the estimate is written.",
)  # fmt: skip
@click.option(
    "--registry", "root", type=NAMED,
    help="The folder that holds `records/`.",
)  # fmt: skip
def command(
    model: str,
    accelerator: str,
    *,
    batch: int | None,
    concurrency: int | None,
    saturated: bool,
    form: str,
    root: Path | None,
    **given: Any,
) -> int:
    """Estimate what MODEL does on ACCELERATOR, ids or aliases of the catalogue.

    Every coefficient is an assumption and is printed; the bound beside each figure has none. Ends
    with 1 where memory does not hold what is asked.
    """
    from benchreg.analysis.estimates import answer  # noqa: PLC0415  (as above)
    from benchreg.analysis.question import Question, Split  # noqa: PLC0415  (as above)
    from benchreg.report.estimate import as_json, as_text, fits  # noqa: PLC0415  (as above)

    ways = ("tensor", "pipeline", "context", "attention_data", "expert", "replicas")
    split = Split(**{name: given.pop(name) for name in ways})
    pattern, level = _load(batch, concurrency, saturated=saturated)
    question = Question(
        model,
        accelerator,
        pattern=cast("Any", pattern),
        level=level,
        split=split,
        coefficients=chosen(given),
        **given,
    )
    found = answer(load(registry_root(root), only=CATALOGUE), question)
    say(as_json(found) if form == "json" else as_text(found, paint()))
    return OK if fits(found) else FINDINGS


def _load(batch: int | None, concurrency: int | None, *, saturated: bool) -> tuple[str, int]:
    """Return the pattern and the level; raises BenchregError where two are asked for."""
    given = [name for name, value in (
        ("--batch", batch is not None),
        ("--concurrency", concurrency is not None),
        ("--saturated", saturated),
    ) if value]  # fmt: skip
    if len(given) > 1:
        raise BenchregError(f"{' and '.join(given)} are two loads; give one of them")
    if saturated:
        return "saturated", 1
    if concurrency is not None:
        return "closed_loop", concurrency
    return "static_batch", 1 if batch is None else batch
