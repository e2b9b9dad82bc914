"""What records point at: accelerators, models, engines, sources and metrics."""

from typing import Annotated

from pydantic import MISSING, Field

from benchreg.entities.base import (
    Commit,
    Count,
    Distinct,
    Entity,
    Id,
    Line,
    Positive,
    PositiveCount,
    Prose,
    Several,
    Url,
    Word,
    YearOrDate,
    block,
    optional,
    required,
    several,
)
from benchreg.entities.vocabulary import (
    AcceleratorKind,
    AttentionKind,
    BatchMeaning,
    Better,
    Counts,
    Phase,
    Quantity,
    Scope,
    SourceKind,
)


class Provenance(Entity):
    """Where numbers of a catalogue entry were read, and whether we could check them there."""

    fields: Distinct[Line] = required(
        "The fields that it vouches for, by their path.", ["memory_gib", "peak_tflop_s.fp8"]
    )
    source: Id = required("A source of the catalogue.", "nvidia-a100-datasheet")
    locator: Line | MISSING = optional("Where it stands there.", "page 2, specifications")
    checked: bool = required("True where we read the number there ourselves.", True)
    note: Prose | MISSING = optional("What a reader should know.", "dense, half of the sparse")


class Conflict(Entity):
    """A number that sources disagree on, kept beside the one in use."""

    field: Line = required("The field, by its path.", "memory_bandwidth_gb_s")
    value: Positive = required("The other number.", 7700)
    source: Id = required("Who says so.", "nvidia-b200-datasheet")
    note: Prose | MISSING = optional("Which one is used, and why.", "the driver reports 7.67")


class Peaks(Entity):
    """Dense peaks by number format, in TFLOP/s (integers: TOP/s); never sparse ones."""

    fp64: Positive | MISSING = optional("Dense FP64.", 34)
    fp32: Positive | MISSING = optional("Dense FP32.", 19.5)
    tf32: Positive | MISSING = optional("Dense TF32.", 156)
    fp16: Positive | MISSING = optional("Dense FP16.", 312)
    bf16: Positive | MISSING = optional("Dense BF16.", 312)
    fp8: Positive | MISSING = optional("Dense FP8.", 1979)
    fp6: Positive | MISSING = optional("Dense FP6.", 4500)
    fp4: Positive | MISSING = optional("Dense FP4.", 9000)
    int8: Positive | MISSING = optional("Dense INT8, TOP/s.", 624)
    int4: Positive | MISSING = optional("Dense INT4, TOP/s.", 1248)


class AllReduce(Entity):
    """A measured all-reduce of one group size."""

    group: Annotated[int, Field(ge=2, le=100_000)] = required("Accelerators in the group.", 8)
    gb_s: Positive | MISSING = optional("Bus bandwidth reached, GB/s.", 450)
    floor_us: Positive | MISSING = optional("Latency of the smallest message, us.", 3.4)


class Interconnect(Entity):
    """What joins one accelerator to its neighbours."""

    kind: Line = required("Its name.", "NVLink 4")
    gb_s_per_direction: Positive | MISSING = optional("Bandwidth one way, GB/s.", 450)
    joins: Annotated[int, Field(ge=2, le=100_000)] | MISSING = optional(
        "The most accelerators that it joins, as a bridge of a pair does; beyond them is PCIe.", 2
    )
    allreduce: Several[AllReduce] = several("Measured all-reduces.", [{"group": 8, "gb_s": 450}])


