"""What an entity points at: every link with its kind, its target and its place."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pydantic import MISSING

from benchreg.entities.base import Entity
from benchreg.entities.catalogue import Accelerator, Metric, Model
from benchreg.entities.figure import Figure
from benchreg.entities.record import Record
from benchreg.registry.document import Pointer


class Link(NamedTuple):
    """One reference; `kind` is the map of the registry that holds its target.

    `results` are siblings in the same record; a target in `records` may be `record#result`.
    """

    kind: str
    target: str
    at: Pointer


def links(entity: Entity) -> Iterator[Link]:
    """Yield every link of an entity, in the order of its fields."""
    if isinstance(entity, Record):
        yield from _of_record(entity)
    elif isinstance(entity, Metric):
        for index, other in enumerate(entity.not_the_same_as):
            yield Link("metrics", other, ("not_the_same_as", index))
    elif isinstance(entity, Accelerator | Model):
        for index, provenance in enumerate(entity.provenance):
            yield Link("sources", provenance.source, ("provenance", index, "source"))
    if isinstance(entity, Accelerator):
        for index, conflict in enumerate(entity.conflicts):
            yield Link("sources", conflict.source, ("conflicts", index, "source"))


def _of_record(record: Record) -> Iterator[Link]:
    if record.superseded_by is not MISSING:
        yield Link("records", record.superseded_by, ("superseded_by",))
    yield Link("sources", record.source.id, ("source", "id"))
    if record.model.id is not MISSING:
        yield Link("models", record.model.id, ("model", "id"))
    yield from _of_hardware(record)
    if record.engine.id is not MISSING:
        yield Link("engines", record.engine.id, ("engine", "id"))
    for name, figure in record.results.items():
        yield from _of_figure(name, figure)
    for kind in ("replicates", "contradicts", "estimate_of"):
        for index, other in enumerate(getattr(record.links, kind)):
            yield Link("records", other, ("links", kind, index))
    for index, claim in enumerate(record.claims):
        yield from _of_inputs(claim.inputs, ("claims", index, "inputs"))


def _of_hardware(record: Record) -> Iterator[Link]:
    for index, pool in enumerate(record.hardware.pools):
        at = ("hardware", "pools", index)
        if pool.accelerator is not MISSING:
            yield Link("accelerators", pool.accelerator, (*at, "accelerator"))
        for item, part in enumerate(pool.could_be):
            yield Link("accelerators", part, (*at, "could_be", item))


def _of_figure(name: str, figure: Figure) -> Iterator[Link]:
    at = ("results", name)
    yield Link("metrics", figure.metric, (*at, "metric"))
    if figure.seen_by_request is not MISSING:
        yield _to_result(figure.seen_by_request, (*at, "seen_by_request"))
    if figure.aggregate is not MISSING:
        yield _to_result(figure.aggregate, (*at, "aggregate"))
    if figure.derivation is not MISSING:
        yield from _of_inputs(figure.derivation.inputs, (*at, "derivation", "inputs"))


def _of_inputs(inputs: Mapping[str, str], at: Pointer) -> Iterator[Link]:
    for name, reference in inputs.items():
        if is_result(reference):
            yield _to_result(reference, (*at, name))


def _to_result(reference: str, at: Pointer) -> Link:
    return Link("records" if "#" in reference else "results", reference, at)


def is_result(reference: str) -> bool:
    """Tell whether an input names a result, and not a field such as `load.batch_size`."""
    return "#" in reference or "." not in reference
