"""Files that attack their reader are refused in place, and files in the dialect become trees."""

from decimal import Decimal
from typing import Any

import pytest

from benchreg.registry.dialect import DialectError
from benchreg.registry.document import Document, Place
from benchreg.registry.read import Reader

ALIAS = "an alias `*`; write the value out"
ANCHOR = "an anchor `&`; take it out, and write the value each time"
TAG = "a tag `!`; write the plain value"
MERGE = "a merge key `<<`; write the keys out"
DIRECTIVE = "a directive; take the line out"
SECOND = "a second document; one file holds one"
TOO_DEEP = "nested deeper than 32 levels"
EMPTY = "an empty file; a document is a mapping of keys"
NO_MAPPING = "a document is a mapping of keys, not a list or a value"
NO_WORD = (
    "a key that is not a plain word, such as `batch_size`; write a space behind each colon and "
    "dash, and no comma in a number"
)
NOT_FINITE = "not a finite number; leave the value out and declare it absent"

At = tuple[int, int]


def read(data: str | bytes) -> Document:
    """Read a document with a reader of its own."""
    return Reader().read("file.yaml", data.encode() if isinstance(data, str) else data)


def refusal(data: str | bytes) -> DialectError:
    """Return why a document is refused."""
    with pytest.raises(DialectError) as refused:
        read(data)
    return refused.value


def nested(depth: int) -> str:
    """Return block mappings, one in another."""
    return "".join(f"{'  ' * level}a:\n" for level in range(depth - 1)) + "  " * depth + "a: 1\n"


