"""The committed schemas are generated from the entities and say all that an editor shows."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from benchreg.publish.schema import DIALECT, MODELS, schemas
from benchreg.registry.document import leaves
from benchreg.values.text import is_placeholder

FOLDER = Path(__file__).parents[2] / "schema"
GENERATED = schemas()
OPEN = {("properties", "record"), ("$defs", "Case", "properties", "record")}


@pytest.fixture(params=sorted(GENERATED))
def schema(request: pytest.FixtureRequest) -> Any:
    """Each generated schema."""
    return json.loads(GENERATED[request.param])


@pytest.mark.parametrize("name", GENERATED)
def test_the_committed_schema_is_the_generated_one(name: str) -> None:
    committed = (FOLDER / name).read_text(encoding="utf-8")
    assert committed == GENERATED[name], f"schema/{name} is stale; run `make schema`"


def test_there_is_one_schema_for_each_kind_and_no_other() -> None:
    committed = {path.name for path in FOLDER.iterdir()}
    assert committed == {f"{kind}.schema.json" for kind in MODELS}, "run `make schema`"


def test_generating_twice_gives_the_same_bytes() -> None:
    assert schemas() == GENERATED


def test_a_schema_is_a_valid_2020_12_schema(schema: Any) -> None:
    assert schema["$schema"] == DIALECT == Draft202012Validator.META_SCHEMA["$id"]
    Draft202012Validator.check_schema(schema)


def test_every_object_is_closed_but_for_the_parts_of_a_record_in_a_mapping(schema: Any) -> None:
    objects = [(at, form) for at, form in _forms(schema) if form.get("type") == "object"]
    assert objects
    assert {at for at, form in objects if form.get("additionalProperties") is not False} == (
        OPEN if schema["title"] == "benchreg mapping" else set()
    )


def test_what_is_open_names_no_key_and_takes_any() -> None:
    forms = dict(_forms(json.loads(GENERATED["mapping.schema.json"])))
    assert [forms[at].keys() & {"properties", "patternProperties"} for at in OPEN] == [set()] * 2
    assert [forms[at]["additionalProperties"] for at in OPEN] == [True] * 2


@pytest.mark.parametrize("word", ["title", "description", "examples"])
def test_every_property_has(word: str, schema: Any) -> None:
    properties = [*_properties(schema)]
    assert properties
    assert [at for at, form in properties if not _with_its_definition(schema, form).get(word)] == []


def test_every_example_is_valid_where_it_stands(schema: Any) -> None:
    assert [
        f"{'/'.join(at)}: {error.message}"
        for at, form in _properties(schema)
        for example in form["examples"]
        for error in _validator(schema, form).iter_errors(example)
    ] == []


def test_no_example_is_a_placeholder(schema: Any) -> None:
    examples = [one for _, form in _properties(schema) for one in form["examples"]]
    said = [value for example in examples for _, value in leaves(example)]
    assert said
    assert [one for one in said if one in (None, "", [], {}) or is_placeholder(str(one))] == []


def test_nothing_has_a_default(schema: Any) -> None:
    assert [at for at, form in _forms(schema) if "default" in form] == []


def test_no_value_may_be_null(schema: Any) -> None:
    assert [at for at, form in _forms(schema) if "null" in form.get("type", "")] == []


def test_every_number_is_bounded(schema: Any) -> None:
    low, high = {"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"}
    numbers = [
        (at, form.keys())
        for at, form in _forms(schema)
        if form.get("type") in ("number", "integer")
    ]
    assert [at for at, keys in numbers if not (keys & low and keys & high)] == []


def test_every_reference_leads_somewhere(schema: Any) -> None:
    known = {f"#/$defs/{name}" for name in schema.get("$defs", {})}
    assert {form["$ref"] for _, form in _forms(schema) if "$ref" in form} == known


def _forms(schema: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every schema within a schema, itself included, with its path."""
    waiting: list[tuple[tuple[str, ...], Any]] = [((), schema)]
    while waiting:
        at, form = waiting.pop()
        yield at, form
        for key in ("properties", "patternProperties", "$defs"):
            waiting += [((*at, key, name), inner) for name, inner in form.get(key, {}).items()]
        for key in ("items", "propertyNames"):
            waiting += [((*at, key), form[key])] if key in form else []
        for number, inner in enumerate(form.get("anyOf", ())):
            waiting.append(((*at, "anyOf", str(number)), inner))


def _properties(schema: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    for at, form in _forms(schema):
        if at[-2:-1] == ("properties",):
            yield at, form


def _with_its_definition(schema: Any, form: Any) -> Any:
    name = form.get("$ref", "").rpartition("/")[2]
    return {**schema.get("$defs", {}).get(name, {}), **form}


def _validator(schema: Any, form: Any) -> Draft202012Validator:
    return Draft202012Validator({"$defs": schema.get("$defs", {}), **form})
