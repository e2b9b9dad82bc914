"""PRO001 to PRO008 at their edges: places, dates, prose, runs, and rounds."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from benchreg.audit.engine import Report
from benchreg.audit.finding import Severity

Change = Callable[..., Path]
Judge = Callable[..., Report]

SOURCE = 'source: {{id: example-source, locator: run.json, retrieved: "{}"}}\n'
MEASURED = 'measurement: {{harness: h, measured: "{}", runs: 3, point: server}}\n'
PUBLISHED = "sources/example-source"


def found(report: Report, code: str) -> list[str]:
    return [finding.message for finding in report.findings if finding.code == code]


def reasons(report: Report, code: str) -> list[str]:
    return [note.reason for note in report.unevaluated if note.code == code]


NOWHERE = 'source: {id: example-source, retrieved: "2026-11-01"}\n'


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        pytest.param(["", ""], 1, id="no figure has its own place"),
        pytest.param([", locator: row 1", ""], 1, id="one of two has"),
        pytest.param([", locator: row 1", ", locator: row 2"], 0, id="each has"),
    ],
)
def test_a_place_is_that_of_the_record_or_of_each_figure(
    places: list[str], expected: int, changed: Change, judged: Judge
) -> None:
    rate = "  {}: {{metric: offered_rate, scope: system, value: 12.5, unit: req/s{}}}\n"
    lines = [rate.format(f"rate{number}", place) for number, place in enumerate(places)]
    report = judged(changed(f"{NOWHERE}results:\n{''.join(lines)}"))
    assert len(found(report, "PRO001")) == expected


@pytest.mark.parametrize(
    ("published", "expected"),
    [
        pytest.param('"2026"', 0, id="the same year"),
        pytest.param('"2027"', 2, id="the next year"),
        pytest.param("2026-11", 0, id="the same month"),
        pytest.param("2026-12", 2, id="the next month"),
        pytest.param('"2026-11-01"', 0, id="the same day"),
        pytest.param('"2026-11-02"', 2, id="the next day"),
    ],
)
def test_what_is_read_was_published_as_far_as_the_date_says(
    published: str, expected: int, changed: Change, judged: Judge
) -> None:
    report = judged(changed(**{PUBLISHED: f"published: {published}\n"}))
    assert len(found(report, "PRO002")) == expected


@pytest.mark.parametrize(
    ("measured", "expected"),
    [
        pytest.param("2026-11-01", [], id="the same day"),
        pytest.param("2026-11-02", ["and was measured on 2026-11-02"], id="the day after"),
        pytest.param("2026-10-30/2026-11-01", [], id="a range up to the day"),
        pytest.param("2026-10-30/2026-11-02", ["and was measured on 2026-11-02"], id="beyond it"),
        pytest.param("2026-10-30/2026-10-29", ["ends before it begins"], id="a range backwards"),
    ],
)
def test_what_is_read_was_measured_before(
    measured: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    messages = found(judged(changed(MEASURED.format(measured))), "PRO002")
    assert [end for end in expected if not messages[0].endswith(end)] == []
    assert len(messages) == len(expected)


@pytest.mark.parametrize(
    ("retrieved", "expected"), [("2026-11-01", 0), ("2026-11-02", 0), ("2026-11-03", 1)]
)
def test_nothing_was_read_after_today(
    retrieved: str, expected: int, changed: Change, judged: Judge
) -> None:
    root = changed(SOURCE.format(retrieved))
    assert len(found(judged(root, today=date(2026, 11, 2)), "PRO002")) == expected


@pytest.mark.parametrize(
    ("fragment", "expected"),
    [
        pytest.param(SOURCE.format("2026-11-31"), ["there is no 2026-11-31 in the calendar"],
                     id="the 31st of November"),
        pytest.param(MEASURED.format("2026-02-29"), ["there is no 2026-02-29 in the calendar"],
                     id="no leap year"),
        pytest.param(MEASURED.format("2024-02-29"), [], id="a leap year"),
        pytest.param(MEASURED.format("2026-09-31/2026-10-01"),
                     ["there is no 2026-09-31 in the calendar"], id="one of a range"),
    ],
)  # fmt: skip
def test_a_date_is_one_of_the_calendar(
    fragment: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    assert found(judged(changed(fragment)), "PRO002") == expected


def test_without_a_day_the_future_is_not_judged_and_the_rest_is(
    changed: Change, judged: Judge
) -> None:
    report = judged(changed(SOURCE.format("2026-10-01")), today=None)
    assert found(report, "PRO002") == ["read on 2026-10-01, and was measured on 2026-11-01"]
    assert set(reasons(report, "PRO002")) == {"nobody said which day it is today"}


def test_a_source_that_is_not_there_is_not_judged(changed: Change, judged: Judge) -> None:
    report = judged(changed(SOURCE.format("2026-11-01").replace("example-source", "nobody")))
    assert reasons(report, "PRO002") == reasons(report, "PRO008") == ["nobody is not there"]


RESULTS = """results:
  completed_rate:
    metric: request_throughput
    scope: system
    value: 0.9
    printed: "0.9"
    unit: req/s
  input_rate:
    metric: input_throughput
    scope: system
    value: 57.6
    unit: tok/s
    derivation: {formula: completed_rate * 64, assumes: [every request has 64 of 80 layers]}
  first: {metric: ttft, scope: per_request, statistic: mean, value: 95, unit: ms, n: 1280}
  slow: {metric: e2e_latency, scope: per_request, statistic: mean, value: 2.5, unit: s}
