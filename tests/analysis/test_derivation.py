"""Derived values are recomputed with the interval of their inputs, or the reason is told."""

import time
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import pytest

from benchreg.analysis.derivation import (
    CycleError,
    Input,
    Settling,
    UnsettledError,
    cycles,
    find_input,
    plainly_holds,
)
from benchreg.entities.figure import Claim, Derivation
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.values.expression import FormulaError, parse
from benchreg.values.interval import Interval, exact, rounded_from

Draw = Callable[..., tuple[Registry, Record]]

B1, B64 = "mpt-7b-a100-static-b1", "mpt-7b-a100-static-b64"


def interval(low: str, high: str) -> Interval:
    return Interval(Fraction(low), Fraction(high))


def figure(name: str, value: object, more: str = "") -> str:
    """Write a result of the base record."""
    plain = f"metric: request_throughput, scope: system, value: {value}, unit: req/s"
    return f"  {name}: {{{plain}{more}}}\n"


def derived(name: str, formula: str, value: object = 1) -> str:
    return figure(name, value, f', derivation: {{formula: "{formula}"}}')


def results(*figures: str) -> str:
    return f"results:\n{''.join(figures)}"


def derivation_of(record: Record, name: str) -> Derivation:
    found = record.results[name].derivation
    assert isinstance(found, Derivation)
    return found


def claim(formula: str, **inputs: str) -> Claim:
    return Claim(says="a ratio", locator="text", stated="1", formula=formula, inputs=inputs)


def reason(registry: Registry, record: Record, asked: Derivation | Claim) -> str:
    """Return why a formula is not recomputed."""
    with pytest.raises((FormulaError, UnsettledError)) as refusal:
        Settling(registry).recompute(record, asked)
    return str(refusal.value)


# The figures of MPT-7B on one A100, as printed and as derived from what is printed.


@pytest.mark.parametrize(
    ("name", "record", "result", "expected"),
    [
        ("printed with one decimal", B64, "completed_rate", interval("12.45", "12.55")),
        ("printed with one digit", B1, "completed_rate", interval("0.85", "0.95")),
        ("derived from printed", B64, "output_rate", interval("796.8", "803.2")),
        ("derived from derived", B64, "user_rate", interval("12.45", "12.55")),
        ("derived from one digit", B1, "user_rate", interval("54.4", "60.8")),
    ],
)
def test_a_figure_stands_for_what_its_digits_leave_open(
    name: str, record: str, result: str, expected: Interval, shipped: Registry
) -> None:
    assert Settling(shipped).interval(shipped.records[record], result) == expected, name


@pytest.mark.parametrize(
    ("result", "nominal", "spread"),
    [
        ("output_rate", 800, interval("796.8", "803.2")),
        ("user_rate", Fraction(25, 2), interval("12.45", "12.55")),
    ],
)
def test_a_derivation_is_recomputed_nominally_and_over_its_inputs(
    result: str, nominal: Fraction | int, spread: Interval, shipped: Registry
) -> None:
    record = shipped.records[B64]
    found = Settling(shipped).recompute(record, derivation_of(record, result))
    assert (found.nominal, found.interval) == (nominal, spread)


def test_fourteen_times_is_reproduced(shipped: Registry) -> None:
    record = shipped.records[B64]
    found = Settling(shipped).recompute(record, record.claims[0])
    assert found.nominal == Fraction("12.5") / Fraction("0.9")
    assert found.interval == interval("12.45", "12.55") / interval("0.85", "0.95")
    assert interval("13.1", "14.8").meets(found.interval)
    assert found.nominal in rounded_from(Decimal(record.claims[0].stated))


def test_four_times_holds_only_by_rounding(shipped: Registry) -> None:
    record = shipped.records[B64]
    found = Settling(shipped).recompute(record, record.claims[1])
    stated = rounded_from(Decimal(record.claims[1].stated))
    assert found.nominal == Fraction("4.608")
    assert (round(found.interval.low, 2), round(found.interval.high, 2)) == (
        Fraction("4.33"),
        Fraction("4.88"),
    )
    assert found.nominal not in stated
    assert found.interval.meets(stated)


@pytest.mark.parametrize(
    ("name", "value", "holds"),
    [
        ("the product", "800", True),
        ("the product, to a digit more", "800.0", True),
        ("one more", "801", False),
        ("one less", "799", False),
        ("just more than half a unit away", "800.6", False),
        ("within the spread of the inputs", "802", False),
        ("rounded to hundreds", "8e2", True),
    ],
)
def test_a_value_holds_plainly_to_half_a_unit_of_its_last_digit(
    name: str, value: str, *, holds: bool
) -> None:
    inputs = {"completed_rate": Input(Decimal("12.5")), "output_tokens": Input(Decimal(64))}
    formula = parse("completed_rate * output_tokens")
    assert plainly_holds(Decimal(value), formula, inputs) is holds, name


