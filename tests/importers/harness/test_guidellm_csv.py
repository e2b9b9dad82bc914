"""GuideLLM: what its tables state, with one row of names and with three."""

import csv
import io
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchreg.importers.harness.guidellm_csv import sheet
from benchreg.importers.importer import recognised, statements
from benchreg.importers.opened import opened
from benchreg.importers.statement import RunError, Statement

Stated = Callable[[Path], list[Statement]]
At = Callable[[Any, str], Any]
Rows = list[list[str]]
Read = Callable[[Rows], list[Statement | RunError]]

FILES = (("guidellm-csv-0.3", "0.3-poisson.csv"), ("guidellm-csv", "0.8-streams.csv"))


def rows_of(path: Path) -> Rows:
    return list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"))))


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """A function that writes rows as a table and returns what it states."""

    def of(rows: Rows) -> list[Statement | RunError]:
        path = tmp_path / "table.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
        table = opened(path)
        return list(statements(recognised(table), table))

    return of


@pytest.fixture
def former(data: Path) -> Rows:
    return rows_of(data / "guidellm/0.3-poisson.csv")


@pytest.fixture
def current(data: Path) -> Rows:
    return rows_of(data / "guidellm/0.8-streams.csv")


def column(rows: Rows, *names: str) -> int:
    ways = list(zip(*rows[: len(names)], strict=False))
    return ways.index(names)


def only(found: list[Statement | RunError]) -> Statement:
    (one,) = found
    assert isinstance(one, Statement)
    return one


@pytest.mark.parametrize(("name", "file"), FILES)
def test_a_table_is_known_by_its_names(name: str, file: str, data: Path) -> None:
    assert recognised(opened(data / "guidellm" / file)).name == name


@pytest.mark.parametrize(("name", "file"), FILES)
def test_every_figure_is_what_stands_in_its_cell(
    name: str, file: str, data: Path, stated: Stated, at: At
) -> None:
    path = data / "guidellm" / file
    trees, found = {piece.at: piece.tree for piece in sheet(opened(path))}, stated(path)
    assert len(found) == len(trees)
    assert recognised(opened(path)).name == name
    for one in found:
        assert len(one.tree["results"]) > 30
        for figure in one.tree["results"].values():
            cell = at(trees[one.at], figure["locator"])
            assert Decimal(str(cell)) == figure["value"]


def test_the_table_of_0_8_says_what_the_json_says(data: Path, stated: Stated) -> None:
    table = stated(data / "guidellm/0.8-streams.csv")
    report = stated(data / "guidellm/0.8-streams.json")
    assert [one.at for one in table] == ["row 4", "row 5"]
    for one, same in zip(table, report, strict=True):
        assert one.tree["load"] == same.tree["load"]
        assert one.tree["model"] == same.tree["model"]
        assert one.tree["measurement"] == same.tree["measurement"]
        results = same.tree["results"]
        assert {key: one.tree["results"][key]["value"] for key in one.tree["results"]} == {
            key: results[key]["value"] for key in one.tree["results"]
        }
        assert {key for key in results if not key.endswith("_p99_9")} == set(one.tree["results"])


def test_the_table_of_0_3_states_its_conditions(data: Path, stated: Stated) -> None:
    (one,) = stated(data / "guidellm/0.3-poisson.csv")
    assert {key: value for key, value in one.tree.items() if key != "results"} == {
        "model": {"described_as": "mock-model"},
        "measurement": {"measured": "2026-11-30", "runs": 1, "latency_origin": "dispatched"},
        "load": {
            "pattern": "open_loop",
            "request_rate": 6,
            "arrival": {"process": "poisson"},
            "completed": 20,
            "failed": 0,
            "requests": 20,
            "duration_s": Decimal("1.5729458332061768"),
            "window": "full_drain",
            "warmup": {"requests": 0},
        },
        "workload": {
            "input_tokens": Decimal("72.35000000000001"),
            "output_tokens": Decimal("32.00000000000001"),
            "length_basis": "measured",
        },
    }
    assert "6 req/s were asked for, and 12.715 were measured" in one.remarks


def test_the_table_of_0_2_counts_prompts_twice_in_its_total_rate(former: Rows, read: Read) -> None:
    assert "total_rate" in only(read(former)).tree["results"]
    place = column(former, "Args")
    args = json.loads(former[1][place])
    del args["strategy"]["start_time"]
    former[1][place] = json.dumps(args)
    assert "total_rate" not in only(read(former)).tree["results"]


