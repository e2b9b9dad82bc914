"""The card of a record shows no figure alone, and says of every hole that it is one."""

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import MISSING

from benchreg.analysis.sweep import Ratio
from benchreg.entities.catalogue import Metric, Source
from benchreg.entities.figure import Figure
from benchreg.entities.record import Record
from benchreg.registry.document import Document
from benchreg.registry.registry import Entry, Registry, build
from benchreg.report.card import card, quantity, span, times
from benchreg.values.interval import Interval, exact
from benchreg.values.unseen import UNSEEN

Draw = Callable[..., tuple[Registry, Record]]
MPT = "mpt-7b-a100-static-b64"


def flat(text: str) -> str:
    """Return a text without its folds."""
    return " ".join(text.split())


def section(text: str, title: str) -> str:
    """Return one section of a card without its title and folds; nothing where there is none."""
    sections = [part.partition("\n") for part in text.split("\n\n")[1:]]
    return "".join(flat(body) for head, _, body in sections if head.startswith(title))


def line_of(text: str, name: str) -> str:
    """Return what the card says in the line of a figure."""
    [figures] = [part for part in text.split("\n\n") if part.startswith("Figures\n")]
    [line] = re.findall(rf"^  [ >] {name} .*(?:\n {{6,}}.*)*", figures, re.MULTILINE)
    return flat(line)


def results(*figures: str) -> str:
    return "results:\n" + "".join(f"  {figure}\n" for figure in figures)


# The record of 800 tok/s, of which one request sees 12.5.


@pytest.fixture(scope="session")
def mpt(shipped: Registry) -> str:
    """The card of MPT-7B on one A100 at a batch of 64."""
    return card(shipped, shipped.records[MPT])


SAID = [
    ("Figures", "completed_rate 12.5 req/s request throughput; system; peak"),
    ("Figures", "output_rate 800 tok/s; one request sees 12.5 tok/s (user_rate)"),
    ("Figures", "user_rate 12.5 tok/s; of 800 tok/s in all (output_rate)"),
    ("Figures", "output rate of a request; per request; peak; end to end, not a decode rate"),
    ("Load conditions", "could be a100-sxm4-40gb or a100-pcie-40gb"),
    ("Load conditions", "(inferred) batch or concurrency static batch of 64"),
    ("Load conditions", "input length 512 tokens, requested"),
    ("Load conditions", "fastertransformer; version unrecoverable; absent, not inferred"),
    ("Load conditions", "warm-up unrecoverable; absent, not inferred"),
    ("Load conditions", "scenario not stated; absent, not inferred"),
    ("Absent conditions: 2 of 7", "engine version: unrecoverable; would need a build, commit or"),
    ("Absent conditions: 2 of 7", "warm-up: unrecoverable; would need the warm-up phase of the"),
    ("Also absent", "precision: not stated"),
    ("Also absent", "output policy: not stated; would need whether end-of-sequence was ignored"),
    ("Inferred", 'hardware.could_be: Table 2 prints only "A100".'),
    ("Derived", "output_rate = completed_rate * output_tokens = 800 tok/s (796.8 to 803.2)"),
    ("Derived", "(796.8 to 803.2); one request sees 12.5 tok/s (user_rate)"),
    ("Derived", "user_rate = output_rate / batch = 12.5 tok/s (12.45 to 12.55)"),
    ("Derived", "(12.45 to 12.55); of 800 tok/s in all (output_rate)"),
    ("Derived", "assumes that every request produced exactly 64 tokens"),
    (
        "Against the sweep databricks-table-2-1xa100",
        "batch 1 -> batch 64, from mpt-7b-a100-static-b1",
    ),
    ("Against the sweep", "from mpt-7b-a100-static-b1 completed_rate x13.9 (13.1 to 14.8)"),
    ("Against the sweep", "output_rate x13.9 (13.1 to 14.8) user_rate /4.61 (4.33 to 4.88)"),
    ("Claims of the source", "14 times (Latency Trade-Off, first paragraph): stated '14'"),
    ("Claims of the source", "stated '14', the figures give 13.9 (13.1 to 14.8): reproduced"),
    ("Claims of the source", "4 times (Latency Trade-Off, first paragraph): stated '4'"),
    ("Claims of the source", "the figures give 4.61 (4.33 to 4.88): holds only by rounding"),
    ("Roofline", "output_rate: plausible: 52 % of its bound, 1,548 tok/s, with 16-bit weights"),
    ("Roofline", "and KV cache and no prompt found in a prefix cache"),
    ("Roofline", "tok/s that the absent conditions leave possible; MBU 25 %, MFU 30 %"),
    ("Source", "LLM Inference Performance Engineering: Best Practices, Databricks"),
    ("Source", 'Table 2, row "1 x A100", column 64; retrieved 2026-04-16'),
    ("Notes", "A batch total. No single request receives 800 tok/s"),
]


