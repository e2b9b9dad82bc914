"""The command line comes before the file, and the summary says what the file changed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchreg.audit.catalogue import all_rules, usual_rules
from benchreg.audit.configuration import UNCONFIGURED, Configuration, configuration, why_firm
from benchreg.audit.engine import audit
from benchreg.audit.finding import Severity
from benchreg.audit.policy import Asked, policy
from benchreg.registry.load import load
from benchreg.values.errors import BenchregError

Change = Callable[..., Path]
FIRM = {rule.code for rule in all_rules() if why_firm(rule)}
EVERY = {rule.code for rule in usual_rules()}
WHY = "they do not name builds"


def saying(**table: Any) -> Configuration:
    written = {key.replace("_", "-"): value for key, value in table.items()}
    return configuration("benchreg.toml", written)


def running(configured: Configuration, **asked: Any) -> set[str]:
    return {rule.code for rule in policy(configured, Asked(**asked)).rules}


def test_without_a_file_every_rule_runs_as_it_is() -> None:
    found = policy(UNCONFIGURED, Asked())
    assert found.rules == usual_rules()
    assert (found.fail_on, found.show) == (Severity.ERROR, Severity.ERROR)
    assert found.said([]) == ()


def test_a_file_ignores_and_says_so() -> None:
    found = policy(saying(ignore={"CON004": WHY, "MET": "no metrics"}), Asked())
    assert EVERY - {rule.code for rule in found.rules} == {"CON004"} | {
        code for code in EVERY if code.startswith("MET")
    }
    first, second = found.said([])
    assert first == f"configuration benchreg.toml: ignores CON004 engine-version-absent ({WHY})"
    assert second == (
        "configuration benchreg.toml: ignores 20 rules, MET001, MET002, MET003, MET004, MET005, "
        "... (no metrics)"
    )


def test_a_file_selects_beside_the_rules_that_always_run() -> None:
    configured = saying(select=["PRO006", "MET00"])
    codes = running(configured)
    assert codes == FIRM | {"PRO006"} | {code for code in EVERY if code.startswith("MET00")}
    left_out = f"{len(EVERY - codes)} rules do not run"
    assert policy(configured, Asked()).said([]) == (
        f"configuration benchreg.toml: selects PRO006, MET00: {left_out}",
    )


def test_a_file_may_select_a_rule_that_does_not_run_otherwise() -> None:
    assert "SCH005" in running(saying(select=["not-canonical", "MET"]))
    assert "SCH005" not in running(saying(select=["SCH"]))
    assert "SCH005" not in running(saying(severity={"SCH005": "error"}))
    configured = saying(select=["SCH005", *EVERY])
    assert policy(configured, Asked()).said([]) == ()


def test_the_command_line_selects_whatever_the_file_says() -> None:
    configured = saying(select=["PRO006"], ignore={"CON004": WHY})
    assert running(configured, select=("CON004,MET001",)) == {"CON004", "MET001"}
    assert policy(configured, Asked(select=("MET001",))).said([]) == ()


def test_the_command_line_ignores_beside_the_file_and_may_ignore_every_rule() -> None:
    configured = saying(ignore={"CON004": WHY})
    assert running(configured, ignore=("CON001", "MET001")) == EVERY - {
        "CON001",
        "CON004",
        "MET001",
    }
    assert len(policy(configured, Asked(ignore=("CON001",))).said([])) == 1


def test_a_choice_that_leaves_no_rule_is_bad_use() -> None:
    families = tuple({code[:3] for code in EVERY})
    with pytest.raises(BenchregError, match="nothing would run"):
        policy(saying(select=["MET"]), Asked(ignore=families))
    with pytest.raises(BenchregError, match="no rule is called 'MET444'"):
        policy(UNCONFIGURED, Asked(ignore=("MET444",)))


def test_severities_are_changed_and_counted(changed: Change) -> None:
    configured = saying(severity={"PRO006": "error", "CON014": "note", "CON013": "error"})
    found = policy(configured, Asked())
    fragment = (
        "load: {pattern: closed_loop, concurrency: 64, requests: 320, failed: 0, "
        "window: full_drain, duration_s: 25.6, warmup: {requests: 0}}\n"
        "measurement: {harness: example bench, point: server, runs: 1}\n"
    )
    results = (
        "results:\n  completed_rate: "
        "{metric: request_throughput, scope: system, value: 12.5, unit: req/s}\n"
    )
    report = audit(load(changed(fragment + results)), found.rules)
    severities = {one.code: one.severity for one in report.findings}
    assert severities["PRO006"] is Severity.ERROR
    assert severities["CON014"] is Severity.NOTE
    assert found.said(report.findings) == (
        "configuration benchreg.toml: takes CON014 short-run for a note, not a warning: 1 finding",
        "configuration benchreg.toml: takes PRO006 single-run for an error, not a note: 1 finding",
    )


def test_the_name_that_means_fewer_rules_decides() -> None:
    table = {"rate-without-scope": "note", "MET": "warning", "MET00": "error"}
    rules = policy(saying(severity=table), Asked()).rules
    severities = {rule.code: rule.severity for rule in rules}
    assert severities["MET004"] is Severity.NOTE
    assert severities["MET003"] is Severity.ERROR
    assert severities["MET010"] is Severity.WARNING


def test_a_case_weighs_no_more_than_its_rule_does(changed: Change) -> None:
    text = (
        "results:\n  input_rate: {metric: input_throughput, value: 800, unit: tok/s, "
        "absent: {scope: not_stated}}\n"
    )
    root = changed(text)
    for word, severity in (("note", Severity.NOTE), ("error", Severity.WARNING)):
        rules = policy(saying(severity={"MET004": word}), Asked()).rules
        [finding] = [one for one in audit(load(root), rules).findings if one.code == "MET004"]
        assert finding.severity is severity


@pytest.mark.parametrize("option", ["fail_on", "show"])
def test_the_least_severity_is_the_command_lines_else_the_files(option: str) -> None:
    configured = saying(**{option: "warning"})
    assert getattr(policy(configured, Asked()), option) is Severity.WARNING
    for word, severity in (("note", Severity.NOTE), ("error", Severity.ERROR)):
        asked = Asked(fail_on=word, show=word)
        assert getattr(policy(configured, asked), option) is severity


def test_a_hostile_path_reaches_no_terminal() -> None:
    found = policy(configuration("\x1b[31m.toml", {"ignore": {"CON004": WHY}}), Asked())
    assert "\x1b" not in "".join(found.said([]))