@pytest.mark.parametrize(
    ("strategy", "profile", "load"),
    [
        ("concurrent", {"streams": [7, 9]}, {"pattern": "closed_loop", "concurrency": 7}),
        ("concurrent@2", {"streams": []}, {"pattern": "closed_loop", "concurrency": 2}),
        ("synchronous", {}, {"pattern": "closed_loop", "concurrency": 1}),
        ("throughput@unlimited", {}, {"pattern": "all_at_once"}),
        ("throughput@4", {}, {"pattern": "closed_loop", "concurrency": 4}),
        (
            "poisson@1.25",
            {"rate": [1.2512]},
            {
                "pattern": "open_loop",
                "request_rate": Decimal("1.2512"),
                "arrival": {"process": "poisson"},
            },
        ),
        (
            "constant@3.50",
            {"kind": "sweep"},
            {
                "pattern": "open_loop",
                "request_rate": Decimal("3.50"),
                "arrival": {"process": "constant"},
            },
        ),
        ("constant", {"kind": "sweep"}, {}),
        ("Robert'); DROP", {}, {}),
    ],
)
def test_the_load_is_that_of_the_strategy_and_of_the_plan_where_only_that_has_numbers(
    strategy: str, profile: dict[str, Any], load: dict[str, Any], current: Rows, read: Read
) -> None:
    current[3][column(current, "Benchmark", "Strategy", "")] = strategy
    current[3][column(current, "Run Info", "Profile", "")] = json.dumps(profile)
    found = only(read(current[:4]))
    kept = ("pattern", "concurrency", "request_rate", "max_in_flight", "arrival")
    assert {key: found.tree["load"][key] for key in kept if key in found.tree["load"]} == load


def test_a_row_of_other_columns_is_refused_with_what_to_import(current: Rows, read: Read) -> None:
    current[4].append("12")
    with pytest.raises(RunError, match=r"row 5 has 170 cells under 169 columns.*import the JSON"):
        read(current)


def test_a_run_of_embeddings_is_refused(current: Rows, read: Read) -> None:
    place = column(current, "Run Info", "Backend", "")
    current[3][place] = current[3][place].replace("chat/completions", "embeddings", 1)
    (refused,) = read(current[:4])
    assert "embeddings, pooling or audio" in str(refused)


def test_a_row_in_which_nothing_succeeded_is_refused_and_the_other_read(
    current: Rows, read: Read
) -> None:
    current[3][column(current, "Request Counts", "Successful", "")] = "0"
    refused, found = read(current)
    assert str(refused).startswith("row 4: no request succeeded")
    assert isinstance(found, Statement)


@pytest.mark.parametrize(
    ("cell", "value"), [("1,234.5", Decimal("1234.5")), ("nan", None), ("", None), ("0", None)]
)
def test_a_cell_is_a_number_however_it_is_written_or_was_not_measured(
    cell: str, value: Decimal | None, former: Rows, read: Read
) -> None:
    former[1][column(former, "Successful Request latency mean")] = cell
    results = only(read(former)).tree["results"]
    assert results.get("e2e_mean", {}).get("value") == value


@pytest.mark.parametrize("cell", ["Infinity", "1e400", "1" * 50, "twelve"])
def test_a_cell_beyond_bounds_refuses_its_row(cell: str, former: Rows, read: Read) -> None:
    former[1][column(former, "Successful Request latency mean")] = cell
    (refused,) = read(former)
    assert isinstance(refused, RunError)
    assert "/Successful Request latency mean is" in str(refused)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    drawn=st.data(),
    cell=st.sampled_from(("", "{", "[1, 2", "[[[", "-1", "NaN", "1e999", "\x1b[31m", "x" * 5000))
    | st.text(st.characters(codec="utf-8", exclude_characters="\x00")),
    name=st.sampled_from([file for _, file in FILES]),
)
def test_a_spoiled_table_states_or_is_refused_and_never_fails(
    drawn: st.DataObject, cell: str, name: str, data: Path, read: Read
) -> None:
    rows = rows_of(data / "guidellm" / name)
    row = drawn.draw(st.integers(0, len(rows) - 1))
    rows[row][drawn.draw(st.integers(0, len(rows[0]) - 1))] = cell
    try:
        found = read(rows)
    except RunError:
        return
    assert all(isinstance(one, Statement | RunError) for one in found)
