"""Each way to misread a run file that somebody once fell into, and the importers that do not."""

import json
from collections.abc import Callable
from copy import deepcopy
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchreg.importers.complete import Context, draft
from benchreg.importers.importer import recognised
from benchreg.importers.opened import opened
from benchreg.importers.statement import RunError, Statement
from benchreg.registry.registry import Registry

Of = Callable[..., Statement]
Read = Callable[[Path], list[Statement]]
Tree = dict[str, Any]

FILES = {
    "vllm-serve": "vllm/vllm-0.33.0-conc4.json",
    "sglang-serving": "sglang/sglang-0.5.23-conc4.jsonl",
    "trtllm-bench": "trtllm_bench/streaming.json",
    "genai-perf": "genai_perf/profile_export_genai_perf.json",
    "aiperf": "aiperf/conc/profile_export_aiperf.json",
    "guidellm": "guidellm/0.8-poisson.json",
    "inference-perf": "inference_perf/open/stage_0_lifecycle_metrics.json",
    "llmperf": "llmperf/summary.json",
    "inferencex": "inferencex/agg.json",
    "optimum-benchmark": "optimum/benchmark.json",
    "lmdeploy-serve": "lmdeploy/lmdeploy_restful.csv",
    "text-generation-benchmark": "tgi/tokens.md",
    "llama-batched-bench": "llama_cpp/batched-bench.jsonl",
}
# What each harness calls the time of a token, where its mean stands: the metric of records.
TOKENS = {
    "vllm-serve": {"/mean_tpot_ms": "tpot", "/mean_itl_ms": "chunk_latency"},
    "sglang-serving": {"/mean_tpot_ms": "tpot", "/mean_itl_ms": "chunk_latency"},
    "inferencex": {"/mean_tpot": "tpot", "/mean_itl": "chunk_latency"},
    "lmdeploy-serve": {"/mean_tpot_ms": "tpot", "/mean_itl_ms": "chunk_latency"},
    "genai-perf": {"/inter_token_latency/avg": "tpot"},
    "aiperf": {"/inter_token_latency/avg": "tpot", "/inter_chunk_latency/avg": "chunk_latency"},
    "guidellm": {
        "/metrics/inter_token_latency_ms/successful/mean": "tpot",
        "/metrics/time_per_output_token_ms/successful/mean": "latency_per_output_token",
    },
    "inference-perf": {
        "/successes/latency/time_per_output_token/mean": "tpot",
        "/successes/latency/inter_token_latency/mean": "chunk_latency",
        "/successes/latency/normalized_time_per_output_token/mean": "latency_per_output_token",
    },
    "llmperf": {"/results_inter_token_latency_s_mean": "latency_per_output_token"},
    "trtllm-bench": {"/streaming_metrics/avg_tpot_ms": "tpot"},
    "optimum-benchmark": {
        "/report/per_token/latency/mean": "itl", "/report/decode/latency/mean": "tpot",
    },
}  # fmt: skip
# Where the sum of prompts and outputs stands, and where the outputs alone; both per second.
SUMS = {
    "vllm-serve": ("/total_token_throughput", "/output_throughput"),
    "sglang-serving": ("/total_throughput", "/output_throughput"),
    "trtllm-bench": ("/performance/system_total_throughput_tok_s",
                     "/performance/system_output_throughput_tok_s"),
    "aiperf": ("/total_token_throughput/avg", "/output_token_throughput/avg"),
    "guidellm": ("/metrics/tokens_per_second/successful/mean",
                 "/metrics/output_tokens_per_second/successful/mean"),
    "inference-perf": ("/successes/throughput/total_tokens_per_sec",
                       "/successes/throughput/output_tokens_per_sec"),
    "inferencex": ("/tput_per_gpu", "/output_tput_per_gpu"),
    "llama-batched-bench": ("/speed", "/speed_tg"),
}  # fmt: skip
UNITS = {  # of the latencies: by hand, for most names have none
    "vllm-serve": {"ms"}, "sglang-serving": {"ms"}, "trtllm-bench": {"ms"}, "aiperf": {"ms"},
    "genai-perf": {"ms"}, "inference-perf": {"s"}, "llmperf": {"s"}, "inferencex": {"s"},
    "lmdeploy-serve": {"ms"}, "guidellm": {"ms", "s"}, "optimum-benchmark": {"s"},
    "text-generation-benchmark": {"ms"},
}  # fmt: skip
IN_MS = {"ms": Decimal(1), "s": Decimal(1000), "us": Decimal("0.001")}
COUNTED = "token_count_source"
TIMES = ("ttft", "tpot", "itl", "chunk_latency", "latency_per_output_token", "e2e_latency")


