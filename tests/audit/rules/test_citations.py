"""PRO004, PRO005 and PRO007 at their edges: quotations, attributions and addresses."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.catalogue import chosen
from benchreg.audit.engine import Report, audit
from benchreg.audit.finding import Finding, Severity
from benchreg.registry.registry import Registry

Change = Callable[..., Path]
Judge = Callable[..., Report]

SOURCE = "sources/example-source"
PARTNER = "benchmarks/example-source/example-partner"
LONG = " ".join(["word"] * 26)
SHORT = " ".join(["word"] * 25)


def found(report: Report, code: str) -> list[Finding]:
    return [finding for finding in report.findings if finding.code == code]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param(f'notes: they say "{SHORT}"\n', 0, id="25 words"),
        pytest.param(f'notes: they say "{LONG}"\n', 1, id="26 words"),
        pytest.param(f"notes: they say \u201c{LONG}\u201d\n", 1, id="typographic"),
        pytest.param(f'notes: they say "{LONG}", and "{LONG} too"\n', 2, id="twice"),
        pytest.param(f"notes: \"the users' {LONG} and the servers'\"\n", 0, id="apostrophes"),
        pytest.param(f'title: They say "{LONG}"\n', 1, id="a title"),
        pytest.param(f"status: withdrawn\nstatus_reason: 'as \"{LONG}\"'\n", 1, id="a reason"),
        pytest.param(f"attribution: 'They ask for \"{LONG}\"'\n", 0, id="what is asked for"),
        pytest.param(f"notes: they say {LONG}\n", 0, id="nothing in marks"),
    ],
)
def test_a_quotation_has_at_most_25_words(
    text: str, count: int, changed: Change, judged: Judge
) -> None:
    findings = found(judged(changed(text)), "PRO004")
    assert [one.severity for one in findings] == [Severity.WARNING] * count
    assert len({one.fingerprint for one in findings}) == count


def test_a_long_quotation_is_told_by_its_length_and_beginning(
    changed: Change, judged: Judge
) -> None:
    text = f'note: The vendor says "one two three four {LONG}".\n'
    [finding] = found(judged(changed(**{"engines/example-engine": text})), "PRO004")
    assert finding.message == "quotes 30 words in a row, from 'one two three four' on"
    assert finding.pointer == "/note"


ASKED = "attribution: Example is a trademark of Nobody.\n"


def asking(changed: Change, said: str, asked: str = ASKED) -> Path:
    return changed(said, **{SOURCE: asked, PARTNER: asked})


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("", "example-source asks for an attribution, and there is none"),
        ("attribution: Of Nobody.\n", "the attribution does not have what example-source asks for"),
        ("attribution: example is a trademark of Nobody.\n",
         "the attribution does not have what example-source asks for"),
        ("notes: Example is a trademark of Nobody.\n",
         "example-source asks for an attribution, and there is none"),
    ],
    ids=["nothing", "something else", "other letters", "elsewhere"],
)  # fmt: skip
def test_a_record_without_what_its_source_asks_for_is_found(
    said: str, message: str, changed: Change, judged: Judge
) -> None:
    [finding] = found(judged(asking(changed, said)), "PRO005")
    assert finding.message == message
    assert finding.hint == "write in `attribution`: Example is a trademark of Nobody."
    assert finding.path.endswith("base-record.yaml")


@pytest.mark.parametrize(
    "said",
    [
        ASKED,
        "attribution: First. Example is a trademark of Nobody. Last.\n",
        "attribution: |-\n  Example is\n  a trademark of Nobody.\n",
    ],
    ids=["the same", "and more", "in other lines"],
)
def test_what_a_source_asks_for_may_stand_among_other_words(
    said: str, changed: Change, judged: Judge
) -> None:
    assert found(judged(asking(changed, said)), "PRO005") == []


def test_what_a_source_asks_for_may_be_written_in_lines_there(
    changed: Change, judged: Judge
) -> None:
    asked = "attribution: |-\n  Example is a\n  trademark of Nobody.\n"
    assert found(judged(asking(changed, ASKED, asked)), "PRO005") == []


def test_a_source_that_asks_for_nothing_gets_what_is_given(changed: Change, judged: Judge) -> None:
    assert found(judged(changed(ASKED)), "PRO005") == []


@pytest.mark.parametrize(
    ("ruin", "reason"),
    [("is not there", "example-source is not there"), ("", "example-source was refused")],
    ids=["not there", "refused"],
)
def test_without_its_source_an_attribution_is_not_judged(
    ruin: str, reason: str, base: Path, judged: Judge
) -> None:
    path = base / f"records/{SOURCE}.yaml"
    path.write_text("id: example-source\n", encoding="utf-8")
    if ruin:
        path.unlink()
    report = judged(base)
    assert found(report, "PRO005") == []
    notes = [note.reason for note in report.unevaluated if note.code == "PRO005"]
    assert notes == [reason, reason]


def test_every_shipped_record_says_what_its_source_asks_for(shipped: Registry) -> None:
    asking = {one.id for one in shipped.sources.values() if isinstance(one.attribution, str)}
    assert {"mlperf-inference-v4.1", "mlperf-inference-v5.1"} <= asking
    assert audit(shipped, chosen(["PRO004,PRO005,PRO007"], [])).findings == ()


ARCHIVED = 'source: {{id: example-source, locator: a, retrieved: "2026-11-01", archive_url: {}}}\n'
PAGES = {
    "": (ARCHIVED, "/source/archive_url"),
    SOURCE: ("url: {}\n", "/url"),
    "models/example-model": ("url: {}\n", "/url"),
    "engines/example-engine": ("url: {}\n", "/url"),
}


@pytest.mark.parametrize("place", PAGES, ids=lambda place: place or "a record")
def test_the_address_of_every_entity_is_judged(place: str, changed: Change, judged: Judge) -> None:
    form, pointer = PAGES[place]
    root = changed(**{place: form.format("http://example.org/")})
    [finding] = found(judged(root), "PRO007")
    assert (finding.pointer, finding.message) == (pointer, "the address is not encrypted")
    root = changed(**{place: form.format("https://example.org/")})
    assert found(judged(root), "PRO007") == []


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://example.org/", "PRO007"),
        ("ftp://example.org/", "PRO007"),
        ("https://10.0.0.1/", "PRO007"),
        ("https://me:q7Rf@example.org/", "PRO007"),
        ("example.org/page", "SCH001"),
        ("HTTPS://example.org/", "SCH001"),
        ("javascript:alert(1)", "SCH001"),
        ("https://ex\u0430mple.org/", "SCH001"),
        ("https://example.org/a page", "SCH001"),
    ],
)
def test_what_has_the_form_of_an_address_is_judged_here_and_what_has_not_is_refused(
    url: str, code: str, changed: Change, judged: Judge
) -> None:
    report = judged(changed(ARCHIVED.format(f"'{url}'")))
    assert {one.code for one in report.findings} == {code}


def test_a_host_in_punycode_is_a_warning(changed: Change, judged: Judge) -> None:
    [finding] = found(judged(changed(ARCHIVED.format("https://xn--80ak6aa92e.com/"))), "PRO007")
    assert finding.severity is Severity.WARNING
    assert r"\u0430\u0440\u0440" in finding.message


def test_each_fault_of_an_address_is_a_finding_of_its_own(changed: Change, judged: Judge) -> None:
    report = judged(changed(ARCHIVED.format("http://me:q7Rf0ZxU@192.168.0.7/")))
    findings = found(report, "PRO007")
    assert len({one.fingerprint for one in findings}) == len(findings) == 3
    assert not any("q7Rf" in f"{one.message}{one.hint}" for one in findings)
    assert found(report, "SCH007") == []
