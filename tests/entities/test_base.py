"""The strict base: ranges, patterns, lists without repetition, and entities that never change."""

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest
from pydantic import MISSING, ConfigDict, TypeAdapter, ValidationError

from benchreg.entities import base, mapping
from benchreg.entities.base import Entity
from benchreg.entities.record import Record
from benchreg.registry.document import Document
from benchreg.registry.judge import ENTITIES

RecordWith = Callable[..., Record]
OPEN = {(mapping.Mapping, "record"), (mapping.Case, "record")}


def _read(name: str, value: object) -> Any:
    return TypeAdapter(getattr(base, name), config=ConfigDict(strict=True)).validate_python(value)


def _refuses(name: str, value: object) -> bool:
    try:
        _read(name, value)
    except ValidationError:
        return True
    return False


@pytest.mark.parametrize(
    ("case", "name", "value"),
    [
        ("an amount may be zero", "Amount", 0),
        ("an amount may be the largest", "Amount", 10**15),
        ("an amount may be very small", "Amount", Decimal("1e-300")),
        ("a positive number may be very small", "Positive", Decimal("1e-300")),
        ("a share may be nothing", "Share", 0),
        ("a share may be everything", "Share", Decimal("1.0")),
        ("a count may be zero", "Count", 0),
        ("a count may be the largest", "Count", 10**12),
        ("a positive count may be one", "PositiveCount", 1),
    ],
)
def test_a_number_within_its_range_is_accepted(case: str, name: str, value: object) -> None:
    assert _read(name, value) == value, case


@pytest.mark.parametrize(
    ("case", "name", "value"),
    [
        ("an amount below zero", "Amount", -1),
        ("an amount a hair below zero", "Amount", Decimal("-1e-300")),
        ("an amount above the largest", "Amount", 10**15 + 1),
        ("an amount a hair above the largest", "Amount", Decimal("1000000000000000.0000001")),
        ("zero where a positive number is meant", "Positive", 0),
        ("zero with digits where a positive number is meant", "Positive", Decimal("0.00")),
        ("minus zero where a positive number is meant", "Positive", Decimal("-0.0")),
        ("a share above one", "Share", Decimal("1.01")),
        ("a count below zero", "Count", -1),
        ("a count above the largest", "Count", 10**12 + 1),
        ("zero where a positive count is meant", "PositiveCount", 0),
        ("a decimal where a count is meant", "Count", Decimal("64.0")),
        ("true where a number is meant", "Amount", True),
        ("true where a count is meant", "Count", True),
        ("text where a number is meant", "Amount", "12.5"),
        ("text where a count is meant", "Count", "64"),
        ("a float, which no reader produces", "Amount", 12.5),
        ("null where a number is meant", "Amount", None),
        ("a list where a number is meant", "Amount", [1]),
    ],
)
def test_a_number_outside_its_range_or_of_another_kind_is_refused(
    case: str, name: str, value: object
) -> None:
    assert _refuses(name, value), case


@pytest.mark.parametrize(
    ("case", "written", "kept"),
    [
        ("an int becomes a decimal", 800, "800"),
        ("a trailing zero is kept", Decimal("800.0"), "800.0"),
        ("an exponent that would hide digits is written out", Decimal("8e2"), "800"),
        ("digits before an exponent are written out", Decimal("1.50e4"), "15000"),
        ("an exponent that only moves the point is written out", Decimal("1.50e2"), "150"),
        ("a digit behind the point stays behind it", Decimal("1.50e1"), "15.0"),
        ("the largest is written out", Decimal("1e15"), "1000000000000000"),
        ("nothing with an exponent is nothing", Decimal("0e5"), "0"),
        ("a negative exponent is kept", Decimal("5e-7"), "5E-7"),
        ("no digit is lost", Decimal("0.1000000000000000055511151231257827"),
         "0.1000000000000000055511151231257827"),
    ],
)  # fmt: skip
def test_a_number_keeps_the_digits_that_were_written(case: str, written: object, kept: str) -> None:
    assert str(_read("Amount", written)) == kept, case


