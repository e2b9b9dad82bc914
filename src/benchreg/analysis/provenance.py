"""Where a value of a record comes from: what its source states, or what was concluded and why."""

from dataclasses import dataclass
from typing import Literal

from pydantic import MISSING

from benchreg.entities.completeness import BY_KEY, absence
from benchreg.entities.record import Record
from benchreg.values.errors import NotFoundError
from benchreg.values.text import shown, suggestion

Origin = Literal["stated", "inferred", "derived", "contributed", "absent", "not declared"]


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of a value: by which source, at which place; and why, where it does not say it.

    `why` is the reason of an inference or an absence, the formula of a derivation, and empty for
    what the source states.
    """

    origin: Origin
    source: str
    locator: str
    why: str = ""


def of_figure(record: Record, name: str) -> Provenance:
    """Return where a figure comes from; raises NotFoundError for a name that the record has not."""
    figure = record.results.get(name)
    if figure is None:
        near = suggestion(name, record.results) or f"it has {', '.join(record.results) or 'none'}"
        raise NotFoundError(f"{record.id} has no figure {shown(name)!r}; {near}")
    own = record.source.locator if figure.locator is MISSING else figure.locator
    locator = "" if own is MISSING else str(own)
    if figure.derivation is not MISSING:
        return Provenance("derived", record.source.id, locator, figure.derivation.formula)
    if why := figure.inferred.get("value"):
        return Provenance("inferred", record.source.id, locator, why)
    return Provenance("stated", record.source.id, locator)


def of_condition(record: Record, key: str) -> Provenance:
    """Return where a condition comes from; raises NotFoundError for a key that is none.

    A condition that the source does not say and nobody declares absent is `not declared`.
    """
    condition = BY_KEY.get(key)
    if condition is None:
        near = suggestion(key, BY_KEY) or f"there are {', '.join(BY_KEY)}"
        raise NotFoundError(f"no condition is called {shown(key)!r}; {near}")
    locator = "" if record.source.locator is MISSING else str(record.source.locator)
    place = (record.source.id, locator)
    if key in record.inferred:
        return Provenance("inferred", *place, str(record.inferred[key]))
    if condition.stated(record):
        return Provenance("contributed" if key in record.contributed else "stated", *place)
    declared = absence(record, key)
    if declared is None:
        return Provenance("not declared", *place)
    return Provenance("absent", *place, declared.because)
