"""inference-perf: the conditions of a run, which stand in `config.yaml` beside its reports."""

from decimal import Decimal
from typing import Any

from pydantic import ValidationError

from benchreg.importers.foreign import Amount, Flag, Foreign, Text, Whole
from benchreg.importers.opened import Opened
from benchreg.importers.statement import RunError, Statement, plain

NAME = "config.yaml"
TRACES = ("trace_replay", "trace_session_replay")
ARRIVING = ("constant", "poisson")
FAR = Decimal("0.1")
_WORDS = frozenset((
    "shareGPT", "synthetic", "random", "shared_prefix", "cnn_dailymail", "infinity_instruct",
    "billsum_conversations", "visionarena",
))  # fmt: skip


class Server(Foreign):
    """Whom the client spoke to; its `type` is that of the client, and names no engine."""

    model_name: Text | None = None
    ignore_eos: Flag | None = None


class Stage(Foreign):
    """One stage of the load."""

    rate: Amount | None = None
    concurrency_level: Whole | None = None


class Load(Foreign):
    """How requests were sent; a sweep makes stages of its own."""

    type: Text
    stages: list[Stage] | None = None
    sweep: Any = None


class Api(Foreign):
    """How the client spoke."""

    streaming: Flag | None = None


class Data(Foreign):
    """Where the prompts came from."""

    type: Text | None = None


class Lifecycle(Foreign):
    """How the reports were made."""

    use_server_output_tokens: Flag | None = None


class Reporting(Foreign):
    """What was reported."""

    request_lifecycle: Lifecycle | None = None


class Config(Foreign):
    """What is read of `config.yaml`."""

    server: Server
    load: Load
    api: Api | None = None
    data: Data | None = None
    report: Reporting | None = None

    @property
    def server_counts(self) -> bool:
        """Whether the reports count output tokens as the server did."""
        lifecycle = self.report.request_lifecycle if self.report else None
        return bool(lifecycle and lifecycle.use_server_output_tokens)


def beside(file: Opened) -> Config | None:
    """Return the conditions that lie beside a report; None where there are none to read."""
    tree = file.beside(NAME)
    try:
        return None if tree is None else Config.model_validate(tree)
    except ValidationError:
        return None


def conditions(found: Statement, config: Config) -> None:
    """State what the configuration says of the model, the workload and the measurement."""
    found.state("model.described_as", config.server.model_name)
    if config.server.ignore_eos:
        found.state("workload.output_policy", "forced")
    if config.data and config.data.type in _WORDS:
        found.state("workload.dataset", config.data.type)
    if config.api:
        found.state("measurement.streaming", config.api.streaming)


def load(
    found: Statement, config: Config | None, rate: Decimal | None, concurrency: int | None
) -> None:
    """State how requests came, by the rate and concurrency of one stage.

    A stage of fixed concurrency has a rate that means nothing. Raises RunError where the
    configuration is not of this run.
    """
    kind = config.load.type if config else ("concurrent" if concurrency else "")
    if config:
        _same_run(config, kind, rate, concurrency)
    if kind in TRACES:
        found.state("load.pattern", "trace_replay")
    elif kind == "concurrent":
        found.block("load", pattern="closed_loop", concurrency=concurrency)
    elif rate and kind in ("", *ARRIVING):
        found.block("load", pattern="open_loop", request_rate=plain(rate))
        if kind:
            found.state("load.arrival.process", kind)
        else:
            found.absent("load.arrival", "not_stated", f"it stands in {NAME}, which is not there")
    else:
        return


def _same_run(config: Config, kind: str, rate: Decimal | None, concurrency: int | None) -> None:
    """Raise RunError where the stage that was measured is none of the configured ones."""
    stages = config.load.stages or []
    if kind == "concurrent":
        same = bool(concurrency) and concurrency in [one.concurrency_level for one in stages]
    elif concurrency:
        same = False
    else:
        same = kind in TRACES or rate in [stage.rate for stage in stages]
    if not same and (config.load.sweep is None or (kind == "concurrent") != bool(concurrency)):
        raise RunError(f"{NAME} beside it has no such stage: it is of another run")
