"""The house stands: imports go down, files stay small, names say something."""

import ast
from pathlib import Path

import pytest

import benchreg

HOUSE = Path(benchreg.__file__).parent
FLOORS = (
    {"values"},
    {"entities"},
    {"registry"},
    {"roofline"},
    {"analysis", "importers"},
    {"snapshot"},
    {"audit"},
    {"report", "publish"},
    {"api"},
    {"cli"},
    {"__init__", "__main__"},
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
FILES = sorted(HOUSE.rglob("*.py"))
SAY_NOTHING = {"utils", "helpers", "common", "misc", "constants", "manager", "core"}
HOME = {
    "yaml": {"registry"},
    "jsonschema": {"registry"},
    "pydantic": {
        *("entities", "registry", "roofline", "analysis", "importers"),
        *("snapshot", "audit", "report", "publish"),
    },
    "click": {"cli"},
    "numpy": {"roofline", "analysis"},
    "ijson": {"importers"},
}


def room(path: Path) -> str:
    return path.relative_to(HOUSE).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    modules = {
        name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            modules |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
    return modules


def test_the_house_has_files() -> None:
    assert len(FILES) > 20


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(HOUSE)))
def test_a_module_imports_from_lower_floors_or_its_own_room(path: Path) -> None:
    here = room(path)
    rooms = {name.split(".")[1] for name in imported(path) if name.startswith("benchreg.")}
    above = {
        other
        for other in rooms & FLOOR.keys()
        if other != here and FLOOR[other] >= FLOOR.get(here, -1)
    }
    assert not above


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(HOUSE)))
def test_a_third_party_lives_in_its_rooms(path: Path) -> None:
    for party in imported(path) & HOME.keys():
        assert room(path) in HOME[party]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(HOUSE)))
def test_a_file_is_short_and_its_name_says_something(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 330
    assert path.stem not in SAY_NOTHING
