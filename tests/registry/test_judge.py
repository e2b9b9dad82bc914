"""A document is an entity, or every reason why it is none is told, with its place and a hint."""

from collections.abc import Mapping
from decimal import Decimal

import pytest

from benchreg.entities.catalogue import Engine
from benchreg.entities.record import Record
from benchreg.registry.document import Document, Place
from benchreg.registry.judge import ENTITIES, Parts, accepted_by_schema, judge
from benchreg.registry.read import Reader
from benchreg.registry.refusal import Refusal

ENGINE = "id: swift\nname: Swift\n"
SOURCE = "id: own-run\ntitle: t\npublisher: p\n"
RECORD = """\
id: run-1
title: A run
kind: measurement
status: active
source: {id: own-run, retrieved: 2026-04-16}
"""
EMPTY = "holds an empty value"
LEAVE_OUT = "leave the key out"
WRITE = "write what it is; the key must be there"
SAY_ABSENT = "leave the key out, and write `{}: not_stated` under `absent`"
PLAIN = "write plain text, in one line or folded"
KEYS_OF_ENGINE = "id, name, vendor, aliases, version_scheme, license, url, note"
KINDS_OF_SOURCE = "paper, blog, vendor_docs, result_repository, repository, own_run"
REASONS = "not_stated, unrecoverable, withheld, conflicting, not_applicable, not_checked"

Told = list[tuple[str, str, str, Place]]


def read(text: str) -> Document:
    """Read a document with a reader of its own."""
    return Reader().read("file.yaml", text.encode())


def refusals(kind: str, text: str) -> Told:
    """Return the kind, message, hint and place of every reason why a text is no entity."""
    document = read(text)
    found = judge(kind, document)
    assert isinstance(found, list), found
    return [(one.kind, one.message, one.hint, place(document, one)) for one in found]


def place(document: Document, refusal: Refusal) -> Place:
    """Return where a refusal points: at the value, or at the key."""
    return (document.value_place if refusal.on_value else document.place)(refusal.at)


def test_an_engine_is_an_entity() -> None:
    assert judge("engine", read(ENGINE)) == Engine(id="swift", name="Swift")


def test_a_record_is_an_entity_with_its_digits() -> None:
    record = judge("record", read(RECORD + "load: {request_rate: 12.50}\n"))
    assert isinstance(record, Record)
    assert str(record.load.request_rate) == "12.50"


@pytest.mark.parametrize("kind", ENTITIES)
def test_both_judges_refuse_an_empty_mapping(kind: str) -> None:
    found = judge(kind, read("{}\n"))
    assert isinstance(found, list)
    assert {refusal.kind for refusal in found} == {"schema"}
    assert not accepted_by_schema(kind, {})


@pytest.mark.parametrize(("kind", "text"), [("engine", ENGINE), ("record", RECORD)])
def test_both_judges_accept_what_is_an_entity(kind: str, text: str) -> None:
    document = read(text)
    assert judge(kind, document, both=True) == judge(kind, document)
    assert accepted_by_schema(kind, document.tree)


def test_the_schema_knows_the_number_of_a_decimal() -> None:
    tree = read(RECORD + "load: {request_rate: 12.5}\n").tree
    assert tree["load"] == {"request_rate": Decimal("12.5")}
    assert accepted_by_schema("record", tree)


