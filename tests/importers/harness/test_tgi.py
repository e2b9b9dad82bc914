"""text-generation-benchmark: three tables, and a prefill whose unit says too little."""

from collections.abc import Callable
from copy import deepcopy
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchreg.importers.importer import recognised
from benchreg.importers.opened import opened
from benchreg.importers.statement import RunError, Statement

NAME = "text-generation-benchmark"
BATCH: dict[str, Any] = {
    "Model": "example-org/example-7b", "Sequence Length": "512", "Decode Length": "33",
    "N Runs": "10", "Warmups": "2", "Batch Size": "4",
    "latency": {
        "Prefill": {"Average": "50.00 ms", "Lowest": "49.00 ms", "Highest": "52.00 ms"},
        "Decode (token)": {"Average": "30.00 ms", "Lowest": "29.40 ms", "Highest": "31.20 ms"},
    },
    "throughput": {
        "Prefill": {"Average": "40960.00 tokens/secs", "Lowest": "40140.80 tokens/secs",
                    "Highest": "42598.40 tokens/secs"},
        "Decode": {"Average": "133.33 tokens/secs", "Lowest": "130.67 tokens/secs",
                   "Highest": "138.67 tokens/secs"},
    },
}  # fmt: skip
PREFILLS = ["prefill_rate", "prefill_rate_min", "prefill_rate_max"]
Read = Callable[[Path], list[Statement]]
Told = Callable[..., list[Statement | RunError]]


def batch(path: str = "", value: Any = None) -> Any:
    tree = deepcopy(BATCH)
    if path:
        *way, last = path.split(".")
        node = tree
        for key in way:
            node = node[key]
        node[last] = value
    return tree


def stating(told: Told, tree: Any) -> Statement:
    [found] = told(NAME, tree)
    assert isinstance(found, Statement), found
    return found


@pytest.mark.parametrize("name", ["tokens.md", "prompts.md"])
def test_each_figure_has_the_value_to_which_its_locator_leads(
    name: str, data: Path, stated: Read, at: Callable[[Any, str], Any]
) -> None:
    path = data / "tgi" / name
    file = opened(path)
    found = stated(path)
    assert [one.at for one in found] == ["table 3, batch size 1", "table 3, batch size 4"]
    for one, piece in zip(found, recognised(file).pieces(file), strict=True):
        assert len(one.tree["results"]) >= 6
        for figure in one.tree["results"].values():
            assert str(at(piece.tree, figure["locator"])).split()[0] == figure["printed"]
            assert figure["value"] == Decimal(figure["printed"])


def test_a_batch_states_its_conditions(told: Told) -> None:
    tree = dict(stating(told, batch()).tree)
    del tree["results"]
    assert tree == {
        "model": {"described_as": "example-org/example-7b"},
        "inferred": {"model": "the tool writes the name of the tokenizer that it was given"},
        "engine": {"described_as": "text-generation-inference"},
        "load": {"pattern": "static_batch", "batch_size": 4, "requests": 4,
                 "warmup": {"requests": 8, "excluded": True}},
        "measurement": {"runs": 10, "point": "server"},
        "workload": {"input_tokens": 512, "output_tokens": 33, "length_basis": "requested",
                     "output_policy": "forced"},
    }  # fmt: skip


def test_a_prefill_that_counts_tokens_is_a_rate_of_tokens(data: Path, stated: Read) -> None:
    for found in stated(data / "tgi/tokens.md"):
        assert [name for name in found.tree["results"] if "prefill" in name] == PREFILLS
        assert not found.remarks


def test_a_prefill_that_counts_prompts_is_left_out_and_told(data: Path, stated: Read) -> None:
    for found in stated(data / "tgi/prompts.md"):
        assert not [name for name in found.tree["results"] if "prefill" in name]
        assert any("does not count tokens" in remark for remark in found.remarks)


