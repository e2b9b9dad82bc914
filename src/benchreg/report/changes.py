"""A changelog of records, as markdown and json; and the words by which a record is cited."""

from collections.abc import Iterator

from pydantic import MISSING

from benchreg.analysis.changes import KINDS, Changed
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.report.inert import inert_json
from benchreg.values.text import in_markdown

FORMS = ("markdown", "json")
MOST_LISTED = 40


def changelog(found: list[Changed], title: str, form: str, *, every: bool = False) -> str:
    """Return a changelog; of many records of one kind and source the number is told, and some.

    With `every`, and as json, each of them is listed.
    """
    if form == "json":
        return inert_json([one._asdict() for one in found])
    lines = [f"# {in_markdown(title)}", "", _counted(found)]
    for kind in KINDS:
        some = [one for one in found if one.kind == kind]
        if some:
            lines += ["", f"## {kind.capitalize()}", "", *_by_source(some, every=every)]
    return "\n".join(lines)


def _counted(found: list[Changed]) -> str:
    numbers = ((kind, sum(one.kind == kind for one in found)) for kind in KINDS)
    said = [f"{number:,} {kind}" for kind, number in numbers if number]
    return f"{', '.join(said)}." if said else "No record differs."


def _by_source(found: list[Changed], *, every: bool) -> Iterator[str]:
    for source in sorted({one.source for one in found}):
        some = [one for one in found if one.source == source]
        yield f"{source}: {len(some):,}"
        yield ""
        listed = some if every else some[:MOST_LISTED]
        yield from (_line(one) for one in listed)
        if len(listed) < len(some):
            yield f"- and {len(some) - len(listed):,} more; --all lists them"
        yield ""


def _line(one: Changed) -> str:
    blocks = in_markdown(", ".join(one.blocks))
    return f"- `{one.id}`: {blocks}" if blocks else f"- `{one.id}`"


def citation(registry: Registry, record: Record, of_data: str) -> str:
    """Return how a record is cited: its source, where in it, and the record of which data."""
    source = registry.sources.get(record.source.id)
    words = []
    if source is not None:
        dated = f" ({source.published})" if source.published is not MISSING else ""
        words.append(f"{source.publisher}: {source.title}{dated}")
    if record.source.locator is not MISSING:
        words.append(record.source.locator)
    if source is not None and source.url is not MISSING:
        words.append(f"{source.url}, read on {record.source.retrieved}")
    words.append(f"Record {record.id} of benchreg, data of {of_data}")
    text = ". ".join(words) + "."
    return f"{text} {record.attribution}" if record.attribution is not MISSING else text
