"""DER001 to DER004: no formula excuses a value."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report

Change = Callable[..., Path]
Judge = Callable[..., Report]
RATE = "{{metric: offered_rate, scope: system, unit: req/s, {}}}"


def results(**figures: str) -> str:
    lines = [f"  {name}: {RATE.format(more)}\n" for name, more in figures.items()]
    return f"results:\n{''.join(lines)}"


def der(report: Report) -> list[str]:
    return [one.code for one in report.findings if one.code.startswith("DER")]


@pytest.mark.parametrize(
    ("value", "formula", "expected"),
    [
        pytest.param("12.5", "one * 1", [], id="equal"),
        pytest.param("12.54", "one + 0.04", [], id="to its digits"),
        pytest.param("12.6", "one * 1", ["DER001"], id="off by its last digit"),
        pytest.param("900", "one / (one - one)", ["DER001"], id="a division by 0"),
        pytest.param("900", "one * 1e300 * 1e300", ["DER001"], id="beyond all bounds"),
        pytest.param("8e1", "one * 6", ["DER001"], id="an exponent makes no digit coarse"),
        pytest.param("0e300", "one", ["DER001"], id="nor does a nought"),
        pytest.param("800", '"800"', ["DER002"], id="a formula without a name"),
        pytest.param("12.5", "one * load.concurrency", ["DER002"], id="a field that is not named"),
        pytest.param("12.5", "other", ["DER002"], id="a name that is nothing"),
    ],
)
def test_a_value_is_its_formulas(
    value: str, formula: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    derived = f"value: {value}, derivation: {{formula: {formula}}}"
    assert der(judged(changed(results(one="value: 12.5", two=derived)))) == expected


def test_an_input_that_is_no_field_is_told_at_the_input(changed: Change, judged: Judge) -> None:
    derivation = "derivation: {formula: a, inputs: {a: load.batchsize}}"
    report = judged(changed(results(two=f"value: 1, {derivation}")))
    [finding] = report.findings
    assert (finding.code, finding.pointer) == ("DER002", "/results/two/derivation/inputs/a")
    assert finding.message == "the input 'load.batchsize' is no field of a record"


def test_rounding_of_a_name_that_stands_twice_excuses_nothing(
    changed: Change, judged: Judge
) -> None:
    text = results(
        one='value: 1, printed: "1"',
        rate="value: 12.5",
        two='value: 30, printed: "30", derivation: {formula: rate * one / one}',
    )
    assert der(judged(changed(text))) == ["DER001"]


def test_printed_digits_hold_over_the_rounding_of_an_input(changed: Change, judged: Judge) -> None:
    text = results(
        one='value: 0.9, printed: "0.9"',
        two='value: 60, printed: "60", derivation: {formula: one * 64}',
    )
    assert der(judged(changed(text))) == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [("0.9", []), ("0.85", []), ("0.95", []), ("0.84", ["DER001"]), ("9", ["DER001"])],
)
def test_a_value_is_what_its_printed_digits_stand_for(
    value: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    assert der(judged(changed(results(one=f'value: {value}, printed: "0.9"')))) == expected


@pytest.mark.parametrize(
    ("formula", "reason"),
    [
        pytest.param("one ** 2", "is not arithmetic", id="no arithmetic"),
        pytest.param("one * load.requests", "is not arithmetic", id="a field that is not named"),
        pytest.param("one * other", "other", id="a name that is nothing"),
    ],
)
def test_a_value_whose_formula_is_refused_is_not_judged(
    formula: str, reason: str, changed: Change, judged: Judge
) -> None:
    derived = f"value: 1, derivation: {{formula: {formula}}}"
    report = judged(changed(results(one='value: 1, printed: "1"', two=derived)))
    told = {note.code: note.reason for note in report.unevaluated if note.code.startswith("DER")}
    assert der(report) == ["DER002"]
    assert reason in told["DER001"]
    assert told["DER004"] == "the formula of base-record#two is refused"


def test_a_ring_is_one_finding(changed: Change, judged: Judge) -> None:
    names = ["a", "b", "c"]
    rings = {name: f"value: 1, derivation: {{formula: {names[n - 1]}}}" for n, name in
             enumerate(names)}  # fmt: skip
    report = judged(changed(results(**rings)))
    [finding] = [one for one in report.findings if one.code == "DER003"]
    assert finding.message.count("->") == 3


def test_a_long_ring_is_found_as_well(changed: Change, judged: Judge) -> None:
    figures = {f"f{n}": f"value: 1, derivation: {{formula: f{(n + 1) % 100}}}" for n in range(100)}
    assert der(judged(changed(results(**figures)))) == ["DER003"]
