"""`benchreg audit`: judge the registry."""

from pathlib import Path

import click

from benchreg.audit.catalogue import chosen
from benchreg.audit.engine import Report, audit
from benchreg.audit.finding import Severity
from benchreg.cli.clock import today
from benchreg.cli.main import CRASH, FINDINGS, NOTHING, OK, say
from benchreg.cli.paths import among
from benchreg.cli.terminal import paint
from benchreg.registry.load import find_root, load
from benchreg.report.as_json import as_json
from benchreg.report.concise import concise
from benchreg.report.full import full
from benchreg.report.statistics import statistics

SEVERITIES = {severity.word: severity for severity in Severity}


@click.command("audit")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--format", "form", type=click.Choice(["full", "concise", "json"]), default="full",
    show_default=True, help="How findings are written.",
)  # fmt: skip
@click.option("--select", multiple=True, metavar="RULES", help="Only these: MET004, MET, a name.")
@click.option("--ignore", multiple=True, metavar="RULES", help="Not these.")
@click.option(
    "--fail-on", type=click.Choice([*SEVERITIES]), default="error", show_default=True,
    help="The least severity that ends with exit code 1.",
)  # fmt: skip
@click.option(
    "--show", type=click.Choice([*SEVERITIES]), default="error", show_default=True,
    help="The least severity that is printed one by one; a PATH prints all.",
)  # fmt: skip
@click.option("--statistics", "counted", is_flag=True, help="Count findings by rule instead.")
@click.option("--cross-validate", is_flag=True, help="Show every document to both judges.")
@click.option("--allow-empty", is_flag=True, help="Let a run without any document pass.")
@click.option(
    "--registry", "root", type=click.Path(path_type=Path),
    help="The folder that holds `records/`.",
)  # fmt: skip
def command(
    paths: tuple[Path, ...],
    form: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: str,
    show: str,
    *,
    counted: bool,
    cross_validate: bool,
    allow_empty: bool,
    root: Path | None,
) -> int:
    """Judge every record and catalogue entry; PATHS restrict what is reported.

    The whole registry is read always, since links need it.
    """
    rules = chosen(select, ignore)
    root = root or find_root(paths[0] if paths else Path())
    registry = load(root, cross_validate=cross_validate, today=today())
    report = audit(registry, rules, among(root, paths))
    listed = frozenset(Severity) if paths else _from(show)
    if form == "json":
        say(as_json(report, rules))
    elif counted:
        say(statistics(report, rules, paint()))
    else:
        write = full if form == "full" else concise
        say(write(report, listed, registry.documents, paint()))
    return _code(report, _from(fail_on), allow_empty=allow_empty)


def _from(word: str) -> frozenset[Severity]:
    return frozenset(one for one in Severity if one >= SEVERITIES[word])


def _code(report: Report, failing: frozenset[Severity], *, allow_empty: bool) -> int:
    if report.crashes:
        return CRASH
    if any(finding.severity in failing for finding in report.findings):
        return FINDINGS
    if report.refused and not any(code.startswith("SCH") for code in report.evaluated):
        return FINDINGS  # nothing that was asked could be asked of these files
    nothing = not (report.records or report.entities or report.refused)
    return NOTHING if nothing and not allow_empty else OK