@pytest.mark.parametrize(
    ("name", "text", "message", "place"),
    [
        (
            "a bomb of sequences",
            "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n",
            ANCHOR,
            (1, 4),
        ),
        (
            "a bomb of mappings",
            "a: &a {x: 1, y: 1}\nb: &b {x: *a, y: *a}\nc: {x: *b, y: *b}\n",
            ANCHOR,
            (1, 4),
        ),
        (
            "a bomb of merged mappings",
            "a:\n  b: &b {x: 1}\n  c: &c\n    <<: [*b, *b]\n    y: 1\n  d: {<<: [*c, *c]}\n",
            ANCHOR,
            (2, 6),
        ),
        ("an anchor at a scalar", "a: 1\nb:\n  c: &x text\n", ANCHOR, (3, 6)),
        ("an anchor at a block mapping", "a: &x\n  b: 1\n", ANCHOR, (1, 4)),
        ("an anchor at a key", "a: 1\n&x b: 2\n", ANCHOR, (2, 1)),
        ("an anchor at the document", "--- &x\na: 1\n", ANCHOR, (1, 5)),
        ("an alias to nothing", "a: 1\nb: [c, *d]\n", ALIAS, (2, 8)),
        ("an alias as a key", "a: 1\n*b : 2\n", ALIAS, (2, 1)),
        ("a merge key", "a: 1\nb:\n  <<: {c: 1}\n", MERGE, (3, 3)),
        ("a merge key in quotes", 'a: {"<<": {b: 1}}\n', MERGE, (1, 5)),
        ("a tag at a scalar", "a: 1\nb: !!str 2\n", TAG, (2, 4)),
        ("a tag that says nothing", "a: ! 2\n", TAG, (1, 4)),
        ("a tag that makes an object", "a: !!python/object/apply:os.system [x]\n", TAG, (1, 4)),
        ("a tag at a mapping", "a:\n  - !x {b: 1}\n", TAG, (2, 5)),
        ("a tag at a key", "a: 1\n!!str b: 2\n", TAG, (2, 1)),
        ("a tag in full", "a: !<tag:yaml.org,2002:int> '2'\n", TAG, (1, 4)),
        ("the YAML directive", "# first\n%YAML 1.2\n---\na: 1\n", DIRECTIVE, (2, 1)),
        ("the YAML directive of old", "%YAML 1.1\n---\na: 1\n", DIRECTIVE, (1, 1)),
        ("the TAG directive", "%TAG !e! tag:example.org,2000:\n---\na: 1\n", DIRECTIVE, (1, 1)),
        ("a second document", "a: 1\n---\nb: 2\n", SECOND, (2, 1)),
        ("a second document with a directive", "a: 1\n%YAML 1.2\n---\nb: 2\n", SECOND, (2, 1)),
        ("a second document after an end", "a: 1\nb: 1\n...\n---\nc: 2\n", SECOND, (4, 1)),
        ("a second document that is empty", "a: 1\n---\n", SECOND, (2, 1)),
        ("a key twice", "a: 1\nb: 2\na: 3\n", "the key 'a' stands twice; keep one", (3, 1)),
        (
            "a key twice, once in quotes",
            "a: 1\n'a': 1\n",
            "the key 'a' stands twice; keep one",
            (2, 1),
        ),
        (
            "a key twice at depth",
            "a:\n  - b:\n      c: 1\n      d: {e: 1,\n          f: 1, e: 1}\n",
            "the key 'e' stands twice; keep one",
            (5, 17),
        ),
        ("a key that is null", "a: 1\n~: 2\n", NO_WORD, (2, 1)),
        ("a key that is a number", "a:\n  1: 2\n", NO_WORD, (2, 3)),
        ("a key that is true", "a: {true: 2}\n", NO_WORD, (1, 5)),
        ("a key that is empty", "a: {'': 2}\n", NO_WORD, (1, 5)),
        ("a key that hides in an escape", 'a: 1\n"b\\u200b": 2\n', NO_WORD, (2, 1)),
        ("a list as a key", "a: 1\n[b, c]: 2\n", NO_WORD, (2, 1)),
        ("a block list as a key", "a:\n  ? - b\n  : 2\n", NO_WORD, (2, 5)),
        ("a mapping as a key", "a: 1\n{b: c}: 2\n", NO_WORD, (2, 1)),
        ("100,000 keys in keys", "? " * 100_000, NO_WORD, (1, 3)),
        ("mappings 33 deep", nested(33), TOO_DEEP, (33, 67)),
        ("lists 33 deep", f"a: {'[' * 32}1{']' * 32}\n", TOO_DEEP, (1, 35)),
        ("80,000 brackets in as many lines", "a:\n" + " [\n" * 80_000, TOO_DEEP, (33, 2)),
        ("120,000 block lists", f"a:\n  {'- ' * 120_000}x\n", TOO_DEEP, (2, 65)),
        ("60,000 braces", "{a: " * 60_000, TOO_DEEP, (1, 129)),
        ("nothing", "", EMPTY, (1, 1)),
        ("only a byte order mark", "\ufeff", EMPTY, (1, 1)),
        ("only blank lines", "\n \n\r\n", EMPTY, (1, 1)),
        ("only comments", "# a: 1\n\n# b: 2", EMPTY, (1, 1)),
        ("only a beginning", "---\n", NO_MAPPING, (2, 1)),
        ("a list", "# x\n- a\n- b\n", NO_MAPPING, (2, 1)),
        ("a text", "hello\n", NO_MAPPING, (1, 1)),
        ("a number", "\n  42\n", NO_MAPPING, (2, 3)),
        ("an alias alone", "*a\n", NO_MAPPING, (1, 1)),
        ("an infinity", "a: 1\nb: [2, -.inf]\n", NOT_FINITE, (2, 8)),
        ("no number", "a:\n  b:\n    NaN\n", NOT_FINITE, (3, 5)),
        (
            "a number that no float holds",
            "a: {b: 1e400}\n",
            "a number beyond what a float holds (such as 1e400); if it is text, quote it",
            (1, 8),
        ),
        (
            "a number of 5,000 digits",
            f"a: 1\nb: {'9' * 5000}\n",
            "a number of more than 64 characters",
            (2, 4),
        ),
        ("lines that end in carriage returns", "a: 1\r\nb:\r\n  - *c\r\n", ALIAS, (3, 5)),
        ("lone carriage returns", "a: 1\rb:\r  - *c\r", ALIAS, (3, 5)),
        ("after accents", "é: 1\n", NO_WORD, (1, 1)),
        ("after wide characters", "a: ['\U0001f600\U0001f600', *b]\n", ALIAS, (1, 11)),
    ],
)
def test_what_is_outside_the_dialect_is_refused_in_its_place(
    name: str, text: str, message: str, place: At
) -> None:
    assert refusal(text) == DialectError(message, Place(*place)), name


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("tabs as indentation", "a: 1\nb:\n\tc: 2\n", (3, 1)),
        ("tabs after indentation", "b:\n  c: 2\n  \td: 3\n", (3, 3)),
        ("an unknown directive", "# x\n%FOO bar\n---\na: 1\n", (2, 5)),
        ("a directive of a version to come", "%YAML 2.0\n---\na: 1\n", (1, 1)),
        ("a directive after the document", "a: 1\n%YAML 1.2\n", (3, 1)),
        ("a quote that does not end", 'a: 1\nb: "x\n', (3, 1)),
        ("a bracket that does not end", "a: [1\nb: 2\n", (2, 2)),
        ("a bracket too many", "a: 1]\nb: ]\n", (2, 4)),
        ("two mappings in a line", "a: b: c\n", (1, 5)),
        ("a line that is no key", "a: 1\nb\nc: 2\n", (3, 1)),
        ("a key that is not there", "a:\n  : 1\n", (2, 3)),
        ("a list without a line of its own", "a: - b\n", (1, 4)),
        ("an indentation between two others", "a:\n    b: 1\n  c: 2\n", (3, 3)),
        ("a sign that is kept for later", "a: 1\nb: @c\n", (2, 4)),
        ("half a pair in an escape", 'a: "\\ud800"\n', (1, 7)),
        ("an unknown escape", 'a: "\\q"\n', (1, 5)),
        ("200,000 brackets in one line", f"a: {'[' * 200_000}", (1, 1003)),
    ],
)
def test_what_is_no_yaml_is_refused_in_its_place(name: str, text: str, place: At) -> None:
    error = refusal(text)
    assert error.message.startswith("not YAML: "), name
    assert error.place == Place(*place), name


