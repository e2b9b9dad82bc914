"""An answer in groups: ranks, and statistics, of figures that can be compared."""

import sqlite3
from collections.abc import Iterator, Sequence

from benchreg.analysis.comparison import varied
from benchreg.report.question import COUNT, TABLE, Question, Screen, rest
from benchreg.report.ranks import Part, ranked, ranked_sheet, statistics, statistics_table
from benchreg.report.sheet import FORMATS, Cell, Sheet, as_text
from benchreg.snapshot.ask import Answer, answers
from benchreg.snapshot.ranked import Group, by_metric, groups, sides, together
from benchreg.snapshot.statistics import SHARES, across_of, columns, counts, number_column, stats
from benchreg.values.text import spoken


def grouped(
    database: sqlite3.Connection, question: Question, ids: Sequence[int], screen: Screen
) -> tuple[str, list[Answer]]:
    """Return the answer and the figures that it is made of, in groups that can be compared."""
    by = columns(question.by)
    if by and question.stat == COUNT:
        return _counted(database, question, ids, by, screen)
    found = answers(database, ids)
    asked = varied(question.across)
    freed = varied(across_of(by)) - asked
    if by and number_column(question.of) in SHARES:
        made = by_metric(found)  # each is held against its own bound
    else:
        column = question.of if by else question.sort.removeprefix("-")
        across = asked | freed
        made = groups(database, found, sides(database, ids), across, column)
        made = together(database, made, across, column) if question.anyway else made
    if by:
        return _statistics(question, made, by, freed, screen)
    return _ranks(question, made, screen)


def _counted(
    database: sqlite3.Connection,
    question: Question,
    ids: Sequence[int],
    by: tuple[str, ...],
    screen: Screen,
) -> tuple[str, list[Answer]]:
    """Return how many figures there are by columns; the answer rests on every file."""
    found = counts(database, ids, by)
    rows: list[tuple[Cell, ...]] = [(*said, count) for said, count in found]
    whole = Sheet((*by, "figures"), rows)
    if question.form != TABLE:
        return FORMATS[question.form](whole), []
    cut = Sheet(whole.header, rows[: question.most])
    return f"{as_text(cut, screen.width)}{rest(question, len(rows), len(cut.rows), 'groups')}", []


def _ranks(question: Question, made: list[Group], screen: Screen) -> tuple[str, list[Answer]]:
    if question.sort.startswith("-"):
        for group in made:
            group.answers.reverse()
    every = sum(len(group.answers) for group in made)
    shown = list(_first(made, question.most or every))
    told = [one for part in shown for one in part.answers]
    if question.form != TABLE:
        return FORMATS[question.form](ranked_sheet(shown, question.chosen)), told
    text = ranked(shown, question.chosen, *screen, of=len(made))
    return f"{text}{rest(question, every, len(told))}", told


def _first(made: list[Group], most: int) -> Iterator[Part]:
    """Yield as many figures as are asked for, the first groups whole."""
    for group in made:
        if most > 0:
            yield Part(group, group.answers[:most])
        most -= len(group.answers)


def _statistics(
    question: Question,
    made: list[Group],
    by: tuple[str, ...],
    freed: frozenset[str],
    screen: Screen,
) -> tuple[str, list[Answer]]:
    stat, of = question.stat, question.of
    some = made[: question.most]
    tables = [stats(group, by, stat, of, freed) for group in some]
    told = [one for group in some for one in group.answers]
    if question.form != TABLE:
        return FORMATS[question.form](statistics(tables, by, stat, of)), told
    text = statistics_table(tables, by, f"{stat} {spoken(of)}", *screen)
    return f"{text}{rest(question, len(made), len(some), 'groups')}", told
