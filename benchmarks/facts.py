"""Ask the cross-check about every figure of four tables of published figures.

    python benchmarks/facts.py FOLDER [--keep WHERE]

FOLDER holds databricks_blog.csv, tensorrt_llm_perf.csv, argonne_llm_inference_bench.csv,
mlperf_inference_llm.csv, and ceiling_violations.csv with the rows that no hardware can do. Every
row that names a part and a model becomes a record of a registry below WHERE, beside the shipped
catalogue. What the cross-check finds impossible or not fitting must be those rows, those that
`facts_said.ALSO` explains, and no others, and at least 95 % of the rows must be judged; otherwise
the exit code is 1.
"""

import argparse
import csv
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

import facts_argonne
import facts_databricks
import facts_mlperf
import facts_tensorrt
from facts_rows import (
    Catalogue,
    Left,
    LeftOutError,
    NoPointError,
    Reading,
    Row,
    Source,
    Tree,
    catalogue_of,
    declared,
    techniques,
)
from facts_said import Asked, Violation, passed, said

from benchreg.analysis.crosscheck import Verdict, verdicts
from benchreg.registry.load import load
from benchreg.registry.registry import Registry
from benchreg.registry.write import write

HERE = Path(__file__).resolve().parents[1]
CATALOGUE = ("accelerators", "models", "engines", "metrics", "sources")
TABLES: Mapping[str, Callable[[Row, Catalogue], Reading]] = {
    "databricks_blog": facts_databricks.read,
    "tensorrt_llm_perf": facts_tensorrt.read,
    "argonne_llm_inference_bench": facts_argonne.read,
    "mlperf_inference_llm": facts_mlperf.read,
}


def judged(registry: Registry) -> Mapping[tuple[str, str], Verdict]:
    """Return the verdict of every figure, by record and result."""
    return verdicts(registry)


@dataclass(slots=True)
class Records:
    """The records made so far, with the row of each figure and the rows that became none."""

    trees: dict[str, Tree] = field(default_factory=dict)
    rows: dict[tuple[str, str], Row] = field(default_factory=dict)
    own: dict[str, tuple[str, str]] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)
    left: list[Left] = field(default_factory=list)
    points: dict[tuple[str, str], str] = field(default_factory=dict)

    def take(self, row: Row, catalogue: Catalogue) -> None:
        """Turn a row into figures of a record, or note why not."""
        try:
            reading = TABLES[row.table](row, catalogue)
        except LeftOutError as reason:
            self.left.append(Left(row, str(reason), not isinstance(reason, NoPointError)))
        else:
            self._add(reading)

    def _add(self, reading: Reading) -> None:
        row = reading.row
        new = f"{row.table.replace('_', '-')}-{row.line}"
        key = self.points.setdefault((row.table, reading.point), new)
        if key == new:
            self.trees[key] = _record(key, reading)
        results = self.trees[key]["results"]
        if not results.keys().isdisjoint(reading.figures):
            raise ValueError(f"{row.name}: {key} has {', '.join(reading.figures)} already")
        results.update(reading.figures)
        self.sources[reading.source.id] = reading.source
        self.rows.update({(key, name): row for name in reading.figures})
        self.own[row.name] = (key, next(iter(reading.figures)))


def _record(key: str, reading: Reading) -> Tree:
    conditions = declared(techniques(reading.row, reading.conditions))
    tree: Tree = {"id": key, "kind": "measurement", "status": "active", **conditions}
    tree["title"] = tree["title"][:200]
    return {**{name: block for name, block in tree.items() if block}, "results": {}}


def rows_of(folder: Path) -> Iterable[Row]:
    """Yield every row of the four tables."""
    for table in TABLES:
        with (folder / f"{table}.csv").open(encoding="utf-8", newline="") as file:
            for number, cells in enumerate(csv.DictReader(file), start=2):
                yield Row(table, number, cells)


def violations_of(folder: Path) -> list[Violation]:
    """Return the rows that are known to be impossible."""
    with (folder / "ceiling_violations.csv").open(encoding="utf-8", newline="") as file:
        return [
            Violation(cells["dataset"], cells["locator"], cells["model"], cells["measured"])
            for cells in csv.DictReader(file)
        ]


def catalogue_into(root: Path) -> Catalogue:
    """Copy the shipped catalogue into a registry without records, and return its names."""
    shutil.rmtree(root / "records", ignore_errors=True)
    for folder in CATALOGUE:
        shutil.copytree(HERE / "records" / folder, root / "records" / folder)
    return catalogue_of(load(root))


def write_records(root: Path, records: Records, catalogue: Catalogue) -> None:
    """Write the records, and the sources that the catalogue does not have."""
    for source in records.sources.values():
        if source.id not in catalogue.sources:
            _write(root, "source", f"records/sources/{source.id}.yaml", source._asdict())
    for key, tree in records.trees.items():
        path = f"records/benchmarks/{tree['source']['id']}/{key}.yaml"
        _write(root, "record", path, tree)


def _write(root: Path, kind: str, path: str, tree: Tree) -> None:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(write(kind, tree, path), encoding="utf-8")


def ask(folder: Path, root: Path) -> int:
    """Write, load, ask and print; return the exit code."""
    catalogue = catalogue_into(root)
    records, read = Records(), Counter[str]()
    for row in rows_of(folder):
        records.take(row, catalogue)
        read[row.table] += 1
    write_records(root, records, catalogue)
    registry = load(root)
    if registry.refusals:
        messages = Counter(refusal.message for refusal in registry.refusals)
        first = {refusal.message: refusal.path for refusal in reversed(registry.refusals)}
        for message, count in messages.most_common():
            print(f"refused: {message} ({count:,}), as {first[message]}", file=sys.stderr)
        return 1
    start = perf_counter()
    found = judged(registry)
    seconds = perf_counter() - start
    asked = Asked(read, records.rows, records.own, records.left, found, violations_of(folder))
    print(said(asked))
    print(f"\n{len(registry.records):,} records judged in {seconds:.1f} s")
    return 0 if passed(asked) else 1


def main() -> int:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the folder of the tables")
    parser.add_argument("--keep", type=Path, metavar="WHERE", help="keep the registry here")
    options = parser.parse_args()
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        return ask(options.folder, options.keep)
    with tempfile.TemporaryDirectory() as root:
        return ask(options.folder, Path(root))


if __name__ == "__main__":
    sys.exit(main())
