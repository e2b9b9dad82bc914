"""The models and the committed schema give the same verdict on whatever the reader can produce."""

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from benchreg.registry.document import Document, Pointer
from benchreg.registry.judge import ENTITIES, judge
from benchreg.registry.read import Reader
from benchreg.registry.roots import own_root
from benchreg.registry.schema import allowed_at

Judge = Callable[[str, Any], tuple[bool, bool]]
Values = Iterator[Any]

REMOVED = object()
STRANGE_NAMES = ("x", "_x", "x1", "X", "x-y", "x.y", "x_", "x" * 80, "x" * 81, "x" * 100, "id")


def test_both_judges_accept_every_golden_document(golden: tuple[str, Document]) -> None:
    kind, document = golden
    assert isinstance(judge(kind, document, both=True), ENTITIES[kind])


def test_the_golden_documents_say_everything_that_can_be_said(
    schemas: dict[str, Any], golden_trees: dict[str, list[Any]]
) -> None:
    sayable = {(kind, *name) for kind in ENTITIES for name in _sayable(schemas[kind])}
    said = {
        (kind, *name)
        for kind, trees in golden_trees.items()
        for tree in trees
        for name in _said(kind, tree)
    }
    assert len(sayable) > 300
    assert sayable - said == set()


def test_both_judges_agree_on_every_catalogue_entity_of_the_registry(judged: Judge) -> None:
    folder = own_root() / "records"
    paths = [
        (kind, path)
        for kind in ("accelerator", "model", "engine", "source", "metric")
        for path in sorted((folder / f"{kind}s").glob("*.yaml"))
    ]
    assert paths
    assert [path.name for kind, path in paths if _quarrel(judged(kind, _tree(path)))] == []


def _tree(path: Path) -> Any:
    return Reader().read(path.name, path.read_bytes()).tree


def _sayable(schema: Any) -> Iterator[tuple[str, str]]:
    for owner in (schema, *schema.get("$defs", {}).values()):
        for form in (owner, *owner.get("anyOf", ())):
            for key in form.get("properties", ()):
                yield form["title"], key


def _said(kind: str, tree: Any) -> Iterator[tuple[str, str]]:
    for at, value in _places(tree):
        if isinstance(value, dict) and not _is_open(kind, at):
            for key in value:
                yield allowed_at(kind, at)["title"], key


def _is_open(kind: str, at: Pointer) -> bool:
    """Tell whether a place lies in the parts of a record that a mapping holds."""
    return kind == "mapping" and "record" in at


def _removed(_: Any) -> Values:
    yield REMOVED


def _null(_: Any) -> Values:
    yield None


def _empty(_: Any) -> Values:
    yield from ("", " ", [], {})


def _bool(_: Any) -> Values:
    yield from (True, False)


def _int(value: Any) -> Values:
    yield from (0, 1, 64)
    if _is_number(value):
        yield from (2, 7, 9, 10, 10**5, 10**5 + 1)


def _int_out_of_range(value: Any) -> Values:
    yield 10**63
    if _is_number(value):
        yield from (10**12, 10**12 + 1, 10**15, 10**15 + 1)


def _negative(value: Any) -> Values:
    yield -1
    if _is_number(value):
        yield from (-value, Decimal("-0.5"), Decimal("-1e-300"), Decimal("-0.0"))


def _decimal(value: Any) -> Values:
    yield from (Decimal("0.25"), Decimal("64.0"))
    if _is_number(value):
        yield from (Decimal(value), value + Decimal("0.5"), Decimal("1000000000000000.1"))
        yield from map(Decimal, ("0.0", "1.0", "1.5", "1e-300", "1e15", "1e300"))


def _text(value: Any) -> Values:
    yield from ("x", "12.5", "true", "null", "two words", "2026-02-31", "2026-13-01")
    if not isinstance(value, dict | list):
        yield str(value)


def _text_of_every_length(value: Any) -> Values:
    if isinstance(value, str):
        for limit in (80, 120, 200, 400, 600):
            yield from ("x" * limit, "x" * (limit + 1))
        yield from ("7" * length for length in (6, 7, 64, 65))
        yield from ("\U0001d518" * length for length in (200, 201, 600, 601))
        yield from (f"-{'7' * 30}.{'7' * 30}", f"-{'7' * 30}.{'7' * 31}")
        yield from (f"a://{'x' * 396}", f"a://{'x' * 397}")


def _text_changed(value: Any) -> Values:
    if isinstance(value, str):
        yield from (value.upper(), value[:-1], value[1:])
        yield from (value + end for end in (" ", ".", "-", "#", "é"))
        yield from (start + value for start in (" ", ".", "_", "1", "+"))


