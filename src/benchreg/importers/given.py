"""What a contributor knows beside the file: `--set KEY=VALUE`, in words of the record."""

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from benchreg.entities.completeness import BY_KEY
from benchreg.importers.cells import pointer
from benchreg.importers.names import basename
from benchreg.importers.statement import RunError, Statement
from benchreg.registry.schema import allowed_at
from benchreg.values.errors import BenchregError
from benchreg.values.text import is_placeholder, shown, suggestion, unsafe_part

SHORT = {
    "model": "model.id",
    "accelerator": "hardware.pools.0.accelerator",
    "count": "hardware.pools.0.count",
    "engine": "engine.id",
    "harness_version": "measurement.harness_version",
    **{
        way: f"hardware.pools.0.parallelism.{way}"
        for way in ("tensor", "pipeline", "context", "attention_data", "replicas", "expert")
    },
}
BLOCKS = ("model", "hardware", "service", "engine", "precision", "workload", "load", "measurement",
          "slo", "sweep", "run", "notes")  # fmt: skip
_ITEM = re.compile(r"hardware\.pools\.(?:0|[1-9][0-9]{0,2})\.")
_PART = re.compile(r"hardware\.pools\.[0-9]+\.accelerator")
_SPLIT = re.compile(r"hardware\.pools\.[0-9]+\.parallelism\..*")
_OF_A_FIGURE = ("workload.total_input_tokens", "workload.total_output_tokens", "load.completed")


def given(words: Iterable[str]) -> dict[str, Any]:
    """Return fields and values of `KEY=VALUE` words, by dotted path.

    A key is one of the short ones or a field of the record's conditions. Raises BenchregError for
    a key that no condition has, a value of the wrong kind, and a key that is given twice.
    """
    return {path: _checked(key, path, text) for key, path, text in _split(words, SHORT)}


def given_of(kind: str, words: Iterable[str]) -> dict[str, Any]:
    """Return fields and values of `KEY=VALUE` words for an entry of the catalogue, as `given`."""
    return {path: typed(kind, key, path, text) for key, path, text in _split(words, {})}


