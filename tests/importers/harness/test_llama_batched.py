"""`llama-batched-bench`: static batches, as lines of JSON and as a table."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchreg.importers.importer import recognised
from benchreg.importers.opened import opened
from benchreg.importers.statement import RunError, Statement

FILES = ("batched-bench.jsonl", "batched-bench.md")
LINE: dict[str, Any] = {
    "n_kv_max": 2048, "n_batch": 512, "n_ubatch": 256, "flash_attn": -1, "is_pp_shared": 0,
    "n_gpu_layers": -1, "n_threads": 2, "n_threads_batch": 2, "pp": 64, "tg": 16, "pl": 4,
    "n_kv": 320, "t_pp": Decimal("0.067647"), "speed_pp": Decimal("3784.351074"),
    "t_tg": Decimal("5.884099"), "speed_tg": Decimal("10.876771"), "t": Decimal("5.951746"),
    "speed": Decimal("53.765736"),
}  # fmt: skip
Read = Callable[[Path], list[Statement]]
Told = Callable[..., list[Statement | RunError]]


def stating(told: Told, **changes: Any) -> Statement:
    [found] = told("llama-batched-bench", LINE | changes)
    assert isinstance(found, Statement), found
    return found


@pytest.mark.parametrize("name", FILES)
def test_each_figure_has_the_value_to_which_its_locator_leads(
    name: str, data: Path, stated: Read, at: Callable[[Any, str], Any]
) -> None:
    path = data / "llama_cpp" / name
    file = opened(path)
    found = stated(path)
    assert len(found) == 3
    for one, piece in zip(found, recognised(file).pieces(file), strict=True):
        figures = [figure for figure in one.tree["results"].values() if "locator" in figure]
        assert len(figures) == 3
        for figure in figures:
            assert figure["value"] == Decimal(at(piece.tree, figure["locator"]))


@pytest.mark.parametrize("name", FILES)
def test_each_line_is_a_static_batch_of_its_own(name: str, data: Path, stated: Read) -> None:
    found = stated(data / "llama_cpp" / name)
    loads = [one.tree["load"] for one in found]
    assert loads == [
        {"pattern": "static_batch", "batch_size": size, "requests": size} for size in (1, 2, 4)
    ]
    assert all(one.tree["workload"]["prefix_cache"] == {"enabled": False} for one in found)
    assert all("model" not in one.tree and "hardware" not in one.tree for one in found)


def test_what_one_sequence_sees_follows_from_the_whole(told: Told) -> None:
    figure = stating(told).tree["results"]["user_decode_rate"]
    assert figure == {
        "metric": "decode_rate_per_request", "scope": "per_request", "statistic": "mean",
        "value": Decimal("2.71919275"), "unit": "tok/s", "window": "phase_only",
        "derivation": {"formula": "decode_rate / batch", "inputs": {"batch": "load.batch_size"}},
    }  # fmt: skip


def test_a_share_without_an_end_is_rounded(told: Told) -> None:
    figure = stating(told, pl=3).tree["results"]["user_decode_rate"]
    assert figure["value"] == Decimal("3.62559033")


def test_a_batch_of_one_needs_no_share(told: Told) -> None:
    assert "user_decode_rate" not in stating(told, pl=1).tree["results"]


def test_a_shared_prompt_is_a_prefix_that_was_found(told: Told) -> None:
    found = stating(told, is_pp_shared=1)
    assert found.tree["workload"]["prefix_cache"] == {"enabled": True}
    assert found.remarks


def test_the_table_has_the_settings_of_the_line_above_it(
    data: Path, stated: Read, tmp_path: Path
) -> None:
    text = (data / "llama_cpp/batched-bench.md").read_text().lstrip()
    path = tmp_path / "a.txt"
    path.write_text(text.replace("is_pp_shared = 0", "is_pp_shared = 1"))
    tree = stated(path)[1].tree
    assert tree["workload"]["prefix_cache"] == {"enabled": True}
    assert tree["engine"]["flags"].startswith("n_batch 512, n_ubatch 256")
    assert tree["results"]["decode_rate"]["printed"] == "19.01"


def test_settings_on_which_two_runs_differ_are_not_taken(
    data: Path, stated: Read, tmp_path: Path
) -> None:
    text = (data / "llama_cpp/batched-bench.md").read_text()
    path = tmp_path / "a.txt"
    path.write_text(text + text.replace("n_batch = 512", "n_batch = 256"))
    found = stated(path)
    assert len(found) == 6
    assert all("n_batch" not in one.tree["engine"]["flags"] for one in found)


@pytest.mark.parametrize(
    ("case", "changes", "message"),
    [
        ("no sequence", {"pl": 0}, "batch of 0"),
        ("nothing measured", {"speed_pp": 0, "speed_tg": Decimal("NaN")}, "no speed"),
        ("endless", {"speed_tg": Decimal("Infinity")}, "finite"),
        ("beyond bounds", {"pp": 10**30}, "larger"),
    ],
)
def test_what_is_no_measurement_is_refused(
    case: str, changes: dict[str, Any], message: str, told: Told
) -> None:
    [found] = told("llama-batched-bench", LINE | changes)
    assert isinstance(found, RunError)
    assert message in str(found), case


@pytest.mark.parametrize(
    ("key", "value", "paths"),
    [
        ("speed_pp", 7, {"results.prefill_rate.value"}),
        ("speed_tg", 7, {"results.decode_rate.value", "results.user_decode_rate.value"}),
        ("speed", 7, {"results.total_rate.value"}),
        ("pp", 7, {"workload.input_tokens"}),
        ("tg", 7, {"workload.output_tokens"}),
        ("pl", 7, {"load.batch_size", "load.requests", "results.user_decode_rate.value"}),
        ("t_tg", 7, set()),
        ("n_batch", 7, {"engine.flags"}),
    ],
)
def test_a_changed_number_changes_what_follows_from_it(
    key: str, value: int, paths: set[str], told: Told, changes: Callable[[Any, Any], set[str]]
) -> None:
    assert changes(stating(told).tree, stating(told, **{key: value}).tree) == paths


@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_a_spoiled_line_is_a_statement_or_a_refusal(
    data: st.DataObject, told: Told, spoiled: Any
) -> None:
    tree = data.draw(spoiled(LINE))
    assert all(isinstance(one, Statement | RunError) for one in told("llama-batched-bench", tree))


@given(
    rate=st.decimals(min_value=Decimal("1e-25"), max_value=10**15, places=None, allow_nan=False),
    size=st.integers(2, 10**6),
)
@settings(max_examples=100, deadline=None)
def test_a_share_is_the_quotient_to_half_of_its_last_digit(
    rate: Decimal, size: int, told: Told
) -> None:
    [found] = told("llama-batched-bench", LINE | {"speed_tg": rate, "pl": size})
    if isinstance(found, RunError) or "user_decode_rate" not in found.tree["results"]:
        return
    share = Decimal(found.tree["results"]["user_decode_rate"]["value"])
    last = Decimal(1).scaleb(int(share.as_tuple().exponent))
    assert abs(share * size - rate) <= last * size / 2