def test_a_number_out_of_range_is_told_the_range() -> None:
    with pytest.raises(ValidationError, match=r"greater than 0 and at most 1e\+15"):
        _read("Positive", 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Id", "a"),
        ("Id", "llama-3.1-8b"),
        ("Id", "0"),
        ("Id", "x" * 120),
        ("Word", "p50_rate"),
        ("Word", "x" * 80),
        ("ResultRef", "user_rate"),
        ("ResultRef", "other-record.2#user_rate"),
        ("InputRef", "load.batch_size"),
        ("InputRef", "other-record#rate"),
        ("Line", 'Table 2, row "1 x A100"'),
        ("Line", "é" * 200),
        ("Prose", "two\nlines"),
        ("Digits", "12.50"),
        ("Digits", "-0"),
        ("Date", "2024-02-29"),
        ("DateOrRange", "2026-11-01"),
        ("DateOrRange", "2026-11-01/2026-11-02"),
        ("YearOrDate", "2020"),
        ("YearOrDate", "2020-05"),
        ("YearOrDate", "2020-05-14"),
        ("Url", "https://example.org/a?b=c#d"),
        ("Sha256", "0123456789abcdef" * 4),
        ("Commit", "198fc46"),
        ("Commit", "0" * 64),
    ],
)
def test_a_text_of_its_form_is_accepted(name: str, value: str) -> None:
    assert _read(name, value) == value


@pytest.mark.parametrize(
    ("case", "name", "value"),
    [
        ("nothing", "Id", ""),
        ("a capital letter", "Id", "Llama"),
        ("an underscore in an id", "Id", "llama_3"),
        ("a point at the end", "Id", "llama-3."),
        ("two dashes", "Id", "llama--3"),
        ("a space", "Id", "llama 3"),
        ("a letter too many in an id", "Id", "x" * 121),
        ("a digit at the start of a word", "Word", "1st"),
        ("a dash in a word", "Word", "user-rate"),
        ("a letter too many in a word", "Word", "x" * 81),
        ("a record without a result", "ResultRef", "other-record#"),
        ("a path where a result is meant", "ResultRef", "load.batch_size"),
        ("two records", "ResultRef", "a#b#c"),
        ("a path that ends in a point", "InputRef", "load."),
        ("a second line", "Line", "one\ntwo"),
        ("a tab", "Line", "one\ttwo"),
        ("a letter too many in a line", "Line", "x" * 201),
        ("a letter too many in prose", "Prose", "x" * 601),
        ("an exponent in digits", "Digits", "1e3"),
        ("a plus sign", "Digits", "+1"),
        ("a point without digits after it", "Digits", "1."),
        ("a thousands separator", "Digits", "12,500"),
        ("digits of another script", "Digits", "\u0661\u0662"),
        ("a month that is none", "Date", "2026-13-01"),
        ("a day that is none", "Date", "2026-01-32"),
        ("a time after the date", "Date", "2026-01-01T00:00"),
        ("a date of another script", "Date", "\uff12\uff10\uff12\uff16-01-01"),
        ("an open range", "DateOrRange", "2026-11-01/"),
        ("a year of two digits", "YearOrDate", "20"),
        ("an address without a scheme", "Url", "example.org"),
        ("a space in an address", "Url", "https://example.org/a b"),
        ("an address that is too long", "Url", f"https://{'x' * 393}"),
        ("a hash that is too short", "Sha256", "0" * 63),
        ("a capital letter in a hash", "Sha256", "A" * 64),
        ("a commit that is too short", "Commit", "198fc4"),
        ("a number where text is meant", "Commit", 1980046),
        ("true where text is meant", "Line", True),
        ("null where text is meant", "Line", None),
    ],
)
def test_a_text_of_another_form_is_refused(case: str, name: str, value: object) -> None:
    assert _refuses(name, value), case


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Id", "llama"),
        ("Word", "rate"),
        ("ResultRef", "rate"),
        ("InputRef", "load.batch_size"),
        ("Line", "one"),
        ("Digits", "12.5"),
        ("Date", "2026-01-01"),
        ("DateOrRange", "2026-01-01"),
        ("YearOrDate", "2026"),
        ("Url", "https://example.org/"),
        ("Sha256", "0" * 64),
        ("Commit", "198fc467"),
    ],
)
def test_a_line_end_after_a_patterned_text_is_refused(name: str, value: str) -> None:
    assert not _refuses(name, value)
    assert _refuses(name, value + "\n")


