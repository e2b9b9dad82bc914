"""A folder becomes a registry; what is no entity in it becomes a refusal, whatever it is."""

import gc
import os
import tracemalloc
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from benchreg.registry.dialect import MOST_BYTES
from benchreg.registry.document import Place
from benchreg.registry.load import contents, files, kind_of, load
from benchreg.registry.refusal import Refusal
from benchreg.values.errors import BenchregError

ENGINE = b"id: swift\nname: Swift\n"
RECORD = b"""\
id: run-1
title: A run
kind: measurement
status: active
source: {id: own-run, retrieved: "2026-04-16"}
"""
TOO_LARGE = "larger than 256 KiB; split it into several records"
NO_PLACE = (
    "a record belongs at records/benchmarks/<source>/.../<id>.yaml, another entity at "
    "records/<kind>/<id>.yaml, with <kind> one of benchmarks, accelerators, models, engines, "
    "sources, metrics"
)
IS_ROOT = os.geteuid() == 0

Write = Callable[[str, bytes], Path]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a folder with one engine in its registry."""
    (tmp_path / "records/engines").mkdir(parents=True)
    (tmp_path / "records/engines/swift.yaml").write_bytes(ENGINE)
    return tmp_path


@pytest.fixture
def write(root: Path) -> Write:
    """Return what writes a file below the root."""

    def write_at(path: str, data: bytes) -> Path:
        at = root / path
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_bytes(data)
        return at

    return write_at


def refusals(root: Path) -> list[tuple[str, str, str, str]]:
    """Return what was refused beside the one engine, which never is."""
    registry = load(root)
    assert registry.engines["swift"].name == "Swift"
    return [
        (refusal.path, refusal.kind, refusal.message, refusal.hint) for refusal in registry.refusals
    ]


def test_every_entity_is_there_by_its_id(root: Path, write: Write) -> None:
    write("records/benchmarks/own-run/deep/run-1.yaml", RECORD)
    write("records/sources/own-run.yaml", b"id: own-run\ntitle: t\nkind: own_run\npublisher: p\n")
    registry = load(root)
    assert registry.refusals == ()
    assert registry.records["run-1"].title == "A run"
    assert registry.sources["own-run"].publisher == "p"
    assert sorted(registry.documents) == [
        "records/benchmarks/own-run/deep/run-1.yaml",
        "records/engines/swift.yaml",
        "records/sources/own-run.yaml",
    ]


@pytest.mark.parametrize("name", ["README.yaml", "LICENSE.yaml", ".git.yaml"])
def test_no_entity_hides_behind_the_name_of_a_file_that_is_left_alone(
    root: Path, write: Write, name: str
) -> None:
    write(f"records/engines/{name}", b"id: a\nname: A\n")
    assert sorted(load(root).engines) == ["a", "swift"]


@pytest.mark.parametrize(
    ("name", "only", "read"),
    [
        ("nothing said", frozenset[str](), ["run-1", "swift", "own-run"]),
        ("one kind", frozenset(("engine",)), ["swift"]),
        ("two kinds", frozenset(("record", "source")), ["run-1", "own-run"]),
        ("a kind that is not there", frozenset(("model",)), []),
    ],
)
def test_only_the_kinds_that_are_wanted_are_read(
    name: str, only: frozenset[str], read: list[str], root: Path, write: Write
) -> None:
    write("records/benchmarks/own-run/run-1.yaml", RECORD)
    write("records/sources/own-run.yaml", b"id: own-run\ntitle: t\nkind: own_run\npublisher: p\n")
    registry = load(root, only=only)
    assert [document.tree["id"] for document in registry.documents.values()] == read, name
    assert len(registry.entries) == len(read)


def test_what_is_not_wanted_is_not_refused_either(root: Path, write: Write) -> None:
    write("records/benchmarks/own-run/run-1.yaml", b"\xff")
    write("records/models/a.yaml", b"id: a\n")
    registry = load(root, only=frozenset(("engine", "model")))
    assert {refusal.path for refusal in registry.refusals} == {"records/models/a.yaml"}
    assert ("models", "a") in registry.refused_ids


def test_an_empty_folder_is_an_empty_registry(tmp_path: Path) -> None:
    (tmp_path / "records").mkdir()
    registry = load(tmp_path)
    assert (registry.entries, registry.refusals, dict(registry.documents)) == ((), (), {})


def test_a_refused_file_keeps_no_other_from_being_read(root: Path, write: Write) -> None:
    write("records/engines/a.yaml", b"id: a\nname: &x A\n")
    write("records/engines/z.yaml", b"id: z\nname: Z\n")
    registry = load(root)
    assert sorted(registry.engines) == ["swift", "z"]
    assert registry.refusals == (
        Refusal(
            "records/engines/a.yaml",
            "dialect",
            "an anchor `&`; take it out, and write the value each time",
            place=Place(2, 7),
        ),
    )


def test_what_cannot_be_seen_in_a_file_is_unsafe(root: Path, write: Write) -> None:
    write("records/engines/a.yaml", "id: a # \u202e\nname: A\n".encode())
    assert load(root).refusals == (
        Refusal(
            "records/engines/a.yaml",
            "unsafe",
            "the invisible character U+202E; take it out",
            place=Place(1, 9),
        ),
    )


def test_a_document_that_is_no_entity_is_kept_beside_its_refusals(root: Path, write: Write) -> None:
    write("records/engines/a.yaml", b"id: a\nnmae: A\n")
    registry = load(root)
    assert "a" not in registry.engines
    assert registry.documents["records/engines/a.yaml"].tree == {"id": "a", "nmae": "A"}
    assert [refusal.message for refusal in registry.refusals] == [
        "the key 'name' is missing in /",
        "unknown key 'nmae' in /",
    ]


def test_both_judges_see_every_document_if_asked(root: Path, write: Write) -> None:
    write("records/benchmarks/own-run/run-1.yaml", RECORD)
    registry = load(root, cross_validate=True)
    assert (registry.cross_validated, registry.refusals) == (True, ())


@pytest.mark.parametrize(
    "path",
    [
        *("records/engines/swift.yml", "records/engines/swift.json", "records/engines/a.YAML"),
        *("records/engines/a.Json", "records/a.yaml", "records/engine/a.yaml"),
        *("records/engines/deeper/a.yaml", "records/other/deep/er/a.yaml"),
        *("records/benchmarks.yaml", "records/benchmarks/a/b.yml", "records/.yaml"),
        *("records/benchmarks/a.yaml", "records/engines/notes.txt", "records/yaml"),
        *("records/models/README", "records/LICENSE.txt", "records/.gitkeep", "records/.git"),
    ],
)
def test_a_file_where_no_entity_belongs_is_refused(root: Path, write: Write, path: str) -> None:
    write(path, ENGINE)
    assert refusals(root) == [(path, "schema", "a file where no entity belongs", NO_PLACE)]


@pytest.mark.parametrize(
    "path",
    [
        *("records/README.md", "records/models/README.md", "records/LICENSE", "other/a.yaml"),
        *("records/.gitignore", "records/benchmarks/a/.gitattributes"),
    ],
)
def test_a_file_that_is_not_meant_as_an_entity_is_left_alone(
    root: Path, write: Write, path: str
) -> None:
    write(path, b"\xff\0 &x {{{")
    assert refusals(root) == []


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("records/benchmarks/a/b.yaml", "record"),
        ("records/benchmarks/a/b/c/d.yaml", "record"),
        ("records/accelerators/a.yaml", "accelerator"),
        ("records/models/a.yaml", "model"),
        ("records/engines/a.yaml", "engine"),
        ("records/sources/a.yaml", "source"),
        ("records/metrics/a.yaml", "metric"),
        ("records/metrics/a/b.yaml", None),
        ("records/records/a.yaml", None),
        ("records/a.yaml", None),
        ("records/benchmarks/a.yaml", None),
        ("records/benchmarks/a/b.json", None),
    ],
)
def test_the_folder_says_what_a_file_is(path: str, kind: str | None) -> None:
    assert kind_of(path) == kind


def test_a_file_of_the_largest_size_is_read(root: Path, write: Write) -> None:
    data = b"id: a\nname: A\n# "
    write("records/engines/a.yaml", data + b"x" * (MOST_BYTES - len(data)))
    assert sorted(load(root).engines) == ["a", "swift"]


def test_a_file_of_one_byte_more_is_refused(root: Path, write: Write) -> None:
    data = b"id: a\nname: A\n# "
    write("records/engines/a.yaml", data + b"x" * (MOST_BYTES - len(data) + 1))
    assert refusals(root) == [("records/engines/a.yaml", "dialect", TOO_LARGE, "")]


def test_a_file_that_comes_in_small_pieces_is_read_to_its_end(
    root: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = os.read
    monkeypatch.setattr(os, "read", lambda handle, most: read(handle, min(most, 7)))
    path = write("records/engines/a.yaml", b"id: a\nname: A long name\n" + b"#" * 500)
    assert contents(path) == path.read_bytes()
    assert load(root).engines["a"].name == "A long name"


def test_50_mb_of_text_are_refused_without_being_read(root: Path, write: Write) -> None:
    write("records/engines/a.yaml", b"name: A\n" * 6_250_000)
    tracemalloc.start()
    try:
        found = refusals(root)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found == [("records/engines/a.yaml", "dialect", TOO_LARGE, "")]
    assert most < 4 * MOST_BYTES


def test_a_file_of_1_gb_that_takes_no_room_is_refused_without_being_read(
    root: Path, write: Write
) -> None:
    path = write("records/engines/a.yaml", ENGINE)
    os.truncate(path, 1 << 30)
    assert refusals(root) == [("records/engines/a.yaml", "dialect", TOO_LARGE, "")]


def test_a_pipe_is_refused_and_not_waited_for(root: Path) -> None:
    os.mkfifo(root / "records/engines/a.yaml")
    assert refusals(root) == [
        (
            "records/engines/a.yaml",
            "dialect",
            "cannot be read: not a regular file",
            "make it a plain file",
        )
    ]


def test_a_folder_with_the_name_of_a_file_is_a_folder(root: Path, write: Write) -> None:
    write("records/benchmarks/a.yaml/run-1.yaml", RECORD)
    assert list(load(root).records) == ["run-1"]


@pytest.mark.parametrize(
    ("name", "link", "target"),
    [
        ("out of the root", "records/engines/a.yaml", "/etc/hostname"),
        ("within the root", "records/engines/a.yaml", "swift.yaml"),
        ("to nothing", "records/engines/a.yaml", "nothing.yaml"),
        ("to itself", "records/engines/a.yaml", "a.yaml"),
        ("to a folder", "records/models", "engines"),
        ("to a folder above itself", "records/engines/loop", "../.."),
        ("to the folder of all files", "records/models", "/"),
    ],
)
def test_a_symbolic_link_is_refused_and_not_followed(
    root: Path, name: str, link: str, target: str
) -> None:
    (root / link).symlink_to(target)
    assert refusals(root) == [(link, "dialect", "a symbolic link", "put the file itself here")], (
        name
    )


def test_records_that_are_a_symbolic_link_are_no_registry(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "records").symlink_to(root / "records")
    with pytest.raises(BenchregError, match="is a symbolic link; a registry is a folder of its"):
        load(other)


@pytest.mark.skipif(IS_ROOT, reason="root may read everything")
def test_an_unreadable_file_is_refused(root: Path, write: Write) -> None:
    write("records/engines/a.yaml", ENGINE).chmod(0)
    assert refusals(root) == [
        (
            "records/engines/a.yaml",
            "dialect",
            "cannot be read: Permission denied",
            "make it a plain file",
        )
    ]


@pytest.mark.skipif(IS_ROOT, reason="root may read everything")
def test_an_unreadable_folder_is_refused(root: Path, write: Write) -> None:
    folder = write("records/models/a.yaml", ENGINE).parent
    folder.chmod(0)
    try:
        found = refusals(root)
    finally:
        folder.chmod(0o700)
    assert found == [
        ("records/models", "dialect", "cannot be read: Permission denied", "give read permission")
    ]


@pytest.mark.parametrize(
    ("name", "path", "shown_as"),
    [
        ("a newline", "engines/a\nb.yaml", r"engines/a\nb.yaml"),
        ("an escape", "engines/\x1b[2J.yaml", r"engines/\x1b[2J.yaml"),
        ("a turn of direction", "engines/\u202elmay.yaml", r"engines/\u202elmay.yaml"),
        ("no text", os.fsdecode(b"engines/\xff.yaml"), r"engines/\udcff.yaml"),
        ("what looks like a finding", "engines/a:1:1: SCH001.yaml", "engines/a:1:1: SCH001.yaml"),
        ("a command", "engines/$(touch x).yaml", "engines/$(touch x).yaml"),
        ("an accent", "engines/é.yaml", "engines/é.yaml"),
        ("a folder", "benchmarks/\x1b/b.yaml", r"benchmarks/\x1b"),
        ("a file that is no entity", "engines/a b.txt", "engines/a b.txt"),
    ],
)
def test_a_file_name_that_could_deceive_is_refused_and_shown_safely(
    root: Path, write: Write, name: str, path: str, shown_as: str
) -> None:
    write(f"records/{path}", ENGINE)
    assert refusals(root) == [
        (
            f"records/{shown_as}",
            "unsafe",
            "a name that could deceive",
            "name it with letters, digits, and . _ - only",
        )
    ], name


def test_the_files_of_a_registry_are_listed_without_being_read(root: Path, write: Write) -> None:
    write("records/sources/a.yaml", b"\xff")
    (root / "records/engines/b.yaml").symlink_to("swift.yaml")
    found, refused = files(root)
    assert found == ["records/engines/swift.yaml", "records/sources/a.yaml"]
    assert [refusal.path for refusal in refused] == ["records/engines/b.yaml"]


def test_folders_may_be_deep(root: Path, write: Write) -> None:
    write(f"records/benchmarks/{'d/' * 500}run-1.yaml", RECORD)
    assert list(load(root).records) == ["run-1"]


def test_folders_deeper_than_a_path_can_say_are_refused(root: Path) -> None:
    folder = "d" * 200
    here = os.open(root / "records", os.O_RDONLY)
    for _ in range(25):
        os.mkdir(folder, dir_fd=here)
        deeper = os.open(folder, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)
    [(path, kind, message, hint)] = refusals(root)
    assert path.startswith(f"records/{folder}/{folder}")
    assert (kind, message) == ("dialect", "cannot be read: File name too long")
    assert hint == "give read permission"


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("empty", b"", "an empty file; a document is a mapping of keys"),
        ("binary", bytes(range(256)), "not UTF-8 text; save the file as UTF-8"),
        ("a list", b"- a\n", "a document is a mapping of keys, not a list or a value"),
        ("a picture", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "not UTF-8 text; save the file as UTF-8"),
    ],
)
def test_a_file_that_is_no_document_is_refused(
    root: Path, write: Write, name: str, data: bytes, message: str
) -> None:
    write("records/engines/a.yaml", data)
    assert refusals(root) == [("records/engines/a.yaml", "dialect", message, "")], name


def test_a_folder_without_records_is_bad_use(tmp_path: Path) -> None:
    with pytest.raises(BenchregError, match="holds no folder `records/`"):
        load(tmp_path)


def test_records_that_are_a_file_are_bad_use(tmp_path: Path) -> None:
    (tmp_path / "records").write_bytes(b"")
    with pytest.raises(BenchregError, match="holds no folder `records/`"):
        load(tmp_path)


def test_the_collector_of_garbage_works_again_after_loading(root: Path) -> None:
    load(root)
    assert gc.isenabled()


def test_a_registry_knows_the_day_that_it_was_told_and_no_other(root: Path) -> None:
    assert load(root, today=date(2026, 11, 30)).today == "2026-11-30"
    assert load(root).today == ""
