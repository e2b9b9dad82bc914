"""A document knows the line and the column of every key and value in it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchreg.registry.document import (
    Document,
    Place,
    Pointer,
    leaves,
    written,
    written_pointer,
)
from benchreg.registry.read import Reader

TEXT = """\
# A comment.
id: run-1

load:
  batch_size: 64
  warmup: {requests: 0,
           excluded: true}
results:
  "rate":
    value:
      12.5
    scopes: [system, per_request]
  other:   # nothing yet
notes: >-
  folded
  text
claims:
  - says: one
    inputs: {}
  -
    says: two
  - []
tail: 'end'
"""


@pytest.fixture(params=["in parts", "whole"])
def document(request: pytest.FixtureRequest) -> Document:
    """Return the document, read in each of the two ways."""
    in_parts = Reader().read_in_parts("run.yaml", TEXT)
    assert in_parts is not None
    return {"in parts": in_parts, "whole": Reader().read_whole("run.yaml", TEXT)}[request.param]


@pytest.mark.parametrize(
    ("pointer", "key", "value"),
    [
        (("id",), (2, 1), (2, 5)),
        (("load",), (4, 1), (5, 3)),
        (("load", "batch_size"), (5, 3), (5, 15)),
        (("load", "warmup"), (6, 3), (6, 11)),
        (("load", "warmup", "requests"), (6, 12), (6, 22)),
        (("load", "warmup", "excluded"), (7, 12), (7, 22)),
        (("results", "rate"), (9, 3), (10, 5)),
        (("results", "rate", "value"), (10, 5), (11, 7)),
        (("results", "rate", "scopes"), (12, 5), (12, 13)),
        (("results", "rate", "scopes", 0), (12, 14), (12, 14)),
        (("results", "rate", "scopes", 1), (12, 22), (12, 22)),
        (("results", "other"), (13, 3), (13, 9)),
        (("notes",), (14, 1), (14, 8)),
        (("claims",), (17, 1), (18, 3)),
        (("claims", 0), (18, 5), (18, 5)),
        (("claims", 0, "says"), (18, 5), (18, 11)),
        (("claims", 0, "inputs"), (19, 5), (19, 13)),
        (("claims", 1), (21, 5), (21, 5)),
        (("claims", 1, "says"), (21, 5), (21, 11)),
        (("claims", 2), (22, 5), (22, 5)),
        (("tail",), (23, 1), (23, 7)),
    ],
)
def test_every_key_and_value_has_its_place(
    document: Document, pointer: Pointer, key: tuple[int, int], value: tuple[int, int]
) -> None:
    assert document.place(pointer) == Place(*key)
    assert document.value_place(pointer) == Place(*value)


@pytest.mark.parametrize(
    ("name", "pointer", "parent"),
    [
        ("in a mapping", ("load", "window"), ("load",)),
        ("deep below what is missing", ("load", "window", "of", 3, "x"), ("load",)),
        ("in a mapping in flow style", ("load", "warmup", "seconds"), ("load", "warmup")),
        ("past the end of a list", ("claims", 3), ("claims",)),
        ("before the beginning of a list", ("claims", -1), ("claims",)),
        ("a name in a list", ("claims", "says"), ("claims",)),
        ("a number in a mapping", ("results", 0), ("results",)),
        ("below a text", ("id", 0), ("id",)),
        ("below an empty value", ("results", "other", "value"), ("results", "other")),
        ("in an empty list", ("claims", 2, 0), ("claims", 2)),
        ("in an empty mapping", ("claims", 0, "inputs", "here"), ("claims", 0, "inputs")),
    ],
)
def test_what_is_missing_is_at_its_nearest_written_parent(
    document: Document, name: str, pointer: Pointer, parent: Pointer
) -> None:
    assert document.place(pointer) == document.place(parent), name
    assert document.value_place(pointer) == document.value_place(parent), name
    assert written(document.tree, pointer) == parent, name


@pytest.mark.parametrize("pointer", [(), ("engine",), ("engine", "version"), (0,)])
def test_what_is_missing_at_the_top_is_at_the_beginning(
    document: Document, pointer: Pointer
) -> None:
    assert document.place(pointer) == Place(1, 1)
    assert document.value_place(pointer) == Place(1, 1)


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        (("id",), "run-1"),
        (("claims", 1, "says"), "two"),
        (("claims", 2), []),
        (("results", "other"), None),
        (("results", "rate", "scopes", 1), "per_request"),
        (("engine", "version"), None),
        (("claims", 9), None),
        (("claims", -1), None),
        (("claims", "says"), None),
        (("id", 0), None),
        (("id", "x"), None),
        (("load", "batch_size", 0), None),
    ],
)
def test_a_pointer_leads_to_its_value_or_to_nothing(
    document: Document, pointer: Pointer, value: Any
) -> None:
    assert document.value(pointer) == value


@pytest.mark.parametrize(
    ("name", "text", "pointer", "as_written"),
    [
        ("digits", "a: 1\nb: 0.10\n", ("b",), "0.10"),
        ("leading zeros", "a: 1\nb: 007 # c\n", ("b",), "007"),
        ("an exponent", "a: 1\nb:  12345e7", ("b",), "12345e7"),
        ("in a list", "b: [2,0x1F,3]\n", ("b", 1), "0x1F"),
        ("in a mapping", "b: {c: True}\n", ("b", "c"), "True"),
        ("lines that end in carriage returns", "a: 1\r\nb: 1.0\r\nc: 2\r\n", ("b",), "1.0"),
        ("lone carriage returns", "a: 1\rb: 1.0\rc: 2\r", ("b",), "1.0"),
        ("after wide characters", "b: ['\U0001f600', 1.0]\n", ("b", 1), "1.0"),
    ],
)
def test_a_plain_scalar_is_known_as_it_is_written(
    name: str, text: str, pointer: Pointer, as_written: str
) -> None:
    assert Reader().read("run.yaml", text.encode()).scalar(pointer) == as_written, name


def test_the_empty_pointer_leads_to_the_whole_tree(document: Document) -> None:
    assert document.value(()) == document.tree


def test_the_leaves_are_all_scalars_and_empty_collections_in_the_order_of_the_text() -> None:
    tree = {"a": 1, "b": {"c": None, "d": [True, [], {"e": "x"}]}, "f": {}}
    assert list(leaves(tree)) == [
        (("a",), 1),
        (("b", "c"), None),
        (("b", "d", 0), True),
        (("b", "d", 1), []),
        (("b", "d", 2, "e"), "x"),
        (("f",), {}),
    ]


@pytest.mark.parametrize(
    ("pointer", "text"),
    [
        ((), "/"),
        (("a",), "/a"),
        (("claims", 0, "inputs"), "/claims/0/inputs"),
        (("engine.version",), "/engine.version"),
        (("a/b", "c~d"), "/a~1b/c~0d"),
        (("~1",), "/~01"),
    ],
)
def test_a_pointer_is_written_as_json_pointers_are(pointer: Pointer, text: str) -> None:
    assert written_pointer(pointer) == text


@given(st.lists(st.text(), min_size=1).map(tuple))
def test_a_written_pointer_keeps_every_key(pointer: tuple[str, ...]) -> None:
    keys = written_pointer(pointer).split("/")[1:]
    assert tuple(key.replace("~1", "/").replace("~0", "~") for key in keys) == pointer
