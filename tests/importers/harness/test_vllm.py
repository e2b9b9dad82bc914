"""`vllm bench serve`: what its file states becomes a statement, and nothing else does."""

import json
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchreg.importers.importer import recognised
from benchreg.importers.opened import opened
from benchreg.importers.statement import RepeatedError, RunError, Statement, plain

OWN = (
    "vllm-0.8.5-conc4",
    "vllm-0.9.2-conc4",
    "vllm-0.11.0-conc4",
    "vllm-0.11.0-rate10",
    "vllm-0.18.1-conc4",
    "vllm-0.18.1-rate10",
    "vllm-0.33.0-conc4",
    "vllm-0.33.0-inf-warmup",
    "vllm-0.33.0-rate10",
)
FORMER = {  # as the script of 0.6 wrote it, before burstiness, failures and peaks
    "date": "20241107-120000", "backend": "vllm", "model_id": "mock-model",
    "tokenizer_id": "mock-model", "best_of": 1, "num_prompts": 40, "request_rate": "inf",
    "max_concurrency": None, "duration": 2.0, "completed": 40, "total_input_tokens": 4000,
    "total_output_tokens": 1280, "request_throughput": 20.0, "request_goodput:": None,
    "output_throughput": 640.0, "total_token_throughput": 2640.0, "mean_ttft_ms": 27.0,
    "median_ttft_ms": 26.5, "std_ttft_ms": 1.0, "p99_ttft_ms": 31.0, "mean_itl_ms": 4.5,
    "median_itl_ms": 4.4, "std_itl_ms": 0.5, "p99_itl_ms": 7.5,
}  # fmt: skip
DIFFERS = {
    "completed": {"load.completed", "workload.input_tokens", "workload.output_tokens"},
    "total_input_tokens": {"workload.total_input_tokens", "workload.input_tokens"},
    "total_output_tokens": {"workload.total_output_tokens", "workload.output_tokens"},
    "duration": {"load.duration_s"},
    "num_prompts": {"load.requests"},
    "failed": {"load.failed"},
    "max_concurrency": {"load.concurrency"},
}
Read = Callable[[Path], list[Statement]]
Run = Callable[..., Path]


@pytest.fixture
def run(data: Path, tmp_path: Path) -> Run:
    """A function that writes the newest closed loop with some keys changed, and its path."""

    def write(name: str = "vllm-0.33.0-conc4", **changes: Any) -> Path:
        tree = json.loads((data / f"vllm/{name}.json").read_text()) | changes
        path = tmp_path / "run.json"
        kept = {key: value for key, value in tree.items() if value is not ...}
        path.write_text(json.dumps(kept), encoding="utf-8")
        return path

    return write


def only(found: list[Statement]) -> Statement:
    assert len(found) == 1
    return found[0]


def decimals(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)


@pytest.mark.parametrize("name", OWN)
def test_every_figure_has_the_value_to_which_its_locator_leads(
    name: str, data: Path, stated: Read, at: Callable[[Any, str], Any]
) -> None:
    path = data / f"vllm/{name}.json"
    results = only(stated(path)).tree["results"]
    tree = decimals(path)
    assert len(results) >= 12
    for figure in results.values():
        assert figure["value"] == Decimal(at(tree, figure["locator"]))


@pytest.mark.parametrize("name", OWN)
def test_every_statistic_that_a_record_knows_is_a_figure(
    name: str, data: Path, stated: Read
) -> None:
    path = data / f"vllm/{name}.json"
    tree = decimals(path)
    found = {
        (f["metric"], f["statistic"]): f["value"]
        for f in only(stated(path)).tree["results"].values()
        if "statistic" in f
    }
    metrics = {"ttft": "ttft", "tpot": "tpot", "itl": "chunk_latency", "e2el": "e2e_latency"}
    keys = [re.fullmatch(r"(mean|median|p[0-9.]+)_(ttft|tpot|itl|e2el)_ms", key) for key in tree]
    expected = {
        (metrics[key[2]], key[1].replace("median", "p50")): tree[key[0]] for key in keys if key
    }
    assert found == expected


