"""The two judges of a document: the strict models of every day, and the committed JSON Schema."""

from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from benchreg.entities.base import Entity
from benchreg.entities.catalogue import Accelerator, Engine, Metric, Model, Source
from benchreg.entities.mapping import Mapping
from benchreg.entities.record import Record
from benchreg.registry.document import Document, written_pointer
from benchreg.registry.hygiene import hygiene
from benchreg.registry.refusal import Refusal
from benchreg.registry.schema import schema_of
from benchreg.registry.wording import refusal

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

Parts = dict[tuple[int, str], tuple[object, object]]
ENTITIES: dict[str, type[Entity]] = {
    "record": Record,
    "accelerator": Accelerator,
    "model": Model,
    "engine": Engine,
    "source": Source,
    "metric": Metric,
    "mapping": Mapping,
}


def judge(
    kind: str, document: Document, *, both: bool = False, parts: Parts | None = None
) -> Entity | list[Refusal]:
    """Return the entity that a document is, or every reason why it is none.

    The models judge; the schema judges again what they refuse, and with `both` what they accept.
    `parts` remembers the parts that documents share, so that each is judged once.
    """
    unclean = list(hygiene(kind, document)) if document.suspect else []
    try:
        entity = ENTITIES[kind].model_validate(document.tree, context=parts)
    except ValidationError as error:
        return _refused(kind, document, error, unclean)
    if both and (quarrel := _schema_refuses(kind, document)):
        return [quarrel, *_listed(document, unclean)]
    return _listed(document, unclean) or entity


MOST_REFUSALS = 100


def _refused(
    kind: str, document: Document, error: ValidationError, unclean: list[Refusal]
) -> list[Refusal]:
    details = islice(error.errors(include_url=False), MOST_REFUSALS + 1)
    broken = [refusal(kind, document, detail) for detail in details]
    empty = {found.at for found in unclean if document.value(found.at) in (None, "", [], {})}
    closed = {found.at for found in broken if found.kind == "schema"} - empty
    refusals = [found for found in broken if found.at not in empty]
    refusals += [found for found in unclean if found.at not in closed]
    if accepted_by_schema(kind, document.tree):
        refusals.append(_quarrel(document, "the models refuse it and the schema accepts it"))
    return _listed(document, list(dict.fromkeys(refusals)))


def _listed(document: Document, refusals: list[Refusal]) -> list[Refusal]:
    """Return refusals in the order of the text; of very many, the first hundred."""
    ordered = sorted(refusals, key=lambda found: document.place(found.at))
    if len(ordered) <= MOST_REFUSALS:
        return ordered
    more = f"more than {MOST_REFUSALS} faults; the others are not listed"
    return [*ordered[:MOST_REFUSALS], Refusal(document.path, "schema", more)]


@cache
def _validator(kind: str) -> "Validator":
    from jsonschema import Draft202012Validator  # noqa: PLC0415  (only refused documents need it)

    return Draft202012Validator(schema_of(kind))


def accepted_by_schema(kind: str, tree: Any) -> bool:
    """Tell whether the committed schema accepts a tree."""
    return bool(_validator(kind).is_valid(tree))


def _schema_refuses(kind: str, document: Document) -> Refusal | None:
    error = next(_validator(kind).iter_errors(document.tree), None)
    if error is None:
        return None
    where = written_pointer(tuple(error.absolute_path))
    return _quarrel(
        document, f"the models accept it and the schema refuses {where} ({error.validator})"
    )


def _quarrel(document: Document, message: str) -> Refusal:
    return Refusal(
        document.path, "judges", message, "this is a fault of benchreg; please report it"
    )
