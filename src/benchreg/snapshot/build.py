"""A registry -> the tables of a snapshot."""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

from pydantic import MISSING

from benchreg.analysis.comparison import Facet, Side
from benchreg.analysis.crosscheck import Verdicts
from benchreg.analysis.derivation import Settling, UnsettledError
from benchreg.analysis.facets import side
from benchreg.analysis.row import Row
from benchreg.analysis.table import rows
from benchreg.entities.figure import Figure
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.snapshot.ask import BETWEEN
from benchreg.snapshot.columns import NAMES
from benchreg.snapshot.ranges import version_key
from benchreg.snapshot.tables import INDEXES, SCHEMA
from benchreg.snapshot.words import Entry
from benchreg.values.expression import FormulaError
from benchreg.values.interval import exact
from benchreg.values.units import factor

_KINDS = ("accelerators", "models", "engines", "sources")
_NO_SIDE = Side({}, ())


def build(
    into: sqlite3.Connection,
    registry: Registry,
    verdicts: Verdicts,
    stamps: dict[str, int],
) -> None:
    """Write every figure of a registry into an empty database.

    `stamps` are those of the files, by path: a snapshot says which file a row was read from.
    """
    _run(into, SCHEMA)
    paths = {entry.entity.id: entry.document.path for entry in registry.entries  # type: ignore[attr-defined]
             if entry.kind == "record"}  # fmt: skip
    files = {path: number for number, path in enumerate(stamps)}
    writing = _Writing(registry, {key: files[path] for key, path in paths.items() if path in files})
    records = [one for one in registry.records.values() if one.kind != "example"]
    for row in rows(registry, records, verdicts):
        writing.take(row)
    _insert(into, "files", _files(stamps))
    _insert(into, "figures", writing.figures)
    _insert(into, "details", writing.details)
    _insert(into, "parts", writing.parts)
    _insert(into, "facets", ((n, *facet) for facet, n in writing.facets.items()))
    _insert(into, "entries", _entries(registry))
    _insert(into, "metrics", _metrics(registry))
    _insert(into, "names", _names(registry))
    _run(into, INDEXES)


def _run(into: sqlite3.Connection, statements: str) -> None:
    """Run statements one by one: all of them at once would end a transaction."""
    for statement in filter(str.strip, statements.split(";")):
        into.execute(statement)


def _insert(into: sqlite3.Connection, table: str, found: Iterable[tuple[Any, ...]]) -> None:
    """Write rows of equal length into a table of our own."""
    for row in (listed := iter(found)):
        marks = ", ".join("?" * len(row))
        statement = f"INSERT OR IGNORE INTO {table} VALUES ({marks})"  # noqa: S608  (no name is foreign)
        into.execute(statement, row)
        into.executemany(statement, listed)


def _files(stamps: dict[str, int]) -> Iterator[tuple[int, bytes, int]]:
    for number, (path, stamp) in enumerate(stamps.items()):
        yield number, os.fsencode(path), stamp


class _Writing:
    """The rows of the tables, as they are found."""

    def __init__(self, registry: Registry, files: dict[str, int]) -> None:
        self.registry = registry
        self.files = files
        self.settling = Settling(registry)
        self.figures: list[tuple[Any, ...]] = []
        self.details: list[tuple[Any, ...]] = []
        self.parts: list[tuple[str, str, int]] = []
        self.facets: dict[Facet, int] = {}
        self._last: tuple[str, dict[str, Any]] = ("", {})

    def take(self, row: Row) -> None:
        """Write one row into all tables."""
        name, _, result = row.key.partition("#")
        record, number = self.registry.records[name], len(self.figures)
        figure = record.results[result] if result else None
        of_figure = self._figure(record, row, figure) if figure else {}
        values = self._record(record) | of_figure | _judged(row)
        self.figures.append((number, *(_plain(values.get(column)) for column in NAMES)))
        model = "" if record.model.id is MISSING else record.model.id
        self.parts += [(part, model, number) for part in dict.fromkeys(_parts(record))]
        found = side(self.registry, record, figure) if figure else _NO_SIDE
        numbers = [self.facets.setdefault(one, len(self.facets)) for one in found.facets.values()]
        shown = BETWEEN.join(map(_shown, row))
        self.details.append(
            (number, self.files.get(name), version_key(values["engine_version"] or ""),
             _words(record, values), shown, json.dumps(numbers, separators=(",", ":")),
             json.dumps(found.scopes),
             figure.source_name if figure and figure.source_name is not MISSING else "")
        )  # fmt: skip

    def _record(self, record: Record) -> dict[str, Any]:
        """Return the columns that the figures of a record share."""
        if self._last[0] != record.id:
            self._last = (record.id, _of_record(self.registry, record))
        return self._last[1]

    def _figure(self, record: Record, row: Row, figure: Figure) -> dict[str, Any]:
        """Return the columns of a figure; numbers are in the unit of its metric."""
        name = row.key.partition("#")[2]
        scale = factor(figure.unit, row.unit) or Fraction(1)
        try:
            span = self.settling.interval(record, name)
        except (UnsettledError, FormulaError):
            span = exact(figure.value)
        span = span.joined(exact(figure.value))
        seen = self._seen(record, figure)
        return {
            "figure": name,
            "metric": figure.metric,
            "scope": figure.scope,
            "statistic": figure.statistic,
            "value": float(row.value or 0),
            "unit": row.unit,
            "low": float(span.low * scale),
            "high": float(span.high * scale),
            "seen_value": float(seen.value) if seen else None,
            "seen_unit": seen.unit if seen else None,
            "window": record.load.window if figure.window is MISSING else figure.window,
        }

    def _seen(self, record: Record, figure: Figure) -> Figure | None:
        """Return what one request sees of an aggregate; None where it is not linked."""
        if figure.seen_by_request is MISSING:
            return None
        try:
            return self.registry.figure(record, figure.seen_by_request)[1]
        except KeyError:
            return None


