"""CON, fifth part: a load has the parameters of its pattern, and the pattern of its scenario."""

from collections.abc import Iterator

from pydantic import MISSING

from benchreg.audit.finding import Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.conditions import Load
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry

ARRIVING = frozenset(("request_rate", "arrival", "max_in_flight"))
OWN = {
    "static_batch": frozenset(("batch_size",)),
    "closed_loop": frozenset(("concurrency",)),
    "open_loop": ARRIVING,
    "all_at_once": frozenset[str](),
    "single_stream": frozenset[str](),
    "trace_replay": ARRIVING,
}
INSTEAD = {
    "concurrency": "what a client holds in flight is that of a `closed_loop`; a cap on requests "
    "that arrive by themselves is `max_in_flight`",
    "request_rate": "the rate that was reached is a figure (request_throughput); one that was "
    "configured is that of an `open_loop`",
    "arrival": "requests arrive by themselves in an `open_loop` only; take it out",
    "max_in_flight": "what a client holds in flight is the `concurrency` of a `closed_loop`",
}


@rule("CON021", Severity.ERROR, over=Record)
def parameter_of_another_pattern(record: Record, registry: Registry) -> Iterator[Problem]:
    """A load has a parameter that its pattern has not, or no pattern at all.

    A client that holds 64 requests in flight has no request rate: it sends when another answer is
    there, and a server that slows down is asked less. A client with a rate has no concurrency: it
    sends whatever comes back. With both, a reader cannot tell which of the two was run, and they
    differ most where it matters, at the limit. `max_in_flight` caps an open loop; `burstiness` is
    the shape of a gamma process. A batch size where nothing is batched statically is CON009. A
    number without any pattern is a warning: that pattern may be concluded, with the reason.

    Bad:

    ```yaml
    load:
      pattern: closed_loop
      concurrency: 64
      request_rate: 12.5
      requests: 6400
      failed: 0
      duration_s: 512
      window: full_drain
      warmup: {requests: 0}
    ```

    Good:

    ```yaml
    load:
      pattern: open_loop
      request_rate: 12.5
      arrival: {process: poisson}
      max_in_flight: 64
      requests: 6400
      failed: 0
      duration_s: 512
      window: full_drain
      warmup: {requests: 0}
    ```
    """
    del registry
    load = record.load
    if load.pattern is MISSING:
        yield from _without_pattern(load)
        return
    own, given = OWN[load.pattern], load.model_fields_set
    for name, hint in INSTEAD.items():
        if name in given and name not in own and not _same_thing(load, name):
            message = f"the pattern {load.pattern} has no {name.replace('_', ' ')}"
            yield Problem(("load", name), message, hint)
    if "arrival" in given:
        yield from _shapeless(load)


def _without_pattern(load: Load) -> Iterator[Problem]:
    for name in ("batch_size", "concurrency", "request_rate"):
        if getattr(load, name) is not MISSING:
            yield Problem(
                ("load", name),
                f"a {name.replace('_', ' ')} without the pattern of the load",
                "state `pattern`; where the source does not name it and it follows from what the "
                "source says, with the reason under `inferred`, as `load.pattern: ...`",
                severity=Severity.WARNING,
            )


def _same_thing(load: Load, name: str) -> bool:
    """Tell whether a parameter of another pattern says what the pattern says anyway."""
    if load.pattern == "single_stream" and name in ("concurrency", "max_in_flight"):
        return bool(getattr(load, name) == 1)
    return load.pattern == "all_at_once" and name == "arrival" and load.arrival.process == "burst"


def _shapeless(load: Load) -> Iterator[Problem]:
    """Yield a burstiness of arrivals that have none: of a Poisson process it can only be 1."""
    arrival = load.arrival
    if arrival.burstiness is MISSING or arrival.process in (MISSING, "gamma"):
        return
    if arrival.process != "poisson" or arrival.burstiness != 1:
        yield Problem(
            ("load", "arrival", "burstiness"),
            f"{arrival.process} arrivals have no burstiness of {arrival.burstiness}",
            "write `process: gamma`, or take the burstiness out",
            on_value=True,
        )


BY_ITSELF = ("open_loop", "trace_replay")
PATTERNS = {
    "offline": ("all_at_once", "static_batch"),
    "server": BY_ITSELF,
    "interactive": BY_ITSELF,
    "single_stream": ("single_stream",),
    "multi_stream": ("static_batch", "closed_loop"),
}


@rule("CON022", Severity.ERROR, over=Record)
def scenario_contradicted(record: Record, registry: Registry) -> Iterator[Problem]:
    """The scenario and the pattern of the load are of different runs.

    The scenarios of MLPerf say how requests come: all at once in Offline, by themselves at a rate
    in Server and Interactive, one after another in SingleStream, several together in MultiStream.
    A record that names a scenario and another pattern was copied from two rows, or calls a
    scenario what the source does not.

    Bad:

    ```yaml
    load:
      pattern: closed_loop
      concurrency: 64
      scenario: server
      requests: 6400
      failed: 0
      duration_s: 512
      window: full_drain
      warmup: {requests: 0}
    absent: {slo: not_stated}
    ```

    Good:

    ```yaml
    load:
      pattern: open_loop
      request_rate: 12.5
      arrival: {process: poisson}
      scenario: server
      requests: 6400
      failed: 0
      duration_s: 512
      window: full_drain
      warmup: {requests: 0}
    absent: {slo: not_stated}
    ```
    """
    del registry
    load = record.load
    if MISSING in (load.scenario, load.pattern) or load.pattern in PATTERNS[str(load.scenario)]:
        return
    if load.scenario == "single_stream" and 1 in (load.concurrency, load.batch_size):
        return
    known = " or ".join(f"`{pattern}`" for pattern in PATTERNS[str(load.scenario)])
    yield Problem(
        ("load", "scenario"),
        f"the scenario is {load.scenario}, and the pattern {load.pattern}",
        f"its pattern is {known}; a scenario that the source does not name is left out",
        on_value=True,
    )
