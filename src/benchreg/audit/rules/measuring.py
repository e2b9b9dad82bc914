"""MET, seventh part: a figure could be had in the way in which it was measured."""

from collections.abc import Iterator

from pydantic import MISSING

from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry

ONE_PHASE = "phase_only"


@rule("MET018", Severity.ERROR, over=Record, needs=("metrics",))
def window_of_a_phase(record: Record, registry: Registry) -> Iterator[Problem]:
    """A figure of whole requests is counted over a window of one phase.

    A window that holds decoding alone leaves out the time in which prompts were read: tokens over
    it are the rate of a phase, which no client sees. Called a throughput, they stand in a ranking
    above every system that was measured from the first request to the last.

    Bad:

    ```yaml
    results:
      rate:
        metric: request_throughput
        scope: system
        value: 12.5
        unit: req/s
        window: phase_only
    ```

    Good:

    ```yaml
    results:
      rate:
        metric: prefill_throughput
        scope: system
        value: 6400
        unit: tok/s
        window: phase_only
    ```
    """
    whole = record.load.window
    for name, figure in record.results.items():
        window = whole if figure.window is MISSING else figure.window
        if window != ONE_PHASE:
            continue
        metric = registry.metrics[figure.metric]
        if metric.phase == "request" and metric.quantity in ("rate", "latency"):
            yield Problem(
                ("results", name),
                f"{metric.id} is of whole requests, and the window of one phase",
                "name the metric of that phase, such as decode_throughput, or another window",
                also=(ONE_PHASE,),
            )


CLIENTS = ("client_same_host", "client_remote")


@rule("MET019", Severity.ERROR, over=Record, needs=("metrics",))
def token_unseen(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """A client that does not stream knows when a token came.

    Without streaming a client sees the whole answer at once: it has an end-to-end latency, and no
    time to the first token or between two. Such a figure was taken from the server, which is
    another `point`, or computed from the whole, which is a derivation of another metric.

    Bad:

    ```yaml
    measurement:
      harness: example bench
      runs: 3
      point: client_remote
      streaming: false
    results:
      first: {metric: ttft, scope: per_request, statistic: mean, value: 95, unit: ms}
    ```

    Good:

    ```yaml
    measurement:
      harness: example bench
      runs: 3
      point: server
      streaming: false
    results:
      first: {metric: ttft, scope: per_request, statistic: mean, value: 95, unit: ms}
    ```
    """
    measurement = record.measurement
    if measurement.streaming is not False or measurement.point in ("server", "in_process"):
        return
    for name, figure in record.results.items():
        metric = registry.metrics[figure.metric]
        if metric.phase == "request" or metric.scopes != ("per_request",):
            continue
        at = ("results", name)
        if measurement.point in CLIENTS:
            hint = "correct `streaming`, or say at which `point` the server told it"
            message = f"{metric.id} cannot be seen by a client that does not stream"
            yield Problem(at, message, hint, also=(str(measurement.point),))
        else:
            yield NotEvaluated(at, "whether a client or the server measured is not known")