@pytest.mark.parametrize(
    ("name", "kind", "text", "told"),
    [
        (
            "a key misspelt",
            "engine",
            f"{ENGINE}vendro: X\n",
            ("unknown key 'vendro' in /", "did you mean 'vendor'?", (3, 1)),
        ),
        (
            "a key like no other",
            "engine",
            f"{ENGINE}port: 80\n",
            ("unknown key 'port' in /", f"known keys: {KEYS_OF_ENGINE}", (3, 1)),
        ),
        (
            "a block misspelt",
            "record",
            f"{RECORD}enginee: {{id: swift}}\n",
            ("unknown key 'enginee' in /", "did you mean 'engine'?", (6, 1)),
        ),
        (
            "a key misspelt at depth",
            "record",
            f"{RECORD}hardware:\n  pools:\n    - count: 1\n      noeds: 1\n",
            ("unknown key 'noeds' in /hardware/pools/0", "did you mean 'nodes'?", (9, 7)),
        ),
        (
            "a key like too many others",
            "record",
            f"{RECORD}zzz: 1\n",
            ("unknown key 'zzz' in /", "", (6, 1)),
        ),
        (
            "a key missing",
            "engine",
            "# x\nid: swift\n",
            ("the key 'name' is missing in /", "write it, such as `name: vLLM`", (1, 1)),
        ),
        (
            "a key missing at depth",
            "record",
            f"{RECORD}results:\n  rate: {{metric: x, unit: s}}\n",
            (
                "the key 'value' is missing in /results/rate",
                "write it, such as `value: 800`",
                (7, 3),
            ),
        ),
        (
            "a key missing in a list",
            "record",
            f"{RECORD}hardware: {{pools: [{{count: 1}}, {{nodes: 1}}]}}\n",
            (
                "the key 'count' is missing in /hardware/pools/1",
                "write it, such as `count: 8`",
                (6, 32),
            ),
        ),
        (
            "a word misspelt",
            "source",
            f"{SOURCE}kind: blogg\n",
            ("/kind is 'blogg', which is none of its words", "did you mean 'blog'?", (4, 7)),
        ),
        (
            "a word in capitals",
            "source",
            f"{SOURCE}kind: Blog\n",
            ("/kind is 'Blog', which is none of its words", "did you mean 'blog'?", (4, 7)),
        ),
        (
            "a word like no other",
            "source",
            f"{SOURCE}kind: tweet\n",
            ("/kind is 'tweet', which is none of its words", f"one of {KINDS_OF_SOURCE}", (4, 7)),
        ),
        (
            "a word misspelt in an absence",
            "record",
            f"{RECORD}absent:\n  load: not_statd\n",
            (
                "/absent/load is 'not_statd', which is none of its words",
                "did you mean 'not_stated'?",
                (7, 9),
            ),
        ),
        (
            "a word misspelt in a long absence",
            "record",
            f"{RECORD}absent: {{load: {{because: silent}}}}\n",
            (
                "/absent/load/because is 'silent', which is none of its words",
                f"one of {REASONS}",
                (6, 26),
            ),
        ),
        (
            "a whole number with a point",
            "record",
            f"{RECORD}load: {{batch_size: 64.0}}\n",
            ("/load/batch_size is 64.0, and a whole number is meant", "write 64", (6, 20)),
        ),
        (
            "half a request",
            "record",
            f"{RECORD}load: {{batch_size: 64.5}}\n",
            ("/load/batch_size should be a whole number, and is a number", "such as 64", (6, 20)),
        ),
        (
            "a number out of range",
            "record",
            f"{RECORD}load: {{request_rate: -1}}\n",
            (
                "/load/request_rate should be greater than 0 and at most 1e+15",
                "such as 12.5",
                (6, 22),
            ),
        ),
        (
            "text for a number",
            "record",
            f"{RECORD}load: {{request_rate: fast}}\n",
            ("/load/request_rate is the text 'fast', and a number is meant", "", (6, 22)),
        ),
        (
            "a text of another form",
            "engine",
            f"{ENGINE}url: example org\n",
            (
                "/url does not have the form that is asked for",
                "such as 'https://github.com/vllm-project/vllm'",
                (3, 6),
            ),
        ),
        (
            "a list for a text",
            "engine",
            f"{ENGINE}license: [MIT]\n",
            ("/license should be text, and is a list", "such as 'Apache-2.0'", (3, 10)),
        ),
        (
            "a mapping for a text",
            "engine",
            f"{ENGINE}license:\n  id: MIT\n",
            ("/license should be text, and is a mapping", "such as 'Apache-2.0'", (4, 3)),
        ),
        (
            "a number in quotes",
            "record",
            f"{RECORD}load: {{batch_size: '64'}}\n",
            (
                "/load/batch_size is the text '64', and a number is meant",
                "write 64 without quotes",
                (6, 20),
            ),
        ),
        (
            "a number with a comma",
            "record",
            f"{RECORD}load: {{requests: '1,280'}}\n",
            (
                "/load/requests is the text '1,280', and a number is meant",
                "write 1280 without separators and quotes",
                (6, 18),
            ),
        ),
        (
            "a number with an underscore",
            "record",
            f"{RECORD}load: {{requests: 1_280}}\n",
            (
                "/load/requests is the text '1_280', and a number is meant",
                "write 1280 without separators and quotes",
                (6, 18),
            ),
        ),
        (
            "a number too small",
            "record",
            f"{RECORD}load: {{batch_size: 0}}\n",
            ("/load/batch_size should be at least 1", "such as 64", (6, 20)),
        ),
        (
            "a word for true",
            "record",
            f"{RECORD}measurement: {{streaming: yes}}\n",
            (
                "/measurement/streaming should be true or false, and is text",
                "write true or false",
                (6, 26),
            ),
        ),
        (
            "an item twice",
            "engine",
            f"{ENGINE}aliases: [a, b, a]\n",
            ("/aliases names an item twice", "keep each item once", (3, 10)),
        ),
        (
            "a text too long",
            "engine",
            f"{ENGINE}license: {'x' * 201}\n",
            ("/license is longer than 200 characters", "say it shorter", (3, 10)),
        ),
        (
            "a text for a list",
            "engine",
            f"{ENGINE}aliases: swift-serve\n",
            ("/aliases should be a list, and is text", "write `[item]`", (3, 10)),
        ),
        (
            "a list for a mapping of names",
            "record",
            f"{RECORD}results: [rate]\n",
            ("/results should be a mapping, and is a list", "write `key: value` below it", (6, 10)),
        ),
        (
            "a text for a block",
            "record",
            f"{RECORD}load: heavy\n",
            ("/load should be a mapping, and is text", "write `key: value` below it", (6, 7)),
        ),
        (
            "a placeholder in a closed list",
            "source",
            f"{SOURCE}kind: TODO\n",
            ("/kind is 'TODO', which is none of its words", f"one of {KINDS_OF_SOURCE}", (4, 7)),
        ),
        (
            "a placeholder for a number",
            "record",
            f"{RECORD}load: {{batch_size: TBD}}\n",
            ("/load/batch_size is the text 'TBD', and a number is meant", "", (6, 20)),
        ),
        (
            "markup in a closed list",
            "source",
            f"{SOURCE}kind: <b>\n",
            ("/kind is '<b>', which is none of its words", f"one of {KINDS_OF_SOURCE}", (4, 7)),
        ),
    ],
)
def test_what_the_schema_does_not_allow_is_refused(
    name: str, kind: str, text: str, told: tuple[str, str, Place]
) -> None:
    assert refusals(kind, text) == [("schema", *told)], name


