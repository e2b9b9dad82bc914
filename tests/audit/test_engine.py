"""The engine keeps three outcomes apart, and survives its rules."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchreg.audit.catalogue import all_rules, chosen
from benchreg.audit.engine import Report, audit
from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.record import Record
from benchreg.registry.load import load
from benchreg.registry.refusal import Refusal
from benchreg.registry.registry import Registry, build

Change = Callable[..., Path]
Judge = Callable[..., Report]
RECORD = "records/benchmarks/example-source/base-record.yaml"


@rule("TST001", Severity.ERROR, over=Record)
def it_crashes(record: Record, registry: Registry) -> Iterator[Problem]:
    """A rule has a bug."""
    yield Problem((), f"about to look at {record.id}")
    registry.records["nobody"]


@rule("TST002", Severity.ERROR, over=Record)
def it_cannot_say(record: Record, registry: Registry) -> Iterator[NotEvaluated]:
    """A rule cannot judge."""
    yield NotEvaluated(("load",), f"{len(registry.records)} records, and {record.id} is \x1b[1mone")


@rule("TST003", Severity.ERROR, over=Record, needs=("models",))
def it_follows_the_model(record: Record, registry: Registry) -> Iterator[Problem]:
    """A rule follows a link."""
    yield Problem(("model", "id"), registry.models[str(record.model.id)].name, on_value=True)


@rule("TST004", Severity.ERROR, over=Record)
def it_weighs_less(record: Record, registry: Registry) -> Iterator[Problem]:
    """A case weighs less than its rule."""
    del registry
    yield Problem(("load",), record.id, severity=Severity.NOTE)


def test_a_crash_of_a_rule_is_told_and_the_run_goes_on(base: Path) -> None:
    report = audit(load(base), [it_crashes, it_follows_the_model])
    assert [(one.code, one.error) for one in report.crashes] == [
        ("TST001", "KeyError: 'nobody'")
    ] * 2
    assert "registry.records" in report.crashes[0].trace
    assert report.evaluated == {"TST001": 0, "TST003": 2}


def test_what_cannot_be_judged_is_counted_with_its_reason_made_safe(base: Path) -> None:
    report = audit(load(base), [it_cannot_say])
    assert report.evaluated == {"TST002": 0}
    assert report.findings == ()
    assert {note.reason for note in report.unevaluated} >= {
        "2 records, and base-record is \\x1b[1mone"
    }


def test_a_rule_is_not_run_where_a_link_that_it_needs_leads_nowhere(changed: Change) -> None:
    registry = load(changed("model:\n  id: nobodys-model\n"))
    report = audit(registry, [it_follows_the_model])
    assert [note.reason for note in report.unevaluated] == ["nobodys-model is not there"]
    assert report.evaluated == {"TST003": 1}


def test_one_broken_file_yields_no_finding_elsewhere(base: Path, judged: Judge) -> None:
    model = base / "records/models/example-model.yaml"
    model.write_text(model.read_text(encoding="utf-8") + "colour: red\n", encoding="utf-8")
    report = judged(base)
    assert {(one.code, one.path) for one in report.findings} == {
        ("SCH001", "records/models/example-model.yaml")
    }
    assert {note.reason for note in report.unevaluated} == {
        "example-model is there, and was refused",
        "example-model was refused",
    }


def test_a_finding_stands_at_its_place_with_its_severity(base: Path) -> None:
    report = audit(load(base), [it_follows_the_model, it_weighs_less])
    found = [one for one in report.findings if one.path == RECORD]
    assert [(one.code, one.line, one.column, one.severity) for one in found] == [
        ("TST003", 14, 7, Severity.ERROR),
        ("TST004", 40, 1, Severity.NOTE),
    ]


def test_every_rule_over_refusals_counts_every_document(base: Path) -> None:
    report = audit(load(base), chosen(["SCH001"], []))
    assert report.evaluated == {"SCH001": report.records + report.entities}


def test_the_order_of_files_changes_nothing(records: Path) -> None:
    (records / "records/models/mpt-7b.yaml").write_text("id: [", encoding="utf-8")
    (records / "records/models/llama-2-70b.yaml").write_text("id: 3\nx: 1\n", encoding="utf-8")
    registry = load(records)
    entries, refusals = list(registry.entries), list(registry.refusals)
    random.Random(7).shuffle(entries)  # noqa: S311  (an order, not a secret)
    shuffled = build(entries, reversed(refusals), registry.documents)
    assert audit(shuffled, all_rules()) == audit(registry, all_rules())


def test_only_paths_that_are_asked_for_are_reported(base: Path) -> None:
    report = audit(load(base), [it_weighs_less], lambda path: path == RECORD)
    assert [one.path for one in report.findings] == [RECORD]
    assert report.records == 1


@pytest.mark.parametrize(
    "kind", ["schema", "dialect", "unquoted", "placeholder", "unsafe", "judges"]
)
def test_each_kind_of_refusal_has_one_rule(kind: str, base: Path) -> None:
    registry = load(base)
    refusal = Refusal("records/models/x.yaml", kind, "something is wrong")  # type: ignore[arg-type]
    report = audit(build(registry.entries, [refusal], registry.documents), all_rules())
    assert len(report.findings) == 1
    assert report.findings[0].severity is Severity.ERROR


def test_a_clock_tells_what_each_rule_took(base: Path) -> None:
    ticks = iter(range(1000))
    report = audit(load(base), [it_cannot_say, it_follows_the_model], clock=lambda: next(ticks))
    records = report.records
    assert report.seconds == {"TST002": records, "TST003": records}


def test_a_rule_that_crashes_is_timed_all_the_same(base: Path) -> None:
    ticks = iter(range(1000))
    report = audit(load(base), [it_crashes], clock=lambda: next(ticks))
    assert (len(report.crashes), report.seconds) == (2, {"TST001": 2})


def test_without_a_clock_nothing_is_timed(base: Path) -> None:
    assert audit(load(base), [it_cannot_say]).seconds == {}


def test_several_processes_find_what_one_does_in_the_same_order(records: Path) -> None:
    (records / "records/models/mpt-7b.yaml").write_text("id: [", encoding="utf-8")
    registry = load(records)
    alone = audit(registry, [*all_rules(), it_crashes, it_cannot_say])
    together = audit(registry, [*all_rules(), it_crashes, it_cannot_say], jobs=3)
    assert bare(together) == bare(alone)
    identities = [one.identity for one in alone.findings]
    assert [one.identity for one in together.findings] == identities
    assert len(alone.crashes) == alone.records


def bare(report: Report) -> Report:
    """Return a report without what its findings were made of."""
    nothing = (None, Problem((), ""))
    findings = tuple(one._replace(about=nothing) for one in report.findings)
    return replace(report, findings=findings)


def test_each_process_adds_to_what_the_clock_tells(base: Path) -> None:
    ticks = iter(range(1000))
    report = audit(load(base), [it_cannot_say], clock=lambda: next(ticks), jobs=2)
    assert report.seconds == {"TST002": 2}
