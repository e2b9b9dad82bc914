"""What a program asks of a registry."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

import benchreg
from benchreg.api import Benchmarks
from benchreg.registry.roots import own_root
from benchreg.snapshot.columns import NAMES
from benchreg.snapshot.filters import NAMED, Filters
from benchreg.values.errors import BenchregError, NotFoundError

TOTAL = "mpt-7b-a100-static-b64#output_rate"


@pytest.fixture(scope="session")
def benchmarks() -> Benchmarks:
    return benchreg.load(own_root())


def test_records_are_by_id(benchmarks: Benchmarks) -> None:
    assert benchmarks.records["mpt-7b-a100-static-b64"].load.batch_size == 64


def test_a_figure_as_text_stands_with_what_one_request_sees(benchmarks: Benchmarks) -> None:
    [found] = [one for one in benchmarks.find(model="mpt-7b") if one.key == TOTAL]
    assert str(found) == f"{TOTAL}: 800 tok/s (one request sees 12.5 tok/s peak)"
    assert "12.5" in repr(found)
    assert found.value == Decimal(800)
    assert (found.unit, found.seen_by_request) == ("tok/s", "12.5 tok/s peak")
    assert found.figure is not None
    assert found.figure.metric == "output_throughput"


def test_every_value_has_its_origin(benchmarks: Benchmarks) -> None:
    [found] = [one for one in benchmarks.find(model="mpt-7b") if one.key == TOTAL]
    assert found.provenance().origin == "derived"
    assert found.provenance("engine.version").origin == "absent"
    assert found.provenance("engine.version").source == "databricks-llm-inference-practices"


def test_every_column_is_a_filter() -> None:
    own = {"engine_version", "date", "status"}
    assert set(Filters.__annotations__) | own == {*NAMES, *NAMED}


def test_a_number_is_a_range_of_one(benchmarks: Benchmarks) -> None:
    assert TOTAL in [one.key for one in benchmarks.find(model="mpt-7b", value=800)]
    assert benchmarks.find(model="mpt-7b", value=(800, 800))


@pytest.mark.parametrize("size", ["7..13", (7, 13), (7.0, 13)])
def test_a_range_is_a_text_or_two_ends(
    size: str | tuple[float, float], benchmarks: Benchmarks
) -> None:
    found = benchmarks.find("xe9680", size=size, scenario="offline", status="any")
    assert found
    assert all("8b" in one.row.model for one in found)


def test_filters_are_those_of_the_command(benchmarks: Benchmarks) -> None:
    found = benchmarks.find(hardware="h200", metric="ttft", statistic="p99", round="v5.1",
                            where="value < 1000", engine="vllm")  # fmt: skip
    assert {(one.row.metric, one.row.statistic) for one in found} <= {("ttft", "p99")}


@pytest.mark.parametrize(
    ("filters", "told"),
    [
        ({"hardware": "h1000"}, "did you mean"),
        ({"metrik": "ttft"}, "did you mean 'metric'"),
        ({'x" FROM entries --': "nope"}, "no column is called"),
        ({"model": ["a"]}, "neither a text nor a number"),
        ({"date": 2024}, "2024 is no text"),
        ({"size": (1, 2, 3)}, "a range is two ends"),
        ({"metric": (1, 2)}, "a range is two ends"),
        ({"where": "1; DROP TABLE figures"}, "--where has ';'"),
    ],
)
def test_what_cannot_be_asked_is_told(
    filters: dict[str, object], told: str, benchmarks: Benchmarks
) -> None:
    with pytest.raises(BenchregError, match=told):
        benchmarks.find(**filters)  # type: ignore[arg-type]


def test_figures_are_compared_with_every_condition(benchmarks: Benchmarks) -> None:
    other = "mpt-7b-a100-static-b1#output_rate"
    [found] = benchmarks.compare(TOTAL, other, across=["batch"])
    assert found.comparison.comparable
    assert [one.value for one in found.ratios] == [pytest.approx(57.6 / 800)]
    [refused] = benchmarks.compare(TOTAL, other)
    assert [one.key for one in refused.comparison.refused_by] == ["load.level"]
    with pytest.raises(BenchregError, match="two figures or more"):
        benchmarks.compare(TOTAL)


def test_an_estimate_is_asked_for_in_words(benchmarks: Benchmarks) -> None:
    found = benchmarks.estimate("mpt-7b", "a100-sxm4-40gb", 512, 64, batch=64)
    assert found.question.level == 64
    assert float(found.estimate.output) > 100
    assert benchmarks.estimate("mpt-7b", "a100-sxm4-40gb", 512, 64).question.level == 1
    with pytest.raises(BenchregError, match="are two loads"):
        benchmarks.estimate("mpt-7b", "a100-sxm4-40gb", 512, 64, batch=1, concurrency=2)
    with pytest.raises(BenchregError, match="did you mean 'tensor'"):
        benchmarks.estimate("mpt-7b", "a100-sxm4-40gb", 512, 64, tensr=2)
    with pytest.raises(NotFoundError):
        benchmarks.estimate("mpt-8b", "a100-sxm4-40gb", 512, 64)


def test_an_audit_is_of_the_rules_that_are_named(base: Path) -> None:
    report = benchreg.load(base).audit(select=["MET"], today=date(2099, 1, 1))
    assert (report.records, report.findings) == (2, ())


def test_nothing_is_read_before_it_is_asked_for(changed: Callable[..., Path]) -> None:
    root = changed("kind: measurement\n")
    benchmarks = benchreg.load(str(root))
    assert [str(one.value) for one in benchmarks.find()] == ["12.5"]
    assert set(benchmarks.records) == {"base-record", "example-partner"}


def test_a_record_that_came_later_is_told(changed: Callable[..., Path]) -> None:
    root = changed("kind: measurement\n")
    benchmarks = benchreg.load(root)
    assert len(benchmarks.records) == 2
    changed("kind: measurement\n", later="id: later\nkind: measurement\n")
    late = next(one for one in benchmarks.find() if one.key.startswith("later"))
    with pytest.raises(BenchregError, match="load them anew"):
        _ = late.record


def test_a_root_without_records_is_bad_use(tmp_path: Path) -> None:
    with pytest.raises(BenchregError):
        benchreg.load(tmp_path).find()
