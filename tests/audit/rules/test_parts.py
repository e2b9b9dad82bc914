"""CAT001 and CAT004 at their edges: what a dense peak can be, and what a part can have."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report

Change = Callable[..., Path]
Judge = Callable[..., Report]

PART = "accelerators/example-gpu-80gb"
OTHER = "accelerators/example-gpu-40gb"
GEFORCE = "fp32: 82.6, tf32: 82.6"


def found(report: Report, code: str) -> list[tuple[str, str]]:
    return [(one.pointer, one.message) for one in report.findings if one.code == code]


def pointers(report: Report, code: str) -> list[str]:
    return [pointer for pointer, _ in found(report, code)]


def reasons(report: Report) -> list[str]:
    return [note.reason for note in report.unevaluated if note.code == "CAT001"]


@pytest.mark.parametrize(
    ("peaks", "sparse"),
    [
        pytest.param("tf32: 156, fp16: 312, bf16: 312, int8: 624, int4: 1248", [], id="A100"),
        pytest.param("tf32: 156, fp16: 624, bf16: 312", ["fp16"], id="A100, fp16"),
        pytest.param("tf32: 156, fp16: 312, bf16: 624", ["bf16"], id="A100, bf16"),
        pytest.param("tf32: 156, bf16: 624", ["bf16"], id="A100, bf16 beside tf32 alone"),
        pytest.param("fp16: 312, bf16: 624", ["bf16"], id="A100, bf16 beside fp16 alone"),
        pytest.param("tf32: 156, bf16: 312, int8: 1248", ["int8"], id="A100, int8"),
        pytest.param("tf32: 156, bf16: 312, int8: 624, int4: 2496", ["int4"], id="A100, int4"),
        pytest.param("fp32: 80, tf32: 2250", ["tf32"], id="B200, tf32"),
        pytest.param("bf16: 989.5, fp8: 3958, int8: 1979", ["fp8"], id="H100, fp8"),
        pytest.param("bf16: 2516, fp8: 5033, fp6: 20132, fp4: 10066", ["fp6"], id="MI355X, fp6"),
        pytest.param("bf16: 2250, fp8: 4500, fp4: 18000", ["fp4"], id="B200, fp4"),
        pytest.param(f"{GEFORCE}, fp16: 330, bf16: 165, fp8: 660.6", [], id="RTX 4090"),
        pytest.param(f"{GEFORCE}, fp16: 660, bf16: 165", ["fp16"], id="RTX 4090, fp16"),
        pytest.param(f"{GEFORCE}, fp16: 330, bf16: 330", ["bf16"], id="RTX 4090, bf16"),
        pytest.param(f"{GEFORCE}, fp16: 330, fp8: 1321", ["fp8"], id="RTX 4090, fp8"),
        pytest.param("fp16: 184.6, bf16: 92.3, int8: 184.6", [], id="MI100, bf16 at half rate"),
    ],
)
def test_a_peak_is_held_against_the_wider_one(
    peaks: str, sparse: list[str], changed: Change, judged: Judge
) -> None:
    report = judged(changed(**{PART: f"peak_tflop_s: {{{peaks}}}\n"}))
    assert pointers(report, "CAT001") == [f"/peak_tflop_s/{name}" for name in sparse]


@pytest.mark.parametrize(
    ("fp8", "expected"), [("724.1", 0), ("733", 0), ("734.9", 0), ("735", 1), ("1466", 1)]
)
def test_1_5_percent_are_left_for_printed_pairs(
    fp8: str, expected: int, changed: Change, judged: Judge
) -> None:
    report = judged(changed(**{PART: f"peak_tflop_s: {{tf32: 183, bf16: 362.05, fp8: {fp8}}}\n"}))
    assert len(found(report, "CAT001")) == expected


@pytest.mark.parametrize(
    ("family", "peaks", "expected"),
    [
        ("b300", "bf16: 2250, fp8: 4500, fp4: 15000", 0),
        ("b300", "bf16: 2250, fp8: 4500, fp4: 18000", 1),
        ("gb300", "bf16: 2500, fp8: 5000, fp4: 15000", 0),
        ("gb300", "bf16: 2500, fp8: 5000, fp4: 20000", 1),
        ("b200", "bf16: 2250, fp8: 4500, fp4: 15000", 1),
        ("gaudi3", "tf32: 459, fp16: 459, bf16: 1835, fp8: 1835", 0),
        ("gaudi3", "tf32: 459, fp16: 918, bf16: 1835, fp8: 7340", 1),
        ("groq-lpu", "fp16: 188, int8: 750", 0),
        ("groq-lpu", "fp16: 188, int8: 1500", 1),
        ("trainium3", "tf32: 671, bf16: 671, fp8: 2517, fp4: 2517", 0),
        ("trainium2", "tf32: 667, bf16: 667, fp8: 2517", 1),
    ],
)
def test_a_part_that_is_faster_in_one_format_is_known_by_its_family(
    family: str, peaks: str, expected: int, changed: Change, judged: Judge
) -> None:
    change = f"family: {family}\npeak_tflop_s: {{{peaks}}}\n"
    assert len(found(judged(changed(**{PART: change})), "CAT001")) == expected


def test_the_finding_says_both_peaks(changed: Change, judged: Judge) -> None:
    report = judged(changed(**{PART: "peak_tflop_s: {fp16: 989, bf16: 989.5, fp8: 3958}\n"}))
    message = "fp8 is 4 times fp16 and bf16 (989.5); 2 times is the most without sparsity"
    assert found(report, "CAT001") == [("/peak_tflop_s/fp8", message)]


@pytest.mark.parametrize(
    ("peaks", "expected"),
    [
        pytest.param(
            "fp64: 10, fp32: 20", ["no peak of a narrow format is stated"], id="wide ones"
        ),
        pytest.param("fp32: 20, bf16: 300", ["the peak of tf32 or fp16 is not stated"], id="a gap"),
        pytest.param(
            "fp8: 600, fp4: 1200", ["the peak of fp16 or bf16 is not stated"], id="a gap and a pair"
        ),
    ],
)
def test_a_peak_without_a_wider_one_is_not_judged(
    peaks: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    report = judged(changed(**{PART: f"peak_tflop_s: {{{peaks}}}\n"}))
    assert found(report, "CAT001") == []
    assert reasons(report) == expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param("memory_gib: 85899345920", "/memory_gib", id="bytes"),
        pytest.param("memory_gib: 81920", "/memory_gib", id="MiB"),
        pytest.param("memory_gib: 0.08", "/memory_gib", id="TiB"),
        pytest.param("memory_bandwidth_gb_s: 2.039", "/memory_bandwidth_gb_s", id="TB/s"),
        pytest.param("memory_bandwidth_gb_s: 2039000", "/memory_bandwidth_gb_s", id="MB/s"),
        pytest.param("memory_bandwidth_gb_s: 16312", "/memory_bandwidth_gb_s", id="Gb/s"),
        pytest.param("tdp_w: 0.4", "/tdp_w", id="kW"),
        pytest.param("tdp_w: 400000", "/tdp_w", id="mW"),
        pytest.param("peak_tflop_s: {tf32: 150, bf16: 0.3}", "/peak_tflop_s/bf16", id="PFLOP/s"),
        pytest.param("peak_tflop_s: {fp32: 19500}", "/peak_tflop_s/fp32", id="GFLOP/s"),
        pytest.param(
            "interconnect: {kind: NVLink 3, gb_s_per_direction: 2400}",
            "/interconnect/gb_s_per_direction",
            id="Gb/s of a link",
        ),
        pytest.param(
            "interconnect: {kind: NVLink 3, gb_s_per_direction: 0.3}",
            "/interconnect/gb_s_per_direction",
            id="TB/s of a link",
        ),
    ],
)
def test_another_unit_is_found(change: str, expected: str, changed: Change, judged: Judge) -> None:
    assert expected in pointers(judged(changed(**{PART: change + "\n"})), "CAT004")


WAFER = """kind: npu
memory_gib: 44
memory_bandwidth_gb_s: 21000000
peak_tflop_s: {fp16: 12500}
tdp_w: 23000
"""
LPU = """kind: npu
memory_gib: 0.22
memory_bandwidth_gb_s: 80000
peak_tflop_s: {fp16: 188, int8: 376}
tdp_w: 215
"""


@pytest.mark.parametrize(
    ("part", "before", "after", "expected"),
    [
        pytest.param(WAFER, "", "", [], id="a wafer"),
        pytest.param(WAFER, "npu", "gpu", ["memory_bandwidth_gb_s", "tdp_w"], id="no gpu is one"),
        pytest.param(WAFER, "21000000", "21", ["memory_bandwidth_gb_s", "tdp_w"], id="in PB/s"),
        pytest.param(WAFER, "23000", "23", ["tdp_w"], id="its power in kW"),
        pytest.param(LPU, "", "", [], id="memory on a die"),
        pytest.param(LPU, "80000", "80", ["memory_bandwidth_gb_s"], id="in TB/s"),
        pytest.param(LPU, "80000", "80000000", ["memory_bandwidth_gb_s"], id="in MB/s"),
        pytest.param(LPU, "0.22", "230", ["memory_bandwidth_gb_s"], id="its memory in MB"),
    ],
)
def test_memory_on_the_die_has_its_own_limits(
    part: str, before: str, after: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    report = judged(changed(**{PART: part.replace(before, after, 1) if before else part}))
    outside = {pointer.removeprefix("/") for pointer in pointers(report, "CAT004")}
    assert {name for name in outside if not name.startswith("peak")} == set(expected)


def test_a_part_without_memory_is_held_against_the_ends(base: Path, judged: Judge) -> None:
    file = base / f"records/{OTHER}.yaml"
    text = file.read_text(encoding="utf-8").replace("memory_gib: 40\n", "")
    file.write_text(text.replace("gb_s: 2000", "gb_s: 2"), encoding="utf-8")
    message = (
        "2 is outside of 10 to 50000: a few channels of LPDDR, and HBM or the SRAM of a wafer, "
        "are the ends"
    )
    assert ("/memory_bandwidth_gb_s", message) in found(judged(base), "CAT004")


def test_nothing_is_held_against_a_bandwidth_that_is_wrong(changed: Change, judged: Judge) -> None:
    report = judged(changed(**{PART: "memory_bandwidth_gb_s: 2\n"}))
    assert pointers(report, "CAT004") == ["/memory_bandwidth_gb_s"]


def test_the_finding_says_the_limits(changed: Change, judged: Judge) -> None:
    report = judged(changed(**{PART: "memory_bandwidth_gb_s: 20000\n"}))
    message = (
        "20000 is outside of 80 to 12800: DRAM is read 1 to 160 times a second, and there are "
        "80 GiB"
    )
    assert found(report, "CAT004") == [("/memory_bandwidth_gb_s", message)]
