"""A line can be shown of every file in which a fault has its place, and of no other."""

from pathlib import Path

import pytest

from benchreg.registry.load import contents, load
from benchreg.registry.texts import texts

ENGINE = "records/engines/example-engine.yaml"
NEW = "records/engines/new.yaml"


def of(root: Path, path: str) -> str:
    return texts(load(root), lambda one: contents(root / one))(path)


def test_a_document_is_given_as_it_was_read(base: Path) -> None:
    registry, expected = load(base), (base / ENGINE).read_text(encoding="utf-8")
    (base / ENGINE).unlink()
    assert texts(registry, lambda one: contents(base / one))(ENGINE) == expected


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("no YAML", b"id: [1\n", "id: [1\n"),
        ("an anchor", b"id: &a b\n", "id: &a b\n"),
        ("a control character", b"id: a\x1bb\n", "id: a\x1bb\n"),
        ("an unseen character", "id: a\u202eb\n".encode(), "id: a\u202eb\n"),
        ("another encoding", "\ufeffid: [1\n".encode("utf-16-le"), "id: [1\n"),
        ("no UTF-8", b"id: \xff\n", ""),
        ("UTF-32", "\ufeffid: a\n".encode("utf-32-le"), ""),
        ("too large", b"#" * 300_000, ""),
    ],
)
def test_a_file_that_is_no_document_is_read_again(
    name: str, data: bytes, text: str, base: Path
) -> None:
    (base / NEW).write_bytes(data)
    assert of(base, NEW) == text, name


def test_what_is_no_plain_file_or_in_no_place_of_an_entity_is_not_read(base: Path) -> None:
    (base / "secret").write_text("id: [1\n", encoding="utf-8")
    (base / NEW).symlink_to(base / "secret")
    (base / "records/secret.txt").write_text("id: [1\n", encoding="utf-8")
    for path in (NEW, "records/secret.txt", "records", "records/none.yaml"):
        assert of(base, path) == "", path


def test_a_file_that_became_a_link_meanwhile_is_not_followed(base: Path) -> None:
    (base / NEW).write_text("id: [1\n", encoding="utf-8")
    found = texts(load(base), lambda one: contents(base / one))
    (base / NEW).unlink()
    (base / NEW).symlink_to(base / ENGINE)
    assert found(NEW) == ""
