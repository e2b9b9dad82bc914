"""CON: what was run is stated, or declared absent with the reason, and never both."""

from collections.abc import Iterator

from pydantic import MISSING

from benchreg.audit.finding import Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.completeness import (
    BY_KEY,
    CORE,
    EXTENDED,
    absence,
    nothing_unset,
    something_set,
)
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry


@rule("CON001", Severity.ERROR, over=Record, waivable=False)
def condition_undeclared(record: Record, registry: Registry) -> Iterator[Problem]:
    """A core condition is neither stated nor declared absent.

    Without model, hardware, load, lengths, engine version, warm-up and scenario a figure has no
    meaning, and a hole that nobody declared is filled in by the next reader.

    Bad:

    ```yaml
    engine:
      id: example-engine
    ```

    Good:

    ```yaml
    engine:
      id: example-engine
      version: "1.2.0"
    ```
    """
    del registry
    for condition in CORE:
        if condition.key == "load" and record.load.pattern is not MISSING:
            continue  # CON008 says which parameter the pattern lacks
        declared = absence(record, condition.key)
        if declared is None and not condition.stated(record):
            unless = "" if _applies(record, condition.key) else _NOT_APPLICABLE
            yield Problem(
                (condition.key.partition(".")[0],),
                f"the {condition.title} is neither stated nor declared absent",
                f"state {condition.stated_by}, or write `{condition.key}: not_stated` under "
                f"`absent`{unless}",
            )
        elif declared and declared.because == "not_applicable" and _applies(record, condition.key):
            yield Problem(
                ("absent", condition.key),
                f"the {condition.title} applies to every run of this kind",
                "say why it is absent: `not_stated`, `unrecoverable`, `withheld` or another reason",
            )


_OF_A_SERVICE = ("hardware", "engine.version")
_NOT_APPLICABLE = ", or `not_applicable` where a run of this kind has none"


def _applies(record: Record, key: str) -> bool:
    """Tell whether a core condition cannot be beside the point: only a service hides its engine."""
    if key == "load.scenario":
        return False
    return record.service is MISSING or key not in _OF_A_SERVICE


@rule("CON002", Severity.ERROR, over=Record, waivable=False)
def condition_contradicted(record: Record, registry: Registry) -> Iterator[Problem]:
    """A condition is both stated and declared absent.

    One of the two is wrong, and a reader cannot tell which.

    Bad:

    ```yaml
    absent:
      load.scenario: not_applicable
      engine.version: not_stated
    ```

    Good:

    ```yaml
    absent:
      load.scenario: not_applicable
    ```
    """
    del registry
    for key in record.absent:
        if nothing_unset(record, key):
            yield Problem(
                ("absent", key),
                f"the {BY_KEY[key].title} is stated and declared absent",
                f"keep one: the value, or `{key}` under `absent`",
            )
        elif key in record.contributed or key in record.inferred:
            yield Problem(
                ("absent", key),
                f"the {BY_KEY[key].title} is declared absent, and "
                f"{'contributed' if key in record.contributed else 'inferred'}",
                f"keep one: the value, or `{key}` under `absent`",
            )
    for name, figure in record.results.items():
        for key in figure.absent:
            if getattr(figure, key) is not MISSING:
                yield Problem(
                    ("results", name, "absent", key),
                    f"the {key} of {name} is stated and declared absent",
                    f"keep one: the value, or `{key}` under the figure's `absent`",
                )


@rule("CON017", Severity.ERROR, over=Record)
def inference_unexplained(record: Record, registry: Registry) -> Iterator[Problem]:
    """A value was concluded without its reason, or a reason stands without its value.

    What the source does not state may be concluded, and a reader must be able to judge how. A
    reason that belongs to no value is what was left when the value was taken out.

    Bad:

    ```yaml
    hardware:
      pools:
        - described_as: Example GPU
          could_be: [example-gpu-40gb, example-gpu-80gb]
          count: 1
          parallelism: {tensor: 1}
    ```

    Good:

    ```yaml
    hardware:
      pools:
        - described_as: Example GPU
          could_be: [example-gpu-40gb, example-gpu-80gb]
          count: 1
          parallelism: {tensor: 1}
    inferred:
      hardware.could_be: the source does not say how much memory the part has
    ```
    """
    del registry
    for index, pool in enumerate(record.hardware.pools):
        if pool.could_be and "hardware.could_be" not in record.inferred:
            yield Problem(
                ("hardware", "pools", index, "could_be"),
                "what the part could be stands without the reason",
                "write it under `inferred`, as `hardware.could_be: ...`",
            )
    for key in record.inferred:
        if not something_set(record, key):
            yield Problem(
                ("inferred", key),
                f"a reason is given for {key}, which has no value",
                "state the value, or take the reason out",
            )
    for name, figure in record.results.items():
        for key in figure.inferred:
            if getattr(figure, key) is MISSING:
                yield Problem(
                    ("results", name, "inferred", key),
                    f"a reason is given for the {key} of {name}, which has no value",
                    "state the value, or take the reason out",
                )


@rule("CON018", Severity.NOTE, over=Record)
def extended_condition_undeclared(record: Record, registry: Registry) -> Iterator[Problem]:
    """An extended condition is neither stated nor declared absent.

    Precision, parallelism, requests, runs, prefix cache, speculation, output policy, measurement
    point and window each move a figure, and so does the engine, whose version means nothing
    without it. A record without them stands; it says more with them.

    Bad:

    ```yaml
    measurement:
      harness: example bench
      point: server
    ```

    Good:

    ```yaml
    measurement:
      harness: example bench
      point: server
      runs: 3
    ```
    """
    del registry
    for condition in (*EXTENDED, BY_KEY["engine"]):
        if absence(record, condition.key) is None and not condition.stated(record):
            yield Problem(
                (condition.key.partition(".")[0],),
                f"the {condition.title} is neither stated nor declared absent",
                f"state {condition.stated_by}, or write `{condition.key}: not_stated` under "
                "`absent`",
            )


@rule("CON019", Severity.ERROR, over=Record)
def outcome_without_results(record: Record, registry: Registry) -> Iterator[Problem]:
    """A record has no results and no outcome that explains it, or both.

    A run that ended out of memory is evidence, and has no figure. A record without figures that
    does not say so is a file that somebody forgot.

    Bad:

    ```yaml
    outcome: out_of_memory
    ```

    Good:

    ```yaml
    outcome: limit_not_met
    ```
    """
    del registry
    if not record.results and record.outcome is MISSING:
        yield Problem(
            ("results",),
            "there are no results, and no outcome that explains it",
            "add the figures, or say `outcome: out_of_memory`, `failed` or `limit_not_met`",
        )
    if record.results and record.outcome in ("out_of_memory", "failed"):
        yield Problem(
            ("outcome",),
            f"the outcome is {record.outcome}, and there are results",
            "take out the one that is not true",
            on_value=True,
        )
