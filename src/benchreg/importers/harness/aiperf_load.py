"""How AIPerf was told to send requests: as phases from 0.9 on, as options of one load before."""

from decimal import Decimal
from typing import Any

from benchreg.importers.foreign import Amount, Flag, Foreign, Number, Text, Whole
from benchreg.importers.harness.metric import paced
from benchreg.importers.opened import Opened
from benchreg.importers.statement import RepeatedError, RunError, Statement, plain
from benchreg.values.text import shown

Limits = dict[str, Number] | None
DEFAULT = "AIPerf does not write a setting that was left as it is"
SPACED = {"poisson": "poisson", "constant": "constant", "gamma": "gamma"}


class Named(Foreign):
    """A model of a run."""

    name: Text


class Models(Foreign):
    """The models of a run, from 0.9 on."""

    items: tuple[Named, ...] = ()


class Endpoint(Foreign):
    """How the server was spoken to; its address and keys are not read."""

    model_names: list[Text] | None = None
    streaming: Flag | None = None
    use_server_token_count: Flag | None = None
    extra: Any = None


class Inputs(Foreign):
    """What was asked of each request, before 0.9."""

    prompt: Any = None
    extra: Any = None
    goodput: Limits = None
    fixed_schedule: Flag | None = None


class Phase(Foreign):
    """One phase of a run: a warm-up, or one that is measured."""

    name: Text | None = None
    kind: str | None = None
    type: str | None = None
    timing_mode: str | None = None
    exclude_from_results: Flag | None = None
    requests: Whole | None = None
    duration: Amount | None = None
    concurrency: Whole | None = None
    rate: Amount | None = None
    smoothness: Amount | None = None
    cancellation: Any = None

    @property
    def warms(self) -> bool:
        """Whether it is a warm-up: by its kind, before 0.13 by its name or what it is for."""
        if self.kind is not None:
            return self.kind == "warmup"
        return self.name == "warmup" or self.exclude_from_results is True


class LoadGen(Foreign):
    """The options of one load, before 0.9."""

    concurrency: Whole | None = None
    request_rate: Amount | None = None
    request_rate_mode: str | None = None
    arrival_pattern: str | None = None
    arrival_smoothness: Amount | None = None
    user_centric_rate: Amount | None = None
    request_count: Whole | None = None
    warmup_request_count: Whole | None = None
    warmup_duration: Amount | None = None
    warmup_num_sessions: Whole | None = None
    request_cancellation_rate: Amount | None = None

    def phases(self, *, scheduled: bool) -> list[Phase]:
        """Return the phases that the options make."""
        mode = self.arrival_pattern or self.request_rate_mode
        if scheduled:
            kind: str | None = "fixed_schedule"
        elif self.user_centric_rate is not None:
            kind = "user_centric"
        else:
            kind = "concurrency" if self.request_rate is None else mode or "rate"
        measured = Phase(
            kind="profiling", type=kind, requests=self.request_count, rate=self.request_rate,
            concurrency=self.concurrency, smoothness=self.arrival_smoothness,
            cancellation=self.request_cancellation_rate,
        )  # fmt: skip
        warmup = Phase(
            kind="warmup", requests=self.warmup_request_count, duration=self.warmup_duration
        )
        sessions = self.warmup_num_sessions is not None
        return [warmup, measured] if sessions or _said(warmup) else [measured]


def _said(warmup: Phase) -> bool:
    return bool(warmup.requests) or warmup.duration is not None


class Config(Foreign):
    """The settings of a run that are read; all others, and the command line, are not."""

    models: Models | None = None
    endpoint: Endpoint = Endpoint()
    datasets: Any = None
    phases: list[Phase] | None = None
    slos: Limits = None
    input: Inputs = Inputs()
    loadgen: LoadGen | None = None

    @property
    def names(self) -> list[str]:
        """The models that were asked."""
        items = self.models.items if self.models else []
        return [one.name for one in items] or self.endpoint.model_names or []

    @property
    def plan(self) -> list[Phase]:
        """The phases, in either form."""
        if self.phases is not None:
            return self.phases
        scheduled = self.input.fixed_schedule is True
        return self.loadgen.phases(scheduled=scheduled) if self.loadgen else []

    def asked(self, way: str) -> Decimal | None:
        """Return the mean input or output length that was asked for, where one number is it."""
        short, long = {"input": ("isl", "input_tokens"), "output": ("osl", "output_tokens")}[way]
        sets = self.datasets if isinstance(self.datasets, list) else []
        means = [_within(one, "prompts", short, "mean") for one in sets]
        means = means or [_within(self.input.prompt, long, "mean")]
        return means[0] if len(set(means)) == 1 else None


