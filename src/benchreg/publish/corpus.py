"""The page that says what is in the registry, and how much of it nobody knows."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import MISSING

from benchreg.analysis.census import (
    Count,
    by_engine,
    by_model,
    by_part,
    by_pattern,
    by_source,
    by_year,
    counts,
    unknowns,
    with_version,
)
from benchreg.publish.handbook import GENERATED
from benchreg.registry.registry import Registry
from benchreg.values.text import in_markdown, spoken

if TYPE_CHECKING:  # numpy is slow to import, and a type needs none
    from benchreg.analysis.crosscheck import Verdicts

MOST_ROWS = 40
EXAMPLES = 3
ABOUT = """# The corpus

What the registry holds, counted by `make docs` from the records themselves. A record is one
operating point; a record with several parts, as of a split system, counts under each of them.
*Fallen* are those that do not stand: disputed, superseded or withdrawn. They are kept, since a
figure that is out there and wrong is worth knowing, and no answer counts them.
"""
UNKNOWN = """## What is not known

The share of records that do not state a condition, of those that it concerns, by source. Nothing of
it is filled in. `benchreg show RECORD` says for each why, and what would be needed.
"""
JUDGED = """## What hardware allows

Every figure is held against what its hardware can do at most ([verdicts.md](verdicts.md)).
"""


def corpus(registry: Registry, verdicts: "Verdicts") -> str:
    """Return the page of a registry and the verdicts of its figures."""
    records = registry.records.values()
    figures = sum(len(record.results) for record in records)
    lines = [GENERATED, ABOUT]
    lines += [f"**{len(records):,} records with {figures:,} figures.**", ""]
    tables = (
        ("source", by_source), ("part", by_part), ("model", by_model), ("engine", by_engine),
        ("load", by_pattern), ("year", by_year),
    )  # fmt: skip
    for title, names in tables:
        lines += [f"## By {title}", "", *_counted(title, counts(registry, names)), ""]
    lines += [UNKNOWN, *_unknown(registry), "", *_versions(registry), ""]
    lines += [JUDGED, *_verdicts(registry, verdicts), ""]
    lines += ["## What does not stand", "", *_fallen(registry), ""]
    return "\n".join(lines)


def _counted(title: str, found: list[Count]) -> Iterator[str]:
    yield from (f"| {title} | records | figures | fallen |", "|---|---:|---:|---:|")
    for one in found[:MOST_ROWS]:
        yield f"| {in_markdown(one.name)} | {one.records:,} | {one.figures:,} | {one.fallen:,} |"
    rest = found[MOST_ROWS:]
    if rest:
        yield (
            f"| {len(rest)} others | {sum(one.records for one in rest):,} "
            f"| {sum(one.figures for one in rest):,} | {sum(one.fallen for one in rest):,} |"
        )


def _unknown(registry: Registry) -> Iterator[str]:
    sources = [one.name for one in counts(registry, by_source)]
    yield f"| condition | {' | '.join(sources)} |"
    yield f"|---|{'---:|' * len(sources)}"
    for one in unknowns(registry, by_source):
        cells = (_share(one.lacking.get(name, 0), one.concerned.get(name, 0)) for name in sources)
        yield f"| {one.condition.title} | {' | '.join(cells)} |"


def _versions(registry: Registry) -> Iterator[str]:
    """Yield a sentence for each source on how many of its records name a build of the engine."""
    for name, (known, every) in sorted(with_version(registry).items()):
        yield f"- {name}: {known:,} of {every:,} records name a build of the engine"


def _verdicts(registry: Registry, verdicts: "Verdicts") -> Iterator[str]:
    kinds = list(dict.fromkeys(verdict.kind for verdict in verdicts.values()))
    by: dict[str, Counter[str]] = {}
    for (record, _), verdict in verdicts.items():
        by.setdefault(registry.records[record].source.id, Counter())[verdict.kind] += 1
    yield f"| source | {' | '.join(spoken(kind) for kind in kinds)} |"
    yield f"|---|{'---:|' * len(kinds)}"
    for source, found in sorted(by.items()):
        yield f"| {source} | {' | '.join(f'{found[kind]:,}' for kind in kinds)} |"


def _fallen(registry: Registry) -> Iterator[str]:
    """Yield what does not stand, by the reason, with a few of the records."""
    by: dict[tuple[str, str, str], list[str]] = {}
    for record in registry.records.values():
        if record.status != "active":
            reason = "no reason" if record.status_reason is MISSING else record.status_reason
            key = (record.source.id, record.status, " ".join(reason.split()))
            by.setdefault(key, []).append(record.id)
    if not by:
        yield "Every record stands."
        return
    yield from ("| source | status | why | records | such as |", "|---|---|---|---:|---|")
    for (source, status, why), ids in sorted(by.items()):
        some = ", ".join(f"`{one}`" for one in sorted(ids)[:EXAMPLES])
        yield f"| {source} | {status} | {in_markdown(why)} | {len(ids):,} | {some} |"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"