@pytest.mark.parametrize(("title", "said"), SAID)
def test_the_card_of_mpt_7b_says_what_its_figures_need(title: str, said: str, mpt: str) -> None:
    assert said in section(mpt, title)


def test_the_seven_conditions_of_the_tally_are_named(mpt: str) -> None:
    named = "model, hardware, batch or concurrency, input length, output length, engine version"
    assert f"\nAbsent conditions: 2 of 7 ({named}, warm-up)\n" in mpt


def test_what_is_not_applicable_is_not_listed_as_absent(mpt: str) -> None:
    assert "parallelism" not in section(mpt, "Also absent")


def test_the_card_begins_with_the_record_and_how_it_stands(mpt: str) -> None:
    assert mpt.splitlines()[:2] == [
        "mpt-7b-a100-static-b64: MPT-7B on one A100, static batch of 64",
        "measurement, active",
    ]


def test_the_figure_that_was_asked_for_is_marked(shipped: Registry) -> None:
    text = card(shipped, shipped.records[MPT], "an-old-name", "user_rate")
    assert "an-old-name is its figure user_rate" in text.splitlines()
    assert [line for line in text.splitlines() if ">" in line[:4]] == [
        line for line in text.splitlines() if line.startswith("  > user_rate ")
    ]


def test_titles_alone_are_painted(shipped: Registry) -> None:
    text = card(shipped, shipped.records[MPT], paint=lambda text, role: f"<{role}>{text}<>")
    painted = re.findall(r"<title>(.*?)<>", text)
    assert painted[:3] == [MPT, "Figures", "Load conditions"]
    assert text.count("<>") == len(painted)


# All shipped records.


def is_aggregate(figure: Figure, metrics: Any) -> bool:
    metric: Metric = metrics[figure.metric]
    tokens = metric.counts in ("output_token", "any_token")
    return metric.quantity == "rate" and tokens and figure.scope != "per_request"


