"""The audit as a test report: a suite for each rule, a case for each file that it finds fault with.

Test pages of CI systems show suites and cases, name the failed ones first, and know passed and
skipped ones. So a rule that found nothing is a passed case, what it could not judge a skipped one
with the reasons, and a crash an error. A finding below what fails the audit is a passed case that
tells of it, so that the report is red exactly where the audit is. What a configuration makes other
than usual is a passed case of its own, before all rules.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby
from xml.etree import ElementTree as ET

from benchreg.audit.engine import Report
from benchreg.audit.finding import Crash, Finding, Severity
from benchreg.audit.rule import Rule
from benchreg.report.inert import inert
from benchreg.report.marks import unlike
from benchreg.report.summary import MOST, place, safe_path, sentence, unjudged
from benchreg.values.text import counted, shown

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
COUNTS = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a suite; `kind` is the element that says how it ended, empty where it passed."""

    name: str
    kind: str = ""
    message: str = ""
    text: str = ""
    path: str = ""
    line: int = 0


@dataclass(slots=True)
class _Ruled:
    """What there is of one rule."""

    findings: list[Finding] = field(default_factory=list)
    crashes: list[Crash] = field(default_factory=list)
    not_judged: str = ""


def junit(report: Report, rules: Iterable[Rule], failing: frozenset[Severity]) -> str:
    """Return the test report as XML 1.0 in ASCII; `failing` severities are failures."""
    of_rules = _by_rule(report)
    top = ET.Element("testsuites", name="benchreg audit")
    if report.remarks:
        _suite(top, "configuration", [_remarks(report)])
    for rule in rules:
        cases = _cases(of_rules[rule.code], report.evaluated.get(rule.code, 0), failing)
        _suite(top, f"{rule.code} {rule.name}", cases)
    _count(top)
    ET.indent(top)
    text = ET.tostring(top, encoding="unicode")
    return HEAD + text.encode("ascii", "xmlcharrefreplace").decode()


def _remarks(report: Report) -> Case:
    text = "\n".join(shown(remark, MOST) for remark in report.remarks)
    return Case("remarks", "system-out", text=text)


def _by_rule(report: Report) -> dict[str, _Ruled]:
    found: dict[str, _Ruled] = defaultdict(_Ruled)
    for finding in report.findings:
        found[finding.code].findings.append(finding)
    for crash in report.crashes:
        found[crash.code].crashes.append(crash)
    for code, number, why in unjudged(report):
        found[code].not_judged = f"not evaluated {counted(number, 'time')}: {why}"
    return found


def _cases(ruled: _Ruled, evaluated: int, failing: frozenset[Severity]) -> Iterable[Case]:
    """Yield the crashes of a rule, its findings by file, and whether it passed or was skipped."""
    names = unlike(f"crash in {safe_path(crash.path)}" for crash in ruled.crashes)
    yield from map(_crashed, names, ruled.crashes)
    for path, group in groupby(ruled.findings, key=lambda finding: finding.path):
        yield _found(path, list(group), failing)
    if evaluated and not ruled.findings and not ruled.crashes:
        yield Case("nothing found", "system-out", text=f"{evaluated:,} judged")
    if ruled.not_judged:
        yield Case("not evaluated", "skipped", ruled.not_judged)
    elif not evaluated and not ruled.findings and not ruled.crashes:
        yield Case("not evaluated", "skipped", "there is nothing that it could judge")


def _found(path: str, findings: list[Finding], failing: frozenset[Severity]) -> Case:
    """Return the case of a file: the worst findings are told first."""
    ordered = sorted(findings, key=lambda finding: -finding.severity)
    first, more = ordered[0], len(ordered) - 1
    message = sentence(first) + (f" (and {more:,} more)" if more else "")
    lines = [f"{place(one)}: {one.severity.word} {one.code} {sentence(one)}" for one in ordered]
    kind = "failure" if first.severity in failing else "system-out"
    return Case(path, kind, message, "\n".join(lines), path, first.line)


def _crashed(name: str, crash: Crash) -> Case:
    trace = "\n".join(shown(line) for line in crash.trace.split("\n"))
    return Case(name, "error", f"crashed: {shown(crash.error)}", trace, crash.path, 1)


def _suite(top: ET.Element, name: str, cases: Iterable[Case]) -> None:
    suite = ET.SubElement(top, "testsuite", name=name)
    for case in cases:
        _write(suite, name, case)
    _count(suite)


def _write(suite: ET.Element, class_name: str, case: Case) -> None:
    about = {"classname": class_name, "name": _safe(case.name), "time": "0"}
    if case.path:
        about |= {"file": _safe(case.path), "line": str(case.line)}
    one = ET.SubElement(suite, "testcase", about)
    if case.kind:
        ended = ET.SubElement(one, case.kind)
        if case.kind != "system-out":
            ended.set("message", inert(case.message))
        ended.text = inert(case.text) or None


def _safe(text: str) -> str:
    return inert(safe_path(text))


def _count(element: ET.Element) -> None:
    for name, tag in COUNTS.items():
        element.set(name, str(sum(1 for _ in element.iter(tag))))
