"""What a runner would take for a command is escaped, and JSON reads back the same."""

import json

import pytest

from benchreg.report.inert import inert, inert_json


@pytest.mark.parametrize(
    ("name", "text", "safe"),
    [
        ("github, at the start", "::add-mask::a", "\\x3a:add-mask::a"),
        ("github, after spaces", "a\n\u3000::add-mask::a", "a\n\u3000\\x3a:add-mask::a"),
        ("github, the older form", "a ##[group]b", "a \\x23#[group]b"),
        ("azure", "##vso[task.complete]", "\\x23#vso[task.complete]"),
        ("teamcity", "###teamcity[x]", "#\\x23#teamcity[x]"),
        ("no command", "## a :: b #[c]", "## a :: b #[c]"),
    ],
)
def test_a_command_is_escaped(name: str, text: str, safe: str) -> None:
    assert inert(text) == safe, name
    assert inert(safe) == safe


def test_json_reads_back_the_same() -> None:
    document = {"a": "##[group]\x7f\u2028 ##vso[b]"}
    text = inert_json(document)
    assert "##" not in text
    assert text.isascii()
    assert "\x7f" not in text
    assert json.loads(text) == document
