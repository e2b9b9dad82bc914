"""Aggregate rates: which figures are some, and what one request sees of them."""

from pydantic import MISSING

from benchreg.entities.catalogue import Metric
from benchreg.entities.figure import Figure
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.values.text import brief, spoken


def may_be_aggregate(figure: Figure, metric: Metric) -> bool:
    """Tell whether a figure is a rate of output or total tokens, and not plainly one request's."""
    tokens = metric.counts in ("output_token", "any_token")
    return metric.quantity == "rate" and tokens and figure.scope != "per_request"


def seen_by_request(registry: Registry, record: Record, figure: Figure) -> str:
    """Return what one request sees of an aggregate, or why it is not known; else nothing.

    A latency is named, as in `97.5 ms tpot p99`; a rate is not.
    """
    if figure.seen_by_request is MISSING:
        return _reason(registry, figure)
    try:
        _, seen = registry.figure(record, figure.seen_by_request)
    except KeyError:
        return f"{figure.seen_by_request} is not there"
    statistic = f" {seen.statistic}" if seen.statistic is not MISSING else ""
    metric = registry.metrics.get(seen.metric)
    latency = f" {seen.metric}" if metric and metric.quantity == "latency" else ""
    return f"{brief(seen.value)} {seen.unit}{latency}{statistic}"


def _reason(registry: Registry, figure: Figure) -> str:
    if declared := figure.absent.get("seen_by_request"):
        return spoken(declared.because)
    metric = registry.metrics.get(figure.metric)
    return "not declared" if metric and may_be_aggregate(figure, metric) else ""