def some(shipped: Registry) -> list[Record]:
    """Return records of every source: all of a small one, and every so many of a large one."""
    by_source: dict[str, list[Record]] = {}
    for record in shipped.records.values():
        by_source.setdefault(record.source.id, []).append(record)
    return [one for many in by_source.values() for one in many[:: 1 + len(many) // 40]]


def test_shipped_records_have_cards_that_are_safe_to_print(shipped: Registry) -> None:
    cards = [card(shipped, record) for record in some(shipped)]
    assert len(cards) > 40
    assert [text for text in cards if UNSEEN.search(text) or "MISSING" in text] == []


def test_no_shipped_aggregate_stands_without_its_counterpart_or_the_reason(
    shipped: Registry,
) -> None:
    aggregates = {
        (record.id, name): line_of(card(shipped, record), name)
        for record in some(shipped)
        for name, figure in record.results.items()
        if is_aggregate(figure, shipped.metrics)
    }
    told = re.compile(
        r"; one request sees [0-9.]+ (tok/s|ms|s) \([a-z0-9_]+\)"
        r"|; what one request sees: (not applicable|not stated|not checked|unrecoverable)"
    )
    assert len(aggregates) > 30
    assert {at: line for at, line in aggregates.items() if not told.search(line)} == {}


def test_no_shipped_aggregate_is_derived_without_its_counterpart(shipped: Registry) -> None:
    derived = {
        (record.id, name): section(card(shipped, record), "Derived")
        for record in some(shipped)
        for name, figure in record.results.items()
        if is_aggregate(figure, shipped.metrics) and figure.derivation is not MISSING
    }
    assert len(derived) > 20
    line = r"{} = [^=]+ = [^=]*; (one request sees|what one request sees: not applicable)"
    assert [at for at, text in derived.items() if not re.search(line.format(at[1]), text)] == []


def test_an_out_of_memory_record_has_conditions_and_no_figures(shipped: Registry) -> None:
    text = card(shipped, shipped.records["mpt-7b-a10-static-b64"])
    assert text.splitlines()[1] == "measurement, active, out of memory"
    assert section(text, "Figures") == ""
    assert "static batch of 64" in section(text, "Load conditions")
    assert "engine version: unrecoverable" in section(text, "Absent conditions: 2 of 7")


def test_a_batch_without_users_says_that_there_is_no_one_to_speak_of(shipped: Registry) -> None:
    text = card(shipped, shipped.records["mlperf-v5.1-nvidia-dgx-b200-8x-llama2-70b-offline"])
    assert "what one request sees: not applicable" in line_of(text, "output_rate")


def test_a_path_is_never_broken_by_a_fold(shipped: Registry) -> None:
    text = card(shipped, shipped.records["mlperf-v5.1-nebius-h200-8x-llama3.1-405b-server"])
    path = "llama3.1-405b/Server/performance/run_1/mlperf_log_summary.txt"
    assert any(path in line for line in text.splitlines())


# Counterparts: in another record, not there, and not said.

TOTAL = (
    "output_rate: {{metric: output_throughput, scope: system, value: 800, unit: tok/s{more}}}"
).format
ONE = (
    "user_rate: {{metric: output_rate_per_request, scope: per_request, value: 12.5, "
    "unit: tok/s{more}}}"
).format


def test_a_counterpart_in_another_record_is_shown_from_both_sides(drawn: Draw) -> None:
    registry, record = drawn(
        results(TOTAL(more=", seen_by_request: example-partner#user_rate")),
        example_partner="id: example-partner\n"
        + results(ONE(more=", aggregate: base-record#output_rate")),
    )
    here = line_of(card(registry, record), "output_rate")
    there = line_of(card(registry, registry.records["example-partner"]), "user_rate")
    assert "800 tok/s; one request sees 12.5 tok/s (example-partner#user_rate)" in here
    assert "12.5 tok/s; part of 800 tok/s (base-record#output_rate)" in there


@pytest.mark.parametrize(
    ("name", "more", "said"),
    [
        ("in a record that is not there", "seen_by_request: nowhere#rate",
         "one request sees nowhere#rate, which is not there"),
        ("in another record that lacks it", "seen_by_request: example-partner#rate",
         "one request sees example-partner#rate, which is not there"),
        ("in the record, which lacks it", "seen_by_request: user_rate",
         "one request sees user_rate, which is not there"),
        ("declared absent", "absent: {seen_by_request: unrecoverable}",
         "what one request sees: unrecoverable"),
        ("neither named nor declared", "window: full_drain",
         "what one request sees: neither stated nor declared absent"),
    ],
)  # fmt: skip
def test_an_aggregate_whose_counterpart_is_not_there_says_so(
    name: str, more: str, said: str, drawn: Draw
) -> None:
    registry, record = drawn(
        results(TOTAL(more=f", {more}")),
        example_partner="id: example-partner\n" + results(ONE(more="")),
    )
    assert said in line_of(card(registry, record), "output_rate"), name


@pytest.mark.parametrize(
    ("name", "figure", "said"),
    [
        ("not said", "{metric: mean_power, value: 700, unit: W}",
         "scope neither stated nor declared absent"),
        ("declared absent", "{metric: mean_power, value: 700, unit: W, absent: {scope: withheld}}",
         "scope withheld"),
        ("of a rate of tokens", "{metric: output_throughput, value: 800, unit: tok/s}",
         "what one request sees: neither stated nor declared absent"),
    ],
)  # fmt: skip
def test_a_scope_that_is_not_stated_is_told(name: str, figure: str, said: str, drawn: Draw) -> None:
    registry, record = drawn(results(f"figure: {figure}"))
    assert said in line_of(card(registry, record), "figure"), name


@pytest.mark.parametrize(
    ("name", "metric", "more", "said"),
    [
        ("an end-to-end rate", "output_rate_per_request", "", True),
        ("a decode rate", "decode_rate_per_request", "", False),
    ],
)
def test_only_an_end_to_end_rate_is_said_to_be_no_decode_rate(
    name: str, metric: str, more: str, *, said: bool, drawn: Draw
) -> None:
    figure = f"{{metric: {metric}, scope: per_request, value: 12.5, unit: tok/s{more}}}"
    registry, record = drawn(results(f"figure: {figure}"))
    line = line_of(card(registry, record), "figure")
    assert ("end to end, not a decode rate" in line) is said, name


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("value", "20 ms (inferred) time to first token"),
        ("unit", "20 ms (inferred) time to first token"),
        ("metric", "time to first token (inferred)"),
        ("scope", "per request (inferred)"),
        ("statistic", "p99 (inferred)"),
    ],
)
def test_what_was_inferred_of_a_figure_is_marked_and_its_reason_given(
    key: str, said: str, drawn: Draw
) -> None:
    figure = "metric: ttft, scope: per_request, statistic: p99, value: 20, unit: ms"
    registry, record = drawn(results(f"first: {{{figure}, inferred: {{{key}: the axis}}}}"))
    text = card(registry, record)
    assert said in line_of(text, "first")
    assert line_of(text, "first").count("(inferred)") == 1
    assert section(text, "Inferred") == f"first.{key}: the axis"