def _line_ends(value: Any) -> Values:
    if isinstance(value, str):
        for end in ("\n", "\r", "\n\n", "\t", "\u2028"):
            yield from (value + end, end + value)


def _digits_of_other_scripts(value: Any) -> Values:
    if isinstance(value, str):
        for digit in ("\u0663", "\uff13", "\u00b2"):
            yield from (value + digit, re.sub("[0-9]", digit, value))


def _list_in_its_place(value: Any) -> Values:
    yield from ([value], [None], ["x"], [1], [[value]], [{}])
    if isinstance(value, dict):
        yield from (list(value), list(value.values()))


def _mapping_in_its_place(value: Any) -> Values:
    yield from ({"x": value}, {"x": "x"}, {"because": "not_stated"}, {"id": value})
    if isinstance(value, list):
        yield from value
        yield {f"item{place}": item for place, item in enumerate(value)}


def _list_changed(value: Any) -> Values:
    if isinstance(value, list):
        yield from (value + value, [*value, value[0]], value[::-1], value[1:])
        strange: tuple[Any, ...] = ("x", "", None, 1, True, {}, [], value)
        yield from ([*value, more] for more in strange)


def _unknown_key(value: Any) -> Values:
    if isinstance(value, dict):
        filling = next(iter(value.values()), "x")
        for name in (*STRANGE_NAMES, *(f"{key}s" for key in value), *(k.upper() for k in value)):
            yield {**value, name: filling}


def _renamed_key(value: Any) -> Values:
    if isinstance(value, dict):
        for key in value:
            for name in (f"{key}_", f"{key}-", f".{key}", key.title()):
                yield {(name if old == key else old): item for old, item in value.items()}


MUTATIONS = {
    "removed": _removed,
    "null": _null,
    "an empty value": _empty,
    "a bool": _bool,
    "an int": _int,
    "an int out of range": _int_out_of_range,
    "a negative number": _negative,
    "a decimal": _decimal,
    "a text": _text,
    "a text of every length": _text_of_every_length,
    "the text changed": _text_changed,
    "a line end in the text": _line_ends,
    "digits of other scripts": _digits_of_other_scripts,
    "a list in its place": _list_in_its_place,
    "a mapping in its place": _mapping_in_its_place,
    "the list changed": _list_changed,
    "an unknown key": _unknown_key,
    "a renamed key": _renamed_key,
}


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_both_judges_agree_wherever_a_golden_document_has(
    mutation: str, golden: tuple[str, Document], judged: Judge
) -> None:
    kind, document = golden
    mutants = _mutants(kind, document.tree, MUTATIONS[mutation])
    assert [(at, value) for at, value, tree in mutants if _quarrel(judged(kind, tree))] == []


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_both_judges_refuse_some_record_that_has(
    mutation: str, golden_trees: dict[str, list[Any]], judged: Judge
) -> None:
    change = MUTATIONS[mutation]
    mutants = chain.from_iterable(
        _mutants("record", tree, change) for tree in golden_trees["record"]
    )
    assert any(judged("record", tree) == (False, False) for _, _, tree in mutants)


def _quarrel(verdicts: tuple[bool, bool]) -> bool:
    by_models, by_schema = verdicts
    return by_models is not by_schema


def _mutants(
    kind: str, tree: Any, mutation: Callable[[Any], Values]
) -> Iterator[tuple[Pointer, Any, Any]]:
    """Yield each change of each place, and the shortest document that holds it."""
    needed = {key for key, field in ENTITIES[kind].model_fields.items() if field.is_required()}
    for at, value in _places(tree):
        around = {key: tree[key] for key in tree if not at or key in {*needed, at[0]}}
        for other in mutation(value):
            if at or isinstance(other, dict):
                yield at, other, _with(around, at, other)


def _places(tree: Any, at: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    yield at, tree
    for key, child in _children(tree):
        yield from _places(child, (*at, key))


def _children(tree: Any) -> list[tuple[str | int, Any]]:
    if isinstance(tree, dict):
        return list(tree.items())
    return list(enumerate(tree)) if isinstance(tree, list) else []


def _with(tree: Any, at: Pointer, value: Any) -> Any:
    if not at:
        return value
    changed = tree.copy()
    if value is REMOVED and len(at) == 1:
        del changed[at[0]]
    else:
        changed[at[0]] = _with(tree[at[0]], at[1:], value)
    return changed


def _is_number(value: Any) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)
