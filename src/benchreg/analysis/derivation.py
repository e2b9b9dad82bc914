"""Derived values, recomputed from their formulas with the interval of their inputs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from pydantic import MISSING, BaseModel

from benchreg.entities.figure import Claim, Derivation, Figure
from benchreg.entities.record import Record
from benchreg.registry.links import is_result
from benchreg.registry.registry import Registry
from benchreg.values.expression import Expression, FormulaError, parse
from benchreg.values.interval import Interval, exact, rounded_from

MOST_STEPS = 64
MOST_FIGURES = 10_000
MOST_BITS = 2000  # about 1e600 and 1e-600; a figure is at most 1e15
MOST_PLAIN_DIGITS = 20


class UnsettledError(Exception):
    """A value that cannot be recomputed; the message is the reason."""


class CycleError(UnsettledError):
    """A value that rests on itself; the message names the way round."""


@dataclass(frozen=True, slots=True)
class Recomputed:
    """A formula's result: at the inputs as they are written, and over what those stand for."""

    nominal: Fraction
    interval: Interval


@dataclass(frozen=True, slots=True)
class Input:
    """A number that a formula uses, and the figure that it is, unless it is a field."""

    number: Decimal
    figure: tuple[Record, str] | None = None


Checked = tuple[Expression, dict[str, Input]]


class InputError(FormulaError):
    """An input of a formula that is no field of the record: its name, and what it could be."""

    def __init__(self, message: str, name: str, hint: str = "") -> None:
        super().__init__(message)
        self.name, self.hint = name, hint


@dataclass(slots=True)
class Settling:
    """Recomputes the values of one registry; the interval of a figure is worked out once."""

    registry: Registry
    _intervals: dict[tuple[str, str], Interval] = field(default_factory=dict)

    def recompute(
        self, record: Record, derivation: Derivation | Claim, chain: tuple[str, ...] = ()
    ) -> Recomputed:
        """Return what a derivation or a claim comes to; `chain` are the figures that wait for it.

        Raises FormulaError where the formula or a name of it is refused, CycleError where a
        value rests on itself, UnsettledError where an input cannot be had.
        """
        formula, inputs = check(self.registry, record, derivation)
        try:
            nominal = at_inputs(formula, inputs)
            found = Recomputed(nominal, formula.over(self.spans(inputs, chain)).outward())
        except ZeroDivisionError:
            raise UnsettledError(f"{derivation.formula!r} divides by what may be 0") from None
        if found.interval.bits > MOST_BITS:
            raise UnsettledError(f"{derivation.formula!r} grows or shrinks without bounds")
        return found

    def interval(self, record: Record, name: str, chain: tuple[str, ...] = ()) -> Interval:
        """Return what a figure's value stands for: its printed digits, or its derivation's inputs.

        A value that is stated without digits is exact. Raises as `recompute` does.
        """
        key, label = (record.id, name), f"{record.id}#{name}"
        if label in chain:
            raise CycleError(" -> ".join((*chain[chain.index(label) :], label)))
        if len(chain) >= MOST_STEPS:
            raise UnsettledError(f"more than {MOST_STEPS} derivations in a row")
        if key not in self._intervals:
            self._intervals[key] = self._worked_out(record, record.results[name], (*chain, label))
        return self._intervals[key]

    def _worked_out(self, record: Record, figure: Figure, chain: tuple[str, ...]) -> Interval:
        if figure.printed is not MISSING:
            return rounded_from(Decimal(figure.printed))
        if figure.derivation is MISSING:
            return exact(figure.value)
        try:
            return self.recompute(record, figure.derivation, chain).interval
        except FormulaError:
            raise UnsettledError(f"the formula of {chain[-1]} is refused") from None

    def spans(
        self, inputs: Mapping[str, Input], chain: tuple[str, ...] = ()
    ) -> dict[str, Interval]:
        """Return what each input stands for; raises as `recompute` does."""
        return {name: self._span(one, chain) for name, one in inputs.items()}

    def _span(self, one: Input, chain: tuple[str, ...]) -> Interval:
        return self.interval(*one.figure, chain) if one.figure else exact(one.number)


@lru_cache(maxsize=2)
def settled(registry: Registry) -> Settling:
    """Return the one settling of a registry, so that each interval is worked out once."""
    return Settling(registry)


def plainly_holds(value: Decimal, formula: Expression, inputs: Mapping[str, Input]) -> bool:
    """Tell whether a value is its formula's result beyond doubt; False leaves it open."""
    if formula.subtracts or len(value.as_tuple().digits) > MOST_PLAIN_DIGITS:
        return False
    try:
        found = formula.near({name: one.number for name, one in inputs.items()})
        return abs(value - found) < Decimal("0.49").scaleb(int(value.as_tuple().exponent))
    except ArithmeticError:
        return False


