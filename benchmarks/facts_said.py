"""What the cross-check said about the rows, beside what is known of them, as text."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from facts_rows import Left, Row

from benchreg.analysis.crosscheck import Verdict

KINDS = ("impossible", "does_not_fit", "plausible", "unchecked")
WANTED = 0.95
TABLE_OF = {"argonne": "argonne_llm_inference_bench", "trtllm_saturated": "tensorrt_llm_perf"}
Address = tuple[str, str]

# Places with impossible figures that the list of the known ones lacks, and why they are no false
# alarms. Those of Aquila-7B show without any bound: latency falls to about a tenth or less as the
# lengths double, as it does in the list for four other models of the same context on that part.
ALSO = {
    **dict.fromkeys(
        (f"Plots/All_results.csv line {line}" for line in (3389, 3394, 3399, 3404)),
        "the list leaves out Aquila-7B; 4,096 tokens exceed its context of 2,048",
    ),
    "open/NVIDIA/results/Jetson-Thor/llama3.1-8b-edge/SingleStream/performance/run_1/"
    "mlperf_log_summary.txt": "the open division allows speculative decoding; the table names none",
}


class Violation(NamedTuple):
    """A row that is known to be impossible."""

    dataset: str
    locator: str
    model: str
    measured: str

    @property
    def place(self) -> str:
        """Return where the source has it, as the tables of rows write it."""
        return re.sub(r"^(.*\.csv):(\d+)$", r"Plots/\1 line \2", self.locator)

    def is_row(self, row: Row) -> bool:
        """Tell whether a row at its place is this one."""
        same = Decimal(row["value"]) == Decimal(self.measured)
        return same and row.table == TABLE_OF.get(self.dataset)


@dataclass(frozen=True, slots=True)
class Asked:
    """Rows read by table, the row of each figure, each row's own figure, and the verdicts."""

    read: Mapping[str, int]
    rows: Mapping[Address, Row]
    own: Mapping[str, Address]
    left: list[Left]
    found: Mapping[Address, Verdict]
    violations: list[Violation]

    def kind(self, at: Address) -> str:
        """Return the kind of verdict of a figure."""
        return self.found[at].kind if at in self.found else "no verdict"


class Outcome(NamedTuple):
    """Violations found and missed; other figures found: of their records, explained, neither."""

    hit: list[tuple[Violation, Address]]
    missed: list[tuple[Violation, str]]
    beside: list[Address]
    also: list[Address]
    alarms: list[Address]


def outcome(asked: Asked) -> Outcome:
    """Return how the findings and the known violations differ."""
    others = {at: True for at in asked.rows if asked.kind(at) in KINDS[:2]}
    hit: list[tuple[Violation, Address]] = []
    missed: list[tuple[Violation, str]] = []
    for violation, row in _with_rows(asked):
        at = asked.own.get(row.name) if row else None
        if at is not None and asked.kind(at) in KINDS[:2]:
            hit.append((violation, at))
            others.pop(at, None)
        else:
            missed.append((violation, _why_missed(asked, row)))
    expected = {at[0] for _, at in hit}
    beside = [at for at in others if at[0] in expected]
    also = [at for at in others if asked.rows[at].place in ALSO]
    alarms = [at for at in others if at not in {*beside, *also}]
    return Outcome(hit, missed, beside, also, alarms)


def _with_rows(asked: Asked) -> Iterator[tuple[Violation, Row | None]]:
    """Yield each violation with the row that it is."""
    by_place: dict[str, list[Row]] = {}
    for row in [*asked.rows.values(), *(left.row for left in asked.left)]:
        by_place.setdefault(row.place, []).append(row)
    for violation in asked.violations:
        rows = by_place.get(violation.place, [])
        yield violation, next(filter(violation.is_row, rows), None)


def _why_missed(asked: Asked, row: Row | None) -> str:
    if row is None:
        return "no such row"
    if row.name in asked.own:
        at = asked.own[row.name]
        return f"{row.name} is {asked.kind(at)}: {_reason(asked, at)}"
    return f"{row.name}: " + next(left.why for left in asked.left if left.row is row)


def named(asked: Asked) -> int:
    """Return how many rows name a part and a model, in the catalogue or not."""
    return len(asked.own) + sum(left.named for left in asked.left)