claims:
  - says: the first of 5 tables says that it is 14 times as fast
    locator: text
    stated: "14"
    formula: 14 * a / a
    inputs: {a: completed_rate}
"""


@pytest.mark.parametrize(
    ("notes", "expected"),
    [
        pytest.param("No request receives 57.6 tok/s.", [], id="a figure"),
        pytest.param("No request receives 58 tok/s.", [], id="a figure, rounded"),
        pytest.param("57.60 tok/s", [], id="a figure, written longer"),
        pytest.param("57.6 stands for 54.4 to 60.8.", [], id="numbers without a unit"),
        pytest.param("It stands for 54.4 to 60.8 tok/s.", [], id="what it stands for"),
        pytest.param("It stands for 54.4 to 61.8 tok/s.", ["54.4 to 61.8 tok/s"], id="one end"),
        pytest.param("It was 58.6 tok/s.", ["58.6 tok/s"], id="no figure"),
        pytest.param("It was 57.6 ms.", ["57.6 ms"], id="a number of another quantity"),
        pytest.param("2,500 ms in all", [], id="a figure in another unit"),
        pytest.param("250 ms in all", ["250 ms"], id="a digit lost"),
        pytest.param("64 requests of 512 tokens, for 512 s", [], id="conditions"),
        pytest.param("512 tok/s", ["512 tok/s"], id="a condition is no rate"),
        pytest.param("95 tokens", ["95 tokens"], id="a latency is no length"),
        pytest.param("63 users", ["63 users"], id="no condition"),
        pytest.param("an 80 GB part; 1,280 requests", [], id="words, and the number of requests"),
        pytest.param("a 40 GB part", ["40 GB"], id="another part"),
        pytest.param("14 times as fast, 14x", [], id="a claim"),
        pytest.param("13.9 times, twice", ["13.9 times", "twice"], id="no claim"),
        pytest.param("more than 57.6, below 14, than 96", ["than 96"], id="compared"),
        pytest.param("in 64 of 80 layers", [], id="what is assumed"),
        pytest.param("in 5 of 9 systems", ["5 of 9"], id="a share"),
        pytest.param("A batch total.", [], id="prose"),
    ],
)
def test_notes_hold_no_figure_of_their_own(
    notes: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    messages = found(judged(changed(f"{RESULTS}notes: >-\n  {notes}\n")), "PRO003")
    assert [message.split("'")[1] for message in messages] == expected


def test_notes_may_name_a_figure_that_a_derivation_uses(changed: Change, judged: Judge) -> None:
    there = "inputs: {there: example-partner#completed_rate}"
    derived = "{metric: request_throughput, scope: system, value: 25, unit: req/s, derivation: {"
    text = f"results:\n  rate: {derived}formula: 2 * there, {there}}}}}\nnotes: twice 12.5 req/s\n"
    assert found(judged(changed(text)), "PRO003") == []


ONE = """measurement: {{harness: h, point: server{}}}
results:
  rate: {{metric: request_throughput, scope: system, value: 12.5, unit: req/s{}}}
