"""Figures, and statistics of them, in groups that can be compared, with why others stand apart."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchreg.analysis.comparison import Comparison, Condition, compared
from benchreg.report.chosen import cell_of, for_people, with_counterpart
from benchreg.report.paint import Paint, plain
from benchreg.report.rows import COLUMNS, beside
from benchreg.report.sheet import Cell, Sheet, as_text, said, wrapped
from benchreg.snapshot.ask import Answer
from benchreg.snapshot.ranked import Group
from benchreg.snapshot.statistics import Stat, Table
from benchreg.values.text import counted, percent, shown, spoken

MOST_REASONS = 6
LONGEST = 40
RANKED = (
    *("model", "hardware", "engine", "engine_version", "precision", "statistic", "scenario"),
    *("window", "load", "input_tokens", "output_tokens", "source", "key"),
)
OTHERWISE = "lengths over 5 % apart, or unknowns that are not the same ones"
ADVICE = "tokens of different tokenizers are not the same text: rank request_throughput instead"


class Part(NamedTuple):
    """The figures of a group that are shown."""

    group: Group
    answers: list[Answer]


def ranked(
    parts: Sequence[Part], columns: Sequence[str], width: int, paint: Paint = plain, of: int = 0
) -> str:
    """Return groups of figures that can be compared, with why each stands apart from the first.

    `of` is how many groups there are, where not all of them are shown.
    """
    blocks = []
    for place, part in enumerate(parts, 1):
        lines = [paint(_title(part.group, place, of or len(parts)), "title")]
        lines += _told(part.group, width)
        lines += _listed(part.answers, columns, width)
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _listed(answers: list[Answer], columns: Sequence[str], width: int) -> Iterator[str]:
    """Yield the rows of a group; what all of them say of their conditions is said once."""
    alike = [name for name in RANKED if len({cell_of(one, name) for one in answers}) == 1]
    once = [name for name in alike if name not in columns]
    if len(answers) > 1 and once:
        yield from _all(answers[0], once, width)
    names = columns or [name for name in RANKED if len(answers) == 1 or name not in alike]
    if columns and len(answers) > 1:
        others = [name for name in RANKED[:-1] if name not in (*alike, *columns)]
        if others:
            yield from wrapped(f"differing in: {', '.join(map(spoken, others))}", width, "  ")
    yield as_text(for_people(answers, tuple(dict.fromkeys(("value", *names)))), width, "  ")


def _title(group: Group, place: int, many: int) -> str:
    row = group.answers[0].row
    whose = f", {row.scope}" if row.scope else ""
    count = counted(len(group.answers), "figure")
    return f"{place} of {many}: {shown(f'{row.metric}{whose}')}; {count}"


def _told(group: Group, width: int) -> list[str]:
    """Return why a group stands apart, and what its figures share without knowing it."""
    lines = [line for why in _why(group) for line in wrapped(why, width, "  ")]
    if unknown := unknowns(group):
        lines += wrapped(f"the same unknowns and inferences: {unknown}", width, "  ")
    return lines


def _why(group: Group, most: int = MOST_REASONS) -> Iterator[str]:
    if group.mixed is not None:
        told = reasons(group.mixed, most)
        yield f"NOT COMPARABLE, put together because it was asked for: {told}"
    elif (apart := group.apart) is not None:
        yield f"apart from the first: {reasons(apart, most)}"


def unknowns(group: Group) -> str:
    """Return the conditions that the figures of a group share without knowing them."""
    if len(group.sides) < 2:
        return ""
    words = ("same unknown", "same inference")
    found = compared(group.sides).conditions
    return ", ".join(one.title for one in found if one.word in words)


def reasons(comparison: Comparison, most: int = MOST_REASONS) -> str:
    """Return what keeps figures apart: what differs, then what is not known; at most so many."""
    refused = comparison.refused_by
    other = [one for one in refused if one.key == "metric"]
    told = [_reason(one) for one in sorted(other or refused, key=lambda one: one.word != "differs")]
    if len(told) > most:
        told = [*told[:most], f"{len(told) - most} more"]
    if comparison.counts_other_tokens and not other:
        told.append(ADVICE)
    return shown("; ".join(told) or OTHERWISE, 4000)


def _reason(condition: Condition) -> str:
    values = [one.value if one and one.value else "not said" for one in condition.facets]
    several = list(dict.fromkeys(shown(_plain(value), LONGEST) for value in values))
    if condition.word == "differs":
        return f"{condition.title} differs ({', '.join(several[:3])})"
    return f"{condition.title} {condition.word} ({', '.join(several[:2])})"


def _plain(value: str) -> str:
    return spoken(value) if value.isidentifier() else value


def ranked_sheet(parts: Sequence[Part], columns: Sequence[str]) -> Sheet:
    """Return groups of figures for programs: the group of each, and why it stands apart."""
    names = with_counterpart(("value", *columns) if columns else COLUMNS)
    rows: list[tuple[Cell, ...]] = []
    for place, part in enumerate(parts, 1):
        about = _about(place, part.group)
        rows += [(*about, *(cell_of(one, name) for name in names)) for one in part.answers]
    return Sheet((*ABOUT, *names), rows)


ABOUT = ("group", "comparable", "why", "same_unknowns")


def _about(place: int, group: Group) -> tuple[Cell, ...]:
    why = next(iter(_why(group, most=len(group.answers) + 100)), "")
    return (place, "yes" if group.mixed is None else "no", why, unknowns(group))


def statistics(tables: Sequence[Table], by: tuple[str, ...], stat: str, of: str) -> Sheet:
    """Return statistics for programs: a group of tables is what can be compared."""
    rows: list[tuple[Cell, ...]] = []
    for place, table in enumerate(tables, 1):
        about = _about(place, table.group)
        rows += [
            (*about, *map(spoken, one.figure), *one.by, one.also, one.count, one.every, one.value,
             one.unit, one.seen)
            for one in table.stats
        ]  # fmt: skip
    head = (*ABOUT, "metric", "scope", *by, "also", "figures", "of_figures", f"{stat} {of}", "unit")
    return Sheet((*head, "seen_by_request"), rows)


def statistics_table(
    tables: Sequence[Table], by: tuple[str, ...], what: str, width: int, paint: Paint = plain
) -> str:
    """Return statistics for people, each group that can be compared under `what` it is of."""
    blocks = []
    for place, table in enumerate(tables, 1):
        figure = shown(", ".join(map(spoken, filter(None, table.stats[0].figure))))
        lines = [paint(f"{place} of {len(tables)}: {what}; {figure}", "title")]
        lines += [*_told(table.group, width), *_shared(table.group, by, width)]
        also = any(one.also for one in table.stats)
        units = {one.unit for one in table.stats}
        unit = shown(units.pop()) if len(units) == 1 else ""
        rows: list[tuple[Cell, ...]] = [
            (*one.by, *((one.also,) if also else ()), _count(one), _valued(one, once=bool(unit)))
            for one in table.stats
        ]
        told = f"{what}, {unit}" if unit else what
        head = (*map(spoken, by), *(("also differing in",) if also else ()), "figures", told)
        lines.append(as_text(Sheet(head, rows), width, "  "))
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _count(stat: Stat) -> Cell:
    """Return of how many figures a statistic is, where it is not of all of them with how many."""
    return stat.count if stat.count == stat.every else f"{stat.count:,} of {stat.every:,}"


def _shared(group: Group, by: tuple[str, ...], width: int) -> list[str]:
    """Return what all figures of a group say of their conditions."""
    alike = [
        name for name in RANKED[:-1]
        if name not in by and len({cell_of(one, name) for one in group.answers}) == 1
    ]  # fmt: skip
    return _all(group.answers[0], alike, width)


def _all(answer: Answer, names: Sequence[str], width: int) -> list[str]:
    """Return what is alike in all figures, as one of them says it."""
    told = ((spoken(name), said(cell_of(answer, name))) for name in names)
    listed = "; ".join(f"{name} {text}" for name, text in told if text)
    return wrapped(f"all: {listed}", width, "  ") if listed else []


def _valued(stat: Stat, *, once: bool) -> str:
    if stat.value is None:
        return "not stated"
    if stat.share:
        return percent(stat.value)
    unit = "" if once or not stat.unit else f" {stat.unit}"
    return f"{said(stat.value)}{unit}{beside(stat.seen)}"
