"""A registry knows every id, every alias, and where every link leads."""

from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchreg.entities.base import Entity
from benchreg.registry.judge import judge
from benchreg.registry.links import Link
from benchreg.registry.load import kind_of, load
from benchreg.registry.read import Reader
from benchreg.registry.refusal import Refusal
from benchreg.registry.registry import Address, Entry, Registry, build
from benchreg.values.errors import NotFoundError

SOURCE = "id: own-run\ntitle: t\nkind: own_run\npublisher: p\n"
ENGINE = "id: swift\nname: Swift\naliases: [swift-serve]\n"
MODEL = """\
id: tiny-1b
name: Tiny 1B
family: tiny
provenance: [{fields: [layers], source: own-run, checked: true}]
"""
PART = """\
id: part-80gb
name: Part 80GB
vendor: Parts
family: part
kind: gpu
aliases: [part-80]
conflicts: [{field: tdp_w, value: 300, source: data-sheet}]
"""
METRIC = """\
id: output_throughput
name: output throughput
unit: tok/s
counts: output_token
quantity: rate
phase: request
scopes: [system]
better: higher
definition: output tokens over the window
aliases: [{name: run-1, tool: a tool}]
not_the_same_as: [itl]
"""
RUN_1 = """\
id: run-1
title: One
kind: measurement
status: active
source: {id: own-run, retrieved: "2026-04-16"}
aliases: [first-run]
model: {id: tiny-1b}
hardware:
  pools: [{accelerator: part-80gb, count: 1}, {could_be: [part-80gb, part-40gb], count: 1}]
engine: {id: swift}
load: {batch_size: 64}
results:
  total:
    metric: output_throughput
    value: 800
    unit: tok/s
    seen_by_request: each
    aliases: [total-of-one]
  each:
    metric: output_rate
    value: 12.5
    unit: tok/s
    derivation:
      formula: total / batch
      inputs: {batch: load.batch_size, total: total, there: run-2#total}
links: {replicates: [run-2], contradicts: [run-3], estimate_of: [run-2]}
claims:
  - {says: s, locator: l, stated: "1", formula: a / b, inputs: {a: total, b: run-2#no_such}}
"""
RUN_2 = """\
id: run-2
title: Two
kind: measurement
status: superseded
superseded_by: run-1
source: {id: own-run, retrieved: "2026-04-16"}
results:
  total: {metric: output_throughput, value: 400, unit: tok/s, seen_by_request: nobody}
"""
FILES = {
    "records/accelerators/part-80gb.yaml": PART,
    "records/benchmarks/own-run/run-1.yaml": RUN_1,
    "records/benchmarks/own-run/run-2.yaml": RUN_2,
    "records/engines/swift.yaml": ENGINE,
    "records/metrics/output_throughput.yaml": METRIC,
    "records/models/tiny-1b.yaml": MODEL,
    "records/sources/own-run.yaml": SOURCE,
}
REFUSED = (
    Refusal("records/accelerators/part-40gb.yaml", "dialect", "an alias"),
    Refusal("records/benchmarks/own-run/run-3.yaml", "schema", "unknown key"),
    Refusal("records/engines/run-2.yaml", "dialect", "an alias"),
    Refusal("records/metrics/output_rate.yml", "schema", "a file where no entity belongs"),
)
TO_RUN_2 = ["run-2#total", "run-2", "run-2", "run-2#no_such"]


def entry(path: str, text: str) -> Entry:
    """Return the entity that a text is."""
    kind = kind_of(path)
    assert kind is not None
    document = Reader().read(path, text.encode())
    entity = judge(kind, document)
    assert isinstance(entity, Entity), entity
    return Entry(kind, entity, document)


ENTRIES = tuple(entry(path, text) for path, text in FILES.items())


def built(entries: Iterable[Entry], refusals: Iterable[Refusal] = ()) -> Registry:
    """Return the registry of some entries."""
    entries = list(entries)
    return build(entries, refusals, {entry.document.path: entry.document for entry in entries})


