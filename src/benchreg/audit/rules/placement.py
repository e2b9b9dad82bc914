"""CON, fourth part: a model has its place, on the accelerators and within its context."""

from collections.abc import Iterator
from decimal import Decimal

from pydantic import MISSING

from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.completeness import absence
from benchreg.entities.conditions import Pool
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry

WAYS = ("tensor", "pipeline", "context", "attention_data", "replicas")


@rule("CON015", Severity.ERROR, over=Record)
def parallelism_mismatch(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """The parallelism of a pool does not account for its accelerators.

    tensor x pipeline x context x attention_data x replicas is the count of the pool, and a way
    that is not stated counts as 1. Where it is not, half of the accelerators may have been idle,
    and every figure per accelerator is off by as much. `expert` overlays the others and is no
    factor. Where the source names some ways and nobody knows the rest, `parallelism` is declared
    absent beside them: then the stated ones must still divide the count. A pool that states no
    way is not judged.

    Bad:

    ```yaml
    hardware:
      pools:
        - accelerator: example-gpu-80gb
          count: 8
          parallelism: {tensor: 4}
    ```

    Bad:

    ```yaml
    hardware:
      pools:
        - accelerator: example-gpu-80gb
          count: 8
          parallelism: {tensor: 8, attention_data: 8, expert: 8}
    ```

    Good:

    ```yaml
    hardware:
      pools:
        - accelerator: example-gpu-80gb
          count: 8
          parallelism: {tensor: 4, replicas: 2}
    ```

    Good:

    ```yaml
    hardware:
      pools:
        - accelerator: example-gpu-80gb
          count: 8
          parallelism: {tensor: 4}
    absent:
      load.scenario: not_applicable
      parallelism: not_stated
    ```
    """
    del registry
    for index, pool in enumerate(record.hardware.pools):
        stated = [way for way in WAYS if getattr(pool.parallelism, way) is not MISSING]
        if not stated or pool.parallelism.accelerators == pool.count:
            continue
        at = ("hardware", "pools", index, "parallelism")
        some = len(stated) < len(WAYS) and pool.count % pool.parallelism.accelerators == 0
        if some and absence(record, "parallelism") is not None:
            yield NotEvaluated(at, "the rest of the parallelism is declared absent")
        else:
            yield Problem(
                at,
                _accounted(pool, stated),
                _missing(pool) if some else _misread(pool),
                also=(str(pool.count),),
                on_value=True,
            )


def _accounted(pool: Pool, stated: list[str]) -> str:
    ways = " x ".join(f"{way} {getattr(pool.parallelism, way)}" for way in stated)
    comes = f" = {pool.parallelism.accelerators}" if len(stated) > 1 else ""
    return f"{ways}{comes} is not the count of the pool, {pool.count}"


def _missing(pool: Pool) -> str:
    rest = pool.count // pool.parallelism.accelerators
    return (
        f"count what was used, or state the other {rest} ways (`replicas: {rest}`); where nobody "
        "knows them, write `parallelism: not_stated` under `absent`"
    )


def _misread(pool: Pool) -> str:
    if pool.parallelism.attention_data is not MISSING:
        return "under data-parallel attention, `tensor` is what splits each attention (tp / dp)"
    return "correct the count, or the way that was misread"


@rule("CON016", Severity.NOTE, over=Record, needs=("models",))
def context_exceeded(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """A request is longer than the model's context.

    Input, output and what is in the cache before together are more tokens than the model was made
    for. Published tables do this: an engine that is built for a shape runs it, and what comes out
    has no meaning. Or generation ended early, and the rate counts tokens that never were.

    Bad:

    ```yaml
    workload:
      context_tokens: 1536
      input_tokens: 512
      output_tokens: 64
      length_basis: measured
      output_policy: forced
      dataset: random
      prefix_cache: {enabled: false}
      speculative: {method: none}
    ```

    Good:

    ```yaml
    workload:
      context_tokens: 1024
      input_tokens: 512
      output_tokens: 64
      length_basis: measured
      output_policy: forced
      dataset: random
      prefix_cache: {enabled: false}
      speculative: {method: none}
    ```
    """
    workload = record.workload
    lengths = (workload.context_tokens, workload.input_tokens, workload.output_tokens)
    tokens = sum((length for length in lengths if length is not MISSING), Decimal(0))
    limit = _limit(record, registry)
    if isinstance(limit, str):
        yield NotEvaluated(("model",), limit)
    elif tokens > limit:
        yield Problem(
            ("workload",),
            f"{' + '.join(f'{length:,}' for length in lengths if length is not MISSING)} tokens "
            f"exceed the context of {record.model.id}, {limit:,}",
            "check the lengths and the model; where the source ran it so, leave it",
            also=(str(limit),),
        )
    elif MISSING in lengths[1:]:
        yield NotEvaluated(("workload",), "the length of a request is not known")


def _limit(record: Record, registry: Registry) -> int | str:
    """Return the context limit of the record's model, or why there is none."""
    if record.model.id is MISSING:
        return "no model of the catalogue is named"
    limit = registry.models[record.model.id].context_limit
    return f"{record.model.id} has no context_limit" if limit is MISSING else limit
