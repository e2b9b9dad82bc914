"""Measure a question over very many figures as a whole process, beside its peer, in one run.

    python benchmarks/query.py [--records 47000] [--runs 21] [--keep FOLDER]

A registry of that many records is made from the shipped ones. The first question makes its
snapshot; then the same question is asked again and again, by hardware and model, in turn with
DuckDB's command over the same rows (in a database of its own, from the csv that benchreg prints),
with `benchreg --version`, and with a Python that does nothing. All are whole processes; what is
printed are medians of CPU milliseconds, with the range.

Between questions that come close together every folder and the files of the answer are looked at.
`every file` is the first question after a pause, for which every file of the records is looked at.

DuckDB's command is installed into an environment of its own, below the folder that is kept.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from many import make

from audit import BENCHREG, Cost, cost

PEER = "duckdb-cli==1.5.6"
QUESTION = ("--hardware", "h100", "--model", "llama-2-70b")
ROWS = (
    "SELECT model, hardware, engine, metric, value, unit, seen_by_request, key FROM figures"
    " WHERE model LIKE 'llama-2-70b%' AND hardware LIKE '%h100%' LIMIT 100"
)
PAUSE_S = 11


class Peer(NamedTuple):
    """DuckDB's command, and the database that it is asked."""

    command: Path
    database: Path

    def asks(self) -> list[str]:
        """Return the command line of the question."""
        return [str(self.command), "-readonly", str(self.database), ROWS]


def peer(folder: Path, csv: Path) -> Peer:
    """Install DuckDB's command, and load the rows into a database of its own."""
    home, database = folder / "duckdb", folder / "figures.duckdb"
    if not home.is_dir():
        venv.create(home, with_pip=True)
        subprocess.run([home / "bin/pip", "install", "--quiet", PEER], check=True)
    database.unlink(missing_ok=True)
    load = f"CREATE TABLE figures AS FROM read_csv('{csv}', all_varchar = true)"
    subprocess.run([home / "bin/duckdb", str(database), load], check=True, capture_output=True)
    return Peer(home / "bin/duckdb", database)


def rounds(commands: dict[str, list[str]], runs: int) -> Iterator[tuple[str, Cost]]:
    """Yield what each command takes, all of them in turn, so often."""
    for _ in range(runs):
        for name, command in commands.items():
            yield name, cost(command)


def said(name: str, costs: list[Cost]) -> None:
    """Print the median of CPU milliseconds, and how far they went."""
    cpu = [1000 * one.cpu_s for one in costs]
    peak = statistics.median(one.peak_mib for one in costs)
    print(
        f"{name:<28} {statistics.median(cpu):8.1f} ms ({min(cpu):.1f} to {max(cpu):.1f})"
        f" {peak:6.0f} MiB   exit {sorted({one.code for one in costs})}"
    )


def main() -> None:
    """Make the registry, and ask it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, default=47_000)
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()) / "benchreg-query")
    given = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # as installed: compiled once
    root = given.keep / "registry"
    os.environ["BENCHREG_CACHE"] = str(given.keep / "cache")
    if len(list((root / "records/benchmarks").rglob("*.yaml"))) != given.records:
        make(root, given.records)
    own = [str(BENCHREG), "query", "--registry", str(root)]
    csv = given.keep / "figures.csv"
    said("the first question", [cost([*own, *QUESTION])])
    with csv.open("wb") as file:
        subprocess.run([*own, "--format", "csv", "--status", "any"], stdout=file, check=True)
    with csv.open("rb") as file:
        print(f"{sum(1 for _ in file) - 1:,} figures of {given.records:,} records")
    snapshot = next((given.keep / "cache").glob("*.sqlite"))
    print(f"the snapshot has {snapshot.stat().st_size / 2**20:,.0f} MiB")
    commands = {
        "benchreg query": [*own, *QUESTION],
        "DuckDB's command": peer(given.keep, csv).asks(),
        "benchreg --version": [str(BENCHREG), "--version"],
        "python -c pass": [sys.executable, "-c", "pass"],
    }
    cost(commands["benchreg query"])
    found: dict[str, list[Cost]] = {name: [] for name in commands}
    for name, one in rounds(commands, given.runs):
        found[name].append(one)
    for name, costs in found.items():
        said(name, costs)
    time.sleep(PAUSE_S)
    said("every file", [cost(commands["benchreg query"])])


if __name__ == "__main__":
    main()
