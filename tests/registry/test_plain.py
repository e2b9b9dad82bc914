"""Plain parts are read without a parser, and to the same end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchreg.registry.dialect import DialectError
from benchreg.registry.document import Document, leaves
from benchreg.registry.plain import plain_part
from benchreg.registry.read import Reader

VALUES = st.sampled_from(
    [
        *("a", "1 x A100", "0.10", "true", '"0.10"', '"a b"', "2026-04-16", 'a "b", c', "TODO"),
        *("<b> x", "null", "1e400", "x:", "x #y", "- a", "'x'", "[a]", '"a\\n"', "", "é", "a "),
        "nan",
    ]
)
KEYS = st.sampled_from(["id", "source", "title", "true", "null", "a_b"])
LINES = st.lists(st.tuples(KEYS, VALUES), min_size=1, max_size=4)


@pytest.mark.parametrize(
    "text",
    [
        "id: mpt-7b",
        "batch: 64",
        'retrieved: "2026-04-16"',
        'locator: Table 2, row "1 x A100", column 64',
        "status: active\n\n",
        'source:\n  id: a\n  locator: closed/x/y.txt\n  retrieved: "2026-04-16"',
    ],
)
def test_a_plain_part_needs_no_parser(text: str) -> None:
    assert plain_part(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        *("id: a: b", "id: a #b", "id: [a]", "id: 'a'", 'id: "a\\n"', "id: a ", "id: nan"),
        *("id:\n  a: b\n   c: d", "id:\n  a: b\n  a: c", "id:\n  - a", "null: a"),
        *("id: |\n  a", "id: a\n  b"),
    ],
)
def test_what_is_not_plain_is_left_to_the_parser(text: str) -> None:
    assert plain_part(text) is None


def whole(text: str) -> Document | None:
    """Read a text in one pass; None where it is refused."""
    try:
        return Reader().read_whole("file.yaml", text)
    except DialectError:
        return None


@given(KEYS, st.one_of(VALUES, LINES))
def test_a_plain_part_is_what_the_parser_reads(
    key: str, below: str | list[tuple[str, str]]
) -> None:
    lines = below if isinstance(below, str) else "".join(f"\n  {k}: {v}" for k, v in below)
    text = f"{key}:{'' if not isinstance(below, str) else ' '}{lines}"
    part = plain_part(text)
    if part is not None:
        document = whole(f"{text}\n")
        assert document is not None
        assert repr(document.tree) == repr({part.key: part.value})
        assert document.suspect == part.suspect
        [(_, block)] = document.blocks
        assert block.places == part.block.places
        assert all(document.place(at) for at, _ in leaves(document.tree))
