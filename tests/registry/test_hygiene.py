"""What stands where a fact should is a placeholder, and what could deceive is unsafe."""

from collections.abc import Callable

import pytest

from benchreg.entities.catalogue import Engine
from benchreg.entities.mapping import Mapping
from benchreg.registry.document import Document, Place
from benchreg.registry.judge import judge

ENGINE = "id: swift\nname: Swift\n"
RECORD = """\
id: run-1
title: A run
kind: measurement
status: active
source: {id: own-run, retrieved: 2026-04-16}
"""
MAPPING = "title: A table\nid: x\nrecord: {kind: example}\n"
EMPTY = "holds an empty value"
LEAVE_OUT = "leave the key out"
WRITE = "write what it is; the key must be there"
SAY_ABSENT = "leave the key out, and write `{}: not_stated` under `absent`"
PLAIN = "write plain text, in one line or folded"

Told = list[tuple[str, str, str, Place]]
Read = Callable[[str], Document]
Refusals = Callable[[str, str], Told]


@pytest.mark.parametrize(
    ("name", "written", "what"),
    [
        ("nothing", "", EMPTY),
        ("null", "null", EMPTY),
        ("a tilde", "~", EMPTY),
        ("an empty text", '""', EMPTY),
        ("an empty list", "[]", EMPTY),
        ("an empty mapping", "{}", EMPTY),
        ("spaces", "'  '", "holds the placeholder '  '"),
        ("a task", "TODO", "holds the placeholder 'TODO'"),
        ("a word", "unknown", "holds the placeholder 'unknown'"),
        ("a word in quotes", '"N/A"', "holds the placeholder 'N/A'"),
        ("null in quotes", "'null'", "holds the placeholder 'null'"),
        ("a question mark", "'?'", "holds the placeholder '?'"),
        ("folded text", ">-\n  not\n  stated", "holds the placeholder 'not stated'"),
    ],
)
@pytest.mark.parametrize("key", ["license", "note"])
def test_a_placeholder_is_no_fact(
    name: str, written: str, what: str, key: str, refusals: Refusals
) -> None:
    [(kind, message, hint, _)] = refusals("engine", f"{ENGINE}{key}: {written}\n")
    assert (kind, message, hint) == ("placeholder", f"/{key} {what}", LEAVE_OUT), name


@pytest.mark.parametrize("written", ["", "null", "''", "[]", "{}"])
@pytest.mark.parametrize(
    ("name", "text", "at", "hint"),
    [
        ("a block", f"{RECORD}load: @\n", "/load", SAY_ABSENT.format("load")),
        ("a number", f"{RECORD}load: {{batch_size: @}}\n", "/load/batch_size", LEAVE_OUT),
        (
            "a condition",
            f"{RECORD}engine: {{version: @}}\n",
            "/engine/version",
            SAY_ABSENT.format("engine.version"),
        ),
        ("a list", f"{RECORD}aliases: @\n", "/aliases", LEAVE_OUT),
        ("a mapping of names", f"{RECORD}results: @\n", "/results", LEAVE_OUT),
        (
            "a key that must be there at depth",
            f"{RECORD}results: {{rate: {{metric: x, value: @, unit: s}}}}\n",
            "/results/rate/value",
            WRITE,
        ),
        ("a word", RECORD.replace("measurement", "@"), "/kind", WRITE),
        ("a text", RECORD.replace("A run", "@"), "/title", WRITE),
    ],
)
def test_an_empty_value_is_a_placeholder_whatever_is_meant_there(
    name: str, text: str, at: str, hint: str, written: str, refusals: Refusals
) -> None:
    [told] = refusals("record", text.replace("@", written))
    assert told[:3] == ("placeholder", f"{at} {EMPTY}", hint), name


