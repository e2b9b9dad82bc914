"""`--fix` and `--diff` of the audit: what is safe to mend is mended in the files themselves."""

from collections.abc import Callable, Iterable
from difflib import unified_diff
from pathlib import Path
from typing import Any

import click

from benchreg.audit.fixes import Fix, Fixes, fixes
from benchreg.audit.rule import Rule
from benchreg.cli.main import say
from benchreg.registry.dialect import DialectError, encoded_as
from benchreg.registry.load import contents
from benchreg.registry.read import Reader
from benchreg.registry.registry import Registry
from benchreg.registry.whole import replace
from benchreg.values.errors import BenchregError
from benchreg.values.text import counted, shown

MOST_LISTED = 100
LONGEST_LINE = 10_000


def fix_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options `--fix` and `--diff`."""
    for option in (
        click.option("--diff", is_flag=True, help="Print what --fix would change; write nothing."),
        click.option("--fix", is_flag=True, help="Mend what is plain, and audit what is then."),
    ):
        command = option(command)
    return command


def mend(
    root: Path, registry: Registry, rules: Iterable[Rule], among: Callable[[str], bool]
) -> Fixes:
    """Make the fixes in the files, and say on standard error which; all are looked at before any.

    Raises BenchregError where a file changed since it was read, or cannot be written.
    """
    done = fixes(registry, rules, among)
    new = {path: _bytes(root, path, registry, text) for path, text in done.texts.items()}
    for path, data in new.items():
        replace(root / path, data)
    _account(done, "fixed")
    return done


def preview(registry: Registry, rules: Iterable[Rule], among: Callable[[str], bool]) -> Fixes:
    """Print the fixes as one unified diff, and say on standard error which they are."""
    done = fixes(registry, rules, among)
    for path, text in done.texts.items():
        say(_diff(path, registry.documents[path].text, text))
    _account(done, "to fix with --fix")
    return done


def _bytes(root: Path, path: str, registry: Registry, text: str) -> bytes:
    """Return the new bytes of a file that is still as it was read, in its encoding."""
    try:
        if not (root / path).parent.resolve().is_relative_to(root.resolve()):
            raise BenchregError(f"{path}: lies outside the registry: a folder of it is a link")
        data = contents(root / path)
        as_it_was = Reader().read(path, data).text == registry.documents[path].text
        new = encoded_as(data, text)
        as_it_should_be = Reader().read(path, new).text == text
    except OSError as error:
        raise BenchregError(f"{path}: cannot be read: {error.strerror or error}") from None
    except DialectError as error:
        raise BenchregError(f"{path}: cannot be read: {error.message}") from None
    if not (as_it_was and as_it_should_be):
        raise BenchregError(f"{path}: was changed while it was audited; nothing is written")
    return new


def _diff(path: str, before: str, after: str) -> str:
    lines = unified_diff(
        before.splitlines(), after.splitlines(), shown(path), f"{shown(path)} (fixed)", lineterm=""
    )
    return "\n".join(shown(line, LONGEST_LINE) for line in lines)


def _account(done: Fixes, word: str) -> None:
    """Say what was done, and what was not and why, a line each."""
    lines = [f"{word}: {_told(fix)}" for fix in done.made]
    lines += [f"not fixed: {_told(fix)}; {shown(why, 400)}" for fix, why in done.left]
    if len(lines) > MOST_LISTED:
        more = f"and {len(lines) - MOST_LISTED:,} more"
        lines = [*lines[:MOST_LISTED], more]
    files = counted(len(done.texts), "file")
    lines.append(f"{counted(len(done.made), 'finding')} {word} in {files}, {len(done.left):,} left")
    say("\n".join(lines), err=True)


def _told(fix: Fix) -> str:
    finding, edit = fix
    what = f'"{edit.text}"' if edit.kind == "quote" else edit.text
    where = f"{shown(finding.path)}:{finding.line}:{finding.column}"
    return f"{where}: {finding.code} {finding.pointer} as {shown(what)}"