def test_a_list_that_names_something_twice_is_refused(record_with: RecordWith) -> None:
    with pytest.raises(ValidationError, match="Items should be different"):
        record_with(aliases=["one", "two", "one"])


def test_a_list_that_names_nothing_twice_keeps_its_order(record_with: RecordWith) -> None:
    assert record_with(aliases=["two", "one"]).aliases == ("two", "one")


def test_a_list_that_may_repeat_itself_does(record_with: RecordWith) -> None:
    waiver = {"rule": "CON014"}
    first, second = record_with(waivers=[waiver, waiver]).waivers
    assert first == second


def test_what_was_not_said_is_missing_and_not_none(record_with: RecordWith) -> None:
    said = record_with().notes
    assert said is MISSING
    assert said is not None


@pytest.mark.parametrize("key", ["notes", "title", "aliases", "load", "absent", "results"])
def test_null_is_refused(key: str, record_with: RecordWith) -> None:
    with pytest.raises(ValidationError):
        record_with(**{key: None})


def test_a_block_that_was_not_said_can_still_be_asked(record_with: RecordWith) -> None:
    assert record_with().workload.prefix_cache.hit_ratio is MISSING


def test_an_unknown_key_is_refused(record_with: RecordWith) -> None:
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        record_with(enginee={"id": "vllm"})


def test_every_part_of_a_parsed_entity_is_of_a_kind_that_cannot_change(
    golden: tuple[str, Document],
) -> None:
    kinds = {type(part) for part in _parts(_parsed(golden)) if not isinstance(part, Entity)}
    assert kinds <= {str, int, bool, Decimal, tuple, MappingProxyType, type(MISSING)}


def test_no_field_of_a_parsed_entity_takes_another_value(golden: tuple[str, Document]) -> None:
    for entity in [part for part in _parts(_parsed(golden)) if isinstance(part, Entity)]:
        for name in type(entity).model_fields:
            with pytest.raises(ValidationError, match="frozen"):
                setattr(entity, name, "x")
            with pytest.raises(ValidationError, match="frozen"):
                delattr(entity, name)


def test_no_entity_takes_a_new_field(record_with: RecordWith) -> None:
    with pytest.raises(ValidationError):
        record_with().remark = "x"  # type: ignore[attr-defined]  # that it has none is tested


@pytest.mark.parametrize("block", ["absent", "inferred", "results"])
def test_a_mapping_takes_no_new_name(block: str, record_with: RecordWith) -> None:
    record = record_with(
        absent={"slo": "not_stated"},
        inferred={"slo": "the log says so"},
        results={"rate": {"metric": "request_throughput", "value": 1, "unit": "req/s"}},
    )
    with pytest.raises(TypeError):
        getattr(record, block)["load"] = "x"


def test_a_mapping_that_was_not_said_takes_no_new_name(record_with: RecordWith) -> None:
    with pytest.raises(TypeError):
        record_with().results["rate"] = "x"  # type: ignore[index]  # that it is closed is tested


def test_an_entity_stays_what_it_is_when_the_tree_it_was_read_from_changes(
    golden: tuple[str, Document],
) -> None:
    kind, document = golden
    tree = deepcopy(document.tree)
    entity = ENTITIES[kind].model_validate(tree)
    _empty_out(tree)
    assert tree == {}
    assert entity == _parsed(golden)


def _parsed(golden: tuple[str, Document]) -> Entity:
    kind, document = golden
    return ENTITIES[kind].model_validate(document.tree)


def _parts(part: Any) -> Iterator[Any]:
    """Yield a part and all below it; the parts of a record in a mapping are open, and its own."""
    yield part
    for name, child in part if isinstance(part, Entity) else ():
        yield from _parts(child) if (type(part), name) not in OPEN else ()
    for child in part.values() if isinstance(part, Mapping) else ():
        yield from _parts(child)
    for child in part if isinstance(part, tuple) else ():
        yield from _parts(child)


def _empty_out(tree: Any) -> None:
    for child in tree.values() if isinstance(tree, dict) else tree:
        if isinstance(child, dict | list):
            _empty_out(child)
    tree.clear()
