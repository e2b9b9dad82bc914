"""WAV: what a record accepts is accepted by somebody, for a reason, and still there."""

from collections.abc import Iterator

from pydantic import MISSING

from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import of_records_with, rule
from benchreg.audit.waivers import Accepted, expired
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.values.text import shown, suggestion


@of_records_with("waivers")
@rule("WAV001", Severity.ERROR, over=Record, waivable=False)
def waiver_without_reason(record: Record, registry: Registry) -> Iterator[Problem]:
    """A waiver does not say why, by whom, or since when.

    A finding that is silenced without a reason is a fault that nobody answers for. Such a waiver
    accepts nothing.

    Bad (also CON014):

    ```yaml
    load:
      pattern: closed_loop
      concurrency: 64
      requests: 320
      failed: 0
      duration_s: 25.6
      window: full_drain
      warmup: {requests: 0}
    waivers:
      - {rule: CON014, reason: the source ran no longer}
    ```

    Good:

    ```yaml
    load:
      pattern: closed_loop
      concurrency: 64
      requests: 320
      failed: 0
      duration_s: 25.6
      window: full_drain
      warmup: {requests: 0}
    waivers:
      - {rule: CON014, reason: the source ran no longer, by: a maintainer, since: "2026-11-01"}
    ```
    """
    del registry
    for index, waiver in enumerate(record.waivers):
        lacks = [name for name in ("reason", "by", "since") if getattr(waiver, name) is MISSING]
        if lacks:
            yield Problem(
                ("waivers", index),
                f"the waiver of {shown(waiver.rule)} has no {' and no '.join(lacks)}",
                "say `reason`, `by` (who accepts it) and `since` (the date)",
            )


@rule("WAV002", Severity.WARNING, over=Accepted, waivable=False)
def waiver_unused(accepted: Accepted, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """A waiver accepts nothing any more.

    What it accepted was mended, or never was there. Left in place, it would hide the same fault
    when it comes back, and nobody would see it.

    Bad:

    ```yaml
    waivers:
      - {rule: CON014, reason: the source ran no longer, by: a maintainer, since: "2026-11-01"}
    ```

    Good:

    ```yaml
    load:
      pattern: closed_loop
      concurrency: 64
      requests: 320
      failed: 0
      duration_s: 25.6
      window: full_drain
      warmup: {requests: 0}
    waivers:
      - {rule: CON014, reason: the source ran no longer, by: a maintainer, since: "2026-11-01"}
    ```
    """
    del registry
    for index, waiver in enumerate(accepted.record.waivers):
        at = ("waivers", index)
        if why := accepted.open_ones.get(index):
            yield NotEvaluated(at, why)
        elif index not in accepted.open_ones and not accepted.counts[index]:
            where = "" if waiver.at is MISSING else f" at {shown(waiver.at)}"
            yield Problem(
                at,
                f"the waiver accepts nothing: {shown(waiver.rule)} finds nothing{where}",
                "take it out",
            )


@of_records_with("waivers")
@rule("WAV003", Severity.ERROR, over=Record, waivable=False)
def waiver_expired(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """The date of a waiver has passed.

    It was accepted for a time, and the time is over: the fault is to be mended, or somebody
    decides anew. It accepts nothing since.

    Bad (also CON014):

    ```yaml
    load:
      pattern: closed_loop
      concurrency: 64
      requests: 320
      failed: 0
      duration_s: 25.6
      window: full_drain
      warmup: {requests: 0}
    waivers:
      - rule: CON014
        reason: a longer run is under way
        by: a maintainer
        since: "2026-11-01"
        expires: "2026-12-01"
    ```

    Good:

    ```yaml
    load:
      pattern: closed_loop
      concurrency: 64
      requests: 320
      failed: 0
      duration_s: 25.6
      window: full_drain
      warmup: {requests: 0}
    waivers:
      - rule: CON014
        reason: a longer run is under way
        by: a maintainer
        since: "2026-11-01"
        expires: "2999-12-01"
    ```
    """
    for index, waiver in enumerate(record.waivers):
        if waiver.expires is MISSING:
            continue
        if not registry.today:
            yield NotEvaluated(("waivers", index), "nobody said which day it is today")
        elif expired(waiver, registry.today):
            yield Problem(
                ("waivers", index, "expires"),
                f"the waiver of {shown(waiver.rule)} held until {waiver.expires}",
                "mend the fault and take the waiver out, or decide on a new date",
                on_value=True,
            )


@of_records_with("waivers")
@rule("WAV004", Severity.ERROR, over=Record, waivable=False)
def waiver_refused(record: Record, registry: Registry) -> Iterator[Problem]:
    """A waiver is for a rule that cannot be waived, or that there is not.

    Some faults make a record untrue whatever the reason: a broken schema, a total that is tied to
    nothing, a figure that no hardware makes. No waiver accepts them.

    Bad:

    ```yaml
    waivers:
      - {rule: IDN004, reason: it reads well, by: a maintainer, since: "2026-11-01"}
    ```

    Good:

    ```yaml
    load:
      pattern: closed_loop
      concurrency: 64
      requests: 320
      failed: 0
      duration_s: 25.6
      window: full_drain
      warmup: {requests: 0}
    waivers:
      - {rule: CON014, reason: the source ran no longer, by: a maintainer, since: "2026-11-01"}
    ```
    """
    from benchreg.audit.catalogue import all_rules  # noqa: PLC0415  (it imports this file)

    del registry
    if not record.waivers:
        return
    rules = {rule.code: rule for rule in all_rules()}
    for index, waiver in enumerate(record.waivers):
        known = rules.get(waiver.rule)
        if known is None:
            near = suggestion(waiver.rule, rules) or "name a rule by its code, as CON014"
            told = f"there is no rule {shown(waiver.rule)!r}"
            yield Problem(("waivers", index, "rule"), told, near, on_value=True)
        elif not known.waivable:
            yield Problem(
                ("waivers", index, "rule"),
                f"{known.code} {known.name} cannot be waived",
                "mend the record, or mark it disputed or withdrawn",
                on_value=True,
            )
