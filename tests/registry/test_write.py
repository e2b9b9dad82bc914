"""Trees are written in one canonical form, which reads back as the same tree."""

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchreg.publish.schema import schemas
from benchreg.registry.judge import ENTITIES
from benchreg.registry.read import Reader
from benchreg.registry.registry import PLURALS
from benchreg.registry.write import write

PATH = "records/benchmarks/example-source/example.yaml"
MODELINE = "# yaml-language-server: $schema=../../../schema/record.schema.json\n"
HEAD = """\
id: example
title: An example
kind: example
status: active
"""
SCHEMAS = {kind: json.loads(schemas()[f"{kind}.schema.json"]) for kind in PLURALS}
PROSE = (
    "Table 2 prints only the name; the batch-128 cell is blank although with 16-bit weights and "
    "cache its 48 GiB would fit."
)


def read(text: str) -> Any:
    return Reader().read("file.yaml", text.encode()).tree


def written(text: str) -> str:
    """Return what a record of these lines is written as, without its modeline."""
    return write("record", read(text), PATH).removeprefix(MODELINE)


def test_a_record_comes_with_its_modeline_and_its_blocks_apart() -> None:
    text = HEAD + 'source: {retrieved: "2026-11-01", id: s}\nmodel: {id: m}\nsweep: a\nrun: b\n'
    assert write("record", read(text), PATH) == MODELINE + HEAD + (
        '\nsource:\n  id: s\n  retrieved: "2026-11-01"\n\nmodel:\n  id: m\n\nsweep: a\nrun: b\n'
    )


def test_a_catalogue_entry_has_no_blank_lines() -> None:
    tree = {"aliases": ["ex"], "name": "Example", "id": "example", "note": PROSE}
    assert write("engine", tree, "records/engines/example.yaml") == (
        "# yaml-language-server: $schema=../../schema/engine.schema.json\n"
        "id: example\n"
        "name: Example\n"
        "aliases: [ex]\n"
        "note: >-\n"
        "  Table 2 prints only the name; the batch-128 cell is blank although with 16-bit weights\n"
        "  and cache its 48 GiB would fit.\n"
    )


