"""A record as a person reads it: figures with their counterparts, and what was left open."""

from collections.abc import Iterator
from decimal import Decimal
from itertools import groupby
from textwrap import wrap

from pydantic import MISSING

from benchreg.analysis.aggregates import may_be_aggregate
from benchreg.analysis.crosscheck import crosscheck
from benchreg.analysis.derivation import UnsettledError, settled
from benchreg.analysis.sweep import Level, Ratio, level, ratios
from benchreg.entities.completeness import (
    CORE,
    EXTENDED,
    TALLIED,
    Condition,
    absence,
    absent_of,
    applies,
)
from benchreg.entities.figure import Figure
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.report.conditions import described, engine_words
from benchreg.report.paint import Paint, plain
from benchreg.report.verdicts import told
from benchreg.values.expression import FormulaError
from benchreg.values.interval import Interval, ends, rounded_from, short
from benchreg.values.text import shown, spoken

WIDTH = 96


def card(
    registry: Registry, record: Record, asked: str = "", result: str = "", paint: Paint = plain
) -> str:
    """Return a record as text; `asked` is the name that led to it, `result` the figure it names."""
    sections = (
        ("Figures", _figures(registry, record, result)),
        ("Load conditions", _conditions(record)),
        (_tally(record), _absent(record, TALLIED)),
        ("Also absent", _absent(record, EXTENDED)),
        ("Inferred", _inferred(record)),
        ("Derived", _derived(registry, record)),
        (f"Against the sweep {record.sweep}", _sweep(registry, record)),
        ("Claims of the source", _claims(registry, record)),
        ("Roofline", _roofline(registry, record)),
        ("Source", _source(registry, record)),
        ("Notes", _prose(record)),
    )
    blocks = ["\n".join(_head(record, asked, result, paint))]
    for title, found in sections:
        if lines := list(found):
            body = [line for text in lines for line in _wrapped(text)]
            blocks.append("\n".join([paint(shown(title), "title"), *body]))
    return "\n\n".join(blocks)


def _wrapped(text: str) -> list[str]:
    """Return a line folded under its own indentation, safe to print."""
    body = text.lstrip(" >")
    lead = text[: len(text) - len(body)]
    first, rest = f"  {lead}", " " * (len(lead) + 6)
    return wrap(
        shown(body, 2000),
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,  # an address or a path is copied whole
        break_on_hyphens=False,
    )


def _head(record: Record, asked: str, result: str, paint: Paint) -> Iterator[str]:
    yield f"{paint(record.id, 'title')}: {shown(record.title)}"
    reason = f": {record.status_reason}" if record.status_reason is not MISSING else ""
    outcome = f", {spoken(record.outcome)}" if record.outcome is not MISSING else ""
    yield shown(f"{record.kind}, {record.status}{outcome}{reason}", 700)
    if result and asked != f"{record.id}#{result}":
        yield f"{shown(asked)} is its figure {result}"


def _figures(registry: Registry, record: Record, result: str) -> Iterator[str]:
    width = max((len(name) for name in record.results), default=0)
    below = " " * (width + 4)
    for name, figure in record.results.items():
        mark = "> " if name == result else "  "
        sides = [quantity(figure), *_counterparts(registry, record, name)]
        yield f"{mark}{name:<{width}}  {'; '.join(sides)}"
        yield f"{below}{'; '.join(_meaning(registry, figure))}"
        if figure.note is not MISSING:
            yield f"{below}{figure.note}"


def quantity(figure: Figure) -> str:
    """Return a figure's value and unit, as printed where the source's digits are known."""
    digits = figure.value if figure.printed is MISSING else figure.printed
    return f"{digits} {figure.unit}{_mark(figure, 'value', 'unit')}"


def _mark(figure: Figure, *keys: str) -> str:
    return " (inferred)" if any(key in figure.inferred for key in keys) else ""


def _meaning(registry: Registry, figure: Figure) -> Iterator[str]:
    metric = registry.metrics.get(figure.metric)
    yield f"{metric.name if metric else figure.metric}{_mark(figure, 'metric')}"
    if figure.scope is not MISSING:
        yield f"{spoken(figure.scope)}{_mark(figure, 'scope')}"
    else:
        yield f"scope {_reason(figure, 'scope')}"
    if figure.statistic is not MISSING:
        yield f"{figure.statistic}{_mark(figure, 'statistic')}"
    elif "statistic" in figure.absent:
        yield f"statistic {_reason(figure, 'statistic')}"
    if (
        metric
        and metric.phase == "request"
        and figure.scope == "per_request"
        and metric.quantity == "rate"
    ):
        yield "end to end, not a decode rate"
    if figure.window is not MISSING:
        yield f"window {spoken(figure.window)}"


def _counterparts(registry: Registry, record: Record, name: str) -> Iterator[str]:
    """Yield the other side of a figure: what one request sees of it, or what it is a part of."""
    figure = record.results[name]
    metric = registry.metrics.get(figure.metric)
    if figure.seen_by_request is not MISSING:
        yield f"one request sees {_told(registry, record, figure.seen_by_request)}"
    elif "seen_by_request" in figure.absent or (metric and may_be_aggregate(figure, metric)):
        yield f"what one request sees: {_reason(figure, 'seen_by_request')}"
    if figure.aggregate is not MISSING:
        yield f"part of {_told(registry, record, figure.aggregate)}"
    for other, total in record.results.items():
        if total.seen_by_request == name:
            yield f"of {quantity(total)} in all ({other})"