def test_a_closed_loop_states_its_conditions(data: Path, stated: Read) -> None:
    tree = dict(only(stated(data / "vllm/vllm-0.33.0-conc4.json")).tree)
    del tree["results"]
    assert tree == {
        "model": {"described_as": "mock-model"},
        "load": {"pattern": "closed_loop", "concurrency": 4, "requests": 40, "completed": 40,
                 "failed": 0, "duration_s": Decimal("1.684889111000075"), "window": "full_drain"},
        "workload": {"total_input_tokens": 2126, "total_output_tokens": 1280,
                     "input_tokens": Decimal("53.15"), "output_tokens": 32,
                     "length_basis": "measured"},
        "measurement": {"measured": "2026-11-30", "runs": 1, "latency_origin": "dispatched"},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "changes", "expected"),
    [
        ("no rate and a cap", {}, {"pattern": "closed_loop", "concurrency": 4}),
        ("no rate and no cap", {"max_concurrency": None}, {"pattern": "all_at_once"}),
        ("a cap that never binds", {"max_concurrency": 40}, {"pattern": "all_at_once"}),
        ("a rate", {"request_rate": 10.5, "max_concurrency": None},
         {"pattern": "open_loop", "request_rate": Decimal("10.5"),
          "arrival": {"process": "poisson"}}),
        ("a rate in bursts", {"request_rate": 10, "max_concurrency": None, "burstiness": 0.5},
         {"pattern": "open_loop", "request_rate": 10,
          "arrival": {"process": "gamma", "burstiness": Decimal("0.5")}}),
        ("a rate and a cap", {"request_rate": 10},
         {"pattern": "open_loop", "request_rate": 10, "max_in_flight": 4,
          "arrival": {"process": "poisson"}}),
        ("infinity by another name", {"request_rate": "Infinity"},
         {"pattern": "closed_loop", "concurrency": 4}),
    ],
)  # fmt: skip
def test_the_pattern_follows_from_rate_and_cap(
    name: str, changes: dict[str, Any], expected: dict[str, Any], run: Run, stated: Read
) -> None:
    load = only(stated(run(**changes))).tree["load"]
    keys = ("pattern", "concurrency", "request_rate", "max_in_flight", "arrival", "batch_size")
    assert {key: load[key] for key in keys if key in load} == expected, name


@pytest.mark.parametrize(
    ("name", "changes", "told"),
    [
        ("all failed", {"completed": 0, "failed": 40}, "nothing completed"),
        ("a pooling model", {"total_output_tokens": ..., "output_throughput": ...},
         "pooling or embedding"),
        ("no tokens", {"total_output_tokens": 0}, "not one output token"),
        ("no time", {"duration": 0}, "lasted 0 s"),
        ("a ramp", {"ramp_up_strategy": "linear"}, "ramps its rate up"),
        ("a rate of nothing", {"request_rate": 0}, "a rate of 0"),
        ("a cap of nothing", {"max_concurrency": 0}, "a cap of 0"),
        ("no burstiness", {"request_rate": 10, "burstiness": 0}, "a burstiness of 0"),
        ("a truth for a latency", {"mean_ttft_ms": True}, "/mean_ttft_ms is no number"),
        ("an endless latency", {"mean_ttft_ms": float("inf")}, "/mean_ttft_ms is no finite number"),
        ("a latency beyond bounds", {"p99_tpot_ms": 1e16}, "/p99_tpot_ms is larger"),
        ("a negative duration", {"duration": -1}, "/duration is negative"),
        ("an endless duration", {"duration": float("inf")}, "/duration is no finite number"),
        ("half a request", {"completed": 39.5}, "/completed is no whole number"),
        ("a count beyond bounds", {"completed": 2**70}, "/completed is larger"),
        ("no model", {"model_id": " "}, "is of no harness"),
    ],
)  # fmt: skip
def test_a_run_that_is_no_operating_point_is_refused(
    name: str, changes: dict[str, Any], told: str, run: Run, stated: Read
) -> None:
    with pytest.raises(RunError) as error:
        stated(run(**changes))
    assert told in str(error.value), name


