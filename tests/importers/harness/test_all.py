"""What holds of every importer: each file has one, each value its place, and nothing else leaks."""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import pytest

from benchreg.importers.complete import Context, draft
from benchreg.importers.importer import all_importers, recognised, statements
from benchreg.importers.opened import Opened, opened
from benchreg.importers.public import public
from benchreg.importers.statement import RunError, Statement
from benchreg.registry.registry import Registry

DATA = Path(__file__).parent.parent / "data"
FILES = sorted(path for path in DATA.rglob("*") if path.is_file())
TREES = [path for path in FILES if path.suffix in (".json", ".jsonl")]
BESIDE = ("config.yaml", "phase_manifest.json", "accuracy.txt", "mlperf_log_summary.txt")
NO_RUNS = [path for path in FILES if path.name in BESIDE or "systems" in path.parts]
CANARY = "sk-canaryCANARY0123456789abcdefgh"
FOLLOWS = {"note", "inferred", "derivation"}  # what a figure has that is no value of the file
Dumped = Callable[[Any], str]
Way = tuple[str | int, ...]


def name_of(path: Path) -> str:
    return str(path.relative_to(DATA))


def told(file: Opened) -> list[Statement | RunError]:
    try:
        return list(statements(recognised(file), file))
    except RunError as error:
        return [error]


def stated(file: Opened) -> list[Statement]:
    return [one for one in told(file) if isinstance(one, Statement)]


def below(tree: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        tree = tree[int(key) if isinstance(tree, list) else key]
    return tree


def number(value: Any) -> Decimal | None:
    try:
        return None if isinstance(value, bool) else Decimal(str(value).replace(",", ""))
    except InvalidOperation:
        return None


def ways(tree: Any, here: Way = ()) -> Iterator[tuple[Way, Any]]:
    """Yield each leaf of a tree; of a list the first two items."""
    items: Any = ()
    if isinstance(tree, dict):
        items = tree.items()
    elif isinstance(tree, list):
        items = enumerate(tree[:2])
    else:
        yield here, tree
    for key, value in items:
        yield from ways(value, (*here, key))


def changed(tree: Any, way: Way, value: Any) -> Any:
    made = deepcopy(tree)
    node = made
    for key in way[:-1]:
        node = node[key]
    node[way[-1]] = value
    return made


def test_there_are_files_of_every_importer() -> None:
    names = {recognised(opened(path)).name for path in FILES if path not in NO_RUNS and _read(path)}
    missing = {one.name for one in all_importers()} - names
    assert missing <= UNSEEN


# Their files are made within the tests of their own.
UNSEEN = {
    "aiperf-csv", "guidellm-csv", "inference-perf-requests", "llmperf-responses",
    "mlperf-endpoints", "optimum-benchmark-csv", "optimum-benchmark-report", "sglang-offline",
    "sglang-one-batch", "sglang-one-batch-server", "sglang-serving-0.2", "vllm-latency",
    "vllm-latency-pytorch", "vllm-throughput", "vllm-throughput-pytorch",
}  # fmt: skip


def _read(path: Path) -> bool:
    try:
        return bool(recognised(opened(path)))
    except RunError:
        return False


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_file_is_of_one_importer_or_refused_with_a_reason(path: Path) -> None:
    for one in told(opened(path)) if path.name != "mlperf_log_summary.txt" else ():
        if isinstance(one, RunError):
            assert "several" not in str(one)
            assert len(str(one)) > 10
        else:
            assert one.tree.get("results")


@pytest.mark.parametrize("path", TREES, ids=name_of)
def test_a_value_is_that_at_its_place_to_the_last_digit(path: Path) -> None:
    file = opened(path)
    pieces = [] if isinstance(told(file)[0], RunError) else list(recognised(file).pieces(file))
    trees = {piece.at: piece.tree for piece in pieces}
    for one in stated(file):
        at = max((at for at in trees if one.at.startswith(at)), key=len)
        way = one.at[len(at) :]
        tree = below(trees[at], way) if way.startswith("/") else trees[at]
        for figure in one.tree["results"].values():
            if figure.get("locator", "").startswith("/") and not FOLLOWS & figure.keys():
                there = number(below(tree, figure["locator"]))
                assert there == figure["value"], figure["locator"]


@pytest.mark.parametrize("path", [path for path in TREES if path.suffix == ".json"], ids=name_of)
def test_a_changed_number_changes_the_figure_at_its_place_and_no_other(
    path: Path, tmp_path: Path, dumped: Dumped
) -> None:
    tree = json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    before = told(opened(_copied(path, tmp_path, dumped(tree))))
    if isinstance(before[0], RunError):
        return
    for way, value in list(ways(tree))[::3]:
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            continue
        another = Decimal(value) * Decimal("1.001") + 1
        text = dumped(changed(tree, way, another))
        after = told(opened(_copied(path, tmp_path, text)))
        if any(isinstance(one, RunError) for one in after) or len(after) != len(before):
            continue
        pointer = "/" + "/".join(str(key) for key in way)
        for one, other in zip(before, after, strict=True):
            assert isinstance(one, Statement)
            assert isinstance(other, Statement)
            moved = _moved(one.tree["results"], other.tree["results"])
            assert all(pointer.endswith(at) for at in moved if at.startswith("/")), pointer


def _moved(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    """Return the places of the figures whose value is another one."""
    return {
        figure["locator"]
        for name, figure in before.items()
        if name in after and after[name]["value"] != figure["value"] and not FOLLOWS & figure.keys()
    }


def _copied(path: Path, into: Path, text: str) -> Path:
    """Write a changed file into a folder like its own, with what lies beside it."""
    folder = into / path.parent.name
    folder.mkdir(exist_ok=True)
    for name in BESIDE:
        if (path.parent / name).is_file():
            (folder / name).write_bytes((path.parent / name).read_bytes())
    copy = folder / path.name
    copy.write_text(text, encoding="utf-8")
    return copy


@pytest.mark.parametrize("path", [path for path in TREES if path.suffix == ".json"], ids=name_of)
def test_a_key_that_is_planted_anywhere_never_comes_out(
    path: Path, tmp_path: Path, dumped: Dumped, shipped: Registry
) -> None:
    tree = json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    whole = _planted(tree)
    _is_silent(_copied(path, tmp_path, dumped(whole)), shipped)
    for way, value in ways(tree):
        if isinstance(value, str):
            _is_silent(_copied(path, tmp_path, dumped(changed(tree, way, CANARY))), shipped)


def _planted(tree: Any) -> Any:
    """Return a tree with a secret under several names in each of its objects."""
    if isinstance(tree, list):
        return [_planted(one) for one in tree]
    if not isinstance(tree, dict):
        return tree
    more = dict.fromkeys(("api_key", "prompt", "generated_text", "cli_command", "host"), CANARY)
    return more | {key: _planted(value) for key, value in tree.items()}


def _is_silent(path: Path, shipped: Registry) -> None:
    file = opened(path)
    for one in told(file):
        if isinstance(one, RunError):
            said = public(str(one))
        else:
            try:
                made = draft(
                    one, recognised(file), file, Context(shipped, "s", "2026-11-30", ours=True)
                )
                said = json.dumps(made.tree, default=str) + public(" ".join(one.remarks))
            except RunError as error:
                said = public(str(error))
        assert "canary" not in said
