"""An imported record meets the one that is there: the importer's facts, and the curator's work."""

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
