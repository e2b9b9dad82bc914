"""The closed vocabularies of a record: words, conditions, and the reasons of an absence."""

from typing import Literal

Kind = Literal["measurement", "estimate", "example"]
Status = Literal["active", "disputed", "superseded", "withdrawn"]
Outcome = Literal["out_of_memory", "failed", "limit_not_met"]
Scope = Literal["system", "per_accelerator", "per_replica", "per_request"]
Statistic = Literal[
    "mean",
    "p1",
    "p5",
    "p10",
    "p25",
    "p50",
    "p75",
    "p90",
    "p95",
    "p99",
    "p99.9",
    "min",
    "max",
    "peak",
]
Percentile = Literal["p50", "p75", "p90", "p95", "p99", "p99.9"]
LoadPattern = Literal[
    "static_batch",
    "closed_loop",
    "open_loop",
    "all_at_once",
    "single_stream",
    "trace_replay",
]
Scenario = Literal["offline", "server", "interactive", "single_stream", "multi_stream"]
Window = Literal["full_drain", "last_issued", "steady_state", "time_limit", "phase_only"]
LengthBasis = Literal["requested", "measured"]
Distribution = Literal[
    "fixed", "uniform", "normal", "lognormal", "exponential", "zipf", "dataset", "trace"
]
OutputPolicy = Literal["forced", "natural", "capped"]
ArrivalProcess = Literal["poisson", "constant", "gamma", "uniform", "burst", "trace"]
MeasurementPoint = Literal["in_process", "server", "client_same_host", "client_remote"]
LatencyOrigin = Literal["scheduled", "dispatched", "received"]
FirstToken = Literal["any", "answer"]
TokenCountSource = Literal["server", "client_tokenizer", "requested"]
Acceptance = Literal["measured", "synthetic"]
PoolRole = Literal["prefill", "decode"]
Over = Literal["all", "prefill", "decode"]
Metered = Literal["accelerators", "node", "wall"]
HostOffload = Literal["none", "weights", "kv_cache", "weights_and_kv_cache"]
Division = Literal["closed", "open", "network"]
Availability = Literal["available", "preview", "rdi"]
NumberFormat = Literal[
    "fp32",
    "tf32",
    "bf16",
    "fp16",
    "fp8",
    "fp8_e4m3",
    "fp8_e5m2",
    "mxfp8",
    "int8",
    "fp6",
    "mxfp6",
    "fp4",
    "nvfp4",
    "mxfp4",
    "int4",
    "int4_awq",
    "int4_gptq",
    "gguf_bf16",
    "gguf_f16",
    "gguf_f32",
    "gguf_iq1_s",
    "gguf_iq2_xs",
    "gguf_iq3_s",
    "gguf_iq4_nl",
    "gguf_iq4_xs",
    "gguf_q2_k",
    "gguf_q3_k_l",
    "gguf_q3_k_m",
    "gguf_q3_k_s",
    "gguf_q4_0",
    "gguf_q4_1",
    "gguf_q4_k_m",
    "gguf_q4_k_s",
    "gguf_q5_0",
    "gguf_q5_1",
    "gguf_q5_k_m",
    "gguf_q5_k_s",
    "gguf_q6_k",
    "gguf_q8_0",
]

AbsenceReason = Literal[
    "not_stated",
    "unrecoverable",
    "withheld",
    "conflicting",
    "not_applicable",
    "not_checked",
]

CoreCondition = Literal[
    "model",
    "hardware",
    "load",
    "workload.input_tokens",
    "workload.output_tokens",
    "engine.version",
    "load.warmup",
    "load.scenario",
]
OtherCondition = Literal[
    "engine",
    "precision",
    "precision.weights",
    "precision.activations",
    "precision.kv_cache",
    "parallelism",
    "load.requests",
    "load.failed",
    "load.arrival",
    "load.window",
    "workload.output_policy",
    "workload.dataset",
    "workload.prefix_cache",
    "workload.speculative",
    "measurement",
    "measurement.runs",
    "measurement.point",
    "measurement.latency_origin",
    "slo",
    "accuracy",
]
Condition = Literal[CoreCondition, OtherCondition]
InferredOnly = Literal["hardware.could_be", "load.pattern", "model.id", "engine.id"]
FigureAbsence = Literal["statistic", "scope", "seen_by_request", "window"]
FigureInference = Literal["metric", "scope", "statistic", "unit", "value"]

EntityKind = Literal["record", "accelerator", "model", "engine", "source", "metric"]
AcceleratorKind = Literal["gpu", "npu", "apu", "cpu"]
AttentionKind = Literal["mha", "gqa", "mqa", "mla"]
SourceKind = Literal["paper", "blog", "vendor_docs", "result_repository", "repository", "own_run"]
Counts = Literal["output_token", "input_token", "any_token", "request", "none"]
Quantity = Literal["rate", "latency", "ratio", "energy", "power", "cost", "memory"]
BatchMeaning = Literal["requests", "prompt_tokens"]
Better = Literal["higher", "lower"]
Phase = Literal["request", "prefill", "decode"]
