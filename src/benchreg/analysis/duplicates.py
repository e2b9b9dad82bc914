"""Figures that stand at one place of one source, whoever holds them."""

from collections.abc import Mapping
from functools import lru_cache

from pydantic import MISSING

from benchreg.entities.figure import Figure
from benchreg.registry.registry import Registry


@lru_cache(maxsize=2)
def repeated(registry: Registry) -> Mapping[str, dict[str, str]]:
    """Return, by record and result, the active record that held the same figure before.

    Figures are the same where source, locator, metric, scope, statistic, pool and value are.
    """
    first: dict[tuple[object, ...], str] = {}
    found: dict[str, dict[str, str]] = {}
    for record in registry.records.values():
        if record.status != "active":
            continue
        where = _plain(record.source.locator)
        for name, figure in record.results.items():
            within = _plain(figure.locator)
            if not where and not within:
                continue
            place = (record.source.id, where, "" if within == where else within)
            holder = first.setdefault((*place, *_what(figure)), record.id)
            if holder != record.id:
                found.setdefault(record.id, {})[name] = holder
    return found


def _what(figure: Figure) -> tuple[object, ...]:
    which = (figure.metric, figure.scope, figure.statistic, figure.over)
    return (*which, figure.value, figure.unit)


def _plain(locator: str | MISSING) -> str:
    """Return a locator without its capitals and spaces; a figure's own refines the record's."""
    return "" if locator is MISSING else " ".join(locator.casefold().split())
