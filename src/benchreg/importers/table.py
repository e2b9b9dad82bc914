"""Rows of a published table -> drafts of records, by a mapping."""

import csv
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field

from pydantic import MISSING

from benchreg.entities.mapping import Cell, Mapping, Tree, When
from benchreg.importers.beside import Added, Lines, added, joined
from benchreg.importers.cells import RowError, columns_of, filled, pointer, put, slug, value_of
from benchreg.importers.draft import Account, Draft
from benchreg.importers.rows import Key, Whole, widened
from benchreg.registry.schema import allowed_at
from benchreg.values.errors import BenchregError
from benchreg.values.text import shown, suggestion


@dataclass(slots=True)
class Run:
    """What the rows of one run say together."""

    rows: int = 0
    lists: dict[str, list[str]] = field(default_factory=dict)
    cells: dict[str, set[str]] = field(default_factory=dict)
    faults: dict[int, str] = field(default_factory=dict)

    def fill(self, row: Whole) -> Whole:
        """Return a row with the cells that it leaves blank and others of the run fill."""
        several = next((name for name, texts in self.cells.items() if len(texts) > 1), None)
        if several:
            raise RowError(f"the rows of the run differ in column {shown(several)!r}")
        cells = {name: "".join(texts) for name, texts in self.cells.items()}
        return row.filled(cells) if cells else row


@dataclass(frozen=True, slots=True)
class Table:
    """A table that a mapping reads: how it is opened anew, and what a second one adds to it."""

    mapping: Mapping
    lines: Lines
    more: Added = field(default_factory=dict)


def table(mapping: Mapping, lines: Lines, beside: Lines | None = None) -> Table:
    """Return a table as its mapping reads it.

    Raises BenchregError where the mapping wants a second table that is not given, or wants none,
    and for a second one that does not fit it.
    """
    if (mapping.beside is MISSING) != (beside is None):
        raise BenchregError(
            "the mapping names a table `beside`, and none is given; give it with --beside"
            if beside is None
            else "a table is given with --beside, and the mapping does not say what it adds"
        )
    if mapping.beside is MISSING or beside is None:
        return Table(mapping, lines)
    return Table(mapping, lines, added(mapping.beside, beside, _delimiter(mapping)))


def drafts(table: Table, account: Account) -> Iterator[Draft]:
    """Yield a draft for each row that is taken, in the order of the table.

    The table is read twice where rows are merged, and never held but where a long table is made
    wide. A row that cannot be placed is noted in the account, with the number of its last line and
    the reason. Raises BenchregError where the table as a whole does not fit the mapping.
    """
    mapping = table.mapping
    runs = _runs(table) if mapping.merge is not MISSING else {}
    seen: set[Key] = set()
    for number, row in _rows(table):
        account.rows += row.lines
        account.merged += row.lines - 1
        try:
            if reason := _left_out(mapping, row):
                account.drop(f"row {number}", reason, refused=False)
                continue
            key = _key(mapping, row)
            run = runs.get(key, Run())
            if fault := run.faults.get(number):
                account.drop(f"row {number}", fault, refused=True)
                continue
            if key and key in seen:
                account.merged += 1
                continue
            seen.add(key)
            yield _draft(mapping, run.fill(row), number, run)
        except RowError as error:
            account.drop(f"row {number}", str(error), refused=True)


def _rows(table: Table) -> Iterator[tuple[int, Whole]]:
    """Yield each row with its line number, those of one point as one where the table is long."""
    rows, mapping = _read(table), table.mapping
    if mapping.wide is MISSING:
        return rows
    return widened(mapping.wide, rows, lambda row: _left_out(mapping, row))


def _delimiter(mapping: Mapping) -> str:
    return mapping.delimiter if mapping.delimiter is not MISSING else ","


