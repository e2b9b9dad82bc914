"""Records with some of their blocks replaced, findings, and reports of them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchreg.audit.engine import Report
from benchreg.audit.finding import Finding, Problem, Severity
from benchreg.entities.record import Record
from benchreg.registry.load import load
from benchreg.registry.registry import Registry

Draw = Callable[..., tuple[Registry, Record]]


@pytest.fixture
def drawn(changed: Callable[..., Path]) -> Draw:
    """A function that replaces blocks of the base record and of others, and reads them."""

    def draw(fragment: str = "", **others: str) -> tuple[Registry, Record]:
        registry = load(changed(fragment, **others))
        assert registry.refusals == ()
        return registry, registry.records["base-record"]

    return draw


@pytest.fixture(scope="session")
def finding() -> Callable[..., Finding]:
    """A function that makes a finding; what is not said of it is plain."""

    def make(severity: Severity = Severity.ERROR, **said: str | int) -> Finding:
        told = {"path": "records/a.yaml", "line": 3, "column": 5, "code": "MET004"} | said
        told = {"name": "rate-without-scope", "pointer": "/results/a", "hint": "say whose"} | told
        told = {"message": "no scope"} | told
        problem = Problem(("results", str(told["pointer"])), str(told["message"]))
        return Finding(severity=severity, about=(None, problem), **told)  # type: ignore[arg-type]

    return make


@pytest.fixture(scope="session")
def report() -> Callable[..., Report]:
    """A function that makes a report of these findings."""

    def make(*findings: Finding, **said: Any) -> Report:
        made = Report(findings, (), (), {"MET004": 9}, 2, 8, 3, 0)
        return replace(made, **said)

    return make