def test_the_latency_of_a_prefill_is_no_time_to_first_token(told: Told) -> None:
    metrics = {figure["metric"] for figure in stating(told, batch()).tree["results"].values()}
    assert metrics == {"decode_throughput", "prefill_throughput", "tpot"}


def test_percentiles_of_runs_that_were_not_sorted_are_left_out(data: Path, stated: Read) -> None:
    found = stated(data / "tgi/tokens.md")[0]
    assert "p50" in (data / "tgi/tokens.md").read_text()
    assert {figure["statistic"] for figure in found.tree["results"].values()} == {
        "mean", "min", "max"
    }  # fmt: skip


def test_several_experiments_share_the_parameters_above_them(
    data: Path, stated: Read, tmp_path: Path
) -> None:
    text = (data / "tgi/tokens.md").read_text()
    _, latency, rates = text.strip().split("\n\n\n")
    path = tmp_path / "notes.md"
    again = latency.replace("25.00 ms", "26.00 ms")
    path.write_text(f"# Runs\n- shards: 2\n\n{text}\n# 4 shards\n## Again\n{again}\n\n{rates}\n")
    found = stated(path)
    assert [one.tree["results"]["tpot_mean"]["value"] for one in found] == [25, 30, 26, 30]


@pytest.mark.parametrize(
    ("case", "path", "value", "message"),
    [
        ("no run", "N Runs", "0", "0 runs"),
        ("no batch", "Batch Size", "0", "batch of 0"),
        ("no decoding", "throughput.Decode.Average", "NaN tokens/secs", "no decoding"),
        ("a unit of another table", "throughput.Decode.Average", "5.00 ms", "tokens/secs"),
        ("no unit", "latency.Prefill.Average", "5.00", "no cell in ms"),
        ("a missing table", "latency", None, "latency"),
        ("beyond bounds", "Sequence Length", "9" * 30, "larger"),
    ],
)
def test_what_is_no_record_is_refused(
    case: str, path: str, value: Any, message: str, told: Told
) -> None:
    [found] = told(NAME, batch(path, value))
    assert isinstance(found, RunError)
    assert message in str(found), case


@pytest.mark.parametrize(
    ("path", "value", "paths"),
    [
        ("throughput.Decode.Average", "7.00 tokens/secs",
         {"results.decode_rate.value", "results.decode_rate.printed"}),
        ("latency.Decode (token).Highest", "99.00 ms",
         {"results.tpot_max.value", "results.tpot_max.printed"}),
        ("Decode Length", "7", {"workload.output_tokens"}),
        ("Warmups", "7", {"load.warmup.requests"}),
        ("N Runs", "7", {"measurement.runs"}),
        ("latency.Prefill.Highest", "99.00 ms", set()),
    ],
)  # fmt: skip
def test_a_changed_number_changes_what_follows_from_it(
    path: str, value: str, paths: set[str], told: Told, changes: Callable[[Any, Any], set[str]]
) -> None:
    assert changes(stating(told, batch()).tree, stating(told, batch(path, value)).tree) == paths


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_a_spoiled_tree_is_a_statement_or_a_refusal(
    data: st.DataObject, told: Told, spoiled: Any
) -> None:
    tree = data.draw(spoiled(BATCH))
    assert all(isinstance(one, Statement | RunError) for one in told(NAME, tree))


@given(cut=st.integers(0, 3000), put=st.text(alphabet="|\n- 0.9msa", max_size=12))
@settings(max_examples=100, deadline=None)
def test_a_spoiled_text_is_statements_or_a_refusal(
    cut: int, put: str, data: Path, tmp_path_factory: pytest.TempPathFactory, stated: Read
) -> None:
    text = (data / "tgi/tokens.md").read_text()
    path = tmp_path_factory.mktemp("tgi") / "a.md"
    path.write_text(text[:cut] + put + text[cut + 5 :])
    try:
        found = stated(path)
    except RunError:
        return
    assert all(isinstance(one, Statement) for one in found)