@pytest.fixture
def file(data: Path) -> Callable[[str], Any]:
    """A function that returns the tree of an importer's file, or of its first row."""

    def read(name: str) -> Any:
        path = data / FILES[name]
        one = opened(path)
        tree = deepcopy(next(iter(recognised(one).pieces(one))).tree)
        if path.suffix == ".json":
            tree = json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
        return tree

    return read


@pytest.fixture
def of(told: Any, data: Path, file: Callable[[str], Any]) -> Of:
    """A function that returns what a tree states: a file's, with some of its keys changed."""

    def read(name: str, **changes: Any) -> Statement:
        tree = {key: one for key, one in (file(name) | changes).items() if one is not ...}
        [found] = told(name, tree, data / FILES[name])
        if isinstance(found, RunError):
            raise found
        assert isinstance(found, Statement)
        return found

    return read


def figures(found: Statement, *metrics: str) -> list[Tree]:
    return [one for one in found.tree["results"].values() if one["metric"] in metrics]


def metrics(found: Statement) -> set[str]:
    return {one["metric"] for one in found.tree["results"].values()}


def metric_at(found: Statement, at: str) -> str:
    [one] = [one for one in found.tree["results"].values() if one["locator"] == at]
    return str(one["metric"])


def remarked(found: Statement, words: str) -> bool:
    return any(words in remark for remark in found.remarks)


@pytest.mark.parametrize("name", TOKENS)
def test_one_name_of_the_time_of_a_token_means_another_in_the_next_harness(
    name: str, of: Of
) -> None:
    found = of(name)
    means = [one for one in figures(found, *TIMES[1:-1]) if one["statistic"] == "mean"]
    assert {one["locator"]: one["metric"] for one in means} == TOKENS[name]


def test_time_per_output_token_of_an_old_guidellm_matches_nothing(data: Path, stated: Read) -> None:
    for name in ("0.2-concurrent", "0.3-concurrent"):
        [found] = stated(data / f"guidellm/{name}.json")
        assert figures(found, "tpot")
        assert "time_per_output_token" not in repr(found.tree)


@pytest.mark.parametrize(
    ("date", "backend", "kept"),
    [("20240731-235959", "openai", False), ("20240731-235959", "openai-chat", True),
     ("20240731-235959", ..., False), ("20240801-000000", "openai", True)],
)  # fmt: skip
def test_gaps_of_an_early_vllm_begin_with_the_time_to_first_token(
    date: str, backend: Any, kept: Any, of: Of
) -> None:
    found = of("vllm-serve", date=date, backend=backend)
    assert bool(figures(found, "chunk_latency")) is kept
    assert figures(found, "tpot")


@pytest.mark.parametrize("name", FILES)
def test_one_over_the_throughput_is_no_time_per_output_token(
    name: str, of: Of, shipped: Registry, data: Path
) -> None:
    found = of(name)
    rates = [one["value"] for one in figures(found, "output_throughput", "total_throughput")]
    times = [one["value"] * IN_MS[one["unit"]] for one in figures(found, *TIMES)]
    assert not [1 for rate in rates for time in times if abs(time * rate / 1000 - 1) < 1e-6]
    if name == "vllm-serve":
        seen = [f"{word}_{key}_ms" for key in ("ttft", "tpot", "itl", "e2el")
                for word in ("mean", "median", "std", "p50", "p90", "p99")]  # fmt: skip
        bare = of(name, **dict.fromkeys(seen, ...))
        assert metrics(bare).isdisjoint(TIMES)
        one = opened(data / FILES[name])
        made = draft(bare, recognised(one), one, Context(shipped, "s", "2026-11-30", ours=True))
        assert made.tree["results"]["output_rate"]["absent"] == {"seen_by_request": "not_stated"}


