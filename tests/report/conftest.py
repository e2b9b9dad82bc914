"""The base record with some of its blocks replaced, and the registry that it stands in."""

from collections.abc import Callable
from pathlib import Path

import pytest

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
