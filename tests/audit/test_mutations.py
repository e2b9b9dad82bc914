"""What is done to an honest record is found, or is on the list of what nothing can find.

`pytest -s tests/audit/test_mutations.py` prints how much of it is found.
"""

import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from benchreg.audit.catalogue import usual_rules
from benchreg.audit.engine import audit
from benchreg.audit.finding import Finding
from benchreg.registry.document import Document, Pointer, Tree, written_pointer
from benchreg.registry.judge import judge
from benchreg.registry.links import links
from benchreg.registry.load import load
from benchreg.registry.read import Reader
from benchreg.registry.registry import PLURALS, Entry, Registry, build
from benchreg.registry.roots import own_root

DATA = Path(__file__).parents[1] / "data"
TODAY = date(2026, 12, 1)  # the day after the shipped records were read
RULES = usual_rules()
WHY = ("same", "source", "rule")
LEAST_OF_ALL, LEAST_OF_TOLD = 0.68, 0.98

# The entries that are changed, by the registry that they stand in.
BASE = (
    *("base-record", "example-model", "example-gpu-80gb", "example-engine", "example-source"),
    *("request_throughput", "tpot"),
)
STATIC = (
    *("mpt-7b-a100-static-b64", "mpt-7b", "a100-sxm4-40gb", "fastertransformer"),
    "databricks-llm-inference-practices",
)
BESIDE = ("mpt-7b-a100-static-b1", "mpt-7b-a100-static-b32")
ALONE = {
    "out of memory": "mpt-7b-a10-static-b64",
    "a server of MLPerf": "mlperf-v5.1-nebius-h200-8x-llama3.1-405b-server",
    "a rate of each part": "trtllm-docs-0.7.1-falcon-180b-h100-tp4-b64-2048-2048",
}
# What the golden documents name and do not hold.
NAMED_RECORDS = ("other-record", "third-record", "measured-record", "example-record-2")
NAMED_SOURCES = ("invented-config", "invented-datasheet", "other-datasheet")
NAMED_SHIPPED = ("mpt-7b", "h100-sxm5-80gb", "h100-pcie-80gb", "vllm")
RATE: Tree = {"metric": "request_throughput", "scope": "system", "value": 1, "unit": "req/s"}
WHOLE: Tree = {"metric": "total_throughput", "scope": "system", "value": 900, "unit": "tok/s"}
USER: Tree = {"metric": "output_rate_per_request", "scope": "per_request", "value": 9,
              "unit": "tok/s"}  # fmt: skip

Mutate = Callable[[Entry, Registry], Iterator[tuple[Pointer, str, Tree]]]
Found = tuple[object, ...]


class Home(NamedTuple):
    """A registry, and the entries of it that are changed, each in some of its keys."""

    name: str
    registry: Registry
    changed: list[tuple[Entry, Collection[str]]]
    beside: bool = True  # whether what is found in its other records is counted as well


class Change(NamedTuple):
    """What was done to one field, and whether it is found."""

    home: str
    kind: str
    pointer: str
    change: str
    found: bool


class Review(NamedTuple):
    """A line of the list: why changes of some kinds at one place are not found."""

    number: str
    why: str
    kind: str
    at: str
    changes: tuple[str, ...]

    def covers(self, one: Change) -> bool:
        """Tell whether a change is of this line; `*` is one step of a place, `**` any number."""
        steps = re.escape(self.at).replace(r"\*\*", ".+").replace(r"\*", "[^/]+")
        alike = one.kind == self.kind and one.change in self.changes
        return alike and re.fullmatch(f"/{steps}", one.pointer) is not None


def reviews() -> list[Review]:
    path = DATA / "undetectable.yaml"
    tree = Reader().read(path.name, path.read_bytes()).tree
    return [
        Review(f"{why} {kind} {number}", why, kind, at, tuple(line["changes"]))
        for why in WHY
        for kind, lines in tree[why].items()
        for number, line in enumerate(lines)
        for at in line["at"]
    ]


