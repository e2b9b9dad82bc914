"""In whatever order files are read, every format is the same to the byte."""

from collections.abc import Callable
from pathlib import Path

from benchreg.audit.catalogue import all_rules
from benchreg.audit.engine import Report, audit
from benchreg.audit.finding import Severity
from benchreg.registry.load import load
from benchreg.registry.registry import build
from benchreg.report.as_json import as_json
from benchreg.report.concise import concise
from benchreg.report.full import full
from benchreg.report.github import github
from benchreg.report.gitlab import gitlab
from benchreg.report.junit import junit
from benchreg.report.markdown import markdown
from benchreg.report.sarif import sarif

ALL = frozenset(Severity)
WITHOUT = """results:
  output_rate:
    metric: output_throughput
    scope: system
    value: 800
    unit: tok/s
    absent: {seen_by_request: not_stated}
"""
FAULTY = "enginee: {id: a}\nmodel: {id: b, unknown: 1, other: 2}\n"


def written(report: Report) -> list[str]:
    rules = all_rules()
    return [
        full(report, ALL, lambda _: "", waived=True),
        concise(report, ALL, waived=True),
        concise(report, frozenset()),
        as_json(report, rules),
        github(report),
        sarif(report, rules, waived=True),
        gitlab(report),
        junit(report, rules, ALL),
        markdown(report, ALL),
    ]


def test_every_format_is_the_same_whichever_file_was_read_first(
    changed: Callable[..., Path],
) -> None:
    root = changed(WITHOUT, one=WITHOUT, two=FAULTY, three=FAULTY)
    registry = load(root)
    by_path = sorted(registry.refusals, key=lambda refusal: refusal.path, reverse=True)
    backwards = build(reversed(registry.entries), by_path, registry.documents)
    report = audit(registry, all_rules())
    assert len({finding.path for finding in report.findings}) > 3
    assert written(report) == written(audit(backwards, all_rules()))
