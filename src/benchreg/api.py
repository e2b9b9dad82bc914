"""What a program asks of a registry: records, figures, comparisons, estimates and the audit."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any, Unpack

from benchreg.analysis.comparison import varied
from benchreg.analysis.estimates import Answer as Estimate
from benchreg.analysis.estimates import answer as estimated
from benchreg.analysis.provenance import Provenance, of_condition, of_figure
from benchreg.analysis.question import Question, Split
from benchreg.analysis.row import Row
from benchreg.audit.catalogue import chosen
from benchreg.audit.engine import Report
from benchreg.audit.engine import audit as audited
from benchreg.entities.figure import Figure
from benchreg.entities.record import Record
from benchreg.registry.load import load as read
from benchreg.registry.registry import Registry
from benchreg.registry.roots import registry_root
from benchreg.report.rows import beside as counterpart
from benchreg.snapshot.ask import STANDS, Asked, answers, ask
from benchreg.snapshot.asking import asking
from benchreg.snapshot.columns import NUMBERS
from benchreg.snapshot.filters import NAMED, Filters, text
from benchreg.snapshot.picked import Beside, beside
from benchreg.snapshot.store import Snapshot
from benchreg.values.errors import BenchregError
from benchreg.values.text import shown, suggestion

_WAYS = ("tensor", "pipeline", "context", "attention_data", "expert", "replicas")
_LOADS = {"batch": "static_batch", "concurrency": "closed_loop"}


@dataclass(frozen=True, slots=True)
class Found:
    """One figure that a question found; as text it never stands without what one request sees.

    `record` and `figure` are everything that is stated of it, read when they are first asked for;
    `row` is how it is shown, and `name` what the figure is called in its record.
    """

    name: str
    row: Row
    _home: "Benchmarks" = field(repr=False, compare=False)

    @property
    def record(self) -> Record:
        """The record; raises BenchregError where it came after the records were read."""
        record_id = self.key.partition("#")[0]
        record = self._home.records.get(record_id)
        if record is None:
            raise BenchregError(f"{record_id} came after the records were read; load them anew")
        return record

    @property
    def key(self) -> str:
        """`record#figure`, or the record's id where there is no figure."""
        return self.row.key

    @property
    def figure(self) -> Figure | None:
        """The figure in its record; None for a record that has none."""
        return self.record.results.get(self.name)

    @property
    def value(self) -> Decimal | None:
        """The number as it is written, in `unit`; None for a record without figures."""
        return self.row.value

    @property
    def unit(self) -> str:
        """The unit of the value."""
        return self.row.unit

    @property
    def seen_by_request(self) -> str:
        """What one request sees of an aggregate, with its unit, or why that is not known."""
        return self.row.seen_by_request

    def provenance(self, condition: str = "") -> Provenance:
        """Return where the value comes from, or a condition such as `engine.version`.

        Raises NotFoundError for a condition that there is none of.
        """
        if condition:
            return of_condition(self.record, condition)
        return of_figure(self.record, self.name)

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.key}: {self.row.status}"
        return f"{self.key}: {self.value:f} {self.unit}{counterpart(self.seen_by_request)}"

    def __repr__(self) -> str:
        return f"<Found {self}>"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


@dataclass(frozen=True, slots=True)
class _Ids:
    """The keys of an answer, with their rows, and the files that it was read from."""

    rows: tuple[Row, ...]
    files: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Beside:
    found: tuple[Beside, ...]
    files: frozenset[int]


