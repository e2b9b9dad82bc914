"""A LoadGen log of any size -> a small tree: the first value of each key that is read."""

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

from benchreg.importers.statement import RunError

MARK = b":::MLLOG"
MOST_LOG = 4 * 1024**3
MOST_LINE = 1024 * 1024
LATENCIES = (
    "result_first_token_{}_latency_ns",
    "result_time_to_output_token_{}",
    "result_{}_latency_ns",
)
PERCENTILES = (
    "result_first_token_{}_percentile_latency_ns",
    "result_time_per_output_token_{}_percentile_ns",
    "result_{}_percentile_latency_ns",
)
EXTREMES = {word: word for word in ("mean", "min", "max")}
LEVELS = {"50.00": "p50", "90.00": "p90", "95.00": "p95", "99.00": "p99", "99.90": "p99.9"}
KEYS = frozenset((
    *("loadgen_version", "test_datetime", "power_begin", "power_end", "num_errors"),
    *("requested_scenario", "requested_test_mode", "effective_scenario", "effective_test_mode"),
    *("requested_server_target_qps", "effective_target_qps", "requested_use_token_latencies"),
    *("requested_server_ttft_latency", "requested_server_tpot_latency"),
    *("requested_server_target_latency_ns", "requested_server_target_latency_percentile"),
    *("effective_performance_sample_count", "generated_samples_per_query", "result_query_count"),
    *("result_validity", "result_perf_constraints_met", "result_min_duration_met"),
    *("result_min_queries_met", "early_stopping_met"),
    *("result_samples_per_second", "result_completed_samples_per_sec"),
    *("result_scheduled_samples_per_sec", "result_qps_with_loadgen_overhead"),
    *("result_tokens_per_second", "result_inferred_tokens_per_second"),
    *("result_completed_tokens_per_second", "result_inferred_completed_tokens_per_second"),
    "result_token_throughput_with_loadgen_overhead",
    *(pattern.format(word) for pattern in LATENCIES for word in EXTREMES),
    *(pattern.format(level) for pattern in PERCENTILES for level in LEVELS),
))  # fmt: skip
_KEY = re.compile(rb':::MLLOG[ \t]*\{[ \t]*"key"[ \t]*:[ \t]*"([A-Za-z0-9_.]{1,80})"')
_ERROR = re.compile(rb'"is_error"[ \t]*:[ \t]*true')


def logged(path: Path) -> dict[str, Any]:
    """Return the values of a log, each key's first; `is_error` counts the events that are one.

    Only keys of a fixed list are read, so that no name of a machine and no message comes along.
    Raises RunError for a log that is too large and for a line of such a key that is no event.
    """
    if path.stat().st_size > MOST_LOG:
        raise RunError(f"is a log of over {MOST_LOG // 1024**3} GiB")
    found: dict[str, Any] = {"is_error": 0}
    number, whole = 0, True
    with path.open("rb") as file:
        while line := file.readline(MOST_LINE):
            number += whole
            found["is_error"] += bool(_ERROR.search(line))
            key = _KEY.match(line) if whole else None
            whole = line.endswith(b"\n")
            if key and (name := key[1].decode()) in KEYS and name not in found:
                found[name] = _value(line, number)
    return found


def _value(line: bytes, number: int) -> Any:
    """Return the value of the event that a line is."""
    try:
        text = line.removeprefix(MARK).decode()
        event = json.loads(text, parse_float=Decimal, parse_constant=Decimal)
    except (ValueError, ArithmeticError, RecursionError):
        raise RunError(f"line {number} is no event of LoadGen") from None
    value = event.get("value")
    return value[:4096] if isinstance(value, str) else value