@pytest.mark.parametrize("name", SUMS)
def test_total_throughput_counts_prompts(name: str, of: Of) -> None:
    found, (whole, outputs) = of(name), SUMS[name]
    assert metric_at(found, whole) == "total_throughput"
    assert metric_at(found, outputs) in ("output_throughput", "decode_throughput")
    assert len(figures(found, "output_throughput")) <= (2 if name == "trtllm-bench" else 1)
    if input_rates := figures(found, "input_throughput"):
        values = {one["locator"]: one["value"] for one in found.tree["results"].values()}
        assert abs(values[outputs] + input_rates[0]["value"] - values[whole]) < Decimal("0.01")


def test_tokens_of_an_offline_run_are_prompts_and_outputs(told: Any) -> None:
    amounts = {"elapsed_time": 12, "num_requests": 100, "total_num_tokens": 60_000}
    rates = {"requests_per_second": Decimal("8.3"), "tokens_per_second": 5000}
    [found] = told("vllm-throughput", amounts | rates)
    assert metrics(found) == {"request_throughput", "total_throughput"}


def test_failed_requests_are_counted_and_told(of: Of, file: Any) -> None:
    failed = of("vllm-serve", num_prompts=43, failed=3)
    assert (failed.tree["load"]["failed"], failed.tree["load"]["completed"]) == (3, 40)
    assert remarked(failed, "3 requests failed")
    assert remarked(of("vllm-serve", num_prompts=43, failed=...), "3 of 43 requests did not")
    assert remarked(of("sglang-serving", errors=["", "boom", "boom"]), "2 requests failed")
    assert "requests" not in of("sglang-serving").tree["load"]
    sums = {"count": 2}, {"count": 1}
    for found, number in (
        (of("llmperf", results_number_errors=2), 2),
        (of("inference-perf", failures={"count": 2}), 2),
        (of("aiperf", error_summary=list(sums), error_request_count=...), 3),
    ):
        assert found.tree["load"]["failed"] == number
        assert remarked(found, f"{number} requests failed")
    tree = file("guidellm")
    tree["benchmarks"][0]["metrics"]["request_totals"]["errored"] = 2
    assert of("guidellm", **tree).tree["load"]["failed"] == 2
    for name, none in (("vllm-serve", {"completed": 0, "failed": 40}),
                       ("sglang-serving", {"completed": 0}),
                       ("llmperf", {"results_num_completed_requests": 0})):  # fmt: skip
        with pytest.raises(RunError, match="nothing completed"):
            of(name, **none)


def test_a_length_that_was_asked_for_is_not_the_one_that_came(of: Of, file: Any) -> None:
    nominal = of("vllm-serve", input_len="8192", random_input_len=8192).tree["workload"]
    assert (nominal["input_tokens"], nominal["length_basis"]) == (Decimal("53.15"), "measured")
    drawn = of("sglang-serving")
    assert drawn.tree["workload"]["input_tokens"] == Decimal("54.15")
    assert remarked(drawn, "mean input length is 54.15 tokens, and 100 were asked for")
    assert remarked(of("llmperf", mean_output_tokens=64), "64 output_tokens were asked for")
    config = file("genai-perf")["input_config"]
    config["input"]["output_tokens"]["mean"] = 64
    assert remarked(of("genai-perf", input_config=config), "output length was to be 64")
    only = of("inferencex")
    assert only.tree["workload"]["length_basis"] == "requested"
    assert remarked(only, "isl and osl are nominal")


