"""MET, fourth part: over which pool, of how many requests, and within which limits."""

from collections.abc import Iterator
from fractions import Fraction

from pydantic import MISSING

from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import of_records_with, rule
from benchreg.entities.completeness import absence, nothing_completed
from benchreg.entities.conditions import Load
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.values.interval import short


@of_records_with("per_accelerator")
@rule("MET010", Severity.ERROR, over=Record)
def pool_unnamed(record: Record, registry: Registry) -> Iterator[Problem]:
    """A figure per accelerator does not say which pool it divides by.

    Where some parts prefill and others decode, some tools divide output tokens by the decoding
    parts alone, and some by all. With 20 parts of one kind and 32 of the other the two differ by
    a factor of 1.6. `over` says which: `all`, `prefill` or `decode`.

    Bad:

    ```yaml
    hardware:
      pools:
        - accelerator: example-gpu-80gb
          count: 20
          role: prefill
          parallelism: {tensor: 4, replicas: 5}
        - accelerator: example-gpu-80gb
          count: 32
          role: decode
          parallelism: {tensor: 32}
    results:
      input_each: {metric: input_throughput, scope: per_accelerator, value: 5498, unit: tok/s}
    ```

    Good:

    ```yaml
    hardware:
      pools:
        - accelerator: example-gpu-80gb
          count: 20
          role: prefill
          parallelism: {tensor: 4, replicas: 5}
        - accelerator: example-gpu-80gb
          count: 32
          role: decode
          parallelism: {tensor: 32}
    results:
      input_each:
        metric: input_throughput
        scope: per_accelerator
        over: prefill
        value: 5498
        unit: tok/s
    ```
    """
    del registry
    pools = record.hardware.pools
    roles = {pool.role for pool in pools}
    for name, figure in record.results.items():
        if figure.scope != "per_accelerator":
            continue
        if figure.over is MISSING and len(pools) > 1:
            yield Problem(
                ("results", name),
                f"{figure.metric} per accelerator, of {len(pools)} pools, does not say over which",
                "write `over: all`, `over: prefill` or `over: decode`",
            )
        elif figure.over in ("prefill", "decode") and roles.isdisjoint((figure.over, MISSING)):
            yield Problem(
                ("results", name, "over"),
                f"no pool has the role {figure.over}",
                "name a pool of the record, or give the pools their `role`",
                on_value=True,
            )


WORTH_AN_ERROR, WORTH_A_WARNING = 5, 1  # percent of the requests


