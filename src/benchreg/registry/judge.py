"""The two judges of a document: the strict models of every day, and the committed JSON Schema."""

from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from benchreg.entities.base import Entity
from benchreg.entities.catalogue import Accelerator, Engine, Metric, Model, Source
from benchreg.entities.record import Record
from benchreg.registry.document import Document, Pointer, leaves, written, written_pointer
from benchreg.registry.refusal import Refusal, RefusalKind
from benchreg.registry.schema import allowed_at, schema_of
from benchreg.values.text import is_placeholder, suggestion, unsafe_part

if TYPE_CHECKING:
    from jsonschema.protocols import Validator
    from pydantic_core import ErrorDetails

Parts = dict[tuple[int, str], tuple[object, object]]
ENTITIES: dict[str, type[Entity]] = {
    "record": Record,
    "accelerator": Accelerator,
    "model": Model,
    "engine": Engine,
    "source": Source,
    "metric": Metric,
}


def judge(
    kind: str, document: Document, *, both: bool = False, parts: Parts | None = None
) -> Entity | list[Refusal]:
    """Return the entity that a document is, or every reason why it is none.

    The models judge; the schema judges again what they refuse, and with `both` what they accept.
    `parts` remembers the parts that documents share, so that each is judged once.
    """
    hygiene = list(_hygiene(document)) if document.suspect else []
    try:
        entity = ENTITIES[kind].model_validate(document.tree, context=parts)
    except ValidationError as error:
        return _refused(kind, document, error, hygiene)
    if both and (quarrel := _schema_refuses(kind, document)):
        return [quarrel]
    return hygiene or entity


def _refused(
    kind: str, document: Document, error: ValidationError, hygiene: list[Refusal]
) -> list[Refusal]:
    broken = [_refusal(kind, document, detail) for detail in error.errors(include_url=False)]
    empty = {found.at for found in hygiene if document.value(found.at) in (None, "", [], {})}
    closed = {refusal.at for refusal in broken if refusal.kind == "schema"} - empty
    refusals = [refusal for refusal in broken if refusal.at not in empty]
    refusals += [found for found in hygiene if found.at not in closed]
    if accepted_by_schema(kind, document.tree):
        refusals.append(_quarrel(document, "the models refuse it and the schema accepts it"))
    return sorted(dict.fromkeys(refusals), key=lambda refusal: document.place(refusal.at))


def _hygiene(document: Document) -> Iterator[Refusal]:
    for at, value in leaves(document.tree):
        if value is None or value in ("", [], {}):
            yield _placeholder(document, at, "an empty value")
        elif isinstance(value, str) and (part := unsafe_part(value)):
            yield Refusal(
                document.path,
                "unsafe",
                f"{written_pointer(at)} holds {part}",
                "write plain text, in one line or folded",
                at,
                on_value=True,
            )
        elif isinstance(value, str) and is_placeholder(value):
            yield _placeholder(document, at, f"the placeholder {value!r}")


def _placeholder(document: Document, at: Pointer, what: str) -> Refusal:
    return Refusal(
        document.path,
        "placeholder",
        f"{written_pointer(at)} holds {what}",
        "leave the key out and say under `absent` why it is not known",
        at,
        on_value=True,
    )


def _refusal(kind: str, document: Document, detail: "ErrorDetails") -> Refusal:
    at = tuple(detail["loc"])
    error, value = detail["type"], detail.get("input")
    if error == "extra_forbidden":
        return _unknown_key(kind, document, at)
    if error == "missing":
        return _missing_key(kind, document, at)
    here = written(document.tree, at)
    if error == "string_type" and type(value) in (int, Decimal, bool):
        text = str(value).lower() if isinstance(value, bool) else str(value)
        message = f"{written_pointer(here)} is read as {_kind_of(value)}, and text is meant"
        return _at_value(document, here, message, f'put it in quotes: "{text}"', "unquoted")
    return _at_value(document, here, *_wrong_value(kind, here, detail))


def _unknown_key(kind: str, document: Document, at: Pointer) -> Refusal:
    known = tuple(allowed_at(kind, at[:-1]).get("properties", ()))
    near = suggestion(str(at[-1]), known) if known else ""
    listed = f"known keys: {', '.join(known)}" if 0 < len(known) <= 12 else ""
    message = f"unknown key {str(at[-1])!r} in {written_pointer(at[:-1])}"
    return Refusal(document.path, "schema", message, near or listed, at)


def _missing_key(kind: str, document: Document, at: Pointer) -> Refusal:
    example = next(iter(allowed_at(kind, at).get("examples", ())), None)
    hint = (
        f"write it, such as `{at[-1]}: {example}`" if isinstance(example, str | int | float) else ""
    )
    message = f"the key {str(at[-1])!r} is missing in {written_pointer(at[:-1])}"
    return Refusal(document.path, "schema", message, hint, at)


def _at_value(
    document: Document, at: Pointer, message: str, hint: str, kind: RefusalKind = "schema"
) -> Refusal:
    return Refusal(document.path, kind, message, hint, at, on_value=True)


def _wrong_value(kind: str, at: Pointer, detail: "ErrorDetails") -> tuple[str, str]:
    """Say what is wrong with a value, and what is allowed there."""
    value, where = detail.get("input"), written_pointer(at)
    allowed = allowed_at(kind, at)
    choices = _choices(allowed)
    if choices and isinstance(value, str):
        near = suggestion(value, choices)
        return (
            f"{where} is {value!r}, which is none of its words",
            near or f"one of {', '.join(choices)}",
        )
    if detail["type"] == "int_type" and isinstance(value, Decimal) and value == int(value):
        return f"{where} is {value}, and a whole number is meant", f"write {int(value)}"
    if detail["type"] == "string_pattern_mismatch":
        return f"{where} is {value!r}, which does not have the form asked for", _example(allowed)
    message = detail["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
    given = f" ({_kind_of(value)})" if isinstance(value, dict | list) else f", not {value!s}"
    return f"{where} should be {message}{given}", _example(allowed)


def _choices(allowed: Any) -> tuple[str, ...]:
    forms = (allowed, *allowed.get("anyOf", ()))
    return tuple(word for form in forms for word in form.get("enum", ()))


def _example(allowed: Any) -> str:
    shown = [
        example for example in allowed.get("examples", ()) if isinstance(example, str | int | float)
    ]
    return f"such as {shown[0]!r}" if shown else ""


def _kind_of(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | Decimal):
        return "a number"
    names: dict[type, str] = {dict: "a mapping", list: "a list", str: "text"}
    return names.get(type(value), "nothing")


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
