"""PRO: where a figure stands, so that anybody can look."""

from collections.abc import Iterator

from pydantic import MISSING

from benchreg.audit.finding import Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry


@rule("PRO001", Severity.ERROR, over=Record)
def locator_missing(record: Record, registry: Registry) -> Iterator[Problem]:
    """Nothing says where in the source the figures stand.

    A link to a long page is no provenance: a reviewer must find the cell. The locator names the
    table with row and column, the figure, or the path of the log.

    Bad:

    ```yaml
    source:
      id: example-source
      retrieved: "2026-11-01"
    ```

    Good:

    ```yaml
    source:
      id: example-source
      locator: Table 2, row "1 x GPU", column 64
      retrieved: "2026-11-01"
    ```
    """
    del registry
    if record.source.locator is not MISSING:
        return
    if not record.results or any(one.locator is MISSING for one in record.results.values()):
        yield Problem(
            ("source",),
            "no locator says where in the source this stands",
            "write the table, row and column, the figure, or the path of the log",
        )
