"""DER: every number that follows from others is recomputed."""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from pydantic import MISSING

from benchreg.analysis.derivation import (
    Checked,
    InputError,
    Settling,
    UnsettledError,
    at_inputs,
    check,
    cycles,
    plainly_holds,
    settled,
)
from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import of_records_with, rule
from benchreg.entities.figure import Claim, Derivation, Figure
from benchreg.entities.record import Record
from benchreg.registry.document import Pointer
from benchreg.registry.registry import Registry
from benchreg.values.expression import FormulaError
from benchreg.values.interval import Interval, ends, half_unit, rounded_from, short


@of_records_with("derivation", "printed")
@rule("DER001", Severity.ERROR, over=Record, needs=("records",), waivable=False)
def value_not_reproduced(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """A derived value is not what its formula gives.

    A value that follows from others is recomputed from them: it must be the formula's result to
    half a unit of its own last digit. A value with printed digits must be what those digits
    stand for, and its interval must meet the recomputed one.

    Bad:

    ```yaml
    results:
      completed_rate: {metric: request_throughput, scope: system, value: 12.5, unit: req/s}
      user_rate:
        metric: output_rate_per_request
        scope: per_request
        value: 12.6
        unit: tok/s
        derivation: {formula: completed_rate * 64 / 64}
    ```

    Good:

    ```yaml
    results:
      completed_rate: {metric: request_throughput, scope: system, value: 12.5, unit: req/s}
      user_rate:
        metric: output_rate_per_request
        scope: per_request
        value: 12.5
        unit: tok/s
        derivation: {formula: completed_rate * 64 / 64}
    ```
    """
    settling = settled(registry)
    for name, figure in record.results.items():
        at = ("results", name, "value")
        if figure.printed is not MISSING:
            yield from _outside_its_digits(at, figure.value, figure.printed)
        if figure.derivation is MISSING:
            continue
        try:
            formula = check(registry, record, figure.derivation)
        except (FormulaError, UnsettledError) as error:
            yield NotEvaluated(at, str(error))
            continue
        if figure.printed is not MISSING or not plainly_holds(figure.value, *formula):
            yield from _not_reproduced(at, figure, settling, formula)


def _outside_its_digits(at: Pointer, value: Decimal, printed: str) -> Iterator[Problem]:
    if value == Decimal(printed):
        return
    span = rounded_from(Decimal(printed))
    if Fraction(value) not in span:
        yield Problem(
            at,
            f"{value} is not what the digits {printed!r} stand for ({ends(span, 6)})",
            f"write `value: {printed}`, or the digits that are printed",
            on_value=True,
        )


def _not_reproduced(
    at: Pointer, figure: Figure, settling: Settling, formula: Checked
) -> Iterator[Problem]:
    """Yield a problem where a value is not its formula's result, at the inputs as written.

    Only a value with printed digits is judged over what its inputs stand for as well.
    """
    written = figure.derivation.formula if figure.derivation is not MISSING else ""
    try:
        nominal = at_inputs(*formula)
    except ArithmeticError:
        hint = "mend the formula or its inputs"
        yield Problem(at, f"{written} divides by 0, so {figure.value} is not its value", hint)
        return
    if figure.printed is MISSING:
        holds = abs(Fraction(figure.value) - nominal) <= half_unit(figure.value)
    else:
        digits = rounded_from(Decimal(figure.printed))
        holds = nominal in digits or _meets(digits, settling, formula)
    if not holds:
        yield Problem(
            at,
            f"{figure.value} is not {written}, which gives {short(nominal, 6)}",
            f"write {short(nominal, 6)}, or mend the formula or its inputs",
            on_value=True,
        )


def _meets(digits: Interval, settling: Settling, formula: Checked) -> bool:
    """Tell whether printed digits meet what a formula gives over what its inputs stand for."""
    try:
        spans = settling.spans(formula[1])
        return formula[0].at_corners(spans).meets(digits)
    except (UnsettledError, ArithmeticError):
        return False


def _formulas(record: Record) -> Iterator[tuple[Pointer, Derivation | Claim]]:
    for name, figure in record.results.items():
        if figure.derivation is not MISSING:
            yield ("results", name, "derivation"), figure.derivation
    for index, claim in enumerate(record.claims):
        yield ("claims", index), claim


@of_records_with("derivation", "claims")
@rule("DER002", Severity.ERROR, over=Record)
def formula_refused(record: Record, registry: Registry) -> Iterator[Problem]:
    """A formula is outside what formulas may be.

    A formula is arithmetic over names: numbers, `+ - * /`, parentheses, `min` and `max`. It is
    never run as a program, it may not grow without bounds, and every name in it must be a result
    or a named input.

    Bad:

    ```yaml
    results:
      completed_rate: {metric: request_throughput, scope: system, value: 12.5, unit: req/s}
      user_rate:
        metric: output_rate_per_request
        scope: per_request
        value: 12.5
        unit: tok/s
        derivation: {formula: completed_rate ** 1}
    ```

    Good:

    ```yaml
    results:
      completed_rate: {metric: request_throughput, scope: system, value: 12.5, unit: req/s}
      user_rate:
        metric: output_rate_per_request
        scope: per_request
        value: 12.5
        unit: tok/s
        derivation: {formula: completed_rate * 1}
    ```
    """
    for at, derivation in _formulas(record):
        try:
            formula, _ = check(registry, record, derivation)
        except InputError as error:
            here = (*at, "inputs", error.name)
            yield Problem(here, str(error), error.hint, on_value=True)
        except FormulaError as error:
            yield Problem(
                (*at, "formula"),
                f"the formula {derivation.formula!r} is refused: {error}",
                "write arithmetic over results and inputs",
                on_value=True,
            )
        except UnsettledError:
            continue
        else:
            if not formula.names:
                message = f"the formula {derivation.formula!r} names no input"
                hint = "derive the value from results or fields, or state it without a derivation"
                yield Problem((*at, "formula"), message, hint, on_value=True)


@of_records_with("derivation")
@rule("DER003", Severity.ERROR, over=Record, needs=("records",))
def derivation_cycle(record: Record, registry: Registry) -> Iterator[Problem]:
    """Values derive from each other.

    Two values that each follow from the other agree with anything: neither was measured.

    Bad:

    ```yaml
    results:
      one:
        metric: request_throughput
        scope: system
        value: 12.5
        unit: req/s
        derivation: {formula: other}
      other:
        metric: request_throughput
        scope: system
        value: 12.5
        unit: req/s
        derivation: {formula: one}
    ```

    Good:

    ```yaml
    results:
      one: {metric: request_throughput, scope: system, value: 12.5, unit: req/s}
      other:
        metric: request_throughput
        scope: system
        value: 12.5
        unit: req/s
        derivation: {formula: one}
    ```
    """
    for way in cycles(registry, record):
        name = way[0].partition("#")[2]
        yield Problem(
            ("results", name, "derivation"),
            f"the value rests on itself: {' -> '.join(way)}",
            "one of them must be measured; take its derivation out",
            also=tuple(sorted(way)),
        )


FINER = 100


def _is_rounded(record: Record) -> bool:
    """Tell whether anything in a record can stand for an interval."""
    return any(
        figure.printed is not MISSING
        or (
            figure.derivation is not MISSING
            and any("#" in reference for reference in figure.derivation.inputs.values())
        )
        for figure in record.results.values()
    )


@of_records_with("derivation")
@rule("DER004", Severity.NOTE, over=Record, needs=("records",))
def false_precision(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """A derived value has digits that its inputs cannot give.

    12.5 stands for 12.45 to 12.55. A value that is computed from it to six digits looks like a
    measurement of six digits. Over a hundred times finer than the interval is worth a note.

    Bad:

    ```yaml
    results:
      completed_rate:
        metric: request_throughput
        scope: system
        value: 12.5
        printed: "12.5"
        unit: req/s
      input_rate:
        metric: input_throughput
        scope: system
        value: 6400.00
        unit: tok/s
        derivation: {formula: completed_rate * 512}
    ```

    Good:

    ```yaml
    results:
      completed_rate:
        metric: request_throughput
        scope: system
        value: 12.5
        printed: "12.5"
        unit: req/s
      input_rate:
        metric: input_throughput
        scope: system
        value: 6400
        unit: tok/s
        derivation: {formula: completed_rate * 512}
    ```
    """
    if not _is_rounded(record):
        return
    settling = settled(registry)
    for name, figure in record.results.items():
        if figure.derivation is MISSING or figure.printed is not MISSING:
            continue
        try:
            interval = settling.interval(record, name)
        except (FormulaError, UnsettledError) as error:
            yield NotEvaluated(("results", name), str(error))
            continue
        if interval.width > FINER * 2 * half_unit(figure.value):
            yield Problem(
                ("results", name, "value"),
                f"{figure.value} is written finer than its inputs allow ({ends(interval)})",
                f"write {short(Fraction(figure.value), 3)}, or keep the inputs' digits apart",
                on_value=True,
            )