@pytest.mark.parametrize(
    ("name", "text", "hint"),
    [
        ("tabs", "a:\n\tb: 1\n", "not YAML: a tab; indent with spaces"),
        ("a sign", "a: @b\n", "; quote a text that begins with a sign"),
        ("a colon", "a: b: c\n", ", and quote a text that holds a colon and a space"),
        ("a deeper line", "a: b\n  c: d\n", " and quote a text that holds a colon and a space"),
        (
            "a bracket",
            "a: [1\nb: 2\n",
            "; look for a bracket, a quote or an indentation that does not fit",
        ),
        ("a line", "a: 1\nb\nc: 2\n", "; a line below a key is indented, or is a key itself"),
    ],
)
def test_what_is_no_yaml_comes_with_a_hint(name: str, text: str, hint: str) -> None:
    assert refusal(text).message.endswith(hint), name


@pytest.mark.parametrize(
    ("name", "text", "tree"),
    [
        ("a mapping", "a: 1\nb: x\n", {"a": 1, "b": "x"}),
        ("no line end at the end", "a: 1\nb: x", {"a": 1, "b": "x"}),
        ("lines that end in carriage returns", "a: 1\r\nb: |\r\n  x\r\n", {"a": 1, "b": "x\n"}),
        ("accents in such lines", "a: é\r\nb: x\r\n", {"a": "é", "b": "x"}),
        ("lone carriage returns", "a: 1\rb: x\r", {"a": 1, "b": "x"}),
        ("a byte order mark", "\ufeffa: 1\n", {"a": 1}),
        ("a beginning and an end", "---\na: 1\n...\n", {"a": 1}),
        ("comments", "# x\n\na: 1 # y\n# z\nb: 2\n# end", {"a": 1, "b": 2}),
        ("spaces around it", "  a: 1\n  b: 2\n", {"a": 1, "b": 2}),
        ("flow style", "{a: 1, b: [x, {c: d}]}\n", {"a": 1, "b": ["x", {"c": "d"}]}),
        ("json", '{"a": {"b": [1, null, true, "x"]}}', {"a": {"b": [1, None, True, "x"]}}),
        ("a list that is not indented", "a:\n- x\n- y\nb: 1\n", {"a": ["x", "y"], "b": 1}),
        ("long keys", "? a\n: 1\n? b\n", {"a": 1, "b": None}),
        ("keys in quotes", "'a': 1\n\"b\": 2\n", {"a": 1, "b": 2}),
        ("keys that were words of YAML 1.1", "yes: 1\non: 2\ny: 3\n", {"yes": 1, "on": 2, "y": 3}),
        ("text over lines", "a: x\n  y\n\n  z\nb: 'p\n  q'\n", {"a": "x y\nz", "b": "p q"}),
        ("literal text", "a: |\n  x\n   y\n\nb: |-\n  z\n", {"a": "x\n y\n", "b": "z"}),
        ("all ends of literal text", "a: |+\n  x\n\nb: |+\n  y\n\n", {"a": "x\n\n", "b": "y\n\n"}),
        ("folded text", "a: >-\n  x\n  y\n\n  z\nb: 1\n", {"a": "x y\nz", "b": 1}),
        ("a comment that is text", "a: |\n  # x\n# y\nb: 1\n", {"a": "# x\n", "b": 1}),
        ("a document mark that is text", "a: |\n  ---\n  b: 1\n", {"a": "---\nb: 1\n"}),
        ("a tab that separates", "a:\t1\nb: x\t# y\n", {"a": 1, "b": "x"}),
        ("numbers in quotes", "a: '1'\nb: \"0.10\"\n", {"a": "1", "b": "0.10"}),
        ("null in quotes", "a: 'null'\nb: \"~\"\n", {"a": "null", "b": "~"}),
        ("empty values", "a:\nb: ''\nc: []\nd: {}\n", {"a": None, "b": "", "c": [], "d": {}}),
        ("words of YAML 1.1", "a: [yes, no, on, off]\n", {"a": ["yes", "no", "on", "off"]}),
        ("dates and times", "a: 2026-01-02\nb: 12:30\n", {"a": "2026-01-02", "b": "12:30"}),
        ("mappings 32 deep", nested(3), {"a": {"a": {"a": 1}}}),
    ],
)
def test_what_is_in_the_dialect_becomes_its_tree(
    name: str, text: str, tree: dict[str, Any]
) -> None:
    assert read(text).tree == tree, name


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_every_encoding_gives_the_same_tree_and_places(encoding: str) -> None:
    document = read("\ufeffa: é\nb: [1, 2]\n".encode(encoding))
    assert document.tree == {"a": "é", "b": [1, 2]}
    assert document.value_place(("b", 1)) == Place(2, 8)


