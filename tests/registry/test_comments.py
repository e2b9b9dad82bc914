"""Each comment belongs to a key or an item, wherever YAML lets one stand."""

import pytest

from benchreg.registry.comments import comments_of
from benchreg.registry.write import NO_COMMENTS, Comments

POOLS = "hardware", "pools"


def said(comments: Comments) -> dict[str, object]:
    """Return where comments were placed, without what is empty."""
    places = {
        "before": dict(comments.before),
        "beside": dict(comments.beside),
        "after": dict(comments.after),
        "head": comments.head,
    }
    return {name: found for name, found in places.items() if found}


PLACES = {
    "before everything": ("# c\nid: a\n", {"head": ("# c",)}),
    "after the mark of a document": ("--- # c\nid: a\n", {"head": ("# c",)}),
    "before a key": ("id: a\n# c\nkind: b\n", {"before": {("kind",): ("# c",)}}),
    "two before a key": ("id: a\n# c\n\n#d\nkind: b\n", {"before": {("kind",): ("# c", "#d")}}),
    "before a key, further in": ("a: 1\n  # c\nb: 2\n", {"before": {("b",): ("# c",)}}),
    "at the end of a line": ("id: a # c\n", {"beside": {("id",): "# c"}}),
    "beside a key whose value is below": ("a: # c\n  b: 1\n", {"beside": {("a",): "# c"}}),
    "beside a key without a value": ("a: # c\nb: 1\n", {"beside": {("a",): "# c"}}),
    "between a key and its text": ("z: 1\na:\n  # c\n  b\n", {"before": {("a",): ("# c",)}}),
    "between a key and its brackets": ("z: 1\na:\n# c\n  [b]\n", {"before": {("a",): ("# c",)}}),
    "between a key and its block": ("a:\n# c\n  b: 1\n", {"before": {("a", "b"): ("# c",)}}),
    "beside a folded text": ("a: >- # c\n  b # d\n", {"beside": {("a",): "# c"}}),
    "after a folded text": ("a: >-\n  b\n  # d\n# c\nb: 1\n", {"before": {("b",): ("# c",)}}),
    "no comment in a text": ("a: 'b # c'\nb: \"\n  # d\"\nc: e#f\n", {}),
    "beside a text in quotes": ("a: 'b # c' # d\n", {"beside": {("a",): "# d"}}),
    "before an item": ("a:\n  # c\n  - b\n", {"before": {("a", 0): ("# c",)}}),
    "between items": ("a:\n- b\n# c\n- d\n", {"before": {("a", 1): ("# c",)}}),
    "beside an item": ("a:\n- b # c\n", {"beside": {("a", 0): "# c"}}),
    "behind a dash": ("a:\n- # c\n  b: 1\n", {"before": {("a", 0): ("# c",)}}),
    "below a dash": ("a:\n- b: 1\n-\n  # c\n  d\n", {"before": {("a", 1): ("# c",)}}),
    "behind a dash without an item": ("a:\n- # c\n- b\n", {"beside": {("a", 0): "# c"}}),
    "behind a question mark": ("? # c\n  a\n: b\n", {"head": ("# c",)}),
    "between a key and its colon": ("z: 1\n? a\n# c\n: b\n", {"before": {("a",): ("# c",)}}),
    "behind a bracket": ("a: [ # c\n  b]\n", {"beside": {("a",): "# c"}}),
    "within brackets": ("a: [b,\n# c\n d]\n", {"before": {("a", 1): ("# c",)}}),
    "beside an item in brackets": ("a: [b, # c\n d]\n", {"beside": {("a", 0): "# c"}}),
    "at the end of brackets": ("a: [b\n # c\n ]\n", {"after": {("a",): ("# c",)}}),
    "behind the last bracket": ("a: [b] # c\n", {"beside": {("a",): "# c"}}),
    "two beside one key": (
        "a: { # c\n  b: 1} # d\n",
        {"before": {("a",): ("# c",)}, "beside": {("a",): "# d"}},
    ),
    "within empty brackets": ("z: 1\na: [\n# c\n]\n", {"before": {("a",): ("# c",)}}),
    "within nested brackets": ("a: [{b: 1,\n# c\nd: 2}]\n", {"before": {("a", 0, "d"): ("# c",)}}),
    "within the brackets of a document": (
        "{ # c\na: 1,\n# d\n} # e\n",
        {
            "head": ("# c",),
            "after": {(): ("# d", "# e")},
        },
    ),
    "at the end of a block": ("a:\n  b: 1\n  # c\nd: 2\n", {"after": {("a",): ("# c",)}}),
    "at the end of the last block": ("a:\n  b: 1\n  # c\n", {"after": {("a",): ("# c",)}}),
    "at the end of an item": (
        "a:\n- b: 1\n  # c\n- d\n",
        {"after": {("a", 0): ("# c",)}},
    ),
    "at the end of a list": ("a:\n  - b\n  # c\nd: 2\n", {"after": {("a",): ("# c",)}}),
    "at the end of a list without indentation": (
        "a:\n- b\n# c\nd: 2\n",
        {"before": {("d",): ("# c",)}},
    ),
    "further in than the key that follows, and no block ends": (
        "a:\n    b: 1\n  # c\nd: 2\n",
        {"before": {("d",): ("# c",)}},
    ),
    "at the end of the file": ("a:\n  b: 1\n# c", {"after": {(): ("# c",)}}),
    "after the end of the document": (
        "a: 1\n... # c\n# d\n",
        {
            "beside": {("a",): "# c"},
            "after": {(): ("# d",)},
        },
    ),
    "with the line ends of Windows": (
        "a: 1 # c\r\n# d \r\nb: 2\r\n",
        {"beside": {("a",): "# c"}, "before": {("b",): ("# d",)}},
    ),
    "behind wide characters": ("a: 速度 🚀 # ®\n", {"beside": {("a",): "# ®"}}),
}


@pytest.mark.parametrize("name", PLACES)
def test_a_comment(name: str) -> None:
    text, expected = PLACES[name]
    assert said(comments_of(text)) == expected


def test_modelines_are_no_comments_wherever_they_stand() -> None:
    modeline = "# yaml-language-server: $schema=x.json\n"
    assert comments_of(f"{modeline}a: 1\n") is NO_COMMENTS
    assert said(comments_of(f"{modeline}a: 1\n#{modeline}{modeline}#d\n")) == {
        "after": {(): ("## yaml-language-server: $schema=x.json", "#d")}
    }


def test_what_is_around_a_comment_is_known() -> None:
    comments = comments_of("a: {b: [{c: 1 # x\n}]} # y\nd: [\n# z\n]\n")
    assert comments.around == {(), ("a",), ("a", "b"), ("a", "b", 0)}
