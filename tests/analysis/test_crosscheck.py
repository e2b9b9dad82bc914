"""Every figure has a verdict: possible or not, and how it is read where that matters."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from benchreg.analysis.completions import Completions
from benchreg.analysis.crosscheck import KINDS, Verdict, crosscheck, shares, verdicts
from benchreg.analysis.limits import LIMITS, Ends, bounded, limit
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.roofline.estimate import static_batch
from benchreg.roofline.figures import Load
from benchreg.roofline.hardware import GIB
from benchreg.roofline.hardware import part as part_of
from benchreg.roofline.model import terms
from benchreg.roofline.request import Lengths
from benchreg.roofline.step import IDEAL, Layout, Setup, Storage, memory_bytes

State = Callable[..., Record]
Change = Callable[..., Registry]
Judge = Callable[..., Verdict]
End = Callable[..., Ends]

LATENCIES = ("ttft", "tpot", "itl", "chunk_latency", "e2e_latency", "latency_per_output_token")
PER_REQUEST = ("output_rate_per_request", "decode_rate_per_request", "prefill_rate_per_request")
NO_CACHE_KNOWN = {"prefix_cache": None}


def unit_of(metric: str) -> str:
    if metric in LATENCIES:
        return "ms"
    return "req/s" if metric in ("request_throughput", "goodput") else "tok/s"


def figure(metric: str, value: float, unit: str = "", **more: Any) -> dict[str, Any]:
    known = {"metric": metric, "value": value, "unit": unit or unit_of(metric)}
    if metric in ("itl", "chunk_latency"):
        known["statistic"] = "mean"
    return known | more


def beyond(metric: str, times: float) -> float:
    """Return by what a limit is multiplied so that it is beaten this many times."""
    return 1 / times if metric in LATENCIES else times


def pool(count: int = 1, accelerator: str = "example-gpu-80gb", **more: Any) -> dict[str, Any]:
    return {"pools": [{"accelerator": accelerator, "count": count} | more]}


@pytest.fixture(scope="session")
def ends(small: Registry, stated: State) -> End:
    """A function: an operating point with its bounds."""

    def found(among: Registry = small, **blocks: Any) -> Ends:
        completions, record = Completions(among), stated(**blocks)
        return bounded(completions, [(record, completions.of(record))])[0]

    return found


# At the limit, and beyond it.


@pytest.mark.parametrize("metric", LIMITS)
def test_every_metric_is_possible_up_to_its_limit(metric: str, ends: End, verdict: Judge) -> None:
    of = ends()
    most = limit(metric, of, of.widest)
    within, without = (
        verdict(figure(metric, most * beyond(metric, times))) for times in (0.5, 1.001)
    )
    assert (within.kind, without.kind) == ("plausible", "impossible")
    assert within.bound == within.nominal == pytest.approx(most)
    assert within.share == within.nominal_share == pytest.approx(0.5)
    assert without.share == pytest.approx(1.001)
    assert within.reason == ""


@pytest.mark.parametrize(
    ("metric", "unit", "per"),
    [
        ("request_throughput", "req/min", 60),
        ("output_throughput", "ktok/s", 1e-3),
        ("total_throughput", "ktok/s", 1e-3),
        ("ttft", "s", 1e-3),
        ("ttft", "us", 1e3),
        ("tpot", "us", 1e3),
        ("e2e_latency", "s", 1e-3),
    ],
)
def test_a_figure_is_judged_in_its_own_unit(
    metric: str, unit: str, per: float, ends: End, verdict: Judge
) -> None:
    of = ends()
    most = limit(metric, of, of.widest)
    found = [
        verdict(figure(metric, most * per * beyond(metric, times), unit)) for times in (0.9, 1.1)
    ]
    assert [one.kind for one in found] == ["plausible", "impossible"]
    assert found[0].bound == pytest.approx(most * per)
    usual = verdict(figure(metric, most * beyond(metric, 0.9)))
    assert (found[0].mbu, found[0].mfu) == pytest.approx((usual.mbu, usual.mfu), nan_ok=True)


# A static batch of 8 on the example part yields at most 765.83 tok/s.


@pytest.mark.parametrize(
    ("case", "value", "printed", "kind"),
    [
        ("exact", 765.8, None, "plausible"),
        ("exact, and beyond", 765.9, None, "impossible"),
        ("three digits, from 765.5 on", 766, "766", "plausible"),
        ("three digits, from 766.5 on", 767, "767", "impossible"),
    ],
)
def test_a_figure_at_the_bound_within_its_rounding_is_plausible(
    case: str, value: float, printed: str | None, kind: str, verdict: Judge
) -> None:
    digits = {} if printed is None else {"printed": printed}
    found = verdict(figure("output_throughput", value) | digits)
    assert found.bound == pytest.approx(765.83, abs=0.005)
    assert found.kind == kind, case


@pytest.mark.parametrize(
    ("case", "value", "printed", "kind"),
    [
        ("two digits, from 0.765 on", 0.77, "0.77", "plausible"),
        ("two digits, from 0.775 on", 0.78, "0.78", "impossible"),
        ("one digit, from 0.75 on", 0.8, "0.8", "plausible"),
        ("no digit behind the point, from 0.5 on", 1, "1", "plausible"),
    ],
)
def test_thousands_are_rounded_more(
    case: str, value: float, printed: str, kind: str, verdict: Judge
) -> None:
    found = verdict(figure("output_throughput", value, "ktok/s", printed=printed))
    assert found.kind == kind, case


# A first token takes at least 22.22 ms.


@pytest.mark.parametrize(
    ("case", "value", "printed", "kind"),
    [
        ("exact", 22.3, None, "plausible"),
        ("exact, and beyond", 22.2, None, "impossible"),
        ("three digits, up to 22.25", 22.2, "22.2", "plausible"),
        ("two digits, up to 22.5", 22, "22", "plausible"),
        ("two digits, up to 21.5", 21, "21", "impossible"),
    ],
)
def test_a_latency_at_the_bound_within_its_rounding_is_plausible(
    case: str, value: float, printed: str | None, kind: str, verdict: Judge
) -> None:
    digits = {} if printed is None else {"printed": printed}
    found = verdict(figure("ttft", value) | digits)
    assert found.bound == pytest.approx(22.22, abs=0.005)
    assert found.kind == kind, case


def test_a_derived_figure_is_as_exact_as_what_it_rests_on(
    ends: End, small: Registry, stated: State
) -> None:
    of = ends()
    most = limit("request_throughput", of, of.widest)
    rate = math.ceil(most * 10) / 10
    record = stated(
        id="derived-point",
        results={
            "rate": figure("request_throughput", rate, printed=f"{rate:.1f}"),
            "tokens": figure(
                "output_throughput",
                rate * 64,
                derivation={"formula": "rate * n", "inputs": {"n": "workload.output_tokens"}},
            ),
        },
    )
    found = crosscheck(small, [record])
    assert rate > most
    assert {found[("derived-point", name)].kind for name in record.results} == {"plausible"}


# Reasons.


def test_what_is_impossible_says_how_far_and_what_could_explain_it(verdict: Judge) -> None:
    found = verdict(
        figure("output_throughput", 7658),
        workload={"output_policy": "natural", "speculative": None},
    )
    assert found.kind == "impossible"
    assert found.reason == (
        "7658 tok/s, and the most that any completion of the unknown conditions allows is "
        "765.8 tok/s (10 times); outputs may have ended before their stated length; speculative "
        "decoding would have to be stated"
    )


def test_a_latency_that_is_impossible_is_below_the_least(verdict: Judge) -> None:
    found = verdict(figure("ttft", 1))
    assert found.kind == "impossible"
    assert found.reason == (
        "1 ms, and the least that any completion of the unknown conditions allows is 22.22 ms "
        "(22.22 times)"
    )


@pytest.mark.parametrize(
    ("case", "workload", "early"),
    [
        ("forced", {"output_policy": "forced"}, False),
        ("measured", {"output_policy": "natural", "length_basis": "measured"}, False),
        ("natural", {"output_policy": "natural"}, True),
        ("capped, as requested", {"output_policy": "capped", "length_basis": "requested"}, True),
        ("not stated", {"output_policy": None}, True),
    ],
)
def test_outputs_that_may_have_ended_early_are_named(
    case: str, workload: dict[str, Any], early: bool, verdict: Judge
) -> None:
    found = verdict(figure("output_throughput", 1e6), workload=workload)
    assert ("ended before their stated length" in found.reason) == early, case


@pytest.mark.parametrize(
    ("case", "given", "reason"),
    [
        ("another metric", figure("offered_rate", 3, "req/s"), "offered_rate is not modelled"),
        ("power", figure("mean_power", 3, "W"), "mean_power is not modelled"),
        (
            "no metric of the catalogue",
            figure("wall_time", 3, "s"),
            "wall_time in s is not in the catalogue",
        ),
        (
            "no unit of the metric",
            figure("ttft", 3, "tok/s"),
            "ttft in tok/s is not in the catalogue",
        ),
        (
            "a percentile of gaps",
            figure("itl", 3, statistic="p99"),
            "only the mean of the gaps between tokens is bounded",
        ),
        (
            "a percentile of chunks",
            figure("chunk_latency", 3, statistic="p50"),
            "only the mean of the gaps between tokens is bounded",
        ),
        ("nothing", figure("ttft", 0), "the value is zero"),
    ],
)
def test_a_figure_that_is_not_judged_says_why(
    case: str, given: dict[str, Any], reason: str, verdict: Judge
) -> None:
    found = verdict(given)
    assert (found.kind, found.reason) == ("unchecked", reason), case
    assert all(math.isnan(number) for number in (found.bound, found.share, found.mbu, found.mfu))


@pytest.mark.parametrize(
    ("case", "blocks", "reason"),
    [
        ("no model", {"model": {"id": None}}, "no linked model"),
        ("no part", {"hardware": {"pools": [{"described_as": "a GPU", "count": 1}]}},
         "no linked or possible part"),
        ("weights on the host", {"engine": {"host_offload": "weights"}}, "weights on the host"),
        ("speculation", {"workload": {"speculative": {"method": "eagle3"}}},
         "speculative decoding of unknown acceptance"),
    ],
)  # fmt: skip
def test_a_record_that_is_not_judged_says_why_of_each_figure(
    case: str, blocks: dict[str, Any], reason: str, verdict: Judge
) -> None:
    found = verdict(figure("output_throughput", 1e9), **blocks)
    assert (found.kind, found.reason) == ("unchecked", reason), case


def test_arithmetic_without_a_known_peak_bounds_no_prefill(
    verdict: Judge, with_entries: Change
) -> None:
    among = with_entries(accelerators={"example-gpu-80gb": {"peak_tflop_s": {"fp8": 600}}})
    prefill = verdict(figure("prefill_throughput", 1e9), among)
    assert prefill.kind == "unchecked"
    assert prefill.reason == "the catalogue has no peak for the arithmetic that could be in use"
    assert verdict(figure("output_throughput", 1e9), among).kind == "impossible"


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        ({}, "no figure"),
        ({"outcome": "out_of_memory"}, "no figure: out of memory"),
        ({"outcome": "failed"}, "no figure: failed"),
        ({"outcome": "limit_not_met"}, "no figure: limit not met"),
    ],
)
def test_a_record_without_figures_has_a_verdict_too(
    outcome: dict[str, str], reason: str, small: Registry, stated: State
) -> None:
    found = crosscheck(small, [stated(**outcome)])
    assert dict(found) == {("point", ""): Verdict("unchecked", reason)}


# What does not fit.


@pytest.mark.parametrize(
    ("case", "size", "kind"),
    [
        ("80 GB and a little", 82_000_000_000, "plausible"),
        ("the last that fits", 80 * 2**30 - 700_000_000, "plausible"),
        ("the weights alone", 80 * 2**30 - 1, "does_not_fit"),
        ("far too much", 140_000_000_000, "does_not_fit"),
    ],
)
def test_gpu_memory_is_gib(case: str, size: int, kind: str, verdict: Judge) -> None:
    found = verdict(figure("request_throughput", 0.1), precision={"weights_bytes": size})
    assert found.kind == kind, case


def test_what_does_not_fit_says_what_it_takes(verdict: Judge) -> None:
    found = verdict(figure("request_throughput", 0.1), precision={"weights_bytes": 140_000_000_000})
    assert found.reason == (
        "the weights and one sequence take at least 140.3 GB, and the memory is 85.9 GB"
    )


def test_what_fits_one_part_that_it_could_be_fits(verdict: Judge) -> None:
    both = ["example-gpu-40gb", "example-gpu-80gb"]
    found = [
        verdict(
            figure("request_throughput", 0.1),
            precision={"weights_bytes": size},
            hardware={"pools": [{"described_as": "a GPU", "could_be": both, "count": 1}]},
        ).kind
        for size in (60_000_000_000, 90_000_000_000)
    ]
    assert found == ["plausible", "does_not_fit"]


def test_each_copy_holds_its_own_weights(verdict: Judge) -> None:
    found = [
        verdict(
            figure("request_throughput", 0.1),
            precision={"weights_bytes": 100_000_000_000},
            hardware=pool(2, parallelism={"replicas": copies}),
        ).kind
        for copies in (1, 2)
    ]
    assert found == ["plausible", "does_not_fit"]


@pytest.mark.parametrize(
    ("case", "load", "kind"),
    [
        ("a load beyond memory runs as what fits", {"batch_size": 2000}, "plausible"),
        (
            "unless all were in memory at once",
            {"batch_size": 2000, "resident": True},
            "does_not_fit",
        ),
        ("and they may be", {"batch_size": 100, "resident": True}, "plausible"),
        (
            "of no known number",
            {"pattern": "open_loop", "batch_size": None, "resident": True},
            "plausible",
        ),
        (
            "all requests of a run",
            {"pattern": "all_at_once", "batch_size": None, "requests": 2000, "resident": True},
            "does_not_fit",
        ),
    ],
)
def test_a_load_beyond_memory_is_a_fault_where_all_of_it_was_resident(
    case: str, load: dict[str, Any], kind: str, verdict: Judge
) -> None:
    assert verdict(figure("request_throughput", 0.1), load=load).kind == kind, case


# Scopes.


@pytest.mark.parametrize(
    ("case", "scope", "share"),
    [
        ("of the system", {"scope": "system"}, 1),
        ("of no stated scope", {}, 1),
        ("of an accelerator", {"scope": "per_accelerator"}, 1 / 6),
        ("of one that reads prompts", {"scope": "per_accelerator", "over": "prefill"}, 1 / 4),
        ("of one that decodes", {"scope": "per_accelerator", "over": "decode"}, 1 / 2),
        ("of any of them", {"scope": "per_accelerator", "over": "all"}, 1 / 6),
    ],
)
def test_a_rate_is_of_its_scope(
    case: str, scope: dict[str, str], share: float, verdict: Judge
) -> None:
    one = {"accelerator": "example-gpu-80gb"}
    pools = {"pools": [one | {"role": "prefill", "count": 4}, one | {"role": "decode", "count": 2}]}
    whole = verdict(figure("output_throughput", 1, scope="system"), hardware=pools)
    found = verdict(figure("output_throughput", 1, **scope), hardware=pools)
    assert found.bound == pytest.approx(whole.bound * share), case
    assert found.mbu == pytest.approx(whole.mbu / share, nan_ok=True), case


def test_a_rate_of_a_copy_is_of_its_share(verdict: Judge) -> None:
    split = pool(8, parallelism={"replicas": 4})
    whole, copy = (
        verdict(figure("output_throughput", 1, scope=scope), hardware=split)
        for scope in ("system", "per_replica")
    )
    assert copy.bound == pytest.approx(whole.bound / 4)


# Unknown conditions: at the generous end.


def test_what_was_taken_for_the_nominal_end_is_said(verdict: Judge) -> None:
    found = verdict(
        figure("output_throughput", 1),
        precision={"weights": None, "activations": None, "kv_cache": None},
        workload=NO_CACHE_KNOWN,
    )
    assert found.taken == ("16-bit weights and KV cache", "no prompt found in a prefix cache")
    assert found.bound > found.nominal
    assert verdict(figure("output_throughput", 1)).taken == ()


@pytest.mark.parametrize(
    ("case", "metric", "blocks", "times"),
    [
        ("weights of no known format", "tpot", {"precision": {"weights": None}}, 3),
        (
            "a size beside a label",
            "tpot",
            {"precision": {"weights": "gguf_f16", "weights_bytes": 4_404_000_000}},
            2.5,
        ),
        ("a batch of no known size", "output_throughput", {"load": {"batch_size": None}}, 5),
        ("a prompt of no known length", "ttft", {"workload": {"input_tokens": None}}, 3),
        (
            "speculation, and its acceptance",
            "tpot",
            {"workload": {"speculative": {"method": "x", "acceptance_length": 2.5}}},
            2.5,
        ),
        (
            "speculation, and its draft tokens",
            "tpot",
            {"workload": {"speculative": {"method": "x", "draft_tokens": 3}}},
            4,
        ),
        (
            "a prefix cache that may hit",
            "ttft",
            {"workload": {"prefix_cache": {"enabled": True}}},
            3,
        ),
        (
            "a prefix cache that hits half of it",
            "ttft",
            {"workload": {"prefix_cache": {"enabled": True, "hit_ratio": 0.5}}},
            2,
        ),
        ("a prefix cache of which nothing is said", "ttft", {"workload": NO_CACHE_KNOWN}, 3),
    ],
)
def test_what_is_not_known_makes_more_possible(
    case: str, metric: str, blocks: dict[str, Any], times: float, verdict: Judge
) -> None:
    single = {"load": {"pattern": "single_stream"}}
    known = verdict(figure(metric, 1), **single)
    value = known.bound * beyond(metric, times * 0.9)
    assert verdict(figure(metric, value), **single).kind == "impossible", case
    open_ = blocks if "load" in blocks else single | blocks
    assert verdict(figure(metric, value), **open_).kind == "plausible", case


def test_an_ambiguous_part_is_the_fastest(verdict: Judge, with_entries: Change) -> None:
    among = with_entries(accelerators={"fast": {"memory_bandwidth_gb_s": 8000, "memory_gib": 80}})
    slow = verdict(figure("tpot", 1), among)
    value = slow.bound / 3
    open_part = {"described_as": "a GPU", "could_be": ["example-gpu-80gb", "fast"], "count": 1}
    assert verdict(figure("tpot", value), among).kind == "impossible"
    assert (
        verdict(figure("tpot", value), among, hardware={"pools": [open_part]}).kind == "plausible"
    )


def test_of_two_numbers_for_a_part_the_more_generous_counts(
    verdict: Judge, with_entries: Change
) -> None:
    quarrel = {"field": "memory_bandwidth_gb_s", "value": 2200, "source": "example-source"}
    among = with_entries(accelerators={"example-gpu-80gb": {"conflicts": [quarrel]}})
    value = verdict(figure("tpot", 1)).bound * 0.95
    assert verdict(figure("tpot", value)).kind == "impossible"
    assert verdict(figure("tpot", value), among).kind == "plausible"


def test_pools_apart_are_bounded_by_the_slower_of_both(verdict: Judge) -> None:
    one = {"accelerator": "example-gpu-80gb"}
    loop = {"pattern": "all_at_once", "batch_size": None}
    few, many = (
        verdict(
            figure("request_throughput", 1),
            load=loop,
            hardware={
                "pools": [
                    one | {"role": "prefill", "count": prefill},
                    one | {"role": "decode", "count": 8},
                ]
            },
        )
        for prefill in (1, 2)
    )
    assert many.bound == pytest.approx(2 * few.bound)


# Requests of unlike lengths: the quick ones may be short, and the mean says nothing of them.

LONG = {"input_tokens": 8000, "output_tokens": 1000, "distribution": "dataset"}
ALONE = {"pattern": "single_stream"}


@pytest.mark.parametrize(
    ("case", "metric", "statistic", "judged_by_mean"),
    [
        ("the mean first token", "ttft", "mean", True),
        ("the slow end", "ttft", "p99", True),
        ("the slowest", "ttft", "max", True),
        ("no statistic", "ttft", None, True),
        ("the median", "ttft", "p50", False),
        ("the quickest", "e2e_latency", "min", False),
        ("a quick token", "tpot", "p5", False),
        ("a quick request", "latency_per_output_token", "p25", False),
        ("the mean rate", "output_rate_per_request", "mean", True),
        ("a slow rate", "output_rate_per_request", "p1", True),
        ("the median rate", "output_rate_per_request", "p50", False),
        ("a fast rate", "decode_rate_per_request", "p99", False),
        ("the fastest prompt", "prefill_rate_per_request", "max", False),
    ],
)
def test_a_quick_request_is_not_held_against_the_mean_length(
    case: str,
    metric: str,
    statistic: str | None,
    judged_by_mean: bool,
    ends: End,
    verdict: Judge,
) -> None:
    of = ends(workload=LONG, load=ALONE)
    value = limit(metric, of, of.widest) * beyond(metric, 1.002)
    word = {} if statistic is None else {"statistic": statistic}
    unlike = verdict(figure(metric, value, **word), workload=LONG, load=ALONE)
    alike = verdict(
        figure(metric, value, **word), workload=LONG | {"distribution": "fixed"}, load=ALONE
    )
    assert alike.kind == "impossible", case
    assert unlike.kind == ("impossible" if judged_by_mean else "plausible"), case
    assert unlike.nominal == pytest.approx(alike.nominal), case


def test_a_quick_request_still_takes_a_pass_over_the_weights(verdict: Judge) -> None:
    found = [
        verdict(figure("ttft", value, statistic="min"), workload=LONG, load=ALONE)
        for value in (7, 6)
    ]
    assert [one.kind for one in found] == ["plausible", "impossible"]
    assert found[0].bound == pytest.approx(1e3 * 2 * 6.652e9 / 2e12, rel=1e-3)


def test_requests_that_accept_unlike_drafts_are_unlike_too(verdict: Judge) -> None:
    drafts = {"method": "eagle3", "draft_tokens": 5, "acceptance_length": 2}
    workload = {"speculative": drafts, "distribution": "fixed"}
    mean = verdict(figure("tpot", 1, statistic="mean"), workload=workload, load=ALONE)
    quick = figure("tpot", mean.bound / 2.5)
    found = [
        verdict(quick | {"statistic": statistic}, workload=workload, load=ALONE).kind
        for statistic in ("mean", "p50")
    ]
    assert found == ["impossible", "plausible"]


def test_drafts_of_no_known_number_leave_a_quick_request_open(verdict: Judge) -> None:
    drafts = {"method": "eagle3", "acceptance_length": 2}
    known = {"workload": {"speculative": drafts}, "load": ALONE}
    mean = verdict(figure("tpot", 1, statistic="mean"), **known)
    slow, fast = (
        verdict(figure("tpot", mean.bound * times, statistic="p50"), **known) for times in (2, 0.5)
    )
    assert (slow.kind, fast.kind) == ("plausible", "unchecked")
    assert fast.reason == "speculative decoding of unknown acceptance"


# Readings: each was a false alarm once.


def test_reading_1_a_batch_of_llama_cpp_is_of_prompt_tokens(
    verdict: Judge, with_entries: Change
) -> None:
    """What is called a batch of 128 may be one request, read 128 tokens at a time."""
    among = with_entries(engines={"example-engine": {"batch_size_is": "prompt_tokens"}})
    load = {"pattern": "static_batch", "batch_size": 128}
    quick = figure("e2e_latency", 600)
    assert verdict(quick, load=load).kind == "impossible"
    assert verdict(quick, among, load=load).kind == "plausible"
    assert math.isnan(verdict(quick, among, load=load).mbu)


def test_reading_2_a_figure_is_of_all_accelerators_or_of_each(verdict: Judge) -> None:
    eight = pool(8, parallelism={"tensor": 8})
    total = verdict(figure("output_throughput", 1, scope="system"), hardware=eight)
    inferred = {"scope": "the tables of this release give totals"}
    same = [
        verdict(
            figure("output_throughput", total.bound / 2, scope=scope, inferred=inferred),
            hardware=eight,
        )
        for scope in ("system", "per_accelerator")
    ]
    assert [one.kind for one in same] == ["plausible", "impossible"]
    assert [one.share for one in same] == pytest.approx([0.5, 4])


def test_reading_3_gpu_memory_is_gib(verdict: Judge) -> None:
    size = 82_000_000_000
    assert 80e9 < size < 80 * GIB
    found = verdict(figure("request_throughput", 0.1), precision={"weights_bytes": size})
    assert found.kind == "plausible"


def test_reading_4_the_bound_of_experts_counts_those_of_one_token(
    verdict: Judge, with_entries: Change
) -> None:
    """A step of 8 tokens that pick freely meets 7.2 of 8 experts, and no fewer than 2."""
    experts = {"total": 8, "active": 2, "intermediate_size": 14336}
    mixture = {
        "hidden_size": 4096,
        "gated_mlp": True,
        "intermediate_size": None,
        "vocabulary_size": 32000,
        "tied_embeddings": False,
        "attention": {"kind": "gqa", "heads": 32, "kv_heads": 8, "head_dim": 128},
        "experts": experts,
    }
    among = with_entries(models={"example-model": mixture})
    model = terms(among.models["example-model"])
    pair = replace(part_of(among.accelerators["example-gpu-80gb"], ("bf16",)), link=math.inf)
    chance = Setup(
        model,
        pair,
        Layout(tensor=2.0),
        Storage(2.0, 2.0, 2.0),
        replace(IDEAL, fewest_experts=False),
    )
    expected = static_batch(chance, Load(8.0, Lengths(512.0, 64.0)))
    found = verdict(
        figure("output_throughput", 1.5 * float(expected.output)), among, hardware=pool(2)
    )
    assert found.kind == "plausible"
    assert found.bound > 2 * float(expected.output)


def test_reading_5_a_stated_concurrency_is_not_the_decode_batch(
    small: Registry, stated: State
) -> None:
    """64 in flight that wait half of their life are 32 that decode: half of the bandwidth."""
    record = stated(
        load={"pattern": "closed_loop", "batch_size": None, "concurrency": 64},
        results={
            "first": figure("ttft", 1600, statistic="mean"),
            "next": figure("tpot", 25, statistic="mean"),
        },
    )
    found = crosscheck(small, [record])[("point", "next")]
    sizes = terms(small.models["example-model"])
    step = float(sizes.stored) + 32 * float(sizes.cache) * (512 + 32)
    assert found.kind == "plausible"
    assert found.mbu == pytest.approx(step * 2 / 0.025 / 2e12, rel=1e-3)


# The shipped records.


def test_every_figure_of_the_shipped_records_has_a_verdict(shipped: Registry) -> None:
    found = verdicts(shipped)
    expected = {
        (record.id, name)
        for record in shipped.records.values()
        for name in (record.results or ("",))
    }
    assert len(expected) > 700
    assert found.keys() == expected
    assert {one.kind for one in found.values()} <= set(KINDS)
    assert all(bool(one.reason) == (one.kind != "plausible") for one in found.values())


def test_a_figure_of_the_shipped_records_is_possible_or_its_record_says_that_it_is_not(
    shipped: Registry,
) -> None:
    found = verdicts(shipped)
    counted = shares(found.values())
    assert list(counted) == list(KINDS)
    for code, kind in (("PLA001", "impossible"), ("PLA002", "does_not_fit")):
        for name in {key[0] for key, verdict in found.items() if verdict.kind == kind}:
            record = shipped.records[name]
            assert (record.status, code in str(record.status_reason)) == ("disputed", True), name
    assert counted["plausible"] > 10 * counted["unchecked"]


@pytest.mark.parametrize("name", ["completed_rate", "output_rate", "user_rate"])
def test_mpt_7b_at_batch_64_reaches_half_of_its_nominal_bound(name: str, shipped: Registry) -> None:
    found = verdicts(shipped)[("mpt-7b-a100-static-b64", name)]
    assert found.kind == "plausible"
    assert 0.50 <= found.nominal_share <= 0.54
    assert found.share < found.nominal_share / 4
    assert 0.2 < found.mbu < 0.3
    assert 0.25 < found.mfu < 0.35
    assert found.taken == ("16-bit weights and KV cache", "no prompt found in a prefix cache")


@pytest.mark.parametrize(("batch", "fits"), [(64, True), (128, False)])
def test_mpt_7b_fits_a_40_gib_part_at_batch_64_and_not_at_128(
    batch: int, fits: bool, shipped: Registry
) -> None:
    model = terms(shipped.models["mpt-7b"])
    part = part_of(shipped.accelerators["a100-sxm4-40gb"], ("bf16",))
    setup = Setup(model, part, Layout(), Storage(2.0, 2.0, 2.0))
    found = static_batch(setup, Load(float(batch), Lengths(512.0, 64.0)))
    assert bool(found.fits) == fits
    assert found.memory_bytes == memory_bytes(setup, float(batch), 576.0)


def test_verdicts_are_worked_out_once(shipped: Registry) -> None:
    assert verdicts(shipped) is verdicts(shipped)


def test_verdicts_are_counted_by_kind() -> None:
    many: Mapping[str, int] = {"impossible": 1, "plausible": 2}
    found = shares(Verdict(kind) for kind, count in many.items() for _ in range(count))  # type: ignore[arg-type]
    assert found == {"impossible": 1, "does_not_fit": 0, "plausible": 2, "unchecked": 0}


# Windows.


def test_tokens_after_the_clock_are_no_rate_that_a_bound_is_for(verdict: Judge) -> None:
    far = figure("output_throughput", 1e6, scope="system")
    assert verdict(far).kind == "impossible"
    late = verdict(far, load={"window": "last_issued"})
    assert (late.kind, "after the clock stops" in late.reason) == ("unchecked", True)
    assert verdict(far | {"window": "last_issued"}).kind == "unchecked"
    near = figure("output_throughput", 10, scope="system", window="last_issued")
    assert verdict(near).kind == "plausible"


def test_a_latency_of_such_a_window_is_bounded_all_the_same(verdict: Judge) -> None:
    quick = figure("tpot", 1e-3, statistic="mean", scope="per_request")
    assert verdict(quick, load={"window": "last_issued"}).kind == "impossible"


@pytest.mark.parametrize(
    ("rate", "phase"),
    [("output_throughput", "decode_throughput"), ("input_throughput", "prefill_throughput")],
)
def test_a_rate_over_one_phase_alone_is_a_rate_of_that_phase(
    rate: str, phase: str, verdict: Judge
) -> None:
    alone = verdict(figure(rate, 10, scope="system", window="phase_only"))
    assert alone.bound == verdict(figure(phase, 10, scope="system")).bound
    assert alone.bound != verdict(figure(rate, 10, scope="system")).bound