def test_an_absence_that_is_written_as_a_block_is_told_its_key() -> None:
    text = f"{RECORD}absent: {{engine: {{version: not_stated}}}}\n"
    message = "unknown key 'version' in /absent/engine"
    assert ("schema", message, "write the key `engine.version`", (6, 19)) in refusals(
        "record", text
    )


@pytest.mark.parametrize(
    ("name", "written", "read_as", "quoted"),
    [
        ("a version that ends in zero", "0.10", "a number", '"0.10"'),
        ("a version with a point", "12.4", "a number", '"12.4"'),
        ("a whole number", "12", "a number", '"12"'),
        ("true", "true", "true or false", '"true"'),
        ("false", "False", "true or false", '"False"'),
        ("leading zeros", "0123456", "a number", '"0123456"'),
        ("an exponent", "12345e7", "a number", '"12345e7"'),
        ("a hexadecimal number", "0x1F", "a number", '"0x1F"'),
    ],
)
def test_text_that_yaml_reads_otherwise_is_to_be_quoted(
    name: str, written: str, read_as: str, quoted: str
) -> None:
    message = f"/engine/version is read as {read_as}, and text is meant"
    assert refusals("record", f"{RECORD}engine: {{version: {written}}}\n") == [
        ("unquoted", message, f"put it in quotes: {quoted}", (6, 19))
    ], name


@pytest.mark.parametrize("version", ['"0.10"', "'12'", "0.10.1", "v1", '"true"', "2026-01-02"])
def test_text_in_quotes_and_text_that_is_no_number_stay(version: str) -> None:
    found = judge("record", read(f"{RECORD}engine: {{version: {version}}}\n"))
    assert isinstance(found, Record)
    assert found.engine.version == version.strip("\"'")


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
def test_a_placeholder_is_no_fact(name: str, written: str, what: str, key: str) -> None:
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
        ("a word", RECORD.replace("measurement", "@"), "/kind", WRITE),
        ("a text", RECORD.replace("A run", "@"), "/title", WRITE),
    ],
)
def test_an_empty_value_is_a_placeholder_whatever_is_meant_there(
    name: str, text: str, at: str, hint: str, written: str
) -> None:
    [told] = refusals("record", text.replace("@", written))
    assert told[:3] == ("placeholder", f"{at} {EMPTY}", hint), name


def test_an_empty_value_at_depth_is_a_placeholder_in_its_place() -> None:
    text = f"{RECORD}hardware:\n  pools:\n    - count: 1\n      could_be: ['']\n"
    assert refusals("record", text) == [
        ("placeholder", f"/hardware/pools/0/could_be/0 {EMPTY}", LEAVE_OUT, (9, 18))
    ]