LAYOUTS = {
    "keys stand in the order of the schema": (
        "load:\n  window: full_drain\n  concurrency: 32\n  pattern: closed_loop\n",
        "load:\n  pattern: closed_loop\n  concurrency: 32\n  window: full_drain\n",
    ),
    "what is named keeps the order it was written in": (
        "results:\n  b: {value: 1, metric: m, unit: s}\n  a: {metric: m, value: 2, unit: s}\n",
        "results:\n  b: {metric: m, value: 1, unit: s}\n  a: {metric: m, value: 2, unit: s}\n",
    ),
    "absences keep theirs": (
        "absent:\n  slo: withheld\n  model: not_stated\n",
        "absent:\n  slo: withheld\n  model: not_stated\n",
    ),
    "an unknown key stays behind its neighbour": (
        "load:\n  batch_sise: 64\n  window: full_drain\n  wundow: x\n  pattern: static_batch\n",
        "load:\n  batch_sise: 64\n  pattern: static_batch\n  window: full_drain\n  wundow: x\n",
    ),
    "a block of the top level is a block": (
        "precision: {parts: {experts: mxfp4}}\nslo: {ttft_ms: 450}\nunknown: {a: 1}\n",
        "precision:\n  parts: {experts: mxfp4}\n\nslo:\n  ttft_ms: 450\n\nunknown:\n  a: 1\n",
    ),
    "a list of names stands in one line": (
        "aliases:\n  - a\n  - b\ncontributed:\n- load\n",
        "aliases: [a, b]\n\ncontributed: [load]\n",
    ),
    "unless it is longer than the line": (
        f"aliases: [{'a' * 40}, {'b' * 40}]\n",
        f"aliases:\n  - {'a' * 40}\n  - {'b' * 40}\n",
    ),
    "a list of prose never does": (
        "results: {a: {derivation: {formula: b, assumes: [one thing]}}}\n",
        "results:\n  a:\n    derivation:\n      formula: b\n      assumes:\n        - one thing\n",
    ),
    "a short mapping stands in one line": (
        "hardware:\n  pools:\n  - count: 1\n    parallelism:\n      pipeline: 1\n      tensor: 1\n",
        "hardware:\n  pools:\n    - count: 1\n      parallelism: {tensor: 1, pipeline: 1}\n",
    ),
    "an absence in long form, a pool, a warm-up and a claim do not": (
        (
            "load: {warmup: {requests: 0}}\n"
            "absent: {slo: {note: b, because: withheld}}\n"
            "claims: [{says: x, inputs: {}}]\n"
        ),
        (
            "load:\n"
            "  warmup:\n"
            "    requests: 0\n"
            "\n"
            "absent:\n"
            "  slo:\n"
            "    because: withheld\n"
            "    note: b\n"
            "\n"
            "claims:\n"
            "  - says: x\n"
            "    inputs: {}\n"
        ),
    ),
    "a figure is a row of a table, and may be longer than the line": (
        f"results:\n  a:\n    source_name: {'b' * 80}\n    metric: c\n",
        f"results:\n  a: {{metric: c, source_name: {'b' * 80}}}\n",
    ),
    "unless it holds more than scalars": (
        "results: {a: {metric: b, aliases: [c]}}\n",
        "results:\n  a:\n    metric: b\n    aliases: [c]\n",
    ),
    "or is longer than a row": (
        f"results:\n  a: {{metric: c, source_name: {'b' * 90}}}\n",
        f"results:\n  a:\n    metric: c\n    source_name: {'b' * 90}\n",
    ),
    "long text is folded, deeper in": (
        f"engine: {{stack: {PROSE}}}\n",
        (
            "engine:\n"
            "  stack: >-\n"
            "    Table 2 prints only the name; the batch-128 cell is blank although with 16-bit\n"
            "    weights and cache its 48 GiB would fit.\n"
        ),
    ),
    "a list of long texts too": (
        f"results: {{a: {{derivation: {{assumes: ['{PROSE}']}}}}}}\n",
        (
            "results:\n"
            "  a:\n"
            "    derivation:\n"
            "      assumes:\n"
            "        - >-\n"
            "          Table 2 prints only the name; the batch-128 cell is blank although "
            "with 16-bit\n"
            "          weights and cache its 48 GiB would fit.\n"
        ),
    ),
    "a word that is longer than the line is not": (
        f"source: {{locator: {'x' * 90}}}\n",
        f"source:\n  locator: {'x' * 90}\n",
    ),
    "a title stands in one line": (f"title: {'x y ' * 30}z\n", f"title: {'x y ' * 30}z\n"),
    "notes never do": ("notes: A batch total.\n", "notes: >-\n  A batch total.\n"),
    "lines that are meant stand as lines": (
        'notes: "one\\n  two\\n"\nattribution: "one\\n\\ntwo"\n',
        "attribution: |-\n  one\n\n  two\n\nnotes: |\n  one\n    two\n",
    ),
    "what is empty says so": (
        'a: {}\nb: []\nc: ""\nd:\ne: {f: [], g: {}}\n',
        'a: {}\n\nb: []\n\nc: ""\nd: null\n\ne:\n  f: []\n  g: {}\n',
    ),
    "lists within lists": (
        "a:\n- [b, {c: 1}]\n- - - d\n",
        "a:\n  - - b\n    - {c: 1}\n  - - [d]\n",
    ),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layout(name: str) -> None:
    text, expected = LAYOUTS[name]
    assert written(text) == expected
    assert written(expected) == expected
    assert same(read(expected), read(text))


def test_the_modeline_counts_the_folders_below_the_one_with_the_schemas() -> None:
    text = write("source", {"id": "a"}, "tests/data/base/records/sources/a.yaml")
    assert text.partition("\n")[0].endswith("$schema=../../../../../schema/source.schema.json")


HOSTILE = st.sampled_from(
    (
        *("a: b", "a #b", " a", "a ", "'", '"', "a\nb", "a\n", "\n", "a\n\n", "naïve 速度", "🚀"),
        *("x" * 100, "x y " * 40, "x y " * 40 + "z\n", "a\n" * 40, "---", "null", "yes", "~", ""),
        *("0x1", "1e3", " ", "- a", "a,b", "[a]", "{a: b}", "#a", "a\tb", "\u202e", "1.5", "a:"),
        *("2026-11-01", "1 x A100", "word", "two words", "a\n b\nc", PROSE, f"{PROSE}\n\n{PROSE}"),
        *(f"{PROSE}\n", f"{PROSE}  {PROSE}", f"{PROSE}\n {PROSE}"),
    )
)
NUMBERS = st.integers(-5, 10**20) | st.decimals(0, 10**6, places=3) | st.just(Decimal("1e3"))
SCALARS = HOSTILE | HOSTILE | NUMBERS | st.booleans() | st.none() | st.text(max_size=30)


@st.composite
def documents(draw: st.DrawFn, kind: str) -> Any:
    """Draw a tree of the places that the schema of a kind knows, with any scalar at each."""
    schema = SCHEMAS[kind]
    return dict(_drawn(draw, schema, schema))


def _drawn(draw: st.DrawFn, schema: Any, here: Any) -> Any:
    here = schema["$defs"][here["$ref"].rpartition("/")[2]] if "$ref" in here else here
    if "anyOf" in here:
        return _drawn(draw, schema, draw(st.sampled_from(here["anyOf"])))
    if here["type"] == "object":
        named = {name: form for form in here.get("patternProperties", {}).values() for name in "ab"}
        known = {"unknown_key": {}, **named, **here.get("properties", {})}
        names = draw(st.lists(st.sampled_from(sorted(known)), max_size=6, unique=True))
        return {name: _drawn(draw, schema, {"type": "any"} | known[name]) for name in names}
    if here["type"] == "array":
        return [_drawn(draw, schema, here["items"]) for _ in range(draw(st.integers(0, 3)))]
    return draw(SCALARS)


def same(one: Any, other: Any) -> bool:
    """Tell whether two trees say the same: values of the same type with the same digits."""
    return list(_flat(one)) == list(_flat(other))


def _flat(tree: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(tree, dict):
        yield (*at, "mapping", len(tree))
        for key in sorted(tree):
            yield from _flat(tree[key], (*at, key))
    elif isinstance(tree, list):
        yield (*at, "list", len(tree))
        for index, item in enumerate(tree):
            yield from _flat(item, (*at, index))
    elif isinstance(tree, int | Decimal) and not isinstance(tree, bool):
        yield (*at, tree, Decimal(tree).as_tuple().exponent)
    else:
        yield (*at, type(tree).__name__, tree)


@pytest.mark.parametrize("kind", PLURALS)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_what_is_written_reads_back_and_is_written_the_same(kind: str, data: st.DataObject) -> None:
    tree = data.draw(documents(kind))
    text = write(kind, tree, PATH)
    if tree:
        assert same(read(text), tree)
        assert write(kind, read(text), PATH) == text
    assert text.endswith("\n")
    assert not [line for line in text.splitlines() if line != line.rstrip(" ")]


KEYS = st.sampled_from(("a", "b-1", "load", "results", "nan", "yes", "load.warmup", "_x", "T"))
TREES = st.dictionaries(
    KEYS,
    st.recursive(
        SCALARS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
        max_leaves=8,
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=300, deadline=None)
@given(TREES, st.sampled_from([*PLURALS]))
def test_any_tree_reads_back_and_is_written_the_same(tree: dict[str, Any], kind: str) -> None:
    text = write(kind, tree, PATH)
    assert same(read(text), tree)
    assert write(kind, read(text), PATH) == text


def test_every_kind_of_entity_can_be_written() -> None:
    assert set(PLURALS) <= set(ENTITIES)
    for kind in ENTITIES:
        assert write(kind, {"id": "a"}, "a.yaml").endswith(f"schema/{kind}.schema.json\nid: a\n")


def test_a_tuple_is_a_list_and_any_mapping_is_one() -> None:
    assert write("engine", {"aliases": ("a", "b")}, "a.yaml").endswith("\naliases: [a, b]\n")
