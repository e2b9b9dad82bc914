"""What an alias means where an id should stand, if it can mean one thing only."""

from collections.abc import Iterable

from pydantic import MISSING

from benchreg.entities.catalogue import Metric
from benchreg.entities.record import Record
from benchreg.registry.links import Link
from benchreg.registry.registry import PLURALS, Registry


def called(name: str, metrics: Iterable[Metric]) -> list[tuple[str, str]]:
    """Return the metrics that a tool calls so, each with the tool."""
    return [
        (metric.id, alias.tool)
        for metric in metrics
        for alias in metric.aliases
        if alias.name == name
    ]


def metric_meant(record: Record, name: str, registry: Registry) -> str:
    """Return the one metric that a tool's name can mean in a record; empty where it is not one.

    Where the harness of the record is a tool of the catalogue, only what that tool calls so
    counts; else every tool that has the name must mean the same by it.
    """
    meant = called(name, registry.metrics.values())
    tool = _tool(record, registry)
    found = {metric for metric, by in meant if tool in ("", by)}
    return found.pop() if len(found) == 1 else ""


def _tool(record: Record, registry: Registry) -> str:
    """Return the tool of the catalogue that the harness of a record begins with."""
    harness = record.measurement.harness
    if harness is MISSING:
        return ""
    tools = {alias.tool for metric in registry.metrics.values() for alias in metric.aliases}
    words = f"{harness} ".casefold()
    return max(
        (tool for tool in tools if words.startswith(f"{tool} ".casefold())), key=len, default=""
    )


def id_meant(link: Link, registry: Registry) -> str:
    """Return what a link that leads nowhere must be to lead to what it calls by its alias.

    Empty where nothing has the alias, or more than one does, or it is a result's.
    """
    base, sign, result = link.target.partition("#")
    owners = [
        name
        for name in registry.names.get(base, ())
        if PLURALS[name.entry.kind] == link.kind and name.result is None
    ]
    if len(owners) != 1:
        return ""
    return f"{owners[0].entry.entity.id}{sign}{result}"  # type: ignore[attr-defined]  # has an id
