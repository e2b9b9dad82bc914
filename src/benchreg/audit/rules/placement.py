"""CON, fourth part: a model has its place, on accelerators and nodes, and within its context."""

from collections.abc import Iterator
from decimal import Decimal

from pydantic import MISSING

from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.completeness import absence
from benchreg.entities.conditions import Pool
from benchreg.entities.record import Record
from benchreg.registry.document import Pointer
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


@rule("CON023", Severity.ERROR, over=Record)
def nodes_miscounted(record: Record, registry: Registry) -> Iterator[Problem]:
    """The nodes of a pool cannot hold it.

    A pool is on no more nodes than it has accelerators, and on no more than the system has: else
    nodes and accelerators were taken for each other, and every figure per node or accelerator is
    off by as much. That nodes of a system hold no part of any pool is a warning. One pool whose
    accelerators do not divide evenly among its nodes is worth a look, and may be so.

    Bad:

    ```yaml
    hardware:
      pools:
        - accelerator: example-gpu-80gb
          count: 1
          nodes: 8
          parallelism: {tensor: 1}
    ```

    Bad:

    ```yaml
    hardware:
      nodes: 1
      pools:
        - accelerator: example-gpu-80gb
          count: 8
          nodes: 2
          parallelism: {tensor: 8}
    ```

    Good:

    ```yaml
    hardware:
      nodes: 2
      pools:
        - accelerator: example-gpu-80gb
          count: 16
          nodes: 2
          parallelism: {tensor: 8, replicas: 2}
    ```
    """
    del registry
    hardware = record.hardware
    for index, pool in enumerate(hardware.pools):
        if pool.nodes is MISSING:
            continue
        at = ("hardware", "pools", index, "nodes")
        if pool.nodes > pool.count:
            hint = "`count` is of all nodes together; correct the one that was misread"
            yield _nodes(at, f"{pool.count} accelerators are on {pool.nodes} nodes", hint)
        elif hardware.nodes is not MISSING and pool.nodes > hardware.nodes:
            what = f"the pool is on {pool.nodes} nodes, and the system has {hardware.nodes}"
            yield _nodes(at, what, "`hardware.nodes` are all nodes of the system")
        elif len(hardware.pools) == 1 and pool.count % pool.nodes:
            what = f"{pool.count} accelerators do not divide evenly among {pool.nodes} nodes"
            yield _nodes(at, what, "look whether both are of the same pool", Severity.NOTE)
    yield from _empty_nodes(record)


def _empty_nodes(record: Record) -> Iterator[Problem]:
    """Yield a system that has more nodes than its pools together."""
    hardware = record.hardware
    held = [pool.nodes if pool.nodes is not MISSING else pool.count for pool in hardware.pools]
    if held and hardware.nodes is not MISSING and hardware.nodes > sum(held):
        what = f"the system has {hardware.nodes} nodes, and its pools are on {sum(held)}"
        hint = "count the nodes that the model ran on, or add the pool that is missing"
        yield _nodes(("hardware", "nodes"), what, hint, Severity.WARNING)


def _nodes(at: Pointer, what: str, hint: str, severity: Severity | None = None) -> Problem:
    return Problem(at, what, hint, severity, on_value=True)
