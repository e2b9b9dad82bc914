"""The models and the committed schema agree on documents and values that nobody thought of."""

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import ConfigDict, TypeAdapter, ValidationError

from benchreg.entities import base, mapping
from benchreg.publish.schema import Closed, schemas
from benchreg.registry.judge import ENTITIES

Judge = Callable[[str, Any], tuple[bool, bool]]
Trees = st.SearchStrategy[Any]

SCHEMAS = {
    kind: json.loads(schemas()[f"{kind}.schema.json"], parse_float=Decimal) for kind in ENTITIES
}
NAMES = sorted(
    {
        name
        for schema in SCHEMAS.values()
        for owner in (schema, *schema.get("$defs", {}).values())
        for name in owner.get("properties", ())
    }
)
INTS = st.integers(-1, 70) | st.integers(-(10**16), 10**16) | st.just(10**63)
DECIMALS = st.decimals("-1e16", "1e16", places=3) | st.decimals(
    allow_nan=False, allow_infinity=False
)
NUMBERS = INTS | DECIMALS
ODD_TEXT = st.text("aZz09.-_#/:+ \n\r\t\u0663\u00e9\u2028\U0001d518", max_size=12)
SCALARS = st.none() | st.booleans() | NUMBERS | ODD_TEXT | st.sampled_from(NAMES)
TREES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    ),
    max_leaves=8,
)


def _documents(kind: str) -> Trees:
    """Draw documents that the schema describes, up to two places of each made anything."""
    return st.composite(_document)(SCHEMAS[kind])


def _document(draw: st.DrawFn, schema: Any) -> Any:
    tree = _drawn(draw, schema, schema)
    for _ in range(draw(st.integers(0, 2))):
        tree = _strewn(draw, tree)
    return tree


def _drawn(draw: st.DrawFn, schema: Any, here: Any) -> Any:
    here = schema["$defs"][here["$ref"].rpartition("/")[2]] if "$ref" in here else here
    if "anyOf" in here:
        return _drawn(draw, schema, draw(st.sampled_from(here["anyOf"])))
    if here["type"] == "object":
        return _drawn_mapping(draw, schema, here)
    if here["type"] == "array":
        items = [_drawn(draw, schema, here["items"]) for _ in range(draw(st.integers(0, 3)))]
        return items[:1] if "uniqueItems" in here else items
    return draw(_scalars(here))


def _drawn_mapping(draw: st.DrawFn, schema: Any, here: Any) -> Any:
    if here["additionalProperties"]:
        return draw(st.dictionaries(st.sampled_from(NAMES), TREES, max_size=3))
    named = {name: form for form in here.get("patternProperties", {}).values() for name in "ab"}
    known = {**named, **here.get("properties", {})}
    needed = here.get("required", [])
    chosen = draw(st.sets(st.sampled_from(sorted(known)), max_size=5))
    return {name: _drawn(draw, schema, known[name]) for name in sorted({*needed, *chosen})}


def _scalars(here: Any) -> Trees:
    if "enum" in here:
        return st.sampled_from(here["enum"])
    if here["type"] == "string":
        return st.sampled_from(here.get("examples", ["a", "b", "load.requests"]))
    if here["type"] == "boolean":
        return st.booleans()
    low, high = int(here.get("minimum", 0)), int(here["maximum"])
    ints = st.integers(low, high)
    return ints if here["type"] == "integer" else ints | st.decimals(low, high, places=2)


def _strewn(draw: st.DrawFn, tree: Any) -> Any:
    """Put anything somewhere: at a key of the tree or one below it, known there or not."""
    if isinstance(tree, dict):
        key = draw(st.sampled_from(sorted(tree) * 3 + NAMES[:40]))
        deeper = draw(st.booleans()) and key in tree
        return {**tree, key: _strewn(draw, tree[key]) if deeper else draw(TREES)}
    if isinstance(tree, list) and tree:
        return [*tree[:-1], _strewn(draw, tree[-1])]
    return draw(TREES)


@pytest.mark.parametrize("kind", ENTITIES)
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_both_judges_agree_on_documents_that_are_almost_right(
    kind: str, judged: Judge, data: st.DataObject
) -> None:
    by_models, by_schema = judged(kind, data.draw(_documents(kind)))
    assert by_models is by_schema


@pytest.mark.parametrize("kind", ENTITIES)
@settings(max_examples=30, deadline=None)
@given(tree=st.dictionaries(st.sampled_from(NAMES), TREES, max_size=4))
def test_both_judges_refuse_trees_of_any_names(kind: str, judged: Judge, tree: Any) -> None:
    assert judged(kind, tree) == (False, False)


SCALAR_TYPES = (
    *("Id", "Word", "ResultRef", "InputRef", "Line", "Prose", "Formula", "Digits", "Date"),
    *("DateOrRange", "YearOrDate", "Url", "Sha256", "Commit"),
    *("Amount", "Positive", "Share", "Count", "PositiveCount"),
)
TYPES = {name: getattr(base, name) for name in SCALAR_TYPES} | {
    "a path into a record": mapping.Path,
    "a delimiter": mapping.Delimiter,
}
ENDINGS = st.sampled_from(["\n", "\r", " ", "\u0663", "é", "x", "-", ".", "/", "x" * 600])


@pytest.mark.parametrize("name", TYPES)
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_both_judges_agree_on_any_value_of_the_type(name: str, data: st.DataObject) -> None:
    accepted, schema = _judges_of(TYPES[name])
    formed = st.from_regex(schema.get("pattern", "."))
    value = data.draw(st.one_of(SCALARS, NUMBERS, formed, st.builds(str.__add__, formed, ENDINGS)))
    assert accepted(value) is Draft202012Validator(schema).is_valid(value)


CONTAINERS = {
    "a mapping with patterned names": base.Named[base.Word, base.Share],
    "a mapping of paths": base.Named[mapping.Path, base.Share],
    "a part of a record": mapping.Tree,
    "a list": base.Several[base.Share],
    "a list of different items": base.Distinct[base.Word],
}
KEYS = st.from_regex(r"\A[A-Za-z_][A-Za-z0-9_.-]{0,3}\Z") | st.sampled_from(["x" * 80, "x" * 81])
ITEMS: Trees = st.sampled_from([0, 1, Decimal("0.5"), True, None, "a", "b", "A", [], {}])


@pytest.mark.parametrize("container", CONTAINERS)
@settings(max_examples=100, deadline=None)
@given(value=st.dictionaries(KEYS, ITEMS, max_size=3) | st.lists(ITEMS, max_size=4) | ITEMS)
def test_both_judges_agree_on_any_value_in_place_of(container: str, value: Any) -> None:
    accepted, schema = _judges_of(CONTAINERS[container])
    assert accepted(value) is Draft202012Validator(schema).is_valid(value)


def _judges_of(kind: Any) -> tuple[Callable[[Any], bool], dict[str, Any]]:
    adapter = TypeAdapter(kind, config=ConfigDict(strict=True))

    def accepted(value: Any) -> bool:
        try:
            adapter.validate_python(value)
        except ValidationError:
            return False
        return True

    return accepted, adapter.json_schema(schema_generator=Closed)
