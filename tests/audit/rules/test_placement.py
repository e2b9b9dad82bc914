"""CON015, CON016 and CON023 at their edges: what accounts for a pool, and how long a request is."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report
from benchreg.audit.finding import Severity

Change = Callable[..., Path]
Judge = Callable[..., Report]

POOL = "    - {{accelerator: example-gpu-80gb, count: {}, parallelism: {{{}}}}}\n"
OPEN = "absent: {load.scenario: not_applicable, parallelism: not_stated}\n"
MODEL = "models/example-model"


def found(report: Report, code: str) -> list[str]:
    return [finding.message for finding in report.findings if finding.code == code]


def reasons(report: Report, code: str) -> list[str]:
    return [note.reason for note in report.unevaluated if note.code == code]


def pools(*each: tuple[int, str]) -> str:
    return "hardware:\n  pools:\n" + "".join(POOL.format(*pool) for pool in each)


@pytest.mark.parametrize(
    ("count", "ways", "expected"),
    [
        pytest.param(8, "tensor: 8", 0, id="one way"),
        pytest.param(8, "tensor: 2, pipeline: 2, context: 1, replicas: 2", 0, id="a product"),
        pytest.param(4, "attention_data: 4, expert: 4", 0, id="experts overlay"),
        pytest.param(8, "expert: 8", 0, id="no way but experts"),
        pytest.param(8, "", 0, id="nothing stated"),
        pytest.param(1, "tensor: 1", 0, id="one accelerator"),
        pytest.param(8, "tensor: 4", 1, id="half of them"),
        pytest.param(8, "tensor: 1, pipeline: 1", 1, id="one of eight"),
        pytest.param(4, "tensor: 8", 1, id="more than there are"),
        pytest.param(8, "tensor: 3", 1, id="no part of it"),
        pytest.param(8, "tensor: 8, replicas: 8", 1, id="a product too large"),
    ],
)
def test_the_ways_account_for_the_pool(
    count: int, ways: str, expected: int, changed: Change, judged: Judge
) -> None:
    assert len(found(judged(changed(pools((count, ways)))), "CON015")) == expected


@pytest.mark.parametrize(
    ("ways", "message", "hint"),
    [
        ("tensor: 4", "tensor 4 is not the count of the pool, 8", "`replicas: 2`"),
        ("tensor: 4, pipeline: 4", "tensor 4 x pipeline 4 = 16 is not the count of the pool, 8",
         "the way that was misread"),
        ("tensor: 8, attention_data: 8",
         "tensor 8 x attention_data 8 = 64 is not the count of the pool, 8", "tp / dp"),
    ],
)  # fmt: skip
def test_the_product_and_a_way_out_are_told(
    ways: str, message: str, hint: str, changed: Change, judged: Judge
) -> None:
    [finding] = [one for one in judged(changed(pools((8, ways)))).findings if one.code == "CON015"]
    assert finding.message == message
    assert hint in finding.hint
    assert finding.pointer == "/hardware/pools/0/parallelism"


def test_each_pool_is_its_own(changed: Change, judged: Judge) -> None:
    report = judged(changed(pools((8, "tensor: 8"), (8, "tensor: 4"), (4, "replicas: 2"))))
    assert len(found(report, "CON015")) == 2


@pytest.mark.parametrize(
    ("ways", "errors", "open_"),
    [
        pytest.param("tensor: 4", 0, 1, id="the rest is open"),
        pytest.param("tensor: 3", 1, 0, id="no rest could do it"),
        pytest.param(
            "tensor: 4, pipeline: 1, context: 1, attention_data: 1, replicas: 1",
            1,
            0,
            id="nothing is open",
        ),
    ],
)
def test_what_nobody_knows_is_declared_beside_what_is_stated(
    ways: str, errors: int, open_: int, changed: Change, judged: Judge
) -> None:
    report = judged(changed(pools((8, ways)) + OPEN))
    assert len(found(report, "CON015")) == errors
    assert reasons(report, "CON015") == ["the rest of the parallelism is declared absent"] * open_
    assert found(report, "CON002") == []


def test_parallelism_that_is_whole_cannot_be_absent(changed: Change, judged: Judge) -> None:
    report = judged(changed(pools((8, "tensor: 8")) + OPEN))
    assert len(found(report, "CON002")) == 1


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        pytest.param("input_tokens: 1984, output_tokens: 64", 0, id="all of it"),
        pytest.param("input_tokens: 1985, output_tokens: 64", 1, id="one token more"),
        pytest.param("input_tokens: 1984.5, output_tokens: 64", 1, id="a mean"),
        pytest.param("context_tokens: 1472, input_tokens: 512, output_tokens: 64", 0, id="filled"),
        pytest.param("context_tokens: 1473, input_tokens: 512, output_tokens: 64", 1, id="full"),
        pytest.param("input_tokens: 4096", 1, id="the prompt alone"),
    ],
)
def test_a_request_fits_the_context(
    lengths: str, expected: int, changed: Change, judged: Judge
) -> None:
    report = judged(changed(f"workload: {{{lengths}}}\n"))
    assert len(found(report, "CON016")) == expected


def test_the_sum_and_the_limit_are_told(changed: Change, judged: Judge) -> None:
    lengths = "workload: {context_tokens: 100, input_tokens: 2000, output_tokens: 64}\n"
    assert found(judged(changed(lengths)), "CON016") == [
        "100 + 2,000 + 64 tokens exceed the context of example-model, 2,048"
    ]


@pytest.mark.parametrize(
    ("fragment", "reason"),
    [
        ("workload: {input_tokens: 512}\n", "the length of a request is not known"),
        ("workload: {output_tokens: 512}\n", "the length of a request is not known"),
        ("model: {described_as: Example 7B}\n", "no model of the catalogue is named"),
        ("model: {id: nobodys-model}\n", "nobodys-model is not there"),
    ],
)
def test_an_unknown_length_or_limit_is_not_judged(
    fragment: str, reason: str, changed: Change, judged: Judge
) -> None:
    report = judged(changed(fragment))
    assert found(report, "CON016") == []
    assert reasons(report, "CON016") == [reason]


def test_a_model_without_a_limit_is_not_judged(base: Path, judged: Judge) -> None:
    file = base / "records/models/example-model.yaml"
    text = file.read_text(encoding="utf-8")
    unsaid = text.replace("context_limit: 2048\n", "").replace("      - context_limit\n", "")
    file.write_text(unsaid, encoding="utf-8")
    report = judged(base)
    assert report.findings == ()
    assert set(reasons(report, "CON016")) == {"example-model has no context_limit"}


def test_an_exceeded_context_is_worth_knowing(changed: Change, judged: Judge) -> None:
    report = judged(changed("workload: {input_tokens: 4096, output_tokens: 64}\n"))
    assert {one.severity for one in report.findings if one.code == "CON016"} == {Severity.NOTE}


NODES = "hardware:\n  pools:\n{}"
HELD = "    - {{accelerator: example-gpu-80gb, count: {}{}}}\n"


def on_nodes(system: int | None, *each: tuple[int, int | None]) -> str:
    held = (HELD.format(count, f", nodes: {nodes}" if nodes else "") for count, nodes in each)
    return NODES.format("".join(held)) + (f"  nodes: {system}\n" if system else "")


@pytest.mark.parametrize(
    ("hardware", "expected"),
    [
        pytest.param(on_nodes(1, (8, 1)), [], id="one node"),
        pytest.param(on_nodes(2, (16, 2)), [], id="two nodes"),
        pytest.param(on_nodes(None, (16, 2)), [], id="the system is not stated"),
        pytest.param(on_nodes(2, (16, None)), [], id="the pool's nodes are not stated"),
        pytest.param(on_nodes(6, (32, 4), (16, 2)), [], id="pools on nodes of their own"),
        pytest.param(on_nodes(2, (8, 2), (8, 2)), [], id="pools that share nodes"),
        pytest.param(on_nodes(None, (10, 3), (6, 1)), [], id="uneven pools of several"),
        pytest.param(
            on_nodes(None, (2, 8)),
            [(Severity.ERROR, "2 accelerators are on 8 nodes")],
            id="more nodes than accelerators",
        ),
        pytest.param(
            on_nodes(1, (8, 2)),
            [(Severity.ERROR, "the pool is on 2 nodes, and the system has 1")],
            id="more nodes than the system",
        ),
        pytest.param(
            on_nodes(None, (8, 3)),
            [(Severity.NOTE, "8 accelerators do not divide evenly among 3 nodes")],
            id="uneven",
        ),
        pytest.param(
            on_nodes(2, (8, 1)),
            [(Severity.WARNING, "the system has 2 nodes, and its pools are on 1")],
            id="a node that holds nothing",
        ),
        pytest.param(
            on_nodes(9, (8, None)),
            [(Severity.WARNING, "the system has 9 nodes, and its pools are on 8")],
            id="more nodes than parts in all",
        ),
    ],
)
def test_nodes_hold_the_pools(
    hardware: str, expected: list[tuple[Severity, str]], changed: Change, judged: Judge
) -> None:
    report = judged(changed(hardware))
    findings = [one for one in report.findings if one.code == "CON023"]
    assert [(one.severity, one.message) for one in findings] == expected
