"""A whole question of figures, and the text that answers it in the form that is asked for."""

from collections.abc import Sequence
from typing import NamedTuple

from benchreg.report.chosen import plain_table, sheet
from benchreg.report.question import COUNT, LISTED, SCREEN, TABLE, Question, Screen, rest
from benchreg.report.rows import COLUMNS, table
from benchreg.report.sheet import FORMATS
from benchreg.snapshot.ask import Answer, Left, answers, ask
from benchreg.snapshot.columns import VALUES
from benchreg.snapshot.store import Snapshot


class Reply(NamedTuple):
    """The text of an answer, what a reader must know of it, and the files that it was read from.

    `refused` are files that are in no answer.
    """

    text: str
    left: Left
    files: frozenset[int]
    refused: int = 0


def reply(snapshot: Snapshot, question: Question, screen: Screen = SCREEN) -> Reply:
    """Return the answer to a question; its text is empty where nothing is found.

    Raises BenchregError for a word, a range, a column or a condition that is none.
    """
    question.check()
    columns_, sort = question.chosen or COLUMNS, question.sort.removeprefix("-")
    left = ask(snapshot.database, question.asked)
    if not left.ids:
        form = FORMATS.get(question.form)
        return Reply(form(sheet([], columns_)) if form else "", left, frozenset(), snapshot.refused)
    if question.by or sort in VALUES:
        from benchreg.report.grouped import grouped  # noqa: PLC0415  (a plain list needs none of it)

        text, told = grouped(snapshot.database, question, left.ids, screen)
        if question.stat == COUNT and question.by:
            return Reply(text, left, frozenset(), snapshot.refused)
        left.without_figure = _without(snapshot, left)
        left.ids = left.ids if told else []
        return Reply(text, left, _files(told), snapshot.refused)
    return _listed(snapshot, question, left, screen)


def _without(snapshot: Snapshot, left: Left) -> int:
    """Return how many records of an answer have no figure."""
    bare = {
        row[0] for row in snapshot.database.execute("SELECT id FROM figures WHERE figure IS NULL")
    }
    return sum(one in bare for one in left.ids)


def _listed(snapshot: Snapshot, question: Question, left: Left, screen: Screen) -> Reply:
    """Answer with figures one after another."""
    ids, chosen = left.ids, question.chosen
    if question.sort:
        ids = _sorted(snapshot, ids, question.sort)
    found = answers(snapshot.database, ids[: question.most])
    if question.form != TABLE:
        text = FORMATS[question.form](sheet(found, chosen or COLUMNS))
    elif chosen:
        text = plain_table(found, chosen, screen.width)
    elif question.sort:
        text = plain_table(found, (question.sort.removeprefix("-"), *LISTED), screen.width)
    else:
        text = table([one.row for one in found], *screen)
    return Reply(
        f"{text}{rest(question, len(ids), len(found))}", left, _files(found), snapshot.refused
    )


def _sorted(snapshot: Snapshot, ids: Sequence[int], sort: str) -> list[int]:
    """Return figures in the order of a column, those that do not state it last."""
    column, down = sort.removeprefix("-"), sort.startswith("-")
    known = dict(snapshot.database.execute(f'SELECT id, "{column}" FROM figures'))  # noqa: S608  (a column of ours)
    stated = [one for one in ids if known[one] is not None]
    stated.sort(key=lambda one: known[one], reverse=down)
    return [*stated, *(one for one in ids if known[one] is None)]


def _files(found: Sequence[Answer]) -> frozenset[int]:
    return frozenset(one.file for one in found)
