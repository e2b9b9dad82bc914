"""A revised registry is the one that would be loaded if the files read so."""

from pathlib import Path

import pytest

from benchreg.registry.load import load
from benchreg.registry.registry import Registry
from benchreg.registry.revise import revised

RECORD = "records/benchmarks/example-source/base-record.yaml"
ENGINE = "records/engines/example-engine.yaml"


def told(registry: Registry) -> tuple[object, ...]:
    return (
        registry.entries,
        registry.refusals,
        dict(registry.broken),
        registry.refused_ids,
        {path: document.tree for path, document in sorted(registry.documents.items())},
        (registry.cross_validated, registry.today),
    )


@pytest.mark.parametrize("path", [RECORD, ENGINE])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("example-engine", "other-engine", id="another entity"),
        pytest.param("id: ", "idd: ", id="refused by the models"),
        pytest.param("id: ", "id: &a ", id="refused by the reader"),
    ],
)
@pytest.mark.parametrize("there", [True, False], ids=["and back", "and not back"])
def test_what_is_revised_is_what_is_loaded(
    path: str, before: str, after: str, there: bool, base: Path
) -> None:
    text = (base / path).read_text(encoding="utf-8")
    first = load(base, cross_validate=True)
    changed = text.replace(before, after, 1)
    revision = revised(first, {path: changed})
    (base / path).write_text(changed, encoding="utf-8")
    assert told(revision) == told(load(base, cross_validate=True))
    if there:
        assert told(revised(revision, {path: text})) == told(first)


def test_a_text_where_no_entity_belongs_is_passed_over(base: Path) -> None:
    registry = load(base)
    assert told(revised(registry, {"records/notes.txt": "id: a\n"})) == told(registry)


def test_a_text_that_is_too_large_is_refused(base: Path) -> None:
    revision = revised(load(base), {ENGINE: "# " + "x" * 2**18})
    assert [one.message[:19] for one in revision.refusals] == ["larger than 256 KiB"]
