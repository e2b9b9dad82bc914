"""CON, third part: a load is whole, long enough, and under control."""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from pydantic import MISSING

from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.completeness import absence
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.values.interval import half_unit, short

PARAMETERS = {
    "static_batch": "batch_size",
    "closed_loop": "concurrency",
    "open_loop": "request_rate",
    "trace_replay": "dataset",
}


def _given(record: Record, parameter: str) -> bool:
    if parameter == "dataset":  # the trace itself, or the rate at which it was replayed
        return (record.workload.dataset, record.load.request_rate) != (MISSING, MISSING)
    return getattr(record.load, parameter) is not MISSING


@rule("CON008", Severity.ERROR, over=Record, waivable=False)
def load_incomplete(record: Record, registry: Registry) -> Iterator[Problem]:
    """A load pattern lacks its own parameter.

    A closed loop is known by how many requests it holds in flight, an open loop by its rate and
    by how the requests arrive, a static batch by its size. Another number does not stand for it.

    Bad:

    ```yaml
    load:
      pattern: open_loop
      request_rate: 12.5
      requests: 6400
      failed: 0
      duration_s: 512
      window: full_drain
      warmup: {requests: 0}
    ```

    Good:

    ```yaml
    load:
      pattern: open_loop
      request_rate: 12.5
      arrival: {process: poisson}
      requests: 6400
      failed: 0
      duration_s: 512
      window: full_drain
      warmup: {requests: 0}
    ```
    """
    del registry
    load = record.load
    if load.pattern is MISSING:
        return
    parameter = PARAMETERS.get(load.pattern)
    if parameter and not _given(record, parameter) and absence(record, "load") is None:
        yield Problem(
            ("load", "pattern"),
            f"a {load.pattern} has no {parameter}",
            f"state `{parameter}`, or write `load: not_stated` under `absent`",
        )
    no_arrival = load.arrival.process is MISSING and "load.arrival" not in record.absent
    if load.pattern == "open_loop" and no_arrival:
        yield Problem(
            ("load", "pattern"),
            "an open_loop does not say how requests arrive",
            "state `arrival: {process: ...}`, or write `load.arrival: not_stated` under `absent`",
        )


@rule("CON009", Severity.ERROR, over=Record)
def batch_for_concurrency(record: Record, registry: Registry) -> Iterator[Problem]:
    """A batch size is given where nothing is batched statically.

    What a client holds in flight is its concurrency; what a server puts into one step is its own
    business and changes from step to step. llama.cpp's "batch size" is neither.

    Bad:

    ```yaml
    load:
      pattern: closed_loop
      concurrency: 64
      batch_size: 64
      requests: 6400
      failed: 0
      duration_s: 512
      window: full_drain
      warmup: {requests: 0}
    ```

    Good:

    ```yaml
    load:
      pattern: closed_loop
      concurrency: 64
      requests: 6400
      failed: 0
      duration_s: 512
      window: full_drain
      warmup: {requests: 0}
    ```
    """
    del registry
    load = record.load
    if load.batch_size is MISSING or load.pattern in (MISSING, "static_batch"):
        return
    yield Problem(
        ("load", "batch_size"),
        f"a {load.pattern} has no batch size",
        "write `concurrency` for requests in flight; engine settings belong into `engine.flags`",
    )


SHORTEST_S = 60
LEAST_REQUESTS = 10


