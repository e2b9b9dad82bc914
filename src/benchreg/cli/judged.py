"""What a command wrote is audited at once: its findings are what is left to do."""

from pathlib import Path

from benchreg.audit.catalogue import usual_rules
from benchreg.audit.engine import audit
from benchreg.audit.finding import Severity
from benchreg.cli.clock import today
from benchreg.cli.main import CRASH, FINDINGS, OK, say
from benchreg.cli.terminal import paint
from benchreg.registry.load import load
from benchreg.report.concise import concise
from benchreg.values.text import counted

MOST_AUDITED = 20_000


def judged(root: Path, paths: list[str]) -> int:
    """Print the audit of what was written, and return the code that it means."""
    if not paths:
        return OK
    if len(paths) > MOST_AUDITED:
        many = counted(len(paths), "record")
        say(f"{many} are too many to audit here; `benchreg audit` judges them")
        return OK
    wanted = set(paths)
    registry = load(root, today=today())
    report = audit(registry, usual_rules(), lambda path: path in wanted)
    say(concise(report, frozenset({Severity.ERROR}), paint=paint()))
    if report.crashes:
        return CRASH
    failed = any(finding.severity is Severity.ERROR for finding in report.findings)
    return FINDINGS if failed else OK
