"""SCH, second part: how a document is written, and what no text of it may hold."""

import re
from collections.abc import Iterator
from itertools import takewhile

from benchreg.analysis.prose import texts
from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import opt_in, rule
from benchreg.registry.dialect import MOST_BYTES, place_of
from benchreg.registry.document import Document, Place, Pointer
from benchreg.registry.edit import Edition, canonical
from benchreg.registry.registry import Entry, Registry
from benchreg.values.confidential import Leak, leaks, might_leak
from benchreg.values.text import shown

LONGEST_SHOWN = 60
CONTEXT = 30
_ADDRESSES = (("url",), ("source", "archive_url"))  # as PRO007 judges them
_SCHEMA = re.compile(r"# yaml-language-server: \$schema=((?:\.\./)*)")


@opt_in
@rule("SCH005", Severity.NOTE, over=Entry)
def not_canonical(entry: Entry, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """A file is not in the canonical form.

    Where everybody writes keys, quotes and lines as they like, a change of one figure comes with
    changes that say nothing, and a reviewer has to find it among them. `benchreg fmt` writes the
    form, and loses no comment; `benchreg fmt --check` tells what it would change. To write every
    file anew takes long, so the audit asks this only with `--select SCH005`, or
    `--select not-canonical`; `--select SCH` leaves it out. Where the schemas lie, and whether a
    file begins with a byte order mark, only `benchreg fmt --check` knows.

    Bad:

    ```yaml
    results:
      completed_rate: {metric: 'request_throughput', scope: system, value: 12.5,
                       unit: req/s, variation: {runs: 3, stdev: 0.1}}
    ```

    Good:

    ```yaml
    results:
      completed_rate:
        metric: request_throughput
        scope: system
        value: 12.5
        unit: req/s
        variation: {runs: 3, stdev: 0.1}
    ```
    """
    del registry
    document = entry.document
    after = canonical(entry.kind, document, _below_schema(document) + document.path)
    if len(after.encode()) > MOST_BYTES:
        yield NotEvaluated((), "the file would be too large in the canonical form")
        return
    one = Edition(document.path, document.text.encode(), document.text, after)
    if not one.is_canonical:
        hint = f"{difference(one)}; `benchreg fmt` writes it"
        yield Problem((), "not in the canonical form", hint, place=Place(one.line, 1))


def difference(one: Edition) -> str:
    """Say how a file that is not in the canonical form differs from it at its first such line."""
    lines = [_line(text, one.line) for text in (one.before, one.after)]
    begin = max(0, _alike(*lines) - CONTEXT)
    found, wanted = (shown(line[begin:], LONGEST_SHOWN) or "nothing" for line in lines)
    return f"`{found}` should be `{wanted}`" if one.before != one.after else "not plain UTF-8"


def _alike(one: str, other: str) -> int:
    """Return how many signs two lines begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _line(text: str, number: int) -> str:
    """Return a line of a text; what is behind its last one is empty."""
    return "".join(text.split("\n")[number - 1 : number])


def _below_schema(document: Document) -> str:
    """Return where a registry lies below `schema/`, as a file's own first line has it."""
    said = _SCHEMA.match(document.text)
    above = (said[1].count("/") if said else 0) - document.path.count("/")
    return "_/" * min(max(above, 0), MOST_BYTES)


@rule("SCH007", Severity.ERROR, over=Entry)
def secret_in_text(entry: Entry, registry: Registry) -> Iterator[Problem]:
    """A text holds what looks like a key, a token, a private host or a mail address.

    The flags of a run, pasted as they were, carry its API key; a note names a machine of the
    office, or whom to ask. A registry is public and its history is kept, so a key that was in it is
    to be revoked, and not only deleted. Every text and every comment of a file is looked into.

    - A key is known by the form that its issuer gives it, or by its name, as in `--api-key`,
      `HF_TOKEN=` or `Bearer`; what only stands for one (`EMPTY`, `$HF_TOKEN`, `your-key`) is none.
    - A private host is one of 172.16.0.0/12, 192.168.0.0/16, 169.254.0.0/16, fc00::/7 or
      fe80::/10, or a name such as `gpu01.corp` or `node.internal`. As `10.2.0.19` may be a version,
      10.0.0.0/8 counts behind `host`, `://` and the like, and before a port. `localhost`,
      `127.0.0.1` and `0.0.0.0` are everybody's.
    - An address of mail counts unless it is nobody's, such as `git@github.com`.

    The message tells how the part begins, and no report repeats its line. Where the addresses lead
    that have a field of their own, PRO007 judges.

    Bad:

    ```yaml
    engine:
      id: example-engine
      version: "1.2.0"
      flags: --host 10.20.0.7 --port 8000 --api-key q7Rf0ZxU2mLw
    ```

    Good:

    ```yaml
    engine:
      id: example-engine
      version: "1.2.0"
      flags: --host 0.0.0.0 --port 8000 --api-key EMPTY
    ```
    """
    told = set()
    for at, text in texts(registry, entry.document, "leaks"):
        for leak in leaks(text, is_address=at in _ADDRESSES):
            told.add(leak)
            yield _leaking(leak, at)
    for place, comment in _comments(entry.document):
        for leak in leaks(comment):
            if leak not in told:
                yield _leaking(leak, (), place)


def _leaking(leak: Leak, at: Pointer, place: Place | None = None) -> Problem:
    return Problem(
        at,
        f"holds what looks like {leak.what} ({leak.begins})",
        "revoke it, and take it out" if leak.opens else "take it out, or say it without the name",
        on_value=True,
        also=(leak.what, leak.begins),
        place=place,
        hidden=True,
    )


def _comments(document: Document) -> Iterator[tuple[Place, str]]:
    """Yield what could be comments, but for the line that says where the schema is.

    A `#` within a text may be taken for one; what is behind it was found in the text already.
    """
    text = document.text
    modeline = _SCHEMA.match(text)
    at = text.find("#", modeline.end() if modeline else 0)
    while at >= 0:
        end = at + 1
        if at == 0 or text[at - 1].isspace():
            comment = text[at : _end_of_line(text, at)]
            end = at + len(comment)
            if might_leak(comment):
                yield place_of(text, at), comment
        at = text.find("#", end)


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