def _read(table: Table) -> Iterator[tuple[int, Whole]]:
    """Yield each row with its line number; raises BenchregError for what is no such table."""
    mapping, delimiter = table.mapping, _delimiter(table.mapping)
    beside = mapping.beside
    reader = csv.DictReader(table.lines(), delimiter=delimiter, strict=True)
    try:
        _check_columns(mapping, list(reader.fieldnames or ()), delimiter)
        for row in reader:
            more = joined(beside, table.more, row) if beside is not MISSING else {}
            yield reader.line_num, Whole(row | more, mapping.columns)
    except csv.Error as error:
        raise BenchregError(f"after line {reader.line_num}: not a csv table: {error}") from None
    except UnicodeDecodeError:
        raise BenchregError("the table is not UTF-8 text; save it as UTF-8") from None


def _check_columns(mapping: Mapping, have: list[str], delimiter: str) -> None:
    _check_cells(mapping)
    if not have:
        raise BenchregError("the table is empty: it has no row of column names")
    if len(set(have)) < len(have):
        twice = next(name for name in have if have.count(name) > 1)
        raise BenchregError(f"the table has two columns {shown(twice)!r}")
    for what, names in _further(mapping):
        if both := next((name for name in names if name in have), None):
            raise BenchregError(f"the table has a column {both!r}, which is one of the {what} too")
        have = [*have, *names]
    given = [*have, *_check_made(mapping, have)]
    missing = next((name for name in sorted(_columns(mapping)) if name not in given), None)
    if missing is None:
        return
    if len(have) == 1 and (other := next((c for c in ";\t|," if c in have[0]), "")):
        raise BenchregError(
            f"the table has one column by the delimiter {delimiter!r}; write "
            f"`delimiter: {other!r}` in the mapping"
        )
    near = suggestion(missing, given) or f"it has {shown(', '.join(have))}"
    raise BenchregError(f"the table has no column {missing!r}, which the mapping names; {near}")


def _further(mapping: Mapping) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the columns that are not the table's own, and what makes them."""
    if mapping.beside is not MISSING:
        yield "`columns` of `beside`", mapping.beside.columns
    if mapping.wide is not MISSING:
        yield "`names`", mapping.wide.names


def _check_cells(mapping: Mapping) -> None:
    """Raise BenchregError for a cell that reads nothing, or two things."""
    groups = (mapping.columns, mapping.cells, *(case.cells for case in mapping.cases))
    for path, cell in ((path, cell) for group in groups for path, cell in group.items()):
        if (cell.column is MISSING) == (cell.text is MISSING):
            wrong = "neither `column` nor" if cell.column is MISSING else "both `column` and"
            raise BenchregError(f"the mapping's cell {path!r} has {wrong} `text`")


def _check_made(mapping: Mapping, have: list[str]) -> Iterator[str]:
    """Yield the made columns; raise BenchregError for one that is there, or made of later ones."""
    names = list(mapping.columns)
    for place, (name, cell) in enumerate(mapping.columns.items()):
        if name in have:
            raise BenchregError(f"the table has a column {name!r}, which the mapping makes anew")
        if later := next((one for one in columns_of(cell) if one in names[place:]), None):
            raise BenchregError(f"the mapping makes {name!r} of {later!r}, which is made later")
        yield name


def _columns(mapping: Mapping) -> set[str]:
    """Return every column that a mapping names."""
    groups = (mapping.columns, mapping.cells, *(case.cells for case in mapping.cases))
    cells = [cell for group in groups for cell in group.values()]
    conditions = [*(skip.when for skip in mapping.skip), *(case.when for case in mapping.cases)]
    whens = [when for group in conditions for when in group]
    merge, wide, beside = mapping.merge, mapping.wide, mapping.beside
    ids = (merge.id,) if merge is not MISSING else ()
    texts = (mapping.id, mapping.folder, mapping.sweep, *ids)
    return {
        *(name for cell in cells for name in columns_of(cell)),
        *(when.column for when in whens),
        *(name for text in texts if text is not MISSING for name in columns_of(Cell(text=text))),
        *((*merge.by, *merge.fill) if merge is not MISSING else ()),
        *((*wide.by, wide.name, wide.value) if wide is not MISSING else ()),
        *((same.column for same in beside.by) if beside is not MISSING else ()),
    }


