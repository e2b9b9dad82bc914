"""Which records do not stand, and what rests on them."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

from benchreg.entities.record import Record
from benchreg.registry.links import Link, links
from benchreg.registry.registry import Registry


@lru_cache(maxsize=2)
def fallen(registry: Registry) -> Mapping[str, Record]:
    """Return the records that are withdrawn or disputed."""
    return {
        record.id: record
        for record in registry.records.values()
        if record.status in ("withdrawn", "disputed")
    }


def rests_on(record: Record) -> Iterator[Link]:
    """Yield the links by which a record relies on another one.

    To contradict a record, or to be replaced by one, is not to rely on it.
    """
    for link in links(record):
        if link.kind == "records" and link.at[:2] not in _NO_REST:
            yield link


_NO_REST = (("links", "contradicts"), ("superseded_by",))
