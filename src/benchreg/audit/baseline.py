"""Findings that are known: of a base, or of a file in which each is one line."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from operator import is_
from typing import NamedTuple

from benchreg.audit.catalogue import all_rules
from benchreg.audit.engine import Report, audit
from benchreg.audit.finding import Finding, Severity, subject
from benchreg.audit.rule import Rule
from benchreg.audit.waivers import Accepted
from benchreg.registry.refusal import Refusal
from benchreg.registry.registry import Registry
from benchreg.values.errors import BenchregError
from benchreg.values.text import shown

_HEAD = {"format": "benchreg-baseline", "version": 1}
_FINGERPRINT = re.compile(r"[0-9a-f]{32}")
_SEVERITIES = {severity.word: severity for severity in Severity}


class Known(NamedTuple):
    """A finding that is known; it is told by its fingerprint, and the rest is for a reader."""

    path: str
    code: str
    pointer: str
    message: str
    fingerprint: str
    severity: Severity


def known(finding: Finding) -> Known:
    """Return what is kept of a finding: nothing that moves with lines."""
    return Known(
        finding.path,
        finding.code,
        finding.pointer,
        finding.message,
        finding.fingerprint,
        finding.severity,
    )


def new(report: Report, base: Report) -> Report:
    """Return the report with the findings only that its base does not have."""
    if base is report:
        return replace(report, findings=(), known=report.known + len(report.findings))
    return without(report, map(known, base.findings))[0]


def without(report: Report, known_ones: Iterable[Known]) -> tuple[Report, list[Known]]:
    """Return the report without findings that are known, and what is known and not in it.

    A known finding takes away one of its fingerprint that weighs no more than it did: one in its
    own file if there is any, else one in another, where the record went. Nothing else of a report
    can be known.
    """
    left: dict[str, list[Known]] = defaultdict(list)
    for one in sorted(known_ones, key=lambda one: one.severity):
        left[one.fingerprint].append(one)
    open_ones = {index: known(finding) for index, finding in enumerate(report.findings)}
    for fits in (_same_file, _anywhere):
        heaviest_first = sorted(open_ones.items(), key=lambda pair: -pair[1].severity)
        open_ones = {
            index: one
            for index, one in heaviest_first
            if not _taken(left[one.fingerprint], one, fits)
        }
    findings = tuple(report.findings[index] for index in sorted(open_ones))
    count = report.known + len(report.findings) - len(findings)
    rest = [one for ones in left.values() for one in ones]
    return replace(report, findings=findings, known=count), rest


def _taken(known_ones: list[Known], found: Known, fits: Callable[[Known, Known], bool]) -> bool:
    """Take away the lightest known finding that fits, and tell whether there was one."""
    for index, one in enumerate(known_ones):
        if one.severity >= found.severity and fits(one, found):
            del known_ones[index]
            return True
    return False


def _same_file(one: Known, other: Known) -> bool:
    return one.path == other.path


def _anywhere(one: Known, other: Known) -> bool:
    del one, other
    return True


def of_base(base: Registry, registry: Registry, report: Report, rules: Iterable[Rule]) -> Report:
    """Return what the rules of today find in a base, of all that is in a registry's report too.

    What is not about a subject of the report's findings, or not of their rules, takes away none of
    them, and is not looked for.
    """
    if _same(base, registry):
        return report
    rules = tuple(rules)
    codes = {finding.code for finding in report.findings}
    found = [rule for rule in rules if rule.code in codes]
    if any(Accepted in rule.over for rule in found):
        found = list(rules)  # these judge what is found of all others
    subjects = {finding.subject for finding in report.findings}
    return audit(base, found, lambda path: subject(path, base.documents.get(path)) in subjects)


def _same(base: Registry, registry: Registry) -> bool:
    """Tell whether a base is known to say the same: it has the same entries, and nothing else."""
    entries = (base.entries, registry.entries)
    return (
        not (base.refusals or registry.refusals)
        and len(base.entries) == len(registry.entries)
        and all(map(is_, *entries))
    )


def stale(
    rest: list[Known],
    report: Report,
    registry: Registry,
    rules: Iterable[Rule],
    among: Callable[[str], bool] = lambda _: True,
) -> int:
    """Return how many known findings are gone: their rules could have found them, and did not."""
    refused = {refusal.path for refusal in registry.refusals}
    not_judged = {(note.code, note.path) for note in report.unevaluated}
    not_judged |= {(crash.code, crash.path) for crash in report.crashes}
    looked_for = {rule.code: Refusal in rule.over for rule in rules}
    no_rules = {one.code for one in rest} - {rule.code for rule in all_rules()}
    return sum(
        one.code in no_rules
        or (
            among(one.path)
            and one.code in looked_for
            and (one.code, one.path) not in not_judged
            and (looked_for[one.code] or one.path not in refused)
        )
        for one in rest
    )


def refused_among(known_ones: Iterable[Known]) -> set[str]:
    """Return the files of which something is known that is found in refused files only."""
    codes = {rule.code for rule in all_rules() if Refusal in rule.over}
    return {one.path for one in known_ones if one.code in codes}


def written(report: Report) -> str:
    """Return the findings of a report as a file: a head, and a line of JSON for each, in order."""
    ones = sorted(map(known, report.findings))
    lines = [_HEAD, *({**one._asdict(), "severity": one.severity.word} for one in ones)]
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def read(data: bytes, name: str) -> list[Known]:
    """Return what is known by a file that was `written`, in any order of its lines.

    Raises BenchregError that names the line which is none.
    """
    lines = data.removesuffix(b"\n").split(b"\n")
    if _parsed(lines[0]) != _HEAD:
        raise _malformed(name, 1, f"the head of a baseline is {json.dumps(_HEAD)}")
    found = []
    for number, line in enumerate(lines[1:], start=2):
        one = _one(_parsed(line))
        if one is None:
            raise _malformed(name, number, f"is no finding: {shown(line.decode('latin-1'), 60)!r}")
        found.append(one)
    return found


def _malformed(name: str, line: int, told: str) -> BenchregError:
    return BenchregError(f"{name}:{line}: {told}; write it anew: --write-baseline {name}")


def _parsed(line: bytes) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _one(parsed: object) -> Known | None:
    """Return the finding that a line says; None where it says anything else."""
    if not isinstance(parsed, dict) or parsed.keys() != set(Known._fields):
        return None
    if not all(isinstance(value, str) for value in parsed.values()):
        return None
    if parsed["severity"] not in _SEVERITIES or not _FINGERPRINT.fullmatch(parsed["fingerprint"]):
        return None
    return Known(**{**parsed, "severity": _SEVERITIES[parsed["severity"]]})
