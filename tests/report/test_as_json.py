"""The audit as a document: the roofline's verdicts stand beside the findings."""

import json
from dataclasses import replace

from benchreg.audit.catalogue import all_rules
from benchreg.audit.engine import Report
from benchreg.audit.finding import Severity
from benchreg.report.as_json import as_json, rule_set


def test_the_verdicts_of_the_roofline_are_counted_by_kind_and_reason() -> None:
    verdicts, unchecked = {"impossible": 0, "plausible": 7, "unchecked": 1}, {"no linked model": 1}
    found = json.loads(as_json(Report((), (), (), {}, 2, 8, 3, 0, verdicts, unchecked), []))
    assert found["roofline"] == {"verdicts": verdicts, "unchecked": unchecked}


def test_where_no_rule_asked_the_roofline_there_is_no_verdict() -> None:
    found = json.loads(as_json(Report((), (), (), {}, 2, 8, 3, 0), []))
    assert found["roofline"] == {"verdicts": {}, "unchecked": {}}


def test_what_is_known_and_what_is_found_no_more_is_counted() -> None:
    report = Report((), (), (), {}, 2, 8, 3, 0, known=12, stale=3)
    found = json.loads(as_json(report, []))["summary"]
    assert (found["known"], found["stale"]) == (12, 3)


def test_the_set_of_rules_has_a_hash_that_changes_with_any_of_them() -> None:
    rules = all_rules()
    whole = rule_set(rules)
    assert rule_set(reversed(rules)) == whole
    assert rule_set(rules[1:]) != whole
    lowered = replace(rules[0], severity=Severity.NOTE)
    assert rule_set((lowered, *rules[1:])) != whole