def test_a_goodput_is_read_under_its_name_with_a_colon_too(run: Run, stated: Read) -> None:
    path = run("vllm-0.8.5-conc4", **{"request_goodput:": 11.25})
    goodput = only(stated(path)).tree["results"]["goodput"]
    assert (goodput["value"], goodput["locator"]) == (Decimal("11.25"), "/request_goodput:")


def test_a_goodput_of_nothing_is_a_measurement(run: Run, stated: Read) -> None:
    found = only(stated(run(request_goodput=0.0)))
    assert found.tree["results"]["goodput"]["value"] == 0
    assert found.remarks == []


def test_a_file_of_before_goodputs_and_failures_is_read(tmp_path: Path, stated: Read) -> None:
    path = tmp_path / "former.json"
    path.write_text(json.dumps(FORMER), encoding="utf-8")
    tree = only(stated(path)).tree
    assert tree["load"]["pattern"] == "all_at_once"
    assert "failed" not in tree["load"]
    assert set(tree["results"]) == {
        "request_rate", "output_rate", "total_rate", "ttft_mean", "ttft_p50", "ttft_p99",
        "chunk_mean", "chunk_p50", "chunk_p99",
    }  # fmt: skip


def test_gaps_that_began_with_the_first_token_are_left_out(tmp_path: Path, stated: Read) -> None:
    path = tmp_path / "former.json"
    path.write_text(json.dumps(FORMER | {"date": "20240703-120000"}), encoding="utf-8")
    found = only(stated(path))
    assert not [name for name in found.tree["results"] if name.startswith("chunk")]
    assert "before August 2024" in found.remarks[0]


def test_chat_never_counted_the_first_token_among_the_gaps(tmp_path: Path, stated: Read) -> None:
    path = tmp_path / "former.json"
    path.write_text(
        json.dumps(FORMER | {"date": "20240703-120000", "backend": "openai-chat"}), encoding="utf-8"
    )
    assert "chunk_mean" in only(stated(path)).tree["results"]


def test_what_it_calls_itl_is_the_latency_of_chunks(data: Path, stated: Read) -> None:
    results = only(stated(data / "vllm/vllm-0.33.0-conc4.json")).tree["results"]
    assert "itl" not in {figure["metric"] for figure in results.values()}
    assert results["chunk_mean"]["locator"] == "/mean_itl_ms"


def test_total_token_throughput_is_no_output_throughput(data: Path, stated: Read) -> None:
    results = only(stated(data / "vllm/vllm-0.33.0-conc4.json")).tree["results"]
    assert results["total_rate"]["metric"] == "total_throughput"
    assert results["output_rate"]["value"] < results["total_rate"]["value"]


def test_peaks_of_a_second_and_queues_are_no_figures(run: Run, stated: Read) -> None:
    path = run(mean_client_queue_time_ms=700.5, mean_e2el_including_client_queue_ms=900.5)
    text = str(only(stated(path)).tree)
    assert "700.5" not in text
    assert "900.5" not in text
    assert "751" not in text  # max_output_tokens_per_s


def test_keys_of_metadata_are_not_read(run: Run, stated: Read) -> None:
    plain_one = only(stated(run()))
    given_ = only(stated(run(gpu="H100", tp="8", input_len="9000", model="other", hardware="x",
                             engine="vllm", version="0.1", failed_requests=3)))  # fmt: skip
    assert given_.tree == plain_one.tree


def test_the_dialect_is_no_engine_and_a_version_is_not_guessed(data: Path, stated: Read) -> None:
    for name in OWN:
        tree = only(stated(data / f"vllm/{name}.json")).tree
        assert "engine" not in tree
        assert "hardware" not in tree
        assert "warmup" not in tree["load"]


def test_prompts_answers_and_errors_never_leave_the_file(run: Run, stated: Read) -> None:
    private = "sk-the-answer-is-nobodys-business"
    path = run(generated_texts=[private], errors=[private], label=private, tokenizer_id=private,
               api_key=private)  # fmt: skip
    assert private not in str(only(stated(path)))


