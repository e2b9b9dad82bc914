"""What `find` takes: names, ranges of numbers, and words that a column must be."""

from typing import TypedDict

from benchreg.snapshot.columns import NUMBERS
from benchreg.values.errors import BenchregError

NAMED = ("hardware", "model", "engine", "source")
Bounds = str | float | tuple[float | None, float | None]


class Filters(TypedDict, total=False):
    """A name of the catalogue, a range of a column of numbers, or the word of another column."""

    hardware: str
    model: str
    engine: str
    source: str
    record: str
    figure: str
    title: str
    kind: str
    outcome: str
    tier: str
    family: str
    size: Bounds
    accelerator: str
    vendor: str
    count: Bounds
    precision: str
    activations: str
    kv_cache: str
    metric: str
    scope: str
    statistic: str
    value: Bounds
    unit: str
    low: Bounds
    high: Bounds
    seen_value: Bounds
    seen_unit: str
    verdict: str
    of_bound: Bounds
    of_widest: Bounds
    mbu: Bounds
    mfu: Bounds
    window: str
    scenario: str
    pattern: str
    batch: Bounds
    concurrency: Bounds
    request_rate: Bounds
    level: Bounds
    input_tokens: Bounds
    output_tokens: Bounds
    requests: Bounds
    duration_s: Bounds
    runs: Bounds
    publisher: str
    round: str
    division: str
    submitter: str
    system: str
    sweep: str
    harness: str
    absent: str
    inferred: str


def text(name: str, value: object) -> str:
    """Return a filter as the command line has it; raises BenchregError for one that is none."""
    if isinstance(value, tuple):
        ends = ["" if end is None else f"{end}" for end in value]
        if len(ends) != 2 or name not in NUMBERS:
            raise BenchregError(f"{name}: a range is two ends, of {', '.join(sorted(NUMBERS))}")
        return "..".join(ends)
    if not isinstance(value, str | int | float):
        raise BenchregError(f"{name}: {value!r} is neither a text nor a number")
    return str(value)
