"""Measure the estimator alone: a million configurations, and the reference sweep.

    python benchmarks/estimator.py [--configurations 1000000] [--repeat 5]

The configurations are drawn from a fixed seed: five models of the catalogue (dense, grouped heads,
experts, latent attention, windows) on four parts, 1 to 8 ways, lengths to 8,192 and 2,048 tokens. A
child process of its own runs each load on one core, so that the memory told is its own.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from benchreg.registry.load import load
from benchreg.registry.roots import own_root
from benchreg.report.swept import as_json
from benchreg.roofline import reference
from benchreg.roofline.estimate import closed_loop, saturated, static_batch
from benchreg.roofline.figures import Load
from benchreg.roofline.hardware import Part, part
from benchreg.roofline.model import Terms, terms
from benchreg.roofline.request import Lengths
from benchreg.roofline.step import Layout, Setup, Storage
from benchreg.roofline.sweep import sweep

MODELS = ("mpt-7b", "llama-2-70b", "mixtral-8x7b-instruct-v0.1", "gpt-oss-120b", "deepseek-r1")
PARTS = ("a100-sxm4-80gb", "h100-sxm5-80gb", "mi300x-192gb", "b200-sxm-180gb")
FORMS = {"static_batch": static_batch, "closed_loop": closed_loop, "saturated": saturated}
MIBI = 1024  # of the KiB that the system counts in


def drawn(size: int) -> tuple[Setup, Load]:
    """Return so many configurations."""
    registry = load(own_root(), only=frozenset(("model", "accelerator")))
    draw = np.random.default_rng(20)
    models = Terms.stack([terms(registry.models[name]) for name in MODELS])
    parts = Part.stack([part(registry.accelerators[name], ("bf16",), 8) for name in PARTS])
    setup = Setup(
        models.take(draw.integers(0, len(MODELS), size)),
        parts.take(draw.integers(0, len(PARTS), size)),
        Layout(tensor=2.0 ** draw.integers(0, 4, size)),
        Storage(1.0, 2.0, 1.0),
    )
    lengths = Lengths(
        draw.integers(16, 8192, size).astype(float), draw.integers(2, 2048, size).astype(float)
    )
    return setup, Load(draw.integers(1, 256, size).astype(float), lengths)


def child(form: str, size: int, repeat: int) -> None:
    """Measure one load, and print what it took as JSON."""
    setup, asked = drawn(size)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MIBI
    seconds = []
    for _ in range(repeat):
        start = time.process_time()
        FORMS[form](setup, asked)
        seconds.append(time.process_time() - start)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MIBI
    print(json.dumps({"seconds": seconds, "before": before, "most": most}))


def reference_ms(repeat: int) -> list[float]:
    """Return the milliseconds of the reference sweep, from its axes to the document."""
    found = []
    for _ in range(repeat + 1):
        start = time.perf_counter()
        as_json(sweep(reference.GRID), reference.NAME, reference.TPOT_LIMIT_S)
        found.append((time.perf_counter() - start) * 1e3)
    return found[1:]


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--configurations", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--child", choices=[*FORMS], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child, options.configurations, options.repeat)
        return
    print(f"{options.configurations:,} configurations, medians of {options.repeat}")
    for form in FORMS:
        arguments = ["--configurations", str(options.configurations), "--child", form]
        said = subprocess.run(
            [sys.executable, __file__, *arguments, "--repeat", str(options.repeat)],
            stdout=subprocess.PIPE,
            check=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            cwd=Path(__file__).parent,
        )
        found = json.loads(said.stdout)
        seconds = found["seconds"]
        print(
            f"  {form:<14}{statistics.median(seconds):>7.2f} CPU s "
            f"({min(seconds):.2f} to {max(seconds):.2f}), {found['most']:,.0f} MiB at the most, "
            f"{found['before']:,.0f} before"
        )
    times = reference_ms(20)
    print(f"  reference sweep {statistics.median(times):.2f} ms ({max(times):.2f} at the most)")


if __name__ == "__main__":
    main()