def told(registry: Registry) -> dict[str, object]:
    """Return all that a registry tells; two registries are never equal as values."""
    return {field.name: getattr(registry, field.name) for field in fields(registry)}


REGISTRY = built(ENTRIES, REFUSED)


@given(st.permutations(ENTRIES), st.permutations(REFUSED))
def test_the_order_of_the_files_changes_nothing(
    entries: list[Entry], refusals: list[Refusal]
) -> None:
    shuffled = built(entries, refusals)
    assert told(shuffled) == told(REGISTRY)
    assert list(shuffled.names.items()) == list(REGISTRY.names.items())
    assert list(shuffled.broken.items()) == list(REGISTRY.broken.items())
    assert list(shuffled.records) == ["run-1", "run-2"]


def test_a_folder_gives_the_same_registry_as_its_entries(tmp_path: Path) -> None:
    for path, text in reversed(FILES.items()):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    assert told(load(tmp_path)) == told(built(ENTRIES))


def test_every_kind_has_a_map_of_its_ids() -> None:
    assert [
        list(ids)
        for ids in (
            REGISTRY.accelerators,
            REGISTRY.engines,
            REGISTRY.metrics,
            REGISTRY.models,
            REGISTRY.records,
            REGISTRY.sources,
        )
    ] == [
        *(["part-80gb"], ["swift"], ["output_throughput"], ["tiny-1b"], ["run-1", "run-2"]),
        ["own-run"],
    ]


@pytest.mark.parametrize("ids", [REGISTRY.records, REGISTRY.names, REGISTRY.broken])
def test_a_map_of_a_registry_cannot_be_written_to(ids: dict[str, object]) -> None:
    with pytest.raises(TypeError):
        ids["new"] = ENTRIES[0]


@pytest.mark.parametrize(
    ("kind", "target", "users"),
    [
        ("sources", "own-run", ("run-1", "run-2", "tiny-1b")),
        ("sources", "data-sheet", ("part-80gb",)),
        ("models", "tiny-1b", ("run-1",)),
        ("accelerators", "part-80gb", ("run-1",)),
        ("accelerators", "part-40gb", ("run-1",)),
        ("engines", "swift", ("run-1",)),
        ("metrics", "output_throughput", ("run-1", "run-2")),
        ("metrics", "itl", ("output_throughput",)),
        ("records", "run-1", ("run-2",)),
        ("records", "run-2", ("run-1",)),
        ("records", "run-3", ("run-1",)),
        ("engines", "own-run", ()),
        ("engines", "nothing", ()),
    ],
)
def test_a_link_is_known_at_its_target(kind: str, target: str, users: tuple[str, ...]) -> None:
    assert REGISTRY.users(kind, target) == users


def test_a_link_that_leads_nowhere_is_broken_in_its_place() -> None:
    assert REGISTRY.broken == {
        "records/accelerators/part-80gb.yaml": (
            (Link("sources", "data-sheet", ("conflicts", 0, "source")), False),
        ),
        "records/benchmarks/own-run/run-1.yaml": (
            (Link("accelerators", "part-40gb", ("hardware", "pools", 1, "could_be", 1)), True),
            (Link("metrics", "output_rate", ("results", "each", "metric")), True),
            (Link("records", "run-3", ("links", "contradicts", 0)), True),
            (Link("records", "run-2#no_such", ("claims", 0, "inputs", "b")), False),
        ),
        "records/benchmarks/own-run/run-2.yaml": (
            (Link("results", "nobody", ("results", "total", "seen_by_request")), False),
        ),
        "records/metrics/output_throughput.yaml": (
            (Link("metrics", "itl", ("not_the_same_as", 0)), False),
        ),
    }


