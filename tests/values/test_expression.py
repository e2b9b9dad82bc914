"""Formulas calculate what they say, in three ways that agree, and can do nothing else."""

import operator
import time
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from benchreg.values.expression import MOST_CHARACTERS, Expression, FormulaError, parse
from benchreg.values.interval import Interval, exact, smallest

Numbers = dict[str, Decimal]
Operation = Callable[[Any, Any], Any]


class Formula(NamedTuple):
    """A text, and what it must come to for given numbers."""

    text: str
    value: Callable[[Numbers], Fraction]


NAMES = ("a", "b", "completed_rate")
NUMBERS = st.decimals(0, 10**6, places=3)
POSITIVE = st.decimals(Decimal("0.001"), 10**6, places=3)
NEVER_A_DIFFERENCE: dict[str, Operation] = {
    "({} + {})": operator.add,
    "({} * {})": operator.mul,
    "({} / {})": operator.truediv,
    "min({}, {})": min,
    "max({}, {})": max,
}
ALL: dict[str, Operation] = {
    **NEVER_A_DIFFERENCE,
    "({} - {})": operator.sub,
    "(-{} * {})": lambda one, two: -one * two,
}


def formulas(operations: dict[str, Operation]) -> st.SearchStrategy[Formula]:
    """Draw formulas with these operations over three names and plain literals."""
    names = st.sampled_from(NAMES).map(lambda name: Formula(name, lambda of: Fraction(of[name])))
    literals = st.sampled_from(["1", "64", "0.5", ".25", "1e3", "2.5E-1", "7."])
    numbers = literals.map(lambda text: Formula(text, lambda _: Fraction(Decimal(text))))

    def joined(parts: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        return st.builds(_joined, st.sampled_from(sorted(operations)), parts, parts)

    def _joined(form: str, one: Formula, two: Formula) -> Formula:
        apply = operations[form]
        text = form.format(one.text, two.text)
        return Formula(text, lambda of: Fraction(apply(one.value(of), two.value(of))))

    drawn = st.recursive(names | numbers, joined, max_leaves=8)
    return drawn.filter(lambda formula: len(formula.text) <= MOST_CHARACTERS)


def valued(numbers: st.SearchStrategy[Decimal]) -> st.SearchStrategy[Numbers]:
    return st.fixed_dictionaries(dict.fromkeys(NAMES, numbers))


def unless_divided_by_zero(compute: Callable[[], Any]) -> Any:
    """Return the result; an example that has none is no example."""
    try:
        return compute()
    except ArithmeticError:
        reject()


@given(formula=formulas(ALL), numbers=valued(NUMBERS))
def test_the_exact_value_is_what_the_formula_says(formula: Formula, numbers: Numbers) -> None:
    expected = unless_divided_by_zero(lambda: formula.value(numbers))
    assert parse(formula.text).at({name: Fraction(numbers[name]) for name in NAMES}) == expected


@given(formula=formulas(ALL), numbers=valued(NUMBERS), widths=valued(NUMBERS), at=valued(NUMBERS))
def test_the_value_at_any_point_lies_in_the_interval_over_all_points(
    formula: Formula, numbers: Numbers, widths: Numbers, at: Numbers
) -> None:
    wholes = {
        name: Interval(Fraction(numbers[name]), Fraction(numbers[name] + widths[name]))
        for name in NAMES
    }
    shares = {name: Fraction(at[name]) / 10**6 for name in NAMES}
    points = {name: wholes[name].low + shares[name] * wholes[name].width for name in NAMES}
    whole = unless_divided_by_zero(lambda: parse(formula.text).over(wholes))
    assert parse(formula.text).at(points) in whole


@given(formula=formulas(ALL), numbers=valued(NUMBERS))
def test_over_intervals_without_width_is_the_exact_value(
    formula: Formula, numbers: Numbers
) -> None:
    expected = unless_divided_by_zero(lambda: formula.value(numbers))
    alone = {name: exact(numbers[name]) for name in NAMES}
    assert parse(formula.text).over(alone) == exact(expected)


@given(formula=formulas(NEVER_A_DIFFERENCE), numbers=valued(POSITIVE))
def test_the_fast_value_is_near_the_exact_one_where_nothing_is_subtracted(
    formula: Formula, numbers: Numbers
) -> None:
    expression = parse(formula.text)
    expected = formula.value(numbers)
    assert not expression.subtracts
    assert abs(Fraction(expression.near(numbers)) / expected - 1) < Fraction(1, 10**20)


@pytest.mark.parametrize(
    ("name", "text", "subtracts"),
    [
        ("a difference", "a - b", True),
        ("a difference deep within", "min(1, 2 * (a - b))", True),
        ("a sign", "a * -b", True),
        ("a sum", "a + b", False),
        ("an exponent below zero", "a * 1e-3", False),
    ],
)
def test_a_formula_knows_whether_it_subtracts(name: str, text: str, *, subtracts: bool) -> None:
    assert parse(text).subtracts is subtracts, name


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("completed_rate * 64", 800),
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("8 / 4 / 2", 1),
        ("8 - 4 - 2", 2),
        ("-completed_rate + 13", Fraction(1, 2)),
        ("--2", 2),
        ("1 / 3", Fraction(1, 3)),
        ("0.1 + 0.2", Fraction(3, 10)),
        ("min(3, 1, 2)", 1),
        ("max(completed_rate, 12)", Fraction(25, 2)),
        ("min(7)", 7),
        ("max(1, min(5, 3),)", 3),
        ("1e300 / 1e299", 10),
        ("1e-300 * 1e300", 1),
        ("9" * 200, int("9" * 200)),
        ("completed_rate ", Fraction(25, 2)),
    ],
)
def test_a_formula_is_ordinary_arithmetic_without_any_rounding(
    text: str, value: Fraction | int
) -> None:
    assert parse(text).at({"completed_rate": Fraction(25, 2)}) == value