@pytest.mark.parametrize(
    ("name", "value", "formula"),
    [
        ("a difference of huge numbers", "0", "rate + 1e300 - 1e300"),
        ("a difference of squares", "0", "rate + big * big - big * big"),
        ("more digits than were calculated", "12.5000000000000000000000000001", "rate * big / big"),
        ("a divisor of zero", "12.5", "rate / (big * 0)"),
    ],
)
def test_what_may_be_lost_in_calculating_fast_does_not_hold_plainly(
    name: str, value: str, formula: str
) -> None:
    inputs = {"rate": Input(Decimal("12.5")), "big": Input(Decimal("1e15"))}
    assert plainly_holds(Decimal(value), parse(formula), inputs) is False, name


def test_a_difference_is_recomputed_exactly(drawn: Draw) -> None:
    registry, record = drawn(
        results(figure("rate", 12.5), derived("lost", "rate + 1e300 - 1e300", value=0))
    )
    found = Settling(registry).recompute(record, derivation_of(record, "lost"))
    assert found.nominal == Fraction("12.5")


# What the names of a formula mean.


@pytest.mark.parametrize(
    ("path", "number"),
    [
        ("load.concurrency", "64"),
        ("load.duration_s", "512"),
        ("load.warmup.requests", "64"),
        ("workload.input_tokens", "512"),
        ("workload.output_tokens", "64"),
        ("hardware.pools.0.count", "1"),
        ("hardware.pools.0.parallelism.tensor", "1"),
        ("measurement.runs", "3"),
    ],
)
def test_an_input_may_be_a_field_of_the_record(path: str, number: str, drawn: Draw) -> None:
    registry, record = drawn()
    asked = claim("field", field=path)
    assert find_input(registry, record, asked, "field") == Input(Decimal(number))
    assert Settling(registry).recompute(record, asked).interval == exact(Decimal(number))


def test_the_batch_size_is_a_field(shipped: Registry) -> None:
    found = find_input(shipped, shipped.records[B64], claim("b", b="load.batch_size"), "b")
    assert found == Input(Decimal(64))


NOT_STATED = "the field {!r} is not stated here"
NO_NUMBER = "the field {!r} is not a number here"
NO_FIELD = "the input {!r} is no field of a record"


@pytest.mark.parametrize(
    ("name", "path", "message"),
    [
        ("not stated", "load.batch_size", NOT_STATED),
        ("in a block that is not stated", "slo.ttft_ms", NOT_STATED),
        ("text", "engine.version", NO_NUMBER),
        ("a word", "load.pattern", NO_NUMBER),
        ("a truth", "load.warmup.excluded", NO_NUMBER),
        ("a block", "load.warmup", NO_NUMBER),
        ("a list", "hardware.pools", NO_NUMBER),
        ("not there", "load.batches", NO_FIELD),
        ("below a number", "load.requests.all", NO_FIELD),
        ("a pool too many", "hardware.pools.1.count", NO_FIELD),
        ("a pool by a word", "hardware.pools.first.count", NO_FIELD),
        ("a result by its path", "results.completed_rate.value", NO_FIELD),
        ("an attribute of Python", "load.model_fields_set", NO_FIELD),
        ("a method of Python", "load.copy", NO_FIELD),
    ],
)
def test_a_field_that_gives_no_number_is_refused(
    name: str, path: str, message: str, drawn: Draw
) -> None:
    registry, record = drawn()
    told = reason(registry, record, claim("field", field=path))
    assert told == message.format(path), name


def test_a_name_may_be_a_sibling_result(drawn: Draw) -> None:
    registry, record = drawn()
    found = find_input(registry, record, claim("completed_rate"), "completed_rate")
    assert found == Input(Decimal("12.5"), (record, "completed_rate"))


def test_an_input_wins_over_a_sibling_of_its_name(drawn: Draw) -> None:
    registry, record = drawn()
    asked = claim("completed_rate", completed_rate="load.concurrency")
    assert Settling(registry).recompute(record, asked).nominal == 64


def test_an_input_may_be_a_figure_of_another_record(drawn: Draw) -> None:
    registry, record = drawn(
        results(figure("rate", 12.5, ', printed: "12.5"')),
        example_partner="id: example-partner\n" + results(figure("rate", 0.9, ', printed: "0.9"')),
    )
    found = Settling(registry).recompute(
        record, claim("rate / there", there="example-partner#rate")
    )
    assert found.nominal == Fraction("12.5") / Fraction("0.9")
    assert found.interval == interval("12.45", "12.55") / interval("0.85", "0.95")


