"""A registry as rows: no aggregate without its counterpart, no hole without a word."""

from collections.abc import Callable
from decimal import Decimal

import pytest

from benchreg.analysis.aggregates import may_be_aggregate
from benchreg.analysis.crosscheck import verdicts
from benchreg.analysis.row import Row
from benchreg.analysis.table import in_unit, rows
from benchreg.entities.figure import Figure
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry

Draw = Callable[..., tuple[Registry, Record]]


def every_row(registry: Registry) -> list[Row]:
    return list(rows(registry, list(registry.records.values()), verdicts(registry)))


def test_every_figure_and_every_record_without_one_has_a_row(shipped: Registry) -> None:
    found = every_row(shipped)
    figures = sum(len(record.results) for record in shipped.records.values())
    bare = sum(not record.results for record in shipped.records.values())
    assert len(found) == figures + bare
    assert len({row.key for row in found}) == len(found)


def test_every_aggregate_carries_what_one_request_sees_or_why_not(shipped: Registry) -> None:
    aggregates = [
        row
        for row in every_row(shipped)
        if row.metric and row.scope != "per request"
        and shipped.metrics[row.metric].quantity == "rate"
        and shipped.metrics[row.metric].counts in ("output_token", "any_token")
    ]  # fmt: skip
    assert len(aggregates) > 30
    assert all(row.seen_by_request for row in aggregates)


def test_no_condition_is_blank(shipped: Registry) -> None:
    names = list(Row._fields)
    conditions = ["verdict", *names[names.index("window") :]]
    for row in every_row(shipped):
        assert all(getattr(row, name) for name in conditions), row.key


def test_the_batch_total_stands_beside_what_one_request_sees(shipped: Registry) -> None:
    [row] = [one for one in every_row(shipped) if one.key == "mpt-7b-a100-static-b64#output_rate"]
    assert (str(row.value), row.seen_by_request) == ("800", "12.5 tok/s peak")
    assert (row.scenario, row.engine_version, row.load) == (
        "not stated",
        "unrecoverable",
        "batch 64",
    )


def test_an_out_of_memory_cell_is_a_row_of_its_own(shipped: Registry) -> None:
    [row] = [one for one in every_row(shipped) if one.key == "mpt-7b-a10-static-b32"]
    assert (row.value, row.status) == (None, "out of memory")


def test_an_inferred_value_is_marked(shipped: Registry) -> None:
    row = next(one for one in every_row(shipped) if one.model.startswith("llama-2-70b-chat"))
    assert row.model == "llama-2-70b-chat (inferred)"


@pytest.mark.parametrize(
    ("absent", "expected"),
    [("", "not declared"), (", absent: {seen_by_request: withheld}", "withheld")],
)
def test_an_aggregate_alone_is_told(absent: str, expected: str, drawn: Draw) -> None:
    registry, record = drawn(
        "results:\n  rate: {metric: output_throughput, scope: system, value: 800, unit: tok/s"
        f"{absent}}}\n"
    )
    [row] = rows(registry, [record], verdicts(registry))
    assert may_be_aggregate(record.results["rate"], registry.metrics["output_throughput"])
    assert row.seen_by_request == expected


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        ("21.112430727", "s", "21112.430727"),
        ("1.50", "s", "1500"),
        ("350", "us", "0.350"),
        ("12.5", "ms", "12.5"),
    ],
)
def test_a_figure_keeps_its_digits_in_the_unit_of_its_metric(
    value: str, unit: str, shown: str, shipped: Registry
) -> None:
    figure = Figure(metric="ttft", value=Decimal(value), unit=unit)
    found, of = in_unit(shipped, figure)
    assert (f"{found:f}", of) == (shown, "ms")


def test_a_rate_a_minute_is_one_a_second(shipped: Registry) -> None:
    found, unit = in_unit(
        shipped, Figure(metric="request_throughput", value=Decimal(100), unit="req/min")
    )
    assert (f"{found:f}", unit) == ("1.66667", "req/s")