@pytest.fixture(scope="module")
def changes(mutate: Mutate, tmp_path_factory: pytest.TempPathFactory) -> list[Change]:
    """Every change of every field of every home."""
    base = based(tmp_path_factory.mktemp("base"))
    shipped = load(own_root(), today=TODAY)
    homes = [
        Home(
            "the base record", base, [(entry, entry.document.tree) for entry in named(base, BASE)]
        ),
        golden(base, shipped),
        around(shipped, "a static batch", STATIC, BESIDE),
        *(around(shipped, name, (one,)) for name, one in ALONE.items()),
    ]
    return [change for home in homes for change in of_home(home, mutate)]


def based(root: Path) -> Registry:
    shutil.copytree(DATA / "base/records", root / "records")
    shutil.copytree(own_root() / "records/metrics", root / "records/metrics")
    return load(root, today=TODAY)


def around(
    shipped: Registry, name: str, ids: Collection[str], beside: Collection[str] = ()
) -> Home:
    """Return shipped entries among all that they rest on, and the siblings of these."""
    wanted = {key(entry) for entry in named(shipped, (*ids, *beside))}
    wanted = {*rested_on(shipped, wanted), *(("metrics", one) for one in shipped.metrics)}
    families = {family(entry) for entry in shipped.entries if key(entry) in wanted}
    siblings = {key(entry) for entry in shipped.entries if family(entry) in families}
    wanted = rested_on(shipped, wanted | siblings)
    registry = built(entry for entry in shipped.entries if key(entry) in wanted)
    return Home(name, registry, [(one, one.document.tree) for one in named(registry, ids)])


