"""What runs the audit elsewhere: the action, the hooks, and what their page says of them."""

import os
import re
import shutil
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
BASH = shutil.which("bash")
FAKE = """#!/bin/sh
printf '%s\\n' "$@" > "$ARGUMENTS"
exit 1
"""
NASTY = ["a b", "$(touch owned)", "`touch owned`", '"; touch owned; "', "-rf", "*", "a\\b"]

pytestmark = pytest.mark.skipif(
    not (ROOT / "action.yml").exists(), reason="the action is part of the repository alone"
)


def document(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


@pytest.fixture
def action() -> Any:
    return document("action.yml")


def test_every_input_is_described_here_and_on_the_page(action: Any) -> None:
    assert all(one["description"] for one in action["inputs"].values())
    assert set(re.findall(r"^\| `([a-z-]+)` \|", PAGE, re.MULTILINE)) == set(action["inputs"])


def test_no_input_becomes_text_of_a_script(action: Any) -> None:
    scripts = [step["run"] for step in action["runs"]["steps"]]
    assert len(scripts) == 2
    assert not [script for script in scripts if "${{" in script]


def test_every_input_reaches_the_audit_or_the_installation(action: Any) -> None:
    given = " ".join(str(step["env"]) for step in action["runs"]["steps"])
    assert all(f"${{{{ inputs.{name} }}}}" in given for name in action["inputs"])


def ran(action: Any, folder: Path, **inputs: str) -> tuple[int, list[str], str]:
    """Run the audit's step with a program in place of benchreg; return code, arguments, output."""
    fake = folder / "benchreg"
    fake.write_text(FAKE, encoding="utf-8")
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    step = action["runs"]["steps"][1]
    defaults = {name: one.get("default", "") for name, one in action["inputs"].items()}
    given = {
        f"INPUT_{name.replace('-', '_').upper()}": inputs.get(name.replace("-", "_"), value)
        for name, value in defaults.items()
    }
    output = folder / "output"
    done = subprocess.run(
        [str(BASH), "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
        env={
            "PATH": os.environ["PATH"],
            "BENCHREG": str(fake),
            "ARGUMENTS": str(folder / "arguments"),
            "GITHUB_OUTPUT": str(output),
            **given,
        },
        cwd=folder,
        check=False,
    )
    arguments = (folder / "arguments").read_text(encoding="utf-8").splitlines()
    return done.returncode, arguments, output.read_text(encoding="utf-8")


@pytest.mark.skipif(BASH is None, reason="the action runs in bash")
def test_the_code_of_the_audit_is_the_code_of_the_step(action: Any, tmp_path: Path) -> None:
    code, arguments, output = ran(action, tmp_path)
    assert (code, output) == (1, "exit-code=1\n")
    assert arguments == [
        "audit",
        "--registry",
        ".",
        "--fail-on",
        "error",
        "--format",
        "github",
        "--",
    ]


@pytest.mark.skipif(BASH is None, reason="the action runs in bash")
def test_what_is_given_is_asked_for(action: Any, tmp_path: Path) -> None:
    _, arguments, _ = ran(
        action,
        tmp_path,
        paths="records/a.yaml\nrecords/b c.yaml\n",
        registry="here",
        base_ref="origin/main",
        fail_on="warning",
        select="MET,IDN",
        sarif="out.sarif",
    )
    assert arguments == [
        *("audit", "--registry", "here", "--fail-on", "warning", "--format", "github"),
        *("--base-ref", "origin/main", "--select", "MET,IDN", "--format", "sarif=out.sarif"),
        *("--", "records/a.yaml", "records/b c.yaml"),
    ]


@pytest.mark.skipif(BASH is None, reason="the action runs in bash")
@pytest.mark.parametrize("text", NASTY)
def test_what_is_given_is_never_run(text: str, action: Any, tmp_path: Path) -> None:
    names = ("paths", "registry", "base_ref", "fail_on", "select", "sarif")
    _, arguments, _ = ran(action, tmp_path, **dict.fromkeys(names, text))
    assert arguments.count(text) == 5
    assert f"sarif={text}" in arguments
    assert not (tmp_path / "owned").exists()


def test_the_hooks_call_commands_that_there_are() -> None:
    from benchreg.cli.main import COMMANDS

    hooks = document(".pre-commit-hooks.yaml")
    assert [hook["id"] for hook in hooks] == ["benchreg-audit", "benchreg-fmt"]
    assert {hook["entry"].split()[1] for hook in hooks} <= COMMANDS.keys()
    assert all(hook["id"] in PAGE for hook in hooks)


@pytest.mark.parametrize(
    ("path", "audited", "formatted"),
    [
        ("records/benchmarks/a/b.yaml", True, True),
        ("records/models/a.yaml", True, True),
        ("data/records/models/a.yaml", True, True),
        ("records/LICENSE", True, False),
        ("docs/a.yaml", False, False),
        ("other-records/a.yaml", False, False),
    ],
)
def test_the_hooks_run_for_records_and_catalogue_entries(
    path: str, audited: bool, formatted: bool
) -> None:
    audit, fmt = (re.compile(hook["files"]) for hook in document(".pre-commit-hooks.yaml"))
    assert (bool(audit.search(path)), bool(fmt.search(path))) == (audited, formatted)


def test_the_workflow_trusts_only_commits_and_has_no_rights_to_write() -> None:
    text = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    used = re.findall(r"uses: (\S+)", text)
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", one) for one in used if one != "./")
    assert workflow["permissions"] == {"contents": "read"}
    assert ".ci/run" in text
