"""An estimate as text and as a document: never wider than a terminal, never raw, never NaN."""

import json
import re
from dataclasses import fields, replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchreg.analysis.estimates import Answer, answer
from benchreg.analysis.question import Question, Split
from benchreg.entities.catalogue import Accelerator, Interconnect, Model
from benchreg.registry.document import Document
from benchreg.registry.registry import Entry, build
from benchreg.report.estimate import as_json, as_text, coefficient_words, fits
from benchreg.roofline.step import IDEAL, REFERENCE, Coefficients
from benchreg.values.unseen import UNSEEN

SIZES: dict[str, Any] = {
    "id": "a-model",
    "name": "A Model",
    "family": "a",
    "layers": 8,
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "gated_mlp": True,
    "vocabulary_size": 32000,
    "tied_embeddings": False,
    "attention": {"kind": "gqa", "heads": 16, "kv_heads": 4, "head_dim": 64},
}
PART: dict[str, Any] = {
    "id": "a-part",
    "name": "A Part",
    "vendor": "v",
    "family": "a",
    "kind": "gpu",
    "memory_gib": 16,
    "memory_bandwidth_gb_s": 900,
    "peak_tflop_s": {"bf16": 200},
}
ASKED = Question("a-model", "a-part", 1000, 100)
HOSTILE = [
    ("a colour", "\x1b[31mred\x1b[0m"),
    ("a window title", "\x1b]0;owned\x07"),
    ("a control sequence in one character", "\x9b31m"),
    ("an override of direction", "\u202e08\u202c"),
    ("a line of its own", "x\nFigures\n  output, system  99999"),
    ("a line over this one", "x\rEstimate"),
    ("other line ends", "x\u2028y\x85z\x0b\x0c"),
    ("a character that is taken back", "1\x7f\x08"),
    ("a language tag", "\U000e0041"),
    ("a long word", "x" * 300),
    ("blanks", "   "),
]


def ask(question: Question = ASKED, name: str = "A Model", part: str = "A Part") -> Answer:
    """Ask of a model and a part with these names, whose link has the part's name too.

    No reader lets a hostile name in; what is printed does not rely on that.
    """
    link = Interconnect(kind="a", gb_s_per_direction=Decimal(100)).model_copy(update={"kind": part})
    entities = {
        "model": Model.model_validate(SIZES).model_copy(update={"name": name}),
        "accelerator": Accelerator.model_validate(PART).model_copy(
            update={"name": part, "interconnect": link}
        ),
    }
    entries = [
        Entry(kind, entity, Document(f"{kind}.yaml", "", {}, (), suspect=True))
        for kind, entity in entities.items()
    ]
    return answer(build(entries, [], {}), question)


# Text.


def test_what_was_asked_is_told_before_what_is_answered() -> None:
    asked = replace(
        ASKED, pattern="closed_loop", level=5000, cached_tokens=7.0, split=Split(2, 2, replicas=2)
    )
    lines = as_text(ask(asked)).splitlines()
    assert lines[:4] == [
        "Estimate, not a measurement: A Model on 8 x A Part",
        "  closed loop of 5,000; 1000 tokens in, 100 out after 7 cached; tensor 2,",
        "      pipeline 2, replicas 2",
        "  weights bf16, activations bf16, kv cache bf16, head bf16, attention bf16",
    ]


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("one", {}, "1 sequence decodes at once, of 1 in flight"),
        ("several", {"level": 3}, "3 sequences decode at once, of 3 in flight"),
        (
            "who waits",
            {"pattern": "closed_loop", "level": 9999},
            "ms are spent waiting for a place",
        ),
        ("what is longest", {}, "bound in prefill by arithmetic, in decode by reading the weights"),
        ("of one token", {"output_tokens": 1.0}, "  bound in prefill by arithmetic\n"),
        ("no split", {}, "100 out; not split"),
        ("a mean length", {"input_tokens": 512.5}, "512.5 tokens in"),
        ("a long length", {"input_tokens": 1e6}, "1000000 tokens in"),
        ("room for one", {"input_tokens": 900_000.0}, "the system holds 1 sequence, half of"),
    ],
)
def test_a_figure_is_told_in_words(name: str, changes: dict[str, Any], said: str) -> None:
    assert said in as_text(ask(replace(ASKED, **changes))), name


