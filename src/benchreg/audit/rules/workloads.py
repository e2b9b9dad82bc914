"""CON, fourth part: what the requests asked for is under control."""

from collections.abc import Iterator

from pydantic import MISSING

from benchreg.audit.finding import Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.completeness import absence
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry


@rule("CON011", Severity.WARNING, over=Record)
def output_length_uncontrolled(record: Record, registry: Registry) -> Iterator[Problem]:
    """The output length is what was asked for, and nothing says that it was reached.

    A model may stop early. Then a rate that is computed from the asked length is too high, by as
    much as nobody knows. Either the end of sequence was ignored (`forced`) or tokens were counted.

    Bad:

    ```yaml
    workload:
      input_tokens: 512
      output_tokens: 64
      length_basis: requested
      output_policy: natural
      prefix_cache: {enabled: false}
      speculative: {method: none}
    ```

    Good:

    ```yaml
    workload:
      input_tokens: 512
      output_tokens: 64
      length_basis: requested
      output_policy: forced
      prefix_cache: {enabled: false}
      speculative: {method: none}
    ```
    """
    del registry
    workload = record.workload
    if record.outcome is not MISSING or workload.output_tokens is MISSING:
        return
    if workload.length_basis != "measured" and workload.output_policy != "forced":
        yield Problem(
            ("workload", "output_tokens"),
            f"{workload.output_tokens} output tokens were asked for, neither forced nor measured",
            "state `output_policy: forced`, or the measured mean with `length_basis: measured`",
        )


@rule("CON012", Severity.NOTE, over=Record)
def prefix_cache_unknown(record: Record, registry: Registry) -> Iterator[Problem]:
    """Prompts are random or repeated, and nothing is known of the prefix cache.

    Prompts that are repeated are found in the cache, and their prefill costs nothing. Random ones
    can share a prefix too. The time to first token then says little about the hardware.

    Bad:

    ```yaml
    workload:
      input_tokens: 512
      output_tokens: 64
      length_basis: measured
      output_policy: forced
      dataset: random
      speculative: {method: none}
    absent:
      load.scenario: not_applicable
      workload.prefix_cache: not_stated
    ```

    Good:

    ```yaml
    workload:
      input_tokens: 512
      output_tokens: 64
      length_basis: measured
      output_policy: forced
      dataset: random
      prefix_cache: {enabled: false}
      speculative: {method: none}
    ```
    """
    del registry
    workload = record.workload
    if workload.dataset is MISSING or workload.prefix_cache.model_fields_set:
        return
    declared = absence(record, "workload.prefix_cache")
    if declared is not None and declared.because == "not_applicable":
        return
    if any(word in workload.dataset.casefold() for word in ("random", "repeat", "synthetic")):
        yield Problem(
            ("workload", "dataset"),
            f"the prompts are {workload.dataset!r}, and the prefix cache is not known",
            "state `prefix_cache: {enabled: ...}`",
            on_value=True,
        )


@rule("CON013", Severity.ERROR, over=Record)
def speculation_undisclosed(record: Record, registry: Registry) -> Iterator[Problem]:
    """A run speculates and does not say how often it guessed right.

    Speculation multiplies the decode rate by the acceptance length, and that depends on the text.
    A synthetic acceptance is a setting and no measurement; a record must say which it was.

    Bad:

    ```yaml
    workload:
      input_tokens: 512
      output_tokens: 64
      length_basis: measured
      output_policy: forced
      prefix_cache: {enabled: false}
      speculative: {method: eagle3, draft_tokens: 3}
    ```

    Good:

    ```yaml
    workload:
      input_tokens: 512
      output_tokens: 64
      length_basis: measured
      output_policy: forced
      prefix_cache: {enabled: false}
      speculative:
        method: eagle3
        draft_tokens: 3
        acceptance_length: 2.4
        acceptance: measured
    ```
    """
    del registry
    run = record.workload.speculative
    if run.method in (MISSING, "none"):
        return
    at = ("workload", "speculative")
    if run.acceptance_length is MISSING and "workload.speculative" not in record.absent:
        yield Problem(
            at,
            f"the run speculates ({run.method}) and has no acceptance length",
            "state `acceptance_length`, or write `workload.speculative: not_stated` under `absent`",
        )
    if run.acceptance_length is not MISSING and run.acceptance is MISSING:
        yield Problem(
            at,
            "the acceptance length does not say whether it was measured or set",
            "write `acceptance: measured` or `acceptance: synthetic`",
        )
