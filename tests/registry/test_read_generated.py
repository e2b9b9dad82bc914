"""Documents that nobody wrote: both ways of reading agree, and another reader agrees with them."""

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from benchreg.registry.dialect import DialectError
from benchreg.registry.document import Document, Place, Pointer, leaves
from benchreg.registry.read import Reader

GOLDEN = sorted((Path(__file__).parents[1] / "data" / "golden").glob("*.yaml"))
BLOCKS = (
    "a: 1\n",
    "b:\n",
    "c: x\n  y\n\n  z\n",
    "d: |\n  x\n   # y\n\n",
    "e: |+\n  x\n\n\n",
    "f: >-\n  x\n  y\n\n   z\n",
    "g: |2-\n    x\n   y\n  \n",
    "h: 'x\n\n  y'  # z\n",
    'i: "x\\\n  y\n  z"\n',
    "j: [x,\n  y, {z: 1}]\n",
    "k: {x, y: 1,\n\n  z}\n",
    "l:\n  - x\n  # y\n  - z: 1\n    w:\n",
    "m:\n  ? x\n  ? y\n  : z\n",
    "n:\n  -\n\n  - - x\n    - y\n",
    "# o\n",
    "\n",
    "  \n",
)
ODD_BLOCKS = ("p:\n- x\n- y\n", "'q': r\n", "? s\n: t\n", "{u: 1}\n", "---\n", "...\n", "a: 2\n")
SCALARS = (
    *("0", "007", "0o17", "0x1F", "-0x1", "0b11", "+1", "1.", ".5", "-.5e3", "1e3", "1.0e-3"),
    *("1_000", "1_0.5", "2026-01-02", "2026-01-02T10:00:00Z", "12:30:45", "yes", "off", "~"),
    *("null", "True", "tRUE", "nan", ".inf", "1e400", "''", '""', "'1'", '"\\x41"', "''''"),
)
SIGNS = (
    *("'", '"', "[", "]", "{", "}", ",", ", ", "|", "|+", "|-", "|1", ">", ">-", ">+\n", "? "),
    *("- ", "-", ": ", ":", "\n: ", "\n? ", "\n- ", "---", "\n---\n", "...", "\n...\n", "# c\n"),
    *("\n# c\n", " #", "#", "\t", "\n\t", "\t\n", "\n", "\n\n", "\n \n", "\n      \n", " ", "  "),
    *("%YAML 1.2\n", "\n%TAG ! x\n", "&a ", "*a", "!x ", "<<: ", "\\", "\\\n", "\r", "\r\n"),
    *("key: v\n", "\nkey: v\n", "\nkey:\n", "\nkey :\n", "\nkey:\t1\n", "\nkey:x\n", "\n'k': 1\n"),
    *("\nkey: [", "]\n", "\nkey: {", "}\n", "\nkey: '", "'\n", "\nkey: |\n", "\nkey: |+\n\n"),
    *("a", "é", "\u00a0", "\u3000", "@", "`", "=", "\n  ", "\n  - ", " >-\n  ", "'' "),
)
FRAGMENTS = st.sampled_from((*SCALARS, *SIGNS, *BLOCKS, *ODD_BLOCKS))
KEYS = st.sampled_from(("a", "b", "yes", "batch_size", "load.warmup", "nan", "x-1"))
VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(-1e290, 1e290, allow_subnormal=False).filter(lambda x: not 0 < abs(x) < 1e-290)
    | st.sampled_from(SCALARS)
    | st.text("aZ09 .:-#'\"\\\n\t,[]{}&*!|>%@`?~é\u00a0\u3000\U0001f600", max_size=12)
)
TREES = st.dictionaries(
    KEYS,
    st.recursive(
        VALUES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3)
    ),
    min_size=1,
    max_size=5,
)


@st.composite
def dumped(draw: st.DrawFn) -> str:
    """Draw a random tree, in one of several styles."""
    return str(
        yaml.dump(
            draw(TREES),
            Dumper=yaml.SafeDumper,
            allow_unicode=True,
            default_flow_style=draw(st.sampled_from((True, False, None))),
            explicit_start=draw(st.booleans()),
            indent=draw(st.sampled_from((2, 4, 7))),
            sort_keys=False,
            width=draw(st.sampled_from((5, 20, 80))),
        )
    )