# What is not recomputed, and how a record stands.


@pytest.mark.parametrize(
    ("name", "formula", "said"),
    [
        ("a program", "__import__('os').system('true')",
         'not recomputed, "__import__(\'os\').system(\'true\')" is not arithmetic'),
        ("a value on itself", "output_rate",
         "not recomputed, base-record#output_rate -> base-record#output_rate"),
        ("nothing known", "nothing", "not recomputed, the name 'nothing' is no result"),
        ("a divisor of zero", "1 / 0", "not recomputed, '1 / 0' divides by what may be 0"),
        ("growth without bounds", "1e300 * 1e300 * 1e300",
         "not recomputed, '1e300 * 1e300 * 1e300' grows or shrinks without bounds"),
    ],
)  # fmt: skip
def test_what_cannot_be_recomputed_says_why(
    name: str, formula: str, said: str, drawn: Draw
) -> None:
    registry, record = drawn(results(TOTAL(more=f', derivation: {{formula: "{formula}"}}')))
    assert said in section(card(registry, record), "Derived"), name


@pytest.mark.parametrize(
    ("stated", "formula", "said"),
    [
        ("12.5", "completed_rate", "stated '12.5', the figures give 12.5: reproduced"),
        ("13", "completed_rate", "stated '13', the figures give 12.5: reproduced"),
        ("14", "completed_rate", "stated '14', the figures give 12.5: not reproduced"),
        ("14", "nothing", "not recomputed, the name 'nothing' is no result and no input"),
    ],
)
def test_a_claim_is_reproduced_or_not(stated: str, formula: str, said: str, drawn: Draw) -> None:
    claim = f'{{says: a rate, locator: text, stated: "{stated}", formula: {formula}}}'
    registry, record = drawn(f"claims:\n  - {claim}\n")
    assert said in section(card(registry, record), "Claims of the source")


@pytest.mark.parametrize(
    ("name", "figure", "said"),
    [
        (
            "possible, and all is known",
            "{metric: request_throughput, scope: system, value: 1, unit: req/s}",
            "rate: plausible: ",
        ),
        (
            "faster than the part",
            "{metric: request_throughput, scope: system, value: 12500, unit: req/s}",
            "rate: impossible: 12500 req/s, and the most that any completion",
        ),
        (
            "not modelled",
            "{metric: mean_power, value: 700, unit: W}",
            "rate: unchecked: mean_power is not modelled",
        ),
    ],
)
def test_a_figure_is_held_against_what_its_hardware_can_do(
    name: str, figure: str, said: str, drawn: Draw
) -> None:
    assert said in section(card(*drawn(results(f"rate: {figure}"))), "Roofline"), name


