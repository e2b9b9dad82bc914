"""The audit as one JSON document, in a versioned envelope."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from benchreg import __version__
from benchreg.audit.engine import Report
from benchreg.audit.finding import Finding, Severity
from benchreg.audit.rule import Rule
from benchreg.audit.waivers import Waived
from benchreg.report.inert import inert_json

ENVELOPE = 1


def as_json(report: Report, rules: Iterable[Rule]) -> str:
    """Return all findings, what was not evaluated, and how often each rule was."""
    rules = tuple(rules)
    by_severity = Counter(finding.severity for finding in report.findings)
    document = {
        "format": "benchreg-audit",
        "version": ENVELOPE,
        "benchreg": __version__,
        "summary": {
            "records": report.records,
            "figures": report.figures,
            "catalogue_entries": report.entities,
            "files_refused": report.refused,
            "complete": not report.crashes,
            "findings": {severity.word: by_severity[severity] for severity in reversed(Severity)},
            "waived": len(report.waived),
            "known": report.known,
            "stale": report.stale,
        },
        "remarks": list(report.remarks),
        "roofline": {"verdicts": report.verdicts, "unchecked": report.unchecked},
        "rule_set": rule_set(rules),
        "rules": _rules(report, rules),
        "findings": [_finding(finding) for finding in report.findings],
        "waived": [_waived(one) for one in report.waived],
        "not_evaluated": [
            {"code": one.code, "path": one.path, "pointer": one.pointer, "reason": one.reason}
            for one in report.unevaluated
        ],
        "crashes": [
            {"code": one.code, "path": one.path, "error": one.error} for one in report.crashes
        ],
    }
    return inert_json(document)


def rule_set(rules: Iterable[Rule]) -> str:
    """Return a hash of the rules that ran: two audits with the same one asked for the same."""
    told = [(one.code, one.name, one.severity.word, one.waivable, one.page) for one in rules]
    return hashlib.sha256(json.dumps([__version__, sorted(told)]).encode()).hexdigest()


def _rules(report: Report, rules: Iterable[Rule]) -> dict[str, dict[str, Any]]:
    found = Counter(finding.code for finding in report.findings)
    not_judged = Counter(note.code for note in report.unevaluated)
    return {
        rule.code: {
            "name": rule.name,
            "severity": rule.severity.word,
            "evaluated": report.evaluated.get(rule.code, 0),
            "not_evaluated": not_judged[rule.code],
            "findings": found[rule.code],
        }
        for rule in rules
    }


def _waived(one: Waived) -> dict[str, Any]:
    waiver = one.waiver.model_dump(exclude_unset=True)
    return {**_finding(one.finding), "waiver": {name: str(value) for name, value in waiver.items()}}


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.word,
        "path": finding.path,
        "line": finding.line,
        "column": finding.column,
        "pointer": finding.pointer,
        "message": finding.message,
        "hint": finding.hint,
        "fingerprint": finding.fingerprint,
    }
