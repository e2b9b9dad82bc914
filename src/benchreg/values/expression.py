"""Formulas: arithmetic that a stranger may write, and that can do nothing but arithmetic."""

import ast
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache

from benchreg.values.interval import Interval, exact, largest, smallest

MOST_CHARACTERS = 200
MOST_DEPTH = 20
MOST_EXPONENT = 300
_OPERATIONS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_CALLS = {"min": smallest, "max": largest}


class FormulaError(ValueError):
    """A formula that is outside what formulas may be; the message says what to take out."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A checked formula, and the names that it asks for."""

    text: str
    tree: ast.expr
    names: frozenset[str]

    def over(self, values: Mapping[str, Interval]) -> Interval:
        """Return the interval of the formula over the intervals of its names.

        Raises ZeroDivisionError where a divisor may be 0, and KeyError for a name without value.
        """
        return self._value(self.tree, values)

    def at(self, values: Mapping[str, Fraction]) -> Fraction:
        """Return the formula's value at exact numbers; raises as `over` does."""
        return self.over({name: exact(number) for name, number in values.items()}).low

    def _value(self, node: ast.expr, values: Mapping[str, Interval]) -> Interval:
        match node:
            case ast.Constant():
                return exact(_literal(node, self.text))
            case ast.Name(id=name):
                return values[name]
            case ast.UnaryOp(operand=operand):
                return -self._value(operand, values)
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return _CALLS[name]([self._value(argument, values) for argument in arguments])
            case ast.BinOp(left=left, op=operation, right=right):
                return _apply(operation, self._value(left, values), self._value(right, values))
        raise FormulaError(f"{type(node).__name__} is not arithmetic")


def _apply(operation: ast.operator, left: Interval, right: Interval) -> Interval:
    match operation:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
    return left / right


@lru_cache(maxsize=4096)
def parse(text: str) -> Expression:
    """Return the checked formula.

    Allowed are numbers, names, `+ - * /`, unary minus, parentheses, `min` and `max`; at most 200
    characters and 20 levels. Raises FormulaError for anything else; nothing is ever run.
    """
    if len(text) > MOST_CHARACTERS:
        raise FormulaError(f"longer than {MOST_CHARACTERS} characters")
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise FormulaError("not an arithmetic expression") from None
    return Expression(text, tree, frozenset(_names(tree, text, 1)))


def _names(node: ast.expr, text: str, depth: int) -> Iterator[str]:
    """Yield the names of a node after checking all of it."""
    if depth > MOST_DEPTH:
        raise FormulaError(f"nested deeper than {MOST_DEPTH} levels")
    match node:
        case ast.Constant():
            _literal(node, text)
        case ast.Name(id=name):
            yield name
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield from _names(operand, text, depth + 1)
        case ast.BinOp(left=left, op=operation, right=right) if type(operation) in _OPERATIONS:
            yield from _names(left, text, depth + 1)
            yield from _names(right, text, depth + 1)
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as arguments, keywords=[]):
            if name not in _CALLS:
                raise FormulaError(f"a call of {name!r}; only min and max may be called")
            for argument in arguments:
                yield from _names(argument, text, depth + 1)
        case _:
            raise FormulaError(f"{_written(node, text)} is not arithmetic; use + - * / ( ) min max")


def _written(node: ast.AST, text: str) -> str:
    return repr((ast.get_source_segment(text, node) or text)[:40])


def _literal(node: ast.Constant, text: str) -> Decimal:
    written = ast.get_source_segment(text, node) or ""
    if type(node.value) not in (int, float):
        raise FormulaError(f"{_written(node, text)} is not a number")
    try:
        number = Decimal(written)
    except InvalidOperation:
        raise FormulaError(f"{_written(node, text)} is not a decimal number") from None
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or abs(exponent) > MOST_EXPONENT:
        raise FormulaError(f"{_written(node, text)} is beyond what a number may be")
    return number