def judged_rows(asked: Asked) -> int:
    """Return how many rows have a verdict on their own figure."""
    return sum(asked.kind(at) in KINDS[:3] for at in asked.own.values())


def passed(asked: Asked) -> bool:
    """Tell whether enough was judged, and just the known violations were found."""
    result = outcome(asked)
    enough = judged_rows(asked) >= WANTED * named(asked)
    return enough and not result.missed and not result.alarms


def said(asked: Asked) -> str:
    """Return the whole report."""
    parts = (_rows(asked), _kinds(asked), _left(asked), _unchecked(asked), _differences(asked))
    return "\n\n".join("\n".join(lines) for lines in parts)


def _rows(asked: Asked) -> Iterator[str]:
    total, of_both, known = sum(asked.read.values()), named(asked), len(asked.own)
    judged = judged_rows(asked)
    yield f"{total:,} rows read; {of_both:,} name a part and a model"
    yield f"{known:,} with a part and a model of the catalogue ({known / of_both:.1%})"
    yield f"{judged:,} judged ({judged / of_both:.1%}; at least {WANTED:.0%} wanted)"


def _kinds(asked: Asked) -> Iterator[str]:
    """Yield the number of figures of each kind by table; all figures, and the rows' own."""
    tables = [*asked.read, "all"]
    yield f"{'figures':<34}" + "".join(f"{kind:>14}" for kind in KINDS)
    for table in tables:
        counts = Counter(
            asked.kind(at) for at, row in asked.rows.items() if table in {row.table, "all"}
        )
        yield f"{table:<34}" + "".join(f"{counts[kind]:>14,}" for kind in KINDS)
    every = Counter(map(asked.kind, asked.rows))
    share = "".join(f"{every[kind] / len(asked.rows):>14.2%}" for kind in KINDS)
    yield f"{'share':<34}{share}"
    if strange := [kind for kind in every if kind not in KINDS]:
        yield f"other words: {', '.join(f'{kind} ({every[kind]:,})' for kind in strange)}"


def _left(asked: Asked) -> Iterator[str]:
    counts = Counter(left.why for left in asked.left)
    yield f"{len(asked.left):,} rows became no record"
    yield from (f"  {why} ({count:,})" for why, count in counts.most_common())


def _unchecked(asked: Asked) -> Iterator[str]:
    """Yield each kind of reason, numbers left out, with how often it is given and one row."""
    groups: dict[str, list[Address]] = {}
    for at in asked.rows:
        if asked.kind(at) == "unchecked":
            kind = re.sub(r"\d[\d.,]*", "#", asked.found[at].reason)
            groups.setdefault(kind, []).append(at)
    yield f"{sum(map(len, groups.values())):,} figures unchecked"
    for kind, members in sorted(groups.items(), key=lambda item: -len(item[1])):
        yield f"  {kind} ({len(members):,}), as {_address(asked, members[0])}"


def _differences(asked: Asked) -> Iterator[str]:
    result = outcome(asked)
    yield f"{len(result.hit)} of {len(asked.violations)} known violations found"
    yield from (f"  found   {each.model}: {_finding(asked, at)}" for each, at in result.hit)
    yield from (f"  MISSED  {each.model}, {each.locator}: {why}" for each, why in result.missed)
    yield f"{len(result.beside)} other figures of those records found"
    yield from (f"  beside  {_finding(asked, at)}" for at in result.beside)
    yield f"{len(result.also)} figures found that the list lacks, and that are impossible"
    for at in result.also:
        yield f"  also    {_finding(asked, at)}"
        yield f"          {ALSO[asked.rows[at].place]}"
    yield f"{len(result.alarms)} figures found that are neither: false alarms until explained"
    yield from (f"  ALARM   {_finding(asked, at)}" for at in result.alarms)


def _finding(asked: Asked, at: Address) -> str:
    verdict = asked.found[at]
    told = f"{verdict.kind}, {verdict.share:.3g} of its bound {verdict.bound:,.4g}"
    return f"{_address(asked, at)}: {told}: {verdict.reason}"


def _reason(asked: Asked, at: Address) -> str:
    return asked.found[at].reason if at in asked.found else ""


def _address(asked: Asked, at: Address) -> str:
    row = asked.rows[at]
    return f"{at[0]}#{at[1]} ({row.place})"
