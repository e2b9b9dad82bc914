"""Findings as SARIF 2.1.0, which code scanning and editors read."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from benchreg import __version__
from benchreg.audit.engine import Report
from benchreg.audit.finding import Crash, Finding
from benchreg.audit.rule import Rule
from benchreg.audit.waivers import Waived
from benchreg.report.inert import inert_json
from benchreg.report.marks import marks
from benchreg.report.summary import MOST, accepted, address, sentence, unjudged
from benchreg.values.text import counted, shown

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
MOST_RESULTS = 25_000  # GitHub refuses a run that has more
FINGERPRINT = "benchreg/v1"
_TAG = re.compile(r"<(?=[A-Za-z/!?])")

Object = dict[str, Any]


def sarif(report: Report, rules: Iterable[Rule], *, waived: bool = False) -> str:
    """Return one run: every rule with its page, and the results, the worst first.

    Those who receive it take only so many (GitHub shows the first 5,000, and refuses more than
    25,000): what is over that is left out, and a notification says so. With `waived`, findings
    that records accept follow as suppressed ones.
    """
    rules = tuple(rules)
    index = {rule.code: number for number, rule in enumerate(rules)}
    found = _ordered(report, waived=waived)
    document = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": _driver(rules)},
                "columnKind": "unicodeCodePoints",
                "invocations": [_invocation(report, index, len(found))],
                "results": [_result(*one, index) for one in found[:MOST_RESULTS]],
            }
        ],
    }
    return inert_json(document)


def _driver(rules: tuple[Rule, ...]) -> Object:
    return {"name": "benchreg", "version": __version__, "rules": [*map(_rule, rules)]}


def _rule(rule: Rule) -> Object:
    paragraphs = rule.page.split("\n\n")
    why = paragraphs[1] if len(paragraphs) > 1 else rule.title
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": why.replace("\n", " ")},
        "help": {"text": rule.page, "markdown": rule.page},
        "defaultConfiguration": {"level": rule.severity.word},
    }


def _ordered(report: Report, *, waived: bool) -> list[tuple[Finding, str, Waived | None]]:
    """Return what stands, the worst first, and then what is accepted, each with its mark."""
    accepted = report.waived if waived else ()
    findings = [*report.findings, *(one.finding for one in accepted)]
    waivers = [*(None for _ in report.findings), *accepted]
    every = zip(findings, marks(findings), waivers, strict=True)
    return sorted(every, key=lambda one: (one[2] is not None, -one[0].severity))


def _result(finding: Finding, mark: str, waived: Waived | None, index: dict[str, int]) -> Object:
    region = {"startLine": finding.line, "startColumn": finding.column}
    result = {
        "ruleId": finding.code,
        "ruleIndex": index.get(finding.code, -1),
        "level": finding.severity.word,
        "message": {"text": _text(sentence(finding))},
        "locations": [_location(finding.path, region)],
        "partialFingerprints": {FINGERPRINT: mark},
    }
    return result | {"suppressions": [_suppression(waived)]} if waived else result


def _suppression(one: Waived) -> Object:
    """Return a waiver; it is written in the very file that the finding is of."""
    return {"kind": "inSource", "status": "accepted", "justification": accepted(one)}


def _location(path: str, region: Object | None = None) -> Object:
    place: Object = {"artifactLocation": {"uri": address(path), "uriBaseId": "%SRCROOT%"}}
    if region:
        place["region"] = region
    return {"physicalLocation": place}


def _invocation(report: Report, index: dict[str, int], results: int) -> Object:
    told = [
        *(_of_crash(crash, index) for crash in report.crashes),
        *_of_cut(results),
        *(
            _notification("note", f"not evaluated {counted(number, 'time')}: {why}", code, index)
            for code, number, why in unjudged(report)
        ),
    ]
    done: Object = {"executionSuccessful": not report.crashes, "toolExecutionNotifications": told}
    if report.remarks:
        done["toolConfigurationNotifications"] = [*map(_of_remark, report.remarks)]
    return done


def _of_remark(remark: str) -> Object:
    return {"level": "note", "message": {"text": _text(shown(remark, MOST))}}


def _of_crash(crash: Crash, index: dict[str, int]) -> Object:
    told = f"{crash.code} crashed, the run is incomplete: {shown(crash.error)}"
    return {
        **_notification("error", told, crash.code, index),
        "locations": [_location(crash.path)],
    }


def _of_cut(results: int) -> Iterator[Object]:
    if results > MOST_RESULTS:
        left_out = counted(results - MOST_RESULTS, "result")
        told = f"{left_out} left out: a run may have {MOST_RESULTS:,}; the worst come first"
        yield {"level": "warning", "message": {"text": told}}


def _notification(level: str, text: str, code: str, index: dict[str, int]) -> Object:
    rule = {"id": code, "index": index.get(code, -1)}
    return {"level": level, "message": {"text": _text(text)}, "associatedRule": rule}


def _text(text: str) -> str:
    """Write a text so that it has no placeholder (SARIF 3.11.5), embedded link (3.11.6) or tag."""
    single = _TAG.sub("< ", text.replace("](", "] ("))
    return single.replace("{", "{{").replace("}", "}}")
