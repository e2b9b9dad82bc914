"""`benchreg add`: an entry of the catalogue, with where its numbers were read."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from benchreg.cli.main import say
from benchreg.cli.paths import NAMED
from benchreg.cli.terminal import asks
from benchreg.cli.written import Question, add, an_id, asked, check_free, text_of
from benchreg.entities.catalogue import Model
from benchreg.importers.given import given_of
from benchreg.importers.model_config import billions, fields, sizes
from benchreg.importers.opened import opened
from benchreg.importers.statement import RunError, Statement, Tree
from benchreg.registry.load import load
from benchreg.registry.registry import PLURALS
from benchreg.registry.roots import find_root
from benchreg.registry.schema import schema_of
from benchreg.roofline.parameters import UncountedError, parameters
from benchreg.values.errors import BenchregError
from benchreg.values.text import shown, suggestion

QUESTIONS = {
    "accelerator": (
        ("name", "Full name"), ("vendor", "Vendor"), ("family", "Family (an id, as h100)"),
        ("kind", "Kind (gpu, npu, apu, cpu)"), ("memory_gib", "Memory, GiB"),
        ("memory_bandwidth_gb_s", "Memory bandwidth, GB/s"),
        ("peak_tflop_s.bf16", "Dense BF16 peak, TFLOP/s (no sparse figure)"),
        ("tdp_w", "Thermal design power, W"),
    ),
    "model": (("name", "Full name"), ("family", "Family (an id, as llama-3.1)"),
              ("vendor", "Who made it"), ("license", "Licence"), ("url", "Its page, https")),
    "engine": (("name", "Name"), ("vendor", "Who makes it"), ("url", "Its page, https")),
    "source": (
        ("title", "Title"), ("publisher", "Publisher"),
        ("kind", "Kind (paper, blog, vendor_docs, result_repository, repository, own_run)"),
        ("url", "Address, https"), ("published", "Published on"),
    ),
}  # fmt: skip


@click.command("add")
@click.argument("kind", type=click.Choice(list(QUESTIONS)))
@click.argument("name", metavar="ID")
@click.option("--set", "words", multiple=True, metavar="KEY=VALUE",
              help="A field of the entry, as memory_gib=80.")  # fmt: skip
@click.option("--config", type=NAMED, help="A model's published config.json: its sizes are read.")
@click.option("--source", metavar="ID", help="The source that the numbers were read in.")
@click.option("--locator", metavar="TEXT", help="Where they stand there.")
@click.option("--checked", is_flag=True, help="You read the numbers of --set there yourself.")
@click.option("--dry-run", is_flag=True, help="Print the entry, and write none.")
@click.option("--registry", "root", type=NAMED,
              help="The folder that holds `records/`.")  # fmt: skip
def command(
    kind: str,
    name: str,
    words: tuple[str, ...],
    config: Path | None,
    source: str | None,
    locator: str | None,
    *,
    checked: bool,
    dry_run: bool,
    root: Path | None,
) -> int:
    """Add ID to the catalogue: an accelerator, a model, an engine or a source.

    Numbers carry the source that they were read in, and count as unverified without --checked. At
    a terminal the usual fields are asked for. A model's sizes are read from its config.json, and
    the parameters that they come to are held against those that are stated.
    """
    root = root or find_root(Path())
    if config is not None and kind != "model":
        raise BenchregError("--config is the configuration of a model")
    found = Statement()
    found.state("id", an_id(name))
    path = f"records/{PLURALS[kind]}/{name}.yaml"
    if not dry_run:
        check_free(root, path)
    read = _sizes(config)
    found.tree |= read
    _check_source(root, kind, source)
    stated = given_of(kind, asked(_questions(kind), words, partial(given_of, kind)))
    for at, value in stated.items():
        found.state(at, value)
    if kind in ("accelerator", "model"):
        _provenance(found.tree, read, source, locator, checked=checked)
    text = text_of(root, kind, path, found.tree)
    if kind == "model":
        _count(found.tree)
    return add(root, path, text, dry_run=dry_run)


def _sizes(config: Path | None) -> Tree:
    if config is None:
        return {}
    try:
        first = next(opened(config).pieces(), None)
        return sizes(first.tree if first else None)
    except RunError as error:
        raise BenchregError(f"{shown(str(config))}: {error}") from None


def _questions(kind: str) -> list[Question]:
    needed = schema_of(kind).get("required", ())
    return [Question(key, text, needed=key in needed) for key, text in QUESTIONS[kind]]


def _check_source(root: Path, kind: str, source: str | None) -> None:
    """Raise BenchregError, before anything is asked, where numbers would have no source."""
    if source is None:
        if kind == "accelerator" and asks():
            raise BenchregError("--source says where the numbers were read")
        return
    known = list(load(root, only=frozenset(("source",))).sources)
    if source not in known:
        near = suggestion(source, known) or "add it first: `benchreg add source`"
        raise BenchregError(f"there is no source {shown(source)!r}; {near}")


def _provenance(
    tree: Tree, read: Tree, source: str | None, locator: str | None, *, checked: bool
) -> None:
    """Say where the numbers were read: those of a file there, all others as they were stated."""
    from_file = fields(read)
    others = [one for one in fields({k: v for k, v in tree.items() if k != "id"})
              if one not in from_file]  # fmt: skip
    if not from_file and not others:
        return
    if source is None:
        raise BenchregError("--source says where the numbers were read")
    groups = ((from_file, True), (others, checked))
    place: dict[str, Any] = {"locator": locator} if locator else {}
    tree["provenance"] = [
        {"fields": paths, "source": source, **place, "checked": sure}
        for paths, sure in groups
        if paths
    ]


def _count(tree: Tree) -> None:
    """Tell how many parameters the sizes come to, beside what is stated."""
    model = Model.model_validate(tree)
    try:
        count = parameters(model).total
    except UncountedError as missing:
        say(f"its parameters cannot be counted: {missing} is not stated", err=True)
        return
    stated = tree.get("parameters_billion")
    beside = "; --set parameters_billion=... states what its makers say"
    if stated is not None:
        beside = f"; stated are {stated}, {abs(100 * (count / 1e9 / float(stated) - 1)):.1f} % away"
    say(f"its sizes come to {billions(count)} billion parameters{beside}", err=True)
