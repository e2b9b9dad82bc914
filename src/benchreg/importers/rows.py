"""Rows of a published table: with columns made of others, and those of one point as one row."""

from collections.abc import Callable, Iterable, Iterator
from collections.abc import Mapping as Named

from benchreg.entities.mapping import Cell, Wide
from benchreg.importers.cells import Row, RowError, made_of
from benchreg.values.text import shown

Key = tuple[str, ...]


class Whole(dict[str, str]):
    """A row, with the columns made of others: each is made when it is first asked for.

    `lines` are the rows of the table that it is made of. `differ` are the columns in which these
    say different things; `fault` is why it cannot be placed.
    """

    def __init__(self, row: Row, made: Named[str, Cell]) -> None:
        super().__init__(row)
        self.made = made
        self.lines = 1
        self.wide = False
        self.differ: set[str] = set()
        self.fault = ""

    def __missing__(self, name: str) -> str:
        """Make a column, and keep it."""
        if name in self.differ:
            raise RowError(f"the rows of the point differ in column {shown(name)!r}")
        if name not in self.made:
            raise RowError(f"column {shown(name)!r} is of a whole point, and this is a row of one")
        value = self[name] = made_of(self.made[name], self)
        return value

    def filled(self, cells: dict[str, str]) -> "Whole":
        """Return the row with other cells, and what is made of them made anew."""
        plain = {name: cell for name, cell in self.items() if name not in self.made}
        row = Whole(plain | cells, self.made)
        row.lines, row.wide, row.differ = self.lines, self.wide, self.differ - cells.keys()
        return row


def widened(
    wide: Wide, rows: Iterable[tuple[int, Whole]], left_out: Callable[[Whole], str]
) -> Iterator[tuple[int, Whole]]:
    """Yield a row for each point of a long table, where its first row stands.

    What is left out, or cannot be placed, is yielded as it stands. Every row is held until the
    last one is read: the rows of a point may be anywhere.
    """
    found: list[tuple[int, Whole]] = []
    points: dict[Key, Whole] = {}
    for number, row in rows:
        try:
            alone = bool(left_out(row))
            key, name = _place(wide, row) if not alone else ((), "")
        except RowError as error:
            alone, row.fault = True, str(error)
        if alone:
            found.append((number, row))
        elif key in points:
            _join(points[key], row, name, wide, number)
        else:
            points[key] = _point(wide, row, name)
            found.append((number, points[key]))
    yield from found


def _place(wide: Wide, row: Whole) -> tuple[Key, str]:
    """Return the point of a row, and the figure that it holds."""
    name = row[wide.name].strip()
    if name not in wide.names:
        raise RowError(f"column {wide.name!r} is {shown(name)!r}, which is none of the `names`")
    return tuple(row[column].strip() for column in wide.by), name


def _point(wide: Wide, row: Whole, name: str) -> Whole:
    """Return the row of a point of which one row is known."""
    made = {column for column in row if column in row.made}
    cells = {column: cell for column, cell in row.items() if column not in made}
    point = Whole(cells | dict.fromkeys(wide.names, ""), row.made)
    point[name] = row[wide.value]
    point.wide = True
    _part(point, {wide.name, wide.value})
    return point


def _join(point: Whole, row: Whole, name: str, wide: Wide, number: int) -> None:
    """Add a further row to its point."""
    point.lines += 1
    if point[name].strip():
        point.fault = f"row {number} of the table holds {shown(name)!r} of the same point again"
    point[name] = row[wide.value]
    own = {*wide.names, *wide.by}
    _part(point, {c for c in point if c not in own and point[c].strip() != row[c].strip()})


def _part(point: Whole, columns: set[str]) -> None:
    """Take columns out of a point, in which its rows differ."""
    point.differ |= columns
    for column in columns:
        point.pop(column, None)