def test_a_record_without_figures_says_why_there_is_nothing_to_hold(shipped: Registry) -> None:
    text = card(shipped, shipped.records["mpt-7b-a10-static-b64"])
    assert section(text, "Roofline") == "unchecked: no figure: out of memory"


def test_the_reason_why_a_record_does_not_stand_is_shown_whole(drawn: Draw) -> None:
    why = " ".join(["the source withdrew the table"] * 18)
    registry, record = drawn(f"status: withdrawn\nstatus_reason: {why}\n")
    assert card(registry, record).splitlines()[1] == f"example, withdrawn: {why}"


def test_a_condition_that_nobody_declared_is_a_hole(drawn: Draw) -> None:
    registry, record = drawn("engine: {id: example-engine}\n")
    text = card(registry, record)
    hole = "neither stated nor declared absent"
    assert section(text, "Absent conditions: 1 of 7") == f"engine version: {hole}"
    assert f"example-engine; version {hole}" in section(text, "Load conditions")


def test_a_complete_record_lacks_nothing(drawn: Draw) -> None:
    text = card(*drawn())
    assert section(text, "Absent conditions: 0 of 7") == "none"
    assert "scenario not applicable" in section(text, "Load conditions")
    assert section(text, "Also absent") == ""


def test_what_is_not_applicable_leaves_the_tally(drawn: Draw) -> None:
    text = card(
        *drawn("workload: {input_tokens: 512}\nabsent: {workload.output_tokens: not_applicable}\n")
    )
    assert "Absent conditions: 0 of 6 (model, hardware" in text
    assert "output length" not in section(text, "Absent conditions")


# Numbers.


@pytest.mark.parametrize(
    ("name", "nominal", "interval", "text"),
    [
        ("a rise", Fraction(125, 9), ("13.1", "14.8"), "x13.9 (13.1 to 14.8)"),
        ("a fall", Fraction(1, 5), ("0.1", "0.25"), "/5 (4 to 10)"),
        ("no change", Fraction(1), ("0.5", "2"), "x1 (0.5 to 2)"),
        ("exact", Fraction(2), ("2", "2"), "x2"),
        ("a fall that may be to nothing", Fraction(1, 5), ("0", "0.25"), "/5"),
        ("nothing", Fraction(0), ("0", "0"), "x0"),
        ("rounding not known", Fraction(2), None, "x2"),
    ],
)
def test_a_ratio_is_written_as_times_or_as_a_part(
    name: str, nominal: Fraction, interval: tuple[str, str] | None, text: str, shipped: Registry
) -> None:
    found = interval and Interval(*map(Fraction, interval))
    ratio = Ratio(shipped.records[MPT], "a", "b", exact(nominal), found or None)
    assert times(ratio) == text, name


def test_the_ends_of_an_interval_are_shown_and_nothing_for_one_number() -> None:
    assert span(Interval(Fraction("796.8"), Fraction("803.2"))) == " (796.8 to 803.2)"
    assert span(exact(800)) == ""


@pytest.mark.parametrize(
    ("name", "digits", "text"),
    [
        ("as printed", {"value": Decimal("12.50"), "printed": "12.5"}, "12.5 tok/s"),
        ("as written", {"value": Decimal("12.50")}, "12.50 tok/s"),
        ("without a point", {"value": Decimal(800)}, "800 tok/s"),
    ],
)
def test_a_value_is_shown_with_the_digits_of_its_source(
    name: str, digits: dict[str, Any], text: str
) -> None:
    figure = Figure.model_validate({"metric": "output_throughput", "unit": "tok/s"} | digits)
    assert quantity(figure) == text, name


# Hostile text. No reader lets it in; the card does not rely on that.

