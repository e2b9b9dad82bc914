"""Measure the audit as whole processes, beside its peers, in one run.

    python benchmarks/audit.py [--records 10000] [--runs 5] [--keep FOLDER]

Three questions, each with medians and ratios:

1. a cold audit of many records: CPU seconds and peak memory; once with the shipped records under
   other ids, once with every value changed as well, so that no two records share their figures;
2. the same files through check-jsonschema, which only asks the schema;
3. `benchreg --version` against a Python that imports click and ends.

check-jsonschema is installed into an environment of its own, below the folder that is kept.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from many import make

HERE = Path(__file__).resolve().parents[1]
PEER = "check-jsonschema==0.39.0"
BENCHREG = Path(sys.executable).with_name("benchreg")


# what judges documents, links and arithmetic, without what flags absent conditions
SPINE = ",".join(
    (
        "SCH",
        "CON001,CON002,CON018,CON019",
        "DER001,DER002,DER003,DER005,DER010",
        "PRO001",
        *tuple(f"IDN00{number}" for number in range(1, 9)),
        *tuple(f"MET00{number}" for number in range(1, 6)),
    )
)


class Cost(NamedTuple):
    """What one process took."""

    cpu_s: float
    peak_mib: float
    code: int


def cost(command: list[str]) -> Cost:
    """Run a command to its end, and return what the system says it took."""
    with Path(os.devnull).open("wb") as nowhere:
        child = subprocess.Popen(command, stdout=nowhere, stderr=nowhere)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, child.returncode)


def pairs(one: list[str], other: list[str], runs: int) -> tuple[list[Cost], list[Cost]]:
    """Run two commands in turn."""
    both = [(cost(one), cost(other)) for _ in range(runs)]
    return [pair[0] for pair in both], [pair[1] for pair in both]


def said(name: str, costs: list[Cost]) -> None:
    """Print the median of several runs, and how far they went."""
    cpu = [one.cpu_s for one in costs]
    print(
        f"{name:<44} {statistics.median(cpu):8.2f} CPU s ({min(cpu):.2f} to {max(cpu):.2f})"
        f" {statistics.median(one.peak_mib for one in costs):7.0f} MiB"
        f"   exit {sorted({one.code for one in costs})}"
    )


def ratio(one: list[Cost], other: list[Cost]) -> float:
    """Return the median, over the pairs, of what the first took against the second."""
    return statistics.median(a.cpu_s / b.cpu_s for a, b in zip(one, other, strict=True))


def peer(folder: Path) -> Path:
    """Return check-jsonschema in an environment of its own."""
    home = folder / "peer"
    program = home / "bin/check-jsonschema"
    if not program.exists():
        venv.create(home, with_pip=True)
        pip = [str(home / "bin/python"), "-m", "pip", "install", "--quiet", PEER]
        subprocess.run(pip, check=True)
    return program


def compare(folder: Path, records: int, runs: int) -> None:
    """Print the three answers."""
    for label, spread in (("ids changed", False), ("ids and values changed", True)):
        root = folder / ("spread" if spread else "same")
        make(root, records, spread=spread)
        audit = [str(BENCHREG), "audit", "--registry", str(root)]
        said(f"audit of {records:,} records, {label}", [cost(audit) for _ in range(runs)])
        if not spread:
            some = [*audit, "--select", SPINE]
            said("the same, documents, links and arithmetic", [cost(some) for _ in range(runs)])
    files = sorted(str(path) for path in (folder / "same/records/benchmarks").rglob("*.yaml"))
    schema = str(HERE / "schema/record.schema.json")
    check = [str(peer(folder)), "--schemafile", schema, *files]
    ours, theirs = pairs([str(BENCHREG), "audit", "--registry", str(folder / "same")], check, 1)
    said("audit, in turn with the peer", ours)
    said("check-jsonschema, the schema alone", theirs)
    print(f"  audit / check-jsonschema: 1/{1 / ratio(ours, theirs):.1f} of its CPU time")
    start, bare = pairs([str(BENCHREG), "--version"], [sys.executable, "-c", "import click"], runs)
    said("benchreg --version", start)
    said("python -c 'import click'", bare)
    print(f"  --version / import click: {ratio(start, bare):.2f} of its CPU time")


def main(run: Callable[[Path, int, int], None]) -> None:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument(
        "--keep", type=Path, help="a folder for what is made, kept for the next run"
    )
    options = parser.parse_args()
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        run(options.keep, options.records, options.runs)
        return
    with tempfile.TemporaryDirectory() as folder:
        run(Path(folder), options.records, options.runs)


if __name__ == "__main__":
    main(compare)
