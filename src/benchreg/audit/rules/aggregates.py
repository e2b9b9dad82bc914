"""IDN, second part: an aggregate rate and the rate that one request sees belong together."""

from collections.abc import Iterator

from pydantic import MISSING

from benchreg.analysis.aggregates import may_be_aggregate
from benchreg.analysis.contradiction import contradicting
from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.catalogue import Metric
from benchreg.entities.figure import Figure
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry


def _one_in_flight(record: Record) -> bool:
    """Tell whether the load itself says that requests came one at a time."""
    load = record.load
    match load.pattern:
        case "single_stream":
            return True
        case "static_batch":
            return load.batch_size == 1
        case "closed_loop":
            return load.concurrency == 1
    levels = {load.batch_size, load.concurrency} - {MISSING}
    return load.pattern is MISSING and levels == {1}


def _has_no_user(record: Record) -> bool:
    """Tell whether all requests come at once, so that there is no user to speak of."""
    return record.load.pattern == "all_at_once" or record.load.scenario == "offline"


def _is_seen_by_request(figure: Figure, metric: Metric) -> bool:
    """Tell whether a figure can be what one request sees: a rate, TPOT or e2e latency of one.

    A latency of decoding is one only if it is that of a token: a chunk may hold several.
    """
    tokens = metric.counts in ("output_token", "any_token")
    latency = metric.quantity == "latency" and (metric.phase == "request" or tokens)
    return figure.scope == "per_request" and (latency or (metric.quantity == "rate" and tokens))


def _kept_beside(record: Record, registry: Registry) -> str:
    """Return the name of a figure of the record that one request sees; nothing without one."""
    for name, figure in record.results.items():
        metric = registry.metrics.get(figure.metric)
        if metric is not None and _is_seen_by_request(figure, metric):
            return name
    return ""


