"""IDN, third part: a figure is held once, and rests on what stands."""

from collections.abc import Iterator

from pydantic import MISSING

from benchreg.analysis.duplicates import repeated
from benchreg.analysis.standing import fallen, rests_on
from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry


@rule("IDN009", Severity.ERROR, over=Record)
def duplicate_figure(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """Two records hold the same figure of the same source.

    The number at one place of a table is one measurement. Held twice it weighs double in every
    mean and ranking, and one of the two is corrected while the other is not. Two labels of one
    run belong into one record; of a newer reading, the older record is `superseded`.

    Bad:

    ```yaml example-partner
    id: example-partner
    ```

    Good:

    ```yaml example-partner
    id: example-partner
    source:
      id: example-source
      locator: second run, run.json
      retrieved: "2026-11-01"
    ```
    """
    if record.status != "active":
        return
    for name, holder in repeated(registry).get(record.id, {}).items():
        figure = record.results[name]
        yield Problem(
            ("results", name),
            f"{figure.value} {figure.unit} stands in {holder} too, from the same place of "
            f"{record.source.id}",
            "keep one of the two, or let the locator of each name its own cell",
            also=(holder,),
        )
    if record.source.locator is MISSING:
        for name, figure in record.results.items():
            if figure.locator is MISSING:
                reason = "no locator says where in the source it stands"
                yield NotEvaluated(("results", name), reason)


@rule("IDN010", Severity.WARNING, over=Record, needs=("records",))
def withdrawn_used(record: Record, registry: Registry) -> Iterator[Problem]:
    """A record rests on one that is withdrawn or disputed.

    A value that is derived from a withdrawn figure, a counterpart or a claim that needs one, a
    record that repeats or estimates one: each falls with it, and none of them says so by itself.

    Bad:

    ```yaml
    links: {replicates: [example-partner]}
    ```

    ```yaml example-partner
    id: example-partner
    status: withdrawn
    status_reason: the client could not keep up
    ```

    Good:

    ```yaml
    links: {contradicts: [example-partner]}
    ```

    ```yaml example-partner
    id: example-partner
    status: withdrawn
    status_reason: the client could not keep up
    links: {contradicts: [base-record]}
    ```
    """
    known = fallen(registry)
    if not known or record.status != "active":
        return
    for link in rests_on(record):
        other = known.get(link.target.partition("#")[0])
        if other is not None:
            yield Problem(
                link.at,
                f"{other.id} is {other.status}",
                f"rest it on another record, or say that {record.id} is {other.status} too",
                on_value=True,
                also=(other.status,),
            )
