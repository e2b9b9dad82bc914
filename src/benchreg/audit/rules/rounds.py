"""PRO, second part: a result of MLPerf is found in its round."""

import re
from collections.abc import Iterator

from pydantic import MISSING

from benchreg.audit.finding import Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.record import Mlperf, Record
from benchreg.registry.document import Pointer
from benchreg.registry.registry import Registry

MLCOMMONS = "MLCommons"
MLPERF = "mlperf"


@rule("PRO008", Severity.ERROR, over=Record, needs=("sources",))
def mlperf_unresolvable(record: Record, registry: Registry) -> Iterator[Problem]:
    """A figure of MLPerf cannot be found in its round.

    A result is found by its round, its division and its path in the results repository, and its
    rules ask that these are named. Closed and open division are different contests. A record is
    held to this that has an `mlperf` block, comes from a results repository of MLCommons, or has
    MLPerf in its title. The path has the division, the submitter, the system, the benchmark and
    the scenario in it: where the record says another one, it leads to another figure. In the
    open division the folder of the benchmark has a name that the submitter gave.

    Bad:

    ```yaml
    mlperf:
      round: v5.1
      division: closed
    ```

    Bad:

    ```yaml
    mlperf:
      round: v5.1
      division: open
      result_path: closed/Example/results/1xExample/llama2-70b-99/Server
    ```

    Good:

    ```yaml
    mlperf:
      round: v5.1
      division: closed
      result_path: closed/Example/results/1xExample/llama2-70b-99/Server
    ```
    """
    block, source = record.mlperf, registry.sources[record.source.id]
    official = source.publisher == MLCOMMONS and source.kind == "result_repository"
    if block is MISSING:
        if official or MLPERF in record.title.casefold():
            yield Problem(
                ("mlperf",),
                "a figure of MLPerf without round, division and result path",
                "state them under `mlperf`; a run that is no result of MLPerf is not called so",
            )
        return
    for name in ("round", "division", "result_path"):
        if getattr(block, name) is MISSING:
            yield Problem(
                ("mlperf",),
                f"a figure of MLPerf without its {name.replace('_', ' ')}",
                f"state `{name}`, as the results repository has it",
            )
    if official and block.round is not MISSING and block.round not in source.id:
        yield _another(("mlperf", "round"), block.round, source.id)
    yield from _elsewhere(record, block)


def _elsewhere(record: Record, block: Mlperf) -> Iterator[Problem]:
    """Yield what a record says of a result, and its path does not."""
    if block.result_path is MISSING:
        return
    parts = {_letters(part) for part in block.result_path.split("/")}
    said: dict[Pointer, tuple[str | MISSING, ...]] = {
        ("mlperf", "division"): (block.division,),
        ("mlperf", "submitter"): (block.submitter,),
        ("mlperf", "system"): (block.system,),
        ("mlperf", "benchmark"): block.benchmark if block.division != "open" else (),
        ("load", "scenario"): (record.load.scenario,),
    }
    for at, words in said.items():
        known = [word for word in words if word is not MISSING]
        if known and parts.isdisjoint(map(_letters, known)):
            yield _another(at, " or ".join(known), block.result_path)


def _letters(name: str) -> str:
    """Return a name as paths are told apart: llama3_1-8b is llama3.1-8b, and Server is server."""
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def _another(at: Pointer, said: str, place: str) -> Problem:
    return Problem(
        at,
        f"the {at[-1]} is {said!r}, and the result is that of {place!r}",
        "correct the one that was mistyped",
        on_value=True,
    )
