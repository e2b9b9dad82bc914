"""MET: a figure says what it measures, in which unit, and whose it is."""

from collections.abc import Iterator

from pydantic import MISSING

from benchreg.analysis.aliases import called, metric_meant
from benchreg.analysis.derivation import UnsettledError, find_input
from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import of_records_with, rule
from benchreg.entities.catalogue import Metric
from benchreg.entities.figure import Derivation, Figure
from benchreg.entities.record import Record
from benchreg.registry.document import Edit
from benchreg.registry.registry import Registry
from benchreg.values.expression import FormulaError, parse
from benchreg.values.text import suggestion
from benchreg.values.units import UNITS


@rule("MET001", Severity.ERROR, over=Record)
def metric_unknown(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """A metric is not in the catalogue.

    One name means three quantities in three tools. A figure names a metric of the catalogue,
    whose definition says which; a tool's own name belongs into `source_name`.

    Bad:

    ```yaml
    results:
      user_rate: {metric: tokens_per_second, scope: per_request, value: 12.5, unit: tok/s}
    ```

    Good:

    ```yaml
    results:
      user_rate: {metric: output_rate_per_request, scope: per_request, value: 12.5, unit: tok/s}
    ```
    """
    for name, figure in record.results.items():
        if figure.metric in registry.metrics:
            continue
        at = ("results", name, "metric")
        if ("metrics", figure.metric) in registry.refused_ids:
            yield NotEvaluated(at, f"{figure.metric} is there, and was refused")
            continue
        known = called(figure.metric, registry.metrics.values())
        meant = ", ".join(f"{metric} (of {tool})" for metric, tool in known)
        hint = f"it is the alias of {meant}" if meant else ""
        hint = hint or suggestion(figure.metric, registry.metrics) or _of_kind(figure, registry)
        message = f"the metric {figure.metric!r} is not in the catalogue"
        one = metric_meant(record, figure.metric, registry)
        edit = Edit(at, "replace", one) if one else None
        yield Problem(at, message, hint, on_value=True, edit=edit)


def _of_kind(figure: Figure, registry: Registry) -> str:
    """Say which metrics a figure could be, by its unit and scope."""
    could = [
        metric.id
        for metric in registry.metrics.values()
        if figure.unit in (metric.unit, *metric.other_units)
        and (figure.scope is MISSING or figure.scope in metric.scopes)
    ]
    which = f"in {figure.unit} there are {', '.join(could)}; " if could else ""
    return f"{which}docs/metrics.md tells the metrics apart"


def _each(record: Record, registry: Registry) -> Iterator[tuple[str, Figure, Metric]]:
    """Yield the figures whose metric is known."""
    for name, figure in record.results.items():
        if (metric := registry.metrics.get(figure.metric)) is not None:
            yield name, figure, metric


@rule("MET002", Severity.ERROR, over=(Record, Metric), needs=("metrics",))
def unit_wrong(subject: Record | Metric, registry: Registry) -> Iterator[Problem]:
    """A unit is not one of the metric's, or a metric's unit cannot be its own.

    Seconds read as milliseconds are a thousand times off, and no plot shows it. A metric of the
    catalogue must have units of one dimension, and a rate of tokens is one of tokens per time.

    Bad:

    ```yaml
    results:
      user_rate: {metric: output_rate_per_request, scope: per_request, value: 12.5, unit: ms}
    ```

    Good:

    ```yaml
    results:
      user_rate: {metric: output_rate_per_request, scope: per_request, value: 12.5, unit: tok/s}
    ```
    """
    if isinstance(subject, Metric):
        yield from _units_of(subject)
        return
    for name, figure, metric in _each(subject, registry):
        if figure.unit != metric.unit and figure.unit not in metric.other_units:
            units = " or ".join((metric.unit, *metric.other_units))
            yield Problem(
                ("results", name, "unit"),
                f"{figure.unit!r} is no unit of {metric.id}",
                f"write {units}",
                on_value=True,
            )


_DIMENSIONS = {
    ("rate", "request"): "requests per time",
    ("rate", "output_token"): "tokens per time",
    ("rate", "input_token"): "tokens per time",
    ("rate", "any_token"): "tokens per time",
}
_BY_QUANTITY = {"latency": "time", "power": "power", "energy": "energy per token"}


def _units_of(metric: Metric) -> Iterator[Problem]:
    key = (str(metric.quantity), str(metric.counts))
    wanted = _DIMENSIONS.get(key) or _BY_QUANTITY.get(metric.quantity)
    if metric.quantity == "rate" and wanted is None:
        yield Problem(("counts",), "a rate counts nothing", "say what it counts", on_value=True)
    for number, unit in enumerate((metric.unit, *metric.other_units)):
        at = ("unit",) if number == 0 else ("other_units", number - 1)
        known = UNITS.get(unit)
        if known is None or (wanted and known.dimension != wanted):
            allowed = [name for name, one in UNITS.items() if one.dimension == wanted]
            message = f"{unit!r} is no unit of {f'{wanted}' if wanted else 'a metric'}"
            yield Problem(at, message, f"write one of {', '.join(allowed or UNITS)}", on_value=True)


@rule("MET003", Severity.ERROR, over=Record, needs=("metrics",))
def scope_wrong(record: Record, registry: Registry) -> Iterator[Problem]:
    """A metric cannot have this scope.

    The time to first token of a system means nothing: a latency belongs to a request.

    Bad:

    ```yaml
    results:
      first: {metric: ttft, scope: system, statistic: mean, value: 95, unit: ms}
    ```

    Good:

    ```yaml
    results:
      first: {metric: ttft, scope: per_request, statistic: mean, value: 95, unit: ms}
    ```
    """
    for name, figure, metric in _each(record, registry):
        if figure.scope is not MISSING and figure.scope not in metric.scopes:
            yield Problem(
                ("results", name, "scope"),
                f"{metric.id} cannot be {figure.scope}",
                f"write {' or '.join(metric.scopes)}, or name another metric",
                on_value=True,
            )


@rule("MET004", Severity.ERROR, over=Record, needs=("metrics",))
def rate_without_scope(record: Record, registry: Registry) -> Iterator[Problem]:
    """A rate does not say whose rate it is.

    A server that emits 800 tok/s may give each of its 64 users 12.5. Both numbers are "tokens
    per second"; a reader who meets one alone takes it for the other. Requests per second may be
    those of the system, or of one accelerator of eight.

    Bad:

    ```yaml
    results:
      input_rate: {metric: input_throughput, value: 800, unit: tok/s}
    ```

    Good:

    ```yaml
    results:
      input_rate: {metric: input_throughput, scope: system, value: 800, unit: tok/s}
    ```
    """
    for name, figure, metric in _each(record, registry):
        if metric.quantity == "rate" and figure.scope is MISSING:
            yield Problem(
                ("results", name),
                f"{metric.id} has no scope",
                f"say `scope: {'` or `'.join(metric.scopes)}`",
                severity=Severity.WARNING if "scope" in figure.absent else None,
            )


@of_records_with("derivation")
@rule("MET005", Severity.ERROR, over=Record, needs=("metrics", "records"))
def decode_rate_with_prefill(
    record: Record, registry: Registry
) -> Iterator[Problem | NotEvaluated]:
    """A decode rate is derived from an end-to-end rate.

    The end-to-end time of a request holds its prefill. Tokens over that time is slower than
    decoding is, by as much as the prompt is long; it is `output_rate_per_request`.

    Bad:

    ```yaml
    results:
      completed_rate: {metric: request_throughput, scope: system, value: 12.5, unit: req/s}
      decode_rate:
        metric: decode_rate_per_request
        scope: per_request
        value: 12.5
        unit: tok/s
        derivation: {formula: completed_rate * 64 / 64}
    ```

    Good:

    ```yaml
    results:
      completed_rate: {metric: request_throughput, scope: system, value: 12.5, unit: req/s}
      user_rate:
        metric: output_rate_per_request
        scope: per_request
        value: 12.5
        unit: tok/s
        derivation: {formula: completed_rate * 64 / 64}
    ```
    """
    for name, figure, metric in _each(record, registry):
        if metric.phase != "decode" or figure.derivation is MISSING:
            continue
        try:
            inputs = list(_inputs(record, figure.derivation, registry))
        except (FormulaError, UnsettledError) as error:
            yield NotEvaluated(("results", name), f"the derivation cannot be read: {error}")
            continue
        whole = [one for one, _ in inputs if one.phase == "request" and one.quantity in _TIMED]
        without = any(one.phase == "prefill" and taken_off for one, taken_off in inputs)
        if whole and not without:
            yield Problem(
                ("results", name),
                f"{metric.id} is derived from {whole[0].id}, which holds the prefill",
                "call it output_rate_per_request, or derive it from TPOT",
            )


_TIMED = ("rate", "latency")
MOST_INPUTS = 200


def _inputs(
    record: Record, derivation: Derivation, registry: Registry
) -> Iterator[tuple[Metric, bool]]:
    """Yield the metrics of what a derivation rests on, and whether it is taken off there.

    What its inputs are derived from is part of it. Follows at most 200 figures.
    """
    seen: set[tuple[str, str]] = set()
    waiting = [(record, derivation)]
    for home, one in waiting:
        formula = parse(one.formula)
        for name in sorted(formula.names):
            found = find_input(registry, home, one, name).figure
            if found is None or (found[0].id, found[1]) in seen or len(seen) >= MOST_INPUTS:
                continue
            seen.add((found[0].id, found[1]))
            figure = found[0].results[found[1]]
            metric = registry.metrics.get(figure.metric)
            if metric is None:
                raise UnsettledError(f"the metric of {found[0].id}#{found[1]} is not there")
            yield metric, name in formula.taken_off
            if figure.derivation is not MISSING:
                waiting.append((found[0], figure.derivation))


@rule("MET013", Severity.ERROR, over=Metric)
def better_reversed(metric: Metric, registry: Registry) -> Iterator[Problem]:
    """A metric says that less of a rate is better, or more of a latency.

    Rankings and comparisons turn on `better`: with the wrong word the slowest system is the first.
    More is better of a rate; less is of a latency, an energy, a power, a cost and of memory. What
    is better of a ratio, only its definition says.

    Bad:

    ```yaml metrics/ttft
    better: higher
    ```

    Good:

    ```yaml metrics/ttft
    better: lower
    ```
    """
    del registry
    if metric.quantity == "ratio":
        return
    best = "higher" if metric.quantity == "rate" else "lower"
    if metric.better != best:
        yield Problem(
            ("better",),
            f"{metric.id} is a {metric.quantity}, and {metric.better} is said to be better",
            f"write `better: {best}`, or correct the quantity",
            on_value=True,
        )