def test_min_and_max_of_intervals_go_end_by_end() -> None:
    values = {
        "a": Interval(Fraction(1), Fraction(5)),
        "b": Interval(Fraction(2), Fraction(3)),
        "c": Interval(Fraction(4), Fraction(9)),
    }
    assert parse("min(a, b, c)").over(values) == Interval(Fraction(1), Fraction(3))
    assert parse("max(a, b, c)").over(values) == Interval(Fraction(4), Fraction(9))
    assert parse("min(a, b)").over(values) == smallest([values["a"], values["b"]])


def test_the_names_of_a_formula_are_known() -> None:
    assert parse("min(a, b) / (a + load_2)").names == {"a", "b", "load_2"}
    assert parse("1 + 2").names == set()


def test_a_name_without_a_value_is_told() -> None:
    with pytest.raises(KeyError, match="b"):
        parse("a + b").at({"a": Fraction(1)})


@pytest.mark.parametrize("name", ["min", "print", "__builtins__", "__debug__", "Fraction"])
def test_a_name_means_a_value_that_is_given_and_nothing_of_python(name: str) -> None:
    with pytest.raises(KeyError, match=name):
        parse(name).at({})
    assert parse(f"{name} + 1").at({name: Fraction(1)}) == 2


@pytest.mark.parametrize(
    ("name", "divide"),
    [
        ("exactly", lambda: parse("a / b").at({"a": Fraction(1), "b": Fraction(0)})),
        ("nearly", lambda: parse("a / b").near({"a": Decimal(1), "b": Decimal(0)})),
        ("zero by zero", lambda: parse("a / b").near({"a": Decimal(0), "b": Decimal(0)})),
        ("over intervals", lambda: parse("a / (a - a)").over({"a": Interval(*[Fraction(1)] * 2)})),
        ("in a literal", lambda: parse("1 / 0").at({})),
    ],
)
def test_a_divisor_of_zero_is_an_arithmetic_error(name: str, divide: Callable[[], object]) -> None:
    with pytest.raises(ArithmeticError):
        divide()
    assert name


NOT_ARITHMETIC = "is not arithmetic; use + - * / ( ) min max"
NOT_READ = "not an arithmetic expression; between two names stands one of + - * /"
ONLY_MIN_AND_MAX = "only min and max of numbers may be called"
NO_PLACE = "has no place in a formula"

