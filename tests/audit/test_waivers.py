"""Waivers: what a record accepts is counted, and accepted by somebody for a reason."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from benchreg.audit.catalogue import all_rules, chosen
from benchreg.audit.engine import Report, audit
from benchreg.registry.load import load

Change = Callable[..., Path]
Judge = Callable[..., Report]

SHORT = """\
load:
  pattern: closed_loop
  concurrency: 64
  requests: 320
  failed: 0
  duration_s: 25.6
  window: full_drain
  warmup: {requests: 0}
"""
WHOLE = 'reason: it ran no longer, by: a maintainer, since: "2026-11-01"'


def waiving(*waivers: str) -> str:
    return SHORT + "waivers:\n" + "".join(f"  - {{{one}}}\n" for one in waivers)


def codes(report: Report) -> list[str]:
    return [finding.code for finding in report.findings]


def test_what_is_waived_is_no_finding_and_is_counted(changed: Change, judged: Judge) -> None:
    report = judged(changed(waiving(f"rule: CON014, {WHOLE}")))
    assert codes(report) == []
    [waived] = report.waived
    assert (waived.finding.code, waived.waiver.by) == ("CON014", "a maintainer")


def test_a_finding_of_another_record_stands(changed: Change, judged: Judge) -> None:
    other = "id: example-partner\n" + SHORT
    report = judged(changed(waiving(f"rule: CON014, {WHOLE}"), example_partner=other))
    assert [one.path.rpartition("/")[2] for one in report.findings if one.code == "CON014"] == [
        "example-partner.yaml"
    ]


@pytest.mark.parametrize(
    ("name", "waiver", "found"),
    [
        ("no reason", 'rule: CON014, by: a maintainer, since: "2026-11-01"', "WAV001"),
        ("nobody", 'rule: CON014, reason: so it is, since: "2026-11-01"', "WAV001"),
        ("no date", "rule: CON014, reason: so it is, by: a maintainer", "WAV001"),
        ("nothing but the rule", "rule: CON014", "WAV001"),
        ("over", f'rule: CON014, {WHOLE}, expires: "2026-12-01"', "WAV003"),
        ("another place", f"rule: CON014, at: /results, {WHOLE}", "WAV002"),
        ("a place that only begins so", f"rule: CON014, at: /loa, {WHOLE}", "WAV002"),
        ("another rule", f"rule: CON013, {WHOLE}", "WAV002"),
        ("no rule", f"rule: CON999, {WHOLE}", "WAV004"),
        ("a name", f"rule: short-run, {WHOLE}", "WAV004"),
    ],
)
def test_a_waiver_that_does_not_hold_accepts_nothing(
    name: str, waiver: str, found: str, changed: Change, judged: Judge
) -> None:
    report = judged(changed(waiving(waiver)))
    assert not report.waived, name
    assert {"CON014", found} <= set(codes(report)), name


@pytest.mark.parametrize("at", ["at: /load, ", "at: /load/, ", "at: /, ", ""])
def test_a_place_takes_in_what_is_within_it(at: str, changed: Change, judged: Judge) -> None:
    assert len(judged(changed(waiving(f"rule: CON014, {at}{WHOLE}"))).waived) == 1


def test_a_rule_that_cannot_be_waived_is_told_with_the_fault(
    changed: Change, judged: Judge
) -> None:
    fragment = "absent: {}\nwaivers:\n  - {rule: CON001, " + WHOLE + "}\n"
    report = judged(changed(fragment.replace("absent: {}\n", "absent: {accuracy: not_stated}\n")))
    assert not report.waived
    assert {"CON001", "WAV004"} <= set(codes(report))


def test_a_waiver_holds_on_its_last_day_and_not_on_the_next(changed: Change, judged: Judge) -> None:
    root = changed(waiving(f'rule: CON014, {WHOLE}, expires: "2099-06-30"'))
    assert codes(judged(root, today=date(2099, 6, 30))) == []
    assert set(codes(judged(root, today=date(2099, 7, 1)))) == {"CON014", "WAV003"}


def test_without_a_day_a_date_is_not_judged(changed: Change, judged: Judge) -> None:
    root = changed(waiving(f'rule: CON014, {WHOLE}, expires: "2026-12-01"'))
    report = judged(root, today=None)
    assert ("WAV003", "nobody said which day it is today") in {
        (note.code, note.reason) for note in report.unevaluated
    }


def test_two_waivers_of_one_finding_leave_the_second_unused(changed: Change, judged: Judge) -> None:
    waiver = f"rule: CON014, {WHOLE}"
    report = judged(changed(waiving(waiver, f"rule: CON014, at: /load, {WHOLE}")))
    assert codes(report) == ["WAV002"]
    assert report.findings[0].pointer == "/waivers/1"


def test_a_waiver_of_a_rule_that_did_not_run_is_not_called_unused(changed: Change) -> None:
    root = changed(waiving(f"rule: CON014, {WHOLE}"))
    report = audit(load(root), chosen(["WAV"], []))
    assert "WAV002" not in codes(report)
    assert "CON014 did not run" in {note.reason for note in report.unevaluated}


def test_a_waiver_of_a_rule_that_could_not_judge_is_not_called_unused(changed: Change) -> None:
    unknown = SHORT.replace("  requests: 320\n", "").replace("  duration_s: 25.6\n", "")
    fragment = f"{unknown}absent: {{load.scenario: not_applicable, load.requests: not_stated}}\n"
    root = changed(f"{fragment}waivers:\n  - {{rule: CON014, {WHOLE}}}\n")
    report = audit(load(root), all_rules())
    assert "WAV002" not in codes(report)
    assert "CON014 could not judge the record" in {note.reason for note in report.unevaluated}


def test_no_waiver_accepts_what_a_rule_of_waivers_finds(changed: Change, judged: Judge) -> None:
    report = judged(changed(waiving(f"rule: CON013, {WHOLE}", f"rule: WAV002, {WHOLE}")))
    assert {"WAV002", "WAV004"} <= set(codes(report))
    assert not report.waived
