"""A document is an entity, or every reason why it is none is told, in order and once."""

from collections.abc import Callable, Mapping
from decimal import Decimal

import pytest

from benchreg.entities.catalogue import Engine
from benchreg.entities.record import Record
from benchreg.registry.document import Document, Place
from benchreg.registry.judge import ENTITIES, Parts, accepted_by_schema, judge
from benchreg.registry.read import Reader
from benchreg.registry.refusal import Refusal

ENGINE = "id: swift\nname: Swift\n"
RECORD = """\
id: run-1
title: A run
kind: measurement
status: active
source: {id: own-run, retrieved: 2026-04-16}
"""
EMPTY_TEXT = '"", '
NUMBER = "  - 1.0\n"

Told = list[tuple[str, str, str, Place]]
Read = Callable[[str], Document]
Refusals = Callable[[str, str], Told]


def _keys(value: str, count: int, indent: str = "  ") -> str:
    """Return a mapping of so many keys that all have one value."""
    return "".join(f"{indent}k{number}: {value}\n" for number in range(count))


def test_an_engine_is_an_entity(read: Read) -> None:
    assert judge("engine", read(ENGINE)) == Engine(id="swift", name="Swift")


def test_a_record_is_an_entity_with_its_digits(read: Read) -> None:
    record = judge("record", read(RECORD + "load: {request_rate: 12.50}\n"))
    assert isinstance(record, Record)
    assert str(record.load.request_rate) == "12.50"


@pytest.mark.parametrize("kind", ENTITIES)
def test_both_judges_refuse_an_empty_mapping(kind: str, read: Read) -> None:
    found = judge(kind, read("{}\n"))
    assert isinstance(found, list)
    assert {refusal.kind for refusal in found} == {"schema"}
    assert not accepted_by_schema(kind, {})


@pytest.mark.parametrize(("kind", "text"), [("engine", ENGINE), ("record", RECORD)])
def test_both_judges_accept_what_is_an_entity(kind: str, text: str, read: Read) -> None:
    document = read(text)
    assert judge(kind, document, both=True) == judge(kind, document)
    assert accepted_by_schema(kind, document.tree)


def test_the_schema_knows_the_number_of_a_decimal(read: Read) -> None:
    tree = read(RECORD + "load: {request_rate: 12.5}\n").tree
    assert tree["load"] == {"request_rate": Decimal("12.5")}
    assert accepted_by_schema("record", tree)


def test_an_unsafe_text_is_told_beside_what_the_schema_does_not_allow(refusals: Refusals) -> None:
    text = f'{ENGINE}note: "x\\u202e"\nvendro: x\nlicense: 1.0\n'
    assert [(kind, at) for kind, _, _, at in refusals("engine", text)] == [
        ("unsafe", (3, 7)),
        ("schema", (4, 1)),
        ("unquoted", (5, 10)),
    ]


def test_all_that_is_wrong_is_told_once_and_in_the_order_of_the_text(refusals: Refusals) -> None:
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


def test_of_very_many_faults_the_first_hundred_are_told(refusals: Refusals) -> None:
    text = ENGINE + "".join(f"key_{number}: 1\n" for number in range(5000))
    told = refusals("engine", text)
    assert [at for *_, at in told[:100]] == [(line, 1) for line in range(3, 103)]
    assert told[100:] == [
        ("schema", "more than 100 faults; the others are not listed", "", (1, 1)),
    ]


def test_of_very_many_placeholders_the_first_hundred_are_told(refusals: Refusals) -> None:
    told = refusals("engine", f"{ENGINE}aliases: [{'null, ' * 5000}]\n")
    assert {kind for kind, *_ in told[:100]} == {"placeholder"}
    assert len(told) == 101


def test_a_hundred_faults_are_told_in_full(refusals: Refusals) -> None:
    told = refusals("engine", ENGINE + "".join(f"key_{number}: 1\n" for number in range(100)))
    assert [message for _, message, *_ in told] == [
        f"unknown key 'key_{number}' in /" for number in range(100)
    ]


@pytest.mark.parametrize(
    ("name", "text", "kinds"),
    [
        ("2,000 results that are null", f"{RECORD}results:\n{_keys('', 2000)}", {"placeholder"}),
        (
            "10,000 empty results",
            f"{RECORD}results:\n{_keys('{}', 10_000)}",
            {"placeholder", "schema"},
        ),
        ("20,000 unknown keys", f"{RECORD}{_keys('1', 20_000, '')}", {"schema"}),
        ("20,000 unknown keys in a block", f"{RECORD}load:\n{_keys('1', 20_000)}", {"schema"}),
        ("20,000 empty texts", f"{RECORD}aliases: [{EMPTY_TEXT * 20_000}]\n", {"placeholder"}),
        ("20,000 texts with markup", f"{RECORD}accuracy: [{'<b>, ' * 20_000}]\n", {"schema"}),
        ("20,000 numbers for texts", f"{RECORD}aliases:\n{NUMBER * 20_000}", {"unquoted"}),
    ],
)
def test_a_file_full_of_faults_is_told_its_first_hundred_at_once(
    name: str, text: str, kinds: set[str], refusals: Refusals
) -> None:
    told = refusals("record", text)
    assert len(told) == 101, name
    assert {found for found, *_ in told[:100]} == kinds, name
    assert told[100][1] == "more than 100 faults; the others are not listed", name


def test_a_refusal_carries_the_path_and_the_pointer(read: Read) -> None:
    assert judge("engine", read(f"{ENGINE}vendro: X\n")) == [
        Refusal(
            "file.yaml",
            "schema",
            "unknown key 'vendro' in /",
            "did you mean 'vendor'?",
            ("vendro",),
        )
    ]


def test_a_key_outside_of_ascii_cannot_reach_the_judge_and_a_value_can(read: Read) -> None:
    assert judge("engine", read("id: swift\nname: Schön\n")) == Engine(id="swift", name="Schön")


def test_documents_that_share_parts_are_judged_as_if_they_did_not(read: Read) -> None:
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


def test_an_entity_cannot_be_written_to_through_its_mappings(read: Read) -> None:
    found = judge("record", read(f"{RECORD}inferred: {{load.pattern: the text says so}}\n"))
    assert isinstance(found, Record)
    assert isinstance(found.inferred, Mapping)
    assert not hasattr(found.inferred, "__setitem__")
