"""What is asked of figures, and the screen that the answer is shown on."""

from typing import NamedTuple

from benchreg.report.paint import Paint, plain
from benchreg.report.rows import COLUMNS
from benchreg.report.sheet import FORMATS
from benchreg.snapshot.ask import Asked
from benchreg.snapshot.columns import NAMES, VALUES
from benchreg.values.errors import BenchregError
from benchreg.values.text import shown, suggestion

STATS = ("count", "min", "median", "mean", "max")
TABLE = "table"
FORMS = (TABLE, *FORMATS)
COUNT = "count"
MOST_ROWS = 100
LISTED = ("value", "metric", "scope", "statistic", "model", "hardware", "engine", "load", "key")


class Question(NamedTuple):
    """What is asked, and how it is answered.

    `sort` is a column, with a hyphen before it for the other way; by value figures are ranked in
    groups that can be compared, `across` what they may differ in. `by` are the columns of groups of
    which a statistic is taken `of` a column. A `limit` of 0 is none; None is that of the form.
    """

    asked: Asked = Asked()
    form: str = TABLE
    sort: str = ""
    across: tuple[str, ...] = ()
    anyway: bool = False
    by: str = ""
    stat: str = COUNT
    of: str = "value"
    columns: str = ""
    limit: int | None = None

    @property
    def chosen(self) -> tuple[str, ...]:
        """The columns that are asked for; raises BenchregError for one that is none."""
        return _columns(self.columns)

    def check(self) -> None:
        """Raise BenchregError for what says nothing, or what two options say differently."""
        ranks = self.sort.removeprefix("-") in VALUES
        if self.sort and self.sort.removeprefix("-") not in NAMES:
            near = suggestion(self.sort.removeprefix("-"), NAMES) or f"there are {', '.join(NAMES)}"
            raise BenchregError(f"no column is called {shown(self.sort)!r}; {near}")
        if (self.across or self.anyway) and not (self.by or ranks):
            raise BenchregError(
                "--across and --anyway need --sort value or --by: nothing else is ranked"
            )
        if not self.by and (self.stat != COUNT or self.of != "value"):
            raise BenchregError("--stat and --of need groups; name their columns with --by")
        if self.by and (self.columns or self.sort):
            raise BenchregError("--by has columns of its own; leave --columns and --sort")

    @property
    def most(self) -> int | None:
        """How many rows are shown at most; None for all."""
        limit = MOST_ROWS if self.limit is None and self.form == TABLE else self.limit
        return limit or None


class Screen(NamedTuple):
    """What the answer is shown on: its width in characters, and how it is painted."""

    width: int = 120
    paint: Paint = plain


SCREEN = Screen()


def _columns(text: str) -> tuple[str, ...]:
    names = tuple(name.strip().replace("-", "_") for name in text.split(",") if name.strip())
    known = {*COLUMNS, *NAMES}
    for name in names:
        if name not in known:
            near = suggestion(name, known) or f"there are {', '.join(sorted(known))}"
            raise BenchregError(f"no column is called {shown(name)!r}; {near}")
    return names


def rest(question: Question, every: int, told: int, what: str = "figures") -> str:
    """Say how much more there is than is shown, in a table for people."""
    if question.form != TABLE or every <= told:
        return ""
    return f"\n\nand {every - told:,} more {what}; --limit 0 prints all"
