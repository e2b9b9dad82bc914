"""Findings as GitLab's Code Quality report, which the page of a merge request shows."""

import hashlib
import json
from collections.abc import Iterable, Iterator

from benchreg.audit.engine import Report
from benchreg.audit.finding import Crash, Finding, Severity
from benchreg.report.inert import inert_json
from benchreg.report.marks import marks, unlike
from benchreg.report.summary import safe_path, sentence
from benchreg.values.text import shown

SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}

Object = dict[str, object]


def gitlab(report: Report) -> str:
    """Return every finding with a fingerprint that no other has; a crash is a blocker.

    The format has a place for issues of a file and for nothing else: not for what was not
    evaluated, nor for remarks on a configuration. Every other format has both.
    """
    crashes = [_of_crash(*one) for one in zip(report.crashes, _marks(report.crashes), strict=True)]
    pairs = zip(report.findings, marks(report.findings), strict=True)
    return inert_json([*crashes, *(_of_finding(*pair) for pair in pairs)])


def _marks(crashes: Iterable[Crash]) -> Iterator[str]:
    said = (json.dumps(["crash", crash.code, crash.path]) for crash in crashes)
    return unlike(hashlib.sha256(text.encode()).hexdigest()[:32] for text in said)


def _of_finding(finding: Finding, mark: str) -> Object:
    told = f"{finding.code} {sentence(finding)}"
    where = _location(finding.path, finding.line)
    return _issue(finding.code, told, mark, SEVERITIES[finding.severity], where)


def _of_crash(crash: Crash, mark: str) -> Object:
    told = f"{crash.code} crashed, the run is incomplete: {shown(crash.error)}"
    return _issue(crash.code, told, mark, "blocker", _location(crash.path, 1))


def _location(path: str, line: int) -> Object:
    return {"path": safe_path(path), "lines": {"begin": line}}


def _issue(code: str, told: str, mark: str, severity: str, where: Object) -> Object:
    return {
        "description": told,
        "check_name": code,
        "fingerprint": mark,
        "severity": severity,
        "location": where,
    }
