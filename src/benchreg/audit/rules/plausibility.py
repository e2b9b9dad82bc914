"""PLA: a figure is one that its hardware can have made."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import isfinite, isnan
from typing import TYPE_CHECKING

from pydantic import MISSING

from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.completeness import nothing_completed
from benchreg.entities.figure import Figure
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.values.expression import FormulaError, parse
from benchreg.values.text import amount
from benchreg.values.units import factor

if TYPE_CHECKING:  # numpy is slow to import, and many rules do without
    from benchreg.analysis.crosscheck import Verdict

NEEDS = ("models", "accelerators", "engines", "metrics")
Verdicts = Mapping[str, "Verdict"]


@rule("PLA001", Severity.ERROR, over=Record, needs=NEEDS, waivable=False)
def faster_than_physics(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """A figure is faster than its hardware can be.

    To make a token, the weights are read once and multiplied once, and a prompt is multiplied
    whole: bandwidth and peak arithmetic say how long that takes at least, with nothing lost. What
    the record leaves open stands at its most generous end: the fastest part that is meant, the
    smallest numbers, every prompt found in a cache. A figure beyond that was misread or measured
    wrongly: a total kept as a share, seconds kept as milliseconds, outputs that ended early.

    What is derived from such a figure is named with it, and is no further finding. In a record
    that is not active it is a note: the record says so itself.

    Bad:

    ```yaml
    results:
      tpot: {metric: tpot, scope: per_request, statistic: mean, value: 0.025, unit: ms}
    ```

    Good:

    ```yaml
    results:
      tpot: {metric: tpot, scope: per_request, statistic: mean, value: 25, unit: ms}
    ```
    """
    found = _found(record, registry)
    beaten = {name: one for name, one in found.items() if one.kind == "impossible"}
    below = {name: _uses(record.results[name]) & beaten.keys() - {name} for name in beaten}
    for name in [name for name in beaten if not below[name]] or beaten:
        resting = [other for other in beaten if other != name and name in _under(other, below)]
        yield Problem(
            ("results", name, "value"),
            _beyond(record.results[name], beaten[name], resting),
            CHECK[registry.metrics[record.results[name].metric].quantity == "latency"],
            severity=None if record.status == "active" else Severity.NOTE,
            on_value=True,
        )
    yield from _unjudged(record, registry, found)


CHECK = {
    False: "check whose rate it is, its unit, the count, the model, its precision and the lengths",
    True: "check its unit, where its clock starts and ends, the count, the model and the lengths",
}


def _beyond(figure: Figure, verdict: "Verdict", resting: list[str]) -> str:
    told = verdict.reason
    if verdict.taken and isfinite(verdict.nominal):
        taken = " and ".join(verdict.taken)
        told += f"; taken with {taken}: {amount(verdict.nominal)} {figure.unit}"
    return f"{told}; derived from it: {', '.join(resting)}" if resting else told


def _under(name: str, below: Mapping[str, set[str]]) -> set[str]:
    """Return all that a figure is derived from, over any number of steps."""
    found, left = set(below[name]), list(below[name])
    while left:
        more = below[left.pop()] - found
        found |= more
        left += more
    return found


def _uses(figure: Figure) -> set[str]:
    """Return the names that a figure's derivation uses."""
    if figure.derivation is MISSING:
        return set()
    try:
        names = parse(figure.derivation.formula).names
    except FormulaError:
        return set()
    return {figure.derivation.inputs.get(name, name) for name in names}


