"""SARIF: what is written fits the published schema, and holds what receiving sides need."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from benchreg.audit.catalogue import all_rules
from benchreg.audit.engine import Report, audit
from benchreg.audit.finding import Crash, Finding, Severity, Unevaluated
from benchreg.audit.waivers import Waived
from benchreg.entities.record import Waiver
from benchreg.registry.registry import Registry
from benchreg.report import sarif as module
from benchreg.report.sarif import sarif

Make = Callable[..., Finding]
MakeReport = Callable[..., Report]
SCHEMA = json.loads(
    (Path(__file__).parents[1] / "data/sarif/sarif-schema-2.1.0.json").read_text(encoding="utf-8")
)
RULES = all_rules()
CRASH = Crash("MET005", "records/b.yaml", "KeyError: 'a'", "trace")
WAIVER = Waiver.model_validate(
    {"rule": "MET004", "reason": "it was\nso", "by": "a maintainer", "since": "2026-11-01"}
)


def run(report: Report, *, waived: bool = False) -> Any:
    """Return the one run of what is written, once it fits the schema."""
    document = json.loads(sarif(report, RULES, waived=waived))
    checker = jsonschema.Draft7Validator(SCHEMA, format_checker=jsonschema.FormatChecker())
    assert [error.message for error in checker.iter_errors(document)] == []
    [one] = document["runs"]
    return one


def test_the_schema_refuses_what_is_no_sarif() -> None:
    assert not jsonschema.Draft7Validator(SCHEMA).is_valid({"version": "2.1.0", "runs": [{}]})


def test_the_audit_of_the_shipped_records_fits_the_schema(shipped: Registry) -> None:
    found = audit(shipped, RULES, lambda path: "mlperf" not in path and "llm-inf" not in path)
    one = run(found)
    assert len(one["results"]) == min(len(found.findings), module.MOST_RESULTS) > 0
    marks = {str(result["partialFingerprints"]) for result in one["results"]}
    assert len(marks) == len(one["results"])


def test_a_finding_is_a_result_at_its_place(finding: Make, report: MakeReport) -> None:
    one = finding()
    [result] = run(report(one))["results"]
    number = [rule.code for rule in RULES].index("MET004")
    assert result == {
        "ruleId": "MET004",
        "ruleIndex": number,
        "level": "error",
        "message": {"text": "no scope; say whose"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "records/a.yaml", "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": 3, "startColumn": 5},
                }
            }
        ],
        "partialFingerprints": {"benchreg/v1": one.fingerprint},
    }


def test_a_rule_comes_with_its_page(report: MakeReport) -> None:
    rules = {rule["id"]: rule for rule in run(report())["tool"]["driver"]["rules"]}
    [rule] = [rule for rule in RULES if rule.code == "SCH001"]
    assert rules.keys() == {rule.code for rule in RULES}
    assert rules["SCH001"] == {
        "id": "SCH001",
        "name": "schema-violation",
        "shortDescription": {"text": "A file is not what the schema allows."},
        "fullDescription": {
            "text": "A key that nobody knows is a fact that nobody reads: a typo in `engine` would "
            "leave a record without an engine, and nobody would notice. So every key, type and "
            "word is checked."
        },
        "help": {"text": rule.page, "markdown": rule.page},
        "defaultConfiguration": {"level": "error"},
    }


def test_the_worst_come_first_and_else_the_order_stays(finding: Make, report: MakeReport) -> None:
    given = [
        finding(Severity.NOTE, line=1),
        finding(Severity.ERROR, line=2),
        finding(Severity.WARNING, line=3),
        finding(Severity.ERROR, line=4),
    ]
    results = run(report(*given))["results"]
    lines = [one["locations"][0]["physicalLocation"]["region"]["startLine"] for one in results]
    assert lines == [2, 4, 3, 1]


def test_what_is_cut_is_said(
    finding: Make, report: MakeReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_RESULTS", 2)
    one = run(report(*[finding(Severity.NOTE)] * 4, finding()))
    assert [result["level"] for result in one["results"]] == ["error", "note"]
    [told] = one["invocations"][0]["toolExecutionNotifications"]
    assert told["level"] == "warning"
    assert told["message"]["text"] == "3 results left out: a run may have 2; the worst come first"


def test_what_records_accept_is_left_out_unless_asked_for(
    finding: Make, report: MakeReport
) -> None:
    given = report(finding(Severity.NOTE), waived=(Waived(finding(), WAIVER),))
    assert len(run(given)["results"]) == 1
    stands, waived = run(given, waived=True)["results"]
    assert "suppressions" not in stands
    assert waived["suppressions"] == [
        {
            "kind": "inSource",
            "status": "accepted",
            "justification": "it was\\nso (by a maintainer, since 2026-11-01)",
        }
    ]


def test_a_crash_makes_the_run_unsuccessful(report: MakeReport) -> None:
    [invocation] = run(report(crashes=(CRASH,)))["invocations"]
    [told] = invocation["toolExecutionNotifications"]
    assert not invocation["executionSuccessful"]
    assert told["level"] == "error"
    assert told["message"]["text"] == "MET005 crashed, the run is incomplete: KeyError: 'a'"
    assert told["associatedRule"]["id"] == "MET005"


def test_what_was_not_evaluated_is_told_by_rule(report: MakeReport) -> None:
    notes = [Unevaluated("CON014", f"records/{name}.yaml", "/", "no length") for name in "ab"]
    notes += [Unevaluated("CON014", f"records/{name}.yaml", "/", f"no {name}") for name in "cdef"]
    [invocation] = run(report(unevaluated=tuple(notes)))["invocations"]
    assert invocation["executionSuccessful"]
    [told] = invocation["toolExecutionNotifications"]
    assert told["level"] == "note"
    assert told["message"]["text"] == (
        "not evaluated 6 times: no length (2); no c (1); no d (1); 2 other reasons"
    )


def test_what_a_configuration_changes_is_told_in_its_place(report: MakeReport) -> None:
    remarks = ("configuration benchreg.toml: ignores {A} <b>", "configuration: \x1b")
    [invocation] = run(report(remarks=remarks))["invocations"]
    assert invocation["toolConfigurationNotifications"] == [
        {
            "level": "note",
            "message": {"text": "configuration benchreg.toml: ignores {{A}} < b>"},
        },
        {"level": "note", "message": {"text": "configuration: \\x1b"}},
    ]


def test_where_nothing_is_changed_there_is_no_such_place(report: MakeReport) -> None:
    [invocation] = run(report())["invocations"]
    assert "toolConfigurationNotifications" not in invocation


@pytest.mark.parametrize(
    ("name", "message", "text"),
    [
        ("a placeholder", "say {0}", "say {{0}}"),
        ("a link", "[here](https://example.org)", "[here] (https://example.org)"),
        ("a tag", "a <b>word</b> < c", "a < b>word< /b> < c"),
    ],
)
def test_a_message_holds_nothing_but_text(
    name: str, message: str, text: str, finding: Make, report: MakeReport
) -> None:
    [result] = run(report(finding(message=message, hint="")))["results"]
    assert result["message"]["text"] == text, name


def test_an_address_leads_below_the_root(finding: Make, report: MakeReport) -> None:
    [result] = run(report(finding(path="//records/a b:%2e.yaml")))["results"]
    where = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert where == "records/a%20b%3A%252e.yaml"
