"""Files come into the canonical form: nothing is said otherwise, and no comment is lost."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchreg.registry.dialect import DialectError
from benchreg.registry.document import Document
from benchreg.registry.edit import Edition, below_schema, canonical, editions
from benchreg.registry.load import kind_of
from benchreg.registry.read import Reader
from benchreg.registry.refusal import Refusal
from benchreg.registry.write import write
from benchreg.values.errors import BenchregError

CHECKOUT = Path(__file__).parents[2]
GOLDEN = sorted((CHECKOUT / "tests/data/golden").glob("*.yaml"))
BASE = sorted((CHECKOUT / "tests/data/base/records").rglob("*.yaml"))
SHIPPED = sorted((CHECKOUT / "records").rglob("*.yaml"))
SOME_SHIPPED = SHIPPED[::25]  # `fmt --check` asks all of them
PATH = "records/benchmarks/example-source/example.yaml"
MODELINE = "# yaml-language-server: $schema=../../../schema/record.schema.json\n"


def read(text: str) -> Document:
    return Reader().read("file.yaml", text.encode())


def formatted(text: str) -> str:
    return canonical("record", read(text), PATH)


def kind(path: Path) -> str:
    """Return the kind of a file of a registry, or of a golden one."""
    parts = path.relative_to(CHECKOUT).parts
    if "records" not in parts:
        return path.stem.partition("-")[0]
    return str(kind_of("/".join(parts[parts.index("records") :])))


def test_there_are_files() -> None:
    assert len(GOLDEN) > 5
    assert len(BASE) > 5
    assert len(SHIPPED) > 100


@pytest.mark.parametrize("path", [*GOLDEN, *BASE, *SOME_SHIPPED], ids=lambda path: path.stem)
def test_every_file_of_ours_is_in_the_canonical_form(path: Path) -> None:
    text, below = path.read_text(encoding="utf-8"), path.relative_to(CHECKOUT).as_posix()
    document = read(text)
    assert canonical(kind(path), document, below) == text
    without_comments = re.sub(r"(?m)^# (?!yaml-language-server).*\n", "", text)
    assert write(kind(path), document.tree, below) == without_comments


def test_the_comments_of_a_whole_record_stay_where_they_belong() -> None:
    text = """\
# a record
title: An example  # in one line
# its own name
id: example # as the file
kind: example
status: active
results:   # all of one run
  # the rate
  rate: {value: 1, # measured
         metric: output_throughput}
  # nothing else
source:
    retrieved: "2026-11-01"   # by hand
    # which one
    id: example-source
hardware:
  pools:
  # one part
  - count: 1
    # by its sticker
    accelerator: a100
    # and nothing else
aliases: [a, # short
  b]
notes: > # prose
  Folded
  text.
# the end
"""
    assert (
        formatted(text)
        == f"""\
{MODELINE}# a record
# its own name
id: example  # as the file
title: An example  # in one line
kind: example
status: active

aliases:
  - a  # short
  - b

source:
  # which one
  id: example-source
  retrieved: "2026-11-01"  # by hand

hardware:
  pools:
    # one part
    # by its sticker
    - accelerator: a100
      count: 1
      # and nothing else

results:  # all of one run
  # the rate
  rate:
    metric: output_throughput
    value: 1  # measured
  # nothing else

notes: >  # prose
  Folded text.

# the end
"""
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("id: a", "id: a\n", id="no end of the last line"),
        pytest.param("id: a\r\ntitle: b\r\n", "id: a\ntitle: b\n", id="line ends of Windows"),
        pytest.param("---\nid: a\n...\n", "id: a\n", id="marks of a document"),
        pytest.param('{"id": "a", "title": 1}', "id: a\ntitle: 1\n", id="JSON"),
        pytest.param("id: a\n\n\n\ntitle: b\n\n", "id: a\ntitle: b\n", id="blank lines"),
        pytest.param("# c\n\n\nid: a\n", "# c\nid: a\n", id="blank lines behind a comment"),
        pytest.param(f"id: a\n{MODELINE}title: b\n", "id: a\ntitle: b\n", id="a strewn modeline"),
        pytest.param("id: 'a'\ntitle: \"b\"\n", "id: a\ntitle: b\n", id="needless quotes"),
    ],
)
def test_what_says_nothing_is_not_kept(text: str, expected: str) -> None:
    assert formatted(text) == MODELINE + expected


BLOCKS = (
    "id: a\n", "title: b\n", "kind: 'c d'\n", "source:\n  retrieved: x\n  id: y\n",
    "model: {id: a,\n  revision: b}\n", "aliases: [a,\n b]\n", "aliases:\n- a\n- b\n",
    "hardware:\n  pools:\n  - count: 1\n    accelerator: a\n  -\n    count: 2\n",
    "results:\n  r:\n      value: 1.50\n      metric: m\n  s: {metric: n, aliases: []}\n",
    "absent:\n  slo: x\n  load:\n    because: y\n    note: >-\n      a b\n\n      c\n",
    "notes: |\n  a\n   b\n", "attribution: 'a # b'\n", "links:\n", "slo: {}\n", "claims: []\n",
    "x:\n- - a\n  - b: 1\n-\n- c\n", "? y\n: z\n", 'u: "v\\\n  w"\n', "engine:\n  flags: a\n   b\n",
)  # fmt: skip
COMMENTS = st.sampled_from(
    ("# c", "#", "#é - ? [x] {", "# d: 1", "#e # f", "# '", "# yaml-language-server: x", "# g  ")
)


@st.composite
def commented(draw: st.DrawFn) -> str:
    """Draw a document with comments strewn over it."""
    text = "".join(draw(st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=5, unique=True)))
    lines = text.splitlines()
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(lines) - 1))
        comment = draw(COMMENTS)
        if draw(st.booleans()):
            lines[at] += draw(st.sampled_from((" ", "  "))) + comment
        else:
            lines.insert(at, " " * draw(st.integers(0, 8)) + comment)
    end = draw(st.sampled_from(("\n", "\r\n")))
    return end.join(lines) + draw(st.sampled_from(("", end)))


def comments(text: str) -> Counter[str]:
    """Return the comments of a text: what can be written otherwise and says the same."""
    tree, found = read(text).tree, []
    for sign in re.finditer(r"(?<![^ \t\r\n])#[^\r\n]*", text):
        found += [one for one in _from(sign) if _says(f"{text[: one[0]]}#x{text[one[1] :]}", tree)][
            :1
        ]
    return Counter(text[start:end].strip(" \t") for start, end in found)


def _from(sign: re.Match[str]) -> list[tuple[int, int]]:
    starts = [0, *(found.end() for found in re.finditer(r"[ \t](?=#)", sign.group()))]
    return [(sign.start() + start, sign.end()) for start in starts]


def _says(text: str, tree: Any) -> bool:
    try:
        return bool(read(text).tree == tree)
    except DialectError:
        return False


@settings(max_examples=600, deadline=None)
@given(commented())
@example("a:\n- # c\n  - # d\n    - b # e\n    # f\n  # g\n# h\n")
@example("results:\n  r: {\n  # c\n  metric: m # d\n  , # e\n  value: 1 } # f\n")
@example("notes: |+ # c\n  a\n\n\n# d\nid: b\n")
@example("- # c\n")
def test_formatting_loses_no_comment_and_says_nothing_else(text: str) -> None:
    try:
        document = read(text)
    except DialectError:
        return
    once = formatted(text)
    assert read(once).tree == document.tree
    assert formatted(once) == once
    assert comments(once) - Counter([MODELINE.strip()]) == comments(text)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A registry with one engine, which is not in the canonical form."""
    (tmp_path / "records/engines").mkdir(parents=True)
    (tmp_path / "records/engines/swift.yaml").write_bytes(b"name: Swift\nid: swift\n")
    return tmp_path


