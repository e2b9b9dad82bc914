"""Figures of some requests among unlike ones: the lengths of a record are not theirs.

A record states mean lengths. The quickest half of its requests may be the short ones, and what one
of them takes is bounded by no mean; so such a figure is held against requests of any length. The
mean and the slow end of a latency are not: a cost that grows at least as fast as the length is, on
the mean, no less than that of the mean.
"""

from pydantic import MISSING

from benchreg.entities.figure import Figure
from benchreg.entities.record import Record

QUICK = ("min", "p1", "p5", "p10", "p25", "p50", "p75")
QUICK_RATES = ("p25", "p50", "p75", "p90", "p95", "p99", "p99.9", "max")
RATES = ("output_rate_per_request", "decode_rate_per_request", "prefill_rate_per_request")
LATENCIES = ("ttft", "tpot", "e2e_latency", "latency_per_output_token")


def of_some(figure: Figure) -> bool:
    """Tell whether a figure is of requests that may be quicker than the mean one."""
    if figure.metric in RATES:
        return figure.statistic in QUICK_RATES
    return figure.metric in LATENCIES and figure.statistic in QUICK


def is_alike(record: Record) -> bool:
    """Tell whether all requests of a record are known to take as much as the mean one."""
    workload = record.workload
    drafted = workload.speculative.method is not MISSING and workload.speculative.method != "none"
    return workload.distribution == "fixed" and not drafted


def of_any_length(record: Record) -> Record:
    """Return a record without the means of its requests: lengths, and how many drafts they take."""
    workload = record.workload
    lengths = dict.fromkeys(("input_tokens", "output_tokens", "context_tokens"), MISSING)
    speculative = workload.speculative.model_copy(update={"acceptance_length": MISSING})
    return record.model_copy(
        update={"workload": workload.model_copy(update=lengths | {"speculative": speculative})}
    )
