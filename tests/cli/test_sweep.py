"""`benchreg sweep` as its users run it: the reference case, the catalogue, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchreg.cli.main import run

Capture = pytest.CaptureFixture[str]
Change = Callable[..., Path]
REFERENCE = Path(__file__).parents[1] / "data/roofline/reference-70b-gqa.json"
MODEL, PART = "models/example-model", "accelerators/example-gpu-80gb"
ASKED = ("sweep", "example-model", "example-gpu-80gb")
NVLINK = "interconnect: {kind: NVLink 9, gb_s_per_direction: 450}\n"
BRIDGE = (
    'interconnect: {kind: "NVLink 9 bridge between two cards, else PCIe 5 x16", '
    "gb_s_per_direction: 300, joins: 2}\n"
)
MEASURED = (
    "interconnect: {kind: PCIe 5 x16, gb_s_per_direction: 64, "
    "allreduce: [{group: 2, gb_s: 40, floor_us: 6}, {group: 4, gb_s: 25, floor_us: 9}]}\n"
)
PCIE = "pcie_gen: 5\n"


def ask(root: Path, *more: str) -> int:
    return run([*ASKED, *more, "--registry", str(root)])


def swept(root: Path, capsys: Capture, *more: str) -> Any:
    """Return the JSON of a sweep, in which nothing may stand that JSON does not have."""

    def refuse(word: str) -> None:
        raise ValueError(word)

    ask(root, "--format", "json", *more)
    return json.loads(capsys.readouterr().out, parse_constant=refuse)


def values(found: Any, key: str) -> set[Any]:
    return {one[key] for one in found["pareto_frontier"]}


# The reference case.


def test_without_arguments_it_is_the_reference_document_to_the_byte(capsys: Capture) -> None:
    assert run(["sweep", "--format", "json"]) == 0
    assert capsys.readouterr().out == REFERENCE.read_text(encoding="utf-8") + "\n"


def test_with_other_coefficients_the_reference_case_says_which(capsys: Capture) -> None:
    assert run(["sweep", "--format", "json", "--memory-efficiency", "0.5"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["kind"], found["model"]) == ("estimate", "70B-GQA-80L")
    assert found["assumed"]["coefficients"]["memory_efficiency"] == 0.5


def test_with_another_limit_it_selects_another_configuration(capsys: Capture) -> None:
    assert run(["sweep", "--format", "json", "--tpot-limit", "9"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["sla_tpot_ms"] == 9
    assert found["selected"]["name"] == "fp8-tp8-b96-nvlink"


def test_what_is_selected_is_printed_with_all_that_is_assumed(capsys: Capture) -> None:
    assert run(["sweep"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Estimates, not measurements: 70B-GQA-80L, 112 configurations")
    assert "74 fit in memory, 49 of them keep 25 ms a token" in out
    assert "  fp8-tp4-b128-nvlink    17.27   7,412.7    1,853.2 " in out
    assumed = out.partition("\nAssumed\n")[2]
    assert "80 GB of memory at 3,350 GB/s" in assumed
    assert "peaks: bf16 1,000 TFLOP/s, fp8 2,000 TFLOP/s" in assumed
    assert "pcie: 16 GB/s one way and 25 us an all-reduce" in assumed
    assert "0.65 of the peak is reached" in assumed


@pytest.mark.parametrize("width", [80, 120])
def test_a_table_is_no_wider_than_the_terminal(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert run(["sweep"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines[2:])) <= width
    assert any("fp8-tp4-b128-nvlink" in line and "7,412.7" in line for line in lines)


@pytest.mark.parametrize("axis", ["--tensor", "--batch", "--context"])
def test_the_reference_case_has_no_other_axes(axis: str, capsys: Capture) -> None:
    assert run(["sweep", axis, "4"]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"benchreg: {axis}: the axes of the reference case are fixed")
    assert (captured.out, captured.err.count("\n")) == ("", 1)


# Models and parts of the catalogue.


def test_a_sweep_of_the_catalogue_says_what_it_is_of_and_what_it_assumes(
    changed: Change, capsys: Capture
) -> None:
    root = changed(**{PART: NVLINK + PCIE})
    found = swept(root, capsys, "--context", "1024", "--tensor", "1", "--tensor", "4")
    assert (found["kind"], found["model"]) == ("estimate", "example-model")
    assert (found["accelerator"], found["context_len"]) == ("example-gpu-80gb", 1024)
    assert found["assumed"]["links"] == {
        "nvlink": [{"tensor": 4, "gb_s": 450, "latency_us": 3.5}],
        "pcie": [{"tensor": 4, "gb_s": 64, "latency_us": 25}],
    }
    assert found["assumed"]["coefficients"]["overhead_s"] == 0.00035
    assert ask(root) == 0
    assert "measurements: example-model on example-gpu-80gb, 56 " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "more", "key", "expected"),
    [
        ("one format", ("--precision", "int8"), "precision", {"int8"}),
        ("two formats", ("--precision", "bf16", "--precision", "int4"), "precision", {"int4"}),
        ("some ways", ("--tensor", "2", "--tensor", "4"), "tp_degree", {2, 4}),
        ("one batch", ("--batch", "3"), "batch_size", {3}),
        ("the same batch twice", ("--batch", "3", "--batch", "3"), "batch_size", {3}),
        ("the links that it has", (), "interconnect", {"nvlink"}),
    ],
)
def test_an_option_makes_an_axis(
    name: str,
    more: tuple[str, ...],
    key: str,
    expected: set[Any],
    changed: Change,
    capsys: Capture,
) -> None:
    root = changed(**{PART: NVLINK})
    found = swept(root, capsys, *more, "--tpot-limit", "1000")
    assert values(found, key) == expected, name


def test_a_format_that_the_part_has_a_peak_for_is_swept_of_itself(
    changed: Change, capsys: Capture
) -> None:
    assert set(swept(changed(), capsys)["assumed"]["peak_tflop_s"]) == {"bf16"}
    root = changed(**{PART: "peak_tflop_s: {bf16: 300, fp8: 600}\n"})
    assert swept(root, capsys)["assumed"]["peak_tflop_s"] == {"bf16": 300, "fp8": 600}


@pytest.mark.parametrize(
    ("name", "part", "links"),
    [
        ("PCIe alone", PCIE, {"pcie": {2: 64, 4: 64, 8: 64}}),
        (
            "eight lanes of it",
            "interconnect: {kind: PCIe 5 x8, gb_s_per_direction: 32}\n" + PCIE,
            {"pcie": {2: 32, 4: 32, 8: 32}},
        ),
        (
            "PCIe, measured in small groups",
            MEASURED,
            {"pcie": {2: 40, 4: 25, 8: 64}},
        ),
        (
            "a bridge between two cards",
            BRIDGE + PCIE,
            {"nvlink": {2: 300, 4: 64, 8: 64}, "pcie": {2: 64, 4: 64, 8: 64}},
        ),
        ("a bridge, and lanes that nobody stated", BRIDGE, {"nvlink": {2: 300}}),
        (
            "a bridge of any length",
            'interconnect: {kind: "NVLink 9 bridge, else PCIe", gb_s_per_direction: 300}\n',
            {"nvlink": {2: 300, 4: 300, 8: 300}},
        ),
        (
            "a fabric of no known speed",
            "interconnect: {kind: Mesh}\n" + PCIE,
            {"pcie": {2: 64, 4: 64, 8: 64}},
        ),
        ("a fabric alone", NVLINK, {"nvlink": {2: 450, 4: 450, 8: 450}}),
        (
            "a fabric and PCIe",
            NVLINK + PCIE,
            {"nvlink": {2: 450, 4: 450, 8: 450}, "pcie": {2: 64, 4: 64, 8: 64}},
        ),
        (
            "a measured fabric",
            "interconnect: {kind: Mesh, allreduce: [{group: 4, gb_s: 99, floor_us: 5}]}\n",
            {"mesh": {2: 99, 4: 99}},
        ),
    ],
)
def test_the_links_of_a_part_are_an_axis(
    name: str, part: str, links: dict[str, dict[int, float]], changed: Change, capsys: Capture
) -> None:
    found = swept(changed(**{PART: part}), capsys)["assumed"]["links"]
    told = {
        link: {speed["tensor"]: speed["gb_s"] for speed in speeds} for link, speeds in found.items()
    }
    assert told == links, name


def test_a_speed_is_told_with_its_ways_where_the_ways_differ(
    changed: Change, capsys: Capture
) -> None:
    assert ask(changed(**{PART: BRIDGE + PCIE})) == 0
    told = capsys.readouterr().out
    assert "  nvlink at 2 ways: 300 GB/s one way and 3.5 us an all-reduce\n" in told
    assert "  nvlink at 4, 8 ways: 64 GB/s one way and 25 us an all-reduce\n" in told
    assert "  pcie: 64 GB/s one way and 25 us an all-reduce\n" in told


def test_beyond_a_bridge_its_ways_take_as_long_as_over_pcie(
    changed: Change, capsys: Capture
) -> None:
    more = ("--tensor", "2", "--tensor", "4", "--batch", "8", "--tpot-limit", "1000")
    found = swept(changed(**{PART: BRIDGE + PCIE}), capsys, *more)
    spent = {one["name"]: one["allreduce_ms"] for one in found["pareto_frontier"]}
    assert spent["bf16-tp4-b8-nvlink"] == spent["bf16-tp4-b8-pcie"] > 0
    assert spent["bf16-tp2-b8-nvlink"] < spent["bf16-tp4-b8-nvlink"]


def test_what_a_bridge_does_not_join_over_lanes_that_nobody_stated_is_refused(
    changed: Change, capsys: Capture
) -> None:
    assert ask(changed(**{PART: BRIDGE}), "--tensor", "4") == 2
    captured = capsys.readouterr()
    assert captured.err == (
        "benchreg: example-gpu-80gb has no pcie_gen in the catalogue; without it tensor is at "
        "most 2\n"
    )
    assert captured.out == ""


def test_a_part_that_nothing_joins_is_swept_alone(base: Path, capsys: Capture) -> None:
    found = swept(base, capsys)
    assert values(found, "tp_degree") == {1}
    assert found["assumed"]["links"] == {"none": []}
    assert found["selected"]["allreduce_ms"] == 0


def test_one_alone_has_no_link_of_all_that_it_could_have(changed: Change, capsys: Capture) -> None:
    root = changed(**{PART: NVLINK + PCIE})
    found = swept(root, capsys, "--tensor", "1")
    assert (found["assumed"]["links"], values(found, "interconnect")) == ({"none": []}, {"none"})
    assert ask(root, "--tensor", "1") == 0
    assert "an all-reduce" not in capsys.readouterr().out


def test_the_axes_of_the_reference_case_go_as_far_as_the_model_does(
    changed: Change, capsys: Capture
) -> None:
    heads = "attention: {kind: gqa, heads: 40, kv_heads: 10, head_dim: 128}\n"
    found = swept(changed(**{PART: NVLINK, MODEL: heads}), capsys)
    assert found["context_len"] == 2048
    assert values(found, "tp_degree") <= {1, 2}


def test_where_nothing_keeps_the_limit_it_ends_with_4_and_says_what_is_fastest(
    base: Path, capsys: Capture
) -> None:
    found = swept(base, capsys, "--tpot-limit", "1")
    assert (found["selected"], found["pareto_frontier"]) == (None, [])
    assert ask(base, "--tpot-limit", "1") == 4
    out = capsys.readouterr().out
    assert "nothing is selected; the fastest that fits is bf16-tp1-b1-none, " in out
    assert "0.8 of the bandwidth is reached" in out


def test_where_nothing_fits_it_ends_with_4(changed: Change, capsys: Capture) -> None:
    root = changed(**{PART: "memory_gib: 8\n"})
    assert ask(root) == 4
    assert "0 fit in memory, 0 of them keep 25 ms a token" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "more", "message"),
    [
        ("ways that split no heads", ("--tensor", "3"), "it is one of 1, 2, 4, 8, 16, 32"),
        ("no ways", ("--tensor", "0"), "tensor: 0 is not allowed; it is 1 to 100,000"),
        ("a part alone, split", ("--tensor", "2"), "no interconnect.gb_s_per_direction"),
        ("no batch", ("--batch", "0"), "batch: 0 is not allowed; it is 1 to 1,000,000"),
        ("an absurd batch", ("--batch", "9" * 400), "batch: inf is not allowed; it is 1 to"),
        ("no context", ("--context", "0"), "0 tokens is not allowed; it is 1 to 2,048 tokens"),
        ("a context beyond", ("--context", "4096"), "context of example-model: 4,096 tokens is"),
        ("a context of nan", ("--context", "nan"), "nan tokens is not allowed; it is 1 to 2,048"),
        ("no limit", ("--tpot-limit", "0"), "tpot limit: 0 ms is not allowed; it is 0.001 to"),
        ("a limit of nan", ("--tpot-limit", "nan"), "tpot limit: nan ms is not allowed"),
        ("an endless limit", ("--tpot-limit", "inf"), "tpot limit: inf ms is not allowed"),
        ("an absurd overhead", ("--overhead-ms", "1e300"), "overhead: 1e+300 ms is not allowed"),
    ],
)
def test_what_is_not_allowed_is_one_line_that_names_the_field_and_what_is(
    name: str, more: tuple[str, ...], message: str, base: Path, capsys: Capture
) -> None:
    assert ask(base, *more) == 2, name
    captured = capsys.readouterr()
    assert message in captured.err, name
    assert (captured.out, captured.err.count("\n")) == ("", 1)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("example-model",), "accelerator: it is missing; name the part to sweep the model on"),
        (("exampel-model", "example-gpu-80gb"), "the nearest are example-model"),
        (("example-model", "example-gpu-60gb"), "the nearest are example-gpu-40gb, example-gpu-8"),
    ],
)
def test_a_name_that_is_not_there_is_bad_use(
    names: tuple[str, ...], message: str, base: Path, capsys: Capture
) -> None:
    assert run(["sweep", *names, "--registry", str(base)]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert (captured.out, captured.err.count("\n")) == ("", 1)
