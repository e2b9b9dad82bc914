"""What a submission to MLPerf says of a result beside its log: where it lies, system, formats."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from pydantic import ValidationError

from benchreg.importers.foreign import Amount, Flag, Foreign, Text, Whole
from benchreg.importers.opened import Opened
from benchreg.importers.statement import RunError, Statement, Tree, plain
from benchreg.importers.submission import Entry, entry
from benchreg.values.text import is_placeholder, unsafe_part

HARNESS = "MLPerf LoadGen"
MOST_LINE = 200
MOST_PARTS = 100_000
# Which model a benchmark of the closed division is, by the rules of its rounds.
MODELS = {
    "llama2-70b": "llama-2-70b-chat",
    "gptj": "gpt-j-6b",
    "llama3.1-8b": "llama-3.1-8b-instruct",
    "llama3.1-8b-edge": "llama-3.1-8b-instruct",
    "llama3.1-405b": "llama-3.1-405b-instruct",
    "mixtral-8x7b": "mixtral-8x7b-instruct-v0.1",
    "gpt-oss-120b": "gpt-oss-120b",
    "deepseek-r1": "deepseek-r1",
    "qwen3-vl-235b-a22b": "qwen3-vl-235b-a22b-instruct",
}
AVAILABILITY = ("available", "preview", "rdi")
SAME = ("bf16", "fp8", "fp8_e4m3", "fp8_e5m2", "mxfp8", "int8", "fp6", "mxfp6", "fp4", "mxfp4",
        "nvfp4", "int4")  # fmt: skip
FORMATS = {**{name: name for name in SAME}, "uint4": "int4"}
WIDE = ("fp16", "fp32")
_WIDE = (
    "Submissions write {} also where the weights cannot have been served in it: models larger "
    "than all memory of the system have this label. It may be the format of the checkpoint."
)
_ENGINE = re.compile(
    r"\b(vllm|sglang|tensorrt-llm|trt-?llm|lmdeploy|llmboost)\b(?:[ :=-]v?([0-9][^\s,;]{0,60}))?",
    re.IGNORECASE,
)
_SOFTWARE = "the file of the system names its software, and"
_BREAK = re.compile(r"[\n\r\t]")
_NAME = re.compile(r"[\w.-]{1,64}", re.ASCII)
_MIXED = re.compile(r"(.*\S) \(x([0-9]{1,6})\)")
EVALS = {
    "rouge1": "ROUGE1",
    "rouge2": "ROUGE2",
    "rougel": "ROUGEL",
    "rougelsum": "ROUGELSUM",
    "gen_len": "GEN_LEN",
    "tokens_per_sample": "TOKENS_PER_SAMPLE",
    "exact_match": "exact_match",
    "gsm8k": "gsm8k_accuracy",
    "mbxp": "mbxp_accuracy",
}
SAMPLES = ("gen_num", "num_samples")
_SCORE = re.compile(
    r"""['"](\w{1,20})['"]:\s{0,4}(?:np\.float64\()?'?([0-9]{1,15}(?:\.[0-9]{1,25})?)\b""",
    re.ASCII,
)


class Score(Foreign):
    """One score of inference-endpoint."""

    dataset_name: Text
    score: Amount
    complete: Flag
    total_samples: Whole | None = None


def placed(found: Statement, file: Opened) -> Entry | None:
    """State what the folders of a submission and the files in them say of a run; None elsewhere.

    Raises RunError for a compliance run, and for a folder whose name no record can hold.
    """
    here = entry(file.path)
    if here is None:
        return None
    if len(here.locator) > MOST_LINE or unsafe_part(here.locator) or _BREAK.search(here.locator):
        raise RunError("lies in folders whose names are too long for a record, or unsafe")
    found.state("source.locator", here.locator)
    system = here.tree(here.systems()) or {}
    found.block("mlperf", round=here.round or None, division=here.division,
                availability=_availability(system), submitter=here.submitter, system=here.system,
                benchmark=[here.benchmark], result_path=here.path)  # fmt: skip
    found.state("load.scenario", here.scenario)
    found.same = "\n".join((*here.way[:4], here.model, here.scenario, file.sha256))
    _model(found, here)
    _hardware(found, system)
    _engine(found, words(system.get("framework")))
    _precision(found, here)
    _accuracy(found, here)
    return here


def words(value: Any) -> str | None:
    """Return the words of a submission as a record holds them; None where there are none."""
    if not isinstance(value, str):
        return None
    line = " ".join(value.split())
    if not line or len(line) > MOST_LINE or is_placeholder(line) or unsafe_part(line):
        return None
    return line