def test_a_field_named_in_another_record_is_read_there(drawn: Draw) -> None:
    registry, record = drawn(
        "load: {pattern: closed_loop, concurrency: 8}\n",
        example_partner="id: example-partner\nload: {pattern: closed_loop, concurrency: 4}\n"
        + results(
            figure("rate", 4, ", derivation: {formula: count, inputs: {count: load.concurrency}}")
        ),
    )
    found = Settling(registry).recompute(record, claim("there", there="example-partner#rate"))
    assert found.interval == exact(4)


NOT_THERE = "is not there or was refused"


@pytest.mark.parametrize(
    ("name", "asked", "message"),
    [
        ("no such record", claim("a", a="nowhere#rate"), f"nowhere#rate {NOT_THERE}"),
        ("no such figure there", claim("a", a="example-partner#rate"),
         f"example-partner#rate {NOT_THERE}"),
        ("no such sibling", claim("a", a="rate"), f"rate {NOT_THERE}"),
        ("a name that means nothing", claim("rate"), "the name 'rate' is no result and no input"),
        ("a formula that is refused", claim("completed_rate ** 2"),
         "'completed_rate ** 2' is not arithmetic; use + - * / ( ) min max"),
        ("a divisor of zero", claim("1 / (completed_rate - 12.5)"),
         "'1 / (completed_rate - 12.5)' divides by what may be 0"),
    ],
)  # fmt: skip
def test_why_a_value_is_not_recomputed_is_told(
    name: str, asked: Claim, message: str, drawn: Draw
) -> None:
    registry, record = drawn()
    assert reason(registry, record, asked) == message, name


def test_a_divisor_that_may_be_zero_is_told(drawn: Draw) -> None:
    registry, record = drawn(results(figure("rate", "0.4", ', printed: "0"')))
    assert reason(registry, record, claim("1 / rate")) == "'1 / rate' divides by what may be 0"


def test_a_refused_formula_further_down_is_told_with_its_figure(drawn: Draw) -> None:
    registry, record = drawn(results(derived("low", "2 ** 3"), derived("high", "low * 2")))
    told = reason(registry, record, derivation_of(record, "high"))
    assert told == "the formula of base-record#low is refused"


def test_printed_digits_stand_for_a_figure_and_its_derivation_does_not(drawn: Draw) -> None:
    more = ', printed: "12.5", derivation: {formula: 100 / 8}'
    registry, record = drawn(results(figure("rate", 12.5, more)))
    assert Settling(registry).interval(record, "rate") == interval("12.45", "12.55")


def test_a_value_that_is_stated_without_digits_is_exact(drawn: Draw) -> None:
    registry, record = drawn()
    assert Settling(registry).interval(record, "completed_rate") == exact(Decimal("12.5"))


# Values that rest on themselves, and values that never end.

