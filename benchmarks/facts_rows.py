"""A row of a table of published figures, and what its words mean in the catalogue."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from benchreg.registry.registry import Registry

Tree = dict[str, Any]

RETRIEVED = "2026-11-30"
NOT_STATED = "not_stated"


class LeftOutError(Exception):
    """A row that becomes no record; the text is the reason, without what differs by row."""


class NoPointError(LeftOutError):
    """A row that names no part and model of one operating point."""


class Left(NamedTuple):
    """A row that became no record, why, and whether it names a part and a model."""

    row: "Row"
    why: str
    named: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table; `line` is its line in the file, the heading being line 1."""

    table: str
    line: int
    cells: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        """Return the text of a cell, empty where the table has none."""
        return self.cells[column].strip()

    @property
    def name(self) -> str:
        """Return what the row is called in messages."""
        return f"{self.table}:{self.line}"

    @property
    def place(self) -> str:
        """Return where the source has it."""
        return self["locator" if "locator" in self.cells else "source_path"]

    @property
    def text(self) -> str:
        """Return every cell as one text."""
        return "\n".join(self.cells.values())


class Source(NamedTuple):
    """A publication, as an entry of the catalogue where that has none."""

    id: str
    title: str
    kind: str
    publisher: str
    url: str


class Reading(NamedTuple):
    """What a row says: the conditions, as a record without id, and its figures by result name.

    Readings of one `point` are one operating point. The first figure is the row's own.
    """

    row: Row
    point: str
    source: Source
    conditions: Tree
    figures: dict[str, Tree]


class Part(NamedTuple):
    """Catalogue names that the words of a source could mean; `why` where they mean several."""

    names: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Ids of the catalogue by every name that they answer to."""

    accelerators: Mapping[str, str]
    models: Mapping[str, str]
    sources: frozenset[str]

    def pool(self, words: str, part: Part, count: int) -> Tree:
        """Return a pool of parts; raises LeftOutError where the catalogue has none of them."""
        known = list(dict.fromkeys(filter(None, map(self.accelerators.get, part.names))))
        if not known:
            raise LeftOutError(f"part unknown: {words}")
        named: Tree = {"could_be": known} if part.why else {"accelerator": known[0]}
        return {"described_as": words, **named, "count": count}

    def model(self, words: str, names: Iterable[str]) -> Tree:
        """Return a model; raises LeftOutError where the catalogue does not have it."""
        for name in names:
            if name in self.models:
                return {"id": self.models[name], "described_as": words}
        raise LeftOutError(f"model unknown: {words}")


def catalogue_of(registry: Registry) -> Catalogue:
    """Return the names of a registry."""
    return Catalogue(
        _names(registry.accelerators), _names(registry.models), frozenset(registry.sources)
    )


def _names(entities: Mapping[str, Any]) -> dict[str, str]:
    by_alias = {alias: key for key, entity in entities.items() for alias in entity.aliases}
    return {**by_alias, **{key: key for key in entities}}


def number(text: str) -> int | Decimal:
    """Return a number without zeros behind its point."""
    value = Decimal(text)
    return int(value) if value == value.to_integral_value() else value


def quotient(text: str, other: str) -> int | Decimal:
    """Return one number over another, to four digits."""
    return number(f"{Decimal(text) / Decimal(other):.4g}")


def reasons(by_condition: Mapping[str, str]) -> Tree:
    """Return the reasons that are not empty."""
    return {key: why for key, why in by_condition.items() if why}


def requested(row: Row) -> Tree:
    """Return the lengths of a row that prints those of the request."""
    return {
        "input_tokens": number(row["isl"]),
        "output_tokens": number(row["osl"]),
        "length_basis": "requested",
    }


_BY_FIELD = {
    "workload.input_tokens": ("workload", "input_tokens"),
    "workload.output_tokens": ("workload", "output_tokens"),
    "workload.output_policy": ("workload", "output_policy"),
    "workload.prefix_cache": ("workload", "prefix_cache"),
    "workload.speculative": ("workload", "speculative"),
    "engine.version": ("engine", "version"),
    "load.warmup": ("load", "warmup"),
    "load.scenario": ("load", "scenario"),
    "load.requests": ("load", "requests"),
    "load.window": ("load", "window"),
    "precision.weights": ("precision", "weights"),
    "precision.activations": ("precision", "activations"),
    "precision.kv_cache": ("precision", "kv_cache"),
}


def declared(conditions: Tree) -> Tree:
    """Return the conditions with every one that they do not state declared absent."""
    absent = dict(conditions.get("absent", {}))
    for key, (block, field) in _BY_FIELD.items():
        if field not in conditions.get(block, {}):
            absent.setdefault(key, NOT_STATED)
    if not {"id", "described_as"} & conditions.get("engine", {}).keys():
        absent.setdefault("engine", NOT_STATED)
    if not any("parallelism" in pool for pool in conditions["hardware"]["pools"]):
        absent.setdefault("parallelism", NOT_STATED)
    absent.setdefault("measurement", NOT_STATED)
    return {**conditions, "absent": absent}


_SPECULATION = re.compile(
    r"\b(medusa|eagle-?\d*|lookahead|mtp|multi-token prediction|draft|speculat\w*|n-?gram)\b",
    re.IGNORECASE,
)
_PREFIX = re.compile(r"\bprefix[ _-]?(cach\w*|reuse)|\bkv[ _-]?cache reuse", re.IGNORECASE)
_OFFLOAD = re.compile(r"\b(cpu|host)[ _-]?offload|\boffload\w* to (the )?(cpu|host)", re.IGNORECASE)


def techniques(row: Row, conditions: Tree) -> Tree:
    """Return the conditions with speculation, prefix cache and offloading that any cell names."""
    found = _SPECULATION.search(row.text)
    workload = dict(conditions["workload"])
    if found:
        workload["speculative"] = {"method": re.sub(r"[ -]", "_", found[1].lower())}
    if _PREFIX.search(row.text):
        workload["prefix_cache"] = {"enabled": True}
    conditions = {**conditions, "workload": workload}
    if _OFFLOAD.search(row.text):
        held = "kv_cache" if re.search(r"kv", row.text, re.IGNORECASE) else "weights"
        conditions["engine"] = {**conditions["engine"], "host_offload": held}
    return conditions