@rule("PLA002", Severity.ERROR, over=Record, needs=NEEDS, waivable=False)
def does_not_fit(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """A model does not fit into the memory that it is said to have run in.

    The weights and the cache of one sequence lie in memory while a token is made, at the very
    least. Where they are larger than every part that is meant, or all sequences are where the
    source says that all were resident, the count, the part, the model or its precision is another
    one, or something lay in the memory of the host. A run that ended out of memory is evidence.

    Bad:

    ```yaml
    precision: {weights: bf16, activations: bf16, kv_cache: bf16, weights_bytes: 133000000000}
    ```

    Bad:

    ```yaml
    load:
      pattern: closed_loop
      concurrency: 640
      resident: true
      requests: 6400
      failed: 0
      duration_s: 512
      window: full_drain
      warmup: {requests: 0}
    ```

    Good:

    ```yaml
    precision: {weights: bf16, activations: bf16, kv_cache: bf16, weights_bytes: 13300000000}
    ```
    """
    found = _found(record, registry)
    unfit = [one for one in found.values() if one.kind == "does_not_fit"]
    if unfit and not nothing_completed(record):
        yield Problem(
            ("hardware", "pools"),
            unfit[0].reason,
            "check the count and the part, the model and its precision; what lay on the host is "
            "`engine.host_offload`",
            severity=None if record.status == "active" else Severity.NOTE,
        )
    if len({one.reason for one in found.values()}) <= 1:  # a reason of one figure is none of all
        yield from _unjudged(record, registry, found)


USUAL = (MISSING, "mean", "p50")
WORDS = {
    "idle": "one request used {} of the bandwidth of one accelerator",
    "full": "one request used {} of the bandwidth",
    "beyond": "with all prompts computed, {} of the arithmetic was used",
}


@rule("PLA005", Severity.WARNING, over=Record, needs=NEEDS)
def utilisation_odd(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """A figure uses hardly any of its hardware, or nearly all.

    A single request reads all weights for each token. Good engines reach 30 to 80 % of the
    bandwidth so; a figure over 95 %, whatever the unknown formats and parts were, is closer to
    the bound than software comes. One under 5 % of the bandwidth and of the arithmetic of even one
    accelerator, as those of a pipeline take turns, left it idle nearly all the time: the unit,
    the model or the count may be wrong, or the clock was of something else. Outputs under 16
    tokens are not judged so.

    At any load, the requests in flight and their latency tell a rate. Where that comes to more
    than all arithmetic, fewer were in flight, outputs ended early, or prompts were found in a
    cache of which the record says nothing. What is beyond the bound by itself is PLA001.

    Bad:

    ```yaml
    load: {pattern: single_stream, requests: 100, window: full_drain, warmup: {requests: 1}}
    results:
      tpot: {metric: tpot, scope: per_request, statistic: mean, value: 250, unit: ms}
    ```

    Bad:

    ```yaml
    load: {pattern: single_stream, requests: 100, window: full_drain, warmup: {requests: 1}}
    results:
      tpot: {metric: tpot, scope: per_request, statistic: mean, value: 6.8, unit: ms}
    ```

    Good:

    ```yaml
    load: {pattern: single_stream, requests: 100, window: full_drain, warmup: {requests: 1}}
    results:
      tpot: {metric: tpot, scope: per_request, statistic: mean, value: 11, unit: ms}
    ```
    """
    from benchreg.analysis.oddities import alone, oddities  # noqa: PLC0415  (numpy is slow to import)

    judged = _found(record, registry).items()
    found = {name: verdict for name, verdict in judged if verdict.kind == "plausible"}
    odd: dict[str, list[tuple[str, float]]] = {}
    for name, verdict in found.items():
        if record.results[name].statistic in USUAL:
            for oddity, share in oddities(record, verdict):
                odd.setdefault(oddity, []).append((name, share))
    for kind, shares in odd.items():
        names, said = [name for name, _ in shares], WORDS[kind]
        yield Problem(
            ("results", names[0]),
            f"{', '.join(names)}: {said.format(_percent(shares[0][1]))}",
            "check the unit, the model, the count and the lengths; where it is so, leave it",
            also=(kind,),
        )
    if found and alone(record) and all(isnan(one.mbu) for one in found.values()):
        reason = "no figure tells how much of the bandwidth was used, or a length is not known"
        yield NotEvaluated(("results",), reason)


def _percent(share: float) -> str:
    return f"{amount(float(f'{100 * share:.3g}'))} %"


@rule("PLA006", Severity.NOTE, over=Record, needs=NEEDS)
def cross_check_impossible(record: Record, registry: Registry) -> Iterator[Problem]:
    """The roofline cannot say whether a figure is possible.

    A figure that was not held against its hardware looks like one that was. This is the list of
    those, with the reason: the part or the model is not linked, a size of it is not in the
    catalogue, weights lay on the host. Figures that no roofline bounds (power, cost, an offered
    rate, an acceptance length, percentiles of gaps) are left out: nothing could be done about
    them.

    Bad:

    ```yaml
    model: {described_as: Example 7B}
    ```

    Good:

    ```yaml
    model: {id: example-model, described_as: Example 7B}
    ```
    """
    for reason, names in _reasons(record, registry, _found(record, registry)).items():
        yield Problem(
            ("results", names[0]),
            f"not held against its hardware: {', '.join(names)}; {reason}",
            "link the model and the part, or add what is missing to the catalogue; where the "
            "source does not name them, leave it so",
            also=(reason,),
        )


def _found(record: Record, registry: Registry) -> Verdicts:
    """Return the verdicts of a record's figures; none where its id is another record's."""
    if registry.records.get(record.id) is not record:
        return {}
    return _by_record(registry).get(record.id, {})


@lru_cache(maxsize=2)
def _by_record(registry: Registry) -> dict[str, Verdicts]:
    """Return the verdicts of all figures, by record and result."""
    from benchreg.analysis.crosscheck import verdicts  # noqa: PLC0415  (numpy is slow to import)

    found: dict[str, dict[str, Verdict]] = {}
    for (record, name), verdict in verdicts(registry).items():
        if name:
            found.setdefault(record, {})[name] = verdict
    return dict(found)


def _reasons(record: Record, registry: Registry, found: Verdicts) -> dict[str, list[str]]:
    """Return why figures that have a bound were not judged, and which."""
    reasons: dict[str, list[str]] = {}
    for name, verdict in found.items():
        if verdict.kind == "unchecked" and _bounded(record.results[name], registry):
            reasons.setdefault(verdict.reason, []).append(name)
    return reasons


def _bounded(figure: Figure, registry: Registry) -> bool:
    """Tell whether there is a bound for figures of this kind, in this unit."""
    from benchreg.analysis.crosscheck import GAPS  # noqa: PLC0415  (numpy is slow to import)
    from benchreg.analysis.limits import LIMITS  # noqa: PLC0415  (as above)

    unit = registry.metrics[figure.metric].unit
    if figure.metric not in LIMITS or factor(figure.unit, unit) is None:
        return False
    return figure.metric not in GAPS or figure.statistic == "mean"


def _unjudged(record: Record, registry: Registry, found: Verdicts) -> Iterator[NotEvaluated]:
    if record.results and not found:
        yield NotEvaluated(("id",), "another record has its id")
    for reason, names in _reasons(record, registry, found).items():
        yield NotEvaluated(("results", names[0]), reason)
