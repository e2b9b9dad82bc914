"""How an audit is done: as the command line says, else as the configuration does."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from pydantic import MISSING

from benchreg.audit.catalogue import all_rules, called, chosen, codes, selected, usual_rules
from benchreg.audit.configuration import WORDS, Configuration, Settings, why_firm
from benchreg.audit.finding import Finding, Severity
from benchreg.audit.rule import Rule
from benchreg.values.errors import BenchregError
from benchreg.values.text import shown

MOST_NAMED = 5
MOST_REASON = 600


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line says of an audit; what is empty was not said."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: str = ""
    show: str = ""


@dataclass(frozen=True, slots=True)
class Policy:
    """How an audit is to be done: by which rules, what fails it, and what is printed one by one.

    The rules have the severity that the configuration gives them. `aside` says in words what it
    sets aside, `changed` the rules whose severity it changes, with what that is otherwise.
    """

    rules: tuple[Rule, ...]
    fail_on: Severity
    show: Severity
    path: str = ""
    aside: tuple[str, ...] = ()
    changed: tuple[tuple[Rule, Severity], ...] = ()

    def said(self, findings: Iterable[Finding]) -> tuple[str, ...]:
        """Return what the summary of an audit has to say of the configuration, a line each."""
        counts = Counter(finding.code for finding in findings)
        changed = (
            f"takes {rule.code} {rule.name} for {_a(rule.severity)}, not {_a(usual)}: "
            f"{_counted(counts[rule.code], 'finding')}"
            for rule, usual in self.changed
        )
        return tuple(f"configuration {self.path}: {line}" for line in (*self.aside, *changed))


def policy(configuration: Configuration, asked: Asked) -> Policy:
    """Return how an audit is to be done.

    Rules that are selected on the command line run whatever the file says, and those that no
    configuration may silence run unless the command line leaves them out. Raises BenchregError for
    a name that no rule has, and where no rule is left.
    """
    settings = configuration.settings
    running = chosen(asked.select, asked.ignore) if asked.select else _running(settings, asked)
    severities = _severities(settings)
    rules = tuple(
        replace(rule, severity=severities.get(rule.code, rule.severity)) for rule in running
    )
    usual = {rule.code: rule.severity for rule in running}
    return Policy(
        rules,
        _first(asked.fail_on, settings.fail_on),
        _first(asked.show, settings.show),
        shown(configuration.path),
        () if asked.select else tuple(_aside(settings)),
        tuple((rule, usual[rule.code]) for rule in rules if rule.severity != usual[rule.code]),
    )


def _running(settings: Settings, asked: Asked) -> tuple[Rule, ...]:
    left_out = codes(settings.ignore) | codes(asked.ignore)
    running = tuple(rule for rule in _selected(settings) if rule.code not in left_out)
    if not running:
        raise BenchregError("every rule that is selected is ignored as well; nothing would run")
    return running


def _selected(settings: Settings) -> tuple[Rule, ...]:
    """Return the rules that the file selects, with those that it cannot leave out."""
    wanted = selected(settings.select) or {rule.code for rule in usual_rules()}
    return tuple(rule for rule in all_rules() if rule.code in wanted or why_firm(rule))


def _severities(settings: Settings) -> dict[str, Severity]:
    """Return the severities that the file gives; a name that means fewer rules comes first."""
    by_width = sorted(settings.severity, key=lambda name: -len(called(name)))
    return {rule.code: WORDS[settings.severity[name]] for name in by_width for rule in called(name)}


def _first(asked: str, configured: str | object) -> Severity:
    word = asked or ("error" if configured is MISSING else str(configured))
    return WORDS[word]


def _aside(settings: Settings) -> Iterator[str]:
    """Say which rules the file keeps from running, and why."""
    if missed := len(set(usual_rules()) - set(_selected(settings))):
        does = "rule does" if missed == 1 else "rules do"
        yield f"selects {', '.join(settings.select)}: {missed} {does} not run"
    for name, reason in settings.ignore.items():
        yield f"ignores {_named(called(name))} ({shown(reason, MOST_REASON)})"


def _named(rules: tuple[Rule, ...]) -> str:
    if len(rules) == 1:
        return f"{rules[0].code} {rules[0].name}"
    listed = ", ".join(rule.code for rule in rules[:MOST_NAMED])
    more = ", ..." if len(rules) > MOST_NAMED else ""
    return f"{len(rules)} rules, {listed}{more}"


def _a(severity: Severity) -> str:
    return f"an {severity.word}" if severity is Severity.ERROR else f"a {severity.word}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun if number == 1 else noun + 's'}"