@pytest.mark.parametrize(
    ("name", "changes", "told"),
    [
        ("failures", {"completed": 38, "failed": 2}, ["2 requests failed"]),
        ("drops of a client that does not count", {"completed": 38, "failed": ...},
         ["2 of 40 requests did not complete"]),
        ("a rate that was not reached", {"request_rate": 100, "max_concurrency": None},
         ["23.7 req/s completed, and 100 req/s were configured"]),
        ("a cap that may bind", {"request_rate": 24}, ["held requests back"]),
        ("a cap that never binds", {"request_rate": 24, "max_concurrency": 40}, []),
        ("waiting on the client", {"request_rate": 24, "mean_client_queue_time_ms": 500.0},
         ["waited 500 ms"]),
        ("nothing", {}, []),
    ],
)  # fmt: skip
def test_what_a_contributor_must_look_at_is_remarked(
    name: str, changes: dict[str, Any], told: list[str], run: Run, stated: Read
) -> None:
    remarks = only(stated(run(**changes))).remarks
    assert len(remarks) == len(told), name
    assert all(part in remark for part, remark in zip(told, remarks, strict=True)), name


def test_a_zero_is_no_latency(run: Run, stated: Read) -> None:
    found = only(stated(run(mean_tpot_ms=0.0, median_tpot_ms=0.0, std_tpot_ms=0.0)))
    assert "tpot_mean" not in found.tree["results"]
    assert any("/mean_tpot_ms is 0" in remark for remark in found.remarks)


def test_what_was_not_measured_is_left_out_in_silence(run: Run, stated: Read) -> None:
    found = only(stated(run(mean_tpot_ms=float("nan"), std_tpot_ms=None)))
    assert "tpot_mean" not in found.tree["results"]
    assert found.remarks == []


def test_acceptance_is_a_figure_and_the_draft_a_condition(run: Run, stated: Read) -> None:
    path = run(spec_decode_acceptance_rate=80.0, spec_decode_acceptance_length=3.4,
               spec_decode_num_drafts=1000, spec_decode_draft_tokens=3000,
               spec_decode_accepted_tokens=2400,
               spec_decode_per_position_acceptance_rates=[0.9, 0.8, 0.7])  # fmt: skip
    tree = only(stated(path)).tree
    assert tree["results"]["acceptance"] == {
        "metric": "acceptance_length", "scope": "system", "value": Decimal("3.4"),
        "unit": "tok/step", "locator": "/spec_decode_acceptance_length",
    }  # fmt: skip
    assert tree["workload"]["speculative"] == {"draft_tokens": 3}


def test_a_draft_that_varied_has_no_number_of_tokens(run: Run, stated: Read) -> None:
    path = run(spec_decode_acceptance_length=2.1, spec_decode_num_drafts=1000,
               spec_decode_draft_tokens=2999)  # fmt: skip
    assert "speculative" not in only(stated(path)).tree["workload"]


def test_appended_runs_are_records_each(data: Path, tmp_path: Path, stated: Read) -> None:
    lines = [(data / f"vllm/{name}.json").read_text().strip() for name in OWN[:3]]
    path = tmp_path / "results.json"
    path.write_text("\n".join([lines[0], "", *lines[1:]]) + "\n", encoding="utf-8")
    assert [found.at for found in stated(path)] == ["line 1", "line 3", "line 4"]


def test_a_list_of_runs_is_a_record_each(data: Path, tmp_path: Path, stated: Read) -> None:
    path = tmp_path / "results.json"
    runs = [json.loads((data / f"vllm/{name}.json").read_text()) for name in OWN[:2]]
    path.write_text(json.dumps(runs), encoding="utf-8")
    assert [found.at for found in stated(path)] == ["/0", "/1"]


def test_the_client_of_inferencex_is_named_for_what_it_is(run: Run, stated: Read) -> None:
    tree = only(stated(run(benchmark_start_time_unix=1796017332.353889))).tree
    assert tree["measurement"]["harness"] == "InferenceX benchmark_serving"