@rule("MET011", Severity.ERROR, over=Record)
def failures_uncounted(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """Requests failed, or nobody counted whether they did.

    A request that fails takes no time, and a rate over those that are left looks the better the
    more of them fail. Over 5 % is an error, as is a run in which nothing completed; over 1 % is a
    warning. So is a served load that counts no failures and does not declare `load.failed`
    absent. Static batches, single streams and LoadGen have no such count, and a run that ended
    otherwise says so by its `outcome`.

    Bad:

    ```yaml
    load:
      pattern: closed_loop
      concurrency: 64
      requests: 6400
      completed: 6000
      failed: 400
      duration_s: 480
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
    load = record.load
    if nothing_completed(record):
        return
    if 0 in (load.completed, load.requests):
        hint = "say `outcome: failed` and leave the figures out"
        yield Problem(("load",), "nothing completed", hint)
        return
    failed, issued = _failed(load), _issued(load)
    if failed is None:
        yield from _uncounted(record)
    elif failed and issued is None:
        yield NotEvaluated(("load", "failed"), f"of how many requests {failed} failed is not known")
    elif failed and issued and 100 * failed > WORTH_A_WARNING * issued:
        share = short(Fraction(100 * failed, issued), 3)
        yield Problem(
            ("load", "failed") if load.failed is not MISSING else ("load", "completed"),
            f"{failed:,} of {issued:,} requests failed ({share} %)",
            "measure again, or lower the load: the figures are those of what was left",
            severity=None if 100 * failed > WORTH_AN_ERROR * issued else Severity.WARNING,
            on_value=True,
        )


def _failed(load: Load) -> int | None:
    if load.failed is not MISSING:
        return load.failed
    if load.requests is MISSING or load.completed is MISSING:
        return None
    return max(0, load.requests - load.completed)


def _issued(load: Load) -> int | None:
    if load.requests is not MISSING:
        return load.requests
    if load.completed is MISSING or load.failed is MISSING:
        return None
    return load.completed + load.failed


def _uncounted(record: Record) -> Iterator[Problem | NotEvaluated]:
    """Judge a load whose failures are not known: a served one has to count them."""
    never_ran = record.outcome is not MISSING or record.kind == "estimate"
    if never_ran or record.load.pattern in ("static_batch", "single_stream") or _loadgen(record):
        return
    if absence(record, "load.failed") is not None:
        return
    if record.load.pattern is MISSING:
        yield NotEvaluated(("load",), "whether requests were served, and could fail, is not known")
        return
    yield Problem(
        ("load",),
        f"a {record.load.pattern} does not say how many of its requests failed",
        "state `failed`, or write `load.failed: not_stated` under `absent`",
        severity=Severity.WARNING,
    )


def _loadgen(record: Record) -> bool:
    harness = record.measurement.harness
    return record.mlperf is not MISSING or (
        harness is not MISSING and "loadgen" in harness.casefold()
    )


GOODPUT = "goodput"


@of_records_with("goodput")
@rule("MET012", Severity.ERROR, over=Record)
def goodput_without_limits(record: Record, registry: Registry) -> Iterator[Problem]:
    """A goodput does not say which limits its requests kept.

    Goodput counts the requests within the latency limits. With limits that are wide enough it is
    the throughput, and with narrow ones nothing: without them the number cannot be read.

    Bad:

    ```yaml
    results:
      kept: {metric: goodput, scope: system, value: 11.2, unit: req/s}
    ```

    Good:

    ```yaml
    slo: {ttft_ms: 450, tpot_ms: 40}
    results:
      kept: {metric: goodput, scope: system, value: 11.2, unit: req/s}
    ```
    """
    del registry
    slo = record.slo
    if slo is not MISSING and not {"ttft_ms", "tpot_ms", "e2e_ms"}.isdisjoint(slo.model_fields_set):
        return
    declared = absence(record, "slo")
    if declared is not None and declared.because != "not_applicable":
        return
    for name, figure in record.results.items():
        if figure.metric == GOODPUT:
            yield Problem(
                ("results", name),
                "a goodput without the limits that its requests kept",
                "state them under `slo`, or write `slo: not_stated` under `absent`",
            )


LOW_END = frozenset(("min", "p1", "p5", "p10"))


@rule("MET017", Severity.ERROR, over=Record, needs=("metrics",))
def figure_of_nothing(record: Record, registry: Registry) -> Iterator[Problem]:
    """A rate or a latency is 0.

    A system that completed requests has a rate, and none was answered in no time. A 0 stands where
    nothing completed, or where a program had no number. `outcome` says how the run ended, and such
    a figure is left out. A goodput may be 0, and so may a gap between two tokens that came
    together, a figure at the low end of its requests, and what was rounded to it (`printed`).

    Bad (also PLA006):

    ```yaml
    results:
      each: {metric: output_rate_per_request, scope: per_request, value: 0, unit: tok/s}
    ```

    Good:

    ```yaml
    results:
      each: {metric: output_rate_per_request, scope: per_request, value: 12.5, unit: tok/s}
    ```
    """
    for name, figure in record.results.items():
        if figure.value or figure.printed is not MISSING or figure.statistic in LOW_END:
            continue
        metric = registry.metrics[figure.metric]
        gap = metric.quantity == "latency" and metric.phase == "decode"
        if metric.quantity in ("rate", "latency") and metric.id != GOODPUT and not gap:
            yield Problem(
                ("results", name, "value"),
                f"{metric.id} is 0 {figure.unit}",
                "leave the figure out, and say by `outcome` how the run ended if nothing completed",
                on_value=True,
            )
