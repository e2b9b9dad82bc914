"""`benchreg fmt`: files in their canonical form."""

from collections import Counter
from difflib import unified_diff
from pathlib import Path

import click

from benchreg.audit.rules.form import difference, not_canonical
from benchreg.cli.main import FINDINGS, NOTHING, OK, say
from benchreg.cli.paths import NAMED, among
from benchreg.registry.edit import Edition, editions
from benchreg.registry.refusal import Refusal
from benchreg.registry.roots import find_root
from benchreg.registry.whole import replace
from benchreg.values.text import counted, shown


@click.command("fmt")
@click.argument("paths", nargs=-1, type=NAMED)
@click.option("--check", is_flag=True, help="Write nothing; list what would change, and fail.")
@click.option("--diff", is_flag=True, help="Write nothing; print how it would change, and fail.")
@click.option(
    "--registry", "root", type=NAMED,
    help="The folder that holds `records/`.",
)  # fmt: skip
def command(paths: tuple[Path, ...], *, check: bool, diff: bool, root: Path | None) -> int:
    """Bring every record and catalogue entry into the canonical form; PATHS restrict which.

    What a file says does not change, and no comment is lost. A file that cannot be read is
    reported and left alone.
    """
    root = root or find_root(paths[0] if paths else Path())
    dry = check or diff
    counts: Counter[str] = Counter()
    for one in editions(root, among(root, paths)):
        if isinstance(one, Refusal):
            counts["refused"] += 1
            say(_refused(one))
        elif one.is_canonical:
            counts["same"] += 1
        else:
            counts["changed"] += 1
            if not dry:
                replace(root / one.path, one.after.encode())
            say(_diff(one) if diff else _finding(one) if check else f"formatted {shown(one.path)}")
    say(_summary(counts, dry=dry))
    if not counts:
        return NOTHING
    return FINDINGS if counts["refused"] or (dry and counts["changed"]) else OK


def _finding(one: Edition) -> str:
    said = f"not in the canonical form: {difference(one)}"
    return f"{shown(one.path)}:{one.line}:1: {not_canonical.code} {said}"


def _refused(refusal: Refusal) -> str:
    line, column = refusal.place or (1, 1)
    code = "SCH006" if refusal.kind == "unsafe" else "SCH002"
    hint = f"; {refusal.hint}" if refusal.hint else ""
    return f"{shown(refusal.path)}:{line}:{column}: {code} {shown(refusal.message + hint)}"


def _diff(one: Edition) -> str:
    path = shown(one.path)
    lines = (one.before.splitlines(), one.after.splitlines())
    return "\n".join(unified_diff(*lines, path, f"{path} (canonical)", lineterm=""))


def _summary(counts: Counter[str], *, dry: bool) -> str:
    done = "to format with `benchreg fmt`" if dry else "formatted"
    return (
        f"{counted(counts['changed'], 'file')} {done}, "
        f"{counts['same']:,} in the canonical form, {counts['refused']:,} not read"
    )
