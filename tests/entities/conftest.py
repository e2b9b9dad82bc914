"""The golden documents, read as the reader reads every document, and both judges of a tree."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from benchreg.entities.record import Record
from benchreg.registry.document import Document
from benchreg.registry.judge import ENTITIES
from benchreg.registry.read import Reader

TESTS = Path(__file__).parents[1]
GOLDEN = sorted((TESTS / "data" / "golden").glob("*.yaml"))
SCHEMAS = {
    kind: json.loads((TESTS.parent / "schema" / f"{kind}.schema.json").read_bytes())
    for kind in ENTITIES
}
JUDGES = {kind: Draft202012Validator(schema) for kind, schema in SCHEMAS.items()}

SHORTEST = {
    "id": "example",
    "title": "The shortest record",
    "kind": "example",
    "status": "active",
    "source": {"id": "example-source", "retrieved": "2026-11-01"},
}

Verdicts = tuple[bool, bool]
Judge = Callable[[str, Any], Verdicts]


def kind_of(path: Path) -> str:
    """Return the kind of a golden document: its name up to the first dash."""
    return path.stem.partition("-")[0]


@cache
def golden_document(path: Path) -> Document:
    """Return a golden document; no test changes its tree."""
    return Reader().read(path.name, path.read_bytes())


def verdicts(kind: str, tree: Any) -> Verdicts:
    """Return whether the models accept a tree, and whether the committed schema does."""
    try:
        ENTITIES[kind].model_validate(tree)
    except ValidationError:
        accepted = False
    else:
        accepted = True
    return accepted, bool(JUDGES[kind].is_valid(tree))


@pytest.fixture(params=GOLDEN, ids=lambda path: path.stem)
def golden(request: pytest.FixtureRequest) -> tuple[str, Document]:
    """Each golden document with its kind."""
    path: Path = request.param
    return kind_of(path), golden_document(path)


@pytest.fixture(scope="session")
def judged() -> Judge:
    """Both judges of a tree."""
    return verdicts


@pytest.fixture(scope="session")
def schemas() -> dict[str, Any]:
    """The committed schemas by kind."""
    return SCHEMAS


@pytest.fixture(scope="session")
def golden_trees() -> dict[str, list[Any]]:
    """The trees of the golden documents by kind."""
    trees: dict[str, list[Any]] = {kind: [] for kind in ENTITIES}
    for path in GOLDEN:
        trees[kind_of(path)].append(golden_document(path).tree)
    return trees


@pytest.fixture(scope="session")
def record_with() -> Callable[..., Record]:
    """Parse the shortest record there is, with more keys."""

    def parse(**more: Any) -> Record:
        return Record.model_validate({**SHORTEST, **more})

    return parse