REFUSED = [
    ("a program", "__import__('os').system('true')",
     f'"__import__(\'os\').system(\'true\')" {NOT_ARITHMETIC}'),
    ("a tower of powers", "9**9**9**9", f"'9**9**9**9' {NOT_ARITHMETIC}"),
    ("a power", "a**2", f"'a**2' {NOT_ARITHMETIC}"),
    ("whole division", "a // b", f"'a // b' {NOT_ARITHMETIC}"),
    ("a remainder", "a % b", f"'a % b' {NOT_ARITHMETIC}"),
    ("a matrix product", "a @ b", f"'a @ b' {NOT_ARITHMETIC}"),
    ("bits", "a << 999999999", f"'a << 999999999' {NOT_ARITHMETIC}"),
    ("unary plus", "+a", f"'+a' {NOT_ARITHMETIC}"),
    ("inversion", "~a", f"'~a' {NOT_ARITHMETIC}"),
    ("negation", "not a", f"'not a' {NOT_ARITHMETIC}"),
    ("a comparison", "a < b", f"'a < b' {NOT_ARITHMETIC}"),
    ("a choice", "a if b else c", f"'a if b else c' {NOT_ARITHMETIC}"),
    ("a list", "[1]", f"'[1]' {NOT_ARITHMETIC}"),
    ("a list within", "min([a, b])", f"'[a, b]' {NOT_ARITHMETIC}"),
    ("a tuple", "a, b", f"'a, b' {NOT_ARITHMETIC}"),
    ("an item", "a[0]", f"'a[0]' {NOT_ARITHMETIC}"),
    ("an attribute", "a.b", f"'a.b' {NOT_ARITHMETIC}"),
    ("an attribute of a number", "1 .real", f"'1 .real' {NOT_ARITHMETIC}"),
    ("a method", "a.b(c)", f"'a.b(c)' {NOT_ARITHMETIC}"),
    ("a function", "lambda: 1", f"'lambda: 1' {NOT_ARITHMETIC}"),
    ("a walrus", "(a := 1)", f"'a := 1' {NOT_ARITHMETIC}"),
    ("a generator", "min(a for a in b)", f"'(a for a in b)' {NOT_ARITHMETIC}"),
    ("a formatted text", "f'{a}'", f'"f\'{{a}}\'" {NOT_ARITHMETIC}'),
    ("unpacking", "min(*a)", f"'*a' {NOT_ARITHMETIC}"),
    ("unpacking after a number", "min(a, *b)", f"'*b' {NOT_ARITHMETIC}"),
    ("a call", "f(x)", f"a call of 'f'; {ONLY_MIN_AND_MAX}"),
    ("min of nothing", "min()", f"a call of 'min'; {ONLY_MIN_AND_MAX}"),
    ("a keyword argument", "min(a, default=1)", f"a call of 'min'; {ONLY_MIN_AND_MAX}"),
    ("keywords unpacked", "max(a, **b)", f"a call of 'max'; {ONLY_MIN_AND_MAX}"),
    ("text", '"a"', "'\"a\"' is not a number"),
    ("bytes", "b'a'", '"b\'a\'" is not a number'),
    ("an imaginary number", "1j", "'1j' is not a number"),
    ("a truth", "True", "'True' is not a number"),
    ("nothing at all", "None", "'None' is not a number"),
    ("an ellipsis", "...", "'...' is not a number"),
    ("a hexadecimal number", "0x10", "'0x10' is not a decimal number"),
    ("an octal number", "0o17", "'0o17' is not a decimal number"),
    ("a binary number", "0b1", "'0b1' is not a decimal number"),
    ("a number with underscores", "1_000", "'1_000' is not a decimal number"),
    ("a huge number", "1e999999999 * completed_rate",
     "'1e999999999' is beyond what a number may be"),
    ("a tiny number", "1e-999999999", "'1e-999999999' is beyond what a number may be"),
    ("a zero with a huge exponent", "0e999999999", "'0e999999999' is beyond what a number may be"),
    ("just too huge", "1e301", "'1e301' is beyond what a number may be"),
    ("an exponent beyond bounds", "1e" + "9" * 50,
     f"'1e{'9' * 38}' is beyond what a number may be"),
    ("too long", "a" * 201, "longer than 200 characters"),
    ("too deep", "-" * 20 + "a", "nested deeper than 20 levels"),
    ("much too deep", "-" * 199 + "a", "nested deeper than 20 levels"),
    ("deep in calls", "min(" * 20 + "a" + ")" * 20, "nested deeper than 20 levels"),
    ("parentheses without end", "(" * 200, NOT_READ),
    ("nothing", "", NOT_READ),
    ("a blank", " ", NOT_READ),
    ("a blank before it", " a", NOT_READ),
    ("two expressions", "a; b", NOT_READ),
    ("an assignment", "a = 1", NOT_READ),
    ("a statement", "import os", "'import' cannot be a name; give the input another one"),
    ("a number with a leading zero", "01", NOT_READ),
    ("an operator alone", "*", NOT_READ),
    ("a comment", "a # / 64", f"the character '#' {NO_PLACE}"),
    ("NUL", "a\0", f"the character '\\x00' {NO_PLACE}"),
    ("a newline", "a\n", f"the character '\\n' {NO_PLACE}"),
    ("a newline within parentheses", "(a +\nb)", f"the character '\\n' {NO_PLACE}"),
    ("a form feed", "a\f", f"the character '\\x0c' {NO_PLACE}"),
    ("a tab", "a\t+ b", f"the character '\\t' {NO_PLACE}"),
    ("a direction override", "a\u202e", f"the character '\\u202e' {NO_PLACE}"),
    ("half a character", "\ud800", f"the character '\\ud800' {NO_PLACE}"),
    ("a letter beyond ASCII", "é", f"the character '\\xe9' {NO_PLACE}"),
    ("a digit of another script", "\u0663", f"the character '\\u0663' {NO_PLACE}"),
    ("another sign of multiplication", "a × b", f"the character '\\xd7' {NO_PLACE}"),  # noqa: RUF001
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_what_is_not_arithmetic_is_refused_and_told(text: str, message: str) -> None:
    with pytest.raises(FormulaError) as refusal:
        parse(text)
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("name", "text", "python_reads"),
    [
        ("a ligature", "\ufb01rst", "first"),
        ("a full-width letter", "\uff41", "a"),
        ("a mathematical letter", "\U0001d44e", "a"),
        ("a long s", "\u017fum", "sum"),
        ("a raised letter", "r\u1d43te", "rate"),
        ("a full-width low line", "out\uff3frate", "out_rate"),
    ],
)
def test_a_name_never_becomes_another_name(name: str, text: str, python_reads: str) -> None:
    assert python_reads.isascii(), name
    assert compile(text, "", "eval").co_names == (python_reads,)
    with pytest.raises(FormulaError, match=NO_PLACE):
        parse(text)