def test_the_summary_of_inferencex_is_the_one_to_import(run: Run, stated: Read) -> None:
    path = run(benchmark_start_time_unix=1796017332.353889)
    path.with_name(f"agg_{path.name}").write_text("{}", encoding="utf-8")
    with pytest.raises(RepeatedError, match=r"agg_run\.json"):
        stated(path)


def test_grouped_thousands_are_the_number(run: Run, stated: Read) -> None:
    tree = only(stated(run(total_input_tokens="4,000"))).tree
    assert tree["workload"]["total_input_tokens"] == 4000


@pytest.mark.parametrize(
    ("stamp", "day"),
    [
        ("20261130-054105", "2026-11-30"),
        ("20261330-054105", None),
        ("20260230-054105", None),
        ("2026-11-30", None),
        ("yesterday", None),
    ],
)
def test_a_stamp_that_is_no_day_is_left_out(
    stamp: str, day: str | None, run: Run, stated: Read
) -> None:
    assert only(stated(run(date=stamp))).tree["measurement"].get("measured") == day


@given(draw=st.data())
@settings(max_examples=60, deadline=None)
def test_one_number_of_the_file_changes_the_fields_that_follow_from_it(
    draw: st.DataObject,
    data: Path,
    stated: Read,
    tmp_path_factory: pytest.TempPathFactory,
    dumped: Callable[[Any], str],
    changes: Callable[[Any, Any], set[str]],
) -> None:
    name = draw.draw(st.sampled_from(("vllm-0.33.0-conc4", "vllm-0.18.1-conc4")))
    path = data / f"vllm/{name}.json"
    tree, before = decimals(path), only(stated(path)).tree
    numbers = [key for key, value in tree.items() if isinstance(value, int | Decimal)]
    key = draw.draw(st.sampled_from([one for one in numbers if one not in ("burstiness", "rtfx")]))
    other = tmp_path_factory.mktemp("changed") / "run.json"
    other.write_text(dumped(tree | {key: tree[key] + 1}), encoding="utf-8")
    assert changes(before, only(stated(other)).tree) == following(key, before["results"])


def following(key: str, results: dict[str, Any]) -> set[str]:
    """Return the places of a statement that follow from a key of the file."""
    found = {f"results.{name}.value" for name, f in results.items() if f["locator"] == f"/{key}"}
    if key.startswith("std_") and key != "std_itl_ms":  # a deviation of gaps is none of requests
        figure = {"ttft": "ttft", "tpot": "tpot", "e2el": "e2e"}[key.split("_")[1]]
        found.add(f"results.{figure}_mean.spread.stdev")
    if key == "completed":
        found |= {f"results.{name}.n" for name, figure in results.items() if "n" in figure}
    return found | DIFFERS.get(key, set())


@given(draw=st.data())
@settings(max_examples=150, deadline=None)
def test_a_spoiled_file_is_stated_or_refused_and_no_bug(
    draw: st.DataObject,
    data: Path,
    stated: Read,
    tmp_path_factory: pytest.TempPathFactory,
    spoiled: Callable[[Any], st.SearchStrategy[Any]],
    dumped: Callable[[Any], str],
) -> None:
    tree = decimals(data / f"vllm/{draw.draw(st.sampled_from(OWN))}.json")
    tree["spec_decode_num_drafts"], tree["spec_decode_draft_tokens"] = 10, 30
    path = tmp_path_factory.mktemp("spoiled") / "run.json"
    path.write_text(dumped(draw.draw(spoiled(tree))), encoding="utf-8")
    try:
        found = only(stated(path))
    except RunError:
        return
    assert all(plain(Decimal(f["value"])) == f["value"] for f in found.tree["results"].values())


@pytest.mark.parametrize("name", OWN)
def test_one_importer_knows_the_file(name: str, data: Path) -> None:
    assert recognised(opened(data / f"vllm/{name}.json")).name == "vllm-serve"
