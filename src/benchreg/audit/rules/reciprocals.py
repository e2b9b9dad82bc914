"""MET, third part: one over a statistic is another statistic."""

import re
from collections.abc import Iterator
from functools import lru_cache

from pydantic import MISSING

from benchreg.analysis.derivation import UnsettledError
from benchreg.analysis.statistics import (
    MIRROR,
    OF_REQUESTS,
    RANK,
    Turned,
    divisors,
    inverse,
    turned,
)
from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.figure import Claim, Derivation, Figure
from benchreg.entities.record import Record
from benchreg.registry.document import Pointer
from benchreg.registry.registry import Registry
from benchreg.values.expression import FormulaError


@rule("MET009", Severity.ERROR, over=Record, needs=("metrics", "records", "results"))
def percentile_flipped(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """One over a percentile is kept as the same percentile.

    The request with the p99 of TPOT is among the slowest: one over it is the p1 of the rate, and
    99 of 100 requests are faster. Kept as p99 it reads as what the fastest see. So p99 turns into
    p1, p95 into p5, p90 into p10, p75 into p25, the least into the most; p50 stays.

    One over a mean is not a mean. It is the harmonic mean of the rates, and below their mean by
    as much as requests differ. Such a rate names no statistic; `mean` is a warning, unless the
    derivation says under `assumes` why the requests are alike. One over a standard deviation
    says nothing of any request.

    This is judged where a rate of one request is derived from a latency, or a latency from a
    rate; and where a rate without a derivation is one over a latency, or over its spread, that
    stands beside it, or has the name of a deviation in the source. A figure that came from a
    percentile which is not in the record looks like any other.

    Bad:

    ```yaml
    results:
      tpot_p99: {metric: tpot, scope: per_request, statistic: p99, value: 12.5, unit: ms}
      decode_rate:
        metric: decode_rate_per_request
        scope: per_request
        statistic: p99
        value: 80
        unit: tok/s
        derivation: {formula: 1000 / tpot_p99}
    ```

    Good:

    ```yaml
    results:
      tpot_p99: {metric: tpot, scope: per_request, statistic: p99, value: 12.5, unit: ms}
      decode_rate:
        metric: decode_rate_per_request
        scope: per_request
        statistic: p1
        value: 80
        unit: tok/s
        derivation: {formula: 1000 / tpot_p99}
    ```
    """
    yield from _over_deviations(record)
    yield from _read_beside(record, registry)
    of_one = {name for name, one in record.results.items() if one.scope == "per_request"}
    for name, figure in record.results.items():
        if figure.derivation is MISSING or figure.scope not in ("per_request", MISSING):
            continue
        elsewhere = any("#" in reference for reference in figure.derivation.inputs.values())
        quantity = registry.metrics[figure.metric].quantity
        if quantity in OF_REQUESTS and (elsewhere or of_one - {name}):
            yield from _derived(record, registry, name, figure.derivation)


def _derived(
    record: Record, registry: Registry, name: str, derivation: Derivation
) -> Iterator[Problem | NotEvaluated]:
    """Judge the statistic of a figure by those of the figures that it is derived from."""
    at, figure = ("results", name), record.results[name]
    try:
        used = turned(registry, record, derivation)
    except (FormulaError, UnsettledError) as error:
        yield NotEvaluated(at, f"the derivation cannot be read: {error}")
        return
    if len(used) == 1:
        yield from _kept_as(at, figure, used[0])
    elif used and figure.statistic in RANK:
        parts = ", ".join(one.label for one in used)
        reason = f"the {figure.statistic} of what {parts} give together is not known"
        yield NotEvaluated(at, reason)


def _kept_as(at: Pointer, figure: Figure, source: Turned) -> Iterator[Problem | NotEvaluated]:
    """Judge the statistic of a figure that rises or falls with another one."""
    kept, of = figure.statistic, source.figure.statistic
    if of is MISSING:
        if kept is not MISSING:
            yield NotEvaluated(at, f"{source.label} names no statistic")
        return
    if of == "mean" and source.falls:
        yield from _over_a_mean(at, figure, source.label)
        return
    becomes = MIRROR.get(of) if source.falls else of
    if kept == becomes or (kept is MISSING and not source.falls):
        return
    yield Problem(
        (*at, "statistic"),
        f"{'one over ' if source.falls else ''}the {of} ({source.label}) is {_said(becomes)}, and "
        f"is kept {'without a statistic' if kept is MISSING else f'as {kept}'}",
        f"write `statistic: {becomes}`" if becomes else "leave the figure out",
        on_value=True,
    )


def _said(becomes: str | None) -> str:
    return f"the {becomes}" if becomes else "a percentile that has no name here"


def _over_a_mean(at: Pointer, figure: Figure, label: str) -> Iterator[Problem]:
    kept = figure.statistic
    explained = figure.derivation is not MISSING and bool(figure.derivation.assumes)
    if kept is MISSING or (kept == "mean" and explained):
        return
    yield Problem(
        (*at, "statistic"),
        f"one over the mean ({label}) is the harmonic mean of the requests, and is kept as {kept}",
        "leave `statistic` out, or say under `assumes` why the requests are alike",
        severity=Severity.WARNING if kept == "mean" else None,
        on_value=True,
    )


_DEVIATION = re.compile(
    r"(?:^|[^a-z])(?:std|stdev|stddev|sigma|standard[ _-]deviation)(?:[^a-z]|$)", re.IGNORECASE
)


@lru_cache(maxsize=4096)
def _of_deviation(name: str) -> bool:
    return bool(_DEVIATION.search(name))


def _over_deviations(record: Record) -> Iterator[Problem]:
    """Yield the formulas of figures and claims that divide by a deviation."""
    for name, figure in record.results.items():
        if figure.derivation is not MISSING:
            yield from _over_deviation(record, ("results", name, "derivation"), figure.derivation)
    for index, claim in enumerate(record.claims):
        yield from _over_deviation(record, ("claims", index), claim)


def _over_deviation(
    record: Record, at: Pointer, derivation: Derivation | Claim
) -> Iterator[Problem]:
    for name in sorted(divisors(derivation.formula)):
        reference = derivation.inputs.get(name, name)
        if _is_deviation(record, reference):
            yield Problem(
                (*at, "formula"),
                f"{derivation.formula!r} divides by a standard deviation ({reference}), which is "
                "no time of any request",
                "derive the rate from a percentile or a mean",
                on_value=True,
            )


def _is_deviation(record: Record, reference: str) -> bool:
    """Tell whether a reference, or the source's name of what it leads to, is of a deviation."""
    figure = record.results.get(reference)
    name = figure.source_name if figure is not None else MISSING
    return _of_deviation(reference) or (name is not MISSING and _of_deviation(name))


MOST_PAIRS = 10_000


def _read_beside(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """Judge rates that were read and not derived: by their name, and by latencies beside them."""
    read = [name for name, one in record.results.items() if one.derivation is MISSING]
    rates = [name for name in read if _is_of_one(record, registry, name, "rate")]
    if not rates:
        return
    latencies = [name for name in record.results if _is_of_one(record, registry, name, "latency")]
    if len(rates) * len(latencies) > MOST_PAIRS:
        yield NotEvaluated(("results",), f"more than {MOST_PAIRS:,} pairs of rate and latency")
        return
    for rate in rates:
        case = _of_a_deviation(record, rate, latencies) or _same_side(record, rate, latencies)
        if case is not None:
            yield case


def _is_of_one(record: Record, registry: Registry, name: str, quantity: str) -> bool:
    figure = record.results[name]
    known = figure.scope in ("per_request", MISSING)
    return known and registry.metrics[figure.metric].quantity == quantity


def _of_a_deviation(record: Record, name: str, latencies: list[str]) -> Problem | None:
    """Return what is wrong with a rate that is called so, or is one over the spread of another."""
    rate, found = record.results[name], ""
    if rate.source_name is not MISSING and _of_deviation(rate.source_name):
        found = f"{rate.source_name!r} is a deviation, or one over it"
    for other in latencies:
        spread, unit = record.results[other].spread, record.results[other].unit
        if spread is not MISSING and inverse(rate, spread.stdev, unit):
            found = f"{rate.value} is one over the deviation of {other}"
    if not found:
        return None
    hint = "leave it out; how far requests are apart is `spread` of a figure"
    message = f"{found}: no request has this rate"
    return Problem(("results", name, "value"), message, hint, on_value=True)


def _same_side(record: Record, name: str, latencies: list[str]) -> Problem | NotEvaluated | None:
    """Return what is wrong with a rate that is one over a latency of the same statistic."""
    rate, at = record.results[name], ("results", name, "statistic")
    if rate.statistic not in RANK or MIRROR.get(rate.statistic) == rate.statistic:
        return None
    for other in latencies:
        latency = record.results[other]
        if latency.statistic != rate.statistic or not inverse(rate, latency.value, latency.unit):
            continue
        kind = [record.results[one] for one in latencies]
        alike = [inverse(rate, one.value, one.unit) for one in kind if one.metric == latency.metric]
        if all(alike):
            return NotEvaluated(at, f"one over {other}; whether requests differ is not known")
        becomes = MIRROR.get(rate.statistic)
        return Problem(
            at,
            f"{rate.value} is one over the {rate.statistic} of {latency.metric} ({other}), which "
            f"is {_said(becomes)}, and is kept as {rate.statistic}",
            f"write `statistic: {becomes}`" if becomes else "leave the figure out",
            on_value=True,
        )
    return None
