"""The engine: every rule over every subject, with three outcomes and no way around them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from benchreg.audit.finding import Crash, Finding, Unevaluated
from benchreg.audit.processes import spread
from benchreg.audit.rule import Rule
from benchreg.audit.run import Clock, Found, Run
from benchreg.audit.waivers import Accepted, Waived, Waiving
from benchreg.entities.record import Record
from benchreg.registry.refusal import Refusal
from benchreg.registry.registry import Entry, Registry
from benchreg.values.garbage import collector_at_rest

RECORDS, MIN_DEPTH = ["records", "benchmarks"], 3


class Share(NamedTuple):
    """How many records and figures there are of one source."""

    records: int
    figures: int


@dataclass(frozen=True, slots=True)
class Report:
    """What the audit found, what it could not judge, and what it went over.

    `verdicts` counts the roofline's by kind, `unchecked` by their reason; both are empty where no
    rule asks it. `waived` are findings that their record accepts; they are not among `findings`,
    and neither are the `known` ones. `stale` counts what was known and is found no more. `seconds`
    are what each rule took, where a clock was given; what rules share falls to the first that asks
    for it. `remarks` say how the audit was done otherwise than usual. `sources` are by the folder
    that holds their records.
    """

    findings: tuple[Finding, ...]
    unevaluated: tuple[Unevaluated, ...]
    crashes: tuple[Crash, ...]
    evaluated: dict[str, int]
    records: int
    figures: int
    entities: int
    refused: int
    verdicts: dict[str, int] = field(default_factory=dict)
    unchecked: dict[str, int] = field(default_factory=dict)
    waived: tuple[Waived, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    known: int = 0
    stale: int = 0
    remarks: tuple[str, ...] = ()
    sources: dict[str, Share] = field(default_factory=dict)


def audit(
    registry: Registry,
    rules: Iterable[Rule],
    among: Callable[[str], bool] = lambda _: True,
    clock: Clock | None = None,
    jobs: int = 1,
) -> Report:
    """Return what the rules say of every subject whose path is `among` those asked for.

    A crash of a rule becomes a `Crash`; the run goes on and is incomplete. A `clock` in seconds
    times each rule. The report is the same for any number of processes (`jobs`).
    """
    rules = tuple(rules)
    run = Run(registry, clock=clock)
    entries = [entry for entry in registry.entries if among(entry.document.path)]
    refusals = [refusal for refusal in registry.refusals if among(refusal.path)]
    with collector_at_rest():
        _over_entries(run, rules, entries, jobs)
        for rule in (rule for rule in rules if Refusal in rule.over):
            for refusal in refusals:
                run.run([rule], refusal, refusal.path, registry.documents.get(refusal.path))
        _waive(run, rules, entries)
        return _report(run, rules, entries, refusals)


def _over_entries(run: Run, rules: tuple[Rule, ...], entries: list[Entry], jobs: int) -> None:
    """Run the rules over entries; what rules share is worked out at the first record, then forked.

    A finding goes between processes without its document, which both have.
    """
    by_type = {type_: tuple(_for_type(type_, rules)) for type_ in _types(entries)}

    def over(some: Iterable[Entry], into: Run) -> Run:
        for entry in some:
            into.entry(entry, by_type[type(entry.entity)])
        return into

    def share(some: Sequence[Entry]) -> Found:
        return over(some, Run(run.registry, clock=run.clock)).told()

    if jobs == 1:
        over(entries, run)
        return
    first = next((number for number, one in enumerate(entries) if one.kind == "record"), 0) + 1
    over(entries[:first], run)
    for found in spread(share, entries[first:], jobs):
        run.add(found)


def _waive(run: Run, rules: tuple[Rule, ...], entries: Iterable[Entry]) -> None:
    """Take out of the findings what their records accept, and judge what the waivers accept."""
    records = {
        entry.document.path: entry.entity for entry in entries if isinstance(entry.entity, Record)
    }
    waiving = Waiving(records, rules, run.registry.today)
    run.findings, run.waived = waiving.split(run.findings)
    judges = [rule for rule in rules if Accepted in rule.over]
    for path, accepted in waiving.accepted(run.waived, _not_judged(run)).items():
        run.run(judges, accepted, path, run.registry.documents.get(path))


def _not_judged(run: Run) -> set[tuple[str, str]]:
    """Return the rules that could not judge a file, in part or at all, with its path."""
    notes = {(note.code, note.path) for note in run.unevaluated}
    return notes | {(crash.code, crash.path) for crash in run.crashes}


def _report(
    run: Run, rules: tuple[Rule, ...], entries: list[Entry], refusals: list[Refusal]
) -> Report:
    records = [entry.entity for entry in entries if isinstance(entry.entity, Record)]
    refused = {refusal.path for refusal in refusals}
    subjects: Counter[type] = Counter(type(entry.entity) for entry in entries)
    subjects[Entry] = len(entries)
    subjects[Refusal] = len(entries) + len(refused)
    subjects[Accepted] = sum(bool(record.waivers) for record in records)
    left_out = Counter(code for code, _ in _not_judged(run))
    return Report(
        tuple(sorted(run.findings, key=_order)),
        tuple(sorted(run.unevaluated, key=lambda note: (note.code, note.path, note.pointer))),
        tuple(run.crashes),
        {r.code: max(subjects[kind] for kind in r.over) - left_out[r.code] for r in rules},
        len(records),
        sum(len(record.results) for record in records),
        len(entries) - len(records),
        len(refused),
        *(_verdicts(run.registry, records) if _told(run, rules) else ({}, {})),
        tuple(sorted(run.waived, key=lambda one: _order(one.finding))),
        dict(run.seconds),
        sources=_shares(entries),
    )


def source_of(path: str) -> str:
    """Return the source in whose folder a record lies; empty for any other file."""
    way = path.split("/")
    return way[2] if len(way) > MIN_DEPTH and way[:2] == RECORDS else ""


def _shares(entries: list[Entry]) -> dict[str, Share]:
    """Return how many records and figures there are of each source, by its name."""
    found: dict[str, Share] = {}
    for entry in entries:
        if isinstance(entry.entity, Record):
            source = source_of(entry.document.path)
            records, figures = found.get(source, (0, 0))
            found[source] = Share(records + 1, figures + len(entry.entity.results))
    return dict(sorted(found.items()))


def _told(run: Run, rules: tuple[Rule, ...]) -> bool:
    """Tell whether there are verdicts of the roofline: a rule asks for them, and none crashed."""
    crashed = {crash.code for crash in run.crashes}
    codes = {rule.code for rule in rules if rule.code.startswith("PLA")}
    return bool(codes) and not codes & crashed


def _verdicts(registry: Registry, records: list[Record]) -> tuple[dict[str, int], dict[str, int]]:
    """Return how many figures have each verdict, and how many are unchecked for each reason."""
    from benchreg.analysis.crosscheck import shares, verdicts  # noqa: PLC0415  (numpy is slow to import)

    among = {record.id for record in records}
    found = [verdict for (record, _), verdict in verdicts(registry).items() if record in among]
    reasons = Counter(verdict.reason for verdict in found if verdict.kind == "unchecked")
    counts: dict[str, int] = dict(shares(found).items())
    return counts, dict(reasons.most_common())


def _order(finding: Finding) -> tuple[str, int, int, str, str]:
    return (finding.path, finding.line, finding.column, finding.code, finding.message)


def _types(entries: list[Entry]) -> set[type]:
    return {type(entry.entity) for entry in entries}


def _for_type(type_: type, rules: Iterable[Rule]) -> Iterator[Rule]:
    """Yield the rules over a type of entity, or over whatever entry there is."""
    return (rule for rule in rules if Entry in rule.over or type_ in rule.over)