def _judged(row: Row) -> dict[str, Any]:
    shares = {name: float(said) if (said := getattr(row, name)) else None
              for name in ("of_bound", "of_widest", "mbu", "mfu")}  # fmt: skip
    return {
        "hardware": row.hardware,
        "verdict": row.verdict.replace(" ", "_"),
        "tier": row.tier,
        **shares,
    }


def _of_record(registry: Registry, record: Record) -> dict[str, Any]:
    model = registry.models.get(str(record.model.id))
    load, workload, engine, used = record.load, record.workload, record.engine, record.precision
    builds = (engine.version, engine.commit, engine.image)
    levels = (load.batch_size, load.concurrency, load.request_rate)
    return {
        "record": record.id,
        "title": record.title,
        "kind": record.kind,
        "status": record.status,
        "outcome": record.outcome,
        "model": record.model.id,
        "family": model.family if model else None,
        "size": model.parameters_billion if model else None,
        "engine": engine.id,
        "engine_version": next((one for one in builds if one is not MISSING), None),
        "precision": used.weights,
        "activations": used.activations,
        "kv_cache": used.kv_cache,
        "scenario": load.scenario,
        "pattern": load.pattern,
        "window": load.window,
        "batch": load.batch_size,
        "concurrency": load.concurrency,
        "request_rate": load.request_rate,
        "level": next((one for one in levels if one is not MISSING), None),
        "input_tokens": workload.input_tokens,
        "output_tokens": workload.output_tokens,
        "requests": load.requests,
        "duration_s": load.duration_s,
        "runs": record.measurement.runs,
        "harness": record.measurement.harness,
        "sweep": record.sweep,
        "absent": f" {' '.join(record.absent)} ",
        "inferred": f" {' '.join(record.inferred)} ",
        **_hardware(registry, record),
        **_source(registry, record),
    }


def _hardware(registry: Registry, record: Record) -> dict[str, Any]:
    pools = record.hardware.pools
    ids = [pool.accelerator for pool in pools]
    parts = [registry.accelerators.get(str(one)) for one in ids]
    vendors = {part.vendor for part in parts if part}
    known = bool(ids) and MISSING not in ids
    return {
        "accelerator": " + ".join(sorted({str(one) for one in ids})) if known else None,
        "vendor": " + ".join(sorted(vendors)) if known else None,
        "count": sum(pool.count for pool in pools) or None,
    }


def _source(registry: Registry, record: Record) -> dict[str, Any]:
    source, entry = registry.sources.get(record.source.id), record.mlperf
    published = source.published if source else None
    measured = record.measurement.measured
    found = {"source": record.source.id, "publisher": source.publisher if source else None,
             "date": published if measured is MISSING else measured}  # fmt: skip
    if entry is MISSING:
        return found
    return found | {"round": entry.round, "division": entry.division,
                    "submitter": entry.submitter, "system": entry.system}  # fmt: skip


def _parts(record: Record) -> Iterator[str]:
    """Yield the parts that a record ran on, those that it may have, and words of what is said."""
    for pool in record.hardware.pools:
        if pool.accelerator is not MISSING:
            yield pool.accelerator
        else:
            yield from pool.could_be
            said = "" if pool.described_as is MISSING else pool.described_as.casefold()
            yield from (f"said {word}" for word in _split(said))


def _split(text: str) -> list[str]:
    """Return the words of a text, in lower case."""
    return "".join(one if one.isalnum() else " " for one in text.casefold()).split()


def _words(record: Record, values: dict[str, Any]) -> str:
    """Return what free text is looked for in, in lower case."""
    told: list[object] = [record.id, record.title,
            record.model.described_as, record.engine.described_as,
            record.engine.stack, record.workload.dataset, record.measurement.harness,
            record.hardware.host, record.hardware.interconnect, record.notes,
            values.get("submitter"), values.get("system"), record.source.locator,
            *(pool.described_as for pool in record.hardware.pools)]  # fmt: skip
    return " ".join(one for one in told if isinstance(one, str)).casefold()


def _plain(value: object) -> object:
    """Return a value as a database holds it: null for what is missing."""
    if value is MISSING or value is None or value == "":
        return None
    return float(value) if isinstance(value, Decimal) else value


def _shown(value: Decimal | str | None) -> str:
    """Return what is shown of a field, without the mark that stands between two."""
    text = f"{value:f}" if isinstance(value, Decimal) else value or ""
    return text.replace(BETWEEN, " ")


def _entries(registry: Registry) -> Iterator[Entry]:
    for kind in _KINDS:
        for one in getattr(registry, kind).values():
            name = getattr(one, "name", None) or one.title
            vendor = getattr(one, "vendor", MISSING)
            yield Entry(
                kind[:-1], one.id, name, getattr(one, "family", ""),
                "" if vendor is MISSING else vendor, " ".join(getattr(one, "aliases", ())),
            )  # fmt: skip


def _metrics(registry: Registry) -> Iterator[tuple[str, str, str]]:
    for one in registry.metrics.values():
        yield one.id, one.better, one.definition


def _names(registry: Registry) -> Iterator[tuple[str, str, str]]:
    """Yield what a figure can be called by, beside the id of its record."""
    for name, (first, *_) in registry.names.items():
        if isinstance(first.entry.entity, Record) and name != first.entry.entity.id:
            yield name, first.entry.entity.id, first.result or ""
