"""`benchreg handbook`: write the generated pages of the documentation."""

import io
import os
import shlex
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import click

from benchreg.audit.catalogue import all_rules
from benchreg.audit.engine import Report
from benchreg.audit.finding import Severity
from benchreg.cli.main import COMMANDS, OK, cli, run
from benchreg.importers.importer import all_importers
from benchreg.publish.corpus import corpus
from benchreg.publish.findings import what_records_show
from benchreg.publish.handbook import handbook
from benchreg.publish.harnesses import harnesses
from benchreg.publish.mistakes import page
from benchreg.publish.questions import WIDTH as QUESTIONS_WIDTH
from benchreg.publish.questions import answered
from benchreg.registry.load import load
from benchreg.registry.roots import own_root
from benchreg.registry.texts import Texts
from benchreg.report.findings import told
from benchreg.report.full import full
from benchreg.report.summary import summary

WIDTH = 80


def pages() -> dict[str, str]:
    """Return every generated page by its path below docs/."""
    root = click.Context(cli, info_name="benchreg", terminal_width=WIDTH, **cli.context_settings)
    helps = {"benchreg": cli.get_help(root)}
    for name in COMMANDS:
        command = cli.get_command(root, name)
        if command is not None:
            context = click.Context(command, info_name=name, parent=root, terminal_width=WIDTH)
            helps[f"benchreg {name}"] = command.get_help(context)
    from benchreg.analysis.crosscheck import verdicts  # noqa: PLC0415  (numpy is slow to import)
    from benchreg.analysis.findings import findings as show_findings  # noqa: PLC0415  (as above)

    catalogue = load(own_root())
    judged = verdicts(catalogue)
    found = show_findings(catalogue, judged)
    written = handbook(all_rules(), helps, catalogue.metrics.values())
    return written | {
        "contribute-a-run.md": harnesses(all_importers()),
        "corpus.md": corpus(catalogue, judged),
        "findings.md": what_records_show(found, lambda one: told(one, "markdown")),
        "mistakes.md": page(catalogue, findings),
        "questions.md": answered(printed),
    }


def printed(command: str) -> str:
    """Return what a command prints of our own records, and how it ends where that is not 0."""
    told = io.StringIO()
    _, *arguments = shlex.split(command)
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = str(QUESTIONS_WIDTH)
    try:
        with redirect_stdout(told), redirect_stderr(told):
            code = run([*arguments, "--registry", str(own_root())])
    finally:
        os.environ.pop("COLUMNS")
        os.environ |= {} if before is None else {"COLUMNS": before}
    return told.getvalue().rstrip() + (f"\n(exit code {code})" if code else "")


def findings(report: Report, of_files: Texts) -> str:
    """Return the findings of a report as `audit PATH` prints them, without the summary."""
    every = frozenset(Severity)
    return full(report, every, of_files).removesuffix(summary(report, every)).rstrip()


@click.command("handbook")
@click.option(
    "--into", type=click.Path(file_okay=False, path_type=Path), required=True,
    help="The folder of the documentation.",
)  # fmt: skip
def command(into: Path) -> int:
    """Write every generated page of the documentation below a folder."""
    for name, text in pages().items():
        path = into / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return OK