def test_tokens_that_were_counted_again_are_not_the_servers(of: Of, file: Any) -> None:
    again = of("sglang-serving", total_output_tokens_retokenized=99_999)
    assert again.tree == of("sglang-serving").tree
    assert again.tree["workload"]["total_output_tokens"] == 649
    for name in ("genai-perf", "aiperf", "llmperf"):
        assert of(name).tree["measurement"][COUNTED] == "client_tokenizer"
    config = file("aiperf")["input_config"]
    config["endpoint"]["use_server_token_count"] = True
    server = of("aiperf", input_config=config)
    assert server.tree["measurement"][COUNTED] == "server"
    assert remarked(of("aiperf"), "the server counts")
    assert remarked(of("inference-perf"), "counted the output tokens of 9 requests differently")
    assert "llama" in of("llmperf").tree["model"]["tokenizer"]
    assert remarked(of("llmperf"), "tokenizer of Llama 2")


def test_inter_token_latency_of_llmperf_includes_the_first_token(of: Of) -> None:
    found = of("llmperf")
    times = {one["metric"]: one["value"] for one in figures(found, *TIMES)
             if one["statistic"] == "mean"}  # fmt: skip
    assert times.keys() == {"ttft", "latency_per_output_token", "e2e_latency"}
    outputs = found.tree["workload"]["output_tokens"]
    tpot = (times["e2e_latency"] - times["ttft"]) / (outputs - 1)
    whole = times["e2e_latency"] / outputs
    stated = times["latency_per_output_token"]
    assert abs(stated - whole) < abs(stated - tpot)


def test_a_stream_of_few_chunks_has_an_absurd_rate(of: Of, file: Any) -> None:
    for name in ("genai-perf", "aiperf"):
        tree = file(name)
        at_once = {"time_to_first_token": tree["request_latency"]}
        found = of(name, **at_once)
        assert metrics(found).isdisjoint({"ttft", "tpot", "decode_rate_per_request"})
        fast = tree["output_token_throughput_per_user"] | {"avg": 200_000}
        buffered = of(name, output_token_throughput_per_user=fast)
        assert remarked(buffered, "200,000 tokens a second for one request")
    for name in ("vllm-serve", "sglang-serving"):
        assert remarked(of(name, mean_tpot_ms=Decimal("0.005")), "200,000 tokens a second")
        assert not remarked(of(name), "tokens a second for one request")
        peak = of(name, max_output_tokens_per_s=200_000)
        assert peak.tree == of(name).tree
    at_once = {f"mean_{key}_ms": Decimal(100) for key in ("ttft", "e2e_latency")}
    found = of("sglang-serving", **at_once)
    assert metrics(found).isdisjoint({"ttft", "tpot", "chunk_latency"})


def test_the_queue_in_the_client_is_in_no_latency(of: Of) -> None:
    waited = {"mean_e2el_including_client_queue_ms": 900, "p99_client_queue_time_ms": 800,
              "mean_client_queue_time_ms": 700}  # fmt: skip
    capped = {"request_rate": 20, "max_concurrency": 4}
    found = of("vllm-serve", **capped, **waited)
    assert found.tree["results"] == of("vllm-serve", **capped).tree["results"]
    assert found.tree["measurement"]["latency_origin"] == "dispatched"
    assert remarked(found, "requests waited 700 ms on the client")
    assert remarked(of("vllm-serve", **capped, mean_client_queue_time_ms=...), "the cap may have")
    assert remarked(of("sglang-serving", request_rate=40, max_concurrency=4), "the cap may have")
    late = {"unit": "ms", "avg": 200}
    assert remarked(of("aiperf", credit_to_start_latency=late), "waited in the client")


def test_throughput_of_a_prefill_in_tgi_counted_prompts(data: Path, stated: Read) -> None:
    for found in stated(data / "tgi/prompts.md"):
        assert metrics(found) == {"decode_throughput", "tpot"}
        assert remarked(found, "does not count tokens")
    for found in stated(data / "tgi/tokens.md"):
        assert {one["unit"] for one in figures(found, "prefill_throughput")} == {"tok/s"}