def test_who_finds_a_place_does_not_wait() -> None:
    assert "waiting" not in as_text(ask(replace(ASKED, pattern="closed_loop", level=2)))


def test_titles_alone_are_painted() -> None:
    text = as_text(ask(), paint=lambda text, role: f"<{role}>{text}<>")
    painted = re.findall(r"<title>(.*?)<>", text)
    assert painted[1:] == ["Memory of one accelerator", "Figures", "Assumed"]
    assert text.count("<>") == len(painted)


@pytest.mark.parametrize(("name", "prose"), HOSTILE)
def test_a_hostile_name_never_reaches_the_output_raw(name: str, prose: str) -> None:
    found = ask(replace(ASKED, split=Split(tensor=2)), prose, prose)
    text = as_text(found)
    assert UNSEEN.search(text) is None, name
    assert UNSEEN.search(as_json(found)) is None, name
    assert text.splitlines().count("Figures") == 1
    assert max(map(len, text.splitlines())) <= 80


@given(prose=st.text(min_size=1, max_size=300))
def test_any_name_is_safe_to_print(prose: str) -> None:
    found = ask(replace(ASKED, split=Split(tensor=2)), prose, prose)
    assert UNSEEN.search(as_text(found)) is None
    assert UNSEEN.search(as_json(found)) is None


# Coefficients.


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        (
            REFERENCE,
            [
                "0.8 of the bandwidth is reached",
                "0.65 of the peak is reached",
                "0.15 of the shorter of memory and arithmetic time is not hidden",
                "0.35 ms of overhead a step",
                "3.5 GB of an accelerator hold neither weights nor cache",
            ],
        ),
        (
            IDEAL,
            [
                "1 of the bandwidth is reached",
                "1 of the peak is reached",
                "0 of the shorter of memory and arithmetic time is not hidden",
                "0 ms of overhead a step",
                "0 GB of an accelerator hold neither weights nor cache",
                "communication costs nothing",
            ],
        ),
    ],
    ids=["reference", "ideal"],
)
def test_every_coefficient_is_told(chosen: Coefficients, words: list[str]) -> None:
    assert list(coefficient_words(chosen)) == words
    text = as_text(ask(replace(ASKED, coefficients=chosen)))
    assert [word for word in words if f"  {word}" not in text] == []


def test_a_document_has_every_coefficient_by_its_name() -> None:
    found = json.loads(as_json(ask()))
    assert list(found["coefficients"]) == [field.name for field in fields(Coefficients)]


# Documents.


def test_a_document_has_what_was_asked_and_what_was_taken() -> None:
    found = json.loads(as_json(ask(replace(ASKED, split=Split(tensor=2), weights="int8"))))
    assert (found["kind"], found["accelerators"]) == ("estimate", 2)
    assert found["precision"] == {
        "weights": "int8",
        "activations": "bf16",
        "kv_cache": "bf16",
        "head": "bf16",
        "attention": "int8",
    }
    assert found["part"] == {
        "bandwidth_gb_s": 900,
        "peak_tflop_s": 200,
        "link_gb_s": 100,
        "link_latency_us": 3.5,
    }
    assert found["parallelism"]["tensor"] == 2
    assert found["assumptions"] == list(
        ask(replace(ASKED, split=Split(2), weights="int8")).assumptions
    )


def test_the_figures_of_a_document_are_those_of_the_text() -> None:
    found = json.loads(as_json(ask(replace(ASKED, level=4))))
    rate, requests = found["estimate"]["output_tokens_per_s"], found["estimate"]["requests_per_s"]
    assert rate["system"] == pytest.approx(100 * requests, 1e-5)
    assert rate["per_request"] == pytest.approx(rate["system"] / 4, 1e-5)
    assert found["estimate"]["e2e_ms"] == pytest.approx(4000 / requests, 1e-5)
    [line] = re.findall(r"  end to end +([0-9.,]+)", as_text(ask(replace(ASKED, level=4))))
    assert float(line) == pytest.approx(found["estimate"]["e2e_ms"], 1e-3)


def test_what_does_not_fit_has_no_figure_in_either_form() -> None:
    large = ask(replace(ASKED, level=10_000))
    assert not fits(large)
    assert not fits(ask(replace(ASKED, input_tokens=5e6)))
    found = json.loads(as_json(large))
    assert (found["estimate"], found["bound"]) == (None, None)
    assert "tok/s" not in as_text(large)
