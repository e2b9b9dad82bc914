"""An absence has a short and a long form, and only conditions of the vocabulary are absent."""

from collections.abc import Callable
from typing import Any, get_args

import pytest
from pydantic import MISSING, ValidationError

from benchreg.entities.absence import CONDITIONS, INFERABLE, Absence
from benchreg.entities.record import Record
from benchreg.entities.vocabulary import AbsenceReason, FigureAbsence, FigureInference

RecordWith = Callable[..., Record]
REASONS: tuple[str, ...] = get_args(AbsenceReason)


@pytest.mark.parametrize("reason", REASONS)
def test_the_short_form_is_read_as_the_long_one(reason: str, record_with: RecordWith) -> None:
    short = record_with(absent={"slo": reason})
    long = record_with(absent={"slo": {"because": reason}})
    assert short.absent == long.absent
    assert short.absent["slo"].because == reason


def test_the_short_form_says_nothing_else(record_with: RecordWith) -> None:
    absence = record_with(absent={"slo": "not_stated"}).absent["slo"]
    assert absence.would_need is MISSING
    assert absence.note is MISSING


def test_the_long_form_says_what_would_be_needed(record_with: RecordWith) -> None:
    written = {"because": "unrecoverable", "would_need": "the log", "note": "a single device"}
    absence = record_with(absent={"load.warmup": written}).absent["load.warmup"]
    assert absence == Absence.model_validate(written)
    assert (absence.would_need, absence.note) == ("the log", "a single device")


@pytest.mark.parametrize(
    ("case", "absence"),
    [
        ("a reason outside the list", "unknown"),
        ("a reason in capitals", "NOT_STATED"),
        ("a reason with a line end", "not_stated\n"),
        ("no reason", ""),
        ("null", None),
        ("true", True),
        ("a number", 1),
        ("a list of reasons", ["not_stated"]),
        ("an empty mapping", {}),
        ("a mapping without a reason", {"would_need": "the log"}),
        ("a mapping with a reason outside the list", {"because": "unknown"}),
        ("a mapping with null", {"because": "not_stated", "note": None}),
        ("a mapping with empty prose", {"because": "not_stated", "note": ""}),
        ("a mapping with an unknown key", {"because": "not_stated", "reason": "silent"}),
        ("a mapping in the mapping", {"because": {"because": "not_stated"}}),
    ],
)
def test_neither_form_is(case: str, absence: Any, record_with: RecordWith) -> None:
    with pytest.raises(ValidationError):
        record_with(title=case, absent={"slo": absence})


def test_every_condition_can_be_absent(record_with: RecordWith) -> None:
    absent = dict.fromkeys(CONDITIONS, "not_stated")
    assert tuple(record_with(absent=absent).absent) == CONDITIONS


def test_every_inferable_condition_can_be_inferred(record_with: RecordWith) -> None:
    inferred = dict.fromkeys(INFERABLE, "the log says so")
    assert tuple(record_with(inferred=inferred).inferred) == INFERABLE


@pytest.mark.parametrize(
    ("case", "block", "condition"),
    [
        ("a typo", "absent", "engine.versoin"),
        ("a field that is no condition", "absent", "title"),
        ("a block with an underscore for the point", "absent", "engine_version"),
        ("another case", "absent", "Engine"),
        ("a condition that can only be inferred", "absent", "hardware.could_be"),
        ("a figure's absence", "absent", "statistic"),
        ("a typo of an inference", "inferred", "model.idd"),
        ("a figure's inference", "inferred", "unit"),
    ],
)
def test_no_other_key_can_be_declared(
    case: str, block: str, condition: str, record_with: RecordWith
) -> None:
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        record_with(title=case, **{block: {condition: "not_stated"}})


@pytest.mark.parametrize("block", ["absent", "inferred"])
def test_the_schema_names_every_key(block: str, schemas: dict[str, Any]) -> None:
    name = {"absent": "Absences", "inferred": "Inferences"}[block]
    known = {"absent": CONDITIONS, "inferred": INFERABLE}[block]
    assert tuple(schemas["record"]["$defs"][name]["properties"]) == known


def test_a_figure_declares_its_own_absences(record_with: RecordWith) -> None:
    absent = dict.fromkeys(get_args(FigureAbsence), "not_stated")
    figure = record_with(results={"rate": _figure(absent=absent)}).results["rate"]
    assert tuple(figure.absent) == get_args(FigureAbsence)


def test_a_figure_declares_its_own_inferences(record_with: RecordWith) -> None:
    inferred = dict.fromkeys(get_args(FigureInference), "the axis says so")
    figure = record_with(results={"rate": _figure(inferred=inferred)}).results["rate"]
    assert tuple(figure.inferred) == get_args(FigureInference)


@pytest.mark.parametrize(
    ("case", "block", "key"),
    [
        ("a condition of the record", "absent", "load.warmup"),
        ("a number that is not there", "absent", "value"),
        ("a typo", "inferred", "units"),
    ],
)
def test_a_figure_declares_no_other_key(
    case: str, block: str, key: str, record_with: RecordWith
) -> None:
    figure = _figure(**{block: {key: "not_stated"}})
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        record_with(title=case, results={"rate": figure})


def _figure(**more: Any) -> dict[str, Any]:
    return {"metric": "request_throughput", "value": 12, "unit": "req/s", **more}
