"""optimum-benchmark: `benchmark.json`, and the files beside it that do not suffice."""

import re
from collections.abc import Iterator
from decimal import Context, Decimal
from typing import Any, ClassVar

from pydantic import AliasChoices, Field

from benchreg.importers.batches import static_batch, warmups
from benchreg.importers.foreign import Foreign, Measured, Said, Text, Whole
from benchreg.importers.images import image
from benchreg.importers.importer import importer
from benchreg.importers.opened import Opened, Piece, rows
from benchreg.importers.parts import one_cpu, pools
from benchreg.importers.statement import RunError, Statement
from benchreg.values.text import shown

_VERSION = re.compile(r"[0-9A-Za-z][\w.+-]{0,40}", re.ASCII)
_DIGITS = Context(prec=12)
FORMATS = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32"}
ON_GPU = ("cuda", "rocm")
TOKENS = "tokens/s"
IN_PROCESS = (
    *("pytorch", "onnxruntime", "openvino", "ipex", "neural-compressor", "torch-ort"),
    *("vllm", "tensorrt-llm", "llama_cpp", "llama-cpp"),
)
CLIENTS = ("py-txi", "llm-swarm")
STACK = ("transformers", "accelerate", "optimum", "peft")
DERIVED = "decode latency of the batch over its new tokens but the first"


class Timed(Foreign):
    """A latency: its statistics over the iterations of the run."""

    unit: Text
    count: Whole | None = None
    mean: Measured = None


class Throughput(Foreign):
    """A throughput, which follows from the mean latency."""

    unit: Text
    value: Measured


class Phase(Foreign):
    """What was measured of one phase."""

    latency: Timed | None = None
    throughput: Throughput | None = None


class Loaded(Foreign):
    """How long the model took to load."""

    latency: Timed


class Report(Foreign):
    """The phases of a run that generates text."""

    prefill: Phase | None = None
    decode: Phase | None = None
    per_token: Phase | None = None


class Backend(Foreign):
    """What ran the model; `dtype` was `torch_dtype` before."""

    name: Text
    version: Said = None
    task: Said = None
    model: Text
    device: Said = None
    device_ids: Any = None
    dtype: Said = Field(default=None, validation_alias=AliasChoices("dtype", "torch_dtype"))
    quantization: Any = Field(
        default=None,
        validation_alias=AliasChoices("quantization_scheme", "quantization", "quantize"),
    )
    image: Said = None


class Shapes(Foreign):
    """The shapes of the inputs."""

    batch_size: Whole
    sequence_length: Whole | None = None


class Generation(Foreign):
    """How much each sequence generates."""

    max_new_tokens: Whole | None = None
    min_new_tokens: Whole | None = None
    num_beams: Whole = 1


class Scenario(Foreign):
    """What was asked for; `new_tokens` is the older name of both limits."""

    warmup_runs: Whole | None = None
    input_shapes: Shapes
    new_tokens: Whole | None = None
    generate_kwargs: Generation | None = None


class Environment(Foreign):
    """The machine, and versions of what is installed there."""

    cpu: Said = None
    gpu: Any = None
    gpu_count: Whole | None = None
    optimum_benchmark_version: Said = None


class Config(Foreign):
    """The conditions of a run; the scenario was called benchmark before."""

    backend: Backend
    scenario: Scenario = Field(validation_alias=AliasChoices("scenario", "benchmark"))
    environment: Environment = Environment()


class Run(Foreign):
    """The whole of `benchmark.json`."""

    config: Config
    report: Report


class Alone(Foreign):
    """The report without its conditions: `benchmark_report.json`."""

    load: Loaded = Field(validation_alias=AliasChoices("load", "load_model"))

    without: ClassVar[frozenset[str]] = frozenset(("config", "report"))


class Results(Foreign):
    """One row of `inference_results.csv`, before 0.1."""

    latency: Text = Field(alias="forward.latency(s)")


NEVER = {
    "hardware": "the device that ran the model is not among the parts that the file names",
    "engine.version": "the file has the version of a client of the engine, not the engine's",
    "precision": "the file names no dtype, or a quantisation",
    "parallelism": "optimum-benchmark does not write how the model was split",
    "workload.input_tokens": "the file names no sequence length",
    "workload.output_tokens": "the file does not say how many tokens each sequence generated",
    "workload.output_policy": "the file has no lower limit of new tokens",
    "workload.prefix_cache": "optimum-benchmark does not write of a prefix cache",
    "workload.speculative": "optimum-benchmark does not write of speculation",
    "measurement.point": "the backend may run in the process or be served from a container",
    "load.warmup": "the file has no warmup_runs",
    "load.failed": "optimum-benchmark ends when a run fails, and writes no count",
}
SAVE = "optimum-benchmark --config-name ...  # import the benchmark.json that it leaves"


@importer("optimum-benchmark", harness="optimum-benchmark", shape=Run, save=SAVE, never=NEVER)
def optimum_benchmark(run: Run, file: Opened) -> Iterator[Statement]:
    """Static batches of equal sequences, repeated for some iterations, without a server.

    `decode` throughput is of the whole batch and leaves out the first token. `prefill` throughput
    is read only where its unit is tokens/s: newer versions count samples there. The latency of a
    prefill is that of a batch, and no time to first token. Time per output token is not written:
    it is derived, decode latency over the new tokens but one.
    """
    del file
    config, scenario = run.config, run.config.scenario
    found = Statement()
    _figures(found, run.report, scenario)
    found.state("model.described_as", config.backend.model)
    batch = scenario.input_shapes.batch_size
    latency = run.report.decode.latency if run.report.decode else None
    static_batch(found, batch, runs=latency.count if latency else None)
    warmups(found, scenario.warmup_runs, batch)
    _engine(found, config)
    _hardware(found, config)
    _workload(found, scenario)
    yield found


