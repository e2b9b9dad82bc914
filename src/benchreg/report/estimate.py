"""An estimate as text for people and as a document for programs; never as a measurement."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields
from textwrap import wrap
from typing import Any

from benchreg import __version__
from benchreg.analysis.estimates import Answer
from benchreg.report.inert import inert_json
from benchreg.report.paint import Paint, plain
from benchreg.roofline.step import BOTTLENECKS, Coefficients
from benchreg.values.text import amount, counted, shown, spoken

WIDTH = 78
MILLI, MICRO, GIGA, TERA = 1e3, 1e6, 1e9, 1e12
WORDS = {
    "weight_bandwidth": "reading the weights",
    "kv_bandwidth": "reading the KV cache",
    "compute": "arithmetic",
    "allreduce_comm": "communication",
}


def fits(answer: Answer) -> bool:
    """Tell whether the weights and the asked load are within an accelerator's memory."""
    return bool(answer.estimate.fits)


def decodes(answer: Answer) -> bool:
    """Tell whether a token follows the first one, so that there is a time per output token."""
    return answer.question.output_tokens > 1


def as_json(answer: Answer) -> str:
    """Return an estimate as a JSON document; figures are null where memory does not hold it."""
    return inert_json(_document(answer))


def _number(value: Any, *, there: bool = True) -> float | None:
    number = float(value) if there else math.nan
    return float(f"{number:.6g}") if math.isfinite(number) else None


def _document(answer: Answer) -> dict[str, object]:
    question, split = answer.question, answer.question.split
    return {
        "kind": "estimate",
        "estimator": f"benchreg {__version__}",
        "model": answer.model.id,
        "accelerator": answer.accelerator.id,
        "accelerators": split.accelerators,
        "parallelism": asdict(split),
        "precision": dict(answer.formats),
        "load": {
            "pattern": question.pattern,
            "level": None if question.pattern == "saturated" else question.level,
            "input_tokens": question.input_tokens,
            "output_tokens": question.output_tokens,
            "cached_tokens": question.cached_tokens,
            "acceptance_length": question.acceptance_length,
        },
        "part": _part(answer),
        "coefficients": asdict(question.coefficients),
        "assumptions": list(answer.assumptions),
        "memory": _memory(answer),
        "estimate": _figures(answer) if fits(answer) else None,
        "bound": _bounds(answer) if fits(answer) else None,
    }


def _part(answer: Answer) -> dict[str, object]:
    part = answer.part
    return {
        "bandwidth_gb_s": _number(part.bandwidth / GIGA),
        "peak_tflop_s": _number(part.peak / TERA),
        "link_gb_s": _number(part.link / GIGA),
        "link_latency_us": _number(part.link_latency_s * MICRO),
    }


def _memory(answer: Answer) -> dict[str, object]:
    return {
        "per_accelerator_gb": _number(answer.estimate.memory_bytes / GIGA),
        "available_gb": _number(answer.part.memory_bytes / GIGA),
        "fits": fits(answer),
        "sequences_that_fit": int(answer.room),
    }


def _figures(answer: Answer) -> dict[str, object]:
    found, there = answer.estimate, decodes(answer)
    decode = BOTTLENECKS[int(found.decode_bottleneck)]
    return {
        "ttft_ms": _number(found.ttft_s * MILLI),
        "tpot_ms": _number(found.tpot_s * MILLI, there=there),
        "e2e_ms": _number(found.e2e_s * MILLI),
        "wait_ms": _number(found.wait_s * MILLI),
        "requests_per_s": _number(found.requests),
        "output_tokens_per_s": {
            "system": _number(found.output),
            "per_accelerator": _number(found.output_per_accelerator),
            "per_request": _number(found.output_per_request),
        },
        "decode_tokens_per_s_per_request": _number(found.decode_per_request, there=there),
        "decode_batch": _number(found.batch),
        "concurrency": _number(found.concurrency),
        "mbu": _number(found.mbu, there=there),
        "mfu": _number(found.mfu),
        "bottleneck": {
            "prefill": BOTTLENECKS[int(found.prefill_bottleneck)],
            "decode": decode if there else None,
        },
    }


def _bounds(answer: Answer) -> dict[str, object]:
    limits, output = answer.bound, answer.question.output_tokens
    return {
        "ttft_ms": _number(limits.ttft_s * MILLI),
        "tpot_ms": _number(limits.tpot_s * MILLI, there=decodes(answer)),
        "e2e_ms": _number(limits.e2e_s * MILLI),
        "requests_per_s": _number(limits.requests),
        "output_tokens_per_s": _number(limits.requests * output),
    }


