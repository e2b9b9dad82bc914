"""Findings that mend themselves: the edits that are safe, and the registry after them."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from benchreg.audit.catalogue import all_rules, usual_rules
from benchreg.audit.engine import Report, audit
from benchreg.audit.finding import Finding, Severity
from benchreg.audit.rule import Rule
from benchreg.audit.run import MOST_OF_A_RULE
from benchreg.registry.amend import amended, splices, with_value
from benchreg.registry.dialect import DialectError
from benchreg.registry.document import Document, Edit, Pointer
from benchreg.registry.judge import MOST_REFUSALS
from benchreg.registry.read import Reader
from benchreg.registry.refusal import Refusal
from benchreg.registry.registry import Registry
from benchreg.registry.revise import revised

Among = Callable[[str], bool]


class Fix(NamedTuple):
    """A finding, and the edit that takes it away."""

    finding: Finding
    edit: Edit


class Left(NamedTuple):
    """A fix that is not made, and why not."""

    fix: Fix
    reason: str


@dataclass(frozen=True, slots=True)
class Fixes:
    """The fixes that are made, those that are not, and what the registry is then.

    `texts` has, by path, what every changed file says then.
    """

    made: tuple[Fix, ...]
    left: tuple[Left, ...]
    registry: Registry
    texts: dict[str, str]


def fixable(report: Report) -> int:
    """Return how many findings of a report have an edit that may be tried."""
    return sum(finding.edit is not None for finding in report.findings)


def fixes(registry: Registry, rules: Iterable[Rule], among: Among = lambda _: True) -> Fixes:
    """Return what becomes of the findings of these rules, in the files asked for.

    What a fix lets be seen may be fixed as well, so that there is nothing left to do afterwards.
    A fix is made where every rule together finds it good: the finding is gone, and none comes.
    """
    codes = {rule.code for rule in rules}
    state = _State(registry, audit(registry, usual_rules()))
    made: list[Fix] = []
    while True:
        tried = _settled(state, _offered(state.report, codes, among))
        made += tried.kept
        state = tried.state
        if not tried.kept:
            break
    paths = {fix.finding.path for fix in made}
    texts = {path: state.registry.documents[path].text for path in sorted(paths)}
    left = sorted(tried.left, key=_order)
    return Fixes(tuple(made), tuple(left), state.registry, texts)


def _order(left: Left) -> tuple[str, int, int]:
    finding = left.fix.finding
    return (finding.path, finding.line, finding.column)


def _offered(report: Report, codes: Collection[str], among: Among) -> list[Fix]:
    """Return the fixes that are asked for, one for each place, in the order of the report."""
    found: dict[tuple[str, Pointer], Fix] = {}
    for one in report.findings:
        if one.edit is not None and one.code in codes and among(one.path):
            found.setdefault((one.path, one.edit.at), Fix(one, one.edit))
    return list(found.values())


class _State(NamedTuple):
    """A registry, and all that every rule says of it."""

    registry: Registry
    report: Report


class _Settled(NamedTuple):
    """A state, with the fixes that led to it and those that could not."""

    state: _State
    kept: list[Fix]
    left: list[Left]


class _Fault(NamedTuple):
    """Why a registry would be no better, and at which place of which file."""

    reason: str
    path: str
    at: Pointer


def _settled(state: _State, wanted: list[Fix]) -> _Settled:
    """Return what can be made of the fixes; what cannot be edited is not tried."""
    fitting, unfit = _fitting(state.registry, wanted)
    settled = _tried(state, [group for _, group in _by_path(fitting)])
    return _Settled(settled.state, settled.kept, unfit + settled.left)


def _tried(state: _State, files: list[list[Fix]]) -> _Settled:
    """Return what is good of the fixes of some files: all of them, or else all but the bad ones.

    The fixes of a file are tried together: while one link of it leads nowhere, no rule that follows
    links tells whether another one was mended well. Where it is not plain which file is to blame,
    half of them are tried, and then the others.
    """
    wanted = [fix for file in files for fix in file]
    if not wanted:
        return _Settled(state, [], [])
    registry = revised(state.registry, _texts(state.registry, wanted))
    after = _State(registry, audit(registry, usual_rules()))
    faults = list(_faults(state, after, wanted))
    if not faults:
        return _Settled(after, wanted, [])
    left = [Left(fix, why) for file in files for fix, why in _blamed(file, faults)]
    if left or len(files) == 1:
        left = left or [Left(fix, faults[0].reason) for fix in _misleading(wanted)]
        bad = {id(one.fix) for one in left}
        others = [[fix for fix in file if id(fix) not in bad] for file in files]
        tried = _tried(state, [file for file in others if file])
        return tried._replace(left=left + tried.left)
    half = len(files) // 2
    first = _tried(state, files[:half])
    then = _tried(first.state, files[half:])
    return _Settled(then.state, first.kept + then.kept, first.left + then.left)


def _blamed(file: list[Fix], faults: list[_Fault]) -> Iterator[tuple[Fix, str]]:
    """Yield the fixes of a file that are to blame for faults in it, each with the first reason."""
    here = [fault for fault in faults if fault.path == file[0].finding.path]
    blamed: dict[Pointer, tuple[Fix, str]] = {}
    for fault in here:
        for fix in _nearest(file, fault.at):
            blamed.setdefault(fix.edit.at, (fix, fault.reason))
    yield from blamed.values()


def _nearest(file: list[Fix], at: Pointer) -> list[Fix]:
    """Return the fixes at a place; else those beside it, else those that may mislead."""
    here = [fix for fix in file if at[: len(fix.edit.at)] == fix.edit.at]
    beside = [fix for fix in file if at[: len(fix.edit.at) - 1] == fix.edit.at[:-1]]
    return here or beside or _misleading(file)


def _misleading(fixes_: list[Fix]) -> list[Fix]:
    """Return the fixes that say something else; where none does, all of them."""
    return [fix for fix in fixes_ if fix.edit.kind == "replace"] or fixes_


def _by_path(wanted: Iterable[Fix]) -> Iterator[tuple[str, list[Fix]]]:
    ordered = sorted(wanted, key=attrgetter("finding.path"))
    for path, group in groupby(ordered, key=attrgetter("finding.path")):
        yield path, list(group)


def _fitting(registry: Registry, wanted: Iterable[Fix]) -> tuple[list[Fix], list[Left]]:
    """Part the fixes whose edits change one value and nothing else from those that cannot."""
    fitting, left = [], []
    for path, group in _by_path(wanted):
        document = registry.documents[path]
        found = splices(document.text, [fix.edit for fix in group])
        for fix in group:
            if fix.edit not in found:
                left.append(Left(fix, "the value is written in a way that is not edited here"))
            elif not _says(document, fix.edit, amended(document.text, [found[fix.edit]])):
                left.append(Left(fix, "the file would not say just that"))
            else:
                fitting.append(fix)
    return fitting, left


def _says(document: Document, edit: Edit, text: str) -> bool:
    """Tell whether a text says what the document does, but for the value of the edit."""
    try:
        tree = Reader().read(document.path, text.encode()).tree
    except DialectError:
        return False
    return repr(tree) == repr(with_value(document.tree, edit.at, edit.text))


def _texts(registry: Registry, wanted: Iterable[Fix]) -> dict[str, str]:
    """Return what the files of some fixes say with all of them made."""
    texts = {}
    for path, group in _by_path(wanted):
        text = registry.documents[path].text
        texts[path] = amended(text, splices(text, [fix.edit for fix in group]).values())
    return texts


def _faults(before: _State, after: _State, made: list[Fix]) -> Iterator[_Fault]:
    """Yield every reason why a registry is no better for some fixes."""
    still = {(one.code, one.path, one.pointer) for one in after.report.findings}
    for finding, edit in made:
        if (finding.code, finding.path, finding.pointer) in still:
            reason = f"{finding.code} would find fault with it still"
            yield _Fault(reason, finding.path, edit.at)
    for crash in after.report.crashes[len(before.report.crashes) :]:
        yield _Fault(f"{crash.code} would crash", crash.path, ())
    known, hidden = Counter(map(_seen, before.report.findings)), _Hidden(before, after, made)
    for one in after.report.findings:
        known[_seen(one)] -= 1
        if known[_seen(one)] < 0 and not hidden.was(one):
            reason = f"it would bring {one.code} at {one.path}:{one.line}: {one.message}"
            yield _Fault(reason, one.path, one.about[1].at)


def _seen(finding: Finding) -> tuple[str, str, str, str]:
    return (finding.code, finding.path, finding.pointer, finding.message)


class _Hidden:
    """What was there before some fixes, and could not be seen.

    A rule could not judge a file that was refused, or whose links led nowhere; what other files
    have to do with a refused one could not be judged either. Yet where one name was replaced by
    another, an error may tell that something else was meant.
    """

    def __init__(self, before: _State, after: _State, made: list[Fix]) -> None:
        self._edited = {fix.finding.path for fix in made}
        self._replaced = {fix.finding.path for fix in made if fix.edit.kind == "replace"}
        self._refused = {refusal.path for refusal in before.registry.refusals}
        entered = self._refused - {refusal.path for refusal in after.registry.refusals}
        self._only_entered = bool(entered) and not self._replaced
        self._unjudged = _unjudged(before)

    def was(self, found: Finding) -> bool:
        """Tell whether a finding that is new was hidden, and is not of the fixes' making."""
        if found.path not in self._edited and self._only_entered:
            return True
        if found.severity is Severity.ERROR and found.path in self._replaced:
            return False
        if found.path in self._refused and found.code not in _of_refusals():
            return True
        return (found.code, found.path) in self._unjudged


def _unjudged(state: _State) -> set[tuple[str, str]]:
    """Return the rules that could not judge a file, or told not all of it, each with its path."""
    report, of_refusals = state.report, _of_refusals()
    told = Counter((one.code, one.path) for one in report.findings)
    many = Counter(refusal.path for refusal in state.registry.refusals)
    return {
        *((note.code, note.path) for note in report.unevaluated),
        *((crash.code, crash.path) for crash in report.crashes),
        *(key for key, count in told.items() if count >= MOST_OF_A_RULE),
        *((c, path) for path, count in many.items() if count > MOST_REFUSALS for c in of_refusals),
    }


def _of_refusals() -> set[str]:
    return {rule.code for rule in all_rules() if Refusal in rule.over}