def test_a_speed_of_llama_bench_is_not_that_of_a_server(data: Path, told: Any) -> None:
    base = json.loads((data / "llama_cpp/llama-bench.json").read_text(), parse_float=Decimal)[0]
    asked = (("prefill", 512, 0), ("decode", 0, 128), ("total", 512, 128))
    for phase, prompt, new in asked:
        sizes = {"n_prompt": prompt, "n_gen": new, "n_depth": 8192}
        [found] = told("llama-bench", base | sizes | {"n_batch": 2048})
        assert metrics(found) == {f"{phase}_throughput"}
        load = found.tree["load"]
        assert load["pattern"] == "single_stream"
        assert load.keys().isdisjoint({"batch_size", "concurrency"})
        assert found.tree["workload"]["context_tokens"] == 8192
        assert found.tree["measurement"]["point"] == "in_process"


def test_requests_cut_off_at_the_time_limit_are_in_no_figure_and_told(of: Of, file: Any) -> None:
    tree = file("guidellm")
    measured = tree["benchmarks"][0]["metrics"]
    measured["request_totals"]["incomplete"] = 5
    found = of("guidellm", **tree)
    for key, one in measured.items():
        if key != "request_totals":
            one["total"] = one["incomplete"] = {"mean": 12_345, "percentiles": {"p99": 12_345}}
    assert of("guidellm", **tree).tree == found.tree
    assert all("/successful/" in one["locator"] for one in found.tree["results"].values())
    assert found.tree["load"]["window"] == "time_limit"
    assert "requests" not in found.tree["load"]
    assert remarked(found, "5 requests were cut off")


@pytest.mark.parametrize(
    ("name", "rate", "cap", "pattern"),
    [
        ("vllm-serve", '"inf"', "4", "closed_loop"),
        ("vllm-serve", '"inf"', "null", "all_at_once"),
        ("vllm-serve", "Infinity", "4", "closed_loop"),
        ("vllm-serve", "23.5", "null", "open_loop"),
        ("sglang-serving", "Infinity", "4", "closed_loop"),
        ("sglang-serving", "Infinity", "null", "all_at_once"),
        ("sglang-serving", '"inf"', "4", "closed_loop"),
        ("sglang-serving", '"trace"', "null", "trace_replay"),
        ("sglang-serving", "36.5", "4", "open_loop"),
    ],
)
def test_a_rate_is_infinite_in_several_spellings(
    name: str, rate: str, cap: str, pattern: str, file: Any, dumped: Any, stated: Read,
    tmp_path: Path,
) -> None:  # fmt: skip
    kept = {key: one for key, one in file(name).items() if key != "request_rate"}
    text = dumped(kept | {"max_concurrency": json.loads(cap)})
    (tmp_path / "run.json").write_text(text.replace("{", f'{{"request_rate": {rate}, ', 1))
    [found] = stated(tmp_path / "run.json")
    assert found.tree["load"]["pattern"] == pattern
    assert "inf" not in json.dumps(found.tree["load"], default=str).casefold()


def test_one_file_holds_several_runs_whatever_it_is_called(
    data: Path, stated: Read, file: Any, dumped: Any, tmp_path: Path
) -> None:
    lines = tmp_path / "run.json"
    lines.write_text("".join(f"{dumped(file('vllm-serve'))}\n" for _ in range(3)))
    listed = tmp_path / "agg_bmk.json"
    listed.write_text(dumped([file("inferencex")] * 2))
    for path, number in ((lines, 3), (listed, 2), (data / "guidellm/0.8-streams.json", 2),
                         (data / "llama_cpp/llama-bench.json", 6),
                         (data / "llama_cpp/batched-bench.jsonl", 3)):  # fmt: skip
        found = stated(path)
        assert len({one.at for one in found}) == len(found) == number


CANARY = "sk-canaryCANARY0123456789abcdefgh"


def planted(tree: Any) -> Any:
    """Return a tree with a secret under several names in each of its objects."""
    if isinstance(tree, list):
        return [planted(one) for one in tree]
    if not isinstance(tree, dict):
        return tree
    names = ("api_key", "prompt", "cli_command", "url", "hf_token")
    more = dict.fromkeys(names, CANARY) | {"generated_texts": [CANARY], "extra": {"key": CANARY}}
    return {key: planted(one) for key, one in tree.items()} | {
        key: one for key, one in more.items() if key not in tree
    }


