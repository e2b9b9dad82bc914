"""An answer in groups: ranks, and statistics, of figures that can be compared."""

import sqlite3
from collections.abc import Sequence

from benchreg.analysis.comparison import varied
from benchreg.report.question import COUNT, TABLE, Question, Screen, rest
from benchreg.report.ranks import ranked, ranked_sheet, statistics, statistics_table
from benchreg.report.sheet import FORMATS, as_text
from benchreg.snapshot.ask import Answer, answers
from benchreg.snapshot.ranked import (
    SHARES,
    Group,
    across_of,
    by_metric,
    columns,
    groups,
    number_column,
    sides,
    stats,
    together,
)
from benchreg.values.text import spoken


def grouped(
    database: sqlite3.Connection, question: Question, ids: Sequence[int], screen: Screen
) -> tuple[str, list[Answer]]:
    """Return the answer and the figures that it is made of, in groups that can be compared."""
    found = answers(database, ids)
    by = columns(question.by)
    across = varied((*question.across, *across_of(by)))
    if by and question.stat == COUNT:
        made = [Group(found, [])]
    elif by and number_column(question.of) in SHARES:
        made = by_metric(found)  # each is held against its own bound
    else:
        made = groups(database, found, sides(database, ids), across)
        made = together(made, across) if question.anyway else made
    return _statistics(question, made, by, screen) if by else _ranks(question, made, screen)


def _ranks(question: Question, made: list[Group], screen: Screen) -> tuple[str, list[Answer]]:
    if question.sort.startswith("-"):
        for group in made:
            group.answers.reverse()
    every = sum(len(group.answers) for group in made)
    cut = _first(made, question.most or every)
    told = [one for group in cut for one in group.answers]
    if question.form != TABLE:
        return FORMATS[question.form](ranked_sheet(cut, question.chosen)), told
    text = ranked(cut, question.chosen, *screen, of=len(made))
    return f"{text}{rest(question, every, len(told))}", told


def _first(made: list[Group], most: int) -> list[Group]:
    """Return as many figures as are asked for, the first groups whole."""
    cut = []
    for group in made:
        if most <= 0:
            break
        cut.append(Group(group.answers[:most], group.sides, group.apart, group.mixed))
        most -= len(group.answers)
    return cut


def _statistics(
    question: Question, made: list[Group], by: tuple[str, ...], screen: Screen
) -> tuple[str, list[Answer]]:
    stat, of = question.stat, question.of
    cut = made[: question.most]
    tables = [stats(group, by, stat, of) for group in cut]
    told = [one for group in cut for one in group.answers]
    if question.form != TABLE:
        return FORMATS[question.form](statistics(tables, by, stat, of)), told
    if stat == COUNT:
        return as_text(statistics(tables, by, stat, of), screen.width), told
    text = statistics_table(tables, by, f"{stat} {spoken(of)}", *screen)
    return f"{text}{rest(question, len(made), len(cut), 'groups')}", told
