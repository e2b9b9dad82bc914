"""What many tests stand on: the shipped records, and a small registry that can be changed."""

import os
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from benchreg.audit.catalogue import usual_rules
from benchreg.audit.engine import Report, audit
from benchreg.audit.rule import Rule
from benchreg.registry.load import load
from benchreg.registry.registry import Registry
from benchreg.registry.roots import own_root
from benchreg.snapshot.asking import asking

BASE = Path(__file__).parent / "data/base/records"
ONE_SOURCE = "benchmarks/databricks-llm-inference-practices"
RECORDS = "records/benchmarks/example-source"
TODAY = date(2099, 12, 31)  # after every record, so that no test depends on the clock

Change = Callable[..., Path]
Judge = Callable[..., Report]
Git = Callable[..., str]


@pytest.fixture(scope="session", autouse=True)
def own_snapshots(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep snapshots beside what the tests make, shared by all of their processes."""
    folder = tmp_path_factory.getbasetemp().parent / "snapshots"
    folder.mkdir(mode=0o700, exist_ok=True)
    os.environ["BENCHREG_CACHE"] = str(folder)


@pytest.fixture(scope="session")
def asked() -> sqlite3.Connection:
    """The snapshot of the shipped records."""
    return asking(own_root()).snapshot.database


@pytest.fixture(scope="session")
def shipped() -> Registry:
    """The registry that comes with benchreg."""
    return load(own_root())


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """A copy of the shipped catalogue, and of one source's records, that a test may change."""
    shipped, copy = own_root() / "records", tmp_path / "records"
    shutil.copytree(shipped, copy, ignore=shutil.ignore_patterns("benchmarks"))
    shutil.copytree(shipped / ONE_SOURCE, copy / ONE_SOURCE)
    return tmp_path


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A small registry in which no rule finds anything; its metrics are the shipped ones."""
    shutil.copytree(BASE, tmp_path / "records")
    shutil.copytree(own_root() / "records/metrics", tmp_path / "records/metrics")
    return tmp_path


@pytest.fixture
def changed(base: Path) -> Change:
    """A function that replaces top-level blocks of the base record, and returns the registry.

    Another record is named by its id, and begins as the base record; an entry of the catalogue
    is named by its folder and id, and begins as it is.
    """

    def change(fragment: str = "", **others: str) -> Path:
        text = (base / RECORDS / "base-record.yaml").read_text(encoding="utf-8")
        for name, part in {"": fragment, **others}.items():
            if "/" in name:
                file = base / f"records/{name}.yaml"
                file.write_text(merged(file.read_text(encoding="utf-8"), part), encoding="utf-8")
            else:
                file = base / RECORDS / f"{name.replace('_', '-') or 'base-record'}.yaml"
                file.write_text(merged(text, part), encoding="utf-8")
        return base

    return change


@pytest.fixture
def judged() -> Judge:
    """A function that audits a registry with every rule that an audit runs, and with others."""

    def judge(
        root: Path, *others: Rule, cross_validate: bool = True, today: date | None = TODAY
    ) -> Report:
        rules = dict.fromkeys((*usual_rules(), *others))
        return audit(load(root, cross_validate=cross_validate, today=today), rules)

    return judge


@pytest.fixture
def git(monkeypatch: pytest.MonkeyPatch) -> Git:
    """A function that runs git in a folder, and returns what it prints; no settings are read."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    settings = ("user.name=A tester", "user.email=tester@example.org", "init.defaultBranch=main")
    options = [word for setting in settings for word in ("-c", setting)]

    def run(folder: Path, *arguments: str) -> str:
        command = ["git", *options, *arguments]
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
        return done.stdout.removesuffix("\n")

    return run


def merged(text: str, fragment: str) -> str:
    """Replace the top-level blocks of a text that a fragment names."""
    blocks = _blocks(text) | _blocks(fragment)
    return "".join(blocks.values())


def _blocks(text: str) -> dict[str, str]:
    parts = re.split(r"^(?=[a-z_]+:)", text, flags=re.MULTILINE)
    return {part.partition(":")[0]: part for part in parts if part}
