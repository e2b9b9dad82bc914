"""Every rule's page holds cases, and they are true."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.catalogue import all_rules
from benchreg.audit.engine import Report
from benchreg.audit.finding import Severity
from benchreg.audit.rule import Example, Rule, examples

# A disagreement of the judges cannot be written down: it is a fault of the program itself.
WITHOUT_CASES = {"SCH008"}

RULES = [rule for rule in all_rules() if rule.code not in WITHOUT_CASES]
CASES = [
    pytest.param(rule, case, id=f"{rule.code}-{'good' if case.good else 'bad'}-{number}")
    for rule in RULES
    for number, case in enumerate(examples(rule.page))
]

Change = Callable[..., Path]
Judge = Callable[..., Report]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_page_has_a_title_a_reason_and_a_case_of_each_kind(rule: Rule) -> None:
    title, _, rest = rule.page.partition("\n\n")
    assert title.endswith(".")
    assert "\n" not in title
    assert rest.partition("Bad:")[0].strip()
    assert {case.good for case in examples(rule.page)} == {True, False}


@pytest.mark.parametrize(("rule", "case"), CASES)
def test_a_case_is_judged_as_its_page_says(
    rule: Rule, case: Example, changed: Change, judged: Judge
) -> None:
    others = {name: part for name, part in case.fragments.items() if name}
    report = judged(changed(case.fragments.get("", ""), **others), rule)
    found = {finding.code for finding in report.findings}
    errors = {one.code for one in report.findings if one.severity is Severity.ERROR}
    assert not report.crashes
    if case.good:
        assert rule.code not in found
        assert not errors
    else:
        assert found == {rule.code, *case.also}


def test_the_base_record_is_judged_without_any_finding(base: Path, judged: Judge) -> None:
    report = judged(base)
    assert report.findings == ()
    assert report.unevaluated == ()
    assert report.records == 2
