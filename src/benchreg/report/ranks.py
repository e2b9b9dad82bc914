"""Figures, and statistics of them, in groups that can be compared, with why others stand apart."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from benchreg.analysis.comparison import Comparison, Condition
from benchreg.report.chosen import beside, cell_of, for_people, with_counterpart
from benchreg.report.paint import Paint, plain
from benchreg.report.rows import COLUMNS
from benchreg.report.sheet import Cell, Sheet, as_text, said
from benchreg.snapshot.ranked import Group, Stat, Table
from benchreg.values.text import percent, shown, spoken

MOST_REASONS = 6
LONGEST, NARROWEST = 40, 20
RANKED = ("model", "hardware", "engine", "engine_version", "precision", "load", "source", "key")


def ranked(
    groups: Sequence[Group], columns: Sequence[str], width: int, paint: Paint = plain, of: int = 0
) -> str:
    """Return groups of figures that can be compared, with why each stands apart from the first.

    `of` is how many groups there are, where not all of them are shown.
    """
    names = dict.fromkeys(("value", *(columns or RANKED)))
    blocks = []
    for place, group in enumerate(groups, 1):
        lines = [paint(_title(group, place, of or len(groups)), "title")]
        lines += _told(group, width)
        lines += _listed(for_people(group.answers, tuple(names)), width)
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _listed(sheet: Sheet, width: int) -> Iterator[str]:
    """Yield the rows of a group; what all of them say is said once."""
    columns = list(zip(*sheet.rows, strict=True))
    alike = [len(sheet.rows) > 1 and len(set(column)) == 1 for column in columns]
    names = zip(sheet.header, columns, alike, strict=True)
    said_once = [f"{name} {said(column[0])}" for name, column, same in names if same]
    if said_once:
        yield from _wrapped(f"all: {'; '.join(said_once)}", width)
    kept = [place for place, same in enumerate(alike) if not same]
    header = tuple(sheet.header[place] for place in kept)
    rows = [tuple(row[place] for place in kept) for row in sheet.rows]
    yield as_text(Sheet(header, rows), width, "  ")


def _title(group: Group, place: int, many: int) -> str:
    row = group.answers[0].row
    whose = f", {row.scope}" if row.scope else ""
    what = shown(f"{row.metric}{whose}{f', {row.statistic}' if row.statistic else ''}")
    count = len(group.answers)
    return f"{place} of {many}: {what}; {count:,} figure{'' if count == 1 else 's'}"


def _told(group: Group | Table, width: int) -> list[str]:
    return [line for why in _why(group) for line in _wrapped(why, width)]


def _wrapped(text: str, width: int) -> list[str]:
    """Return a text on lines of their own that the terminal has room for."""
    return wrap(text, max(width, NARROWEST), initial_indent="  ", subsequent_indent="    ",
                break_long_words=False, break_on_hyphens=False)  # fmt: skip


def _why(group: Group | Table) -> Iterator[str]:
    if group.mixed is not None:
        yield f"NOT COMPARABLE, put together because it was asked for: {reasons(group.mixed)}"
    elif group.apart is not None:
        yield f"apart from the first: {reasons(group.apart)}"


def reasons(comparison: Comparison) -> str:
    """Return in short what keeps figures apart: what differs, and what is not known."""
    other = [one for one in comparison.refused_by if one.key == "metric"]
    found = [_reason(one) for one in other or comparison.refused_by]
    told = found[:MOST_REASONS]
    if len(found) > MOST_REASONS:
        told.append(f"{len(found) - MOST_REASONS} more")
    return shown("; ".join(told) or "their lengths are more than 5 % apart", 600)


def _plain(value: str) -> str:
    return spoken(value) if value.isidentifier() else value


def _reason(condition: Condition) -> str:
    values = [one.value if one and one.value else "not said" for one in condition.facets]
    several = list(dict.fromkeys(shown(_plain(value), LONGEST) for value in values))
    if condition.word == "differs":
        return f"{condition.title} differs ({', '.join(several[:3])})"
    return f"{condition.title} {condition.word} ({', '.join(several[:2])})"


def ranked_sheet(groups: Sequence[Group], columns: Sequence[str]) -> Sheet:
    """Return groups of figures for programs: the group of each, and why it stands apart."""
    names = with_counterpart(dict.fromkeys(("value", *columns)) if columns else COLUMNS)
    rows: list[tuple[Cell, ...]] = []
    for place, group in enumerate(groups, 1):
        about = (place, _comparable(group), next(iter(_why(group)), ""))
        rows += [(*about, *(cell_of(one, name) for name in names)) for one in group.answers]
    return Sheet(("group", "comparable", "why", *names), rows)


def _comparable(group: Group | Table) -> str:
    return "yes" if group.mixed is None else "no"


def statistics(tables: Sequence[Table], by: tuple[str, ...], stat: str, of: str) -> Sheet:
    """Return statistics for programs: a group of tables is what can be compared."""
    counts = stat == "count"
    head = ("group", "comparable", "why", "metric", "scope", *by, "figures")
    rows: list[tuple[Cell, ...]] = []
    for place, table in enumerate(tables, 1):
        about = (place, _comparable(table), next(iter(_why(table)), ""))
        for one in table.stats:
            start: tuple[Cell, ...] = (*about, *map(spoken, one.figure), *one.by, one.count)
            rows.append(start if counts else (*start, one.value, one.unit, _seen(one)))
    if counts:
        return Sheet((*by, "figures"), [row[5:] for row in rows])
    return Sheet((*head, f"{stat} of {of}", "unit", "seen_by_request"), rows)


def _seen(stat: Stat) -> str:
    return f"{stat.seen:g} {stat.seen_unit}" if stat.seen is not None else stat.unseen


def statistics_table(
    tables: Sequence[Table], by: tuple[str, ...], what: str, width: int, paint: Paint = plain
) -> str:
    """Return statistics for people, each group that can be compared under `what` it is of."""
    blocks = []
    for place, table in enumerate(tables, 1):
        figure = ", ".join(map(spoken, filter(None, table.stats[0].figure)))
        lines = [paint(f"{place} of {len(tables)}: {what}; {figure}", "title")]
        lines += _told(table, width)
        rows: list[tuple[Cell, ...]] = [(*one.by, one.count, _valued(one)) for one in table.stats]
        head = (*map(spoken, by), "figures", what)
        lines.append(as_text(Sheet(head, rows), width, "  "))
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _valued(stat: Stat) -> str:
    if stat.value is None:
        return "not stated"
    if stat.share:
        return percent(stat.value)
    return f"{stat.value:.6g} {stat.unit}{beside(_seen(stat))}".rstrip()