@pytest.mark.parametrize("name", [name for name, path in FILES.items() if ".json" in path])
def test_keys_and_prompts_of_the_file_stay_there(
    name: str, file: Any, dumped: Any, stated: Read, shipped: Registry, tmp_path: Path, data: Path
) -> None:
    path = tmp_path / "run.json"
    path.write_text(dumped(planted(file(name))))
    beside = (data / FILES["inference-perf"]).with_name("config.yaml")
    config = planted(yaml.safe_load(beside.read_text()))
    config["load"]["stages"] = yaml.safe_load(beside.read_text())["load"]["stages"]
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config))
    one = opened(path)
    for found in stated(path):
        made = draft(found, recognised(one), one, Context(shipped, "s", "2026-11-30", ours=True))
        assert "canary" not in repr(made.tree) + repr(found.remarks)


def test_keys_that_a_user_added_are_no_fields_of_the_harness(of: Of, told: Any) -> None:
    words = {"gpu": "H100", "input_len": "8192", "model": "other", "tp": "8", "tpot": "1"}
    assert of("vllm-serve", **words).tree == of("vllm-serve").tree
    texts = {"failed": "7", "mean_e2el_ms": "9", "p99.9_ttft_ms": "9", "request_goodput": "9",
             "burstiness": "0.5", "spec_decode_acceptance_length": "3"}  # fmt: skip
    bare = dict.fromkeys(texts, ...)
    assert of("vllm-serve", **texts).tree == of("vllm-serve", **bare).tree
    more = {"gpu": "H100", "accelerator": "h100", "output_tokens": "9", "hardware": "8xH100"}
    assert of("llmperf", **more).tree == of("llmperf").tree
    rates = {"elapsed_time": 12, "num_requests": 100, "total_num_tokens": 60_000,
             "requests_per_second": Decimal("8.3"), "tokens_per_second": 5000}  # fmt: skip
    [plain], [third] = (told("vllm-throughput", rates | extra)
                        for extra in ({}, {"input": 512, "ouput": 128, "model": "x"}))  # fmt: skip
    assert plain.tree == third.tree


def test_a_zero_or_minus_one_was_not_measured(of: Of, file: Any, told: Any) -> None:
    seen = {f"{word}_ttft_ms": 0 for word in ("mean", "median", "p50", "p90", "p95", "p99")}
    for name in ("vllm-serve", "sglang-serving"):
        assert "ttft" not in metrics(of(name, **seen))
    assert "acceptance_length" not in metrics(of("sglang-serving", accept_length=-1))
    offline = {"successful_requests": 9, "total_latency": 3, "total_input_tokens": 90,
               "total_output_tokens": 90, "request_throughput": 3, "input_throughput": -1,
               "output_throughput": -1, "total_throughput": -1}  # fmt: skip
    [found] = told("sglang-offline", offline | {"last_gen_throughput": -1})
    assert metrics(found) == {"request_throughput"}
    config = file("genai-perf")["input_config"]
    config["endpoint"]["streaming"] = False
    unstreamed = of("genai-perf", input_config=config)
    assert metrics(unstreamed).isdisjoint({"ttft", "tpot", "decode_rate_per_request"})
    assert unstreamed.tree["measurement"]["streaming"] is False


def test_a_rate_that_was_configured_is_not_the_one_that_came(
    of: Of, data: Path, stated: Read
) -> None:
    for name, asked, came in (("guidellm", 6, 110), ("inference-perf", 4, 6)):
        found = of(name)
        [rate] = figures(found, "request_throughput")
        assert (found.tree["load"]["request_rate"], int(rate["value"])) == (asked, came)
        assert remarked(found, f"{asked} req/s were asked for")
    found = of("vllm-serve", request_rate=100, max_concurrency=None)
    assert found.tree["load"]["request_rate"] == 100
    assert remarked(found, "23.7 req/s completed, and 100 req/s were configured")
    closed = data / "inference_perf/closed/stage_0_lifecycle_metrics.json"
    [steady] = stated(closed)
    assert steady.tree["load"]["pattern"] == "closed_loop"
    assert "request_rate" not in steady.tree["load"]