class Accelerator(Entity):
    """A part that models run on."""

    id: Id = required("Unique id, equal to the file's name.", "a100-sxm4-40gb")
    name: Line = required("Its full name.", "NVIDIA A100 SXM4 40GB")
    vendor: Line = required("Who makes it.", "NVIDIA")
    family: Id = required("What it is a variant of.", "a100")
    kind: AcceleratorKind = required("What it is.", "gpu")
    form_factor: Line | MISSING = optional("Its form.", "SXM4")
    memory_gib: Positive | MISSING = optional("Memory of one part, GiB.", 40)
    memory_bandwidth_gb_s: Positive | MISSING = optional("Memory bandwidth, GB/s.", 1555)
    peak_tflop_s: Peaks = block(Peaks, "Dense peaks by number format.", {"bf16": 312})
    interconnect: Interconnect | MISSING = optional(
        "What joins it to its neighbours.", {"kind": "NVLink 3", "gb_s_per_direction": 300}
    )
    pcie_gen: Annotated[int, Field(ge=1, le=9)] | MISSING = optional("PCIe generation.", 4)
    tdp_w: Positive | MISSING = optional("Thermal design power, W.", 400)
    released: YearOrDate | MISSING = optional("Year or date of release.", "2020")
    aliases: Distinct[Id] = several("Names used elsewhere.", ["a100-40-sxm"])
    provenance: Several[Provenance] = several(
        "Where the numbers were read.",
        [{"fields": ["memory_gib"], "source": "nvidia-a100-datasheet", "checked": True}],
    )
    conflicts: Several[Conflict] = several(
        "Numbers that sources disagree on.",
        [{"field": "tdp_w", "value": 300, "source": "nvidia-a100-datasheet"}],
    )
    note: Prose | MISSING = optional("What a reader should know.", "the HBM2 part")


class Attention(Entity):
    """The attention of a model, with the sizes that its kind has."""

    kind: AttentionKind = required("The kind.", "gqa")
    heads: PositiveCount | MISSING = optional("Query heads.", 64)
    kv_heads: PositiveCount | MISSING = optional("Key and value heads.", 8)
    kv_heads_total: PositiveCount | MISSING = optional(
        "Sum of the KV heads over all layers, where layers differ.", 67
    )
    head_dim: PositiveCount | MISSING = optional("Size of one head.", 128)
    kv_lora_rank: PositiveCount | MISSING = optional("Rank of the compressed KV (MLA).", 512)
    q_lora_rank: PositiveCount | MISSING = optional("Rank of the compressed query (MLA).", 1536)
    rope_head_dim: PositiveCount | MISSING = optional("Rotary part of a head (MLA).", 64)
    nope_head_dim: PositiveCount | MISSING = optional("Other part of a head (MLA).", 128)
    value_head_dim: PositiveCount | MISSING = optional("Size of a value head (MLA).", 128)
    sliding_window: PositiveCount | MISSING = optional("Window in tokens.", 4096)
    sliding_layers: PositiveCount | MISSING = optional("Layers that have the window.", 18)
    chunked: bool | MISSING = optional(
        "Whether the window is a chunk that begins anew, as in Llama 4.", True
    )


class Experts(Entity):
    """The experts of a mixture-of-experts model."""

    total: PositiveCount = required("Routed experts of one layer.", 8)
    active: PositiveCount = required("Routed experts that one token uses.", 2)
    shared: Count | MISSING = optional("Experts that every token uses.", 1)
    intermediate_size: PositiveCount | MISSING = optional("Hidden size of one expert.", 14336)
    shared_intermediate_size: PositiveCount | MISSING = optional("Of all shared ones.", 2048)
    first_dense_layers: Count | MISSING = optional("Dense layers before the first one.", 3)
    layer_step: PositiveCount | MISSING = optional("Every how many layers has experts.", 1)


class Model(Entity):
    """A language model, with the sizes that its cost follows from."""

    id: Id = required("Unique id, equal to the file's name.", "llama-3.1-8b-instruct")
    name: Line = required("Its full name.", "Llama 3.1 8B Instruct")
    vendor: Line | MISSING = optional("Who made it.", "Meta")
    family: Id = required("What it is a member of.", "llama-3.1")
    parameters_billion: Positive | MISSING = optional("Stated parameters, 1e9.", 8.03)
    active_parameters_billion: Positive | MISSING = optional("Of one token, 1e9.", 8.03)
    layers: PositiveCount | MISSING = optional("Transformer layers.", 32)
    hidden_size: PositiveCount | MISSING = optional("Width of the residual stream.", 4096)
    intermediate_size: PositiveCount | MISSING = optional("Hidden size of a dense MLP.", 14336)
    gated_mlp: bool | MISSING = optional("Whether the MLP has a gate (three matrices).", True)
    vocabulary_size: PositiveCount | MISSING = optional("Tokens of the vocabulary.", 128256)
    tied_embeddings: bool | MISSING = optional("Whether input and output share.", False)
    attention: Attention | MISSING = optional(
        "The attention.", {"kind": "gqa", "heads": 32, "kv_heads": 8, "head_dim": 128}
    )
    experts: Experts | MISSING = optional("The experts.", {"total": 8, "active": 2})
    context_limit: PositiveCount | MISSING = optional("Longest context in tokens.", 131072)
    license: Line | MISSING = optional("Its licence.", "Apache-2.0")
    url: Url | MISSING = optional("Its page.", "https://huggingface.co/mosaicml/mpt-7b")
    aliases: Distinct[Id] = several("Names used elsewhere.", ["llama2-70b"])
    provenance: Several[Provenance] = several(
        "Where the numbers were read.",
        [{"fields": ["layers"], "source": "mpt-7b-config", "checked": True}],
    )
    note: Prose | MISSING = optional("What a reader should know.", "the base model")