def test_a_formula_may_have_20_levels_and_200_characters() -> None:
    assert parse("-" * 19 + "a").at({"a": Fraction(1)}) == -1
    assert parse("a" * 200).names == {"a" * 200}


@pytest.mark.parametrize(
    "text",
    [
        "open('trace', 'w')",
        "__import__('pathlib').Path('trace').touch()",
        "[open('trace', 'w') for _ in (1,)]",
        "min(open('trace', 'w'), 1)",
        "(lambda: open('trace', 'w'))()",
        'f\'{open("trace", "w")}\'',
        "1 if open('trace', 'w') else 2",
    ],
)
def test_nothing_is_ever_run(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FormulaError):
        parse(text)
    assert list(tmp_path.iterdir()) == []


WORDS = (
    "a min max( ( ) , + - * ** / // % 1 0 . e9 1e300 0x j _ [ ] { } ' : := = ; lambda if else not "
    "await yield *a @ \\ # \ufb01"
)
PIECES = st.sampled_from([*WORDS.split(), " ", '"', "9" * 60, "\n", "\t", "\0"])


@settings(max_examples=400, deadline=None)
@given(text=st.text(max_size=250) | st.lists(PIECES, max_size=60).map("".join))
def test_any_text_is_a_formula_or_refused(text: str) -> None:
    start = time.process_time()
    assert isinstance(parse_or_refusal(text), Expression | FormulaError)
    assert time.process_time() - start < 0.2


def parse_or_refusal(text: str) -> Expression | FormulaError:
    try:
        return parse(text)
    except FormulaError as refusal:
        return refusal


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("as many huge numbers as fit", "*".join(["1e300"] * 19)),
        ("a balanced product", "*".join(["(a*a*a*a*a*a*a*a)"] * 11)),
        ("tiny and huge", "/".join(["1e-300"] * 19)),
        ("sums of unlike parts", "+".join(["1/a", "7/3e99"] * 9)),
    ],
)
def test_the_costliest_formulas_are_quick(name: str, text: str) -> None:
    values = {"a": Decimal("123456789012345.123456789012345678901234567890")}
    start = time.process_time()
    expression = parse(text)
    expression.at({"a": Fraction(values["a"])})
    expression.over({"a": exact(values["a"])}).outward()
    expression.near(values)
    assert time.process_time() - start < 0.5, name
