"""Figures: the measured or derived numbers of a record, and the claims made about them."""

from pydantic import MISSING

from benchreg.entities.absence import FigureAbsences, FigureInferences
from benchreg.entities.base import (
    Amount,
    Digits,
    Distinct,
    Entity,
    Formula,
    Id,
    InputRef,
    Line,
    Named,
    Positive,
    PositiveCount,
    Prose,
    ResultRef,
    Several,
    Word,
    block,
    named,
    optional,
    required,
    several,
)
from benchreg.entities.vocabulary import Metered, Over, Scope, Statistic, Window


class Variation(Entity):
    """How the figure differs between runs."""

    runs: PositiveCount | MISSING = optional("Runs behind it.", 3)
    stdev: Amount | MISSING = optional("Standard deviation, in the figure's unit.", 13)
    ci95: Amount | MISSING = optional("Half width of the 95 % interval.", 20)


class Spread(Entity):
    """How the figure differs between the requests of one run."""

    stdev: Amount = required("Standard deviation over requests, in the figure's unit.", 4.2)


class Derivation(Entity):
    """How a value follows from other values."""

    formula: Formula = required(
        "Arithmetic over the names of `inputs` and of sibling results: + - * / ( ) min max.",
        "completed_rate * output_tokens",
    )
    inputs: Named[Word, InputRef] = named(
        "Name -> a sibling result, `record#result`, or a field of this record.",
        {"output_tokens": "workload.output_tokens"},
    )
    assumes: Several[Prose] = several(
        "What must be true for the formula to hold.",
        ["every request produced exactly 64 tokens"],
    )


class Figure(Entity):
    """One number of a record: what it measures, whose it is, and where it stands."""

    metric: Word = required("A metric of the catalogue.", "output_throughput")
    scope: Scope | MISSING = optional("Whose rate or latency it is.", "system")
    statistic: Statistic | MISSING = optional("Mean, percentile, extreme or peak.", "p99")
    value: Amount = required("The number.", 800)
    printed: Digits | MISSING = optional("The source's digits, in quotes.", "12.5")
    unit: Line = required("The unit; one of the metric's.", "tok/s")
    n: PositiveCount | MISSING = optional("Requests behind the statistic, per run.", 1280)
    variation: Variation = block(Variation, "Difference between runs.", {"runs": 3, "stdev": 13})
    spread: Spread | MISSING = optional("Difference between requests.", {"stdev": 4.2})
    over: Over | MISSING = optional(
        "The pool that a per-accelerator figure divides by: all, prefill or decode.", "all"
    )
    metered: Metered | MISSING = optional("What was metered: accelerators, node or wall.", "node")
    seen_by_request: ResultRef | MISSING = optional(
        "The figure that one request sees: a sibling or `record#result`.", "user_rate"
    )
    aggregate: ResultRef | MISSING = optional(
        "The aggregate, in another record, that this figure is the per-request side of.",
        "mpt-7b-a100-static-b64#output_rate",
    )
    derivation: Derivation | MISSING = optional(
        "How the value follows from others.",
        {"formula": "output_rate / batch", "inputs": {"batch": "load.batch_size"}},
    )
    window: Window | MISSING = optional("The figure's own window.", "last_issued")
    locator: Line | MISSING = optional("The figure's own place in the source.", "Table 2, row 3")
    source_name: Line | MISSING = optional("The source's or harness's name for it.", "Mean TTFT")
    absent: FigureAbsences = named("What the figure does not say.", {"scope": "not_stated"})
    inferred: FigureInferences = named("What was concluded.", {"unit": "the axis says ms"})
    aliases: Distinct[Id] = several("Names used elsewhere.", ["mpt7b-a100-bs64-output-tps"])
    note: Prose | MISSING = optional("What a reader must know.", "end to end, prefill included")


class Claim(Entity):
    """A statement of the source that the registry recomputes."""

    says: Prose = required("The statement in our words.", "throughput rises 14 times")
    locator: Line = required("Where it stands.", "first paragraph")
    stated: Digits = required("The number as printed, in quotes.", "14")
    formula: Formula = required("What the number should be.", "here / there")
    inputs: Named[Word, InputRef] = named(
        "Name -> result or field.", {"here": "completed_rate", "there": "other-record#rate"}
    )


class Estimator(Entity):
    """What made an estimate."""

    version: Line = required("The estimator and its version.", "benchreg 0.1.0")
    coefficients: Named[Word, Positive] = named("Its coefficients.", {"memory_efficiency": 0.8})