@pytest.mark.parametrize("text", [nested(32), f"a: {'[' * 31}1{']' * 31}\n"])
def test_a_document_may_be_32_levels_deep(text: str) -> None:
    assert read(text).value(("a",))


def test_a_document_keeps_its_path_and_its_text() -> None:
    document = read("\ufeffa: 1 # x\r\n".encode("utf-16-le"))
    assert (document.path, document.text) == ("file.yaml", "a: 1 # x\r\n")


def test_800_0_is_another_number_than_800() -> None:
    tree = read("a: 800.0\nb: 800\n").tree
    assert [repr(tree["a"]), repr(tree["b"])] == ["Decimal('800.0')", "800"]


def test_equal_numbers_keep_the_digits_that_each_was_written_with() -> None:
    tree = read("a: 1.0\nb: 1.00\nc: 1\nd: true\ne: 1e0\nf: 0x1\n").tree
    assert [repr(value) for value in tree.values()] == [
        *("Decimal('1.0')", "Decimal('1.00')", "1", "True", "Decimal('1')", "1")
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a turn of direction", r'a: "x\u202ey"'),
        ("an escape", r'a: "\x1b[31m"'),
        ("nul", r'a: "x\0"'),
        ("a next line", r'a: "x\Ny"'),
        ("a line separator", r'a: "x\Ly"'),
        ("a carriage return", r'a: "x\r"'),
        ("a tag character at depth", r'a: {b: [1, "\U000e0041"]}'),
        ("markup", "a: <script>"),
        ("markup over lines", "a: |\n  x\n  </p>\n"),
        ("null", "a:"),
        ("an empty text", "a: ''"),
        ("an empty list", "a: {b: []}"),
        ("an empty mapping", "a: [{}]"),
        ("a placeholder", "a: TODO"),
        ("a placeholder in quotes", "a: [' n/a ']"),
        ("a placeholder in folded text", "a: >-\n  to\nb: >-\n  unknown\n"),
    ],
)
def test_a_document_with_a_doubtful_value_is_suspect(name: str, text: str) -> None:
    assert read(text).suspect, name


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plain facts", "a: 1\nb: x\nc: [y, 0, false]\n"),
        ("comparisons", "a: x < y\nb: 2 <3\nc: '->'\n"),
        ("a placeholder in a comment", "a: 1 # TODO <b>\n"),
        ("a placeholder within a text", "a: what is unknown is absent\n"),
        ("lines and tabs", 'a: "x\\ty\\nz"\n'),
        ("keys that look like placeholders", "todo: 1\nunknown: 2\n"),
    ],
)
def test_a_document_of_plain_facts_is_not_suspect(name: str, text: str) -> None:
    assert not read(text).suspect, name


