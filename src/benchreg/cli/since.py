"""Only what is new: the options that say what is known, and the report without it."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any

import click

from benchreg.audit.baseline import new, of_base, read, refused_among, stale, without, written
from benchreg.audit.engine import Report
from benchreg.audit.rule import Rule
from benchreg.cli import output
from benchreg.cli.paths import NAMED
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
        "--baseline", type=NAMED, metavar="FILE",
        help="Only what is new beside the findings in a file.",
    )  # fmt: skip
    @click.option(
        "--write-baseline", type=NAMED, metavar="FILE",
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


@dataclass(frozen=True, slots=True)
class Narrowed:
    """A report without what is known, and how many of its files are refused that were not before.

    A file was refused before if the base refused it, or the baseline has a finding that only
    refused files have; no rule could tell then what else is wrong in it, and none can now.
    """

    report: Report
    refused: int


def narrowed(
    report: Report,
    registry: Registry,
    rules: tuple[Rule, ...],
    since: Since,
    root: Path,
    among: Among = lambda _: True,
) -> Narrowed:
    """Return the report without what is known; `among` are the paths that it was asked for.

    Raises BenchregError where it cannot be told what is known.
    """
    refused = {refusal.path for refusal in registry.refusals if among(refusal.path)}
    if since.base_ref is not None:
        base = load_commit(root, merge_base(root, since.base_ref), registry)
        report = new(report, of_base(base, registry, report, rules))
        refused -= {refusal.path for refusal in base.refusals}
    elif since.baseline is not None:
        known_ones = read(_contents(since.baseline), str(since.baseline))
        told, rest = without(report, known_ones)
        report = replace(told, stale=stale(rest, report, registry, rules, among))
        refused -= refused_among(known_ones)
    elif since.write_baseline is not None and not report.crashes:
        text = written(report).removesuffix("\n")
        output.write(Path(os.path.realpath(since.write_baseline)), text)
        report = new(report, report)
    return Narrowed(report, len(refused))


def _contents(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        told = f"cannot be read: {error.strerror or error}"
        raise BenchregError(f"{path}: {told}; write one: --write-baseline {path}") from None
