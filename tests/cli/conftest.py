"""Commands are tested as they run on a desk, whatever service runs the tests."""

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from benchreg.cli.main import run
from benchreg.registry.load import load

OF_SERVICES = (
    *("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_SERVER_URL", "GITHUB_REPOSITORY"),
    *("GITHUB_SHA", "CI_PROJECT_URL", "CI_COMMIT_SHA"),
    *("COLUMNS", "LINES"),  # of whoever runs the tests in several processes
)


@pytest.fixture(autouse=True)
def at_a_desk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what services say of themselves."""
    for name in OF_SERVICES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def own_runs(base: Path) -> Path:
    """The small registry, with a source of own runs."""
    source = "id: my-runs\ntitle: My runs\nkind: own_run\npublisher: me\n"
    (base / "records/sources/my-runs.yaml").write_text(source, encoding="utf-8")
    return base


@pytest.fixture
def imported(own_runs: Path) -> Callable[..., int]:
    """A function that writes run files and imports them with some options."""

    def command(*options: str, source: str = "my-runs", **files: Any) -> int:
        folder = own_runs / "runs"
        folder.mkdir(exist_ok=True)
        paths = []
        for name, tree in files.items():
            path = folder / f"{name}.json"
            text = tree if isinstance(tree, str) else json.dumps(tree)
            path.write_text(text, encoding="utf-8")
            paths.append(str(path))
        whose = ("--source", source) if source else ()
        return run(["import", *paths, "--registry", str(own_runs), *whose, *options])

    return command


@lru_cache(maxsize=8)
def loaded_once(*arguments: object, **more: object) -> object:
    """Return a registry that no test changes, read once for all of them."""
    return load(*arguments, **more)  # type: ignore[arg-type]


@pytest.fixture
def shipped_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the commands that only ask read the shipped registry once for all tests."""
    for name in ("show", "findings", "cite"):
        monkeypatch.setattr(f"benchreg.cli.{name}.load", loaded_once)
