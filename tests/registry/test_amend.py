"""An edit changes one value of a text, and not one other character."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from benchreg.registry.amend import amended, splices, with_value
from benchreg.registry.dialect import DialectError
from benchreg.registry.document import Edit, Pointer, leaves
from benchreg.registry.read import Reader

GOLDEN = sorted((Path(__file__).parents[1] / "data" / "golden").glob("*.yaml"))


def read(text: str) -> Any:
    return Reader().read("file.yaml", text.encode()).tree


def edited(text: str, *edits: Edit) -> str:
    found = splices(text, edits)
    assert len(found) == len(set(edits))
    return amended(text, found.values())


def quote(text: str, *at: str | int) -> Edit:
    return Edit(at, "quote", text)


def name(text: str, *at: str | int) -> Edit:
    return Edit(at, "replace", text)


@pytest.mark.parametrize(
    ("before", "edit", "after"),
    [
        pytest.param("v: 0.10\n", quote("0.10", "v"), 'v: "0.10"\n', id="a number"),
        pytest.param("v: 0.10", quote("0.10", "v"), 'v: "0.10"', id="no end of the line"),
        pytest.param("v:   1  # c\n", quote("1", "v"), 'v:   "1"  # c\n', id="a comment beside it"),
        pytest.param("v:\n  # c\n  1\n", quote("1", "v"), 'v:\n  # c\n  "1"\n', id="on its own"),
        pytest.param("v: 1\r\nw: 2\r\n", quote("1", "v"), 'v: "1"\r\nw: 2\r\n', id="CRLF"),
        pytest.param("w: é\nv: 1\n", quote("1", "v"), 'w: é\nv: "1"\n', id="behind an accent"),
        pytest.param("w: 🜁 # 🜂\nv: 1\n", quote("1", "v"), 'w: 🜁 # 🜂\nv: "1"\n', id="and farther"),
        pytest.param("{a: {v: 1,w: 2}}", quote("1", "a", "v"), '{a: {v: "1",w: 2}}', id="flow"),
        pytest.param('{"v":1}', quote("1", "v"), '{"v":"1"}', id="JSON"),
        pytest.param(
            "a: [x, 1 ,2]\n", quote("1", "a", 1), 'a: [x, "1" ,2]\n', id="an item in flow"
        ),
        pytest.param("a:\n- x\n-   1\n", quote("1", "a", 1), 'a:\n- x\n-   "1"\n', id="an item"),
        pytest.param("? v\n: 1e3\n", quote("1e3", "v"), '? v\n: "1e3"\n', id="an explicit key"),
        pytest.param("m: a  # c\n", name("b-c", "m"), "m: b-c  # c\n", id="a plain name"),
        pytest.param("m: 'a' # c\n", name("b", "m"), "m: 'b' # c\n", id="single quotes stay"),
        pytest.param('{m: "a"}\n', name("b", "m"), '{m: "b"}\n', id="double quotes stay"),
        pytest.param("m: a\n", name("1.5", "m"), 'm: "1.5"\n', id="a name like a number"),
        pytest.param("m: a\n", name("b#c", "m"), "m: b#c\n", id="a result of a record"),
        pytest.param("m: 'a\n\n  b'\n", name("b", "m"), "m: 'b'\n", id="a text of several lines"),
    ],
)
def test_an_edit_is_made_where_the_value_stands(before: str, edit: Edit, after: str) -> None:
    assert edited(before, edit) == after


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        pytest.param('v: "1"\n', quote("1", "v"), id="quoted already"),
        pytest.param("v: 2\n", quote("1", "v"), id="another number"),
        pytest.param("v: {w: 1}\n", quote("1", "v"), id="a mapping"),
        pytest.param("w: 1\n", quote("1", "v"), id="not there"),
        pytest.param("m: >-\n  a\n", name("b", "m"), id="a folded text"),
        pytest.param("m: |\n  a\n", name("b", "m"), id="a literal text"),
        pytest.param("m: a\n", name("b c", "m"), id="more than a word"),
        pytest.param("m: 'a'\n", name("b'c", "m"), id="a quote in it"),
        pytest.param("m: a\n", name("", "m"), id="no name at all"),
    ],
)
def test_an_edit_that_does_not_fit_is_left_out(text: str, edit: Edit) -> None:
    assert splices(text, [edit]) == {}


def test_several_edits_of_a_text_do_not_move_each_other() -> None:
    edits = quote("1", "a"), name("longer-name", "b", 0), quote("2.0", "b", 1, "c"), name("x", "d")
    text = "a: 1\nb: [y, {c: 2.0}]\nd: 'much longer'\n"
    after = 'a: "1"\nb: [longer-name, {c: "2.0"}]\nd: \'x\'\n'
    assert edited(text, *edits) == edited(text, *reversed(edits)) == after


def test_an_edit_that_is_asked_for_twice_is_made_once() -> None:
    assert edited("a: 1\n", quote("1", "a"), quote("1", "a")) == 'a: "1"\n'


def test_a_tree_is_changed_at_one_place_and_the_old_one_stays() -> None:
    tree = {"a": [1, {"b": 2}], "c": 3}
    assert with_value(tree, ("a", 1, "b"), "x") == {"a": [1, {"b": "x"}], "c": 3}
    assert tree == {"a": [1, {"b": 2}], "c": 3}


SCALARS = st.sampled_from(
    (*("0.10", "1", "-2", "1e3", "0x1F", "+.5", "007", "true", "x", "x y", "2026-01-02"),
     *("'q'", '"d"', "'it''s'", '"\\u00e9"', "é", "🜁", "null", "1_000", "12:30"))
)  # fmt: skip
SPACES = st.sampled_from(("", " ", "   "))
COMMENTS = st.sampled_from(("", "", " # c", "  #é: [1", " # 0.10"))


@st.composite
def flows(draw: st.DrawFn) -> str:
    """Draw a collection in flow style."""
    if draw(st.booleans()):
        return "[" + ",".join(f"{draw(SPACES)}{draw(SCALARS)}" for _ in range(2)) + "]"
    return "{" + f"k: {draw(SCALARS)},{draw(SPACES)}l: [{draw(SCALARS)}]" + "}"


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Draw a text with scalars of all kinds, in all the ways that they may be written."""
    lines: list[str] = []
    for key in draw(st.lists(st.sampled_from("abcdefgh"), min_size=1, unique=True)):
        comment, value = draw(COMMENTS), draw(SCALARS | flows())
        match draw(st.integers(0, 5)):
            case 0 | 1:
                lines.append(f"{key}:{draw(SPACES)} {value}{comment}")
            case 2:
                lines += [
                    f"{key}:{comment}",
                    f"    m: {value}",
                    f"    n:  {draw(SCALARS)}{comment}",
                ]
            case 3:
                lines += [f"{key}:", f"- {value}{comment}", f"-   o: {draw(SCALARS)}"]
            case 4:
                lines += [f"{key}: >-{comment}", "  folded", "  0.10"]
            case _:
                lines += ["# between", f"? {key}", f": {draw(SCALARS)}"]
    end = draw(st.sampled_from(("\n", "\r\n")))
    return end.join(lines) + draw(st.sampled_from(("", end)))


