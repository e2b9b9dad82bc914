"""The blocks of a record that say what was run: model, hardware, engine, workload and load."""

from math import prod
from typing import Annotated

from pydantic import MISSING, Field

from benchreg.entities.base import (
    Amount,
    Count,
    DateOrRange,
    Distinct,
    Entity,
    Id,
    Line,
    Named,
    Positive,
    PositiveCount,
    Prose,
    Several,
    Share,
    Word,
    block,
    named,
    optional,
    required,
    several,
)
from benchreg.entities.vocabulary import (
    Acceptance,
    ArrivalProcess,
    Distribution,
    FirstToken,
    HostOffload,
    LatencyOrigin,
    LengthBasis,
    LoadPattern,
    MeasurementPoint,
    NumberFormat,
    OutputPolicy,
    Percentile,
    PoolRole,
    Scenario,
    TokenCountSource,
    Window,
)

Factor = Annotated[int, Field(ge=1, le=100_000)]


class ModelChoice(Entity):
    """Which model was served."""

    id: Id | MISSING = optional("A model of the catalogue.", "mpt-7b")
    described_as: Line | MISSING = optional(
        "The source's own words, where no catalogue entry is meant for certain.", "Llama2-70B"
    )
    revision: Line | MISSING = optional("The revision or commit of the weights.", "main")
    tokenizer: Line | MISSING = optional(
        "The tokenizer, where it is not the model's own.", "cl100k"
    )


class Parallelism(Entity):
    """How a pool splits the model: all but `expert` are factors of the pool's count."""

    tensor: Factor | MISSING = optional("Tensor parallelism.", 8)
    pipeline: Factor | MISSING = optional("Pipeline parallelism.", 1)
    context: Factor | MISSING = optional("Context (sequence) parallelism.", 1)
    attention_data: Factor | MISSING = optional("Data parallelism of the attention layers.", 4)
    replicas: Factor | MISSING = optional("Independent copies of the model.", 1)
    expert: Factor | MISSING = optional("Expert parallelism; overlays the others.", 4)

    @property
    def accelerators(self) -> int:
        """How many accelerators the stated ways come to; one that is not stated counts as 1."""
        ways = (self.tensor, self.pipeline, self.context, self.attention_data, self.replicas)
        return prod(way for way in ways if way is not MISSING)


class Pool(Entity):
    """A set of equal parts that do the same work."""

    accelerator: Id | MISSING = optional("The part, by catalogue id.", "h100-sxm5-80gb")
    described_as: Line | MISSING = optional("The source's own words for the part.", "1 x A100")
    could_be: Distinct[Id] = several(
        "Catalogue ids that the words could mean; the reason stands under `inferred`.",
        ["a100-sxm4-40gb", "a100-pcie-40gb"],
    )
    count: Factor = required("Accelerators in the pool, all nodes together.", 8)
    nodes: Factor | MISSING = optional("Nodes that the pool spans.", 1)
    role: PoolRole | MISSING = optional("What a disaggregated pool does; left out: all.", "decode")
    parallelism: Parallelism = block(Parallelism, "How the pool splits the model.", {"tensor": 8})
    power_limit_w: Positive | MISSING = optional("Power limit of one accelerator, in W.", 700)


class Hardware(Entity):
    """What the model ran on."""

    pools: Several[Pool] = several(
        "The pools of equal parts; most records have one.",
        [{"accelerator": "h100-sxm5-80gb", "count": 8}],
    )
    nodes: Factor | MISSING = optional("Nodes of the whole system.", 1)
    interconnect: Line | MISSING = optional("What joins the accelerators.", "NVLink 4")
    host: Line | MISSING = optional("Host processors and memory.", "2 x AMD EPYC 9374F")
    driver: Line | MISSING = optional("The driver's version.", "570.00")


class Service(Entity):
    """The hosted endpoint that was measured."""

    provider: Line = required("Who runs the endpoint.", "Example Cloud")
    endpoint: Line | MISSING = optional("The endpoint or deployment.", "chat-completions")
    region: Line | MISSING = optional("Where it runs.", "eu-west-1")
    tier: Line | MISSING = optional("The service tier.", "standard")


class EngineChoice(Entity):
    """Which serving engine ran the model, and which build of it."""

    id: Id | MISSING = optional("An engine of the catalogue.", "vllm")
    described_as: Line | MISSING = optional("The source's own words.", "in-house server")
    version: Line | MISSING = optional("The version, always in quotes.", "0.11.0")
    commit: Line | MISSING = optional("The commit of the build.", "a1b2c3d")
    image: Line | MISSING = optional("The container image, best with its digest.", "vllm:0.11.0")
    stack: Line | MISSING = optional(
        "What else is named and is no engine version.", "TensorRT 10.2, CUDA 12.4"
    )
    flags: Prose | MISSING = optional("The engine's flags.", "--max-num-seqs 64")
    host_offload: HostOffload | MISSING = optional("What lies in host memory.", "none")


class Precision(Entity):
    """The number formats in use."""

    weights: NumberFormat | MISSING = optional("Format of the weights.", "bf16")
    activations: NumberFormat | MISSING = optional("Format of the activations.", "bf16")
    kv_cache: NumberFormat | MISSING = optional("Format of the KV cache.", "fp8")
    parts: Named[Word, NumberFormat] = named(
        "Formats by part, where the checkpoint mixes.", {"experts": "mxfp4", "attention": "bf16"}
    )
    weights_bytes: PositiveCount | MISSING = optional(
        "Size of all weights in bytes, where stated; it wins over the label.", 13300000000
    )