def rested_on(shipped: Registry, wanted: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return entries with all that they link to, and that these do."""
    for _ in range(2):
        known = [entry for entry in shipped.entries if key(entry) in wanted]
        ends = {(link.kind, link.target) for one in known for link in links(one.entity)}
        wanted = wanted | {(kind, target.partition("#")[0]) for kind, target in ends}
    return wanted


def golden(base: Registry, shipped: Registry) -> Home:
    """Return the golden documents among what they name; a record keeps the base's other blocks."""
    [record] = named(base, ["base-record"])
    [source] = named(base, ["example-source"])
    trees = [(kind_of(path), tree_of(path)) for path in sorted((DATA / "golden").glob("*.yaml"))]
    held = [embedded(kind, tree, record) for kind, tree in trees if kind != "mapping"]
    seen = {"rate": RATE, "user_rate": USER}
    others = [copied(record, id=name, results=seen) for name in NAMED_RECORDS]
    others += [copied(source, id=name) for name in NAMED_SOURCES]
    around_them = around(shipped, "", NAMED_SHIPPED).registry.entries
    known = {key(entry): entry for entry in (*around_them, *base.entries, *others, *held)}
    said = [tree for kind, tree in trees if kind != "mapping"]
    return Home(
        "all that can be said",
        built(known.values()),
        list(zip(held, said, strict=True)),
        beside=False,
    )


def kind_of(path: Path) -> str:
    return path.stem.partition("-")[0]


def tree_of(path: Path) -> Tree:
    return Reader().read(path.name, path.read_bytes()).tree


def embedded(kind: str, tree: Tree, record: Entry) -> Entry:
    """Return a golden document; a record has the base's results beside its own."""
    if kind != "record":
        return entry_of(kind, f"records/{PLURALS[kind]}/{tree['id']}.yaml", tree)
    results = record.document.tree["results"] | {"whole_rate": WHOLE} | tree.get("results", {})
    return copied(record, **(tree | {"results": results}))


def copied(entry: Entry, **blocks: Any) -> Entry:
    path = entry.document.path.replace(entry.document.tree["id"], blocks["id"])
    return entry_of(entry.kind, path, entry.document.tree | blocks)


def entry_of(kind: str, path: str, tree: Tree) -> Entry:
    document = Document(path, "\n", tree, (), suspect=True)
    entity = judge(kind, document)
    assert not isinstance(entity, list), entity
    return Entry(kind, entity, document)


def named(registry: Registry, ids: Collection[str]) -> list[Entry]:
    found = {entry.document.tree["id"]: entry for entry in registry.entries}
    return [found[one] for one in ids]


def key(entry: Entry) -> tuple[str, str]:
    return PLURALS[entry.kind], entry.document.tree["id"]


def family(entry: Entry) -> tuple[str, str]:
    return entry.kind, str(entry.document.tree.get("family", entry.document.tree["id"]))


def built(entries: Iterable[Entry]) -> Registry:
    registry = build(entries, [], {}, today=TODAY.isoformat())
    assert not registry.broken
    return registry


def of_home(home: Home, mutate: Mutate) -> Iterator[Change]:
    """Yield every change of a home; a finding is new that was not there so often before."""
    records = {one.document.path for one in home.registry.entries if one.kind == "record"}
    for entry, keys in home.changed:
        others = [one for one in home.registry.entries if one is not entry]
        paths = {entry.document.path, *(records if home.beside else ())}
        before = findings(home.registry, paths)
        for at, change, tree in mutate(entry, home.registry):
            if at and at[0] in keys:
                new = findings(changed(entry, tree, others), paths) - before
                yield Change(home.name, entry.kind, written_pointer(at), change, bool(new))


def changed(entry: Entry, tree: Tree, others: list[Entry]) -> Registry:
    """Return the registry in which a document says something else; alone, where it is refused."""
    document = Document(entry.document.path, "\n", tree, (), suspect=True)
    said = judge(entry.kind, document)
    if isinstance(said, list):
        return build([], said, {document.path: document}, today=TODAY.isoformat())
    entries = [*others, Entry(entry.kind, said, document)]
    return build(entries, [], {}, today=TODAY.isoformat())


def findings(registry: Registry, paths: Collection[str]) -> Counter[Found]:
    report = audit(registry, RULES, lambda path: path in paths)
    assert report.crashes == ()
    return Counter(map(what, report.findings))


def what(finding: Finding) -> Found:
    """Return what makes two findings the same, wherever their item stands in its list.

    The fingerprint would not do: it holds the value at the place, which is what was changed.
    """
    _, problem = finding.about
    pointer = re.sub(r"/[0-9]+(?=/|$)", "/*", finding.pointer)
    return finding.code, finding.severity, finding.path, pointer, problem.also


def reasons(changes: Iterable[Change]) -> Counter[str]:
    """Return how many changes are found, and how many are not, by the reason on the list."""
    lines = reviews()

    @cache
    def reason(one: Change) -> str:
        why = (line.why for line in lines if line.covers(one))
        return "found" if one.found else next(why, "not on the list")

    return Counter(map(reason, changes))


def test_every_change_is_found_or_on_the_list(changes: list[Change]) -> None:
    missed = {one for one in changes if not one.found}
    lines = reviews()
    assert missed
    assert sorted(one for one in missed if not any(line.covers(one) for line in lines)) == []


def test_every_line_of_the_list_is_used(changes: list[Change]) -> None:
    missed = {one for one in changes if not one.found}
    used = [(line, one) for line in reviews() for one in missed if line.covers(one)]
    places = {(line.number, line.at) for line, _ in used}
    kinds = {(line.number, one.change) for line, one in used}
    assert {(line.number, line.at) for line in reviews()} == places
    assert {(line.number, kind) for line in reviews() for kind in line.changes} == kinds


def test_most_of_what_can_be_told_is_found(changes: list[Change]) -> None:
    why = reasons(changes)
    of_all = why["found"] / len(changes)
    of_meant = why["found"] / (len(changes) - why["same"])
    of_told = why["found"] / (why["found"] + why["rule"])
    shares = f"{of_all:.1%} of all are found, {of_meant:.1%} of those that change what is said, "
    sys.stdout.write(f"{table(changes)}{shares}{of_told:.1%} of those that a rule could tell\n")
    assert of_all > LEAST_OF_ALL
    assert of_told > LEAST_OF_TOLD


def table(changes: list[Change]) -> str:
    lines = ["\n changes    found  where, and what was done\n"]
    for part in ("home", "change"):
        every = Counter(getattr(one, part) for one in changes)
        found = Counter(getattr(one, part) for one in changes if one.found)
        lines += [f"{every[one]:8} {found[one] / every[one]:8.1%}  {one}\n" for one in every]
    return "".join(lines)
