"""What an analyst's word for a part, a model, an engine or a source means: entries, by id."""

import re
import sqlite3
from typing import NamedTuple

from benchreg.values.errors import NotFoundError
from benchreg.values.text import shown, suggestion


class Entry(NamedTuple):
    """A catalogue entry, by what it can be called."""

    kind: str
    id: str
    name: str
    family: str
    vendor: str
    aliases: str


class Meaning(NamedTuple):
    """What a word was taken for: the entries that it names, by id."""

    option: str
    word: str
    ids: tuple[str, ...]


KINDS = {"hardware": "accelerator", "model": "model", "engine": "engine", "source": "source"}


def meaning(database: sqlite3.Connection, option: str, word: str) -> Meaning:
    """Return what a word names: by id or alias, family, vendor, or how an id begins.

    Else the entries in whose names all parts of the word are. Raises NotFoundError for a word that
    names nothing, and offers the nearest.
    """
    kind = KINDS[option]
    query = "SELECT kind, id, name, family, vendor, aliases FROM entries WHERE kind = ?"
    entries = [Entry(*row) for row in database.execute(query, (kind,))]
    wanted = word.casefold().strip()
    ids = [one.id for one in entries if _answers(one, wanted)]
    ids = ids or [one.id for one in entries if _holds_all(one, wanted)]
    if not ids:
        names = {name for one in entries for name in (one.id, one.family, *one.aliases.split())}
        near = suggestion(word, sorted(names - {""})) or f"see records/{kind}s"
        raise NotFoundError(f"no {option} is called {shown(word)!r}; {near}")
    return Meaning(option, word, tuple(sorted(ids)))


def _answers(one: Entry, word: str) -> bool:
    names = {one.id, one.family, one.vendor.casefold(), *one.aliases.split()}
    return bool(word) and (word in names or one.id.startswith(f"{word}-"))


def _holds_all(one: Entry, word: str) -> bool:
    wanted = _tokens(word)
    return bool(wanted) and wanted <= _tokens(f"{one.id} {one.name}")


def _tokens(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+|[0-9.]+", text.casefold()))