@pytest.mark.parametrize(
    ("name", "refusals", "refused"),
    [
        ("nothing was refused", [], []),
        ("another file was refused", ["records/benchmarks/run-22.yaml"], []),
        ("the file was refused", ["records/benchmarks/deep/run-2.yaml"], TO_RUN_2),
        ("the file was refused for two reasons", ["records/benchmarks/run-2.yaml"] * 2, TO_RUN_2),
        ("the file was refused for its ending", ["records/benchmarks/run-2.yml"], TO_RUN_2),
        ("a file of another kind was refused", ["records/engines/run-2.yaml"], []),
    ],
)
def test_a_link_to_a_refused_document_does_not_dangle(
    name: str, refusals: list[str], refused: list[str]
) -> None:
    one = built(
        (entry("records/benchmarks/own-run/run-1.yaml", RUN_1),),
        [Refusal(path, "dialect", "an alias") for path in refusals],
    )
    broken = one.broken["records/benchmarks/own-run/run-1.yaml"]
    assert [link.target for link, was_refused in broken if was_refused] == refused, name
    assert {link.target for link, _ in broken} >= set(TO_RUN_2), name


@pytest.mark.parametrize(
    ("path", "refused"),
    [
        ("records/benchmarks/own-run/deep/run-2.yaml", {("records", "run-2")}),
        ("records/engines/run-2.yml", {("engines", "run-2")}),
        ("records/metrics/itl.json", {("metrics", "itl")}),
        ("records/models/gpt.yi-34b.yaml", {("models", "gpt.yi-34b")}),
        ("records/models", set()),
    ],
)
def test_a_refused_file_has_the_id_of_its_name_in_the_map_of_its_folder(
    path: str, refused: set[tuple[str, str]]
) -> None:
    assert built((), [Refusal(path, "dialect", "an alias")]).refused_ids == refused


def test_a_sibling_that_is_not_there_dangles_whatever_was_refused() -> None:
    one = built(
        (entry("records/benchmarks/own-run/run-2.yaml", RUN_2),),
        [Refusal("records/engines/nobody.yaml", "dialect", "an alias")],
    )
    link = Link("results", "nobody", ("results", "total", "seen_by_request"))
    assert (link, False) in one.broken["records/benchmarks/own-run/run-2.yaml"]


@pytest.mark.parametrize(
    ("name", "link", "known"),
    [
        ("an engine", Link("engines", "swiftt", ("engine", "id")), ["swift"]),
        ("a record", Link("records", "run-9", ("links",)), ["run-1", "run-2"]),
        ("a result there", Link("records", "run-2#no", ("claims",)), ["run-2#total"]),
        ("a result of nobody", Link("records", "run-9#no", ("claims",)), ["run-1", "run-2"]),
        ("a result here", Link("results", "no", ("results",)), ["total", "each"]),
    ],
)
def test_what_a_link_could_have_meant_is_known(name: str, link: Link, known: list[str]) -> None:
    assert list(REGISTRY.known(REGISTRY.records["run-1"], link)) == known, name


@pytest.mark.parametrize(
    ("name", "record", "result"),
    [
        ("run-1", "run-1", None),
        ("first-run", "run-1", None),
        ("run-1#each", "run-1", "each"),
        ("first-run#total", "run-1", "total"),
        ("total-of-one", "run-1", "total"),
        ("run-2#total", "run-2", "total"),
    ],
)
def test_a_name_means_a_record_or_a_result(name: str, record: str, result: str | None) -> None:
    assert REGISTRY.resolve(name) == Address(REGISTRY.records[record], result)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("run-4", "nothing is called 'run-4' here; the nearest are run-1, run-2"),
        ("frist-run", "nothing is called 'frist-run' here; the nearest are first-run"),
        ("run-1#", "nothing is called 'run-1#' here; the nearest are run-1#each, run-1#total"),
        ("run-2#totl", "nothing is called 'run-2#totl' here; the nearest are run-2#total"),
        ("swift", "nothing is called 'swift' here; nothing is near"),
        ("swift-serve", "nothing is called 'swift-serve' here; nothing is near"),
        ("", "nothing is called '' here; nothing is near"),
        ("#total", "nothing is called '#total' here; nothing is near"),
        ("x" * 5000, f"nothing is called '{'x' * 200}…' here; nothing is near"),
    ],
)
def test_a_name_that_nothing_answers_to_offers_the_nearest(name: str, message: str) -> None:
    with pytest.raises(NotFoundError) as missing:
        REGISTRY.resolve(name)
    assert str(missing.value) == message