@pytest.mark.parametrize("text", ["a: TODO\n", "a:\n", "a: <b>\n", 'a: "\\x1b"\n', "a: [b, {}]\n"])
def test_a_doubtful_value_is_noticed_in_every_document_that_has_it(text: str) -> None:
    reader = Reader()
    documents = [reader.read(f"{number}.yaml", text.encode()) for number in range(3)]
    documents.append(reader.read("other.yaml", f"x: 1\n{text}".encode()))
    documents.append(reader.read("flow.yaml", f"---\n{text}".encode()))
    assert [document.suspect for document in documents] == [True] * 5


@pytest.mark.parametrize("text", ["a: 1e400\n", "a: &x 1\n", "b: 1\n1: 2\n", "a: 1\na: 1\n"])
def test_what_was_refused_once_is_refused_again(text: str) -> None:
    reader = Reader()
    for path in ("first.yaml", "second.yaml"):
        with pytest.raises(DialectError):
            reader.read(path, text.encode())


def test_blocks_of_equal_text_have_places_of_their_own() -> None:
    reader = Reader()
    one = reader.read("one.yaml", b"load:\n  batch_size: 64\n")
    two = reader.read("two.yaml", b"# x\n\nid: two\nload:\n  batch_size: 64\n")
    assert one.place(("load", "batch_size")) == Place(2, 3)
    assert two.place(("load", "batch_size")) == Place(5, 3)


def test_a_block_of_equal_text_is_read_once() -> None:
    reader = Reader()
    one = reader.read("one.yaml", b"id: one\nload:\n  batch_size: 64\n")
    two = reader.read("two.yaml", b"id: two\nload:\n  batch_size: 64\n")
    assert one.tree["load"] is two.tree["load"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a beginning", "---\na: 1\n"),
        ("a key in quotes", "'a': 1\n"),
        ("a list that is not indented", "a:\n- 1\n"),
        ("carriage returns", "a: 1\r\n"),
        ("a refused value", "a: 1e400\n"),
        ("a key twice", "a: 1\na: 1\n"),
        ("no keys", "# x\n"),
        ("a text that goes on at the margin", "a: 'x\nb: y'\n"),
    ],
)
def test_a_document_that_is_not_plainly_blocks_is_not_read_in_parts(name: str, text: str) -> None:
    assert Reader().read_in_parts("file.yaml", text) is None, name


def test_a_number_within_the_limits_is_exact() -> None:
    assert read(f"a: {'9' * 64}\nb: 0.{'1' * 62}\n").tree == {
        "a": int("9" * 64),
        "b": Decimal(f"0.{'1' * 62}"),
    }