def at_inputs(formula: Expression, inputs: Mapping[str, Input]) -> Fraction:
    """Return a formula's result at its inputs as they are written.

    Raises ZeroDivisionError where it divides by 0.
    """
    return formula.at({name: Fraction(one.number) for name, one in inputs.items()})


def cycles(registry: Registry, record: Record) -> list[tuple[str, ...]]:
    """Return every way from a figure of the record over what it rests on back to itself.

    Each figure is in one of them at most, as the first where it is the first of the record's.
    """
    if all(figure.derivation is MISSING for figure in record.results.values()):
        return []
    rests = _graph(registry, record)
    while done := {node for node, below in rests.items() if not below & rests.keys()}:
        for node in done:
            del rests[node]
    found, left = [], [(record.id, name) for name in record.results]
    for node in left:
        if node in rests and (way := _way_round(rests, node)):
            found.append(tuple(f"{home}#{result}" for home, result in way))
            for used in way[:-1]:
                rests.pop(used, None)
    return found


Node = tuple[str, str]


def _graph(registry: Registry, record: Record) -> dict[Node, set[Node]]:
    """Return what each figure rests on, for those of a record and all that they rest on."""
    rests: dict[Node, set[Node]] = {}
    waiting = [(record, name) for name in record.results]
    while waiting:
        home, result = waiting.pop()
        if (home.id, result) not in rests and len(rests) < MOST_FIGURES:
            below = _rests_on(registry, home, home.results[result])
            rests[(home.id, result)] = {(other.id, name) for other, name in below}
            waiting += below
    return rests


def _way_round(rests: Mapping[Node, set[Node]], start: Node) -> list[Node]:
    """Return a shortest way from a node back to itself; empty where there is none."""
    before: dict[Node, Node] = {}
    waiting = [start]
    for node in waiting:
        for below in sorted(rests.get(node, ())):
            if below == start:
                way = [start, node]
                while way[-1] != start:
                    way.append(before[way[-1]])
                return way[::-1] if len(way) > 2 else [start, start]
            if below not in before and below in rests:
                before[below] = node
                waiting.append(below)
    return []


def _rests_on(registry: Registry, record: Record, figure: Figure) -> list[tuple[Record, str]]:
    if figure.derivation is MISSING:
        return []
    try:
        names = parse(figure.derivation.formula).names
    except FormulaError:
        return []
    references = [figure.derivation.inputs.get(name, name) for name in sorted(names)]
    results = [reference for reference in references if is_result(reference)]
    found = [(_home(registry, record, one), one.rpartition("#")[2]) for one in results]
    return [(home, name) for home, name in found if home and name in home.results]


def check(registry: Registry, record: Record, derivation: Derivation | Claim) -> Checked:
    """Return a formula and what its names mean; raises as `recompute` does."""
    formula = parse(derivation.formula)
    return formula, {
        name: find_input(registry, record, derivation, name) for name in sorted(formula.names)
    }


def find_input(
    registry: Registry, record: Record, derivation: Derivation | Claim, name: str
) -> Input:
    """Return what a name of a formula means: an input that is named, or a sibling result.

    Raises FormulaError where it means nothing, UnsettledError where its record is not there.
    """
    reference = derivation.inputs.get(name, name)
    if not is_result(reference):
        try:
            return Input(_field(record, reference))
        except FormulaError as error:
            hint = "name a result, `record#result`, or a field such as `load.batch_size`"
            raise InputError(str(error), name, hint) from None
    home, result = _home(registry, record, reference), reference.rpartition("#")[2]
    figure = home.results.get(result) if home else None
    if home is None or figure is None:
        if name in derivation.inputs:
            raise UnsettledError(f"{reference} is not there or was refused")
        raise FormulaError(f"the name {name!r} is no result and no input")
    return Input(figure.value, (home, result))


def _home(registry: Registry, record: Record, reference: str) -> Record | None:
    """Return the record that a reference to a result leads into."""
    other, found, _ = reference.partition("#")
    return registry.records.get(other) if found else record


def _field(record: Record, path: str) -> Decimal:
    """Return a number that a field of the record holds, by its dotted path."""
    node: Any = record
    for key in path.split("."):
        if isinstance(node, tuple) and key.isdecimal() and int(key) < len(node):
            node = node[int(key)]
        elif isinstance(node, BaseModel) and key in node.__dict__:
            node = node.__dict__[key]
        elif node is not MISSING:
            raise FormulaError(f"the input {path!r} is no field of a record")
    if isinstance(node, bool) or not isinstance(node, int | Decimal):
        reason = "is not stated" if node is MISSING else "is not a number"
        raise FormulaError(f"the field {path!r} {reason} here")
    return Decimal(node)
