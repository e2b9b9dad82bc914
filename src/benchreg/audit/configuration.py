"""What a configuration may say of an audit: the model of it, and every fault of one that is none.

Who is audited may write it: it can neither silence nor soften what no waiver could accept.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import MISSING, ConfigDict, StringConstraints, ValidationError

from benchreg.audit.catalogue import called, unknown
from benchreg.audit.finding import Severity
from benchreg.audit.rule import Rule
from benchreg.entities.base import Distinct, Entity, Named, Pattern, Prose, named, optional, several
from benchreg.registry.refusal import Refusal
from benchreg.values.errors import BenchregError
from benchreg.values.text import is_placeholder, shown, suggestion, unsafe_part

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Fault = tuple[str, str]

RuleName = Annotated[
    str, Pattern(r"[A-Za-z][A-Za-z0-9-]*"), StringConstraints(min_length=1, max_length=80)
]
Folder = Annotated[
    str,
    Pattern(r"[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*"),
    StringConstraints(min_length=1, max_length=200),
]
SeverityWord = Literal["error", "warning", "note"]
WORDS: Final = {severity.word: severity for severity in reversed(Severity)}


def _spelled(name: str) -> str:
    return name.replace("_", "-")


class Settings(Entity):
    """What a configuration says: `benchreg.toml`, or `[tool.benchreg]` of a pyproject.toml.

    A rule is named by its code, the beginning of some, or its name.
    """

    model_config = ConfigDict(alias_generator=_spelled)

    select: Distinct[RuleName] = several(
        "The rules that run, beside those that always do.", ["MET", "CON004"]
    )
    ignore: Named[RuleName, Prose] = named(
        "Rules that do not run, each with the reason.",
        {"CON004": "the sources of this registry do not name builds"},
    )
    severity: Named[RuleName, SeverityWord] = named(
        "Severities that rules have here.", {"IDN008": "error", "PRO006": "warning"}
    )
    fail_on: SeverityWord | MISSING = optional(
        "The least severity that ends with exit code 1; left out: error.", "warning"
    )
    show: SeverityWord | MISSING = optional(
        "The least severity that is printed one by one; left out: error.", "warning"
    )
    registry: Folder | MISSING = optional(
        "The folder below this file that holds `records/`, where that is not beside it.", "data"
    )


@dataclass(frozen=True, slots=True)
class Configuration:
    """Settings, and the file that they are from; both are empty where there is none."""

    path: str = ""
    settings: Settings = field(default_factory=Settings)

    @property
    def registry(self) -> str:
        """The folder that holds `records/`, below that of the file; empty where it says none."""
        return "" if self.settings.registry is MISSING else self.settings.registry


UNCONFIGURED: Final = Configuration()


def configuration(path: str, table: Mapping[str, Any], within: str = "") -> Configuration:
    """Return the configuration that a table is; `within` is where in its file it stands.

    Raises BenchregError with every fault, a line each.
    """
    settings, faults = _read(table)
    faults += [*_of_rules(settings), *_of_reasons(settings), *_of_folder(settings)]
    if not faults:
        return Configuration(path, settings)
    prefix = f"{within}." if within else ""
    raise BenchregError(
        "\n".join(f"{shown(path)}: {shown(prefix + at)}: {said}" for at, said in faults)
    )


def _read(table: Mapping[str, Any]) -> tuple[Settings, list[Fault]]:
    """Return what can be read of a table, and the faults of what cannot."""
    try:
        return Settings.model_validate(dict(table)), []
    except ValidationError as error:
        details = error.errors(include_url=False)
    broken = {detail["loc"][:2] for detail in details}
    sound: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, dict) and (key,) not in broken:
            sound[key] = {name: one for name, one in value.items() if (key, name) not in broken}
        elif all(loc[0] != key for loc in broken):
            sound[key] = value
    return Settings.model_validate(sound), [_fault(detail) for detail in details]


def _fault(detail: "ErrorDetails") -> Fault:
    """Say where an error of the model is, and what to write."""
    loc, value = detail["loc"], detail.get("input")
    at = ".".join(str(key) for key in loc if key != "[key]")
    if detail["type"] == "extra_forbidden":
        known = [_spelled(name) for name in Settings.model_fields]
        near = suggestion(str(loc[-1]), known) or f"known keys: {', '.join(known)}"
        return at, f"unknown key; {near}"
    if "[key]" in loc or (loc[0] == "select" and detail["type"] == "string_pattern_mismatch"):
        return at, "is not the name of a rule; write a code, the beginning of one, or a name"
    if detail["type"] == "literal_error" and isinstance(value, str):
        near = suggestion(value, WORDS) or f"write {', '.join(WORDS)}"
        return at, f"{shown(value, 60)!r} is no severity; {near}"
    said, example = _SAYS.get(detail["type"], ("should be another value", ""))
    form = Settings.model_fields[str(loc[0]).replace("-", "_")]
    such = example or f"such as {_toml(form.examples[0])}"  # type: ignore[index]  # each has one
    limits = detail.get("ctx", {})
    return at, f"{said.format(given=_kind(value), **limits)}; {such}"


_SAYS = {
    "string_type": ("should be text, and is {given}", ""),
    "literal_error": ("should be text, and is {given}", 'write "error", "warning" or "note"'),
    "tuple_type": ("should be a list, and is {given}", ""),
    "dict_type": ("should be a table, and is {given}", ""),
    "string_too_long": ("is longer than {max_length} characters", "say it shorter"),
    "string_too_short": ("is empty", ""),
    "string_pattern_mismatch": ("does not have the form that is asked for", ""),
    "unique_items": ("names a rule twice", "keep each once"),
}


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_toml(one)}' for key, one in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return f'"{value}"'


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, date | datetime | time):
        return "a date or time"
    names: dict[type, str] = {dict: "a table", list: "a list", str: "text"}
    return names.get(type(value), "another value")


def _of_rules(settings: Settings) -> Iterator[Fault]:
    """Yield a fault for each name that no rule has, and each rule that has to stay as it is."""
    for index, name in enumerate(settings.select):
        yield from _unknown(f"select.{index}", name)
    for name in settings.ignore:
        yield from _unknown(f"ignore.{name}", name)
        if held := [rule.code for rule in called(name) if why_firm(rule)]:
            yield f"ignore.{name}", f"cannot be ignored: {_held(name, held)}"
    for name, word in settings.severity.items():
        yield from _unknown(f"severity.{name}", name)
        lowered = (rule for rule in called(name) if WORDS[word] < rule.severity)
        if held := [rule.code for rule in lowered if why_firm(rule)]:
            yield f"severity.{name}", f"cannot be lowered: {_held(name, held)}"


def _unknown(at: str, name: str) -> Iterator[Fault]:
    if not called(name):
        yield at, unknown(name)


def why_firm(rule: Rule) -> str:
    """Say why no configuration may ignore or lower a rule; empty where it may."""
    if Refusal in rule.over:
        return "a file that it refuses is read by no other rule"
    return "" if rule.waivable else "it cannot be waived"


def _held(name: str, codes: list[str]) -> str:
    rules = {rule.code: rule for rule in called(name)}
    reasons: dict[str, list[str]] = {}
    for code in codes:
        reasons.setdefault(why_firm(rules[code]), []).append(code)
    said = "; ".join(f"{', '.join(held)}: {why}" for why, held in reasons.items())
    return said if len(rules) > 1 else next(iter(reasons))


def _of_reasons(settings: Settings) -> Iterator[Fault]:
    for name, reason in settings.ignore.items():
        if part := unsafe_part(reason):
            yield f"ignore.{name}", f"the reason holds {part}; write plain text"
        elif is_placeholder(reason):
            yield f"ignore.{name}", "the reason says nothing; write why the rule does not run"


def _of_folder(settings: Settings) -> Iterator[Fault]:
    if settings.registry is not MISSING:
        parts = PurePosixPath(settings.registry).parts
        if not parts or ".." in parts:
            yield "registry", "should be a folder below this file, without `..`"
