"""CON, sixth part: what was set is possible, and is not said to be off and to have worked."""

from collections.abc import Iterator

from pydantic import MISSING

from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.conditions import Speculative
from benchreg.entities.record import Record
from benchreg.registry.document import Pointer
from benchreg.registry.registry import Registry

BOTH = ("input_tokens", "output_tokens")
WITHOUT = {"input_tokens": "decode", "output_tokens": "prefill"}


@rule("CON024", Severity.ERROR, over=Record, needs=("metrics",))
def request_of_nothing(record: Record, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """Requests have no tokens, and figures that need some.

    A request has a prompt and an answer. A length of 0 stands for a test of one phase alone (0
    prompt tokens: decoding, 0 output tokens: reading the prompt), whose figures are of that phase;
    anywhere else it stands where a number was not known, and every rate that follows is 0 or has
    no meaning.

    Bad:

    ```yaml
    workload:
      input_tokens: 512
      output_tokens: 0
      length_basis: measured
      output_policy: forced
      prefix_cache: {enabled: false}
      speculative: {method: none}
    ```

    Good:

    ```yaml
    workload:
      input_tokens: 0
      output_tokens: 64
      length_basis: measured
      output_policy: forced
      prefix_cache: {enabled: false}
      speculative: {method: none}
    results:
      decoded:
        metric: decode_throughput
        scope: system
        value: 800
        unit: tok/s
        seen_by_request: each
      each:
        metric: decode_rate_per_request
        scope: per_request
        statistic: mean
        value: 12.5
        unit: tok/s
    ```
    """
    workload = record.workload
    if workload.input_tokens != 0 and workload.output_tokens != 0:
        return
    nothing = workload.input_tokens == workload.output_tokens
    for name in BOTH:
        if getattr(workload, name) != 0:
            continue
        at = ("workload", name)
        need = [one.metric for one in record.results.values() if _needs(one.metric, name, registry)]
        if need or nothing:
            what = f"and {need[0]} is of whole requests" if need else "and none of the others"
            yield Problem(
                at,
                f"requests have 0 {name.replace('_', ' ')}, {what}",
                f"write the length, or `workload.{name}: not_stated` under `absent`",
                on_value=True,
            )
        elif not record.results:
            yield NotEvaluated(at, "no figure says which phase was tested")


def _needs(metric: str, length: str, registry: Registry) -> bool:
    return registry.metrics[metric].phase != WITHOUT[length]


@rule("CON025", Severity.ERROR, over=Record)
def off_and_used(record: Record, registry: Registry) -> Iterator[Problem]:
    """Something is said to be off, and to have worked.

    A run without speculation has no draft model, no drafts and nothing that was accepted, and a
    prefix cache that is off is never hit. One of the two is left over from another record, and
    the two differ by a multiple of the rate.

    Bad:

    ```yaml
    workload:
      input_tokens: 512
      output_tokens: 64
      length_basis: measured
      output_policy: forced
      prefix_cache: {enabled: false, hit_ratio: 0.25}
      speculative: {method: none}
    ```

    Good:

    ```yaml
    workload:
      input_tokens: 512
      output_tokens: 64
      length_basis: measured
      output_policy: forced
      prefix_cache: {enabled: true, hit_ratio: 0.25}
      speculative: {method: none}
    ```
    """
    del registry
    cache, drafts = record.workload.prefix_cache, record.workload.speculative
    if cache.enabled is False and cache.hit_ratio not in (MISSING, 0):
        yield Problem(
            ("workload", "prefix_cache"),
            f"the prefix cache is off, and a share of {cache.hit_ratio} was found in it",
            "take out the one that is not true",
        )
    if drafts.method in (MISSING, "none"):
        used = [name for name in _DRAFTED if getattr(drafts, name) not in (MISSING, 0)]
        if used:
            without = "the run does not speculate" if drafts.method == "none" else "no method"
            yield Problem(
                ("workload", "speculative"),
                f"{without}, and there is a {used[0].replace('_', ' ')}",
                "name the `method`, or take out what belongs to one",
            )


_DRAFTED = ("draft_model", "draft_tokens", "acceptance_length", "acceptance")
TOKENS_PER_STEP = "tok/step"


@rule("CON026", Severity.ERROR, over=Record)
def acceptance_impossible(record: Record, registry: Registry) -> Iterator[Problem]:
    """More tokens were accepted than drafted, or fewer than a step gives.

    A step of the target gives one token by itself, and one more for each draft that it accepts: 1
    to drafts + 1. A share of accepted drafts (0.7) is another quantity, and so is a length that
    leaves the token of the target out.

    Bad:

    ```yaml
    workload:
      input_tokens: 512
      output_tokens: 64
      length_basis: measured
      output_policy: forced
      prefix_cache: {enabled: false}
      speculative:
        method: eagle3
        draft_tokens: 3
        acceptance_length: 0.7
        acceptance: measured
    ```

    Good:

    ```yaml
    workload:
      input_tokens: 512
      output_tokens: 64
      length_basis: measured
      output_policy: forced
      prefix_cache: {enabled: false}
      speculative:
        method: eagle3
        draft_tokens: 3
        acceptance_length: 2.4
        acceptance: measured
    ```
    """
    del registry
    drafts = record.workload.speculative
    if drafts.method in (MISSING, "none"):
        return
    said = {
        ("results", name, "value"): one.value
        for name, one in record.results.items()
        if one.unit == TOKENS_PER_STEP
    }
    if drafts.acceptance_length is not MISSING:
        said[("workload", "speculative", "acceptance_length")] = drafts.acceptance_length
    for at, length in said.items():
        if length < 1 or (drafts.draft_tokens is not MISSING and length > drafts.draft_tokens + 1):
            yield Problem(
                at,
                f"{length} tokens a step are not {_possible(drafts)}",
                "count the token of the target too: 1 + accepted drafts, per step of the target",
                on_value=True,
            )


def _possible(drafts: Speculative) -> str:
    if drafts.draft_tokens is MISSING:
        return "1 or more"
    return f"1 to {drafts.draft_tokens + 1}, with {drafts.draft_tokens} drafts"


OF_WEIGHTS = ("int4_awq", "int4_gptq")
CACHED_GGUF = frozenset(
    f"gguf_{name}"
    for name in ("f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "iq4_nl", "q5_0", "q5_1")
)
COMPUTED_GGUF = frozenset(("gguf_f32", "gguf_f16", "gguf_bf16", "gguf_q8_0"))


@rule("CON027", Severity.ERROR, over=Record)
def format_misplaced(record: Record, registry: Registry) -> Iterator[Problem]:
    """A number format is named for what cannot be in it.

    AWQ and GPTQ are ways of rounding weights, and the K and IQ types of GGUF are layouts of files
    of weights: no activation and no KV cache has them. llama.cpp keeps its cache in the plain
    types (F16, Q8_0, Q4_0 and alike), and what it multiplies the weights with has 8 bits at least.
    TF32 is a way of multiplying, in which nothing is stored. A label that was written into every
    field hides what two of them were.

    Bad:

    ```yaml
    precision: {weights: int4_awq, activations: int4_awq, kv_cache: fp8}
    ```

    Good:

    ```yaml
    precision: {weights: int4_awq, activations: bf16, kv_cache: fp8}
    ```
    """
    del registry
    precision = record.precision
    wrong: dict[Pointer, str] = {
        ("precision", "parts", name): one for name, one in precision.parts.items() if one == "tf32"
    }
    if precision.weights == "tf32":
        wrong[("precision", "weights")] = "tf32"
    if precision.kv_cache == "tf32" or _of_weights(precision.kv_cache, CACHED_GGUF):
        wrong[("precision", "kv_cache")] = str(precision.kv_cache)
    if _of_weights(precision.activations, COMPUTED_GGUF):
        wrong[("precision", "activations")] = str(precision.activations)
    for at, name in wrong.items():
        yield Problem(
            at,
            f"nothing is stored in {name}" if name == "tf32" else f"{name} is a format of weights",
            "state what the source says of this one, or leave it out and declare it absent",
            on_value=True,
        )


def _of_weights(name: object, others: frozenset[str]) -> bool:
    """Tell whether a format is one of weights alone; `others` are GGUF types that are not."""
    if name is MISSING:
        return False
    return name in OF_WEIGHTS or (str(name).startswith("gguf_") and name not in others)
