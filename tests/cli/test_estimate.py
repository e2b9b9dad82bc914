"""`benchreg estimate` as its users run it: what it prints, what it refuses, and the code."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchreg.cli.main import run

Capture = pytest.CaptureFixture[str]
Change = Callable[..., Path]
MODEL, PART = "models/example-model", "accelerators/example-gpu-80gb"
ASKED = ("estimate", "example-model", "example-gpu-80gb", "--input", "512", "--output", "64")
LINKED = {PART: "interconnect: {kind: NVLink 9, gb_s_per_direction: 450}\n"}
EXPERTS = "experts: {total: 8, active: 2, intermediate_size: 1024}\n"
TOO_MUCH = ("--batch", "1000")


def ask(root: Path, *more: str) -> int:
    return run([*ASKED, *more, "--registry", str(root)])


def answered(root: Path, capsys: Capture, *more: str) -> Any:
    """Return the JSON of an answer, in which nothing may stand that JSON does not have."""

    def refuse(word: str) -> None:
        raise ValueError(word)

    ask(root, "--format", "json", *more)
    return json.loads(capsys.readouterr().out, parse_constant=refuse)


def without(root: Path, entry: str, key: str) -> Path:
    """Take a line out of an entry of the catalogue."""
    file = root / f"records/{entry}.yaml"
    text, taken = re.subn(rf"(?m)^{key}: .*\n", "", file.read_text(encoding="utf-8"))
    assert taken == 1
    file.write_text(text, encoding="utf-8")
    return root


# What is printed.


def test_an_estimate_stands_beside_its_bound_and_its_assumptions(
    base: Path, capsys: Capture
) -> None:
    assert ask(base) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out.startswith(
        "Estimate, not a measurement: Example Model on 1 x Example GPU 80 GB\n"
        "  static batch of 1; 512 tokens in, 64 out; not split\n"
    )
    assert re.search(r"  time per output token +[0-9.]+ +[0-9.]+  ms\n", captured.out)
    assert "\nAssumed\n  weights in bf16: not given\n" in captured.out
    assert "  0.8 of the bandwidth is reached\n" in captured.out


def test_a_document_says_that_it_is_an_estimate_and_lists_all_that_it_rests_on(
    base: Path, capsys: Capture
) -> None:
    found = answered(base, capsys, "--memory-efficiency", "0.5", "--reserved-gb", "2")
    assert next(iter(found)) == "kind"
    assert (found["kind"], found["accelerators"]) == ("estimate", 1)
    assert found["coefficients"] == {
        "memory_efficiency": 0.5,
        "compute_efficiency": 0.65,
        "exposed": 0.15,
        "overhead_s": 0.00035,
        "reserved_bytes": 2e9,
        "communication": 1.0,
        "fewest_experts": False,
    }
    assert "weights in bf16: not given" in found["assumptions"]
    assert found["part"]["bandwidth_gb_s"] == 2000
    assert found["memory"]["fits"] is True


def test_each_kind_of_value_has_the_format_that_its_option_says(
    base: Path, capsys: Capture
) -> None:
    given = {"weights": "int4_awq", "activations": "int8", "kv_cache": "fp8", "head": "int8"}
    given["attention"] = "bf16"
    options = [
        word for name, form in given.items() for word in (f"--{name.replace('_', '-')}", form)
    ]
    found = answered(base, capsys, *options)
    assert found["precision"] == given
    assert [text for text in found["assumptions"] if "not given" in text] == []


@pytest.mark.parametrize(
    ("name", "load", "pattern", "level"),
    [
        ("one request", (), "static_batch", 1),
        ("a batch", ("--batch", "16"), "static_batch", 16),
        ("a closed loop", ("--concurrency", "16"), "closed_loop", 16),
        ("more in flight than fit", ("--concurrency", "5000"), "closed_loop", 5000),
        ("as many as fit", ("--saturated",), "saturated", None),
    ],
)
def test_every_load_has_every_figure_in_both_forms(
    name: str, load: tuple[str, ...], pattern: str, level: int | None, base: Path, capsys: Capture
) -> None:
    found = answered(base, capsys, *load)
    assert (found["load"]["pattern"], found["load"]["level"]) == (pattern, level), name
    figures = [*found["estimate"].values(), *found["bound"].values()]
    assert len(figures) > 15
    assert None not in figures
    assert ask(base, *load) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith(f"  {pattern.replace('_', ' ')}")


def test_what_memory_does_not_hold_has_no_figure_and_ends_with_1(
    base: Path, capsys: Capture
) -> None:
    found = answered(base, capsys, *TOO_MUCH)
    assert (found["memory"]["fits"], found["estimate"], found["bound"]) == (False, None, None)
    assert ask(base, *TOO_MUCH) == 1
    out = capsys.readouterr().out
    assert "does not fit: there is no figure for it" in out
    assert "Figures" not in out
    assert "tok/s" not in out


def test_of_an_output_of_one_token_there_is_no_decode(base: Path, capsys: Capture) -> None:
    found = answered(base, capsys, "--output", "1")
    assert (found["estimate"]["tpot_ms"], found["bound"]["tpot_ms"]) == (None, None)
    assert found["estimate"]["bottleneck"]["decode"] is None
    assert ask(base, "--output", "1") == 0
    out = capsys.readouterr().out
    assert "time to first token" in out
    assert "time per output token" not in out
    assert "nan" not in out


@pytest.mark.parametrize("load", [(), ("--saturated",), TOO_MUCH, ("--output", "1")])
def test_no_line_is_wider_than_80_columns(
    load: tuple[str, ...], changed: Change, capsys: Capture
) -> None:
    long = "name: Example Part of a very long name, with its form factor and its 80 GB\n"
    root = changed(**{PART: long + LINKED[PART], MODEL: long.replace("Part", "Model") + EXPERTS})
    split = ("--tensor", "2", "--pipeline", "2", "--attention-data", "2", "--expert", "4")
    assert ask(root, *load, *split, "--context-parallel", "2", "--replicas", "2") < 2
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


# What is refused.


@pytest.mark.parametrize(
    ("name", "more", "message"),
    [
        ("no prompt", ("--input", "0"), "input tokens: 0 is not allowed; it is 1 to"),
        ("a negative prompt", ("--input", "-5"), "input tokens: -5 is not allowed; it is 1 to"),
        ("a prompt of nan", ("--input", "nan"), "input tokens: nan is not allowed; it is 1 to"),
        ("an endless prompt", ("--input", "inf"), "input tokens: inf is not allowed; it is 1 to"),
        ("an absurd prompt", ("--input", "1e300"), "input tokens: 1e+300 is not allowed"),
        ("no output", ("--output", "0.5"), "output tokens: 0.5 is not allowed; it is 1 to"),
        ("a negative cache", ("--cached", "-1"), "cached tokens: -1 is not allowed; it is 0 to"),
        ("no batch", ("--batch", "0"), "batch: 0 is not allowed; it is 1 to 1,000,000,000"),
        ("a batch that no float holds", ("--batch", "9" * 400), "batch: inf is not allowed"),
        ("no concurrency", ("--concurrency", "-1"), "concurrency: -1 is not allowed; it is 1 to"),
        ("less than a token", ("--acceptance-length", "0.9"), "0.9 is not allowed; it is 1 to 100"),
        ("an absurd draft", ("--acceptance-length", "1e8"), "acceptance length: 100,000,000 is"),
        ("no ways", ("--tensor", "0"), "tensor: 0 is not allowed; it is 1 to 100,000"),
        ("negative stages", ("--pipeline", "-2"), "pipeline: -2 is not allowed; it is 1 to"),
        ("no contexts", ("--context-parallel", "0"), "context parallel: 0 is not allowed; it is 1"),
        ("no groups", ("--attention-data", "0"), "attention data: 0 is not allowed; it is 1 to"),
        ("no experts", ("--expert", "0"), "expert: 0 is not allowed; it is 1 to 100,000"),
        ("no copy", ("--replicas", "0"), "replicas: 0 is not allowed; it is 1 to 100,000"),
        (
            "more parts than there are",
            ("--replicas", "1000", "--pipeline", "32", "--attention-data", "1000"),
            "all accelerators together: 32,000,000 is not allowed; it is 1 to 100,000",
        ),
        ("ways that split no heads", ("--tensor", "3"), "it is one of 1, 2, 4, 8, 16, 32"),
        (
            "more stages than layers",
            ("--pipeline", "33"),
            "the 32 layers of example-model; it is 1",
        ),
        ("experts of a dense model", ("--expert", "2"), "example-model has no experts; it is 1"),
        (
            "a context beyond the limit",
            ("--input", "2000"),
            "2,064 tokens together are beyond the context limit of example-model, 2,048 tokens",
        ),
        ("a cache beyond it", ("--cached", "1500"), "cached, input and output: 2,076 tokens"),
        ("two loads", ("--batch", "1", "--saturated"), "--batch and --saturated are two loads"),
        ("all of them", ("--batch", "1", "--concurrency", "1", "--saturated"), "give one of them"),
        ("half as fast again", ("--memory-efficiency", "1.5"), "memory efficiency: 1.5 is not"),
        ("no bandwidth", ("--memory-efficiency", "0"), "0 is not allowed; it is 0.001 to 1"),
        ("no arithmetic", ("--compute-efficiency", "nan"), "compute efficiency: nan is not"),
        ("more than all", ("--exposed", "2"), "exposed: 2 is not allowed; it is 0 to 1"),
        ("a negative overhead", ("--overhead-ms", "-1"), "overhead: -1 ms is not allowed; it is 0"),
        ("an endless overhead", ("--overhead-ms", "inf"), "overhead: inf ms is not allowed"),
        ("an absurd reserve", ("--reserved-gb", "1e300"), "it is 0 to 10,000 GB"),
        ("a part alone, split", ("--tensor", "2"), "has no interconnect.gb_s_per_direction in"),
    ],
)
def test_what_is_not_allowed_is_one_line_that_names_the_field_and_what_is(
    name: str, more: tuple[str, ...], message: str, base: Path, capsys: Capture
) -> None:
    assert ask(base, *more) == 2, name
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("benchreg: ")
    assert captured.err.count("\n") == 1
    assert message in captured.err, name


@pytest.mark.parametrize(
    ("name", "expert", "message"),
    [
        ("no divisor of the experts", "16", "the 8 experts of example-model"),
        ("no divisor of the accelerators", "8", "the 4 accelerators of a stage"),
        ("what is allowed", "3", "it is one of 1, 2, 4"),
    ],
)
def test_experts_are_split_by_what_divides_them_and_the_accelerators(
    name: str, expert: str, message: str, changed: Change, capsys: Capture
) -> None:
    root = changed(**LINKED, **{MODEL: EXPERTS})
    assert ask(root, "--tensor", "4", "--expert", expert) == 2
    assert message in capsys.readouterr().err, name
    assert ask(root, "--tensor", "4", "--expert", "4") == 0


@pytest.mark.parametrize(
    ("name", "entry", "key", "message"),
    [
        ("the layers", MODEL, "layers", "example-model has no layers in the catalogue"),
        ("the width", MODEL, "hidden_size", "example-model has no hidden_size in the catalogue"),
        ("the attention", MODEL, "attention", "example-model has no attention in the catalogue"),
        ("the MLP", MODEL, "intermediate_size", "example-model has no intermediate_size in"),
        ("memory", PART, "memory_gib", "example-gpu-80gb has no memory_gib in the catalogue"),
        ("bandwidth", PART, "memory_bandwidth_gb_s", "80gb has no memory_bandwidth_gb_s in"),
        ("all peaks", PART, "peak_tflop_s", "example-gpu-80gb has no peak_tflop_s in the"),
    ],
)
def test_a_number_that_the_catalogue_lacks_is_named(
    name: str, entry: str, key: str, message: str, base: Path, capsys: Capture
) -> None:
    assert ask(without(base, entry, key)) == 2, name
    captured = capsys.readouterr()
    assert message in captured.err
    assert (captured.out, captured.err.count("\n")) == ("", 1)


def test_a_size_within_the_attention_is_named_by_its_path(changed: Change, capsys: Capture) -> None:
    root = changed(**{MODEL: "attention: {kind: gqa, heads: 32, head_dim: 128}\n"})
    assert ask(root) == 2
    assert "example-model has no attention.kv_heads in the catalogue" in capsys.readouterr().err


@pytest.mark.parametrize("split", ["--tensor", "--pipeline", "--context-parallel"])
def test_a_link_of_no_known_speed_splits_nothing(
    split: str, changed: Change, capsys: Capture
) -> None:
    half = "interconnect: {kind: Mesh, allreduce: [{group: 2, gb_s: 9}]}\n"
    assert ask(changed(**{PART: half}), split, "2") == 2
    err = capsys.readouterr().err
    assert "example-gpu-80gb has no interconnect.gb_s_per_direction in the catalogue" in err
    assert err.count("\n") == 1


def test_a_part_without_a_peak_of_the_format_is_told_with_those_that_it_has(
    changed: Change, capsys: Capture
) -> None:
    root = changed(**{PART: "peak_tflop_s: {int8: 600, fp8: 600}\n"})
    assert ask(root) == 2
    err = capsys.readouterr().err
    assert "example-gpu-80gb has no peak_tflop_s of fp16 or bf16 in the catalogue; it has " in err
    assert ask(root, "--weights", "fp8") == 0


@pytest.mark.parametrize(
    ("kind", "model", "part", "message"),
    [
        (
            "a model",
            "exampel-model",
            "example-gpu-80gb",
            "no model is called 'exampel-model'; the ",
        ),
        ("its nearest", "exampel-model", "example-gpu-80gb", "the nearest are example-model"),
        ("a part", "example-model", "example-gpu-60gb", "the nearest are example-gpu-40gb, exa"),
        ("nothing near", "zzz", "example-gpu-80gb", "no model is called 'zzz'; see `records/mode"),
        ("a part as a model", "example-gpu-80gb", "example-gpu-80gb", "no model is called"),
    ],
)
def test_a_name_that_is_not_there_is_answered_with_the_nearest(
    kind: str, model: str, part: str, message: str, base: Path, capsys: Capture
) -> None:
    assert run(["estimate", model, part, *ASKED[3:], "--registry", str(base)]) == 2
    captured = capsys.readouterr()
    assert message in captured.err, kind
    assert (captured.out, captured.err.count("\n")) == ("", 1)


def test_a_missing_length_is_said_in_the_form_of_every_missing_option(capsys: Capture) -> None:
    assert run(["estimate", "example-model", "example-gpu-80gb", "--output", "1"]) == 2
    assert "Missing option '--input'" in capsys.readouterr().err


def test_a_format_that_is_not_there_is_answered_with_those_that_are(
    base: Path, capsys: Capture
) -> None:
    assert ask(base, "--weights", "fp7") == 2
    assert "'fp7' is not one of 'fp32', " in capsys.readouterr().err


# What a registry could try.


@pytest.mark.parametrize("entry", [MODEL, PART])
def test_a_hostile_name_of_a_registry_reaches_no_terminal(
    entry: str, changed: Change, capsys: Capture
) -> None:
    root = changed(**{entry: 'name: "\\e[31mred\\u202e\\x9b1m"\n'})
    assert ask(root) == 2
    captured = capsys.readouterr()
    assert "was refused; `benchreg audit` says why" in captured.err
    assert not re.search("[\x1b\x9b\u202e]", captured.out + captured.err)


def test_a_hostile_word_of_the_command_line_reaches_no_terminal(
    base: Path, capsys: Capture
) -> None:
    assert run(["estimate", "\x1b[31m\u202e", "x", *ASKED[3:], "--registry", str(base)]) == 2
    assert not re.search("[\x1b\u202e]", capsys.readouterr().err)


def test_records_are_not_read(base: Path, capsys: Capture) -> None:
    (base / "records/benchmarks/example-source/base-record.yaml").write_bytes(b"\xff")
    (base / "records/engines/example-engine.yaml").unlink()
    assert ask(base) == 0
    assert capsys.readouterr().err == ""


# The program itself.

NO_NUMPY = """
import sys
from benchreg.cli.main import run
code = run(sys.argv[1:])
print("numpy" in sys.modules)
sys.exit(code)
"""


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("--version",), id="the version"),
        pytest.param(("estimate", "--help"), id="help for an estimate"),
        pytest.param(("sweep", "--help"), id="help for a sweep"),
        pytest.param(("audit", "--select", "MET", "--registry", "BASE"), id="rules of words"),
    ],
)
def test_what_calculates_nothing_does_not_wait_for_numpy(
    words: tuple[str, ...], base: Path
) -> None:
    named = [str(base) if word == "BASE" else word for word in words]
    command = [sys.executable, "-c", NO_NUMPY, *named]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "False"


def test_the_program_itself_ends_with_the_same_code_and_warns_of_nothing(base: Path) -> None:
    words = [*ASKED, *TOO_MUCH, "--registry", str(base)]
    command = [sys.executable, "-W", "error", "-m", "benchreg", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")


def test_where_no_registry_is_our_own_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ["estimate", "llama-3.1-8b", "h100-sxm5-80gb", "--input", "1000", "--output", "200"]
    assert run([*asked, "--tensor", "2", "--concurrency", "64"]) == 0
    assert "on 2 x NVIDIA H100 SXM5 80GB" in capsys.readouterr().out
