"""The committed JSON Schemas: found, read, and asked what they allow at a place."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from benchreg.registry.document import Pointer
from benchreg.values.errors import BenchregError

Schema = Mapping[str, Any]


def folder() -> Path:
    """Return the folder of the schemas: packed beside the code, or at the top of a checkout."""
    packed = Path(__file__).parents[1] / "schema"
    return packed if packed.is_dir() else Path(__file__).parents[3] / "schema"


@cache
def schema_of(kind: str) -> Schema:
    """Return the committed schema of one kind of entity.

    Raises BenchregError where it is not there: without its second judge nothing is judged.
    """
    path = folder() / f"{kind}.schema.json"
    try:
        schema: Schema = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise BenchregError(
            f"the schema {path.name} cannot be read ({error}); run `make schema`"
        ) from error
    return schema


def allowed_at(kind: str, at: Pointer) -> Schema:
    """Return the part of the schema that speaks of a place; empty where none does."""
    schema = schema_of(kind)
    here: Schema = schema
    for key in at:
        here = _below(schema, here, key)
    return _resolved(schema, here)


def _below(schema: Schema, here: Schema, key: str | int) -> Schema:
    for form in _forms(schema, here):
        if isinstance(key, int) and "items" in form:
            return _resolved(schema, form["items"])
        if key in form.get("properties", {}):
            return _resolved(schema, form["properties"][key])
        for inner in form.get("patternProperties", {}).values():
            return _resolved(schema, inner)
    return {}


def _forms(schema: Schema, here: Schema) -> Iterator[Schema]:
    yield here
    for form in here.get("anyOf", ()):
        yield _resolved(schema, form)


def _resolved(schema: Schema, here: Schema) -> Schema:
    if "$ref" not in here:
        return here
    name = here["$ref"].rpartition("/")[2]
    definition = schema["$defs"][name]
    return {**definition, **{key: value for key, value in here.items() if key != "$ref"}}
