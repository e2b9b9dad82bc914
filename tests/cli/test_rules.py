"""`benchreg rules` lists and prints pages."""

import pytest

from benchreg.audit.catalogue import all_rules
from benchreg.cli.main import run

Capture = pytest.CaptureFixture[str]


def test_all_rules_are_listed(capsys: Capture) -> None:
    assert run(["rules"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [rule.code for rule in all_rules()]


@pytest.mark.parametrize("name", ["MET004", "met004", "rate-without-scope"])
def test_a_page_is_printed_by_code_or_name(name: str, capsys: Capture) -> None:
    assert run(["rules", name]) == 0
    out = capsys.readouterr().out
    assert out.startswith("MET004 rate-without-scope (error)\n\nA rate does not say")
    assert "Good:" in out


def test_the_pages_of_a_family_are_printed_whether_its_rules_run_or_not(capsys: Capture) -> None:
    assert run(["rules", "SCH"]) == 0
    out = capsys.readouterr().out
    assert "SCH001 schema-violation (error, cannot be waived)\n" in out
    assert "SCH005 not-canonical (note, only where it is selected)\n" in out


def test_a_rule_that_is_not_there_is_bad_use(capsys: Capture) -> None:
    assert run(["rules", "MET999"]) == 2
    assert "no rule is called 'MET999'" in capsys.readouterr().err
