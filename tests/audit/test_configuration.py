"""What a configuration may say, and what is said of one that says something else."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import MISSING

from benchreg.audit.catalogue import all_rules
from benchreg.audit.configuration import Settings, configuration, why_firm
from benchreg.registry.schema import schema_of
from benchreg.values.errors import BenchregError

WHOLE = """
select = ["MET", "IDN008", "rate-without-scope"]
fail-on = "warning"
show = "note"
registry = "data/served"

[ignore]
CON004 = "the sources of this registry do not name builds"
short-run = "they run for a minute"

[severity]
IDN008 = "error"
pro = "note"
"""
FIRM = [rule for rule in all_rules() if why_firm(rule)]


def faults(text: str, within: str = "") -> list[str]:
    with pytest.raises(BenchregError) as raised:
        configuration("benchreg.toml", tomllib.loads(text), within)
    return str(raised.value).split("\n")


def test_a_configuration_may_say_all_of_this() -> None:
    settings = configuration("benchreg.toml", tomllib.loads(WHOLE)).settings
    assert settings.select == ("MET", "IDN008", "rate-without-scope")
    assert (settings.fail_on, settings.show) == ("warning", "note")
    assert settings.registry == "data/served"
    assert list(settings.ignore) == ["CON004", "short-run"]
    assert dict(settings.severity) == {"IDN008": "error", "pro": "note"}


def test_an_empty_one_says_nothing() -> None:
    settings = configuration("benchreg.toml", {}).settings
    assert (settings.select, settings.fail_on) == ((), MISSING)


SUCH = '{ CON004 = "the sources of this registry do not name builds" }'
REFUSED = "a file that it refuses is read by no other rule"
NO_NAME = "is not the name of a rule; write a code, the beginning of one, or a name"
CASES = (
    ('selct = ["MET"]', "selct: unknown key; did you mean 'select'?"),
    ('fail_on = "note"', "fail_on: unknown key; did you mean 'fail-on'?"),
    ("x = 1", "x: unknown key; known keys: select, ignore, severity, fail-on, show, registry"),
    ('select = "MET"', 'select: should be a list, and is text; such as ["MET", "CON004"]'),
    ("select = [4]", "select.0: should be text, and is the number 4; such as"),
    ('select = ["MET", "MET"]', "select: names a rule twice; keep each once"),
    (
        'select = ["scope-worng"]',
        "select.0: no rule is called 'scope-worng'; did you mean 'scope-w",
    ),
    ('select = ["MET 4"]', f"select.0: {NO_NAME}"),
    ('ignore = ["CON004"]', f"ignore: should be a table, and is a list; such as {SUCH}"),
    ("ignore.CON004 = true", "ignore.CON004: should be text, and is true or false; such as"),
    ('ignore.CON004 = ""', f"ignore.CON004: is empty; such as {SUCH}"),
    ('ignore.CON004 = "TODO"', "ignore.CON004: the reason says nothing; write why the rule does"),
    ('ignore.CON004 = "\\u202e"', "ignore.CON004: the reason holds the invisible character U+202E"),
    (f'ignore.CON004 = "{"x" * 601}"', "ignore.CON004: is longer than 600 characters; say it"),
    ('ignore.CON044 = "so"', "ignore.CON044: no rule is called 'CON044'; did you mean 'CON004'"),
    ('ignore."CON 4" = "so"', f"ignore.CON 4: {NO_NAME}"),
    ('ignore.CON001 = "so"', "ignore.CON001: cannot be ignored: it cannot be waived"),
    ('ignore.unquoted-version = "so"', f"ignore.unquoted-version: cannot be ignored: {REFUSED}"),
    ('ignore.CON = "so"', "ignore.CON: cannot be ignored: CON001, CON002, CON008: it cannot be"),
    ('severity.CON001 = "warning"', "severity.CON001: cannot be lowered: it cannot be waived"),
    ('severity.SCH006 = "note"', f"severity.SCH006: cannot be lowered: {REFUSED}"),
    ('severity.CON3 = "note"', "severity.CON3: no rule is called 'CON3'; did you mean"),
    ('severity.CON003 = "warn"', "severity.CON003: 'warn' is no severity; did you mean 'warning'?"),
    ("severity.CON003 = 2", 'severity.CON003: should be text, and is the number 2; write "error"'),
    ('fail-on = "never"', "fail-on: 'never' is no severity; write error, warning, note"),
    ("show = 2026-11-01", 'show: should be text, and is a date or time; write "error",'),
    ('registry = "../other"', "registry: should be a folder below this file, without `..`"),
    ('registry = "."', "registry: should be a folder below this file, without `..`"),
    ('registry = "/etc"', 'registry: does not have the form that is asked for; such as "data"'),
)


@pytest.mark.parametrize(("text", "fault"), CASES)
def test_a_fault_says_where_it_is_and_what_to_write(text: str, fault: str) -> None:
    [said] = faults(text)
    assert said.startswith(f"benchreg.toml: {fault}")


def test_all_faults_are_said_with_the_table_they_are_in() -> None:
    text = 'selct = 1\nshow = 1\nignore.CON004 = 1\nignore.CON001 = "so"\nselect = ["nothing"]\n'
    assert sorted(said.split(": ")[1] for said in faults(text, "tool.benchreg")) == [
        "tool.benchreg.ignore.CON001",
        "tool.benchreg.ignore.CON004",
        "tool.benchreg.selct",
        "tool.benchreg.select.0",
        "tool.benchreg.show",
    ]


@pytest.mark.parametrize("rule", FIRM, ids=lambda rule: rule.code)
@pytest.mark.parametrize("name", ["code", "name"])
def test_no_rule_that_holds_a_record_to_the_truth_can_be_silenced(rule: Any, name: str) -> None:
    called = getattr(rule, name)
    assert "cannot be ignored" in faults(f'ignore.{called} = "we may"')[0]
    if rule.severity > 1:
        assert "cannot be lowered" in faults(f'severity.{called} = "note"')[0]
    assert configuration("b", {"severity": {called: "error"}}).settings.severity


def test_the_firm_rules_are_those_that_no_waiver_accepts_and_those_of_refused_files() -> None:
    assert {rule.code for rule in FIRM if rule.waivable} == {"SCH003", "SCH004", "SCH006"}
    assert {rule.code for rule in all_rules() if not rule.waivable} <= {r.code for r in FIRM}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.dates()
    | st.sampled_from(("MET", "CON004", "error", "note", "data", "a reason", "TODO")),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(("CON004", "CON", "x y", "PRO006")), inner, max_size=3),
    max_leaves=4,
)  # fmt: skip
KEYS = st.sampled_from(("select", "ignore", "severity", "fail-on", "fail_on", "show", "registry"))


@given(st.dictionaries(KEYS | st.text(max_size=5), VALUES, max_size=4))
def test_any_table_is_a_configuration_or_is_refused_in_words(table: dict[str, Any]) -> None:
    told = ""
    try:
        settings = configuration("benchreg.toml", table).settings
    except BenchregError as error:
        told = str(error)
    if told:
        assert all(line.startswith("benchreg.toml: ") for line in told.split("\n"))
    else:
        assert isinstance(settings, Settings)
        assert Draft202012Validator(schema_of("config")).is_valid(table)


def test_the_schema_is_content_with_what_the_model_is() -> None:
    assert Draft202012Validator(schema_of("config")).is_valid(tomllib.loads(WHOLE))
