"""IDN009 to IDN012 at their edges: held twice, resting on what fell, fallen, and estimated."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report
from benchreg.audit.finding import Severity

Change = Callable[..., Path]
Judge = Callable[..., Report]

OTHER = "id: example-partner\n"
RATE = """results:
  rate: {{metric: {metric}, scope: system, value: {value}, unit: {unit}{more}}}
"""
FIGURE = {"metric": "request_throughput", "value": "12.5", "unit": "req/s", "more": ""}


def found(report: Report, code: str) -> list[tuple[str, str]]:
    return [
        (one.path.rpartition("/")[2], one.pointer) for one in report.findings if one.code == code
    ]


def rate(**other: str) -> str:
    return RATE.format(**(FIGURE | other))


@pytest.mark.parametrize(
    ("partner", "expected"),
    [
        pytest.param(rate(), 1, id="the same"),
        pytest.param(rate(value="12.50"), 1, id="the same number, written longer"),
        pytest.param(rate(value="12.6"), 0, id="another value"),
        pytest.param(rate(metric="offered_rate"), 0, id="another metric"),
        pytest.param(rate(more=", statistic: peak"), 0, id="another statistic"),
        pytest.param(rate(more=', locator: "row 3"'), 0, id="another place"),
        pytest.param(rate(more=", locator: Run.json"), 1, id="the same place, said twice"),
        pytest.param(
            'source: {id: example-source, locator: b.json, retrieved: "2026-11-01"}\n' + rate(),
            0,
            id="another file",
        ),
        pytest.param("status: superseded\nstatus_reason: read again\n", 0, id="superseded"),
        pytest.param("status: withdrawn\nstatus_reason: wrong\n", 0, id="withdrawn"),
    ],
)
def test_a_figure_of_one_place_is_held_once(
    partner: str, expected: int, changed: Change, judged: Judge
) -> None:
    report = judged(changed(rate(), example_partner=OTHER + partner))
    assert len(found(report, "IDN009")) == expected


def test_the_first_file_keeps_the_figure_and_the_other_is_told(
    changed: Change, judged: Judge
) -> None:
    report = judged(changed(rate(), example_partner=OTHER))
    assert found(report, "IDN009") == [("example-partner.yaml", "/results/completed_rate")]
    assert "stands in base-record too" in report.findings[-1].message


def test_one_record_may_name_a_figure_twice(changed: Change, judged: Judge) -> None:
    twice = rate() + rate().replace("results:\n  rate", "  again")
    assert found(judged(changed(twice)), "IDN009") == []


def test_figures_without_a_place_are_not_compared(changed: Change, judged: Judge) -> None:
    nowhere = 'source: {id: example-source, retrieved: "2026-11-01"}\n'
    report = judged(changed(nowhere, example_partner=OTHER + nowhere))
    assert found(report, "IDN009") == []
    reasons = {note.reason for note in report.unevaluated if note.code == "IDN009"}
    assert reasons == {"no locator says where in the source it stands"}


def test_an_id_taken_twice_is_no_crash(changed: Change, judged: Judge) -> None:
    report = judged(changed("", example_partner=rate(value="12.6")))
    assert report.crashes == ()
    assert {finding.code for finding in report.findings} == {"IDN001", "IDN002"}


FALLEN = "id: example-partner\nstatus: {}\nstatus_reason: the client could not keep up\n"
SEEN = """results:
  total:
    metric: output_throughput
    scope: system
    value: 800
    unit: tok/s
    seen_by_request: example-partner#each
"""
EACH = """results:
  each:
    metric: output_rate_per_request
    scope: per_request
    value: 12.5
    unit: tok/s
    aggregate: base-record#total