def count(value: Any) -> int | None:
    """Return a number of parts, from a number or its digits; None where it is neither."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,6}", value.strip(), re.ASCII):
        value = int(value)
    if isinstance(value, Decimal) and value == value.to_integral_value() and value < MOST_PARTS:
        value = int(value)
    return value if type(value) is int and 0 < value <= MOST_PARTS else None


def _availability(system: Tree) -> str | None:
    said = (words(system.get("status")) or "").casefold()
    return said if said in AVAILABILITY else None


def _model(found: Statement, here: Entry) -> None:
    """State the model: the benchmark fixes it in the closed division, elsewhere it names it."""
    fixed = MODELS.get(here.model.replace("_", ".")) if here.division == "closed" else None
    found.state("model.described_as", fixed or here.model)
    if fixed:
        told = f"The rules fix the model of the benchmark {here.model} in the closed division"
        found.inferred("model", f"{told}; no file of the result names a checkpoint.")
    elif here.division == "open":
        found.remark("the open division allows another model than the benchmark's")


def _hardware(found: Statement, system: Tree) -> None:
    nodes = count(system.get("number_of_nodes"))
    pools = list(_pools(system, nodes))
    if not pools:
        found.remark("systems/ has no readable file that names the system's parts and their number")
        return
    found.state("hardware.pools", pools)
    found.block("hardware", nodes=nodes, host=_host(system),
                interconnect=words(system.get("accelerator_interconnect")))  # fmt: skip


def _pools(system: Tree, nodes: int | None) -> Iterator[Tree]:
    """Yield a pool for each kind of part; without accelerators the host's processors compute."""
    part, of_node = words(system.get("accelerator_model_name")), "accelerators_per_node"
    if part is None:
        part, of_node = words(system.get("host_processor_model_name")), "host_processors_per_node"
    if part is None:
        return
    mixed = [_MIXED.fullmatch(one) for one in re.split(r", | and ", part)]
    if all(mixed):
        for one in mixed:
            if one and (parts := count(one[2])):
                yield {"described_as": one[1], "count": parts}
        return
    each = count(system.get(of_node))
    if each and nodes and each * nodes <= MOST_PARTS:
        yield {"described_as": part, "count": each * nodes, "nodes": nodes}


def _host(system: Tree) -> str | None:
    """Return the processors of a node and its memory, as far as they are stated."""
    name, sockets = (
        words(system.get("host_processor_model_name")),
        system.get("host_processors_per_node"),
    )
    if name and count(sockets) and not name[:1].isdigit():
        name = f"{count(sockets)} x {name}"
    memory = words(system.get("host_memory_capacity"))
    return words(", ".join(part for part in (name, memory) if part))


def _engine(found: Statement, framework: str | None) -> None:
    """State the software as it is named, and the engine where just one engine of models is."""
    if framework is None:
        return
    found.state("engine.stack", framework)
    named = list(_ENGINE.finditer(framework))
    if len(named) == 1:
        found.block("engine", described_as=named[0][1], version=named[0][2])
    else:
        found.absent("engine", "not_stated", f"{_SOFTWARE} no one engine of language models")
    if len(named) != 1 or not named[0][2]:
        found.absent("engine.version", "not_stated", f"{_SOFTWARE} no version of an engine")


def _precision(found: Statement, here: Entry) -> None:
    """State the format of the weights, where the files of measurements agree on one."""
    paths = [here.result("measurements.json"), *here.beside(here.measurements())]
    trees = (here.tree(path) for path in paths)
    labels = {words(tree.get("weight_data_types")) for tree in trees if tree} - {None}
    label = str(labels.pop()).casefold() if len(labels) == 1 else ""
    if label in FORMATS:
        found.state("precision.weights", FORMATS[label])
    elif label in WIDE:
        found.absent("precision.weights", "conflicting", _WIDE.format(label))
    elif labels or label:
        found.remark("measurements/ names no one format of the weights that a record knows")


def _accuracy(found: Statement, here: Entry) -> None:
    """State the scores of accuracy.txt, or those of inference-endpoint."""
    scores = [*_scores(here.text(here.result("accuracy", "accuracy.txt")))]
    scores += _reported(here.tree(here.result("accuracy", "accuracy_results.json")) or {})
    if scores:
        found.tree["accuracy"] = scores


def _scores(text: str) -> Iterator[Tree]:
    said: dict[str, str] = {}
    for name, value in _SCORE.findall(text):
        said.setdefault(name.casefold(), value)
    samples = next((count(said[key]) for key in SAMPLES if key in said), None)
    for key, name in EVALS.items():
        if key in said:
            score: Tree = {"eval": name, "value": Decimal(said[key])}
            yield score | ({"n": samples} if samples else {})


def _reported(report: Tree) -> Iterator[Tree]:
    """Yield the scores of accuracy_results.json that are of whole datasets."""
    scores = report.get("accuracy_scores")
    for one in scores if isinstance(scores, list) else ():
        try:
            score = Score.model_validate(one)
        except ValidationError:
            continue
        if score.complete and _NAME.fullmatch(score.dataset_name):
            samples = {"n": score.total_samples} if score.total_samples else {}
            yield {"eval": score.dataset_name, "value": plain(score.score), **samples}
