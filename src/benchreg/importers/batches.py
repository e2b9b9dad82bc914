"""A static batch: its load, and what each of its requests sees."""

from decimal import Decimal

from benchreg.importers.statement import RunError, Statement

MORE_PLACES = 2
MOST_PLACES = 12


def static_batch(found: Statement, size: int, runs: int | None = None) -> None:
    """State that requests ran in batches of one size, one batch a run.

    Raises RunError for a batch without requests.
    """
    if not size:
        raise RunError("a batch of 0 requests runs nothing")
    found.block("load", pattern="static_batch", batch_size=size, requests=size)
    found.state("measurement.runs", runs or None)


def warmups(found: Statement, runs: int | None, size: int) -> None:
    """State the runs of the warm-up, each a batch, as requests that no figure counts."""
    if runs is not None:
        found.block("load.warmup", requests=runs * size, excluded=True)


def each_decodes(found: Statement, size: int) -> None:
    """Derive the rate at which each request of a batch decodes from `decode_rate`, that of all.

    The result has two digits more than what it follows from, which is exact to half of its last.
    """
    whole = found.tree.get("results", {}).get("decode_rate")
    if whole is None or size < 2:
        return
    value = Decimal(whole["value"])
    places = min(max(-int(value.as_tuple().exponent), 0) + MORE_PLACES, MOST_PLACES)
    found.figure(
        "user_decode_rate",
        "decode_rate_per_request",
        round(value / size, places).normalize(),
        whole["unit"],
        scope="per_request",
        statistic="mean",
        window="phase_only",
        derivation={"formula": "decode_rate / batch", "inputs": {"batch": "load.batch_size"}},
    )