@st.composite
def changed(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """Draw a text, and put fragments into it, or in the place of a part of it."""
    text = draw(texts)
    for _ in range(draw(st.integers(0, 4))):
        edges = [0, *(end.end() for end in re.finditer("\n", text)), len(text)]
        at = draw(st.sampled_from(edges) | st.integers(0, len(text)))
        cut = draw(st.sampled_from((0, 0, 0, 1, 2, 5, 20)))
        text = text[:at] + draw(FRAGMENTS | st.just("")) + text[at + cut :]
    return text


REAL = changed(st.sampled_from([path.read_text(encoding="utf-8") for path in GOLDEN]))
WRITTEN = changed(st.lists(st.sampled_from(BLOCKS), max_size=5, unique=True).map("".join))
STREWN = st.lists(FRAGMENTS, max_size=12).map("".join)
TEXTS = WRITTEN | WRITTEN | REAL | changed(dumped()) | dumped() | STREWN


def told(document: Document) -> tuple[str, bool, dict[Pointer, tuple[Place, Place]]]:
    """Return all that a document tells: its values with their types, and the place of each."""
    places = {
        pointer[:depth]: (document.place(pointer[:depth]), document.value_place(pointer[:depth]))
        for pointer, _ in leaves(document.tree)
        for depth in range(len(pointer) + 1)
    }
    return repr(document.tree), document.suspect, places


def test_there_are_real_documents_to_change() -> None:
    assert len(GOLDEN) > 5


@settings(max_examples=500, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=3))
@example(["a: |+\n\n\nb: |\n   \n\nc: >+\n\n# d\n\ne:\n  ? f\n# g\n\nh: 1"])
@example(["a: |\n  x\n# b\n  c\nd: 1\n"])
@example(["a: 'x\nb: y'\n"])
@example(["a: {b\nc: d}\n"])
@example(["a: 1\nb: 2\na: 3\n"])
@example(["a: 1\nb: &x 2\nc: *x\n"])
@example(["a:\n---\nb: 1\n"])
@example(["a: 1\n...\nb: 1\n"])
@example(["# a\n%YAML 1.2\n---\nb: 1\n"])
@example(["a: x\n\tb\nc: 1\n"])
@example(["a: 1\rb: 2\nc: 3\n"])
@example(["a: x\r  y\nb: 1\n"])
@example(["a: 1\n{b: 2}\n"])
@example(["a: 1\n--- {b: 2}\n"])
@example(["a: TODO\nb: 1\n", "b: 1\na: TODO\n"])
def test_a_document_read_in_parts_is_the_document_read_whole(texts: list[str]) -> None:
    reader = Reader()
    for text in texts:
        in_parts = reader.read_in_parts("file.yaml", text)
        if in_parts is not None:
            assert told(in_parts) == told(Reader().read_whole("file.yaml", text))


@settings(max_examples=200, deadline=None)
@given(TREES)
def test_json_is_read_as_json(tree: dict[str, Any]) -> None:
    text = json.dumps(tree, ensure_ascii=False)
    assert Reader().read("file.json", text.encode()).tree == json.loads(text, parse_float=Decimal)


# Where ruamel.yaml, asked for YAML 1.2, reads a scalar otherwise, and why we do not.
OTHERWISE = re.compile(
    r"""
      \d{4}-\d\d?-\d\d? (?: (?:[Tt]|[ \t]+) .+ )?  # dates and times: no type of the core schema
    | [-+]? (?:0[xo])? [0-9A-Fa-f.]* _ [0-9A-Fa-f._eE+-]*  # underscores in numbers: YAML 1.1
    | [-+] 0[xo] [0-9A-Fa-f]+ | [-+]? 0b [01]+  # signs before 0x and 0o, and 0b: YAML 1.1
    | [-+]? \.[0-9]+ [eE] [-+]? [0-9]+  # .5e3 is a number of the core schema; there it is text
    """,
    re.VERBOSE,
)


def differences(ours: Any, theirs: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each pair of scalars, or of trees of another form, that the two read otherwise."""
    if isinstance(ours, dict) and isinstance(theirs, dict) and list(ours) == list(theirs):
        for key in ours:
            yield from differences(ours[key], theirs[key])
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for one, other in zip(ours, theirs, strict=True):
            yield from differences(one, other)
    elif _scalar(ours) != _scalar(theirs):
        yield ours, theirs


def _scalar(value: Any) -> tuple[str, Any]:
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return "number", float(value)
    return type(value).__name__, value


def _is_known(ours: Any, theirs: Any) -> bool:
    text = ours if isinstance(ours, str) else theirs
    return isinstance(text, str) and bool(OTHERWISE.fullmatch(text))


@settings(max_examples=350, deadline=None)
@given(TEXTS)
@example("a: [2026-01-02, 1_000, -0x1, 0b11, .5e3]\n")
@example("a: |+\n\n\nb: >\n  x\n\n   y\n  z\n\n# c\nd: 'x\n\n  y'\n")
def test_ruamel_reads_the_same_tree(text: str) -> None:
    try:
        ours = Reader().read("file.yaml", text.encode()).tree
        theirs = YAML(typ="safe", pure=True).load(text)
    except (DialectError, YAMLError, ValueError):  # ruamel: ValueError for `._`
        return
    assert [pair for pair in differences(ours, theirs) if not _is_known(*pair)] == []
