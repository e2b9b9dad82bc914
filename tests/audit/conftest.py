"""Every way in which one field of a document can be wrong, as whole documents."""

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import pytest

from benchreg.entities.base import Entity
from benchreg.entities.record import Record
from benchreg.registry.document import Pointer, Tree
from benchreg.registry.links import Link, links
from benchreg.registry.registry import Entry, Registry
from benchreg.registry.schema import allowed_at
from benchreg.values.units import UNITS

REMOVED = object()
MOST_IDS = 6
DAYS = (1, -1, 30, -30, 365, -365)
Changes = Iterator[tuple[str, Any]]
Mutate = Callable[[Entry, Registry], Iterator["Mutant"]]


class Mutant(NamedTuple):
    """A document in which one thing was changed: what, how, and the whole of it."""

    at: Pointer
    change: str
    tree: Tree


@pytest.fixture(scope="session")
def mutate() -> Mutate:
    """A function that yields each change of each field of an entity."""
    return mutants


def mutants(entry: Entry, registry: Registry) -> Iterator[Mutant]:
    """Yield each change of each field that an entity has, whatever it then means."""
    tree = entry.document.tree
    named = {link.at: link for link in links(entry.entity)}
    for at, value in _places(tree):
        if at:
            yield Mutant(at, "removed", _with(tree, at, REMOVED))
        for change, other in _changes(entry, at, value, named.get(at), registry):
            if (type(other), other) != (type(value), value):
                yield Mutant(at, change, _with(tree, at, other))
    yield from _moved(tree)


def _changes(
    entry: Entry, at: Pointer, value: Any, link: Link | None, registry: Registry
) -> Changes:
    if at:
        yield from _retyped(value)
    if isinstance(value, dict):
        yield from _swapped(value)
    elif isinstance(value, list):
        yield from (("twice", [*value, item]) for item in value)
    elif isinstance(value, bool):
        yield "flipped", not value
    elif isinstance(value, int | Decimal):
        yield from _of_number(value)
    elif words := _words(entry.kind, at):
        yield from (("word", word) for word in words)
    elif link is not None:
        yield from (("id", other) for other in _others(link, entry.entity, registry))
    else:
        yield from _of_text(at, value)


def _retyped(value: Any) -> Changes:
    yield "type", None
    yield "type", [value]
    yield "type", 7 if isinstance(value, str) else "some words"


def _swapped(value: Tree) -> Changes:
    """Yield a mapping with a value and the next one of its type exchanged."""
    for kind in (str, bool, Decimal):
        alike = [key for key in value if _type(value[key]) is kind]
        for one, two in pairwise(alike):
            yield "swapped", {**value, one: value[two], two: value[one]}


def _type(value: Any) -> type:
    is_number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    return Decimal if is_number else dict if isinstance(value, dict | list) else type(value)


def _of_number(value: int | Decimal) -> Changes:
    for text in _digits(str(value)):
        yield "digit", int(text) if isinstance(value, int) else Decimal(text)
    yield "sign", -value
    yield from (("range", type(value)(bound)) for bound in (0, 10**16))


def _digits(text: str) -> Iterator[str]:
    """Yield a text with each of its digits one higher, and 8 for 9."""
    for found in re.finditer("[0-9]", text):
        digit = int(found[0])
        yield text[: found.start()] + str(digit + 1 if digit < 9 else 8) + text[found.end() :]


def _of_text(at: Pointer, value: str) -> Changes:
    """Yield other units, days, digits and words, as a text is one of these."""
    if at[-1] == "unit" and value in UNITS:
        dimension = UNITS[value].dimension
        yield from (("unit", name) for name in UNITS if UNITS[name].dimension == dimension)
    elif re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        day = date.fromisoformat(value)
        yield from (("day", (day + timedelta(days)).isoformat()) for days in DAYS)
        yield "day", f"{value[:-5]}02-31"
    elif re.fullmatch("[0-9.]+", value):
        yield from (("digit", text) for text in _digits(value))
    else:
        *first, _ = value.split(" ")
        yield "text", " ".join([*first, "otherwise"])
        digits = list(_digits(value))
        yield from (("text", text) for text in {*digits[:1], *digits[-1:]})


def _words(kind: str, at: Pointer) -> list[str]:
    """Return the closed list of words that a place allows; none where it is open."""
    allowed = allowed_at(kind, at)
    forms = (allowed, *allowed.get("anyOf", ()))
    return [word for form in forms for word in form.get("enum", ())]


def _others(link: Link, entity: Entity, registry: Registry) -> list[str]:
    """Return other ids that are there, the nearest in the order of names first."""
    base, _, result = link.target.partition("#")
    if link.kind == "results":
        return list(entity.results) if isinstance(entity, Record) else []
    if result:
        return [f"{base}#{name}" for name in registry.records[base].results]
    known: list[str] = sorted(getattr(registry, link.kind))
    place = known.index(base)
    return known[max(0, place - MOST_IDS // 2) :][: MOST_IDS + 1]


def _moved(tree: Tree) -> Iterator[Mutant]:
    """Yield a record in which two figures of one unit have each other's value, as two cells."""
    results = tree.get("results", {})
    for one, two in combinations(results, 2):
        if results[one]["unit"] == results[two]["unit"]:
            swapped = {one: _holding(results, one, two), two: _holding(results, two, one)}
            yield Mutant(("results", one), "moved", {**tree, "results": {**results, **swapped}})


def _holding(results: Tree, name: str, other: str) -> Tree:
    kept = {key: part for key, part in results[name].items() if key not in ("value", "printed")}
    taken = {key: results[other][key] for key in ("value", "printed") if key in results[other]}
    return kept | taken


def _places(tree: Any, at: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    yield at, tree
    if isinstance(tree, dict | list):
        for key, child in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from _places(child, (*at, key))


def _with(tree: Any, at: Pointer, value: Any) -> Any:
    if not at:
        return value
    key, rest = at[0], at[1:]
    changed = tree.copy()
    if value is REMOVED and not rest:
        del changed[key]
    else:
        changed[key] = _with(tree[key], rest, value)
    return changed
