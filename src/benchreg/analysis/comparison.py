"""Whether figures can be put side by side: condition by condition, with what differs or is unknown.

What is absent is never equal to anything, and neither is what was inferred. Two figures share an
unknown, or an inference, only where it is one and the same: in one sweep or run, or in one closed
division, scenario and benchmark of an MLPerf round, for the same reason. What nobody has checked,
or what sources say differently, is no unknown that two records could share.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from typing import Literal, NamedTuple

from benchreg.values.errors import BenchregError
from benchreg.values.text import shown, spoken, suggestion

State = Literal["stated", "inferred", "absent", "silent"]
Word = Literal[
    "equal", "alike", "same unknown", "same inference", "neither says", "varied",
    "differs", "absent", "inferred", "noted",
]  # fmt: skip
REFUSES = frozenset(("differs", "absent", "inferred"))
SHARED = frozenset(("same unknown", "same inference", "neither says"))
NOT_APPLICABLE = "not_applicable"
NOT_SHARED = frozenset(("conflicting", "not_checked"))
NEAR = Decimal("1.05")
ROUND = "MLPerf "
TOKENIZER = "model.tokenizer"
KEYS = (
    *("kind", "status", "metric", "unit", "scope", "statistic", "phase", "over", "metered"),
    *("load.window", "measurement.latency_origin", "measurement.first_token", "load.level"),
    *("model", "model.revision", TOKENIZER, "hardware.accelerator", "hardware.count"),
    *("hardware.nodes", "hardware.power_limit", "parallelism", "engine", "engine.version"),
    *("engine.stack", "engine.flags", "engine.host_offload", "load.pattern", "load.scenario"),
    *("workload.input_tokens", "workload.output_tokens", "workload.output_policy"),
    *("workload.dataset", "workload.prefix_cache", "workload.speculative", "precision.weights"),
    *("precision.activations", "precision.kv_cache", "precision.parts", "load.warmup"),
    *("measurement.point", "measurement.runs", "measurement.harness", "load.arrival"),
    *("workload.context_tokens", "workload.distribution", "load.max_in_flight", "service"),
    *("slo", "accuracy"),
)
LENGTHS = ("workload.input_tokens", "workload.output_tokens")
NOTED = ("load.warmup", "measurement.point", "measurement.runs", "measurement.harness")

ACROSS: dict[str, tuple[str, ...]] = {
    "accelerator": ("hardware.accelerator", "hardware.power_limit"),
    "count": ("hardware.count", "hardware.nodes", "parallelism"),
    "parallelism": ("parallelism",),
    "model": ("model", "model.revision"),
    "precision": (
        *("precision.weights", "precision.activations", "precision.kv_cache", "precision.parts"),
    ),
    "engine": (
        *("engine", "engine.version", "engine.stack", "engine.flags", "engine.host_offload"),
    ),
    "version": ("engine.version", "engine.stack"),
    "batch": ("load.level",),
    "lengths": (*LENGTHS, "workload.distribution"),
    "scenario": ("load.scenario", "load.pattern", "load.arrival"),
    "window": ("load.window",),
    "dataset": ("workload.dataset",),
    "statistic": ("statistic",),
    "scope": ("scope",),
    "metric": ("metric", "phase"),
    "speculation": ("workload.speculative",),
    "slo": ("slo",),
    "accuracy": ("accuracy",),
}


class Facet(NamedTuple):
    """One condition of a figure: its value, or why there is none.

    `value` is the reason where it is absent, and empty where nobody is asked to state it; `why` is
    the reason of an inference.
    """

    key: str
    state: State
    value: str
    why: str = ""


class Side(NamedTuple):
    """A figure's conditions, and within what its unknowns may be the same as another one's."""

    facets: dict[str, Facet]
    scopes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """What a condition says of figures that are compared: the facet of each, None without one."""

    key: str
    word: Word
    facets: tuple[Facet | None, ...]

    @property
    def title(self) -> str:
        """The condition as it is spoken of."""
        return spoken(self.key.rpartition(".")[2]) if "." in self.key else spoken(self.key)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Every condition of two figures or more."""

    conditions: tuple[Condition, ...]

    @property
    def refused_by(self) -> tuple[Condition, ...]:
        """The conditions that keep the figures apart."""
        return tuple(one for one in self.conditions if one.word in REFUSES)

    @property
    def comparable(self) -> bool:
        """Whether nothing keeps the figures apart."""
        return not self.refused_by

    @property
    def counts_other_tokens(self) -> bool:
        """Whether the figures count tokens of different tokenizers."""
        return any(one.key == TOKENIZER and one.word == "differs" for one in self.conditions)

    @property
    def shared(self) -> tuple[Condition, ...]:
        """What none of them knows, or all took for the same reason."""
        return tuple(one for one in self.conditions if one.word in SHARED)