def test_a_dialect_is_no_engine(of: Of, file: Any) -> None:
    assert file("genai-perf")["input_config"]["endpoint"]["backend"] == "tensorrtllm"
    for name in ("genai-perf", "vllm-serve", "guidellm", "aiperf", "lmdeploy-serve"):
        found = of(name)
        assert "engine" not in found.tree
    assert "engine" not in of("sglang-serving", server_info=None, backend="vllm").tree


def test_a_warm_up_looks_like_a_result(
    data: Path, stated: Read, of: Of, file: Any, dumped: Any, tmp_path: Path
) -> None:
    path = data / "aiperf/conc/phases/warmup/profile_export_aiperf.json"
    (tmp_path / "moved.json").write_bytes(path.read_bytes())
    for one in (path, tmp_path / "moved.json"):
        with pytest.raises(RunError, match="is of the warm-up, and no result"):
            stated(one)
    alike = file("aiperf")  # a warm-up of as many requests as the measured phase
    alike["input_config"]["phases"][0]["requests"] = 40
    there = tmp_path / "phases/warmup" / path.name
    there.parent.mkdir(parents=True)
    there.write_text(dumped(alike))
    with pytest.raises(RunError, match="is of the warm-up, and no result"):
        stated(there)
    assert alike["warmup_metrics"]
    assert of("aiperf", warmup_metrics={"request_latency": {"avg": 1}}).tree == of("aiperf").tree
    assert of("aiperf").tree["load"]["warmup"] == {"requests": 4, "excluded": True}


@pytest.mark.parametrize("name", UNITS)
def test_a_name_without_a_unit_has_one_all_the_same(name: str, of: Of) -> None:
    found = of(name)
    times = figures(found, *TIMES)
    assert {one["unit"] for one in times} == UNITS[name]
    mean = {one["metric"]: one["value"] * IN_MS[one["unit"]] for one in times
            if one["statistic"] == "mean"}  # fmt: skip
    outputs = found.tree["workload"]["output_tokens"]
    if {"ttft", "tpot", "e2e_latency"} <= mean.keys():
        adds = mean["ttft"] + mean["tpot"] * (outputs - 1)
        assert abs(adds / mean["e2e_latency"] - 1) < Decimal("0.2")
    if {"latency_per_output_token", "e2e_latency"} <= mean.keys():
        assert abs(mean["latency_per_output_token"] * outputs / mean["e2e_latency"] - 1) < 1


def test_latencies_of_the_first_sglang_and_of_a_batch_say_their_units(told: Any) -> None:
    line = {"backend": "sglang", "dataset_name": "random", "request_rate": 4, "total_input": 90,
            "total_output": 90, "total_output_retokenized": 91, "median_ttft": 27,
            "output_token_throughput": 9, "benchmark_duration": 10}  # fmt: skip
    [found] = told("sglang-serving-0.2", line)
    assert [one["unit"] for one in figures(found, "ttft")] == ["ms"]
    [batch] = told("vllm-latency", {"avg_latency": 2, "latencies": [2], "percentiles": {"99": 2}})
    assert {one["unit"] for one in figures(batch, "e2e_latency")} == {"s"}


def test_a_percentile_of_a_rate_is_the_other_tail_than_that_of_a_latency(of: Of) -> None:
    found = of("inferencex")
    speeds = {one["statistic"]: one for one in figures(found, "decode_rate_per_request")}
    times = {one["statistic"]: one["value"] for one in figures(found, "tpot")}
    assert {key: one["locator"] for key, one in speeds.items()} == {
        "mean": "/mean_intvty", "p50": "/median_intvty", "p10": "/p90_intvty", "p1": "/p99_intvty",
    }  # fmt: skip
    assert abs(speeds["p1"]["value"] * times["p99"] - 1) < Decimal("1e-9")
    for name in ("aiperf", "genai-perf"):
        fast = {one["statistic"]: one["value"] for one in
                figures(of(name), "decode_rate_per_request")}  # fmt: skip
        assert fast["p99"] > fast["p50"] > fast["p1"]
    for one in figures(of("guidellm"), "output_throughput", "total_throughput"):
        assert one["locator"].endswith("/successful/mean")