@settings(max_examples=500, deadline=None)
@given(
    documents() | st.sampled_from([one.read_text(encoding="utf-8") for one in GOLDEN]), st.data()
)
@example("a: 1", None)
def test_a_fix_changes_exactly_the_values_that_it_names(text: str, data: Any) -> None:
    try:
        document = Reader().read("file.yaml", text.encode())
    except DialectError:
        return
    every = [at for at, value in leaves(document.tree) if not isinstance(value, list | dict)]
    assume(every)
    chosen = data.draw(st.lists(st.sampled_from(every), unique=True, max_size=4)) if data else every
    edits = [_edit(document.value(at), document.scalar(at), at) for at in chosen]
    found = splices(text, edits)
    after, expected = amended(text, found.values()), document.tree
    for edit in found:
        expected = with_value(expected, edit.at, edit.text)
    assert repr(read(after)) == repr(expected)
    assert _without(text, found) == _without(after, splices(after, _names(found)))
    numbers = [edit for edit in edits if edit.kind == "quote"]
    assert set(numbers) <= found.keys()


def _edit(value: object, written: str, at: Pointer) -> Edit:
    number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    return Edit(at, "quote", written) if number else Edit(at, "replace", "another-name.1")


def _names(edits: Any) -> list[Edit]:
    return [Edit(edit.at, "replace", edit.text) for edit in edits if edit.kind == "replace"] + [
        Edit(edit.at, "replace", "n") for edit in edits if edit.kind == "quote"
    ]


def _without(text: str, found: Any) -> str:
    """Return a text without the values of some edits."""
    return amended(text, [splice._replace(written="\N{BULLET}") for splice in found.values()])