HOSTILE = [
    ("a colour", "\x1b[31mred\x1b[0m"),
    ("a cleared screen", "\x1bc\x1b[2J"),
    ("a window title", "\x1b]0;owned\x07"),
    ("a control sequence in one character", "\x9b31m"),
    ("an override of direction", "\u202e0.008\u202c"),
    ("an isolated direction", "\u2067x\u2069"),
    ("nothing that is seen", "\u200b\u2060\ufeff"),
    ("a line of its own", "x\nForged\n  output_rate  99999 tok/s"),
    ("a line over this one", "x\rForged"),
    ("other line ends", "x\u2028Forged\x85Forged\x0bForged\x0cForged"),
    ("backspaces", "1\x08\x08\x08999"),
    ("a language tag", "\U000e0041\U000e0042"),
    ("marks of the figure asked for", "> > > x"),
    ("blanks alone", "   "),
    ("a long word", "x" * 600),
    ("markers and blanks without end", "> " * 300),
    ("braces and percents", "{0} {load} %s %(a)s"),
]


def prose_everywhere(prose: str) -> Iterator[tuple[str, Any]]:
    """Yield the blocks of a record in which all free text is this one."""
    line = re.sub(r"[\n\r\t]", "", prose)[:200] or "x"
    absence = {"because": "not_stated", "would_need": prose, "note": prose}
    figure = {"metric": "rate", "value": Decimal(800), "unit": line, "note": prose}
    derivation = {"formula": prose[:200], "assumes": [prose]}
    yield "title", line
    yield "status_reason", prose
    yield "source", {"id": "source", "locator": line, "retrieved": "2026-11-01"}
    yield "model", {"described_as": line}
    yield "hardware", {"pools": [{"described_as": line, "count": 2}]}
    yield "engine", {"described_as": line, "version": line, "commit": line, "image": line}
    yield "absent", {"load.warmup": absence, "precision": absence}
    yield "inferred", {"model.id": prose}
    yield "results", {"rate": figure | {"derivation": derivation, "inferred": {"scope": prose}}}
    yield "claims", [{"says": prose, "locator": line, "stated": "1", "formula": prose[:200]}]
    yield "attribution", prose
    yield "notes", prose


def hostile_card(prose: str) -> str:
    """Return the card of a record whose every free text, and that of its catalogue, is this one."""
    line = re.sub(r"[\n\r\t]", "", prose)[:200] or "x"
    head = {"id": "run-1", "kind": "example", "status": "withdrawn", "sweep": "sweep"}
    record = Record.model_validate(head | dict(prose_everywhere(prose)))
    metric = Metric(
        id="rate", name=line, unit="tok/s", counts="output_token", quantity="rate",
        phase="request", scopes=("system",), better="higher", definition="a rate",
    )  # fmt: skip
    source = Source(id="source", title=line, kind="blog", publisher=line)
    kinds = {"record": record, "metric": metric, "source": source}
    entries = [
        Entry(kind, entity, Document(f"{kind}.yaml", "", {}, (), suspect=True))
        for kind, entity in kinds.items()
    ]
    return card(build(entries, [], {}), record, prose, "rate")


@pytest.mark.parametrize("prose", [case[1] for case in HOSTILE], ids=[case[0] for case in HOSTILE])
def test_hostile_text_never_reaches_the_output_raw(prose: str) -> None:
    text = hostile_card(prose)
    assert UNSEEN.search(text) is None
    assert "\t" not in text
    assert [line for line in text.splitlines() if line.startswith(("Forged", "\r"))] == []


def test_hostile_text_stays_readable_as_escapes() -> None:
    assert "A \\x1b[31mred line" in section(hostile_card("A \x1b[31mred line"), "Notes")
    assert "800 \\u202e0.008" in section(hostile_card("\u202e0.008"), "Figures")


@given(prose=st.text(min_size=1, max_size=600))
def test_any_text_is_safe_to_print(prose: str) -> None:
    text = hostile_card(prose)
    assert UNSEEN.search(text) is None
    assert {line[:1] for line in text.split("\n\n")[1].split("\n")[1:]} <= {" ", ""}
