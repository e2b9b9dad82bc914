"""The engine: every rule over every subject, with three outcomes and no way around them."""

import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from benchreg.audit.finding import (
    Crash,
    Finding,
    NotEvaluated,
    Problem,
    Unevaluated,
)
from benchreg.audit.rule import Rule
from benchreg.audit.waivers import Accepted, Waived, Waiving
from benchreg.entities.record import Record
from benchreg.registry.document import Document, Place, written_pointer
from benchreg.registry.links import Link
from benchreg.registry.refusal import Refusal
from benchreg.registry.registry import Entry, Registry
from benchreg.values.text import shown

MOST_MESSAGE = 600
MOST_OF_A_RULE = 100
LONG = 16 * 1024
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Report:
    """What the audit found, what it could not judge, and what it went over.

    `verdicts` counts the roofline's by kind, `unchecked` by their reason; both are empty where no
    rule asks it. `waived` are findings that their record accepts; they are not among `findings`,
    and neither are the `known` ones. `stale` counts what was known and is found no more. `seconds`
    are what each rule took, where a clock was given; what rules share falls to the first that asks
    for it. `remarks` say how the audit was done otherwise than usual.
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


@dataclass(slots=True)
class _Run:
    registry: Registry
    findings: list[Finding] = field(default_factory=list)
    unevaluated: list[Unevaluated] = field(default_factory=list)
    crashes: list[Crash] = field(default_factory=list)
    waived: list[Waived] = field(default_factory=list)
    clock: Clock | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    def entry(self, entry: Entry, rules: Iterable[tuple[Rule, bool]]) -> None:
        """Run the rules over one entity; a rule whose needed links are broken cannot judge."""
        _, entity, document = entry
        if broken := self.registry.broken.get(document.path):
            unmet = {rule.code: _unmet(rule, broken) for rule, _ in rules}
            for rule, _ in rules:
                if unmet[rule.code]:
                    self._note(rule, document.path, NotEvaluated((), unmet[rule.code]))
            rules = [pair for pair in rules if not unmet[pair[0].code]]
        cases = [(rule, entry if whole else entity) for rule, whole in rules]
        self.run(cases, document.path, document)

    def run(
        self, cases: Iterable[tuple[Rule, object]], path: str, document: Document | None
    ) -> None:
        """Run rules over what a file holds; the only place where a rule's crash is caught."""
        long = document is not None and len(document.text) > LONG
        for rule, subject in self._timed(cases) if self.clock else cases:
            try:
                found = rule.check(subject, self.registry)
                for case in _bounded(found) if long else found:
                    if isinstance(case, Problem):
                        self.findings.append(_finding(rule, path, document, case))
                    else:
                        self._note(rule, path, case)
            except Exception as error:  # noqa: BLE001  (whatever a rule does, the run goes on)
                trace = "".join(traceback.format_exception(error))
                told = f"{type(error).__name__}: {error}"
                self.crashes.append(Crash(rule.code, path, told, trace))

    def _timed(self, cases: Iterable[tuple[Rule, object]]) -> Iterator[tuple[Rule, object]]:
        """Yield cases, and add up by rule how long each is away."""
        clock = self.clock or float
        for rule, subject in cases:
            start = clock()
            yield rule, subject
            self.seconds[rule.code] = self.seconds.get(rule.code, 0.0) + clock() - start

    def _note(self, rule: Rule, path: str, found: NotEvaluated) -> None:
        pointer = written_pointer(found.at)
        self.unevaluated.append(Unevaluated(rule.code, path, pointer, shown(found.reason)))


def _bounded(cases: Iterable[Problem | NotEvaluated]) -> Iterator[Problem | NotEvaluated]:
    """Yield the first cases of a rule in one file, and say where there are more."""
    for number, case in enumerate(cases):
        if number == MOST_OF_A_RULE:
            yield Problem((), f"more than {MOST_OF_A_RULE} cases of this; the others are left out")
            return
        yield case


def _finding(rule: Rule, path: str, document: Document | None, problem: Problem) -> Finding:
    place = problem.place or _place(document, problem)
    return Finding(
        min(problem.severity or rule.severity, rule.severity),
        path,
        place.line,
        place.column,
        rule.code,
        rule.name,
        written_pointer(problem.at),
        shown(problem.message, MOST_MESSAGE),
        shown(problem.hint, MOST_MESSAGE),
        (document, problem),
    )


def _place(document: Document | None, problem: Problem) -> Place:
    if document is None:
        return Place(1, 1)
    find: Callable[..., Place] = document.value_place if problem.on_value else document.place
    return find(problem.at)


def _unmet(rule: Rule, broken: Iterable[tuple[Link, bool]]) -> str:
    for link, refused in broken:
        if link.kind in rule.needs:
            return f"{link.target} {'was refused' if refused else 'is not there'}"
    return ""


def audit(
    registry: Registry,
    rules: Iterable[Rule],
    among: Callable[[str], bool] = lambda _: True,
    clock: Clock | None = None,
) -> Report:
    """Return what the rules say of every subject whose path is `among` those asked for.

    A crash of a rule becomes a `Crash`; the run goes on and is incomplete. A `clock` in seconds
    times each rule.
    """
    rules = tuple(rules)
    run = _Run(registry, clock=clock)
    entries = [entry for entry in registry.entries if among(entry.document.path)]
    by_type = {type_: tuple(_for_type(type_, rules)) for type_ in _types(entries)}
    for entry in entries:
        run.entry(entry, by_type[type(entry.entity)])
    refusals = [refusal for refusal in registry.refusals if among(refusal.path)]
    for rule in (rule for rule in rules if Refusal in rule.over):
        for refusal in refusals:
            run.run([(rule, refusal)], refusal.path, registry.documents.get(refusal.path))
    _waive(run, rules, entries)
    return _report(run, rules, entries, refusals)


def _waive(run: _Run, rules: tuple[Rule, ...], entries: Iterable[Entry]) -> None:
    """Take out of the findings what their records accept, and judge what the waivers accept."""
    records = {
        entry.document.path: entry.entity for entry in entries if isinstance(entry.entity, Record)
    }
    waiving = Waiving(records, rules, run.registry.today)
    run.findings, run.waived = waiving.split(run.findings)
    judges = [rule for rule in rules if Accepted in rule.over]
    for path, accepted in waiving.accepted(run.waived, _not_judged(run)).items():
        cases = [(rule, accepted) for rule in judges]
        run.run(cases, path, run.registry.documents.get(path))


def _not_judged(run: _Run) -> set[tuple[str, str]]:
    """Return the rules that could not judge a file, in part or at all, with its path."""
    notes = {(note.code, note.path) for note in run.unevaluated}
    return notes | {(crash.code, crash.path) for crash in run.crashes}


def _report(
    run: _Run, rules: tuple[Rule, ...], entries: list[Entry], refusals: list[Refusal]
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
    )


def _told(run: _Run, rules: tuple[Rule, ...]) -> bool:
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


def _for_type(type_: type, rules: Iterable[Rule]) -> Iterator[tuple[Rule, bool]]:
    """Yield the rules over a type of entity, each with whether it takes the whole entry."""
    for rule in rules:
        if Entry in rule.over:
            yield rule, True
        elif type_ in rule.over:
            yield rule, False