def as_text(answer: Answer, paint: Paint = plain) -> str:
    """Return an estimate as a person reads it: figures, the bound beside, and what is assumed."""
    split = answer.question.split
    what = f"{answer.model.name} on {split.accelerators:,} x {answer.accelerator.name}"
    first, *rest = folded([f"Estimate, not a measurement: {what}"], "")
    blocks = [
        "\n".join([paint(first, "title"), *rest, *folded(_asked(answer))]),
        "\n".join([paint("Memory of one accelerator", "title"), *folded(_held(answer))]),
    ]
    if fits(answer):
        lines = [*_table(answer), *folded(_used(answer))]
        blocks.append("\n".join([paint("Figures", "title"), *lines]))
    lines = folded([*answer.assumptions, *coefficient_words(answer.question.coefficients)])
    blocks.append("\n".join([paint("Assumed", "title"), *lines]))
    return "\n\n".join(blocks)


def folded(texts: Iterable[str], lead: str = "  ") -> list[str]:
    """Return each text on lines that a terminal holds, safe to print."""
    return [
        line
        for text in texts
        for line in wrap(
            shown(text, 2000), WIDTH, initial_indent=lead, subsequent_indent=f"{lead}    "
        )
    ]


def _tokens(number: float) -> str:
    return f"{number:.10g}"


def _asked(answer: Answer) -> Iterator[str]:
    question, formats = answer.question, answer.formats
    ways = [
        f"{spoken(field.name)} {getattr(question.split, field.name):,}"
        for field in fields(question.split)
        if getattr(question.split, field.name) > 1
    ]
    level = "" if question.pattern == "saturated" else f" of {question.level:,}"
    cached = f" after {_tokens(question.cached_tokens)} cached" if question.cached_tokens else ""
    yield (
        f"{spoken(question.pattern)}{level}; {_tokens(question.input_tokens)} tokens in, "
        f"{_tokens(question.output_tokens)} out{cached}; {', '.join(ways) if ways else 'not split'}"
    )
    yield ", ".join(f"{spoken(name)} {form}" for name, form in formats.items())


def _held(answer: Answer) -> Iterator[str]:
    needed, there = answer.estimate.memory_bytes / GIGA, answer.part.memory_bytes / GIGA
    verdict = "fits" if fits(answer) else "does not fit: there is no figure for it"
    yield f"{amount(needed)} GB of {amount(there)} GB: {verdict}"
    holds = counted(int(answer.room), "sequence")
    yield f"the system holds {holds}, half of their output written"


def _table(answer: Answer) -> Iterator[str]:
    found, limits = answer.estimate, answer.bound
    output = answer.question.output_tokens
    most = limits.requests * output
    rows = [
        ("time to first token", found.ttft_s * MILLI, limits.ttft_s * MILLI, "ms"),
        ("time per output token", found.tpot_s * MILLI, limits.tpot_s * MILLI, "ms"),
        ("end to end", found.e2e_s * MILLI, limits.e2e_s * MILLI, "ms"),
        ("requests, system", found.requests, limits.requests, "req/s"),
        ("output, system", found.output, most, "tok/s"),
        (
            "output, one accelerator",
            found.output_per_accelerator,
            most / answer.question.split.accelerators,
            "tok/s",
        ),
        ("output, one request", found.output_per_request, output / limits.e2e_s, "tok/s"),
        ("decode, one request", found.decode_per_request, 1 / limits.tpot_s, "tok/s"),
    ]
    yield f"  {'':<24}  {'estimate':>10}  {'bound':>10}"
    for name, value, limit, unit in rows:
        if decodes(answer) or name not in ("time per output token", "decode, one request"):
            yield f"  {name:<24}  {amount(value):>10}  {amount(limit):>10}  {unit}"


def _used(answer: Answer) -> Iterator[str]:
    found = answer.estimate
    if wait_ms := float(found.wait_s) * MILLI:
        yield f"of the time to first token, {amount(wait_ms)} ms are spent waiting for a place"
    prefill, decode = (
        WORDS[BOTTLENECKS[int(at)]] for at in (found.prefill_bottleneck, found.decode_bottleneck)
    )
    if not decodes(answer):
        yield f"MFU of whole requests {found.mfu:.1%}"
        yield f"bound in prefill by {prefill}"
        return
    decoding, flight = amount(float(found.batch)), amount(float(found.concurrency))
    verb = "sequence decodes" if decoding == "1" else "sequences decode"
    yield f"{decoding} {verb} at once, of {flight} in flight"
    yield f"MBU of decode {found.mbu:.1%}, MFU of whole requests {found.mfu:.1%}"
    yield f"bound in prefill by {prefill}, in decode by {decode}"


def coefficient_words(chosen: Coefficients) -> Iterator[str]:
    """Yield each coefficient in words."""
    yield f"{chosen.memory_efficiency:g} of the bandwidth is reached"
    yield f"{chosen.compute_efficiency:g} of the peak is reached"
    yield f"{chosen.exposed:g} of the shorter of memory and arithmetic time is not hidden"
    yield f"{chosen.overhead_s * MILLI:g} ms of overhead a step"
    yield f"{chosen.reserved_bytes / GIGA:g} GB of an accelerator hold neither weights nor cache"
    if not chosen.communication:
        yield "communication costs nothing"
