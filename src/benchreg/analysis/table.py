"""A registry as rows: one for each figure, and one for each record without figures."""

import math
from collections.abc import Iterator
from decimal import Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from pydantic import MISSING

from benchreg.analysis.aggregates import seen_by_request
from benchreg.analysis.row import Row
from benchreg.analysis.tier import tier
from benchreg.entities.completeness import BY_KEY, absence
from benchreg.entities.conditions import Pool
from benchreg.entities.figure import Figure
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.values.text import amount, spoken
from benchreg.values.units import factor

if TYPE_CHECKING:  # numpy is slow to import, and a type needs none
    from benchreg.analysis.crosscheck import Verdict, Verdicts

LEAST_DIGITS = 6


def rows(
    registry: Registry, records: Iterator[Record] | list[Record], verdicts: "Verdicts"
) -> Iterator[Row]:
    """Yield the rows of some records: by model, hardware and scenario, then as they are written."""
    for record in sorted(records, key=_order):
        common = _conditions(registry, record)
        for name, figure in record.results.items():
            value, unit = in_unit(registry, figure)
            yield Row(
                key=f"{record.id}#{name}",
                metric=figure.metric,
                scope=_of_figure(figure, "scope"),
                statistic=_of_figure(figure, "statistic"),
                value=value,
                unit=unit,
                seen_by_request=seen_by_request(registry, record, figure),
                **_judged(verdicts.get((record.id, name))),
                window=_window(record, figure),
                **common,
            )
        if not record.results:
            nothing = dict.fromkeys(("metric", "scope", "statistic", "unit", "seen_by_request"), "")
            window = word(record, "load.window", record.load.window)
            judged = _judged(verdicts.get((record.id, "")))
            yield Row(key=record.id, value=None, window=window, **judged, **nothing, **common)


def in_unit(registry: Registry, figure: Figure) -> tuple[Decimal, str]:
    """Return a figure in the unit of its metric, with the digits that it has in its own.

    One whose unit is of another dimension stays as it is.
    """
    metric = registry.metrics.get(figure.metric)
    scale = factor(figure.unit, metric.unit) if metric else None
    if metric is None or scale is None:
        return figure.value, figure.unit
    places = _shift(scale)
    if places is not None:
        return (figure.value.scaleb(places) if places else figure.value), metric.unit
    context = Context(prec=max(len(figure.value.as_tuple().digits), LEAST_DIGITS))
    return context.divide(figure.value * scale.numerator, Decimal(scale.denominator)), metric.unit


def _shift(scale: Fraction) -> int | None:
    """Return by how many places a factor moves the point; None where it does more than that."""
    zeros = len(str(max(scale.numerator, scale.denominator))) - 1
    places = zeros if scale >= 1 else -zeros
    return places if scale == Fraction(10) ** places else None


def _judged(verdict: "Verdict | None") -> dict[str, str]:
    if verdict is None:
        return dict.fromkeys(("verdict", "of_bound", "of_widest", "mbu", "mfu"), "")
    return {
        "verdict": spoken(verdict.kind),
        "of_bound": _share(verdict.of_nominal),
        "of_widest": _share(verdict.share),
        "mbu": _share(verdict.mbu),
        "mfu": _share(verdict.mfu),
    }


def _share(share: float) -> str:
    """Write a share with three digits; nothing where there is none."""
    return amount(float(f"{share:.3g}")) if math.isfinite(share) else ""


def _order(record: Record) -> tuple[str, ...]:
    scenario = word(record, "load.scenario", record.load.scenario)
    return (model_words(record), hardware_words(record), scenario, record.id.rjust(200))


def _conditions(registry: Registry, record: Record) -> dict[str, str]:
    load, workload, engine = record.load, record.workload, record.engine
    build = next(
        (part for part in (engine.version, engine.commit, engine.image) if part is not MISSING),
        MISSING,
    )
    return {
        "model": model_words(record),
        "hardware": hardware_words(record),
        "engine": word(record, "engine", engine.id, engine.described_as),
        "engine_version": word(record, "engine.version", build),
        "precision": word(record, "precision.weights", record.precision.weights),
        "scenario": word(record, "load.scenario", load.scenario),
        "pattern": word(record, "load", load.pattern),
        "load": word(record, "load", level_words(record)),
        "input_tokens": word(record, "workload.input_tokens", workload.input_tokens),
        "output_tokens": word(record, "workload.output_tokens", workload.output_tokens),
        "status": spoken(record.status if record.outcome is MISSING else record.outcome),
        "tier": tier(registry, record),
        "measured": word(record, "measurement.measured", record.measurement.measured),
        "source": record.source.id,
        "locator": record.source.locator if record.source.locator is not MISSING else "not stated",
    }


def word(record: Record, key: str, *values: object) -> str:
    """Return the first value that is stated, marked where it was inferred; else why none is."""
    for value in values:
        if value is not MISSING:
            return f"{spoken(str(value))}{' (inferred)' if key in record.inferred else ''}"
    declared = absence(record, key) if key in BY_KEY else None
    return spoken(declared.because) if declared else "not declared"


def model_words(record: Record) -> str:
    """Return which model it was."""
    marked = " (inferred)" if "model.id" in record.inferred else ""
    if record.model.id is not MISSING:
        return f"{record.model.id}{marked}"
    return word(record, "model", record.model.described_as)


def hardware_words(record: Record) -> str:
    """Return what it ran on: how many of which part, or what the words could mean."""
    pools = [pool_words(pool) for pool in record.hardware.pools]
    marked = " (inferred)" if "hardware" in record.inferred else ""
    return f"{' + '.join(pools)}{marked}" if pools else word(record, "hardware")


def pool_words(pool: Pool) -> str:
    """Return a pool in words."""
    role = f" for {pool.role}" if pool.role is not MISSING else ""
    if pool.accelerator is not MISSING:
        return f"{pool.count} x {pool.accelerator}{role}"
    said = f"{pool.described_as!r}" if pool.described_as is not MISSING else "an unnamed part"
    could = f", could be {' or '.join(pool.could_be)}" if pool.could_be else ""
    return f"{pool.count} x ({said}{could}){role}"


def level_words(record: Record) -> object:
    """Return how much load there was, by the pattern's own parameter; MISSING where none is."""
    load = record.load
    if load.batch_size is not MISSING:
        return f"batch {load.batch_size}"
    if load.concurrency is not MISSING:
        return f"concurrency {load.concurrency}"
    if load.request_rate is not MISSING:
        return f"{load.request_rate} req/s"
    return load.pattern if load.pattern in ("all_at_once", "single_stream") else MISSING


def _of_figure(figure: Figure, name: str) -> str:
    value, declared = getattr(figure, name), figure.absent.get(name)
    if value is not MISSING:
        return spoken(value)
    return spoken(declared.because) if declared else ""


def _window(record: Record, figure: Figure) -> str:
    if figure.window is not MISSING:
        return spoken(figure.window)
    declared = figure.absent.get("window")
    if declared:
        return spoken(declared.because)
    return word(record, "load.window", record.load.window)
