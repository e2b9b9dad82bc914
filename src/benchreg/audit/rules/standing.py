"""IDN, third part: a figure is held once, rests on what stands, and a record says why it fell."""

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


@rule("IDN011", Severity.ERROR, over=Record)
def standing_unexplained(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """A record does not stand and does not say why, or what replaces it stands no better.

    A figure that was taken back is still linked, quoted and ranked by what does not know so. Its
    record says why it fell, and one that is superseded which record is read instead. That one
    must stand, or be replaced itself; a way round leads to none. An active record has neither.

    Bad:

    ```yaml
    status: superseded
    status_reason: the run was repeated with more requests
    ```

    Bad:

    ```yaml
    superseded_by: example-partner
    ```

    Good:

    ```yaml
    status: superseded
    status_reason: the run was repeated with more requests
    superseded_by: example-partner
    ```
    """
    if record.status == "active":
        for key in ("status_reason", "superseded_by"):
            if getattr(record, key) is not MISSING:
                hint = "say that it is superseded, withdrawn or disputed, or take the key out"
                yield Problem((key,), f"an active record has a {key}", hint)
        return
    if record.status_reason is MISSING:
        yield _untold(record, "does not say why", "write the `status_reason`")
    if record.superseded_by is not MISSING:
        yield from _successor(record, registry)
    elif record.status == "superseded":
        hint = "name it under `superseded_by`; what nothing replaces is `withdrawn`"
        yield _untold(record, "names no record that replaces it", hint)


def _untold(record: Record, what: str, hint: str) -> Problem:
    return Problem(("status",), f"the record is {record.status} and {what}", hint, on_value=True)


def _successor(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """Follow what replaces a record to the last one, which must stand."""
    at, passed, last = ("superseded_by",), {record.id}, record
    while last.superseded_by is not MISSING:
        after = registry.records.get(last.superseded_by)
        if after is None:
            yield NotEvaluated(at, f"{last.superseded_by} cannot be read")
            return
        if after.id in passed:
            message = f"what replaces {record.id} is replaced by {after.id} again"
            yield Problem(at, message, "name the record that stands", on_value=True)
            return
        passed.add(after.id)
        last = after
    if last.status in ("withdrawn", "disputed"):
        yield Problem(
            at,
            f"{last.id}, which is to be read instead, is {last.status}",
            "name a record that stands, or say that this one is withdrawn",
            severity=Severity.WARNING,
            on_value=True,
            also=(last.status,),
        )


@rule("IDN012", Severity.ERROR, over=Record)
def estimate_unexplained(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """An estimate does not say what made it, or a measurement says that something did.

    What a formula gives is no evidence for the formula. An estimate names its `estimator`, so
    that it can be made again, and what it estimates is measured. A measurement has neither; a
    value of it that follows from others carries its derivation.

    Bad:

    ```yaml
    kind: estimate
    ```

    Bad:

    ```yaml
    kind: measurement
    estimator: {version: benchreg 0.1.0}
    ```

    Good:

    ```yaml
    kind: estimate
    estimator: {version: benchreg 0.1.0}
    links: {estimate_of: [example-partner]}
    ```
    """
    measured = record.kind == "measurement"
    if record.kind == "estimate" and record.estimator is MISSING:
        hint = "write `estimator: {version: ...}`; what was measured is `kind: measurement`"
        message = "an estimate does not say what made it"
        yield Problem(("kind",), message, hint, on_value=True)
    if measured and record.estimator is not MISSING:
        hint = "take it out, or say `kind: estimate`"
        yield Problem(("estimator",), "a measurement was made by no estimator", hint)
    for index, name in enumerate(record.links.estimate_of):
        at, other = ("links", "estimate_of", index), registry.records.get(name)
        if measured:
            hint = "write `replicates`, or say `kind: estimate`"
            yield Problem(at, f"a measurement is no estimate of {name}", hint, on_value=True)
        elif other is None:
            yield NotEvaluated(at, f"{name} cannot be read")
        elif other.kind == "estimate":
            hint = "name the measurement that both estimate"
            yield Problem(at, f"{name} is an estimate itself", hint, on_value=True)
