"""What the documentation shows is true: its samples are read, and its commands run."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

from benchreg.analysis.comparison import ACROSS
from benchreg.cli.main import run
from benchreg.registry.judge import judge
from benchreg.registry.read import Reader
from benchreg.registry.roots import own_root
from benchreg.snapshot.columns import COLUMNS

HERE = own_root()
PAGES = [HERE / "README.md", HERE / "CONTRIBUTING.md", *sorted((HERE / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w+)(?: (\w+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RECORD = """id: a-record
title: a record
kind: example
status: active
source: {id: a-source, retrieved: "2026-11-01"}
"""


def samples(language: str) -> list[tuple[str, str, str]]:
    """Return page, kind and text of every sample in a language."""
    return [
        (page.name, found[2] or "", found[3])
        for page in PAGES
        for found in FENCE.finditer(page.read_text(encoding="utf-8"))
        if found[1] == language
    ]


YAML = samples("yaml")
COMMANDS = [
    (page, line.partition("#")[0].strip())
    for page, _, text in samples("sh")
    for line in text.splitlines()
    if line.startswith(".venv/bin/benchreg ")
]


def test_there_are_samples() -> None:
    assert len(YAML) > 4
    assert len(COMMANDS) > 5


@pytest.mark.parametrize(("page", "kind", "text"), YAML)
def test_a_sample_is_what_it_is_called(page: str, kind: str, text: str) -> None:
    whole = text if kind else RECORD + text
    document = Reader().read(page, whole.encode())
    found = judge(kind or "record", document, both=True)
    assert not isinstance(found, list), found


@pytest.mark.parametrize(("page", "kind", "text"), samples("yml"))
def test_a_sample_of_another_tool_is_yaml(page: str, kind: str, text: str) -> None:
    assert isinstance(yaml.safe_load(text), dict), (page, kind)


@pytest.mark.parametrize(("page", "command"), COMMANDS)
def test_a_command_runs(page: str, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HERE)
    assert run(shlex.split(command)[1:]) in (0, 1), page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_link_leads_to_a_file(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)", text) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_page_on_questions_names_every_column_and_condition() -> None:
    page = (HERE / "docs/query.md").read_text(encoding="utf-8")
    table = [line for line in page.splitlines() if line.startswith("| `")]
    assert table == [f"| `{name}` | {holds} |" for name, (_, holds) in COLUMNS.items()]
    assert [name for name in ACROSS if f"`{name}`" not in page] == []