@pytest.mark.parametrize("name", ["run-3", "run-3#total"])
def test_a_name_whose_file_was_refused_is_told_so(name: str) -> None:
    with pytest.raises(NotFoundError, match="run-3 was refused; `benchreg audit` says why"):
        REGISTRY.resolve(name)


def test_a_name_that_nothing_answers_to_is_safe_to_print() -> None:
    with pytest.raises(NotFoundError) as missing:
        REGISTRY.resolve("run\x1b[2J\n\u202e")
    assert str(missing.value).isprintable()


def test_a_figure_is_found_here_and_elsewhere() -> None:
    here, there = REGISTRY.records["run-1"], REGISTRY.records["run-2"]
    assert REGISTRY.figure(here, "each") == (here, here.results["each"])
    assert REGISTRY.figure(here, "run-2#total") == (there, there.results["total"])


def test_an_id_that_is_taken_twice_belongs_to_the_first_path() -> None:
    first = entry("records/benchmarks/a/run-1.yaml", RUN_1)
    second = entry("records/benchmarks/b/run-1.yaml", RUN_1.replace("One", "Another"))
    registry = built((second, first))
    assert registry.records["run-1"].title == "One"
    assert [name.entry.document.path for name in registry.names["run-1"]] == [
        "records/benchmarks/a/run-1.yaml",
        "records/benchmarks/b/run-1.yaml",
    ]
    assert registry.entries == (first, second)


def test_an_id_of_another_kind_is_not_taken() -> None:
    engine = entry("records/engines/tiny-1b.yaml", "id: tiny-1b\nname: Tiny\n")
    registry = built((*ENTRIES, engine))
    assert registry.models["tiny-1b"].name == "Tiny 1B"
    assert registry.engines["tiny-1b"].name == "Tiny"


def test_the_first_two_places_of_a_name_are_known_by_its_kind() -> None:
    paths = [f"records/benchmarks/{source}/run-1.yaml" for source in "abc"]
    registry = built(
        (
            entry("records/models/run-1.yaml", MODEL.replace("tiny-1b", "run-1")),
            *(entry(path, RUN_1) for path in paths),
        )
    )
    assert {
        kind: [name.entry.document.path for name in names]
        for (kind, known), names in registry.holders.items()
        if known == "run-1"
    } == {"record": paths[:2], "model": ["records/models/run-1.yaml"]}


def test_every_name_knows_where_it_is_written() -> None:
    assert {
        name: [(found.entry.document.path, found.at, found.result) for found in all_found]
        for name, all_found in REGISTRY.names.items()
        if all_found[0].entry.document.path.endswith(("run-1.yaml", "throughput.yaml", "80gb.yaml"))
    } == {
        "part-80gb": [("records/accelerators/part-80gb.yaml", ("id",), None)],
        "part-80": [("records/accelerators/part-80gb.yaml", ("aliases", 0), None)],
        "run-1": [("records/benchmarks/own-run/run-1.yaml", ("id",), None)],
        "first-run": [("records/benchmarks/own-run/run-1.yaml", ("aliases", 0), None)],
        "total-of-one": [
            (
                "records/benchmarks/own-run/run-1.yaml",
                ("results", "total", "aliases", 0),
                "total",
            )
        ],
        "output_throughput": [("records/metrics/output_throughput.yaml", ("id",), None)],
    }


def test_an_alias_that_two_records_have_means_the_first_of_them() -> None:
    other = entry(
        "records/benchmarks/z/z.yaml",
        RUN_2.replace("run-2\ntitle", "z\naliases: [first-run]\ntitle"),
    )
    registry = built((*ENTRIES, other))
    assert registry.resolve("first-run").record.id == "run-1"
    assert len(registry.names["first-run"]) == 2
