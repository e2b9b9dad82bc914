"""Every figure against what its hardware can do: a verdict, with its reason.

A figure that no completion of the unknown conditions makes possible is `impossible`; one whose
model and a single sequence are too large for every part it could have run on `does_not_fit`; one
that the roofline has no answer for is `unchecked`, and says why; all others are `plausible`.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import inf, isfinite, nan
from types import MappingProxyType
from typing import Literal, NamedTuple

from pydantic import MISSING

from benchreg.analysis.completions import Completed, Completions, OutOfReachError
from benchreg.analysis.derivation import UnsettledError, settled
from benchreg.analysis.limits import Ends, bounded, limit
from benchreg.analysis.unlike import is_alike, of_any_length, of_some
from benchreg.analysis.utilisation import AtOnce, at_once, used
from benchreg.entities.catalogue import Metric
from benchreg.entities.figure import Figure
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.values.expression import FormulaError
from benchreg.values.text import amount
from benchreg.values.units import factor

Kind = Literal["impossible", "does_not_fit", "plausible", "unchecked"]
KINDS: tuple[Kind, ...] = ("impossible", "does_not_fit", "plausible", "unchecked")
NOISE = 1e-9  # relative: what floating point may lose
GAPS = ("itl", "chunk_latency")
PHASES = {"output_throughput": "decode_throughput", "input_throughput": "prefill_throughput"}


class Verdict(NamedTuple):
    """What the roofline says of a figure.

    `bound` is the limit of every completion and `nominal` that of the one that `taken` describes,
    both in the figure's unit and scope; `share` and `nominal_share` are how far the figure goes to
    them (value over limit for a rate, limit over value for a latency). `mbu` and `mfu` are shares
    of peak bandwidth and arithmetic at the nominal completion. What there is no number for is nan.
    """

    kind: Kind
    reason: str = ""
    bound: float = nan
    nominal: float = nan
    share: float = nan
    nominal_share: float = nan
    mbu: float = nan
    mfu: float = nan
    taken: tuple[str, ...] = ()

    @property
    def of_nominal(self) -> float:
        """The share of the nominal bound; none where the nominal completion cannot have been.

        A figure beyond it that another completion makes possible was none of the nominal one.
        """
        ruled_out = self.kind == "plausible" and self.nominal_share > 1 + NOISE
        return nan if ruled_out else self.nominal_share


Verdicts = Mapping[tuple[str, str], Verdict]


def verdicts(registry: Registry) -> Verdicts:
    """Return the verdict of every figure of a registry, as `crosscheck` does; worked out once."""
    found = _once(registry)
    if isinstance(found, Exception):
        raise found
    return found


@lru_cache(maxsize=2)
def _once(registry: Registry) -> Verdicts | Exception:
    """Return all verdicts, or the error that kept them: no rule has to run into it anew."""
    try:
        return crosscheck(registry, registry.records.values())
    except Exception as error:  # noqa: BLE001  (raised by `verdicts`, to each that asks)
        return error


def crosscheck(registry: Registry, records: Iterable[Record]) -> Verdicts:
    """Return the verdict of every figure of some records, by record id and result name.

    A record without figures has one under the empty name.
    """
    completions, many = Completions(registry), list(records)
    found = _all_judged(registry, completions, many)
    found |= {(one.id, ""): _unchecked(_ended(one)) for one in many if not one.results}
    unlike = [one for one in many if not is_alike(one) and any(map(of_some, one.results.values()))]
    quick = _all_judged(registry, completions, map(of_any_length, unlike))
    for record in unlike:
        for name, figure in record.results.items():
            if of_some(figure):
                key = (record.id, name)
                found[key] = _of_any_length(found[key], quick[key])
    return MappingProxyType(found)


def _all_judged(
    registry: Registry, completions: Completions, records: Iterable[Record]
) -> dict[tuple[str, str], Verdict]:
    """Return the verdicts of all figures, each held against the lengths that its record states."""
    found: dict[tuple[str, str], Verdict] = {}
    within: list[tuple[Record, Completed]] = []
    for record in records:
        try:
            if record.results:
                within.append((record, completions.of(record)))
        except OutOfReachError as reason:
            found |= {(record.id, name): _unchecked(str(reason)) for name in record.results}
    for ends in bounded(completions, within):
        unfit, running = _unfit(ends), at_once(ends)
        for name, figure in ends.record.results.items():
            key = (ends.record.id, name)
            found[key] = unfit or _judged(registry, ends, running, name, figure)
    return found


def _of_any_length(of_mean: Verdict, of_any: Verdict) -> Verdict:
    """Return the verdict of a figure of some requests: their bound, and the mean one beside it."""
    if of_mean.kind in ("does_not_fit", "unchecked"):
        return of_mean
    if of_any.kind == "unchecked":
        return of_mean if of_mean.kind == "plausible" else of_any
    return of_any._replace(
        nominal=of_mean.nominal,
        nominal_share=of_mean.nominal_share,
        mbu=of_mean.mbu,
        mfu=of_mean.mfu,
        taken=of_mean.taken,
    )


def shares(found: Iterable[Verdict]) -> dict[Kind, int]:
    """Return how many have each kind of verdict, in the order of KINDS."""
    counts = dict.fromkeys(KINDS, 0)
    for verdict in found:
        counts[verdict.kind] += 1
    return counts


def _unchecked(reason: str) -> Verdict:
    return Verdict("unchecked", reason)


def _ended(record: Record) -> str:
    if record.outcome is MISSING:
        return "no figure"
    return f"no figure: {record.outcome.replace('_', ' ')}"


def _unfit(ends: Ends) -> Verdict | None:
    """Return that the model cannot have run there at all; None where it could."""
    memory, limits = ends.completed.widest.memory, ends.widest
    if limits.needed_bytes > memory:
        what, needed = "the weights and one sequence", limits.needed_bytes
    elif ends.record.load.resident is True and memory < limits.resident_bytes < inf:
        what, needed = "the weights and all sequences at once", limits.resident_bytes
    else:
        return None
    told = f"{what} take at least {_gb(needed)}, and the memory is {_gb(memory)}"
    return Verdict("does_not_fit", told)


def _gb(size: float) -> str:
    return f"{amount(size / 1e9)} GB"


def _judged(
    registry: Registry, ends: Ends, running: AtOnce | None, name: str, figure: Figure
) -> Verdict:
    metric = registry.metrics.get(figure.metric)
    scale = None if metric is None else _factor(metric.unit, figure.unit)
    if metric is None or scale is None:
        return _unchecked(f"{figure.metric} in {figure.unit} is not in the catalogue")
    if figure.metric in GAPS and figure.statistic != "mean":
        return _unchecked("only the mean of the gaps between tokens is bounded")
    if not figure.value:
        return _unchecked("the value is zero")
    per = scale * _of_scope(ends, figure)
    try:
        measured = _of_phase(figure, _window(ends, figure))
        most = limit(measured, ends, ends.widest) * per
        nominal = limit(measured, ends, ends.nominal) * per
    except OutOfReachError as reason:
        return _unchecked(str(reason))
    if not isfinite(most):
        return _unchecked("the catalogue has no peak for the arithmetic that could be in use")
    case = _Case(metric, figure, per, most, nominal)
    return _held_against(registry, ends, running, name, case)


def _window(ends: Ends, figure: Figure) -> str:
    """Return the window that a figure is counted over; nothing where it is not stated."""
    stated = ends.record.load.window if figure.window is MISSING else figure.window
    return "" if stated is MISSING else stated


def _of_phase(figure: Figure, window: str) -> str:
    """Return the metric that a rate over one phase alone is a figure of."""
    return PHASES.get(figure.metric, figure.metric) if window == "phase_only" else figure.metric


@lru_cache(maxsize=256)
def _factor(unit: str, to: str) -> float | None:
    found = factor(unit, to)
    return None if found is None else float(found)


class _Case(NamedTuple):
    """A figure with its two limits; `per` is what 1 of its metric and the system is in its unit."""

    metric: Metric
    figure: Figure
    per: float
    most: float
    nominal: float

    def share(self, limit: float) -> float:
        """Return how far the figure goes to a limit; over 1 is beyond it."""
        value = float(self.figure.value)
        above, below = (limit, value) if self.metric.quantity == "latency" else (value, limit)
        return above / below if below else inf


def _held_against(
    registry: Registry, ends: Ends, running: AtOnce | None, name: str, case: _Case
) -> Verdict:
    share = case.share(case.most)
    beaten = share > 1 + NOISE and _beyond(registry, ends.record, name, case)
    if beaten and case.metric.quantity == "rate" and _window(ends, case.figure) == "last_issued":
        return _unchecked("tokens are counted after the clock stops, and it is beyond its bound")
    mbu, mfu = used(ends, running, case.figure, float(case.figure.value) / case.per)
    return Verdict(
        "impossible" if beaten else "plausible",
        _why(ends, case) if beaten else "",
        case.most,
        case.nominal,
        share,
        case.share(case.nominal),
        mbu,
        mfu,
        ends.completed.unknown,
    )


def _beyond(registry: Registry, record: Record, name: str, case: _Case) -> bool:
    """Tell whether all that a figure may stand for, by its digits, is beyond the limit."""
    try:
        interval = settled(registry).interval(record, name)
    except (UnsettledError, FormulaError):
        return True
    if case.metric.quantity == "latency":
        return interval.high < Fraction(case.most * (1 - NOISE))
    return interval.low > Fraction(case.most * (1 + NOISE))


def _of_scope(ends: Ends, figure: Figure) -> float:
    """Return what turns a rate of the whole system into one of the figure's scope."""
    completed = ends.completed
    if figure.scope == "per_accelerator":
        counts = {"prefill": completed.prefilling, "decode": completed.decoding}
        over = "all" if figure.over is MISSING else figure.over
        return 1 / counts.get(over, completed.accelerators)
    if figure.scope == "per_replica":
        return 1 / float(completed.widest.replicas)
    return 1.0


def _why(ends: Ends, case: _Case) -> str:
    """Say how far beyond the limit a figure is, and what could explain it."""
    figure, least = case.figure, case.metric.quantity == "latency"
    word = "least" if least else "most"
    times = amount(case.share(case.most))
    told = (
        f"{figure.value} {figure.unit}, and the {word} that any completion of the unknown "
        f"conditions allows is {amount(case.most)} {figure.unit} ({times} times)"
    )
    workload, maybe = ends.record.workload, []
    if workload.output_policy != "forced" and workload.length_basis != "measured":
        maybe.append("outputs may have ended before their stated length")
    if workload.speculative.method is MISSING:
        maybe.append("speculative decoding would have to be stated")
    return "; ".join([told, *maybe])
