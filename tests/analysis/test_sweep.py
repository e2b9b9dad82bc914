"""The points of a sweep stand in order, and each figure has its ratio to the same one there."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import pytest

from benchreg.analysis.sweep import Level, level, points, ratios
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.values.interval import Interval, exact

Draw = Callable[..., tuple[Registry, Record]]

SWEEP = "sweep: example-sweep\n"
PARTNER = f"id: example-partner\n{SWEEP}"


def interval(low: str, high: str) -> Interval:
    return Interval(Fraction(low), Fraction(high))


def results(*figures: str) -> str:
    return "results:\n" + "".join(f"  {figure}\n" for figure in figures)


@pytest.mark.parametrize(
    ("name", "load", "expected"),
    [
        ("a batch", "{pattern: static_batch, batch_size: 64}", Level("batch", Decimal(64))),
        ("clients", "{pattern: closed_loop, concurrency: 32}", Level("concurrency", Decimal(32))),
        ("a rate", "{pattern: open_loop, request_rate: 12.5}", Level("rate", Decimal("12.5"))),
        ("a level without a pattern", "{concurrency: 8}", Level("concurrency", Decimal(8))),
        ("all at once", "{pattern: all_at_once}", None),
    ],
)
def test_the_level_of_a_load_is_its_own_parameter(
    name: str, load: str, expected: Level | None, drawn: Draw
) -> None:
    _, record = drawn(f"load: {load}\n")
    assert level(record) == expected, name


def test_the_other_points_stand_by_rising_load(shipped: Registry) -> None:
    found = points(shipped, shipped.records["mpt-7b-a100-static-b32"])
    assert [record.id for record in found] == [
        f"mpt-7b-a100-static-b{size}" for size in (1, 4, 8, 16, 64)
    ]


def test_a_record_without_a_sweep_has_no_other_points(drawn: Draw) -> None:
    registry, record = drawn(example_partner="id: example-partner\n")
    assert points(registry, record) == []
    assert list(ratios(registry, record)) == []


def test_a_point_whose_load_is_not_stated_stands_first(drawn: Draw) -> None:
    registry, record = drawn(
        SWEEP,
        example_partner=f"{PARTNER}load: {{pattern: closed_loop, concurrency: 1}}\n",
        example_third=f"id: example-third\n{SWEEP}load: {{pattern: all_at_once}}\n",
    )
    found = [other.id for other in points(registry, record)]
    assert found == ["example-third", "example-partner"]


@pytest.mark.parametrize(
    ("result", "nominal", "low", "high"),
    [
        ("completed_rate", Fraction(125, 9), "13.1", "14.8"),
        ("output_rate", Fraction(125, 9), "13.1", "14.8"),
        ("user_rate", 1 / Fraction("4.608"), "0.2048", "0.2307"),
    ],
)
def test_a_batch_of_64_against_a_batch_of_1(
    result: str, nominal: Fraction, low: str, high: str, shipped: Registry
) -> None:
    record = shipped.records["mpt-7b-a100-static-b64"]
    [found] = [
        ratio
        for ratio in ratios(shipped, record)
        if (ratio.other.id, ratio.here) == ("mpt-7b-a100-static-b1", result)
    ]
    assert found.there == result
    assert found.nominal == exact(nominal)
    assert found.interval is not None
    places = len(low.partition(".")[2])
    assert round(found.interval.low, places) == Fraction(low)
    assert round(found.interval.high, places) == Fraction(high)


def test_a_figure_is_matched_by_what_it_measures_and_not_by_its_name(drawn: Draw) -> None:
    registry, record = drawn(
        SWEEP
        + results("mine: {metric: ttft, scope: per_request, statistic: p99, value: 30, unit: ms}"),
        example_partner=PARTNER
        + results(
            "mine: {metric: ttft, scope: per_request, statistic: p50, value: 5, unit: ms}",
            "theirs: {metric: ttft, scope: per_request, statistic: p99, value: 20, unit: ms}",
        ),
    )
    found = [(one.here, one.there, one.nominal.low) for one in ratios(registry, record)]
    assert found == [("mine", "theirs", Fraction(3, 2))]


@pytest.mark.parametrize(
    ("name", "figure"),
    [
        ("another metric", "metric: output_throughput, scope: system, value: 1, unit: tok/s"),
        ("another scope", "metric: mean_power, scope: per_accelerator, value: 1, unit: W"),
        ("another unit", "metric: mean_power, scope: system, value: 1, unit: kW"),
        ("another statistic",
         "metric: mean_power, scope: system, statistic: max, value: 1, unit: W"),
        ("another meter", "metric: mean_power, scope: system, metered: wall, value: 1, unit: W"),
        ("another pool", "metric: mean_power, scope: system, over: decode, value: 1, unit: W"),
        ("another window",
         "metric: mean_power, scope: system, window: steady_state, value: 1, unit: W"),
        ("nothing to divide by", "metric: mean_power, scope: system, value: 0, unit: W"),
    ],
)  # fmt: skip
def test_figures_that_measure_different_things_have_no_ratio(
    name: str, figure: str, drawn: Draw
) -> None:
    registry, record = drawn(
        SWEEP + results("power: {metric: mean_power, scope: system, value: 700, unit: W}"),
        example_partner=PARTNER + results(f"power: {{{figure}}}"),
    )
    assert list(ratios(registry, record)) == [], name


def rates(drawn: Draw, there: str) -> tuple[Registry, Record]:
    """Draw a rate of 12.5 here, and one that is written so at the other point."""
    plain = "metric: request_throughput, scope: system, unit: req/s"
    return drawn(
        SWEEP + results(f"rate: {{{plain}, value: 12.5}}"),
        example_partner=PARTNER + results(f"rate: {{{plain}, {there}}}"),
    )


def test_a_ratio_carries_the_rounding_of_both_figures(drawn: Draw) -> None:
    [found] = ratios(*rates(drawn, 'value: 2, printed: "2"'))
    assert found.nominal == exact(Fraction("6.25"))
    assert found.interval == interval("5", "25/3")


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("digits that may be 0", 'value: 2, printed: "0"'),
        ("a derivation on itself", "value: 2, derivation: {formula: rate}"),
        ("a formula that is refused", "value: 2, derivation: {formula: 1 ** 2}"),
        ("a field that is not there", "value: 2, derivation: {formula: a, inputs: {a: load.b}}"),
    ],
)
def test_a_ratio_whose_rounding_is_not_known_keeps_its_nominal_value(
    name: str, there: str, drawn: Draw
) -> None:
    [found] = ratios(*rates(drawn, there))
    assert (found.nominal, found.interval) == (exact(Fraction("6.25")), None), name
