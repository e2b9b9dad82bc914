"""What runs the audit elsewhere: the action, the hooks, and what their page says of them."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

Change = Callable[..., Path]
Git = Callable[..., str]

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
BASH = shutil.which("bash")
NASTY = """a b$(touch owned)`touch owned`"; touch owned; "'; touch owned; '& touch owned; * \\
::add-mask::a ##[group]b
"""

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


def shell(step: Any, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the script of a step as the runner does, with what it says of itself."""
    own = {"GITHUB_ACTIONS": "true", "RUNNER_TEMP": str(folder / "temp")}
    for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
        own[name] = str(folder / name)
    named = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [str(BASH), "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
        env={**named, "GIT_CONFIG_GLOBAL": os.devnull, **own, **environment},
        cwd=folder / "checkout",
        capture_output=True,
        text=True,
        check=False,
    )


@dataclass(frozen=True)
class Step:
    """What a step came to: its code, the log, what it gave to later steps, and its summary."""

    code: int
    log: str
    errors: str
    output: str
    summary: str


Audit = Callable[..., Step]


@pytest.fixture
def workspace(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a job: a checkout, and where the first step installed benchreg."""
    folder = tmp_path_factory.mktemp("job")
    (folder / "checkout").symlink_to(base)
    (folder / "temp/benchreg/bin").mkdir(parents=True)
    (folder / "temp/benchreg/bin/benchreg").symlink_to(Path(sys.executable).with_name("benchreg"))
    return folder


@pytest.fixture
def audited(action: Any, workspace: Path) -> Audit:
    """A function that runs the audit's step with some inputs."""

    def run(**inputs: str) -> Step:
        given = {name: str(one["default"]) for name, one in action["inputs"].items()}
        given |= {name.replace("_", "-"): text for name, text in inputs.items()}
        written = {f"INPUT_{name.replace('-', '_').upper()}": one for name, one in given.items()}
        done = shell(action["runs"]["steps"][1], workspace, **written)
        files = [workspace / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")]
        texts = [file.read_text(encoding="utf-8") if file.exists() else "" for file in files]
        return Step(done.returncode, done.stdout, done.stderr, *texts)

    return run


ERROR = "enginee: {id: example-engine}\n"
WARNING = "precision: {weights: bf16, activations: bf16}\n"
RECORD = "records/benchmarks/example-source/base-record.yaml"
with_bash = pytest.mark.skipif(BASH is None, reason="the action runs in bash")


@with_bash
def test_a_registry_without_fault_passes(audited: Audit) -> None:
    step = audited()
    assert (step.code, step.output, step.errors) == (0, "exit-code=0\n", "")
    assert "0 errors, 0 warnings, 0 notes" in step.log
    assert step.summary.startswith("<!-- benchreg audit -->\n## benchreg audit: 0 errors")


@with_bash
def test_the_findings_are_annotated_and_the_code_of_the_audit_is_the_code_of_the_step(
    audited: Audit, changed: Change
) -> None:
    changed(ERROR)
    step = audited()
    assert (step.code, step.output) == (1, "exit-code=1\n")
    assert step.log.startswith(f"::error file={RECORD},line=68,col=1,title=SCH001 ")
    assert "### 1 error" in step.summary


@with_bash
@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        ({}, 1),
        ({"fail_on": "note"}, 1),
        ({"select": "MET,CON002"}, 1),  # it is refused, so that these could not judge it
        ({"paths": RECORD}, 1),
        ({"paths": "records/models\nrecords/metrics\n"}, 0),
        ({"paths": "\n\nrecords/models\n"}, 0),
        ({"paths": "\n\n"}, 1),
        ({"paths": "records/models\nrecords/benchmarks"}, 1),
        ({"paths": "records/none.yaml"}, 2),
        ({"paths": "--help"}, 2),
        ({"paths": " "}, 2),
        ({"registry": "records"}, 2),
        ({"registry": ""}, 2),
        ({"fail_on": ""}, 2),
        ({"fail_on": "never"}, 2),
        ({"select": "NONE"}, 2),
        ({"base_ref": "origin/main"}, 2),
        ({"sarif": "none/a.sarif"}, 2),
    ],
    ids=str,
)
def test_what_is_given_is_asked_for(
    inputs: dict[str, str], code: int, audited: Audit, changed: Change
) -> None:
    changed(ERROR)
    step = audited(**inputs)
    assert (step.code, step.output) == (code, f"exit-code={code}\n")
    assert bool(step.errors) == (code == 2)


@with_bash
def test_a_registry_with_nothing_in_it_is_no_pass(audited: Audit, base: Path) -> None:
    shutil.rmtree(base / "records")
    (base / "records").mkdir()
    assert audited().code == 4


@with_bash
def test_what_the_base_had_is_left_out(audited: Audit, changed: Change, git: Git) -> None:
    root = changed(ERROR)
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "one")
    assert audited(base_ref="main").code == 0
    changed(new=ERROR)
    step = audited(base_ref="main")
    assert step.code == 1
    assert [line.split(",")[0] for line in step.log.split("\n") if line.startswith("::")] == [
        "::error file=records/benchmarks/example-source/new.yaml"
    ]


@with_bash
def test_a_base_that_is_not_there_fails_with_what_fetches_it(
    audited: Audit, base: Path, git: Git
) -> None:
    git(base, "init", "--quiet")
    git(base, "add", "--all")
    git(base, "commit", "--quiet", "--message", "one")
    step = audited(base_ref="origin/main")
    assert step.code == 2
    assert "fetch it: git fetch origin main:refs/remotes/origin/main" in step.errors