def _within(tree: Any, *path: str) -> Decimal | None:
    for key in path:
        tree = tree.get(key) if isinstance(tree, dict) else None
    return Decimal(tree) if isinstance(tree, int | Decimal) and Decimal(tree).is_finite() else None


def measured(config: Config, file: Opened, sent: int | None) -> Phase | None:
    """Return the phase that a file is of; raises RunError where that is a warm-up, or several.

    A file of one phase lies in a folder of its name, and a manifest of the phases two above; one
    that was moved still counts as many requests as its phase sent.
    """
    warmups = [one for one in config.plan if one.warms]
    phases = [one for one in config.plan if not one.warms]
    here = file.folder if file.path.resolve().parent.parent.name == "phases" else None
    if (here and here in {one.name for one in warmups}) or _counts(warmups, phases, sent):
        raise RepeatedError(
            "is of the warm-up, and no result; import profile_export_aiperf.json of the measured "
            "phase"
        )
    if here and len(phases) == 1 and (file.path.resolve().parents[2] / file.path.name).is_file():
        raise RepeatedError("is the only measured phase; import the file two folders above")
    if len(phases) > 1:
        phases = [one for one in phases if one.name == here and here in _manifest(file)]
        if len(phases) != 1:
            raise RunError("pools several measured phases; import the file of each in phases/")
    return phases[0] if phases else None


def _counts(warmups: list[Phase], phases: list[Phase], sent: int | None) -> bool:
    """Tell whether what was sent is what a warm-up was to send, and no measured phase."""
    sizes = {one.requests for one in phases}
    return (
        sent is not None and not sizes & {None, sent} and sent in {one.requests for one in warmups}
    )


def _manifest(file: Opened) -> set[Any]:
    tree = file.beside("../../phase_manifest.json")
    phases = tree.get("phases") if isinstance(tree, dict) else None
    told = phases if isinstance(phases, list) else []
    return {str(one.get("phase_name")) for one in told if isinstance(one, dict)}


def state_load(found: Statement, config: Config, phase: Phase | None) -> None:
    """State how requests came in the measured phase, and what ran before it."""
    if phase is not None:
        _pattern(found, phase)
        if phase.cancellation:
            found.remark("the client cancelled some requests on purpose")
    if config.phases is not None or config.loadgen is not None:
        _warmup(found, [one for one in config.plan if one.warms])


def _pattern(found: Statement, phase: Phase) -> None:
    kind = "fixed_schedule" if phase.timing_mode == "agentic_replay" else phase.type
    if kind == "fixed_schedule":
        found.state("load.pattern", "trace_replay")
    elif kind in ("concurrency", "concurrency_burst"):
        paced(found, None, phase.concurrency)
        found.state("load.pattern", "closed_loop")
        if phase.concurrency is None:
            found.absent("load", "not_stated", DEFAULT)
        elif phase.requests is not None and phase.requests <= phase.concurrency:
            found.remark("there were no more requests than the concurrency: they came all at once")
    elif kind in (*SPACED, "rate"):
        paced(found, phase.rate, phase.concurrency)
        found.state("load.pattern", "open_loop")
        if phase.concurrency is not None:
            found.remark("the cap may have held requests back on the client; latencies leave "
                         "that out")  # fmt: skip
        if phase.rate is None:
            found.absent("load", "not_stated", "the rate was a series, and no single one")
        _arrival(found, kind, phase.smoothness)
    else:
        what = shown(kind or "of no type", 40)
        found.absent("load", "not_stated", "no pattern of a record is that of the file's phase")
        found.remark(f"the load is {what}, which is no pattern of a record; describe it by hand")


def _arrival(found: Statement, kind: str | None, smoothness: Decimal | None) -> None:
    process = SPACED.get(kind or "")
    if process is None:
        found.absent("load.arrival", "not_stated", DEFAULT)
        return
    shape = smoothness if process == "gamma" and smoothness else None
    found.block("load.arrival", process=process, burstiness=None if shape is None else plain(shape))


def _warmup(found: Statement, warmups: list[Phase]) -> None:
    """State the warm-up; a run whose settings name none had none."""
    requests = [one.requests for one in warmups if one.requests is not None]
    seconds = [one.duration for one in warmups if one.duration is not None]
    told = len(warmups) in (len(requests), len(seconds))
    if len(requests) == len(warmups):
        found.state("load.warmup.requests", sum(requests))
    if warmups and len(seconds) == len(warmups):
        found.state("load.warmup.seconds", plain(sum(seconds, Decimal(0))))
    if warmups and told:
        found.state("load.warmup.excluded", value=True)
    elif not told:
        found.absent("load.warmup", "not_stated", "it was set neither in requests nor in seconds")
