"""`benchreg audit`: judge the registry."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import click

from benchreg.audit.engine import audit
from benchreg.audit.finding import Severity
from benchreg.audit.policy import Asked, Policy
from benchreg.cli import formats
from benchreg.cli.clock import seconds, today
from benchreg.cli.configured import configuration_options, policy_of, root_of
from benchreg.cli.fixing import fix_options, mend, preview
from benchreg.cli.main import CRASH, FINDINGS, NOTHING, OK
from benchreg.cli.paths import NAMED, among
from benchreg.cli.since import Narrowed, Since, narrowed, since_options
from benchreg.registry.load import contents, load
from benchreg.registry.refusal import Refusal
from benchreg.registry.registry import Registry
from benchreg.registry.texts import texts
from benchreg.values.errors import BenchregError

MOST_JOBS = 256


@click.command("audit")
@click.argument("paths", nargs=-1, type=NAMED)
@click.option(
    "--format", "forms", multiple=True, default=(formats.AUTO,), metavar="NAME[=FILE]",
    shell_complete=formats.complete,
    help=f"How findings are written: {', '.join(formats.NAMES)}. Several may be given; all but "
    "one with a FILE each.  [default: auto]",
)  # fmt: skip
@configuration_options
@since_options
@fix_options
@click.option("--show-waived", is_flag=True, help="List what records accept as well.")
@click.option("--statistics", "counted", is_flag=True, help="Count findings and time by rule.")
@click.option("--cross-validate", is_flag=True, help="Show every document to both judges.")
@click.option(
    "--jobs", "-j", type=click.IntRange(1, MOST_JOBS), default=1, show_default=True,
    help="How many processes share the work; what is printed is the same.",
)  # fmt: skip
@click.option("--allow-empty", is_flag=True, help="Let a run without any document pass.")
@click.option(
    "--registry", "root", type=NAMED,
    help="The folder that holds `records/`.",
)  # fmt: skip
def command(
    paths: tuple[Path, ...],
    forms: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: str | None,
    show: str | None,
    *,
    since: Since,
    isolated: bool,
    fix: bool,
    diff: bool,
    show_waived: bool,
    counted: bool,
    cross_validate: bool,
    jobs: int,
    allow_empty: bool,
    root: Path | None,
) -> int:
    """Judge every record and catalogue entry; PATHS restrict what is reported.

    The whole registry is read always, since links need it.
    """
    targets = formats.targets(forms)
    root = root_of(root, paths, isolated=isolated)
    asked = Asked(select, ignore, fail_on or "", show or "")
    run = _Run(
        root,
        policy_of(root, asked, isolated=isolated),
        among(root, paths),
        cross_validate=cross_validate,
        jobs=jobs,
    )
    if diff:
        return run.previewed(fix=fix)
    registry = run.mended() if fix else run.loaded()
    told = run.audited(registry, since, timed=counted)
    audited = formats.Audited(
        told.report,
        run.policy.rules,
        texts(registry, lambda path: contents(root / path)),
        listed=frozenset(Severity) if paths else _from(run.policy.show),
        failing=_from(run.policy.fail_on),
        waived=show_waived,
        source=formats.source(os.environ),
    )
    code = _code(told, audited, allow_empty=allow_empty)
    return formats.tell(audited, targets, code, counted=counted)


@dataclass(frozen=True, slots=True)
class _Run:
    """One audit: of which registry, how, and which of its files are reported."""

    root: Path
    policy: Policy
    among: Callable[[str], bool]
    cross_validate: bool
    jobs: int

    def loaded(self) -> Registry:
        return load(self.root, cross_validate=self.cross_validate, today=today())

    def previewed(self, *, fix: bool) -> int:
        """Print what a fix would change; there is something to fix where anything is printed."""
        if fix:
            raise BenchregError("--diff writes nothing, and --fix does; use one of them")
        found = preview(self.loaded(), self.policy.rules, self.among)
        return FINDINGS if found.texts else OK

    def mended(self) -> Registry:
        """Fix what can be, and return the registry as it is then."""
        return mend(self.root, self.loaded(), self.policy.rules, self.among).registry

    def audited(self, registry: Registry, since: Since, *, timed: bool) -> Narrowed:
        rules = self.policy.rules
        clock = seconds if timed else None
        report = audit(registry, rules, self.among, clock, self.jobs)
        remarks = self.policy.said(report.findings)
        told = narrowed(report, registry, rules, since, self.root, self.among)
        return replace(told, report=replace(told.report, remarks=remarks))


def _from(least: Severity) -> frozenset[Severity]:
    return frozenset(one for one in Severity if one >= least)


def _code(told: Narrowed, audited: formats.Audited, *, allow_empty: bool) -> int:
    report = told.report
    if report.crashes:
        return CRASH
    if any(finding.severity in audited.failing for finding in report.findings):
        return FINDINGS
    if told.refused and not any(Refusal in rule.over for rule in audited.rules):
        return FINDINGS  # nothing that was asked could be asked of these files
    nothing = not (report.records or report.entities or report.refused)
    return NOTHING if nothing and not allow_empty else OK