@pytest.mark.parametrize(
    ("name", "written", "part"),
    [
        ("a tag of html", "see <b>this</b>", "the markup '<b'"),
        ("a script", "'<script>alert(1)</script>'", "the markup '<script'"),
        ("an end tag", "x </p>", "the markup '</p'"),
        ("a comment of html", "x <!-- y", "the markup '<!'"),
        ("a turn of direction", r'"x\u202ey"', "the invisible character U+202E"),
        ("an escape", r'"\x1b[31m"', "the invisible character U+001B"),
        ("nul", r'"x\0"', "the invisible character U+0000"),
        ("a line separator", r'"x\Ly"', "the invisible character U+2028"),
        ("a tag character", r'"x\U000E0041"', "the invisible character U+E0041"),
    ],
)
def test_a_text_that_could_deceive_is_unsafe(name: str, written: str, part: str) -> None:
    assert refusals("engine", f"{ENGINE}note: {written}\n") == [
        ("unsafe", f"/note holds {part}", PLAIN, (3, 7))
    ], name


def test_an_unsafe_text_is_told_beside_what_the_schema_does_not_allow() -> None:
    text = f'{ENGINE}note: "x\\u202e"\nvendro: x\nlicense: 1.0\n'
    assert [(kind, at) for kind, _, _, at in refusals("engine", text)] == [
        ("unsafe", (3, 7)),
        ("schema", (4, 1)),
        ("unquoted", (5, 10)),
    ]


def test_all_that_is_wrong_is_told_once_and_in_the_order_of_the_text() -> None:
    text = RECORD.replace("A run", "TODO") + (
        "load: {batch_size: 64.0, patern: x, window: }\n"
        "results:\n"
        "  rate: {value: '', metric: 1, scope: sytem}\n"
        "notes: <b>\n"
    )
    assert [(kind, at) for kind, _, _, at in refusals("record", text)] == [
        ("placeholder", (2, 8)),
        ("schema", (6, 20)),
        ("schema", (6, 26)),
        ("placeholder", (6, 45)),
        ("schema", (8, 3)),
        ("placeholder", (8, 17)),
        ("unquoted", (8, 29)),
        ("schema", (8, 39)),
        ("unsafe", (9, 8)),
    ]


def test_of_very_many_faults_the_first_hundred_are_told() -> None:
    text = ENGINE + "".join(f"key_{number}: 1\n" for number in range(5000))
    told = refusals("engine", text)
    assert [at for *_, at in told[:100]] == [(line, 1) for line in range(3, 103)]
    assert told[100:] == [
        ("schema", "more than 100 faults; the others are not listed", "", (1, 1)),
    ]


def test_of_very_many_placeholders_the_first_hundred_are_told() -> None:
    told = refusals("engine", f"{ENGINE}aliases: [{'null, ' * 5000}]\n")
    assert {kind for kind, *_ in told[:100]} == {"placeholder"}
    assert len(told) == 101


def test_a_refusal_carries_the_path_and_the_pointer() -> None:
    assert judge("engine", read(f"{ENGINE}vendro: X\n")) == [
        Refusal(
            "file.yaml",
            "schema",
            "unknown key 'vendro' in /",
            "did you mean 'vendor'?",
            ("vendro",),
        )
    ]


def test_a_key_outside_of_ascii_cannot_reach_the_judge_and_a_value_can() -> None:
    assert judge("engine", read("id: swift\nname: Schön\n")) == Engine(id="swift", name="Schön")


def test_documents_that_share_parts_are_judged_as_if_they_did_not() -> None:
    reader, parts = Reader(), dict[tuple[int, str], tuple[object, object]]()
    shared = "load:\n  batch_size: 64\nengine:\n  id: swift\n"
    texts = [
        RECORD + shared,
        RECORD.replace("run-1", "run-2") + shared,
        RECORD + shared.replace("64", "64.0"),
        RECORD + shared.replace("64", "64.0") + "notes: x\n",
    ]
    together = [_judged(reader.read("file.yaml", text.encode()), parts) for text in texts]
    assert together == [_judged(read(text), None) for text in texts]
    assert isinstance(together[0], Record)
    assert isinstance(together[2], list)


def test_a_part_that_documents_share_is_judged_once() -> None:
    reader, parts = Reader(), dict[tuple[int, str], tuple[object, object]]()
    one = _judged(reader.read("1.yaml", f"{RECORD}load:\n  batch_size: 64\n".encode()), parts)
    two = _judged(reader.read("2.yaml", f"{RECORD}load:\n  batch_size: 64\n".encode()), parts)
    assert isinstance(one, Record)
    assert isinstance(two, Record)
    assert one.load is two.load


def _judged(document: Document, parts: Parts | None) -> object:
    return judge("record", document, parts=parts)


def test_an_entity_cannot_be_written_to_through_its_mappings() -> None:
    found = judge("record", read(f"{RECORD}inferred: {{load.pattern: the text says so}}\n"))
    assert isinstance(found, Record)
    assert isinstance(found.inferred, Mapping)
    assert not hasattr(found.inferred, "__setitem__")
