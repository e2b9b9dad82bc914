"""Only what is new: the options that say what is known, and the report without it."""

import os
import secrets
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any

import click

from benchreg.audit.baseline import new, of_base, read, stale, without, written
from benchreg.audit.engine import Report
from benchreg.audit.rule import Rule
from benchreg.registry.commit import load_commit
from benchreg.registry.git import merge_base
from benchreg.registry.registry import Registry
from benchreg.values.errors import BenchregError

Among = Callable[[str], bool]
Command = Callable[..., int]


@dataclass(frozen=True, slots=True)
class Since:
    """Where the findings stand that are known; at most one of the three is given."""

    base_ref: str | None = None
    baseline: Path | None = None
    write_baseline: Path | None = None


def since_options(command: Command) -> Command:
    """Give a command the three options; it takes them as `since`. Only one of them may be used."""

    @click.option(
        "--base-ref", metavar="REF",
        help="Only what is new since HEAD and this branch of git parted: origin/main.",
    )  # fmt: skip
    @click.option(
        "--baseline", type=click.Path(path_type=Path), metavar="FILE",
        help="Only what is new beside the findings in a file.",
    )  # fmt: skip
    @click.option(
        "--write-baseline", type=click.Path(path_type=Path), metavar="FILE",
        help="Write all findings to a file; from then on they are known.",
    )  # fmt: skip
    @wraps(command)
    def with_since(
        *arguments: Any,
        base_ref: str | None,
        baseline: Path | None,
        write_baseline: Path | None,
        **others: Any,
    ) -> int:
        given = (base_ref, baseline, write_baseline)
        if sum(one is not None for one in given) > 1:
            raise BenchregError("use one of --base-ref, --baseline and --write-baseline")
        return command(*arguments, since=Since(*given), **others)

    return with_since


def narrowed(
    report: Report,
    registry: Registry,
    rules: tuple[Rule, ...],
    since: Since,
    root: Path,
    among: Among = lambda _: True,
) -> Report:
    """Return the report without what is known; `among` are the paths that it was asked for.

    Raises BenchregError where it cannot be told what is known.
    """
    if since.base_ref is not None:
        return _since_ref(report, registry, rules, since.base_ref, root)
    if since.baseline is not None:
        told, rest = without(report, read(_contents(since.baseline), str(since.baseline)))
        return replace(told, stale=stale(rest, report, registry, rules, among))
    if since.write_baseline is not None and not report.crashes:
        _write(since.write_baseline, written(report))
        return new(report, report)
    return report


def _since_ref(
    report: Report, registry: Registry, rules: tuple[Rule, ...], ref: str, root: Path
) -> Report:
    base = load_commit(root, merge_base(root, ref), registry)
    return new(report, of_base(base, registry, report, rules))


def _contents(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        told = f"cannot be read: {error.strerror or error}"
        raise BenchregError(f"{path}: {told}; write one: --write-baseline {path}") from None


def _write(path: Path, text: str) -> None:
    """Put a file where it belongs when it is whole; one that is there keeps its mode."""
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        try:
            with beside.open("xb") as file:
                file.write(text.encode("ascii"))
                if target.exists():
                    os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))
            beside.replace(target)
        except BaseException:
            with suppress(OSError):
                beside.unlink()
            raise
    except OSError as error:
        raise BenchregError(f"{path}: cannot be written: {error.strerror or error}") from None
