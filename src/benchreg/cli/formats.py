"""The formats of an audit: which are asked for, where each goes, and what writes it."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import click
from click.shell_completion import CompletionItem

from benchreg.audit.engine import Report
from benchreg.audit.finding import Severity
from benchreg.audit.rule import Rule
from benchreg.cli import output
from benchreg.cli.main import CRASH, complain, say
from benchreg.cli.terminal import paint
from benchreg.registry.texts import Texts
from benchreg.report.as_json import as_json
from benchreg.report.concise import concise
from benchreg.report.full import full
from benchreg.report.github import github
from benchreg.report.gitlab import gitlab
from benchreg.report.markdown import markdown
from benchreg.report.paint import Paint, plain
from benchreg.report.sarif import sarif
from benchreg.report.statistics import statistics
from benchreg.values.errors import BenchregError
from benchreg.values.text import shown, suggestion

AUTO = "auto"
Environment = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Audited:
    """An audit that is to be told, and how: what is listed one by one, and what fails it.

    `waived` says whether findings that records accept are listed; `source` is the address below
    which the files can be seen, empty where that is not known.
    """

    report: Report
    rules: tuple[Rule, ...]
    texts: Texts
    listed: frozenset[Severity]
    failing: frozenset[Severity]
    waived: bool
    source: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """A format that is asked for, and the file that it goes to; none is standard output."""

    form: str
    file: Path | None


def _full(one: Audited, style: Paint) -> str:
    return full(one.report, one.listed, one.texts, style, waived=one.waived)


def _concise(one: Audited, style: Paint) -> str:
    return concise(one.report, one.listed, paint=style, waived=one.waived)


def _json(one: Audited, _: Paint) -> str:
    return as_json(one.report, one.rules)


def _github(one: Audited, _: Paint) -> str:
    return github(one.report)


def _sarif(one: Audited, _: Paint) -> str:
    return sarif(one.report, one.rules, waived=one.waived)


def _gitlab(one: Audited, _: Paint) -> str:
    return gitlab(one.report)


def _junit(one: Audited, _: Paint) -> str:
    from benchreg.report.junit import junit  # noqa: PLC0415  (XML is slow to import, seldom used)

    return junit(one.report, one.rules, one.failing)


def _markdown(one: Audited, _: Paint) -> str:
    return markdown(one.report, one.listed, one.source)


def _statistics(one: Audited, style: Paint) -> str:
    return statistics(one.report, one.rules, style)


Writer = Callable[[Audited, Paint], str]
WRITERS: dict[str, Writer] = {
    "full": _full,
    "concise": _concise,
    "json": _json,
    "github": _github,
    "sarif": _sarif,
    "gitlab": _gitlab,
    "junit": _junit,
    "markdown": _markdown,
}
NAMES = (AUTO, *WRITERS)


def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the formats that begin so."""
    del ctx, param
    return [CompletionItem(name) for name in NAMES if name.startswith(incomplete)]


def targets(words: Iterable[str]) -> tuple[Target, ...]:
    """Return what `NAME` or `NAME=FILE` ask for.

    Raises BenchregError for a name that is no format, for a file that could not be written, and
    where two formats would go to one place.
    """
    found = tuple(_target(word) for word in words)
    if sum(target.file is None for target in found) > 1:
        raise BenchregError("two formats for standard output; give all but one a file: NAME=FILE")
    files = [os.path.realpath(target.file) for target in found if target.file]
    if len(set(files)) < len(files):
        raise BenchregError("two formats for one file; give each a file of its own")
    return found


def _target(word: str) -> Target:
    name, has_file, file = word.partition("=")
    if name not in NAMES:
        near = suggestion(name, NAMES) or f"there are {', '.join(NAMES)}"
        raise BenchregError(f"no format is called {shown(name)!r}; {near}")
    if not has_file:
        return Target(name, None)
    if name == AUTO:
        raise BenchregError(f"{AUTO} is for standard output; name the format of {shown(file)!r}")
    if not file:
        raise BenchregError(f"--format {name}= names no file")
    output.check(Path(file))
    return Target(name, Path(file))


def tell(audited: Audited, asked: Iterable[Target], code: int, *, counted: bool) -> int:
    """Write each format to its place, and return the exit code; a crash outweighs what fails here.

    `counted` asks for findings by rule instead of a text for people.
    """
    asked = tuple(asked)
    for target in asked:
        if target.file is None:
            _say(audited, target.form, counted=counted)
    if counted and all(target.file for target in asked):
        _say(audited, AUTO, counted=True)
    try:
        for target in asked:
            if target.file is not None:
                output.write(target.file, WRITERS[target.form](audited, plain))
    except BenchregError as error:
        if code != CRASH:
            raise
        complain(error)
    return code


def _say(audited: Audited, form: str, *, counted: bool) -> None:
    """Write to standard output, and for GitHub to the summary of the step."""
    if counted and form in {AUTO, "full", "concise"}:
        say(_statistics(audited, paint()))
        return
    name = _of_service(os.environ) if form == AUTO else form
    say(WRITERS[name](audited, paint()), commands=name == "github")
    if name == "github":
        _summarise(audited, os.environ)


def _of_service(environment: Environment) -> str:
    return "github" if environment.get("GITHUB_ACTIONS") == "true" else "full"


def _summarise(audited: Audited, environment: Environment) -> None:
    """Add the tables to the summary of the step; the audit is judged all the same without it."""
    if file := environment.get("GITHUB_STEP_SUMMARY"):
        try:
            output.append(Path(file), _markdown(audited, plain))
        except BenchregError as error:
            complain(error)


def source(environment: Environment) -> str:
    """Return the address below which GitHub or GitLab show the files of a job; empty elsewhere."""
    github_has = [environment.get(f"GITHUB_{name}") for name in ("SERVER_URL", "REPOSITORY", "SHA")]
    gitlab_has = [environment.get(name) for name in ("CI_PROJECT_URL", "CI_COMMIT_SHA")]
    address = ""
    if all(github_has):
        address = "{}/{}/blob/{}/".format(*github_has)
    elif all(gitlab_has):
        address = "{}/-/blob/{}/".format(*gitlab_has)
    return quote(address, safe=":/-._~") if address.startswith(("https://", "http://")) else ""
