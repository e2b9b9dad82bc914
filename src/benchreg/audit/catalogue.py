"""All rules, and the choice of some of them."""

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from functools import cache

from benchreg.audit import rules as families
from benchreg.audit.rule import Rule
from benchreg.values.errors import BenchregError
from benchreg.values.text import shown, suggestion


@cache
def all_rules() -> tuple[Rule, ...]:
    """Return every rule, by code. Raises RuntimeError where two share a code or a name."""
    found = [
        value
        for family in pkgutil.iter_modules(families.__path__)
        for value in vars(importlib.import_module(f"{families.__name__}.{family.name}")).values()
        if isinstance(value, Rule)
    ]
    for key in ("code", "name"):
        if len({getattr(rule, key) for rule in found}) != len(found):
            raise RuntimeError(f"two rules share a {key}")
    return tuple(sorted(found, key=lambda rule: rule.code))


@cache
def usual_rules() -> tuple[Rule, ...]:
    """Return the rules that an audit runs where none is selected, by code."""
    return tuple(rule for rule in all_rules() if not rule.opt_in)


def chosen(select: Iterable[str], ignore: Iterable[str]) -> tuple[Rule, ...]:
    """Return the rules that are selected (the usual ones, where none is named) and not ignored.

    A name is a code (`MET004`), the beginning of one (`MET`) or a rule's name. Raises
    BenchregError for a name that no rule has.
    """
    wanted = selected(select) or {rule.code for rule in usual_rules()}
    left_out = codes(ignore)
    if not wanted - left_out:
        raise BenchregError("every rule that is selected is ignored as well; nothing would run")
    return tuple(rule for rule in all_rules() if rule.code in wanted - left_out)


def codes(names: Iterable[str]) -> set[str]:
    """Return the codes that names mean, several of which may stand in one with commas between.

    Raises BenchregError for a name that no rule has.
    """
    return {rule.code for _, rule in _meant(names)}


def selected(names: Iterable[str]) -> set[str]:
    """Return the codes that names select: as `codes`, without a rule that is not asked for itself.

    A rule that is `opt_in` is asked for by its whole code or its name, and by no beginning.
    """
    return {
        rule.code
        for name, rule in _meant(names)
        if not rule.opt_in or rule.name == name or rule.code == name.upper()
    }


def _meant(names: Iterable[str]) -> Iterator[tuple[str, Rule]]:
    """Yield each rule that names mean, with the name."""
    for name in (part.strip() for listed in names for part in listed.split(",")):
        rules = called(name)
        if not rules:
            raise BenchregError(unknown(name))
        yield from ((name, rule) for rule in rules)


def called(name: str) -> tuple[Rule, ...]:
    """Return the rules that a code, the beginning of some, or a rule's name means."""
    return tuple(rule for rule in all_rules() if name == rule.name or _begins(rule, name))


def unknown(name: str) -> str:
    """Say that no rule has a name, and which one may be meant."""
    known = [word for rule in all_rules() for word in (rule.code, rule.name)]
    near = suggestion(name, known) or "a code, the beginning of one, or a rule's name"
    return f"no rule is called {shown(name)!r}; {near}"


def _begins(rule: Rule, name: str) -> bool:
    return bool(name) and rule.code.startswith(name.upper())
