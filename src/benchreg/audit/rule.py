"""A rule: a generator over one kind of subject, whose docstring is its page."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from pydantic import MISSING

from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry

Check = Callable[[Any, Registry], Iterable[Problem | NotEvaluated]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A code, a name that states the fault, and the function that finds it.

    `over` are the types of its subjects: Record or another entity, Entry (any entity with its
    document) or Refusal. `needs` are the maps of the registry that its links lead into. One that
    is `opt_in` runs only where its whole code or its name is selected. Where `having` is not empty,
    the rule has nothing to say of a record without any of these `features`, and is not called.
    """

    code: str
    name: str
    severity: Severity
    over: tuple[type, ...]
    needs: frozenset[str]
    waivable: bool
    check: Check
    page: str
    opt_in: bool = False
    having: frozenset[str] = frozenset()

    @property
    def title(self) -> str:
        """The fault in one sentence."""
        return self.page.partition("\n")[0]

    @property
    def standing(self) -> str:
        """How much it weighs, whether it can be waived, and whether it must be asked for."""
        fixed = "" if self.waivable else ", cannot be waived"
        return f"{self.severity.word}{fixed}{', only where it is selected' if self.opt_in else ''}"


def rule(
    code: str,
    severity: Severity,
    *,
    over: type | tuple[type, ...],
    needs: tuple[str, ...] = (),
    waivable: bool = True,
) -> Callable[[Check], Rule]:
    """Make a rule of a generator function; its name becomes the rule's name."""

    def make(check: Check) -> Rule:
        name = check.__name__.replace("_", "-")
        kinds = over if isinstance(over, tuple) else (over,)
        page = inspect.getdoc(check) or ""
        return Rule(code, name, severity, kinds, frozenset(needs), waivable, check, page)

    return make


def opt_in(usual: Rule) -> Rule:
    """Return a rule that runs only where it is selected itself."""
    return replace(usual, opt_in=True)


def of_records_with(*having: str) -> Callable[[Rule], Rule]:
    """Return what makes a rule one of records with any of these features; all others pass it."""
    return lambda usual: replace(usual, having=frozenset(having))


def features(record: Record) -> frozenset[str]:
    """Return what a record has: its own fields, its load pattern, and of its figures the metrics.

    As well the scopes of its figures, and `derivation` or `printed` where one of them has that.
    """
    found = set(record.model_fields_set)
    found.add(str(record.load.pattern))
    for figure in record.results.values():
        found.add(figure.metric)
        found.add(str(figure.scope))
        if figure.derivation is not MISSING:
            found.add("derivation")
        if figure.printed is not MISSING:
            found.add("printed")
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Example:
    """A case of a rule's page: `also` lists the other codes that a bad one yields.

    A fragment replaces the top-level blocks that it names in the base record; `fragments` has
    them by the record that they make, the base record under the empty name. A name with a folder
    (`models/example-model`) is an entry of the catalogue.
    """

    good: bool
    also: tuple[str, ...]
    fragments: dict[str, str]


def examples(page: str) -> Iterator[Example]:
    """Yield the cases of a page: what stands fenced after a line `Bad:` or `Good:`."""
    case: Example | None = None
    lines = iter(page.splitlines())
    for line in lines:
        if line.startswith(("Bad", "Good")) and line.endswith(":"):
            if case:
                yield case
            case = Example(line.startswith("Good"), _codes(line), {})
        elif line.startswith("```yaml") and case:
            name = line.removeprefix("```yaml").strip()
            case.fragments[name] = "\n".join(iter(lambda: next(lines), "```")) + "\n"
    if case:
        yield case


def _codes(line: str) -> tuple[str, ...]:
    _, found, listed = line.rstrip(":)").partition("(also ")
    return tuple(listed.split(", ")) if found else ()