"""
HALF = """results:
  half:
    metric: request_throughput
    scope: system
    value: 6.25
    unit: req/s
    derivation: {formula: whole / 2, inputs: {whole: example-partner#completed_rate}}
"""
CLAIM = """claims:
  - says: twice as much
    locator: text
    stated: "1"
    formula: here / there
    inputs: {here: completed_rate, there: example-partner#completed_rate}
"""


@pytest.mark.parametrize(
    ("rests", "expected"),
    [
        pytest.param(
            "links: {replicates: [example-partner]}\n", "/links/replicates/0", id="repeat"
        ),
        pytest.param(
            "links: {estimate_of: [example-partner]}\n", "/links/estimate_of/0", id="guess"
        ),
        pytest.param(HALF, "/results/half/derivation/inputs/whole", id="derivation"),
        pytest.param(CLAIM, "/claims/0/inputs/there", id="claim"),
    ],
)
@pytest.mark.parametrize("status", ["withdrawn", "disputed"])
def test_what_rests_on_a_fallen_record_is_told_so(
    rests: str, expected: str, status: str, changed: Change, judged: Judge
) -> None:
    report = judged(changed(rests, example_partner=FALLEN.format(status)))
    assert found(report, "IDN010") == [("base-record.yaml", expected)]


def test_a_counterpart_that_fell_is_told(changed: Change, judged: Judge) -> None:
    report = judged(changed(SEEN, example_partner=FALLEN.format("disputed") + EACH))
    assert found(report, "IDN010") == [("base-record.yaml", "/results/total/seen_by_request")]


@pytest.mark.parametrize(
    ("rests", "partner"),
    [
        pytest.param(HALF, "id: example-partner\n", id="what stands"),
        pytest.param(HALF, FALLEN.format("superseded"), id="what was replaced"),
        pytest.param(
            "links: {contradicts: [example-partner]}\n", FALLEN.format("disputed"), id="an opponent"
        ),
        pytest.param(
            "status: disputed\nstatus_reason: so\n" + HALF,
            FALLEN.format("disputed"),
            id="both fell",
        ),
    ],
)
def test_nothing_is_told_where_nothing_rests_on_it(
    rests: str, partner: str, changed: Change, judged: Judge
) -> None:
    assert found(judged(changed(rests, example_partner=partner)), "IDN010") == []


def test_a_link_that_leads_nowhere_is_not_judged(changed: Change, judged: Judge) -> None:
    report = judged(changed("links: {replicates: [nobody]}\n"))
    assert [note.reason for note in report.unevaluated if note.code == "IDN010"] == [
        "nobody is not there"
    ]


PARTNER = "id: example-partner\n"
THIRD = "id: example-third\n"


def told(report: Report, code: str) -> list[str]:
    return [one.message for one in report.findings if one.code == code]


@pytest.mark.parametrize(
    ("standing", "expected"),
    [
        pytest.param("status: active\n", [], id="it stands"),
        pytest.param("status: withdrawn\nstatus_reason: wrong\n", [], id="withdrawn, with why"),
        pytest.param("status: disputed\nstatus_reason: doubtful\n", [], id="disputed, with why"),
        pytest.param(
            "status: superseded\nstatus_reason: again\nsuperseded_by: example-partner\n",
            [],
            id="replaced",
        ),
        pytest.param(
            "status: withdrawn\nstatus_reason: wrong\nsuperseded_by: example-partner\n",
            [],
            id="withdrawn and replaced",
        ),
        pytest.param(
            "status: disputed\n",
            ["the record is disputed and does not say why"],
            id="disputed, nobody knows why",
        ),
        pytest.param(
            "status: superseded\nstatus_reason: again\n",
            ["the record is superseded and names no record that replaces it"],
            id="replaced by nothing",
        ),
        pytest.param(
            "status_reason: wrong\n", ["an active record has a status_reason"], id="why it fell"
        ),
        pytest.param(
            "superseded_by: example-partner\n",
            ["an active record has a superseded_by"],
            id="what replaces it",
        ),
    ],
)
def test_a_record_that_fell_says_why_and_what_replaces_it(
    standing: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    report = judged(changed(standing, example_partner=PARTNER))
    assert told(report, "IDN011") == expected


REPLACED = "status: superseded\nstatus_reason: again\nsuperseded_by: {}\n"


@pytest.mark.parametrize(
    ("partner", "third", "expected"),
    [
        pytest.param("", "", [], id="the next one stands"),
        pytest.param(REPLACED.format("example-third"), "", [], id="the last one stands"),
        pytest.param(
            REPLACED.format("base-record"),
            "",
            ["base-record is replaced by", "example-partner is replaced by"],
            id="a way round",
        ),
        pytest.param(
            "status: withdrawn\nstatus_reason: so\n",
            "",
            ["example-partner, which is to be read instead, is withdrawn"],
            id="the next one fell",
        ),
        pytest.param(
            REPLACED.format("example-third"),
            "status: disputed\nstatus_reason: so\n",
            ["example-third, which is to be read instead, is disputed"] * 2,
            id="the last one fell",
        ),
    ],
)
def test_what_replaces_a_record_leads_to_one_that_stands(
    partner: str, third: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    others = {"example_partner": PARTNER + partner, "example_third": THIRD + third}
    found_here = sorted(
        told(judged(changed(REPLACED.format("example-partner"), **others)), "IDN011")
    )
    assert len(found_here) == len(expected)
    assert all(part in said for part, said in zip(sorted(expected), found_here, strict=True))


def test_a_successor_that_is_itself_is_a_way_round(changed: Change, judged: Judge) -> None:
    report = judged(changed(REPLACED.format("base-record")))
    assert told(report, "IDN011") == ["what replaces base-record is replaced by base-record again"]


def test_a_successor_that_fell_is_a_warning(changed: Change, judged: Judge) -> None:
    partner = PARTNER + "status: disputed\nstatus_reason: so\n"
    report = judged(changed(REPLACED.format("example-partner"), example_partner=partner))
    found_here = [one for one in report.findings if one.code == "IDN011"]
    assert [one.severity for one in found_here] == [Severity.WARNING]


def test_a_successor_that_is_not_there_is_not_judged(changed: Change, judged: Judge) -> None:
    report = judged(changed(REPLACED.format("nobody")))
    assert told(report, "IDN011") == []
    notes = [note for note in report.unevaluated if note.code == "IDN011"]
    assert [(note.pointer, note.reason) for note in notes] == [
        ("/superseded_by", "nobody cannot be read")
    ]


MADE = "estimator: {version: benchreg 0.1.0}\n"
OF_PARTNER = "links: {estimate_of: [example-partner]}\n"


@pytest.mark.parametrize(
    ("said", "partner", "expected"),
    [
        pytest.param("kind: estimate\n" + MADE, "", [], id="an estimate"),
        pytest.param("kind: estimate\n" + MADE + OF_PARTNER, "", [], id="of what was measured"),
        pytest.param("kind: measurement\n", "", [], id="a measurement"),
        pytest.param("kind: example\n" + MADE + OF_PARTNER, "", [], id="an example may be either"),
        pytest.param(
            "kind: estimate\n", "", ["an estimate does not say what made it"], id="made by nobody"
        ),
        pytest.param(
            "kind: measurement\n" + MADE,
            "",
            ["a measurement was made by no estimator"],
            id="a measurement that was made",
        ),
        pytest.param(
            "kind: measurement\n" + OF_PARTNER,
            "",
            ["a measurement is no estimate of example-partner"],
            id="a measurement of a measurement",
        ),
        pytest.param(
            "kind: estimate\n" + MADE + OF_PARTNER,
            "kind: estimate\n" + MADE,
            ["example-partner is an estimate itself"],
            id="an estimate of an estimate",
        ),
    ],
)
def test_an_estimate_says_what_made_it_and_a_measurement_was_made_by_nothing(
    said: str, partner: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    report = judged(changed(said, example_partner=PARTNER + partner))
    assert told(report, "IDN012") == expected


def test_an_estimate_of_what_is_not_there_is_not_judged(changed: Change, judged: Judge) -> None:
    report = judged(changed("kind: estimate\n" + MADE + "links: {estimate_of: [nobody]}\n"))
    assert told(report, "IDN012") == []
    notes = [note.reason for note in report.unevaluated if note.code == "IDN012"]
    assert notes == ["nobody cannot be read"]
