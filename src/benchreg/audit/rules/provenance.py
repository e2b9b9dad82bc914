"""PRO: where a figure stands, when it was read, and how often it was measured."""

from collections.abc import Iterator
from datetime import date

from pydantic import MISSING

from benchreg.analysis.stated import Stated
from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.completeness import nothing_completed
from benchreg.entities.figure import Variation
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.values.quantities import quantities


@rule("PRO001", Severity.ERROR, over=Record)
def locator_missing(record: Record, registry: Registry) -> Iterator[Problem]:
    """Nothing says where in the source the figures stand.

    A link to a long page is no provenance: a reviewer must find the cell. The locator names the
    table with row and column, the figure, or the path of the log.

    Bad:

    ```yaml
    source:
      id: example-source
      retrieved: "2026-11-01"
    ```

    Good:

    ```yaml
    source:
      id: example-source
      locator: Table 2, row "1 x GPU", column 64
      retrieved: "2026-11-01"
    ```
    """
    del registry
    if record.source.locator is not MISSING:
        return
    if not record.results or any(one.locator is MISSING for one in record.results.values()):
        yield Problem(
            ("source",),
            "no locator says where in the source this stands",
            "write the table, row and column, the figure, or the path of the log",
        )


@rule("PRO002", Severity.ERROR, over=Record, needs=("sources",))
def dates_out_of_order(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """Dates are in an impossible order.

    What is read was published and measured before, and nothing was read in the future. A date
    that breaks this, or that no calendar has, was mistyped, and says of the wrong version of a
    page that it was read. Dates are compared as far as both are precise: a source of 2026 was
    read at any time of 2026.

    Bad:

    ```yaml
    measurement:
      harness: example bench
      measured: "2026-11-02"
      runs: 3
      point: server
    ```

    Good:

    ```yaml
    measurement:
      harness: example bench
      measured: "2026-10-31/2026-11-01"
      runs: 3
      point: server
    ```
    """
    retrieved, measured = record.source.retrieved, record.measurement.measured
    yield from _no_days(record)
    published = registry.sources[record.source.id].published
    if published is not MISSING and retrieved < published:
        yield _too_early(record, f"was published on {published}", published)
    if measured is not MISSING:
        first, _, last = measured.partition("/")
        at = ("measurement", "measured")
        if last and last < first:
            hint = "write the earlier date first"
            yield Problem(at, f"{measured} ends before it begins", hint, on_value=True)
        if retrieved < (last or first):
            yield _too_early(record, f"was measured on {last or first}", measured)
    if not registry.today:
        yield NotEvaluated(("source", "retrieved"), "nobody said which day it is today")
    elif registry.today < retrieved:
        yield _too_early(record, "is read in the future")


def _no_days(record: Record) -> Iterator[Problem]:
    """Yield the dates that have the form of one, and that no calendar has."""
    measured = record.measurement.measured
    dates = {("source", "retrieved"): record.source.retrieved}
    if measured is not MISSING:
        dates[("measurement", "measured")] = measured
    for at, said in dates.items():
        for day in said.split("/"):
            if not _is_day(day):
                hint = "correct the date that was mistyped"
                yield Problem(at, f"there is no {day} in the calendar", hint, on_value=True)


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _too_early(record: Record, message: str, *also: str) -> Problem:
    return Problem(
        ("source", "retrieved"),
        f"read on {record.source.retrieved}, and {message}",
        "correct the date that was mistyped",
        on_value=True,
        also=also,
    )


@rule("PRO003", Severity.WARNING, over=Record)
def figure_in_notes(record: Record, registry: Registry) -> Iterator[Problem]:
    """The notes hold a figure that no field has.

    A number in prose has no unit that is checked, no scope and no locator, and no query finds it.
    What was measured is a result; what follows from results is a derivation; what the source
    says of them is a claim. The notes may repeat such a number, the ends of what it stands for,
    or a condition.

    Bad:

    ```yaml
    notes: A batch total, 13.9 times that of batch 1. No request receives 800 tok/s.
    ```

    Good:

    ```yaml
    notes: A total of 64 requests. No request receives 12.5 req/s.
    ```
    """
    found = quantities(record.notes) if record.notes is not MISSING else ()
    stated = Stated(registry, record) if found else None
    for quantity in found:
        if stated and not stated.holds(quantity):
            yield Problem(
                ("notes",),
                f"{quantity.text!r} is no figure, condition or claim of the record",
                "make it a result, a claim or a condition; the notes are for what has no field",
                on_value=True,
                also=(quantity.text,),
            )


@rule("PRO006", Severity.NOTE, over=Record)
def single_run(record: Record, registry: Registry) -> Iterator[Problem]:
    """The figures are of one run, or nobody says of how many.

    Two runs of one command differ by some percent, and a difference of two records may be no
    more than that. Three runs with their deviation say how much.

    Bad:

    ```yaml
    measurement:
      harness: example bench
      point: server
      runs: 1
    results:
      completed_rate: {metric: request_throughput, scope: system, value: 12.5, unit: req/s}
    ```

    Good:

    ```yaml
    measurement:
      harness: example bench
      point: server
      runs: 3
    results:
      completed_rate:
        metric: request_throughput
        scope: system
        value: 12.5
        unit: req/s
        variation: {runs: 3, stdev: 0.1}
    ```
    """
    del registry
    runs = record.measurement.runs
    if runs not in (MISSING, 1) or nothing_completed(record) or record.kind == "estimate":
        return
    if not any(_varies(figure.variation) for figure in record.results.values()):
        said = "one run" if runs == 1 else "an unknown number of runs"
        yield Problem(
            ("measurement", "runs"),
            f"the figures are of {said}, and how they vary is not known",
            "repeat the run, and state `runs` and each figure's `variation`",
        )


def _varies(variation: Variation) -> bool:
    """Tell whether a difference between several runs is stated."""
    several = variation.runs is not MISSING and variation.runs > 1
    return several or variation.stdev is not MISSING or variation.ci95 is not MISSING