def varied(names: Iterable[str]) -> frozenset[str]:
    """Return the conditions that a question varies, by their names or those of their groups.

    Raises BenchregError for a name that is neither, and offers the nearest.
    """
    found: set[str] = set()
    for name in names:
        if name in ACROSS:
            found.update(ACROSS[name])
        elif name in KEYS:
            found.add(name)
        else:
            near = suggestion(name, {*ACROSS, *KEYS}) or f"there are {', '.join(ACROSS)}"
            raise BenchregError(f"no condition is called {shown(name)!r}; {near}")
    return frozenset(found)


def compared(sides: Sequence[Side], across: frozenset[str] = frozenset()) -> Comparison:
    """Return what each condition says of two figures or more; those of `across` may differ."""
    keys = dict.fromkeys(key for side in sides for key in side.facets)
    common = reduce(set.intersection, (set(side.scopes) for side in sides))
    found = []
    for key in keys:
        facets = tuple(side.facets.get(key) for side in sides)
        shared = _is_shared(facets, sides[0].scopes[0], common)
        found.append(Condition(key, _word(key, facets, across, shared=shared), facets))
    return Comparison(tuple(found))


def _word(
    key: str, facets: tuple[Facet | None, ...], across: frozenset[str], *, shared: bool
) -> Word:
    there = [one for one in facets if one is not None]
    first, alike = there[0], len(there) == len(facets) and len(set(there)) == 1
    settled = alike and (first.state == "stated" or first.value == NOT_APPLICABLE)
    word: Word
    if settled:
        word = "equal"
    elif key in across:
        word = "varied"
    elif key in NOTED:
        word = "noted"
    elif alike and first.state == "silent":
        word = "neither says"
    elif alike and shared:
        word = "same unknown" if first.state == "absent" else "same inference"
    elif key in LENGTHS and _near(facets):
        word = "alike"
    else:
        word = _apart(facets)
    return word


def _is_shared(facets: tuple[Facet | None, ...], alone: str, common: set[str]) -> bool:
    """Tell whether what is not known may be one and the same: what nobody has checked, in a record.

    `alone` is the scope of one record, `common` those that the figures have in common.
    """
    checked = all(one is None or one.value not in NOT_SHARED for one in facets)
    return alone in common or (checked and bool(common))


def _apart(facets: tuple[Facet | None, ...]) -> Word:
    """Return why facets are not equal: two that are stated differ, or one is not known."""
    known = {one.value for one in facets if one and one.state in ("stated", "inferred")}
    if len(known) > 1:
        return "differs"
    unknown = any(one is None or one.state in ("absent", "silent") for one in facets)
    return "absent" if unknown else "inferred"


def _near(facets: tuple[Facet | None, ...]) -> bool:
    """Tell whether lengths are stated and within 5 % of each other."""
    lengths = [Decimal(one.value) for one in facets if one and one.state == "stated"]
    return len(lengths) == len(facets) and max(lengths) <= NEAR * min(lengths)


def group_key(side: Side, across: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """Return what figures must have in common to be ranked together, their lengths left out.

    An unknown is only that of its own sweep, run or round: it stands with the name of it.
    """
    own = side.scopes[-1]
    return tuple(
        (key, _mark(facet, own, side.scopes[0]))
        for key, facet in sorted(side.facets.items())
        if key not in across and key not in NOTED and not _is_length(key, facet)
    )


def _is_length(key: str, facet: Facet) -> bool:
    return key in LENGTHS and facet.state == "stated"


def _mark(facet: Facet, own: str, alone: str) -> str:
    if facet.state in ("stated", "silent") or facet.value == NOT_APPLICABLE:
        return f"{facet.state} {facet.value}"
    own = alone if facet.value in NOT_SHARED else own
    return f"{facet.state} {facet.value} {facet.why} in {own}"
