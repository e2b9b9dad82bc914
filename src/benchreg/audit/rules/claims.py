"""DER, fourth part: what the source says of its own figures."""

from collections.abc import Iterator
from decimal import Decimal

from benchreg.analysis.derivation import UnsettledError, settled
from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import of_records_with, rule
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry
from benchreg.values.expression import FormulaError
from benchreg.values.interval import ends, rounded_from, short


@of_records_with("claims")
@rule("DER010", Severity.WARNING, over=Record, needs=("records",))
def claim_not_reproduced(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """A statement of the source is not what its own figures give.

    "Four times the latency" may be 4.6 in the table below it. The statement is kept, recomputed,
    and shown with what it comes to. Where it holds only because the figures are rounded, this is
    a note.

    Bad:

    ```yaml
    claims:
      - says: the rate is ten times the batch
        locator: first paragraph
        stated: "10"
        formula: rate / 2
        inputs: {rate: completed_rate}
    ```

    Good:

    ```yaml
    claims:
      - says: the rate is half the rate of two
        locator: first paragraph
        stated: "6.25"
        formula: rate / 2
        inputs: {rate: completed_rate}
    ```
    """
    settling = settled(registry)
    for index, claim in enumerate(record.claims):
        at = ("claims", index)
        try:
            found = settling.recompute(record, claim)
        except (FormulaError, UnsettledError) as error:
            yield NotEvaluated(at, str(error))
            continue
        stated = rounded_from(Decimal(claim.stated))
        if found.nominal in stated:
            continue
        by_rounding = stated.meets(found.interval)
        yield Problem(
            (*at, "stated"),
            f"{claim.says!r}: the figures give {short(found.nominal)} "
            f"({ends(found.interval)}), "
            f"so {claim.stated!r} {'holds only by rounding' if by_rounding else 'does not hold'}",
            "keep the statement as the source has it; correct it only if it was misread",
            severity=Severity.NOTE if by_rounding else None,
            on_value=True,
        )
