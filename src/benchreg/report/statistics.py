"""The findings of an audit counted by rule, beside how often each rule could judge."""

from collections import Counter
from collections.abc import Iterable

from benchreg.audit.engine import Report
from benchreg.audit.rule import Rule
from benchreg.report.paint import Paint, plain
from benchreg.report.summary import summary


def statistics(report: Report, rules: Iterable[Rule], paint: Paint = plain) -> str:
    """Return a line for each rule that ran, and the summary."""
    rules = tuple(rules)
    found = Counter(finding.code for finding in report.findings)
    not_judged = Counter(note.code for note in report.unevaluated)
    width = max((len(rule.name) for rule in rules), default=0)
    head = f"{'rule':<6}  {'severity':<8}  {'name':<{width}}"
    timed = f"  {'ms':>9}" if report.seconds else ""
    lines = [f"{head}  {'findings':>9}  {'evaluated':>9}  {'not evaluated':>13}{timed}"]
    for rule in rules:
        word = rule.severity.word
        label = paint(f"{rule.code:<6}  {word:<8}", word if found[rule.code] else "")
        counts = f"{found[rule.code]:>9,}  {report.evaluated[rule.code]:>9,}"
        took = f"  {1e3 * report.seconds.get(rule.code, 0.0):>9,.1f}" if report.seconds else ""
        left = f"{not_judged[rule.code]:>13,}"
        lines.append(f"{label}  {rule.name:<{width}}  {counts}  {left}{took}")
    severities = {finding.severity for finding in report.findings}
    return "\n".join([*lines, "", summary(report, severities, paint)])