def _left_out(mapping: Mapping, row: Whole) -> str:
    """Return why the mapping leaves a row out, or nothing; refuse a row of another length."""
    if row.fault:
        raise RowError(row.fault)
    if row.wide:
        return ""  # its rows were asked one by one
    if None in row or None in row.values():
        raise RowError("the row does not have as many cells as there are columns")
    return next((skip.reason for skip in mapping.skip if _holds(skip.when, row)), "")


def _holds(whens: Iterable[When], row: Whole) -> bool:
    return all(_is(when, row[when.column].strip()) for when in whens)


def _is(when: When, cell: str) -> bool:
    return (
        (not when.equals or cell in when.equals)
        and cell not in when.differs
        and (when.contains is MISSING or when.contains in cell)
        and (when.lacks is MISSING or when.lacks not in cell)
        and (when.blank is MISSING or when.blank == (not cell))
    )


def _key(mapping: Mapping, row: Whole) -> Key:
    return tuple(row[name] for name in mapping.merge.by) if mapping.merge is not MISSING else ()


def _runs(table: Table) -> dict[Key, Run]:
    """Return, for each run, how many rows it has and what it collects from them all."""
    runs: dict[Key, Run] = {}
    mapping = table.mapping
    for number, row in _rows(table):
        run = Run()
        try:
            if _left_out(mapping, row):
                continue
            run = runs.setdefault(_key(mapping, row), run)
            _collect(mapping, row, run)
        except RowError as error:
            run.faults[number] = str(error)
        except (KeyError, TypeError):
            continue  # the row says nothing for a list
    return runs


def _collect(mapping: Mapping, row: Whole, run: Run) -> None:
    """Add what a row says to that of its run."""
    _, cells = _parts(mapping, row)
    for name in mapping.merge.fill:  # type: ignore[union-attr]
        run.cells.setdefault(name, set()).update({row[name].strip()} - {""})
    for path in mapping.merge.lists:  # type: ignore[union-attr]
        found = value_of(path, cells[path], row)
        items = [found] if isinstance(found, str) else found
        run.lists[path] = sorted({*run.lists.get(path, ()), *items})
    run.rows += 1


def _parts(mapping: Mapping, row: Whole) -> tuple[Tree, dict[str, Cell]]:
    """Return the constants and the cells that hold for a row."""
    tree, cells = deepcopy(dict(mapping.record)), dict(mapping.cells)
    for case in mapping.cases:
        if _holds(case.when, row):
            _merge(tree, case.record)
            cells |= case.cells
    return tree, cells


def _merge(tree: Tree, more: Tree) -> None:
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(tree.get(key), dict):
            _merge(tree[key], value)
        else:
            tree[key] = deepcopy(value)


def _draft(mapping: Mapping, row: Whole, number: int, run: Run) -> Draft:
    tree, cells = _parts(mapping, row)
    for path, cell in cells.items():
        value = _listed(path, run) or value_of(path, cell, row)
        if value is not None:
            put(tree, path, value)
        elif cell.blank is not MISSING and cell.blank.absent is not MISSING:
            because = cell.blank.because if cell.blank.because is not MISSING else "not_stated"
            tree.setdefault("absent", {})[cell.blank.absent] = because
    tree["id"] = slug(filled(_id(mapping, run), row))
    if not tree["id"]:
        raise RowError("the row gives an empty id")
    if mapping.sweep is not MISSING:
        tree["sweep"] = slug(filled(mapping.sweep, row))
    folder = slug(filled(mapping.folder, row)) if mapping.folder is not MISSING else ""
    return Draft(f"row {number}", tree["id"], folder, tree)


def _listed(path: str, run: Run) -> list[str] | str | None:
    """Return what a run collects for a field: a list, or a text where the field is one."""
    found = run.lists.get(path)
    text = found and allowed_at("record", pointer(path)).get("type") == "string"
    return "; ".join(found) if found and text else found


def _id(mapping: Mapping, run: Run) -> str:
    merge = mapping.merge
    several = run.rows > 1 and merge is not MISSING and merge.id is not MISSING
    return merge.id if several else mapping.id  # type: ignore[union-attr, return-value]