class PrefixCache(Entity):
    """Whether prompts could reuse a cached prefix."""

    enabled: bool | MISSING = optional("Whether the cache was on.", False)
    hit_ratio: Share | MISSING = optional("Share of prompt tokens found in it, 0 to 1.", 0.25)


class Speculative(Entity):
    """Speculative decoding; `method: none` says that there was none."""

    method: Word | MISSING = optional("The method.", "none", "eagle3")
    draft_model: Line | MISSING = optional("The draft model.", "llama-3.2-1b")
    draft_tokens: Count | MISSING = optional("Draft tokens per step.", 3)
    acceptance_length: Positive | MISSING = optional(
        "Tokens per target step, the bonus token included.", 2.4
    )
    acceptance: Acceptance | MISSING = optional(
        "Whether acceptance was measured on real text or set.", "measured"
    )


class Workload(Entity):
    """What each request asks for."""

    input_tokens: Amount | MISSING = optional("Mean prompt length in tokens.", 512)
    output_tokens: Amount | MISSING = optional("Mean output length in tokens.", 64)
    length_basis: LengthBasis | MISSING = optional(
        "Whether the lengths were requested or measured.", "measured"
    )
    total_input_tokens: Count | MISSING = optional("Prompt tokens of the whole run.", 655360)
    total_output_tokens: Count | MISSING = optional("Output tokens of the whole run.", 81920)
    context_tokens: Amount | MISSING = optional("Tokens already in the KV cache.", 4096)
    distribution: Distribution | MISSING = optional("How lengths vary.", "fixed")
    output_policy: OutputPolicy | MISSING = optional(
        "Whether outputs were forced to their length, natural, or capped.", "forced"
    )
    dataset: Line | MISSING = optional("Where the prompts come from.", "random", "OpenOrca")
    prefix_cache: PrefixCache = block(PrefixCache, "The prefix cache.", {"enabled": False})
    speculative: Speculative = block(Speculative, "Speculative decoding.", {"method": "none"})


class Arrival(Entity):
    """How the requests of an open loop arrive."""

    process: ArrivalProcess | MISSING = optional("The arrival process.", "poisson")
    burstiness: Positive | MISSING = optional("Shape of a gamma process; 1 is Poisson.", 1)


class Warmup(Entity):
    """What ran before the clock."""

    requests: Count | MISSING = optional("Requests of the warm-up; 0 says there was none.", 64)
    seconds: Amount | MISSING = optional("Length of the warm-up in seconds.", 60)
    excluded: bool | MISSING = optional("Whether its requests are left out of the figures.", True)


class Load(Entity):
    """How many requests, how they come, and over which window they are counted."""

    pattern: LoadPattern | MISSING = optional("How requests come.", "closed_loop")
    batch_size: PositiveCount | MISSING = optional("Requests of one static batch.", 64)
    concurrency: PositiveCount | MISSING = optional("Requests in flight, held by the client.", 32)
    request_rate: Positive | MISSING = optional("The configured rate in req/s.", 12.5)
    arrival: Arrival = block(Arrival, "How requests arrive.", {"process": "poisson"})
    max_in_flight: PositiveCount | MISSING = optional("A cap on an open loop.", 256)
    resident: bool | MISSING = optional(
        "True where the source says that all these requests were in memory at once.", True
    )
    scenario: Scenario | MISSING = optional(
        "The MLPerf scenario, if the source names it.", "server"
    )
    warmup: Warmup = block(Warmup, "What ran before the clock.", {"requests": 64, "excluded": True})
    requests: Count | MISSING = optional("Requests issued in one run.", 1280)
    completed: Count | MISSING = optional("Requests that completed.", 1280)
    failed: Count | MISSING = optional("Requests that failed.", 0)
    duration_s: Positive | MISSING = optional("Length of the measured window in s.", 102.65)
    window: Window | MISSING = optional("Over what the rates are counted.", "full_drain")


class Measurement(Entity):
    """Who measured, when, where and how often."""

    harness: Line | MISSING = optional("The program that measured.", "vllm bench serve")
    harness_version: Line | MISSING = optional("Its version, in quotes.", "0.11.0")
    measured: DateOrRange | MISSING = optional("The date, or two with a slash.", "2026-11-01")
    runs: PositiveCount | MISSING = optional("How many runs stand behind the figures.", 3)
    point: MeasurementPoint | MISSING = optional("Where the clock stood.", "client_same_host")
    latency_origin: LatencyOrigin | MISSING = optional("When a latency starts.", "dispatched")
    first_token: FirstToken | MISSING = optional("Which token ends the TTFT.", "any")
    token_count_source: TokenCountSource | MISSING = optional("Who counted tokens.", "server")
    streaming: bool | MISSING = optional("Whether tokens were streamed.", True)


class Slo(Entity):
    """The latency limits of a service level objective."""

    ttft_ms: Positive | MISSING = optional("Limit on the time to first token, ms.", 450)
    tpot_ms: Positive | MISSING = optional("Limit on the time per output token, ms.", 40)
    e2e_ms: Positive | MISSING = optional("Limit on the end-to-end latency, ms.", 10000)
    percentile: Percentile | MISSING = optional(
        "The percentile that the run must keep; left out: each request is judged.", "p99"
    )


class Accuracy(Entity):
    """One accuracy that was evaluated for the run."""

    eval: Line = required("The evaluation.", "ROUGE1")
    value: Amount | MISSING = optional("What was reached.", 44.5321)
    target: Amount | MISSING = optional("What was asked for.", 44.3868)
    n: Count | MISSING = optional("Samples.", 24576)
    on_served_stack: bool | MISSING = optional("Whether the served stack was evaluated.", True)
