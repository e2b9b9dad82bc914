"""Errors of the models, in words that say what to write instead."""

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from benchreg.entities.base import WORD_PATTERN
from benchreg.registry.document import Document, Edit, Pointer, written, written_pointer
from benchreg.registry.refusal import Refusal
from benchreg.registry.schema import allowed_at
from benchreg.values.text import shown, suggestion

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Said = tuple[str, str]


def refusal(kind: str, document: Document, detail: "ErrorDetails") -> Refusal:
    """Return what one error of the models means for a document of a kind."""
    at = tuple(detail["loc"])
    error, value = detail["type"], detail.get("input")
    if error == "extra_forbidden":
        return _unknown_key(kind, document, at)
    if error == "missing":
        return _missing_key(kind, document, at)
    if at and at[-1] == "[key]":
        name = str(at[-2])
        message = f"the name {shown(name, 60)!r} does not have the form of one"
        hint = f"begin with a letter; a-z, 0-9, _{_meant(name, (WORD_PATTERN,), '; ')}"
        return Refusal(document.path, "schema", message, hint, at[:-1])
    here = written(document.tree, at)
    if error == "string_type" and type(value) in (int, Decimal, bool):
        message = f"{written_pointer(here)} is read as {_read_as(value)}, and text is meant"
        as_written = document.scalar(here)
        hint = f'put it in quotes: "{as_written}"'
        edit = None if isinstance(value, bool) else Edit(here, "quote", as_written)
        return Refusal(document.path, "unquoted", message, hint, here, on_value=True, edit=edit)
    said = _wrong_value(kind, here, detail)
    return Refusal(document.path, "schema", *said, here, on_value=True)


def _unknown_key(kind: str, document: Document, at: Pointer) -> Refusal:
    known = tuple(allowed_at(kind, at[:-1]).get("properties", ()))
    message = f"unknown key {str(at[-1])!r} in {written_pointer(at[:-1])}"
    dotted = ".".join(str(key) for key in at[1:])
    if at[0] == "absent" and dotted in allowed_at(kind, ("absent",)).get("properties", ()):
        return Refusal(document.path, "schema", message, f"write the key `{dotted}`", at)
    near = suggestion(str(at[-1]), known) if known else ""
    listed = f"known keys: {', '.join(known)}" if 0 < len(known) <= 12 else ""
    return Refusal(document.path, "schema", message, near or listed, at)


def _missing_key(kind: str, document: Document, at: Pointer) -> Refusal:
    example = next(iter(allowed_at(kind, at).get("examples", ())), None)
    hint = f"write it, such as `{at[-1]}: {example}`" if _is_plain(example) else ""
    message = f"the key {str(at[-1])!r} is missing in {written_pointer(at[:-1])}"
    return Refusal(document.path, "schema", message, hint, at)


def _wrong_value(kind: str, at: Pointer, detail: "ErrorDetails") -> Said:
    """Say what is wrong with a value, and what is allowed there."""
    value, allowed = detail.get("input"), allowed_at(kind, at)
    where, choices = written_pointer(at), _choices(allowed)
    if choices and isinstance(value, str):
        return f"{where} is {shown(value, 60)!r}, which is none of its words", _word(value, choices)
    if isinstance(value, str) and detail["type"] in ("int_type", "number_type"):
        return _text_for_number(where, value)
    if detail["type"] == "int_type" and isinstance(value, Decimal) and value == int(value):
        return f"{where} is {value}, and a whole number is meant", f"write {int(value)}"
    if isinstance(value, str) and detail["type"] == "string_pattern_mismatch":
        meant = _meant(value, _patterns(allowed)) or _example(allowed)
        return f"{where} is {shown(value, 60)!r}, which does not have the form of one", meant
    limits = detail.get("ctx", {})
    template, hint = _SAYS.get(detail["type"], ("should be another value", "{example}"))
    words = {**limits, "example": _example(allowed), "given": _kind_of(value), "as": _as(allowed)}
    return f"{where} {template.format(**words)}", hint.format(**words)


_NUMBER = re.compile(r"[-+]?[0-9]{1,30}(?:\.[0-9]{1,30})?(?:[eE][-+]?[0-9]{1,2})?")
_GROUPED = re.compile(r"[-+]?[0-9]{1,3}([,_ ])[0-9]{3}(?:\1[0-9]{3}){0,9}(?:\.[0-9]{1,30})?")

