"""A finding stays the same finding when lines move."""

from collections.abc import Callable
from pathlib import Path

from benchreg.audit.engine import Report

Change = Callable[..., Path]
Judge = Callable[..., Report]

HARDWARE = """hardware:
  pools:
    - accelerator: example-gpu-80gb
      described_as: Example GPU {}GB
      count: 1
      parallelism: {{tensor: 1}}
"""
OTHER = """    - accelerator: example-gpu-40gb
      count: 1
      parallelism: {tensor: 1}
"""


def fingerprints(report: Report) -> list[str]:
    return sorted(finding.fingerprint for finding in report.findings)


def test_a_fingerprint_stays_when_lines_move(changed: Change, judged: Judge) -> None:
    before = judged(changed(HARDWARE.format(40)))
    after = judged(changed("title: >-\n  a title\n  of two lines\n" + HARDWARE.format(40)))
    assert fingerprints(before) == fingerprints(after) != []
    assert before.findings[0].line != after.findings[0].line


def test_a_fingerprint_stays_when_a_list_grows_in_front(changed: Change, judged: Judge) -> None:
    pools = HARDWARE.format(40)
    before = judged(changed(pools))
    after = judged(changed(pools.replace("  pools:\n", f"  pools:\n{OTHER}")))
    assert fingerprints(before) == fingerprints(after) != []
    assert before.findings[0].pointer != after.findings[0].pointer


def test_a_fingerprint_changes_with_the_offending_value(changed: Change, judged: Judge) -> None:
    before = judged(changed("model:\n  id: example-modell\n"))
    after = judged(changed("model:\n  id: example-modela\n"))
    assert fingerprints(before) != fingerprints(after)
