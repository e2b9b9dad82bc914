"""Records to compare and to judge: the base record changed, and operating points in memory."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from benchreg.analysis.crosscheck import Verdict, crosscheck
from benchreg.entities.record import Record
from benchreg.registry.load import load
from benchreg.registry.registry import Registry
from benchreg.registry.roots import own_root

Draw = Callable[..., tuple[Registry, Record]]
State = Callable[..., Record]
Judge = Callable[..., Verdict]

BASE = Path(__file__).parents[1] / "data/base/records"
# A static batch of 8 of which everything is known.
POINT: dict[str, Any] = {
    "id": "point",
    "title": "An operating point",
    "kind": "example",
    "status": "active",
    "source": {"id": "example-source", "retrieved": "2026-11-01"},
    "model": {"id": "example-model"},
    "hardware": {"pools": [{"accelerator": "example-gpu-80gb", "count": 1}]},
    "engine": {"id": "example-engine"},
    "precision": {"weights": "bf16", "activations": "bf16", "kv_cache": "bf16"},
    "workload": {
        "input_tokens": 512,
        "output_tokens": 64,
        "output_policy": "forced",
        "distribution": "fixed",
        "prefix_cache": {"enabled": False},
        "speculative": {"method": "none"},
    },
    "load": {"pattern": "static_batch", "batch_size": 8},
}


@pytest.fixture
def drawn(changed: Callable[..., Path]) -> Draw:
    """A function that replaces blocks of the base record and of others, and reads them."""

    def draw(fragment: str = "", **others: str) -> tuple[Registry, Record]:
        registry = load(changed(fragment, **others))
        assert registry.refusals == ()
        return registry, registry.records["base-record"]

    return draw


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    """The small registry with the shipped metrics, which no test changes."""
    root = tmp_path_factory.mktemp("small")
    shutil.copytree(BASE, root / "records")
    shutil.copytree(own_root() / "records/metrics", root / "records/metrics")
    registry = load(root)
    assert registry.refusals == ()
    return registry


@pytest.fixture(scope="session")
def stated() -> State:
    """A function: the operating point with other words in some blocks; `None` leaves one out."""
    return _stated


def _stated(**blocks: Any) -> Record:
    known = POINT | {name: _block(name, block) for name, block in blocks.items()}
    return Record.model_validate(_as_read(known))


def _as_read(tree: Any) -> Any:
    """Return a tree with its numbers as a document has them."""
    if isinstance(tree, Mapping):
        return {key: _as_read(value) for key, value in tree.items()}
    if isinstance(tree, list | tuple):
        return [_as_read(value) for value in tree]
    return Decimal(repr(tree)) if isinstance(tree, float) else tree


def _block(name: str, block: Any) -> Any:
    if not isinstance(block, Mapping) or name not in POINT or "pools" in block:
        return block
    return {key: value for key, value in (POINT[name] | block).items() if value is not None}


@pytest.fixture(scope="session")
def verdict(small: Registry) -> Judge:
    """A function: the verdict of one figure, given in the words of a record, at a point.

    Each point has an id of its own: a registry remembers what the digits of a figure stand for.
    """
    numbers = count()

    def judge(figure: Mapping[str, Any], among: Registry = small, **blocks: Any) -> Verdict:
        record = _stated(results={"figure": dict(figure)}, id=f"point-{next(numbers)}", **blocks)
        return crosscheck(among, [record])[(record.id, "figure")]

    return judge


@pytest.fixture(scope="session")
def with_entries(small: Registry) -> Callable[..., Registry]:
    """A function: the small registry in which some entries say something else."""

    def change(**plural: Mapping[str, Mapping[str, Any]]) -> Registry:
        maps: dict[str, Any] = {
            kind: {**getattr(small, kind), **dict(_entries(small, kind, entries))}
            for kind, entries in plural.items()
        }
        return replace(small, **maps)

    return change


def _entries(registry: Registry, kind: str, entries: Mapping[str, Mapping[str, Any]]) -> Any:
    known = getattr(registry, kind)
    first = next(iter(known.values()))
    for name, changes in entries.items():
        of = known.get(name, first)
        tree = of.model_dump(exclude_unset=True) | {"id": name} | dict(changes)
        given = {key: value for key, value in tree.items() if value is not None}
        yield name, type(of).model_validate(_as_read(given))