LOOPS = [
    ("a figure on itself", results(derived("one", "one")),
     ("base-record#one", "base-record#one")),
    ("two on each other", results(derived("one", "two"), derived("two", "one * 1")),
     ("base-record#one", "base-record#two", "base-record#one")),
    ("three in a ring",
     results(derived("one", "two + 0"), derived("two", "three"), derived("three", "one")),
     ("base-record#one", "base-record#two", "base-record#three", "base-record#one")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("fragment", "way"), [case[1:] for case in LOOPS], ids=[case[0] for case in LOOPS]
)
def test_a_value_that_rests_on_itself_is_found_with_the_way_round(
    fragment: str, way: tuple[str, ...], drawn: Draw
) -> None:
    registry, record = drawn(fragment)
    assert cycles(registry, record) == [way]
    with pytest.raises(CycleError) as refusal:
        Settling(registry).interval(record, "one")
    assert str(refusal.value) == " -> ".join(way)


def test_a_ring_across_two_records_is_found_from_either(drawn: Draw) -> None:
    there = ", derivation: {formula: a, inputs: {a: example-partner#two}}"
    back = ", derivation: {formula: a, inputs: {a: base-record#one}}"
    registry, record = drawn(
        results(figure("one", 1, there)),
        example_partner="id: example-partner\n" + results(figure("two", 1, back)),
    )
    partner = registry.records["example-partner"]
    one, two = "base-record#one", "example-partner#two"
    assert cycles(registry, record) == [(one, two, one)]
    assert cycles(registry, partner) == [(two, one, two)]
    with pytest.raises(CycleError, match=f"{one} -> {two} -> {one}"):
        Settling(registry).interval(record, "one")


@pytest.mark.parametrize(
    ("name", "fragment"),
    [
        ("measured", results(figure("one", 1))),
        ("on what is measured", results(figure("two", 1), derived("one", "two * 2"))),
        ("on a ring that it is no part of",
         results(derived("one", "two"), derived("two", "three"), derived("three", "two"))),
        ("on one figure by two ways",
         results(derived("one", "two + three"), derived("two", "four"), derived("three", "four"),
                 figure("four", 1))),
        ("on a formula that is refused", results(derived("one", "one ** 2"))),
        ("on what is not there", results(derived("one", "nothing"))),
    ],
)  # fmt: skip
def test_a_value_that_does_not_rest_on_itself_has_no_way_round(
    name: str, fragment: str, drawn: Draw
) -> None:
    registry, record = drawn(fragment)
    assert not any("base-record#one" in way for way in cycles(registry, record)), name


def chain(length: int, last: str) -> list[str]:
    """Write figures that each derive from the next: step_0 from step_1, and so on."""
    steps = [derived(f"step_{n}", f"step_{n + 1}") for n in range(length)]
    return [*steps, last]


def test_a_short_way_round_is_found_beside_a_long_one(drawn: Draw) -> None:
    registry, record = drawn(
        results(
            derived("one", "short + step_0"),
            derived("short", "low"),
            *chain(61, derived("step_61", "low")),
            derived("low", "lower"),
            derived("lower", "one"),
        )
    )
    way = ("one", "short", "low", "lower", "one")
    assert cycles(registry, record) == [tuple(f"base-record#{name}" for name in way)]


def test_as_many_derivations_as_may_stand_in_a_row_are_followed(drawn: Draw) -> None:
    registry, record = drawn(results(*chain(63, figure("step_63", 7))))
    assert Settling(registry).interval(record, "step_0") == exact(7)


def test_a_chain_of_200_derivations_ends_with_a_reason(drawn: Draw) -> None:
    registry, record = drawn(results(*chain(200, figure("step_200", 7))))
    with pytest.raises(UnsettledError, match=r"^more than 64 derivations in a row$"):
        Settling(registry).interval(record, "step_0")
    assert cycles(registry, record) == []


def test_a_ring_of_200_derivations_ends_with_a_reason(drawn: Draw) -> None:
    registry, record = drawn(results(*chain(200, derived("step_200", "step_0"))))
    with pytest.raises(UnsettledError, match=r"^more than 64 derivations in a row$"):
        Settling(registry).interval(record, "step_0")
    assert [len(way) for way in cycles(registry, record)] == [202]


@pytest.mark.parametrize(
    ("name", "printed", "formula"),
    [
        ("growing", "12.5", "step_{0} * step_{0}"),
        ("shrinking", "0.1", "step_{0} * step_{0}"),
        ("by division", "0.1", "step_{0} / (1 / step_{0})"),
        ("growing fast", "12.5", "step_{0} * step_{0} * step_{0} * step_{0} * step_{0}"),
    ],
)
def test_values_that_grow_without_bounds_end_soon_with_a_reason(
    name: str, printed: str, formula: str, drawn: Draw
) -> None:
    steps = [derived(f"step_{n}", formula.format(n + 1)) for n in range(60)]
    last = figure("step_60", printed, f', printed: "{printed}"')
    registry, record = drawn(results(*steps, last))
    start = time.process_time()
    told = reason(registry, record, derivation_of(record, "step_0"))
    assert time.process_time() - start < 1, name
    assert told.endswith("grows or shrinks without bounds")


def test_values_that_share_their_inputs_are_worked_out_once(drawn: Draw) -> None:
    steps = [derived(f"step_{n}", f"step_{n + 1} + step_{n + 2}") for n in range(60)]
    registry, record = drawn(results(*steps, figure("step_60", 1), figure("step_61", 1)))
    start = time.process_time()
    found = Settling(registry).interval(record, "step_0")
    assert time.process_time() - start < 1
    assert found == exact(4052739537881)


def test_a_long_chain_of_ratios_keeps_its_interval_short(drawn: Draw) -> None:
    formula = "(step_{0} + 1) / (step_{0} + 3)"
    steps = [derived(f"step_{n}", formula.format(n + 1)) for n in range(60)]
    registry, record = drawn(results(*steps, figure("step_60", 0.1, ', printed: "0.1"')))
    found = Settling(registry).interval(record, "step_0")
    assert found.bits < 200
    assert Fraction(0) < found.width < Fraction(1, 10**6)