def test_an_empty_value_at_depth_is_a_placeholder_in_its_place(refusals: Refusals) -> None:
    text = f"{RECORD}hardware:\n  pools:\n    - count: 1\n      could_be: ['']\n"
    assert refusals("record", text) == [
        ("placeholder", f"/hardware/pools/0/could_be/0 {EMPTY}", LEAVE_OUT, (9, 18))
    ]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a cell that says nothing", "skip: [{when: [{column: a, equals: [N/A]}], reason: r}]"),
        ("a cell that says something", "skip: [{when: [{column: a, differs: ['-']}], reason: r}]"),
        ("a part of a cell", "skip: [{when: [{column: a, contains: unknown}], reason: r}]"),
        ("a word of the table", "cells: {title: {column: a, words: [{text: '?', becomes: b}]}}"),
        ("a space between thousands", "cells: {title: {column: a, thousands: ' '}}"),
        ("a dash between items", "cells: {title: {column: a, split: '-'}}"),
        ("a space after a part", "cells: {title: {column: a, before: ' '}}"),
        ("dots before a part", "cells: {title: {column: a, after: '...'}}"),
        ("a blank that means nothing", "cells: {title: {column: a, blank: {}}}"),
        ("a space between columns", "delimiter: ' '"),
    ],
)
def test_a_mapping_may_quote_a_cell_that_says_nothing(name: str, written: str, read: Read) -> None:
    assert isinstance(judge("mapping", read(f"{MAPPING}{written}\n"), both=True), Mapping), name


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a title", MAPPING.replace("A table", "TODO"), ("/title holds the placeholder 'TODO'", 1)),
        (
            "a word of the record",
            f"{MAPPING}cells: {{title: {{column: a, words: [{{text: '?', becomes: tbd}}]}}}}\n",
            ("/cells/title/words/0/becomes holds the placeholder 'tbd'", 4),
        ),
        (
            "a part of the record",
            MAPPING.replace("example", "n/a"),
            ("/record/kind holds the placeholder 'n/a'", 3),
        ),
        (
            "an empty part of the record",
            f"{MAPPING}cases: [{{when: [{{column: a}}], record: {{notes: }}}}]\n",
            (f"/cases/0/record/notes {EMPTY}", 4),
        ),
    ],
)
def test_a_placeholder_in_a_mapping_is_no_fact(
    name: str, text: str, told: tuple[str, int], refusals: Refusals
) -> None:
    [(kind, message, _, (line, _))] = refusals("mapping", text)
    assert (kind, message, line) == ("placeholder", *told), name


def test_a_mapping_may_not_quote_what_could_deceive(refusals: Refusals) -> None:
    text = f'{MAPPING}cells: {{title: {{column: a, split: "\\u202e"}}}}\n'
    assert refusals("mapping", text) == [
        ("unsafe", "/cells/title/split holds the invisible character U+202E", PLAIN, (4, 35))
    ]


@pytest.mark.parametrize(
    ("name", "written", "part"),
    [
        ("a tag of html", "see <b>this</b>", "the markup '<b'"),
        ("a script", "'<script>alert(1)</script>'", "the markup '<script'"),
        ("an end tag", "x </p>", "the markup '</p'"),
        ("a comment of html", "x <!-- y", "the markup '<!'"),
        ("an instruction", "x <?php y", "the markup '<?'"),
        ("a tag that closes itself", "x <br/>", "the markup '<br'"),
        ("a tag of its own", "x <x-y z=1>", "the markup '<x-y'"),
        ("a tag of any name", "x <a.b onclick=y>", "the markup '<a.b'"),
        ("a tag with attributes", "x<y and y>z", "the markup '<y'"),
        ("a tag over two lines", '"x <a\\nb>"', "the markup '<a'"),
        ("a turn of direction", r'"x\u202ey"', "the invisible character U+202E"),
        ("an escape", r'"\x1b[31m"', "the invisible character U+001B"),
        ("nul", r'"x\0"', "the invisible character U+0000"),
        ("a line separator", r'"x\Ly"', "the invisible character U+2028"),
        ("a tag character", r'"x\U000E0041"', "the invisible character U+E0041"),
    ],
)
def test_a_text_that_could_deceive_is_unsafe(
    name: str, written: str, part: str, refusals: Refusals
) -> None:
    assert refusals("engine", f"{ENGINE}note: {written}\n") == [
        ("unsafe", f"/note holds {part}", PLAIN, (3, 7))
    ], name


@pytest.mark.parametrize(
    "note", ["batch<N", "p99 <450 ms", "a <- b", "1 < 2", "<", "a<b", "x <b", "<3 x"]
)
def test_a_comparison_is_no_markup(note: str, read: Read) -> None:
    assert judge("engine", read(f"{ENGINE}note: {note}\n")) == Engine(
        id="swift", name="Swift", note=note
    )
