"""PRO, third part: how a source is quoted, named and linked."""

from collections.abc import Iterator

from pydantic import MISSING

from benchreg.analysis.prose import texts
from benchreg.audit.finding import Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.catalogue import Engine, Model, Source
from benchreg.entities.record import Record
from benchreg.registry.document import Pointer
from benchreg.registry.registry import Entry, Registry
from benchreg.values.hosts import faults
from benchreg.values.quotes import MOST_WORDS, long_quotations, words


@rule("PRO004", Severity.WARNING, over=Entry)
def quote_too_long(entry: Entry, registry: Registry) -> Iterator[Problem]:
    """A text quotes more than 25 words in a row.

    A figure is nobody's, and the sentences around it are their author's. A few words in quotation
    marks show what a source calls a thing; where it takes more, a record says in its own words
    what is meant, and its locator leads to the rest. Whatever a source asks to be said stands in
    `attribution`, at any length. An apostrophe, a foot or an inch is no quotation mark.

    Bad:

    ```yaml
    notes: >-
      The authors write: "we send all of our requests at the same time, wait until the last of
      them has been answered, and count the tokens of every answer that is not an error".
    ```

    Good:

    ```yaml
    notes: All requests are sent at the same time; the authors leave out "every answer that failed".
    ```
    """
    for at, text in texts(registry, entry.document, "long quotations"):
        if at[0] == "attribution":
            continue
        for part in long_quotations(text):
            said = words(part)
            yield Problem(
                at,
                f"quotes {len(said)} words in a row, from {' '.join(said[:4])!r} on",
                f"say it in your own words, or quote at most {MOST_WORDS}",
                on_value=True,
                also=(part,),
            )


@rule("PRO005", Severity.ERROR, over=Record, needs=("sources",))
def attribution_missing(record: Record, registry: Registry) -> Iterator[Problem]:
    """A record lacks what its source asks to be said.

    Some sources let their figures be repeated on a condition: that a text goes with them, such as
    whose trademark a name is. The source's `attribution` has that text; a record says it, to the
    letter but for spaces, in its own `attribution`, beside whatever is of that figure alone.

    Bad:

    ```yaml sources/example-source
    attribution: Example is a trademark of Nobody.
    ```

    ```yaml
    attribution: An example of Nobody.
    ```

    Good:

    ```yaml sources/example-source
    attribution: Example is a trademark of Nobody.
    ```

    ```yaml
    attribution: The first example. Example is a trademark of Nobody.
    ```

    ```yaml benchmarks/example-source/example-partner
    attribution: Example is a trademark of Nobody.
    ```
    """
    asked, said = registry.sources[record.source.id].attribution, record.attribution
    if asked is MISSING or (said is not MISSING and _holds(said, asked)):
        return
    name = record.source.id
    yield Problem(
        ("attribution",),
        f"{name} asks for an attribution, and there is none"
        if said is MISSING
        else f"the attribution does not have what {name} asks for",
        f"write in `attribution`: {_in_one_line(asked)}",
        on_value=True,
        also=(asked,),
    )


def _holds(attribution: str, asked: str) -> bool:
    return asked in attribution or _in_one_line(asked) in _in_one_line(attribution)


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


@rule("PRO007", Severity.ERROR, over=(Record, Model, Engine, Source))
def url_unsafe(entity: Record | Model | Engine | Source, registry: Registry) -> Iterator[Problem]:
    """An address is not safe to follow, or leads nowhere that a reader can go.

    Who checks a figure follows its link. Without https, anybody on the way can change the page; a
    link with a password in it gives the password away; one into a private network, to a number or
    to the reader's own machine is evidence that only its author can see. Letters of another
    alphabet can make a link look like another site: such a host is written in punycode (`xn--`),
    and is worth a warning. What is no address at all, by its form, is SCH001.

    Bad:

    ```yaml
    source:
      id: example-source
      locator: run.json
      retrieved: "2026-11-01"
      archive_url: http://reader:q7Rf0ZxU@192.168.0.7/run.json
    ```

    Good:

    ```yaml
    source:
      id: example-source
      locator: run.json
      retrieved: "2026-11-01"
      archive_url: https://example.org/run.json
    ```
    """
    del registry
    at, url = _address(entity)
    if url is not MISSING:
        for fault in faults(url):
            severity = None if fault.plain else Severity.WARNING
            yield Problem(
                at,
                f"the address {fault.what}",
                fault.hint,
                severity,
                on_value=True,
                also=(fault.what,),
                hidden="@" in url,
            )


def _address(entity: Record | Model | Engine | Source) -> tuple[Pointer, str | MISSING]:
    """Return the address that an entity gives, and where it stands."""
    if isinstance(entity, Record):
        return ("source", "archive_url"), entity.source.archive_url
    return ("url",), entity.url
