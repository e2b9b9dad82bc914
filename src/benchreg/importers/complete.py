"""A statement -> the draft of a record: its id, its source, and a reason for each hole."""

import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from pydantic import MISSING, ValidationError

from benchreg.entities.catalogue import Metric
from benchreg.entities.completeness import BY_KEY, CORE, EXTENDED, absence
from benchreg.entities.record import Record
from benchreg.importers.cells import slug
from benchreg.importers.draft import Draft
from benchreg.importers.importer import Importer, fault
from benchreg.importers.opened import Opened
from benchreg.importers.public import check_public
from benchreg.importers.statement import RunError, Statement, Tree
from benchreg.registry.registry import Registry

MOST_TITLE, MOST_ID = 200, 120
# What one request sees, the nearest to its whole experience first.
SEEN = ("output_rate_per_request", "decode_rate_per_request", "tpot", "e2e_latency",
        "latency_per_output_token")  # fmt: skip
BEST = ("mean", "p50", "p90", "p99")
ALONE = (("pattern", "single_stream"), ("batch_size", 1), ("concurrency", 1))
LEVELS = (("batch_size", "b"), ("concurrency", "c"), ("request_rate", "r"))
_SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,80}")


@dataclass(frozen=True, slots=True)
class Context:
    """What all records of one import share: the source that they are of, and the day of reading.

    `ours` says that the source is a run of our own; `folder` is where they lie below its own.
    """

    registry: Registry
    source: str
    retrieved: str
    ours: bool
    folder: str = ""


def draft(found: Statement, one: Importer, file: Opened, context: Context) -> Draft:
    """Return the draft of a statement's record; raises RunError where it can be none."""
    tree = deepcopy(found.tree)
    _leave_unnamed(tree)
    harness = tree.setdefault("measurement", {})
    harness.setdefault("harness", one.harness)
    tree["kind"], tree["status"] = "measurement", "active"
    tree["source"] = {
        "id": context.source,
        "locator": place(file, found.at),
        "retrieved": context.retrieved,
        "sha256": file.sha256,
    } | tree.get("source", {})
    source = context.registry.sources.get(context.source)
    if source is not None and source.attribution is not MISSING:
        tree["attribution"] = source.attribution
    _link(tree, context.registry.metrics)
    tree["id"] = _id(tree, one, file, found.at)
    tree["title"] = title(tree)
    check_public(tree)
    tree["absent"] = _absent(tree, one.never, ours=context.ours)
    stated = [key for key in tree.pop("contributed", ()) if key not in tree["absent"]]
    if stated:  # a part of a condition does not state it
        tree["contributed"] = stated
    return Draft(place(file, found.at), tree["id"], context.folder, tree)


def _leave_unnamed(tree: Tree) -> None:
    """Leave out pools of which the file says the size and not the part, unless it is given."""
    hardware = tree.get("hardware", {})
    pools = hardware.get("pools", ())
    named = [pool for pool in pools if "accelerator" in pool or "described_as" in pool]
    given = {"hardware", "parallelism"} & set(tree.get("contributed", ()))
    if pools and not named and not given:
        del hardware["pools"]
        if not hardware:
            del tree["hardware"]


def place(file: Opened, at: str) -> str:
    """Return where something stands: the file's name where it is a plain one, and the place in it.

    The name is where to look, and no fact.
    """
    name = file.path.name if _SAFE_NAME.fullmatch(file.path.name) else "the run file"
    return f"{name}, {at}" if at else name


def _id(tree: Tree, one: Importer, file: Opened, at: str) -> str:
    """Return an id that says what was run, and ends with which file and place it is of."""
    model, load = tree.get("model", {}), tree.get("load", {})
    words = [model.get("id") or model.get("described_as", "").rpartition("/")[2], one.name]
    pools = tree.get("hardware", {}).get("pools", ())
    words += [
        f"{pool.get('count', 1)}x{pool['accelerator']}" for pool in pools if "accelerator" in pool
    ]
    words += [f"{letter}{load[key]}" for key, letter in LEVELS if key in load]
    what = slug("-".join(slug(str(word)) for word in words if word))
    which = slug(f"{file.sha256[:8]}-{re.sub('[^0-9]+', '-', at)}")
    return slug(f"{what[: max(MOST_ID - len(which) - 1, 0)]}-{which}")