class Benchmarks:
    """The records below a root. Nothing is read before something is asked for.

    What is read once stays: load anew to see what has changed since.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    @cached_property
    def registry(self) -> Registry:
        """Every entity by its id, links both ways, and what was refused."""
        return read(self.root)

    @property
    def records(self) -> Mapping[str, Record]:
        """The records, by id."""
        return self.registry.records

    def find(
        self,
        *words: str,
        engine_version: str = "",
        date: str = "",
        status: str = STANDS,
        where: str = "",
        **filters: Unpack[Filters],
    ) -> tuple[Found, ...]:
        """Return the figures that match every filter, as `benchreg query` takes them.

        `hardware`, `model`, `engine` and `source` are names. A column of numbers has a range, as
        "7..13", 8 or (7, None); every other column is a word that must be equal. Raises
        NotFoundError for a name that nothing has, and BenchregError for a range or a condition that
        is none.
        """
        _check_words((*words, engine_version, date, status, where))
        said = {name: text(name, value) for name, value in filters.items()}
        asked = Asked(
            {name: one for name, one in said.items() if name in NAMED},
            {name: one for name, one in said.items() if name not in {*NAMED, *NUMBERS}},
            {name: one for name, one in said.items() if name in NUMBERS},
            engine_version, date, status, words, where,
        )  # fmt: skip

        def answered(snapshot: Snapshot) -> _Ids:
            found = answers(snapshot.database, ask(snapshot.database, asked).ids)
            return _Ids(tuple(one.row for one in found), frozenset(one.file for one in found))

        return tuple(self._found(row) for row in asking(self.root).answer(answered).rows)

    def _found(self, row: Row) -> Found:
        return Found(row.key.partition("#")[2], row, self)

    def compare(self, *names: str, across: Iterable[str] = ()) -> tuple[Beside, ...]:
        """Return figures side by side, with every condition and what keeps them apart.

        `names` are `record#figure`, records or aliases; `across` what the question varies. Raises
        NotFoundError for a name that nothing has, and BenchregError for fewer than two names or
        figures of which none can stand side by side.
        """
        if len(names) < 2:
            raise BenchregError("name two figures or more: record#figure, a record or an alias")
        may = varied(across)

        def answered(snapshot: Snapshot) -> _Beside:
            some = beside(snapshot.database, names, may)
            files = (figure.answer.file for two in some for figure in two.figures)
            return _Beside(some, frozenset(files))

        return asking(self.root).answer(answered).found

    def estimate(
        self, model: str, accelerator: str, input_tokens: float, output_tokens: float, **more: Any
    ) -> Estimate:
        """Return what a model should do on a part: rates, latencies and the bound beside them.

        Lengths are in tokens. `more` is the load (`batch`, `concurrency` or `saturated=True`; a
        batch of one if left out), the split (`tensor`, `pipeline`, `context`, `attention_data`,
        `expert`, `replicas`), the formats (`weights`, `activations`, `kv_cache`, `head`,
        `attention`), `cached_tokens`, `acceptance_length` and `coefficients`. Raises BenchregError
        that names what is not allowed.
        """
        known = {*Question.__dataclass_fields__, *_WAYS, *_LOADS, "saturated"}
        if unknown := next((name for name in more if name not in known), None):
            near = suggestion(unknown, known) or f"there are {', '.join(sorted(known))}"
            raise BenchregError(f"an estimate has no {shown(unknown)!r}; {near}")
        split = Split(**{name: more.pop(name) for name in _WAYS if name in more})
        pattern, level = _load(more)
        question = Question(
            model, accelerator, input_tokens, output_tokens, pattern, level, split=split, **more
        )
        return estimated(self.registry, question)

    def audit(
        self, select: Iterable[str] = (), ignore: Iterable[str] = (), today: date | None = None
    ) -> Report:
        """Return what the rules say of every record and catalogue entry.

        `select` and `ignore` name rules as `benchreg audit` takes them. `today` is the day on which
        it is judged; without it rules that need one do not judge. Raises BenchregError for a name
        that no rule has.
        """
        registry = read(self.root, today=today) if today else self.registry
        return audited(registry, chosen(select, ignore))


def _check_words(words: Iterable[object]) -> None:
    for word in words:
        if not isinstance(word, str):
            raise BenchregError(f"{word!r} is no text; write it in quotes")


def _load(more: dict[str, Any]) -> tuple[Any, int]:
    """Take the load out of what is given; raises BenchregError where two are."""
    given = {name: more.pop(name) for name in (*_LOADS, "saturated") if more.get(name)}
    if len(given) > 1:
        raise BenchregError(f"{' and '.join(given)} are two loads; give one of them")
    if "saturated" in given:
        return "saturated", 1
    for name, level in given.items():
        return _LOADS[name], level
    return "static_batch", 1


def load(root: Path | None = None) -> Benchmarks:
    """Return the records of a registry: below `root`, around the working directory, or our own.

    Raises BenchregError where there is no such registry.
    """
    return Benchmarks(registry_root(root))