@rule(
    "IDN004",
    Severity.ERROR,
    over=Record,
    needs=("metrics", "results", "records"),
    waivable=False,
)
def aggregate_unlinked(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """An aggregate token rate stands alone.

    800 tok/s of a batch of 64 are 12.5 for each of its requests. Whoever meets the total alone
    takes it for the speed of the model. So the total names the figure that one request sees, or
    says why nobody can know it.

    Bad:

    ```yaml
    results:
      output_rate: {metric: output_throughput, scope: system, value: 800, unit: tok/s}
    ```

    Good:

    ```yaml
    results:
      output_rate:
        metric: output_throughput
        scope: system
        value: 800
        unit: tok/s
        seen_by_request: user_rate
      user_rate: {metric: output_rate_per_request, scope: per_request, value: 12.5, unit: tok/s}
    ```
    """
    for name, figure in record.results.items():
        if not may_be_aggregate(figure, registry.metrics[figure.metric]):
            continue
        if figure.seen_by_request is not MISSING:
            _, seen = registry.figure(record, figure.seen_by_request)
            if (metric := registry.metrics.get(seen.metric)) is None:
                yield NotEvaluated(("results", name), f"the metric {seen.metric} is not there")
            elif not _is_seen_by_request(seen, metric):
                yield Problem(
                    ("results", name, "seen_by_request"),
                    f"{figure.seen_by_request} is not what one request sees",
                    "name a rate, TPOT or end-to-end latency of scope per_request",
                    on_value=True,
                )
        elif "seen_by_request" in figure.absent:
            kept = "" if _has_no_user(record) else _kept_beside(record, registry)
            if kept:
                yield Problem(
                    ("results", name, "absent", "seen_by_request"),
                    f"what one request sees is declared absent, and {kept} is in the record",
                    f"write `seen_by_request: {kept}`",
                )
        elif not _one_in_flight(record):
            yield Problem(
                ("results", name),
                f"{figure.value} {figure.unit} is the total of many requests, and the figure that "
                "one request sees is not named",
                _name_it(record, registry),
            )


def _name_it(record: Record, registry: Registry) -> str:
    kept = _kept_beside(record, registry)
    which = (
        f"write `seen_by_request: {kept}`"
        if kept
        else ("name it under `seen_by_request` (a rate, TPOT or latency of scope per_request)")
    )
    return f"{which}, or say under the figure's own `absent` why it cannot be known"


@rule("IDN005", Severity.ERROR, over=Record, needs=("records", "results"), waivable=False)
def link_one_sided(record: Record, registry: Registry) -> Iterator[Problem]:
    """One record names another, and the other does not name it back.

    A reader may come from either side. What one request sees, kept in a record of its own, must
    lead to its aggregate, and of two records that contradict each other neither may look alone.

    Bad:

    ```yaml
    links:
      contradicts: [example-partner]
    ```

    Good:

    ```yaml
    links:
      replicates: [example-partner]
    ```
    """
    for name, figure in record.results.items():
        here = f"{record.id}#{name}"
        for side, back in (("seen_by_request", "aggregate"), ("aggregate", "seen_by_request")):
            reference = getattr(figure, side)
            if reference is MISSING or "#" not in reference:
                continue
            other, seen = registry.figure(record, reference)
            if other is record:
                yield Problem(
                    ("results", name, side),
                    f"{reference} is of this record itself",
                    f"write `{side}: {reference.partition('#')[2]}`",
                    on_value=True,
                )
            elif str(getattr(seen, back)).partition("#")[0] != record.id:
                yield Problem(
                    ("results", name, side),
                    f"{reference} does not name {here} back",
                    f"write `{back}: {here}` in {other.id}",
                    on_value=True,
                )
    for index, other_id in enumerate(record.links.contradicts):
        itself = other_id == record.id
        if itself or record.id not in registry.records[other_id].links.contradicts:
            yield Problem(
                ("links", "contradicts", index),
                f"{other_id} does not say that it contradicts {record.id}",
                f"write `contradicts: [{record.id}]` under its `links`",
                on_value=True,
            )


@rule("IDN006", Severity.ERROR, over=Record, needs=("records", "results"))
def counterpart_elsewhere(record: Record, registry: Registry) -> Iterator[Problem]:
    """The figure that one request sees comes from a run under other conditions.

    A total at 64 requests in flight and a per-request rate at 8 do not describe one system at
    work. A counterpart in another record must be of the same operating point.

    Bad:

    ```yaml
    results:
      output_rate:
        metric: output_throughput
        scope: system
        value: 800
        unit: tok/s
        seen_by_request: example-partner#user_rate
    ```

    ```yaml example-partner
    id: example-partner
    load:
      pattern: closed_loop
      concurrency: 8
      warmup: {requests: 0}
      requests: 640
      failed: 0
      window: full_drain
    results:
      user_rate:
        metric: output_rate_per_request
        scope: per_request
        value: 12.5
        unit: tok/s
        aggregate: base-record#output_rate
    ```

    Good:

    ```yaml
    results:
      output_rate:
        metric: output_throughput
        scope: system
        value: 800
        unit: tok/s
        seen_by_request: example-partner#user_rate
    ```

    ```yaml example-partner
    id: example-partner
    results:
      user_rate:
        metric: output_rate_per_request
        scope: per_request
        value: 12.5
        unit: tok/s
        aggregate: base-record#output_rate
    ```
    """
    for name, figure in record.results.items():
        if figure.seen_by_request is MISSING or "#" not in figure.seen_by_request:
            continue
        other, _ = registry.figure(record, figure.seen_by_request)
        if differ := contradicting(record, other):
            yield Problem(
                ("results", name, "seen_by_request"),
                f"{other.id} was measured under another {', another '.join(differ)}",
                "name a figure of the same operating point, or say why there is none",
                on_value=True,
                also=(other.id,),
            )


@rule("IDN008", Severity.WARNING, over=Record, needs=("metrics",))
def per_request_undisclosed(record: Record, registry: Registry) -> Iterator[Problem]:
    """An aggregate stands without the figure that one request sees, and says so.

    It is honest, and it leaves a reader without the half that matters to a user. It does not apply
    only where all requests come at once, as in MLPerf Offline.

    Bad:

    ```yaml
    results:
      output_rate:
        metric: output_throughput
        scope: system
        value: 800
        unit: tok/s
        absent: {seen_by_request: not_stated}
    ```

    Good:

    ```yaml
    load:
      pattern: all_at_once
      requests: 6400
      duration_s: 512
      failed: 0
      window: full_drain
      warmup: {requests: 0}
    results:
      output_rate:
        metric: output_throughput
        scope: system
        value: 800
        unit: tok/s
        absent: {seen_by_request: not_applicable}
    ```
    """
    for name, figure in record.results.items():
        declared = figure.absent.get("seen_by_request")
        if declared is None or (declared.because == "not_applicable" and _has_no_user(record)):
            continue
        if may_be_aggregate(figure, registry.metrics[figure.metric]):
            yield Problem(
                ("results", name, "absent", "seen_by_request"),
                f"what one request sees of {figure.value} {figure.unit} is "
                f"{declared.because.replace('_', ' ')}",
                "look for a per-request rate, TPOT or latency of the same run",
            )
