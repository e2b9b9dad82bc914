"""The beginning of a record that a person goes on with: what is known, and what to do."""

from collections.abc import Mapping
from typing import Any

from benchreg.entities.completeness import BY_KEY
from benchreg.importers.complete import reasons
from benchreg.importers.given import contribute
from benchreg.importers.names import Names
from benchreg.importers.statement import Statement, Tree
from benchreg.registry.document import Pointer
from benchreg.registry.write import Comments

REASONS = (
    "# Why a condition is absent, one of:",
    "#   not_stated      the source is silent",
    "#   unrecoverable   only raw logs could tell, and nobody has them",
    "#   withheld        the source says that it does not say",
    "#   conflicting     the source says two things",
    "#   not_applicable  there is no such thing here",
    "#   not_checked     nobody has looked yet: look, and write what you find",
    "# What you find moves to its field above, and its line here goes.",
)
FIGURES = (
    "# Every figure of this operating point. A total of many requests names what one of them",
    "# sees; `printed` holds the digits of the source.",
    "# results:",
    "#   output_rate:",
    "#     metric: output_throughput",
    "#     scope: system",
    "#     value: 800",
    "#     unit: tok/s",
    "#     seen_by_request: user_rate",
    "#   user_rate:",
    "#     metric: output_rate_per_request",
    "#     scope: per_request",
    "#     value: 12.5",
    "#     unit: tok/s",
    "#     statistic: mean",
)


def record(
    name: str, source: Tree, fields: Mapping[str, Any], title: str, names: Names
) -> tuple[Tree, Comments]:
    """Return a record's tree with what is given, and the comments that tell what to do.

    Conditions that are not given are `not_checked`; figures are not invented.
    """
    found = Statement()
    contribute(found, fields)
    found.tree.pop("contributed", None)  # a record by hand has no file beside it
    names.resolve(found)
    tree: Tree = {"id": name, "title": title, "kind": "measurement", "status": "active"}
    tree |= {"source": source, **found.tree}
    tree["absent"] = dict.fromkeys(reasons(tree), "not_checked")
    before: dict[Pointer, tuple[str, ...]] = {("absent",): REASONS}
    beside: dict[Pointer, str] = {
        ("absent", key): f"# {BY_KEY[key].title}: state {BY_KEY[key].stated_by}"
        for key in tree["absent"]
    }
    around = frozenset({("absent",), *beside})
    return tree, Comments(before=before, beside=beside, after={(): FIGURES}, around=around)
