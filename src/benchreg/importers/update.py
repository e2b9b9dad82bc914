"""An imported record meets the one that is there: the importer's facts, and the curator's work."""

from typing import Any

from benchreg.entities.completeness import BY_KEY
from benchreg.entities.record import Record
from benchreg.importers.complete import as_record, title
from benchreg.registry.document import Tree

CURATED = (
    "status",
    "status_reason",
    "superseded_by",
    "inferred",
    "sweep",
    "run",
    "links",
    "waivers",
    "notes",
    "aliases",
)


BLOCKS = ("source", "mlperf", "model", "hardware", "service", "engine", "precision", "workload",
          "load", "measurement", "slo", "results")  # fmt: skip
NAMES = ("id", "accelerator")
WORDS = ("described_as", "could_be")


def updated(there: Tree, imported: Tree) -> Tree:
    """Return the record that is there, with what the importer sets brought up to date.

    What a curator writes (status, reasons, links, waivers, notes, labels) stays as it is there; a
    reason for an inference that only one side has is kept. Everything else that the importer
    states is the importer's; blocks that it does not state are the curator's.
    """
    merged = there | imported
    merged |= {key: there[key] for key in CURATED if key in there}
    reasons = imported.get("inferred", {}) | there.get("inferred", {})
    if reasons:
        merged["inferred"] = reasons
    return merged


def renewed(there: Tree, imported: Tree) -> Tree:
    """Return the record of a run that is there, with what its file states brought up to date.

    As `updated`, and within blocks as well: what a curator or an earlier import added there stays,
    as do reasons for what is still absent, and a title that is not of the importer's making.
    Raises RunError where either is no record.
    """
    as_record(there)
    merged = updated(there, imported)
    for block in BLOCKS:
        if block in there and block in imported:
            merged[block] = _over(there[block], imported[block])
    if isinstance(there.get("results"), dict) and isinstance(imported.get("results"), dict):
        _leave_renamed(merged["results"], imported["results"])
    own = there.get("title", "") != title(there)
    merged["title"] = there["title"] if own else title(merged)
    reasons = imported.get("absent", {}) | there.get("absent", {})
    record = as_record(merged | {"absent": {}, "contributed": []})
    merged["absent"] = _open(reasons, record)
    contributed = {*there.get("contributed", ()), *imported.get("contributed", ())}
    merged.pop("contributed", None)
    if still := sorted(contributed - merged["absent"].keys()):
        merged["contributed"] = still
    return merged


def _over(there: Any, imported: Any) -> Any:
    """Return what is there with all that is imported over it, key by key and item by item."""
    if isinstance(there, dict) and isinstance(imported, dict):
        kept = dict(there)
        if any(name in imported for name in NAMES):
            kept = {key: value for key, value in kept.items() if key not in WORDS}
        elif any(name in there for name in NAMES):
            imported = {key: value for key, value in imported.items() if key not in WORDS}
        return kept | {
            key: _over(kept[key], value) if key in kept else value
            for key, value in imported.items()
        }
    lists = isinstance(there, list) and isinstance(imported, list)
    if lists and len(there) == len(imported) and all(isinstance(one, dict) for one in imported):
        return [_over(*pair) for pair in zip(there, imported, strict=True)]
    return imported


def _leave_renamed(results: Tree, imported: Tree) -> None:
    """Leave out figures of a place in the file that the importer calls otherwise now.

    A figure that says what was declared absent of it no longer declares it.
    """
    places = {figure.get("locator") for figure in imported.values()} - {None}
    for name, figure in list(results.items()):
        if name not in imported and figure.get("locator") in places:
            del results[name]
            continue
        absent = {key: why for key, why in figure.get("absent", {}).items() if key not in figure}
        if "absent" in figure:
            results[name] = {key: one for key, one in figure.items() if key != "absent"}
            results[name] |= {"absent": absent} if absent else {}


def _open(reasons: Tree, record: Record) -> Tree:
    """Return the reasons of conditions that a record does not state."""
    return {
        key: why
        for key, why in reasons.items()
        if key not in BY_KEY or not BY_KEY[key].stated(record)
    }
