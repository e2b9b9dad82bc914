"""How requests came, by the settings of clients that pace them with a rate and a cap."""

from decimal import Decimal

from benchreg.importers.statement import RunError, Statement, plain

FAR_BELOW, FAR_ABOVE = Decimal("0.9"), Decimal("1.1")


def arrivals(
    found: Statement,
    rate: Decimal | None,
    cap: int | None,
    prompts: int | None,
    burstiness: Decimal | None = None,
) -> None:
    """State the pattern that a rate (req/s, may be infinite) and a cap on requests in flight make.

    Infinite with a cap is a closed loop, unless there are no more prompts than the cap: then, and
    without a cap, all come at once. A finite rate is an open loop, capped where there is a cap:
    Poisson at a burstiness of 1, else gamma.
    """
    if cap == 0:
        raise RunError("a cap of 0 requests in flight lets none through")
    if rate is None:
        found.absent("load", "not_stated")
    elif rate.is_infinite():
        if cap is None or (prompts is not None and prompts <= cap):
            found.state("load.pattern", "all_at_once")
        else:
            found.block("load", pattern="closed_loop", concurrency=cap)
    elif not rate:
        raise RunError("a rate of 0 requests per second sends none")
    else:
        found.block("load", pattern="open_loop", request_rate=plain(rate), max_in_flight=cap)
        _process(found, burstiness)


def reached(found: Statement, rate: Decimal, achieved: Decimal | None) -> None:
    """Remark a configured rate that what completed is far from; an infinite one is none."""
    if achieved is None or not rate.is_finite() or not rate:
        return
    if not FAR_BELOW <= achieved / rate <= FAR_ABOVE:
        found.remark(f"{achieved:.3g} req/s completed, and {rate:.3g} req/s were configured")


def _process(found: Statement, burstiness: Decimal | None) -> None:
    if burstiness is None or burstiness == 1:
        found.state("load.arrival.process", "poisson")
    elif not burstiness:
        raise RunError("a burstiness of 0 is no shape of arrivals")
    else:
        found.block("load.arrival", process="gamma", burstiness=plain(burstiness))