@rule("CON014", Severity.WARNING, over=Record)
def short_run(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """A run is too short to be in a steady state.

    The first and the last requests of a run meet a system that is not full. Under a minute, or
    with fewer than ten requests for each slot, they are most of what was measured. A single
    stream and static batches, which are repeated, have no such ends.

    Bad:

    ```yaml
    load:
      pattern: closed_loop
      concurrency: 64
      requests: 320
      failed: 0
      duration_s: 25.6
      window: full_drain
      warmup: {requests: 0}
    ```

    Good:

    ```yaml
    load:
      pattern: closed_loop
      concurrency: 64
      requests: 1280
      failed: 0
      duration_s: 102.4
      window: full_drain
      warmup: {requests: 0}
    ```
    """
    del registry
    load = record.load
    if record.outcome is not MISSING or load.pattern in ("single_stream", "static_batch"):
        return
    issued = load.requests if load.requests is not MISSING else load.completed
    if load.duration_s is MISSING and issued is MISSING:
        yield NotEvaluated(("load",), "neither the duration nor the number of requests is known")
        return
    why = []
    if load.duration_s is not MISSING and load.duration_s < SHORTEST_S:
        why.append(f"{load.duration_s} s")
    if issued is not MISSING and load.concurrency is not MISSING:
        few = issued < LEAST_REQUESTS * load.concurrency
        why += [f"{issued} requests for {load.concurrency} in flight"] if few else []
    if why:
        yield Problem(
            ("load",),
            f"the run is short: {' and '.join(why)}",
            f"measure for {SHORTEST_S} s and {LEAST_REQUESTS} requests a slot, or leave it so",
        )


@rule("CON020", Severity.ERROR, over=Record)
def total_disagrees(record: Record, registry: Registry) -> Iterator[Problem]:
    """Totals and means, or requests and their ends, do not add up.

    A measured mean length is the total of tokens over the completed requests, and a request that
    was issued completed or failed. No statistic is over more requests than one run had, and no
    variation over more runs than were made. Where that does not hold, a number was misread.

    Bad:

    ```yaml
    load:
      pattern: closed_loop
      concurrency: 64
      requests: 6400
      completed: 6390
      failed: 0
      duration_s: 512
      window: full_drain
      warmup: {requests: 0}
    ```

    Good:

    ```yaml
    load:
      pattern: closed_loop
      concurrency: 64
      requests: 6400
      completed: 6390
      failed: 10
      duration_s: 512
      window: full_drain
      warmup: {requests: 0}
    ```
    """
    del registry
    load, workload = record.load, record.workload
    ends = (load.requests, load.completed, load.failed)
    if MISSING not in ends and load.completed + load.failed != load.requests:  # type: ignore[operator]
        yield Problem(
            ("load", "requests"),
            f"{load.requests} requests are not {load.completed} completed and {load.failed} failed",
            "requests, completed and failed are of one run; correct the one that was misread",
            on_value=True,
        )
    yield from _more_than_there_were(record)
    completed = load.completed
    if workload.length_basis != "measured" or completed is MISSING or not completed:
        return
    for name in ("input_tokens", "output_tokens"):
        mean, total = getattr(workload, name), getattr(workload, f"total_{name}")
        if MISSING in (mean, total):
            continue
        found = Fraction(total, completed)
        if abs(Fraction(mean) - found) > 2 * half_unit(Decimal(mean)):
            yield Problem(
                ("workload", name),
                f"{mean} is not {total} tokens over {completed} requests ({short(found, 6)})",
                f"write {short(found, 6)}, or correct the total",
                on_value=True,
            )


def _more_than_there_were(record: Record) -> Iterator[Problem]:
    """Yield the figures that are over more requests, or vary over more runs, than there were."""
    load, runs = record.load, record.measurement.runs
    issued = load.requests if load.requests is not MISSING else load.completed
    for name, figure in record.results.items():
        if MISSING not in (figure.n, issued) and figure.n > issued:  # type: ignore[operator]
            yield Problem(
                ("results", name, "n"),
                f"{name} is over {figure.n:,} requests, and the run had {issued:,}",
                "`n` is of one run; correct it, or the requests",
                on_value=True,
            )
        varied = figure.variation.runs
        if MISSING not in (varied, runs) and varied > runs:  # type: ignore[operator]
            yield Problem(
                ("results", name, "variation", "runs"),
                f"{name} varies over {varied} runs, and {runs} were made",
                "correct it, or `measurement.runs`",
                on_value=True,
            )
