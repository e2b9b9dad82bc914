"""One run of rules over subjects: what it finds, leaves open, and where it crashes."""

import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from benchreg.audit.finding import Crash, Finding, NotEvaluated, Problem, Unevaluated
from benchreg.audit.rule import Rule, features
from benchreg.audit.waivers import Waived
from benchreg.entities.record import Record
from benchreg.registry.document import Document, Place, written_pointer
from benchreg.registry.links import Link
from benchreg.registry.registry import Entry, Registry
from benchreg.values.text import shown

MOST_MESSAGE = 600
MOST_OF_A_RULE = 100
LONG = 16 * 1024
Clock = Callable[[], float]


class Found(NamedTuple):
    """What a run found, without documents, so that it is quickly sent."""

    findings: list[Finding]
    unevaluated: list[Unevaluated]
    crashes: list[Crash]
    seconds: dict[str, float]


@dataclass(slots=True)
class Run:
    """The findings and notes of rules over one registry; a `clock` in seconds times each rule."""

    registry: Registry
    findings: list[Finding] = field(default_factory=list)
    unevaluated: list[Unevaluated] = field(default_factory=list)
    crashes: list[Crash] = field(default_factory=list)
    waived: list[Waived] = field(default_factory=list)
    clock: Clock | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    _chosen: dict[frozenset[str], tuple[Rule, ...]] = field(default_factory=dict)

    def entry(self, entry: Entry, rules: tuple[Rule, ...]) -> None:
        """Run the rules over one entity; a rule whose needed links are broken cannot judge."""
        path = entry.document.path
        if isinstance(entry.entity, Record):
            rules = self._fitting(rules, features(entry.entity))
        if broken := self.registry.broken.get(path):
            unmet = {rule.code: _unmet(rule, broken) for rule in rules}
            for rule in rules:
                if unmet[rule.code]:
                    self._note(rule, path, NotEvaluated((), unmet[rule.code]))
            rules = tuple(rule for rule in rules if not unmet[rule.code])
        self.run(rules, entry.entity, path, entry.document, entry)

    def run(
        self,
        rules: Iterable[Rule],
        subject: object,
        path: str,
        document: Document | None,
        entry: Entry | None = None,
    ) -> None:
        """Run rules over what a file holds; the only place where a rule's crash is caught.

        A rule over whole entries gets the `entry`, every other one the subject.
        """
        long = document is not None and len(document.text) > LONG
        registry = self.registry
        for rule in self._timed(rules) if self.clock else rules:
            try:
                found = rule.check(entry if entry and Entry in rule.over else subject, registry)
                for case in _bounded(found) if long else found:
                    if isinstance(case, Problem):
                        self.findings.append(_finding(rule, path, document, case))
                    else:
                        self._note(rule, path, case)
            except Exception as error:  # noqa: BLE001  (whatever a rule does, the run goes on)
                trace = "".join(traceback.format_exception(error))
                told = f"{type(error).__name__}: {error}"
                self.crashes.append(Crash(rule.code, path, told, trace))

    def _fitting(self, rules: tuple[Rule, ...], having: frozenset[str]) -> tuple[Rule, ...]:
        """Return the rules that may have something to say of a record with these features."""
        if having not in self._chosen:
            self._chosen[having] = tuple(
                rule for rule in rules if not rule.having or not rule.having.isdisjoint(having)
            )
        return self._chosen[having]

    def _timed(self, rules: Iterable[Rule]) -> Iterator[Rule]:
        """Yield rules, and add up how long each is away."""
        clock = self.clock or float
        for rule in rules:
            start = clock()
            yield rule
            self.seconds[rule.code] = self.seconds.get(rule.code, 0.0) + clock() - start

    def told(self) -> Found:
        """Return what was found, for another process."""
        bare = [one._replace(about=(None, _bare(one.about[1]))) for one in self.findings]
        return Found(bare, self.unevaluated, self.crashes, self.seconds)

    def add(self, found: Found) -> None:
        """Take in what another process found in files of the same registry."""
        documents = self.registry.documents
        for one in found.findings:
            about = (documents.get(one.path), one.about[1])
            self.findings.append(one._replace(about=about))
        self.unevaluated += found.unevaluated
        self.crashes += found.crashes
        for code, taken in found.seconds.items():
            self.seconds[code] = self.seconds.get(code, 0.0) + taken

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


def _bare(problem: Problem) -> Problem:
    """Return what a finding still needs of its problem."""
    return problem._replace(message="", hint="")


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