@importer("optimum-benchmark-report", harness="optimum-benchmark", shape=Alone, save=SAVE, never={})
def optimum_report(run: Alone, file: Opened) -> Iterator[Statement]:
    """Not imported: the conditions of this report are in `benchmark.json` beside it."""
    del run, file
    raise RunError("holds no conditions at all; import the benchmark.json that lies beside it")


def results(file: Opened) -> list[Piece]:
    """Return the rows of `inference_results.csv`."""
    return [
        piece
        for table in file.tables()
        if "forward.latency(s)" in table[0]
        for piece in rows(table)
    ]


@importer(
    "optimum-benchmark-csv",
    harness="optimum-benchmark",
    shape=Results,
    save=SAVE,
    never={},
    sheet=results,
)
def optimum_csv(run: Results, file: Opened) -> Iterator[Statement]:
    """Not imported: only the folder's name has the conditions of this table, of before 0.1."""
    del run, file
    raise RunError(
        "has its conditions in the name of its folder only, which is no statement; run a version "
        "that writes benchmark.json, or write the record by hand"
    )


def _figures(found: Statement, report: Report, scenario: Scenario) -> None:
    """State the speeds of the batch and what one sequence sees; raises RunError without any."""
    whole = report.decode.throughput if report.decode else None
    if whole is None or whole.value is None or whole.value <= 0:
        raise RunError("measured no decoding: only a run that generates text makes a record")
    if whole.unit != TOKENS:
        raise RunError(f"counts its decoding in {shown(whole.unit, 40)!r}, not in {TOKENS}")
    if scenario.generate_kwargs and scenario.generate_kwargs.num_beams > 1:
        raise RunError("searched with several beams, and counts the tokens of all of them")
    found.figure("decode_rate", "decode_throughput", whole.value, "tok/s",
                 at="/report/decode/throughput/value", window="phase_only")  # fmt: skip
    prompts = report.prefill.throughput if report.prefill else None
    if prompts is not None and prompts.unit == TOKENS:
        found.figure("prefill_rate", "prefill_throughput", prompts.value, "tok/s",
                     at="/report/prefill/throughput/value", window="phase_only")  # fmt: skip
    _per_token(found, report, scenario)


def _per_token(found: Statement, report: Report, scenario: Scenario) -> None:
    gaps = report.per_token.latency if report.per_token else None
    if gaps is not None and gaps.unit == "s":
        values = gaps.statistics(at="/report/per_token/latency")
        found.statistics("itl", "itl", "s", values)
    decode = report.decode.latency if report.decode else None
    new = _new_tokens(scenario) or 0
    if decode is not None and decode.mean and decode.unit == "s" and new > 1:
        each = _DIGITS.divide(decode.mean, Decimal(new - 1)).normalize()
        found.figure("tpot_mean", "tpot", each, "s", scope="per_request", statistic="mean",
                     at="/report/decode/latency/mean", inferred={"value": DERIVED})  # fmt: skip


def _engine(found: Statement, config: Config) -> None:
    """State what ran the model: the backend, and what else is installed there."""
    backend = config.backend
    found.state("engine.described_as", backend.name)
    own = _version(backend.version)
    stack = [f"{backend.name} {own}"] if own and backend.name in CLIENTS else []
    if backend.name not in CLIENTS:
        found.state("engine.version", own)
    installed = config.environment.model_extra or {}
    versions = ((name, _version(installed.get(f"{name}_version"))) for name in STACK)
    stack += [f"{name} {version}" for name, version in versions if version]
    found.block("engine", image=image(backend.image), stack=", ".join(stack) or None)
    found.state("measurement.harness_version", config.environment.optimum_benchmark_version)
    if backend.name in IN_PROCESS:
        found.state("measurement.point", "in_process")
    form = FORMATS.get(backend.dtype or "")
    if form is not None and not backend.quantization:
        found.block("precision", weights=form, activations=form)


def _version(value: Any) -> str | None:
    return value if isinstance(value, str) and _VERSION.fullmatch(value) else None


def _hardware(found: Statement, config: Config) -> None:
    """State the parts of the machine that are of the kind that ran the model."""
    machine, device = config.environment, config.backend.device
    if device == "cpu":
        one_cpu(found, machine.cpu)
    if device not in ON_GPU:
        return
    found.state("hardware.host", machine.cpu)
    listed = machine.gpu if isinstance(machine.gpu, list) else [machine.gpu]
    names = [name.strip() for name in listed if isinstance(name, str) and name.strip()]
    asked = config.backend.device_ids
    chosen = [int(one) for one in re.findall(r"\b[0-9]{1,4}\b", str(asked)[:200])]
    if asked is not None and chosen and max(chosen) < len(names):
        pools(found, [names[one] for one in chosen])
        return
    pools(found, names)
    if len(names) > 1:
        found.inferred("hardware", "every GPU of the machine is taken: the file names no other")
        found.remark(f"the machine has {len(names)} GPUs, and the file does not say how many the "
                     "run used; state it with --set count=")  # fmt: skip


def _workload(found: Statement, scenario: Scenario) -> None:
    kwargs = scenario.generate_kwargs or Generation()
    new = _new_tokens(scenario)
    found.block("workload", input_tokens=scenario.input_shapes.sequence_length, output_tokens=new,
                length_basis="requested")  # fmt: skip
    if new is not None and kwargs.min_new_tokens == new:
        found.state("workload.output_policy", "forced")


def _new_tokens(scenario: Scenario) -> int | None:
    kwargs = scenario.generate_kwargs
    asked = kwargs.max_new_tokens if kwargs else None
    return scenario.new_tokens if asked is None else asked