def _reason(figure: Figure, key: str) -> str:
    declared = figure.absent.get(key)
    return spoken(declared.because) if declared else "neither stated nor declared absent"


def _told(registry: Registry, record: Record, reference: str) -> str:
    try:
        _, figure = registry.figure(record, reference)
    except KeyError:
        return f"{reference}, which is not there"
    return f"{quantity(figure)} ({reference})"


def _conditions(record: Record) -> Iterator[str]:
    shown_ones = [*CORE, *(condition for condition in EXTENDED if condition.stated(record))]
    width = max(len(condition.title) for condition in shown_ones)
    for condition in shown_ones:
        text = described(record, condition)
        if condition.key == "engine.version" and (engine := engine_words(record)):
            text = f"{engine}; version {text}"
        yield f"{condition.title:<{width}}  {text}"


def _tally(record: Record) -> str:
    counted = [condition for condition in TALLIED if applies(record, condition)]
    titles = ", ".join(condition.title for condition in counted)
    return f"Absent conditions: {len(absent_of(record, TALLIED))} of {len(counted)} ({titles})"


def _absent(record: Record, among: tuple[Condition, ...]) -> Iterator[str]:
    missing = absent_of(record, among)
    for condition in missing:
        declared = absence(record, condition.key)
        if declared is None:
            yield f"{condition.title}: neither stated nor declared absent"
            continue
        need = f"; would need {declared.would_need}" if declared.would_need is not MISSING else ""
        note = f"; {declared.note}" if declared.note is not MISSING else ""
        yield f"{condition.title}: {spoken(declared.because)}{need}{note}"
    if among is TALLIED and not missing:
        yield "none"


def _inferred(record: Record) -> Iterator[str]:
    yield from (f"{key}: {reason}" for key, reason in record.inferred.items())
    for name, figure in record.results.items():
        yield from (f"{name}.{key}: {reason}" for key, reason in figure.inferred.items())


def span(interval: Interval, digits: int = 4) -> str:
    """Return the ends of an interval in brackets; nothing where it holds one number."""
    return f" ({ends(interval, digits)})" if interval.width else ""


def _derived(registry: Registry, record: Record) -> Iterator[str]:
    settling = settled(registry)
    for name, figure in record.results.items():
        if figure.derivation is MISSING:
            continue
        head = f"{name} = {figure.derivation.formula}"
        try:
            found = settling.recompute(record, figure.derivation)
        except (FormulaError, UnsettledError) as error:
            yield f"{head}: not recomputed, {error}"
            continue
        others = "; ".join(_counterparts(registry, record, name))
        beside = f"; {others}" if others else ""
        yield f"{head} = {short(found.nominal, 6)} {figure.unit}{span(found.interval)}{beside}"
        yield from (f"    assumes that {assumed}" for assumed in figure.derivation.assumes)


def _sweep(registry: Registry, record: Record) -> Iterator[str]:
    for other, group in groupby(ratios(registry, record), key=lambda ratio: ratio.other):
        yield f"{_level(other)} -> {_level(record)}, from {other.id}"
        yield from (f"    {ratio.here}  {times(ratio)}" for ratio in group)


def _level(record: Record) -> str:
    found = level(record) or Level("load", Decimal(0))
    return f"{found.kind} {found.amount}" if found.amount else "a load that is not stated"


def times(ratio: Ratio) -> str:
    """Return a ratio as `x13.9` or `/4.6`, with the interval of its rounding."""
    if not ratio.nominal.low:
        return "x0"
    if ratio.nominal.low >= 1:
        sign, nominal, interval = "x", ratio.nominal.low, ratio.interval
    else:
        sign, nominal = "/", 1 / ratio.nominal.low
        inverse = ratio.interval and ratio.interval.low > 0
        interval = _inverse(ratio.interval) if ratio.interval and inverse else None
    return f"{sign}{short(nominal, 3)}{span(interval, 3) if interval else ''}"


def _inverse(interval: Interval) -> Interval:
    return Interval(1 / interval.high, 1 / interval.low)


def _claims(registry: Registry, record: Record) -> Iterator[str]:
    settling = settled(registry)
    for claim in record.claims:
        try:
            found = settling.recompute(record, claim)
        except (FormulaError, UnsettledError) as error:
            yield f"{claim.says} ({claim.locator}): not recomputed, {error}"
            continue
        stated = rounded_from(Decimal(claim.stated))
        if found.nominal in stated:
            verdict = "reproduced"
        elif stated.meets(found.interval):
            verdict = "holds only by rounding"
        else:
            verdict = "not reproduced"
        yield (
            f"{claim.says} ({claim.locator}): stated {claim.stated!r}, the figures give "
            f"{short(found.nominal, 3)}{span(found.interval, 3)}: {verdict}"
        )


def _roofline(registry: Registry, record: Record) -> Iterator[str]:
    for (_, name), verdict in crosscheck(registry, [record]).items():
        figure = record.results.get(name)
        said = told(verdict, figure.unit if figure else "")
        yield f"{name}: {said}" if name else said


def _source(registry: Registry, record: Record) -> Iterator[str]:
    source = registry.sources.get(record.source.id)
    yield f"{source.title}, {source.publisher}" if source else f"{record.source.id} (not there)"
    if source and source.url is not MISSING:
        yield source.url
    locator = record.source.locator if record.source.locator is not MISSING else "no locator"
    yield f"{locator}; retrieved {record.source.retrieved}"
    if record.attribution is not MISSING:
        yield record.attribution


def _prose(record: Record) -> Iterator[str]:
    if record.notes is not MISSING:
        yield record.notes.replace("\n", " ")