class Engine(Entity):
    """A serving engine."""

    id: Id = required("Unique id, equal to the file's name.", "vllm")
    name: Line = required("Its name.", "vLLM")
    vendor: Line | MISSING = optional("Who makes it.", "vLLM project")
    aliases: Distinct[Id] = several("Names used elsewhere.", ["trt-llm"])
    version_scheme: Line | MISSING = optional("How its versions read.", "semver")
    batch_size_is: BatchMeaning | MISSING = optional(
        "What its own figures call a batch size, where it is not a number of requests.",
        "prompt_tokens",
    )
    least_weight_bits: Positive | MISSING = optional(
        "Bits of the smallest weights that it runs, where these are under 4.", 1.5625
    )
    license: Line | MISSING = optional("Its licence.", "Apache-2.0")
    url: Url | MISSING = optional("Its page.", "https://github.com/vllm-project/vllm")
    note: Prose | MISSING = optional("What a reader should know.", "no longer developed")


class Source(Entity):
    """Where figures or catalogue numbers come from."""

    id: Id = required("Unique id, equal to the file's name.", "mlperf-inference-v5.1")
    title: Line = required("Its title.", "MLPerf Inference v5.1 results")
    kind: SourceKind = required("What it is.", "result_repository")
    publisher: Line = required("Who published it.", "MLCommons")
    url: Url | MISSING = optional("Its address.", "https://mlcommons.org/")
    published: YearOrDate | MISSING = optional("When.", "2025-09-09")
    commit: Commit | MISSING = optional("The commit that was read.", "965182b0")
    license: Line | MISSING = optional("Its licence.", "Apache-2.0")
    attribution: Prose | MISSING = optional("What records must say.", "MLPerf is a trademark.")
    note: Prose | MISSING = optional("What a reader should know.", "read through a fork")


class Alias(Entity):
    """A name that a tool gives to a metric; the same name may mean another one elsewhere."""

    name: Line = required("The name as the tool writes it.", "inter_token_latency")
    tool: Line = required("The tool.", "genai-perf")


class Metric(Entity):
    """What a figure measures."""

    id: Word = required("Unique id, equal to the file's name.", "output_throughput")
    name: Line = required("Its name in a sentence.", "output throughput")
    unit: Line = required("The unit that figures are shown in.", "tok/s")
    other_units: Distinct[Line] = several("Other units that a figure may have.", ["s"])
    counts: Counts = required("What the numerator counts.", "output_token")
    quantity: Quantity = required("What kind of quantity it is.", "rate")
    phase: Phase = required("Which part of a request it covers.", "request")
    scopes: Distinct[Scope] = required("The scopes that make sense.", ["system"])
    better: Better = required("Which way is better.", "higher")
    definition: Prose = required("What it is, exactly.", "output tokens over the window")
    aliases: Several[Alias] = several(
        "Names by tool.", [{"name": "inter_token_latency", "tool": "genai-perf"}]
    )
    not_the_same_as: Distinct[Word] = several("Metrics it is taken for.", ["itl"])

    @property
    def counts_tokens(self) -> bool:
        """Whether it is about tokens of any kind."""
        return self.counts in ("output_token", "input_token", "any_token")