def title(tree: Tree) -> str:
    """Return what was run, in one line."""
    model, load = tree.get("model", {}), tree.get("load", {})
    pools = tree.get("hardware", {}).get("pools", ())
    parts = [
        f"{pool.get('count', 1)} x {pool.get('accelerator') or pool.get('described_as')}"
        for pool in pools
    ]
    words = [
        str(model.get("id") or model.get("described_as") or "a model that the file does not name"),
        *(f"on {' and '.join(parts)}" for _ in parts[:1]),
    ]
    harness = tree.get("measurement", {}).get("harness", "")
    return f"{' '.join(words)}, {harness}{_level(load)}"[:MOST_TITLE]


def _level(load: Mapping[str, Any]) -> str:
    words = {
        "closed_loop": "{concurrency} in flight",
        "open_loop": "{request_rate} req/s",
        "static_batch": "a batch of {batch_size}",
        "single_stream": "one request at a time",
        "all_at_once": "all requests at once",
        "trace_replay": "a trace",
    }
    pattern = words.get(load.get("pattern", ""), "")
    try:
        return f", {pattern.format(**load)}" if pattern else ""
    except KeyError:
        return ""


def _link(tree: Tree, metrics: Mapping[str, Metric]) -> None:
    """Tie each aggregate to what one request sees, or say that the file does not tell it."""
    results, load = tree.get("results", {}), tree.get("load", {})
    if any(load.get(key) == value for key, value in ALONE):
        return
    seen = _seen(results)
    for figure in results.values():
        metric = metrics.get(figure["metric"])
        if metric is None or metric.quantity != "rate" or figure["scope"] == "per_request":
            continue
        if metric.counts not in ("output_token", "any_token"):
            continue
        if "seen_by_request" in figure or figure.get("absent"):
            continue
        if seen:
            figure["seen_by_request"] = seen
        else:
            offline = load.get("pattern") == "all_at_once"
            figure["absent"] = {"seen_by_request": "not_applicable" if offline else "not_stated"}


def _seen(results: Mapping[str, Tree]) -> str:
    """Return the name of the figure that says best what one request sees; nothing without one."""
    names = {
        (figure["metric"], figure.get("statistic", "mean")): name
        for name, figure in results.items()
        if figure["scope"] == "per_request"
    }
    order = ((metric, statistic) for metric in SEEN for statistic in BEST)
    return next((names[key] for key in order if key in names), "")


def as_record(tree: Tree) -> Record:
    """Return the record that a tree is; raises RunError for one that is none."""
    try:
        return Record.model_validate({**tree, "absent": tree.get("absent", {})})
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        raise RunError(f"what it states is no record: {fault(faults[0])}") from None


def reasons(tree: Tree) -> list[str]:
    """Return the conditions that a record's tree neither states nor declares absent."""
    record = as_record(tree)
    keys = [one.key for one in (*CORE, *EXTENDED) if not one.stated(record)]
    keys += [key for key in ("load.failed", "engine") if not BY_KEY[key].stated(record)]
    if any(figure.metric == "goodput" for figure in record.results.values()):
        keys += [] if BY_KEY["slo"].stated(record) else ["slo"]
    if not record.precision.model_fields_set:
        keys = [key for key in keys if not key.startswith("precision")] + ["precision"]
    return [key for key in keys if absence(record, key) is None]


def _absent(tree: Tree, never: Mapping[str, str], *, ours: bool) -> Tree:
    """Return why each condition is absent that a record's tree does not state."""
    record = as_record(tree)
    said = {
        key: why for key, why in tree.get("absent", {}).items() if not BY_KEY[key].stated(record)
    }
    return said | {key: _why(key, never, ours=ours) for key in reasons({**tree, "absent": said})}


def _why(key: str, never: Mapping[str, str], *, ours: bool) -> Any:
    if key == "load.scenario":
        return "not_applicable" if ours else "not_stated"
    block = key.partition(".")[0]  # `load` is how much at once, and no word of the rest of it
    note = never.get(key) or (never.get(block) if block != "load" else None)
    return {"because": "not_stated", "note": note} if note else "not_stated"