_ALONE = re.compile(r"[~<>=≈ ]{0,3}([0-9]{1,30}(?:\.[0-9]{1,30})?)([A-Za-z/ ]{0,40})")
_MULTIPLES = ("k", "K", "m", "M", "b", "B", "g", "G", "T")


def _text_for_number(where: str, value: str) -> Said:
    """Say how the number in a text is written; a comma that groups no thousands says nothing."""
    text, hint = value.strip(), ""
    if _NUMBER.fullmatch(text):
        hint = f"write {text} without quotes"
    elif grouped := _GROUPED.fullmatch(text):
        hint = f"write {text.replace(grouped[1], '')} without separators and quotes"
    elif (alone := _ALONE.fullmatch(text)) and alone[2].strip() not in _MULTIPLES:
        hint = f"write {alone[1]} alone: no unit and no sign"
    return f"{where} is the text {shown(value, 60)!r}, and a number is meant", hint


_SAYS = {
    "string_type": ("should be text, and is {given}", "{example}"),
    "string_too_long": ("is longer than {max_length} characters", "say it shorter"),
    "string_too_short": ("is shorter than {min_length} characters", "{example}"),
    "unique_items": ("names an item twice", "keep each item once"),
    "tuple_type": (
        "should be a list, and is {given}",
        "write `- item` or `[item]`",
    ),
    "dict_type": ("should be a mapping, and is {given}", "write `key: value` below it{as}"),
    "model_type": ("should be a mapping, and is {given}", "write `key: value` below it{as}"),
    "model_attributes_type": ("should be a mapping, and is {given}", "{example}"),
    "bool_type": ("should be true or false, and is {given}", "write true or false"),
    "int_type": ("should be a whole number, and is {given}", "{example}"),
    "number_type": ("should be a number, and is {given}", "{example}"),
    "number_range": ("should be {low} {least} and at most {most}", "{example}"),
    "greater_than_equal": ("should be at least {ge}", "{example}"),
    "less_than_equal": ("should be at most {le}", "{example}"),
    "literal_error": ("should be one of its words, and is {given}", "{example}"),
}


# Words that other tools and papers have for ours.
_OTHER_WORDS = {
    "median": "p50",
    "avg": "mean",
    "average": "mean",
    "total": "system",
    "aggregate": "system",
    "per_gpu": "per_accelerator",
    "per_user": "per_request",
    "float32": "fp32",
    "float16": "fp16",
    "half": "fp16",
}


def _word(value: str, choices: tuple[str, ...]) -> str:
    """Return what to write for a word that is none of the choices."""
    plain = value.casefold()
    meant = _OTHER_WORDS.get(plain, plain)
    if meant in choices:
        return f"did you mean {meant!r}?"
    return suggestion(value, choices) or f"one of {', '.join(choices)}"


def _meant(value: str, patterns: Iterable[str], before: str = "") -> str:
    """Ask for a name in the form of an id or a word, where that is what is asked for."""
    last = value.casefold().rpartition("/")[2][:200]
    forms = (re.sub("[^a-z0-9.]+", "-", last).strip("-."), re.sub("[^a-z0-9]+", "_", last))
    for form in (one.strip("_") for one in forms):
        if any(re.fullmatch(pattern, form) for pattern in patterns):
            return f"{before}did you mean {form!r}?"
    return ""


def _patterns(allowed: Any) -> list[str]:
    forms = (allowed, *allowed.get("anyOf", ()))
    return [form["pattern"] for form in forms if "pattern" in form]


def _choices(allowed: Any) -> tuple[str, ...]:
    forms = (allowed, *allowed.get("anyOf", ()))
    return tuple(word for form in forms for word in form.get("enum", ()))


def _example(allowed: Any) -> str:
    example = next(filter(_is_plain, allowed.get("examples", ())), None)
    return "" if example is None else f"such as {example!r}"


def _as(allowed: Any) -> str:
    """Return the example of a block in one line, where it is plain."""
    example = next(iter(allowed.get("examples", ())), None)
    if not isinstance(example, dict) or not all(map(_is_plain, example.values())):
        return ""
    pairs = (f"{key}: {_plainly(value)}" for key, value in example.items())
    return f", or `{{{', '.join(pairs)}}}`"


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float)


def _plainly(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read_as(value: object) -> str:
    return "true or false" if isinstance(value, bool) else "a number"


def _kind_of(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | Decimal):
        return f"the number {value}"
    names: dict[type, str] = {dict: "a mapping", list: "a list", str: "text"}
    return names.get(type(value), "nothing")
