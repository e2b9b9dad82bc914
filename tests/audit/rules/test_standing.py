"""IDN009 and IDN010 at their edges: one figure held twice, and what rests on what."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report

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
