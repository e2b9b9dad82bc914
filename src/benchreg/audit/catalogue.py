"""All rules, and the choice of some of them."""

import importlib
import pkgutil
from collections.abc import Iterable
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


def chosen(select: Iterable[str], ignore: Iterable[str]) -> tuple[Rule, ...]:
    """Return the rules that are selected (all, where none is named) and not ignored.

    A name is a code (`MET004`), the beginning of one (`MET`) or a rule's name. Raises
    BenchregError for a name that no rule has.
    """
    wanted = codes(select) or {rule.code for rule in all_rules()}
    left_out = codes(ignore)
    if not wanted - left_out:
        raise BenchregError("every rule that is selected is ignored as well; nothing would run")
    return tuple(rule for rule in all_rules() if rule.code in wanted - left_out)


def codes(names: Iterable[str]) -> set[str]:
    """Return the codes that names mean, several of which may stand in one with commas between.

    Raises BenchregError for a name that no rule has.
    """
    found: set[str] = set()
    for name in (part.strip() for listed in names for part in listed.split(",")):
        rules = called(name)
        if not rules:
            raise BenchregError(unknown(name))
        found |= {rule.code for rule in rules}
    return found


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
