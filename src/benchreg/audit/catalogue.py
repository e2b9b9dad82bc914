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
    wanted = _codes(select) or {rule.code for rule in all_rules()}
    left_out = _codes(ignore)
    if not wanted - left_out:
        raise BenchregError("every rule that is selected is ignored as well; nothing would run")
    return tuple(rule for rule in all_rules() if rule.code in wanted - left_out)


def _codes(names: Iterable[str]) -> set[str]:
    codes: set[str] = set()
    for name in (part.strip() for listed in names for part in listed.split(",")):
        found = {rule.code for rule in all_rules() if name == rule.name or _begins(rule, name)}
        if not found:
            known = [word for rule in all_rules() for word in (rule.code, rule.name)]
            near = suggestion(name, known) or "a code, the beginning of one, or a rule's name"
            raise BenchregError(f"no rule is called {shown(name)!r}; {near}")
        codes |= found
    return codes


def _begins(rule: Rule, name: str) -> bool:
    return bool(name) and rule.code.startswith(name.upper())
