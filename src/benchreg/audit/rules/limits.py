"""MET, sixth part: what was asked of a run was reached, or the record says that it was not."""

import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from pydantic import MISSING

from benchreg.analysis.statistics import RANK
from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import of_records_with, rule
from benchreg.entities.completeness import absence
from benchreg.entities.conditions import Accuracy, Slo
from benchreg.entities.figure import Figure
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.values.interval import half_unit, rounded_from
from benchreg.values.units import factor

LIMITS = {"ttft": "ttft_ms", "tpot": "tpot_ms", "e2e_latency": "e2e_ms"}


@of_records_with("slo")
@rule("MET014", Severity.ERROR, over=Record)
def limit_exceeded(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """A latency is over the limit that the run is said to have kept.

    A rate under a limit (`slo` with a `percentile`) is worth what the limit is: over it, the load
    was too high, and the rate is not that of a system that serves in time. A percentile at or
    below the named one must be within. A run that did not keep its limits says so by `outcome:
    limit_not_met`. Without a percentile each request is judged by itself, as for goodput. A limit
    on the first token is no wider than that on the whole request, and one on each further token no
    wider than that on the first: else two were swapped, which is a warning.

    Bad:

    ```yaml
    slo: {ttft_ms: 450, percentile: p99}
    results:
      first: {metric: ttft, scope: per_request, statistic: p99, value: 951, unit: ms}
    ```

    Good:

    ```yaml
    slo: {ttft_ms: 450, percentile: p99}
    results:
      first: {metric: ttft, scope: per_request, statistic: p99, value: 395, unit: ms}
    ```
    """
    del registry
    slo = record.slo
    if slo is MISSING:
        return
    yield from _out_of_order(slo)
    if slo.percentile is MISSING or record.outcome is not MISSING:
        return
    for metric, name in LIMITS.items():
        limit = getattr(slo, name)
        if limit is MISSING:
            continue
        rank = RANK[str(slo.percentile)]
        held = [
            one
            for one, figure in record.results.items()
            if figure.metric == metric and RANK.get(str(figure.statistic), len(RANK)) <= rank
        ]
        if not held:
            reason = f"no figure says what the {slo.percentile} of {metric} was"
            yield NotEvaluated(("slo", name), reason)
        for result in held:
            figure = record.results[result]
            if not _plainly_within(figure, limit) and _milliseconds(figure) > limit:
                yield Problem(
                    ("results", result, "value"),
                    f"the {figure.statistic} of {metric} is {figure.value} {figure.unit}, and the "
                    f"limit on the {slo.percentile} {limit} ms",
                    "correct the one that was misread, or say `outcome: limit_not_met`",
                    on_value=True,
                    also=(str(limit),),
                )


HELD = {
    "ttft_ms": "the first token",
    "tpot_ms": "each further one",
    "e2e_ms": "a whole request",
}
SERVED = frozenset(("server", "interactive"))


@rule("MET020", Severity.WARNING, over=Record)
def limit_untold(record: Record, registry: Registry) -> Iterator[Problem]:
    """A run was held to limits, and nothing says to which.

    The Server and Interactive scenarios of MLPerf are a rate under limits on the first token and
    on the others, which most requests must keep (`percentile`); an outcome of `limit_not_met` is
    that of a limit. A rate that was held to 2,000 ms and one to 450 ms are as far apart as two
    systems.

    Bad:

    ```yaml
    outcome: limit_not_met
    ```

    Good:

    ```yaml
    outcome: limit_not_met
    slo: {ttft_ms: 450, tpot_ms: 40, percentile: p99}
    ```
    """
    del registry
    slo, served = record.slo, record.load.scenario in SERVED
    if not served and record.outcome != "limit_not_met":
        return
    if absence(record, "slo") is None and (slo is MISSING or not _limits(slo)):
        what = f"the scenario {record.load.scenario}" if served else "the outcome"
        hint = "state them under `slo`, or write `slo: not_stated` under `absent`"
        at = ("load", "scenario") if served else ("outcome",)
        yield Problem(at, f"{what} has limits, and none is told", hint)
    elif served and slo is not MISSING and slo.percentile is MISSING:
        hint = "write `percentile: p99`, or the one that the source names"
        yield Problem(("slo",), "the limits do not say how many requests must keep them", hint)


def _limits(slo: Slo) -> list[str]:
    return [name for name in LIMITS.values() if getattr(slo, name) is not MISSING]


def _plainly_within(figure: Figure, limit: Decimal) -> bool:
    return figure.unit == "ms" and figure.value <= limit


def _milliseconds(figure: Figure) -> Fraction:
    """Return the least that a latency stands for, in ms; 0 where its unit is none of time."""
    least = Fraction(figure.value)
    if figure.printed is not MISSING:
        least = min(least, rounded_from(Decimal(figure.printed)).low)
    return least * (factor(figure.unit, "ms") or 0)


def _out_of_order(slo: Slo) -> Iterator[Problem]:
    """Yield where a limit on a part is wider than that on what holds the part."""
    parts = (("tpot_ms", "ttft_ms"), ("ttft_ms", "e2e_ms"), ("tpot_ms", "e2e_ms"))
    for part, whole in parts:
        low, high = getattr(slo, part), getattr(slo, whole)
        if MISSING not in (low, high) and low > high:
            yield Problem(
                ("slo", whole),
                f"{HELD[whole]} is held to {high} ms, and {HELD[part]} to {low} ms",
                "look whether two limits were swapped",
                severity=Severity.WARNING,
                on_value=True,
            )


# Words of evaluations of which less is better.
LESS_IS_BETTER = frozenset(
    ("perplexity", "ppl", "wer", "cer", "loss", "error", "errors", "fid", "bpb", "bpc", "nll")
)


@lru_cache(maxsize=1024)
def _less_is_better(name: str) -> bool:
    return not LESS_IS_BETTER.isdisjoint(re.split("[^a-z]+", name.casefold()))


@of_records_with("accuracy")
@rule("MET015", Severity.ERROR, over=Record)
def accuracy_missed(record: Record, registry: Registry) -> Iterator[Problem]:
    """An accuracy is under its target.

    A model that was quantised until it fails its evaluation is fast, and is not the model that it
    is called. Where MLPerf holds a result to its target, such a result is not valid; anywhere else
    this is a warning, and the open division has no targets to keep. Of a perplexity or an error
    less is better. An evaluation of no samples, or a target that anything reaches, says nothing.

    Bad:

    ```yaml
    mlperf:
      round: v5.1
      division: closed
      result_path: closed/Example/results/1xExample/llama2-70b-99/Server
    accuracy:
      - {eval: ROUGE1, value: 43.9, target: 44.3868}
    ```

    Good:

    ```yaml
    mlperf:
      round: v5.1
      division: closed
      result_path: closed/Example/results/1xExample/llama2-70b-99/Server
    accuracy:
      - {eval: ROUGE1, value: 44.5, target: 44.3868}
    ```
    """
    del registry
    for index, one in enumerate(record.accuracy):
        at = ("accuracy", index)
        if one.n == 0:
            hint = "leave the evaluation out, or state its samples"
            yield Problem((*at, "n"), f"{one.eval} is of no samples", hint, on_value=True)
        less = _less_is_better(one.eval)
        if one.target == 0 and not less:
            what = f"anything reaches a target of 0 for {one.eval}"
            yield Problem((*at, "target"), what, "leave it out", Severity.WARNING, on_value=True)
        if record.outcome is MISSING and not _open(record) and _missed(one, less=less):
            yield Problem(
                (*at, "value"),
                f"{one.eval} is {one.value}, and {one.target} was asked for",
                "correct the one that was misread; a run that failed its target is not valid",
                severity=Severity.WARNING if record.mlperf is MISSING else None,
                on_value=True,
                also=(str(one.target),),
            )


def _open(record: Record) -> bool:
    return record.mlperf is not MISSING and record.mlperf.division == "open"


def _missed(one: Accuracy, *, less: bool) -> bool:
    """Tell whether a value misses its target, whatever its last digit was rounded from."""
    if MISSING in (one.value, one.target):
        return False
    lacks = one.value - one.target if less else one.target - one.value  # type: ignore[operator]
    return lacks > 0 and Fraction(lacks) > half_unit(one.value)  # type: ignore[arg-type]