ENGINE = "# yaml-language-server: $schema=../../schema/engine.schema.json\nid: swift\nname: Swift\n"
EVERY: Callable[[str], bool] = lambda _: True  # noqa: E731


def test_an_edition_tells_where_a_file_begins_to_differ(root: Path) -> None:
    [edition] = editions(root, EVERY)
    assert isinstance(edition, Edition)
    assert edition.path == "records/engines/swift.yaml"
    assert edition.after == ENGINE
    assert (edition.is_canonical, edition.line) == (False, 1)


@pytest.mark.parametrize(
    ("data", "line"),
    [
        pytest.param(ENGINE.encode(), 1, id="as it should be"),
        pytest.param(ENGINE.replace(" Swift", "  Swift").encode(), 3, id="the last line"),
        pytest.param(ENGINE.rstrip().encode(), 3, id="no end of the last line"),
        pytest.param(f"{ENGINE}\n\n".encode(), 4, id="lines behind it"),
        pytest.param(ENGINE.replace("\n", "\r\n").encode(), 1, id="line ends of Windows"),
        pytest.param(ENGINE.encode("utf-8-sig"), 1, id="a mark"),
        pytest.param(ENGINE.encode("utf-16"), 1, id="UTF-16"),
    ],
)
def test_a_file_is_canonical_to_the_byte(data: bytes, line: int, root: Path) -> None:
    (root / "records/engines/swift.yaml").write_bytes(data)
    [edition] = editions(root, EVERY)
    assert isinstance(edition, Edition)
    assert edition.is_canonical is (data == ENGINE.encode())
    assert edition.line == line


def test_what_cannot_be_read_is_a_refusal_in_its_place(root: Path) -> None:
    (root / "records/engines/other.yaml").write_bytes(b"id: a\nid: b\n")
    (root / "records/engines/tail.yaml").symlink_to(root / "records/engines/swift.yaml")
    (root / "records/engines/unseen.yaml").write_text("id: a\u202e\n", encoding="utf-8")
    found = list(editions(root, EVERY))
    assert [(type(one), one.path.rpartition("/")[2]) for one in found] == [
        (Refusal, "other.yaml"),
        (Edition, "swift.yaml"),
        (Refusal, "tail.yaml"),
        (Refusal, "unseen.yaml"),
    ]


def test_a_file_is_not_made_larger_than_a_document_may_be(root: Path) -> None:
    aliases = ", ".join(["abc"] * 50_000)
    (root / "records/engines/swift.yaml").write_text(f"aliases: [{aliases}]\n", encoding="utf-8")
    [refusal] = editions(root, EVERY)
    assert isinstance(refusal, Refusal)
    assert refusal.message == "too large in the canonical form"


def test_what_is_no_entity_is_not_looked_at(root: Path) -> None:
    (root / "records/engines/data.json").write_bytes(b"{")
    assert len(list(editions(root, EVERY))) == 1
    assert list(editions(root, lambda path: "models" in path)) == []


def test_where_there_is_no_registry_there_is_nothing_to_edit(tmp_path: Path) -> None:
    with pytest.raises(BenchregError, match="holds no folder `records/`"):
        list(editions(tmp_path, EVERY))


def test_the_schemas_are_those_of_the_nearest_folder_that_has_them(tmp_path: Path) -> None:
    root = tmp_path / "data/base"
    root.mkdir(parents=True)
    assert below_schema(root) == ""
    (tmp_path / "schema").mkdir()
    (tmp_path / "schema/record.schema.json").touch()
    assert below_schema(root) == "data/base/"
    assert below_schema(tmp_path) == ""