"""


@pytest.mark.parametrize(
    ("runs", "more", "expected"),
    [
        pytest.param(", runs: 1", "", 1, id="one"),
        pytest.param("", "", 1, id="unstated"),
        pytest.param(", runs: 2", "", 0, id="two"),
        pytest.param("", ", variation: {stdev: 0.1}", 0, id="a deviation"),
        pytest.param("", ", variation: {ci95: 0.1}", 0, id="an interval"),
        pytest.param("", ", variation: {runs: 3}", 0, id="runs of the figure"),
        pytest.param("", ", variation: {runs: 1}", 1, id="one run of the figure"),
    ],
)
def test_one_run_is_worth_a_note(
    runs: str, more: str, expected: int, changed: Change, judged: Judge
) -> None:
    report = judged(changed(ONE.format(runs, more)))
    single = [one for one in report.findings if one.code == "PRO006"]
    assert [one.severity for one in single] == [Severity.NOTE] * expected


@pytest.mark.parametrize(
    ("fragment", "expected"),
    [
        ("outcome: out_of_memory\n", 0),
        ("outcome: failed\n", 0),
        ("outcome: limit_not_met\n", 1),
        ("kind: estimate\n", 0),
        ("absent: {load.scenario: not_applicable, measurement.runs: not_applicable}\n", 1),
    ],
)
def test_what_was_never_run_is_no_single_run(
    fragment: str, expected: int, changed: Change, judged: Judge
) -> None:
    report = judged(changed(fragment + ONE.format("", "")))
    assert len(found(report, "PRO006")) == expected


PATH = "closed/Example/results/1xExample/llama2-70b-99/Server"
OFFICIAL = "kind: result_repository\npublisher: MLCommons\n"


@pytest.mark.parametrize(
    ("block", "missing"),
    [
        (f"{{round: v5.1, division: closed, result_path: {PATH}}}", []),
        (f"{{division: closed, result_path: {PATH}}}", ["round"]),
        (f"{{round: v5.1, result_path: {PATH}}}", ["division"]),
        ("{submitter: Example}", ["division", "result path", "round"]),
    ],
)
def test_a_result_of_mlperf_is_found_by_three_things(
    block: str, missing: list[str], changed: Change, judged: Judge
) -> None:
    messages = found(judged(changed(f"mlperf: {block}\n")), "PRO008")
    assert messages == [f"a figure of MLPerf without its {name}" for name in missing]


@pytest.mark.parametrize(
    ("block", "pointer"),
    [
        pytest.param("", None, id="as the path has it"),
        pytest.param("submitter: Example, system: 1xExample", None, id="and more of it"),
        pytest.param("benchmark: [llama2-70b-99, llama2-70b-99.9]", None, id="one of two labels"),
        pytest.param("benchmark: [llama2_70b-99]", None, id="another sign between"),
        pytest.param("division: open", "/mlperf/division", id="another division"),
        pytest.param("submitter: Nobody", "/mlperf/submitter", id="another submitter"),
        pytest.param("system: 2xExample", "/mlperf/system", id="another system"),
        pytest.param("benchmark: [llama2-70b-99.9]", "/mlperf/benchmark", id="another label"),
    ],
)
def test_the_path_of_a_result_is_its_own(
    block: str, pointer: str | None, changed: Change, judged: Judge
) -> None:
    said = f"{{division: closed, round: v5.1, result_path: {PATH}, {block}}}"
    if "division" in block:
        said = said.replace("division: closed, ", "")
    report = judged(changed(f"mlperf: {said}\n"))
    pointers = [one.pointer for one in report.findings if one.code == "PRO008"]
    assert pointers == ([pointer] if pointer else [])


@pytest.mark.parametrize(("division", "expected"), [("open", 0), ("closed", 1)])
def test_a_submitter_names_the_folder_of_an_open_benchmark(
    division: str, expected: int, changed: Change, judged: Judge
) -> None:
    path = PATH.replace("closed", division)
    block = f"{{round: v5.1, division: {division}, result_path: {path}, benchmark: [another]}}"
    assert len(found(judged(changed(f"mlperf: {block}\n")), "PRO008")) == expected


@pytest.mark.parametrize(("scenario", "expected"), [("server", 0), ("offline", 1)])
def test_the_scenario_is_that_of_the_path(
    scenario: str, expected: int, changed: Change, judged: Judge
) -> None:
    load = f"load: {{pattern: single_stream, scenario: {scenario}, window: full_drain}}\n"
    block = f"mlperf: {{round: v5.1, division: closed, result_path: {PATH}}}\n"
    assert len(found(judged(changed(block + load)), "PRO008")) == expected


def test_the_round_is_that_of_the_results_repository(changed: Change, judged: Judge) -> None:
    block = f"mlperf: {{round: v5.1, division: closed, result_path: {PATH}}}\n"
    report = judged(changed(block, **{PUBLISHED: OFFICIAL}))
    message = "the round is 'v5.1', and the result is that of 'example-source'"
    assert message in found(report, "PRO008")


@pytest.mark.parametrize(
    ("fragment", "source", "expected"),
    [
        pytest.param("", OFFICIAL, 2, id="both records of the results repository"),
        pytest.param("", "publisher: MLCommons\n", 0, id="another page of its publisher"),
        pytest.param("title: MLPerf Inference v5.1 Server\n", "", 1, id="a title"),
        pytest.param("measurement: {harness: MLPerf LoadGen, runs: 3}\n", "", 0, id="its tool"),
    ],
)
def test_a_result_of_mlperf_has_its_block(
    fragment: str, source: str, expected: int, changed: Change, judged: Judge
) -> None:
    report = judged(changed(fragment, **{PUBLISHED: source}))
    assert len(found(report, "PRO008")) == expected
