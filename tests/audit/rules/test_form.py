"""SCH005 and SCH007 at their edges: the canonical form, and secrets in texts and comments."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.analysis.prose import texts
from benchreg.audit.catalogue import chosen
from benchreg.audit.engine import Report, audit
from benchreg.audit.finding import Finding
from benchreg.audit.rules import form
from benchreg.registry.load import load
from benchreg.registry.registry import Registry

Change = Callable[..., Path]
Judge = Callable[..., Report]

RECORD = "records/benchmarks/example-source/base-record.yaml"
ENGINE = "engines/example-engine"
MODELINE = "# yaml-language-server: $schema=../../schema/engine.schema.json\n"
NAMED = "id: example-engine\nname: An example\n"
KEY = "q7Rf0ZxU2mLw"
TOKEN = "hf_" + "aB3" * 12  # put together, so that no scanner takes it for one


def found(report: Report, code: str) -> list[Finding]:
    return [finding for finding in report.findings if finding.code == code]


def formed(root: Path, text: str) -> list[Finding]:
    (root / f"records/{ENGINE}.yaml").write_text(text, encoding="utf-8", newline="")
    report = audit(load(root), chosen(["SCH005"], []), lambda path: ENGINE in path)
    assert report.crashes == ()
    return list(report.findings)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{MODELINE}{NAMED}", id="as `benchreg fmt` writes it"),
        pytest.param(f"{MODELINE}# why\n{NAMED}", id="with a comment"),
        pytest.param(MODELINE.replace("../../", "../../../../") + NAMED, id="schemas further up"),
    ],
)
def test_a_file_in_the_form_is_left_alone(text: str, base: Path) -> None:
    assert formed(base, text) == []


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        (f"{MODELINE}name: An example\nid: example-engine\n", 2, "should be `id: example-engine`"),
        (f"{MODELINE}{NAMED}\n", 4, "`nothing` should be `nothing`"),
        (f"{MODELINE}id: 'example-engine'\nname: An example\n", 2, "`id: 'example-engine'`"),
        (f"{MODELINE}{NAMED}".replace("\n", "\r\n"), 1, r"\x0d` should be"),
        (NAMED, 1, "should be `# yaml-language-server: $schema=../../schema/engine"),
        (MODELINE.replace("../../", "../") + NAMED, 1, "$schema=../../schema/engine"),
        (MODELINE.replace("engine.", "model.") + NAMED, 1, "/schema/engine"),
    ],
    ids=["the order", "a blank line", "quotes", "line ends", "no schema", "too near", "another"],
)
def test_a_file_in_another_form_is_found_at_its_first_line_that_differs(
    text: str, line: int, part: str, base: Path
) -> None:
    [finding] = formed(base, text)
    assert (finding.line, finding.column) == (line, 1)
    assert finding.message == "not in the canonical form"
    assert part in finding.hint


def test_a_file_in_another_form_is_one_finding_wherever_it_differs(base: Path) -> None:
    [first] = formed(base, f"{MODELINE}id:  example-engine\nname: An example\n")
    [last] = formed(base, f"{MODELINE}id: example-engine\nname:  An example\n")
    assert first.line != last.line
    assert first.fingerprint == last.fingerprint


def test_the_shipped_files_are_in_the_form(shipped: Registry) -> None:
    report = audit(shipped, chosen(["SCH005"], []))
    assert report.findings == ()
    assert report.evaluated["SCH005"] > 500


def test_a_file_that_would_be_too_large_is_not_judged(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(form, "MOST_BYTES", 500)
    report = audit(load(base), chosen(["SCH005"], []), lambda path: path == RECORD)
    assert report.findings == ()
    assert [(note.code, note.reason) for note in report.unevaluated] == [
        ("SCH005", "the file would be too large in the canonical form")
    ]


@pytest.mark.parametrize(
    ("place", "text", "pointer"),
    [
        ("", f"notes: read with {TOKEN}\n", "/notes"),
        ("", f"title: A run on gpu01.corp ({TOKEN})\n", "/title"),
        ("", f"engine: {{id: example-engine, flags: --api-key {KEY}}}\n", "/engine/flags"),
        ("", "measurement: {harness: of jane@corp.com, point: server}\n", "/measurement/harness"),
        ("", f"absent: {{load.scenario: {{because: not_stated, note: {TOKEN}}}}}\n",
         "/absent/load.scenario/note"),
        ("", f"service: {{provider: Example, endpoint: '{TOKEN}'}}\n",
         "/service/endpoint"),
        (ENGINE, "note: ask jane@corp.com\n", "/note"),
        (ENGINE, f"url: https://example.org/?token={KEY}\n", "/url"),
        ("sources/example-source", "title: wiki.internal\n", "/title"),
        ("models/example-model", f"note: HF_TOKEN={KEY}\n", "/note"),
        ("metrics/tpot", "definition: see gpu01.corp\n", "/definition"),
        ("accelerators/example-gpu-80gb", "note: in 192.168.0.7\n", "/note"),
    ],
)  # fmt: skip
def test_a_secret_is_found_in_any_text_of_any_entity(
    place: str, text: str, pointer: str, changed: Change, judged: Judge
) -> None:
    report = judged(changed(**{place: text}))
    assert {one.pointer for one in found(report, "SCH007")} == {pointer}


@pytest.mark.parametrize("quoted", [r'"read with \x68f_' + "aB3" * 12 + '"', f">-\n  {TOKEN}"])
def test_a_secret_is_found_however_it_is_written(
    quoted: str, changed: Change, judged: Judge
) -> None:
    assert len(found(judged(changed(f"notes: {quoted}\n")), "SCH007")) == 1


def test_each_secret_of_a_text_is_a_finding_of_its_own(changed: Change, judged: Judge) -> None:
    flags = f"--api-key {KEY} --hf-token {TOKEN} --host 10.0.0.4"
    findings = found(judged(changed(f"engine: {{id: example-engine, flags: {flags}}}\n")), "SCH007")
    assert sorted(one.message for one in findings) == [
        "holds what looks like a private host (10...)",
        "holds what looks like a secret (q7Rf...)",
        "holds what looks like a token of Hugging Face (hf_a...)",
    ]
    assert len({one.fingerprint for one in findings}) == 3
    assert {one.hint for one in findings} == {
        "revoke it, and take it out",
        "take it out, or say it without the name",
    }


@pytest.mark.parametrize(
    ("text", "place"),
    [
        pytest.param(f"notes: measured once  # with {TOKEN}\n", (1, 23), id="at the end of a line"),
        pytest.param(f"# {TOKEN}\nnotes: measured once\n", (1, 1), id="on a line of its own"),
        pytest.param(f"notes: measured once\n# {TOKEN}", (2, 1), id="at the end of the file"),
    ],
)
def test_a_secret_is_found_in_a_comment(
    text: str, place: tuple[int, int], base: Path, judged: Judge
) -> None:
    before = len((base / RECORD).read_text(encoding="utf-8").splitlines())
    with (base / RECORD).open("a", encoding="utf-8") as file:
        file.write(text)
    [finding] = found(judged(base), "SCH007")
    assert (finding.line - before, finding.column) == place
    assert TOKEN not in finding.message


def test_a_secret_at_the_beginning_of_a_file_is_found(base: Path, judged: Judge) -> None:
    text = (base / RECORD).read_text(encoding="utf-8")
    (base / RECORD).write_text(f"# {TOKEN}\n{text}", encoding="utf-8")
    assert [(one.line, one.column) for one in found(judged(base), "SCH007")] == [(1, 1)]


def test_a_text_that_holds_a_number_sign_is_found_once(changed: Change, judged: Judge) -> None:
    report = judged(changed(f'notes: "see #1 and # 2, with {TOKEN}"\n'))
    assert [one.pointer for one in found(report, "SCH007")] == ["/notes"]


def test_a_waiver_accepts_a_secret_that_is_none(changed: Change, judged: Judge) -> None:
    waiver = "{rule: SCH007, at: /notes, reason: an example, by: us, since: '2026-11-01'}"
    report = judged(changed(f"notes: on gpu01.corp\nwaivers:\n  - {waiver}\n"))
    assert found(report, "SCH007") == []
    assert [one.finding.code for one in report.waived] == ["SCH007"]


def test_a_refused_file_is_not_looked_into_before_it_is_read(
    changed: Change, judged: Judge
) -> None:
    report = judged(changed(f"notess: {TOKEN}\n"))
    assert found(report, "SCH001") != []
    assert found(report, "SCH007") == []


def test_nothing_that_is_shipped_looks_like_a_secret(shipped: Registry) -> None:
    report = audit(shipped, chosen(["SCH007"], []))
    assert report.evaluated["SCH007"] > 500
    assert report.findings == ()
    assert not any(texts(shipped, one.document, "leaks") for one in shipped.entries)