@with_bash
def test_sarif_is_written_beside_the_annotations(
    audited: Audit, changed: Change, workspace: Path
) -> None:
    changed(ERROR)
    step = audited(sarif="a b.sarif")
    assert (step.code, step.log[:7]) == (1, "::error")
    written = json.loads((workspace / "checkout/a b.sarif").read_text(encoding="utf-8"))
    assert [one["ruleId"] for one in written["runs"][0]["results"]] == ["SCH001"]


@with_bash
@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("paths", 2),
        ("registry", 2),
        ("base_ref", 2),
        ("fail_on", 2),
        ("select", 2),
        ("sarif", 0),  # a name that a file may have
    ],
)
def test_what_is_given_is_never_run(name: str, code: int, audited: Audit, workspace: Path) -> None:
    step = audited(**{name: NASTY})
    assert (step.code, step.output) == (code, f"exit-code={code}\n")
    assert not re.search(r"^\s*::|##\w*\[", step.log + step.errors, re.MULTILINE)
    assert not [*workspace.rglob("owned"), *(workspace / "checkout/").resolve().rglob("owned")]


def hostile(checkout: Path) -> None:
    """Write what Python would import from the folder that it is started in."""
    for name in ("venv", "ensurepip", "pip", "site", "sitecustomize", "json", "click", "benchreg"):
        text = f"import pathlib\npathlib.Path({str(checkout / 'owned')!r}).touch()\n"
        (checkout / f"{name}.py").write_text(text, encoding="utf-8")


@with_bash
def test_nothing_of_the_checkout_is_imported_by_the_audit(audited: Audit, base: Path) -> None:
    hostile(base)
    assert audited().code == 0
    assert not (base / "owned").exists()


PROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""
BACKEND = """\
import zipfile

def build_wheel(folder, settings=None, metadata=None):
    name = "benchreg-1-py3-none-any.whl"
    files = {
        "made.py": "def main(): print('installed')",
        "benchreg-1.dist-info/METADATA": "Metadata-Version: 2.1\\nName: benchreg\\nVersion: 1\\n",
        "benchreg-1.dist-info/WHEEL": "Wheel-Version: 1.0\\nTag: py3-none-any\\n",
        "benchreg-1.dist-info/entry_points.txt": "[console_scripts]\\nbenchreg = made:main\\n",
        "benchreg-1.dist-info/RECORD": "",
    }
    with zipfile.ZipFile(f"{folder}/{name}", "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)
    return name
"""


@with_bash
def test_it_is_installed_beside_the_checkout_of_which_nothing_is_imported(
    action: Any, workspace: Path, base: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    shutil.rmtree(workspace / "temp/benchreg")
    hostile(base)
    there = tmp_path_factory.mktemp("an action")
    for name, text in {"pyproject.toml": PROJECT, "backend.py": BACKEND}.items():
        (there / name).write_text(text, encoding="utf-8")
    (there / "constraints.txt").touch()
    given = {"GITHUB_ACTION_PATH": str(there), "INPUT_PYTHON": sys.executable, "PIP_NO_INDEX": "1"}
    done = shell(action["runs"]["steps"][0], workspace, **given)
    assert done.returncode == 0, done.stderr
    program = [str(workspace / "temp/benchreg/bin/benchreg")]
    said = subprocess.run(program, capture_output=True, text=True, check=True, cwd=base)
    assert said.stdout == "installed\n"
    assert not (base / "owned").exists()


@with_bash
def test_a_python_that_is_not_there_ends_the_installation(action: Any, workspace: Path) -> None:
    done = shell(action["runs"]["steps"][0], workspace, INPUT_PYTHON="no-python")
    assert done.returncode == 127


def test_the_hooks_call_commands_that_there_are() -> None:
    from benchreg.cli.main import COMMANDS

    hooks = document(".pre-commit-hooks.yaml")
    assert [hook["id"] for hook in hooks] == ["benchreg-audit", "benchreg-fmt"]
    assert {hook["entry"].split()[1] for hook in hooks} <= COMMANDS.keys()
    assert all(hook["id"] in PAGE for hook in hooks)


@pytest.mark.parametrize(
    ("path", "formatted"),
    [
        ("records/benchmarks/a/b.yaml", True),
        ("records/models/a.yaml", True),
        ("data/records/models/a.yaml", True),
        ("records/LICENSE", False),
        ("docs/a.yaml", False),
        ("other-records/a.yaml", False),
        ("--registry=data/records/a.yaml", False),  # it would be an option of the command
        ("-a/records/a.yaml", False),
        ("a/-b/records/a.yaml", True),
    ],
)
def test_what_changed_is_formatted_where_it_is_of_a_registry(path: str, formatted: bool) -> None:
    _, fmt = document(".pre-commit-hooks.yaml")
    assert bool(re.search(fmt["files"], path)) == formatted


def test_the_audit_runs_where_a_commit_only_takes_files_away() -> None:
    audit, _ = document(".pre-commit-hooks.yaml")
    assert audit["always_run"]
    assert not audit["pass_filenames"]
    assert {"pre-commit", "pre-merge-commit", "pre-push"} <= set(audit["stages"])


def test_the_workflow_trusts_only_commits_and_has_no_rights_to_write() -> None:
    text = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    used = re.findall(r"uses: (\S+)", text)
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", one) for one in used if one != "./")
    assert workflow["permissions"] == {"contents": "read"}
    assert ".ci/run" in text
