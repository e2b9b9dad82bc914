"""Formulas: arithmetic that a stranger may write, and that can do nothing but arithmetic."""

import ast
import operator
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from itertools import product
from keyword import iskeyword
from typing import Any, NamedTuple

from benchreg.values.interval import Interval, exact, largest, smallest

MOST_CHARACTERS = 200
MOST_DEPTH = 20
MOST_EXPONENT = 300
MOST_CORNERS = 6
# Python reads other letters as these (NFKC), so that one name would become another.
_ODD = re.compile(r"[^ -~]|#")
_DECIMAL = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


class FormulaError(ValueError):
    """A formula that is outside what formulas may be; the message says what to take out."""


class Numbers(NamedTuple):
    """A kind of numbers to calculate with: how a decimal becomes one, and the two calls."""

    lift: Callable[[Decimal], Any]
    min: Callable[[list[Any]], Any]
    max: Callable[[list[Any]], Any]


_INTERVALS = Numbers(exact, smallest, largest)
_EXACT = Numbers(Fraction, min, max)
_DECIMALS = Numbers(Decimal, min, max)
_Compute = Callable[[Mapping[str, Any], Numbers], Any]


@dataclass(frozen=True, slots=True)
class Expression:
    """A checked formula, the names that it asks for, and those of them that it takes off.

    Each way to calculate raises ArithmeticError where a divisor is or may be 0, and KeyError for
    a name without a value.
    """

    names: frozenset[str]
    repeated: frozenset[str]
    subtracts: bool
    taken_off: frozenset[str]
    _compute: _Compute

    def over(self, values: Mapping[str, Interval]) -> Interval:
        """Return the interval of the formula over the intervals of its names."""
        interval: Interval = self._compute(values, _INTERVALS)
        return interval

    def at_corners(self, values: Mapping[str, Interval]) -> Interval:
        """Return the interval of the formula where a name that stands twice is one number.

        `over` takes each place of a name for a number of its own, so that `a / a` could be
        anything. Here such names are at one end of their interval or at the other, which is
        all that matters where the formula rises or falls with them throughout.
        """
        rounded = [name for name in sorted(self.repeated) if values[name].width][:MOST_CORNERS]
        found = self.over(values) if not rounded else None
        for ends in product(*((values[name].low, values[name].high) for name in rounded)):
            fixed = {name: Interval(end, end) for name, end in zip(rounded, ends, strict=True)}
            corner = self.over({**values, **fixed})
            found = corner if found is None else found.joined(corner)
        return found if found is not None else self.over(values)

    def at(self, values: Mapping[str, Fraction]) -> Fraction:
        """Return the formula's value at exact numbers."""
        number: Fraction = self._compute(values, _EXACT)
        return number

    def near(self, values: Mapping[str, Decimal]) -> Decimal:
        """Return the formula's value, much faster than `at`.

        To about 25 digits where it does not subtract; a difference may lose any number of them.
        """
        number: Decimal = self._compute(values, _DECIMALS)
        return number


@lru_cache(maxsize=4096)
def parse(text: str) -> Expression:
    """Return the checked formula.

    Allowed are numbers, names, `+ - * /`, unary minus, parentheses, `min` and `max`; at most 200
    characters, in one line of ASCII without comments, and 20 levels. Raises FormulaError for
    anything else; nothing is ever run.
    """
    if len(text) > MOST_CHARACTERS:
        raise FormulaError(f"longer than {MOST_CHARACTERS} characters")
    if odd := _ODD.search(text):
        raise FormulaError(f"the character {odd.group()!a} has no place in a formula")
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise FormulaError(_no_formula(text)) from None
    names: set[str] = set()
    compute = _compiled(tree, text, names, 1)
    subtracts = any(isinstance(node, ast.Sub | ast.USub) for node in ast.walk(tree))
    words = Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    repeated = frozenset(name for name in names if words[name] > 1)
    off = [
        node.right
        for node in ast.walk(tree)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)
    ]
    return Expression(frozenset(names), repeated, subtracts, _names(off), compute)


def _names(trees: Iterable[ast.AST]) -> frozenset[str]:
    nodes = (node for tree in trees for node in ast.walk(tree))
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name))


def _no_formula(text: str) -> str:
    words = [word for word in re.findall(r"[A-Za-z_]+", text) if iskeyword(word)]
    if words:
        return f"{words[0]!r} cannot be a name; give the input another one"
    return "not an arithmetic expression; between two names stands one of + - * /"


def _compiled(node: ast.expr, text: str, names: set[str], depth: int) -> _Compute:
    """Return the function that calculates a node; its names are added to `names`.

    Raises FormulaError for whatever is not on the list of what may stand in a formula.
    """
    if depth > MOST_DEPTH:
        raise FormulaError(f"nested deeper than {MOST_DEPTH} levels")
    match node:
        case ast.Constant():
            number = _literal(node, text)
            return lambda _, numbers: numbers.lift(number)
        case ast.Name(id=name):
            names.add(name)
            return lambda values, _: values[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _compiled(operand, text, names, depth + 1)
            return lambda values, numbers: -inner(values, numbers)
        case ast.BinOp(left=left, op=operation, right=right) if type(operation) in _OPERATIONS:
            apply = _OPERATIONS[type(operation)]
            one = _compiled(left, text, names, depth + 1)
            two = _compiled(right, text, names, depth + 1)
            return lambda values, numbers: apply(one(values, numbers), two(values, numbers))
        case ast.Call(func=ast.Name(id=("min" | "max") as call), args=[_, *_], keywords=[]):
            parts = [_compiled(part, text, names, depth + 1) for part in node.args]
            return lambda values, numbers: getattr(numbers, call)(
                [part(values, numbers) for part in parts]
            )
        case ast.Call(func=ast.Name(id=name)):
            raise FormulaError(f"a call of {name!r}; only min and max of numbers may be called")
    raise FormulaError(f"{_written(node, text)} is not arithmetic; use + - * / ( ) min max")


def _written(node: ast.AST, text: str) -> str:
    return repr((ast.get_source_segment(text, node) or text)[:40])


def _literal(node: ast.Constant, text: str) -> Decimal:
    written = ast.get_source_segment(text, node) or ""
    if type(node.value) not in (int, float):
        raise FormulaError(f"{_written(node, text)} is not a number")
    if not _DECIMAL.fullmatch(written):
        raise FormulaError(f"{_written(node, text)} is not a decimal number")
    try:
        number = Decimal(written)
    except InvalidOperation:  # an exponent of more digits than Decimal can hold
        number = Decimal("Infinity")
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or abs(exponent) > MOST_EXPONENT:
        raise FormulaError(f"{_written(node, text)} is beyond what a number may be")
    return number