def _split(words: Iterable[str], short: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    seen = set()
    for word in words:
        key, equals, text = (part.strip() for part in word.partition("="))
        path = short.get(key, key)
        if not equals or not text:
            raise BenchregError(f"--set {shown(word)}: write KEY=VALUE, as `engine.version=0.11.0`")
        if path in seen:
            raise BenchregError(f"--set {shown(key)} is given twice")
        seen.add(path)
        yield key, path, text


def _checked(key: str, path: str, text: str) -> Any:
    known = path.partition(".")[0] in BLOCKS and path not in _OF_A_FIGURE
    numbered = any(step.isdecimal() for step in _ITEM.sub("", path).split("."))
    if not known or numbered or not allowed_at("record", pointer(path)):
        near = suggestion(key, [*SHORT, *BY_KEY]) or f"short keys are {', '.join(sorted(SHORT))}"
        raise BenchregError(f"--set {shown(key)} is no condition of a record; {near}")
    return typed("record", key, path, text)


def typed(kind: str, key: str, path: str, text: str) -> Any:
    """Return a text as the value that a field of an entity wants; raises BenchregError."""
    schema = allowed_at(kind, pointer(path))
    wanted = schema.get("type")
    if wanted in ("integer", "number"):
        number = _number(key, text, whole=wanted == "integer")
        return _bounded(key, number, schema)
    if wanted == "boolean":
        if text.casefold() not in ("true", "false"):
            raise BenchregError(f"--set {key} is true or false, not {shown(text)!r}")
        return text.casefold() == "true"
    if words := schema.get("enum"):
        if text not in words:
            near = suggestion(text, words) or f"one of {', '.join(words)}"
            raise BenchregError(f"--set {key} cannot be {shown(text)!r}; {near}")
    elif wanted != "string":
        what = "is a block; set a field of it" if schema else f"is no field of a {kind}"
        raise BenchregError(f"--set {shown(key)} {what}")
    elif wrong := _wrong(text, schema):
        raise BenchregError(f"--set {shown(key)} cannot be {shown(text, 60)!r}: {wrong}")
    return text


def _wrong(text: str, schema: Mapping[str, Any]) -> str:
    """Return what is wrong with a text that a schema speaks of; nothing where it is sound."""
    if is_placeholder(text):
        return "it says nothing; leave it out"
    if unsafe := unsafe_part(text):
        return f"it holds {unsafe}"
    if len(text) > (most := schema.get("maxLength", len(text))):
        return f"it is longer than {most} characters"
    if re.search(schema.get("pattern", ""), text):
        return ""
    example = next(iter(schema.get("examples", ())), "")
    return f"write it like {example!r}" if example else "it is not written so"


def _bounded(key: str, value: int | Decimal, schema: Mapping[str, Any]) -> int | Decimal:
    """Return a number that a schema allows; raises BenchregError for another."""
    least = schema.get("minimum", schema.get("exclusiveMinimum", value))
    if value < least or value == schema.get("exclusiveMinimum"):
        above = "above" if "exclusiveMinimum" in schema else "at least"
        raise BenchregError(f"--set {key} cannot be {value}: it is {above} {least}")
    if value > schema.get("maximum", value):
        raise BenchregError(
            f"--set {key} cannot be {value}: it is at most {schema['maximum']:,.0f}"
        )
    return value


def _number(key: str, text: str, *, whole: bool) -> int | Decimal:
    value = Decimal(text) if re.fullmatch(r"[0-9]{1,20}(?:\.[0-9]{1,20})?", text) else None
    if value is None or (whole and value != value.to_integral_value()):
        raise BenchregError(f"--set {key} is {'a whole number' if whole else 'a number'}")
    return int(value) if whole else value


def contribute(found: Statement, fields: Mapping[str, Any]) -> None:
    """State what a contributor knows, and list the conditions as contributed.

    Raises RunError where the file says otherwise.
    """
    listed = set()
    for path in sorted(fields, key=_order):
        there, value = _stated(found.tree, path), fields[path]
        if there is not None and there != value:
            raise RunError(
                f"the file says {path} is {shown(str(there))}; --set cannot say {shown(str(value))}"
            )
        if there is None:
            _make_room(found, path)
            _put(found, path, value)
            if condition := _condition(path):
                listed.add(condition)
    if listed:
        found.tree["contributed"] = sorted(listed)


def _order(path: str) -> list[str]:
    return [step.zfill(3) for step in path.split(".")]


def _make_room(found: Statement, path: str) -> None:
    """Take away the words that a given id replaces, with a remark that shows them."""
    if path in ("model.id", "engine.id") or _PART.fullmatch(path):
        block = _stated(found.tree, path.rpartition(".")[0])
        if isinstance(block, dict) and (words := block.pop("described_as", None)):
            found.remark(f"--set says what the file calls {shown(basename(words), 100)!r}")


def _put(found: Statement, path: str, value: Any) -> None:
    """State a field; raises RunError where the record has no such item of a list."""
    try:
        found.state(path, value)
    except IndexError:
        raise RunError(f"--set {path}: there is no such item; they are numbered from 0") from None


def _stated(tree: Any, path: str) -> Any:
    node = tree
    for key in path.split("."):
        if isinstance(node, dict):
            node = node.get(key)
        elif isinstance(node, list) and key.isdecimal() and int(key) < len(node):
            node = node[int(key)]
        else:
            return None
    return node


def _condition(path: str) -> str:
    """Return the condition that a field states; empty where it is none."""
    if _SPLIT.fullmatch(path):
        return "parallelism"
    if path.startswith("load."):
        if path in ("load.pattern", "load.batch_size", "load.concurrency", "load.request_rate"):
            return "load"
        if path == "load.duration_s":
            return "load.requests"
    if path in ("engine.commit", "engine.image"):
        return "engine.version"
    steps = path.split(".")
    names = (".".join(steps[:count]) for count in range(len(steps), 0, -1))
    return next((name for name in names if name in BY_KEY), "")
