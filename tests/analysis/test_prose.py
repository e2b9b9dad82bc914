"""Texts in which something is found, in documents that share their blocks."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchreg.analysis.prose import texts
from benchreg.registry.document import Document, Tree
from benchreg.registry.load import load
from benchreg.registry.registry import Registry

WHERE = "records/benchmarks/example-source"
HOST = "gpu01.corp"
NOTES = f"notes: measured on {HOST}\n"


def written(root: Path, *names: str, text: str) -> None:
    base = (root / WHERE / "base-record.yaml").read_text(encoding="utf-8")
    for name in names:
        path = root / WHERE / f"{name}.yaml"
        path.write_text(base.replace("base-record", name) + text, encoding="utf-8")


def found(registry: Registry) -> Iterator[tuple[str, object, str]]:
    for entry in registry.entries:
        for at, text in texts(registry, entry.document, "leaks"):
            yield entry.document.tree["id"], at, text


def test_a_text_that_several_documents_share_is_found_in_each(base: Path) -> None:
    written(base, "one-record", "two-record", text=NOTES)
    registry = load(base)
    expected = [(name, ("notes",), f"measured on {HOST}") for name in ("one-record", "two-record")]
    assert list(found(registry)) == expected
    assert list(found(registry)) == expected


def test_a_text_is_found_beside_blocks_that_were_looked_into_before(base: Path) -> None:
    written(base, "one-record", text="notes: nothing\n")
    written(base, "two-record", text=f"notes: nothing\naliases: [{HOST}]\n")
    assert list(found(load(base))) == [("two-record", ("aliases", 0), HOST)]


def test_a_text_within_lists_and_mappings_is_found_in_the_order_of_the_file(base: Path) -> None:
    claim = f"{{says: on {HOST}, locator: at {HOST}, stated: '1', formula: '1'}}"
    written(base, "one-record", text=f"claims:\n  - {claim}\n{NOTES}")
    assert [at for _, at, _ in found(load(base))] == [
        ("claims", 0, "says"),
        ("claims", 0, "locator"),
        ("notes",),
    ]


def test_registries_do_not_know_of_each_other(base: Path) -> None:
    written(base, "one-record", text=NOTES)
    before = load(base)
    assert len(list(found(before))) == 1
    (base / WHERE / "one-record.yaml").unlink()
    assert list(found(load(base))) == []
    assert len(list(found(before))) == 1


@pytest.mark.parametrize(("tree", "count"), [({"notes": HOST}, 1), ({"notes": "nothing"}, 0)])
def test_a_document_without_its_blocks_is_looked_into(
    tree: Tree, count: int, shipped: Registry
) -> None:
    document = Document("records/x.yaml", "\n", tree, (), suspect=False)
    assert len(texts(shipped, document, "leaks")) == count
